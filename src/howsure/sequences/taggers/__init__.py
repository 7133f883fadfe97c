"""Taggers: conditional random fields and hidden Markov models, and their files."""
