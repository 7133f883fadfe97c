"""Means of scores: standard errors by item or cluster, intervals, and paired differences."""
