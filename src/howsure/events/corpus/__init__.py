"""Dated documents: where they come from, which are kept, and which tell one story."""
