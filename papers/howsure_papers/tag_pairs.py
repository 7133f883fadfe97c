"""Figure 4 (b) of Nguyen & O'Connor (2015): HMM and CRF on the tags of two consecutive words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from howsure.sequences.calibration_pairs import Transition, frequent_transitions, transition_pairs
from howsure.sequences.tagger import Tagger
from howsure_papers.contests import (
    BIN_SIZE,
    Question,
    bin_sizes_table,
    by_corpus,
    drawings_of_labels,
    findings_by_label,
    hold_all,
    labels_table,
    models_table,
    notes_on_models,
    quantities_table,
    recipe_of,
    steps_of_contests,
)
from howsure_papers.corpora.tagged import Corpus, read_ewt, read_wsj
from howsure_papers.reproduction import Advance, Found, experiment, nobody
from howsure_papers.taggers import Judged, judge, transition_marginals_of

TITLE = "HMM and CRF on the tags of two consecutive words (Nguyen & O'Connor 2015, Figure 4 (b))"
FEW, MANY = 5, 100


@experiment(TITLE, steps=steps_of_contests)
def reproduce_tag_pairs(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = nobody
) -> Found:
    """Run Figure 4 (b) again: the models of Figure 4 (a) on the 100 most frequent pairs of consecutive tags.

    On the Wall Street Journal sample and on EWT. `limit`: use only the first sentences of each part. `advance` is told
    of every model and every subsample.

    Raises InputError if the folders `wsj_sample` and `ud_english_ewt` are not found in `data`.
    """
    corpora = [read(data, limit) for read in (read_wsj, read_ewt)]
    outcomes = hold_all(corpora, about_pairs, seed=seed, advance=advance)
    shown = (
        "the most frequent tag pairs with its 95 % interval over test data; on the right, the root mean square over "
        f"the {FEW} and the {MANY} most frequent"
    )
    of_corpora = by_corpus(outcomes)
    return Found(
        findings=[finding for one in outcomes for finding in findings_by_label(one)],
        tables=[
            models_table(outcomes),
            *map(quantities_table, of_corpora),
            bin_sizes_table(outcomes),
            *map(labels_table, of_corpora),
        ],
        drawings=drawings_of_labels(outcomes, shown),
        notes=[
            *notes_on_models(corpora),
            f"The questions are the {MANY} pairs of consecutive tags that are most frequent in the training sentences, "
            "each at every position in the test sentences, in bins of n^(2/3) / 2 positions; all of them together, in "
            f"bins of {BIN_SIZE:,}, are the CalibErr of the tables. The average over tag pairs is the root of the mean "
            "debiased squared error.",
        ],
        recipe=recipe_of(corpora, seed, **{"tag pairs": MANY}),
    )


def about_pairs(corpus: Corpus) -> Question:
    """Which tags do two consecutive tokens have? Asked of the tag pairs most frequent in the training sentences."""
    wanted = frequent_transitions(corpus.train.tags, MANY)
    counts = Counter(" ".join(step) for tags in corpus.test.tags for step in pairwise(tags))
    order = np.arange(len(wanted))
    answer = partial(judge_pairs, corpus=corpus, wanted=wanted)
    return Question("tag pairs", "4 (b)", "71 of 100", answer, counts, order, FEW, MANY)


def judge_pairs(tagger: Tagger, corpus: Corpus, wanted: Sequence[Transition]) -> Judged:
    """What a tagger says of the tag pairs of the test sentences."""
    test = corpus.test
    marginals = transition_marginals_of(tagger, test.sentences, wanted)
    return replace(judge(tagger, test, corpus.labels), pairs=transition_pairs(marginals, test.tags, pairs=wanted))
