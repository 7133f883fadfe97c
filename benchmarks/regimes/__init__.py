"""Hard regimes, in which intervals and verdicts are tried by simulation: `python -m benchmarks.regimes`."""
