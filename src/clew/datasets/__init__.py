"""Question sets as iterators of `Example`, with source, licence, checksum and expected counts asserted.

Sits above `graph` because an example may carry a graph of its own.
"""

from clew.datasets.catalog import QuestionSet, load, question_set, question_sets
from clew.datasets.plain import check_question, parse_example, read_plain, to_plain, write_plain
from clew.datasets.rog import prepare_parquet, prepare_rog
from clew.datasets.shared_triples import SharedTriples
from clew.datasets.source import Source, data_folder

__all__ = [
    "QuestionSet",
    "SharedTriples",
    "Source",
    "check_question",
    "data_folder",
    "load",
    "parse_example",
    "prepare_parquet",
    "prepare_rog",
    "question_set",
    "question_sets",
    "read_plain",
    "to_plain",
    "write_plain",
]
