"""The numbers of `auto`: scripts/fit_auto.py writes this file, scripts/fit_calibration.py its second half."""

WEIGHTS: dict[str, float] = {
    "walk": 1.014,
    "plan": 0.530,
    "account.left_over": -3.973,
    "account.unasked": -3.021,
    "account.guessed": -4.026,
    "account.disorder": -1.594,
    "account.ask_met": 1.005,
    "account.leads_right": 0.495,
    "account.leads_wrong": -1.189,
    "joined": 1.009,
    "plan.unused": -2.003,
}

CALIBRATION: dict[str, float] = {
    "bias": 0.926,
    "share": 0.511,
    "none": -1.517,
    "left_over": -0.447,
    "unasked": -1.931,
    "guessed": -2.424,
    "unmet": -0.535,
    "disorder": 0.169,
    "ask_met": 0.389,
    "leads_right": 0.116,
    "leads_wrong": -0.655,
}
