"""Steps in the words of a question: only what general English knows, and in the direction that it names."""

import pytest

from clew.query.relatives import spelled_out
from clew.reading.synonyms import as_asked, plain_text


@pytest.mark.parametrize(
    ("label", "forward", "question", "said"),
    [
        ("parents", True, "what is the job of it's mom?", ("mom", True)),
        ("children", False, "what is the job of it's mom?", ("mom", True)),  # whose child: the mother
        ("children", True, "what is the job of it's mom?", ("children", True)),  # not what "mom" asks for
        ("parents", False, "who are it's sons", ("sons", True)),
        ("parents", False, "where was it born", ("child", True)),  # said plainly where the question says nothing
        ("spouse", False, "it's wife", ("wife", True)),
        ("people.person.nationality", True, "the nation of it", ("nation", True)),
        ("nationality", True, "the nationality of it, a nation", ("nationality", True)),  # its own word goes first
        ("nationality", False, "who is from the nation of it", ("nationality", False)),
        ("plays in club", True, "which club does it play for", ("plays in club", True)),  # nothing known
        ("P106", False, "the job of it", ("P106", False)),
    ],
)
def test_a_step_takes_the_nouns_of_the_question_that_mean_it(
    label: str, forward: bool, question: str, said: tuple[str, bool]
) -> None:
    assert as_asked(label, label, forward, plain_text(question)) == said


def test_two_nouns_of_one_relation_are_both_kept() -> None:
    assert as_asked("parents", "parents", True, plain_text("the father of it's mother")) == ("father mother", True)


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("who is the grandson of Ann", "who is the son of the child of Ann"),
        ("Ann's grand-mothers", "Ann's parent's mothers"),
        ("great-grandfather of Ann", "father of the parent of the parent of Ann"),
        ("Ann's mother-in-law", "Ann's spouse's mother"),
        ("Ann's cousins", "Ann's parent's sibling's children"),
        ("paternal grandmother of Ann", "mother of the father of Ann"),
        ("the grandfather on the mother's side of Ann", "the father of the mother of Ann"),
        ("who built the great wall", "who built the great wall"),
    ],
)
def test_further_relatives_are_spelled_out(question: str, plain: str) -> None:
    assert spelled_out(question, ["Ann"], ["parents", "children"]) == plain


def test_relatives_that_the_graph_or_a_name_holds_stay() -> None:
    assert spelled_out("Ann's uncle", ["Ann"], ["uncle of"]) == "Ann's uncle"
    assert spelled_out("who sings Cousin Bob's uncle", ["Cousin Bob"], ["parents"]) == "who sings Cousin Bob's uncle"
