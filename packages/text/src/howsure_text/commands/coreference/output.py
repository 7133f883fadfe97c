"""The output of `howsure coreference`: a trained model, documents with entities, pairs and probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from howsure import __version__
from howsure.data import write_conll2012, write_conllu
from howsure.data.documents.document import Document
from howsure.errors import InputError
from howsure.files.atomic_write import write_atomically
from howsure.inputs.numbers_and_names import counted
from howsure.show.table import Table
from howsure_cli.command_line import check_memory
from howsure_cli.terminal.output import is_raw, json_text, table_text
from howsure_text.coreference import AntecedentModel
from howsure_text.coreference.resolution import LEVEL, ResolvedDocument

WRITERS = {".conllu": write_conllu, ".conll": write_conll2012}


def writer(path: str) -> Callable[[Sequence[Document], str], None]:
    """Return the function that writes documents to a file with this suffix; raise InputError for other suffixes."""
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise InputError(f"{path} must end in .conllu (CoNLL-U) or .conll (CoNLL-2012).")
    return WRITERS[suffix]


def predicted_text(documents: Sequence[Document], path: str) -> str:
    """Return a line on the file that was written: its documents, mentions and entities."""
    mentions = sum(len(document.mentions or ()) for document in documents)
    entities = sum(len({mention.entity for mention in document.mentions or ()}) for document in documents)
    shown = f"{counted(mentions, 'mention')} of {counted(entities, 'entity', 'entities')}"
    return f"{path}: {counted(len(documents), 'document')}, {shown}\n"


def training_text(
    model: AntecedentModel, documents: Sequence[Document], development: Sequence[Document], dev: str | None, path: str
) -> str:
    """Return a summary of the model, its training, and its scores on the development documents."""
    kept = max(
        model.history_, key=lambda training_pass: (training_pass.development or 0.0, training_pass.number), default=None
    )
    lines = [
        f"model       {model!r}",
        f"trained on  {counted(len(documents), 'document')}{'' if kept is None else f'; kept {kept}'}",
        f"written to  {path}",
    ]
    if model.recalibration_ is not None:
        recalibration = model.recalibration_
        lines += ["", f"recalibrated by {counted(recalibration.documents, 'document')}, each predicted without it", ""]
        lines += [str(recalibration.table())]
    elif not model.interrupted_:
        lines += [f"sharpness   {model.sharpness:g}, not recalibrated: recalibrate it with other documents, or --folds"]
    if development:
        lines += ["", f"judged on {dev}: {counted(len(development), 'document')}, without singletons"]
        lines += ["", model.score(development, singletons=False).table().text()]
    return "\n".join(lines) + "\n"


SUFFIXES = (".json", ".parquet", ".csv")
SAMPLE_BYTES = 200  # minimum memory of a row of samples
WHY_OUTSIDE = """ entities: those of one clustering, which rounds each mention: one that is new with p = 0.6 is a whole
entity there and 0.6 of one in the expected number, so that their number may be outside the interval.
"""
WHY_SEVERAL = """ entities: those of several mentions, chosen and expected. A scored mention alone in its entity
may not be a mention: most models do not distinguish the two.
"""


def check_suffix(path: str, *, of_samples: bool = False) -> None:
    """Raise InputError for a file that --output cannot write; samples are not written as JSON."""
    suffixes = SUFFIXES[1:] if of_samples else SUFFIXES
    if Path(path).suffix.lower() not in suffixes:
        raise InputError(f"--output writes {', '.join(suffixes)}; name a file that ends in one of these, not {path}.")


def posterior_text(resolved_documents: Sequence[ResolvedDocument], *, scored: bool) -> str:
    """Return a table of the number of entities of every document; if there is one document, also its entities.

    scored: the probabilities come from scores of another model, which may not show whether a singleton is a mention.
    """
    text = _scored_text(resolved_documents) if scored else _numbers_text(resolved_documents)
    if len(resolved_documents) > 1:
        return text
    table = resolved_documents[0].entity_table()
    shown = table_text(table) if table.rows else ""
    return "\n".join([text, shown + "".join(f"{note}\n" for note in table.notes)])


def _numbers_text(resolved_documents: Sequence[ResolvedDocument]) -> str:
    rows, outside = [], False
    for resolved_document in resolved_documents:
        low, high = resolved_document.number.interval(LEVEL)
        outside |= not low <= len(resolved_document.entities) <= high
        shown = f"{resolved_document.number.mean:.1f}", f"{low} to {high}", f"{len(resolved_document.pairs):,}"
        rows.append(
            [
                resolved_document.document.name,
                f"{len(resolved_document.mentions):,}",
                f"{len(resolved_document.entities):,}",
                *shown,
            ]
        )
    headings = ("document", "mentions", "entities", "expected", "95%", "pairs")
    return table_text(Table(headings, rows, words=("document",))) + (WHY_OUTSIDE if outside else "")


def _scored_text(resolved_documents: Sequence[ResolvedDocument]) -> str:
    """Return a table of entities with several mentions, and how many annotated mentions the scores contain."""
    rows = []
    for resolved_document in resolved_documents:
        several = sum(len(members) > 1 for members in resolved_document.entities)
        shown = f"{several:,}", f"{resolved_document.several:.1f}", f"{len(resolved_document.pairs):,}"
        rows.append([resolved_document.document.name, f"{len(resolved_document.mentions):,}", *shown])
    text = table_text(Table(("document", "mentions", "entities", "expected", "pairs"), rows, words=("document",)))
    text += WHY_SEVERAL
    annotated = [resolved_document for resolved_document in resolved_documents if resolved_document.gold is not None]
    if annotated:
        gold = sum(len(resolved_document.document.mentions or ()) for resolved_document in annotated)
        scored_mentions = sum(
            len(set(resolved_document.document.mentions or ()) & set(resolved_document.mentions))
            for resolved_document in annotated
        )
        text += f"Of {counted(gold, 'annotated mention')}, the scores name {scored_mentions:,}.\n"
    return text


def write_posterior(resolved_documents: Sequence[ResolvedDocument], path: str, recipe: Mapping[str, Any]) -> None:
    """Write mentions, pairs and entities as JSON, or the pairs as Parquet or CSV."""
    if Path(path).suffix.lower() == ".json":
        documents = [
            {name: part for name, part in resolved_document.to_dict().items() if name != "recipe"}
            for resolved_document in resolved_documents
        ]
        write_atomically(json_text({"howsure": __version__, **recipe, "documents": documents}).encode(), path)
        return
    from howsure.data.predictions.write_pairs import write_columns

    columns = [resolved_document.pair_columns() for resolved_document in resolved_documents]
    write_columns(
        {name: [x for pair_columns in columns for x in pair_columns[name]] for name in columns[0]}, path, raw=is_raw()
    )


def write_samples(resolved_documents: Sequence[ResolvedDocument], path: str, *, n: int, seed: int) -> None:
    """Write n clusterings of each document, drawn from its posterior: a row for each sample and mention.

    `entity` is the number of the first mention of the entity. The random numbers of a document depend only on its
    position.
    """
    from howsure.data.predictions.write_pairs import write_columns

    n_mentions = sum(len(resolved_document.mentions) for resolved_document in resolved_documents)
    check_memory(n * n_mentions * SAMPLE_BYTES, name="--samples", value=n)
    columns: dict[str, list[Any]] = {
        name: [] for name in ("document", "sample", "mention", "sentence", "start", "end", "text", "entity")
    }
    for place, resolved_document in enumerate(resolved_documents):
        mentions = resolved_document.mentions
        clusterings = resolved_document.posterior.sample(n, rng=np.random.default_rng([seed, place]))
        columns["document"] += [resolved_document.document.name] * (n * len(mentions))
        columns["sample"] += np.repeat(np.arange(1, n + 1), len(mentions)).tolist()
        columns["mention"] += [*range(len(mentions))] * n
        for name in ("sentence", "start", "end"):
            columns[name] += [getattr(mention, name) for mention in mentions] * n
        columns["text"] += [resolved_document.words_of(mention) for mention in range(len(mentions))] * n
        columns["entity"] += clusterings.ravel().tolist()
    write_columns(columns, path, raw=is_raw())


def write_text(resolved_documents: Sequence[ResolvedDocument], path: str) -> None:
    """Write the text of documents as an HTML page with coloured entities."""
    from howsure_cli.report.pages import write_report
    from howsure_text.report import coreference_page

    write_report(coreference_page(resolved_documents), path)
