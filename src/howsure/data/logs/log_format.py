"""What a format of logs is: how it is recognised, and how its rows come in named columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from howsure.data.logs.beginning import Beginning
from howsure.data.logs.source import Source

Row = dict[str, Any]

NAMED = (
    "item", "model", "task", "prompt", "run", "document", "target", "prediction", "classes", "probabilities",
    "probability", "correct", "log_probabilities", "logits",
)  # fmt: skip
OF_NAMED = ("targets", "tokens")  # which say more of them
GROUP = ("model", "task", "prompt")  # one curve for each, where a log holds several


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A format of logs.

    `name` is what `format` takes, `program` what writes it. `rows` yields one row for each of the file, in its order,
    as plain JSON by the names in `NAMED`; numbers under other names are scores of the item, and whatever else a row
    holds is kept only if the user names it.

    A row of several classes holds one of `probabilities`, `log_probabilities` (of the choices whose texts are
    `classes`) or `logits`, and `target`, the position of the right one, or `targets`; `prediction` (the likeliest),
    `probability` and `correct`, if not given, follow from them. A row with the probability of its one answer holds
    `probability` and `correct`. `group` are the columns that part rows which must not be pooled.
    """

    name: str
    program: str
    recognises: Callable[[Beginning], bool]
    rows: Callable[[Source], Iterator[Row]]
    group: tuple[str, ...] = GROUP


def with_scores(row: Row, scores: Mapping[str, Any]) -> Row:
    """A row with the scores of its item: what a scorer calls as a named column is called becomes score.NAME.

    >>> with_scores({"target": 1}, {"target": 0.5, "rouge": 0.2})
    {'target': 1, 'score.target': 0.5, 'rouge': 0.2}
    """
    return row | {f"score.{name}" if name in NAMED + OF_NAMED else name: value for name, value in scores.items()}
