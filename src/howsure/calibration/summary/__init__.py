"""Sums that stand for pairs: by cell of the probability scale and label, whoever adds them up."""
