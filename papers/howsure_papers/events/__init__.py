"""Nguyen & O'Connor (2015), section 6: events in the news."""
