"""Metrics: statistics of each row, and a function of their sum. Each file registers its own."""

from howsure.significance.metrics import documents, labels, probabilities

__all__ = ["documents", "labels", "probabilities"]
