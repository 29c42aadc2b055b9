"""The numbers of `auto`: scripts/fit_auto.py writes this file and says on what they were fitted."""

WEIGHTS: dict[str, float] = {
    "walk": 0.643,
    "plan": 0.925,
    "account.left_over": -3.761,
    "account.unasked": -2.973,
    "account.guessed": -4.003,
    "account.disorder": -1.550,
    "account.ask_met": 1.008,
    "account.leads_right": 0.333,
    "account.leads_wrong": -0.980,
    "joined": 1.031,
    "plan.unused": -2.011,
}

CALIBRATION: dict[str, float] = {
    "bias": -0.149,
    "share": -0.027,
    "none": -2.348,
    "walk": 0.060,
    "plan": 0.269,
    "both": 0.376,
    "neither": -0.757,
    "steps_2": 0.392,
    "steps_3": 0.746,
    "joined": 0.483,
    "unused": -0.203,
    "left_over": -0.472,
    "unasked": -0.941,
    "guessed": -0.906,
    "unmet": -0.004,
    "disorder": 0.248,
    "ask_met": -0.033,
    "leads_right": 0.125,
    "leads_wrong": 0.054,
}
