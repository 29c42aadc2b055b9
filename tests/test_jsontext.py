"""The one door for JSON: any bytes become a value or a message, any value becomes text that steers nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError
from clew.jsontext import read_json, write_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None)),  # lone surrogates too
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec=None)), inner),
    max_leaves=8,
)  # fmt: skip


@given(VALUES)
def test_what_is_written_is_read_again(value: Any) -> None:
    text = write_json(value)
    assert read_json(text) == read_json(text.encode()) == value
    assert text.isprintable() or all(c.isprintable() or not c.isascii() for c in text)
    assert not set(text) & {"\x1b", "\x9b", "\x7f", "\u202e", "\n"}


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_a_message(raw: bytes) -> None:
    try:
        value = read_json(raw)
    except InputError as error:
        assert str(error)
    else:
        assert json.loads(raw.decode("utf-8-sig")) == value


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"1" * 5000, "digits"),
        (b"NaN", "no number"),
        (b'{"a": -Infinity}', "no number"),
        (b"\xff", "not UTF-8 at byte 0"),
        (b"{", "not JSON"),
    ],
)
def test_what_is_no_json_is_said(raw: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_json(raw)
