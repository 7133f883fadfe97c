"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from howsure.cli.tables import FORMATS

Decorated = Callable[..., Any]


class BinSize(click.ParamType):
    """A whole number of pairs, or `auto`."""

    name = "N|auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        if isinstance(value, int) or value == "auto":
            return value  # type: ignore[no-any-return]
        try:
            size = int(str(value).replace(",", "").replace("_", ""))
        except ValueError:
            size = 0
        if size < 1:
            self.fail(f"{value!r} is neither 'auto' nor a whole number of at least 1", param, ctx)
        return size


class Names(click.ParamType):
    """Names separated by commas."""

    name = "NAME,NAME,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        if isinstance(value, list):
            return value
        names = [name.strip() for name in str(value).split(",")]
        if not all(names):
            self.fail(f"{value!r} holds an empty name", param, ctx)
        return names


class Level(click.ParamType):
    """The level of an interval."""

    name = "LEVEL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            level = float(value)
        except ValueError:
            level = 0.0
        if not 0.0 < level < 1.0:
            self.fail(f"{value!r} does not lie strictly between 0 and 1; write 0.95 for 95 %", param, ctx)
        return level


level_option = click.option("--level", type=Level(), default=0.95, show_default=True, help="Level of the intervals.")


def binning_options(function: Decorated) -> Decorated:
    """`--bin-size`, `--bins`, `--binning`, `--level`."""
    bins = click.option("--bins", type=click.IntRange(min=1), metavar="N", help="Ask for N bins instead of a bin size.")
    size = click.option("--bin-size", type=BinSize(), default="auto", show_default=True,
                        help="Pairs a bin holds at least; auto: half of n^(2/3).")  # fmt: skip
    kind = click.option("--binning", type=click.Choice(["adaptive", "uniform"]), default="adaptive", show_default=True,
                        help="Bins of equal size, or of equal width.")  # fmt: skip
    return size(bins(kind(level_option(function))))


def output_options(function: Decorated) -> Decorated:
    """`--format` and `--output`."""
    form = click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True,
                        help="How the result is written.")  # fmt: skip
    return form(click.option("--output", metavar="FILE", help="Write to a file instead of standard output.")(function))


class DefaultGroup(click.Group):
    """A group that runs its default command when the first argument is not the name of another one."""

    def __init__(self, *args: Any, default: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in self.commands:
            args = [self.default, *args]
        return super().parse_args(ctx, args)
