"""Nguyen's thesis, section 4.2: taggers of tweets."""
