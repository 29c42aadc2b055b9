"""Which way a relation is meant, by the order of the words around a name."""

import pytest

from clew.retrieval.voice import leads


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
