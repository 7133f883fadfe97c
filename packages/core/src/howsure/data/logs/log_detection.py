"""Detect the program that wrote a file, find the files of a folder, and refuse summaries, which have no answers."""

from __future__ import annotations

import glob
import importlib
import os
import shlex
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import chain

from howsure.data.logs.agents import AGENTS
from howsure.data.logs.layouts import LAYOUTS
from howsure.data.logs.log_file import Beginning, LogFormat, garbage_collection_paused
from howsure.data.tables.named_files import SUFFIXES, TABLES, File
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted, natural_order, shortened
from howsure.inputs.source_names import format_suffix

# The formats of logs, and the detection of a file's format.

LOGS = {  # name -> (module, its format), in the order in which they are tried
    "lm-eval": ("lm_eval", "LM_EVAL"),
    "inspect": ("inspect_ai", "INSPECT"),
    "helm": ("helm", "HELM"),
    "lighteval": ("lighteval", "LIGHTEVAL"),
    "openai": ("openai", "OPENAI"),
    "decisions": ("decisions", "DECISIONS"),
    **dict.fromkeys(AGENTS, ("agents", "AGENTS")),
    **dict.fromkeys(LAYOUTS, ("layouts", "LAYOUTS")),
    "hf": ("arrays", "HUGGING_FACE"),
}


@cache
def log_format(name: str) -> LogFormat:
    """Return the log format with this name, which is loaded on first use."""
    if name in AGENTS or name in LAYOUTS:
        return (AGENTS | LAYOUTS)[name]
    module, constant = LOGS[name]
    log_format_ = getattr(importlib.import_module(f"howsure.data.logs.{module}"), constant)
    assert isinstance(log_format_, LogFormat)
    return log_format_


def check_format(name: str | None) -> None:
    """Raise InputError unless this is the name of a format of tables or logs."""
    if name is not None and name not in (*TABLES, *LOGS):
        raise InputError(
            f"`format=...` must be one of {', '.join(TABLES)}, or of the logs {', '.join(LOGS)}; it is {name!r}."
        )


def detected(files: Sequence[File]) -> LogFormat | None:
    """Detect the common log format of all files; None if they are tables."""
    formats = [_detect_format(Beginning(file)) for file in files]
    first = formats[0]
    for file, other in zip(files, formats, strict=True):
        if other is not first:
            formats_found = ((files[0], first), (file, other))
            descriptions = [f"{named.name} is {_format_name(form)}" for named, form in formats_found]
            raise InputError(
                f"all files must be of one format; {', '.join(descriptions)}. Read them one after the other."
            )
    return first


def _detect_format(beginning: Beginning) -> LogFormat | None:
    if beginning.file.format in ("csv", "tsv"):  # not a log of any program
        return None
    if beginning.file.format == "json" and beginning.text.startswith(b"{"):
        return _format_of_object(os.path.basename(beginning.file.name), beginning.keys)
    return _recognised(beginning)


@lru_cache  # thousands of trials have equal names and keys
def _format_of_object(name: str, keys: tuple[str, ...]) -> LogFormat | None:
    """Return the format of a document with an object, which depends only on its name and its first keys."""
    beginning = Beginning(File(name, name, "json"))
    beginning.__dict__.update(text=b"{", keys=keys)
    return _recognised(beginning)


def _recognised(beginning: Beginning) -> LogFormat | None:
    return next((form for form in map(log_format, LOGS) if form.recognises(beginning)), None)


def _format_name(form: LogFormat | None) -> str:
    return "a table" if form is None else f"a log of {form.program}"


# Summaries are means that a program writes in addition to its samples, or instead of them.

SUMMARIES = {  # program -> (first keys, "" for any; other keys; files to use instead)
    "lm-evaluation-harness": (("results",), {"alias"}, "samples_*.jsonl, which are written with log_samples"),
    "lighteval": (("config_general",), {"results"}, "details_*.parquet, which are written with save-details"),
    "HELM": (("name",), {"count", "sum", "mean"}, "per_instance_stats.json, which is next to it"),
    "DeepEval": (("testRunLink",), set[str](), ".latest_run_full.json, which is next to it"),
    "LiveCodeBench": (("pass@1", "detail"), set[str](), "the file _eval_all.json, which is next to it"),
    "MMLU-Pro": (("", "corr", "wrong", "acc"), set[str](), "the file _result.json, which is next to it"),
    "Harbor": (("id",), {"n_total_trials"}, "result.json of each trial, in the folders next to it"),
    "Every Eval Ever": (("schema_version",), {"model_info", "source_metadata"}, "the .jsonl of its instances"),
}
LINKS = {"DeepEval": "a link of DeepEval to a run,"}  # a link, not a summary


def check_tables(files: Sequence[File]) -> None:
    """Raise InputError if a file is a summary or an archive; only logs may be archives."""
    for file in files:
        if file.format == "zip" and zipfile.is_zipfile(file.path):
            raise InputError(f"{file.name} is not an archive of a program that howsure can read: {', '.join(LOGS)}.")
        if file.format == "zip":
            raise InputError(f"{file.name} is not a complete archive. Was it cut off, or is it still being written?")
        check_no_summary(file)


def check_no_summary(file: File) -> None:
    """Raise InputError for a summary, a file of means that some programs write in addition to samples."""
    program = _detect_summary(Beginning(file)) if file.format == "json" else None
    if program is not None:
        raise InputError(
            f"{file.name} is {LINKS.get(program, f'a summary of {program}, means')} without answers; use the file of "
            f"the samples: {SUMMARIES[program][-1]}."
        )


def _detect_summary(beginning: Beginning) -> str | None:
    """Return the program that wrote a summary; None for other files."""
    return _summary_with_keys(beginning.keys)


@lru_cache
def _summary_with_keys(keys: tuple[str, ...]) -> str | None:
    names = set(keys)
    for name, (first, others, _) in SUMMARIES.items():
        begins = len(keys) >= len(first) and all(key_ in ("", key) for key_, key in zip(first, keys, strict=False))
        if begins and others <= names and "instance_id" not in names:
            return name
    return None


# A folder stands for the files in it, which must be logs of one program or tables of one format.

BESIDE = {"run_spec.json", "scenario.json", "config.json", ".deepeval-cache.json"}  # written next to logs
ANSWER_TABLES = ("csv", "tsv", "parquet")  # formats of tables that may contain answers
FIRST = ("per_instance_stats.json", ".latest_run_full.json", "_eval_all.json")  # preferred in a run


def unfolded(
    paths: Sequence[str | os.PathLike[str]], format: str | None = None, tell: Callable[[str], None] = lambda text: None
) -> tuple[list[str | File], str | None]:
    """Replace each folder by the files in it. Return the paths or files, and the log format of a single folder.

    The format is None for tables, and if it has not been determined. tell: a function that is called with a note on
    tables next to logs.
    """
    named = [os.fspath(path) for path in paths]
    if len(named) == 1 and os.path.isdir(named[0]):
        return _inside(named[0], format, tell)
    files = [_inside(path, format, tell)[0] if os.path.isdir(path) else [path] for path in named]
    return [*chain.from_iterable(files)], None


@garbage_collection_paused()
def _inside(folder: str, format: str | None, tell: Callable[[str], None]) -> tuple[list[str | File], str | None]:
    files_by_kind: dict[str, list[File]] = {}
    summaries, empty, unfinished = list[File](), list[str](), list[str]()
    for beginning in _beginnings_in(folder, empty, unfinished):
        file = beginning.file
        if file.format == "json" and _detect_summary(beginning) is not None:
            summaries.append(file)
        else:
            form = _detect_format(beginning)
            files_by_kind.setdefault(file.format if form is None else form.name, []).append(file)
    logs = {name: files for name, files in files_by_kind.items() if name in LOGS}
    kinds = {name: files for name, files in (logs or files_by_kind).items() if format in (None, name)}
    if not kinds and summaries:
        check_no_summary(summaries[0])
    if not kinds:
        raise _nothing_to_read(folder)
    if len(kinds) > 1:
        raise _several_kinds(folder, {name: _leading(name, files) for name, files in kinds.items()})
    ((kind, files),) = kinds.items()
    names = {os.path.basename(file.name) for file in files}
    cut_off = [path for path in empty if kind in LOGS and os.path.basename(path) in names]
    if cut_off:
        raise InputError(f"{cut_off[0]} is empty. Was its run cut off? Run it again, or delete the file.")
    if kind == "harbor" and unfinished:
        trials = f"{counted(len(unfinished), 'folder')} without a result.json, such as {unfinished[0]}"
        tell(f"{folder} also contains {trials}: trials that did not finish are not counted.")
    tables = [file.name for name in ANSWER_TABLES for file in files_by_kind.get(name, ()) if logs and name != kind]
    if tables:
        tell(f"{folder} also contains {counted(len(tables), 'table')}, not read with the logs: {shortened(tables)}.")
    leading = set(_leading(kind, files))
    return [file for file in files if file.name in leading], kind if logs else None


def _leading(kind: str, files: Sequence[File]) -> list[str]:
    """Return the names of the files that contain the answers of their run, or all names.

    A trial of Terminal-Bench is in its own file and in the file of its run, in a folder above, which is preferred.
    """
    names = [file.name for file in files]
    if kind == "terminal-bench":
        folders = {os.path.dirname(name) for name in names}
        return [name for name in names if folders.isdisjoint(_above(os.path.dirname(name)))]
    return [name for name in names if name.endswith(FIRST)] or names


def _above(folder: str) -> Iterator[str]:
    while (parent := os.path.dirname(folder)) != folder:
        yield (folder := parent)


def _nothing_to_read(folder: str) -> InputError:
    """Build the error for a folder without tables or logs."""
    names = (os.path.join(place, name) for place, _, inside in os.walk(folder) for name in sorted(inside))
    first = next(names, None)
    if first is None:
        return InputError(f"{folder} is an empty folder.")
    return InputError(
        f"{folder} contains no log and no table ({', '.join(SUFFIXES)}, also with .gz or .zst). If {first} is a table, "
        "name this file and its format, `format='csv'`."
    )


def _several_kinds(folder: str, kinds: Mapping[str, Sequence[str]]) -> InputError:
    """Build the error for a folder with several kinds of files, with a pattern or a file name for each kind."""
    parts = []
    for kind, names in kinds.items():
        pattern = _pattern(folder, names)
        parts.append(
            f"{shlex.quote(pattern or names[0])} ({'' if pattern else '1 of '}{counted(len(names), 'file')}, {kind})"
        )
    return InputError(f"{folder} contains files of several kinds. Read one kind at a time: {shortened(parts)}.")


def _pattern(folder: str, names: Sequence[str]) -> str | None:
    """Return a glob that matches only these files of a folder; None if no simple glob does."""
    if len(names) == 1:
        return names[0]
    own_folder, bases = os.path.commonpath(map(os.path.dirname, names)), [os.path.basename(name) for name in names]
    prefix, suffix = os.path.commonprefix(bases), os.path.splitext(bases[0])[1]  # noqa: RUF071 (of characters)
    ends = [f"*{suffix}", bases[0] if len(set(bases)) == 1 else f"{prefix}*{suffix}"]
    patterns = [os.path.join(place, "**", end) for end in ends for place in dict.fromkeys([folder, own_folder])]
    return next((pattern for pattern in patterns if set(glob.glob(pattern, recursive=True)) == set(names)), None)


def _walk(folder: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield a folder and its subfolders with the paths of their files by name, without links and hidden folders.

    Folders are in natural order.
    """
    places = [folder]
    while places:
        place, folders, files = places.pop(), dict[str, str](), dict[str, str]()
        with suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                with suppress(OSError):  # of a link to itself
                    if entry.is_file():  # not a pipe, which would wait for a writer
                        files[entry.name] = entry.path
                    elif entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                        folders[entry.name] = entry.path
        yield place, files
        places += (folders[name] for name in sorted(folders, key=natural_order, reverse=True))


def _beginnings_in(folder: str, empty: list[str], unfinished: list[str]) -> Iterator[Beginning]:
    """Yield the beginnings of a folder's files of known formats, with subfolders but without hidden files.

    They are in natural order. Empty files are added to `empty`, and folders of Harbor's trials without results to
    `unfinished`.
    """
    for place, files in _walk(folder):
        kinds = {name: SUFFIXES[suffix] for name in files if (suffix := format_suffix(name)) in SUFFIXES}
        if "config.json" in files and "result.json" not in files and "__" in os.path.basename(place):
            unfinished.append(place)
        candidates = list(kinds.keys() - BESIDE)
        for name in sorted(candidates, key=natural_order) if len(candidates) > 1 else candidates:
            beginning = Beginning.of(files[name], kinds[name])
            if beginning.is_empty:
                empty.append(beginning.file.name)
            else:
                yield beginning
