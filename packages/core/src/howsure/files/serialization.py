"""Saved objects: JSON files and, for arrays, zip files, each with a header that states its kind and version.

They are written atomically and read with limits."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from howsure.errors import InputError, quote
from howsure.files.archive import Archive, ArchiveError, Array, read_array
from howsure.files.atomic_write import Place, locked, write_atomically
from howsure.files.input_files import is_version, opened, parsed_json
from howsure.inputs.numbers_and_names import shortened

MAX_BYTES = 1 << 28
Loaded = TypeVar("Loaded")


def checked_path(path: object, *, like: str) -> Path:
    """Check a path given by the user; raise InputError for an invalid one. like: an example for the message."""
    if isinstance(path, str | os.PathLike):
        path_text = os.fspath(path)
        if isinstance(path_text, str) and path_text and "\0" not in path_text:
            return Path(path_text)
    raise InputError(f"path must be the name of a file, such as {like!r}; it is {quote(path)}.")


def save(content: bytes, path: Place, *, like: str) -> None:
    """Write a file atomically; raise InputError if it cannot be written."""
    target = checked_path(path, like=like)
    try:
        write_atomically(content, target)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}.") from error


def save_later(content: bytes, path: Place, *, earlier: set[str], like: str) -> None:
    """Save a file if it does not exist, or contains an earlier state of the same object; see `save`.

    earlier: the SHA-256 hashes of all states that were loaded or saved before; the hash of `content` is added. A lock
    makes processes that save the same file wait for each other.
    """
    with locked(checked_path(path, like=like)):
        if os.path.exists(path) and sha256(Path(path).read_bytes()) not in earlier:
            changed = "was written by another process since it was loaded, or " if earlier else ""
            raise InputError(
                f"{path} {changed}contains other data. Load the file and add to its content, or name another file."
            )
        save(content, path, like=like)
        earlier.add(sha256(content))


def load(path: Place, parse: Callable[[bytes], Loaded], *, like: str, what: str) -> Loaded:
    """Return the content of a file as parsed by `parse`. Messages name the file; `what` is the kind of file."""
    with opened(checked_path(path, like=like)) as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise InputError(f"{path} is too large to be a {what}: larger than {MAX_BYTES >> 20} MiB.")
    try:
        return parse(content)
    except InputError as error:
        raise error.inside(path) from error


@dataclass(frozen=True, slots=True)
class Head:
    """The required header of a saved JSON object: its kind and version, and their two `keys`.

    what: name of the object in messages. none: message for a JSON object of another kind. older: advice for another
    version. strict: as in `parsed_json`.
    """

    kind: str
    version: int
    keys: tuple[str, str]
    what: str
    none: str
    older: str = ""
    strict: bool = True

    def fields(self, text: str | bytes) -> Mapping[str, Any]:
        """Parse a JSON object with this header."""
        if not isinstance(text, str | bytes):
            raise InputError(f"{self.what} must be a JSON text; it is a {type(text).__name__}.")
        try:
            content = parsed_json(text, strict=self.strict)
        except ValueError as error:
            advice = "Was it cut off, or is it another file?"
            raise InputError(f"{self.what} cannot be read as JSON: {error}. {advice}") from None
        kind, version = self.keys
        if not isinstance(content, dict) or content.get(kind) != self.kind:
            raise InputError(self.none)
        if not is_version(content.get(version), self.version):
            reader = f"this howsure reads {version} {self.version}. {self.older}".rstrip()
            raise InputError(f"{self.what} is of {version} {quote(content.get(version))}, and {reader}")
        return content


@dataclass(frozen=True, slots=True)
class SavedState:
    """The JSON format of a saved state: a header, a checksum, and the content.

    damaged: advice for a state that was changed or truncated.
    """

    head: Head
    damaged: str

    def text(self, content: Mapping[str, Any]) -> str:
        kind, version = self.head.keys
        try:
            digest = json_sha256(content)
            fields = {kind: self.head.kind, version: self.head.version, "sha256": digest, "state": content}
            text = json.dumps(fields, ensure_ascii=False)
            text.encode()
        except UnicodeEncodeError as error:
            around = error.object[max(error.start - 10, 0) : error.end + 10]
            raise InputError(
                f"{self.head.what} cannot be saved: a name contains half a character (a lone surrogate), at "
                f"{around!r}. Rename it."
            ) from None
        return text

    @contextmanager
    def content(self, text: str | bytes) -> Iterator[dict[str, Any]]:
        """A context that gives the content of a JSON text written by `text`."""
        fields = self.head.fields(text)
        try:
            if json_sha256(fields["state"]) != fields["sha256"]:
                raise InputError(
                    f"{self.head.what} does not match its checksum: it was changed or cut off. {self.damaged}"
                )
            yield fields["state"]
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{self.head.what} was changed or cut off ({error!s:.100}). {self.damaged}") from error


def json_sha256(value: Any) -> str:
    """Return the SHA-256 hash of a value as JSON, independent of the order of keys."""
    return sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())


HEAD, CHECKSUM = "model.json", "model.json.sha256"
LIKE = "model.npz"
UNIX = 3  # operating system recorded in the zip, always the same, so that files are identical on all systems


def write_model(
    path: Place, *, kind: str, schema: int, content: Mapping[str, Any], arrays: Mapping[str, Array]
) -> None:
    """Write a model file atomically, replacing an existing one.

    kind: the kind of model, such as "tagger". schema: the version of the format of `content` and `arrays`, from 1.
    content: values that JSON can represent. arrays: arrays of numbers, by name.
    """
    members = {f"{name}.npy": _npy_bytes(array) for name, array in arrays.items()}
    sums = {name: sha256(members[f"{name}.npy"]) for name in arrays}
    head = json.dumps({"kind": kind, "schema": schema, "content": content, "sha256": sums}).encode()
    packed = _zipped({HEAD: head, CHECKSUM: sha256(head).encode(), **members})
    save(packed, path, like=LIKE)


def read_model(
    path: Place, *, kind: str, schema: int, oldest: int | None = None
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read the content and the arrays of a model written by `write_model`.

    Declared sizes are checked before unpacking, and nothing is unpickled or evaluated. oldest: the oldest schema that
    can be read (default: `schema`).
    """
    try:
        with opened(checked_path(path, like=LIKE)) as file:
            archive = Archive(file)
            head = _head(path, archive)
            _check_kind(path, head, kind=kind, schemas=range(schema if oldest is None else oldest, schema + 1))
            return head["content"], {name: _array(archive, name, digest) for name, digest in head["sha256"].items()}
    except ArchiveError as error:
        raise damaged_model(path, error) from error


def damaged_model(path: Place, why: object) -> InputError:
    """Return the error for a damaged model file, also for callers that find inconsistencies in its content."""
    what = f"{path} is not a model, or was truncated or changed: {str(why).rstrip('.')}"
    return InputError(f"{what}. Restore a copy, or train the model and save it again.")


def _what_it_is(path: Place, arrays: Sequence[str]) -> str:
    """Describe a file of arrays that is not a model, and name the commands that read it.

    >>> _what_it_is("crf.npz", ["emissions"])
    'It contains the arrays emissions. Name the file that the model was saved to.'
    """
    arrays_text = f"It contains the arrays {shortened(arrays)}" if arrays else "It is a zip without arrays"
    if not {"logits", "predictions"} & set(arrays):
        return f"{arrays_text}. Name the file that the model was saved to."
    return (
        f"{arrays_text}, the output of a model of another program: `howsure calibration {path}` evaluates them, "
        f"`howsure recalibrate fit {path}` recalibrates them, and `howsure sequences spans {path}` reads those of a "
        "tagger."
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
    if archive.content(CHECKSUM) != sha256(text).encode():
        raise ArchiveError(f"{HEAD} does not match its checksum")
    try:
        head = parsed_json(text)
    except ValueError as error:
        raise ArchiveError(str(error)) from error
    forms = {"kind": str, "schema": int, "content": dict, "sha256": dict}
    if not isinstance(head, dict) or any(type(head.get(name)) is not form for name, form in forms.items()):
        raise ArchiveError(f"{HEAD} must contain {', '.join(forms)}")
    return head


def _check_kind(path: Place, head: Mapping[str, Any], *, kind: str, schemas: range) -> None:
    if head["kind"] != kind:
        raise InputError(f"{path} contains a model of the kind {quote(head['kind'])}; this reads the kind {kind!r}.")
    if head["schema"] not in schemas:
        advice = "install a newer one" if head["schema"] > schemas[-1] else "train the model and save it again"
        schema_text = f"{path} has schema {head['schema']!s:.20}"
        reader = f"schema {schemas[0]}" if len(schemas) == 1 else f"schemas {schemas[0]} to {schemas[-1]}"
        raise InputError(f"{schema_text} and this howsure reads {reader} of the kind {kind!r}; {advice}.")


def _npy_bytes(array: Array) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


def _array(archive: Archive, name: str, digest: object) -> Array:
    content = archive.content(f"{name}.npy")
    if sha256(content) != digest:
        raise ArchiveError(f"{name} does not match its checksum")
    return read_array(io.BytesIO(content), len(content), name=name)


def sha256(content: bytes) -> str:
    """Return the SHA-256 hash of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
