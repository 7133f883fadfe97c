"""What `howsure sequences spans` reads: the logits of a token classifier, or sentences and a tagger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from howsure.cli.sequences.input import LAYERS, load_model, read_words
from howsure.data.logs.model_arrays import ModelArrays, label_names_of, read_model_arrays
from howsure.errors import InputError
from howsure.sequences.entities.token_logits import gold_tags
from howsure.sequences.entities.within_grammar import within_grammar
from howsure.sequences.tag_posterior import TagPosterior

Tags = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A posterior, gold labels if they are known, and the model's own answer where a grammar may have changed it."""

    name: str
    posterior: TagPosterior
    gold: Tags | None
    own: Tags | None = None
    grammar: str | None = None
    words: Tags | None = None

    @property
    def changed(self) -> int:
        """The number of sentences in which the most probable sequence is not the model's own answer."""
        best = self.posterior.names(self.posterior.viterbi())
        return 0 if self.own is None else sum(a != b for a, b in zip(best, self.own, strict=True))


def from_logits(path: str, *, targets: str | None, labels: str | None, grammar: str | None) -> Labelled:
    """The posterior of the logits in a file.

    Raises InputError if the labels have no names, or the arrays do not fit.
    """
    arrays = read_model_arrays(path, targets=targets)
    names = label_names_of(labels) if labels is not None else arrays.label_names
    if names is None:
        raise InputError(
            f"{path} does not name its labels; give labels=..., separated by commas in the order of the logits, or the "
            "config.json of the model."
        )
    counting = _counting(arrays)
    crf: dict[str, Any] = {"transitions": arrays.transitions, "start": arrays.start, "end": arrays.end}
    posterior = TagPosterior.from_logits(arrays.logits, labels=names, grammar=grammar, **counting, **crf)
    gold = None if arrays.label_ids is None else gold_tags(arrays.label_ids, labels=names)
    if grammar is None:
        return Labelled(path, posterior, gold)
    free = TagPosterior.from_logits(arrays.logits, labels=names, **counting, **crf)
    return Labelled(path, posterior, gold, free.names(free.viterbi()), grammar.upper())


def _counting(arrays: ModelArrays) -> dict[str, Any]:
    """Which rows count: those of gold labels, where there are any."""
    given = {"label_ids": arrays.label_ids, "word_ids": arrays.word_ids, "mask": arrays.mask}
    return next(({name: array} for name, array in given.items() if array is not None), {})


def from_sentences(model: str, file: str, *, column: str, form: str | None, grammar: str | None) -> Labelled:
    """The posterior of a tagger over the sentences of a file; gold is None if none of them has tags."""
    tagger = load_model(model)
    corpus = read_words(file, form=form, model=tagger)
    tagged = any(getattr(sentence, LAYERS[column]) is not None for sentence in corpus.sentences)
    gold, words = corpus.tags(column) if tagged else None, [sentence.words for sentence in corpus.sentences]
    name, free = f"{model} on {corpus.name}", tagger.posterior(corpus.words)
    if grammar is None:
        return Labelled(name, free, gold, words=words)
    own = free.names(free.viterbi())
    return Labelled(name, within_grammar(free, grammar), gold, own, grammar.upper(), words)
