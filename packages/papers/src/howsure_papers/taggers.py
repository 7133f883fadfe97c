"""Taggers with settings chosen on development sentences, and their predictions for test sentences."""

from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeVar

import numpy as np

from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.result import Estimate
from howsure_papers.corpora.tagged import Corpus, Tagged
from howsure_papers.intervals import clustered_mean, random_subsamples
from howsure_papers.label_errors import select_sentences
from howsure_papers.reproduction import Advance, ignore_progress
from howsure_text.sequences.calibration_pairs import tag_pairs
from howsure_text.sequences.crf import CRFTagger
from howsure_text.sequences.hmm import HMMTagger
from howsure_text.sequences.tagger import Tagger
from howsure_text.sequences.training import INTERRUPTED

T = TypeVar("T", bound=Tagger)

PSEUDOCOUNTS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
# the ends of the grids are not better than the chosen settings
MORE_PSEUDOCOUNTS = (*PSEUDOCOUNTS, 0.001, 0.0003, 0.0001, 0.00003, 0.00001)
PENALTIES = (0.1, 0.03, 0.01, 0.003)  # c₂ of the CRF
SEARCH_PENALTY = 0.01
MIN_SENTENCES = 125  # initial number of sentences, doubled until the CRF is as accurate as the HMM
SIZES_TRIED = 5  # about
TOLERANCE = 1e-9  # tolerance of trainings; with a larger one, the chosen c₂ and verdicts depend on the processor
CHOSEN_HMM, ONE_HMM = "pseudocount chosen", "pseudocount 1"  # the first is the paper's
HMM_SUBSAMPLES = 20


@dataclass(frozen=True, slots=True)
class Kind:
    """Taggers that differ in one setting: its name, its values from the strongest to the weakest, its parameters."""

    name: str
    setting: str
    grid: Sequence[float]
    tagger: Tagger
    parameters: tuple[str, ...]

    def fits(self, train: Tagged, start: Tagger | None = None) -> Iterator[tuple[float, Tagger]]:
        """A tagger for every value of the grid, trained on these sentences. A CRF starts from the weights of the
        previous one (the first from those of `start`), so that training is faster.
        """
        tagger = copy.copy(self.tagger if start is None else start)
        for value in self.grid:
            yield value, copy.copy(fit_tagger(tagger.set_params(**dict.fromkeys(self.parameters, value)), train))


def crf_kind(name: str, features: str | Sequence[str], grid: Sequence[float]) -> Kind:
    """CRFs with L2 penalty c₂, started at their last fit and trained until the processor does not matter."""
    return Kind(name, "c₂", grid, CRFTagger(features=features, warm_start=True, tolerance=TOLERANCE), ("c2",))


def hmm_kind(name: str, unknown: str, grid: Sequence[float]) -> Kind:
    """HMMs with the same pseudocount for every transition and word."""
    parameters = ("pseudocount_transition", "pseudocount_emission")
    return Kind(name, "pseudocount", grid, HMMTagger(unknown=unknown), parameters)


CHOSEN = hmm_kind("HMM", "uniform", PSEUDOCOUNTS)
HMMS = {CHOSEN_HMM: hmm_kind("HMM", "uniform", MORE_PSEUDOCOUNTS), ONE_HMM: hmm_kind("HMM", "uniform", (1.0,))}
SEARCH, BASIC = (crf_kind("CRF-Basic", "basic", grid) for grid in ((SEARCH_PENALTY,), PENALTIES))


@dataclass(frozen=True, slots=True)
class Judged:
    """The predictions of a tagger for some sentences: the calibration pairs of all tags, and whether each token's tag
    is right.

    right: whether the tags of the most probable sequence are right. surest: the probability of each token's most
    probable tag. hits: whether this tag is right. sentences: the sentence of each token.
    """

    pairs: Pairs
    right: Floats
    surest: Floats = field(repr=False)
    hits: Floats = field(repr=False)
    sentences: Integers = field(repr=False)

    @property
    def accuracy(self) -> Estimate:
        """The proportion of tokens with the right tag."""
        return clustered_mean(self.right, self.sentences)

    @property
    def gold_loss(self) -> float:
        """The mean of -log P(gold tag)."""
        label_probabilities = self.pairs.probabilities[self.pairs.labels == 1]
        return math.inf if not label_probabilities.all() else -float(np.log(label_probabilities).mean())

    def of(self, tag: str) -> Pairs:
        assert self.pairs.groups is not None
        of_tag = self.pairs.select(self.pairs.groups == self.pairs.group_names.index(tag))
        return replace(of_tag, reduction=None, positive=tag)

    def select(self, sentences: Integers) -> Judged:
        """The same for some of the sentences."""
        rows = np.isin(self.sentences, sentences)
        right, surest, hits = (array[rows] for array in (self.right, self.surest, self.hits))
        numbers: Integers = np.unique(self.sentences[rows], return_inverse=True)[1]
        return Judged(select_sentences(self.pairs, sentences), right, surest, hits, numbers)


def judge(tagger: Tagger, part: Tagged, labels: Sequence[str]) -> Judged:
    """The predictions of a tagger for sentences; tokens with tags unseen in training have no known tag."""
    marginals = tag_marginals(tagger, part.sentences, labels)
    gold = list(chain.from_iterable(part.tags))
    best = chain.from_iterable(tagger.predict(part.sentences))
    matrix = np.concatenate(marginals)
    top = matrix.argmax(axis=1)
    return Judged(
        tag_pairs(marginals, part.tags, labels=labels, unknown_tags="keep"),
        np.array([p == g for p, g in zip(best, gold, strict=True)], dtype=np.float64),
        matrix[np.arange(len(matrix)), top],
        np.array([labels[i] == g for i, g in zip(top.tolist(), gold, strict=True)], dtype=np.float64),
        np.repeat(np.arange(len(part)), [len(tags) for tags in part.tags]),
    )


@dataclass(frozen=True, slots=True)
class Choice:
    """A tagger chosen on the development sentences.

    setting: its pseudocount or c₂. sentences: the number of training sentences. accuracy: the accuracy on the
    development sentences.
    """

    setting: float
    sentences: int
    accuracy: float
    tagger: Tagger


@dataclass(frozen=True, slots=True)
class Rivals:
    """An HMM and a CRF of equal accuracy on the development sentences.

    tried: the CRFs for every number of sentences that was tried. hmm_halves, crf_halves: the HMM and the CRF fitted to
    halves of their own training sentences, with the setting that was chosen on all of them.
    """

    name: str
    hmm: Choice
    crf: Choice
    tried: tuple[Choice, ...]
    hmm_halves: tuple[Tagger, ...]
    crf_halves: tuple[Tagger, ...]


def train_rivals(corpus: Corpus, *, name: str, seed: int, crf_subsamples: int, advance: Advance) -> Rivals:
    """An HMM (one of `HMMS`) that is trained on all sentences, and a CRF-Basic that is as accurate."""
    order = np.random.default_rng([seed, 0]).permutation(len(corpus.train))
    hmm = choose(HMMS[name], corpus.train.select(order), corpus.dev)
    crf, tried = match_crf(corpus, hmm.accuracy, order, advance)
    halves: list[tuple[Tagger, ...]] = []
    for choice, times, stream in ((hmm, HMM_SUBSAMPLES, 1), (crf, crf_subsamples, 4)):
        training_rows = order[: choice.sentences]
        subsamples = random_subsamples(len(training_rows), times=times, rng=np.random.default_rng([seed, stream]))
        halves.append(tuple(refit(choice.tagger, corpus.train.select(training_rows[rows])) for rows in subsamples))
        advance(times)
    return Rivals(name, hmm, crf, tried, *halves)


def choose(
    kind: Kind, train: Tagged, dev: Tagged, advance: Advance = ignore_progress, start: Tagger | None = None
) -> Choice:
    """Fit taggers with several settings, and return the one that is most accurate on the development sentences."""
    choices = []
    for value, tagger in kind.fits(train, start):
        choices.append(Choice(value, len(train), tagger.score(dev.sentences, dev.tags), tagger))
        advance(1)
    return max(choices, key=lambda choice: choice.accuracy)


def match_crf(corpus: Corpus, target: float, order: Integers, advance: Advance) -> tuple[Choice, tuple[Choice, ...]]:
    """A CRF-Basic whose accuracy on the development sentences is close to the target, and all CRFs that were tried.

    It is trained on the first n sentences of a random `order`. At first, n is doubled, with a fixed penalty, until the
    accuracy reaches the target or all sentences are used. If the accuracy exceeds the target, log n is interpolated
    linearly between the last two sizes. Finally, the penalty that is best on the development sentences is chosen for n.
    """
    tried: list[Choice] = []
    size = min(MIN_SENTENCES, len(order))
    while True:
        start = tried[-1].tagger if tried else None
        tried.append(choose(SEARCH, corpus.train.select(order[:size]), corpus.dev, advance, start))
        if tried[-1].accuracy >= target or size == len(order):
            break
        size = min(2 * size, len(order))
    if len(tried) > 1 and tried[-1].accuracy > target:
        low, high = tried[-2:]
        part = (target - low.accuracy) / (high.accuracy - low.accuracy)
        size = round(low.sentences * (high.sentences / low.sentences) ** part)
    best = choose(BASIC, corpus.train.select(order[:size]), corpus.dev, advance, tried[-1].tagger)
    return best, (*tried, best)


def fit_tagger(tagger: T, train: Tagged) -> T:
    """The tagger, trained on these sentences; an interrupt ends the whole experiment, not only this training."""
    tagger.fit(train.sentences, train.tags)
    if isinstance(tagger, CRFTagger) and tagger.stopped_ == INTERRUPTED:
        raise KeyboardInterrupt
    return tagger


def fit_hmm(train: Tagged, pseudocount: float) -> HMMTagger:
    """An HMM with one pseudocount for every transition and word, which emits an unseen word with 1 / (n + 1)."""
    tagger = HMMTagger(pseudocount_transition=pseudocount, pseudocount_emission=pseudocount, unknown="uniform")
    return fit_tagger(tagger, train)


def refit(tagger: Tagger, train: Tagged) -> Tagger:
    """A tagger with the same settings, trained on other sentences."""
    return fit_tagger(copy.copy(tagger), train)


def tag_marginals(tagger: Tagger, sentences: Sequence[Sequence[str]], labels: Sequence[str]) -> list[Floats]:
    """P(tag of each token) for all `labels`; tags that do not occur in training have probability 0."""
    return [_spread(marginal, tagger.labels_, labels) for marginal in tagger.posterior(sentences).marginals()]


def transition_marginals(
    tagger: Tagger, sentences: Sequence[Sequence[str]], pairs: Sequence[tuple[str, str]]
) -> list[Floats]:
    """P(tags of two consecutive tokens) for the `pairs`; pairs with an unknown tag have probability 0."""
    known_pairs = [pair for pair in pairs if set(pair) <= set(tagger.labels_)]
    marginals = tagger.posterior(sentences).pair_marginals(known_pairs)
    return [_spread(of_sentence, known_pairs, pairs) for of_sentence in marginals]


def _spread(values: Floats, names: Sequence[Hashable], all_names: Sequence[Hashable]) -> Floats:
    """The columns of `values` at the positions of their names in `all_names`."""
    spread = np.zeros((len(values), len(all_names)))
    place = {name: i for i, name in enumerate(all_names)}
    spread[:, [place[name] for name in names]] = values
    return spread
