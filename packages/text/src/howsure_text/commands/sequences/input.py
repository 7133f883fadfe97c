"""What `howsure sequences` reads: sentences, models and the labels of other programs; and the options that say so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from howsure.data.documents.brackets import BrokenDocument, LeftOut
from howsure.data.documents.conllu import conllu_text
from howsure.data.documents.document import Document, Sentence, Strings
from howsure.data.documents.read_documents import FORMS, seen_form
from howsure.data.logs.arrays import ModelArrays, label_names_of, read_model_arrays
from howsure.errors import InputError
from howsure.files.opened import Text, check_each_once, opened, read_text
from howsure.inputs.pairs import Integers
from howsure_cli.terminal.options import choice_option
from howsure_text.sequences.crf import CRFTagger
from howsure_text.sequences.tag_posterior import TagPosterior
from howsure_text.sequences.tagger import Tagger
from howsure_text.sequences.token_labels import IGNORED, gold_tags

TEXT, ITEMS, CONLLU = "text", "crfsuite", "conllu"
INPUT_FORMS = (*FORMS, ITEMS)
LAYERS = {"xpos": "tags", "upos": "universal_tags"}
CRFSUITE, ZIP, ARRAY = b"lCRF", b"PK\x03\x04", b"\x93NUM"  # how files of models start
Tags = Sequence[Sequence[str]]

# The options that the commands share.


adjust_option = choice_option(
    "--adjust", of=["holm", "bh", "none"], callback=lambda ctx, param, value: None if value == "none" else value
)
column_option = choice_option("--column", of=LAYERS)
unknown_tags_option = click.option(
    "--unknown-tags", type=click.Choice(["error", "keep"]), default="error", show_default=True
)


def input_option(*more: str) -> Callable[..., Any]:
    """`--from`."""
    forms = (*INPUT_FORMS, *more)
    return click.option("--from", "input_format", type=click.Choice(forms), metavar="FORMAT")


@dataclass(frozen=True, slots=True)
class Corpus:
    """The sentences of files as documents; crfsuite's items, if a tagger is asked about these and not about the words;
    what a file of CoNLL-U says, character for character; and the documents whose mentions cannot be read."""

    name: str
    documents: list[Document]
    items: Sequence[Sequence[Any]] | None = None
    original: str | None = None
    without_mentions: Sequence[BrokenDocument] = ()

    @property
    def sentences(self) -> list[Sentence]:
        """All sentences in order."""
        return [sentence for document in self.documents for sentence in document.sentences]

    @property
    def words(self) -> Sequence[Sequence[Any]]:
        """What a tagger reads of each sentence."""
        return [sentence.words for sentence in self.sentences] if self.items is None else self.items

    @property
    def conllu(self) -> str:
        """The sentences as CoNLL-U: what the file says if it is that, else what can be said in it."""
        return conllu_text(self.documents) if self.original is None else self.original

    def tags(self, column: str) -> list[Strings]:
        """The gold tags of each sentence.

        Raises InputError naming the sentence that has none.
        """
        tags_by_sentence = []
        for i, sentence in enumerate(self.sentences, start=1):
            layer = getattr(sentence, LAYERS[column])
            if layer is None:
                raise InputError(f"sentence {i} of {self.name} has no {column.upper()} tags; name another --column?")
            tags_by_sentence.append(layer)
        return tags_by_sentence


def read_corpus(files: Sequence[str], *, form: str | None, model: Tagger | None = None) -> Corpus:
    """The sentences of files that hold tags; those of a crfsuite model are in crfsuite's own format.

    Raises InputError as the readers do.
    """
    check_each_once(files, what="sentences")
    if takes_items(model):
        if form not in (None, ITEMS):
            raise InputError(f"a model of crfsuite reads attributes: --from {ITEMS}, not {form}.")
        corpus = _read_items(files)
        _check_known(corpus, model)
        return corpus
    if form == ITEMS:
        raise InputError(f"--from {ITEMS} is for models of crfsuite; this one reads words.")
    texts = map(read_text, files)
    return Corpus(
        ", ".join(files), [document for text in texts for document in _documents(text, form or seen_form(text))]
    )


def read_words(file: str, *, form: str | None, model: Tagger) -> Corpus:
    """The sentences of a file that may be plain text, a sentence a line, its words separated by blanks."""
    if takes_items(model) or form == ITEMS:
        return read_corpus([file], form=form, model=model)
    text = read_text(file)
    if form is None:
        form = seen_form(text) if any("\t" in line for line in text.content.split("\n") if line[:1] != "#") else TEXT
    broken: LeftOut = []
    documents = [_plain_document(text)] if form == TEXT else _documents(text, form, broken)
    return Corpus(file, documents, original=text.content if form == CONLLU else None, without_mentions=broken)


def _documents(text: Text, form: str, broken: LeftOut | None = None) -> list[Document]:
    """The documents of a text. Their brackets may be broken, as no tagger reads mentions; `broken` counts those."""
    return FORMS[form](text, broken, mentions=False)


def takes_items(model: Tagger | None) -> bool:
    """Whether a model is asked about attributes, not about words."""
    return isinstance(model, CRFTagger) and model.features is None


def load_model(path: str) -> Tagger:
    """A model that howsure or crfsuite wrote.

    Raises InputError if it is neither, or damaged.
    """
    from howsure_text.sequences import load_tagger

    with opened(path) as file:
        start = file.read(len(ZIP))
    if start == ARRAY:
        raise InputError(
            f"{path} is an array of numpy, not a model. If it contains logits, save them and their label_ids in one "
            "file "
            "by numpy.savez: `howsure calibration`, `howsure recalibrate fit` and `howsure sequences spans` read it."
        )
    if start not in (CRFSUITE, ZIP):
        raise InputError(
            f"{path} is not a model of howsure or crfsuite. MODEL comes first, the FILE of sentences after it."
        )
    return CRFTagger.from_crfsuite(path) if start == CRFSUITE else load_tagger(path)


def _plain_document(text: Text) -> Document:
    lines = (line.split() for line in text.content.split("\n"))
    return Document(text.stem, tuple(Sentence(tuple(words)) for words in lines if words))


def _check_known(corpus: Corpus, model: Tagger | None) -> None:
    """Raise InputError if nothing in files is known to a fitted model: they are of another form."""
    if not isinstance(model, CRFTagger) or not hasattr(model, "labels_"):
        return
    attributes = set(model.attributes_)
    if not any(attributes.intersection(item) for sentence in corpus.items or () for item in sentence):
        raise InputError(
            f"the model knows no attribute of {corpus.name}. A model of crfsuite needs the attributes that it was "
            "trained with, in crfsuite's data format: one label and the attributes of an item per line, tabs between "
            "them."
        )


def _read_items(files: Sequence[str]) -> Corpus:
    from howsure.data.documents.columns import read_attributes

    documents, items = [], []
    for file in files:
        file_items, labels = read_attributes(file)
        items += file_items
        sentences = [
            Sentence(tuple(next(iter(item), "_") for item in sentence_items), tags=tags)
            for sentence_items, tags in zip(file_items, labels, strict=True)
        ]
        documents.append(Document(read_text(file).stem, tuple(sentences)))
    return Corpus(", ".join(files), documents, items)


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
