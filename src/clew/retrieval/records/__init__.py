"""Questions to records: the rows of a log, bookings, results, payments, whatever has no name but only what it states.

Kept apart from `composing`, which joins the things that a question names by relations: here nothing that a question
names has relations of its own. Its names, dates and amounts are conditions on the records of one kind, and it asks for
something else that they state, for how many there are, what they add up to, or who has most of them. `view` lays out
what the records of a kind state as the columns of a table; `sentence` finds the parts of a question among them; `plans`
makes plans of the parts. Nothing is trained; what of a question has no part in a plan counts against it.

Of records that point to things with relations of their own (the orders of customers) this is not asked: on graphs of
several kinds it took more right answers than it gave (docs/log.md).
"""

from clew.retrieval.records.plans import read_records
from clew.retrieval.records.view import views_of

__all__ = ["read_records", "views_of"]
