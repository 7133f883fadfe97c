"""What `howsure sequences spans` reads: the logits of a token classifier, or sentences and a tagger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.cli.sequences.input import LAYERS, Tags, load_model, read_words
from howsure.data.logs.arrays import ModelArrays, label_names_of, read_model_arrays
from howsure.errors import InputError
from howsure.inputs.pairs import Integers
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.token_labels import IGNORED, gold_tags


@dataclass(frozen=True, slots=True)
class Labelled:
    """A posterior over labels, the gold labels and the words, if they are known."""

    name: str
    posterior: TagPosterior
    gold: Tags | None
    words: Tags | None = None


def from_sentences(model: str, file: str, *, column: str, form: str | None) -> Labelled:
    """The posterior of a tagger over the sentences of a file; gold is None if none of them has tags."""
    tagger = load_model(model)
    corpus = read_words(file, form=form, model=tagger)
    tagged = any(getattr(sentence, LAYERS[column]) is not None for sentence in corpus.sentences)
    words = [sentence.words for sentence in corpus.sentences]
    name, posterior = f"{model} on {corpus.name}", tagger.posterior(corpus.words)
    return Labelled(name, posterior, corpus.tags(column) if tagged else None, words)


def from_logits(path: str, *, targets: str | None, labels: str | None) -> Labelled:
    """The posterior of the logits in a file.

    Raises InputError if the labels have no names, or the arrays do not fit.
    """
    arrays = read_model_arrays(path, targets=targets)
    names = label_names_of(labels) if labels is not None else arrays.label_names
    if names is None:
        raise InputError(
            f"{path} does not name its labels; give --labels, separated by commas in the order of the logits, or the "
            "config.json of the model."
        )
    label_ids = _of_words(arrays)
    others = {"word_ids": arrays.word_ids, "mask": arrays.mask} if label_ids is None else {"label_ids": label_ids}
    counting: dict[str, Any] = next(({name: array} for name, array in others.items() if array is not None), {})
    crf: dict[str, Any] = {"transitions": arrays.transitions, "start": arrays.start, "end": arrays.end}
    posterior = TagPosterior.from_logits(arrays.logits, labels=names, **counting, **crf)
    return Labelled(path, posterior, None if label_ids is None else gold_tags(label_ids, labels=names))


def _of_words(arrays: ModelArrays) -> Integers | None:
    """The numbers of the right labels, without those of later subwords and of what is masked, if the file says so."""
    if arrays.label_ids is None:
        return None
    counts = np.ones(arrays.label_ids.shape, dtype=bool)
    for name, array in (("word_ids", arrays.word_ids), ("mask", arrays.mask)):
        if array is not None and array.shape != counts.shape:
            raise InputError(
                f"{name} of {arrays.name} must have the shape of label_ids, {counts.shape}; {array.shape}."
            )
    if arrays.mask is not None:
        counts &= arrays.mask != 0
    if arrays.word_ids is not None:
        before = np.concatenate([np.full((*counts.shape[:-1], 1), -1), arrays.word_ids[..., :-1]], axis=-1)
        counts &= (arrays.word_ids >= 0) & (arrays.word_ids != before)
    return np.where(counts, arrays.label_ids, IGNORED)
