"""The numbers of `auto`: scripts/fit_auto.py writes this file and says on what they were fitted."""

WEIGHTS: dict[str, float] = {
    "walk": 0.645,
    "plan": 0.923,
    "account.left_over": -3.763,
    "account.unasked": -2.975,
    "account.guessed": -4.002,
    "account.disorder": -1.549,
    "account.ask_met": 1.008,
    "account.leads_right": 0.331,
    "account.leads_wrong": -0.984,
    "joined": 1.034,
    "plan.unused": -2.012,
}

CALIBRATION: dict[str, float] = {
    "bias": -0.142,
    "share": -0.029,
    "none": -2.353,
    "walk": 0.061,
    "plan": 0.267,
    "both": 0.380,
    "neither": -0.770,
    "steps_2": 0.395,
    "steps_3": 0.742,
    "joined": 0.486,
    "unused": -0.203,
    "left_over": -0.460,
    "unasked": -0.898,
    "guessed": -0.890,
    "unmet": 0.043,
    "disorder": 0.245,
    "ask_met": -0.030,
    "leads_right": 0.119,
    "leads_wrong": 0.047,
}
