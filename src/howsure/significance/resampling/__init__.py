"""How a difference is tested: bootstrap, permutation, McNemar's test, and BooStSa's rule."""
