"""What `howsure sequences` shows: a trained model, tagged sentences, and what was written."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from howsure.cli.sequences_input import Corpus, Tags
from howsure.data import write_conllu
from howsure.data.documents import Document, Sentence
from howsure.sequences.pairs import count_unknown
from howsure.sequences.posterior import TagPosterior
from howsure.sequences.tagger import Tagger
from howsure.stats.pairs import Floats, Integers, Pairs

PROBABILITY, TOP = "P", "Top"
Attributes = Mapping[str, Sequence[Sequence[str]]]


def training_text(
    tagger: Tagger, train: Corpus, tags: Tags, path: str, dev: Corpus | None, dev_tags: Tags | None
) -> str:
    """The model, what it was trained on, how training ended, and its accuracy on the development sentences."""
    rows = {"model": repr(tagger), "trained on": f"{train.name}: {_sizes(tags)}, {len(tagger.labels_):,} tags"}
    values = getattr(tagger, "values_", None)
    if values:
        ended = {"max_iterations": "stopped at the most allowed"}.get(tagger.stopped_, tagger.stopped_)  # type: ignore[attr-defined]
        rows["training"] = f"{len(values):,} iterations, {ended}; objective {values[-1]:,.4f}"
    if dev is not None and dev_tags is not None:
        right = {how: tagger.score(dev.words, dev_tags, decoding=how) for how in ("viterbi", "posterior")}
        rows["judged on"] = f"{dev.name}: {_sizes(dev_tags)}{_unknown(dev_tags, tagger)}"
        rows["accuracy"] = f"{right['viterbi']:.4f} (most probable sequence), {right['posterior']:.4f} (word by word)"
    rows["written to"] = path
    width = max(map(len, rows))
    return "".join(f"{name:<{width}}  {text}\n" for name, text in rows.items())


def pairs_text(pairs: Pairs, name: str, path: str) -> str:
    """What was written, and the command that judges it."""
    assert pairs.clusters is not None
    sentences = len(np.unique(pairs.clusters))
    asked = f"{len(pairs.group_names):,} tag{'s' * (len(pairs.group_names) != 1)}"
    return (
        f"{path}: {len(pairs):,} pairs of {asked}, {sentences:,} sentences of {name}\n"
        f"judge them: howsure calibration {path} --label label --prob probability --group tag --cluster sentence\n"
    )


def tagged_conllu(
    documents: Sequence[Document], posterior: TagPosterior, *, layer: str, method: str, top: int | None
) -> str:
    """CoNLL-U with each word's tag in a layer, and the tag's probability."""
    marginals = posterior.marginals()
    chosen = posterior.viterbi() if method == "viterbi" else posterior.posterior_decode()
    attributes = {PROBABILITY: [_of_chosen(m, tags) for m, tags in zip(marginals, chosen, strict=True)]}
    if top is not None:
        attributes[TOP] = [_most_probable(m, posterior.labels or (), top) for m in marginals]
    names = iter(posterior.names(chosen))
    tagged = [
        replace(one, sentences=tuple(_with_tags(sentence, layer, next(names)) for sentence in one.sentences))
        for one in documents
    ]
    return conllu_text(tagged, attributes)


def k_best_conllu(
    documents: Sequence[Document], posterior: TagPosterior, *, layer: str, k: int, top: int | None
) -> str:
    """CoNLL-U in which every sentence stands once for each of its k most probable tag sequences."""
    marginals = posterior.marginals()
    best = posterior.k_best(k)
    attributes: dict[str, list[list[str]]] = {PROBABILITY: [], **({} if top is None else {TOP: []})}
    ranked, i = [], 0
    for document in documents:
        sentences = []
        for sentence in document.sentences:
            for rank, (tags, log_prob) in enumerate(zip(*best[i], strict=True), start=1):
                attributes[PROBABILITY].append(_of_chosen(marginals[i], tags))
                if top is not None:
                    attributes[TOP].append(_most_probable(marginals[i], posterior.labels or (), top))
                said = {**sentence.metadata, "rank": f"{rank}", "probability": number(math.exp(log_prob))}
                tagged = _with_tags(sentence, layer, posterior.names([tags])[0])
                sentences.append(replace(tagged, metadata=said))
            i += 1
        ranked.append(replace(document, sentences=tuple(sentences), mentions=None))
    return conllu_text(ranked, attributes)


def _with_tags(sentence: Sentence, layer: str, tags: Sequence[str]) -> Sentence:
    """The sentence with its tags in the layer `tags` (XPOS) or `universal_tags` (UPOS)."""
    return replace(sentence, tags=tuple(tags)) if layer == "tags" else replace(sentence, universal_tags=tuple(tags))


def conllu_text(documents: Sequence[Document], attributes: Attributes) -> str:
    """What `write_conllu` writes."""
    with tempfile.TemporaryDirectory(prefix="howsure-") as folder:
        path = Path(folder) / "tagged.conllu"
        write_conllu(documents, path, attributes=attributes)
        return path.read_text(encoding="utf-8")


def number(probability: float) -> str:
    """A probability with six digits; 1 only if it is so.

    >>> number(0.25), number(1 - 1e-9), number(1.0), number(3e-7)
    ('0.25', '0.999999', '1', '3e-07')
    """
    shown = f"{probability:.6g}"
    return "0.999999" if shown == "1" and probability < 1.0 else shown


def _of_chosen(marginals: Floats, tags: Integers) -> list[str]:
    return [number(p) for p in marginals[np.arange(len(tags)), np.asarray(tags)].tolist()]


def _most_probable(marginals: Floats, labels: Sequence[str], n: int) -> list[str]:
    """`NN:0.9,VB:0.08` of each word."""
    order = np.argsort(-marginals, axis=1, kind="stable")[:, :n]
    return [
        ",".join(f"{_escaped(labels[k])}:{number(float(row[k]))}" for k in columns.tolist())
        for row, columns in zip(marginals, order, strict=True)
    ]


def _escaped(label: str) -> str:
    """A tag as it stands in MISC, where a bar ends an attribute."""
    return label.replace("|", "%7C")


def _sizes(tags: Tags) -> str:
    return f"{len(tags):,} sentences, {sum(map(len, tags)):,} tokens"


def _unknown(tags: Tags, tagger: Tagger) -> str:
    unknown = count_unknown(tags, tagger.labels_)
    return f", {unknown.total():,} of them with tags unknown to the model" if unknown else ""
