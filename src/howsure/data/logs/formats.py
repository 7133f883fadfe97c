"""The formats of logs, and which of them a file has."""

from __future__ import annotations

from collections.abc import Sequence

from howsure.data.logs.beginning import Beginning
from howsure.data.logs.log_format import LogFormat
from howsure.data.logs.readers.helm import HELM
from howsure.data.logs.readers.hugging_face import HUGGING_FACE
from howsure.data.logs.readers.inspect_ai import INSPECT
from howsure.data.logs.readers.lighteval import LIGHTEVAL
from howsure.data.logs.readers.lm_eval import LM_EVAL
from howsure.data.logs.readers.openai import OPENAI
from howsure.data.tables.named_files import TABLES, File
from howsure.errors import GIVEN, InputError, parameter

FORMATS: tuple[LogFormat, ...] = (LM_EVAL, INSPECT, HELM, LIGHTEVAL, OPENAI, HUGGING_FACE)
BY_NAME = {one.name: one for one in FORMATS}


def check_format(name: str | None) -> None:
    """Raise InputError if no table or log is of that format."""
    if name is not None and name not in (*TABLES, *BY_NAME):
        raise InputError(
            f"{parameter('format', GIVEN)} must be one of {', '.join(TABLES)}, or of the logs {', '.join(BY_NAME)}; "
            f"it is {name!r}."
        )


def detected(files: Sequence[File]) -> LogFormat | None:
    """The format of logs that all files have; None if they are tables.

    Raises InputError if some are of one format and some of another, or none.
    """
    found = [_format_of(file) for file in files]
    first = found[0]
    for file, other in zip(files, found, strict=True):
        if other is not first:
            said = [f"{one.name} is {_said(form)}" for one, form in ((files[0], first), (file, other))]
            raise InputError(f"all files must be of one format; {', '.join(said)}. Read them one after the other.")
    return first


def _format_of(file: File) -> LogFormat | None:
    beginning = Beginning(file)
    return next((form for form in FORMATS if form.recognises(beginning)), None)


def _said(form: LogFormat | None) -> str:
    return "a table" if form is None else f"a log of {form.program}"
