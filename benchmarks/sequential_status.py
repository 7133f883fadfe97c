"""How long does a sequential comparison take if its status is read after each item? Goal: 1 ms an item, linear growth.

make bench JOB=sequential_status
"""

from __future__ import annotations

from functools import partial

import numpy as np
from growth import Job, print_growth, print_numpy_import

from howsure.sequential import SequentialComparison
from howsure.stats.betting import Units


def status_after_each_item(n: int, *, all_items: bool = False) -> tuple[Job, Job]:
    """Return two jobs: adding n items one by one, with the status after each; and the wealth of all items at one
    mean."""
    rng = np.random.default_rng(0)
    total = n if all_items else None
    first, second = ((rng.random(n) < share).astype(float) for share in (0.8, 0.75))

    def compare() -> None:
        comparison = SequentialComparison(items_total=total)
        for row in range(n):
            comparison.add(first[row : row + 1], second[row : row + 1])
            comparison.status()

    units = Units((first - second + 1) / 2, np.ones(n), 1.0, total)
    return compare, partial(units.wealth, 0.5)


def main() -> None:
    """Print both tables."""
    print_numpy_import()
    status_after_each_item(10)[0]()  # imports scipy.optimize
    floor, goal = "the wealth after each item at one mean, all items at once", "1 ms an item, linear"
    for items, all_items in (("of endlessly many", False), ("all items of a benchmark", True)):
        prepare = partial(status_after_each_item, all_items=all_items)
        title = f"SequentialComparison, status after each item, {items}"
        print_growth(title, (1_600, 3_200, 6_400), prepare, floor=floor, goal=goal)


if __name__ == "__main__":
    main()
