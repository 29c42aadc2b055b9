"""The numbers of `auto`: scripts/fit_auto.py writes this file and says on what they were fitted."""

WEIGHTS: dict[str, float] = {
    "walk": 0.917,
    "plan": 0.403,
    "walk_same": -0.346,
    "plan_same": 0.088,
    "walk_first": 0.179,
    "plan_first": 0.003,
    "unproposed": 0.101,
}

CALIBRATION: dict[str, float] = {
    "bias": 0.460,
    "share": 0.241,
    "walk": 0.161,
    "plan": 0.076,
    "both": 0.151,
    "neither": -0.100,
    "left": -0.331,
    "taken_up": 0.358,
    "width": -0.033,
}
