"""Mentions, and the facts about each."""
