"""`howsure look` on layouts of many programs: each proposed command runs, and its main number is that of a sum by hand.

The rows are made up; the layouts are those of public files.
"""

from __future__ import annotations

import csv
import itertools
import json
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import howsure as run

import howsure

Means = dict[str | None, float]  # by model
STEPS = ("battles", "agreement", "spans", "import", "agents", "validate", "items", "estimate", "sample")
Expected = tuple[str, Mapping[str, Any]]  # the path, and by command its main number


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def table(path: str, heading: str, rows: Iterable[Sequence[object]], *, separator: str = ",") -> None:
    with open(path, "w", newline="") as file:
        csv.writer(file, delimiter=separator).writerows([heading.split(), *rows])


def means(values: Iterable[tuple[str | None, float]]) -> Means:
    by_model = defaultdict(list)
    for model, value in values:
        by_model[model].append(value)
    return {model: sum(scores) / len(scores) for model, scores in by_model.items()}


def only(values: Iterable[float]) -> Means:
    return means((None, value) for value in values)


def noisy(rng: np.random.Generator, values: Sequence[object], shape: tuple[int, int]) -> Any:
    """Columns of labels that are those of one truth with a probability of 0.7."""
    columns = rng.choice(values, shape)
    return np.where(rng.uniform(size=shape) < 0.7, columns[0], columns)


def ordinal_alpha(grades: Mapping[str, Mapping[str, int]]) -> float:
    """Krippendorff's alpha by its definition; the distance of two grades is the number of grades between them."""
    units = [list(unit.values()) for unit in grades.values()]
    flat = sorted(itertools.chain(*units))
    count = {grade: flat.count(grade) for grade in set(flat)}

    def distance(a: int, b: int) -> float:
        low, high = sorted((a, b))
        between = sum(n for grade, n in count.items() if low <= grade <= high)
        return float((between - (count[a] + count[b]) / 2) ** 2)

    observed = sum(
        distance(a, b) / (len(unit) - 1) for unit in units for a, b in itertools.permutations(unit, 2)
    ) / len(flat)
    chance = sum(distance(a, b) for a, b in itertools.permutations(flat, 2)) / (len(flat) * (len(flat) - 1))
    return 1 - observed / chance


# Tables.


def grades_of_generators() -> Expected:
    """By judges whose answers were not always read, which a column of yes and no says."""
    rng = random(111)
    cells = itertools.product(range(20), ("mid", "small"), ("cheap", "strong"))
    rows = [
        (i, g, j, "False", "") if (i, j) == (3, "cheap") else (i, g, j, "True", rng.integers(1, 6)) for i, g, j in cells
    ]
    table("bare.csv", "instruction_id generator judge parse_ok holistic", rows)
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for i, generator, judge, _, grade in rows:
        grades[f"{i} {generator}"] |= {judge: int(grade)} if grade != "" else {}
    units = {unit: by_judge for unit, by_judge in grades.items() if len(by_judge) > 1}
    by_generator = means((row[1], float(row[4])) for row in rows if row[4] != "")
    return "bare.csv", {"score": by_generator, "judge agreement": ordinal_alpha(units)}


def sides_of_pairs() -> Expected:
    """Of any name; fewer hallucinations are better."""
    rng = random(112)
    rows = [(f"p{i}", side, ("False", "True")[int(rng.uniform() < 0.3)]) for i in range(40) for side in ("high", "low")]
    table("pairs.csv", "pair_id set_type is_hallucination", rows)
    return "pairs.csv", {"score": means((side, wrong == "True") for _, side, wrong in rows)}


def truth_values_in_two_spellings() -> Expected:
    """Which commands compare as equal, whether or not they agree more than chance."""
    pairs = random(113).choice(["true", "false"], (60, 2))
    table(
        "spelled.csv", "Index gold_label gpt_label", ((i, gold, label.title()) for i, (gold, label) in enumerate(pairs))
    )
    return "spelled.csv", {"score": only(pairs[:, 0] == pairs[:, 1])}


def expected_verdicts() -> Expected:
    verdicts = noisy(random(114), ("CORRECT", "INCORRECT"), (2, 60)).T
    table("expected.csv", "question_id majority_verdict expected_verdict", ((i, *verdicts[i]) for i in range(60)))
    return "expected.csv", {"score": only(verdicts[:, 0] == verdicts[:, 1])}


def raters_of_any_name() -> Expected:
    labels = noisy(random(115), ("pos", "neg"), (3, 60)).T
    rows = (
        (i, f"A text with the number {i} that is longer than a name of anything would be.", *labels[i])
        for i in range(60)
    )
    table("names.csv", "id text ann_1 anna bert", rows)
    return "names.csv", {"judge agreement": nominal_alpha(labels.tolist())}


def models_in_objects() -> Expected:
    scores = random(116).uniform(size=(30, 2)).round(3)
    rows = [{"id": f"q{i}", "scores": {"new": new, "old": old}} for i, (new, old) in enumerate(scores.tolist())]
    Path("objects.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return "objects.jsonl", {"score": dict(zip(("scores.new", "scores.old"), scores.mean(axis=0), strict=True))}


def dated_headlines_with_scores() -> Expected:
    scores = random(117).uniform(size=80).round(3)
    rows = [(f"2024-{i % 12 + 1:02}-03", f"headline {i}", score) for i, score in enumerate(scores)]
    table("headlines.csv", "date headline protest_score", rows)
    return "headlines.csv", {"counts sample": 40, "score": only(scores)}


def numbered_classes() -> Expected:
    classes = random(118).choice([0, 1, 2], 80, p=[0.1, 0.7, 0.2])
    rows = (
        (c, f"A text with the number {i} that is longer than a name of anything would be.")
        for i, c in enumerate(classes)
    )
    table("classes.csv", "class tweet", rows)
    return "classes.csv", {"score": only(classes == 1)}


def right_answers_named_correct() -> Expected:
    """Which are labels, and not whether an answer is right."""
    answers = noisy(random(119), ("Yes", "No"), (2, 60)).T
    rows = ((i, *pair, pair[0] == pair[1]) for i, pair in enumerate(answers))
    table("correct.csv", "id predicted_answer correct_answer is_correct", rows)
    return "correct.csv", {"score": only(answers[:, 0] == answers[:, 1])}


def runs_of_a_classifier() -> Expected:
    rng = random(120)
    rows = [(i, int(rng.uniform() < (0.2, 0.9)[i % 2]), run) for i in range(30) for run in range(4)]
    table("runs.csv", "id annotation iteration", rows)
    labels = [[label for i, label, _ in rows if i == item] for item in range(30)]
    return "runs.csv", {"judge agreement": nominal_alpha(labels)}


def profiles_in_runs() -> Expected:
    """Of a name that says nothing, but each with each scenario in each run."""
    rng = random(121)
    cells = [*itertools.product(("plain", "guarded"), range(20), range(2))]
    rows = [(*cell, int(rng.uniform() < (0.4, 0.8)[cell[0] == "guarded"])) for cell in cells]
    table("profiles.csv", "profile scenario_id run_idx is_safe", rows)
    return "profiles.csv", {"score": means((row[0], row[3]) for row in rows)}


def human_scores_in_objects_of_models() -> Expected:
    scores = random(122).integers(10, 50, (30, 2, 2)) / 10
    rows = [
        {
            "id": f"q{i}",
            "gen": {m: {"score": {"human": h, "bleu": b}} for m, (h, b) in zip(("gpt", "s2s"), of, strict=True)},
        }
        for i, of in enumerate(scores.tolist())
    ]
    Path("human.jsonl").write_text("\n".join(map(json.dumps, rows)))
    names = ("gen.gpt.score.human", "gen.s2s.score.human")
    both = scores[:, :, 0].mean(axis=0)
    return "human.jsonl", {"score": dict(zip(names, both, strict=True)), "significance": [both[0] - both[1]]}


def numbers_for_truth_values() -> Expected:
    answers = random(123).choice([True, False], (60, 2))
    rows = [{"item": i, "prediction": float(guess), "answer": bool(true)} for i, (guess, true) in enumerate(answers)]
    Path("truths.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return "truths.jsonl", {"score": only(answers[:, 0] == answers[:, 1])}


def classes_with_numbers() -> Expected:
    """Whose numbers are not items."""
    labels = noisy(random(124), (0, 1, 2), (2, 90)).T
    names = np.array(["against", "for", "neutral"])[labels]
    texts = (f"A text with the number {i} that is longer than a name of anything would be." for i in range(90))
    rows = ((text, *of_names, *of_text) for text, of_names, of_text in zip(texts, names, labels, strict=True))
    table("numbered.csv", "text gold_label pred_label label_id pred_id", rows)
    return "numbered.csv", {"score": only(labels[:, 0] == labels[:, 1])}


def arms_of_an_experiment() -> Expected:
    """Which together tell the answers to an item apart; and a column of errors of the model."""
    rng = random(91)
    cells = [*itertools.product(("baseline", "biased"), ("few", "zero"), range(30))]
    answers = rng.choice(["A", "B", "C"], (len(cells), 2), p=[0.6, 0.2, 0.2])
    rows = [
        (*cell, *pair, "timeout" if at % 9 == 0 else "")
        for at, (cell, pair) in enumerate(zip(cells, answers, strict=True))
    ]
    table("arms.csv", "condition shot example_id predicted_answer true_answer model_error", rows)
    by_arms = means((f"{row[0]} / {row[1]}", row[3] == row[4]) for row in rows)
    return "arms.csv", {"score": by_arms}


def predicted_and_actual_decisions() -> Expected:
    decisions = random(92).choice(["select", "reject"], (40, 2))
    rows = [(f"ad-{i}", *pair, f"because of {i}") for i, pair in enumerate(decisions)]
    table("decisions.csv", "id predicted_decision actual_decision actual_reason", rows)
    return "decisions.csv", {"score": only(decisions[:, 0] == decisions[:, 1])}


def annotations_by_criterion() -> Expected:
    rng = random(93)
    grades = {
        (item, criterion): {who: int(np.clip(level + rng.integers(-1, 2), 1, 4)) for who in ("Ann. 1", "Ann. 2")}
        for item, criterion in itertools.product(range(30), ("bias", "lede"))
        for level in rng.integers(1, 5, 1)
    }
    rows = [(item, who, criterion, grade) for (item, criterion), unit in grades.items() for who, grade in unit.items()]
    table("criteria.csv", "art_id ann criteriaID annotation", rows)
    by_unit = {f"{item} {criterion}": unit for (item, criterion), unit in grades.items()}
    return "criteria.csv", {"judge agreement": ordinal_alpha(by_unit)}


def texts_that_annotators_graded() -> Expected:
    rng = random(94)
    texts = [f"A text with the number {i} that is longer than a name of anything would be." for i in range(40)]
    rows = [(k % 3, texts[k // 3], "base" if k < 60 else "large", rng.integers(1, 6)) for k in range(120)]
    table("fluency.csv", "Annotator Text Architecture Coherence", rows)
    grades = {text: {str(row[0]): int(row[3]) for row in rows if row[1] == text} for text in texts}
    return "fluency.csv", {"judge agreement": ordinal_alpha(grades), "score": means((row[2], row[3]) for row in rows)}


def pipelines_on_the_same_questions() -> Expected:
    rows = [
        (f"A question about the number {i}?", way, f"{way} {i}", (i * k) % 3 == 0)
        for i in range(20)
        for k, way in enumerate(("hyde", "crag", "fusion"), 1)
    ]
    table("rag.csv", "query pipeline generated_answer exact_match", ((*row[:3], int(row[3])) for row in rows))
    return "rag.csv", {"score": means((row[1], row[3]) for row in rows)}


def languages_of_the_same_prompts() -> Expected:
    """A language, and not the category of the prompt, tells two grades of a model apart."""
    rng = random(101)
    cells = itertools.product(range(30), ("ada", "bob"), ("EN", "UA"))
    rows = [(f"P{i}", ("calm", "panic")[i % 2], model, language, rng.integers(1, 6)) for i, model, language in cells]
    table("split.csv", "Prompt_ID Category Tested_Model Language Accuracy", rows)
    in_last = means((row[2], float(row[4])) for row in rows if row[3] == "UA")
    return "split.csv", {"score": in_last}


def judges_of_packets() -> Expected:
    """With versions of the judges, and ids of items as long as a text."""
    rng = random(102)
    grades = {
        (f"{i:064x}", model): {judge: int(np.clip(level + rng.integers(-1, 2), 1, 5)) for judge in ("one", "two")}
        for i, model in itertools.product(range(20), ("ada", "bob"))
        for level in rng.integers(1, 6, 1)
    }
    rows = [
        ("1.0" if judge == "one" else "2.0", judge, model, packet, grade)
        for (packet, model), unit in grades.items()
        for judge, grade in unit.items()
    ]
    table("packets.csv", "judge_version judge_id model_id packet_id score", rows)
    by_unit = {f"{packet} {model}": unit for (packet, model), unit in grades.items()}
    return "packets.csv", {"judge agreement": ordinal_alpha(by_unit), "score": means((row[2], row[4]) for row in rows)}


def labels_of_several_ways() -> Expected:
    labels = random(103).choice(["news", "sport", "tech"], (4, 60), p=[0.5, 0.3, 0.2])
    heading = "text gold_label llm_label rule_label corrected_label"
    table("ways.csv", heading, ((f"text {i}", *labels[:, i]) for i in range(60)))
    right = [(labels[at] == labels[0]).mean() for at in (1, 2, 3)]
    of_ways = dict(zip(heading.split()[2:], right, strict=True))
    return "ways.csv", {"score": of_ways, "significance": [right[1] - right[0], right[2] - right[0]]}


def coders_next_to_groups() -> Expected:
    """Four numbered coders, next to a column of other names."""
    codes = noisy(random(104), ["N", "S", "O"], (4, 40))
    rows = [(f"s{i}", ("security", "crypto")[i % 2], ("here", "there")[i % 3 > 0], *codes[:, i]) for i in range(40)]
    table("stances.csv", "sample_id community platform ann1 ann2 ann3 ann4", rows)
    units = {str(i): {str(at): "NSO".index(codes[at, i]) for at in range(4)} for i in range(40)}
    flat = [value for unit in units.values() for value in unit.values()]
    pairs = [(a, b) for unit in units.values() for a, b in itertools.permutations(unit.values(), 2)]
    observed = sum(a != b for a, b in pairs) / len(pairs)
    chance = sum(a != b for a, b in itertools.permutations(flat, 2)) / (len(flat) * (len(flat) - 1))
    return "stances.csv", {"judge agreement": 1 - observed / chance}


def questions_with_gaps() -> Expected:
    """Of which some models have none, and whose kinds are not items; and a risk, which is not a score."""
    rng = random(105)
    rows = [
        (model, ("who", "what")[i % 2], "" if model == "random" else f"Question {i}?", i, int(rng.integers(0, 2)))
        for model in ("large", "random")
        for i in range(40)
    ]
    table("gaps.csv", "model question_type question risk_score is_safe", rows)
    return "gaps.csv", {"score": means((row[0], row[4]) for row in rows)}


def topics_in_german() -> Expected:
    p = random(95).uniform(size=(40, 2)).round(3)
    numbers = [[f"{value:.3f}".replace(".", ",") for value in row] for row in p]
    rows = [(f"{1 + i % 28:02}.{1 + i % 12:02}.2019", f"Ein Text {i}", *numbers[i]) for i in range(40)]
    table("themen.csv", "Datum Text p_Syrien p_Irak", rows, separator=";")
    return "themen.csv", {"events import": dict(zip(("p_Syrien", "p_Irak"), p.sum(axis=0), strict=True))}


def some_labels_of_two_models() -> Expected:
    """Whose counts must not be added."""
    rng = random(96)
    probabilities = rng.uniform(size=(2, 200)).round(3)
    positive = rng.uniform(size=(2, 200)) < probabilities
    rows = [
        (f"d{i}", model, probabilities[at, i], int(positive[at, i]) if i % 2 == 0 and i < 180 else "")
        for at, model in enumerate(("it's", "b"))
        for i in range(200)
    ]
    table("two.csv", "id model prob label", rows)
    labelled = [positive[at, :180:2].mean() for at in range(2)]
    return "two.csv", {"counts estimate": {"": int(positive[0, :180:2].sum())}, "calibration": labelled[1]}


def labels_with_gaps_spelled_as_text() -> Expected:
    labels = random(97).choice(["0", "1", "NA"], 90)
    p = random(99).uniform(size=90).round(3)
    table("na.csv", "id prob label", ((i, p[i], labels[i]) for i in range(90)))
    positive = labels[labels != "NA"] == "1"
    likelier = p[labels != "NA"] > 0.5
    return "na.csv", {"calibration": positive.mean(), "selective": (positive == likelier).mean()}


def predictions_and_true_values_in_two_tables() -> Expected:
    answers = random(98).choice(["yes", "no"], (2, 40))
    table("first.csv", "id answer_pred", ((i, answers[0, i]) for i in range(40)))
    table("second.csv", "id truth text", ((i, answers[1, i], f"some text {i}") for i in range(40)))
    return "first.csv second.csv", {"score": only(answers[0] == answers[1])}


def raters() -> Expected:
    rng = random(1)
    grades = {
        f"text {i}": {
            rater: int(np.clip(round(quality + rng.normal(0, 0.7)), 1, 5)) for rater in ("anna", "ben", "cem")
        }
        for i, quality in enumerate(rng.uniform(1, 5, 25))
    }
    rows = [(item, rater, grade) for item, unit in grades.items() for rater, grade in unit.items()]
    table("raters.csv", "item annotator rating", rows)
    return "raters.csv", {"judge agreement": ordinal_alpha(grades), "score": only(grade for *_, grade in rows)}


def raters_in_columns() -> Expected:
    rng, names = random(16), ("annotator1", "annotator2", "annotator3")
    grades = {
        f"q{i}": {name: int(np.clip(round(quality + rng.normal(0, 0.7)), 1, 5)) for name in names}
        for i, quality in enumerate(rng.uniform(1, 5, 25))
    }
    rows = [(item, f"response of {item} in words", *unit.values()) for item, unit in grades.items()]
    table("wide.csv", f"idx response {' '.join(names)}", rows)
    return "wide.csv", {"judge agreement": ordinal_alpha(grades)}


def judge_and_people() -> Expected:
    rng = random(2)
    people = rng.integers(1, 6, 60)
    judge = np.clip(people + rng.integers(-1, 2, 60), 1, 5)
    rows = [(f"q{i}", *pair) for i, pair in enumerate(zip(judge, people, strict=True))]
    table("judge.csv", "question_id judge_score human_score", rows)
    agreeing = {str(grade): (judge[people == grade] == grade).mean() for grade in range(1, 6)}
    return "judge.csv", {"judge": (judge.mean(), people.mean()), "judge validate": agreeing, "score": only(people)}


def judge_and_some_people() -> Expected:
    rng = random(3)
    judge, people = rng.choice(["pass", "fail"], (2, 120))
    rows = [(i, "an answer", judge[i], people[i] if i % 4 == 0 else "") for i in range(120)]
    table("partly.csv", "id response llm_verdict human_verdict", rows)
    labelled, judged = people[::4] == "pass", judge[::4] == "pass"
    return "partly.csv", {
        "judge": ((judge == "pass").mean(), labelled.mean()),
        "judge validate": {"0": (~judged[~labelled]).mean(), "1": judged[labelled].mean()},
    }


def judge_and_person() -> Expected:
    judge, person = random(40).integers(0, 2, (2, 100))
    table("labels.csv", "id judge human", ((i, judge[i], person[i] if i % 2 else "") for i in range(100)))
    labelled, judged = person[1::2] == 1, judge[1::2] == 1
    return "labels.csv", {
        "judge": (judge.mean(), labelled.mean()),
        "judge validate": {"0": (~judged[~labelled]).mean(), "1": judged[labelled].mean()},
    }


def grades_by_source(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    Path(name).write_text("\n".join(map(json.dumps, rows)))


def langfuse_scores() -> Expected:
    judge, person = random(44).integers(0, 2, (2, 80))
    shared = {"name": "correct", "dataType": "BOOLEAN", "observationId": None}
    ids = [f"{i:032x}" for i in range(80)]
    rows = [shared | {"traceId": ids[i], "source": "EVAL", "value": int(judge[i])} for i in range(80)]
    rows += [shared | {"traceId": ids[i], "source": "ANNOTATION", "value": int(person[i])} for i in range(0, 80, 2)]
    grades_by_source("scores.jsonl", rows)
    labelled, judged = person[::2] == 1, judge[::2] == 1
    return "scores.jsonl", {
        "judge": (judge.mean(), labelled.mean()),
        "judge validate": {"0": (~judged[~labelled]).mean(), "1": judged[labelled].mean()},
        "judge agreement": nominal_alpha([(str(judge[i]), str(person[i])) for i in range(0, 80, 2)]),
    }


def mlflow_assessments() -> Expected:
    """Two criteria; people judged more answers by the second one."""
    rng, rows, both = random(45), [], {"safe": [], "polite": []}
    for i in range(90):
        assessments = []
        for criterion, labelled in (("safe", i < 20), ("polite", i < 50)):
            judge, person = rng.choice(["yes", "no"]), bool(rng.integers(2))
            graders = [("LLM_JUDGE", judge), *([("HUMAN", person)] if labelled else [])]
            assessments += [
                {"name": criterion, "source": {"source_type": kind}, "feedback": {"value": value}}
                for kind, value in graders
            ]
            both[criterion].append((judge == "yes", person if labelled else None))
        rows.append({"trace_id": f"tr-{i}", "state": "OK", "assessments": assessments})
    grades_by_source("traces.jsonl", rows)
    judged = np.array([judge for judge, _ in both["polite"]])
    labels = np.array([person for _, person in both["polite"][:50]])
    alphas = [(str(i), str(j)) for pairs in both.values() for i, j in pairs if j is not None]
    return "traces.jsonl", {
        "judge": (judged.mean(), labels.mean()),
        "judge validate": {"0": (~judged[:50][~labels]).mean(), "1": judged[:50][labels].mean()},
        "judge agreement": nominal_alpha(alphas),
    }


def grades_of_any_table() -> Expected:
    rng = random(46)
    truth = rng.integers(1, 6, 60)
    judge, person = (np.clip(truth + rng.integers(-1, 2, 60), 1, 5) for _ in range(2))
    rows = [(f"ticket {i}", "llm-judge", judge[i], "…") for i in range(60)]
    rows += [(f"ticket {i}", "expert", person[i], "…") for i in range(60)]
    table("long.csv", "item_id source score rationale", rows)
    agreeing = {str(grade): (judge[person == grade] == grade).mean() for grade in range(1, 6)}
    grades = {f"{i}": {"judge": int(judge[i]), "expert": int(person[i])} for i in range(60)}
    return "long.csv", {
        "judge": (judge.mean(), person.mean()),
        "judge validate": agreeing,
        "judge agreement": ordinal_alpha(grades),
    }


def attempts_without_reward() -> Expected:
    rng = random(41)
    rows = [
        (agent, f"task-{task}", attempt, "" if ended == "timeout" else int(rng.uniform() < 0.6), ended, round(cost, 3))
        for agent in ("x", "y")
        for task in range(30)
        for attempt in range(3)
        for ended, cost in [(rng.choice(["completed", "timeout"], p=[0.9, 0.1]), rng.lognormal())]
    ]
    table("attempts.csv", "agent task_id attempt reward status cost_usd", rows)
    ends = {
        agent: [
            np.mean([if_errored if reward == "" else reward for name, _, _, reward, *_ in rows if name == agent])
            for if_errored in (0, 1)
        ]
        for agent in ("x", "y")
    }
    failed = {agent: float(lowest) for agent, (lowest, _) in ends.items()}
    return "attempts.csv", {"score agents": ends, "score": failed}


def trials_with_errors() -> Expected:
    rng = random(42)
    rows = [
        (agent, f"task-{task}", trial, *(("", "container") if rng.uniform() < 0.1 else (rng.integers(2), "")))
        for agent in ("x", "y")
        for task in range(20)
        for trial in range(2)
    ]
    table("errors.csv", "agent task trial passed error", rows)
    ends = {
        agent: [
            np.mean([if_errored if passed == "" else passed for name, _, _, passed, _ in rows if name == agent])
            for if_errored in (0, 1)
        ]
        for agent in ("x", "y")
    }
    failed = {agent: float(lowest) for agent, (lowest, _) in ends.items()}
    return "errors.csv", {"score agents": ends, "score": failed}


def some_labels_by_hand() -> Expected:
    rng = random(43)
    probabilities = rng.uniform(size=400).round(3)
    positive = rng.uniform(size=400) < probabilities
    hand = [int(is_positive) if i % 5 == 0 else "" for i, is_positive in enumerate(positive)]
    dates = [f"2026-{1 + i // 100:02}-{1 + i % 28:02}" for i in range(400)]
    heading = "id date text prob hand"
    table("hand.csv", heading, ((i, dates[i], f"text {i} " * 20, probabilities[i], hand[i]) for i in range(400)))
    by_month = {f"2026-0{1 + month}": int(positive[100 * month : 100 * month + 100 : 5].sum()) for month in range(4)}
    return "hand.csv", {"counts estimate": by_month, "calibration": positive[::5].mean()}


def ragas() -> Expected:
    metrics = random(4).uniform(size=(40, 3)).round(4)
    rows = [(f"what is {i}?", "['a context']", f"it is {i}", f"is {i}", *metrics[i]) for i in range(40)]
    table("ragas.csv", "user_input retrieved_contexts response reference faithfulness answer_relevancy recall", rows)
    names = ("faithfulness", "answer_relevancy", "recall")
    return "ragas.csv", {"score": dict(zip(names, metrics.mean(axis=0), strict=True))}


def wmt() -> Expected:
    scores = -random(5).exponential(size=(2, 50)).round(3)
    rows = [(system, scores[at, i], i + 1) for at, system in enumerate(("Online-A.15", "Human-A.0")) for i in range(50)]
    table("avg_seg_scores.tsv", "system mqm_avg_score seg_id", rows, separator=" ")
    return "avg_seg_scores.tsv", {"score": means((system, score) for system, score, _ in rows)}


def epochs() -> Expected:
    right = random(6).integers(0, 2, (40, 3))
    table("epochs.csv", "sample_id epoch accuracy", ((i, e + 1, right[i, e]) for i in range(40) for e in range(3)))
    return "epochs.csv", {"score": only(right.ravel())}


def wide_labels() -> Expected:
    gold, *models = random(7).choice(["pos", "neg", "neu"], (4, 90))
    table("wide.csv", "text gold bert gpt-4o llama_3", zip(map(str, range(90)), gold, *models, strict=True))
    accuracy = [(model == gold).mean() for model in models]
    of_models = dict(zip(("bert", "gpt-4o", "llama_3"), accuracy, strict=True))
    return "wide.csv", {"score": of_models, "significance": [value - accuracy[0] for value in accuracy[1:]]}


def wide_marks() -> Expected:
    marks = noisy(random(8), [True, False], (2, 60)).T
    table("marks.csv", "id org/mix-8x7B small-1106", ((f"i{i}", *marks[i]) for i in range(60)))
    shares = {"org/mix-8x7B": marks[:, 0].mean(), "small-1106": marks[:, 1].mean()}
    return "marks.csv", {"score": shares, "significance": [marks[:, 1].mean() - marks[:, 0].mean()]}


def wide_marks_in_german() -> Expected:
    marks = random(66).integers(0, 2, (60, 3))
    names = ("gpt4_korrekt", "llama_korrekt", "correct_mistral_korrekt")
    table("korrekt.csv", f"id frage kategorie {' '.join(names)}", ((i, f"q{i}", i % 3, *marks[i]) for i in range(60)))
    shares = dict(zip(names, marks.mean(axis=0), strict=True))
    differences = [shares[name] - shares[names[0]] for name in names[1:]]
    return "korrekt.csv", {"score": shares, "significance": differences}


def wide_marks_in_words() -> Expected:
    marks = random(67).choice(["PASS", "FAIL"], (40, 3))
    table("tests.csv", "test_id gpt-4o llama qwen", ((f"t{i}", *marks[i]) for i in range(40)))
    return "tests.csv", {"score": dict(zip(("gpt-4o", "llama", "qwen"), (marks == "PASS").mean(axis=0), strict=True))}


Spans = Mapping[tuple[int, str], set[tuple[int, int, str]]]  # by document and rater


def spans_of_two_raters(seed: int) -> Spans:
    """Spans that do not overlap; some of the second rater start late by a character, and ann finds none in a text."""
    rng = random(seed)
    return {
        (document, rater): {
            (10 * k + (rater == "bo" and int(rng.integers(2))), 10 * k + 5, str(rng.choice(["PER", "LOC"])))
            for k in range(0 if document == 7 and rater == "ann" else 3)
        }
        for document in range(30)
        for rater in ("ann", "bo")
    }


def f1_of_spans(spans: Spans) -> float:
    equal = sum(len(spans[document, "ann"] & spans[document, "bo"]) for document in range(30))
    return 2 * equal / sum(map(len, spans.values()))


def spans_in_rows() -> Expected:
    spans = spans_of_two_raters(68)
    rows = [
        (f"doc{document}", rater, start, end, label, "word")
        for (document, rater), marked in spans.items()
        for start, end, label in sorted(marked) or [("", "", "")]
    ]
    table("spans.csv", "doc_id annotator begin end entity_type span_text", rows)
    return "spans.csv", {"judge spans": f1_of_spans(spans)}


def prodigy() -> Expected:
    spans = spans_of_two_raters(69)
    rows = [
        {
            "text": "x" * 40,
            "_input_hash": 100 + document,
            "_task_hash": 500 + document,
            "tokens": [{"text": "x", "start": 0, "end": 1 + document % 3, "id": 0}],
            "spans": [
                {"start": s, "end": e, "token_start": 0, "token_end": 1, "label": c} for s, e, c in sorted(marked)
            ],
            "answer": "accept",
            "_annotator_id": f"ner-{rater}",
        }
        for (document, rater), marked in spans.items()
    ]
    Path("ner.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return "ner.jsonl", {"judge spans": f1_of_spans(spans)}


def label_studio() -> Expected:
    spans = spans_of_two_raters(70)

    def result(span: tuple[int, int, str]) -> dict[str, Any]:
        value = {"start": span[0], "end": span[1], "text": "x", "labels": [span[2]]}
        return {"id": "r", "from_name": "label", "to_name": "text", "type": "labels", "value": value}

    tasks = [
        {
            "id": document + 1,
            "data": {"text": "x" * 40},
            "annotations": [
                {"id": 1, "completed_by": at, "result": [*map(result, sorted(spans[document, rater]))]}
                for at, rater in enumerate(("ann", "bo"))
            ],
        }
        for document in range(30)
    ]
    Path("project.json").write_text(json.dumps(tasks))
    return "project.json", {"judge spans": f1_of_spans(spans)}


def topics_by_column() -> Expected:
    p = random(71).uniform(size=(80, 3)).round(3)
    rows = [(f"n{i}", f"2024-{1 + i % 12:02}-03", f"An article {i}", *p[i]) for i in range(80)]
    table("topics.csv", "id date text economy migration health", rows)
    return "topics.csv", {"events import": dict(zip(("economy", "migration", "health"), p.sum(axis=0), strict=True))}


def tags_of_two_files() -> Expected:
    """The first line of both is a word with its tag, not a header."""
    rng, rows = random(72), []
    for _ in range(40):
        gold = [str(rng.choice(["B-PER", "O", "O", "B-LOC"])) for _ in range(6)]
        rows.append([(tag, tag if rng.uniform() < 0.8 else "O") for tag in gold])
    for at, name in enumerate(("gold.tsv", "predicted.tsv")):
        Path(name).write_text("\n\n".join("\n".join(f"word\t{pair[at]}" for pair in row) for row in rows) + "\n")
    pairs = [pair for row in rows for pair in row]
    equal, marked = sum(a == b != "O" for a, b in pairs), sum(tag != "O" for pair in pairs for tag in pair)
    return "predicted.tsv gold.tsv", {"score": {"predicted": 2 * equal / marked}}


def labels_of_two_tables() -> Expected:
    gold, predicted = random(73).choice(["pos", "neg"], (2, 60))
    order = random(74).permutation(60)
    table("gold.csv", "id text label", ((i, f"text {i}", gold[i]) for i in range(60)))
    table("model.csv", "id predicted score", ((i, predicted[i], 0.5 + i / 200) for i in order))
    return "model.csv gold.csv", {"score": only(gold == predicted)}


def labels_by_line() -> Expected:
    gold, predicted = random(75).choice(["pos", "neg"], (2, 60))
    Path("model.labels").write_text("\n".join(predicted) + "\n")
    Path("true.labels").write_text("\n".join(gold) + "\n")
    return "model.labels true.labels", {"score": {"model.labels": (gold == predicted).mean()}}


def trials_without_a_run_file() -> Expected:
    """Trials in a file each, some without a result, and none of them with other keys."""
    resolved = [None if i % 10 == 7 else bool(x) for i, x in enumerate(random(76).integers(0, 2, 40))]
    for i, result in enumerate(resolved):
        path = Path(f"run/task-{i}/task-{i}.1-of-1/results.json")
        path.parent.mkdir(parents=True)
        trial = {"id": f"{i:08x}", "trial_name": f"task-{i}.1-of-1", "task_id": f"task-{i}", "is_resolved": result}
        trial |= {"failure_mode": "unknown_agent_error" if result is None else "unset", "parser_results": None}
        path.write_text(json.dumps(trial))
    ends = [sum(errored if result is None else result for result in resolved) / 40 for errored in (0, 1)]
    return "run", {"score agents": {"run": ends}, "score": {"run": ends[0]}}


def labels_with_scores() -> Expected:
    rng = random(22)
    labels = rng.choice(["toxic", "non-toxic"], (3, 60)).astype(object)
    labels[0, :20] = "borderline"
    rows = ((i, "en", *labels[:2, i], rng.uniform(), labels[2, i], rng.uniform()) for i in range(60))
    heading = "pair_id language expected_label bert_label bert_score detox_label detox_score"
    table("scored.csv", heading, rows)
    accuracy = [(predicted == labels[0]).mean() for predicted in labels[1:]]
    of_models = {"bert_label": accuracy[0], "detox_label": accuracy[1]}
    return "scored.csv", {"score": of_models, "significance": [accuracy[1] - accuracy[0]]}


def arms() -> Expected:
    rng = random(23)
    rows = [(f"q{i}", arm, *rng.choice(["art", "law", "tea"], 2), i) for i in range(50) for arm in ("regex", "student")]
    table("arms.csv", "id arm pred gold latency_ms", rows)
    return "arms.csv", {"score": means((arm, predicted == gold) for _, arm, predicted, gold, _ in rows)}


def tasks_and_trials() -> Expected:
    rng = random(24)
    rows = [
        (f"run {model} {task} {trial}", model, f"{task}-task", trial, rng.uniform() < 0.6, rng.integers(9, 900))
        for model in ("m1", "m2")
        for task in range(12)
        for trial in range(4)
    ]
    table("trials.csv", "runId model task trial solved tokens_length", rows)
    return "trials.csv", {"score": means((model, solved) for _, model, _, _, solved, _ in rows)}


def hits_and_lengths() -> Expected:
    hits = random(25).choice(["YES", "NO"], 60)
    table("hits.csv", "question topic question_length hit", ((f"q {i}?", i % 2, i // 3, hits[i]) for i in range(60)))
    return "hits.csv", {"score": only(hits == "YES")}


def spam() -> Expected:
    rng = random(26)
    labels, predicted = rng.choice(["spam", "ham"], (2, 80))
    rows = ((i, label, guess) for i, (label, guess) in enumerate(zip(labels, predicted, strict=True)))
    table("spam.csv", "message_id label predicted_label", rows)
    return "spam.csv", {"score": only(labels == predicted)}


def battles() -> Expected:
    rng = random(9)
    rows = [(i // 2, *rng.permutation(["small", "large"]), rng.choice(["left", "right", "tie"])) for i in range(80)]
    table("battles.csv", "prompt_id modelA modelB winner", rows)
    points = {"left": (1.0, 0.0), "right": (0.0, 1.0), "tie": (0.5, 0.5)}
    won = [(model, points[outcome][side]) for _, *pair, outcome in rows for side, model in enumerate(pair)]
    return "battles.csv", {"score battles": means(won)}


def battles_of_raters() -> Expected:
    rng = random(27)
    pairs = itertools.permutations(["m1", "m2", "m3"], 2)
    rows = [(81 + i, *pair, 1, *rng.choice(["model_1", "model_2", "tie"], 3)) for pair in pairs for i in range(10)]
    table("votes.csv", "question_id model_1 model_2 turn winner1 winner2 winner3", rows)
    points = {"model_1": (1.0, 0.0), "model_2": (0.0, 1.0), "tie": (0.5, 0.5)}
    won = [
        (model, points[vote][side])
        for _, a, b, _, *votes in rows
        for vote in votes
        for side, model in enumerate((a, b))
    ]
    return "votes.csv", {"score battles": means(won)}


def nominal_alpha(units: Iterable[Sequence[str]]) -> float:
    """Krippendorff's alpha of two raters or more without gaps, by its definition."""
    units = list(units)
    flat = [value for unit in units for value in unit]
    observed = sum(sum(a != b for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in units) / len(
        flat
    )
    chance = sum(a != b for a, b in itertools.permutations(flat, 2)) / (len(flat) * (len(flat) - 1))
    return float(1 - observed / chance)


def judges_in_rows() -> Expected:
    rng = random(28)
    units = {
        (f"case-{i}", style): rng.choice(["plain", "tie", "variant"], 3, p=[0.2, 0.2, 0.6]).tolist()
        for i in range(12)
        for style in ("headers", "emoji")
    }
    judges = ("judge-small", "judge-large", "other")
    rows = [(*key, judge, winner) for key, unit in units.items() for judge, winner in zip(judges, unit, strict=True)]
    table("verdicts.csv", "id rendering judge winner", rows)
    return "verdicts.csv", {"judge agreement": nominal_alpha(units.values())}


def judges_with_right_answers() -> Expected:
    """The right answer is the same for all judges: it is not what they say."""
    rng = random(49)
    truth, verdicts = rng.choice(["A", "B"], 50), rng.choice(["A", "B"], (50, 3))
    judges = ("gemma", "mistral", "qwen")
    rows = [
        (f"item {i}", judge, "law", truth[i], verdict, verdict == truth[i])
        for i in range(50)
        for judge, verdict in zip(judges, verdicts[i], strict=True)
    ]
    table("panel.csv", "item_id judge_id source ground_truth_label parsed_verdict correct", rows)
    return "panel.csv", {
        "judge agreement": nominal_alpha(verdicts.tolist()),
        "score": means((judge, float(right)) for _, judge, *_, right in rows),
    }


def judges_in_columns() -> Expected:
    units = random(29).choice(["pass", "fail"], (40, 2))
    rows = ((f"case {i // 2}", f"m{i % 2}", *units[i]) for i in range(40))
    table("judges.csv", "item model judge1_primary judge2_secondary", rows)
    return "judges.csv", {"judge agreement": nominal_alpha(units.tolist())}


def judges_in_objects() -> Expected:
    judges, units = ("gpt", "grok", "o"), random(30).choice(["yes", "no", "unclear"], (36, 3)).tolist()
    rows = [
        {"model": f"m{i % 2}", "prompt_id": f"q{i // 4}", "sample_idx": i // 2 % 2}
        | {judge: {"verdict": {"found": value}, "error": None} for judge, value in zip(judges, unit, strict=True)}
        for i, unit in enumerate(units)
    ]
    Path("objects.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return "objects.jsonl", {"judge agreement": nominal_alpha(units)}


def metrics_and_difficulty() -> Expected:
    chrf = random(31).uniform(20, 80, 60)
    table("rows.csv", "difficulty_score chrf id", ((0.5 + i / 200, x, f"seg {i}") for i, x in enumerate(chrf)))
    return "rows.csv", {"score": only(chrf)}


def all_verified() -> Expected:
    table("proofs.csv", "problem_id model verified", ((f"p{i // 2}", f"m{i % 2}", "true") for i in range(40)))
    return "proofs.csv", {"score": {"m0": 1.0, "m1": 1.0}}


def words_of_graders() -> Expected:
    rng = random(32)
    grades = rng.choice(["correct", "confident_fabrication", "hedged_wrong"], (2, 50))
    rows = ((f"q{i}", f"m{m}", "law", grades[m, i], i) for m in range(2) for i in range(50))
    table("graded.csv", "question_id model_name domain category output_tokens", rows)
    return "graded.csv", {"score": {f"m{m}": (grades[m] == "correct").mean() for m in range(2)}}


def answers_of_many_models() -> Expected:
    right = random(33).uniform(size=(70, 8)) < 0.6
    rows = (
        (f"model-{m}", f"p{i}", "C" if i % 2 else "A", "T" if right[m, i] else "F", "original")
        for m in range(70)
        for i in range(8)
    )
    table("many.csv", "model_slug puzzle_id correct_position correct variant", rows)
    scores = {f"model-{m}": right[m].mean() for m in range(70)}
    return "many.csv", {"score": scores, "score items": {f"p{i}": right[:, i].mean() for i in range(8)}}


def overall_grades() -> Expected:
    passed = random(34).integers(0, 2, (3, 60)).astype(bool)
    rows = ((i, "2d", *passed[:, i], passed[:, i].mean()) for i in range(60))
    table("overall.csv", "diagram_id subcategory extraction_success labels_passed overall_pass overall_score", rows)
    return "overall.csv", {"score": only(passed[2])}


def crowd_battles() -> Expected:
    rng = random(35)
    pairs = [pair for pair in itertools.permutations(["sys0", "sys1", "sys2"], 2) for _ in range(12)]
    rows = [(f"worker_{i % 7}", f"text {a} {i} " * 9, a, f"text {b} {i} " * 9, b) for i, (a, b) in enumerate(pairs)]
    best = rng.choice(["A", "B"], len(rows))
    heading = "WorkerId Input.sum1 Input.system1 Input.sum2 Input.system2 Answer.best_coh"
    table("crowd.csv", heading, ((*row, answer) for row, answer in zip(rows, best, strict=True)))
    won = [
        (pair[side], float(answer == "AB"[side])) for pair, answer in zip(pairs, best, strict=True) for side in (0, 1)
    ]
    return "crowd.csv", {"score battles": means(won)}


def modes_and_samples() -> Expected:
    solved = random(36).uniform(size=(2, 15, 3)) < 0.7
    rows = [
        (f"p{i}", mode, sample, solved[m, i, sample], "base")
        for m, mode in enumerate(("q", "qython"))
        for i in range(15)
        for sample in range(3)
    ]
    table("modes.csv", "problem mode sample solution_successful prompt", rows)
    return "modes.csv", {"score": {"q": solved[0].mean(), "qython": solved[1].mean()}}


def answers_of_the_model() -> Expected:
    gold, predicted = random(37).integers(0, 2, (2, 60)).astype(bool)
    confidence = random(38).uniform(size=60)
    table(
        "said.csv",
        "id gold_answerable model_is_answerable seen_share",
        zip(range(60), gold, predicted, confidence, strict=True),
    )
    return "said.csv", {"score": only(gold == predicted)}


def labels_without_gold() -> Expected:
    units = noisy(random(39), ["pos", "neg", "neu"], (3, 45)).T
    table("systems.csv", "text bert gpt-4o llama_3", ((f"a sentence, number {i}", *units[i]) for i in range(45)))
    return "systems.csv", {"judge agreement": nominal_alpha(units.tolist())}


def mt_bench() -> Expected:
    grades = random(10).integers(1, 11, (2, 40, 2))
    rows: list[dict[str, Any]] = [
        {
            "question_id": 81 + i,
            "model": f"m{m}",
            "judge": ["gpt", "single"],
            "score": int(grades[m, i, t]),
            "turn": t + 1,
        }
        for m in range(2)
        for i in range(40)
        for t in range(2)
    ]
    Path("single.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return "single.jsonl", {"score": means((row["model"], row["score"]) for row in rows)}


def folder_of_objects() -> Expected:
    rng = random(11)
    rows: list[dict[str, Any]] = [
        {
            "instance_id": f"i{i}",
            "success": bool(rng.uniform() < 0.4),
            "steps": int(rng.integers(3, 99)),
            "trace": ["a"],
        }
        for i in range(50)
    ]
    for row in rows:
        Path(f"objects/run/{row['instance_id']}.json").parent.mkdir(parents=True, exist_ok=True)
        Path(f"objects/run/{row['instance_id']}.json").write_text(json.dumps(row, indent=1))
    return "objects", {"score": only(row["success"] for row in rows)}


def objects_by_key() -> Expected:
    scores = random(15).uniform(size=40).round(3)
    document = {f"doc {i}": {"rouge_l": score, "text": "…"} for i, score in enumerate(scores)}
    Path("by_key.json").write_text(json.dumps(document))
    return "by_key.json", {"score": only(scores)}


def object_around_rows() -> Expected:
    gold, predicted = random(16).choice(["yes", "no"], (2, 80))
    rows = [{"text": "…", "true_label": a, "predicted_label": b} for a, b in zip(gold, predicted, strict=True)]
    Path("around.json").write_text(json.dumps({"metadata": {"system": "m"}, "predictions": rows}))
    return "around.json", {"score": only(gold == predicted)}


def numbers_and_none() -> Expected:
    scores = random(17).uniform(-5, 0, 90).round(2)
    rows = [(f"s{i}", "None" if i % 3 == 0 else score) for i, score in enumerate(scores)]
    table("none.csv", "item score", rows)
    return "none.csv", {"score": only(score for _, score in rows if score != "None")}


def workers_and_words() -> Expected:
    rng = random(18)
    rows = [
        (f"{9000 + i}", system, rng.choice(["yes", "no", "NULL"], p=[0.4, 0.5, 0.1]), f"wid_{worker}")
        for i in range(30)
        for system in ("m1", "m2")
        for worker in range(3)
    ]
    table("workers.csv", "bbcid system is_factual worker_id", rows)
    answered = [(system, float(answer == "yes")) for _, system, answer, _ in rows if answer != "NULL"]
    return "workers.csv", {"score": means(answered)}


def model_and_item_in_one() -> Expected:
    faithful = random(19).uniform(size=70).round(3)
    table("one_id.csv", "system_bbcid R1 Faithful", ((f"m_{i}", 0.1 + i / 100, x) for i, x in enumerate(faithful)))
    return "one_id.csv", {"score": only(faithful)}


def lines_named_json() -> Expected:
    right = random(20).integers(0, 2, 60)
    Path("lines.json").write_text("\n".join(json.dumps({"id": i, "correct": int(x)}) for i, x in enumerate(right)))
    return "lines.json", {"score": only(right)}


def lists_of_grades() -> Expected:
    grades = random(21).integers(1, 6, (40, 3))
    rows = [{"idx": i // 2, "prompt": "a long text " * 9, "gpt4_score": row.tolist()} for i, row in enumerate(grades)]
    Path("lists.json").write_text(json.dumps(rows))
    return "lists.json", {"score": only(grades.ravel())}


# Logs.


def tau2() -> Expected:
    rewards = random(12).integers(0, 2, (20, 4)).astype(float)
    simulations = [
        {"id": f"{i}-{t}", "task_id": str(i), "trial": t, "reward_info": {"reward": rewards[i, t]}, "messages": [{}]}
        for i in range(20)
        for t in range(4)
    ]
    info = {"agent_info": {"llm": "org/m"}, "user_info": {}, "environment_info": {"domain_name": "shop"}}
    document = {"timestamp": "now", "info": info, "tasks": [{"id": "0"}], "simulations": simulations}
    Path("tau2.json").write_text(json.dumps(document))
    return "tau2.json", {"score": {"org/m": rewards.mean()}}


def harbor() -> Expected:
    rng = random(13)
    outcomes = {(f"task-{i}", t): float(rng.integers(2)) for i in range(12) for t in range(3)}
    for (task, trial), reward in outcomes.items():
        place = Path(f"jobs/one/{task}__{trial}")
        place.mkdir(parents=True)
        agent = {"name": "terminus", "version": "2", "model_info": {"name": "m", "provider": "org"}}
        result = {"id": "…", "task_name": task, "trial_name": place.name, "agent_info": agent, "exception_info": None}
        (place / "result.json").write_text(json.dumps(result | {"verifier_result": {"rewards": {"reward": reward}}}))
        (place / "config.json").write_text("{}")
    summary = {"id": "…", "n_total_trials": len(outcomes), "stats": {"n_trials": len(outcomes)}}
    Path("jobs/one/result.json").write_text(json.dumps(summary))
    return "jobs", {"score": {"terminus/m": sum(outcomes.values()) / len(outcomes)}}


def terminal_bench() -> Expected:
    """Of two agents; each trial is in a file of its own and in that of its run."""
    rng, outcomes = random(47), dict[str, list[bool | None]]()
    for agent in ("alpha", "beta"):
        run, trials = Path(f"jobs/{agent}/run-1"), list[dict[str, Any]]()
        for i in range(60):
            resolved = None if i % 20 == 7 else bool(rng.integers(2))
            trial = {"trial_name": f"task-{i % 20}.{i // 20}", "task_id": f"task-{i % 20}", "is_resolved": resolved}
            trials.append(trial | {"failure_mode": "parse_error" if resolved is None else "unset"})
            path = run / f"task-{i % 20}" / f"task-{i % 20}.{i // 20}" / "results.json"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(trials[-1], indent=4))
        (run / "results.json").write_text(json.dumps({"results": trials, "accuracy": 0.5}, indent=4))
        (run / "run_metadata.json").write_text(json.dumps({"agent_name": agent, "model_name": "m"}))
        outcomes[f"{agent}/m"] = [trial["is_resolved"] for trial in trials]
    ends = {
        agent: [sum(if_errored if r is None else r for r in each) / 60 for if_errored in (0, 1)]
        for agent, each in outcomes.items()
    }
    scored = means((agent, float(r)) for agent, each in outcomes.items() for r in each if r is not None)
    difference = scored["beta/m"] - scored["alpha/m"]
    failed = {agent: lowest for agent, (lowest, _) in ends.items()}
    return "jobs", {"score agents": ends, "score": failed, "significance": [difference]}


def objects_without_numbers() -> Expected:
    """Some objects lack the number that others have."""
    right = random(48).integers(0, 2, 30)
    Path("trials").mkdir()
    for i in range(30):
        trial = {"case_id": f"c{i}", "passed": None if i % 10 == 3 else bool(right[i]), "note": "…"}
        Path(f"trials/{i}.json").write_text(json.dumps(trial))
    return "trials", {"score": only(right[i] for i in range(30) if i % 10 != 3)}


def swe_bench() -> Expected:
    shares: Means = {}
    Path("reports").mkdir()
    for seed, model in enumerate(("agent-1.5", "agent-2")):
        ids = [f"org__lib-{i}" for i in range(50)]
        resolved = [name for name in ids if random(seed).uniform(size=50)[ids.index(name)] < 0.4]
        others = [name for name in ids if name not in resolved]
        lists = {"submitted_ids": ids, "resolved_ids": resolved, "unresolved_ids": others[3:], "error_ids": others[:3]}
        report = {"total_instances": 50, "resolved_instances": len(resolved), **lists, "schema_version": 2}
        Path(f"reports/{model}.json").write_text(json.dumps(report, indent=4))
        shares[model] = len(resolved) / 50
    agents = {model: [share, share + 3 / 50] for model, share in shares.items()}  # errored trials failed, and passed
    difference = abs(shares["agent-2"] - shares["agent-1.5"])
    return "reports", {"score agents": agents, "score": shares, "significance": [difference]}


def bfcl() -> Expected:
    lines: list[dict[str, Any]] = [{"accuracy": 0.85, "correct_count": 34, "total_count": 40}]
    lines += [{"id": f"multiple_{i}", "model_name": "m-FC", "valid": False, "error": ["…"]} for i in range(6)]
    path = Path("score/m-FC/BFCL_v3_multiple_score.json")
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(map(json.dumps, lines)))
    return "score", {"score": {"m-FC": 34 / 40}}


def openai_evals() -> Expected:
    right = random(14).integers(0, 2, 30)
    events: list[dict[str, Any]] = [{"spec": {"completion_fns": ["m"], "eval_name": "own.dev.v0", "base_eval": "own"}}]
    for i, correct in enumerate(right):
        event = {"run_id": "r", "event_id": i, "sample_id": f"own.dev.{i}"}
        events.append(event | {"type": "sampling", "data": {"prompt": "…", "sampled": ["a"]}})
        events.append(event | {"type": "match", "data": {"correct": bool(correct), "expected": "a", "sampled": "a"}})
    events.append({"final_report": {"accuracy": float(right.mean())}})
    Path("run.jsonl").write_text("\n".join(map(json.dumps, events)))
    return "run.jsonl", {"score": {"m": right.mean()}}


def labels_of_answers() -> Expected:
    rows, shares = [["model_name", "message", "response", "label"]], dict[str, float]()
    for seed, model in enumerate(("t5", "gpt2", "doha")):
        good = random(20 + seed).integers(0, 2, 40)
        shares[model] = float(good.mean())
        names = ["Not fully attributable", "Fully attributable"]
        rows += [[model, f"message {model} {i}", f"answer {model} {i}", names[value]] for i, value in enumerate(good)]
    Path("labels.tsv").write_text("\n".join(map("\t".join, rows)))
    return "labels.tsv", {"score": shares}


def openai_evals_with_metrics() -> Expected:
    f1 = random(15).uniform(size=30).round(3)
    events: list[dict[str, Any]] = [{"spec": {"completion_fns": ["m"], "eval_name": "own.dev.v0", "base_eval": "own"}}]
    for i, score in enumerate(f1):
        events.append({"sample_id": f"own.dev.{i}", "type": "match", "data": {"correct": bool(score > 0.5)}})
        events.append({"sample_id": f"own.dev.{i}", "type": "metrics", "data": {"f1": score}})
    Path("run.jsonl").write_text("\n".join(map(json.dumps, events)))
    return "run.jsonl", {"score": {"m": f1.mean()}}


def fields_by_row() -> Expected:
    """A table with a row per value of a field."""
    table("values.csv", "doc_id field value gold", [(i, f, "a", "ab"[i % 4 == 0]) for i in range(40) for f in "xy"])
    return "values.csv", {"fields": {"x": 0.75, "y": 0.75}}


def fields_in_german() -> Expected:
    """The same with German names of columns."""
    rows = [(i, feld, "a", "0,9", "ab"[i % 4 == 0]) for i in range(40) for feld in "xy"]
    table("werte.csv", "Dokument Feld Wert Konfidenz Wahr", rows, separator=";")
    return "werte.csv", {"fields": {"x": 0.75, "y": 0.75}}


def folders_of_fields() -> Expected:
    """A folder of predicted and one of true JSON objects, named alike."""
    for folder in ("out/predicted", "out/gold"):
        Path(folder).mkdir(parents=True)
        for i in range(8):
            total = 3 if folder == "out/gold" and i < 2 else 2
            Path(folder, f"d{i}.json").write_text(json.dumps({"total": total, "items": [{"price": i}]}))
    return "out", {"fields": {"total": 0.75, "items[].price": 1.0}}


def responses_with_json() -> Expected:
    """Responses of a chat whose content is JSON, next to a file of true values."""
    for i in range(8):
        content = json.dumps({"total": i})
        tokens = {"content": [{"token": character, "logprob": -0.01, "top_logprobs": []} for character in content]}
        choice = {"message": {"role": "assistant", "content": content}, "logprobs": tokens, "finish_reason": "stop"}
        line = {"custom_id": f"d{i}", "response": {"body": {"model": "m", "choices": [choice]}}, "error": None}
        with open("out.jsonl", "a") as out, open("truth.jsonl", "a") as truth:
            print(json.dumps(line), file=out)
            print(json.dumps({"id": f"d{i}", "total": max(i, 2)}), file=truth)
    return "out.jsonl", {"fields": {"total": 0.75}}


def folders_with_empty_lists() -> Expected:
    """Some objects without items, and one list of objects in each."""
    for folder in ("ex/pred", "ex/gold"):
        Path(folder).mkdir(parents=True)
        for i in range(8):
            total = 3 if folder == "ex/gold" and i < 2 else 2
            items = [{"price": i}] if i % 2 else []
            Path(folder, f"d{i}.json").write_text(json.dumps({"total": total, "items": items}))
    return "ex/pred", {"fields": {"total": 0.75, "items[].price": 1.0}}


def refusal_before_json() -> Expected:
    """As responses with JSON; the first is a refusal."""
    responses_with_json()
    lines = Path("out.jsonl").read_text().splitlines()
    refusal = json.loads(lines[0])
    (choice,) = refusal["response"]["body"]["choices"]
    choice |= {"message": {"role": "assistant", "content": "I cannot help."}, "logprobs": None}
    Path("out.jsonl").write_text("\n".join([json.dumps(refusal), *lines[1:]]))
    return "out.jsonl", {"fields": {"total": 0.75}}


def harbor_with_errors() -> Expected:
    """Of two agents; errored trials have no reward, so that runs of items are incomplete."""
    rng, rewards = random(13), defaultdict[str, list[list[float | None]]](list)
    for agent in ("alpha", "beta"):
        for i in range(12):
            trials = [None if rng.uniform() < 0.2 else float(rng.integers(2)) for _ in range(3)]
            rewards[f"{agent}/m"].append(trials)
            for t, reward in enumerate(trials):
                place = Path(f"jobs/{agent}/task-{i}__{t}")
                place.mkdir(parents=True)
                info = {"name": agent, "version": "2", "model_info": {"name": "m", "provider": "org"}}
                error = {"exception_type": "AgentTimeoutError", "exception_message": "…"} if reward is None else None
                verified = None if reward is None else {"rewards": {"reward": reward}}
                named = {"id": "…", "task_name": f"task-{i}", "trial_name": place.name, "agent_info": info}
                result = named | {"exception_info": error, "verifier_result": verified}
                (place / "result.json").write_text(json.dumps(result))
                (place / "config.json").write_text("{}")
    filled = {a: [[[e if r is None else r for r in t] for t in each] for e in (0, 1)] for a, each in rewards.items()}
    ends = {agent: [np.mean(trials) for trials in both] for agent, both in filled.items()}
    return "jobs", {"score agents": ends, "score": {agent: float(lowest) for agent, (lowest, _) in ends.items()}}


def mixed_tasks(tasks_by_model: Mapping[str, Sequence[str]]) -> dict[str, dict[str, list[float]]]:
    """Samples of the Harness, of tasks with different scores."""
    rng, scores = random(61), defaultdict[str, dict[str, list[float]]](dict)
    for model, tasks in tasks_by_model.items():
        for task in tasks:
            metric = "exact_match" if task == "gsm8k" else "acc"
            values = scores[model][task] = rng.integers(0, 2, 30).astype(float).tolist()
            path = Path(f"runs/{model}/samples_{task}_2026-01-01T00-00-00.000000.jsonl")
            path.parent.mkdir(parents=True, exist_ok=True)
            hashes = [dict.fromkeys(("doc_hash", "prompt_hash", "target_hash"), f"{task}{i}") for i in range(30)]
            common = {"doc": {"question": "…"}, "target": "1", "arguments": [["…", "a"]], "resps": [[["-1", "False"]]]}
            rows = [
                common | hashes[i] | {"doc_id": i, "filtered_resps": [["-1", "False"]], metric: value}
                for i, value in enumerate(values)
            ]
            path.write_text("\n".join(map(json.dumps, rows)))
    return scores


def harness_of_mixed_tasks() -> Expected:
    scores = mixed_tasks({"a": ("arc", "gsm8k"), "b": ("arc", "gsm8k")})
    arc = {model: np.mean(tasks["arc"]) for model, tasks in scores.items()}
    return "runs", {"score": arc, "significance": [arc["b"] - arc["a"]]}


def harness_of_a_task_each() -> Expected:
    scores = mixed_tasks({"a": ("arc",), "b": ("gsm8k",)})
    return "runs", {"score": {"a": np.mean(scores["a"]["arc"])}}


def dated_texts_with_probabilities() -> Expected:
    p = random(62).uniform(size=80).round(3)
    rows = [(f"2024-{1 + i % 12:02}-03", f"Message {i} about the weather in the north", p[i]) for i in range(80)]
    table("messages.csv", "date text probability", rows)
    return "messages.csv", {"counts sample": 40}


def probabilities_named_like_labels() -> Expected:
    rng = random(63)
    chances = rng.dirichlet([1, 1, 1], 90).round(3)
    chances[:, 2] = (1 - chances[:, 0] - chances[:, 1]).round(3)
    names = ["neg", "neu", "pos"]
    labels = [names[rng.integers(3)] for _ in range(90)]
    table("classes.csv", "text label neg neu pos", [(f"t{i}", labels[i], *chances[i]) for i in range(90)])
    right = np.mean([names[row.argmax()] == label for row, label in zip(chances, labels, strict=True)])
    return "classes.csv", {"calibration": right, "selective": right}


def decimal_commas() -> Expected:
    rng = random(64)
    p = rng.uniform(size=90).round(4)
    labels = ["ja" if rng.uniform() < chance else "nein" for chance in p]
    rows = [(i, labels[i], str(p[i]).replace(".", ",")) for i in range(90)]
    table("excel.csv", "id label prob", rows, separator=";")
    likelier = np.mean([(chance > 0.5) == (label == "ja") for chance, label in zip(p, labels, strict=True)])
    return "excel.csv", {"calibration": labels.count("ja") / 90, "selective": likelier}


def repeated_rows() -> Expected:
    right = random(65).integers(0, 2, 40)
    table("twice.csv", "id question correct", [(i, f"question {i}", right[i]) for i in range(40)] * 2)
    return "twice.csv", {"score": {None: right.mean()}}


def verdicts_of_one_judge() -> Expected:
    verdicts = random(77).choice(["pass", "fail"], 60)
    table("verdicts.csv", "case_id rubric judge_decision", ((f"c{i}", "tone", verdicts[i]) for i in range(60)))
    return "verdicts.csv", {"score": only(verdicts == "pass")}


def grades_and_status() -> Expected:
    """`success` says whether there was an error, and `expected_score` is no score of an answer."""
    grades = random(78).integers(1, 6, 60)
    rows = [(i, grades[i], i % 9 != 4, "timeout" if i % 9 == 4 else "", 3 + i % 3) for i in range(60)]
    table("graded.csv", "qa_id accuracy success error expected_score", rows)
    return "graded.csv", {"score": only(grades)}


def answers_called_model_answer() -> Expected:
    right, answer = random(79).choice(["A", "B", "C"], (2, 90))
    rows = [(f"question {i}", answer[i], right[i], answer[i] == right[i]) for i in range(90)]
    table("exam.csv", "question model_answer correct_answer is_correct", rows)
    return "exam.csv", {"score": only(answer == right)}


def policies_as_models() -> Expected:
    rewards = random(80).normal(size=(40, 2)).round(2)
    rows = [(f"c{i}", name, rewards[i, at]) for i in range(40) for at, name in enumerate(("top5", "top10"))]
    table("policies.csv", "case_id policy reward", rows)
    return "policies.csv", {"score": dict(zip(("top5", "top10"), rewards.mean(axis=0), strict=True))}


def groups_of_one_label() -> Expected:
    """The category of an answer says what its label is: it parts no rows."""
    p, labels = random(81).uniform(size=90).round(3), random(82).integers(0, 2, 90)
    categories = ["right" if label else "wrong" for label in labels]
    table("categories.csv", "id answer_category gold p_right", zip(range(90), categories, labels, p, strict=True))
    likelier = np.mean((p > 0.5) == labels)
    return "categories.csv", {"calibration": labels.mean(), "selective": likelier}


def codes_of_two_coders() -> Expected:
    codes = noisy(random(83), range(5), (2, 60)).T
    table("codes.csv", "index C1 C2", ((i, *codes[i]) for i in range(60)))
    return "codes.csv", {"judge agreement": nominal_alpha(codes.astype(str).tolist())}


def lists_inside_a_document() -> Expected:
    """The rows are in a list inside objects; a number around them is no score of theirs."""
    right = random(84).integers(0, 2, (2, 50)).astype(bool)
    runs = [{"accuracy": 0.5, "rows": [{"question_id": i, "correct": bool(x)} for i, x in enumerate(r)]} for r in right]
    document = {"model": "m", "accuracy": 0.5, "config": {"k": 1}, "results": dict(zip(("a", "b"), runs, strict=True))}
    Path("run.json").write_text(json.dumps(document))
    return "run.json", {"score": only(right[0])}


def crowd_workers() -> Expected:
    """Of whom each labels a few comments; what is known of a worker is not a grade."""
    rng = random(111)
    rows = [
        (f"w{worker}", item, rng.choice([1, -1], p=[0.2, 0.8] if item % 2 else [0.8, 0.2]), ("F", "M")[worker % 2])
        for worker in range(100)
        for item in rng.choice(20, 4, replace=False)
    ]
    table("crowd.csv", "workerId comment answer gender", rows)
    units = [[str(row[2]) for row in rows if row[1] == item] for item in range(20)]
    return "crowd.csv", {"judge agreement": nominal_alpha(units)}


def labels_named_like_the_gold_label() -> Expected:
    """The name of the label is a part of the other names, and some answers are "?"."""
    labels = noisy(random(112), ["0", "1"], (4, 80)).astype(object)
    labels[3, ::20] = "?"
    heading = "text label falcon_7b_label zephyr_label openchat_label"
    table("babe.csv", heading, ((f"sentence {i}", *labels[:, i]) for i in range(80)))
    right = [(labels[at] == labels[0]).mean() for at in (1, 2, 3)]
    of_models = dict(zip(heading.split()[2:], right, strict=True))
    return "babe.csv", {"score": of_models, "significance": [value - right[0] for value in right[1:]]}


def guesses_of_annotators() -> Expected:
    truth, guesses = noisy(random(113), [0, 1], (2, 40))
    rows = [(("ann", "bob")[i % 2], i // 2, truth[i], guesses[i], f"output {i}") for i in range(40)]
    table("guesses.csv", "annotator qid true_label label model_output", rows)
    agreement = nominal_alpha(guesses.astype(str).reshape(20, 2).tolist())
    return "guesses.csv", {"score": means((row[0], row[2] == row[3]) for row in rows), "judge agreement": agreement}


def rates_of_errors() -> Expected:
    rates = random(114).uniform(size=(2, 30)).round(3)
    rows = [(f"An article with the number {i}", model, rates[m, i]) for i in range(30) for m, model in enumerate("bp")]
    table("rates.csv", "article model error_rate", rows)
    return "rates.csv", {"score": means((row[1], row[2]) for row in rows)}


def claims_of_conditions() -> Expected:
    words = ("Supported", "Not-Supported", "Contradicted")
    rows = [(i // 4, f"E{k}", words[(i * (k + 2)) % 3], i % 7 / 7, i % 5 / 5) for i in range(40) for k in range(3)]
    table("claims.csv", "doc_id condition label p_entailment p_contradiction", rows)
    return "claims.csv", {"score": means((row[1], row[2] == "Supported") for row in rows)}


def measures_of_arms() -> Expected:
    shares = random(115).uniform(size=(30, 4)).round(3)
    rows = [(i, shares[i, 0], shares[i, 1], 5 + i % 9, shares[i, 2], shares[i, 3], 6 + i % 8) for i in range(30)]
    table("arms.csv", "doc_id E0_UFR E0_CR E0_n_claims E1_UFR E1_CR E1_n_claims", rows)
    return "arms.csv", {"score": {"E0_UFR": shares[:, 0].mean(), "E1_UFR": shares[:, 2].mean()}}


def judges_of_source_models() -> Expected:
    """Whose names are also in a column named for a model; judged twice."""
    rng = random(116)
    cells = itertools.product(range(15), ("free", "paid"), (1, 2), ("claude", "openai"))
    rows = [
        (f"{i}_{source}", source, run, judge, f"{judge}-4", rng.integers(1, 6), f"r{i}{source}{run}{judge}")
        for i, source, run, judge in cells
    ]
    table("judges.csv", "response_id source_model run_index judge_name model_used clarity request_id", rows)
    units = {
        f"{name} {run}": {row[3]: row[5] for row in rows if (row[0], row[2]) == (name, run)}
        for name, _, run, *_ in rows
    }
    return "judges.csv", {"score": means((row[1], row[5]) for row in rows), "judge agreement": ordinal_alpha(units)}


def one_true_label() -> Expected:
    predicted = [int(i % 25 == 0) for i in range(100)]
    answers = [{"sample_id": f"s{i}", "predicted_label": p, "true_label": 1} for i, p in enumerate(predicted)]
    Path("vulnerable.json").write_text(json.dumps({"config": {"model_name": "m"}, "predictions": answers}))
    return "vulnerable.json", {"score": only(predicted)}


def coded_documents() -> Expected:
    codes = random(117).integers(0, 2, (50, 3)).astype(bool)
    text = "A text of a document, which is longer than a name, with the number"
    table("frames.csv", "ID source text RE HI CO", ((i, "ab"[i % 2], f"{text} {i}", *codes[i]) for i in range(50)))
    shares = codes.mean(axis=0)
    return "frames.csv", {"score": dict(zip(("RE", "HI", "CO"), shares, strict=True))}


def tasks_of_models() -> Expected:
    grades = random(118).uniform(1, 10, (20, 9)).round(1)
    tasks = " ".join(f"cat0{k}_task" for k in range(9))
    table("matrix.csv", f"model {tasks}", ((f"model-{m}", *grades[m]) for m in range(20)))
    return "matrix.csv", {"score": {f"model-{m}": grades[m].mean() for m in range(20)}}


def outcomes_by_value() -> Expected:
    right = random(119).uniform(size=60) < 0.8
    table("verdicts.csv", "qid majority", ((f"q{i}", "CORRECT" if right[i] else "INCORRECT") for i in range(60)))
    return "verdicts.csv", {"score": only(right)}


def winners_of_turns() -> Expected:
    winners = random(120).choice(["A", "B", "TIE"], (30, 2), p=[0.6, 0.2, 0.2]).tolist()
    rows = [
        {"id": i, "category": "xyz"[i % 3], "turns": [{"turn": k, "winner": turn} for k, turn in enumerate(pair, 1)]}
        for i, pair in enumerate(winners)
    ]
    Path("turns.json").write_text(json.dumps({"judge": {"name": "m"}, "totals": {"A": 1}, "results": rows}))
    return "turns.json", {"score": only(winner == "A" for pair in winners for winner in pair)}


def sets_of_emotions() -> Expected:
    """More than a group has values, where the names say which are those of a model."""
    rng = random(121)
    pairs = [[f"emotion {rng.integers(70)},joy" for _ in range(2)] for _ in range(300)]
    rows = [(i, human, human if i % 5 == 0 else guess) for i, (human, guess) in enumerate(pairs)]
    table("emotions.csv", "id human_label gpt_label", rows)
    return "emotions.csv", {"score": only(row[1] == row[2] for row in rows)}


def two_passes_of_an_annotator() -> Expected:
    passes = noisy(random(122), ["overload", "irrelevant", "wrong"], (2, 40))
    for path, codes in zip(("first.csv", "second.csv"), passes, strict=True):
        rows = ((f"key {i}", ("dense", "sparse")[i % 2], codes[i]) for i in range(40))
        table(path, "annotation_key condition primary_category", rows)
    return "first.csv second.csv", {"score": only(passes[0] == passes[1])}


def refusals_by_condition() -> Expected:
    """A refusal depends on the prompt alone."""
    cells = itertools.product(range(6), ("bare", "explained"), range(5))
    rows = [(f"p{i}", condition, k, i % 3 > 0) for i, condition, k in cells]
    table("refusals.csv", "prompt_id condition sample_index is_refusal", rows)
    return "refusals.csv", {"score": means((row[1], row[3]) for row in rows)}


def grades_of_a_judge_with_a_short_name() -> Expected:
    rng = random(123)
    grades = [(f"d{i}", judge, rng.integers(2, 20) * 5, 60 + i % 30 + 0.5) for i in range(60) for judge in ("ja", "jb")]
    table("merged.csv", "document_id judge clarity human_clarity", grades)
    of_judge, of_people = (np.mean([row[at] for row in grades]) for at in (2, 3))
    return "merged.csv", {"judge": (of_judge, of_people), "score": {None: of_people}}


def models_next_to_a_category() -> Expected:
    marks = random(92).integers(2, size=(60, 3))
    table("wide.csv", "id category gpt claude llama", ((f"q{i}", "ab"[i % 2], *row) for i, row in enumerate(marks)))
    of_models = dict(zip(("gpt", "claude", "llama"), marks.mean(axis=0), strict=True))
    differences = [of_models[name] - of_models["gpt"] for name in ("claude", "llama")]
    return "wide.csv", {"score": of_models, "significance": differences}


def runs_that_ended() -> Expected:
    ends = random(93).choice(["success", "failure", "timeout"], 120)
    rows = [(f"t{i // 6}", "xy"[i % 2], i // 2 % 3, end) for i, end in enumerate(ends)]
    table("ended.csv", "task agent trial status", rows)
    return "ended.csv", {"score": means((agent, end == "success") for _, agent, _, end in rows)}


LAYOUTS: dict[str, Callable[[], Expected]] = {
    "raters in rows": raters,
    "models next to a category": models_next_to_a_category,
    "runs that ended": runs_that_ended,
    "arms of an experiment": arms_of_an_experiment,
    "predicted and actual decisions": predicted_and_actual_decisions,
    "annotations by criterion": annotations_by_criterion,
    "texts that annotators graded": texts_that_annotators_graded,
    "topics in German": topics_in_german,
    "questions with gaps": questions_with_gaps,
    "pipelines on the same questions": pipelines_on_the_same_questions,
    "languages of the same prompts": languages_of_the_same_prompts,
    "judges of packets": judges_of_packets,
    "crowd workers": crowd_workers,
    "labels named like the gold label": labels_named_like_the_gold_label,
    "guesses of annotators": guesses_of_annotators,
    "rates of errors": rates_of_errors,
    "claims of conditions": claims_of_conditions,
    "measures of arms": measures_of_arms,
    "judges of source models": judges_of_source_models,
    "one true label": one_true_label,
    "coded documents": coded_documents,
    "tasks of models": tasks_of_models,
    "outcomes by value": outcomes_by_value,
    "winners of turns": winners_of_turns,
    "sets of emotions": sets_of_emotions,
    "two passes": two_passes_of_an_annotator,
    "refusals by condition": refusals_by_condition,
    "a judge with a short name": grades_of_a_judge_with_a_short_name,
    "labels of several ways": labels_of_several_ways,
    "coders next to groups": coders_next_to_groups,
    "some labels of two models": some_labels_of_two_models,
    "labels with gaps spelled as text": labels_with_gaps_spelled_as_text,
    "predictions and true values": predictions_and_true_values_in_two_tables,
    "raters in columns": raters_in_columns,
    "judge and people": judge_and_people,
    "judge and some people": judge_and_some_people,
    "judge and a person": judge_and_person,
    "Langfuse scores": langfuse_scores,
    "MLflow assessments": mlflow_assessments,
    "grades of any table": grades_of_any_table,
    "attempts without a reward": attempts_without_reward,
    "trials with errors": trials_with_errors,
    "some labels by hand": some_labels_by_hand,
    "ragas": ragas,
    "WMT, separated by blanks": wmt,
    "epochs": epochs,
    "labels of several models": wide_labels,
    "marks of several models": wide_marks,
    "grades of generators": grades_of_generators,
    "sides of pairs": sides_of_pairs,
    "truth values in two spellings": truth_values_in_two_spellings,
    "expected verdicts": expected_verdicts,
    "raters of any name": raters_of_any_name,
    "models in objects": models_in_objects,
    "dated headlines with scores": dated_headlines_with_scores,
    "numbered classes": numbered_classes,
    "marks in German": wide_marks_in_german,
    "marks in words": wide_marks_in_words,
    "spans in rows": spans_in_rows,
    "Prodigy": prodigy,
    "Label Studio": label_studio,
    "topics by column": topics_by_column,
    "tags of two files": tags_of_two_files,
    "labels of two tables": labels_of_two_tables,
    "labels by line": labels_by_line,
    "trials without a run file": trials_without_a_run_file,
    "verdicts of one judge": verdicts_of_one_judge,
    "grades and status": grades_and_status,
    "answers called model_answer": answers_called_model_answer,
    "policies as models": policies_as_models,
    "groups of one label": groups_of_one_label,
    "codes of two coders": codes_of_two_coders,
    "lists inside a document": lists_inside_a_document,
    "labels and scores of several models": labels_with_scores,
    "arms": arms,
    "tasks and trials": tasks_and_trials,
    "hits and lengths": hits_and_lengths,
    "spam": spam,
    "battles with several raters": battles_of_raters,
    "judges in rows": judges_in_rows,
    "judges with right answers": judges_with_right_answers,
    "judges in columns": judges_in_columns,
    "judges in objects": judges_in_objects,
    "metrics and difficulty": metrics_and_difficulty,
    "all verified": all_verified,
    "words of graders": words_of_graders,
    "answers of many models": answers_of_many_models,
    "overall grades": overall_grades,
    "battles of a crowd": crowd_battles,
    "modes and samples": modes_and_samples,
    "answers of the model": answers_of_the_model,
    "labels without gold": labels_without_gold,
    "battles of left and right": battles,
    "MT-bench": mt_bench,
    "a folder of objects": folder_of_objects,
    "objects by key": objects_by_key,
    "an object around rows": object_around_rows,
    "numbers and None": numbers_and_none,
    "workers and words": workers_and_words,
    "model and item in one": model_and_item_in_one,
    "JSON lines named .json": lines_named_json,
    "lists of grades": lists_of_grades,
    "tau2-bench": tau2,
    "Harbor": harbor,
    "Terminal-Bench": terminal_bench,
    "objects without numbers": objects_without_numbers,
    "SWE-bench": swe_bench,
    "BFCL": bfcl,
    "OpenAI evals": openai_evals,
    "labels of answers": labels_of_answers,
    "OpenAI evals with metrics": openai_evals_with_metrics,
    "fields by row": fields_by_row,
    "fields in German": fields_in_german,
    "folders of fields": folders_of_fields,
    "folders with empty lists": folders_with_empty_lists,
    "responses with JSON": responses_with_json,
    "a refusal, then JSON": refusal_before_json,
    "Harbor with errors": harbor_with_errors,
    "Harness, mixed tasks": harness_of_mixed_tasks,
    "Harness, a task each": harness_of_a_task_each,
    "right answers named correct": right_answers_named_correct,
    "runs of a classifier": runs_of_a_classifier,
    "profiles in runs": profiles_in_runs,
    "human scores in objects of models": human_scores_in_objects_of_models,
    "numbers for truth values": numbers_for_truth_values,
    "classes with numbers": classes_with_numbers,
    "dated texts with probabilities": dated_texts_with_probabilities,
    "probabilities named like labels": probabilities_named_like_labels,
    "decimal commas": decimal_commas,
    "repeated rows": repeated_rows,
}


WITHOUT_JSON = ("counts sample", "events import")


def written(command: str, path: str) -> Any:
    """The number of rows of a sample; the expected documents by actor in a store."""
    if command == "counts sample":
        with open(path, newline="") as file:
            return len(list(csv.reader(file))) - 1
    done = run("events", "series", path, "--period", "year", "--format", "json")
    return {row["actor"]: row["mean"] for row in json.loads(done.out)["rows"]}


def main_number(command: str, printed: Mapping[str, Any]) -> Any:
    """What the first line of a command is about, from its JSON."""
    if command == "judge agreement":
        return printed["agreement"][0]["alpha"]["value"]
    if command == "judge spans":
        return printed["agreement"][0]["f1"]["value"]
    if command == "judge":
        (row,) = printed["models"]
        return row["judge"]["value"], row["people"]["value"]
    if command == "judge validate":
        return {row["label"]: row["rate"]["value"] for row in printed["labels"]}
    if command == "score items":
        return {row["item"]: row["mean"] for row in printed["items"]}
    if command == "counts estimate":
        return {" ".join(row["group"]): row["positives"] for row in printed["groups"]}
    if command == "fields":
        return {row["field"]: row["accuracy"]["value"] for row in printed["fields"]}
    if command == "selective":
        return printed["curves"][0]["accuracy"]["value"]
    if command == "calibration":
        return printed["curves"][0]["base_rate"]
    if command == "significance":
        rows = [row for row in printed["comparisons"] if row["metric"] in ("accuracy", "score", "resolved", "acc")]
        return [row["difference"] for row in rows if row["against"] == rows[0]["against"]]
    if command == "score battles":
        return {row["model"]: row["points"]["value"] for row in printed["models"]}
    if command == "score agents":
        return {row["model"]: [row["lowest"], row["highest"]] for row in printed["agents"]}
    rows = [row for row in printed["scores"] if row["score"] == printed["scores"][0]["score"]]
    name = "group" if printed["recipe"].get("group") == "column" else "model"
    return {row[name]: row["mean"]["value"] for row in rows if row[name] != "overall"}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_proposal_runs_and_has_the_right_number(name: str) -> None:
    path, expected = LAYOUTS[name]()
    overview = howsure.look(path.split())
    proposed = {}
    for line in overview.commands:
        words = shlex.split(line)
        command = " ".join(words[1:3]) if words[2] in STEPS else words[1]
        done = run(*words[1:], *([] if command in WITHOUT_JSON else ["--format", "json"]))
        assert done.code == 0, f"{line}: {done.err}"
        number = written(command, words[-1]) if command in WITHOUT_JSON else main_number(command, json.loads(done.out))
        proposed.setdefault(command, number)
    assert proposed.keys() == expected.keys()
    for command, number in expected.items():
        if command == "score agents":
            assert {model: pytest.approx(ends) for model, ends in number.items()} == proposed[command]
        elif isinstance(number, list) and len(number) == 1:
            assert np.abs(proposed[command]) == pytest.approx(np.abs(number), abs=1e-12)
        else:
            assert proposed[command] == pytest.approx(number, abs=1e-9)
    assert not any(column.kind == "nothing" for column in overview if column.missing < overview.n)


def commands_of(heading: str, rows: Iterable[Sequence[object]]) -> list[str]:
    table("rows.csv", heading, rows)
    return [" ".join(shlex.split(line)) for line in howsure.look("rows.csv").commands]


def test_a_count_selects_one_row_of_each_document() -> None:
    """Of each crossed column; if documents repeat for another reason, no count is proposed."""
    cells = [(at, *arm) for at in range(60) for arm in itertools.product("AB", "xy")]
    rows = [(*cell, 0.25 + (cell[0] % 3) / 4, ("yes", "no", "")[min(cell[0] // 10, 2)]) for cell in cells]
    (count,) = (line for line in commands_of("id model condition prob label", rows) if "counts" in line)
    assert count.endswith("--where model = 'A' AND condition = 'x'")
    assert not any("counts" in line for line in commands_of("id model colour prob label", rows))


@pytest.mark.parametrize(
    ("heading", "values", "command"),
    [
        ("worker_id sentence_id rating", range(100), "judge agreement rows.csv --rater worker_id --id sentence_id"),
        ("text predict_label prob", ("a", "b"), None),  # which is no right answer
        ("model_id sample_index valence", (0.25, 0.5, 0.625), "score rows.csv --score valence --model model_id"),
        ("layer precision recall", (0.25, 0.5, 0.625), None),  # a summary
        ("setting mean_error std_error", (0.25, 0.5, 0.625), None),
    ],
)
def test_the_first_command_fits_the_values(heading: str, values: Sequence[object], command: str | None) -> None:
    rows = [(f"w{at % 4}", at // 4, values[(at * 7 + at // 4 * 3) % len(values)]) for at in range(400)]
    commands = commands_of(heading, rows)
    assert not commands if command is None else commands[0].startswith(f"howsure {command}")


@pytest.mark.parametrize(
    ("heading", "values"),
    [
        ("id pronoun A-coref B-coref", ("TRUE", "FALSE")),
        ("id pronoun hot windy", ("true", "false")),
        ("id topic has_code is_long", ("1", "0")),
        ("Nr Datum Gewalt Wahljahr", ("ja", "nein")),
    ],
)
def test_features_are_neither_raters_nor_scores(heading: str, values: Sequence[str]) -> None:
    rows = [(at, ("he", "she", "her")[at % 3], values[at % 2], values[at // 2 % 2]) for at in range(40)]
    assert commands_of(heading, rows) == []
    correlated = [(*row[:3], row[2] if row[0] % 8 else row[3]) for row in rows]
    assert not any("agreement" in line for line in commands_of(heading, correlated))


def test_the_longest_texts_are_the_documents() -> None:
    text = "An article that is much longer than its headline, and whose column may have any name, number"
    rows = [(at, f"2026-01-{1 + at:02}", f"{text[:70]} {at}", f"{text} {text} {at}") for at in range(28)]
    for heading in ("id Datum Titel Inhalt", "id date text artikel"):
        (command,) = commands_of(heading, rows)
        assert f"--text {heading.split()[3]} --date" in command


def test_files_of_models_are_calibrated_one_by_one() -> None:
    rng = random(130)
    for name in ("a", "b"):
        rows = [(at, "xy"[at % 2], rng.choice(["true", "false"]), rng.uniform()) for at in range(60)]
        table(f"{name}.csv", "qid topic correct confidence", rows)
    lines = howsure.look(["a.csv", "b.csv"]).commands
    assert all("--by-file --group file,topic" in line for line in lines if "howsure score" not in line)
    assert len(lines) > 1


@pytest.mark.parametrize("names", ["quality predicted_quality", "alignment prediction"])
def test_labels_of_any_name_are_predicted(names: str) -> None:
    rows = [(at, ("good", "bad")[at % 2], ("good", "bad")[at // 2 % 2]) for at in range(40)]
    target, prediction = names.split()
    (command,) = commands_of(f"id {names}", rows)
    assert command.endswith(f"--target {target} --prediction {prediction} --id id")


def test_the_probability_of_a_label_is_not_a_score_and_a_profile_is_not_a_model() -> None:
    rows = [(at, at % 7 / 7, ("safe", "unsafe")[at % 2]) for at in range(40)]
    assert not any("score" in line for line in commands_of("id safe label", rows))
    people = [(("old", "young")[at % 2], at, "ab"[at % 3 % 2], "ab"[at % 2]) for at in range(40)]
    (score, *_) = commands_of("profile id prediction gold", people)
    assert "--target gold --prediction prediction" in score
    assert "--model" not in score


def test_words_of_a_text_may_be_spelled_in_several_ways() -> None:
    words = ("he", "He", "she", "She", "his", "her", "him")
    for name, noted in (("pronoun", False), ("label", True)):
        table("rows.csv", f"id {name}", [(at, words[at % 7]) for at in range(70)])
        assert any("Spell them" in note for note in howsure.look("rows.csv").notes) == noted


def test_pivots_keep_models_annotators_and_criteria_apart() -> None:
    sides = ("judge", "human")
    rows = [(k, m, rater, k % 5) for k in range(40) for m in ("a", "b") for rater in sides]
    table("models.csv", "id model rater grade", rows)
    assert "--pivot id,model,rater,grade --score judge --target human" in howsure.look("models.csv").commands[0]
    whose = {"gpt": "judge", "claude": "judge", "ann": "human"}
    rows = [(k, who, rater, k % 2) for k in range(40) for who, rater in whose.items()]
    table("judges.csv", "item annotator rater grade", rows)
    assert "--pivot item,annotator,grade --score gpt --target ann" in howsure.look("judges.csv").commands[0]
    rows = [(k, "it's good", rater, k % 2) for k in range(40) for rater in sides]
    table("criteria.csv", "item criterion rater grade", [*rows, *((k, "short", "judge", 1) for k in range(9))])
    words = shlex.split(howsure.look("criteria.csv").commands[0])
    assert words[words.index("--where") + 1] == "criterion = 'it''s good'"


def test_features_and_chats_are_not_what_they_resemble() -> None:
    hot = random(85).integers(0, 2, (60, 12))
    table("features.csv", f"id {' '.join(f'v_{k}' for k in range(12))}", ((i, *hot[i]) for i in range(60)))
    assert howsure.look("features.csv").commands == ()
    rows = [
        (f"2026-01-{1 + k % 28:02}", "m", f"A long answer, number {k}, of an assistant to a user." * 2)
        for k in range(40)
    ]
    table("chats.csv", "timestamp model assistant_output", rows)
    assert howsure.look("chats.csv").commands == ()


def test_true_labels_of_another_table_join_runs_and_gaps_by_id() -> None:
    answers_of_runs = random(86).choice(["a", "b", ""], (2, 30)).tolist()
    table("true.csv", "id label", ((i, "ab"[i % 2]) for i in range(30)))
    table("runs.csv", "id run label", ((i, at, answers_of_runs[at][i]) for i in range(30) for at in range(2)))
    words = ["score", "runs.csv", "--targets", "true.csv", "--target", "label", "--prediction", "label"]
    done = run(*words, "--id", "id", "--run", "run", "--format", "json")
    right = [answer == "ab"[i % 2] for answers in answers_of_runs for i, answer in enumerate(answers)]
    assert json.loads(done.out)["scores"][0]["mean"]["value"] == pytest.approx(np.mean(right))
    assert "name --id" in run(*words).err
    assert "--model must be the name of one column" in run(*words, "--id", "id", "--model", "a,b").err


def test_raters_with_gaps_are_proposed() -> None:
    table(
        "gaps.csv",
        "item rater_1 rater_2 rater_3",
        [(k, k % 5, "" if k < 9 else f"{k % 5}.0", k % 5) for k in range(60)],
    )
    (command,) = howsure.look("gaps.csv").commands
    assert "--raters rater_1,rater_2,rater_3" in command
    assert "--skip-missing" in command


def test_a_look_names_the_format_of_an_export() -> None:
    rows = [(k, "good", source, "BOOLEAN", k % 2) for k in range(20) for source in ("EVAL", "ANNOTATION")]
    table("scores.csv", "traceId name source dataType value", rows)
    assert howsure.look("scores.csv").what == "a table of CSV"


def test_values_with_a_confidence_are_fields_without_gold() -> None:
    rows = [{"id": f"d{i}", "total": {"value": f"{i} €", "confidence": i / 30}} for i in range(30)]
    Path("stated.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (note,) = howsure.look("stated.jsonl").notes
    assert "howsure fields evaluates each field" in note


def test_rows_without_elements_in_lists_inside_lists_are_counted() -> None:
    rows = [{"id": 1, "b": [{"c": [{"s": 1}, {"s": 0}]}]}, {"id": 2, "b": []}, {"id": 3, "b": [None]}]
    Path("nested.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("score", "nested.jsonl", "--explode", "b.c", "--score", "b.c.s", "--independent-rows")
    assert (
        "2 rows, one for each element of b.c in the 3 rows of the file. Rows without elements: 2, left out." in done.err
    )


def test_probabilities_of_classes_may_be_rounded() -> None:
    """Their sum is 1.01, 1 or 0.99; a note counts the rows that were divided by their sum."""
    rows = [(k, "ABC"[k % 3], *((0.34, 0.34, 0.33), (0.5, 0.25, 0.25), (0.33, 0.33, 0.33))[k % 3]) for k in range(60)]
    (command, *_) = commands_of("id gold p_A p_B p_C", rows)
    assert command.endswith("calibration rows.csv --target gold --probs p_A,p_B,p_C --classes A,B,C")
    assert "the rounded probabilities of 40 rows do not sum to 1" in run(*command.split()[1:]).out


@pytest.mark.parametrize("heading", ["Prozent Score", "Wahrscheinlichkeit"])
def test_a_german_sheet_is_counted(heading: str) -> None:
    """Percentages in a column do not hide the decimal commas of another one; a third label that is rare is left out."""
    labels = ["ja", "nein"] * 15 + ["unklar"] + [""] * 69
    probabilities = [(k % 97 + 1) / 100 + 0.001 for k in range(100)]
    of_heading = [[f"{p:.3f}".replace(".", ",")] for p in probabilities]
    if "Prozent" in heading:
        of_heading = [[f"{100 * p:.1f} %".replace(".", ","), *of_heading[k]] for k, p in enumerate(probabilities)]
    rows = [(k, f"{1 + k % 28:02}.0{3 + k // 50}.2002", "FI"[k % 2], *of_heading[k], labels[k]) for k in range(100)]
    table("rows.csv", f"Nr Datum Land {heading} kodiert", rows, separator=";")
    command = howsure.look("rows.csv").commands[0]
    assert f"--prob {heading.split()[-1]} --target kodiert --positive ja" in command
    assert command.endswith("--date Datum --period month --group Land --missing unklar")
    printed = json.loads(run(*shlex.split(command)[1:], "--format", "json").out)
    labelled = {tuple(row["group"]): row["labelled"] for row in printed["groups"] if row["labelled"]}
    assert labelled == {("F", "2002-03"): 15, ("I", "2002-03"): 15}


def test_people_in_objects_of_some_rows_are_compared_with_the_judge() -> None:
    grades = [(k % 5 + 1, (k + (k % 3 == 0)) % 5 + 1) for k in range(120)]
    rows = [
        {"id": k, "out": {"useful": judge}, "human": {"grade": person} if k % 3 == 0 else None}
        for k, (judge, person) in enumerate(grades)
    ]
    Path("nested.jsonl").write_text("\n".join(map(json.dumps, rows)))
    command = howsure.look("nested.jsonl").commands[1]
    assert command.endswith("judge nested.jsonl --score out.useful --target human.grade --id id --bounds 1,5")
    (row,) = json.loads(run(*command.split()[1:], "--format", "json").out)["models"]
    assert row["judge"]["value"] == pytest.approx(sum(judge for judge, _ in grades) / 120)


def test_people_of_any_name_are_compared_with_the_judge() -> None:
    """If their labels, of a part of the rows, agree with those of the judge."""
    verdicts = [("pass", "fail")[k % 3 == 0] for k in range(90)]
    rows = [(k, verdicts[k], *(verdicts[k - (k % 8 == 0)] if k < n else "" for n in (40, 30))) for k in range(90)]
    command = commands_of("trace_id judge_verdict anna ben", rows)[0]
    assert "howsure judge validate rows.csv --score judge_verdict --target anna --positive pass" in command


def test_exact_copies_of_rows_are_named() -> None:
    rows = [(k, k % 2, k % 7 / 7) for k in range(100)]
    table("rows.csv", "id right prob", [*rows, rows[3], rows[7]])
    notes = "".join(howsure.look("rows.csv").notes)
    assert "Exact copies of other rows: 2; row 101 is row 4 again." in notes
    table("rows.csv", "id right prob", rows)
    assert "copies" not in "".join(howsure.look("rows.csv").notes)
    battles = [(k % 20, "xy"[k % 2], "yx"[k % 2], ("a", "b", "tie")[k % 3]) for k in range(59)]
    table("rows.csv", "question_id model_a model_b winner", [*battles, battles[0]])
    assert "copies" not in "".join(howsure.look("rows.csv").notes)


def test_grades_in_a_column_of_each_model_are_compared() -> None:
    rows = [(k, f"q{k}", k % 5 + 1, k // 2 % 5 + 1, "error" if k == 5 else k // 3 % 5 + 1) for k in range(60)]
    (command,) = commands_of("id prompt gpt-4o claude llama", rows)
    score = "--explode gpt-4o,claude,llama --score value --model column --id id --missing error"
    assert score in command
    printed = json.loads(run(*command.split()[1:], "--format", "json").out)
    means_of_models = {row["model"]: row["mean"]["value"] for row in printed["scores"]}
    assert means_of_models["gpt-4o"] == pytest.approx(3.0)


def test_spellings_that_hide_a_judge_are_named() -> None:
    verdicts = noisy(random(119), ("pass", "fail"), (2, 60)).T
    table(
        "judged.csv",
        "case_id judge_verdict human",
        ((i, judge.upper(), who) for i, (judge, who) in enumerate(verdicts)),
    )
    overview = howsure.look("judged.csv")
    (command,) = (note.partition(": ")[2] for note in overview.notes if note.startswith("Once labels are spelled"))
    assert command == "howsure judge validate judged.csv --score judge_verdict --target human --positive pass"
    assert not overview.commands
    table("judged.csv", "case_id judge_verdict human", ((i, *pair) for i, pair in enumerate(verdicts)))
    assert howsure.look("judged.csv").commands[0] == command


def test_files_of_each_kind_in_a_folder_are_proposed() -> None:
    Path("mixed").mkdir()
    for name in ("preds_a", "preds_b", "ratings_a", "ratings_b"):
        table(
            f"mixed/{name}.csv",
            "id gold pred" if "preds" in name else "item rater grade",
            [(i, "x", "y") for i in range(9)],
        )
    assert howsure.look("mixed").commands == ("howsure look 'mixed/preds_*.csv'", "howsure look 'mixed/ratings_*.csv'")


@pytest.mark.parametrize(
    ("heading", "values", "options"),
    [
        ("id model toxic", ("no", "yes"), "--score toxic --positive yes --lower-is-better --model model"),
        ("id model toxicity", (0, 1), "--score toxicity --lower-is-better --model model"),
        ("id model brier", (0.25, 0.5, 0.625), "--score brier --lower-is-better --model model"),
        ("id model grade", ("A", "B", "C", "F"), "--score grade --positive A --model model"),
        ("id model grade", ("3★", "4★", "5★"), "--score grade --positive 5★ --id id --group model"),
        ("id model ok", ("✅", "❌"), "--score ok --positive ✅ --model model"),
        ("id model correct", (" yes", "no "), "--score correct --positive  yes --model model"),
        ("id model relevant", ("yes", "no", "yes", "maybe"), "--score relevant --positive yes --id id --missing maybe"),
    ],
)
def test_no_command_praises_the_worst_model(heading: str, values: Sequence[object], options: str) -> None:
    """Without a known direction, the means of groups are compared, or a note says what counts as better."""
    rows = [(at // 2, "ab"[at % 2], values[(at // 2 + at % 2) % len(values)]) for at in range(80)]
    (command,) = commands_of(heading, rows)
    assert command.startswith(f"howsure score rows.csv {options}")
    commands_of("id model dullness", [(*row[:2], (1 + at * 7 % 9) / 10) for at, row in enumerate(rows)])
    (note,) = howsure.look("rows.csv").notes
    assert note == "dullness: higher values count as better. If lower ones are better, add --lower-is-better."


def test_errors_of_a_model_do_not_drop_it() -> None:
    marks = [("PASS", "FAIL")[at % 3 == 0] for at in range(60)]
    rows = [(f"q{at}", mark, marks[at - 1], {7: "ERROR", 9: "TIMEOUT"}.get(at, mark)) for at, mark in enumerate(marks)]
    command = howsure.look(table("wide.csv", "id gpt_pass claude_pass llama_pass", rows) or "wide.csv").commands[0]
    assert "--explode gpt_pass,claude_pass,llama_pass" in command
    assert "--missing ERROR --missing TIMEOUT" in command
    printed = json.loads(run(*shlex.split(command)[1:], "--format", "json").out)
    assert {row["model"]: row["n"] for row in printed["scores"]} == {
        "gpt_pass": 60,
        "claude_pass": 60,
        "llama_pass": 58,
    }


@pytest.mark.parametrize(("run_name", "options"), [("run", "--id case --run run"), ("", "--cluster case")])
def test_runs_of_an_item_of_any_name_are_not_independent(run_name: str, options: str) -> None:
    cells = itertools.product(range(3), "xy", range(20))
    rows = [(*([repeat] if run_name else []), model, f"c{case}", (repeat + case) % 2) for repeat, model, case in cells]
    (command,) = commands_of(f"{run_name} model case score", rows)
    assert command == f"howsure score rows.csv --score score --model model {options}"
    rows = [(*row, at) for at, row in enumerate(rows)]
    (command,) = commands_of(f"{run_name} model case score latency_ms", [*rows, rows[7]])
    assert ("--cluster case" in command) == bool(run_name)


def test_labels_that_cannot_be_decided_are_left_out() -> None:
    labels = ["1"] * 14 + ["0"] * 66 + ["unclear"] * 16
    (command,) = commands_of("document label", [(at // 2, label) for at, label in enumerate(labels)])
    assert command.endswith("--score label --cluster document --missing unclear --skip-missing")
    (row,) = json.loads(run(*command.split()[1:], "--format", "json").out)["scores"]
    assert row["mean"]["value"] == pytest.approx(14 / 80)


@pytest.mark.parametrize("name", ["clicked", "converted", "fraud"])
def test_outcomes_next_to_a_probability_are_labels(name: str) -> None:
    rows = [(at, (1 + at % 9) / 10, (at * 7) % 10 < at % 9) for at in range(90)]
    assert any(f"--target {name} --prob proba" in line for line in commands_of(f"nr proba {name}", rows))
    unrelated = [(at, (1 + at % 9) / 10, at // 9 % 2 == 0) for at in range(90)]
    assert not any("--target" in line for line in commands_of(f"nr proba {name}", unrelated))


def test_labels_are_not_models() -> None:
    answers = [(at, "ABC"[at % 3], f"Answer: {'ABC'[at % 2]}") for at in range(60)]
    assert commands_of("id gold pred", answers) == []
    battles = [("a", "b", ("a", "b", "tie")[at % 3]) for at in range(60)]
    assert commands_of("m1 m2 win", battles) == ["howsure score battles rows.csv --a m1 --b m2 --winner win"]
    assert commands_of("model accuracy n", [("A", "62%", 240), ("B", "60%", 240), ("C", "58.5%", 240)]) == []


@pytest.mark.parametrize(
    ("date", "options"),
    [
        ("2019-{:02}", "--group Datum"),
        ("20{:02}", "--group Datum"),
        ("{:02}/27/2019", "--date Datum --period month"),
        ("27.{:02}.19", "--date Datum --period month"),
        ("05/{:02}/2019", ""),
    ],
)
def test_dates_are_counted_as_they_are_written(date: str, options: str) -> None:
    rows = [
        (date.format(1 + at % 12), at % 10 / 10 + 0.05, ("yes", "no")[at % 2] if at < 24 else "") for at in range(96)
    ]
    (command, *_) = commands_of("Datum prob label", rows)
    assert command == f"howsure counts estimate rows.csv --prob prob --target label --positive yes {options}".strip()
    done = run(*command.split()[1:])
    assert done.code == 0, done.err


def test_whole_scores_up_to_a_hundred_are_scores() -> None:
    (command,) = commands_of("model question_id score", [("ab"[at % 2], at // 2, at * 37 % 101) for at in range(120)])
    assert command == "howsure score rows.csv --score score --model model --id question_id"


def test_a_second_column_of_tags_is_named() -> None:
    lines = ["John\tB-PER\tB-PER", "Smith\tI-PER\tO", "lives\tO\tO", ""] * 20
    Path("both.tsv").write_text("\n".join(lines))
    assert any("the one before it also contains tags" in note for note in howsure.look("both.tsv").notes)
    Path("one.tsv").write_text("\n".join(lines).replace("\tB-PER\t", "\tNOUN\t").replace("\tI-PER\t", "\tNOUN\t"))
    assert not any("before it" in note for note in howsure.look("one.tsv").notes)


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("id model_a model_b winner_gpt4 winner_human", "How often is the judge right?"),
        ("id model_a model_b gpt_label gold_label", "How often is the judge right?"),
        ("id model_a model_b gpt_label gold_topic", "How often is gpt_label the same as gold_topic?"),
    ],
)
def test_labels_of_a_judge_and_of_people_validate_the_judge(heading: str, question: str) -> None:
    human = [("model_a", "model_b", "tie")[at % 3] for at in range(60)]
    judge = [human[at - 1] if at % 5 == 0 else label for at, label in enumerate(human)]
    rows = [(at, "xy"[at % 2], "zw"[at % 2], judge[at], human[at]) for at in range(60)]
    table("rows.csv", heading, rows)
    first = howsure.look("rows.csv").proposals[0]
    assert first.question == question
    done = run(*str(first).split()[1:], "--format", "json")
    assert done.code == 0, done.err
    if first.command == "judge validate":
        assert [row["rate"]["value"] for row in json.loads(done.out)["labels"]] == pytest.approx([0.8] * 3)


def test_trials_with_costs_are_of_agents() -> None:
    cells = itertools.product("ab", range(12), range(3))
    rows = [(agent, f"t{task}", trial, (task + trial) % 2, task + 0.25) for agent, task, trial in cells]
    (first, second) = commands_of("agent task trial passed costUsd", rows)
    names = "--model agent --id task --run trial"
    assert first == f"howsure score agents rows.csv --score passed --cost costUsd {names}"
    assert second == f"howsure score rows.csv --score passed {names}"


def test_a_constant_score_hides_no_other_column() -> None:
    rows = [("ab"[at % 2], at // 2, 1, at % 10 / 9) for at in range(60)]
    assert "--score similarity" in commands_of("model item correct similarity", rows)[0]


def test_predicted_categories_are_no_groups() -> None:
    labels = ["xyz"[at % 3] for at in range(60)]
    rows = [(at, label, labels[at - 1] if at % 4 else label, at % 10 / 9) for at, label in enumerate(labels)]
    assert not any("--group" in line for line in commands_of("id category predicted score", rows))
    assert "--group category" in commands_of("id category note score", rows)[0]


def test_equally_likely_questions_are_introduced_as_such() -> None:
    rows = [(at, "xyz"[at % 3], "xyz"[(at + at % 4 // 3) % 3], at % 10 / 9) for at in range(60)]
    table("rows.csv", "id category answer score", rows)
    assert "It is unclear from the columns which of these you mean:" in howsure.look("rows.csv").footnotes()
    table("rows.csv", "id gold answer score", rows)
    assert "Worth typing next:" in howsure.look("rows.csv").footnotes()


def test_months_without_a_day_are_refused_with_advice() -> None:
    table("rows.csv", "month prob label", [(f"Mai {2001 + at % 9}", at % 10 / 9, at % 2) for at in range(60)])
    columns = ["--prob", "prob", "--target", "label", "--date", "month"]
    done = run("counts", "estimate", "rows.csv", *columns, "--period", "year")
    assert "For a month without a day, write its first day, as in 2019-05-01." in done.err
