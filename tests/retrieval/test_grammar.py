"""Constrained decoding over graphs: nothing outside the graph, and nothing of the graph lost."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError
from clew.graph import Graph
from clew.graph.subgraph import Subgraph
from clew.llm import ModelSettings
from clew.llm.constraint import Choices, TokenTrie, longest_complete, states_of
from clew.llm.local import LocalModel
from clew.protocols import LLMReply, LLMRequest, Message
from clew.retrieval.grammar import RelationGrammar
from effort import examples, some_of

Rows = list[tuple[str, str, str]]
NAMES = ["Paris", "Paris France", "France", "a", "a -> b", "b", "é", "東京", "<|end|>", "x | y", "born", "1", "in in"]
RELATIONS = ["born in", "born", "in", "in in", "r -> s", "r", "(inverse)", "capital of", "<|answer|>"]


def relations_of(rows: Rows, starts: set[str], hops: int) -> set[str]:
    """Every relation path as text, by brute force."""
    found: set[str] = set()
    level = [("", start) for start in starts]
    for _ in range(hops):
        longer = []
        for text, at in level:
            before = f"{text} | " if text else ""
            longer += [(f"{before}{relation}", tail) for head, relation, tail in rows if head == at]
            longer += [(f"{before}{relation} (inverse)", head) for head, relation, tail in rows if tail == at]
        found.update(text for text, _ in longer)
        level = longer
    return found


def whole(rows: Rows) -> Subgraph:
    return Graph.from_triples(rows, name=str(rows)).whole


def local(graph: Subgraph, names: set[str]) -> list[int]:
    found = [graph.local(name) for name in sorted(names)]
    return [i for i in found if i is not None]


ROWS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(RELATIONS), st.sampled_from(NAMES)), min_size=1, max_size=6
)


def letters(pieces: object) -> list[list[int]]:
    return [[ord(c) for c in piece] for piece in pieces]  # type: ignore[attr-defined]


def everything(trie: TokenTrie, end: int) -> set[tuple[int, ...]]:
    """Every sequence that the trie lets through up to the end."""
    found: set[tuple[int, ...]] = set()
    open_: list[tuple[int, ...]] = [()]
    while open_:
        prefix = open_.pop()
        for token in trie.allowed(prefix):
            if token == end:
                found.add(prefix)
            else:
                open_.append((*prefix, token))
    return found


@given(ROWS, st.integers(1, 2))
@examples(120)
def test_the_trie_is_the_graph_no_more_and_no_less(rows: Rows, hops: int) -> None:
    graph, starts = whole(rows), {rows[0][0], rows[-1][2]}
    grammar, wanted = RelationGrammar(graph, local(graph, starts), hops=hops), relations_of(rows, starts, hops)
    found = everything(TokenTrie(grammar, letters, [0]), 0)
    assert {"".join(map(chr, ids)) for ids in found} == wanted
    for text in wanted:
        assert states_of(grammar, text)
        assert not states_of(grammar, text + " ->")
        assert longest_complete(grammar, text + "\0") == text


@given(ROWS)
@examples(60)
def test_what_is_read_back_reads_the_same(rows: Rows) -> None:
    graph = whole(rows)
    grammar = RelationGrammar(graph, local(graph, {rows[0][0]}), hops=2)
    for text in relations_of(rows, {rows[0][0]}, 2):
        paths = grammar.read(text)
        assert paths
        for path in paths:
            steps = [graph.relation(number).label + ("" if forward else " (inverse)") for number, forward in path]
            assert " | ".join(steps) == text


def test_nothing_follows_means_the_end_and_never_everything() -> None:
    trie = TokenTrie(Choices(["ab", "abc"]), letters, [0, 7])
    assert trie.allowed(()) == [ord("a")]
    assert trie.allowed((ord("a"), ord("b"))) == [ord("c"), 0, 7]
    assert trie.allowed((ord("a"), ord("b"), ord("c"))) == [0, 7]
    assert trie.allowed((ord("z"),)) == [0, 7]
    assert trie.allowed((ord("z"), ord("a"))) == [0, 7]
    assert not trie.knows((ord("z"),))
    isolated = RelationGrammar(whole([("a", "r", "b")]), [1], hops=1, direction="forward")
    assert TokenTrie(isolated, letters, [0]).allowed(()) == [0]
    assert not TokenTrie(isolated, letters, [0]).knows(())


def test_a_hub_is_not_expanded_before_it_is_reached() -> None:
    rows = [("start", "to", "hub"), ("start", "self", "start")] + [
        ("hub", f"r{i % 50}", f"e{i}") for i in range(20_000)
    ]
    graph = whole(rows)
    sizes: list[int] = []

    def counting(pieces: object) -> list[list[int]]:
        sizes.append(len(pieces))  # type: ignore[arg-type]
        return letters(pieces)

    trie = TokenTrie(RelationGrammar(graph, local(graph, {"start"}), hops=2), counting, [0])
    trie.allowed(())
    assert sum(sizes) <= 4  # relations of the start, in both directions
    trie.allowed(tuple(map(ord, "to")))
    assert 51 <= sizes[-1] <= 54  # the hub's relations, whatever the number of its entities


def test_bad_arguments(toy: Graph) -> None:
    with pytest.raises(InputError, match="no start entity"):
        RelationGrammar(toy.whole, [], hops=1)
    with pytest.raises(InputError, match="expected at least 1"):
        RelationGrammar(toy.whole, [0], hops=0)


def test_keys_tell_grammars_apart(toy: Graph) -> None:
    other = Graph.from_triples([("Paris", "capital of", "France")], name="other").whole
    grammars = [
        RelationGrammar(toy.whole, [0], hops=1), RelationGrammar(toy.whole, [1], hops=1),
        RelationGrammar(toy.whole, [0], hops=2), RelationGrammar(toy.whole, [0], hops=1, direction="forward"),
        RelationGrammar(toy.whole, [0], hops=1, separator=" / "), RelationGrammar(other, [0], hops=1),
        Choices(["a", "b"]), Choices(["a"]),
    ]  # fmt: skip
    assert len({grammar.key for grammar in grammars}) == len(grammars)
    assert RelationGrammar(toy.whole, [0], hops=1).key == grammars[0].key


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    from clew.learning.scratch import create_decoder

    folder: Path = tmp_path_factory.mktemp("decoder") / "tiny"
    create_decoder(folder, [*NAMES, *RELATIONS, "a -> b | c"], size="tiny", seed=2)
    return LocalModel(ModelSettings(backend="local", model=str(folder), device="cpu", batch_size=48))


def random_case(rng: random.Random) -> tuple[LLMRequest, set[str]]:
    """A random graph, a random prompt, a grammar over the graph, and all that it allows."""
    rows = [(rng.choice(NAMES), rng.choice(RELATIONS), rng.choice(NAMES)) for _ in range(rng.randint(1, 7))]
    starts, hops = {rng.choice(rng.choice(rows)[::2])}, rng.randint(1, 3)
    graph = whole(rows)
    grammar = RelationGrammar(graph, local(graph, starts), hops=hops)
    beams = rng.choice([0, 0, 3])
    request = LLMRequest(
        (Message("user", " ".join(rng.choices(NAMES, k=4))),),
        max_tokens=rng.choice([3, 12, 24]) if not beams else 16,
        temperature=0.0 if beams else rng.choice([0.0, 1.0, 5.0]),
        n=3 if beams else rng.choice([1, 2]),
        beams=beams,
        seed=rng.randrange(1000),
        constraint=grammar,
    )
    return request, relations_of(rows, starts, hops)


def leaks(model: LocalModel, cases: int, seed: int) -> tuple[int, int, list[str]]:
    """How many texts were written, how many of them to their end, and those that are not in their graph."""
    rng = random.Random(seed)
    written, finished, wrong = 0, 0, []
    for _ in range(0, cases, 100):
        batch = [random_case(rng) for _ in range(min(cases, 100))]
        replies: list[LLMReply] = model.generate([request for request, _ in batch])
        for (_, allowed), reply in zip(batch, replies, strict=True):
            written += len(reply.texts)
            finished += sum(text.finished for text in reply.texts)
            wrong += [text.text for text in reply.texts if text.text not in allowed]
            assert len({text.text for text in reply.texts if text.finished}) <= len(allowed)
    return written, finished, wrong


@pytest.mark.thorough
def test_no_path_outside_the_graph(model: LocalModel) -> None:
    written, finished, wrong = leaks(model, some_of(300), seed=0)
    assert wrong == []
    assert written > some_of(300) * 5 // 6
    assert finished > some_of(300) // 3


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_no_path_outside_ten_thousand_graphs(model: LocalModel) -> None:
    written, finished, wrong = leaks(model, 10_000, seed=1)
    assert wrong == []
    assert (written > 8_000, finished > 5_000) == (True, True)


def test_beams_find_every_path_of_a_small_graph(model: LocalModel) -> None:
    rows = [("a", "born in", "Paris"), ("a", "in", "France"), ("b", "capital of", "a")]
    graph = whole(rows)
    wanted = relations_of(rows, {"a"}, 1)
    request = LLMRequest(
        (Message("user", "a"),),
        max_tokens=40,
        beams=8,
        n=8,
        constraint=RelationGrammar(graph, local(graph, {"a"}), hops=1),
    )
    texts = model.generate([request])[0].texts
    assert {text.text for text in texts} == wanted
    assert len(texts) == len(wanted)
    assert all(text.finished and text.logprob is not None and np.isfinite(text.logprob) for text in texts)


def test_pieces_become_the_tokens_of_the_whole_text(model: LocalModel) -> None:
    """The trie's tokens are those that the tokenizer gives the finished text, which is what a model was trained on."""
    rows = [("Paris", "capital of", "France"), ("France", "born in", "東京")]
    graph = whole(rows)
    grammar = RelationGrammar(graph, local(graph, {"Paris"}), hops=2, separator=" → ")
    text, pieces = "capital of → born in", ["capital of", " → born in"]
    assert states_of(grammar, text)
    joined = [token for ids in model.encode_pieces(pieces) for token in ids]
    assert joined == model.tokenizer(text, add_special_tokens=False)["input_ids"]
