"""Tests of a difference: bootstrap, permutation, McNemar's test, and BooStSa's rule."""
