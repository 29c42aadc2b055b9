"""The numbers of `auto`: scripts/fit_auto.py writes this file and says on what they were fitted."""

WEIGHTS: dict[str, float] = {
    "walk": 0.764,
    "plan": 0.939,
    "account.left_over": -3.689,
    "account.unasked": -2.984,
    "account.guessed": -4.004,
    "account.disorder": -1.561,
    "account.ask_met": 1.009,
    "account.leads_right": 0.319,
    "account.leads_wrong": -0.987,
    "joined": 1.046,
    "plan.unused": -2.016,
}

CALIBRATION: dict[str, float] = {
    "bias": 0.156,
    "share": 0.006,
    "none": -2.503,
    "walk": 0.083,
    "plan": 0.282,
    "both": 0.528,
    "neither": -0.667,
    "steps_2": 0.533,
    "steps_3": 0.586,
    "joined": 1.133,
    "unused": -0.047,
    "left_over": -0.477,
    "unasked": -1.218,
    "guessed": -1.078,
    "unmet": -0.154,
    "disorder": 0.168,
    "ask_met": 0.435,
    "leads_right": 0.076,
    "leads_wrong": -0.133,
}
