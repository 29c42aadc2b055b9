"""A graph of films with questions that a tiny model learns in seconds, for tests of trainings."""

from __future__ import annotations

from clew.protocols import Example
from clew.types import Gold, Question

FILMS = 12


def film_triples() -> list[tuple[str, str, str]]:
    """Films with directors who also write (now and then their own films), and years."""
    triples = []
    for i in range(FILMS):
        triples += [
            (f"film {i}", "directed_by", f"person {i % 4}"),
            (f"film {i}", "written_by", f"person {(i * 3 + 1) % 5}"),
            (f"film {i}", "release_year", str(1990 + i % 3)),
        ]
    return triples


def film_examples() -> list[Example]:
    """Who directed, who wrote (1 hop), and the years of a person's films (2 hops, several answers)."""
    triples = film_triples()
    examples = []
    for i in range(FILMS):
        for verb, relation in (("directed", "directed_by"), ("wrote", "written_by")):
            answer = next(t for h, r, t in triples if (h, r) == (f"film {i}", relation))
            examples.append(_example(f"who {verb} film {i}", f"film {i}", (answer,), verb))
    for p in range(4):
        films = [h for h, r, t in triples if (r, t) == ("directed_by", f"person {p}")]
        years = sorted({t for h, r, t in triples if r == "release_year" and h in films})
        examples.append(
            _example(f"in which years came out what person {p} directed", f"person {p}", tuple(years), "years")
        )
    return examples


def _example(text: str, topic: str, answers: tuple[str, ...], kind: str) -> Example:
    return Example(Question(text, text, (topic,)), Gold(answers, answers, kind=kind))
