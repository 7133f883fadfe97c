"""The systems to compare: targets and predictions of any kind, checked once."""
