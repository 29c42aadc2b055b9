"""Ids to SPARQL terms and back, against a parser of SPARQL that is not ours; and how limits are shared out."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.graph.property_values import literal, value_of
from clew.graph.remote.dialects import DIALECTS, search
from clew.graph.remote.records import Group
from clew.graph.remote.shares import fill, share_out
from clew.graph.remote.terms import RemoteTerms, quoted

HOSTILE = st.one_of(
    st.text(st.characters(), max_size=30),
    st.sampled_from(
        ['"', "\\", "\\u0022", '\\" } DROP ALL #', "'''", '"""', "}", "> <x", "\ud800", "\0", "\\U0000003E"]
    ),
    st.text(st.sampled_from('\\"uU0{}<>?#\n\r'), max_size=20),
)


def parsed(term: str) -> ox.NamedNode | ox.Literal:
    """What SPARQL reads the term as, as the only thing in a query."""
    rows = list(ox.Store().query(f"SELECT ?x WHERE {{ VALUES ?x {{ {term} }} }}"))
    assert len(rows) == 1
    return rows[0]["x"]


@given(HOSTILE)
def test_a_text_stays_one_text(text: str) -> None:
    written = quoted(text)
    if written is None:
        assert "\0" in text or any(0xD800 <= ord(c) <= 0xDFFF for c in text)
        return
    assert parsed(written).value == text
    # Engines that replace \uXXXX in the whole query first must not find one that the text brought along.
    naive = written.encode().decode("utf-8").replace("\\u0075", "u").replace("\\u0055", "U")
    assert naive[0] == naive[-1] == '"'


@given(HOSTILE, st.sampled_from(["", "http://base.example/e/"]))
def test_an_id_is_one_term_or_none(id: str, base: str) -> None:
    terms = RemoteTerms(base)
    written = terms.write(id)
    if written is None:
        return
    node = parsed(written)
    if isinstance(node, ox.NamedNode):
        assert terms.of_iri(node.value) == id or (base and terms.write(terms.of_iri(node.value)) == written)
    else:
        binding = {"type": "literal", "value": node.value, "datatype": node.datatype.value}
        if node.language:
            binding["xml:lang"] = node.language
        assert terms.write(str(terms.read(binding))) is not None


@given(HOSTILE)
def test_a_base_gives_every_id_an_address_of_its_own(id: str) -> None:
    terms = RemoteTerms("http://base.example/e/")
    written = terms.write(id)
    if written is not None and written.startswith("<http://base.example/e/"):
        assert terms.of_iri(written[1:-1]) in (id, written[1:-1])


@pytest.mark.parametrize("dialect", [each.name for each in DIALECTS])
@given(text=HOSTILE)
def test_a_text_search_holds_only_words(dialect: str, text: str) -> None:
    query = search(dialect, text, ["<http://x/label>"], 5)
    if query is None:
        return
    outside = query.split('"')
    plain = search(dialect, "wordword wordword", ["<http://x/label>"], 5)
    assert plain is not None
    assert len(outside) == len(plain.split('"'))
    assert outside[0] == plain.split('"')[0]
    assert outside[-1] == plain.split('"')[-1]


@given(st.one_of(st.booleans(), st.integers(-(2**62), 2**62), st.floats(allow_nan=False), st.text(max_size=20)))
def test_a_value_comes_back_from_its_literal(value: object) -> None:
    back = value_of(literal(value))
    assert back == value
    assert type(back) is type(value)


@given(st.lists(st.integers(0, 50), max_size=20), st.integers(0, 300))
def test_sharing_out_is_fair_and_wastes_nothing(sizes: list[int], room: int) -> None:
    kept = fill(sizes, room).tolist()
    assert sum(kept) == min(room, sum(sizes))
    assert all(0 <= k <= size for k, size in zip(kept, sizes, strict=True))
    cut = [k for k, size in zip(kept, sizes, strict=True) if k < size]
    assert not cut or max(kept) - min(cut) <= 1  # nobody got more than one above somebody who was cut


@given(
    st.dictionaries(st.tuples(st.sampled_from("ab"), st.booleans(), st.sampled_from("rs")), st.integers(1, 40)),
    st.integers(1, 30),
    st.integers(1, 60),
)
def test_limits_hold(sizes: dict[tuple[str, bool, str], int], limit: int, total: int) -> None:
    counts = {Group(*key): size for key, size in sizes.items()}
    kept = share_out(counts, limit, total)
    for entity in "ab":
        assert sum(share for group, share in kept.items() if group.entity == entity) <= limit
    assert sum(kept.values()) <= total
    assert all(kept[group] <= counts[group] for group in counts)
