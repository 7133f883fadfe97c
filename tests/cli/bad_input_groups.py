"""Wrong inputs of `howsure calibration find-groups` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

import numpy as np

from tests.cli.bad_input import CLASSES, CSV, Wrong

FIND = "calibration find-groups dev.csv --target gold --prob prob"
RARE = "5 labels of either kind must be expected in a group, and as many beside it at the same predictions"
ADVICE = "Is each value rare? Give features with few values, or numbers, such as the length of a text."


RNG = np.random.default_rng(0)
PROB = RNG.random(200).round(3)
GOLD = (RNG.random(200) < PROB).astype(int)


def rows(**columns: object) -> dict[str, bytes]:
    """A file of 200 predictions and another column."""
    held: dict[str, object] = {"gold": GOLD, "prob": PROB, **columns}
    lines = [",".join(map(str, row)) for row in zip(*held.values(), strict=True)]  # type: ignore[call-overload]
    return {"dev.csv": "\n".join([",".join(held), *lines, ""]).encode()}


GROUPS = [
    Wrong("no features", FIND, CSV),
    Wrong("a feature without a name", f"{FIND} --features model,", CSV),
    Wrong("a misspelt feature", f"{FIND} --features modell", CSV),
    Wrong("a feature named twice", f"{FIND} --features model,model", CSV),
    Wrong("the label as a feature", f"{FIND} --features gold", CSV),
    Wrong("a feature that tells the label", f"{FIND} --features copy", rows(copy=[["no", "yes"][y] for y in GOLD])),
    Wrong("a feature of one value", f"{FIND} --features same", rows(same=["a"] * 200)),
    Wrong(
        "a feature of a different value in every row", f"{FIND} --features uid", rows(uid=[f"u{i}" for i in range(200)])
    ),
    Wrong("groups of more rows than there are", f"{FIND} --features model", CSV),
    Wrong("groups of one row", f"{FIND} --features model --min-rows 1", CSV),
    Wrong("groups of three conditions", f"{FIND} --features model --conditions 3", CSV),
    Wrong("groups against nothing", f"{FIND} --features model --against half", CSV),
    Wrong(
        "groups of several pairs a row",
        "calibration find-groups dev.jsonl --target gold --probs-column probs --reduce class-wise --features gold",
        CLASSES,
    ),
]
