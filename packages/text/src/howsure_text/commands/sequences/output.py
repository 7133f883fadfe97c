"""The output of `howsure sequences`: a trained model, tagged sentences, and the names of written files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.data.documents.conllu import TAG, UNIVERSAL_TAG, Tagging, tagged_conllu
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure_text.commands.sequences.input import Corpus, Tags, tag_layer
from howsure_text.sequences.calibration_pairs import tag_pairs, transition_pairs
from howsure_text.sequences.comparison import known_transitions
from howsure_text.sequences.sentences import count_unknown
from howsure_text.sequences.tag_posterior import TagPosterior
from howsure_text.sequences.tagger import Tagger

ATTRIBUTES = PROBABILITY, TOP = "P", "Top"
COLUMNS = {"tags": TAG, "universal_tags": UNIVERSAL_TAG}


def training_text(
    tagger: Tagger, train: Corpus, tags: Tags, path: str, dev: Corpus | None, dev_tags: Tags | None
) -> str:
    """Return a summary of the model, its training, and its accuracy on the development sentences."""
    rows = {"model": repr(tagger), "trained on": f"{train.name}: {_sizes(tags)}, {counted(len(tagger.labels_), 'tag')}"}
    if layout := next((document.metadata.get("columns") for document in train.documents), None):
        rows["read as"] = layout
    values = getattr(tagger, "values_", None)
    if values:
        ended = {"max_iterations": "stopped at the largest number allowed"}.get(tagger.stopped_, tagger.stopped_)  # type: ignore[attr-defined]
        rows["training"] = f"{counted(len(values), 'iteration')}, {ended}; objective {values[-1]:,.4f}"
    if dev is not None and dev_tags is not None:
        right = {how: tagger.score(dev.words, dev_tags, decoding=how) for how in ("viterbi", "posterior")}
        rows["judged on"] = f"{dev.name}: {_sizes(dev_tags)}{_unknown(dev_tags, tagger)}"
        rows["accuracy"] = f"{right['viterbi']:.4f} (most probable sequence), {right['posterior']:.4f} (word by word)"
    rows["written to"] = path
    width = max(map(len, rows))
    return "".join(f"{name:<{width}}  {text}\n" for name, text in rows.items())


def posterior_pairs(
    posterior: TagPosterior, gold: Tags, *, tags: Sequence[str], n_transitions: int | None, unknown_tags: str
) -> tuple[Pairs, Integers]:
    """Return calibration pairs, and the index of each pair's (first) token in its sentence.

    The pairs are those of `tags` (all tags if it is empty) or, with `n_transitions`, of the most frequent pairs of
    consecutive tags. Sentences, which are the clusters, and tokens are counted from 1.
    """
    if n_transitions is None:
        distinct_tags = tuple(dict.fromkeys(tags)) or None
        pairs, shorter = tag_pairs(posterior, gold, tag=distinct_tags, unknown_tags=unknown_tags), 0
    else:
        steps = known_transitions(posterior, gold, n_transitions)
        pairs, shorter = transition_pairs(posterior, gold, pairs=steps, unknown_tags=unknown_tags), 1
    assert pairs.clusters is not None
    tokens = np.concatenate([np.arange(1, max(len(sentence) - shorter, 0) + 1) for sentence in gold])
    return replace(pairs, clusters=pairs.clusters + 1), np.tile(tokens, len(pairs.group_names))


def pairs_text(pairs: Pairs, name: str, path: str) -> str:
    """Return lines on the file that was written, and on the command that evaluates it."""
    assert pairs.clusters is not None
    sentences = len(np.unique(pairs.clusters))
    return (
        f"{path}: {counted(len(pairs), 'pair')} of {counted(len(pairs.group_names), 'tag')}, "
        f"{counted(sentences, 'sentence')} of {name}\n"
        f"evaluate them: howsure calibration {path} --target label --prob probability --group tag --cluster sentence\n"
    )


def sample_columns(corpus: Corpus, draws: Sequence[Integers], labels: Sequence[str]) -> dict[str, list[Any]]:
    """Return columns with a row for each sample and token; draws: the tags of each sentence, (samples, T)."""
    columns: dict[str, list[Any]] = {name: [] for name in ("sample", "sentence", "token", "word", "tag")}
    for sentence, (words, tags) in enumerate(zip(corpus.words, draws, strict=True), 1):
        for sample, sequence in enumerate(tags.tolist(), 1):
            columns["sample"] += [sample] * len(words)
            columns["sentence"] += [sentence] * len(words)
            columns["token"] += range(1, len(words) + 1)
            columns["word"] += words
            columns["tag"] += [labels[tag] for tag in sequence]
    return columns


def tagged_text(corpus: Corpus, posterior: TagPosterior, *, column: str | int, method: str, top: int | None) -> str:
    """Return CoNLL-U with the tag of each word and its probability."""
    marginals = posterior.marginals()
    chosen = posterior.viterbi() if method == "viterbi" else posterior.posterior_decode()
    taggings = ([_tagging(posterior, m, tags, top)] for m, tags in zip(marginals, chosen, strict=True))
    return tagged_conllu(corpus.conllu, taggings, column=COLUMNS[tag_layer(column)], replaced=ATTRIBUTES)


def without_mentions_text(corpus: Corpus) -> str:
    """Return a line on the documents that are written without mentions: how many, an example, and why."""
    broken, documents = corpus.without_mentions, counted(len(corpus.documents), "document")
    first = shortened((broken_document.name for broken_document in broken), limit=5)
    return (
        f"howsure: {len(broken):,} of {documents} have broken brackets and are written without Entity=: {first}. "
        f"{broken[0].fault}"
    )


def k_best_text(corpus: Corpus, posterior: TagPosterior, *, column: str | int, k: int, top: int | None) -> str:
    """Return CoNLL-U in which each sentence occurs once for each of its k most probable tag sequences."""
    taggings = (
        [
            _tagging(posterior, m, tags, top, {"rank": f"{rank}", "probability": number(math.exp(log_prob))})
            for rank, (tags, log_prob) in enumerate(zip(*best, strict=True), start=1)
        ]
        for m, best in zip(posterior.marginals(), posterior.k_best(k), strict=True)
    )
    return tagged_conllu(corpus.conllu, taggings, column=COLUMNS[tag_layer(column)], replaced=ATTRIBUTES)


def _tagging(
    posterior: TagPosterior,
    marginals: Floats,
    tags: Integers,
    top: int | None,
    comments: Mapping[str, str] | None = None,
) -> Tagging:
    probabilities = marginals[np.arange(len(tags)), np.asarray(tags)].tolist()
    attributes = {PROBABILITY: [number(p) for p in probabilities]}
    if top is not None:
        attributes[TOP] = _most_probable(marginals, posterior.labels or (), top)
    return Tagging(posterior.names(tags), attributes, comments or {})


def number(probability: float) -> str:
    """Format a probability with six digits; "1" only if it is exactly 1.

    >>> number(0.25), number(1 - 1e-9), number(1.0), number(3e-7)
    ('0.25', '0.999999', '1', '3e-07')
    """
    shown = f"{probability:.6g}"
    return "0.999999" if shown == "1" and probability < 1.0 else shown


def _most_probable(marginals: Floats, labels: Sequence[str], n: int) -> list[str]:
    """Return the n most probable tags of each word, such as `NN:0.9,VB:0.08`."""
    order = np.argsort(-marginals, axis=1, kind="stable")[:, :n]
    return [
        ",".join(f"{_escaped(labels[k])}:{number(float(row[k]))}" for k in columns.tolist())
        for row, columns in zip(marginals, order, strict=True)
    ]


def _escaped(label: str) -> str:
    """Escape a tag for MISC, in which a bar ends an attribute."""
    return label.replace("|", "%7C")


def _sizes(tags: Tags) -> str:
    return f"{counted(len(tags), 'sentence')}, {counted(sum(map(len, tags)), 'token')}"


def _unknown(tags: Tags, tagger: Tagger) -> str:
    unknown = count_unknown(tags, tagger.labels_)
    return f", {unknown.total():,} of them with tags unknown to the model" if unknown else ""
