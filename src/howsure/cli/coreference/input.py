"""What `howsure coreference` reads, and the options that its commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import click

from howsure.cli.terminal.output import say
from howsure.coreference import AntecedentModel, CorefPosterior
from howsure.coreference.detection import Source, mentions_of
from howsure.coreference.entity_confidence import DECISIONS, entities_by
from howsure.coreference.judged import mention_confidence
from howsure.coreference.recalibration import CoreferenceRecalibration
from howsure.coreference.scored import MISPLACED, Misplaced, scored_document
from howsure.data.antecedent_files import ScoreFile
from howsure.data.documents.brackets import BracketFault, LeftOut
from howsure.data.documents.columns import named_part
from howsure.data.documents.document import Document, Mention
from howsure.data.documents.read_documents import BAD_BRACKETS, LEAVE_OUT, documents_in, left_out_text
from howsure.data.parses import ParsedDocument
from howsure.errors import InputError
from howsure.files.opened import check_each_once, opened
from howsure.files.utf8 import parsed_json
from howsure.inputs.pairs import Floats

# The options that the commands of `howsure coreference` share.


def mentions_option(default: str | None) -> Callable[..., Any]:
    """`--mentions`."""
    said = "Use the mentions annotated in FILE, or those detected in its parse"
    return click.option(
        "--mentions",
        type=click.Choice(["gold", "detected"]),
        default=default,
        show_default=default is not None,
        help=f"{said}." if default else f"{said} (default: as the model was trained).",
    )


repeated_option = click.option(
    "--repeated-spans",
    "repeated",
    type=click.Choice(["error", "first"]),
    default="error",
    show_default=True,
    help="What to do about two annotated mentions with the same span; first: keep the first one.",
)
bad_brackets_option = click.option(
    "--bad-brackets",
    "left_out",
    type=click.Choice(BAD_BRACKETS),
    default="error",
    show_default=True,
    callback=lambda ctx, param, value: [] if value == LEAVE_OUT else None,
    help="What to do about a document with unmatched brackets; leave-out: leave it out and report it.",
)
model_option = click.option(
    "--model", metavar="MODEL", help="Model file written by train (default: the bundled model)."
)
scores_option = click.option(
    "--scores", metavar="FILE", help="Antecedent scores of any other model instead of --model: JSON lines or .npz."
)
misplaced_option = click.option(
    "--misplaced",
    type=click.Choice(MISPLACED),
    default="error",
    show_default=True,
    help="What to do about scored mentions that cross sentences, or begin or end inside a word of FILE.",
)
decision_option = click.option(
    "--decision",
    type=click.Choice(DECISIONS),
    default="best",
    show_default=True,
    help="Entities by the best antecedent of each mention, or by the lowest expected pair loss.",
)
recalibration_option = click.option(
    "--recalibration",
    metavar="FILE",
    help="Recalibration of the --scores, written by recalibrate (a model holds its own).",
)


def tell(left_out: LeftOut | None, kept: int) -> None:
    """Say which documents were left out."""
    if left_out:
        click.echo(f"howsure: {left_out_text(left_out, kept)}", err=True)


# What `howsure coreference` reads: documents with mentions, models, and two sides of documents to score.

FIRST, ERROR = "first", "error"
LARGEST = 1 << 20  # bytes of a recalibration
OTHER_WORDS = 0.1  # share of differing words from which on two documents of one name are two
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A document, its mentions, and what a model says of them."""

    document: Document
    mentions: tuple[Mention, ...]
    posterior: CorefPosterior
    recalibration: CoreferenceRecalibration | None = None

    def clusters(self, decision: str) -> list[list[Mention]]:
        """The entities by every mention's best antecedent, or of minimum risk."""
        return entities_by(self.posterior, decision)

    def confidence(self, clusters: object, decision: str) -> Floats:
        """The confidence in each mention of chosen entities, mended if there is a recalibration."""
        if self.recalibration is None:
            return mention_confidence(self.posterior, clusters)
        return self.recalibration.mention_confidence(self.posterior, clusters, decision=decision)


def read_mentioned(
    files: Sequence[str], *, repeated: str, left_out: LeftOut | None, source: Source | None = None
) -> list[Document]:
    """The documents of files, in which no two mentions have one span; `repeated`: "error", or keep the "first".

    Documents whose brackets do not match are an error, or, with a list as `left_out`, are left out into it.

    Raises InputError as the readers do, or naming the span that comes twice, or the document that has no mentions
    annotated where they are the `source`.
    """
    check_each_once(files, what="documents")
    try:
        read = [one for file in files for one in documents_in(file, left_out=left_out)]
    except BracketFault as fault:
        raise InputError(f"{fault} Leave such documents out with --bad-brackets leave-out.") from None
    found = [_each_span_once(one, repeated) for one in read]
    for document in found:
        if not document.sentences:
            raise InputError(f"document {document.name} has no sentences.")
        if source == "gold" and document.mentions is None:
            raise InputError(
                f"document {document.name} has no mentions annotated; --mentions detected finds them in its parse."
            )
    return found


def _each_span_once(document: Document, repeated: str) -> Document:
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
    """A model by its file; without one that of the package."""
    return AntecedentModel.pretrained() if path is None else AntecedentModel.load(path)


def resolve(model: AntecedentModel, documents: Iterable[Document], source: Source | None) -> Iterator[Resolved]:
    """What a model says of the documents, one after another; `source`: which mentions, by default the model's.

    Raises InputError where a document is not parsed or has no mentions annotated.
    """
    for document in documents:
        parsed = ParsedDocument.of(document)
        mentions = mentions_of(parsed, source=source or model.mentions)
        yield Resolved(document, mentions, model.posterior(parsed, mentions=mentions), model.recalibration_)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the options of a command name: documents, and the model or the scores that say what corefers in them."""

    file: str | None
    scores: str | None = None
    recalibration: str | None = None
    misplaced: Misplaced = "error"
    model: str | None = None
    mentions: Source | None = None
    repeated: str = FIRST
    left_out: LeftOut | None = None
    names: Sequence[str] = ()

    def recipe(self) -> dict[str, str]:
        """The model, or the file of scores and its digest."""
        if self.scores is None:
            return {"model": self.model or "pretrained"}
        mended = {} if self.recalibration is None else {"recalibration": self.recalibration}
        return {"scores": self.scores, "digest": self._score_file.digest, "misplaced": self.misplaced, **mended}

    def open(self) -> tuple[list[Document], Iterator[Resolved]]:
        """The documents, and what is said of them, one after another.

        Raises InputError as the readers do, or for options that do not go together.
        """
        if self.scores is None:
            if self.recalibration is not None:
                raise InputError("--recalibration is that of --scores; a model holds its own: recalibrate --model.")
            if self.file is None:
                raise InputError("name a FILE of documents, or the scores of a model: --scores SCORES.")
            trained = load_model(self.model)
            read = read_mentioned(
                [self.file],
                repeated=self.repeated,
                left_out=self.left_out,
                source=self.mentions or trained.mentions,
            )
            documents = chosen(read, self.names)
            return documents, resolve(trained, documents, self.mentions)
        if self.model is not None or self.mentions is not None:
            raise InputError(
                "--scores come from another model and name its mentions; leave --model and --mentions out."
            )
        mended = None if self.recalibration is None else read_recalibration(self.recalibration)
        file = self._score_file
        if self.file is None:
            documents = chosen([file.read(name).document() for name in file.names], self.names)
        else:
            read = read_mentioned([self.file], repeated=self.repeated, left_out=self.left_out)
            documents = chosen(read, self.names)
        return documents, resolve_scores(file, documents, self.misplaced, mended)

    @cached_property
    def _score_file(self) -> ScoreFile:
        return ScoreFile(self.scores or "")


def read_recalibration(path: str) -> CoreferenceRecalibration:
    """A recalibration of scores from its file. Raises InputError if it is none."""
    try:
        with opened(Path(path)) as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}.") from error
    try:
        return CoreferenceRecalibration.from_dict(parsed_json(content))
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, InputError) as error:
        raise InputError(
            f"{path} is no recalibration that howsure coreference recalibrate --scores writes ({str(error)[:80]})."
        ) from None


def resolve_scores(
    file: ScoreFile,
    documents: Sequence[Document],
    misplaced: Misplaced,
    recalibration: CoreferenceRecalibration | None = None,
) -> Iterator[Resolved]:
    """What the scores of a file say of documents, recalibrated; mentions that are left out are said.

    Raises InputError where a document has no scores, or other words than they have.
    """
    missing = [name for name in map(named_part, documents) if name not in file]
    if missing:
        raise InputError(f"{file.path} has no scores of {_some(missing)}; it has {_some(file.names)}.")
    for document in documents:
        found = scored_document(file.read(named_part(document)), document, misplaced=misplaced)
        if found.left_out:
            say(f"howsure: {found.left_out_text()}")
        mended = found.posterior if recalibration is None else recalibration.apply(found.posterior)
        yield Resolved(document, found.mentions, mended, recalibration)


def chosen(documents: Sequence[Document], names: Sequence[str]) -> list[Document]:
    """The documents of these names, all if there are none; InputError for a name that no document has."""
    known = {document.name for document in documents}
    for name in names:
        if name not in known:
            raise InputError(f"there is no document {name!r}; there are {_some(sorted(known))}.")
    return [document for document in documents if not names or document.name in names]


def clusters_by_document(path: str, documents: Sequence[Document]) -> dict[str, tuple[list[str], list[list[Span]]]]:
    """The words and the clusters of spans, counted in words of the document, by the document's name.

    Raises InputError where a document comes twice, has no mentions annotated, or one without an entity.
    """
    found: dict[str, tuple[list[str], list[list[Span]]]] = {}
    for document in documents:
        name = named_part(document)
        if name in found:
            raise InputError(f"{path} holds two documents {name}; their names must differ.")
        if document.mentions is None:
            raise InputError(f"document {name} of {path} has no mentions annotated; there is nothing to score.")
        starts = [0, *accumulate(len(sentence) for sentence in document.sentences)]
        clusters: dict[object, list[Span]] = {}
        for mention in document.mentions:
            span = (starts[mention.sentence] + mention.start, starts[mention.sentence] + mention.end)
            clusters.setdefault(mention.entity, []).append(span)
        words = [word for sentence in document.sentences for word in sentence.words]
        found[name] = words, list(clusters.values())
    return found


def matched(
    gold_path: str,
    gold: Sequence[Document],
    predicted_path: str,
    predicted: Sequence[Document],
    *,
    left_out: LeftOut | None = None,
) -> tuple[list[list[list[Span]]], list[list[list[Span]]]]:
    """The clusters of both sides, documents matched by name, mentions by the place of their words.

    What is left out on one side is left out on both.

    Raises InputError where a document is on one side only, or has other words (more than one in ten) on the other side.
    """
    one, other = clusters_by_document(gold_path, gold), clusters_by_document(predicted_path, predicted)
    for side in (one, other):
        for broken in left_out or ():
            side.pop(broken.name, None)
    for here, there, path in ((one, other, predicted_path), (other, one, gold_path)):
        missing = [name for name in here if name not in there]
        if missing:
            raise InputError(
                f"both files must hold the same documents; {path} lacks {_some(missing)}. Documents are matched by "
                "name: # newdoc id in CoNLL-U, #begin document in CoNLL-2012."
            )
    for name, (words, _) in one.items():
        guessed = other[name][0]
        if len(words) != len(guessed):
            raise InputError(
                f"document {name} has {len(words):,} words in {gold_path} and {len(guessed):,} in {predicted_path}; "
                "mentions are matched by word position."
            )
        differing = [at for at, pair in enumerate(zip(words, guessed, strict=True)) if pair[0] != pair[1]]
        if len(differing) > OTHER_WORDS * len(words):  # a few may be escaped, such as -LRB-
            at = differing[0]
            raise InputError(
                f"document {name} has other words in {gold_path} than in {predicted_path}, {len(differing):,} of "
                f"{len(words):,}; the first is word {at + 1}, {words[at]!r} there and {guessed[at]!r} here."
            )
    return [clusters for _, clusters in one.values()], [other[name][1] for name in one]


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3:,} more"
