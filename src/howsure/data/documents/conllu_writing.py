"""Write documents as CoNLL-U."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from howsure.data.documents.document import Document, Mention, Sentence
from howsure.data.documents.entity_brackets import bracket_texts, entity_text, type_text
from howsure.errors import InputError
from howsure.files.whole import write_text

BREAK = re.compile(r"[\r\n\ud800-\udfff]")  # what is half a character has no place in UTF-8
OF_DOCUMENTS = re.compile(r"newdoc( id)?|global\.Entity|meta::.*")
LAYERS = ("lemmas", "tags", "universal_tags", "features", "heads", "relations", "spaces")
Attributes = Mapping[str, Sequence[Sequence[object]]]


def write_conllu(
    documents: Sequence[Document], path: str | os.PathLike[str], *, attributes: Attributes | None = None
) -> None:
    """Write documents as CoNLL-U; `read_conllu` recovers the same documents, with all spaces known.

    `attributes` are further attributes of words in the last column, by name: one list per sentence (of all documents in
    order) with one value per word, `{"P": [[0.93, 0.99], …]}`. Layers missing from a sentence are written as `_`,
    mentions as `Entity=` brackets.

    Raises InputError if a document has no sentences or a sentence no words, layers or attributes do not match the
    words, a mention has no entity, or a text contains characters not allowed in its place: a tab or line break, or, in
    an attribute, a bar.
    """
    write_text(conllu_text(documents, attributes=attributes), path)


def conllu_text(documents: Sequence[Document], *, attributes: Attributes | None = None) -> str:
    """The text written by `write_conllu`; it raises the same errors."""
    _check_documents(documents)
    extra = dict(attributes or {})
    sentences = [sentence for document in documents for sentence in document.sentences]
    for name, values in extra.items():
        _check_fit(name, values, sentences)
    lines: list[str] = []
    done = 0
    for document in documents:
        typed = any(mention.type is not None for mention in document.mentions or ())
        brackets = bracket_texts(document, partial(_label, typed=typed), closing=entity_text)
        heading = _heading(document, typed)
        for index, sentence in enumerate(document.sentences):
            lines += heading  # before the first sentence; then it is used up
            lines += [_comment(key, value) for key, value in sentence.metadata.items()]
            lines += _words(sentence, index, brackets, {name: values[done] for name, values in extra.items()})
            lines.append("")
            done += 1
    return "".join(f"{line}\n" for line in lines)


def _heading(document: Document, typed: bool) -> Iterator[str]:
    yield _comment("newdoc id", document.name)
    if document.mentions is not None:
        yield _comment("global.Entity", "eid-etype" if typed else "eid")
    for key, value in document.metadata.items():
        yield _comment(f"meta::{key}", value)


def _comment(key: str, value: str) -> str:
    text = f"# {key} = {value}" if value else f"# {key}"
    if "=" in key:
        raise InputError(f"keys of metadata must be without =; one is {key!r}.")
    if BREAK.search(text):
        raise InputError(f"metadata must be one line; {key} is {value!r}.")
    return text


def _label(mention: Mention, typed: bool) -> str:
    return f"{entity_text(mention)}-{type_text(mention)}" if typed else entity_text(mention)


def _words(
    sentence: Sentence, index: int, brackets: Mapping[tuple[int, int], str], extra: Mapping[str, Sequence[object]]
) -> Iterator[str]:
    n = len(sentence)
    blank = ("_",) * n
    layers = (sentence.words, sentence.lemmas, sentence.universal_tags, sentence.tags, sentence.features)
    heads = blank if sentence.heads is None else [str(head + 1) for head in sentence.heads]
    columns = [*(layer or blank for layer in layers), heads, sentence.relations or blank]
    for at, row in enumerate(zip(*columns, strict=True)):
        attributes = [f"Entity={brackets[index, at]}"] if (index, at) in brackets else []
        for name, values in extra.items():
            if "|" in (value := str(values[at])):
                raise InputError(
                    f"attributes must be without |, which stands between two; {name} of word {at} is {value!r}."
                )
            attributes.append(f"{name}={value}")
        if sentence.spaces is not None and not sentence.spaces[at]:
            attributes.append("SpaceAfter=No")
        line = "\t".join((str(at + 1), *row, "_", "|".join(attributes) or "_"))
        if line.count("\t") != 9 or "" in row or BREAK.search(line):
            raise InputError(
                f"a word and what is said of it must be text without tab and line break; word {at} is {row}."
            )
        yield line


def _check_documents(documents: Sequence[Document]) -> None:
    """Raise InputError for anything that a reader could not recover."""
    if isinstance(documents, Document):
        raise InputError("documents must be a list of them; write [document].")
    for document in documents:
        if not document.sentences or not all(map(len, document.sentences)):
            raise InputError(f"a document must have sentences, and these words; {document.name} lacks some.")
        for at, sentence in enumerate(document.sentences):
            for layer in LAYERS:
                values = getattr(sentence, layer)
                if values is not None and len(values) != len(sentence):
                    rule = f"{layer} must fit the words; they are {len(values)} for {len(sentence)}"
                    raise InputError(f"{rule} in sentence {at} of {document.name}.")
            for key in sentence.metadata:
                if OF_DOCUMENTS.fullmatch(key):
                    raise InputError(f"metadata of a sentence must not have the keys of documents; one is {key!r}.")


def _check_fit(name: str, values: Sequence[Sequence[object]], sentences: Sequence[Sentence]) -> None:
    if not re.fullmatch(r"[^\s|=]+", name) or name in ("Entity", "SpaceAfter"):
        raise InputError(f"attributes must have names of their own without blanks, | and =; one is {name!r}.")
    lengths, expected = [len(one) for one in values], [len(sentence) for sentence in sentences]
    if len(lengths) != len(expected):
        raise InputError(
            f"attributes must fit the sentences: {name} has {len(lengths):,}, there are {len(expected):,}."
        )
    for at, (given, needed) in enumerate(zip(lengths, expected, strict=True)):
        if given != needed:
            raise InputError(f"attributes must fit the words: {name} has {given} in sentence {at}, which has {needed}.")
