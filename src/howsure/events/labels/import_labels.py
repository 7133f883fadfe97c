"""Labels from a file into a store, and out of it: only where it is known how their documents were drawn."""

from __future__ import annotations

import datetime
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from howsure import __version__
from howsure.counts.draw import Elements, read_draw
from howsure.errors import GIVEN, InputError, parameter
from howsure.events.labels.answers import (
    Answer,
    Labelling,
    answers_of,
    asked_of,
    labelling_of,
    reading_order,
    settlements_of,
)
from howsure.events.labels.coders import CoderNames, coder_named, coders_of, merged_notes, names_of_coders
from howsure.events.labels.draw import ALL, checked_question, question_of
from howsure.events.labels.label_files import COLUMNS, INCLUSION, LABEL, STRATUM, UNCLEAR, ReadAnswer, read_labels
from howsure.events.store.documents import stored_documents
from howsure.events.store.event_store import EventStore
from howsure.events.store.reading import Store, chosen_actors, rows_of
from howsure.inputs.numbers_and_names import counted, unknown_name
from howsure.show.table import Table, all_digits, in_a_spreadsheet

# What an import of labels added to a store.


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was imported: answers new in the store, those that it had already, documents, and coders.

    merged_coders: all spellings of each coder whom the file and the store spell in several ways.
    """

    added: int
    known: int
    documents: int
    coders: tuple[str, ...]
    design: str
    merged_coders: tuple[tuple[str, ...], ...] = ()

    def __str__(self) -> str:
        said = f"{counted(self.added, 'answer')} to {counted(self.documents, 'document')} by {', '.join(self.coders)}"
        known = f"; {self.known:,} were in the store already" if self.known else ""
        return "\n".join([said + known, *merged_notes(self.merged_coders)])


IMPORTED_DESIGNS = ("simple", "census")
WHY = (
    f"labels of documents that somebody picked correct no count. Say {parameter('design', 'simple')} if they were "
    f"drawn at random from all documents of the store, {parameter('design', 'census')} if they are all of them, or "
    "give the chance of each in a column inclusion"
)
REVISIONS = "SELECT document, coder, settles, max(revision) FROM answers GROUP BY ALL"
Key = tuple[int, str, bool]  # document, coder, settles


def import_labels(
    store: EventStore,
    path: str | os.PathLike[str],
    *,
    coder: str | None = None,
    design: str | None = None,
    actors: Sequence[str] | None = None,
    question: str | None = None,
    encoding: str | None = None,
) -> ImportReport:
    """Add the labels of a file to a store: all of them, or none if one is wrong.

    path: CSV with the columns document (an id), actor, label (1, 0 or unclear), and perhaps coder, or the JSON of Label
    Studio. coder: who labelled, where the file does not say. If documents were drawn in the store, only labels of these
    are taken. Otherwise `design` says how they were drawn: "simple" (at random from all
    stored documents) or "census" (they are all stored documents), or the file has a column inclusion. actors: those
    asked, where the file does not name those that never act; question: what was asked, by default made of the rule.
    encoding: of the file, such as windows-1252 (default: UTF-8).

    Raises InputError naming the place in the file, the value, and what to do.
    """
    answers = read_labels(path, encoding=encoding)
    asked, codes = labelling_of(store), _codes(store, answers)
    if asked is None:
        named = list(dict.fromkeys(codes[name] for one in answers for name in one.says))
        if actors is None and not named:
            raise InputError(f"the labels name no actor; say which were asked for: {parameter('actors', GIVEN)}.")
        chosen = chosen_actors(store, named if actors is None else list(actors))
        question = question_of(store.settings.get("rule") or {}) if question is None else question
        asked = Labelling(checked_question(question), chosen, "", "none", ())
    elif design is not None or question is not None or actors is not None:
        raise InputError(
            "design, actors and question are those of the documents drawn already; leave them out, or import into a "
            "store without labels."
        )
    numbers = _numbers(store, answers)
    spellings = [name for person in coders_of(store).spellings for name in person]
    in_file = [coder_named(name) for one in answers if (name := one.coder if coder is None else coder) is not None]
    names = names_of_coders([*spellings, *in_file])
    given = _given(answers, codes, numbers, asked, coder, names)
    settings = None if asked.draws else _settings(store, answers, numbers, asked, design, os.fspath(path))
    if settings is None:
        _check_drawn(store, answers, numbers)
    added, known = _new(store, given)
    _write(store, added, settings, {numbers[one.document]: one.inclusion for one in answers})
    coders = sorted({name for _, name, _ in given})
    documents = len({document for document, _, _ in given})
    held = asked.design or str((settings or {})["design"])
    merged = tuple(person for person in names.merged if person[0] in coders)
    return ImportReport(len(added), known, documents, tuple(coders), held, merged)


def _codes(store: Store, answers: Sequence[ReadAnswer]) -> dict[str, str]:
    """The code of each actor that the file names, by code or title.

    Raises InputError naming the first place of one that the store does not know.
    """
    places = {name: one.place for one in reversed(answers) for name in one.says}
    codes = {}
    for name, place in places.items():
        try:
            codes[name] = chosen_actors(store, [name])[0]
        except InputError as error:
            raise InputError(f"{place}: {error}") from error
    return codes


def _numbers(store: Store, answers: Sequence[ReadAnswer]) -> dict[str, int]:
    """The number of each document by its id, as the file writes it.

    Raises InputError naming the first that the store does not hold.
    """
    ids = {str(name): number for number, name in rows_of(store, "SELECT document, id FROM documents")}
    known = {in_a_spreadsheet(name): number for name, number in ids.items()} | ids
    lost = [one for one in answers if one.document not in known]
    if lost:
        first = lost[0]
        reason = rows_of(store, "SELECT reason FROM left_out WHERE id = $id", id=first.document)
        why = f"it was left out of the store: {reason[0][0]}" if reason else "no document of the store has this id"
        raise InputError(
            f"{first.place} labels document {first.document!r}, but {why} ({counted(len(lost), 'such answer')})."
        )
    return {one.document: known[one.document] for one in answers}


def _given(
    answers: Sequence[ReadAnswer],
    codes: Mapping[str, str],
    numbers: Mapping[str, int],
    asked: Labelling,
    coder: str | None,
    names: CoderNames,
) -> dict[Key, tuple[list[str], bool]]:
    """The actors that act, and whether the text is unclear, by document and coder.

    Raises InputError if an answer has no coder, leaves out an actor, or is there twice.
    """
    found: dict[Key, tuple[list[str], bool]] = {}
    for one in answers:
        name = one.coder if coder is None else coder
        if name is None:
            raise InputError(f"{one.place} does not say who labelled; name the coder: {parameter('coder', 'anna')}.")
        said = {codes[name]: acts for name, acts in one.says.items()}
        if len(said) < len(one.says):
            raise InputError(f"{one.place}: an actor is named twice in {one.document!r}, by code and by title.")
        for code in said:
            if code not in asked.actors:
                raise InputError(f"{one.place}: {unknown_name('actor', code, asked.actors, place='the question')}")
        lacking = [] if one.closed or one.unclear else [code for code in asked.actors if code not in said]
        if lacking:
            raise InputError(
                f"{one.place} and later lines have no label of {lacking[0]} in {one.document!r}; give 1 or 0 for each "
                "actor that was asked."
            )
        who = names.name(coder_named(name))
        key = numbers[one.document], who, one.settles
        if key in found:
            spelled = "" if name == who else f", who is also spelled {name!r},"
            raise InputError(f"{one.place} answers {one.document!r} for {who}{spelled} again; each may do so once.")
        acting = [code for code in asked.actors if said.get(code) and not one.unclear]
        found[key] = acting, one.unclear
    return found


def _settings(
    store: Store,
    answers: Sequence[ReadAnswer],
    numbers: Mapping[str, int],
    asked: Labelling,
    design: str | None,
    path: str,
) -> dict[str, Any]:
    """The settings of the draw that the file is taken for.

    Raises InputError if it is not known how the documents were drawn, or is contradicted.
    """
    if design is not None and design not in IMPORTED_DESIGNS:
        raise unknown_name("design", design, IMPORTED_DESIGNS, place="imports of labels")
    with_chance = [one for one in answers if one.inclusion is not None]
    if design is None and not with_chance:
        raise InputError(
            f"the store holds no draw of documents, and {path} does not say how its documents were drawn: {WHY}."
        )
    if design is None and len(with_chance) < len(answers):
        lacking = next(one for one in answers if one.inclusion is None)
        raise InputError(f"{lacking.place}: inclusion is missing; give the chance of each document.")
    if len({(one.document, one.inclusion) for one in with_chance}) > len({one.document for one in with_chance}):
        raise InputError(f"{path}: inclusion must be the same in all rows of a document.")
    stored = int(rows_of(store, "SELECT count(*) FROM documents")[0][0])
    read = len(set(numbers.values()))
    if design is None:
        _check_chances({one.document: one.inclusion for one in answers}, stored, path)
    if design == "census" and read < stored:
        raise InputError(
            f"a census labels all documents of the store, {stored:,}; {path} labels {read:,}. Or "
            f"{parameter('design', 'simple')}?"
        )
    return {
        "question": asked.question,
        "actors": list(asked.actors),
        "labels": read,
        "design": design or "chances",
        "period": "none",
        "strata": "none",
        "seed": None,
        "howsure": __version__,
        "drawn": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "imported": Path(path).name,
    }


def _check_chances(chances: Mapping[str, float | None], stored: int, path: str) -> None:
    """InputError where the chances of the documents read cannot be those of a draw from as many as are stored."""
    given = dict(enumerate(chances.values()))
    try:
        read_draw(Elements(stored, None), np.arange(len(given)), strata=None, inclusion=given)
    except InputError as error:
        said = str(error).replace(" units", " documents")
        raise InputError(f"{path} does not fit the store: {said}") from error


def _check_drawn(store: Store, answers: Sequence[ReadAnswer], numbers: Mapping[str, int]) -> None:
    """InputError where a document was not drawn, or belongs to another stratum than the file says."""
    drawn = {number for (number,) in rows_of(store, "SELECT document FROM label_sample")}
    strata = dict(rows_of(store, "SELECT document, stratum FROM label_strata"))
    for one in answers:
        number = numbers[one.document]
        if number not in drawn:
            raise InputError(
                f"{one.place} labels document {one.document!r}, which was not drawn in the store: a label that was "
                "chosen corrects no count."
            )
        held = strata.get(number)
        if one.stratum is not None and held is not None and one.stratum not in (held, in_a_spreadsheet(held)):
            raise InputError(
                f"{one.place}: the stratum of {one.document!r} is {held!r} in the store, and {one.stratum!r} in the "
                "file. Is it of another draw?"
            )


def _new(store: Store, given: Mapping[Key, tuple[list[str], bool]]) -> tuple[dict[Key, tuple[list[str], bool]], int]:
    """The answers that the store does not have, and how many it has.

    Raises InputError where it holds another one of the same coder.
    """
    held: dict[Key, tuple[list[str], bool]] = {}
    if labelling_of(store) is not None:
        for settles, answers in ((False, answers_of(store)), (True, settlements_of(store))):
            held |= {(one.document, one.coder, settles): (list(one.acting), one.unclear) for one in answers}
    for key, answer in given.items():
        if key in held and held[key] != answer:
            raise InputError(
                f"{key[1]} answered document {key[0]} of the store otherwise already; name another coder for the file."
            )
    return {key: answer for key, answer in given.items() if key not in held}, sum(key in held for key in given)


def _write(
    store: EventStore,
    added: Mapping[Key, tuple[list[str], bool]],
    settings: Mapping[str, Any] | None,
    chances: Mapping[int, float | None],
) -> None:
    with store.transaction() as connection:
        if settings is not None:
            store.append(_draw_rows(store, settings, chances))
        last = connection.execute("SELECT coalesce(max(entry), 0) FROM answers").fetchall()[0][0]
        names, revisions = coders_of(store), dict[tuple[int, str], int]()
        for document, coder, settles, revision in connection.execute(REVISIONS).fetchall():
            key = document, "" if settles else names.name(coder)
            revisions[key] = max(revision, revisions.get(key, 0))
        n, keys = len(added), list(added)
        store.append(
            {
                "answers": {
                    "entry": [last + 1 + at for at in range(n)],
                    "document": [document for document, _, _ in keys],
                    "coder": [coder for _, coder, _ in keys],
                    "settles": [settles for _, _, settles in keys],
                    "acting": [acting for acting, _ in added.values()],
                    "unclear": [unclear for _, unclear in added.values()],
                    "revision": [revisions.get((one, "" if settles else coder), 0) + 1 for one, coder, settles in keys],
                    "given": [datetime.datetime.now(datetime.UTC).replace(tzinfo=None)] * n,
                }
            }
        )


def _draw_rows(
    store: Store, settings: Mapping[str, Any], chances: Mapping[int, float | None]
) -> dict[str, dict[str, Any]]:
    everything = [number for (number,) in rows_of(store, "SELECT document FROM documents ORDER BY document")]
    read = sorted(chances)
    given = settings["design"] == "chances"
    rows: dict[str, dict[str, Any]] = {
        "label_draw": {"draw": [1], "settings": [json.dumps(settings)]},
        "label_sample": {
            "document": read,
            "draw": [1] * len(read),
            "position": list(range(1, len(read) + 1)),
            "inclusion": [chances[one] if given else len(read) / len(everything) for one in read],
        },
    }
    if not given:
        rows["label_strata"] = {"document": everything, "stratum": [ALL] * len(everything)}
    return rows


# Labels of a store as a table for files, and its drawn documents as a sheet to be read elsewhere.

FETCHED = 256  # documents at a time


def label_table(store: Store) -> Table:
    """All present answers: a row per document, actor and coder, in the order of reading; settlements last.

    `import_labels` reads its CSV. Raises InputError if no document was drawn.
    """
    asked = asked_of(store)
    place = {number: at for at, number in enumerate(reading_order(store))}
    named = {number: (name, day) for number, name, day in rows_of(store, "SELECT document, id, date FROM documents")}
    strata = dict(rows_of(store, "SELECT document, stratum FROM label_strata"))
    chances = dict(rows_of(store, "SELECT document, inclusion FROM label_sample"))
    held = [(one, "0") for one in answers_of(store)] + [(one, "1") for one in settlements_of(store)]
    rows = []
    for one, settles in sorted(held, key=lambda pair: (pair[1], place[pair[0].document], pair[0].coder)):
        name, day = named[one.document]
        drawn = [strata.get(one.document, ""), all_digits(chances[one.document])]
        rows += [[name, str(day), actor, _label(one, actor), one.coder, *drawn, settles] for actor in asked.actors]
    return Table(list(COLUMNS), rows, words=["document", "date", "actor", "coder", "stratum"])


READINGS = ("document", "date", "actor", "score", LABEL, "second", "settled", STRATUM, INCLUSION)
SCORED = """
    SELECT d.document, d.id, d.date, coalesce(s.stratum, ''), e.probability FROM documents d
    LEFT JOIN label_strata s USING (document)
    LEFT JOIN (SELECT * FROM events WHERE actor = $actor) e USING (document) ORDER BY d.document"""


def readings_table(store: Store) -> Table:
    """All stored documents for each actor, read or not: what `howsure.estimate_counts` is given.

    score: the probability that the actor acts. label: of that reader of a document who has read most, empty where the
    text is unclear to them, or nobody read it. second: of another one. settled: where these two differ, what was
    settled. Counts of one actor are estimated from its rows, with `strata` (or `inclusion`, where documents were drawn
    with given chances).

    Raises InputError if no document was drawn.
    """
    asked = asked_of(store)
    chances = dict(rows_of(store, "SELECT document, inclusion FROM label_sample"))
    held, times = answers_of(store), Counter(one.coder for one in answers_of(store))
    read: dict[int, list[Answer]] = {}
    for one in sorted(held, key=lambda one: (-times[one.coder], one.coder)):
        read.setdefault(one.document, []).append(one)
    read = {number: list(takewhile(lambda one: not one.unclear, told[:2])) for number, told in read.items()}
    settled = {one.document: one for one in settlements_of(store) if not one.unclear}
    rows = []
    for actor in asked.actors:
        for number, name, day, stratum, score in rows_of(store, SCORED, actor=actor):
            said = [_label(one, actor) for one in read.get(number, [])] + ["", ""]
            last = _label(settled[number], actor) if number in settled and "" != said[1] != said[0] else ""
            chance = all_digits(chances[number]) if number in chances else ""
            rows.append([name, str(day), actor, all_digits(score or 0.0), *said[:2], last, stratum, chance])
    return Table(list(READINGS), rows, words=["document", "date", "actor", "stratum"])


def reading_sheet(store: Store) -> list[dict[str, Any]]:
    """The drawn documents in the order of reading: document (its id), date, title and text.

    Raises InputError if no document was drawn.
    """
    asked_of(store)
    order, found = reading_order(store), []
    for start in range(0, len(order), FETCHED):
        held = stored_documents(store, order[start : start + FETCHED])
        for number in order[start : start + FETCHED]:
            one = held[number]
            text = " ".join(_spaced(words, spaces) for words, spaces in one.sentences)
            found.append({"document": one.id, "date": one.date.isoformat(), "title": one.title or "", "text": text})
    return found


def _spaced(words: list[str], spaces: list[bool]) -> str:
    return "".join(word + " " * space for word, space in zip(words, spaces, strict=True)).strip()


def _label(answer: Answer, actor: str) -> str:
    return UNCLEAR if answer.unclear else str(int(actor in answer.acting))
