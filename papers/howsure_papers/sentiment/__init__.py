"""Nguyen & O'Connor (2015), section 4.1: sentiment of tweets."""
