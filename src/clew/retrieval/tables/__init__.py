"""Questions to one table: plans that its cells and columns allow, ranked by a small model fitted on answers alone.

Kept apart from `composing`: a table has no sentences of relations to follow, its rows are filtered, ordered and
counted, and what is meant shows in which of many plans fits the words best. `candidates` grows the plans, `ranking`
orders them. The approach is that of Pasupat and Liang (ACL 2015): a floating parser and a log-linear model of its
derivations.
"""

from clew.retrieval.tables.ranking import read_table

__all__ = ["read_table"]
