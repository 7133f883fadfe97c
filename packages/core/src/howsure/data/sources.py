"""`howsure.read`: files, logs and saved summaries as a source of rows, which every function accepts as `data`."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NoReturn, Self

from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments, check_distinct
from howsure.inputs.frames import SAVED, Dated, Kind, Rows, Source, not_a_column_name
from howsure.inputs.matching import PairedRows
from howsure.inputs.numbers_and_names import natural_order, shortened
from howsure.inputs.pairs import OTHER_PREDICTION, PROB, TOP_LABEL, Probabilities, as_probabilities

if TYPE_CHECKING:
    from howsure.calibration.slots import Slots
    from howsure.data.added_columns import FileToExtend
    from howsure.data.logit_files import LogitShards
    from howsure.data.predictions.predictions import Predictions
    from howsure.data.structured.documents import Documents
    from howsure.files.input_files import Scratch

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True)
class Files(Source):
    """Files of predictions and the selection of their rows, returned by `read` and accepted as `data`."""

    paths: tuple[str, ...]
    where: str | None = None
    skip_missing: bool = False
    missing_values: tuple[str, ...] = ()
    by_file: bool = False
    across_files: str = "error"
    format: str | None = None
    encoding: str | None = None
    normalise: str | None = None
    labels_from: str | None = None
    explode: str | None = None
    pivot: str | None = None
    model_version: str | None = None
    independent_rows: bool = False
    grades_are_labels: bool = field(default=False, repr=False, compare=False)  # `pivot` must not average them
    keep_empty: bool = field(default=False, repr=False, compare=False)  # rows whose list to `explode` has no element
    tell: Callable[[str], None] = field(default=lambda text: None, repr=False, compare=False)
    scratch: Scratch | None = field(default=None, repr=False, compare=False)  # which holds a copy of a table
    bar: Callable[[int, str], AbstractContextManager[Callable[[int], None]]] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def name(self) -> str:
        """The names of the files."""
        return self.paths[0] if len(self.paths) == 1 else shortened(self.paths, limit=6)

    @property
    def is_one_file(self) -> bool:
        """Whether this is one file, which may have a column named file."""
        return len(self.paths) == 1 and os.path.isfile(self.paths[0])

    def predictions(
        self,
        y_true: Any = None,
        y_prob: Any = None,
        *,
        groups: Any = None,
        clusters: Any = None,
        sample_weight: Any = None,
        id: Any = None,
        pos_label: Any = None,
        **how: Any,
    ) -> Predictions | SavedSums:
        """Open the checked pairs of the columns of each role; logs have defaults for columns that are not named.

        how: the other arguments of `open_predictions`.

        Raises InputError naming the file, the column, the row and the value that violated a rule.
        """
        roles = {"y_true": y_true, "groups": groups, "clusters": clusters, "sample_weight": sample_weight, "id": id}
        for role, name in roles.items():
            if name is not None and not isinstance(name, str):
                raise not_a_column_name(role, name)
        check_distinct({"y_true": y_true, "y_prob": y_prob})
        roles |= {"y_prob": y_prob, "pos_label": pos_label}
        if saved := saved_summaries(self.paths):
            self._refuse(roles, "is for files of predictions; saved summaries contain sums")
            return sums_of_saved(saved)
        from howsure.data.predictions.predictions import open_predictions
        from howsure.data.predictions.rows import column_of_feature

        roles["y_prob"] = None if y_prob is None else as_probabilities(y_prob)
        roles["pos_label"] = None if pos_label is None else str(pos_label)
        features = list(dict.fromkeys(map(column_of_feature, how.pop("features", ()))))
        predictions = open_predictions(self, features=features, **roles, **how)
        for note in predictions.input_notes:
            self.tell(note)
        return predictions

    def rows(self, kinds: Mapping[str, Kind], **how: Any) -> Rows:
        """Read columns by name, each as its kind. how: the other arguments of `rows_of_files`.

        Raises InputError naming the file, the column, the row and the value that violated a rule.
        """
        from howsure.data.predictions.rows import rows_of_files

        rows, notes = rows_of_files(self, kinds, **how)
        for note in notes:
            self.tell(note)
        return rows

    def logits(self, *, targets: Sequence[str], ignore: int) -> LogitShards | None:
        """Open logits, with true classes from the same folder or `targets`; return None for saved summaries."""
        from howsure.data.logit_files import open_logits

        self._refuse({}, "is not for files of logits")
        return None if saved_summaries(self.paths) else open_logits(self.paths, targets=targets, ignore=ignore)

    def documents(
        self,
        *,
        whole: Collection[str] = (),
        choices: Mapping[str, Sequence[str]] | None = None,
        document: str | None = None,
        fields: Collection[str] = (),
    ) -> Documents:
        """Read the documents in the files with the values of their fields; the arguments are those of `read_documents`.

        Raises InputError for options that select rows.
        """
        from howsure.data.structured.documents import read_documents

        self._refuse({}, "is not for files of documents", but=("skip_missing",))
        skip = self.skip_missing
        return read_documents(self.paths, whole=whole, choices=choices, fields=fields, skip_missing=skip, key=document)

    def progress(self, n: int, unit: str = "pairs") -> AbstractContextManager[Callable[[int], None]]:
        """Return a context with a function that reports how many of n steps were done."""
        return super().progress(n, unit) if self.bar is None else self.bar(n, unit)

    def matched(
        self,
        read_pairs: Any,
        other: Any,
        *,
        y_true: Any = None,
        y_true_against: Any = None,
        y_prob: Any = None,
        y_prob_against: Any = None,
        **roles: Any,
    ) -> PairedRows:
        """Pair the rows with another model's rows by ids or, without ids, by order.

        other: files with the same columns or with the columns named by `against`; or the other model's columns in these
        files.

        Raises InputError for a model that is matched with itself, and for rows that only one model has, unless
        `skip_missing`.
        """
        from howsure.data.predictions.paired_rows import paired_rows

        if isinstance(other, Files):
            files, theirs = other, y_prob if y_prob_against is None else _columns_of_other_model(y_prob, y_prob_against)
        else:
            files, theirs = self, _columns_of_other_model(y_prob, other)
            if theirs.prediction is not None and not isinstance(other, Probabilities):
                raise InputError(OTHER_PREDICTION)
        labels = (y_true, y_true if y_true_against is None else y_true_against)
        names_of_models = [_model_name(*source_and_way) for source_and_way in ((self, y_prob), (files, theirs))]
        if names_of_models[0] == names_of_models[1] and labels[0] == labels[1]:
            raise InputError(f"{names_of_models[0]} is named twice. Name two different models.")
        read_pairs.pairs()  # sums have none
        with files.predictions(labels[1], theirs, pairing=True, **roles) as other_predictions:
            has_own_labels = y_true_against is not None or other_predictions.notes.get("reduce") == TOP_LABEL
            assert not isinstance(other_predictions, SavedSums)
            how: dict[str, Any] = {"own_labels": has_own_labels, "skip_missing": self.skip_missing}
            return paired_rows(read_pairs, other_predictions, model_names=names_of_models, targets=labels, **how)

    def dated(self, dates: str, y_true: Any, y_prob: Any, **roles: Any) -> Dated:
        """Read the pairs of the columns of each role, with dates. roles: the other arguments of `read_dated`."""
        from howsure.data.predictions.rows import read_dated

        return read_dated(self, dates, y_true, y_prob, **roles)

    def to_extend(self, y_prob: Any, *, groups: str | None = None, **how: Any) -> FileToExtend:
        """Open the only file to add columns computed from probabilities. how: arguments of `open_to_extend`.

        Raises InputError for a missing column or an invalid value.
        """
        from howsure.data.added_columns import open_to_extend

        kept = ("skip_missing", "missing_values", "format", "encoding")
        self._refuse({}, "is not for a file that is written with further columns", but=kept)
        if len(self.paths) != 1:
            raise InputError(f"{self.name} are several files; columns can be added to only one file at a time.")
        how |= {name: getattr(self, name) for name in kept}
        file = open_to_extend(self.paths[0], None if y_prob is None else as_probabilities(y_prob), groups=groups, **how)
        self.tell(file.summary)
        return file

    def _refuse(self, roles: dict[str, Any], why: str, *, but: Sequence[str] = ()) -> None:
        """Raise InputError for arguments that cannot be used here."""
        options_set = [name for name, value in roles.items() if value is not None]
        options_set += [
            option.name
            for option in fields(self)[1:]
            if option.compare and getattr(self, option.name) != option.default
        ]
        for name in options_set:
            if name not in but:
                option_name = (
                    f"`Probabilities.{as_probabilities(roles[name]).way}=...`" if name == "y_prob" else f"`{name}`"
                )
                raise InputError(f"{option_name} {why}. Leave it out.")


def _columns_of_other_model(first: Any, other: Any) -> Probabilities:
    """Return the other model's columns, in the form of this model's columns."""
    if isinstance(other, Probabilities):
        return other
    spec = Probabilities(PROB, None) if first is None else as_probabilities(first)
    columns = [other] if isinstance(other, str) else list(other)
    if spec.values is not None and len(spec.columns) > 1 and len(columns) == 1:
        raise InputError(
            f"{columns[0]} does not exist as a file, and it cannot be the other model's column, because this model has "
            f"{len(spec.columns)} columns. Name the other model's file."
        )
    return replace(spec, values=columns[0] if isinstance(spec.values, str | None) else columns)


def _model_name(files: Files, y_prob: Any) -> str:
    """Return the name of a model: its files, with its columns unless they are the defaults of a log."""
    spec = None if y_prob is None else as_probabilities(y_prob)
    return files.name if spec is None or spec.values is None else f"{files.name}:{','.join(spec.columns)}"


def named_paths(files: object) -> tuple[str, ...]:
    """Return the paths that a user gave, a single path or a list, as a tuple.

    >>> named_paths("a.csv"), named_paths(["a.csv", "b.csv"])
    (('a.csv',), ('a.csv', 'b.csv'))
    """
    if isinstance(files, Mapping) or hasattr(files, "columns"):
        raise InputError(
            f"`files` must be a path, or a list of paths; it is a {type(files).__name__}. Pass it as `data` to a "
            "function such as howsure.calibration_table, with the names of its columns, or save it as a file."
        )
    one_or_several = [files] if isinstance(files, (str, os.PathLike)) else files
    paths = list(one_or_several) if isinstance(one_or_several, Iterable) else []
    if not isinstance(one_or_several, Iterable) or not all(isinstance(path, (str, os.PathLike)) for path in paths):
        raise InputError(f"`files` must be a path, or a list of paths; it is {files!r}.")
    if "" in paths:
        raise InputError("`files` must name a file; the name is empty.")
    return tuple(os.fspath(path) for path in paths)


def read(
    files: Paths,
    *,
    where: str | None = None,
    skip_missing: bool = False,
    missing_values: Sequence[str] = (),
    by_file: bool = False,
    across_files: str = "error",
    format: str | None = None,
    encoding: str | None = None,
    normalise: str | None = None,
    labels_from: str | os.PathLike[str] | None = None,
    explode: str | None = None,
    pivot: str | None = None,
    model_version: str | None = None,
    independent_rows: bool = False,
    table: str | None = None,
) -> Files:
    """Return files as a source of rows. Pass it as `data` to a function, whose other arguments are then column names.

    files: one or several paths, globs or folders of CSV, TSV, JSON lines, Parquet or .npz (text may be compressed by
    gzip or zstd), logs of programs that evaluate language models, or saved calibration summaries; "-" is standard
    input. where: use only the rows that satisfy an expression such as "prompt = 'first' and n > 3". skip_missing: leave
    out rows with missing values, and count them. missing_values: values that are treated as missing, such as
    "unparseable". by_file: add a column `file` with each file's name. across_files: whether equal ids and clusters in
    several files are the "same" item or "separate" items. format: the format of the files, if their names do not show
    it. encoding: the encoding of text files, such as windows-1252 (default: UTF-8).
    normalise: divide the log-likelihoods of choices in a log by their "characters", "bytes" or "tokens". labels_from: a
    table of the true answers of a log, with columns `id`, `label` and, if an item has several questions, `question`.
    explode: a column of lists in JSON or Parquet. Each element becomes a row and replaces the list, so that
    "judgments[0].decision" becomes "judgments.decision". Or several columns, "ann,bob": each becomes a row with its
    name in `column` and its content in `value`. pivot: the columns of item, rater and grade, "item,rater,grade", in a
    table with a row for each grade. Each item becomes a row, and each rater a column. model_version: the model that
    answered, if responses with decisions name an alias or no model. independent_rows: treat rows as independent
    although a column such as `item`, `question_id` or `task_id` repeats; by default, such items are clusters. table: a
    table or view in the only file, a DuckDB database, which is copied.

    Columns are named as on the command line: "doc.answer" or "scores[0]" for a value inside a column, "task,question"
    for several columns that form a key. Files are read when a function needs them. Logs have default columns.

    >>> import howsure, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "dev.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("gold,score\\n" + "1,0.9\\n0,0.2\\n1,0.7\\n0,0.4\\n" * 50)
    >>> round(howsure.calibration_error("gold", "score", data=howsure.read(path)).value, 3)
    0.274

    Raises InputError for `table` with several files. The functions that read raise it for errors in a file.
    """
    check_arguments(read, locals())
    named = named_paths(files)
    values = (missing_values,) if isinstance(missing_values, str) else tuple(missing_values)
    paths = named
    labels = None if labels_from is None else os.fspath(labels_from)
    files_ = Files(
        paths,
        where,
        skip_missing,
        values,
        by_file,
        across_files,
        format,
        encoding,
        normalise,
        labels,
        explode,
        pivot,
        model_version,
        independent_rows,
    )
    if table is None:
        return files_
    if len(paths) != 1:
        raise InputError("`table` can only be used with one database file. Pass one file.")
    if across_files != "error":
        raise InputError("`across_files` is about several files, and a database is one. Leave it out.")
    from howsure.data.tables.copied_table import copy_of_table

    copy, scratch = copy_of_table(paths[0], table)
    return replace(files_, paths=(copy,), scratch=scratch)


@dataclass(frozen=True)
class SavedSums:
    """Pairs as sums by group, from saved summaries; without groups, the only group name is ""."""

    sums: dict[str, Slots]
    files: list[str]
    columns: dict[str, Any]
    notes: dict[str, Any]
    skipped: dict[str, int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """The number of pairs."""
        return sum(len(slots) + slots.weightless for slots in self.sums.values())

    @property
    def group_names(self) -> tuple[str, ...]:
        """The names of the groups; () without groups."""
        return () if list(self.sums) == [""] else tuple(self.sums)

    def source(self, group: str | None = None, *, advance: Callable[[int], None] = lambda rows: None) -> Slots:
        """Return the sums of a group, or of all pairs."""
        slots = self.sums[group or ""]
        advance(len(slots))
        return slots

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing, because there is nothing to close."""

    def pairs(self, *_: object) -> NoReturn:
        """Raise InputError: summaries contain no pairs."""
        raise InputError(
            f"{shortened(self.files, limit=3)}: the file contains sums instead of pairs, but tests, bootstrap "
            "intervals, clusters, the worst rows, another model, and CORP with weights need the pairs themselves. Name "
            "the files of predictions."
        )

    blocks = other_columns = features = pairs

    def describe(self) -> dict[str, Any]:
        """Describe the input for the recipe of a result."""
        return {"files": self.files, "rows": self.n, "skipped": self.skipped, **self.columns, **self.notes}


def saved_summaries(files: Sequence[str]) -> list[str]:
    """Return the saved summaries that paths and globs name; [] if they name none."""
    paths = [path for file in files for path in ([file] if os.path.exists(file) else glob.glob(file, recursive=True))]
    first = next(filter(is_summary, paths), None)
    if first is None:
        return []
    from howsure.files.input_files import expand_paths

    named = expand_paths(files)
    for file in named:
        if not is_summary(file):
            raise InputError(
                f"{file} is not a saved summary, and {first} is. Summarise it first: howsure calibration summary."
            )
    return named


def is_summary(path: str) -> bool:
    """Whether a file begins like a saved summary."""
    from howsure.calibration.saved_summaries import WORDS

    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(len(WORDS)) == WORDS


def sums_of_saved(files: Sequence[str]) -> SavedSums:
    """Merge the sums of saved summaries, by group. Raises InputError if they are incompatible."""
    from howsure.calibration.saved_summaries import read
    from howsure.calibration.slots import Slots

    sums: dict[str, Slots] = {}
    for file in files:
        saved = read(file)
        for name, slots in zip(saved.names if saved.names is not None else [""], saved.parts, strict=True):
            sums[name] = sums.get(name, Slots.none()) + slots
    if "" in sums and len(sums) > 1:
        raise InputError(
            "some of the summaries have groups and others have none. Summarise all with `groups=...`, or none."
        )
    if not any(len(slots) for slots in sums.values()):
        raise InputError("the summaries are empty: no pairs were added to them.")
    return SavedSums({name: sums[name] for name in sorted(sums, key=natural_order)}, list(files), {}, {"engine": SAVED})
