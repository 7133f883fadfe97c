"""Models in files: arrays and a JSON head in a zip, each with its SHA-256, and nothing that could run.

A member is a numpy array (`NAME.npy`); `model.json` says the kind of model, the schema of its content and the checksum
of each array, and `model.json.sha256` is the checksum of that head. The same model gives the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from howsure.errors import InputError, shown
from howsure.files.archive import Archive, ArchiveError, Array, read_array
from howsure.files.opened import opened, parsed_json
from howsure.files.saved import path_of, save
from howsure.files.whole import Place
from howsure.inputs.naming import shortened

HEAD, CHECKSUM = "model.json", "model.json.sha256"
LIKE = "model.npz"
UNIX = 3  # the system that the zip names, whatever the system is: the same bytes everywhere


def write_model(
    path: Place, *, kind: str, schema: int, content: Mapping[str, Any], arrays: Mapping[str, Array]
) -> None:
    """Write a model to a file that appears whole or not at all; a model that is there is replaced.

    kind: what it is, such as "tagger". schema: the number of this form of `content` and `arrays`, counted from 1.
    content: what JSON can hold. arrays: numbers, by name.

    Raises InputError where no file can be written.
    """
    members = {f"{name}.npy": _bytes_of(array) for name, array in arrays.items()}
    sums = {name: _sha256(members[f"{name}.npy"]) for name in arrays}
    head = json.dumps({"kind": kind, "schema": schema, "content": content, "sha256": sums}).encode()
    packed = _zipped({HEAD: head, CHECKSUM: _sha256(head).encode(), **members})
    save(packed, path, like=LIKE)


def read_model(
    path: Place, *, kind: str, schema: int, oldest: int | None = None
) -> tuple[dict[str, Any], dict[str, Array]]:
    """The content and the arrays of a model that `write_model` wrote. What a file declares is checked before it is
    unpacked, and nothing is unpickled or evaluated. oldest: the first schema that is still read (default: `schema`).

    Raises InputError if there is no such file, or it is truncated, changed, of another kind or of another schema.
    """
    try:
        with opened(path_of(path, like=LIKE)) as file:
            archive = Archive(file)
            head = _head(path, archive)
            _check_kind(path, head, kind=kind, schemas=range(schema if oldest is None else oldest, schema + 1))
            return head["content"], {name: _array(archive, name, digest) for name, digest in head["sha256"].items()}
    except ArchiveError as error:
        raise damaged_model(path, error) from error


def damaged_model(path: Place, why: object) -> InputError:
    """The error for a file whose parts do not fit together, also for those who find out what `read_model` cannot."""
    what = f"{path} is not a model, or was truncated or changed: {str(why).rstrip('.')}"
    return InputError(f"{what}. Restore a copy, or train the model and save it again.")


def _what_it_is(path: Place, arrays: Sequence[str]) -> str:
    """What a file of arrays that is no model is instead, and which command reads it.

    >>> _what_it_is("crf.npz", ["emissions"])
    'It holds the arrays emissions. Name the file that the model was saved to.'
    """
    held = f"It holds the arrays {shortened(arrays)}" if arrays else "It is a zip without arrays"
    if not {"logits", "predictions"} & set(arrays):
        return f"{held}. Name the file that the model was saved to."
    return (
        f"{held}, which a model of another program put out: `howsure calibration {path}` judges them, `howsure "
        f"recalibrate fit {path}` recalibrates them, and `howsure sequences spans {path}` reads those of a tagger."
    )


def _zipped(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name)  # without the date
            member.create_system = UNIX
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _head(path: Place, archive: Archive) -> dict[str, Any]:
    if HEAD not in archive.members:
        raise InputError(
            f"{path} is not a model that howsure saved: it has no {HEAD}. {_what_it_is(path, archive.arrays)}"
        )
    text = archive.content(HEAD)
    if archive.content(CHECKSUM) != _sha256(text).encode():
        raise ArchiveError(f"{HEAD} does not match its checksum")
    try:
        head = parsed_json(text)
    except ValueError as error:
        raise ArchiveError(str(error)) from error
    forms = {"kind": str, "schema": int, "content": dict, "sha256": dict}
    if not isinstance(head, dict) or any(type(head.get(name)) is not form for name, form in forms.items()):
        raise ArchiveError(f"{HEAD} must hold {', '.join(forms)}")
    return head


def _check_kind(path: Place, head: Mapping[str, Any], *, kind: str, schemas: range) -> None:
    if head["kind"] != kind:
        raise InputError(f"{path} holds a model of the kind {shown(head['kind'])}; this reads the kind {kind!r}.")
    if head["schema"] not in schemas:
        advice = "install a newer one" if head["schema"] > schemas[-1] else "train the model and save it again"
        found = f"{path} has schema {head['schema']!s:.20}"
        read = f"schema {schemas[0]}" if len(schemas) == 1 else f"schemas {schemas[0]} to {schemas[-1]}"
        raise InputError(f"{found} and this howsure reads {read} of the kind {kind!r}; {advice}.")


def _bytes_of(array: Array) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


def _array(archive: Archive, name: str, digest: object) -> Array:
    content = archive.content(f"{name}.npy")
    if _sha256(content) != digest:
        raise ArchiveError(f"{name} does not match its checksum")
    return read_array(io.BytesIO(content), len(content), name=name)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
