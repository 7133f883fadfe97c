"""A recalibration map: its parameters, application, description, and serialization."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.errors import InputError, quote
from howsure.files.atomic_write import Place
from howsure.files.serialization import Head, load, save
from howsure.inputs.arguments import check_row_order
from howsure.inputs.checks import check_codes
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, Axes, IntoFrame
from howsure.recalibration.binary_maps import VennAbers
from howsure.recalibration.evaluation import evaluation_of_map
from howsure.recalibration.evaluation_results import MARGIN, RecalibrationEvaluation
from howsure.recalibration.map_base import ProbabilityMap, is_number
from howsure.recalibration.map_input import Binary, Classes, Scores, check_floor, labelled_from, scores_from
from howsure.recalibration.methods import Candidate, Choice, Fitted, Method, map_types
from howsure.result import Result, plain
from howsure.show.axes import checks_axes
from howsure.show.table import FRAME, NUMBER, WORDS, Column, in_a_line, number

# Sentences on a map.

TITLES = {
    "none": "No map (the probabilities stay as they are)",
    "temperature": "Temperature scaling",
    "platt": "Platt scaling",
    "beta": "Beta calibration",
    "isotonic": "Isotonic regression",
    "histogram": "Histogram binning",
    "venn-abers": "Venn–Abers prediction",
    "vector": "Vector scaling of log-probabilities",
    "dirichlet": "Dirichlet calibration (matrix scaling of log-probabilities)",
    "ordered": "One temperature and a shift for each cut point of ordered levels",
}
SHOWN = 6  # maximum number of entries of a list that are shown


def description(recalibration_map: RecalibrationMap) -> str:
    """One or two sentences that describe a map; they are stored in its file."""
    if recalibration_map.classes:
        of = f"p, the probabilities of the {len(recalibration_map.classes)} classes of a row, in the order of `classes`"
    else:
        of = "q, the probability of label 1" + (
            "" if recalibration_map.positive is None else f" ({recalibration_map.positive})"
        )
    groups = " Each group has parameters of its own, by its name." if recalibration_map.groups else ""
    pooled = " The groups in `pooled_groups` take `map_of_all`." if recalibration_map.fitted.small else ""
    title = TITLES[recalibration_map.method]
    return f"{title}. It maps {of}, to calibrated ones by `formula`.{groups}{pooled} Lists count from 0."


def _parameter_list(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_parameter_text(value)}" for name, value in parameters.items())


def _parameter_text(value: Any) -> str:
    if not isinstance(value, list):
        return number(value)
    more = f", … {len(value):,} in all" if len(value) > SHOWN else ""
    return f"[{', '.join(_parameter_text(item) for item in value[:SHOWN])}{more}]"


# A map as readable JSON that programs in other languages can apply; and the checked map from JSON.

FORMAT, VERSION = "howsure recalibration map", 1
HEAD = Head(
    FORMAT,
    VERSION,
    ("format", "version"),
    "the map",
    f"this is not a recalibration map: its format is not {FORMAT!r}. `recalibrate fit` writes one.",
)
LIKE = "map.json"
MAX_CLASSES = 100_000
KEYS = (
    *("format", "version", "description", "formula", "method", "classes", "positive", "floor"),
    *("parameters", "map_of_all", "groups", "pooled_groups", "candidates", "notes", "recipe"),
)


def map_document(recalibration_map: RecalibrationMap) -> dict[str, Any]:
    """The map as plain JSON values."""
    fitted = recalibration_map.fitted
    by_group = {name: group_map.parameters() for name, group_map in zip(fitted.names, fitted.maps, strict=False)}
    return {
        "format": FORMAT,
        "version": VERSION,
        "description": description(recalibration_map),
        "formula": recalibration_map.formula,
        "method": recalibration_map.method,
        "classes": list(recalibration_map.classes) or None,
        "positive": recalibration_map.positive,
        "floor": recalibration_map.floor,
        "parameters": None if recalibration_map.groups else fitted.maps[0].parameters(),
        "groups": by_group if recalibration_map.groups else None,
        "pooled_groups": list(fitted.small),
        "map_of_all": None if fitted.of_all is None else fitted.of_all.parameters(),
        "candidates": None if recalibration_map.choice is None else plain(recalibration_map.choice.candidates),
        "notes": list(recalibration_map.notes),
        "recipe": recalibration_map.recipe,
    }


def map_json(recalibration_map: RecalibrationMap) -> str:
    """The map as a JSON string, with each list of numbers on one line."""
    lines = [f"{json.dumps(key)}: {_text(value)}" for key, value in map_document(recalibration_map).items()]
    return "{\n  " + ",\n  ".join(lines) + "\n}\n"


def parse_map(text: str | bytes) -> dict[str, Any]:
    """Return the fields of the map in a JSON string."""
    fields_ = HEAD.fields(text)
    unknown = [key for key in fields_ if key not in KEYS]
    absent = [key for key in KEYS if key not in fields_]
    if unknown or absent:
        what = f"has no {shortened(absent)}" if absent else f"has unknown parameters: {shortened(map(repr, unknown))}"
        raise InputError(f"the map {what}. Was the file changed, or cut off?")
    classes = _texts(fields_, "classes") if fields_.get("classes") is not None else ()
    if classes and (not 2 <= len(classes) <= MAX_CLASSES or len(set(classes)) != len(classes)):
        raise InputError("the map's classes must be two different names or more.")
    methods = map_types(not classes)
    method = fields_.get("method")
    if not isinstance(method, str) or method not in methods:
        of = "classes" if classes else "one probability per row"
        raise InputError(f"the map's method is {quote(method)}; for {of}, it must be one of {', '.join(methods)}.")
    floor = fields_.get("floor")
    positive = fields_.get("positive")
    if positive is not None and not isinstance(positive, str):
        raise InputError(f"the map's positive must be a string or null; it is {quote(positive)}.")
    recipe = fields_.get("recipe")
    if not isinstance(recipe, dict):
        raise InputError(f"the map's recipe must be an object; it is {quote(recipe)}.")
    return {
        "method": method,
        "fitted": _fitted(fields_, methods[method], len(classes) or 2),
        "classes": classes,
        "positive": positive,
        "floor": None if floor is None else check_floor(floor),
        "recipe": recipe,
        "notes": _texts(fields_, "notes"),
        "choice": _choice(fields_.get("candidates"), method),
    }


def _fitted(fields_: Mapping[str, Any], kind: Any, k: int) -> Fitted:
    def one(parameters: object) -> ProbabilityMap:
        if not isinstance(parameters, dict):
            raise InputError(
                f"the map's parameters must be an object of numbers by name; they are {quote(parameters)}."
            )
        fitted_map: ProbabilityMap = kind.read(parameters, k)
        return fitted_map

    groups, small = fields_.get("groups"), _texts(fields_, "pooled_groups")
    if groups is None:
        if small:
            raise InputError("the map's pooled_groups must be empty, because the map has no groups.")
        return Fitted((one(fields_.get("parameters")),))
    if not isinstance(groups, dict) or not (groups or small):
        raise InputError(
            f"the map's groups must be an object of parameters by the name of the group; it is {quote(groups)}."
        )
    if len(set(small)) != len(small) or set(small) & set(groups):
        raise InputError("the map's groups and pooled_groups must name each group once.")
    maps = []
    for name, parameters in groups.items():
        try:
            maps.append(one(parameters))
        except InputError as error:
            raise error.inside(f"group {quote(name)}") from error
    return Fitted(tuple(maps), tuple(groups), one(fields_.get("map_of_all")) if small else None, small)


def _choice(entries: object, method: str) -> Choice | None:
    if entries is None:
        return None
    fields = set(Candidate.__dataclass_fields__)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) and set(entry) == fields for entry in entries):
        raise InputError("the map's candidates must be a list of the results of each method.")
    for entry in entries:
        for name, value in entry.items():
            if not _is_valid(name, value):
                raise InputError(
                    f"the map's candidates must be a list of the results of each method; it contains {quote(value)}."
                )
    return Choice(Method(method), tuple(Candidate(**entry) for entry in entries))


def _is_valid(field: str, value: object) -> bool:
    """Whether a value is valid in a field of a candidate."""
    if field == "taken":
        return isinstance(value, bool)
    if value is None:
        return field != "method"
    return isinstance(value, str) if field in ("method", "refused") else is_number(value)


def _texts(fields_: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = fields_.get(name)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InputError(f"the map's {name} must be a list of strings; it is {quote(values)}.")
    return tuple(values)


def _text(value: Any) -> str:
    """A value on one line, or an object on several lines."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return (
            "[\n    "
            + ",\n    ".join(json.dumps(item, ensure_ascii=False, allow_nan=False) for item in value)
            + "\n  ]"
        )
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    inner = [f"{json.dumps(key, ensure_ascii=False)}: {_text(item)}" for key, item in value.items()]
    return "{\n    " + ",\n    ".join(line.replace("\n", "\n  ") for line in inner) + "\n  }"


@dataclass(frozen=True, slots=True, repr=False)
class RecalibrationMap(Result):
    """The result of `recalibrate`: a map from a model's probabilities to calibrated ones.

    method: the method of the fit. parameters: the numbers of the map by their names in the formula; by group, if there
    are groups. classes: the names of the columns, in order; () for one probability per row, that of label 1
    (`positive`, if it has a name). floor: the smallest probability that is passed to the map. choice: the results of
    the candidates, if the method was chosen. recipe: everything needed to repeat it. notes: caveats.
    """

    method: str
    fitted: Fitted
    classes: tuple[str, ...]
    positive: str | None
    floor: float | None
    recipe: dict[str, Any]
    notes: tuple[str, ...] = ()
    choice: Choice | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The numbers of the map by their names in the formula; by group, if there are maps of groups."""
        if not self.groups:
            return self.fitted.maps[0].parameters()
        return {name: self.fitted.group_map(name).parameters() for name in self.groups}

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that have their own map or use the map of all rows."""
        return (*self.fitted.names, *self.fitted.small)

    @property
    def formula(self) -> str:
        """The formula for a probability q, or for the probabilities p of the classes, in one line."""
        fitted_map = self.fitted.maps[0] if self.fitted.maps else self.fitted.of_all
        assert fitted_map is not None
        if self.floor is None:
            return fitted_map.formula
        first = "p[k] = max(p[k], floor), divided by their sum" if self.classes else "q = min(max(q, floor), 1 - floor)"
        return f"first {first}; then {fitted_map.formula}"

    def apply(
        self,
        y_prob: ArrayLike | IntoFrame | None = None,
        *,
        logits: ArrayLike | IntoFrame | None = None,
        groups: ArrayLike | None = None,
        classes: Sequence[object] | None = None,
    ) -> Floats:
        """Return the recalibrated probabilities, of label 1 (n,) or of the classes (n, K).

        y_prob or logits: as in `recalibrate`. Columns of a data frame are matched with the map's classes by name,
        whatever their order. Columns of an array are too, if `classes` names them. The result has the map's order of
        classes. groups (n,): the group of each row, if the map has groups.

        Raises InputError if the classes differ from the map's classes, or if the map has no parameters for a group.
        """
        scores, codes, names = self._read_scores(y_prob, logits, groups, classes)
        return self.fitted.apply(scores, codes, names) + 0.0

    def interval(
        self, y_prob: ArrayLike | None = None, *, logits: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        """The probabilities p0 and p1 (n,) of a Venn–Abers map, which `apply` combines into one.

        Raises InputError for another method.
        """
        if self.method != VennAbers.method:
            raise InputError(
                "only `method='venn-abers'` gives two probabilities; this map is of {method!r}.", method=self.method
            )
        scores, codes, names = self._read_scores(y_prob, logits, groups, None)
        assert isinstance(scores, Binary)
        low, high = scores.probabilities.copy(), scores.probabilities.copy()
        for code, name in enumerate(names or ("",)):
            rows = slice(None) if codes is None else codes == code
            venn_abers = self.fitted.group_map(name) if name else self.fitted.maps[0]
            assert isinstance(venn_abers, VennAbers)
            low[rows], high[rows] = venn_abers.both(scores.probabilities[rows])
        return low, high

    def apply_rows(self, rows: Scores, groups: Integers | None = None, names: Sequence[str] = ()) -> Floats:
        """Apply the map to checked scores with classes in the map's order; `groups` are the indices of groups in
        `names`."""
        self.check_groups(names)
        return self.fitted.apply(rows, groups, names) + 0.0

    def check_groups(self, names: Sequence[str]) -> None:
        """Raise InputError if the map has no parameters for one of the groups `names`."""
        unknown = [name for name in names if name not in self.groups]
        if not unknown:
            return
        unknown_text = shortened(map(repr, unknown))
        if not self.groups:
            raise InputError(
                "groups cannot be used, because the map was fitted to all rows together; groups contains "
                f"{unknown_text}. Leave groups out."
            )
        raise InputError(
            f"groups contains {unknown_text}, for which the map has no parameters. Its groups are "
            f"{shortened(map(repr, self.groups))}."
        )

    def _read_scores(
        self, y_prob: Any, logits: Any, groups: Any, classes: Sequence[object] | None
    ) -> tuple[Scores, Integers | None, tuple[str, ...]]:
        check_row_order({"y_prob": y_prob, "logits": logits, "groups": groups})
        class_names = None if classes is None else [str(class_name) for class_name in classes]
        scores, scores_classes = scores_from(y_prob, logits, floor=self.floor, classes=class_names)
        scores = self._in_order(scores, scores_classes, named=class_names is not None)
        if groups is None:
            if self.groups:
                raise InputError(
                    "groups must name the group of each row, because the map has parameters for each group: "
                    f"{shortened(self.groups)}."
                )
            return scores, None, ()
        codes, names = check_codes(groups, n=len(scores), name="groups", groups=True)
        self.check_groups(names)
        return scores, codes, names

    def _in_order(self, scores: Scores, scores_classes: tuple[str, ...], *, named: bool) -> Scores:
        """The scores with columns in the map's order of classes."""
        if isinstance(scores, Binary):
            if self.classes:
                raise InputError(
                    "{parameter} must have a column for each class of the map: {classes}.",
                    "y_prob",
                    classes=list(self.classes),
                )
            return scores
        if not self.classes:
            raise InputError(
                "{parameter} must be one number per row, the probability of label 1; it has {k} columns. "
                "Give one column: `y_prob`[:, 1].",
                "y_prob",
                k=scores.k,
            )
        numbered = scores_classes == tuple(map(str, range(scores.k))) and not named
        if scores.k == len(self.classes) and (scores_classes == self.classes or numbered):
            return scores
        if sorted(scores_classes) != sorted(self.classes):
            raise InputError(
                "{parameter} must have the classes of the map, {classes}; it has {scores_classes}.",
                "y_prob",
                classes=list(self.classes),
                scores_classes=list(scores_classes),
            )
        order = [scores_classes.index(name) for name in self.classes]
        return Classes(scores.probabilities[:, order], scores.logs[:, order])

    def evaluate(
        self,
        y_true: ArrayLike,
        y_prob: ArrayLike | IntoFrame | None = None,
        *,
        logits: ArrayLike | IntoFrame | None = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: Hashable = None,
        level: float = 0.95,
        margin: float = MARGIN,
    ) -> RecalibrationEvaluation:
        """Evaluate this map on rows that it was not fitted to: calibration errors and scores before and after.

        y_true, y_prob or logits, clusters, sample_weight and pos_label are as for `recalibrate`; groups are as for
        `apply`. All groups are evaluated together. margin: the smallest calibration error that is worth removing. On
        the rows that the map was fitted to, it looks better than it is; use `evaluate_recalibration` for these rows.

        Raises InputError as `apply` does.
        """
        data = labelled_from(
            y_true,
            y_prob,
            logits=logits,
            clusters=clusters,
            sample_weight=sample_weight,
            pos_label=pos_label,
            classes=self.classes or None,
        )
        after = self.apply(y_prob, logits=logits, groups=groups, classes=None)
        return evaluation_of_map(data, after, method=self.method, level=level, margin=margin)

    def to_json(self) -> str:
        """The map as a JSON string for `from_json`, with its parameters and its formula, but no rows."""
        return map_json(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> RecalibrationMap:
        """Restore a map from the string of `to_json`; it gives bit-identical probabilities.

        Raises InputError if the string is not a map, is of a later version, or has impossible parameters.
        """
        return cls(**parse_map(text))

    def save(self, path: Place) -> None:
        """Write the map to a file for `load`, replacing an existing one."""
        save(self.to_json().encode(), path, like=LIKE)

    @classmethod
    def load(cls, path: Place) -> RecalibrationMap:
        """Read a map that `save` or `howsure recalibrate fit` wrote.

        Raises InputError if the file does not exist or is not a map.
        """
        return load(path, cls.from_json, like=LIKE, what="recalibration map")

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, the same as in `to_json`."""
        return map_document(self)

    @property
    def answer(self) -> str:
        """The method, and the number of rows."""
        return f"{TITLES[self.method]}, fitted to {counted(int(self.recipe.get('n') or 0), 'row')}."

    @property
    def description(self) -> str:
        """Return the formula and the parameters as text."""
        lines = [self.formula]
        if self.classes:
            lines.append(f"classes: {in_a_line(shortened(self.classes))}")
        if self.groups:
            lines += [
                f"{in_a_line(name)}: {_parameter_list(values)}"
                for name, values in list(self.parameters.items())[:SHOWN]
            ]
            lines += [f"… and {len(self.groups) - SHOWN:,} more groups"] if len(self.groups) > SHOWN else []
        elif self.parameters:
            lines.append(_parameter_list(self.parameters))
        if self.choice is not None:
            scored = (f"{candidate.method} {number(candidate.log_loss, 5)}" for candidate in self.choice.candidates)
            lines.append(f"chosen by cross-fitted log loss: {', '.join(scored)}")
        return "\n".join(lines)

    @property
    def key_figures(self) -> str:
        """The formula and the parameters."""
        return self.description

    def columns(self) -> Sequence[Column]:
        """One row per parameter and group; for an automatically chosen method, tables show the result of each
        candidate."""
        maps = self.parameters if self.groups else {"": self.parameters}
        rows = [
            (group, f"{name}{index_text}", value)
            for group, parameters in maps.items()
            for name, values in parameters.items()
            for index_text, value in _numbered(values)
        ]
        kinds = {"group": WORDS, "parameter": WORDS, "value": NUMBER}
        only = "" if self.choice is None else FRAME
        map_columns = [
            Column(name, kind, values=[row[index_text] for row in rows], only=only)
            for index_text, (name, kind) in enumerate(kinds.items())
        ]
        return [*map_columns[0 if self.groups else 1 :], *(self.choice.columns() if self.choice is not None else ())]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the recalibrated probability q' against q, on matplotlib axes (new ones if None)."""
        from howsure.figures.compared_curves import draw_map

        return draw_map(self, ax=ax)


def _numbered(values: Any) -> list[tuple[str, float]]:
    """The numbers of a parameter with their indices."""
    if not isinstance(values, list):
        return [("", float(values))]
    return [(f"[{index}]{further}", number) for index, item in enumerate(values) for further, number in _numbered(item)]
