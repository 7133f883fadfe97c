"""Commands as values, such as those that `howsure look` proposes: the question that each answers, and its text."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from howsure.data.column_roles import SeenColumn
from howsure.data.object_rows import COLUMN, VALUE
from howsure.inputs.numbers_and_names import shortened
from howsure_cli.terminal.output import shell_word

Option = str | bool | Sequence[str] | None  # a value, a flag, several values; what is false is left out
Options = Mapping[str, Option]

MAX_PART = 60  # characters of a value or name
PROBABILITIES = ("prob", "probs", "probs_column", "verbalised", "logits", "logprobs")
RIGHT, GOLD = "right", "gold"  # evidence that a score says whether an answer is right, and a target what is right
DECISION = "decision"  # evidence that a score is the decision of a model for each row, and not of a judge
# Several raters or scores, and no right answers: the values of the columns do not decide which of these is meant.
UNDECIDED = (
    ("judge agreement", "raters", "Do {raters} agree?"),
    ("judge agreement", "rater", "Do the raters in {rater} agree?"),
    ("score", "target", "How often is {prediction} the same as {target}?"),
    ("score", "value score model", "Which {model} has the highest mean?"),
    ("score", "value score group", "What is the mean of each of {explode}?"),
    ("score", "value score group positive", "How often is each of {explode} {positive}?"),
    ("score", "score positive", "How often is {score} {positive}?"),
    ("score", "score group", "What is the mean {score}, for each {group}?"),
    ("score", "score", "What is the mean {score}?"),
)
# The questions that proposed commands answer: (command, required options, question), the most important one first. A
# proposal fits each question of its command whose required options it all has. It answers the one with the most
# required options: `score --target --model` answers the question of "target model", not that of "target". Besides
# options, a question can require evidence (right, gold, decision), or that --explode made the score or prediction
# ("value").
QUESTIONS: Sequence[tuple[str, frozenset[str], str]] = [
    (command, frozenset(options.split()), text)
    for command, options, text in (
        # A judge and people: is the judge right?
        ("judge validate", "", "How often is the judge right?"),
        ("judge", "decision", "How often is {target} {positive}, if the errors of {score} are corrected?"),
        ("judge", "", "What is the mean grade, if the judge's errors are corrected?"),
        # Tables of one purpose only.
        ("score battles", "", "Which model wins most battles?"),
        ("judge spans", "", "Do the annotators mark the same spans?"),
        ("fields", "", "How often is each field right?"),
        ("score agents", "cost", "Which agent solves most tasks, at what cost?"),
        ("score agents", "", "Which agent solves most tasks, if trials without a score are counted?"),
        ("counts estimate", "", "How many rows are positive, if the model's errors are corrected?"),
        ("counts sample", "", "Which rows should I label, to count what the model looks for?"),
        ("events import", "", "How many documents mention each actor or topic, over time?"),
        # Several models: which one is best?
        ("score", "value score model right", "Which {model} has the highest mean?"),
        ("score", "value score model group positive", "How often is each of {explode} {positive}, for each {model}?"),
        ("score", "value score model group", "Which {model} has the highest mean of each of {explode}?"),
        ("score", "score model positive", "How often is {score} {positive}, for each {model}?"),
        ("score", "score model lower_is_better", "Which {model} has the lowest mean {score}?"),
        ("score", "score model", "Which {model} has the highest mean {score}?"),
        ("score", "target model", "How often is {prediction} the same as {target}, for each {model}?"),
        ("score", "target model metric", "How close is {prediction} to {target}, by {metric}, for each {model}?"),
        # One model: how good is it?
        ("score", "score right positive", "How often is {score} {positive}?"),
        ("score", "score right", "How often is the answer right, by {score}?"),
        ("score", "value target model", "Which {model} is most often the same as {target}?"),
        ("score", "value target model metric", "Which {model} is closest to {target}, by {metric}?"),
        ("score", "target metric", "How close is {prediction} to {target}, by {metric}?"),
        ("score", "target gold", "How often is {prediction} the same as {target}?"),
        ("score", "targets", "How often are the predictions the same as the true values?"),
        *UNDECIDED,
        ("score", "", "Which model scores best?"),
        # Probabilities: do they mean what they say?
        ("calibration", "", "Are the probabilities in {probabilities} right as often as they say?"),
        ("selective", "", "How accurate are the most confident answers?"),
        ("calibration", "reduce", "Are the probabilities of each class in {probabilities} right as often as they say?"),
        # After the first answer.
        ("significance", "", "Is any model better than {against}, beyond chance?"),
        ("score items", "", "Which items tell the models apart, and which look wrong?"),
        ("events extract", "", "How many events do these texts report, over time?"),
        ("look", "", "What do these rows contain?"),
    )
]
FIRST_UNDECIDED = [text for *_, text in QUESTIONS].index(UNDECIDED[0][-1])


@dataclass(frozen=True, slots=True)
class TypedFiles:
    """Files as they were typed, and the options by which they are read."""

    paths: Sequence[str]
    options: Options

    def command(self, name: str, /, **options: Option) -> Proposal:
        """A command for these files."""
        return Proposal(name, self.paths, {name: value for name, value in {**self.options, **options}.items() if value})


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed command: the files, the options by the names of parameters, and further information."""

    command: str
    paths: Sequence[str]
    options: Options
    evidence: str = ""

    def with_options(self, **options: Option) -> Proposal:
        return replace(self, options={**self.options, **options})

    def and_where(self, condition: str) -> Proposal:
        """The same command for the rows that also fulfil a condition."""
        earlier = self.options.get("where")
        return self.with_options(where=f"({earlier}) AND {condition}" if earlier else condition)

    def by_group(self) -> Proposal:
        """The same command without a best model, for values that do not say how good an answer is."""
        options = dict(self.options)
        if model := options.pop("model", None):
            options["group"] = model
        return replace(self, options=options)

    @property
    def rank(self) -> int:
        """The position of the question in the order of all questions."""
        terms = {self.evidence, *(name for name, value in self.options.items() if value)}
        terms |= {VALUE} & {self.options.get("score"), self.options.get("prediction")} if "explode" in terms else set()
        fitting = (at for at, (name, needed, _) in enumerate(QUESTIONS) if name == self.command and needed <= terms)
        return max(fitting, key=lambda at: len(QUESTIONS[at][1]))

    @property
    def is_undecided(self) -> bool:
        """Whether the question is one of those between which the values of columns do not decide."""
        return 0 <= self.rank - FIRST_UNDECIDED < len(UNDECIDED)

    @property
    def question(self) -> str:
        """The question that the command answers.

        >>> Proposal("score", ["a.csv"], {"score": "right", "model": "system", "id": "q"}).question
        'Which system has the highest mean right?'
        >>> Proposal("score", ["a.csv"], {"target": "gold", "prediction": "said"}).question
        'How often is said the same as gold?'
        """
        names = {name: _listed(value) for name, value in self.options.items() if isinstance(value, str)}
        probabilities = next((names[name] for name in PROBABILITIES if name in names), "the file")
        names = {"prediction": "the prediction", "against": "the first one", "probabilities": probabilities} | names
        if names.get("model") == COLUMN and "explode" in names:  # of which each is a model
            names["model"] = f"of {names['explode']}"
        elif names.get("score") == VALUE and "explode" in names:
            names["score"] = names["explode"]
        return QUESTIONS[self.rank][2].format_map(names)

    def __str__(self) -> str:
        """The command as it is typed.

        >>> print(Proposal("score", ["my answers.csv"], {"score": "right", "skip_missing": True}))
        howsure score 'my answers.csv' --score right --skip-missing
        """
        words = (word for name, value in self.options.items() for word in _option_words(name, value))
        return " ".join(["howsure", self.command, *map(shell_word, (*self.paths, *words))])


def _option_words(name: str, value: Option) -> Iterator[str]:
    option = f"--{name.replace('_', '-')}"
    if value is True:
        yield option
    elif value:
        for word in [value] if isinstance(value, str) else value:
            yield from (option, word)


def _listed(value: str) -> str:
    parts = [part if len(part) <= MAX_PART else f"{part[: MAX_PART - 1]}…" for part in value.split(",")]
    return shortened(parts, limit=3)


def typed_files(
    paths: Sequence[str], format: str | None, explode: str | None, encoding: str | None = None
) -> TypedFiles:
    """The files, and how they are read."""
    return TypedFiles(paths, {"from": format, "explode": explode, "encoding": encoding})


def glob_pattern(paths: Sequence[str]) -> str:
    """A pattern that matches only these files, such as runs/*/*/result.json; the first file if there is no such
    pattern."""
    if len({*map(os.path.isabs, paths)}) > 1:
        return paths[0]
    folder = os.path.commonpath(map(os.path.dirname, paths))
    depths = {os.path.relpath(path, folder).count(os.sep) for path in paths}
    names = {os.path.basename(path) for path in paths}
    name = f"*{os.path.splitext(paths[0])[1]}"
    beginning = "".join(
        letters[0] for letters in takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False))
    )
    candidates = [names.pop()] if len(names) == 1 else [name, beginning + name]
    patterns = (os.path.join(folder, *["*"] * max(depths), candidate) for candidate in candidates)
    return next((pattern for pattern in patterns if {*glob.glob(pattern)} == {*paths}), paths[0])


def models_against_first(columns: Sequence[SeenColumn]) -> dict[str, Option]:
    """The options that compare the models of these columns with the first one."""
    return {"against": columns[0].name, "model": [column.name for column in columns[1:]]}
