"""Import and export of labels. Imported documents must have been drawn by a known sampling design."""

from __future__ import annotations

import datetime
import json
import os
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from howsure import __version__
from howsure.counts.sampling_design import Elements, read_draw
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted, unknown_name
from howsure.show.table import Table, all_digits, in_a_spreadsheet
from howsure_events.labels.answers import (
    Answer,
    Labelling,
    current_answers,
    current_settlements,
    find_labelling,
    reading_order,
    require_labelling,
)
from howsure_events.labels.coders import CoderNames, clean_coder_name, coder_names, group_spellings, merged_notes
from howsure_events.labels.draw_documents import ALL, checked_question, rule_question
from howsure_events.labels.label_files import COLUMNS, INCLUSION, LABEL, STRATUM, UNCLEAR, ReadAnswer, read_labels
from howsure_events.store.documents import stored_documents
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import Store, chosen_actors, query_rows


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import: the numbers of new answers, of already stored answers (known) and of documents.

    unlabelled: the number of drawn documents whose labels are still empty in the file.
    merged_coders: all spellings of each coder whom the file and the store spell in several ways.
    """

    added: int
    known: int
    documents: int
    coders: tuple[str, ...]
    design: str
    merged_coders: tuple[tuple[str, ...], ...] = ()
    unlabelled: int = 0

    def __str__(self) -> str:
        summary = (
            f"{counted(self.added, 'answer')} to {counted(self.documents, 'document')} by {', '.join(self.coders)}"
        )
        known_text = f"; {self.known:,} were in the store already" if self.known else ""
        known_text += f"; {counted(self.unlabelled, 'document')} not labelled yet" if self.unlabelled else ""
        return "\n".join([summary + known_text, *merged_notes(self.merged_coders)])


IMPORTED_DESIGNS = ("simple", "census")
WHY = (
    "labels of documents that were not drawn at random cannot correct a count. Give `design='simple'` if they were "
    "drawn at random from all documents of the store, `design='census'` if they are all of them, or give the "
    "inclusion probability of each in a column inclusion"
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
    pos_label: Hashable = None,
    encoding: str | None = None,
) -> ImportReport:
    """Add the labels of a file to a store: all of them, or none if one is invalid.

    path: CSV with the columns document (an id), actor, label (1, 0 or unclear; empty if not
    labelled yet) and optionally coder, or JSON exported
    by Label Studio. coder: the coder of all labels; required if the file names none. If the store has drawn documents,
    only these may be labelled. Otherwise the file needs a column inclusion, or `design` must say how its documents were
    drawn: "simple" (a simple random sample of the stored documents) or "census" (all stored documents).
    actors: the actors that coders were asked about, if the file does not name those that never act. question: what
    coders were asked; by default made from the rule. pos_label: the label that counts as 1, if a CSV has two other
    labels than 1 and 0. encoding: the file's encoding, such as windows-1252 (default: UTF-8).

    Raises InputError naming the line or task of the file, the value, and what to do.
    """
    answers = read_labels(path, encoding=encoding, pos_label=pos_label)
    labelling, codes = find_labelling(store), _codes(store, answers)
    if labelling is None:
        named = list(dict.fromkeys(codes[name] for answer in answers for name in answer.says))
        if actors is None and not named:
            raise InputError("the labels name no actor. Name the actors that coders were asked about: `actors=...`.")
        chosen = chosen_actors(store, named if actors is None else list(actors))
        question = rule_question(store.settings.get("rule") or {}, chosen) if question is None else question
        labelling = Labelling(checked_question(question), chosen, "", "none", ())
    elif design is not None or question is not None or actors is not None:
        raise InputError(
            "design, actors and question were set when documents were drawn; leave them out, or import into a store "
            "without labels."
        )
    numbers = _numbers(store, answers)
    spellings = [name for person in coder_names(store).spellings for name in person]
    in_file = [
        clean_coder_name(name) for answer in answers if (name := answer.coder if coder is None else coder) is not None
    ]
    names = group_spellings([*spellings, *in_file])
    answers_given = _file_answers(answers, codes, numbers, labelling, coder, names)
    settings = None if labelling.draws else _settings(store, answers, numbers, labelling, design, os.fspath(path))
    if settings is None:
        _check_drawn(store, answers, numbers)
    added, n_known = _new_answers(store, answers_given)
    _write(store, added, settings, {numbers[answer.document]: answer.inclusion for answer in answers})
    coders = sorted({name for _, name, _ in answers_given})
    documents = len({document for document, _, _ in answers_given})
    stored_design = labelling.design or str((settings or {})["design"])
    merged = tuple(person for person in names.merged if person[0] in coders)
    unlabelled = len({numbers[answer.document] for answer in answers if answer.unlabelled})
    return ImportReport(len(added), n_known, documents, tuple(coders), stored_design, merged, unlabelled)


def _codes(store: Store, answers: Sequence[ReadAnswer]) -> dict[str, str]:
    """Return the code of each actor that the file names by code or title."""
    places = {name: answer.place for answer in reversed(answers) for name in answer.says}
    codes = {}
    for name, place in places.items():
        try:
            codes[name] = chosen_actors(store, [name])[0]
        except InputError as error:
            raise error.inside(place) from error
    return codes


def _numbers(store: Store, answers: Sequence[ReadAnswer]) -> dict[str, int]:
    """Return the store's number of each document, by its id as the file writes it."""
    ids = {str(name): number for number, name in query_rows(store, "SELECT document, id FROM documents")}
    number_by_name = ids | {in_a_spreadsheet(name): number for name, number in ids.items()}
    lost = [answer for answer in answers if answer.document not in number_by_name]
    if lost:
        first = lost[0]
        reason = query_rows(store, "SELECT reason FROM left_out WHERE id = $id", id=first.document)
        why = f"it was left out of the store: {reason[0][0]}" if reason else "no document of the store has this id"
        raise InputError(
            f"{first.place} labels document {first.document!r}, but {why} ({counted(len(lost), 'such answer')}). "
            "Remove such answers."
        )
    return {answer.document: number_by_name[answer.document] for answer in answers}


def _file_answers(
    answers: Sequence[ReadAnswer],
    codes: Mapping[str, str],
    numbers: Mapping[str, int],
    labelling: Labelling,
    coder: str | None,
    names: CoderNames,
) -> dict[Key, tuple[list[str], bool]]:
    """Return the acting actors and whether the text is unclear, by document and coder."""
    answers_by_key: dict[Key, tuple[list[str], bool]] = {}
    for answer in answers:
        if answer.unlabelled:
            continue
        name = answer.coder if coder is None else coder
        if name is None:
            raise InputError(f"{answer.place} does not name its coder; name one: `coder='anna'`.")
        acts_by_code = {codes[name]: acts for name, acts in answer.says.items()}
        if len(acts_by_code) < len(answer.says):
            raise InputError(f"{answer.place}: an actor is named twice in {answer.document!r}, by code and by title.")
        for code in acts_by_code:
            if code not in labelling.actors:
                raise InputError(
                    f"{answer.place}: {unknown_name('actor', code, labelling.actors, place='the question')}"
                )
        lacking = (
            [] if answer.closed or answer.unclear else [code for code in labelling.actors if code not in acts_by_code]
        )
        if lacking:
            raise InputError(
                f"{answer.place} and later lines have no label of {lacking[0]} in {answer.document!r}; give 1 or 0 "
                "for each actor that coders were asked about."
            )
        who = names.name(clean_coder_name(name))
        key = numbers[answer.document], who, answer.settles
        if key in answers_by_key:
            spelled = "" if name == who else f", who is also spelled {name!r},"
            raise InputError(
                f"{answer.place} answers {answer.document!r} for {who}{spelled} again; each coder may answer a "
                "document once."
            )
        acting = [code for code in labelling.actors if acts_by_code.get(code) and not answer.unclear]
        answers_by_key[key] = acting, answer.unclear
    return answers_by_key


def _settings(
    store: Store,
    answers: Sequence[ReadAnswer],
    numbers: Mapping[str, int],
    labelling: Labelling,
    design: str | None,
    path: str,
) -> dict[str, Any]:
    """Return the settings of the draw that the file's documents come from."""
    if design is not None and design not in IMPORTED_DESIGNS:
        raise unknown_name("design", design, IMPORTED_DESIGNS, place="imports of labels")
    with_chance = [answer for answer in answers if answer.inclusion is not None]
    if design is None and not with_chance:
        raise InputError(
            f"the store has no draw of documents, and {path} does not say how its documents were drawn: {WHY}."
        )
    if design is None and len(with_chance) < len(answers):
        lacking = next(answer for answer in answers if answer.inclusion is None)
        raise InputError(f"{lacking.place}: inclusion is missing; give the inclusion probability of each document.")
    if len({(answer.document, answer.inclusion) for answer in with_chance}) > len(
        {answer.document for answer in with_chance}
    ):
        raise InputError(f"{path}: inclusion must be the same in all rows of a document.")
    stored = int(query_rows(store, "SELECT count(*) FROM documents")[0][0])
    n_read = len(set(numbers.values()))
    if design is None:
        _check_chances({answer.document: answer.inclusion for answer in answers}, stored, path)
    if design == "census" and n_read < stored:
        raise InputError(
            f"`design='census'` needs labels of all {stored:,} documents of the store; {path} labels {n_read:,}. If "
            "these were drawn at random, use `design='simple'`."
        )
    return {
        "question": labelling.question,
        "actors": list(labelling.actors),
        "labels": n_read,
        "design": design or "chances",
        "period": "none",
        "strata": "none",
        "seed": None,
        "howsure": __version__,
        "drawn": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "imported": Path(path).name,
    }


def _check_chances(chances: Mapping[str, float | None], stored: int, path: str) -> None:
    """Raise InputError if the inclusion probabilities are impossible for a draw from the stored documents."""
    chances_by_row = dict(enumerate(chances.values()))
    try:
        elements = Elements(stored, None, "documents")
        read_draw(elements, np.arange(len(chances_by_row)), strata=None, inclusion=chances_by_row)
    except InputError as error:
        raise error.inside(f"{path} does not fit the store") from error


def _check_drawn(store: Store, answers: Sequence[ReadAnswer], numbers: Mapping[str, int]) -> None:
    """Raise InputError if a document was not drawn, or its stratum in the file differs from that in the store."""
    drawn = {number for (number,) in query_rows(store, "SELECT document FROM label_sample")}
    strata = dict(query_rows(store, "SELECT document, stratum FROM label_strata"))
    for answer in answers:
        number = numbers[answer.document]
        if number not in drawn:
            raise InputError(
                f"{answer.place} labels document {answer.document!r}, which was not drawn in the store: labels of "
                "documents that were not drawn cannot correct a count. Remove them."
            )
        stratum = strata.get(number)
        if (
            answer.stratum is not None
            and stratum is not None
            and answer.stratum not in (stratum, in_a_spreadsheet(stratum))
        ):
            raise InputError(
                f"{answer.place}: the stratum of {answer.document!r} is {stratum!r} in the store, and "
                f"{answer.stratum!r} in the file. Does the file belong to another draw?"
            )


def _new_answers(
    store: Store, answers_given: Mapping[Key, tuple[list[str], bool]]
) -> tuple[dict[Key, tuple[list[str], bool]], int]:
    """Return the answers that are not in the store yet, and the number of those that are."""
    stored: dict[Key, tuple[list[str], bool]] = {}
    if find_labelling(store) is not None:
        for settles, answers in ((False, current_answers(store)), (True, current_settlements(store))):
            stored |= {
                (answer.document, answer.coder, settles): (list(answer.acting), answer.unclear) for answer in answers
            }
    for key, answer in answers_given.items():
        if key in stored and stored[key] != answer:
            raise InputError(
                f"{key[1]} answered document {key[0]} of the store already, and differently; name another coder for "
                "the file."
            )
    return {key: answer for key, answer in answers_given.items() if key not in stored}, sum(
        key in stored for key in answers_given
    )


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
        names, revisions = coder_names(store), dict[tuple[int, str], int]()
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
                    "revision": [
                        revisions.get((document, "" if settles else coder), 0) + 1 for document, coder, settles in keys
                    ],
                    "given": [datetime.datetime.now(datetime.UTC).replace(tzinfo=None)] * n,
                }
            }
        )


def _draw_rows(
    store: Store, settings: Mapping[str, Any], chances: Mapping[int, float | None]
) -> dict[str, dict[str, Any]]:
    everything = [number for (number,) in query_rows(store, "SELECT document FROM documents ORDER BY document")]
    documents = sorted(chances)
    by_chance = settings["design"] == "chances"
    rows: dict[str, dict[str, Any]] = {
        "label_draw": {"draw": [1], "settings": [json.dumps(settings)]},
        "label_sample": {
            "document": documents,
            "draw": [1] * len(documents),
            "position": list(range(1, len(documents) + 1)),
            "inclusion": [
                chances[document] if by_chance else len(documents) / len(everything) for document in documents
            ],
        },
    }
    if not by_chance:
        rows["label_strata"] = {"document": everything, "stratum": [ALL] * len(everything)}
    return rows


FETCHED = 256  # documents read from the store at a time


def label_table(store: Store) -> Table:
    """Return all current answers: a row per document, actor and coder in reading order, then the settlements.

    `import_labels` can read the table as CSV. Raises InputError if no document was drawn.
    """
    labelling = require_labelling(store)
    reading_position = {number: position for position, number in enumerate(reading_order(store))}
    name_and_date = {
        number: (name, day) for number, name, day in query_rows(store, "SELECT document, id, date FROM documents")
    }
    strata = dict(query_rows(store, "SELECT document, stratum FROM label_strata"))
    chances = dict(query_rows(store, "SELECT document, inclusion FROM label_sample"))
    entries = [(answer, "0") for answer in current_answers(store)] + [
        (answer, "1") for answer in current_settlements(store)
    ]
    rows = []
    for answer, settles in sorted(
        entries, key=lambda pair: (pair[1], reading_position[pair[0].document], pair[0].coder)
    ):
        name, day = name_and_date[answer.document]
        drawn = [strata.get(answer.document, ""), all_digits(chances[answer.document])]
        rows += [
            [name, str(day), actor, _label(answer, actor), answer.coder, *drawn, settles] for actor in labelling.actors
        ]
    return Table(list(COLUMNS), rows, words=["document", "date", "actor", "coder", "stratum"])


READINGS = ("document", "date", "actor", "score", LABEL, "second", "settled", STRATUM, INCLUSION)
SCORED = """
    SELECT d.document, d.id, d.date, coalesce(s.stratum, ''), e.probability FROM documents d
    LEFT JOIN label_strata s USING (document)
    LEFT JOIN (SELECT * FROM events WHERE actor = $actor) e USING (document) ORDER BY d.document"""


def readings_table(store: Store) -> Table:
    """Return a row for each stored document and actor, labelled or not: the input of `howsure.estimate_counts`.

    score: the probability that the actor acts. label: the label by the document's first coder, the one who answered the
    most documents; empty if that answer is unclear or there is none. second: the label by another coder. settled: the
    settled label, if the two differ. To estimate an actor's counts, pass that actor's rows with `strata`, or with
    `inclusion` if the labels were imported with inclusion probabilities.
    """
    labelling = require_labelling(store)
    chances = dict(query_rows(store, "SELECT document, inclusion FROM label_sample"))
    answers, times = current_answers(store), Counter(answer.coder for answer in current_answers(store))
    answers_by_document: dict[int, list[Answer]] = {}
    for answer in sorted(answers, key=lambda answer: (-times[answer.coder], answer.coder)):
        answers_by_document.setdefault(answer.document, []).append(answer)
    answers_by_document = {
        number: list(takewhile(lambda answer: not answer.unclear, document_answers[:2]))
        for number, document_answers in answers_by_document.items()
    }
    settled = {settlement.document: settlement for settlement in current_settlements(store) if not settlement.unclear}
    rows = []
    for actor in labelling.actors:
        for number, name, day, stratum, score in query_rows(store, SCORED, actor=actor):
            labels = [_label(answer, actor) for answer in answers_by_document.get(number, [])] + ["", ""]
            last = _label(settled[number], actor) if number in settled and "" != labels[1] != labels[0] else ""
            chance = all_digits(chances[number]) if number in chances else ""
            rows.append([name, str(day), actor, all_digits(score or 0.0), *labels[:2], last, stratum, chance])
    return Table(list(READINGS), rows, words=["document", "date", "actor", "stratum"])


def reading_sheet(store: Store) -> list[dict[str, Any]]:
    """Return the drawn documents in reading order, to be labelled in another tool: document (id), date, title, text."""
    require_labelling(store)
    order, rows = reading_order(store), []
    for start in range(0, len(order), FETCHED):
        stored = stored_documents(store, order[start : start + FETCHED])
        for number in order[start : start + FETCHED]:
            document = stored[number]
            text = " ".join(_spaced(words, spaces) for words, spaces in document.sentences)
            rows.append(
                {
                    "document": document.id,
                    "date": document.date.isoformat(),
                    "title": document.title or "",
                    "text": text,
                }
            )
    return rows


def _spaced(words: list[str], spaces: list[bool]) -> str:
    return "".join(word + " " * space for word, space in zip(words, spaces, strict=True)).strip()


def _label(answer: Answer, actor: str) -> str:
    return UNCLEAR if answer.unclear else str(int(actor in answer.acting))
