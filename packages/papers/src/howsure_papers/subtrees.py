"""Subtrees of a parse (Nguyen's thesis, section 3.4): phrase probabilities from a grammar of dependents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from howsure.calibration.curve import binned_curve
from howsure.calibration.results import CalibrationCurve
from howsure.data.documents.read_documents import first_documents
from howsure.figures.calibration import curve_figure
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.show.table import COUNT, ESTIMATE, Column, digits
from howsure_cli.datasets import find_data_set
from howsure_papers.dependency_grammar import Grammar, Tree, count_events, subtree_posterior, yields
from howsure_papers.intervals import estimate_text, jackknife_estimate, opposite, verdict
from howsure_papers.label_errors import label_errors
from howsure_papers.reproduction import (
    NAME,
    Advance,
    Drawing,
    ExperimentResult,
    Finding,
    experiment,
    ignore_progress,
    numbers,
)
from howsure_papers.tweets import compare_on_tokens

TITLE = "Subtrees of a parse (Nguyen's thesis, section 3.4)"
EWT = "ud_english_ewt"
MAX_WORDS = 20  # maximum number of words of a test sentence
BIN_SIZE = 500
PSEUDOCOUNTS = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
SMALL = 0.01  # the paper's calibration error for pairs of mentions
PLAIN, VALENCE = "without valence", "with valence"
ANY, NOUN, VERB, ADJECTIVE = "any phrase", "noun phrase", "verb phrase", "adjective phrase"
# first letters of the tags of their heads
HEADS: dict[str, tuple[str, ...]] = {ANY: ("",), NOUN: ("NN", "PRP"), VERB: ("VB", "MD"), ADJECTIVE: ("JJ",)}


@experiment(TITLE, steps=lambda: 2 * MAX_WORDS)
def reproduce_subtrees(
    *, data: str | None = None, limit: int | None = None, advance: Advance = ignore_progress
) -> ExperimentResult:
    """Evaluate the probability that a span of at least two words, except the whole sentence, is a subtree of the parse,
    also by whether its head is a noun, a verb or an adjective.

    `limit`: only the first sentences of each part. `advance` is called after every grammar and length of sentence.
    """
    tags, (train, dev, test) = read_trees(data, limit)
    short = [sentence for sentence in test if len(sentence[0]) <= MAX_WORDS]
    counts, held_out = count_events(train, len(tags)), count_events(dev, len(tags))
    likelihood = {
        pseudocount: (counts + pseudocount).probabilities().log_likelihood(held_out) for pseudocount in PSEUDOCOUNTS
    }
    chosen = max(PSEUDOCOUNTS, key=lambda pseudocount: likelihood[pseudocount])
    pairs_by_name = {
        name: queries((counts + chosen).probabilities(valence=name == VALENCE), tags, short, advance)
        for name in (PLAIN, VALENCE)
    }
    curves = {
        (name, kind): binned_curve(of_kind, bin_size=BIN_SIZE, name=kind)
        for name, pairs in pairs_by_name.items()
        for kind, of_kind in pairs.by_group()
    }
    projective = np.mean([subtree_indicators(heads).sum() == len(heads) for _, heads in short])
    return ExperimentResult(
        findings=findings(pairs_by_name, curves),
        tables=[
            numbers(
                f"Spans of the test sentences that are subtrees, bins of {BIN_SIZE:,}",
                curves,
                Column("grammar", NAME, get=lambda row: row[0]),
                Column("asked for", NAME, get=lambda row: row[1]),
                Column("spans", COUNT, get=lambda row: curves[row].n),
                Column("of them right", digits(4), get=lambda row: curves[row].base_rate),
                Column("CalibErr", ESTIMATE, get=lambda row: curves[row].error),
                Column("Brier score", digits(5), get=lambda row: curves[row].brier.score),
                Column("refinement", digits(5), get=lambda row: curves[row].brier.refinement),
            )
        ],
        drawings=[
            Drawing(
                "subtrees",
                f"Probabilities of phrases from the grammar {VALENCE}, and how often the parse has them.",
                lambda: curve_figure([curves[VALENCE, kind] for kind in HEADS], panels=True),
            )
        ],
        notes=[
            "The thesis names the question but does not study it. Its phrases are constituents; no available treebank "
            "has any, so these are subtrees of dependencies: a word with all that depends on it. By Universal "
            "Dependencies a noun is the head of its preposition, and a predicate that of its copula.",
            "The grammar makes a tree from tags alone, by relative frequency: a head has dependents one by one on each "
            "side, and the tag of each depends on the side and the tag of the head. With valence, whether another one "
            "comes depends on whether there is one already. Its pseudocount, chosen on the development trees, is "
            f"{chosen:g}. Posteriors are exact, over all projective trees.",
            f"Learnt from {len(train):,} trees; asked of the {len(short):,} of {len(test):,} test sentences that have "
            f"at most {MAX_WORDS} words, of which {projective:.1%} are projective. Intervals are over test sentences.",
        ],
        recipe={"data": EWT, "trees": [len(train), len(dev), len(short)], "longest": MAX_WORDS, "bin_size": BIN_SIZE},
    )


def read_trees(data: str | None, limit: int | None) -> tuple[list[str], list[list[Tree]]]:
    """The tags of the training sentences, and the trees of each part; a sentence with another tag is left out."""
    folder = find_data_set(EWT, data=data)
    parts = [
        [sentence for document in first_documents(path, limit) for sentence in document.sentences][:limit]
        for path in (folder / f"en_ewt-ud-{part}.conllu.gz" for part in ("train", "dev", "test"))
    ]
    tags = sorted({tag for sentence in parts[0] for tag in sentence.tags or ()})
    codes = {tag: code for code, tag in enumerate(tags)}
    return tags, [
        [
            (np.array([codes[tag] for tag in sentence.tags or ()]), np.array(sentence.heads))
            for sentence in part
            if set(sentence.tags or ()) <= codes.keys()
        ]
        for part in parts
    ]


def queries(grammar: Grammar, tags: Sequence[str], trees: Sequence[Tree], advance: Advance = ignore_progress) -> Pairs:
    """Return the probability of each span of the sentences according to a grammar, and whether the gold tree has it.

    The groups of the pairs are the kinds of phrases.
    """
    headed = np.array([[tag.startswith(beginnings) for tag in tags] for beginnings in HEADS.values()], dtype=float)
    posteriors, true, clusters = list[Floats](), list[Floats](), list[Integers]()
    for n in range(1, MAX_WORDS + 1):
        sentences = np.array([i for i, (codes, _) in enumerate(trees) if len(codes) == n], dtype=np.int64)
        first, last = np.triu_indices(n, 1)
        is_queried = (first > 0) | (last < n - 1)
        if len(sentences) and is_queried.any():
            codes = np.stack([trees[i][0] for i in sentences])
            gold = np.stack([subtree_indicators(trees[i][1]) for i in sentences])
            for kept, posterior in ((posteriors, subtree_posterior(grammar, codes)), (true, gold)):
                of_kinds = np.einsum("ksh,shij->ksij", headed[:, codes], posterior)
                kept.append(of_kinds[:, :, first[is_queried], last[is_queried]].reshape(len(HEADS), -1))
            clusters.append(np.repeat(sentences, is_queried.sum()))
        advance(1)
    spans = np.concatenate(clusters)
    return Pairs(
        np.concatenate(true, axis=1).ravel().astype(np.uint8),
        np.concatenate(posteriors, axis=1).ravel().clip(0.0, 1.0),
        groups=np.repeat(np.arange(len(HEADS)), len(spans)),
        group_names=tuple(HEADS),
        clusters=np.tile(np.unique(spans, return_inverse=True)[1], len(HEADS)),
    )


def subtree_indicators(heads: Integers) -> Floats:
    """Return an array (words, words, words) with 1 at [h, i, j] if words i to j are the subtree of word h, else 0."""
    subtrees = np.zeros((len(heads),) * 3)
    for head, words in enumerate(yields(heads)):
        if words[-1] - words[0] < len(words):
            subtrees[head, words[0], words[-1]] = 1.0
    return subtrees


def findings(pairs_by_name: Mapping[str, Pairs], curves: Mapping[tuple[str, str], CalibrationCurve]) -> list[Finding]:
    """Return whether each type of subtree is calibrated, whether all types are similar, and the effect of valence."""
    rows = []
    for kind in HEADS:
        error = curves[VALENCE, kind].error
        claim = f"the error of the probabilities of {kind.replace('any ', 'all ')}s is below {SMALL}"
        rows.append(("", claim, f"{error}", opposite(verdict(error, above=SMALL))))
    errors = label_errors(pairs_by_name[VALENCE], bin_size=BIN_SIZE)
    (noun, without_noun), (adjective, without_adjective) = (
        errors.roots(np.array([errors.names.index(kind)])) for kind in (NOUN, ADJECTIVE)
    )
    more = jackknife_estimate(noun - adjective, without_noun - without_adjective, n=1)
    claim = "calibration depends on the kind of query: that of noun phrases is another than that of adjective phrases"
    rows.append(
        (
            "section 3.4",
            claim,
            f"errors differ by {estimate_text(more, 4)}",
            True if verdict(more) is not None else None,
        )
    )
    plain, valence = (dict(pairs.by_group())[ANY] for pairs in pairs_by_name.values())
    both = compare_on_tokens(plain, valence, BIN_SIZE)
    for better, difference in (
        ("more refined predictions", both.brier_difference),
        ("better calibrated ones", both.squared_error_difference),
    ):
        what = "Brier score" if difference is both.brier_difference else "squared calibration error"
        ours = f"the {what} of all phrases falls by {estimate_text(difference)}"
        rows.append(("", f"valence gives {better}", ours, verdict(difference)))
    return [Finding(*row) for row in rows]
