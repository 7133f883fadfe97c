"""Derive names of models, groups and documents from the paths of their files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache

from howsure.inputs.checks import is_missing
from howsure.notes import marked_note

if sys.platform == "win32":  # only functions that do not access the disk
    import ntpath as system_path
else:
    import posixpath as system_path

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".npz", ".npy", ".safetensors", ".eval", ".duckdb")
DOCUMENTS = (".txt", ".conll", ".conllu", ".conll-u", ".iob", ".iob2", ".bio", ".spacy", ".yaml", ".yml")
FORMATS = frozenset((*TABLES, *DOCUMENTS))
RESULTS = frozenset([".jsonl_results"])  # HumanEval writes the results of large.jsonl to large.jsonl_results.jsonl


@lru_cache  # thousands of files in folders of their own may have the same name
def format_suffix(path: str) -> str:
    """Return the suffix of a file's format in lower case; the suffix of a compression is skipped.

    >>> format_suffix("runs/dev.CSV.gz")
    '.csv'
    """
    stem, suffix = system_path.splitext(path.lower())
    return system_path.splitext(stem)[1] if suffix in COMPRESSIONS else suffix


def source_name(path: str) -> str:
    """Return the name of a file without its folder and without known suffixes of compression and format.

    >>> source_name("runs/gpt-3.5-turbo.csv"), source_name("qwen2.5-7b.JSONL.gz"), source_name("llama-3.1")
    ('gpt-3.5-turbo', 'qwen2.5-7b', 'llama-3.1')
    >>> source_name("large-1.5.jsonl_results.jsonl")
    'large-1.5'

    If the name spells a missing value (`is_missing`), such as "nan", the suffix is kept or "./" is prepended.

    >>> source_name("runs/nan.csv"), source_name("runs/nan")
    ('nan.csv', './nan')
    """
    return _without_suffixes(system_path.basename(path))


@lru_cache
def _without_suffixes(name: str) -> str:
    for suffixes in (COMPRESSIONS, FORMATS, RESULTS):
        stem, suffix = system_path.splitext(name)
        name = stem if suffix.lower() in suffixes and not is_missing(stem) else name
    return f"./{name}" if is_missing(name) else name


def source_names(paths: Sequence[str]) -> tuple[str, ...]:
    """Return distinct names for files: the `source_name` of each, unless several files have the same.

    Files with the same name are distinguished by as few of their parent folders as necessary; if their folders are the
    same, they keep their suffixes.

    >>> source_names(["gpt-3.5.csv", "gpt-3.csv"]), source_names(["a/m.csv", "b/m.csv", "gpt-3.csv"])
    (('gpt-3.5', 'gpt-3'), ('a/m', 'b/m', 'gpt-3'))
    >>> source_names(["runs/m.csv", "runs/m.json"])
    ('m.csv', 'm.json')
    """
    names = dict(zip(paths, map(source_name, paths), strict=True))
    for shared in _equal_names(names):
        names |= _names_apart(shared)
    whole = {path: system_path.normpath(path) for path in names}
    while repeated := [path for shared in _equal_names(names) for path in shared if names[path] != whole[path]]:
        names |= {path: whole[path] for path in repeated}
    return tuple(names[path] for path in paths)


def columns_notes(name: str, columns: str | None) -> tuple[str, ...]:
    """Return a note on the layout of a file, if it has more than two columns or lines that begin with #."""
    if columns is None or (columns.startswith("2 ") and ";" not in columns):
        return ()
    other = "" if columns.startswith("2 ") else "; `column=...` names another column of tags"
    return (marked_note(f"{system_path.basename(name)} was read as {columns}{other}."),)


def name_of_file(path: str, paths: Sequence[str]) -> str:
    """Return the name of the first of `paths` that equals or ends with `path`; `path` itself if there is none.

    >>> name_of_file("a/m.csv", ["runs/a/m.csv", "runs/b/m.csv"])
    'a/m'
    """
    names = source_names(paths)
    return next((name for name, path_ in zip(names, paths, strict=True) if f"/{path_}".endswith(f"/{path}")), path)


def _equal_names(names: dict[str, str]) -> list[list[str]]:
    """Return groups of paths that have the same name."""
    by_name: dict[str, list[str]] = {}
    for path, name in names.items():
        by_name.setdefault(name, []).append(path)
    return [paths for paths in by_name.values() if len(paths) > 1]


def _names_apart(paths: Sequence[str]) -> dict[str, str]:
    """Return distinct names by path, with as few folders as possible, and with suffixes if folders do not suffice."""
    folders = {path: system_path.normpath(path).split(system_path.sep)[:-1] for path in paths}
    depth = max(map(len, folders.values()))
    namings: tuple[Callable[[str], str], ...] = (source_name, system_path.basename)
    for naming in namings:
        own_names = {path: naming(path) for path in paths}
        for kept in range(depth + 1):
            names = {path: "/".join([*_last(folders[path], kept), own_names[path]]) for path in paths}
            if len(set(names.values())) == len(paths):
                return names
    return {path: system_path.normpath(path) for path in paths}


def _last(parts: list[str], n: int) -> list[str]:
    return parts[max(len(parts) - n, 0) :]
