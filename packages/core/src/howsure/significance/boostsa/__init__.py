"""The interface of the program BooStSa (Fornaciari et al. 2022) with howsure's computations: class `Bootstrap`.

Differences from BooStSa: the direction of Jensen-Shannon divergence and cross-entropy is correct, a difference of 0 has
p = 1, an undefined difference has no p, a target class is named by its label, results are repeatable (`rng`), and 1,000
loops take milliseconds. `bug_compatible=True` restores BooStSa's counting. `comparisons` contains the full results,
with intervals and p-values that use all items. New code should use `howsure.compare_models`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, check_row_order, generator_from
from howsure.significance.boostsa.runs import (
    HARD,
    OF_CLASS,
    SOFT,
    block,
    build_frame,
    check_one_kind,
    check_part,
    deviation,
    empty_part,
    merged_outcomes,
    paired,
    plain_epochs,
    print_lines,
    rounded_difference,
    run_lines,
    stars,
    table_columns,
    value_text,
)
from howsure.significance.boostsa.storage import check_folder, read_labels, read_outcomes, write_outcomes, write_results
from howsure.significance.checked_systems import check_predictions
from howsure.significance.comparison import compare
from howsure.significance.results import Comparison, Difference
from howsure.significance.systems import Runs

__all__ = ["Bootstrap"]


class Bootstrap:
    """Collect the predictions of experiments and test them with BooStSa's rule (Fornaciari et al. 2022).

    `save_results` writes results.tsv into the folder `dir_out`, and `save_outcomes` writes outcomes.json. `tell` is
    called with each line that `test` and `run` print.

    >>> boot = Bootstrap(save_results=False, save_outcomes=False, rng=1, tell=lambda line: None)
    >>> overall, _ = boot.test(targs=[0, 1] * 50, h0_preds=[0, 1, 1, 1] * 25, h1_preds=[0, 1] * 50, sample_size=0.2)
    >>> print(overall.loc["h1", "d_f1"], overall.loc["h1", "s_f1"])
    0.2667 *
    """

    def __init__(
        self,
        save_results: bool = True,
        save_outcomes: bool = True,
        dir_out: str = "",
        *,
        rng: Randomness = None,
        bug_compatible: bool = False,
        tell: Callable[[str], None] = print,
    ) -> None:
        check_folder(dir_out)
        self.save_results, self.save_outcomes, self.dir_out = save_results, save_outcomes, dir_out
        self.bug_compatible = bug_compatible
        self.data: dict[str, dict[str, Any]] = {}
        self.comparisons: list[Comparison] = []
        self._tell = tell
        self._rng = generator_from(rng)

    def feed(
        self,
        h0: str,
        h1: str | None = None,
        exp_idx: str | None = None,
        preds: Any = None,
        targs: Any = None,
        idxs: Any = None,
        epochs: Any = None,
    ) -> None:
        """Add the predictions of one run, of the control `h0` or of the treatment `h1` that is compared with `h0`.

        A run may be a fold of a cross-validation, with its own items; `idxs` identify the items.

        Raises InputError if targets or indexes do not match, if the run was already fed, or if labels and distributions
        are mixed.
        """
        check_row_order({"preds": preds, "targs": targs, "idxs": idxs})
        predictions, targets = _as_array(preds, "preds"), _as_array(targs, "targs")
        if len(predictions) != len(targets):
            raise InputError(
                f"preds must have as many rows as targs; preds has {len(predictions):,}, targs has {len(targets):,}."
            )
        indexes = list(range(len(targets))) if idxs is None else _as_array(idxs, "idxs")
        if len(indexes) != len(targets) or len(set(indexes)) != len(targets):
            raise InputError("idxs must name every row once; some are missing or occur twice.")
        check_one_kind(self.data, targets)
        fed_epochs = plain_epochs(epochs)
        control = self.data.get(h0, {**empty_part(), "h1": {}})
        part = control if h1 is None else control["h1"].get(h1, empty_part())
        name = str(len(part["preds"])) if exp_idx is None else str(exp_idx)
        if name in part["exp_idxs"]:
            raise InputError(f"run {name!r} of {h1 or h0!r} was already fed; give another exp_idx.")
        self.data[h0] = control
        if h1 is not None:
            control["h1"][h1] = part
        part["exp_idxs"].append(name)
        part["preds"].append(_rows(predictions))
        part["targs"].append(_rows(targets))
        part["idxs"].append(_rows(indexes))
        part["epochs"] += fed_epochs
        self._save_outcomes()

    def loadjson(self, path: str) -> None:
        """Add the runs in an outcomes.json, written by BooStSa or by this class, to the runs that were fed before.

        A run that was already fed with the same values is not added again.

        Raises InputError if the file is not an outcomes.json, or has a run with the name of a different run.
        """
        outcomes = read_outcomes(path)
        for h0, control in outcomes.items():
            for name, part in ((h0, control), *control["h1"].items()):
                check_part(name, part)
        self.data = merged_outcomes(self.data, outcomes)

    def test(
        self,
        targs: Any,
        h0_preds: Any,
        h1_preds: Any,
        h0_name: str = "h0",
        h1_name: str = "h1",
        n_loops: int = 1000,
        sample_size: float = 0.1,
        targetclass: Any = None,
        verbose: bool = False,
    ) -> tuple[Any, Any]:
        """Compare two systems. Return a table over all classes, and a table for the target class (empty without one).

        targs, h0_preds, h1_preds: lists, arrays, series, or paths of .txt, .csv, .tsv and .npy files. Prints the counts
        of the sub-samples; if `verbose`, also the classes and the scores.

        Raises InputError for input that `howsure.compare_models` refuses, MissingExtraError without pandas.
        """
        systems = {"targs": _as_array(targs, "targs"), "h0 preds": _as_array(h0_preds, "h0_preds")}
        systems["h1 preds"] = _as_array(h1_preds, "h1_preds")
        rows = self._tested(systems, (h0_name, h1_name), n_loops, sample_size, targetclass, verbose=verbose)
        tables = {}
        for names in _tables(rows):
            table = {h0_name: _baseline_row(rows, names, "", {}), h1_name: _model_row(rows, names, "", {})}
            tables[names[0] in OF_CLASS] = build_frame(table_columns(names, spread=False), table)
        return self._saved(tables)

    def run(
        self, n_loops: int = 1000, sample_size: float = 0.1, targetclass: Any = None, verbose: bool = False
    ) -> tuple[Any, Any]:
        """Compare every treatment with its control. Return two tables as `test` does, with a row for each condition.

        The runs of a condition are concatenated, as in Fornaciari et al. (2022), where runs are folds with different
        items. A warning is issued if the runs have the same items, since repeated runs are not additional items. If the
        numbers of runs differ, items are resampled with all their runs. Prints the scores, the counts of the
        sub-samples and the table; if `verbose`, also the score of each run.

        Raises InputError if nothing was fed to compare or runs do not match, MissingExtraError without pandas.
        """
        rows_by_condition: dict[bool, dict[str, list[Any]]] = {}
        columns: dict[bool, list[str]] = {}
        for h0, control in self.data.items():
            for k, (h1, treatment) in enumerate(control["h1"].items()):
                systems = paired(h0, control, h1, treatment)
                if verbose:
                    parts = (control, treatment) if k == 0 else (treatment,)
                    print_lines((line for part in parts for line in run_lines(part)), self._tell)
                rows = self._tested(systems, (h0, h1), n_loops, sample_size, targetclass, verbose=True)
                for names in _tables(rows):
                    of_class = names[0] in OF_CLASS
                    columns[of_class] = table_columns(names, spread=True)
                    table = rows_by_condition.setdefault(of_class, {})
                    both = [{names[0]: deviation(part, names[0], targetclass)} for part in (control, treatment)]
                    if k == 0:
                        name = h0 if h0 not in table else f"{h0} (control)"
                        table[name] = _baseline_row(rows, names, _mean(control["epochs"]), both[0])
                    name = h1 if h1 not in table else f"{h1} ({h0})"
                    table[name] = _model_row(rows, names, _mean(treatment["epochs"]), both[1])
        if not rows_by_condition:
            raise InputError("nothing to compare: feed a control (h0=...) and a treatment (h0=..., h1=...) first.")
        self._save_outcomes()
        tables = {kind: build_frame(columns[kind], table) for kind, table in rows_by_condition.items()}
        for table in tables.values():
            print_lines(iter(table.to_string().splitlines()), self._tell)
        if self.save_results and True in tables:
            write_results("results_overall.tsv", tables[False].join(tables[True].iloc[:, 1:]), self.dir_out)
        return self._saved(tables)

    def _tested(
        self,
        systems: dict[str, Any],
        names: tuple[str, str],
        n_loops: int,
        sample_size: float,
        targetclass: Any,
        *,
        verbose: bool,
    ) -> dict[str, Difference]:
        """Compare two systems and print the result. Return the results by BooStSa's short names of the metrics."""
        soft = np.asarray(systems["targs"]).ndim == 2
        short = SOFT if soft else HARD if targetclass is None else {**HARD, **OF_CLASS}
        result = compare(
            systems["targs"],
            {names[0]: systems["h0 preds"]},
            {names[1]: systems["h1 preds"]},
            metrics=list(short.values()),
            target_class=None if soft else targetclass,
            method="boostsa",
            n_resamples=n_loops,
            sample_size=sample_size,
            bug_compatible=self.bug_compatible,
            adjust=None,
            rng=self._rng,
        )
        self.comparisons.append(result)
        rows = dict(zip(short, result, strict=True))
        plain = {name: predictions for name, predictions in systems.items() if not isinstance(predictions, Runs)}
        print_lines(block(plain, {"h0": names[0], "h1": names[1]}, result, rows, n_loops, verbose=verbose), self._tell)
        return rows

    def _saved(self, tables: dict[bool, Any]) -> tuple[Any, Any]:
        """Save the table over all classes and the table for the target class, and return both."""
        if self.save_results:
            for of_class, table in tables.items():
                write_results(f"results{'_targetclass' if of_class else ''}.tsv", table, self.dir_out)
        return tables[False], tables[True] if True in tables else build_frame([], {})

    def _save_outcomes(self) -> None:
        if self.save_outcomes:
            write_outcomes(self.data, self.dir_out)


def _tables(rows: dict[str, Difference]) -> list[list[str]]:
    """The names of the metrics of each table: the metrics over all classes, and the metrics of the target class."""
    overall = [name for name in rows if name not in OF_CLASS]
    return [overall] if len(overall) == len(rows) else [overall, list(OF_CLASS)]


def _as_array(values: Any, name: str) -> Any:
    """Return predictions or targets, given as a file or in memory, as a plain array."""
    if isinstance(values, str) or hasattr(values, "__fspath__"):
        return read_labels(values)
    return check_predictions(values, name=name)


def _rows(values: Any) -> list[Any]:
    """Rows as BooStSa stores them: a list of lists."""
    array = np.asarray(values)
    rows: list[Any] = (array[:, None] if array.ndim == 1 else array).tolist()
    return rows


def _baseline_row(rows: dict[str, Difference], names: list[str], epochs: Any, spread: dict[str, Any]) -> list[Any]:
    cells: list[Any] = [epochs]
    for name in names:
        cells += [value_text(rows[name].against_value), "", ""] + ([spread[name]] if name in spread else [])
    return cells


def _model_row(rows: dict[str, Difference], names: list[str], epochs: Any, spread: dict[str, Any]) -> list[Any]:
    cells: list[Any] = [epochs]
    for name in names:
        cells += [value_text(rows[name].model_value), rounded_difference(rows[name]), stars(rows[name].p_value)]
        cells += [spread[name]] if name in spread else []
    return cells


def _mean(epochs: list[Any]) -> Any:
    return round(float(np.mean(epochs)), 2) if epochs else ""
