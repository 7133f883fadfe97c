"""Taggers in files: a zip of arrays and JSON, written whole or not at all, and read without running anything."""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.errors import InputError
from howsure.files.archive import Archive, ArchiveError, read_array
from howsure.files.json_text import parsed_json
from howsure.sequences.features.tagset import TagSet
from howsure.sequences.taggers.crfsuite import CrfsuiteModel

if TYPE_CHECKING:
    from howsure.sequences.taggers.tagger import Tagger

FORMAT = "howsure tagger"
SCHEMA = 1  # of the files written; later ones are refused
HEAD = "tagger.json"
KINDS: dict[str, type[Tagger]] = {}  # by the name of their kind in files; each class of tagger enters itself
FUNCTION = {"function": "pass it to load"}  # what stands in a file for a parameter that is a function


def save_tagger(tagger: Tagger, path: str | os.PathLike[str]) -> None:
    """Write a fitted tagger to one file; what is there is replaced when all is written.

    Raises InputError if the tagger is not fitted.
    """
    content, arrays = tagger.state()
    packed = {name: _bytes_of(array) for name, array in arrays.items()}
    head = {
        "format": FORMAT,
        "schema": SCHEMA,
        "kind": tagger.kind,
        "parameters": {name: _plain(value) for name, value in tagger.get_params().items()},
        "content": content,
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in packed.items()},
    }
    text = json.dumps(head).encode()
    members = {HEAD: text, f"{HEAD}.sha256": hashlib.sha256(text).hexdigest().encode()}
    members |= {f"{name}.npy": data for name, data in packed.items()}
    _write(Path(path), members)


def load_tagger(path: str | os.PathLike[str], **parameters: Any) -> Tagger:
    """Read a tagger. `parameters` replace those in the file; a function among them is not in the file, and is needed.

    Raises InputError if there is no such file, or if it is cut short, changed, something else or of a later version.
    """
    with _opened(path) as archive:
        head = _head(path, archive)
        if head["schema"] > SCHEMA:
            raise InputError(f"{path} was written by a later howsure (schema {head['schema']}); install a newer one.")
        tagger = _restored(path, head, archive)
    tagger.set_params(**parameters)
    missing = [name for name, value in tagger.get_params().items() if value == FUNCTION]
    if missing:
        raise InputError(
            f"{path} holds a model whose {missing[0]} is a function, which no file can hold; "
            f"pass it: {type(tagger).__name__}.load(path, {missing[0]}=...)."
        )
    return tagger


def _restored(path: str | os.PathLike[str], head: dict[str, Any], archive: Archive) -> Tagger:
    """The tagger that a head describes, of whose arrays each fits its checksum."""
    try:
        tagger = KINDS[head["kind"]]()
        usual, given = tagger.get_params(), head["parameters"].items()
        tagger.set_params(**{name: value for name, value in given if name not in usual or value != usual[name]})
        arrays = {name: _array(archive, name, digest) for name, digest in head["sha256"].items()}
        TagSet(tagger.restore(head["content"], arrays).labels_, len(tagger.labels_))
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, MemoryError) as error:
        raise _damaged(path, str(error)) from error
    return tagger


def read_crfsuite(path: str | os.PathLike[str]) -> CrfsuiteModel:
    """Read a model file of crfsuite.

    Raises InputError if there is no such file or it holds no such model.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        return CrfsuiteModel.parse(data)
    except ValueError as error:
        raise InputError(f"{path} cannot be read as a model of crfsuite: {error}.") from error


def _plain(value: object) -> object:
    """A parameter as JSON holds it: functions and generators stay behind."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return list(value)
    return dict(FUNCTION) if callable(value) else None


def _bytes_of(array: np.ndarray[Any, Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


def _array(archive: Archive, name: str, digest: str) -> np.ndarray[Any, Any]:
    data = archive.content(f"{name}.npy")
    if hashlib.sha256(data).hexdigest() != digest:
        raise ValueError("an array does not fit its checksum")
    return read_array(io.BytesIO(data), len(data), name=name)


def _write(path: Path, members: Mapping[str, bytes]) -> None:
    """Through a temporary file in the same folder, so that no half-written file ever has the name."""
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"the model's file must be in a folder that exists; {path} is not.")
    target = Path(os.path.realpath(path))  # a link stays
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with open(temporary, "xb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                for member, data in members.items():
                    archive.writestr(zipfile.ZipInfo(member), data, zipfile.ZIP_DEFLATED)  # no date: the same bytes
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[Archive]:
    try:
        with open(path, "rb") as file:
            yield Archive(file)
    except ArchiveError as error:
        raise _damaged(path, str(error)) from error
    except OSError as error:
        raise _unreadable(path, error) from error


def _head(path: str | os.PathLike[str], archive: Archive) -> dict[str, Any]:
    if HEAD not in archive.members:
        raise InputError(f"{path} is no model that howsure has saved: it holds no {HEAD}.")
    text = archive.content(HEAD)
    if archive.content(f"{HEAD}.sha256") != hashlib.sha256(text).hexdigest().encode():
        raise _damaged(path, f"{HEAD} does not fit its checksum")
    try:
        head = parsed_json(text)
    except ValueError as error:
        raise _damaged(path, str(error)) from error
    if not isinstance(head, dict) or head.get("format") != FORMAT or type(head.get("schema")) is not int:
        raise InputError(f"{path} is no model that howsure has saved.")
    return head


def _damaged(path: str | os.PathLike[str], why: str) -> InputError:
    what = f"{path} is no whole model file: {why.rstrip('.')}"
    return InputError(f"{what}. Was it cut short or changed? Save the model again.")


def _unreadable(path: str | os.PathLike[str], error: OSError) -> InputError:
    return InputError(f"{path} cannot be read: {error.strerror or error}.")
