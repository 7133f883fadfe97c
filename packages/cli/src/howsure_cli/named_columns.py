"""Commands for a table: the options that name the model, item, run and groups of each answer, and missing values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from howsure.data.column_roles import FEW, STATED, TWO, SeenColumn
from howsure.inputs.repeated_items import SOURCE_ROW, candidates
from howsure_cli.alike_columns import target_and_predictions
from howsure_cli.column_words import GROUPS, ITEMS, JUDGE, TURNS, column_list, column_name, is_grade, positive_option
from howsure_cli.table_roles import TableRoles
from howsure_cli.typed_commands import Option, Options, Proposal, TypedFiles


@dataclass(frozen=True)
class NamedColumns(TableRoles):
    """A table in one or several `files`, as they were typed."""

    typed: TypedFiles
    files: int

    @property
    def may_explode(self) -> bool:
        """Whether columns of the table may become rows."""
        return self.files == 1 and not self.typed.options.get("explode")

    @property
    def _source_row(self) -> str | None:
        """The id of the row from which several are made, if no column names items, which may repeat."""
        has_items = next(candidates([column.name for column in self.columns]), None) is not None
        return None if has_items or self._item is not None else SOURCE_ROW

    def _command(self, command: str, used: Sequence[SeenColumn | None], /, **options: Option) -> Proposal:
        """A command for the table, which leaves out the rows without a value in the columns that it uses."""
        non_answers = [text for column in used if column is not None for text in column.non_answers]
        lacking = any(column is not None and column.missing for column in used) or non_answers
        options |= {"across_files": "same" if self.files > 1 and options.get("cluster") else None}
        options |= {"missing": options.get("missing") or [*dict.fromkeys(non_answers)]}
        options |= {"skip_missing": options.get("skip_missing") or bool(lacking)}
        return self.typed.command(command, **options)

    def _identity_options(
        self,
        *,
        other_than: Sequence[SeenColumn] = (),
        label: SeenColumn | None = None,
        models: Sequence[SeenColumn] | None = None,
    ) -> tuple[Options, list[SeenColumn | None]]:
        """The options that name the model, groups (other than `label`), item and run of an answer; their columns."""
        models = self._models(other_than=other_than) if models is None else models
        item, run = self._item, self._run
        if not models and label is not None and label is self._right:  # of judges, against the right answers
            models = [c for c in self.columns if c.words & JUDGE and c.kind == FEW and not is_grade(c)]
        models = [column for column in models if column not in (item, run)]
        groups = [] if other_than else [column for column in self._groups() if column not in (label, *models)]
        named = [column for column in (item, run) if column is not None]
        whole = (group for group in groups if not self._repeats([*models[:1], group, *named], at_most=1))
        groups = [next(whole, groups[0])] if groups else []
        models = self._distinguished([*groups, *named], models)
        if models and item is not None and self._repeats([*models, *groups, *named], at_most=1):
            models += self._arms_crossed_with([*models, *groups, *named])[:1]
        groups = [column for column in groups if not models or self._repeats_in(models, column)]
        parts = [*models, *groups]
        options: dict[str, Option] = {"model": column_list(models), "group": column_list(groups)}
        keys = [] if item is None else [*parts, item, *([] if run is None else [run])]
        at_most = 1 if models else self.files
        if item is not None and self._repeats(keys, at_most=at_most):
            turn = self._named(TURNS, FEW, TWO)
            is_whole = turn is not None and run is None and not self._repeats([*keys, turn], at_most=at_most)
            options["id"] = f"{item.name},{turn.name}" if turn is not None and is_whole else None
            options["cluster"], run = item.name, None
        elif item is not None:
            if run is not None and item.words & GROUPS and run.words & ITEMS:  # numbered in each group
                options["id"] = column_list([item, run])
            else:
                options |= {"id": item.name, "run": column_name(run)}
        return options, [*parts, item, run]

    def _confidence(self) -> tuple[Options, list[SeenColumn]] | None:
        """The column with the confidence in each prediction, and the columns of true labels and of predictions."""
        prob, pair = self._probability_column(), target_and_predictions(self.columns, self._values_by_column)
        if prob is None or pair is None or len(pair[1]) != 1 or prob in (pair[0], *pair[1]):
            return None
        label, (prediction,) = pair
        positive = (positive_option(label) or {}).get("positive", "1")
        if label.kind == TWO and not self._is_of_prediction([label, prob], positive):
            return None
        way = "verbalised" if prob.kind == STATED else "prob"
        return {"target": label.name, "prediction": prediction.name, way: prob.name}, [label, prob]
