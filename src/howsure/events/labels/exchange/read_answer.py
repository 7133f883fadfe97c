"""An answer as a file gives it, before the store was asked what its names mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from howsure.errors import InputError

NONE, UNCLEAR = ("none", "nobody", "no one"), ("unclear", "unsure")  # choices that name no actor


@dataclass(slots=True)
class ReadAnswer:
    """What a coder said of a document, by its id: whether each actor acts, by code or title.

    place: where in the file, for errors. closed: actors that are not in `says` were asked too and do not act; is_empty:
    nothing was chosen, not even that nobody acts.
    """

    place: str
    document: str
    coder: str | None
    says: dict[str, bool] = field(default_factory=dict)
    closed: bool = False
    is_empty: bool = False
    unclear: bool = False
    settles: bool = False
    stratum: str | None = None
    inclusion: float | None = None


def answer_by_choices(
    place: str, document: str, coder: str | None, choices: Iterable[str], *, offered: Iterable[str] = ()
) -> ReadAnswer:
    """An answer by the choices made, of those offered; choices such as "none" and "unclear" name no actor.

    Raises InputError if "none" or "unclear" was chosen with something else.
    """
    chosen = [one.strip() for one in choices]
    plain = [one for one in chosen if one.lower() not in (*NONE, *UNCLEAR)]
    if len(plain) < len(chosen) and len(chosen) > 1:
        raise InputError(f"{place} chose {' and '.join(map(repr, chosen))}; these exclude each other.")
    unclear = bool(chosen) and chosen[0].lower() in UNCLEAR
    others = [one.strip() for one in offered if one.strip().lower() not in (*NONE, *UNCLEAR)]
    says = dict.fromkeys(others, False) | dict.fromkeys(plain, True)
    return ReadAnswer(
        place, document, coder, {} if unclear else says, closed=True, is_empty=not chosen, unclear=unclear
    )


def id_in(record: Mapping[str, object], place: str, *, within: str = "") -> str:
    """The id of the document in a record, under the key "document".

    Raises InputError if there is none.
    """
    held = record.get("document")
    if isinstance(held, bool) or not isinstance(held, (str, int)) or not str(held).strip():
        keys = ", ".join(map(repr, list(record)[:8]))
        raise InputError(
            f"{place} must say which document it is of, under the key 'document'{within}; it has {keys}. Give it along "
            "when the texts go into the tool: howsure events labels sheet writes them so."
        )
    return str(held)
