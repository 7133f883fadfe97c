"""`howsure calibration logits`: a model's calibration over all its classes, from files of logits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from howsure.calibration.curves import CalibrationCurves
from howsure.cli.terminal.commands import Command, Written, refuse_given
from howsure.cli.terminal.options import axis_option, binning_options, figure_option, output_options, report_option
from howsure.cli.terminal.output import emit, progress, result_text, write_pictures
from howsure.data.logit_files import IGNORED, LogitShards, open_logits
from howsure.data.sources import saved_summaries, sums_of_saved
from howsure.errors import InputError
from howsure.inputs.classes import CLASS_WISE, TOP_LABEL

if TYPE_CHECKING:
    from howsure.calibration.calibration_summary import CalibrationSummary

COMMAND = "howsure calibration logits"
AUTO, LOGIT, WEIGHTS = "auto", "logit", ("probability", "equal")
WEIGHED = "each pair of a row and a class counts by its probability; --weights equal has all count alike"


@click.command("logits", cls=Command, context_settings={"max_content_width": 110})
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--targets", multiple=True, metavar="FILE",
              help="File of the right classes, .npy or .safetensors: one for all FILE..., or one for each. "
              "Default: the tensor targets, label_ids or labels in FILE.")  # fmt: skip
@click.option("--ignore", type=int, default=IGNORED, show_default=True, metavar="N",
              help="Target of rows that do not count.")  # fmt: skip
@click.option("--reduce", type=click.Choice([CLASS_WISE, TOP_LABEL]), default=CLASS_WISE, show_default=True,
              help="Judge the probability of every class, or that of the first choice.")  # fmt: skip
@click.option("--weights", type=click.Choice(WEIGHTS),
              help="How much a pair of row and class counts: by its probability (default), so that bins are of equally "
              "many expected tokens; or all equally.")  # fmt: skip
@click.option("--save", type=Written(), metavar="FILE.summary", help="Save the sums, to be added to others.")
@binning_options
@output_options
@figure_option("Draw the curve")
@axis_option
@report_option
def command(
    files: tuple[str, ...], targets: tuple[str, ...], ignore: int, reduce: str, weights: str | None, save: str | None,
    level: float, bin_size: int | str, bins: int | None, binning: str, form: str, output: str | None,
    figure: str | None, axis: str, report: str | None,
) -> None:  # fmt: skip
    """Calibration over all classes, such as the tokens of a language model: from logits and right classes in FILE...

    FILE... are shards, .npy or .safetensors (a tensor named logits), of the shape (rows, classes) or (texts, tokens,
    classes), in float64, float32, float16 or bfloat16. Rows are read some at a time; nothing is unpickled. Logits of a
    language model stand one place before the token that they predict: save logits[:, :-1] and tokens[:, 1:]. FILE...
    may also be summaries saved by --save. All classes are drawn on the scale of log-odds, unless --axis says otherwise.

    \b
    howsure calibration logits 'shards/*.safetensors' --save monday.summary
    howsure calibration logits monday.summary tuesday.summary
    howsure calibration logits logits-*.npy --targets tokens.npy --figure curve.png
    howsure calibration logits 'shards/*.safetensors' --reduce top-label
    """
    if saved := saved_summaries(files):
        refuse_given(("targets", "ignore", "reduce"), "is for files of logits; saved summaries hold sums")
        summary, recipe = added_up(saved)
    else:
        summary, recipe = summed(open_logits(files, targets=targets, ignore=ignore), reduce)
        recipe |= {"targets": list(targets)}
    reduce = recipe["reduce"]
    if weights is not None and reduce != CLASS_WISE:
        raise InputError("--weights is for --reduce class-wise; of first choices there is one pair per row.")
    sums = summary
    by_probability = reduce == CLASS_WISE and weights != "equal"
    if by_probability:
        summary, binning = summary.by_probability(), "weight" if binning == "adaptive" else binning
    curve = summary.curve(bin_size=bin_size, n_bins=bins, binning=binning, level=level)
    if by_probability:
        curve = replace(curve, notes=(WEIGHED, *curve.notes))
    if axis == AUTO and curve.bins.mean_prob[0] > 0.0 and curve.bins.mean_prob[-1] < 1.0 and reduce == CLASS_WISE:
        axis = LOGIT
    found = CalibrationCurves(rows=(curve,), adjust=None, recipe=recipe)
    shown = result_text(found, form)  # which may refuse a column, before anything is written
    if save is not None:
        sums.save(save)
    write_pictures(found, figure=figure, report=report, axis=axis)
    emit(shown, output)


def summed(shards: LogitShards, reduce: str) -> tuple[CalibrationSummary, dict[str, Any]]:
    """The sums of all rows that count, and what they are of."""
    from howsure.calibration.calibration_summary import CalibrationSummary
    from howsure.calibration.logits import slots_of_logits
    from howsure.calibration.slots import Slots

    slots = Slots.none()
    with progress("rows", total=shards.rows) as advance:
        for block in shards.blocks():
            slots = slots + slots_of_logits(
                block.logits, block.targets, reduce=reduce, ignore=shards.ignore, place=block.place
            )
            advance(len(block.targets))
    recipe = {
        "command": COMMAND, "files": list(shards.files), "reduce": reduce, "classes": shards.n_classes,
        "rows": shards.rows - shards.ignored, "skipped": {f"target {shards.ignore}": shards.ignored},
    }  # fmt: skip
    return CalibrationSummary.of_slots(slots), recipe


def added_up(files: Sequence[str]) -> tuple[CalibrationSummary, dict[str, Any]]:
    """The sums that saved summaries hold together, and what they are of."""
    from howsure.calibration.calibration_summary import CalibrationSummary

    found = sums_of_saved(files)
    if found.group_names or found.sums[""].reduction is None:
        raise InputError(
            f"{', '.join(found.files)}: not the sums of logits, which --save of this command saves. howsure "
            "calibration judges other summaries."
        )
    slots = found.sums[""]
    return CalibrationSummary.of_slots(slots), {**found.describe(), "command": COMMAND, "reduce": slots.reduction}
