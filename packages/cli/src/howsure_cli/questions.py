"""The question that a proposed command answers, according to its subcommand and options."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from itertools import pairwise

from howsure.data.object_rows import COLUMN, VALUE
from howsure.inputs.numbers_and_names import shortened

MAX_PART = 60  # characters of a value or name
FIXED = {
    "fields": "How often is each field right?",
    "score agents": "Which agent solves most tasks, if trials without a score are counted?",
    "score battles": "Which model wins most battles?",
    "score items": "Which items tell the models apart, and which look wrong?",
    "judge": "What is the mean grade, if the judge's errors are corrected?",
    "judge validate": "How often is the judge right?",
    "judge spans": "Do the annotators mark the same spans?",
    "counts estimate": "How many rows are positive, if the model's errors are corrected?",
    "counts sample": "Which rows should I label, to count what the model looks for?",
    "events extract": "How many events do these texts report, over time?",
    "events import": "How many documents mention each actor or topic, over time?",
    "selective": "How accurate are the most confident answers?",
    "look": "What do these rows contain?",
}


def question(command: str) -> str:
    """Return the question that a command answers.

    >>> question("howsure score a.csv --score right --model system --id q")
    'Which system has the highest mean right?'
    >>> question("howsure score a.csv --target gold --prediction said")
    'How often is said the same as gold?'
    """
    _, *words = shlex.split(command)
    options = {option: _listed(value) for option, value in pairwise(words)}
    if words[:2] == ["judge", "agreement"]:
        named = next((options[name] for name in ("--raters", "--explode", "--rater") if name in options), "")
        return f"Do {named} agree?" if "--raters" in options else f"Do the raters in {named} agree?"
    fixed = FIXED.get(" ".join(words[:2]), FIXED.get(words[0]))
    if fixed is not None:
        return fixed
    if words[0] == "calibration":
        return f"Are the probabilities in {_probabilities(options)} right as often as they say?"
    if words[0] == "significance":
        return f"Is any model better than {options.get('--against', 'the first one')}, beyond chance?"
    return _question_of_score(options)


def _question_of_score(options: Mapping[str, str]) -> str:
    model = options.get("--model")
    if "--targets" in options or "--target" in options:
        prediction = options.get("--explode" if model == COLUMN else "--prediction", "the prediction")
        if model == COLUMN:
            return f"Which of {prediction} is most often the same as {options['--target']}?"
        of_each = "" if model is None else f", for each {model}"
        return f"How often is {prediction} the same as {options.get('--target', 'the target')}{of_each}?"
    if options.get("--score") == VALUE:
        which = f"of {options['--explode']}" if model == COLUMN else model
        return f"Which {which} has the highest mean?"
    if "--score" not in options:
        return "Which model scores best?"
    score = options["--score"]
    if "--positive" in options:
        return f"How often is {score} {options['--positive']}{_by('for each', options, '--model')}?"
    if model is not None:
        return f"Which {model} has the {'lowest' if '--lower-is-better' in options else 'highest'} mean {score}?"
    return f"What is the mean {score}{_by('for each', options, '--group')}?"


def _by(words: str, options: Mapping[str, str], name: str) -> str:
    return f", {words} {options[name]}" if name in options else ""


def _listed(value: str) -> str:
    parts = [part if len(part) <= MAX_PART else f"{part[: MAX_PART - 1]}…" for part in value.split(",")]
    return shortened(parts, limit=3)


def _probabilities(options: Mapping[str, str]) -> str:
    ways = ("--prob", "--probs", "--probs-column", "--verbalised", "--logits", "--logprobs")
    return next((options[name] for name in ways if name in options), "the file")
