"""Metrics as pure functions, breakdowns, intervals and tests, calibration, the report.

Reads answers and gold and writes numbers; nothing here runs a method, and no language model judges.
"""

from clew.evaluation.breakdown import count_hops
from clew.evaluation.calibration import Calibration, calibrate
from clew.evaluation.compare import Comparison, compare, compare_all
from clew.evaluation.compat import MODES
from clew.evaluation.page import report
from clew.evaluation.predictions import Predictions, read_predictions
from clew.evaluation.scores import Scores, scores_from_json
from clew.evaluation.scoring import score
from clew.evaluation.statistics import Estimate, holm, mcnemar, paired_permutation
from clew.evaluation.table import markdown_table, replace_between

__all__ = [
    "MODES",
    "Calibration",
    "Comparison",
    "Estimate",
    "Predictions",
    "Scores",
    "calibrate",
    "compare",
    "compare_all",
    "count_hops",
    "holm",
    "markdown_table",
    "mcnemar",
    "paired_permutation",
    "read_predictions",
    "replace_between",
    "report",
    "score",
    "scores_from_json",
]
