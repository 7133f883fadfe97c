"""McNemar's test with the mid-p correction, from the rows on which only one system is right."""

from __future__ import annotations


def mid_p_value(only_baseline: int, only_model: int, alternative: str = "two-sided") -> float:
    """The p-value from the numbers of rows on which only one system is right; the observed outcome counts half.

    Under no difference the number of rows that only the model gets right is Binomial(b + c, 1/2). The mid-p test keeps
    its level on average, while the exact test stays below it (Fagerland, Lydersen & Laake 2013). Without any such row p
    is 1. `alternative` is `two-sided`, `better` (the model is) or `worse`.

    >>> mid_p_value(12, 28)
    0.011...
    >>> mid_p_value(0, 0)
    1.0
    """
    from scipy.special import betainc

    n = only_baseline + only_model
    if n == 0:
        return 1.0

    def tail(k: int) -> float:
        """P(X < k) + P(X = k)/2 of a Binomial(n, 1/2)."""
        up_to = 1.0 if k >= n else float(betainc(n - k, k + 1, 0.5))
        below = 0.0 if k == 0 else float(betainc(n - k + 1, k, 0.5))
        return (up_to + below) / 2

    if alternative == "better":
        return tail(only_baseline)
    if alternative == "worse":
        return tail(only_model)
    return min(1.0, 2 * tail(min(only_baseline, only_model)))
