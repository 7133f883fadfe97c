"""Logs as tables: what is chosen for what the user does not name, and what is refused."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.files import opened
from tests.data.logs.samples import LOGS, document
from tests.data.logs.writers import (
    inspect_sample,
    lm_eval_sample,
    lm_eval_text,
    promptfoo,
    promptfoo_document,
    write_inspect,
    write_lines,
    write_lm_eval,
)

import howsure
from howsure.data.logs.conversion import LOGS as FORMATS
from howsure.data.logs.conversion import Log, input_files
from howsure.data.logs.log_detection import log_format, unfolded
from howsure.data.logs.tokens import normalised, softmax, softmax_of_rows
from howsure.errors import InputError
from howsure.inputs.frames import Kind

SAMPLES = [lm_eval_sample(0, [-1.0, -2.0], 0), lm_eval_sample(1, [-3.0, -2.0], 0), lm_eval_sample(2, [-1.0, -1.5], 1)]
RAGGED = [SAMPLES[0], lm_eval_sample(1, [-3.0, -2.0, -4.0], 1, choices="abc")]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_lm_eval(tmp_path, "small", "task", SAMPLES)


def open_predictions(*paths: Path, **options: Any) -> Any:
    with opened(*paths, **options) as predictions:
        predictions.pairs()
        return predictions


def test_a_link_to_itself_or_a_pipe_hides_no_files(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "small", "task", SAMPLES)
    names = {path.name for path in tmp_path.rglob("*.jsonl")}
    (tmp_path / "a.jsonl").symlink_to("a.jsonl")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "b.jsonl")
    paths, _ = unfolded([str(tmp_path)])
    assert {Path(getattr(path, "name", path)).name for path in paths} == names


def test_a_log_needs_no_options(log: Path) -> None:
    predictions = open_predictions(log)
    assert predictions.columns == {"target": "target", "probs_column": "probabilities", "id": "item"}
    assert predictions.notes["format"] == "lm-eval"
    assert predictions.notes["classes"] == ["no", "yes"]
    assert predictions.pairs().labels.tolist() == [1, 0, 0]
    assert predictions.input_notes == []


def test_what_the_user_names_goes_first(log: Path) -> None:
    predictions = open_predictions(log, y_true="acc", prob="probability")
    assert predictions.columns == {"target": "acc", "prob": "probability", "id": "item"}
    assert predictions.pairs().labels.tolist() == [1, 0, 0]


def test_models_are_not_pooled(tmp_path: Path) -> None:
    both = [write_lm_eval(tmp_path, name, "task", SAMPLES) for name in ("small", "large")]
    predictions = open_predictions(*both)
    assert (predictions.columns["group"], predictions.group_sizes) == ("model", {"large": 3, "small": 3})


def test_pooled_models_have_their_items_as_clusters(tmp_path: Path) -> None:
    both = [write_lm_eval(tmp_path, name, "task", SAMPLES) for name in ("small", "large")]
    predictions = open_predictions(*both, groups="task")
    assert (predictions.columns["cluster"], predictions.notes["across_files"]) == ("item", "same")
    assert predictions.pairs().clusters.tolist() == [0, 1, 2] * 2


def test_questions_with_more_choices_than_others_are_judged_by_their_likeliest(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", RAGGED)
    predictions = open_predictions(path)
    assert predictions.columns == {"target": "target", "probs_column": "probabilities", "id": "item"}
    p = [softmax([-1.0, -2.0])[0], softmax([-3.0, -2.0, -4.0])[1]]
    assert (predictions.pairs().labels.tolist(), predictions.pairs().probabilities.tolist()) == ([1, 1], p)


def test_several_right_choices_are_judged_by_the_likeliest(tmp_path: Path) -> None:
    sample = lm_eval_sample(0, [-3.0, -1.0, -2.0], 0, choices="abc") | {"target": "[1, 2]"}
    predictions = open_predictions(write_lines(tmp_path / "a.jsonl", [sample]))
    assert (predictions.columns["target"], predictions.pairs().labels.tolist()) == ("correct", [1])


def test_a_file_is_read_verbatim_on_request(log: Path) -> None:
    with pytest.raises(InputError, match=r"no column 'probabilities'"):
        howsure.read(log, format="jsonl").predictions("target", "probabilities")
    assert howsure.read(log, format="jsonl").rows({"doc_hash": Kind.VALUES}).columns["doc_hash"].tolist() == ["d"] * 3


def test_other_fields_of_a_log_are_kept_if_named(log: Path) -> None:
    table = howsure.read(log).rows({"doc": Kind.OPTIONAL, "acc": Kind.NUMBER})
    assert table.columns["doc"][1] == '{"question":"1?","subject":"physics"}'
    assert table.columns["acc"].tolist() == [1, 0, 0]
    assert table.provenance["format"] == "lm-eval"


@pytest.mark.parametrize("name", LOGS)
def test_a_log_that_is_cut_off_is_refused(name: str, tmp_path: Path) -> None:
    content, write = LOGS[name]
    path = write(tmp_path, content)
    whole = path.read_bytes()
    ends = {at + offset for at, byte in enumerate(whole) if byte == ord("\n") for offset in (0, 1)}
    for length in {len(whole) * part // 8 for part in range(8)} - (ends if path.suffix == ".jsonl" else set()):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError, match=path.name):
            input_files([path], format=name.partition(" ")[0], spool=tmp_path)


# Probabilities of choices, against numpy and by what must hold.


LOGITS = st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=9)


@given(LOGITS, st.floats(-1e3, 1e3))
def test_softmax_is_a_distribution_that_a_shift_leaves_as_it_is(logits: list[float], shift: float) -> None:
    probabilities = softmax(logits)
    assert math.fsum(probabilities) == pytest.approx(1, abs=1e-12)
    assert probabilities == pytest.approx(softmax([logit + shift for logit in logits]), abs=1e-9)


def test_batches_of_softmax_do_not_depend_on_the_order_of_the_choices() -> None:
    """Rounding must not separate equal predictions: bins would depend on the order in which choices are written."""
    logits = np.random.default_rng(0).normal(size=(200, 4))
    orders = [softmax_of_rows(logits[:, order].tolist()) for order in permutations(range(4))]
    assert len({tuple(max(row) for row in rows) for rows in orders}) == 1
    np.testing.assert_allclose(orders[0], [softmax(row) for row in logits.tolist()], rtol=1e-14)


@given(st.lists(st.floats(-30, 30), min_size=2, max_size=6))
def test_softmax_is_numpys(logits: list[float]) -> None:
    exponentials = np.exp(np.array(logits))
    assert softmax(logits) == pytest.approx((exponentials / exponentials.sum()).tolist(), rel=1e-12)


def test_normalised_by_name() -> None:
    row = {"classes": ["no", "für"], "tokens": [1, 2]}
    assert normalised([-2.0, -6.0], row, "none") == [-2.0, -6.0]
    assert normalised([-2.0, -6.0], row, "characters") == [-1.0, -2.0]
    assert normalised([-2.0, -6.0], row, "bytes") == [-1.0, -1.5]
    assert normalised([-2.0, -6.0], row, "tokens") == [-2.0, -3.0]


VALUES = (None, True, -1, 2.5, 10**400, float("nan"), "x", "", [], [None], {"a": {"b": []}})


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    """The paths to all values within a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (key,)
        yield from ((key, *rest) for rest in places(inner))


def changed(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """A copy with another value in one place."""
    whole = copy.deepcopy(value)
    inner = whole
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = new
    return whole


def test_every_format_has_a_log() -> None:
    assert set(FORMATS) == {name.partition(" ")[0] for name in LOGS}


@pytest.mark.parametrize("name", LOGS)
def test_the_logs_are_read(name: str, tmp_path: Path) -> None:
    content, write = LOGS[name]
    (file,), log = input_files([write(tmp_path, content)], format=None, spool=tmp_path)
    assert log.format.name == name.partition(" ")[0]
    assert Path(file.path).read_text(encoding="utf-8").count("\n") == log.rows > 0


@pytest.mark.parametrize("name", LOGS)
def test_another_value_is_taken_or_refused(name: str, tmp_path: Path) -> None:
    """A few values in each place, every value in some of them."""
    step = 11 if name == "lighteval" else 6  # which opens a database each time
    assert crashes(name, tmp_path, lambda at: VALUES[at % step :: step]) == []


@pytest.mark.slow
def test_any_other_value_is_taken_or_refused(tmp_path: Path) -> None:
    assert [failure for name in LOGS for failure in crashes(name, tmp_path, lambda at: VALUES)] == []


def crashes(name: str, tmp_path: Path, values: Callable[[int], Sequence[Any]]) -> list[str]:
    """What is neither taken nor refused, of the values for the place of each number."""
    content, write = LOGS[name]
    return [
        f"{place} = {value!r:.40}: {error!r}"
        for at, place in enumerate(places(content))
        for value in values(at)
        if (path := written(lambda: write(tmp_path, changed(content, place, value)))) is not None  # noqa: B023
        and (error := crash(path, name, tmp_path)) is not None
    ]


def written(write: Callable[[], Path]) -> Path | None:
    """The file; None where its format has no such value, as a column of Parquet has one type."""
    try:
        return write()
    except (pa.ArrowException, AttributeError, OverflowError):
        return None


def crash(path: Path, name: str, folder: Path) -> Exception | None:
    """The exception of a reader, unless it is an `InputError` about the log."""
    try:
        input_files([path], format=name.partition(" ")[0], spool=folder)
    except InputError:
        pass
    except Exception as error:
        return error
    return None


# Names with half a character as raw bytes (ED A0 80), which Python's JSON lets through: refused in every format.


def test_scores_that_are_not_numbers_are_counted_and_named(tmp_path: Path) -> None:
    names = ["exact_match", "inst_level", "note"]
    scored = [
        lm_eval_text(i, "a", "a") | {"metrics": names, "inst_level": [True, i > 1], "note": "x"} for i in range(4)
    ]
    path = write_lm_eval(tmp_path, "m", "ifeval", scored)
    table = howsure.mean_scores(data=howsure.read(path))
    assert [row.score for row in table] == ["exact_match"]
    assert table.recipe["notes"] == [
        "Not read, because they are not numbers: inst_level (4 rows, such as [True, False]), note (4 rows, such as "
        "'x'). For the mean over the elements of a list: format='jsonl' explode='inst_level' score='inst_level', with "
        "items as clusters."
    ]
    lists = howsure.read(path, format="jsonl", explode="inst_level")
    (row,) = howsure.mean_scores("inst_level", clusters="doc_id", data=lists)
    assert (row.n, row.mean.value) == (8, 0.75)  # the accuracy of instructions, as the program computes it


@pytest.mark.parametrize("score", ["unparseable", [1, 2]])
def test_other_programs_count_them_too(score: object, tmp_path: Path) -> None:
    sample = inspect_sample("q", "A", "A", scores={"grade": score, "match": "C"})
    logs = {
        "inspect": write_inspect(tmp_path / "inspected.json", [sample]),
        "promptfoo": document(tmp_path, promptfoo_document(promptfoo(True, namedScores={"grade": score}))),
    }
    for name, path in logs.items():
        table = howsure.mean_scores(data=howsure.read(path, format=name))
        assert any("Not read, because they are not numbers: grade (1 row" in note for note in table.recipe["notes"])


def test_a_first_score_without_a_value_in_the_first_row_stays_the_first() -> None:
    log = Log(log_format("inspect"), "none")
    log.note({"item": (1, 2), "match": (None, 1.0), "f1": (0.25, 0.25)}, 2)
    assert log.primary_scores == ("match",)


@pytest.mark.parametrize(
    "rows",
    [
        [{"f1": 0.25}, {"match": 1.0, "f1": 0.25}],
        [{"f1": 0.25}, {"f1": 0.5}, {"cost": 3.0, "match": 1.0, "f1": None}],
        [{"match": 1.0}, {"f1": 0.25}],
    ],
)
def test_the_first_score_does_not_depend_on_which_rows_lack_it(rows: list[dict[str, float | None]]) -> None:
    log = Log(log_format("inspect"), "none")
    for row in rows:
        log.note({name: (value,) for name, value in row.items()}, 1)
    assert log.primary_scores == ("match",)


def evals(path: Path, samples: Sequence[tuple[str, str, dict[str, Any]]]) -> Path:
    """A log of OpenAI's evals: of each event the sample, the type and the data."""
    events = [{"sample_id": sample, "type": kind, "data": data} for sample, kind, data in samples]
    return write_lines(path, [{"spec": {"completion_fns": ["m"], "eval_name": "own.dev.v0"}}, *events])


def test_a_match_and_metrics_of_a_sample_are_one_row(tmp_path: Path) -> None:
    samples = [(str(i), kind, {"correct": i > 0} | extra) for i in range(3) for kind, extra in KINDS_OF_EVENTS]
    (row,) = howsure.mean_scores(data=howsure.read(evals(tmp_path / "log.jsonl", samples)))
    assert (row.score, row.n, row.mean.value) == ("f1", 3, 0.5)


def test_matches_of_a_sample_are_its_runs(tmp_path: Path) -> None:
    samples = [(str(i), "match", {"correct": i + run > 1}) for run in range(2) for i in range(3)]
    (row,) = howsure.mean_scores(data=howsure.read(evals(tmp_path / "log.jsonl", samples)))
    assert (row.score, row.n, row.runs, row.mean.value) == ("correct", 3, 2, 0.5)


KINDS_OF_EVENTS: list[tuple[str, dict[str, float]]] = [("match", {}), ("metrics", {"f1": 0.5})]


@pytest.mark.parametrize("runs", [1, 2])
def test_repeats_of_items_that_some_rows_lack_are_named(runs: int, tmp_path: Path) -> None:
    counts = {"accuracy": 0.5, "correct_count": 2, "total_count": 4}
    wrong = [{"id": f"simple_{i}", "model_name": "m", "valid": False} for i in range(2)]
    folder = tmp_path / "score"
    for run in range(runs):
        (folder / f"run{run}").mkdir(parents=True)
        write_lines(folder / f"run{run}" / "BFCL_v3_simple_score.json", [counts, *wrong])
    notes = howsure.mean_scores(data=howsure.read(folder)).recipe.get("notes", [])
    repeats = [note for note in notes if note.startswith("Items repeat ('simple_0' has 2 rows), but 4 of 8 rows")]
    assert len(repeats) == runs - 1


def test_rows_of_several_logs_are_converted_together_with_their_own_line_numbers(tmp_path: Path) -> None:
    tasks = {"a": ["x", "y"], "b": ["x"], "c": ["x", "y"]}
    samples = {
        name: [{"task_id": task, "completion": "", "passed": name == "a"} for task in names]
        for name, names in tasks.items()
    }
    paths = [write_lines(tmp_path / f"{name}.jsonl", lines) for name, lines in samples.items()]
    columns = howsure.read(paths, by_file=True).rows({"file": Kind.VALUES, "item": Kind.VALUES, "passed": Kind.NUMBER})
    assert columns.columns["file"].tolist() == ["a", "a", "b", "c", "c"]
    assert columns.columns["item"].tolist() == ["x", "y", "x", "x", "y"]
    assert columns.columns["passed"].tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    samples["c"][1]["task_id"] = ["z"]
    write_lines(paths[2], samples["c"])
    with pytest.raises(InputError, match=r"line 2 of .*c\.jsonl: item must be a string or a number"):
        howsure.read(paths).rows({"passed": Kind.NUMBER})
