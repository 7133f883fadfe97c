"""The input of `howsure sequences` (sentences, models, logits of other programs), and shared options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

from howsure.data.documents.brackets import BrokenDocument, LeftOut
from howsure.data.documents.conllu import conllu_text
from howsure.data.documents.document import Document, Sentence, Strings
from howsure.data.documents.read_documents import COLUMNS, FORMS, is_plain_text, seen_form
from howsure.data.logs.arrays import ModelArrays, parse_label_names, read_model_arrays
from howsure.errors import InputError
from howsure.files.input_files import Text, check_each_once, opened, read_text
from howsure.inputs.pairs import Integers
from howsure_cli.terminal.options import choice_option
from howsure_cli.terminal.output import say
from howsure_text.sequences.crf import CRFTagger
from howsure_text.sequences.tag_posterior import TagPosterior
from howsure_text.sequences.tagger import Tagger
from howsure_text.sequences.token_labels import IGNORED, gold_tags

TEXT, ITEMS, CONLLU = "text", "crfsuite", "conllu"
INPUT_FORMS = (*FORMS, ITEMS)
LAYERS = {"xpos": "tags", "upos": "universal_tags"}
CRFSUITE, ZIP, ARRAY = b"lCRF", b"PK\x03\x04", b"\x93NUM"  # first bytes of model files
MAX_TRAINING = 0.5  # proportion of words in training sentences from which a file is taken for training data
MIN_WORDS = 5  # of a sentence that is unlikely to recur in another text
Tags = Sequence[Sequence[str]]

# The options that the commands share.


adjust_option = choice_option(
    "--adjust", of=["holm", "bh", "none"], callback=lambda ctx, param, value: None if value == "none" else value
)


class ColumnType(click.ParamType):  # type: ignore[type-arg]  # generic in later releases only
    """xpos, upos, or the number of a column."""

    name = "xpos|upos|N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | int:
        if value in LAYERS:
            return str(value)
        if not str(value).isdecimal():
            self.fail(f"{value!r} is neither xpos, upos nor the number of a column.", param, ctx)
        return int(value)


column_option = click.option("--column", type=ColumnType(), default="xpos", show_default=True, metavar="xpos|upos|N")
unknown_tags_option = click.option(
    "--unknown-tags", type=click.Choice(["error", "keep"]), default="error", show_default=True
)


def input_option(*more: str) -> Callable[..., Any]:
    """`--from`."""
    forms = (*INPUT_FORMS, *more)
    return click.option("--from", "input_format", type=click.Choice(forms), metavar="FORMAT")


@dataclass(frozen=True, slots=True)
class Corpus:
    """The sentences of files.

    documents: the sentences as documents. items: crfsuite's items, if the tagger needs these instead of words.
    original: the verbatim content of a CoNLL-U file. without_mentions: the documents whose mentions cannot be read.
    """

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
        """The input of a tagger for each sentence: words or items."""
        return [sentence.words for sentence in self.sentences] if self.items is None else self.items

    @property
    def conllu(self) -> str:
        """The sentences as CoNLL-U: verbatim if the file has this format, else converted."""
        if self.original is not None:
            return self.original
        # metadata about reading is not part of the file
        contents = [{key: text for key, text in doc.metadata.items() if key != COLUMNS} for doc in self.documents]
        return conllu_text([replace(doc, metadata=kept) for doc, kept in zip(self.documents, contents, strict=True)])

    def tags(self, column: str | int) -> list[Strings]:
        """Return the gold tags of each sentence."""
        layer_name, tags_by_sentence = tag_layer(column), []
        for i, sentence in enumerate(self.sentences, start=1):
            layer = getattr(sentence, layer_name)
            if layer is None:
                raise InputError(
                    f"sentence {i} of {self.name} has no {str(column).upper()} tags. If the tags are in another "
                    "column, name it: --column."
                )
            tags_by_sentence.append(layer)
        return tags_by_sentence


def tag_layer(column: str | int) -> str:
    """Return the name of a sentence's layer that contains the tags of a column."""
    return LAYERS.get(str(column), "tags")


def read_corpus(
    files: Sequence[str], *, form: str | None, model: Tagger | None = None, column: str | int = "xpos"
) -> Corpus:
    """Read the sentences of tagged files; for a crfsuite model, the files have crfsuite's format."""
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
        ", ".join(files),
        [document for text in texts for document in _documents(text, form or seen_form(text), column=column)],
    )


def read_words(file: str, *, form: str | None, model: Tagger, column: str | int = "xpos") -> Corpus:
    """Read the sentences of a file, which may be plain text with one sentence per line and blanks between words."""
    if takes_items(model) or form == ITEMS:
        return read_corpus([file], form=form, model=model)
    text = read_text(file)
    if form is None:
        form = TEXT if is_plain_text(text) else seen_form(text)
    broken: LeftOut = []
    documents = [_plain_document(text)] if form == TEXT else _documents(text, form, broken, column=column)
    return Corpus(file, documents, original=text.content if form == CONLLU else None, without_mentions=broken)


def _documents(text: Text, form: str, broken: LeftOut | None = None, *, column: str | int) -> list[Document]:
    """Parse the documents of a text; `broken` collects documents whose mention brackets are invalid.

    These are not refused, because taggers ignore mentions.
    """
    if not isinstance(column, int):
        return FORMS[form](text, broken, mentions=False)
    if form not in (COLUMNS, CONLLU):
        raise InputError(f"--column {column} is for files with a word and its tags in columns; {text.name} is {form}.")
    return FORMS[COLUMNS](text, broken, mentions=False, column=column)


def takes_items(model: Tagger | None) -> bool:
    """Return whether the input of a model is attributes instead of words."""
    return isinstance(model, CRFTagger) and model.features is None


def load_model(path: str) -> Tagger:
    """Load a model that was written by howsure or crfsuite."""
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


def warn_of_training(tagger: Tagger, corpus: Any, file: str) -> dict[str, int]:
    """Warn if a tagger was trained on sentences with most words of a file; return their number for the recipe.

    Sentences of fewer than 5 words do not count, because short ones, such as "Yes .", recur in other texts.
    """
    is_training, lengths = tagger.are_training_sentences(corpus.words), np.array([len(words) for words in corpus.words])
    counts = lengths >= MIN_WORDS
    n_words, n_seen = int(lengths[counts].sum()), int(lengths[counts & is_training].sum())
    if n_seen <= MAX_TRAINING * n_words:
        return {}
    sentences = "all sentences" if is_training.all() else f"sentences with {n_seen / n_words:.0%} of the words"
    say(
        f"howsure: the model was trained on {sentences} of {file}, so it is more accurate and more overconfident there "
        "than on new sentences. Use other sentences."
    )
    return {"training_sentences": int(is_training.sum())}


def _plain_document(text: Text) -> Document:
    lines = (line.split() for line in text.content.split("\n"))
    return Document(text.stem, tuple(Sentence(tuple(words)) for words in lines if words))


def _check_known(corpus: Corpus, model: Tagger | None) -> None:
    """Raise InputError if a model knows none of the attributes in files, so that they must have another format."""
    if not isinstance(model, CRFTagger) or not hasattr(model, "labels_"):
        return
    attributes = set(model.attributes_)
    if not any(attributes.intersection(item) for sentence in corpus.items or () for item in sentence):
        raise InputError(
            f"the model has none of the attributes in {corpus.name}. A model of crfsuite needs the attributes that it "
            "was trained with, in crfsuite's data format: one label and the attributes of an item per line, separated "
            "by tabs."
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


def from_sentences(model: str, file: str, *, column: str | int, form: str | None) -> Labelled:
    """Compute the posterior of a tagger over the sentences of a file; gold is None if no sentence has tags."""
    tagger = load_model(model)
    corpus = read_words(file, form=form, model=tagger, column=column)
    tagged = any(getattr(sentence, tag_layer(column)) is not None for sentence in corpus.sentences)
    words = [sentence.words for sentence in corpus.sentences]
    if tagged:
        warn_of_training(tagger, corpus, corpus.name)
    name, posterior = f"{model} on {corpus.name}", tagger.posterior(corpus.words)
    return Labelled(name, posterior, corpus.tags(column) if tagged else None, words)


def from_logits(path: str, *, targets: str | None, labels: str | None) -> Labelled:
    """Compute the posterior from the logits in a file."""
    arrays = read_model_arrays(path, targets=targets)
    names = parse_label_names(labels) if labels is not None else arrays.label_names
    if names is None:
        raise InputError(
            f"{path} does not name its labels. Give them in the order of the logits: --labels O,B-PER,I-PER, or the "
            "model's file: --labels config.json."
        )
    label_ids = _word_label_ids(arrays)
    others = {"word_ids": arrays.word_ids, "mask": arrays.mask} if label_ids is None else {"label_ids": label_ids}
    counting: dict[str, Any] = next(({name: array} for name, array in others.items() if array is not None), {})
    crf: dict[str, Any] = {"transitions": arrays.transitions, "start": arrays.start, "end": arrays.end}
    posterior = TagPosterior.from_logits(arrays.logits, labels=names, **counting, **crf)
    return Labelled(path, posterior, None if label_ids is None else gold_tags(label_ids, labels=names))


def _word_label_ids(arrays: ModelArrays) -> Integers | None:
    """Return the ids of gold labels; if the file marks later subwords or masked tokens, these get no label."""
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
