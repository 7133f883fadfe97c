"""`howsure calibration`, `quantiles` and `simulate`; each command loads what it needs when it is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import click

from howsure.errors import LIST_COLUMNS, InputError
from howsure_cli.command_line import check_memory
from howsure_cli.terminal.commands import Command, OutputFile
from howsure_cli.terminal.derived import (
    FILES,
    NONE_VALUE,
    build_command,
    call_function,
    choice,
    derived,
    finish,
    parameter_help,
)
from howsure_cli.terminal.options import (
    ONE_FORM_ADVICE,
    PROBABILITIES,
    DefaultGroup,
    as_names,
    axis_option,
    binning_options,
    build_source,
    choice_option,
    classes_options,
    column_roles,
    figure_option,
    in_order,
    output_options,
    probability_options,
    reading_options,
    report_option,
    role_option,
    seed_option,
)
from howsure_cli.terminal.output import emit, in_options, progress, result_text, write_pictures

ROW_BYTES = 250  # memory of a row of simulated pairs as text, in addition to its numbers
LOGITS = (
    "FILE... are shards, .npy or .safetensors (a tensor named logits), of the shape (rows, classes) or (texts, "
    "tokens, classes), in float64, float32, float16 or bfloat16. Rows are read in batches; nothing is unpickled. "
    "Logits of a language model are one position before the token that they predict: save logits[:, :-1] and "
    "tokens[:, 1:]. FILE... may also be summaries saved by --save. All classes are drawn on the log-odds scale "
    "unless --axis names another."
)
BINNING = ["adaptive", "uniform"]


@cache
def curve() -> click.Command:
    """`howsure calibration curve`: from files of predictions to curves, tables, figures and a report."""
    from howsure.calibration.calibration_tests import METHODS
    from howsure.calibration.curves import calibration_curves, curves_by_group

    def run(form: str, output: str | None, figure: str | None, report: str | None, axis: str, **typed: Any) -> None:
        curves = call_function(curves_by_group, typed, both_methods=report is not None)
        finish(curves, name="calibration", form=form, output=output, figure=figure, report=report, axis=axis)

    return build_command(
        "curve",
        curves_by_group,
        run,
        files=f"{FILES.rstrip('.')}; or saved summaries, see `summary`.",
        examples="""
howsure calibration dev.jsonl --target gold --prob score
howsure calibration preds.csv --target label --prediction pred --prob conf
howsure calibration 'export/*.parquet' --target y --prob score --group country --format json
howsure calibration dev.jsonl --target gold --probs-column probs --reduce class-wise --figure curve.pdf
howsure calibration dev.jsonl --target gold --prob score --method corp --report report.html
howsure calibration 'results/*/samples_*.jsonl'
""",
        more_options=[output_options, figure_option(), axis_option, report_option],
        documented_by=(calibration_curves,),
        options={
            "method": choice(curves_by_group, "method", ["bins", "corp"]),
            "binning": choice(curves_by_group, "binning", BINNING),
            "interval": choice(curves_by_group, "interval", ["debiased", "nguyen-oconnor", "bootstrap", "none"]),
            "adjust": choice(curves_by_group, "adjust", ["holm", "bh", NONE_VALUE]),
            "test": choice(curves_by_group, "test", METHODS),
            "both_methods": None,
        },
        epilog="See also: howsure calibration compare --help; "
        "bin-size, find-groups, local, logits, ordinal, structures, summary --help",
    )


@cache
def find_miscalibrated_groups() -> click.Command:
    """`howsure calibration find-groups`: in which groups of rows are predictions worse calibrated than in the whole?"""
    from howsure.calibration import miscalibrated_groups
    from howsure.calibration.scan import DIAGONAL, WHOLE
    from howsure.result import files_read

    function = miscalibrated_groups.find_miscalibrated_groups

    def run(form: str, output: str | None, figure: str | None, report: str | None, **typed: Any) -> None:
        groups = call_function(function, typed, multicalibration=True)
        title = f"Which groups are worse calibrated? {files_read(groups.recipe)}"
        name = "calibration find-groups"
        finish(groups, name=name, form=form, output=output, figure=figure, report=report, title=title)

    return build_command(
        "find-groups",
        function,
        run,
        examples="""
howsure calibration find-groups dev.csv --target gold --prob score --features genre,length
howsure calibration find-groups dev.jsonl --target gold --probs-column probs --features 'genre,length(text)'
howsure calibration find-groups answers.csv --target right --prob confidence --features model,topic --cluster item
""",
        more_options=[output_options, figure_option(), report_option],
        options={
            "features": click.option("--features", callback=as_names, required=True, metavar="COL,COL,…"),
            "conditions": click.option(
                "--conditions",
                type=click.IntRange(1, 2),
                default=2,
                show_default=True,
                help="Largest number of conditions of a group.",
            ),
            "against": choice(function, "against", [WHOLE, DIAGONAL]),
            "multicalibration": None,
        },
    )


@cache
def compare() -> click.Command:
    """`howsure calibration compare`: is model B better calibrated than model A on the same rows?"""
    from howsure.calibration.comparison import compare_calibration

    @click.command("compare", cls=Command)
    @click.argument("files", nargs=-1, required=True, metavar="FILE | FILE_A FILE_B")
    @probability_options(of_two=True)
    @classes_options
    @role_option("y_true", multiple=True)
    @reading_options
    @binning_options
    @click.option("--names", callback=as_names, metavar="NAME,NAME", help="Names of the models (default: A,B).")
    @output_options
    @figure_option()
    @axis_option
    def command(
        files: Sequence[str], form: str, output: str | None, figure: str | None, axis: str, **typed: Any
    ) -> None:
        """Is model B better calibrated than A on the same rows? Two files, or two columns of one file (--prob twice).

        Rows of two files are matched by --id, or by position if the files have the same number of rows.

        \b
        howsure calibration compare base.jsonl large.jsonl --target gold --prob score
        howsure calibration compare base.jsonl large.jsonl --target gold --prob score --id uid --skip-missing
        howsure calibration compare dev.csv --target gold --prob base --prob large
        howsure calibration compare dev.csv --target base_right --target large_right --prob base --prob large
        howsure calibration compare base.jsonl large.jsonl --target gold --probs-column probs
        howsure calibration compare dev.csv --target gold --logits a_no,a_yes --logits b_no,b_yes --classes no,yes
        """
        how = {name: typed.pop(name) for name in ("bin_size", "n_bins", "binning", "level")}
        how |= {} if (names := typed.pop("names")) is None else {"names": names}
        comparison = compare_calibration(**two_models(files, typed), **how)
        text = result_text(comparison, form)  # may raise an error for a column, before anything is written
        write_pictures(comparison, figure=figure, axis=axis)
        emit(text, output)

    return command


def two_models(files: Sequence[str], typed: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that name two models and their rows: files and columns, each named twice or once."""
    columns_of = {way: typed.pop(way) for way in PROBABILITIES}
    labels, predictions = typed.pop("y_true"), typed.pop("prediction")
    ways = [way for way, columns in columns_of.items() if columns]
    of_logs = not ways and len(files) == 2 and len(labels) < 2  # two logs, whose columns are known
    if len(ways) != 1 and not of_logs:
        raise InputError(f"{ONE_FORM_ADVICE}{LIST_COLUMNS}")
    columns = [] if of_logs else list(columns_of[ways[0]])
    if (len(files), len(columns)) not in ((2, 1), (1, 2), (2, 2)) and not of_logs:
        raise InputError(
            f"compare takes two files and one column, or one file and two columns; "
            f"it got {len(files)} and {len(columns)}."
        )
    if len(labels) > 2:
        raise InputError(f"compare takes one --target for both models, or one for each; it got {len(labels)}.")
    if predictions and len(predictions) != len(columns):
        raise InputError(
            f"compare takes one --prediction for each column of confidences; it got {len(predictions)} for "
            f"{len(columns)}."
        )
    first, *others = [
        column_roles(typed | dict(zip(ways, columns[model:], strict=False)) | {"prediction": prediction})
        for model, prediction in enumerate(predictions or [None] * max(len(columns), 1))
    ]
    arguments = first | {"data": build_source(files[:1], typed)}
    arguments |= dict(zip(("y_true", "y_true_against"), labels, strict=False))
    theirs = [roles["y_prob"] if predictions else column for roles, column in zip(others, columns[1:], strict=True)]
    if len(files) == 1:
        return arguments | {"against": theirs[0]}
    arguments["against"] = build_source(files[1:], typed)
    return arguments | dict(zip(("y_prob_against",), theirs, strict=False))


@cache
def logits() -> click.Command:
    """`howsure calibration logits`: a model's calibration over all its classes, from files of logits."""
    from howsure.calibration.from_logits import EQUAL, PROBABILITY, logit_calibration
    from howsure.data.sources import read
    from howsure.inputs.pairs import CLASS_WISE

    def run(
        files: Sequence[str],
        save: str | None,
        form: str,
        output: str | None,
        figure: str | None,
        report: str | None,
        axis: str,
        **typed: Any,
    ) -> None:
        source = replace(read(files), bar=lambda n, unit: progress(unit, total=n))
        calibration = logit_calibration(source, **typed)
        calibration = replace(calibration, recipe={"command": "howsure calibration logits", **calibration.recipe})
        ends = calibration.binned[0].bins.mean_prob[[0, -1]]
        if axis == "auto" and ends.min() > 0.0 and ends.max() < 1.0 and calibration.recipe["reduce"] == CLASS_WISE:
            axis = "logit"
        text = result_text(calibration, form)  # may raise an error for a column, before anything is written
        if save is not None and calibration.summary is not None:
            calibration.summary.save(save)
        write_pictures(calibration, figure=figure, report=report, axis=axis)
        emit(text, output)

    return build_command(
        "logits",
        logit_calibration,
        run,
        files=LOGITS,
        examples="""
howsure calibration logits 'shards/*.safetensors' --save monday.summary
howsure calibration logits monday.summary tuesday.summary
howsure calibration logits logits-*.npy --targets tokens.npy --figure curve.png
howsure calibration logits 'shards/*.safetensors' --reduce top-label
""",
        more_options=[
            click.option(
                "--save", type=OutputFile(), metavar="FILE.summary", help="Save the sums, to be combined with others."
            ),
            output_options,
            figure_option(),
            axis_option,
            report_option,
        ],
        options={
            "data": None,
            "targets": click.option("--targets", multiple=True, metavar="FILE"),
            "sample_weight": choice(logit_calibration, "sample_weight", [PROBABILITY, EQUAL]),
        },
    )


@cache
def bin_size() -> click.Command:
    """`howsure calibration bin-size`: the bin size whose curve predicts held-out labels best."""
    from howsure.calibration.curve_choice import cross_validate_curve

    return derived(
        "calibration bin-size",
        cross_validate_curve,
        examples="""
howsure calibration bin-size dev.jsonl --target gold --prob score
howsure calibration bin-size dev.jsonl --target gold --prob score --cluster document --format csv
""",
        options={"folds": None},
    )


@cache
def local() -> click.Command:
    """`howsure calibration local`: a calibration curve without bins, by local regression."""
    from howsure.calibration.curve_choice import local_regression

    return derived(
        "calibration local",
        local_regression,
        examples="""
howsure calibration local dev.jsonl --target gold --prob score --figure curve.pdf
howsure calibration local dev.jsonl --target gold --prob score --span 0.3 --format csv
""",
        figure=True,
    )


@cache
def ordinal() -> click.Command:
    """`howsure calibration ordinal`: are the probabilities of ordered levels, such as grades, calibrated?"""
    from howsure.calibration.ordinal import ordinal_calibration

    return derived(
        "calibration ordinal",
        ordinal_calibration,
        examples="""
howsure calibration ordinal grades.jsonl --target grade --probs-column probs --levels 1,2,3,4,5
howsure calibration ordinal dev.csv --target stars --probs p1,p2,p3 --levels 1,2,3 --figure curves.pdf
howsure calibration ordinal decisions.jsonl --labels-from labels.csv --where "task = 'urgency'" --levels 0,1,2
""",
        figure=True,
        report=True,
        options={
            "y_prob": probability_options(labelled=False),
            "binning": choice(ordinal_calibration, "binning", BINNING),
        },
    )


@cache
def structures() -> click.Command:
    """`howsure calibration structures`: are the parts of parses or other structures as probable as samples say?"""
    from howsure.calibration.curves import calibration_curves
    from howsure.calibration.structures import structure_pairs
    from howsure.data.predictions.write_pairs import write_pairs
    from howsure_cli.structure_files import read_structures

    @click.command("structures", cls=Command)
    @click.argument("file", metavar="FILE")
    @click.option("--by-label", is_flag=True, help="One curve per label, the first element of a part.")
    @click.option(
        "--pairs",
        type=OutputFile(".parquet", ".csv"),
        metavar="FILE",
        help="Also write the pairs for `howsure calibration`: .parquet or .csv.",
    )
    @binning_options
    @output_options
    @figure_option()
    @axis_option
    @report_option
    def command(file: str, by_label: bool, pairs: str | None, form: str, output: str | None, **typed: Any) -> None:
        """Are the parts of structures, such as edges of a parse, as probable as a model's samples or k-best list say?

        FILE: JSON lines, one item per line, with samples (a list of structures, each a list of parts) and gold (the
        parts of the true structure); optionally id, weights (of a k-best list) and candidates (all possible parts). A
        part is a string, a number, or a list such as ["nsubj", 2, 5].

        \b
        howsure calibration structures parses.jsonl
        howsure calibration structures parses.jsonl --by-label --figure curves.pdf
        howsure calibration structures translations.jsonl --pairs pairs.parquet
        """
        pictures = {name: typed.pop(name) for name in ("figure", "axis", "report")}
        of_parts = structure_pairs(**read_structures(file), by_label=by_label)
        curves = calibration_curves(of_parts, **typed)
        curves = replace(curves, recipe={"files": [file], **curves.recipe, "cluster": "item"})
        if pairs is not None:
            write_pairs(of_parts, pairs, group="part", cluster="item")
        finish(curves, name="calibration structures", form=form, output=output, **pictures)

    return command


@cache
def summary() -> click.Command:
    """`howsure calibration summary`: the sums of predictions, in a small file that can be added to others."""
    from howsure.calibration.calibration_summary import CalibrationSummaries, CalibrationSummary, sums_of_source
    from howsure.calibration.curves import pooling_notes
    from howsure.inputs.numbers_and_names import counted
    from howsure.result import rows_read

    @click.command("summary", cls=Command, context_settings={"max_content_width": 110})
    @click.argument("files", nargs=-1, required=True, metavar="FILE...")
    @click.option("--output", type=OutputFile(), required=True, metavar="FILE.summary")
    @probability_options()
    @classes_options
    @role_option("groups")
    @role_option("y_true")
    @reading_options
    def command(files: Sequence[str], output: str, **typed: Any) -> None:
        """Save sums of the predictions in FILE..., without rows, in a file of at most two megabytes per group.

        FILE...: predictions, as for `howsure calibration`, or summaries, which are added up. `howsure calibration`
        reads summaries like predictions. So results of two days, machines or hospitals can be combined without sharing
        rows. Predictions that differ by less than about 2 parts in 10,000 count as equal.

        \b
        howsure calibration summary monday.parquet --target y --prob score --group country --output monday.summary
        howsure calibration summary monday.summary tuesday.summary --output week.summary
        howsure calibration week.summary
        """
        sums, provenance = sums_of_source(build_source(files, typed), **column_roles(typed))
        if list(sums) == [""]:
            CalibrationSummary.from_slots(sums[""]).save(output)
        else:
            CalibrationSummaries.from_slots(sums).save(output)
        of_groups = "" if list(sums) == [""] else f" in {counted(len(sums), 'group')}"
        pairs = counted(sum(map(len, sums.values())), "pair")
        message = f"{output}: the sums of {pairs}{of_groups}\nNext: howsure calibration {output}\n"
        notes = [f"note: {note}" for note in in_options(pooling_notes(provenance))]
        emit("\n".join([rows_read(provenance), *notes, message]), None)

    return command


command = DefaultGroup(
    "calibration",
    default="curve",
    elsewhere={
        "curve": curve,
        "bin-size": bin_size,
        "compare": compare,
        "find-groups": find_miscalibrated_groups,
        "local": local,
        "logits": logits,
        "ordinal": ordinal,
        "structures": structures,
        "summary": summary,
    },
    help="Calibration: do predicted probabilities match frequencies?",
    context_settings={"max_content_width": 110},
)


@cache
def quantiles() -> click.Command:
    """`howsure quantiles`: are posterior draws of continuous quantities calibrated?"""
    from howsure.calibration.quantiles import METHODS, quantile_calibration

    def run(draws_column: str | None, form: str, output: str | None, figure: str | None, **typed: Any) -> None:
        if (typed["draws"] is None) == (draws_column is None):
            raise InputError("name the draws with either --draws COL,COL,… or --draws-column COL.")
        quantiles = call_function(quantile_calibration, typed, draws=draws_column or typed["draws"])
        finish(quantiles, name="quantiles", form=form, output=output, figure=figure)

    return build_command(
        "quantiles",
        quantile_calibration,
        run,
        examples="""
howsure quantiles draws.npz --target truth --draws-column draws
howsure quantiles draws.csv --target truth --draws d1,d2,d3 --cluster document --figure quantiles.pdf
""",
        more_options=[output_options, figure_option()],
        options={
            "draws": in_order(
                [
                    click.option("--draws", callback=as_names, metavar="COL,COL,…", help="Columns of posterior draws."),
                    click.option(
                        "--draws-column", metavar="COL", help="Column of lists of draws, one per row (.npz: a matrix)."
                    ),
                ]
            ),
            "method": choice_option(
                "--test", "method", of=METHODS, help=parameter_help(quantile_calibration)["method"]
            ),
            "rng": seed_option(to="rng"),
        },
    )


@click.command("simulate", cls=Command)
@click.argument("n", type=click.IntRange(min=1))
@click.option("--a", type=float, default=0.3, show_default=True, help="First parameter of the Beta distribution of q.")
@click.option("--b", type=float, default=0.7, show_default=True, help="Second parameter of this distribution.")
@click.option(
    "--k", type=click.FloatRange(0.0, 0.5), help="Miscalibrate: P(y = 1) is q - k up to one half, q + k above."
)
@click.option("--decimals", type=click.IntRange(0, 17), help="Number of decimals of q (default: all digits).")
@seed_option()
@click.option("--output", type=OutputFile(".csv"), metavar="FILE.csv")
def simulate(n: int, a: float, b: float, k: float | None, decimals: int | None, seed: int, output: str | None) -> None:
    """Simulate N pairs: q from Beta(a, b), the label with probability q, or with a shifted q (--k). Written as CSV."""
    import numpy as np

    from howsure.calibration.simulation import simulate_pairs

    check_memory(n * ROW_BYTES, name="N", value=n)
    pairs = simulate_pairs(n, a, b, transform="identity" if k is None else k, rng=seed)
    q = pairs.probabilities if decimals is None else np.round(pairs.probabilities, decimals)
    rows = (f"{y},{p!r}" for y, p in zip(pairs.labels.tolist(), q.tolist(), strict=True))
    emit("\n".join(["label,probability", *rows]) + "\n", output)
