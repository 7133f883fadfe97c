"""Functions that read JSON files as a user's commands do, if this takes more than one call."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.data.logs.samples import STATE
from tests.data.logs.writers import lm_eval_sample, write_lines

from howsure.calibration.calibration_summary import CalibrationSummaries, CalibrationSummary
from howsure.counts import LabelSample
from howsure.data.logs.conversion import input_files, with_defaults
from howsure.errors import HowsureError, InputError
from howsure_events import EventStore
from howsure_events.explorer.labelling import codes, integer_field, read_fields, text, truth
from howsure_events.explorer.queries import document_view
from howsure_events.extraction.pipelines import _meta as meta_of_pipeline
from howsure_events.labels.answers import find_labelling
from howsure_events.series.regress_events import saved_regression
from tests.fuzz.store_edits import whole_store

NOTHING_ASKED: dict[str, str | None] = dict.fromkeys(("y_true", "groups", "clusters", "sample_weight", "id"))


def rows_of_log(form: str) -> Callable[[Path], None]:
    """Read a log as a table by its name and by its content, with the columns that it names."""

    def read(path: Path) -> None:
        spool = path.parent / "spool"
        spool.mkdir(exist_ok=True)
        for log_format, normalise in ((form, None), (None, "characters")):
            with suppress(InputError):
                files, log = input_files(
                    [path], format=log_format, spool=spool, names_needed=["doc.id"], normalise=normalise
                )
                for pairing in (False, True) if log is not None else ():
                    with suppress(InputError):
                        with_defaults(NOTHING_ASKED, None, log, files, pairing=pairing)

    return read


def lm_eval_results(path: Path) -> None:
    """Read the results next to samples of lm-evaluation-harness."""
    folder = path.parent / "model"
    folder.mkdir(exist_ok=True)
    date = "2026-01-02T03-04-05.678"
    samples = write_lines(folder / f"samples_quiz_{date}.jsonl", [lm_eval_sample(0, [-1.0, -2.0], 0)])
    (folder / f"results_{date}.json").write_bytes(path.read_bytes())
    rows_of_log("lm-eval")(samples)


def helm_beside(name: str) -> Callable[[Path], None]:
    """Read the files next to a scenario's state."""

    def read(path: Path) -> None:
        folder = path.parent / "run"
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(path.read_bytes())
        state = folder / "scenario_state.json"
        state.write_text(json.dumps(STATE))
        rows_of_log("helm")(state)
        (folder / name).unlink()

    return read


def summary(path: Path) -> None:
    """Read a summary, and one of groups."""
    for kind in (CalibrationSummary, CalibrationSummaries):
        with suppress(HowsureError):
            repr(kind.load(path))


def page_body(path: Path) -> None:
    """Read what the page sends."""
    rules = {"number": integer_field, "coder": text, "acting": codes, "unclear": truth}
    read_fields(path.read_bytes(), rules, address="/labels")


def sample(path: Path) -> None:
    """Read a sample drawn for labels, and use all of its contents."""
    loaded = LabelSample.load(path)
    loaded.to_dict()
    repr(loaded)


def regression(path: Path) -> None:
    """Read a regression on the labels of a store, and show its table."""
    with EventStore.open(whole_store()) as store:
        saved_regression(store, path).text()


def pipeline_meta(path: Path) -> None:
    """Read the description of a spaCy pipeline, without spaCy."""
    meta_of_pipeline(path.read_bytes(), str(path))


def open_store(path: Path) -> None:
    """Open a store and read its settings and labels, without its rows."""
    with EventStore.open(path) as store:
        document_view(store, 0)
        find_labelling(store)
