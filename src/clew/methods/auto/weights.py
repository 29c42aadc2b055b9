"""The numbers of `auto`: equal trust in both readers, set by hand, not fitted yet (scripts/fit_auto.py fits them)."""

WEIGHTS: dict[str, float] = {"walk_same": 0.5, "plan_same": 0.5, "walk": 0.1, "plan": 0.1}

CALIBRATION: dict[str, float] = {"bias": 0.0, "share": 1.0}
