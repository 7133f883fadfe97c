"""Taggers: conditional random fields and hidden Markov models, and the files that keep them."""
