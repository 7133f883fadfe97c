"""Invented examples, drawn with fixed seeds: `howsure data get demo` writes them next to the bundled files."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterable

from howsure_cli.example_responses import decisions, grades, invoices


def invented_files() -> dict[str, bytes]:
    """The content of each file, by its name in the folder."""
    return {
        **judged_answers(),
        **verdicts(),
        **biased_grades(),
        "judge/scores.csv": scores_by_source(),
        "posts.csv": posts(),
        "trials.csv": trials(),
        **invoices(),
        **decisions(),
        **grades(),
        **texts_and_tags(),
    }


def judged_answers() -> dict[str, bytes]:
    """Grades from 1 to 5 by a judge that favours long answers, with those of a person and of annotators for some."""
    draw = random.Random(3)
    answers = []
    for item in range(600):
        difficulty = draw.random()
        for model, skill, length in (("large", 0.72, 0.5), ("small", 0.6, 0.9)):
            person = 1 + sum(draw.random() < skill + 0.25 * (0.5 - difficulty) for _ in range(4))
            shift = (draw.random() < length) - (draw.random() < 0.25)
            answers.append((item, model, _grade(person + shift), person))
    graded = set(draw.sample(range(600), 80))
    annotations: list[tuple[int, str, int]] = []
    for item, model, judge, person in answers:
        if item in graded and model == "large":
            for name, error in (("ann", 0.2), ("bea", 0.3), ("carl", 0.3)):
                annotations.append((item, name, _grade(person + (draw.random() < error) - (draw.random() < error))))
            annotations.append((item, "judge", judge))
    rows = [(item, model, judge, person if item in graded else "") for item, model, judge, person in answers]
    return {
        "judge/answers.csv": _table("item model judge person", rows),
        "judge/annotators.csv": _table("item rater grade", annotations),
    }


def scores_by_source() -> bytes:
    """Scores as Langfuse exports them: by a judge of 900 answers, and by people of 300 of them."""
    draw = random.Random(8)
    rows = []
    for trace in range(900):
        good = draw.random() < 0.6
        verdict = good if draw.random() < (0.95 if good else 0.88) else not good
        by_people = [("ANNOTATION", good, "")] if trace < 300 else []
        for source, value, comment in (
            ("EVAL", verdict, f"The answer is {'good' if verdict else 'poor'}."),
            *by_people,
        ):
            rows.append((f"t-{trace:03}", "", "correct", source, "BOOLEAN", int(value), value, comment))
    return _table("traceId observationId name source dataType value stringValue comment", rows)


def verdicts() -> dict[str, bytes]:
    """Yes or no of a judge and of people, who mislabel some answers; anchors that a judge graded twice."""
    draw = random.Random(11)
    labels = []
    for item in range(800):
        for model, rate in (("large", 0.6), ("small", 0.4)):
            truth = int(draw.random() < rate)
            judge = truth if draw.random() < 0.85 else 1 - truth
            first, second = (1 - truth if draw.random() < (0.15 if truth else 0.04) else truth for _ in range(2))
            people = (first if item < 200 else "", second if item < 100 else "")
            labels.append((item, model, judge, *people, truth if item < 100 and first != second else ""))
    anchors = []
    for number in range(280):
        earlier, rise = draw.randint(1, 5), 0.1 if number < 80 else 0.5
        anchors.append((f"a{number + 1}", earlier, _grade(earlier + (draw.random() < rise) - (draw.random() < 0.1))))
    return {
        "judge/yes_or_no.csv": _table("item model judge person second settled", labels),
        "judge/anchors.csv": _table("anchor earlier now", anchors),
    }


def biased_grades() -> dict[str, bytes]:
    """Grades of a judge that likes long answers and its own family; answers to four prompts, right or wrong."""
    draw = random.Random(5)
    grades = []
    for item in range(150):
        for family in ("own", "other"):
            person, words = draw.randint(1, 5), draw.randint(40, 400)
            bonus = (words > 200) * (draw.random() < 0.5) + (family == "own") * (draw.random() < 0.3)
            judge = _grade(person + bonus - (draw.random() < 0.3))
            swapped = max(judge - (draw.random() < 0.2), 1)
            last_year = _grade(judge + (draw.random() < 0.06) - (draw.random() < 0.06))
            grades.append((item, judge, person, words, family, swapped, last_year))
    answers = []
    for item in range(200):
        ease = draw.random()
        for prompt, gain in (("plain", 0.0), ("strict", -0.12), ("polite", 0.03), ("steps", 0.1)):
            probability = min(max(0.25 + 0.6 * ease + gain + draw.gauss(0, 0.1), 0), 1)
            answers += [(item, prompt, run, int(draw.random() < probability)) for run in range(2)]
    return {
        "judge/biased.csv": _table("item judge person words family swapped last_year", grades),
        "judge/prompts.csv": _table("item prompt run right", answers),
    }


def posts() -> bytes:
    """Posts of people in 60 cities over eight years: a model's scores, and the labels of 500."""
    draw = random.Random(6)
    level = [draw.uniform(-0.1, 0.1) for _ in range(60)]
    rows = []
    for number in range(4800):
        city, year, age = number % 60, 2015 + number // 60 % 8, draw.randint(20, 70)
        party = draw.choice(["left", "right", "centre"])
        reform, late = city < 24, year > 2018
        rate = 0.3 + level[city] + 0.03 * late + 0.15 * (reform and late) + 0.002 * (age - 45)
        complaint = draw.random() < rate
        missed = draw.random() < (0.4 if reform and late and complaint else 0.06)
        score = round(0.7 * (complaint != missed) + 0.3 * draw.random(), 3)
        topic = "services" if complaint else draw.choice(["praise", "other"])
        predicted = topic if draw.random() < 0.85 else "other"
        features = (f"city {city}", year, int(reform), int(late), age, party, score)
        rows.append((features, int(complaint), predicted, topic))
    labelled = set(draw.sample(range(4800), 500))
    return _table(
        "city year reform late age party score complaint predicted topic",
        (
            (*features, complaint, predicted, topic) if number in labelled else (*features, "", predicted, "")
            for number, (features, complaint, predicted, topic) in enumerate(rows)
        ),
    )


def trials() -> bytes:
    """Three trials of 80 tasks by four agents: passed or not, or an error, and the cost."""
    draw = random.Random(7)
    agents = {
        "opus": (0.72, 1.3, 0.01),
        "codex": (0.7, 0.45, 0.05),
        "gemini": (0.42, 0.95, 0.08),
        "qwen": (0.55, 0.12, 0.1),
    }
    rows = []
    for task in range(80):
        difficulty = draw.uniform(-0.35, 0.35)
        for agent, (skill, dollars, errors) in agents.items():
            for trial in range(3):
                passed = int(draw.random() < skill - difficulty)
                cost = dollars * draw.lognormvariate(difficulty, 0.6)
                error = draw.choice(["timeout", "container"]) if draw.random() < errors else ""
                rows.append((agent, f"task-{task}", trial, "" if error else passed, error, f"{cost:.3f}"))
    return _table("agent task trial passed error dollars", rows)


def texts_and_tags() -> dict[str, bytes]:
    """150 texts with two translations with random errors, and 60 tagged documents with the tags of two taggers."""
    draw = random.Random(0)
    vocabulary = "the a cat dog sat ran on under mat house big small old new and then"
    words = vocabulary.split()
    references = [draw.choices(words, k=draw.randint(4, 15)) for _ in range(150)]
    documents = [[["O", "B-PER", "I-PER", "O", "B-LOC"][: draw.randint(2, 5)] for _ in range(3)] for _ in range(60)]
    files = {}
    for name, errors in (("gold", 0.0), ("base", 0.25), ("large", 0.15)):
        texts = [" ".join(w if draw.random() > errors else draw.choice(words) for w in text) for text in references]
        files[f"texts/{name}.txt"] = "".join(f"{text}\n" for text in texts).encode()
        tagged = ""
        for document in documents:
            tagged += "-DOCSTART- O\n\n"
            for tags in document:
                tagged += "".join(f"word {tag if draw.random() > errors else 'O'}\n" for tag in tags) + "\n"
        files[f"texts/{name}.conll"] = tagged.encode()
    return files


def _grade(value: int) -> int:
    return min(max(value, 1), 5)


def _table(heading: str, rows: Iterable[Iterable[object]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heading.split())
    writer.writerows(rows)
    return text.getvalue().encode()
