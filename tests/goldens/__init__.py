"""Goldens: stored commands and results, with everything that a user sees of each.

python -m tests.goldens [--write] [--exact] [ROOM ...]
"""
