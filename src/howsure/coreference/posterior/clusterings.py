"""Clusterings, as lists of mentions and as labels: the label of a mention is the first mention of its cluster."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from howsure.data.documents.document import Mention
from howsure.errors import InputError, shown
from howsure.inputs.naming import shortened
from howsure.inputs.pairs import Integers

Clusters = list[list[Any]]  # of mentions, or of their positions where they have no names


def labels_from(clusters: object, names: Sequence[Hashable], *, parameter: str = "clusters") -> Integers:
    """Labels (M,) of a clustering: an integer array of labels, or clusters of the mentions that `names` lists.

    A mention that is in no cluster forms its own.

    >>> labels_from([["Ann", "she"]], ["Ann", "Bo", "she"])
    array([0, 1, 0])

    Raises InputError if a mention is unknown or in two clusters, or if there are not M labels.
    """
    if isinstance(clusters, np.ndarray) and clusters.ndim == 1 and clusters.dtype.kind in "iu":
        if len(clusters) != len(names):
            raise InputError(f"{parameter} must hold a label for each of {len(names)} mentions, not {len(clusters)}.")
        return first_labels(clusters)
    place_of = {name: place for place, name in enumerate(names)}
    labels = np.full(len(names), -1)
    for members in _members(clusters, parameter):
        places = []
        for mention in members:
            if not isinstance(mention, Hashable) or mention not in place_of:
                raise InputError(
                    f"{parameter} must be made of the mentions of the posterior; {mention!r} is none of them "
                    f"({shortened(names, limit=4)}). Leave it out first, or give mentions=."
                )
            places.append(place_of[mention])
            if labels[places[-1]] >= 0:
                raise InputError(f"{parameter} must hold a mention once; {mention!r} is in them twice.")
            labels[places[-1]] = places[0]
        labels[places] = min(places, default=0)
    alone = labels < 0
    labels[alone] = np.flatnonzero(alone)
    return labels


def clusters_from(labels: Integers, names: Sequence[Hashable]) -> Clusters:
    """The clusters of labels (M,), in the order of their first mentions.

    >>> clusters_from(np.array([0, 1, 0]), range(3))
    [[0, 2], [1]]
    """
    clusters: dict[int, list[Any]] = {}
    for name, label in zip(names, labels.tolist(), strict=True):
        clusters.setdefault(label, []).append(name)
    return list(clusters.values())


def first_labels(codes: Integers) -> Integers:
    """Any codes of clusters, renamed to the position of their first mention.

    >>> first_labels(np.array([7, 3, 7]))
    array([0, 1, 0])
    """
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray(first[inverse], dtype=np.int64)


def checked_mentions(mentions: Iterable[Hashable] | None, m: int) -> Sequence[Hashable]:
    """The names of the M mentions, without repetition and, for mentions of documents, in text order; positions if None.

    Raises InputError naming the mention that is out of order.
    """
    if mentions is None:
        return range(m)
    if isinstance(mentions, (str, bytes)) or not isinstance(mentions, Iterable):
        raise InputError(f"mentions must be a list of names, one per mention; it is {shown(mentions)}.")
    names = tuple(mentions)
    if len(names) != m:
        raise InputError(f"mentions must name the {m} mentions of the posterior; there are {len(names)}.")
    unhashable = [name for name in names if not isinstance(name, Hashable)]
    if unhashable:
        raise InputError(f"mentions must have a hash, such as strings or tuples; {unhashable[0]!r} has none.")
    if len(set(names)) < m:
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InputError(f"mentions must be distinct; {twice!r} comes twice.")
    for place, (one, other) in enumerate(pairwise(names), 1):
        both = isinstance(one, Mention) and isinstance(other, Mention)
        if both and (other.sentence, other.start) < (one.sentence, one.start):  # type: ignore[attr-defined]
            raise InputError(
                f"mentions must be in text order; mention {place}, {other!r}, begins before {one!r}. Sort them first: "
                "antecedents are earlier mentions."
            )
    return names


def _members(clusters: object, parameter: str) -> list[list[Hashable]]:
    try:
        return [list(members) for members in clusters]  # type: ignore[attr-defined]
    except TypeError:
        raise InputError(
            f"{parameter} must be a list of clusters, each a list of mentions, or an integer array of labels; "
            f"it is {shortened([clusters])!s:.80}."
        ) from None
