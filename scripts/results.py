"""The results that the project reports: small summaries of run folders, and the tables made from them.

    python scripts/results.py add runs/scr-pq-2h --as scr-pq-2h-s0 [--variant "beam 1"] [--trained "pq-2h:train"]
    python scripts/results.py write            # puts the tables into README.md and docs/results.md
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

from clew.evaluation import Scores, scores_from_json
from clew.evaluation.table import BEGIN, END
from clew.methods.registry import cards
from clew.runs import Run
from clew.scores import score_run

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
METHODS = ("<!-- methods: generated, do not edit -->", "<!-- /methods -->")
ORDER = ("demo", "pq-2h", "pq-3h", "metaqa-r-1hop", "metaqa-r-2hop", "metaqa-r-3hop", "webqsp-pooled", "cwq-pooled")


def summary(folder: Path, variant: str, trained: str, size: str, seed: int | None) -> dict[str, Any]:
    """What is kept of a run."""
    run, scores = Run.open(folder), score_run(folder)
    identity, session = run.manifest["identity"], run.manifest["sessions"][-1]
    data = {**scores.to_json(), "ids": [], "status": [], "values": {}}
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


def table(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> str:
    """One line per question set, method and variant; several seeds become a mean with its range."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        asked = row["questions"] + (f" ({row['limit']} sampled)" if row["limit"] else "")
        groups[asked, row["method"], row["variant"], row["trained"], row["size"]].append(row)
    scores = {key: [scores_from_json(row["scores"]) for row in group] for key, group in groups.items()}
    notices = list(dict.fromkeys(n for each in scores.values() for one in each for n in one.notices))
    lines = [
        "| questions | method | trained on | trained model | n | " + " | ".join(columns) + " | ms/question |",
        "|---|---|---|---|---:|" + "---|" * len(columns) + "---:|",
    ]
    for (asked, method, variant, trained, size), each in scores.items():
        marks = "".join(f"<sup>{notices.index(n) + 1}</sup>" for n in each[0].notices)
        named = f"{method} ({variant})" if variant else method
        cells = [_cell([s.metrics[c].value for s in each if c in s.metrics], each, c) for c in columns]
        milliseconds = sum(_pace(one) for one in each) / len(each)
        lines.append(
            f"| {asked}{marks} | {named} | {trained or '–'} | {size or '–'} | {each[0].counts.questions:,} | "
            + " | ".join(cells)
            + f" | {milliseconds:,.0f} |"
        )
    remarks = [f"<sup>{i}</sup> {text}  " for i, text in enumerate(notices, 1)]
    return "\n".join([*lines, "", *remarks]) + "\n" if remarks else "\n".join(lines) + "\n"


def _cell(values: list[float | None], scores: list[Scores], column: str) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "–"
    if len(known) == 1:
        return str(scores[0].metrics[column])
    mean = sum(known) / len(known)
    return f"{100 * mean:.1f} [{100 * min(known):.1f}–{100 * max(known):.1f} over {len(known)} seeds]"


def _pace(scores: Scores) -> float:
    """Milliseconds of wall clock per answered question, all stages."""
    total = scores.cost.seconds.get("total")
    return 1000 * total.mean if total else 0.0


def methods() -> str:
    """The methods and what each needs, from their cards."""
    lines = ["| method | what it does | needs | trains |", "|---|---|---|---|"]
    for card in cards().values():
        wanted = {"encoder": "encoder", "language_model": "language model", "model": "trained model"}
        needs = [words for key, words in wanted.items() if getattr(card.needs, key) == "required"]
        lines.append(
            f"| `{card.name}` | {card.summary} | {', '.join(needs) or '–'} | {'yes' if card.train else 'no'} |"
        )
    return "\n".join(lines) + "\n"


def documents() -> dict[Path, str]:
    """Each document with generated tables, as it should be."""
    rows = read_summaries()
    short = [row for row in rows if not row["variant"]]
    wide = ("hits@1", "hit", "f1", "precision", "recall", "evidence hit")
    readme, results = ROOT / "README.md", ROOT / "docs" / "results.md"
    text = _between(readme.read_text(encoding="utf-8"), table(short, ("hits@1", "hit", "f1")), (BEGIN, END))
    return {
        readme: _between(text, methods(), METHODS),
        results: _between(results.read_text(encoding="utf-8"), table(rows, wide), (BEGIN, END)),
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
    actions.add_parser("write")
    actions.add_parser("check")
    given = parser.parse_args()
    if given.action == "add":
        RESULTS.mkdir(exist_ok=True)
        kept = summary(given.run, given.variant, given.trained, given.size, given.seed)
        (RESULTS / f"{given.name}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
        return
    stale = [path for path, text in documents().items() if path.read_text(encoding="utf-8") != text]
    if given.action == "check" and stale:
        names = ", ".join(str(path.relative_to(ROOT)) for path in stale)
        sys.exit(f"not what the summaries say: {names}; run  python scripts/results.py write")
    for path, text in documents().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
