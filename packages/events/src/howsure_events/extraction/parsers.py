"""From text to parsed documents: any spaCy pipeline with a dependency parser, or existing CoNLL-U."""

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

SEVERAL = "xx"  # what spaCy calls the language of a pipeline for several


class Parser(Protocol):
    """Reads documents in two steps, so that the slow second one is applied only to documents that are kept."""

    @property
    def recipe(self) -> dict[str, Any]:
        """The parser's description, as plain values."""

    @property
    def scheme(self) -> str | None:
        """The scheme of its labels; None if not known in advance."""

    @property
    def language(self) -> str | None:
        """The language that it reads, as "en"; None if not known in advance."""

    def words(self, document: InputDocument) -> tuple[Any, Sequence[str]] | None:
        """A document ready for `parse`, and its words; None if it is too long."""

    def parse(self, ready: Sequence[Any]) -> list[Document]:
        """The parsed documents, in order."""


class ConlluParser:
    """The parser of documents that are already parsed."""

    scheme: str | None = None
    language: str | None = None

    @property
    def recipe(self) -> dict[str, Any]:
        """States that the documents were already parsed."""
        return {"format": "CoNLL-U"}

    def words(self, document: InputDocument) -> tuple[Any, Sequence[str]] | None:
        """The document, and its words."""
        parsed = read_part(document) if document.parsed is None else document.parsed
        return parsed, [word for sentence in parsed.sentences for word in sentence.words]

    def parse(self, ready: Sequence[Any]) -> list[Document]:
        """The documents."""
        return list(ready)


class SpacyParser:
    """A spaCy pipeline, by the name of an installed package or the path of a folder.

    Components other than tags, lemmas and dependencies (names, categories) are switched off.

    Raises MissingExtraError without the extra `spacy`; InputError if there is no such pipeline, or it has no parser.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.pipeline = parsing_pipeline(name)
        self.scheme: str | None = guess_scheme(self.pipeline.get_pipe("parser").labels)
        self.language: str | None = None if self.pipeline.lang == SEVERAL else self.pipeline.lang

    @property
    def recipe(self) -> dict[str, Any]:
        """Name and version of the pipeline."""
        meta = self.pipeline.meta
        return {"pipeline": f"{meta['lang']}_{meta['name']}", "version": meta["version"], "language": self.language}

    def words(self, document: InputDocument) -> tuple[Any, Sequence[str]] | None:
        """The tokens of a document; None if the pipeline takes no text of that length."""
        if len(document.text) > self.pipeline.max_length:
            return None
        tokens = self.pipeline.make_doc(document.text)
        return (document.id, tokens), [token.text for token in tokens if not token.is_space]

    def parse(self, ready: Sequence[Any]) -> list[Document]:
        """Parse tokenised documents together."""
        parsed = self.pipeline.pipe([tokens for _, tokens in ready], batch_size=max(1, len(ready)))
        return [document_from_spacy(doc, name=name) for (name, _), doc in zip(ready, parsed, strict=True)]


def load_parser(name: str | None) -> Parser:
    """The spaCy pipeline of a name or path; None: documents come parsed."""
    return ConlluParser() if name is None else SpacyParser(name)


def check_language(parser: Parser, rule: Rule, *, has_names: bool) -> None:
    """Check that a rule has words of the parser's language, and that there are names of actors in it (`has_names`).

    Raises InputError if not: nothing would be found, in silence.
    """
    language = parser.language
    if language is None:
        return
    if rule.languages and language not in rule.languages:
        raise InputError(
            f"`rule` {rule.name} knows {', '.join(rule.languages)}; the parser reads {language}. Write a rule with "
            "words of that language to a YAML file, and name it as `rule`."
        )
    if not has_names and language not in LANGUAGES:
        raise InputError(
            f"the built-in names of countries are in {', '.join(LANGUAGES)}; the parser reads {language}. Give the "
            "names of actors in that language: `lexicon=FILE`."
        )


def guess_scheme(labels: Sequence[str]) -> str:
    """The scheme of dependency labels: "ud", "ud-2014" or "clear", whichever contains most of them.

    >>> guess_scheme(["nsubj", "nsubj:pass", "obl", "obl:agent"]), guess_scheme(["nsubjpass", "prep", "pobj"])
    ('ud', 'clear')
    """
    plain = {label.partition(":")[0] for label in labels}
    return max(SCHEMES, key=lambda name: len(plain & SCHEMES[name].known))
