"""Agents: bounds for errored trials, ranks that hold for any outcome of these, costs and domination."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from scipy.stats import beta

import howsure
from howsure.data.logs.log_detection import unfolded
from howsure.errors import InputError

TASKS = [*range(40)] * 2
PASSED = [1, 1, 1, None] * 10 + [0, 1, 0, 0] * 10
AGENTS = ["a"] * 40 + ["b"] * 40


def clopper_pearson(k: int, n: int) -> tuple[float, float]:
    return (beta.ppf(0.025, k, n - k + 1) if k else 0.0, beta.ppf(0.975, k + 1, n - k) if k < n else 1.0)


def test_ends_are_those_with_all_errored_trials_failed_and_passed() -> None:
    first = howsure.score_agents(PASSED, model=AGENTS, id=TASKS, rng=0)[0]
    assert (first.model, first.trials, first.errored, first.lowest, first.highest) == ("a", 40, 10, 0.75, 1.0)
    assert first.low == pytest.approx(clopper_pearson(30, 40)[0], abs=1e-9)
    assert first.high == 1.0
    assert first.errors_left_out is not None
    assert first.errors_left_out.value == 1.0


def test_every_way_to_fill_in_errored_trials_lies_between_the_ends() -> None:
    trials = [1, 0, None, 1, None, 0, 1, 1]
    row = howsure.score_agents(trials, id=[0, 0, 1, 1, 2, 2, 3, 3], run=[0, 1] * 4)[0]
    means = [
        howsure.mean_scores(filled, id=[0, 0, 1, 1, 2, 2, 3, 3], run=[0, 1] * 4)[0].mean
        for filled in ([1, 0, x, 1, y, 0, 1, 1] for x, y in itertools.product((0, 1), repeat=2))
    ]
    assert (row.lowest, row.highest) == (min(m.value for m in means), max(m.value for m in means))
    assert row.low == pytest.approx(min(m.low for m in means if m.low is not None))
    assert row.high == pytest.approx(max(m.high for m in means if m.high is not None))


def test_an_error_sets_a_score_aside() -> None:
    error = ["Timeout" if score is None else None for score in PASSED]
    kept = howsure.score_agents([0 if x is None else x for x in PASSED], error=error, model=AGENTS, id=TASKS, rng=0)
    assert [row.range_text for row in kept] == [
        row.range_text for row in howsure.score_agents(PASSED, model=AGENTS, id=TASKS, rng=0)
    ]
    assert "10 trials of 80 errored: Timeout (10)." in kept.notes
    flags = np.array([e is not None for e in error])
    for spelled in (flags, flags.astype(int), [str(flag) for flag in flags]):
        table = howsure.score_agents(np.ones(80), error=spelled, model=AGENTS, id=TASKS, rng=0)
        assert [row.errored for row in table] == [0, 10] or [row.errored for row in table] == [10, 0]


def test_without_errors_the_table_matches_mean_scores() -> None:
    rng = np.random.default_rng(1)
    score, model, item = (rng.random(300) < 0.6) * 1.0, np.repeat(["x", "y", "z"], 100), [*range(100)] * 3
    agents = {row.model: row for row in howsure.score_agents(score, model=model, id=item, rng=0)}
    for row in howsure.mean_scores(score, model=model, id=item, rng=0):
        agent = agents[row.model]
        assert (agent.low, agent.lowest, agent.high) == pytest.approx((row.mean.low, row.mean.value, row.mean.high))
        assert (agent.ranks, agent.tier, agent.maybe_best) == (row.ranks, row.tier, row.maybe_best)


def test_ranks_hold_whatever_errored_trials_would_have_scored() -> None:
    better = [1] * 70 + [0] * 10 + [None] * 20
    worse = [1] * 20 + [0] * 60 + [None] * 20
    clear = howsure.score_agents(better + worse, model=["a"] * 100 + ["b"] * 100, id=[*range(100)] * 2)
    assert [row.ranks for row in clear] == ["1", "2"]
    unclear = [1] * 50 + [0] * 30 + [None] * 20
    table = howsure.score_agents(better + unclear, model=["a"] * 100 + ["b"] * 100, id=[*range(100)] * 2)
    assert [row.ranks for row in table] == ["1–2", "1–2"]


def test_dominated_is_what_is_significantly_worse_and_dearer() -> None:
    costs = [1, 2] * 20 + [5, 9] * 20
    a, b = howsure.score_agents(PASSED, cost=costs, model=AGENTS, id=TASKS, rng=0)
    assert (a.dominated_by, b.dominated_by) == ((), ("a",))
    assert a.cost is not None
    assert a.cost.value == pytest.approx(math.sqrt(2))
    assert a.mean_cost == 1.5
    cheaper = howsure.score_agents(PASSED, cost=[*costs[40:], *costs[:40]], model=AGENTS, id=TASKS, rng=0)
    assert [row.dominated_by for row in cheaper] == [(), ()]
    alike = howsure.score_agents(PASSED, cost=[1.0, 2.0] * 40, model=AGENTS, id=TASKS, rng=0)
    assert [row.dominated_by for row in alike] == [(), ()]


def test_a_lower_mean_cost_is_needed_too() -> None:
    """The geometric mean is lower, but a few tasks make the agent dearer in all: it dominates nobody."""
    costs = [1.0] * 39 + [1000.0] + [2.0] * 40
    table = howsure.score_agents([1] * 40 + [0] * 40, cost=costs, model=AGENTS, id=TASKS, rng=0)
    assert [row.dominated_by for row in table] == [(), ()]


def test_errored_trials_may_lack_a_cost() -> None:
    costs = [None if score is None else 2.0 for score in PASSED]
    table = howsure.score_agents(PASSED, cost=costs, model=AGENTS, id=TASKS, rng=0)
    assert [row.cost.value for row in table if row.cost is not None] == pytest.approx([2.0, 2.0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cost": [0.0] * 80}, "cost must be above 0 and finite"),
        ({"cost": [1.0, None] * 40, "score": [1] * 80}, "cost must not be missing"),
        ({"cost": ["free"] * 80}, "cost must be a number"),
        ({"score": [1, 3] * 40}, "bounds=..."),
        ({"id": [0, 0, *range(78)], "run": [0] * 80}, "an item must have one row"),
        ({"run": [0] * 80, "id": None}, "run"),
        ({"error": [None] * 79}, "79"),
    ],
)
def test_what_is_wrong_is_reported(changes: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"score": PASSED, "model": AGENTS, "id": TASKS}
    with pytest.raises(InputError) as refusal:
        howsure.score_agents(**(arguments | changes))  # type: ignore[arg-type]
    assert message in str(refusal.value)


def test_a_tree_of_harbor_trials_is_read_with_its_errors_and_costs(tmp_path: Path) -> None:
    for task, trial in itertools.product(range(6), range(2)):
        folder = tmp_path / "job" / f"task{task}__{trial}"
        folder.mkdir(parents=True)
        errored = (task, trial) in {(0, 1), (3, 0)}
        result = {
            "task_name": f"task{task}",
            "trial_name": folder.name,
            "source": "terminal-bench",
            "agent_info": {"name": "terminus", "model_info": {"name": "opus"}},
            "agent_result": {"cost_usd": 0.5 + task, "n_input_tokens": 900},
            "verifier_result": None if errored else {"rewards": {"reward": float(task > 2)}},
            "exception_info": {"exception_type": "AgentTimeoutError"} if errored else None,
            "started_at": "2026-11-01T10:00:00Z",
            "finished_at": "2026-11-01T10:01:30Z",
        }
        (folder / "result.json").write_text(json.dumps(result))
    table = howsure.score_agents(cost="cost_usd", data=howsure.read(f"{tmp_path}/job"))
    (row,) = table
    assert (row.model, row.n, row.trials, row.errored) == ("terminus/opus", 6, 12, 2)
    assert (row.lowest, row.highest) == pytest.approx((5 / 12, 7 / 12))
    assert row.cost is not None
    assert row.cost.value == pytest.approx(np.exp(np.log(0.5 + np.arange(6)).mean()))
    assert any("2 trials of 12 errored: AgentTimeoutError (2)." in note for note in table.notes)
    table = howsure.mean_scores(missing_score=0, data=howsure.read(f"{tmp_path}/job"))
    assert table[0].mean.value == pytest.approx(5 / 12)
    seconds = howsure.score_agents(cost="seconds", data=howsure.read(f"{tmp_path}/job"))[0].cost
    assert seconds is not None
    assert seconds.value == pytest.approx(90)


def test_trials_that_did_not_finish_are_reported(tmp_path: Path) -> None:
    for task in range(3):
        trial = {"task_name": f"t{task}", "trial_name": f"t{task}__x", "agent_info": {"name": "a"}}
        folder = tmp_path / "job" / f"t{task}__x"
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        if task < 2:
            (folder / "result.json").write_text(json.dumps(trial | {"verifier_result": {"rewards": {"reward": 1.0}}}))
    notes: list[str] = []
    files, _ = unfolded([tmp_path], tell=notes.append)
    assert len(files) == 2
    assert "1 folder without a result.json" in notes[0]
    (folder / "result.json").write_text("")
    with pytest.raises(InputError, match=r"result\.json is empty. Was its run cut off\?"):
        unfolded([tmp_path])


def test_swe_bench_errors_are_neither_resolved_nor_failed(tmp_path: Path) -> None:
    report = {
        "total_instances": 4,
        "submitted_ids": ["a__a-1", "a__a-2", "b__b-1", "b__b-2"],
        "completed_ids": ["a__a-1", "a__a-2", "b__b-1"],
        "resolved_ids": ["a__a-1"],
        "unresolved_ids": ["a__a-2", "b__b-1"],
        "empty_patch_ids": [],
        "error_ids": ["b__b-2"],
    }
    (tmp_path / "model.run.json").write_text(json.dumps(report))
    (row,) = howsure.score_agents(data=howsure.read(tmp_path / "model.run.json"))
    assert (row.n, row.errored, row.lowest, row.highest) == (4, 1, 0.25, 0.5)


def test_results_of_the_leaderboard_need_the_failed_instances(tmp_path: Path) -> None:
    entry = {"no_generation": ["a__a-3"], "generated": ["a__a-1", "a__a-2", "b__b-1"], "with_logs": ["a__a-1"]}
    entry |= {"test_timeout": ["b__b-1"], "resolved": ["a__a-1"]}
    (tmp_path / "old.json").write_text(json.dumps(entry))
    (row,) = howsure.score_agents(data=howsure.read(tmp_path / "old.json"))
    assert (row.n, row.errored, row.lowest, row.highest) == (4, 1, 0.25, 0.5)
    (tmp_path / "new.json").write_text(json.dumps({"no_generation": [], "no_logs": [], "resolved": ["a__a-1"]}))
    with pytest.raises(InputError, match="lists the resolved instances, but not the others"):
        howsure.score_agents(data=howsure.read(tmp_path / "new.json"))


def test_clusters_are_the_same_in_the_files_of_models(tmp_path: Path) -> None:
    ids = [f"{name}__{name}-{k}" for name in "abcdef" for k in range(4)]
    for model, step in (("large", 2), ("small", 3)):
        report = {"total_instances": len(ids), "submitted_ids": ids, "resolved_ids": ids[::step]}
        (tmp_path / f"{model}.json").write_text(json.dumps(report))
    files = howsure.read([str(tmp_path / "large.json"), str(tmp_path / "small.json")])
    table = howsure.score_agents(clusters="repository", data=files, rng=0)
    alone = howsure.score_agents(data=files, rng=0)
    assert [(row.model, row.lowest) for row in table] == [("large", 0.5), ("small", pytest.approx(1 / 3))]
    assert table[0].high - table[0].low > alone[0].high - alone[0].low


def test_runs_that_name_no_model_are_agents_or_are_pooled_by_folder(tmp_path: Path) -> None:
    """As in Terminal-Bench's leaderboard: an entry is a folder of runs, as folders or as files."""
    for number in range(2):
        trials = [{"task_id": task, "trial_name": f"{task}.{number}", "is_resolved": task < "c"} for task in "abc"]
        in_folder, as_file = tmp_path / "droid" / f"run{number}", tmp_path / "goose" / f"run{number}_results.json"
        for folder in (in_folder, as_file.parent):
            folder.mkdir(parents=True, exist_ok=True)
        for file in (in_folder / "results.json", as_file):
            file.write_text(
                json.dumps({"id": "x", "results": trials, "trial_name": "", "task_id": "", "is_resolved": 0})
            )
        (in_folder / "run_metadata.json").write_text(json.dumps({"agent_name": "Droid"}))
    files = howsure.read(str(tmp_path))
    runs = howsure.score_agents(data=files, rng=0)
    assert {row.model for row in runs} == {"Droid/droid", "run0_results", "run1_results"}
    entries = howsure.score_agents(model="folder", data=files, rng=0)
    assert {(row.model, row.n, row.trials) for row in entries} == {("droid", 3, 6), ("goose", 3, 6)}
    assert [row.lowest for row in entries] == pytest.approx([2 / 3] * 2)


def test_many_files_are_read_together_and_keep_their_names(tmp_path: Path) -> None:
    """Copies of logs with the same columns are read by one query; rows are still named by their file, in its order."""
    for task in range(40):
        trial = {"task_name": f"t{task}", "trial_name": "0", "agent_info": {"name": f"agent{task % 3}"}}
        trial["verifier_result"] = None if task == 23 else {"rewards": {"reward": task % 2, "speed": task / 40}}
        if task % 5 == 0:
            trial["agent_result"] = {"cost_usd": 0.25}
        folder = tmp_path / f"{task:02}"
        folder.mkdir()
        (folder / "result.json").write_text(json.dumps(trial))
    with pytest.raises(InputError, match=r"row 1 of .*23/result\.json"):
        howsure.mean_scores("reward", data=howsure.read(tmp_path))
    table = howsure.mean_scores("speed", data=howsure.read(tmp_path, skip_missing=True))
    assert {row.model: (row.n, row.mean.value) for row in table} == {
        f"agent{k}": (len(tasks), pytest.approx(np.mean(tasks) / 40))
        for k in range(3)
        for tasks in [[task for task in range(40) if task % 3 == k and task != 23]]
    }


@pytest.mark.parametrize(
    "error",
    [
        ["no", "none", "No error", "timeout"],
        ["null", "", "0", "timeout"],
        [None, "NaN", "0.00", "timeout"],
        [" None ", "False", "{}", True],
        np.ma.array(["x", "x", "x", "timeout"], mask=[1, 1, 1, 0]),
        np.ma.array([1, 1, 1, 1], mask=[1, 1, 1, 0]),
    ],
)
def test_words_for_no_error_and_masked_entries_are_not_errors(error: Any) -> None:
    (row,) = howsure.score_agents([1, 0, 1, 1], error=error)
    assert (row.errored, row.lowest, row.highest) == (1, 0.5, 0.75)
    (row,) = howsure.score_agents("s", error="e", data=pandas.DataFrame({"s": [1, 0, 1, 1], "e": error}))
    assert (row.errored, row.lowest, row.highest) == (1, 0.5, 0.75)


def test_masked_scores_and_costs_are_missing() -> None:
    passed = np.ma.array([1, 0, 1, 1], mask=[0, 0, 0, 1])
    costs = np.ma.array([1.0, 4.0, 2.0, 9.0], mask=[0, 0, 0, 1])
    (row,) = howsure.score_agents(passed, cost=costs)
    assert (row.errored, row.lowest, row.highest, row.cost.value) == (1, 0.5, 0.75, pytest.approx(2.0))
    assert row.cost.method == "Student with Hall's correction, of logarithms"


def test_texts_that_spell_numbers_are_refused_as_by_mean_scores() -> None:
    for score in (howsure.score_agents, howsure.mean_scores):
        with pytest.raises(InputError, match=r"score must be numbers; row 0 is '1'\. Say which value counts as 1"):
            score(["1", "0"])


def test_names_in_the_figure_do_not_overlap() -> None:
    draw, agents = np.random.default_rng(5), [f"agent-with-a-long-name-{k}" for k in range(8)]
    costs = np.exp(draw.normal(0, 0.02, (8, 30)))
    table = howsure.score_agents(
        (draw.random((8, 30)) < 0.5).astype(int).ravel(),
        cost=costs.ravel(),
        model=np.repeat(agents, 30),
        id=np.tile(np.arange(30), 8),
        rng=0,
    )
    axes = table.plot()
    boxes = [text.get_window_extent() for text in axes.texts if text.get_visible()]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    numbers = [text.get_text() for text in axes.texts if text.get_text().isdigit() and text.get_visible()]
    assert numbers == [str(number) for number in range(1, len(numbers) + 1)]
    assert all(f"{number}: agent-with" in axes.get_xlabel() for number in numbers)
    assert 0 < len(numbers) < len(boxes) <= 8


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_agents_that_share_too_few_tasks_are_not_compared(missing: bool, clustered: bool) -> None:
    # a and b have the tasks 0-39; c has 38-59, and shares 2 tasks with them, which are of one cluster
    tasks = {"a": range(40), "b": range(40), "c": range(38 if clustered else 39, 60)}
    agents, ids = zip(*((agent, task) for agent, has in tasks.items() for task in has), strict=True)
    scores = [None if missing and i == 43 else int(agent == "a") for i, agent in enumerate(agents)]
    clusters = [task // 2 for task in ids] if clustered else None
    table = howsure.score_agents(scores, model=list(agents), id=list(ids), clusters=clusters, rng=0)
    assert table["a"].not_compared == table["b"].not_compared == ("c",)
    assert table["c"].not_compared == ("a", "b")
    assert table.answer.endswith("; not compared with it: c.")
    kind = "clusters" if clustered else "tasks"
    assert f"Not compared, because they share fewer than two {kind}: a and c, b and c." in map(str, table.notes)


def test_models_that_share_one_cluster_are_not_compared() -> None:
    # of the items 0-39, b has 36-39, which are all of cluster 9
    items = [*range(40), *range(36, 40)]
    models, clusters = ["a"] * 40 + ["b"] * 4, [item // 4 for item in items]
    table = howsure.mean_scores([1] * 40 + [0] * 4, model=models, id=items, clusters=clusters, rng=0)
    assert table.answer.endswith("2 models, not ranked.")
    assert "Models are not ranked: they have fewer than two clusters in common." in map(str, table.footnotes())


def test_runs_that_name_no_agent_are_announced(tmp_path: Path) -> None:
    """The runs of an agent in a folder of Terminal-Bench's leaderboard; only the folder names the agent."""
    for agent, run in itertools.product("ab", range(3)):
        folder = tmp_path / "tb" / f"agent-{agent}" / f"run-{agent}{run}"
        folder.mkdir(parents=True)
        trials = [
            {"task_id": f"t{task}", "trial_name": f"t{task}.{run}", "is_resolved": (task + run) % 3 > 0}
            for task in range(8)
        ]
        (folder / "results.json").write_text(json.dumps({"results": trials}))
    table = howsure.score_agents(data=howsure.read(f"{tmp_path}/tb"))
    assert len(table) == 6
    assert "6 runs in 2 folders count as 6 models" in str(table.recipe["notes"])
    table = howsure.score_agents(model="folder", data=howsure.read(f"{tmp_path}/tb"))
    assert [(row.model, row.trials) for row in table] == [("agent-a", 24), ("agent-b", 24)]
    assert "notes" not in table.recipe


def test_trials_need_no_number() -> None:
    """Rows of a task are its trials; a column of runs finds trials that are counted twice."""
    passed, tasks, trials = [1, 0, 1, 1, 0, 0, 1] * 4, [0, 0, 0, 1, 1, 2, 3] * 4, np.arange(28)
    agents = np.repeat(["a", "b"], 14)
    numbered = howsure.score_agents(passed, model=agents, id=tasks, run=trials, rng=0)
    plain = howsure.score_agents(passed, model=agents, id=tasks, rng=0)
    assert [row.range_text for row in plain] == [row.range_text for row in numbered]
    assert "Several rows of a task and agent count as trials." in plain.notes
    with pytest.raises(InputError, match="one row for each model and run"):
        howsure.score_agents(passed, model=agents, id=tasks, run=trials // 2)
