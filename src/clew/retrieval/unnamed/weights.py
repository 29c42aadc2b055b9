"""The numbers of `weighing`: scripts/fit_unnamed.py writes this file and says on what they were fitted."""

COMPARED: dict[str, float] = {
    "bias": -2.751,
    "score": 0.400,
    "unsaid": -0.186,
    "nearby": -0.788,
    "whole": -0.904,
    "long": -1.119,
    "count": -0.051,
    "single": -0.945,
    "by_words": 0.616,
    "meant": 1.625,
    "question": 2.202,
    "content": 1.493,
    "content_over": 1.254,
    "other": -1.268,
    "ranked": 1.235,
    "ranked_count": 0.693,
    "inside": 1.649,
    "many": -1.106,
    "another": -0.491,
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
