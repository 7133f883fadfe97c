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
    Wrong("no features", FIND, "Missing option '--features'.", CSV),
    Wrong("a feature without a name", f"{FIND} --features model,",
          "Invalid value for '--features': 'model,' holds an empty name", CSV),
    Wrong("a misspelt feature", f"{FIND} --features modell",
          "no column 'modell' in dev.csv; it has gold, prob, model, weight. Did you mean model?", CSV),
    Wrong("a feature named twice", f"{FIND} --features model,model",
          "--features must name each column once; model is there 2 times.", CSV),
    Wrong("the label as a feature", f"{FIND} --features gold",
          "--features must not name the label: gold is --target. Groups are made of what is known before it.", CSV),
    Wrong("a feature that tells the label", f"{FIND} --features copy",
          "features: copy tells every label: none of its values occurs with both. Is it the label itself, or made from "
          "it? Use what is known before the label is.",
          rows(copy=[["no", "yes"][y] for y in GOLD])),
    Wrong("a feature of one value", f"{FIND} --features same",
          f"no group of at least 50 rows can be made of the features: same (one value in all rows); {RARE}. {ADVICE}",
          rows(same=["a"] * 200)),
    Wrong("a feature of a different value in every row", f"{FIND} --features uid",
          f"no group of at least 50 rows can be made of the features: uid (all values are rare); {RARE}. {ADVICE}",
          rows(uid=[f"u{i}" for i in range(200)])),
    Wrong("groups of more rows than there are", f"{FIND} --features model",
          "groups of --min-rows 50 need at least 100 rows; there are 40.", CSV),
    Wrong("groups of one row", f"{FIND} --features model --min-rows 1",
          "--min-rows must be a whole number of at least 2, not 1", CSV),
    Wrong("groups of three conditions", f"{FIND} --features model --conditions 3",
          "Invalid value for '--conditions': 3 is not in the range 1<=x<=2.", CSV),
    Wrong("groups against nothing", f"{FIND} --features model --against half",
          "Invalid value for '--against': 'half' is not one of 'whole', 'diagonal'.", CSV),
    Wrong("groups of several pairs a row", "calibration find-groups dev.jsonl --target gold --probs-column probs "
          "--reduce class-wise --features gold",
          "--reduce class-wise makes several pairs of a row; find groups with top-label or one class.", CLASSES),
]  # fmt: skip
