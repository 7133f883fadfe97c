"""Responses with log-probabilities in the formats of OpenAI's API and vLLM: chat, completions, responses, batch output.

The answer is the first token that, without surrounding spaces, is one of the possible answers ("A" to "D" unless the
record has `classes`) and is not a word of a sentence: the next character is not a letter or a digit. The probabilities
of tokens that differ only in spaces are added up. There is no answer if there is no such token, or if a later token is
another possible answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.data.logs.log_file import Beginning, LogFormat, Row, Source, class_name, find_class, listed, mapping
from howsure.data.logs.tokens import NO_TOKENS, SPACES, answer_masses, choice_tokens, output_tokens
from howsure.errors import quote

LETTERS = ("A", "B", "C", "D")
TARGETS = ("target", "gold", "label", "answerKey")  # names of the true answer; the first existing name is used
ITEMS = ("custom_id", "item", "uid")
OF_THE_API = {"id", "object", "created", "created_at", "status", "service_tier", "system_fingerprint", "temperature"}


OF_THE_API |= {"top_p", "top_logprobs", "max_output_tokens", "parallel_tool_calls", "error", "model", "truncation"}


BATCH = {"custom_id", "response", "error"}
NO_ANSWER = (
    "have no probability: there is no answer, no token is one of the answers, or two tokens name different answers"
)
ADD_ANSWERS = 'Add the possible answers to each record, as "classes": ["yes", "no"]; only the log itself can name them'
PARTS = ("choices", "output")  # fields of a response
RESPONSE_KEYS = ({"choices", "logprobs"}, {"output", "top_logprobs"})


def recognises(beginning: Beginning) -> bool:
    """Whether the file contains responses with choices or output."""
    if beginning.file.format == "jsonl":
        record = beginning.record
        return (response_body(record) is not None and not _is_scored(record)) or record.keys() >= BATCH
    start = beginning.text.lstrip()[:1]
    keys = set(beginning.keys)
    return beginning.file.format == "json" and start in (b"[", b"{") and any(some <= keys for some in RESPONSE_KEYS)


def rows(source: Source) -> Iterator[Row]:
    """Yield a row for each choice of each response: the answer with its probability or all answers' probabilities."""
    counts = _Counts()
    for line, record in source.objects():
        try:
            counts.add(line, record, _choices(record))
        except ValueError as error:
            raise source.fault(line, f"{error}.") from error
    wrong = counts.fault()
    if wrong is not None:
        raise source.fault(*wrong)
    for note in counts.notes():
        source.note(note)
    for line, record in source.objects():
        for choice in _choices(record):
            row = choice.row(line, whole=counts.whole)
            yield row if choice.body else row | {"model": counts.model}


@dataclass(frozen=True, slots=True)
class _Choice:
    """One choice of a response: the possible answers, their probabilities, and the answer."""

    record: Mapping[str, Any]
    body: Mapping[str, Any]
    run: int | None
    classes: tuple[str, ...]
    masses: Mapping[str, float] | None  # probabilities of answers at the answer's token; None if there is none
    answer: str | None
    has_logprobs: bool = False

    @property
    def knows_all(self) -> bool:
        """Whether the probability of every answer is known."""
        return self.masses is not None and set(self.masses) == set(self.classes)

    def row(self, line: int, *, whole: bool) -> Row:
        """Return the row, with the probabilities of all answers if all choices of the log have them (`whole`)."""
        metadata = {**mapping(self.body.get("metadata")), **mapping(self.record.get("metadata"))}
        plain = {name: value for name, value in self.record.items() if not isinstance(value, dict | list)}
        row: Row = {name: value for name, value in plain.items() if name not in OF_THE_API}
        item = next((plain[name] for name in ITEMS if name in plain), line)
        model = self.body.get("model")
        row |= {"item": item, "model": model if isinstance(model, str) else None, "classes": list(self.classes)}
        row["metadata"] = metadata
        row |= {} if self.run is None else {"run": self.run}
        target = self._target(metadata)
        row |= {} if target is None else {"target": target}
        if self.masses is None or self.answer is None:
            return row
        row |= {"prediction": self.classes.index(self.answer), "class_mass": math.fsum(self.masses.values())}
        if whole:
            return row | {"log_probabilities": [math.log(self.masses[name]) for name in self.classes]}
        right = {} if target is None else {"correct": int(self.classes[target] == self.answer)}
        return row | {"probability": min(1.0, self.masses[self.answer])} | right

    def _target(self, metadata: Mapping[str, Any]) -> int | None:
        """Return the index of the true answer; None if neither the record nor its metadata names it."""
        for source_mapping in (self.record, metadata):
            for name in TARGETS:
                value = source_mapping.get(name)
                if not isinstance(value, str | int | float) or not class_name(value).strip():
                    continue
                index = find_class(value, self.classes)
                if index is None:
                    problem = f"its {name} {quote(value)} is not one of the answers {', '.join(self.classes)}"
                    raise ValueError(f"{problem}. {ADD_ANSWERS}")
                return index
        return None


class _Counts:
    """Counts over all choices of a log, for notes and errors."""

    def __init__(self) -> None:
        self.choices = self.answered = self.knowing = 0
        self.outside = 0.0
        self.models: set[str] = set()
        self.places: set[str] = set()  # fields of records that contain the response
        self.empty: list[tuple[int, list[str]]] = []  # records without a response, and their empty fields
        self.silent: int | None = None  # the first line with a response, but no logprobs
        self.spoken = False

    def add(self, line: int, record: Mapping[str, Any], choices: Sequence[_Choice]) -> None:
        place = _place(record)
        if place is not None:
            self.places.add(place)
        elif not _failed(record):
            self.empty.append((line, [name for name, body in _response_places(record).items() if _is_empty(body)]))
        for choice in choices:
            self.spoken = self.spoken or choice.has_logprobs
            if choice.body and not choice.has_logprobs and self.silent is None:
                self.silent = line
            row = choice.row(0, whole=False)
            self.models |= {row["model"]} if row["model"] is not None else set()
            self.choices += 1
            if choice.masses is not None:
                self.answered += 1
                self.knowing += choice.knows_all
                self.outside += max(0.0, 1.0 - math.fsum(choice.masses.values()))

    def fault(self) -> tuple[int, str] | None:
        """Return the line that cannot be used, and why: no response although others have one, or no logprobs at all."""
        for line, names in self.empty:
            if not any(place.startswith(name) for name in names for place in self.places):
                return line, "it has no response with choices or output."
        return None if self.silent is None or self.spoken else (self.silent, f"{NO_TOKENS}.")

    @property
    def model(self) -> str | None:
        """The model of failed requests, if all other requests used a single model."""
        return next(iter(self.models)) if len(self.models) == 1 else None

    @property
    def whole(self) -> bool:
        """Whether every choice has the probabilities of all answers."""
        return 0 < self.answered == self.knowing

    def notes(self) -> Iterator[str]:
        """Yield notes for the user."""
        if self.answered < self.choices:
            yield f"{self.choices - self.answered:,} of {self.choices:,} responses {NO_ANSWER}"
        if self.answered:
            share = self.outside / self.answered
            yield f"at the answer, tokens that are not answers have a probability of {share:.4f} on average"
        if self.answered and not self.whole:
            yield (
                f"{self.answered - self.knowing:,} of {self.answered:,} answers have the log-probability of their own "
                "token, but of no other answer; request more top_logprobs"
            )


def response_body(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the response in a record: the record itself, a field, or the body of a field; None if there is none."""
    place = _place(record)
    return None if place is None else mapping(_response_places(record)[place])


def _is_scored(record: Mapping[str, Any]) -> bool:
    """Whether a record is a row of a table of scores, not of a log: a response without logprobs, and truth values."""
    choices = listed(mapping(response_body(record)).get("choices"))
    has_logprobs = any(mapping(choice).get("logprobs") is not None for choice in choices)
    return bool(choices) and not has_logprobs and any(isinstance(value, bool) for value in record.values())


def _place(record: Mapping[str, Any]) -> str | None:
    """Return the field of a record that contains the response; None if there is none."""
    return next((name for name, part in _response_places(record).items() if _is_response(part)), None)


def _response_places(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record that may contain a response; "" is the record itself."""
    parts: dict[str, Any] = {"": record, **record}
    return parts | {
        f"{name}.body": part["body"] for name, part in parts.items() if isinstance(part, dict) and "body" in part
    }


def _is_empty(part: Any) -> bool:
    """Whether the fields of a response are empty."""
    return part is None or (isinstance(part, dict) and any(part.get(name, True) in (None, []) for name in PARTS))


def _failed(record: Mapping[str, Any]) -> bool:
    """Whether the record reports a failed request."""
    return bool(record.get("error")) or mapping(record.get("response")).get("status_code", 200) != 200


def _is_response(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    choices, output = listed(part.get("choices")), listed(part.get("output"))
    if choices and isinstance(choices[0], dict):
        return "logprobs" in choices[0] or "message" in choices[0] or part.get("object") == "text_completion"
    return bool(output) and isinstance(output[0], dict) and part.get("object") == "response"


def _choices(record: Mapping[str, Any]) -> list[_Choice]:
    """Return the choices of a record; without a response, a single choice without an answer."""
    body = response_body(record)
    classes = _classes(record, body or {})
    if body is None:
        return [_Choice(record, {}, None, classes, None, None)]
    choices = listed(body.get("choices"))
    if not choices:
        return [_choice(record, body, None, classes, output_tokens(body))]
    several = len(choices) > 1
    return [
        _choice(record, body, at if several else None, classes, choice_tokens(mapping(choice)))
        for at, choice in enumerate(choices)
    ]


def _choice(
    record: Mapping[str, Any],
    body: Mapping[str, Any],
    run: int | None,
    classes: tuple[str, ...],
    tokens: list[Any] | None,
) -> _Choice:
    if tokens is None:
        return _Choice(record, body, run, classes, None, None)
    at = _answer_at(tokens, classes)
    masses = None if at is None else answer_masses(tokens[at], classes)
    answer = None if at is None else str(tokens[at]["token"]).strip(SPACES)
    return _Choice(record, body, run, classes, masses, answer, has_logprobs=True)


def _classes(record: Mapping[str, Any], body: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the possible answers: `classes` of the record or its metadata (a list or comma-separated), else A to D."""
    places = (record, mapping(record.get("metadata")), mapping(body.get("metadata")))
    named = next((place["classes"] for place in places if place.get("classes") is not None), LETTERS)
    class_list = (
        [name.strip() for name in named.split(",")]
        if isinstance(named, str)
        else list(named)
        if named is LETTERS
        else (listed(named))
    )
    if (
        len(class_list) < 2
        or len(set(map(str, class_list))) < len(class_list)
        or not all(isinstance(class_, str) and class_ for class_ in class_list)
    ):
        raise ValueError(f"its classes must be two different texts or more; they are {quote(named)}")
    return tuple(class_list)


def _answer_at(tokens: Sequence[Mapping[str, Any]], classes: Sequence[str]) -> int | None:
    """Return the index of the answer's token; None if there is no answer, or if another answer follows."""
    texts = [str(token["token"]) for token in tokens]
    places = [
        at
        for at, text in enumerate(texts)
        if text.strip(SPACES) in classes and not _goes_on("".join(texts[at + 1 : at + 3]))
    ]
    named = {texts[at].strip(SPACES) for at in places}
    return places[0] if len(named) == 1 else None


def _goes_on(rest: str) -> bool:
    """Whether a letter or digit follows in the same line, possibly after spaces."""
    begins = rest.lstrip(" \t\u2581\u0120")
    return begins[:1].isalnum()


OPENAI = LogFormat("openai", "the API of OpenAI or vLLM", recognises, rows)
