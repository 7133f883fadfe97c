"""The taggers of the tweet experiment: one for every setting of a grid, and how each does on other tweets."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from howsure.calibration.curve import curve_of
from howsure.data.datasets import find_data_set
from howsure.data.documents.columns import read_tagged
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.sequences.calibration_pairs import tag_pairs
from howsure.sequences.hmm import HMMTagger
from howsure.sequences.tagger import Tagger
from howsure.stats.estimate import Estimate
from howsure_papers.label_errors import clustered_mean
from howsure_papers.reproduction import Advance
from howsure_papers.tagging.corpora import Corpus, Tagged
from howsure_papers.tagging.models import fitted, marginals_of, untrained_crf

DATA = "ark_twitter_pos"
QUERY = "V"
POOLED_BIN_SIZE = 5_000
PSEUDOCOUNTS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
PENALTIES = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
NEAR_PENALTIES = (1.0, 0.3, 0.1, 0.03)  # of a CRF with many features, which takes longer


@dataclass(frozen=True, slots=True)
class Kind:
    """Taggers that differ in one setting: its name, its values from the strongest to the weakest, its parameters."""

    name: str
    setting: str
    grid: tuple[float, ...]
    tagger: Tagger
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a tagger says of some tweets.

    right (tokens,): whether the tag of the most probable sequence is the gold one. verb: the pairs of the query "V".
    pooled: those of all tags. gold_loss: the mean of -log P(gold tag).
    """

    right: Floats
    verb: Pairs
    pooled: Pairs
    gold_loss: float

    @property
    def clusters(self) -> Integers:
        """The tweet of every token."""
        assert self.verb.clusters is not None
        return self.verb.clusters

    @property
    def accuracy(self) -> Estimate:
        """The share of tokens with the right tag."""
        return clustered_mean(self.right, self.clusters)

    @property
    def pooled_error(self) -> Estimate:
        """The debiased calibration error over all tags."""
        return curve_of(self.pooled, bin_size=POOLED_BIN_SIZE).error


@dataclass(frozen=True, slots=True)
class Fit:
    """A tagger with one value of its setting, judged on the development and the test tweets."""

    kind: Kind
    value: float
    dev: Judged
    test: Judged


def crf(name: str, features: str | Sequence[str], grid: tuple[float, ...] = NEAR_PENALTIES) -> Kind:
    """CRFs with an L2 penalty c₂; each starts from the weights of the one before."""
    return Kind(name, "c₂", grid, untrained_crf(features), ("c2",))


def hmm(name: str, unknown: str, grid: tuple[float, ...] = PSEUDOCOUNTS) -> Kind:
    """HMMs with the same pseudocount for every transition and word."""
    parameters = ("pseudocount_transition", "pseudocount_emission")
    return Kind(name, "pseudocount", grid, HMMTagger(unknown=unknown), parameters)


def read_ark(data: str | None, limit: int | None) -> Corpus:
    """The tweets of Gimpel et al. (2011), as they split them; `limit`: only the first of each part."""
    folder = find_data_set(DATA, data=data)
    parts = ((one[:limit] for one in read_tagged(folder / f"{part}.tsv")) for part in ("train", "dev", "test"))
    return Corpus("ark", "ARK tweets", *(Tagged(*part) for part in parts))


def every_fit(kind: Kind, corpus: Corpus, labels: Sequence[str], advance: Advance) -> list[Fit]:
    """A tagger for every value of the grid, learnt from the training tweets and judged on the others."""
    found, tagger = [], copy.copy(kind.tagger)
    for value in kind.grid:
        fitted(tagger.set_params(**dict.fromkeys(kind.parameters, value)), corpus.train)
        found.append(Fit(kind, value, *(judged(tagger, part, labels) for part in (corpus.dev, corpus.test))))
        advance(1)
    return found


def best(fits: Sequence[Fit]) -> Fit:
    """The most accurate on the development tweets; of equals the one with the stronger setting."""
    return max(fits, key=lambda fit: fit.dev.right.mean())


def judged(tagger: Tagger, part: Tagged, labels: Sequence[str]) -> Judged:
    """Judge a tagger; a gold tag that is none of the `labels` is missed, and no pair is of it."""
    decoded = tagger.predict(part.sentences)
    right = [p == g for guess, gold in zip(decoded, part.tags, strict=True) for p, g in zip(guess, gold, strict=True)]
    marginals = marginals_of(tagger, part.sentences, labels)
    verb, pooled = (
        tag_pairs(marginals, part.tags, labels=labels, tag=tag, unknown_tags="keep") for tag in (QUERY, None)
    )
    said = pooled.probabilities[pooled.labels == 1]
    loss = math.inf if not said.all() else -float(np.log(said).mean())
    return Judged(np.array(right, dtype=np.float64), verb, pooled, loss)
