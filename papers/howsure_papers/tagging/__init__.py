"""Nguyen & O'Connor (2015), section 4.2, and the thesis's section 4.1: taggers, and pairs of tags."""
