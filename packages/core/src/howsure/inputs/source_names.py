"""Names of models, groups and documents, taken from the paths of their files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from howsure.inputs.checks import is_missing

if sys.platform == "win32":  # functions on names of files, none of which touches a disk
    import ntpath as system_path
else:
    import posixpath as system_path

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".npz", ".npy", ".safetensors", ".eval", ".duckdb")
DOCUMENTS = (".txt", ".conll", ".conllu", ".conll-u", ".iob", ".iob2", ".bio", ".spacy", ".yaml", ".yml")
FORMATS = frozenset((*TABLES, *DOCUMENTS))
RESULTS = frozenset([".jsonl_results"])  # HumanEval writes large.jsonl_results.jsonl about large.jsonl


def format_suffix(path: str) -> str:
    """The last suffix of a file in lower case, without that of its compression.

    >>> format_suffix("runs/dev.CSV.gz")
    '.csv'
    """
    stem, suffix = system_path.splitext(path.lower())
    return system_path.splitext(stem)[1] if suffix in COMPRESSIONS else suffix


def source_name(path: str) -> str:
    """The name of what a file holds: its own name without the suffixes of compression and format, if they are known.

    >>> source_name("runs/gpt-3.5-turbo.csv"), source_name("qwen2.5-7b.JSONL.gz"), source_name("llama-3.1")
    ('gpt-3.5-turbo', 'qwen2.5-7b', 'llama-3.1')
    >>> source_name("large-1.5.jsonl_results.jsonl")
    'large-1.5'

    No name spells what is missing (`is_missing`): a suffix stays that keeps it from that, or a folder is written.

    >>> source_name("runs/nan.csv"), source_name("runs/nan")
    ('nan.csv', './nan')
    """
    name = system_path.basename(path)
    for suffixes in (COMPRESSIONS, FORMATS, RESULTS):
        stem, suffix = system_path.splitext(name)
        name = stem if suffix.lower() in suffixes and not is_missing(stem) else name
    return f"./{name}" if is_missing(name) else name


def source_names(paths: Sequence[str]) -> tuple[str, ...]:
    """Different names for different files: the `source_name` of each, whatever the others are, unless it is shared.

    Files that share a name get their folders in front of it, as many as tell them apart; files of one folder keep their
    suffixes.

    >>> source_names(["gpt-3.5.csv", "gpt-3.csv"]), source_names(["a/m.csv", "b/m.csv", "gpt-3.csv"])
    (('gpt-3.5', 'gpt-3'), ('a/m', 'b/m', 'gpt-3'))
    >>> source_names(["runs/m.csv", "runs/m.json"])
    ('m.csv', 'm.json')
    """
    names = dict(zip(paths, map(source_name, paths), strict=True))
    for shared in _shared(names):
        names |= _names_apart(shared)
    whole = {path: system_path.normpath(path) for path in names}
    while repeated := [path for shared in _shared(names) for path in shared if names[path] != whole[path]]:
        names |= {path: whole[path] for path in repeated}
    return tuple(names[path] for path in paths)


def name_of_file(path: str, paths: Sequence[str]) -> str:
    """The name of the file that `path` is, or ends like; a path that is none of them is returned unchanged.

    >>> name_of_file("a/m.csv", ["runs/a/m.csv", "runs/b/m.csv"])
    'a/m'
    """
    names = source_names(paths)
    return next((name for name, path_ in zip(names, paths, strict=True) if f"/{path_}".endswith(f"/{path}")), path)


def _shared(names: dict[str, str]) -> list[list[str]]:
    """The paths of each name that several have."""
    by_name: dict[str, list[str]] = {}
    for path, name in names.items():
        by_name.setdefault(name, []).append(path)
    return [paths for paths in by_name.values() if len(paths) > 1]


def _names_apart(paths: Sequence[str]) -> dict[str, str]:
    """Names with as few folders as tell the paths apart, without suffixes if folders are enough."""
    folders = {path: system_path.normpath(path).split(system_path.sep)[:-1] for path in paths}
    depth = max(map(len, folders.values()))
    namings: tuple[Callable[[str], str], ...] = (source_name, system_path.basename)
    for naming in namings:
        for kept in range(depth + 1):
            names = {path: "/".join([*_last(folders[path], kept), naming(path)]) for path in paths}
            if len(set(names.values())) == len(paths):
                return names
    return {path: system_path.normpath(path) for path in paths}


def _last(parts: list[str], n: int) -> list[str]:
    return parts[max(len(parts) - n, 0) :]
