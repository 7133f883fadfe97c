"""Downloading data sets: a file appears only once it is complete and verified; interrupted downloads are resumed."""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Callable
from pathlib import Path

from howsure.data.datasets.registry import HOST, VARIABLE, DataFile, DataSet
from howsure.data.datasets.resuming import DownloadError, Resuming
from howsure.errors import InputError
from howsure.files.whole import write_whole
from howsure.first_use import require

Advance = Callable[[int], None]


def fetch_data_set(
    dataset: DataSet, folder: str | os.PathLike[str], *, host: str = HOST, advance: Advance = lambda n: None
) -> list[Path]:
    """Download the files of a data set into a folder, and return those that were not there yet.

    `host` is the address of the site, or of a mirror with the same paths; `advance` receives the number of bytes as
    they arrive. A file that already exists is checked, not downloaded again.

    Raises InputError if the data set cannot be downloaded, DownloadError if a file does not arrive or is not the right
    one.
    """
    if not dataset.can_be_fetched:
        raise InputError(
            f"{dataset.name} cannot be downloaded, because its files were made from others (see `howsure data show "
            f"{dataset.name}`). Set {VARIABLE} to a folder that holds a folder {dataset.name} with them."
        )
    if not host.startswith(("https://", "http://")):
        raise InputError(f"the site must be an address that begins with https:// or http://; it is {host!r}.")
    fetched = []
    for file in dataset.files:
        target = Path(folder) / file.name
        if target.is_file():
            _check(file, target)
            advance(file.download_bytes)
        else:
            _fetch(dataset.address(file, host=host), file, target, advance)
            fetched.append(target)
    return fetched


def _check(file: DataFile, target: Path) -> None:
    content = target.read_bytes()
    try:
        content = gzip.decompress(content) if file.is_packed else content
    except (OSError, EOFError, zlib.error):
        content = b""
    if hashlib.sha256(content).hexdigest() != file.download_sha256:
        raise DownloadError(f"{target} is not the file that it should be. Remove it and fetch it again.")


def _fetch(address: str, file: DataFile, target: Path, advance: Advance) -> None:
    require("A download", "cli", "pooch")
    import pooch

    pooch.get_logger().setLevel("WARNING")
    target.parent.mkdir(parents=True, exist_ok=True)
    raw = target.with_name(f".{target.name}.raw")
    downloader = Resuming(target.with_name(f".{target.name}.part"), advance)
    try:
        pooch.retrieve(address, f"sha256:{file.download_sha256}", raw.name, raw.parent, downloader=downloader)
    except ValueError as error:  # the wrong SHA-256; pooch has removed the file
        raise DownloadError(
            f"{address} is not the file that it should be (its SHA-256 should begin with {file.download_sha256[:12]}); "
            "the download was removed. Try again; if that does not help, the source has changed."
        ) from error
    if file.is_packed:
        write_whole(gzip.compress(raw.read_bytes(), mtime=0), target)
        raw.unlink()
    else:
        os.replace(raw, target)
