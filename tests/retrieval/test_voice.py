"""Which way a relation is meant, by the order of the words around a name."""

import pytest

from clew.retrieval.voice import leads, times_said


@pytest.mark.parametrize(
    ("text", "label", "forward"),
    [
        ("who reports to ana", "reports to", False),
        ("whom does ana report to", "reports to", True),
        ("number of people reporting directly to ana", "reports to", False),
        ("who trained ana", "trained by", True),
        ("who has ana trained", "trained by", False),
        ("who was trained by ana", "trained by", False),
        ("by whom was ana trained", "trained by", True),
        ("who manages ana", "manages", False),
        ("which studios does ana own", "owned by", False),
        ("who is taught by ana", "taught", True),
        ("films directed by ana", "directed by", False),
        ("who reports to ana", "reported by", None),  # another verb of the same form
        ("who is the mother of ana", "mother", None),  # a noun says its direction itself
        ("what borders ana", "borders", None),
        ("which city does ana live in", "reports to", None),
    ],
)
def test_the_order_of_the_words_tells_the_direction(text: str, label: str, forward: bool | None) -> None:
    words = text.split()
    assert leads(words, words.index("ana"), words.index("ana") + 1, label) is forward


@pytest.mark.parametrize(
    ("text", "forward"),
    [
        ("who reports to ana", False), ("whom does ana report to", True), ("who answers to ana", False),
        ("how many direct reports does ana have", False), ("who is managed by ana", False), ("who manages ana", True),
        ("who works under ana", False), ("what is the manager of ana", None), ("who is ana s boss", None),
    ],
)  # fmt: skip
def test_who_reports_to_whom(text: str, forward: bool | None) -> None:
    words = text.split()
    assert leads(words, words.index("ana"), words.index("ana") + 1, "line manager") is forward


def test_how_often_a_relation_is_said() -> None:
    assert (
        times_said(
            ["which", "site", "does", "the", "boss", "of", "ben", "s", "boss", "s", "boss", "work", "at"], "manager"
        )
        == 3
    )
    assert times_said(["which", "managers", "have", "a", "direct", "report", "in", "leeds"], "manager") == 1
    assert times_said(["who", "is", "the", "mother", "of", "the", "father", "of", "ana"], "child of") == 0
