"""`build`, `info`, `add`, `remove`, `compact`, `link` on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_build_and_info(clew: Any, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("Paris\tcapital of\tFrance\nbroken line\nLyon\tlocated in\tFrance\n")
    built = clew("build", "a.tsv", "-o", "a.kg", "--json").json
    assert (built["triples"], built["entities"]) == (2, 3)
    found = clew("info", "a.kg", "--json").json
    assert found["triples"] == 2
    assert {relation["id"] for relation in found["relations"]} == {"capital of", "located in"}
    shown = clew("info", "a.kg")
    assert "capital of" in shown.out and shown.err == ""


def test_bad_lines_are_reported_and_strict_stops(clew: Any, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("Paris\tcapital of\tFrance\nbroken line\n")
    shown = clew("build", "a.tsv", "-o", "a.kg")
    assert shown.code == 0 and "a.tsv:2" in shown.out
    strict = clew("build", "a.tsv", "-o", "b.kg", "--strict")
    assert strict.code == 2 and "a.tsv:2" in strict.err
    assert not (tmp_path / "b.kg").exists()
    assert clew("build", "none.tsv", "-o", "c.kg").code == 3
    (tmp_path / "empty.tsv").write_text("")
    assert clew("build", "empty.tsv", "-o", "c.kg").code == 2
    assert not (tmp_path / "c.kg").exists()


def test_edits(clew: Any, graph: Path) -> None:
    shown = clew("add", graph, "Madrid", "capital of", "Spain")
    assert shown.out.splitlines() == ["Madrid | capital of | Spain", f"{graph}: 1 of 1 triples added"]
    assert clew("ask", graph, "capital of Spain?", "-m", "follow", "-t", "Spain").out.startswith("Madrid")
    assert clew("compact", graph, "--json").json == {"compacted": True}
    assert clew("compact", graph, "--json").json == {"compacted": False}
    assert clew("ask", graph, "capital of Spain?", "-m", "follow", "-t", "Spain").out.startswith("Madrid")
    lines = "Madrid\tcapital of\tSpain\nMadrid\tcapital of\tPeru\n"
    assert clew("remove", graph, "--file", "-", "--json", stdin=lines).json == {"removed": 1, "given": 2}
    assert clew("ask", graph, "capital of Spain?", "-m", "follow", "-t", "Spain").out.startswith("no answer found")


def test_a_trained_model_survives_edits_and_a_rebuild(clew: Any, graph: Path, questions: Path) -> None:
    clew("train", "follow", graph, "--questions", questions, "--set", "method.score=0.75")
    clew("add", graph, "Madrid", "capital of", "Spain")
    clew("compact", graph)
    assert clew("ask", graph, "currency of France?").out.startswith("Euro  0.750")
    clew("build", "facts.tsv", "-o", graph)
    assert clew("ask", graph, "currency of France?").out.startswith("Euro  0.750")


def test_what_edits_refuse(clew: Any, graph: Path, tmp_path: Path) -> None:
    assert clew("add", graph).code == 2
    assert "quote names" in clew("add", graph, "a", "b").err
    (tmp_path / "bad.tsv").write_text("a\tb\n")
    assert "bad.tsv:1" in clew("add", graph, "-f", "bad.tsv").err
    assert clew("add", "no.kg", "a", "b", "c").code == 3


def test_link_says_why(clew: Any, graph: Path) -> None:
    rows = clew("link", graph, "what is the currency of Germny?", "--json").json
    assert rows[0]["entity"]["id"] == "Germany" and rows[0]["chosen"]
    assert rows[0]["reason"]
    assert "Germany" in clew("link", graph, "what is the currency of Germany?").out
    assert clew("link", graph, " ").code == 2
    assert "--topics" in clew("link", graph, "xqzv blorf?").out


def test_a_file_of_triples_is_read_as_build_reads_it(clew: Any, graph: Path, tmp_path: Path) -> None:
    """U+2028, NEL and form feed belong to a name; a line ends at a line feed; blanks around a field do not count."""
    from clew.graph import Graph

    names = ["a\u2028b", "c\x85d", "e\x0cf", "g\x1ch", "i\u3000j"]
    lines = "\ufeff" + "".join(f" {name} \tr\t x \r\n" for name in names) + "\n \n"
    (tmp_path / "more.tsv").write_bytes(lines.encode())
    assert clew("add", graph, "--file", "more.tsv", "--json").json == {"added": 5, "given": 5}
    clew("build", "more.tsv", "-o", "same.kg")
    added = {t.head.id for t in Graph.open(tmp_path / graph).neighbors(["x"])}
    assert added == set(names) == {t.head.id for t in Graph.open(tmp_path / "same.kg").neighbors(["x"])}
    (tmp_path / "bad.tsv").write_text("a\tr\tb\n\tr\tb\n")
    assert "bad.tsv:2: an empty head" in clew("add", graph, "-f", "bad.tsv").err


def test_repair_and_doctor(clew: Any, graph: Path, tmp_path: Path) -> None:
    from clew.graph.generation import Generation

    assert clew("repair", graph).out == f"{graph}: nothing is damaged or lacking\n"
    clew("add", graph, "Madrid", "capital of", "Spain")
    tails = Generation.open(tmp_path / graph).place / "tails.i32"
    tails.write_bytes(bytes(tails.stat().st_size))
    asked = clew("ask", graph, "capital of Spain?", "-m", "follow", "-t", "Spain")
    assert asked.code == 4 and f"clew repair {graph}" in asked.err
    files = {f["what"]: f for f in clew("doctor", graph, "--json").json}["graph files"]
    assert (files["state"], files["detail"]) == ("broken", "tails.i32 fails its checksum")
    assert clew("repair", graph, "--json").json["rebuilt"] == ["tails.i32"]
    assert clew("ask", graph, "capital of Spain?", "-m", "follow", "-t", "Spain").out.startswith("Madrid")
    assert {f["what"]: f for f in clew("doctor", graph, "--json").json}["graph files"]["state"] == "ok"


def test_what_the_command_line_refuses(clew: Any, graph: Path, tmp_path: Path) -> None:
    for arguments, words in [
        (("build", "facts.tsv", "-o", "x.kg", "--mediator", "("), "the pattern of mediators"),
        (("build", "facts.tsv", "-o", "x.kg", "--delimiter", "||"), "expected one character"),
        (("build", "facts.tsv", "-o", "n" * 300 + ".kg"), "choose a shorter name"),
        (("info", "n" * 300), "too long"),
    ]:
        outcome = clew(*arguments)
        assert outcome.code in (2, 3) and words in outcome.err, arguments
