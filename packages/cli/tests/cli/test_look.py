"""`howsure look`: what a file is, what its columns could be; every command that it suggests runs."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.data.logs.samples import LOGS
from tests.data.logs.writers import lm_eval_results, lm_eval_sample, write_lm_eval

import howsure

RNG = np.random.default_rng(5)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(name: str, heading: str, rows: Iterable[Sequence[object]]) -> str:
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([heading.split(), *rows])
    return name


def chance(n: int = 200) -> list[float]:
    return RNG.uniform(0.02, 0.98, n).round(4).tolist()


def one_probability() -> str:
    return table("one.csv", "id gold prob", ((f"i{at}", at % 2, p) for at, p in enumerate(chance())))


def several_models() -> str:
    words = ("wrong", "correct")
    rows = [(m, f"q{at}", "ab"[at % 2], words[at % 3 > 0], p) for m in "xyz" for at, p in enumerate(chance())]
    return table("models.csv", "model question subject grade confidence", rows)


def non_answers() -> str:
    graded = ["correct", "wrong", "wrong", "unparseable"] * 50
    return table(
        "said.csv",
        "item grade conf",
        (
            (f"i{at}", *grade_and_confidence)
            for at, grade_and_confidence in enumerate(zip(graded, chance(), strict=True))
        ),
    )


def columns_of_classes() -> str:
    rows = ((("pos", "neg", "neu")[at % 3], *RNG.dirichlet([1, 1, 1]).round(5)) for at in range(200))
    return table("classes.csv", "label p_pos p_neg p_neu", rows)


def columns_of_logits() -> str:
    return table("logits.csv", "gold logit_a logit_b", (("ab"[at % 2], *RNG.normal(size=2)) for at in range(200)))


def lists() -> str:
    rows = ({"label": at % 3, "probs": RNG.dirichlet([1, 1, 1]).tolist()} for at in range(200))
    Path("lists.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "lists.jsonl"


def predictions() -> str:
    return table("two.csv", "gold base large", RNG.choice(["a", "b", "c"], (200, 3)).tolist())


def with_gaps() -> str:
    rows = [(at % 2, "" if at % 7 == 0 else p) for at, p in enumerate(chance())]
    return table("gaps.csv", "correct confidence", rows)


def grades() -> str:
    rows = [(m, f"q{at}", r, round(x, 3)) for m in "xy" for at in range(40) for r, x in enumerate(RNG.uniform(0, 5, 3))]
    return table("grades.csv", "system item run rating", rows)


def arrays() -> str:
    np.savez("held.npz", y=RNG.integers(0, 2, 200), prob=np.array(chance()))
    return "held.npz"


def labels() -> str:
    rows = [(f"q{at}", first_label, other) for at, (first_label, other) in enumerate(RNG.choice(["a", "b"], (200, 2)))]
    return table("said_true.csv", "question target prediction", rows)


def objects_of_models() -> str:
    rows = [{model: {"right": bool(at % of), "text": "…"} for model, of in (("x", 2), ("y", 3))} for at in range(60)]
    Path("objects.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "objects.jsonl"


def battles(winner: Callable[[str, str], object], name: str, heading: str) -> Callable[[], str]:
    """Two of four models on each of 30 prompts, four times."""

    def write() -> str:
        pairs = [(at // 4, *RNG.permutation(["gpt", "llama", "qwen", "phi"])[:2]) for at in range(120)]
        return table(name, heading, ((prompt, a, b, winner(a, b)) for prompt, a, b in pairs))

    return write


LAYOUTS: dict[str, tuple[Callable[[], str], str]] = {
    "one probability": (one_probability, "calibration one.csv --target gold --prob prob"),
    "several models": (
        several_models,
        "score models.csv --score grade --positive correct --model model --group subject --id question",
    ),
    "non-answers": (
        non_answers,
        "calibration said.csv --target grade --positive correct --prob conf --missing unparseable --skip-missing",
    ),
    "columns of classes": (
        columns_of_classes,
        "calibration classes.csv --target label --probs p_pos,p_neg,p_neu --classes pos,neg,neu",
    ),
    "columns of logits": (
        columns_of_logits,
        "selective logits.csv --target gold --logits logit_a,logit_b --classes a,b",
    ),
    "lists": (lists, "calibration lists.jsonl --target label --probs-column probs --reduce class-wise"),
    "predictions": (predictions, "significance two.csv --target gold --against base --model large"),
    "gaps": (with_gaps, "selective gaps.csv --target correct --prob confidence --skip-missing"),
    "grades": (grades, "score grades.csv --score rating --model system --id item --run run"),
    "labels": (labels, "score said_true.csv --target target --prediction prediction --id question"),
    "objects": (objects_of_models, "significance objects.jsonl --metric score --against x.right --model y.right"),
    "arrays": (arrays, "calibration held.npz --target y --prob prob"),
    "battles of an arena": (
        battles(
            lambda a, b: RNG.choice(["model_a", "model_b", "tie"]), "arena.csv", "question_id model_a model_b winner"
        ),
        "score battles arena.csv --a model_a --b model_b --winner winner --cluster question_id",
    ),
    "battles that name the winner": (
        battles(lambda a, b: RNG.choice([a, b]), "named.csv", "prompt_id left_system right_system won"),
        "score battles named.csv --a left_system --b right_system --winner won --cluster prompt_id",
    ),
    "preferences": (
        battles(
            lambda a, b: round(float(RNG.uniform(1, 2)), 3),
            "shares.csv",
            "instruction generator_1 generator_2 preference",
        ),
        "score battles shares.csv --a generator_1 --b generator_2 --winner preference --cluster instruction",
    ),
}


@pytest.mark.parametrize(
    ("heading", "winner"),
    [("id model_a model_b winner_model_a", lambda a, b: 1), ("id model_a model_b winner", lambda a, b: "tie")],
)
def test_battles_without_a_winner_column_are_not_suggested(heading: str, winner: Callable[[str, str], object]) -> None:
    assert not any("battles" in command for command in howsure.look(battles(winner, "b.csv", heading)()).commands)


def test_the_models_of_battles_are_no_items() -> None:
    path = battles(lambda a, b: RNG.choice(["a", "b"]), "b.csv", "n item_a item_b winner")()
    assert not any("--cluster item" in command for command in howsure.look(path).commands)


def check_all_run(commands: Sequence[str]) -> None:
    for command in commands:
        done = run(*shlex.split(command)[1:])
        assert done.code == 0, f"{command}: {done.err}"


@pytest.mark.parametrize("name", LAYOUTS)
def test_what_it_suggests_for_a_table_runs(name: str) -> None:
    write, expected = LAYOUTS[name]
    overview = howsure.look(write())
    assert f"howsure {expected}" in overview.commands
    assert len(overview.commands) <= 3
    check_all_run(overview.commands)


@pytest.mark.long
@pytest.mark.parametrize("name", LOGS)
def test_what_it_suggests_for_a_log_runs(name: str) -> None:
    content, write = LOGS[name]
    path = write(Path(), content)
    overview = howsure.look(path)
    assert overview.what.startswith("a log of ")
    check_all_run(overview.commands)


@pytest.mark.parametrize(
    ("min_bytes", "max_bytes"),
    [pytest.param(0, 110_000, marks=pytest.mark.long), pytest.param(110_000, 1_000_000, marks=pytest.mark.slow)],
)
def test_what_it_suggests_for_real_data_runs(min_bytes: int, max_bytes: int, real_data: Path, pipeline: Path) -> None:
    files = [path for path in sorted(real_data.glob("*/*")) if path.name.endswith((".tsv.gz", ".jsonl.gz", ".json"))]
    files = [file for file in files if not re.search(r"(_[12]|train|test.*)\.", file.name)]  # of files alike, one
    files += [next((real_data / "hellaswag_llm_scores" / "full_prompt").glob("*.tsv.gz"))]
    suggested, seen_layouts = 0, set()
    for file in files:
        if not min_bytes <= file.stat().st_size < max_bytes:
            continue
        try:
            overview = howsure.look(file)
        except howsure.InputError as error:
            assert "some rows have more or fewer values" in str(error)  # noqa: PT017
            continue
        columns = tuple(column.name for column in overview)
        if columns not in seen_layouts:
            commands = [
                command.replace("en_core_web_sm", f"{pipeline} --since 2020-12-15") for command in overview.commands
            ]
            check_all_run(commands)
            suggested += len(commands)
        seen_layouts.add(columns)
    assert suggested > 5


def test_kinds_of_columns_are_recognised() -> None:
    overview = howsure.look(several_models())
    kinds = {column.name: (column.kind, column.could_be) for column in overview}
    assert kinds == {
        "model": ("few values", "label, group, model"),
        "question": ("repeated values", "item, cluster"),
        "subject": ("two values", "label, score, group"),
        "grade": ("two values", "label, score, group"),
        "confidence": ("within [0, 1]", "probability, score"),
    }
    assert (overview.n, overview.whole, overview["grade"].values, overview["grade"].examples) == (
        600,
        True,
        2,
        ("wrong", "correct"),
    )


@pytest.mark.long
def test_only_the_first_rows_of_a_large_file_are_read() -> None:
    table("large.csv", "text prob", (("a text", 0.5 + at % 3 / 10) for at in range(30_000)))
    overview = howsure.look("large.csv")
    assert (overview.n, overview.whole) == (20_000, False)
    assert "the first 20,000 rows" in overview.text()


def test_values_that_are_missing_are_counted() -> None:
    overview = howsure.look(with_gaps())
    assert overview["confidence"].missing == 29
    assert overview.notes == ("Values are missing in confidence (29).",)


def test_a_leaderboard_is_a_summary() -> None:
    table("leaderboard.csv", "model arc mmlu", (("a", 0.61, 0.5), ("b", 0.48, 0.7), ("c", 0.62, 0.8)))
    overview = howsure.look("leaderboard.csv")
    assert overview.commands == ()
    assert overview.notes[0].startswith("This is a summary, one row per model; use the samples")


@pytest.mark.parametrize("command", ["look", "score", "calibration"])
def test_the_results_of_a_harness_are_no_samples(command: str) -> None:
    results = {"results": {"quiz": {"alias": "quiz", "acc,none": 0.5}}, **lm_eval_results("small", "quiz")}
    Path("results_2026.json").write_text(json.dumps(results))
    message = run(command, "results_2026.json").err
    expected = (
        "results_2026.json is a summary of lm-evaluation-harness, means without answers; use the file of the samples"
    )
    assert message.startswith(f"howsure: {expected}: samples_*.jsonl")


def test_a_folder_is_what_lies_in_it() -> None:
    for model in ("small", "large"):
        path = write_lm_eval(Path("out"), model, "quiz", [lm_eval_sample(at, [-1.0, -2.0], at % 2) for at in range(20)])
        results = {"results": {"quiz": {"alias": "quiz"}}, **lm_eval_results(model, "quiz")}
        (path.parent / f"results_{model}.json").write_text(json.dumps(results))
    means = howsure.mean_scores(data=howsure.read("out"))
    assert {row.model for row in means} == {"small", "large"}
    assert run("score", "out").code == 0
    assert howsure.look("out").what == "a log of lm-evaluation-harness"


def test_a_leaderboard_may_name_its_rows_as_it_likes() -> None:
    rows = [(model, 40 + at, 50 - at, "minimal") for at, model in enumerate(("a", "b", "c", "c"))]
    table("board.csv", "name win_rate avg_length filter", [*rows, *((f"d{at}", at, at, "all") for at in range(40))])
    assert howsure.look("board.csv").notes[-1].startswith("This is a summary, one row per model")


def test_a_list_of_objects_is_looked_into() -> None:
    elements = [{"target": "ab"[at % 2], "prediction": "ab"[at % 3 > 0], "tokens": [1]} for at in range(60)]
    Path("nested.json").write_text(json.dumps({"note": "own", "outputs": elements}))
    overview = howsure.look("nested.json")
    assert [column.name for column in overview] == ["note", "outputs", "outputs.target", "outputs.prediction"]
    assert overview.commands == howsure.look("nested.json", explode="outputs").commands
    (command,) = overview.commands
    done = run(*shlex.split(command)[1:], "--format", "json")
    right = sum(element["target"] == element["prediction"] for element in elements) / 60
    assert json.loads(done.out)["scores"][0]["mean"]["value"] == pytest.approx(right, abs=1e-12)


def test_objects_named_by_data_stay_whole() -> None:
    Path("votes.jsonl").write_text("".join(json.dumps({"votes": {f"w{at % 9}": "a"}}) + "\n" for at in range(60)))
    assert [column.name for column in howsure.look("votes.jsonl")] == ["votes"]


def test_lists_with_integers_that_no_float_can_hold_are_lists() -> None:
    Path("large.jsonl").write_text(f'{{"p": [{10**400}, 0.5]}}\n{{"p": [0.2, 0.8]}}\n')
    assert howsure.look("large.jsonl")["p"].kind == "lists"


def test_numbers_other_than_0_and_1_are_no_right_and_wrong() -> None:
    table("two.csv", "relevancy_score", [[0.89], [1.0]] * 20)
    assert howsure.look("two.csv").commands == ("howsure score two.csv --score relevancy_score",)


def test_columns_are_those_of_all_files_of_a_log(tmp_path: Path) -> None:
    for model in ("org/a", "org/b"):
        write_lm_eval(tmp_path, model, "quiz", [lm_eval_sample(i, [-1.0, -0.5], i % 2) for i in range(10)])
    overview = howsure.look(tmp_path)
    column = next(each_column for each_column in overview if each_column.name == "model")
    assert (overview.n, column.kind, column.values) == (20, "two values", 2)


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_files_that_share_items_are_models(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        rows = [{"id": i, "correct": i % 2, "meta": {"length": i}} for i in range(30)]
        text = json.dumps(rows) if suffix == "json" else "\n".join(map(json.dumps, rows))
        Path(f"{name}.{suffix}").write_text(text)
    files = [f"a.{suffix}", f"b.{suffix}"]
    commands = howsure.look(files).commands
    assert commands[0] == f"howsure score {files[0]} {files[1]} --score correct --id id"
    assert run(*shlex.split(commands[0])[1:]).code in (None, 0)


def test_a_score_is_not_grouped_by_a_score(tmp_path: Path) -> None:
    rows = [{"doc_id": i, "prompt_level_strict_acc": i % 3 > 0, "prompt_level_loose_acc": i % 2 > 0} for i in range(30)]
    path = tmp_path / "ifeval.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    commands = howsure.look(path).commands
    assert commands
    assert not any("--group prompt" in command for command in commands)


@pytest.mark.parametrize("blanks", [" ", "   "])
def test_two_columns_separated_by_blanks_are_named(blanks: str, tmp_path: Path) -> None:
    path = tmp_path / "blanks.csv"
    path.write_text("\n".join([f"id{blanks}score", *(f"{i}{blanks}{i % 2}" for i in range(30))]))
    assert [column.name for column in howsure.look(path)] == ["id", "score"]
    assert run("score", str(path), "--score", "score").code == 0
    path.write_text("\n".join(["id score", *(f"{i} {i % 2}" for i in range(20_000)), "7 1 0"]))
    assert "line 20,002 of " in (error := run("look", str(path)).err)
    assert "whose columns are separated by blanks, has 3 values, not 2 as the header" in error
    path.write_text("\n".join([f"id{blanks}label", *(f"a{i}{blanks}yes" for i in range(30))]))
    assert howsure.look(path).notes[-1].endswith("seem to be separated by blanks. Separate them by commas or tabs.")
    path.write_text("\n".join(["question text", *("what is it" for _ in range(30))]))
    assert not any("blanks" in note for note in howsure.look(path).notes)


def test_a_table_without_rows_is_named() -> None:
    Path("answers.csv").write_text("model,question,right\n")
    printed = run("look", "answers.csv").out
    assert "answers.csv has the names of columns and no rows. Was it cut off?" in printed
    assert "howsure score" not in printed


def test_tables_next_to_logs_are_named() -> None:
    write_lm_eval(Path("results"), "m", "quiz", [lm_eval_sample(i, [-1.0, -2.0], i % 2) for i in range(4)])
    table = Path("results/more.csv")
    table.write_text("model,right\na,1\n")
    for command in ("look", "score"):
        result = run(command, "results")
        assert f"also contains 1 table, not read with the logs: {table}." in result.out + result.err


def test_predictions_without_labels_are_not_taken_for_labels() -> None:
    rows = ((f"text {i}", "ru", i % 2, f"LABEL_{i % 2}", p) for i, p in enumerate(chance(60)))
    overview = howsure.look(table("unlabelled.csv", "text lang_label pred_label pred_sentiment pred_prob", rows))
    assert not overview.commands
    assert "no column of right answers" in overview.notes[-1]


def test_files_of_different_kinds_are_looked_at_one_by_one() -> None:
    Path("mixed").mkdir()
    for name, heading in (("a", "id correct"), ("b", "id correct note"), ("c", "case verdict")):
        table(f"mixed/{name}.csv", heading, ((i, i % 2, "x")[: len(heading.split())] for i in range(20)))
    overview = howsure.look("mixed")
    assert overview.commands == ("howsure look mixed/a.csv", "howsure look mixed/c.csv")
    assert (
        "The files have different columns (mixed/a.csv and 1 more, mixed/c.csv): give files of one kind."
        in overview.notes
    )
    assert run("score", "mixed").code == 2
    Path("mixed/b.csv").write_text("id correct note\n1 1 3\n2 0 4\n")  # which is copied, with tabs
    assert howsure.look("mixed").commands == overview.commands
    elsewhere = [Path("mixed/a.csv").absolute(), "mixed/b.csv", "mixed/c.csv"]
    assert howsure.look(elsewhere).commands == (f"howsure look {elsewhere[0]}", "howsure look mixed/c.csv")


def test_fields_are_not_proposed_where_true_values_have_gaps() -> None:
    rows = [(f"d{i}", "total", 3, 3) for i in range(20)]
    path = table("fields.csv", "document field value gold", rows)
    assert howsure.look(path).commands == ("howsure fields fields.csv",)
    table("fields.csv", "document field value gold", [*rows, ("d20", "total", 3, "")])
    assert not any(command.startswith("howsure fields") for command in howsure.look(path).commands)


def test_files_of_trials_are_named_by_a_pattern() -> None:
    for run_name in ("run1", "run2"):
        for trial in range(9):
            Path(f"job/{run_name}/t{trial}").mkdir(parents=True)
            row = {
                "task_id": f"t{trial}",
                "is_resolved": trial % 2 == 0,
                "failure_mode": ("unset", "timeout")[trial % 2],
            }
            Path(f"job/{run_name}/t{trial}/results.json").write_text(json.dumps(row))
        Path(f"job/{run_name}/results.json").write_text(json.dumps({"accuracy": 0.5, "results": [{"id": 1}]}))
    Path("job/run2/results.json").write_text(json.dumps({"results": [{"id": 1}]}))
    assert howsure.look("job").commands == ("howsure look 'job/*/*/results.json'", "howsure look 'job/*/results.json'")
    (command,) = howsure.look("job/*/*/results.json").commands
    assert command == "howsure score 'job/*/*/results.json' --score is_resolved --cluster task_id"


def test_objects_in_objects_are_named() -> None:
    rows = [{"passage": str(i), "questions": {f"question {i}": {"bart": {"overall": i}}}} for i in range(20)]
    Path("nested.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert howsure.look("nested.jsonl").notes[-1].startswith("questions holds objects")


def test_probabilities_of_spam_are_those_of_spam() -> None:
    path = table("spam.csv", "id label risk_score", ((i, ("ham", "spam")[i % 2], p) for i, p in enumerate(chance())))
    assert (
        howsure.look(path).commands[0] == f"howsure calibration {path} --target label --positive spam --prob risk_score"
    )


def test_means_with_bounds_are_a_summary() -> None:
    rows = ((f"arm {i % 7}", i % 3, p, p - 0.1, p + 0.1) for i, p in enumerate(chance(30)))
    overview = howsure.look(table("means.csv", "arm seed macro_f1 macro_f1_ci_low macro_f1_ci_high", rows))
    assert not overview.commands
    assert overview.notes[-1].startswith("This is a summary")


def test_scored_responses_without_logprobs_are_a_table() -> None:
    response = {"choices": [{"finish_reason": "stop", "logprobs": None, "message": {"content": "A"}}]}
    rows = [{"model_id": f"m{i % 2}", "prompt_id": f"p{i // 2}", "correct": i % 3 == 0} for i in range(40)]
    Path("raw.jsonl").write_text("".join(json.dumps({**row, "raw_response": response}) + "\n" for row in rows))
    assert (
        howsure.look("raw.jsonl").commands[0]
        == "howsure score raw.jsonl --score correct --model model_id --id prompt_id"
    )
    Path("log.jsonl").write_text("".join(json.dumps({"custom_id": i, "response": response}) + "\n" for i in range(9)))
    with pytest.raises(howsure.InputError, match="no logprobs"):
        howsure.look("log.jsonl")


def test_numbers_of_dated_texts_are_no_documents() -> None:
    rows = (
        (f"2026-03-{1 + i % 28:02}", f"A long answer to a question that was asked on day {i}. " * 4, i / 9)
        for i in range(9)
    )
    assert not howsure.look(table("rated.csv", "date text price", rows)).commands


def test_a_probability_of_a_class_is_proposed_as_a_confidence_in_the_likelier_class(tmp_path: Path) -> None:
    """`selective` takes the label for "the answer is right", which a class is not."""
    rows = "".join(f"{label},{q}\n" for label, q in [("pos", 0.9), ("neg", 0.2), ("pos", 0.7), ("neg", 0.4)] * 50)
    for names, option in (("gold,prob", ["--reduce", "top-label"]), ("gold,confidence", None)):
        (path := tmp_path / "answers.csv").write_text(f"{names}\n{rows}")
        proposed = [command.split() for command in howsure.look(str(path)).commands if " selective " in command]
        assert [command[-2:] for command in proposed] == ([] if option is None else [option])
    path.write_text("correct,prob\n" + rows.replace("pos", "1").replace("neg", "0"))
    (command,) = (command for command in howsure.look(str(path)).commands if " selective " in command)
    assert "--reduce" not in command


@pytest.mark.parametrize("title", ["July 2026;;\n;;", "July 2026"])
def test_a_title_above_the_names_of_the_columns_is_left_out(title: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{title}\nmodel;score;date\na;0.5;2026-07-01\nb;0.7;2026-07-02\n")
    overview = howsure.look(path)
    assert [column.name for column in overview] == ["model", "score", "date"]
    assert overview.notes[0].startswith("The names of the columns are in line ")
    path.write_text("July 2026\nmodel;score\na;0.5\nb;0.7\n")  # of two columns, the first line may be a row
    assert [note for note in howsure.look(path).notes if "Remove the lines before it" in note and "model" in note]


def test_a_first_line_of_data_gives_no_names_to_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("dog,NOUN,NOUN\nbarks,VERB,NOUN\ncat,NOUN,NOUN\nAnn,NOUN,X\n")
    overview = howsure.look(path)
    assert not overview.commands
    assert any("seems to be data, such as 'NOUN'. Add a first line" in note for note in overview.notes)
    Path("scored.tsv").write_text("0.14175115\tno\n" + "0.25\tyes\n0.5\tno\n" * 9)
    assert any("seems to be data, such as '0.14175115'" in note for note in howsure.look("scored.tsv").notes)


def test_columns_in_memory_are_not_files() -> None:
    with pytest.raises(howsure.InputError, match="files must be a path, or a list of paths; it is a dict"):
        howsure.look({"score": [1]})  # type: ignore[arg-type]


def test_a_comment_is_not_taken_for_names_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("# comment line\nmodel,score\na,1\nb,0\n")
    assert "separated by" not in " ".join(howsure.look(path).notes)


def test_words_for_true_and_right_in_german_are_known(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id;richtig;p\n" + "".join(f"{at};{('WAHR', 'FALSCH')[at % 2]};0,{at % 9}\n" for at in range(40)))
    assert f"howsure calibration {path} --target richtig --positive WAHR --prob p" in howsure.look(path).commands


def test_spellings_of_a_label_are_named() -> None:
    rows = ((i, ("Yes", "yes", "no")[i % 3], ("yes", "no")[i % 2]) for i in range(60))
    (note,) = howsure.look(table("spelled.csv", "id gold pred", rows)).notes
    assert note.startswith("gold: 'Yes' (20) and 'yes' (20) differ only in case or spaces")
    assert note.endswith("Spell them the same way.")


def test_two_tables_whose_ids_have_different_names_are_named() -> None:
    table("pred.csv", "doc_id pred", ((i, "ab"[i % 2]) for i in range(20)))
    table("gold.csv", "key truth text", ((i, "ab"[i % 2], f"text {i}") for i in range(20)))
    assert "an id of the same name in both: howsure score pred.csv --targets gold.csv" in "".join(
        howsure.look(["pred.csv", "gold.csv"]).notes
    )
    with pytest.raises(howsure.InputError, match="named twice"):
        howsure.look(["pred.csv", "pred.csv"])


def test_tables_of_targets_without_columns_are_listed() -> None:
    table("pred.csv", "id pred", [(1, "a")])
    table("gold.csv", "id gold", [(1, "a")])
    message = run("score", "pred.csv", "--targets", "gold.csv").err
    assert "--target, --prediction, --id. pred.csv has id, pred; gold.csv has id, gold." in message


def test_confidence_in_words_is_read_as_stated() -> None:
    table("stated.csv", "gold confidence", ((i % 2, f"{i}% sure") for i in range(20)))
    assert "read by --verbalised" in run("calibration", "stated.csv", "--target", "gold", "--prob", "confidence").err


def test_a_table_that_is_read_as_a_log_is_named() -> None:
    table("answers.csv", "id right", [(1, 1)])
    assert "To read it as a table, leave --from out." in run("score", "answers.csv", "--from", "inspect").err


def test_dated_scores_of_models_are_no_documents() -> None:
    rows = [(f"2026-07-{1 + i % 28:02}", f"m{i % 3}", p, 1 - p) for i, p in enumerate(chance(60))]
    proposals = howsure.look(table("dated.csv", "timestamp model_id valence salience", rows)).proposals
    assert [proposal.command for proposal in proposals] == ["score"]


@pytest.mark.parametrize(
    ("grades", "bounds"), [((1, 3, 5), "1,5"), ((2, 7, 10), "1,10"), ((0, 3, 5), ""), ((1, 2, 4), "")]
)
def test_bounds_of_grades_on_a_usual_scale_are_proposed(grades: Sequence[int], bounds: str) -> None:
    rows = [(f"i{at}", "ab"[at % 2], grades[at % 3], grades[at // 3 % 3] if at < 60 else "") for at in range(120)]
    commands = howsure.look(table("graded.csv", "item model judge person", rows)).commands
    (command,) = (command for command in commands if command.startswith("howsure judge graded.csv"))
    assert re.findall(r"--bounds (\S+)", command) == ([bounds] if bounds else [])


def test_graders_and_ratings_have_an_ordinal_agreement() -> None:
    rows = [(at, grader, at % 4 + 1) for at in range(30) for grader in ("ann", "bob")]
    commands = howsure.look(table("ratings.csv", "item grader rating", rows)).commands
    assert "howsure judge agreement ratings.csv --rater grader --id item --score rating --scale ordinal" in commands


def test_a_judge_with_errors_is_proposed_without_them() -> None:
    verdicts = [("ERROR" if i % 10 == 9 else "PASS" if i % 3 else "FAIL", "PASS" if i % 2 else "") for i in range(60)]
    rows = ((f"c{i}", judge, person or "FAIL") for i, (judge, person) in enumerate(verdicts))
    first, second, *_ = howsure.look(table("judged.csv", "case_id judge_verdict human_verdict", rows)).commands
    assert "judge validate" in first
    assert second.endswith("--positive PASS --id case_id --missing ERROR --skip-missing")
    assert run(*shlex.split(first)[1:]).code == 0


@pytest.mark.parametrize("name", ["labels", "targets", "golds", "y_trues"])
def test_arrays_of_labels_may_have_plural_names(name: str) -> None:
    probs = RNG.dirichlet([1, 1, 1], 60)
    np.savez("arrays.npz", **{"probs": probs, name: np.arange(60) % 3})
    assert howsure.look("arrays.npz").commands[0] == (
        f"howsure calibration arrays.npz --target {name} --probs-column probs"
    )


def test_labels_next_to_decisions_are_named_with_their_folder() -> None:
    assert run("data", "get", "demo").code == 0
    (command,) = howsure.look("demo/decisions").commands
    assert command == "howsure calibration demo/decisions --labels-from demo/decisions/labels.csv"
    failed = run("calibration", "demo/decisions", "--labels-from", "labels.csv")
    assert failed.err.splitlines()[-1].endswith("no file labels.csv. Did you mean demo/decisions/labels.csv?")
    assert howsure.look("demo/invoices").commands == (
        "howsure fields demo/invoices/checked.jsonl --gold demo/invoices/gold.jsonl",
        "howsure fields demo/invoices/new.jsonl --gold demo/invoices/new-gold.jsonl",
    )


@pytest.mark.parametrize(
    ("name", "command"),
    [("news.conllu", "howsure events extract news.conllu"), ("news.duckdb", "howsure events series news.duckdb")],
)
def test_files_of_events_lead_to_their_command(name: str, command: str) -> None:
    Path(name).write_text("1\tNews\n")
    assert run("look", name).err.strip().endswith(command)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (b"Ada\tB-PER\nsings\tO\n\n\tO\n", "line 4 of news.conll: a line must be a word, a tab and its tag"),
        (b"Ada\tB-PER\nsings\tO\n\xff\tO\n", "line 3 of news.conll is not UTF-8 text"),
        (b"1\tAda\tNOUN\n2\tsings\tVERB\n", "howsure sequences train news.conll"),
    ],
)
def test_a_file_in_columns_that_cannot_be_read_says_why(written: bytes, why: str) -> None:
    Path("news.conll").write_bytes(written)
    assert why in run("look", "news.conll").err


def test_coders_type_in_any_case_and_leave_dates_out() -> None:
    rows = (
        (
            f"A sentence of the speech about prices number {i} in full",
            (f"{13 + i % 9}/02/2001", "NA")[i % 5 == 0],
            *codes,
        )
        for i, codes in enumerate([("Agree", "agree"), ("Disagree", "disagree"), ("Agree", "disagree")] * 10)
    )
    looked = howsure.look(table("coded.csv", "sentence date annotator_a annotator_b", [*rows]))
    assert looked.commands == ("howsure judge agreement coded.csv --raters annotator_a,annotator_b",)
    assert [column.kind for column in looked][1] == "dates"


def test_a_year_is_not_an_outcome() -> None:
    rows = ((f"A sentence about prices, number {i} of the minutes of the bank", 1996 + i % 20, "-") for i in range(60))
    assert howsure.look(table("empty.csv", "sentence year label", [*rows])).commands == ()
