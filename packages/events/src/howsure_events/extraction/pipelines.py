"""spaCy pipelines that are installed or in a folder: language, labels, and whether they are suitable."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any

from howsure.errors import InputError
from howsure.files.input_files import parsed_json
from howsure.lazy_imports import require
from howsure_events.extraction.parsers import guess_scheme

META, CONFIG = "meta.json", "config.cfg"
NEEDED = {"parser": "dependency parser", "tagger": "tagger"}  # a morphologizer also counts as a tagger


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A spaCy pipeline.

    place: its folder. scheme: the scheme of its dependency labels. why_not: why it is unsuitable; empty if it is
    suitable.
    """

    name: str
    version: str
    language: str
    place: str
    scheme: str
    why_not: str


def spacy_version() -> str:
    """Return the installed version of spaCy."""
    require("Parsing of raw text", "spacy", "spacy")
    return version("spacy")


def installed_pipelines() -> list[Pipeline]:
    """Return the pipelines that are installed as packages, sorted by name, without importing them."""
    pipelines = []
    for name in sorted({entry_point.value for entry_point in entry_points(group="spacy_models")}):
        package = importlib.util.find_spec(name.partition(":")[0])
        if package is not None and package.origin is not None:
            meta = Path(package.origin).with_name(META)
            pipelines.append(_described(_meta(meta.read_bytes(), str(meta)), package.name))
    return pipelines


def pipeline_at(path: str | os.PathLike[str]) -> Pipeline:
    """Describe the pipeline in a folder, without running any of its code."""
    place = os.fspath(path)
    meta_file = Path(place, META)
    if not meta_file.is_file() or not Path(place, CONFIG).is_file():
        raise InputError(f"{place} is not a spaCy pipeline: a folder of one has {META} and {CONFIG}.")
    return _described(_meta(meta_file.read_bytes(), place), place)


def _meta(content: bytes, place: str) -> dict[str, Any]:
    try:
        meta = parsed_json(content)
        names = [meta["lang"], meta["name"], meta["version"], meta.get("spacy_version") or ""]
        names += [*(meta.get("pipeline") or meta.get("components") or ()), *_parser_labels(meta)]
        if all(isinstance(name, str) for name in names):
            return dict(meta)
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    raise InputError(f"{place} is damaged: its {META} does not say which pipeline it is.")


def _parser_labels(meta: Mapping[str, Any]) -> Sequence[str]:
    return (meta.get("labels") or {}).get("parser") or ()


def _described(meta: Mapping[str, Any], place: str) -> Pipeline:
    from spacy.util import is_compatible_version

    present, required = spacy_version(), str(meta.get("spacy_version") or ">=3")
    parts = {str(part) for part in meta.get("pipeline") or meta.get("components") or ()}
    parts |= {"tagger"} if "morphologizer" in parts else set()
    lacking = [description for part, description in NEEDED.items() if part not in parts]
    why = f"has no {' and no '.join(lacking)}" if lacking else ""
    if is_compatible_version(present, required) is False:
        why = f"is for spaCy {required}, and {present} is installed"
    name = f"{meta['lang']}_{meta['name']}"
    return Pipeline(name, str(meta["version"]), str(meta["lang"]), place, guess_scheme(_parser_labels(meta)), why)
