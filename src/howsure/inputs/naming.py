"""Names that people type and read: suggestions for misspelt names, and natural sorting."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Sequence

from howsure.errors import InputError, short


def unknown_name(kind: str, name: str, known: Sequence[str], *, place: str) -> InputError:
    """The error for a name that does not exist, with a suggestion.

    >>> print(unknown_name("column", "gold_label", ["gold", "probs", "uid"], place="dev.jsonl"))
    no column 'gold_label' in dev.jsonl; it has gold, probs, uid. Did you mean gold?
    """
    message = f"no {kind} {name!r} in {place}; it has {shortened(known)}."
    near = nearest(name, known)
    return InputError(message if near is None else f"{message} Did you mean {near}?")


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The known name most similar to `name`, ignoring case; None if none is similar."""
    lower = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower(), list(lower), n=1, cutoff=0.5)
    return lower[near[0]] if near else None


def shortened(values: Iterable[object], *, limit: int = 12) -> str:
    """Values in one line of text, the first `limit` of them.

    >>> shortened(range(5), limit=3)
    '0, 1, 2 and 2 more'
    """
    texts = [short(str(value)) for value in values]
    rest = len(texts) - limit
    return ", ".join(texts[:limit]) + (f" and {rest:,} more" if rest > 0 else "")


def counted(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: `one` in the singular, `many` in the plural (by default with an s).

    >>> counted(1, "row"), counted(2_000, "row"), counted(2, "entity", "entities")
    ('1 row', '2,000 rows', '2 entities')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def natural_order(name: str) -> tuple[int, float, list[tuple[int, int, str]], str]:
    """The sort key of a name: numbers first, by value, then text, with the numbers in it ordered by value.

    >>> sorted(["Llama-70b", "10", "Llama-7b", "2.5"], key=natural_order)
    ['2.5', '10', 'Llama-7b', 'Llama-70b']
    """
    try:
        number = float(name)
    except ValueError:
        number = math.nan
    if math.isfinite(number):
        return 0, number, [], name
    return 1, 0.0, [_by_value(part) for part in re.split(r"([0-9]+)", name)], name


def _by_value(part: str) -> tuple[int, int, str]:
    """Digit strings ordered by their numeric value, however long; text after them."""
    digits = part.lstrip("0")
    return (0, len(digits), digits) if part.isascii() and part.isdecimal() else (1, 0, part)


def short_names(paths: Sequence[str]) -> tuple[str, ...]:
    """Names of files without the folders and the ends that all of them have.

    >>> short_names(["out/a/samples.jsonl", "out/b/samples.jsonl"]), short_names(["x/gpt-4.csv", "x/yi.csv"])
    (('a', 'b'), ('gpt-4', 'yi'))
    >>> short_names(["v1.2.csv", "v1.3.csv"])
    ('v1.2.csv', 'v1.3.csv')
    """
    if len(paths) < 2:
        return tuple(paths)
    parts = [[part for part in re.split(r"[/\\]", path) if part] for path in paths]
    least = min(map(len, parts)) - 1
    first = next((i for i in range(least) if len({one[i] for one in parts}) > 1), least)
    kept = [one[first:] for one in parts]
    while min(map(len, kept)) > 1 and len({one[-1] for one in kept}) == 1:
        kept = [one[:-1] for one in kept]
    names = ["/".join(one) for one in kept]
    stems = [name.partition(".")[0] for name in names]
    return tuple(stems if all(stems) and len(set(stems)) == len(stems) else names)
