"""Parsers of documents: any spaCy pipeline with a dependency parser, or existing parses in CoNLL-U."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from howsure.data.documents.document import Document
from howsure.data.documents.read_documents import document_from_spacy
from howsure.errors import InputError
from howsure_events.corpus import InputDocument
from howsure_events.extraction.open_corpus import read_part
from howsure_events.rule import LANGUAGES, SCHEMES, Rule
from howsure_text.spacy_pipelines import parsing_pipeline

SEVERAL = "xx"  # spaCy's language code for multilingual pipelines


class Parser(Protocol):
    """A parser that reads documents in two steps: `words`, and the slow `parse` only for documents that are kept."""

    @property
    def recipe(self) -> dict[str, Any]:
        """The parser's description, as plain values."""

    @property
    def scheme(self) -> str | None:
        """The scheme of its dependency labels; None if not known in advance."""

    @property
    def language(self) -> str | None:
        """The language that it reads, such as "en"; None if not known in advance."""

    def words(self, document: InputDocument) -> tuple[Any, Sequence[str]] | None:
        """Return the input of `parse` for a document, and its words; None if it is too long."""

    def parse(self, ready: Sequence[Any]) -> list[Document]:
        """Return the parsed documents, in order."""


class ConlluParser:
    """The parser for documents that are already parsed."""

    scheme: str | None = None
    language: str | None = None

    @property
    def recipe(self) -> dict[str, Any]:
        return {"format": "CoNLL-U"}

    def words(self, document: InputDocument) -> tuple[Any, Sequence[str]] | None:
        parsed = read_part(document) if document.parsed is None else document.parsed
        return parsed, [word for sentence in parsed.sentences for word in sentence.words]

    def parse(self, ready: Sequence[Any]) -> list[Document]:
        """Return the documents unchanged."""
        return list(ready)


class SpacyParser:
    """A spaCy pipeline, given by the name of an installed package or the path of a folder.

    Only its components for tags, lemmas and dependencies are used.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.pipeline = parsing_pipeline(name)
        self.scheme: str | None = guess_scheme(self.pipeline.get_pipe("parser").labels)
        self.language: str | None = None if self.pipeline.lang == SEVERAL else self.pipeline.lang

    @property
    def recipe(self) -> dict[str, Any]:
        """Name, version and language of the pipeline."""
        meta = self.pipeline.meta
        return {"pipeline": f"{meta['lang']}_{meta['name']}", "version": meta["version"], "language": self.language}

    def words(self, document: InputDocument) -> tuple[Any, Sequence[str]] | None:
        """Return the tokens of a document; None if it is too long for the pipeline."""
        if len(document.text) > self.pipeline.max_length:
            return None
        tokens = self.pipeline.make_doc(document.text)
        return (document.id, tokens), [token.text for token in tokens if not token.is_space]

    def parse(self, ready: Sequence[Any]) -> list[Document]:
        parsed = self.pipeline.pipe([tokens for _, tokens in ready], batch_size=max(1, len(ready)))
        return [document_from_spacy(doc, name=name) for (name, _), doc in zip(ready, parsed, strict=True)]


def load_parser(name: str | None) -> Parser:
    """Load the spaCy pipeline with a name or path; None stands for documents that are already parsed."""
    return ConlluParser() if name is None else SpacyParser(name)


def check_language(parser: Parser, rule: Rule, *, has_names: bool) -> None:
    """Check that the rule and the names of actors are in the parser's language; otherwise nothing would be found.

    has_names: whether the user provides a lexicon; the built-in one is in English. Raises InputError if the languages
    differ.
    """
    language = parser.language
    if language is None:
        return
    if rule.languages and language not in rule.languages:
        raise InputError(
            f"`rule` {rule.name} has words in {', '.join(rule.languages)}; the parser reads {language}. Write a rule "
            "with words of that language to a YAML file, and name it as `rule`."
        )
    if not has_names and language not in LANGUAGES:
        raise InputError(
            f"the built-in names of countries are in {', '.join(LANGUAGES)}; the parser reads {language}. Give the "
            "names of actors in that language: `lexicon=FILE`."
        )


def guess_scheme(labels: Sequence[str]) -> str:
    """Return the scheme that contains the most of some dependency labels: "ud", "ud-2014" or "clear".

    >>> guess_scheme(["nsubj", "nsubj:pass", "obl", "obl:agent"]), guess_scheme(["nsubjpass", "prep", "pobj"])
    ('ud', 'clear')
    """
    plain = {label.partition(":")[0] for label in labels}
    return max(SCHEMES, key=lambda name: len(plain & SCHEMES[name].labels))
