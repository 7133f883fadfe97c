"""Posteriors from the antecedent scores of other models."""
