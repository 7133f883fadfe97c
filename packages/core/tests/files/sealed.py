"""Model files changed by one who knows how they are sealed: other content, and the checksums that belong to it."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

Parts = dict[str, bytes]
HEAD, CHECKSUM = "model.json", "model.json.sha256"


def parts_of(content: bytes) -> Parts:
    """The members of a model file, without the checksum of its head."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != CHECKSUM}


def sealed(parts: Parts) -> bytes:
    """A model file of these members, with the checksums of arrays in its head, and the checksum of the head."""
    head = json.loads(parts[HEAD])
    for name in head["sha256"]:
        if f"{name}.npy" in parts:
            head["sha256"][name] = hashlib.sha256(parts[f"{name}.npy"]).hexdigest()
    return zipped({**parts, HEAD: json.dumps(head).encode()})


def zipped(parts: Parts) -> bytes:
    """A zip of these members, with the checksum of the head."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in {CHECKSUM: hashlib.sha256(parts[HEAD]).hexdigest().encode(), **parts}.items():
            archive.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def array_bytes(array: Any) -> bytes:
    """An array as numpy writes it, also what a model must not hold."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def reseal(path: Path, arrays: dict[str, Any] | None = None, **changes: Any) -> Path:
    """Change arrays of a file, and entries of its head, of the content in it or of what a tagger has learnt."""
    parts = parts_of(path.read_bytes())
    head = json.loads(parts[HEAD])
    for name, value in changes.items():
        places = head, head["content"], head["content"].get("learnt", {})
        next(place for place in places if name in place)[name] = value
    for name, array in (arrays or {}).items():
        parts[f"{name}.npy"] = array_bytes(array)
    parts[HEAD] = json.dumps(head).encode()
    path.write_bytes(sealed(parts))
    return path
