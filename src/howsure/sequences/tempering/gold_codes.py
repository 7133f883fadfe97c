"""Gold tags as numbers, and which words are unseen: checked against a posterior."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.naming import counted, shortened
from howsure.inputs.pairs import Integers
from howsure.sequences.features.sentences import check_lists, check_sentences
from howsure.sequences.features.tagset import TagSet
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.tempering.gold_likelihood import NO_TAG

ERROR, KEEP = "error", "keep"


def gold_codes(posterior: TagPosterior, tags: Any, *, unknown_tags: str) -> Integers:
    """The number of each token's gold tag, sentence after sentence; -1 for one that the model does not know.

    Raises InputError for other sentences, no token, or an unknown tag that is not to be kept.
    """
    if unknown_tags not in (ERROR, KEEP):
        raise InputError(f"unknown_tags must be 'error' or 'keep', not {unknown_tags!r}")
    names = posterior.labels
    rows: list[Any] = check_lists(tags, name="tags", of="tags")
    if names is not None:
        rows = check_sentences(rows, name="tags", of="tags")
    _check_lengths(rows, posterior.lengths)
    if names is None:
        tagset = TagSet(None, posterior.n_tags)
        numbered = [tagset.numbers(one, f"tags[{i}]") for i, one in enumerate(rows)]
        return np.concatenate([np.empty(0, np.int64), *numbered])
    flat = [tag for one in rows for tag in one]
    unknown = Counter(tag for tag in flat if tag not in set(names))
    if unknown and unknown_tags == ERROR:
        held = shortened(f"{tag} ({n:,})" for tag, n in unknown.most_common())
        raise InputError(
            f"the model does not know the gold tags of {counted(unknown.total(), 'token')}: {held}. Do they belong to "
            "another tag set? To leave such tokens out, use unknown_tags='keep'."
        )
    place = {name: i for i, name in enumerate(names)}
    return np.array([place.get(tag, NO_TAG) for tag in flat], dtype=np.int64)


def check_unseen(unseen: Any, lengths: Integers) -> Sequence[Any] | None:
    """Which words are unseen, (T,) per sentence. Raises InputError for other sentences."""
    if unseen is None:
        return None
    found = [np.asarray(one, dtype=bool) for one in check_lists(unseen, name="unseen", of="truth values")]
    if [one.shape for one in found] != [(length,) for length in lengths.tolist()]:
        raise InputError("unseen must hold a truth value for each token of each sentence of the posterior.")
    return found


def _check_lengths(rows: Sequence[Any], lengths: Integers) -> None:
    if len(rows) != len(lengths):
        raise InputError(f"tags must be those of the {len(lengths):,} sentences; they are of {len(rows):,}.")
    for i, (one, length) in enumerate(zip(rows, lengths.tolist(), strict=True)):
        if len(one) != length:
            raise InputError(f"tags[{i}] must be the {length} of the sentence; they are {len(one)}.")
    if not lengths.any():
        raise InputError("tags hold no tag: there is nothing to learn from.")
