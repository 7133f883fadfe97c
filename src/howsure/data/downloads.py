"""Downloading data sets: a file appears only once it is complete and verified; what was interrupted goes on."""

from __future__ import annotations

import gzip
import hashlib
import os
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any

from howsure.data.datasets import HOST, VARIABLE, DataFile, DataSet
from howsure.errors import HowsureError, InputError
from howsure.files.whole import write_whole
from howsure.first_use import require

# A downloader for pooch that keeps partial downloads when a connection breaks, and later requests only the rest.

SECONDS = 30  # of silence after which a connection counts as lost
BLOCK = 1 << 16
ADVICE = "Check the network, or set HOWSURE_DATA to a folder that holds the data set."
KEPT = "The part already downloaded is kept; rerun the same command to resume."
NO_SUCH_REST = 416


class DownloadError(HowsureError):
    """A file could not be downloaded. The message says what to do."""


class Resuming:
    """Downloads to a file `part` that is kept after an interruption; `advance` receives the number of bytes."""

    def __init__(self, part: Path, advance: Callable[[int], None]) -> None:
        self.part, self.advance = part, advance

    def __call__(self, url: str, output_file: str | os.PathLike[str], pooch: Any, check_only: bool = False) -> None:
        """Download `url` completely to `output_file`; DownloadError on failure."""
        try:
            try:
                self._go_on(url)
            except urllib.error.HTTPError as error:
                if error.code != NO_SUCH_REST:
                    raise
                self.part.unlink(missing_ok=True)  # what is held is no beginning of the file
                self._go_on(url)
        except urllib.error.HTTPError as error:
            raise DownloadError(f"{url} answers {error.code} {error.reason}. {ADVICE}") from error
        except (urllib.error.URLError, ConnectionError, TimeoutError, HTTPException) as error:
            reason = str(getattr(error, "reason", error)) or type(error).__name__
            kept = f" {KEPT}" if self.part.exists() else ""
            raise DownloadError(f"{url} cannot be fetched: {reason}. {ADVICE}{kept}") from error
        os.replace(self.part, output_file)

    def _go_on(self, url: str) -> None:
        held = self.part.stat().st_size if self.part.exists() else 0
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={held}-"} if held else {})
        request = urllib.request.Request(url, headers=headers)
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            goes_on = response.status == 206
            held = held if goes_on else 0
            self.advance(held)
            with open(self.part, "ab" if goes_on else "wb") as file:
                while block := response.read(BLOCK):
                    file.write(block)
                    self.advance(len(block))
            length = response.headers.get("Content-Length")
        if length is not None and self.part.stat().st_size < held + int(length):
            raise DownloadError(f"{url} broke off. {KEPT}")


# Downloading data sets: a file appears only once it is complete and verified; interrupted downloads are resumed.

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
