"""`logit_calibration`: a model's calibration over all its classes, from files of logits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from howsure.calibration.calibration_summary import CalibrationSummary
from howsure.calibration.curves import CalibrationCurves
from howsure.calibration.logits import IGNORED, slots_of_logits
from howsure.calibration.slots import Slots
from howsure.errors import InputError, Parameter
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Logits, Source
from howsure.inputs.pairs import CLASS_WISE
from howsure.notes import marked_note

PROBABILITY, EQUAL = "probability", "equal"


def logit_calibration(
    data: Source,
    *,
    targets: str | Sequence[str] = (),
    ignore: int = IGNORED,
    reduce: Literal["class-wise", "top-label"] | None = None,
    sample_weight: Literal["probability", "equal"] | None = None,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: Literal["adaptive", "uniform"] = "adaptive",
    level: float = 0.95,
) -> CalibrationCurves:
    """Compute calibration over all classes, such as a language model's tokens, from files of logits and true classes.

    data: `howsure.read(files)` of shards, .npy or .safetensors (a tensor named logits), of shape (rows, classes) or
    (texts, tokens, classes), in float64, float32, float16 or bfloat16; or saved summaries of logits. Files are read in
    blocks of rows; nothing is unpickled. A language model's logits at one position predict the next token: save
    logits[:, :-1] and tokens[:, 1:].

    targets: file of the right classes, .npy or .safetensors: one for all files, or one for each; default: the tensor
    targets, label_ids or labels in them.
    ignore: target of rows that do not count.
    reduce: judge the probability of every class (class-wise, default), or only of the first choice (top-label).
    sample_weight: how much a pair of row and class counts: by its probability (default), so that bins are of equally
    many expected tokens; or all equally.
    binning: bins of equal size, or bins of equal width.

    The result's `summary` contains the sums; `summary.save` writes them to a file, so that others can be added.

    >>> import howsure, numpy as np, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> rng = np.random.default_rng(0)
    >>> logits = rng.normal(size=(500, 3))
    >>> right = (logits + rng.gumbel(size=(500, 3))).argmax(axis=1)
    >>> np.save(os.path.join(folder, "logits.npy"), logits)
    >>> np.save(os.path.join(folder, "right.npy"), right)
    >>> shards = howsure.read(os.path.join(folder, "logits.npy"))
    >>> found = logit_calibration(shards, targets=os.path.join(folder, "right.npy"))
    >>> len(found.summary), found.rows[0].error.value < 0.05
    (1500, True)

    Raises InputError, which names the file and its content, or the invalid row and value.
    """
    check_arguments(logit_calibration, locals())
    columns = (targets,) if isinstance(targets, str) else tuple(targets)
    shards = data.logits(targets=columns, ignore=ignore)
    if shards is None:
        for name, value, default in (("targets", columns, ()), ("ignore", ignore, IGNORED), ("reduce", reduce, None)):
            if value != default:
                raise InputError(
                    "{parameter} is for files of logits; saved summaries contain sums. Leave it out.", name
                )
        summary, recipe = _saved(data)
    else:
        summary, recipe = _summed(shards, data, reduce or CLASS_WISE)
        recipe["targets"] = list(columns)
    if recipe["reduce"] == CLASS_WISE:
        by_probability = sample_weight != EQUAL
    elif sample_weight is None:
        by_probability = False
    else:
        raise InputError(
            "{parameter} needs {reduce}, because top-label has one pair per row. Leave it out.",
            "sample_weight",
            reduce=Parameter("reduce", CLASS_WISE),
        )
    bins: dict[str, Any] = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning, "level": level}
    if by_probability:
        bins["binning"] = "weight" if binning == "adaptive" else binning
        curve = summary.by_probability().curve(**bins)
        note = marked_note(
            f"each pair of a row and a class is weighted by its probability; `sample_weight={EQUAL!r}` gives all the "
            "same weight"
        )
        curve = replace(curve, notes=(note, *curve.notes))
    else:
        curve = summary.curve(**bins)
    return CalibrationCurves(rows=(curve,), adjust=None, recipe=recipe, summary=summary)


def _summed(shards: Logits, data: Source, reduce: str) -> tuple[CalibrationSummary, dict[str, Any]]:
    """Return the sums of all rows that are not ignored, and the recipe."""
    slots = Slots.none()
    with data.progress(shards.rows, "rows") as advance:
        for block in shards.blocks():
            how: dict[str, Any] = {"reduce": reduce, "ignore": shards.ignore, "place": block.place}
            slots = slots + slots_of_logits(block.logits, block.targets, **how)
            advance(len(block.targets))
    recipe: dict[str, Any] = {"files": list(shards.files), "reduce": reduce, "classes": shards.n_classes}
    recipe |= {"rows": shards.rows - shards.ignored, "skipped": {f"target {shards.ignore}": shards.ignored}}
    return CalibrationSummary.from_slots(slots), recipe


def _saved(data: Source) -> tuple[CalibrationSummary, dict[str, Any]]:
    """Return the total of saved summaries of logits, and the recipe."""
    with data.predictions() as predictions:
        slots = None if predictions.group_names else predictions.source()
        if not isinstance(slots, Slots) or slots.reduction is None:
            raise InputError(
                f"{data.name}does not contain the sums of logits that howsure calibration logits saves. For other "
                "summaries, use howsure calibration."
            )
        return CalibrationSummary.from_slots(slots), {**predictions.describe(), "reduce": slots.reduction}
