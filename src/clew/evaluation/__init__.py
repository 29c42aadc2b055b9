"""Metrics as pure functions, breakdowns, intervals, paired tests, and the report."""
