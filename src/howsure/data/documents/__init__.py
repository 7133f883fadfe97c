"""Documents and tagged sentences in the formats of the field, in and out."""
