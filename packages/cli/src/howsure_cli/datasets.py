"""Data sets: descriptions, sources and downloads. A file appears only when it is complete and verified."""

from __future__ import annotations

import gzip
import hashlib
import os
import tomllib
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException
from importlib.resources import as_file, files
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError, InputError
from howsure.files.atomic_write import write_atomically
from howsure.files.input_files import parsed_json, read_text
from howsure.inputs.numbers_and_names import unknown_name
from howsure.lazy_imports import require
from howsure_cli.example_data import invented_files

# The data sets of the experiments: what they are, where they come from, and where they are stored.

__all__ = ["data_set", "data_set_path", "data_sets", "fetch_data_set", "find_data_set", "read_labelled_texts"]

DEMO = "demo"  # the bundled example data, which are not downloaded
VARIABLE = "HOWSURE_DATA"
HOST = "https://raw.githubusercontent.com"
SITE = "https://github.com"


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a data set: its name, size and SHA-256; if it can be downloaded, the same for the file at the source.

    The file is identical to its source, or the gzipped source if only the file's name ends in .gz.
    """

    name: str
    bytes: int
    sha256: str
    source: str | None = None
    source_bytes: int = 0
    source_sha256: str = ""

    @property
    def is_packed(self) -> bool:
        """Whether the file is the gzipped source."""
        return bool(self.source_sha256)

    @property
    def download_bytes(self) -> int:
        return self.source_bytes or self.bytes

    @property
    def download_sha256(self) -> str:
        """The SHA-256 of the download."""
        return self.source_sha256 or self.sha256


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set: its files, the public repository, commit and path of their source, and the recipe."""

    name: str
    what: str
    licence: str
    citation: str
    repository: str
    commit: str
    path: str
    recipe: str
    files: tuple[DataFile, ...]
    terms: str = ""

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)

    @property
    def can_be_fetched(self) -> bool:
        """Whether every file can be downloaded directly."""
        return all(file.source is not None for file in self.files)

    @property
    def page(self) -> str:
        """The web page of the source; empty for bundled files."""
        return self.repository and "/".join(filter(None, [SITE, self.repository, "tree", self.commit, self.path]))

    def address(self, file: DataFile, *, host: str = HOST) -> str:
        """The download URL of a file."""
        return "/".join(filter(None, [host.rstrip("/"), self.repository, self.commit, self.path, file.source]))

    def is_in(self, folder: Path) -> bool:
        """Whether a folder contains all files."""
        return all((folder / file.name).is_file() for file in self.files)


@cache
def data_sets() -> Mapping[str, DataSet]:
    """All data sets by name."""
    content = files("howsure_cli").joinpath("datasets.toml").read_text(encoding="utf-8")
    return {name: _data_set(name, fields) for name, fields in tomllib.loads(content).items()}


def _data_set(name: str, fields: dict[str, Any]) -> DataSet:
    return DataSet(name, **fields | {"files": tuple(DataFile(**file) for file in fields["files"])})


@cache
def demo_files() -> Mapping[str, bytes]:
    """The example data, bundled and invented: the content of each file by its name."""
    with as_file(files("howsure_cli") / DEMO) as folder:
        paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        bundled = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    return bundled | invented_files()


def demo_data_set() -> DataSet:
    contents = demo_files().items()
    examples = [DataFile(name, len(content), hashlib.sha256(content).hexdigest(), name) for name, content in contents]
    return DataSet(
        name=DEMO,
        what="Examples: answers of models, tags of taggers, labelled news, grades of a judge, trials of agents",
        licence="that of howsure; CC BY 4.0 for predictions.csv",
        citation="howsure; predictions.csv: tweets of Gimpel et al. (ACL 2011)",
        repository="",
        commit="",
        path="",
        recipe="Bundled with howsure; README.md describes each file.",
        files=tuple(examples),
    )


def data_set(name: str) -> DataSet:
    """Return a data set by its name. Raises InputError if there is none with this name.

    >>> data_set("gap_coref").licence
    'Apache 2.0'
    """
    all_sets = data_sets()
    if name not in all_sets:
        raise unknown_name("data set", name, list(all_sets), place="howsure")
    return all_sets[name]


def downloads_folder() -> Path:
    """The folder of downloaded data sets: the user's cache folder."""
    require("The folder of downloads", "cli", "pooch")
    import pooch

    return Path(pooch.os_cache("howsure"))


def find_data_set(name: str, *, data: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of a data set. The folder `data` is searched if it is given, otherwise HOWSURE_DATA, otherwise
    the downloads.
    """
    here = located(name, data=data)
    if here is not None:
        return here[1]
    data_set = data_sets().get(name)
    fetch = f"run `howsure data get {name}`, or " if data_set is not None and data_set.can_be_fetched else ""
    tail = "" if fetch or data_set is None else f" How it is made: `howsure data show {name}`."
    place = f"name the folder that contains the folder {name} by data=... or {VARIABLE}"
    raise InputError(f"the data set {name} was not found; {fetch}{place}.{tail}")


def data_set_path(name: str, file: str, *, data: str | os.PathLike[str] | None = None) -> Path:
    """Return the path of a file of a data set, as `find_data_set` finds it. Raises InputError if it does not exist."""
    path = find_data_set(name, data=data) / file
    if not path.is_file():
        advice = f"Its files: `howsure data show {name}`." if name in data_sets() else ""
        raise InputError(f"the data set {name} has no file {file} in {path.parent}. {advice}".rstrip())
    return path


def located(name: str, *, data: str | os.PathLike[str] | None = None) -> tuple[str, Path] | None:
    """Return where a data set is ("data", HOWSURE_DATA or "downloaded") and its folder; None if it was not found.

    A folder named by the user is accepted without a check; a download counts only if it is complete.
    """
    if data is not None:
        folder = Path(data) / name
        return ("data", folder) if folder.is_dir() else None
    folder_named = os.environ.get(VARIABLE)
    if folder_named and (folder := Path(folder_named) / name).is_dir():
        return VARIABLE, folder
    data_set = data_sets().get(name)
    if data_set is not None and data_set.is_in(folder := downloads_folder() / name):
        return "downloaded", folder
    return None


def read_labelled_texts(path: str | os.PathLike[str], *, limit: int | None = None) -> tuple[list[str], list[int]]:
    """The texts in a file of JSON lines (plain or gzip) and their labels, 0 or 1, as for the sentiment tweets.

    `limit`: of the first lines alone; what follows them is not read.
    """
    text = read_text(path)
    texts, labels = [], []
    lines = (line.rstrip("\n") for line in StringIO(text.content))
    for number, line in enumerate(islice(lines, limit), start=1):
        if not line.strip():
            continue
        try:
            parsed = parsed_json(line)
        except ValueError as error:
            raise text.fault(number, f"a line must be a JSON object; it is not ({error}).") from None
        if not isinstance(parsed, dict) or not isinstance(parsed.get("text"), str):
            raise text.fault(number, f'an object must have a "text"; the line is {line[:60]!r}.')
        label = parsed.get("label")
        if label not in (0, 1) or not isinstance(label, int):
            raise text.fault(number, f'the "label" must be 0 or 1; it is {label!r}.')
        texts.append(parsed["text"])
        labels.append(int(label))
    return texts, labels


# A downloader for pooch that keeps partial downloads when a connection breaks, and later requests only the rest.

SECONDS = 30  # of silence after which a connection counts as lost
BLOCK = 1 << 16
ADVICE = "Check the network, or set HOWSURE_DATA to a folder that contains the data set."
RESUME_ADVICE = "The part already downloaded is kept; rerun the same command to resume."
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
                self.part.unlink(missing_ok=True)  # the stored part is not the beginning of the file
                self._go_on(url)
        except urllib.error.HTTPError as error:
            raise DownloadError(f"{url} answers {error.code} {error.reason}. {ADVICE}") from error
        except (urllib.error.URLError, ConnectionError, TimeoutError, HTTPException) as error:
            reason = str(getattr(error, "reason", error)) or type(error).__name__
            kept = f" {RESUME_ADVICE}" if self.part.exists() else ""
            raise DownloadError(f"{url} cannot be fetched: {reason}. {ADVICE}{kept}") from error
        os.replace(self.part, output_file)

    def _go_on(self, url: str) -> None:
        n_bytes = self.part.stat().st_size if self.part.exists() else 0
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={n_bytes}-"} if n_bytes else {})
        request = urllib.request.Request(url, headers=headers)
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            goes_on = response.status == 206
            n_bytes = n_bytes if goes_on else 0
            self.advance(n_bytes)
            with open(self.part, "ab" if goes_on else "wb") as file:
                while block := response.read(BLOCK):
                    file.write(block)
                    self.advance(len(block))
            length = response.headers.get("Content-Length")
        if length is not None and self.part.stat().st_size < n_bytes + int(length):
            raise DownloadError(f"{url} broke off. {RESUME_ADVICE}")


# Downloading data sets: a file appears only once it is complete and verified; interrupted downloads are resumed.

Advance = Callable[[int], None]


def fetch_data_set(
    dataset: DataSet, folder: str | os.PathLike[str], *, host: str = HOST, advance: Advance = lambda n: None
) -> list[Path]:
    """Download the files of a data set into a folder, and return those that were not there yet.

    `host` is the address of the site, or of a mirror with the same paths; `advance` receives the number of bytes as
    they arrive. A file that already exists is checked, not downloaded again.
    """
    if not dataset.can_be_fetched:
        raise InputError(
            f"{dataset.name} cannot be downloaded, because its files were made from others (see `howsure data show "
            f"{dataset.name}`). Set {VARIABLE} to a folder that contains a folder {dataset.name} with them."
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


def copy_data_set(dataset: DataSet, source: str | os.PathLike[str], folder: str | os.PathLike[str]) -> list[Path]:
    """Copy the files of a data set from one folder to another, and return those that were not there yet.

    Raises DownloadError if a file is not the right one.
    """
    copied = []
    for file in dataset.files:
        target = Path(folder) / file.name
        if not target.is_file():
            _check(file, Path(source) / file.name)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically((Path(source) / file.name).read_bytes(), target)
            copied.append(target)
        _check(file, target)
    return copied


def copy_demo(folder: str | os.PathLike[str]) -> list[Path]:
    """Write the example data into a folder, and return the files that did not exist yet."""
    new = {Path(folder) / name: content for name, content in demo_files().items() if not (Path(folder) / name).exists()}
    for path, content in new.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(content, path)
    return list(new)


def _check(file: DataFile, target: Path) -> None:
    content = target.read_bytes()
    try:
        content = gzip.decompress(content) if file.is_packed else content
    except (OSError, EOFError, zlib.error):
        content = b""
    if hashlib.sha256(content).hexdigest() != file.download_sha256:
        raise DownloadError(f"{target} does not match its checksum. Remove it and fetch it again.")


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
        write_atomically(gzip.compress(raw.read_bytes(), mtime=0), target)
        raw.unlink()
    else:
        os.replace(raw, target)
