"""The numbers of `auto`: scripts/fit_auto.py writes this file and says on what they were fitted."""

WEIGHTS: dict[str, float] = {
    "walk": 0.631,
    "plan": 0.922,
    "account.left_over": -3.730,
    "account.unasked": -2.973,
    "account.guessed": -4.002,
    "account.disorder": -1.550,
    "account.ask_met": 1.012,
    "account.leads_right": 0.336,
    "account.leads_wrong": -0.989,
    "joined": 1.020,
    "plan.unused": -2.008,
}

CALIBRATION: dict[str, float] = {
    "bias": -0.336,
    "share": 0.016,
    "none": -2.177,
    "walk": 0.036,
    "plan": 0.311,
    "both": 0.435,
    "neither": -0.687,
    "steps_2": 0.407,
    "steps_3": 0.737,
    "joined": 0.459,
    "unused": -0.269,
    "left_over": -0.413,
    "unasked": -0.954,
    "guessed": -0.898,
    "unmet": -0.298,
    "disorder": 0.215,
    "ask_met": 0.316,
    "leads_right": 0.147,
    "leads_wrong": 0.034,
}
