"""Comparisons and denials whose words name nothing in the graph: all that could be meant is laid out and weighed.

`meant_sets` lays out the things that may be meant, `keys` what they have, `weighing` tells how likely each plan is what
was asked, by the numbers in `weights`.
"""

from clew.retrieval.unnamed.weighing import Option, Weighed, likeliest, read_of, weighed, weighs

__all__ = ["Option", "Weighed", "likeliest", "read_of", "weighed", "weighs"]
