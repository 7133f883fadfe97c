"""Calibration curves without bins: isotonic regression, its bands, and the scores that follow from it (CORP)."""
