"""Records survive a round trip through JSON, and say what they are."""

from __future__ import annotations

import json

from clew.types import (
    Answer,
    Candidate,
    Entity,
    Evidence,
    Hop,
    Path,
    Question,
    Relation,
    Topic,
    Triple,
    Usage,
    answer_from_json,
    to_json,
)

PARIS, FRANCE, EURO = Entity("e1", "Paris"), Entity("e2", "France"), Entity("e3", "Euro & <co>")
CAPITAL = Triple(PARIS, Relation("r1", "capital of"), FRANCE, "file.nt")
CURRENCY = Triple(FRANCE, Relation("r2", "currency"), EURO)


def an_answer() -> Answer:
    path = Path(FRANCE, (Hop(CAPITAL, forward=False),), 0.75)
    return Answer(
        question=Question("q1", "what is the capital of France?", ("France",)),
        method="walk",
        candidates=(Candidate("Paris", 0.75, PARIS, (0,)), Candidate("Lutetia", 0.1)),
        evidence=Evidence((path,), (CURRENCY,)),
        topics=(Topic(FRANCE, 1.0, "France", "given"),),
        usage=Usage(calls=1, prompt_tokens=10),
        seconds={"search": 0.25},
        details={"hops": [1, 2]},
    )


def test_an_answer_survives_json() -> None:
    answer = an_answer()
    assert answer_from_json(json.loads(json.dumps(to_json(answer)))) == answer


def test_a_path_ends_where_its_last_hop_leads() -> None:
    path = Path(EURO, (Hop(CURRENCY, forward=False), Hop(CAPITAL, forward=False)), 1.0)
    assert path.end == PARIS
    assert str(path) == "Euro & <co> ←currency- France ←capital of- Paris"
    assert Path(EURO, (), 1.0).end == EURO


def test_a_candidate_without_a_path_is_unsupported_and_html_is_escaped() -> None:
    answer = an_answer()
    assert [c.supported for c in answer.candidates] == [True, False]
    assert "unsupported" in answer._repr_html_()
    assert "<co>" not in Path(EURO, (), 1.0)._repr_html_()


def test_evidence_lists_each_triple_once() -> None:
    answer = an_answer()
    twice = Evidence(answer.evidence.paths * 2, answer.evidence.triples)
    assert twice.all_triples() == (CAPITAL, CURRENCY)


def test_usage_adds_up() -> None:
    assert Usage(1, 2, 3, 4, 0.5) + Usage(calls=1, cost=0.25) == Usage(2, 2, 3, 4, 0.75)
