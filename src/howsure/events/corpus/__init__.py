"""Dated documents: where they come from, which are kept, and which tell the same story."""
