"""The numbers of `weighing`: scripts/fit_unnamed.py writes this file and says on what they were fitted."""

COMPARED: dict[str, float] = {
    "bias": -2.750,
    "score": 0.401,
    "unsaid": -0.188,
    "nearby": -0.794,
    "whole": -0.903,
    "long": -1.123,
    "count": -0.051,
    "single": -0.947,
    "by_words": 0.617,
    "meant": 1.608,
    "question": 2.216,
    "content": 1.478,
    "content_over": 1.265,
    "other": -1.263,
    "ranked": 1.235,
    "ranked_count": 0.695,
    "inside": 1.650,
    "many": -1.106,
    "another": -0.465,
}

LACKING: dict[str, float] = {
    "bias": -5.948,
    "score": 0.914,
    "nearby": -0.437,
    "other": -1.737,
    "share": 2.436,
    "phrase": 3.609,
    "phrase_over": -2.088,
    "question": 3.842,
    "question_over": 3.889,
    "content": 0.502,
    "content_over": 1.875,
}
