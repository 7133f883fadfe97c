"""`howsure look` where a column could be taken for another one: each first command has the number of a sum by hand.

The rows are made up; the layouts are those of public files.
"""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import howsure as run
from tests.cli.test_look_layouts import means, only, random, table

import howsure

TEXT = "A text with the number {} that is longer than a name of anything would be."


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def look_at(heading: Sequence[str], rows: Sequence[Sequence[object]], path: str = "rows.csv") -> Any:
    """The result of `look` on a table, all of whose proposals run."""
    table(path, "", [])
    table(path, " ".join(f"c{at}" for at in range(len(heading))), rows)
    lines = Path(path).read_text().splitlines()
    Path(path).write_text("\n".join([",".join(heading), *lines[1:]]))
    overview = howsure.look(path)
    for line in overview.commands[1:]:
        done = run(*shlex.split(line)[1:])
        assert done.code == 0, f"{line}: {done.err}"
    return overview


def first_means(overview: Any) -> dict[str | None, float]:
    """The means that the first command prints, by model."""
    done = run(*shlex.split(overview.commands[0])[1:], "--format", "json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)["scores"]
    return {row["model"]: row["mean"]["value"] for row in rows if row["group"] in (None, "overall")}


def means_by_criterion(overview: Any) -> dict[tuple[str | None, str], float]:
    """The means that the first command prints, by model and criterion."""
    done = run(*shlex.split(overview.commands[0])[1:], "--format", "json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)["scores"]
    return {(row["model"], row["group"]): row["mean"]["value"] for row in rows if row["group"] != "overall"}


def test_ablations_of_any_name_are_crossed_with_models() -> None:
    """Next to the time of each run, which is not its number."""
    cells = [*itertools.product("AB", ("none", "no_cage", "no_llm"), range(8), range(2))]
    rows = [
        (f"2026-0{'AB'.index(m) + 1}", m, flags, f"s{item}", it, (item + len(flags) + it) % 3 > 0)
        for m, flags, item, it in cells
    ]
    overview = look_at(["run_ts", "model_name", "ablation_flags", "scenario_id", "iteration", "pass"], rows)
    by_arm = means((f"{row[1]} / {row[2]}", bool(row[5])) for row in rows)
    assert first_means(overview) == pytest.approx(by_arm)
    assert overview.commands[0].endswith("--id scenario_id --run iteration")


def test_samples_numbered_in_each_language_are_items_not_raters() -> None:
    cells = itertools.product(("opus", "lyra"), ("hindi", "tamil"), range(12))
    rows = [(*cell, stoi * 4, stoi) for cell, stoi in zip(cells, random(1).uniform(size=48).round(3), strict=True)]
    overview = look_at(["codec", "language", "sample", "pesq", "stoi"], rows)
    assert first_means(overview) == pytest.approx(means((row[0], row[4]) for row in rows))
    assert "--model codec" in overview.commands[0]


def test_a_constant_prediction_is_compared_with_the_others() -> None:
    labels = random(2).choice(["toxic", "fine"], (2, 40))
    rows = [(i, labels[0, i], "toxic", labels[1, i], "en") for i in range(40)]
    overview = look_at(["id", "expected_label", "bert_label", "other_label", "language"], rows)
    right = {"bert_label": (labels[0] == "toxic").mean(), "other_label": (labels[0] == labels[1]).mean()}
    assert first_means(overview) == pytest.approx(right)


def test_tags_in_rows_are_joined_to_sentences() -> None:
    """For the F1 of entities; without sentences, a note says what the accuracy of tags is worth."""
    sentence = [("Ann", "B-PER", "B-PER"), ("Lee", "I-PER", "O"), ("sleeps", "O", "O"), ("in", "O", "O")]
    sentence += [("Rome", "B-LOC", "B-LOC")]
    rows = [(i, *word) for i in range(20) for word in sentence]
    overview = look_at(["sent_id", "token", "gold_tag", "pred_tag"], rows)
    assert first_means(overview) == pytest.approx({None: 0.5})  # LOC is found, PER is too short
    overview = look_at(["gold_tag", "pred_tag"], [row[2:] for row in rows])
    assert first_means(overview) == pytest.approx({None: 0.8})
    assert any("accuracy is high for any model" in note for note in overview.notes)


@pytest.mark.parametrize("upper", [False, True])
def test_transcripts_are_compared_by_the_rate_of_wrong_words(upper: bool) -> None:
    spoken = [f"the speaker {i} says a few plain words" for i in range(20)]
    heard = [text.replace("plain", "plane") if i % 2 else text for i, text in enumerate(spoken)]
    rows = [(f"a{i}.wav", text.upper() if upper else text, heard[i], i + 0.5) for i, text in enumerate(spoken)]
    overview = look_at(["file", "reference", "hypothesis", "latency_sec"], rows)
    assert overview.proposals[0].question == "How close is hypothesis to reference, by wer?"
    assert any("use of capitals" in note for note in overview.notes) == upper
    if not upper:
        assert first_means(overview) == pytest.approx({None: 10 / 160})


def test_texts_of_several_systems_are_compared_with_one_reference() -> None:
    reference = [f"This is sentence {i} of the corpus" for i in range(20)]
    rows = [(TEXT.format(i), text, text, text[: 20 - i % 3]) for i, text in enumerate(reference)]
    assert (
        look_at(["source", "reference", "mt", "baseline_mt"], rows)
        .commands[0]
        .endswith("--metric bleu --model column --id source")
    )
    rows = [(TEXT.format(i), text, f"An answer {19 - i} unlike it") for i, text in enumerate(reference)]
    assert look_at(["source", "reference", "note"], rows).commands == ()


def test_the_probability_of_the_predicted_label_is_not_a_score() -> None:
    rows = [(f"s{i}.wav", TEXT.format(i), ["POSITIVE", "NEGATIVE"][i % 2], 0.5 + i % 9 / 20) for i in range(40)]
    overview = look_at(["file", "text", "sentiment", "score"], rows)
    assert not any("--score score" in line or "--prob" in line for line in overview.commands)


def test_scores_of_a_search_do_not_say_how_good_an_answer_is() -> None:
    cells = itertools.product(range(12), ("vector", "graph"))
    rows = [(f"q{i}", ("easy", "hard")[i % 2], way, TEXT.format(f"{i} {way}"), i * 0.37 + 0.5) for i, way in cells]
    heading = ["question_id", "difficulty", "method", "answer", "avg_retrieval_score"]
    assert look_at(heading, rows).commands == ()


def test_numbers_and_dates_are_no_codes() -> None:
    rows = [(i, i * i % 5 + 1) for i in range(60)]
    overview = look_at(["id", "prediction"], rows)
    assert overview.commands == ()
    assert any("no column of right answers" in note for note in overview.notes)
    rows = [(f"K{i}", f"2026-08-1{i % 2}") for i in range(60)]
    assert look_at(["Item ID", "Date Tested"], rows).commands == ()
    overview = look_at(["id", "predicted_label"], [(i, ("SUPPORTS", "REFUTES")[i % 3 > 0]) for i in range(60)])
    assert any("no column of right answers" in note for note in overview.notes)


def test_lists_among_grades_are_no_labels_of_a_judge() -> None:
    grades = random(3).choice(["1", "2", "3", "4", "[]", "['4']"], 60)
    rows = [(i, grade, grades[i - i % 4 // 3], grade) for i, grade in enumerate(grades)]
    for line in look_at(["art_id", "human_annotation", "gpt_annotation", "human_annotation2"], rows).commands:
        assert run(*shlex.split(line)[1:]).code == 0


def test_means_of_letters_do_not_make_a_summary() -> None:
    rows = [(TEXT.format(i), f"w{i % 9}", 3 + i % 5, i % 4 + 1) for i in range(60)]
    assert not any("summary" in note for note in look_at(["text", "word", "avg_character_count", "n"], rows).notes)
    Path("results.json").write_text(json.dumps([{"model": "m", "accuracy": 0.8, "n": 100}]))
    assert any("summary" in note for note in howsure.look("results.json").notes)


@pytest.mark.parametrize("values", [("Richtig", "Falsch"), ("Human", "AI")])
def test_a_name_may_be_a_value_of_its_column(values: Sequence[str]) -> None:
    rows = [(i, values[i % 3 > 0]) for i in range(60)]
    assert not any("seems to be data" in note for note in look_at(["Nr", values[0]], rows).notes)
    rows = [(f"a{i}", values[i % 3 > 0]) for i in range(60)]
    assert any("seems to be data" in note for note in look_at(["a60", values[0]], rows).notes)


def test_models_whose_names_share_a_suffix_are_compared() -> None:
    grades = random(4).integers(0, 101, (30, 2))
    names = ["GPT-4o (score %)", "Claude (score %)"]
    overview = look_at(["Frage", *names], [(f"Frage {i}", *row) for i, row in enumerate(grades)])
    assert first_means(overview) == pytest.approx(dict(zip(names, grades.mean(axis=0), strict=True)))


def test_notes_say_what_the_first_command_assumes() -> None:
    answers = [("yes", "no", "true", "?")[i * i % 7 % 4] for i in range(60)]
    rows = [(f"q{i}", ("yes", "no")[i % 2], answer) for i, answer in enumerate(answers)]
    notes = " ".join(look_at(["id", "gold", "pred"], rows).notes)
    assert "pred: 'true', 'yes' may mean the same" in notes
    rows = [(f"q{i}", "abc"[i % 3], "abc?"[i % 4]) for i in range(60)]
    notes = " ".join(look_at(["id", "gold", "pred"], rows).notes)
    assert "'?' as a prediction counts as wrong. To leave such rows out: --missing '?' --skip-missing." in notes
    rows = [(f"q{i}", i % 2, i % 7 / 7, i % 5 / 5) for i in range(40)]
    overview = look_at(["id", "exact_match", "token_f1", "recall_at_5"], rows)
    assert means_by_criterion(overview)[None, "token_f1"] == pytest.approx(sum(row[2] for row in rows) / 40)
    assert "Others could be" not in " ".join(overview.notes)
    overview = look_at(["id", "score", "token_f1", "recall_at_5"], rows)
    assert "score was taken as the score. Others could be: token_f1, recall_at_5." in overview.notes
    assert first_means(overview) == pytest.approx(only(row[1] for row in rows))
    rows = [(TEXT.format(i % 30), ("x", "y")[i % 2], ("x", "y")[i % 30 % 3 % 2]) for i in range(60)]
    assert any("Exact copies of other rows: 30" in note for note in look_at(["text", "label", "pred"], rows).notes)


def test_criteria_named_by_sentences_are_counted_one_by_one() -> None:
    """And not only the one whose name has the word correct, or is predicted by another one."""
    names = ["all labels are on the elements", "all shapes are closed ones", "the core properties are correct"]
    answers = [["Yes" if (i + k) % (k + 3) else "No" for k in range(3)] for i in range(60)]
    overview = look_at(["diagram_id", *names], [(i, *row) for i, row in enumerate(answers)])
    printed = json.loads(run(*shlex.split(overview.commands[0])[1:], "--format", "json").out)["scores"]
    shares = {name: sum(row[k] == "Yes" for row in answers) / 60 for k, name in enumerate(names)}
    assert {row["group"]: row["mean"]["value"] for row in printed if row["group"] in names} == pytest.approx(shares)
    assert overview.proposals[0].question.startswith("How often is each of all labels")


def test_word_diarization_errors_are_better_when_lower() -> None:
    rows = [(("a", "b")[i % 2], i // 2, i * 7 % 11 / 11) for i in range(60)]
    overview = look_at(["method", "case_id", "wder"], rows)
    assert overview.proposals[0].question == "Which method has the lowest mean wder?"
    assert first_means(overview) == pytest.approx(means((row[0], row[2]) for row in rows))


@pytest.mark.parametrize("names", ["judge_accuracy judge_empathy", "human_accuracy human_policy_adherence"])
def test_grades_by_criteria_are_neither_those_of_raters_nor_models(names: str) -> None:
    grades = random(5).integers(1, 6, (60, 2))
    rows = [(i // 3, ("calm", "rushed", "eager")[i % 3], *row) for i, row in enumerate(grades)]
    overview = look_at(["question_id", "style", *names.split()], rows)
    assert "--model style --group column --id question_id" in overview.commands[0]
    cells = ((f"{row[1]} {name}", grade) for row in rows for name, grade in zip(names.split(), row[2:], strict=True))
    by_cell = {f"{model} {name}": mean for (model, name), mean in means_by_criterion(overview).items()}
    assert by_cell == pytest.approx(means(cells))


def test_errors_may_be_named_by_another_column_or_alone() -> None:
    rows = [(("a", "b")[i % 2], f"t{i // 2}", i * 7 % 11 / 11, "WER") for i in range(60)]
    overview = look_at(["model", "test_id", "quality_metric", "metric_name"], rows)
    assert overview.proposals[0].question == "Which model has the lowest mean quality_metric?"
    rows = [(f"p{i % 4}", f"The sentence {i // 4} to say", i * 7 % 11 / 10, i * 5 % 13 / 13) for i in range(60)]
    overview = look_at(["Participant", "Reference", "WER", "Similarity"], rows)
    assert "--score WER --lower-is-better" in overview.commands[0]


def test_probabilities_of_classes_are_not_scores() -> None:
    left, right = random(6).uniform(0, 0.5, (2, 60)).round(3)
    rows = [(a, round(1 - a - b, 3), b, i % 3) for i, (a, b) in enumerate(zip(left, right, strict=True))]
    commands = look_at(["left_score", "center_score", "right_score", "leaning"], rows).commands
    assert not any("--score" in line for line in commands)


def test_texts_that_a_model_generated_are_no_news() -> None:
    rows = [(i, f"2024-0{1 + i % 9}-03", TEXT.format(i)) for i in range(30)]
    assert look_at(["id", "start_date", "generated_summary"], rows).commands == ()
