"""What `howsure coreference` shows and writes: a trained model, documents with entities, scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from howsure.coreference import AntecedentModel
from howsure.data import write_conll2012, write_conllu, write_three_columns
from howsure.data.documents.document import Document
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted

FORMS = {"conllu": write_conllu, "conll-2012": write_conll2012, "three-columns": write_three_columns}
FORM_OF_SUFFIX = {".conllu": "conllu", ".conll": "conll-2012"}


def check_form(path: str, form: str | None) -> str:
    """The form to write, by name or by suffix; InputError if neither says it."""
    found = form or FORM_OF_SUFFIX.get(Path(path).suffix.lower())
    if found is None:
        raise InputError(
            f"the format of {path} cannot be told from its name; end it in .conllu or .conll, or give --output-format."
        )
    return found


def predicted_text(documents: Sequence[Document], path: str) -> str:
    """What was written."""
    mentions = sum(len(document.mentions or ()) for document in documents)
    entities = sum(len({mention.entity for mention in document.mentions or ()}) for document in documents)
    shown = f"{counted(mentions, 'mention')} of {counted(entities, 'entity', 'entities')}"
    return f"{path}: {counted(len(documents), 'document')}, {shown}\n"


def training_text(
    model: AntecedentModel, documents: Sequence[Document], development: Sequence[Document], dev: str | None, path: str
) -> str:
    """The model, how training went, and its scores on the development documents."""
    kept = max(model.history_, key=lambda one: (one.development or 0.0, one.number), default=None)
    lines = [
        f"model       {model!r}",
        f"trained on  {counted(len(documents), 'document')}{'' if kept is None else f'; kept {kept}'}",
        f"written to  {path}",
    ]
    if model.recalibration_ is not None:
        held = model.recalibration_
        lines += ["", f"recalibrated by {counted(held.documents, 'document')}, each predicted without it", ""]
        lines += [str(held.table())]
    elif not model.interrupted_:
        lines += [f"sharpness   {model.sharpness:g}, not recalibrated: recalibrate it with other documents, or --folds"]
    if development:
        lines += ["", f"judged on {dev}: {counted(len(development), 'document')}, without singletons"]
        lines += ["", model.score(development, singletons=False).table().text()]
    return "\n".join(lines) + "\n"
