"""Calibration pairs of a tagger's posterior, with the sentence and the token that each speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from howsure.cli.sequences.input import Tags
from howsure.errors import InputError
from howsure.inputs.naming import counted, shortened, unknown_name
from howsure.inputs.pairs import Integers, Pairs
from howsure.sequences.calibration_pairs import KEEP, count_unknown, frequent_transitions, tag_pairs, transition_pairs
from howsure.sequences.tag_posterior import TagPosterior


def pairs_of_tags(
    posterior: TagPosterior, gold: Tags, *, tags: Sequence[str], unknown_tags: str
) -> tuple[Pairs, Integers]:
    """The pairs of all tags, or of some, and the number of each pair's token in its sentence.

    Raises InputError for a tag that the model does not have.
    """
    check_unknown(gold, posterior.labels or (), unknown_tags)
    found = tag_pairs(posterior, gold, unknown_tags=unknown_tags)
    for tag in tags:
        if tag not in found.group_names:
            raise unknown_name("tag", tag, found.group_names, place="the model")
    found = _numbered(found, gold)
    tokens = np.tile(_tokens(gold), len(found.group_names))
    if not tags:
        return found, tokens
    assert found.groups is not None
    names = tuple(dict.fromkeys(tags))
    place = {found.group_names.index(name): i for i, name in enumerate(names)}
    rows = np.flatnonzero(np.isin(found.groups, list(place)))
    groups = np.array([place[code] for code in found.groups[rows].tolist()], dtype=np.int64)
    return _some(found, rows, groups, names), tokens[rows]


def pairs_of_transitions(posterior: TagPosterior, gold: Tags, *, n: int, unknown_tags: str) -> tuple[Pairs, Integers]:
    """The pairs of the n most frequent tag pairs that the model knows, and the number of each one's first token."""
    check_unknown(gold, posterior.labels or (), unknown_tags)
    known = set(posterior.labels or ())
    wanted = [step for step in frequent_transitions(gold, n + len(known) ** 2) if known.issuperset(step)][:n]
    found = _numbered(transition_pairs(posterior, gold, pairs=wanted, unknown_tags=unknown_tags), gold, shorter=1)
    return found, np.tile(_tokens(gold, shorter=1), len(found.group_names))


def check_unknown(gold: Tags, labels: Sequence[str], unknown_tags: str) -> None:
    """Raise InputError for gold tags that the model does not know, unless they are to be kept."""
    unknown = count_unknown(gold, labels)
    if unknown and unknown_tags != KEEP:
        held = shortened(f"{tag} ({n:,})" for tag, n in unknown.most_common())
        raise InputError(
            f"the model does not know the gold tags of {counted(unknown.total(), 'token')}: {held}. "
            "Do they belong to another tag set? To keep such tokens, with none of the model's tags, use "
            "--unknown-tags keep."
        )


def _numbered(pairs: Pairs, gold: Tags, *, shorter: int = 0) -> Pairs:
    """The pairs with the numbers of sentences (from 1) as clusters, also where some without tokens are passed over."""
    assert pairs.clusters is not None
    lengths = np.array([max(len(tags) - shorter, 0) for tags in gold])
    return replace(pairs, clusters=1 + np.flatnonzero(lengths)[pairs.clusters])


def _some(pairs: Pairs, rows: Integers, groups: Integers, names: tuple[str, ...]) -> Pairs:
    assert pairs.clusters is not None
    return Pairs(
        pairs.labels[rows],
        pairs.probabilities[rows],
        groups=groups,
        group_names=names,
        clusters=pairs.clusters[rows],
    )


def _tokens(gold: Tags, *, shorter: int = 0) -> Integers:
    """The number of each token in its sentence, from 1."""
    return np.concatenate([np.arange(1, max(len(tags) - shorter, 0) + 1) for tags in gold])
