"""How many runs does a verdict of `@pytest.mark.howsure` take, and how often is it wrong? `python
benchmarks/pytest_marks.py`

The table of docs/doors.md for a mark with min_rate 0.9, computed exactly over all sequences of up to 100 runs.
"""

from __future__ import annotations

import numpy as np

from howsure.stats.betting import binomial_wealth

LIMIT, RUNS, SIZE = 0.9, 100, 0.05
SHARES = (1.0, 0.99, 0.97, 0.95, 0.9, 0.8, 0.7, 0.5)


def verdict(passed: int, runs: int) -> str | None:
    """Return the verdict after this many runs, None if it is undecided."""
    for name, above in (("pass", True), ("fail", False)):
        if binomial_wealth(passed, runs - passed, LIMIT, above=above) >= 1 / SIZE:
            return name
    return None


def main() -> None:
    """Print the probability of each verdict and the mean number of runs, by the proportion of runs that pass."""
    shown = {(passed, n): verdict(passed, n) for n in range(1, RUNS + 1) for passed in range(n + 1)}
    print("| share of runs that pass | pass | fail | cannot tell | runs on average |\n|---|---|---|---|---|")
    for share in SHARES:
        going, ended, runs = np.array([1.0]), {"pass": 0.0, "fail": 0.0}, 0.0
        for n in range(1, RUNS + 1):
            runs += going.sum()
            going = np.append(going * (1 - share), 0.0) + np.append(0.0, going * share)
            for passed in range(n + 1):
                if (name := shown[passed, n]) is not None:
                    ended[name] += going[passed]
                    going[passed] = 0.0
        print(f"| {share:.2f} | {ended['pass']:.3f} | {ended['fail']:.3f} | {going.sum():.3f} | {runs:.0f} |")


if __name__ == "__main__":
    main()
