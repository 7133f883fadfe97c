"""Figure 4 (b) of Nguyen & O'Connor (2015): HMM and CRF on the tags of two consecutive words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from howsure import __version__
from howsure.sequences.calibration_pairs import Transition, frequent_transitions, transition_pairs
from howsure.sequences.tagger import Tagger
from howsure_papers.replicates import SUBSAMPLES
from howsure_papers.reproduction import Advance, Reproduction, nobody
from howsure_papers.tagging.contest import (
    BIN_SIZE,
    Judged,
    Outcome,
    Question,
    hold_all,
    judge,
    steps_of_contests,
)
from howsure_papers.tagging.corpora import Corpus, read_ewt, read_wsj
from howsure_papers.tagging.models import PENALTIES, PSEUDOCOUNTS, transition_marginals_of
from howsure_papers.tagging.results import (
    bin_sizes_table,
    figure_4,
    figure_name,
    findings_by_label,
    labels_table,
    models_table,
    notes_on_models,
    quantities_table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW, MANY = 5, 100


def reproduce_tag_pairs(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = nobody
) -> Reproduction:
    """Run Figure 4 (b) again: the models of Figure 4 (a) on the 100 most frequent pairs of consecutive tags.

    On the Wall Street Journal sample and on EWT. `limit`: use only the first sentences of each part. `advance` is told
    of every model and every subsample; there are about `steps_of_tag_pairs()`.

    Raises InputError if the folders `wsj_sample` and `ud_english_ewt` are not found in `data`.
    """
    corpora = [read(data, limit) for read in (read_wsj, read_ewt)]
    held = hold_all(corpora, about_pairs, seed=seed, advance=advance)

    def draw() -> dict[str, Figure]:
        return {
            figure_name("4b", corpus, outcome): figure_4(outcome) for corpus, outcomes in held for outcome in outcomes
        }

    found = [
        finding
        for corpus, outcomes in held
        for outcome in outcomes
        for finding in findings_by_label("4 (b)", f"{corpus.name}, {outcome.rivals.name}", outcome, paper="71 of 100")
    ]
    tables = (
        models_table(held),
        *(quantities_table(corpus, outcomes) for corpus, outcomes in held),
        bin_sizes_table(held),
        *(labels_table(f"Figure 4 (b): errors by tag pair, {corpus.name}", outcomes) for corpus, outcomes in held),
    )
    recipe = {
        "howsure": __version__, "data": "wsj_sample, ud_english_ewt",
        "sentences": [list(corpus.sizes) for corpus in corpora], "tag pairs": MANY,
        "pseudocounts": list(PSEUDOCOUNTS), "c2": list(PENALTIES), "subsamples": SUBSAMPLES, "seed": seed,
    }  # fmt: skip
    title = "HMM and CRF on the tags of two consecutive words (Nguyen & O'Connor 2015, Figure 4 (b))"
    return Reproduction(
        "tag-pairs", title, tuple(found), tables, recipe, draw, (*notes_on_models(corpora), *NOTES), captions(held)
    )


def steps_of_tag_pairs() -> int:
    """About how often `advance` is called."""
    return steps_of_contests()


def about_pairs(corpus: Corpus) -> Question:
    """Which tags do two consecutive tokens have? Asked of the tag pairs most frequent in the training sentences."""
    wanted = frequent_transitions(corpus.train.tags, MANY)
    counts = Counter(" ".join(step) for tags in corpus.test.tags for step in pairwise(tags))
    return Question(
        "tag pairs", lambda tagger: judge_pairs(tagger, corpus, wanted), counts, np.arange(len(wanted)), FEW, MANY
    )


def judge_pairs(tagger: Tagger, corpus: Corpus, wanted: Sequence[Transition]) -> Judged:
    """What a tagger says of the tag pairs of the test sentences."""
    test = corpus.test
    marginals = transition_marginals_of(tagger, test.sentences, wanted)
    return replace(judge(tagger, test, corpus.labels), pairs=transition_pairs(marginals, test.tags, pairs=wanted))


NOTES = (
    f"The questions are the {MANY} pairs of consecutive tags that are most frequent in the training sentences, each "
    "at every position in the test sentences, in bins of n^(2/3) / 2 positions; all of them together, in bins of "
    f"{BIN_SIZE:,}, are the CalibErr of the tables. The average over tag pairs is the root of the mean debiased "
    "squared error.",
)


def captions(held: Sequence[tuple[Corpus, Sequence[Outcome]]]) -> dict[str, str]:
    """What the figures show."""
    return {
        figure_name("4b", corpus, outcome): (
            f"Figure 4 (b) on {corpus.name}: debiased calibration error of the most frequent tag pairs with its 95 % "
            f"interval over test data; on the right, the root mean square over the {FEW} and the {MANY} most frequent. "
            f"HMM with {outcome.rivals.name}."
        )
        for corpus, outcomes in held
        for outcome in outcomes
    }
