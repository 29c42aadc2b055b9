"""The results that the project reports: small summaries of run folders, and the tables made from them.

    python scripts/results.py add runs/scr-pq-2h --as scr-pq-2h-s0 [--variant "beam 1"] [--trained "pq-2h:train"]
    python scripts/results.py compare runs/eperm runs/walk --as eperm-walk [--metric "evidence exact matching"]
    python scripts/results.py write            # puts the tables into README.md and docs/
    python scripts/results.py check            # fails when a table is not what the summaries say

A summary holds the metrics with their intervals, the breakdowns, the cost and what made them, not the rows: the run
folder is made again by the experiment file. No figure in a table is typed by hand.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from clew.evaluation import Calibration, Scores, compare, scores_from_json
from clew.evaluation.compare import COMPARED
from clew.evaluation.table import BEGIN, END
from clew.methods.registry import cards
from clew.runs import Run
from clew.scores import score_run
from clew.types import to_json

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
PAIRS = RESULTS / "pairs"
COSTS = ("<!-- costs: generated, do not edit -->", "<!-- /costs -->")
TESTS = ("<!-- pairs: generated, do not edit -->", "<!-- /pairs -->")
PRINTED = ("<!-- benchmarks: generated, do not edit -->", "<!-- /benchmarks -->")
METHODS = ("<!-- methods: generated, do not edit -->", "<!-- /methods -->")
SETS = ("pq-2h:test", "pq-3h:test", "metaqa-r-2hop:test", "webqsp-pooled:dev", "cwq-pooled:dev")
"""The question sets of the short table."""
ORDER = ("demo", "pq-2h", "pq-3h", "metaqa-r-1hop", "metaqa-r-2hop", "metaqa-r-3hop", "webqsp-pooled", "cwq-pooled")


def summary(folder: Path, variant: str, trained: str, size: str, seed: int | None) -> dict[str, Any]:
    """What is kept of a run."""
    run, scores = Run.open(folder), score_run(folder)
    identity, session = run.manifest["identity"], run.manifest["sessions"][-1]
    data = {**scores.to_json(), "ids": [], "status": [], "values": {}}
    _whole(folder, scores)
    return {
        "questions": identity["data"]["questions"],
        "limit": identity["data"].get("limit"),
        "method": identity["method"],
        "variant": variant,
        "trained": trained,
        "size": size,
        "seed": identity["seed"] if seed is None else seed,
        "config": identity["config"],
        "encoder": identity["encoder"],
        "language_model": identity["language_model"],
        "commit": session["commit"],
        "platform": session["platform"],
        "expected": session.get("expected"),
        "scores": data,
    }


def read_summaries() -> list[dict[str, Any]]:
    """Every summary, in the order of the tables."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]

    def place(row: dict[str, Any]) -> tuple[Any, ...]:
        name = row["questions"].partition(":")[0]
        known = ORDER.index(name) if name in ORDER else len(ORDER)
        return known, row["questions"], row["method"] != "walk", row["method"], row["variant"], row["seed"]

    return sorted(found, key=place)


def _whole(folder: Path, scores: Scores) -> None:
    """A run that is still going would be reported as one that fails."""
    if scores.counts.missing:
        raise SystemExit(
            f"{folder}: {scores.counts.missing} questions are not answered yet; clew predict --run {folder} goes on"
        )


def pair(first: Path, second: Path, metrics: list[str], labels: list[str]) -> dict[str, Any]:
    """What is kept of a paired test of two runs."""
    runs = [Run.open(folder) for folder in (first, second)]
    scores = [score_run(folder) for folder in (first, second)]
    for folder, each in zip((first, second), scores, strict=True):
        _whole(folder, each)
    found = compare(*scores, metrics or COMPARED)
    methods = [labels[i] if labels else run.manifest["identity"]["method"] for i, run in enumerate(runs)]
    data = runs[0].manifest["identity"]["data"]
    return {
        **to_json(found),
        "questions": data["questions"],
        "limit": data.get("limit"),
        "questions_compared": found.questions,
        "first": methods[0],
        "second": methods[1],
    }


def grouped(rows: list[dict[str, Any]]) -> tuple[dict[tuple[str, ...], list[Scores]], list[str]]:
    """The scores by question set, method, variant, training set and size; and all notices, in order."""
    groups: dict[tuple[str, ...], list[Scores]] = defaultdict(list)
    for row in rows:
        asked = row["questions"] + (f" ({row['limit']} sampled)" if row["limit"] else "")
        key = asked, row["method"], row["variant"], row["trained"], row["size"]
        groups[key].append(scores_from_json(row["scores"]))
    return groups, list(dict.fromkeys(n for each in groups.values() for one in each for n in one.notices))


def table(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> str:
    """One line per question set, method and variant; several seeds become a mean with its range."""
    scores, notices = grouped(rows)
    lines = [
        "| questions | method | trained on | trained model | n | " + " | ".join(columns) + " | ms/question |",
        "|---|---|---|---|---:|" + "---|" * len(columns) + "---:|",
    ]
    for (asked, method, variant, trained, size), each in scores.items():
        marks = "".join(f"<sup>{notices.index(n) + 1}</sup>" for n in each[0].notices)
        named = f"{method} ({variant})" if variant else method
        found = [[s.metrics[c] for s in each if c in s.metrics] for c in columns]
        cells = [_cell([one.value for one in mine], [str(one) for one in mine]) for mine in found]
        milliseconds = sum(_pace(one) for one in each) / len(each)
        lines.append(
            f"| {asked}{marks} | {named} | {trained or '–'} | {size or '–'} | {each[0].counts.questions:,} | "
            + " | ".join(cells)
            + f" | {milliseconds:,.0f} |"
        )
    remarks = [f"<sup>{i}</sup> {text}  " for i, text in enumerate(notices, 1)]
    return "\n".join([*lines, "", *remarks]) + "\n" if remarks else "\n".join(lines) + "\n"


def _cell(values: list[float | None], shown: list[str]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "–"
    if len(known) == 1:
        return shown[0]
    mean = sum(known) / len(known)
    return f"{100 * mean:.1f} [{100 * min(known):.1f}–{100 * max(known):.1f} over {len(known)} seeds]"


def _pace(scores: Scores) -> float:
    """Milliseconds of wall clock per answered question, all stages."""
    total = scores.cost.seconds.get("total")
    return 1000 * total.mean if total else 0.0


def costs(rows: list[dict[str, Any]]) -> str:
    """What the answers of each row cost, what their scores are worth, and F1 by the number of right answers."""
    scores, notices = grouped(rows)
    bins = ("1", "2–4", "≥5")
    lines = [
        "| questions | method | calls | prompt tokens | written tokens | ECE | wrong of the surest 80 % | "
        + " | ".join(f"F1, {each} answers" for each in bins)
        + " |",
        "|---|---|---:|---:|---:|---:|---:|" + "---|" * len(bins),
    ]
    for (asked, method, variant, _, _), each in scores.items():
        marks = "".join(f"<sup>{notices.index(n) + 1}</sup>" for n in each[0].notices)
        asked_about = sum(one.counts.questions for one in each)
        spent = [
            sum(getattr(one.cost, name) for one in each) for name in ("calls", "prompt_tokens", "completion_tokens")
        ]
        cells = [f"{spent[0] / asked_about:.1f}", *(f"{tokens / asked_about:,.0f}" for tokens in spent[1:])]
        known = [one.calibration for one in each if one.calibration is not None]
        cells.append(f"{sum(c.ece for c in known) / len(known):.3f}" if known else "–")
        risks = [risk for c in known if (risk := _risk(c, 0.8)) is not None]
        cells.append(f"{100 * sum(risks) / len(risks):.1f}" if risks else "–")
        for name in bins:
            found = [b[name]["f1"] for one in each if name in (b := one.breakdowns.get("answers (RoG)", {}))]
            cells.append(_cell([one.value for one in found], [str(one) for one in found]))
        lines.append(f"| {asked}{marks} | {method}{f' ({variant})' if variant else ''} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _risk(calibration: Calibration, share: float) -> float | None:
    """Share of wrong first answers where the surest `share` of the questions are answered; None where fewer were."""
    reached = [r for c, r in zip(calibration.coverage, calibration.risk, strict=True) if c >= share]
    return reached[0] if reached else None


def pairs() -> str:
    """Paired tests, one line per pair and metric."""
    lines = [
        "| questions | n | first | second | metric | first | second | difference | better | worse | p | p (Holm) |",
        "|---|---:|---|---|---|---:|---:|---|---:|---:|---:|---:|",
    ]
    for path in sorted(PAIRS.glob("*.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        asked = row["questions"] + (f" ({row['limit']} sampled)" if row["limit"] else "")
        lines += [
            f"| {asked} | {row['questions_compared']:,} | {row['first']} | {row['second']} | {d['metric']} | "
            f"{100 * d['first']:.1f} | {100 * d['second']:.1f} | {100 * d['difference']:+.1f} "
            f"[{100 * d['low']:+.1f}, {100 * d['high']:+.1f}] | {d['better']} | {d['worse']} | {d['p']:.2g} | "
            f"{d['p_holm']:.2g} |"
            for d in row["differences"]
        ]
    return "\n".join(lines) + "\n"


def benchmarks() -> str:
    """What each benchmark printed on the machine named in the document, under the command that printed it."""
    parts = []
    for path in sorted((RESULTS / "benchmarks").glob("*.txt")):
        command, _, printed = path.read_text(encoding="utf-8").partition("\n")
        parts.append(f"```\n$ {command}\n{printed.strip(chr(10))}\n```\n")
    return "\n".join(parts)


def overview(rows: list[dict[str, Any]]) -> str:
    """One line per method: Hits@1 on the question sets of `SETS`, and the wall clock of a question on them.

    Of several rows of a method on a set, the one with the most questions counts.
    """
    scores, notices = grouped([row for row in rows if not row["variant"] and row["questions"] in SETS])
    best: dict[tuple[str, str], list[Scores]] = {}
    for (asked, method, _, _, _), each in scores.items():
        key = method, asked.partition(" ")[0]
        if key not in best or each[0].counts.questions > best[key][0].counts.questions:
            best[key] = each
    remarks = {
        name: {n for (_, asked), each in best.items() if asked == name for n in each[0].notices} for name in SETS
    }
    heads = [name + "".join(f"<sup>{i}</sup>" for i, n in enumerate(notices, 1) if n in remarks[name]) for name in SETS]
    lines = ["| method | " + " | ".join(heads) + " | ms/question |", "|---|" + "---|" * (len(SETS) + 1)]
    for method in (name for name in cards() if any(name == known for known, _ in best)):
        found = [best.get((method, name)) for name in SETS]
        paces = [_pace(one) for each in found if each for one in each]
        cells = [_cell([s.metrics["hits@1"].value for s in each], [str(s.metrics["hits@1"]) for s in each]) if each
                 else "–" for each in found]  # fmt: skip
        lines.append(f"| `{method}` | " + " | ".join(cells) + f" | {min(paces):,.0f}–{max(paces):,.0f} |")
    return "\n".join([*lines, "", *(f"<sup>{i}</sup> {text}  " for i, text in enumerate(notices, 1))]) + "\n"


def methods() -> str:
    """The methods and what each needs, from their cards."""
    lines = ["| method | what it does | needs | trains |", "|---|---|---|---|"]
    for card in cards().values():
        wanted = {"encoder": "encoder", "language_model": "language model", "model": "trained model"}
        needs = [words for key, words in wanted.items() if getattr(card.needs, key) == "required"]
        needs += ["language model or trained model"] if card.needs.either else []
        lines.append(
            f"| `{card.name}` | {card.summary} | {', '.join(needs) or '–'} | {'yes' if card.train else 'no'} |"
        )
    return "\n".join(lines) + "\n"


def documents() -> dict[Path, str]:
    """Each document with generated tables, as it should be."""
    rows = read_summaries()
    wide = ("hits@1", "hit", "f1", "precision", "recall", "evidence hit")
    readme, results, speed = ROOT / "README.md", ROOT / "docs" / "results.md", ROOT / "docs" / "benchmarks.md"
    which = ROOT / "docs" / "methods.md"
    text = _between(readme.read_text(encoding="utf-8"), overview(rows), (BEGIN, END))
    text_of_which = _between(which.read_text(encoding="utf-8"), overview(rows), (BEGIN, END))
    text_of_results = _between(results.read_text(encoding="utf-8"), table(rows, wide), (BEGIN, END))
    return {
        readme: _between(text, methods(), METHODS),
        which: _between(text_of_which, methods(), METHODS),
        speed: _between(speed.read_text(encoding="utf-8"), benchmarks(), PRINTED),
        results: _between(_between(text_of_results, costs(rows), COSTS), pairs(), TESTS),
    }


def _between(document: str, text: str, marks: tuple[str, str]) -> str:
    begin, end = marks
    if document.count(begin) != 1 or document.count(end) != 1:
        raise SystemExit(f"expected {begin} and {end} once each in the document")
    head, _, rest = document.partition(begin)
    return f"{head}{begin}\n{text}{end}{rest.partition(end)[2]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    actions = parser.add_subparsers(dest="action", required=True)
    add = actions.add_parser("add")
    add.add_argument("run", type=Path)
    add.add_argument("--as", dest="name", required=True)
    add.add_argument("--variant", default="", help="what differs from the method's defaults; kept out of the README")
    add.add_argument("--trained", default="", help="the question set it was trained on")
    add.add_argument("--size", default="", help="what was trained and how large it is")
    add.add_argument("--seed", type=int)
    test = actions.add_parser("compare")
    test.add_argument("runs", type=Path, nargs=2)
    test.add_argument("--as", dest="name", required=True)
    test.add_argument("--metric", action="append", default=[], help="default: hit, hits@1, f1")
    test.add_argument("--labels", nargs=2, default=[], help="what the two are called; default: their methods")
    actions.add_parser("write")
    actions.add_parser("check")
    given = parser.parse_args()
    if given.action == "add":
        RESULTS.mkdir(exist_ok=True)
        kept = summary(given.run, given.variant, given.trained, given.size, given.seed)
        (RESULTS / f"{given.name}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
        return
    if given.action == "compare":
        PAIRS.mkdir(parents=True, exist_ok=True)
        tested = pair(*given.runs, given.metric, given.labels)
        (PAIRS / f"{given.name}.json").write_text(json.dumps(tested, indent=1, ensure_ascii=False) + "\n", "utf-8")
        return
    stale = [path for path, text in documents().items() if path.read_text(encoding="utf-8") != text]
    if given.action == "check" and stale:
        names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
        sys.exit(f"not what the summaries say: {names}; run  python scripts/results.py write")
    for path, text in documents().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
