"""Conformance suites and scripted fakes, for our own tests and for those who plug something in."""
