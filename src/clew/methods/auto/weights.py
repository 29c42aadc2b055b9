"""The numbers of `auto`: scripts/fit_auto.py writes this file and says on what they were fitted."""

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
    "bias": 0.974,
    "share": 0.400,
    "none": -1.060,
    "left_over": -0.620,
    "unasked": -1.648,
    "guessed": -2.100,
    "unmet": -0.423,
    "disorder": 0.215,
    "ask_met": 0.534,
    "leads_right": 0.082,
    "leads_wrong": -0.772,
}
