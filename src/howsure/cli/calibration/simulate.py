"""`howsure simulate`: synthetic predictions whose calibration is known."""

from __future__ import annotations

import click
import numpy as np

from howsure.cli.terminal.commands import Command, Written
from howsure.cli.terminal.output import emit
from howsure.cli.terminal.process import check_memory

ROW_BYTES = 250  # of a row as text, beside its numbers


@click.command("simulate", cls=Command)
@click.argument("n", type=click.IntRange(min=1))
@click.option("--a", type=float, default=0.3, show_default=True, help="First parameter of the Beta distribution of q.")
@click.option("--b", type=float, default=0.7, show_default=True, help="Second parameter.")
@click.option("--k", type=click.FloatRange(0.0, 0.5),
              help="Miscalibrate: P(y = 1) is q - k up to one half, q + k above.")  # fmt: skip
@click.option("--decimals", type=click.IntRange(0, 17), help="Number of decimals of q (default: all digits).")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
@click.option("--output", type=Written(".csv"), metavar="FILE.csv", help="Write to a file instead of standard output.")
def command(n: int, a: float, b: float, k: float | None, decimals: int | None, seed: int, output: str | None) -> None:
    """Simulate N pairs: q from Beta(a, b), the label with probability q, or with a shifted q (--k). Written as CSV."""
    from howsure.calibration.simulation import simulate_pairs

    check_memory(n * ROW_BYTES, name="N", value=n)
    pairs = simulate_pairs(n, a, b, transform="identity" if k is None else k, rng=seed)
    q = pairs.probabilities if decimals is None else np.round(pairs.probabilities, decimals)
    rows = (f"{y},{p!r}" for y, p in zip(pairs.labels.tolist(), q.tolist(), strict=True))
    emit("\n".join(["label,probability", *rows]) + "\n", output)


__all__ = ["command"]
