"""The numbers of `auto`: scripts/fit_auto.py writes this file and says on what they were fitted."""

WEIGHTS: dict[str, float] = {
    "walk": 0.808,
    "plan": 0.885,
    "account.left_over": -3.709,
    "account.unasked": -2.994,
    "account.guessed": -3.962,
    "account.disorder": -1.567,
    "account.ask_met": 1.004,
    "account.leads_right": 0.294,
    "account.leads_wrong": -0.957,
    "joined": 1.062,
    "plan.unused": -2.021,
}

CALIBRATION: dict[str, float] = {
    "bias": 0.338,
    "share": -0.062,
    "none": -2.231,
    "walk": 0.171,
    "plan": 0.272,
    "both": 0.547,
    "neither": -0.588,
    "steps_2": 0.633,
    "steps_3": 0.602,
    "joined": 1.288,
    "unused": 0.028,
    "left_over": -0.468,
    "unasked": -1.393,
    "guessed": -1.096,
    "unmet": -0.267,
    "disorder": -0.141,
    "ask_met": 0.590,
    "leads_right": 0.082,
    "leads_wrong": -0.037,
}
