"""Nguyen & O'Connor (2015), section 5.3: pairs of mentions."""
