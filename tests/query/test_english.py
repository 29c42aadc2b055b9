"""Plans in plain English: what a reader is told was understood."""

from __future__ import annotations

import pytest

from clew.query.english import sentence
from clew.query.text import parse


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("follow(entity(Germany), ^capital)", "those whose capital is Germany"),
        ("max(entity(A), span(start, end, days))", "the number of days from the start to the end of A"),
        (
            "top(class(loan), span(start, end, days), largest)",
            "every loan, the one with the largest number of days from the start to the end",
        ),
        (
            'where(class(loan), span(start, end), >, number(3, "months"))',
            "every loan, whose number of days from the start to the end is more than 3 months",
        ),
        ("where(class(product), calc(-, stock, minimum), <, 0)", "every product, whose stock is less than its minimum"),
        (
            "where(class(product), calc(-, stock, minimum), >=, 5)",
            "every product, whose stock minus minimum is at least 5",
        ),
        (
            "sum(entity(A), ^order/calc(*, quantity, price))",
            "the total quantity times price of those whose order it is of A",
        ),
        ("difference(entity(A), entity(B), opened, days)", "the number of days from the opened of B to that of A"),
        ("follow(entity(Germany), ^borders)", "those whose borders include Germany"),
        ("and(class(country), follow(entity(Germany), ^borders))", "every country whose borders include Germany"),
        ("and(class(product), where(class(product), stock, <, 3))", "every product, whose stock is less than 3"),
        ("follow(entity(Ada), ^children)", "those whose children include Ada"),
        ('follow(entity(Ada), ^"languages of work")', "those whose languages of work include Ada"),
        ("follow(entity(Ada), ^species)", "those whose species is Ada"),
        ("follow(entity(Ada), ^address)", "those whose address is Ada"),
        ('follow(entity("Terry Gilliam"), ^directed_by)', "those directed by Terry Gilliam"),
        ('and(class(city), follow(entity(Japan), ^"located in country"))', "every city located in country Japan"),
        ("where(class(country), borders, =, entity(Italy))", "every country, whose borders include Italy"),
        ("where(class(country), borders, !=, entity(Italy))", "every country, whose borders do not include Italy"),
        ("where(class(player), goals, >, 5)", "every player, whose goals are more than 5"),
        ("where(class(player), height, >, 5)", "every player, whose height is more than 5"),
        ("where(class(player), goals, between, 5, 9)", "every player, whose goals are between 5 and 9"),
        ('where(class(player), names, contains, "Ann")', "every player, whose names contain “Ann”"),
    ],
)
def test_a_relation_of_several_takes_a_plural_verb(plan: str, said: str) -> None:
    assert sentence(parse(plan)) == said
