"""The numbers of `auto`: scripts/fit_auto.py writes this file and says on what they were fitted."""

WEIGHTS: dict[str, float] = {
    "walk": 0.874,
    "plan": 0.427,
    "walk_same": -0.164,
    "plan_same": -0.004,
    "walk_first": 0.023,
    "plan_first": -0.014,
    "unproposed": 0.038,
}

CALIBRATION: dict[str, float] = {
    "bias": 0.465,
    "share": 0.098,
    "walk": 0.105,
    "plan": 0.092,
    "both": 0.400,
    "neither": -0.527,
    "left": -0.666,
    "taken_up": 0.802,
    "width": -0.444,
}
