"""Proper scores and their parts: of a binary problem, and of several classes."""
