"""Entities: labelled spans of tokens, and their probabilities."""
