"""Possible actors: lexicons of names."""
