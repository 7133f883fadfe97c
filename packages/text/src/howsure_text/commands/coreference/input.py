"""The input of `howsure coreference`, and the options that its commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import click

from howsure.data.documents.brackets import BracketFault, LeftOut
from howsure.data.documents.document import Document, Mention, named_part
from howsure.data.documents.read_documents import BAD_BRACKETS, LEAVE_OUT, documents_in, is_plain, left_out_text
from howsure.errors import InputError
from howsure.files.input_files import check_each_once
from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.source_names import format_suffix
from howsure_cli.terminal.options import choice_option
from howsure_cli.terminal.output import say
from howsure_text.coreference.antecedent_files import ScoreFile
from howsure_text.coreference.antecedent_model import AntecedentModel
from howsure_text.coreference.detection import Source
from howsure_text.coreference.entity_confidence import DECISIONS
from howsure_text.coreference.recalibration import CoreferenceRecalibration
from howsure_text.coreference.resolution import ResolvedDocument, check_sides, resolve
from howsure_text.coreference.scored_posteriors import MISPLACED, Misplaced
from howsure_text.spacy_pipelines import parsed_documents, parsed_text, parsing_pipeline

# The options that the commands of `howsure coreference` share.


def mentions_option(default: str | None) -> Callable[..., Any]:
    """`--mentions`."""
    return click.option(
        "--mentions", type=click.Choice(["gold", "detected"]), default=default, show_default=default is not None
    )


repeated_option = choice_option(
    "--repeated-spans",
    "repeated",
    of=["error", "first"],
    help="What to do about two annotated mentions with the same span; first: keep the first one.",
)
bad_brackets_option = choice_option(
    "--bad-brackets",
    "left_out",
    of=BAD_BRACKETS,
    callback=lambda ctx, param, value: [] if value == LEAVE_OUT else None,
    help="What to do about a document with unmatched brackets; leave-out: leave it out and report it.",
)
model_option = click.option("--model", metavar="FILE")
scores_option = click.option(
    "--scores", metavar="FILE", help="Antecedent scores of any other model instead of --model: JSON lines or .npz."
)
misplaced_option = choice_option("--misplaced", of=MISPLACED)
parser_option = click.option("--parser", metavar="NAME|PATH")
decision_option = choice_option(
    "--decision",
    of=DECISIONS,
    help="Entities by the best antecedent of each mention, or by the lowest expected pair loss.",
)
recalibration_option = click.option(
    "--recalibration",
    metavar="FILE",
    help="Recalibration of the --scores, written by recalibrate (a model contains its own).",
)


def report_left_out(left_out: LeftOut | None, kept: int) -> None:
    """Report which documents were left out."""
    if left_out:
        click.echo(f"howsure: {left_out_text(left_out, kept)}", err=True)


# The input of `howsure coreference`: documents with mentions, models, and gold and predicted documents to score.

FIRST, ERROR = "first", "error"
PLAIN = ".txt"


def read_distinct_mentions(
    files: Sequence[str],
    *,
    repeated: str,
    left_out: LeftOut | None,
    source: Source | None = None,
    parser: str | None = None,
) -> list[Document]:
    """Read the documents of files; repeated: "error", or keep the "first" of several mentions with the same span.

    With a `parser` (a spaCy pipeline), the files may be plain text (.txt), or words without a parse.

    A document whose brackets do not match is an error or, if `left_out` is a list, is left out and added to this list.
    """
    check_each_once(files, what="documents")
    try:
        all_documents = [document for file in files for document in _documents(file, left_out, parser)]
    except BracketFault as fault:
        raise InputError(f"{fault} Leave such documents out with --bad-brackets leave-out.") from None
    documents = [_drop_repeated_spans(document, repeated) for document in all_documents]
    for document in documents:
        if not document.sentences:
            raise InputError(f"document {document.name} has no sentences.")
        if source == "gold" and document.mentions is None:
            raise InputError(
                f"document {document.name} has no annotated mentions; --mentions detected finds them in its parse."
            )
    return documents


def _documents(file: str, left_out: LeftOut | None, parser: str | None) -> list[Document]:
    if format_suffix(file) == PLAIN and is_plain(file):
        if parser is None:
            raise InputError(f"{file} is plain text, which must be parsed: --parser en_core_web_sm, for English.")
        return [parsed_text(file, parsing_pipeline(parser))]
    documents = documents_in(file, left_out=left_out)
    if parser is None:
        return documents
    return parsed_documents(documents, parsing_pipeline(parser))


def _drop_repeated_spans(document: Document, repeated: str) -> Document:
    mentions: dict[Mention, Mention] = {}
    for mention in document.mentions or ():
        if mentions.setdefault(mention, mention) is not mention and repeated == ERROR:
            words = " ".join(document.words_of(mention))
            raise InputError(
                f"document {document.name} has two mentions of the same words, {words!r} in sentence "
                f"{mention.sentence + 1}; --repeated-spans first keeps the first of them."
            )
    return document if document.mentions is None else replace(document, mentions=tuple(mentions.values()))


def load_model(path: str | None) -> AntecedentModel:
    """Load a model from its file; without a path, return the model of the package."""
    return AntecedentModel.pretrained() if path is None else AntecedentModel.load(path)


@dataclass(frozen=True, kw_only=True)
class ResolutionOptions:
    """The options of a command on its documents, and on the model or the scores for their coreference."""

    file: str | None
    scores: str | None = None
    recalibration: str | None = None
    misplaced: Misplaced = "error"
    model: str | None = None
    mentions: Source | None = None
    parser: str | None = None
    repeated: str = FIRST
    left_out: LeftOut | None = None
    names: Sequence[str] = ()

    def recipe(self) -> dict[str, str]:
        """Return the model, or the file of scores and its checksum, for the recipe."""
        if self.scores is None:
            return {"model": self.model or "pretrained", **({"parser": self.parser} if self.parser else {})}
        recalibration = {} if self.recalibration is None else {"recalibration": self.recalibration}
        return {"scores": self.scores, "digest": self._score_file.digest, "misplaced": self.misplaced, **recalibration}

    def open(self, **how: Any) -> tuple[list[Document], Iterator[ResolvedDocument]]:
        """Return the documents, and an iterator over the resolved documents; how: further arguments of `resolve`."""
        sides = {name: getattr(self, name) for name in ("model", "mentions", "scores", "recalibration")}
        check_sides(self.file, **sides)
        if self.scores is None:
            model = load_model(self.model)
            documents = self._read(self.mentions or model.mentions)
            return documents, (resolve(document, model=model, mentions=self.mentions, **how) for document in documents)
        recalibration = None if self.recalibration is None else CoreferenceRecalibration.load(self.recalibration)
        file = self._score_file
        documents = self._read(None)
        missing = [name for name in map(named_part, documents) if name not in file]
        if missing:
            missing_names = shortened(missing, limit=3)
            raise InputError(f"{file.path} has no scores of {missing_names}; it has {shortened(file.names, limit=3)}.")
        how |= {"recalibration": recalibration, "misplaced": self.misplaced}
        return documents, (
            _print_notes(resolve(document, scores=file.read(named_part(document)), **how)) for document in documents
        )

    @cached_property
    def _score_file(self) -> ScoreFile:
        return ScoreFile(self.scores or "")

    def _read(self, source: Source | None) -> list[Document]:
        """Return the requested documents; raise InputError for a name that no document has."""
        if self.file is None:
            documents = [self._score_file.read(name).document() for name in self._score_file.names]
        else:
            kept: dict[str, Any] = {"repeated": self.repeated, "left_out": self.left_out, "parser": self.parser}
            documents = read_distinct_mentions([self.file], source=source, **kept)
        names = {document.name for document in documents}
        for name in self.names:
            if name not in names:
                raise InputError(
                    f"document {name!r} does not exist; the documents are {shortened(sorted(names), limit=3)}."
                )
        return [document for document in documents if not self.names or document.name in self.names]


def _print_notes(resolved_document: ResolvedDocument) -> ResolvedDocument:
    """Report what was left out."""
    for note in resolved_document.notes:
        say(f"howsure: {note}")
    return resolved_document
