"""The tables of docs/stem.md, from the rows that stem.py and stem_ablation.py left in results/stem/.

    python benchmarks/stem_tables.py write
    python benchmarks/stem_tables.py check      fails when a table is not what the rows say

A file is named KIND-ANYTHING.json, KIND being report, coverage, sweep or data. No figure in the document is typed by
hand.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "results" / "stem"
DOCUMENT = ROOT / "docs" / "stem.md"
SIZES = ("1", "2-4", "5-9", ">=10")
CELLS = ("valid, answer right", "valid, answer wrong", "invalid, answer right", "invalid, answer wrong")

Rows = list[dict[str, Any]]


def rows_of(kind: str) -> Rows:
    """Every row of that kind, in the order of the files."""
    return [row for path in sorted(ROWS.glob(f"{kind}-*.json")) for row in json.loads(path.read_text("utf-8"))]


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    left = sum(
        name.islower() and name in ("questions", "plans", "what", "setting", "relations", "strategy") for name in head
    )
    rule = "|" + "---|" * max(1, left) + "---:|" * (len(head) - max(1, left))
    return "\n".join([f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def p_value(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def coverage() -> str:
    head = ("questions", "relations", "strategy", "n", "with", "without", "p", "gold entities held")
    lines = []
    for row in rows_of("coverage"):
        named = row["relations"] + (", exact ones first" if row["exact_relation_first"] else "")
        shares = [percent(row[key]) for key in ("with_guidance", "without")]
        held = percent(row["gold_in_guidance_graph"])
        lines.append((row["set"], named, row["strategy"], str(row["questions"]), *shares, p_value(row["p"]), held))
    return table(head, lines)


def sweep() -> str:
    head = ("questions", "plans", "what", "setting", "n", "Hits@1", "F1", "coverage", "ms/question")
    lines = []
    for row in rows_of("sweep"):
        cells = []
        for name in ("hits@1", "f1", "coverage"):
            mark = "*" if row[f"p {name}"] < 0.05 else ""
            cells.append(percent(row[name]) + mark)
        lines.append(
            (row["set"], row["plans"], row["what"], row["setting"], str(row["questions"]), *cells, f"{row['ms']:.0f}")
        )
    return table(head, lines)


def data() -> str:
    head = ("questions", "D_std", "D_syn", "n", "schema P", "schema R", "schema F1", "Hits@1", "F1")
    lines = []
    for row in rows_of("data"):
        shares = [percent(row[key]) for key in ("precision", "recall")]
        starred = ("schema f1", "hits@1", "f1")
        shares += [percent(row[name]) + ("*" if row[f"p {name}"] < 0.05 else "") for name in starred]
        lines.append((row["set"], f"{row['D_std']:,}", f"{row['D_syn']:,}", str(row["questions"]), *shares))
    return table(head, lines)


def schemas() -> str:
    head = ("questions", "n", "precision", "recall", "F1", "Precision for one answer", "Breadth for several")
    lines = []
    for row in rows_of("report"):
        said = row["strategy accuracy"]
        scores = [percent(row["schema"][key]) for key in ("precision", "recall", "f1")]
        lines.append(
            (row["set"], str(row["with a gold chain"]), *scores, *(percent(said.get(k)) for k in ("1", ">=2")))
        )
    return table(head, lines)


def covered() -> str:
    head = ("questions", "all", *(f"{size} answers" for size in SIZES))
    return table(
        head, [(r["set"], *(percent(r["coverage"].get(size)) for size in ("all", *SIZES))) for r in rows_of("report")]
    )


def matrices() -> str:
    head = ("questions", "against", *CELLS)
    return table(
        head,
        [
            (row["set"], kind, *(percent(row[f"{kind} x answer"].get(cell, 0.0)) for cell in CELLS))
            for row in rows_of("report")
            for kind in ("schema", "evidence")
        ],
    )


def latency() -> str:
    stages = ("link", "plan", "guide", "trace", "answer", "total")
    lines = []
    for row in rows_of("report"):
        for group in ("all", *(f"answers {size}" for size in SIZES), "Precision", "Breadth"):
            if group in row["seconds"]:
                seconds = row["seconds"][group]
                lines.append((row["set"], group, *(f"{1000 * seconds.get(stage, 0):.2f}" for stage in stages)))
    return table(("questions", "group", *(f"{stage} ms" for stage in stages)), lines)


PARTS: dict[str, Callable[[], str]] = {
    "coverage": coverage,
    "sweep": sweep,
    "data": data,
    "schemas": schemas,
    "covered": covered,
    "matrices": matrices,
    "latency": latency,
}


def document() -> str:
    """The document as it should be."""
    text = DOCUMENT.read_text(encoding="utf-8")
    for name, made in PARTS.items():
        begin, end = f"<!-- {name}: generated, do not edit -->", f"<!-- /{name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise SystemExit(f"expected {begin} and {end} once each in {DOCUMENT.name}")
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{made()}{end}{rest.partition(end)[2]}"
    return text


def main() -> None:
    if sys.argv[1:] == ["write"]:
        DOCUMENT.write_text(document(), encoding="utf-8")
    elif sys.argv[1:] == ["check"]:
        if DOCUMENT.read_text(encoding="utf-8") != document():
            sys.exit("docs/stem.md is not what the rows say; run  python benchmarks/stem_tables.py write")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
