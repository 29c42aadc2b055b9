"""The numbers of `auto`: scripts/fit_auto.py writes this file and says on what they were fitted."""

WEIGHTS: dict[str, float] = {
    "walk": 0.821,
    "plan": 0.865,
    "account.left_over": -3.706,
    "account.unasked": -3.001,
    "account.guessed": -3.957,
    "account.disorder": -1.572,
    "account.ask_met": 1.003,
    "account.leads_right": 0.296,
    "account.leads_wrong": -0.955,
    "joined": 1.065,
    "plan.unused": -2.022,
}

CALIBRATION: dict[str, float] = {
    "bias": 0.263,
    "share": -0.062,
    "none": -2.283,
    "walk": 0.128,
    "plan": 0.268,
    "both": 0.644,
    "neither": -0.509,
    "steps_2": 0.468,
    "steps_3": 0.438,
    "joined": 1.250,
    "unused": 0.114,
    "left_over": -0.498,
    "unasked": -1.342,
    "guessed": -0.869,
    "unmet": 0.027,
    "disorder": -0.034,
    "ask_met": 0.291,
    "leads_right": 0.087,
    "leads_wrong": -0.115,
}
