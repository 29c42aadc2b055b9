"""The results table of a README: made from scores, put between two markers, never typed.

Kept apart from the page because a Markdown file belongs to somebody: only what stands between the markers is replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clew.errors import InputError
from clew.evaluation.files import write_whole
from clew.evaluation.scores import Scores

COLUMNS = ("hits@1", "hit", "f1")
BEGIN = "<!-- results: generated, do not edit -->"
END = "<!-- /results -->"


def markdown_table(
    results: Sequence[tuple[str, str, Scores]], columns: Sequence[str] = COLUMNS, *, notices: bool = True
) -> str:
    """A Markdown table with one line per (question set, method, scores), values in % with their intervals.

    The notices of the scores follow as numbered remarks, because a score must not stand without them.
    """
    remarks = list(dict.fromkeys(notice for _, _, scores in results for notice in scores.notices)) if notices else []
    lines = [
        "| questions | method | n | " + " | ".join(columns) + " |",
        "|---|---|---:|" + "---|" * len(columns),
    ]
    for questions, method, scores in results:
        marks = "".join(f"<sup>{remarks.index(n) + 1}</sup>" for n in scores.notices if n in remarks)
        cells = [str(scores.metrics[name]) if name in scores.metrics else "–" for name in columns]
        lines.append(
            f"| {_cell(questions)}{marks} | {_cell(method)} | {scores.counts.questions:,} | " + " | ".join(cells) + " |"
        )
    lines += ["", *(f"<sup>{i}</sup> {_cell(remark)}  " for i, remark in enumerate(remarks, 1))] if remarks else []
    return "\n".join(lines) + "\n"


def replace_between(path: str | Path, table: str, *, begin: str = BEGIN, end: str = END) -> bool:
    """Put `table` between the markers of a Markdown file; says whether the file changed.

    Raises InputError when the markers are not there exactly once and in order.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot read it: {error.strerror}") from None
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise InputError(f"{path}: expected {begin} and then {end}, each once, around the generated table")
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    changed = f"{head}{begin}\n{table}{end}{tail}"
    if changed != text:
        write_whole(path, changed)
    return changed != text


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
