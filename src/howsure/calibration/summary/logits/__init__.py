"""Sums of the pairs that logits make: of every class of every row, or of each row's first choice."""
