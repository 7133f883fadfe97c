"""A map as JSON: a text that people understand and other languages can apply; and back, checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from howsure.errors import InputError, shown
from howsure.files.json_text import is_version, parsed_json
from howsure.inputs.naming import shortened
from howsure.recalibration.choice import Candidate, Choice
from howsure.recalibration.fitted import Fitted
from howsure.recalibration.maps.parameters import is_number
from howsure.recalibration.methods import Method, ProbabilityMap, maps_of
from howsure.recalibration.scores import check_floor
from howsure.recalibration.wording import description

if TYPE_CHECKING:
    from howsure.recalibration.results import RecalibrationMap

FORMAT, VERSION = "howsure recalibration map", 1
MOST_CLASSES = 100_000
KEYS = (
    "format", "version", "description", "formula", "method", "classes", "positive", "floor", "parameters",
    "map_of_all", "groups", "pooled_groups", "candidates", "notes", "recipe",
)  # fmt: skip


def map_document(found: RecalibrationMap) -> dict[str, Any]:
    """The map as plain JSON values."""
    fitted = found.fitted
    by_group = {name: one.parameters() for name, one in zip(fitted.names, fitted.maps, strict=False)}
    return {
        "format": FORMAT,
        "version": VERSION,
        "description": description(found),
        "formula": found.formula,
        "method": found.method,
        "classes": list(found.classes) or None,
        "positive": found.positive,
        "floor": found.floor,
        "parameters": None if found.groups else fitted.maps[0].parameters(),
        "groups": by_group if found.groups else None,
        "pooled_groups": list(fitted.small),
        "map_of_all": None if fitted.of_all is None else fitted.of_all.parameters(),
        "candidates": None if found.choice is None else found.choice.to_dict(),
        "notes": list(found.notes),
        "recipe": found.recipe,
    }


def map_json(found: RecalibrationMap) -> str:
    """The map as a JSON text; lists of numbers on one line each."""
    lines = [f"{json.dumps(key)}: {_text(value)}" for key, value in map_document(found).items()]
    return "{\n  " + ",\n  ".join(lines) + "\n}\n"


def map_of(text: str | bytes) -> dict[str, Any]:
    """The fields of the map in a JSON text.

    Raises InputError where it is not one.
    """
    held = _parsed(text)
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise InputError(f"this is no recalibration map: its format is not {FORMAT!r}. `recalibrate fit` writes one.")
    version = held.get("version")
    if not is_version(version, VERSION):
        raise InputError(f"the map is of version {shown(version)}, and this howsure reads version {VERSION}.")
    _check_keys(held)
    classes = _texts(held, "classes") if held.get("classes") is not None else ()
    if classes and (not 2 <= len(classes) <= MOST_CLASSES or len(set(classes)) != len(classes)):
        raise InputError("the map's classes must be two different names or more.")
    known = maps_of(not classes)
    method = held.get("method")
    if not isinstance(method, str) or method not in known:
        of = "classes" if classes else "one probability per row"
        raise InputError(f"the map's method is {shown(method)}; for {of}, it must be one of {', '.join(known)}.")
    floor = held.get("floor")
    positive = held.get("positive")
    if positive is not None and not isinstance(positive, str):
        raise InputError(f"the map's positive must be a text or null; it is {shown(positive)}.")
    recipe = held.get("recipe")
    if not isinstance(recipe, dict):
        raise InputError(f"the map's recipe must be an object; it is {shown(recipe)}.")
    return {
        "method": method,
        "fitted": _fitted(held, known[method], len(classes) or 2),
        "classes": classes,
        "positive": positive,
        "floor": None if floor is None else check_floor(floor),
        "recipe": recipe,
        "notes": _texts(held, "notes"),
        "choice": _choice(held.get("candidates"), method),
    }


def _fitted(held: Mapping[str, Any], kind: Any, k: int) -> Fitted:
    def one(parameters: object) -> ProbabilityMap:
        if not isinstance(parameters, dict):
            raise InputError(
                f"the map's parameters must be an object of numbers by name; they are {shown(parameters)}."
            )
        found: ProbabilityMap = kind.read(parameters, k)
        return found

    groups, small = held.get("groups"), _texts(held, "pooled_groups")
    if groups is None:
        if small:
            raise InputError("the map's pooled_groups must be empty where it has no groups.")
        return Fitted((one(held.get("parameters")),))
    if not isinstance(groups, dict) or not (groups or small):
        raise InputError(f"the map's groups must be an object of parameters by name; they are {shown(groups)}.")
    if len(set(small)) != len(small) or set(small) & set(groups):
        raise InputError("the map's groups and pooled_groups must name each group once.")
    maps = []
    for name, parameters in groups.items():
        try:
            maps.append(one(parameters))
        except InputError as error:
            raise InputError(f"group {shown(name)}: {error}") from error
    return Fitted(tuple(maps), tuple(groups), one(held.get("map_of_all")) if small else None, small)


def _choice(held: object, method: str) -> Choice | None:
    if held is None:
        return None
    fields = set(Candidate.__dataclass_fields__)
    if not isinstance(held, list) or not all(isinstance(one, dict) and set(one) == fields for one in held):
        raise InputError("the map's candidates must be a list of what each method scored.")
    for one in held:
        for name, value in one.items():
            if not _may_be(name, value):
                raise InputError(f"the map's candidates must be a list of what each method scored; not {shown(value)}.")
    return Choice(Method(method), tuple(Candidate(**one) for one in held))


def _may_be(field: str, value: object) -> bool:
    """Whether a value may stand in a field of a candidate."""
    if field == "taken":
        return isinstance(value, bool)
    if value is None:
        return field != "method"
    return isinstance(value, str) if field in ("method", "refused") else is_number(value)


def _parsed(text: str | bytes) -> Any:
    if not isinstance(text, str | bytes):
        raise InputError(f"the map must be a JSON text; it is a {type(text).__name__}.")
    try:
        return parsed_json(text, strict=True)
    except ValueError as error:
        raise InputError(f"the map cannot be read as JSON: {error}.") from None


def _check_keys(held: Mapping[str, Any]) -> None:
    unknown = [key for key in held if key not in KEYS]
    absent = [key for key in KEYS if key not in held]
    if unknown or absent:
        what = f"has no {shortened(absent)}" if absent else f"holds {shortened(map(repr, unknown))}, which is unknown"
        raise InputError(f"the map {what}. Was the file changed, or cut off?")


def _texts(held: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = held.get(name)
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise InputError(f"the map's {name} must be a list of texts; it is {shown(values)}.")
    return tuple(values)


def _text(value: Any) -> str:
    """A value in one line, or an object in several."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return (
            "[\n    " + ",\n    ".join(json.dumps(one, ensure_ascii=False, allow_nan=False) for one in value) + "\n  ]"
        )
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    inner = [f"{json.dumps(key, ensure_ascii=False)}: {_text(one)}" for key, one in value.items()]
    return "{\n    " + ",\n    ".join(one.replace("\n", "\n  ") for one in inner) + "\n  }"
