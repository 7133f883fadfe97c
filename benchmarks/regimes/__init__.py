"""Difficult regimes, in which intervals and verdicts are tested by simulation: `python -m benchmarks.regimes`."""
