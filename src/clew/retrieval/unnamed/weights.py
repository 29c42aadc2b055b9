"""The numbers of `weighing`: scripts/fit_unnamed.py writes this file and says on what they were fitted."""

COMPARED: dict[str, float] = {
    "bias": -2.759,
    "score": 0.396,
    "unsaid": -0.185,
    "nearby": -0.796,
    "whole": -0.902,
    "long": -1.121,
    "count": -0.045,
    "single": -0.947,
    "by_words": 0.616,
    "meant": 1.624,
    "question": 2.214,
    "content": 1.489,
    "content_over": 1.264,
    "other": -1.265,
    "ranked": 1.235,
    "ranked_count": 0.693,
    "inside": 1.651,
    "many": -1.107,
    "another": -0.488,
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
