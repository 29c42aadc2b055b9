"""Relation paths, the common ground of the methods: expansion, text, gold paths of training questions.

A relation path is `RelationPath`, a tuple of (relation, forward) per hop, in the local numbers of a `Subgraph`.
"""

from clew.graph.paths import RelationPath
from clew.paths.walks import entities_reached, from_codes, to_codes, turns_back

__all__ = ["RelationPath", "entities_reached", "from_codes", "to_codes", "turns_back"]
