"""Subgroups whose predictions are worse calibrated than those of the whole."""
