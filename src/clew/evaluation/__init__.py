"""Metrics as pure functions, breakdowns, intervals and tests, calibration, the report.

Reads answers and gold and writes numbers; nothing here runs a method, and no language model judges.
"""

from clew.evaluation.breakdown import count_hops
from clew.evaluation.calibration import Calibration, calibrate
from clew.evaluation.compare import Comparison, compare
from clew.evaluation.compat import MODES
from clew.evaluation.predictions import Predictions, read_predictions
from clew.evaluation.scores import Scores, scores_from_json
from clew.evaluation.scoring import score
from clew.evaluation.statistics import Estimate, holm, mcnemar, paired_permutation

__all__ = [
    "MODES",
    "Calibration",
    "Comparison",
    "Estimate",
    "Predictions",
    "Scores",
    "calibrate",
    "compare",
    "count_hops",
    "holm",
    "mcnemar",
    "paired_permutation",
    "read_predictions",
    "score",
    "scores_from_json",
]
