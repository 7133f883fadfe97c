"""Taggers and coreference with the probability of every tag and every cluster."""
