"""The report and the generated table: whole, safe, offline, the same every time."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pytest

from clew.errors import InputError
from clew.evaluation import Scores, compare_all, markdown_table, replace_between, report, score
from clew.evaluation.table import BEGIN, END
from clew.types import Answer, Candidate, Gold, Question

QUESTIONS = [
    (Question(f"q{i}", "where?"), Gold(("Paris",), hops=1 + i % 3, kind="a" if i % 2 else "b")) for i in range(30)
]


@dataclass(frozen=True)
class Row:
    id: str
    answer: Answer | None


def row(i: int, text: str) -> Row:
    question = QUESTIONS[i][0]
    return Row(question.id, Answer(question, "m", (Candidate(text, 0.9 - i / 60),), seconds={"search": 1.0}))


def scored(name: str, right: int, notice: str = "") -> Scores:
    rows = [row(i, "Paris" if i < right else "Rome") for i in range(29)]
    return score(rows, QUESTIONS, name=name, samples=100, modes=["rog"], notices=[notice] if notice else [])


@pytest.fixture(scope="module")
def two() -> list[Scores]:
    return [scored("first", 10, "read <this>"), scored("second $x_1$ <script>", 20)]


class Tags(HTMLParser):
    """Collects tags, ids and what would be fetched; checks that every tag is closed."""

    VOID = frozenset({"meta", "br", "path", "use", "rect", "image"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.fetched: list[str] = []
        self.used: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "xlink:href", "src"):
                (self.used if (value or "").startswith("#") else self.fetched).append(value or "")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


def parsed(page: str) -> Tags:
    tags = Tags()
    tags.feed(page.replace("<!doctype html>", ""))
    return tags


def test_the_page_is_whole_and_fetches_nothing(two: list[Scores], tmp_path: Path) -> None:
    page = report(two, tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page
    tags = parsed(page)
    assert tags.open == []
    assert tags.fetched == []
    assert not {"script", "link", "img", "iframe"} & tags.tags
    assert "svg" in tags.tags
    assert len(tags.ids) == len(set(tags.ids))
    assert {each.removeprefix("#") for each in tags.used} <= set(tags.ids)
    assert not re.search(r"url\((?!#)", page)
    assert "prefers-color-scheme: dark" in page
    assert "#010203" not in page
    assert page.count("<svg") >= 6
    assert "read &lt;this&gt;" in page
    assert "second $x_1$ &lt;script&gt;" in page
    for text in ("Against first", "By hops", "By type", "As rog counts", "Do scores mean what they say?", "Cost"):
        assert text in page
    assert report(two) == page


def test_without_matplotlib_the_tables_stand(two: list[Scores], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    page = report(two)
    assert "<svg" not in page
    assert "pip install &#x27;clew[report]&#x27;" in page
    assert "By hops" in page


def test_bad_reports(two: list[Scores], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no results"):
        report([])
    with pytest.raises(InputError, match="two results are called 'first'"):
        report([two[0], two[0]])
    with pytest.raises(InputError, match="cannot write the report"):
        report(two, tmp_path)


def test_holm_runs_over_all_pairs(two: list[Scores]) -> None:
    third = scored("third", 14)
    both = compare_all(two[0], [two[1], third])
    assert [c.second for c in both] == [two[1].name, "third"]
    smallest = min(d.p for c in both for d in c.differences)
    assert both[0].differences[0].p_holm == pytest.approx(6 * smallest)


def test_the_table_is_put_between_its_markers(two: list[Scores], tmp_path: Path) -> None:
    table = markdown_table([("pq|2h", "walk", two[0]), ("pq-2h", "scr", two[1])])
    lines = table.splitlines()
    assert lines[0] == "| questions | method | n | hits@1 | hit | f1 |"
    assert lines[2].startswith("| pq\\|2h<sup>1</sup><sup>2</sup> | walk | 30 | 33.3 [")
    assert "<sup>1</sup> read <this>  " in lines
    path = tmp_path / "README.md"
    path.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    assert replace_between(path, table)
    assert path.read_text(encoding="utf-8") == f"before\n{BEGIN}\n{table}{END}\nafter\n"
    assert not replace_between(path, table)
    path.write_text(f"{END} {BEGIN}", encoding="utf-8")
    with pytest.raises(InputError, match="each once"):
        replace_between(path, table)
    with pytest.raises(InputError, match="cannot read"):
        replace_between(tmp_path, table)
