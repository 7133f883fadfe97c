"""Queries on an events store: its settings, the origin of its events, rows, actors and periods."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median_low
from typing import Any, Protocol, TypeVar

import duckdb
import numpy.typing as npt

from howsure import __version__
from howsure.errors import InputError
from howsure.files.input_files import parsed_json
from howsure.inputs.numbers_and_names import nearest, shortened, unknown_name
from howsure.inputs.periods import (
    PERIODS,
    Day,
    as_date,
    check_span,
    find_period,
    period_end,
    period_length,
    period_start,
    periods_between,
)
from howsure_events.corpus import NO_ACTOR
from howsure_events.store.tables import VERSION

Settings = dict[str, Any]


# `settings` must be a table, since a view could compute without end. The schema is named in full, since a macro in the
# store could replace a function.
STORED = (
    "SELECT sql FROM system.main.duckdb_tables() "
    "WHERE schema_name = 'main' AND table_name = 'settings' AND NOT internal AND NOT temporary"
)
REMEDY = "Restore a copy, or extract the events again"
MAX_SAMPLES = 10**6
WORD_LISTS = ("verbs", "forms", "nouns", "described_by")


def read_settings(connection: duckdb.DuckDBPyConnection, path: Path, *, is_known_whole: bool = False) -> Settings:
    """Read and check the settings of an open store, by name.

    is_known_whole: whether its tables were found undamaged before. Raises InputError if there are no settings, the
    tables have another version, or a value is invalid.
    """
    try:
        statements = [] if is_known_whole else connection.execute(STORED).fetchall()
        if not is_known_whole and (len(statements) != 1 or "GENERATED ALWAYS" in statements[0][0]):
            raise ValueError("settings is not a table of values")
        rows = connection.execute("SELECT name, value FROM main.settings").fetchall()
        settings = {str(name): parsed_json(value, strict=True) for name, value in rows}
        version = settings["version"]
    except (duckdb.Error, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} is a DuckDB file, but not a store of events: it lacks the settings of a store."
        ) from error
    if type(version) is not int:
        raise InputError(f"{path} is damaged: the version in its settings is not a whole number. {REMEDY}.")
    if version > VERSION:
        raise InputError(
            f"{path} was written by a newer howsure ({settings.get('howsure')}; version {version} of the tables, not "
            f"{VERSION}). Update howsure to read it."
        )
    if version < VERSION:
        raise InputError(
            f"{path} was written by an older howsure ({settings.get('howsure')}; version {version} of the tables, not "
            f"{VERSION}). Extract the events again."
        )
    for name, (is_right, rule) in RULES.items():
        if name in settings and not is_right(settings[name]):
            shown = json.dumps(settings[name], ensure_ascii=False)[:80]
            raise InputError(
                f"{path} is damaged: in its settings, {name} must be {rule}; it is {shown}. Restore a copy."
            )
    return settings


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_text_or_object(value: object) -> bool:
    return isinstance(value, str | dict)


def _are_titles(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(title, str) for title in value.values())


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(map(_is_text, pair)) for pair in value
    )


def _is_rule(value: object) -> bool:
    """Return whether the value describes a rule: a name, and lists of strings in the fields for words."""
    if not isinstance(value, dict) or not isinstance(value.get("name", ""), str):
        return False
    lists = [value[name] for name in WORD_LISTS if value.get(name) is not None]
    return all(isinstance(words, list) and all(map(_is_text, words)) for words in lists)


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _are_filters(value: object) -> bool:
    return isinstance(value, dict) and all(item is None or isinstance(item, str | bool) for item in value.values())


def _is_seed(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_part(value: object) -> bool:
    """Whether a value describes a part of an input: its number, the number of parts, and the number of documents."""
    if not isinstance(value, dict) or value.keys() != {"number", "of", "documents"}:
        return False
    number, of, documents = (value[name] for name in ("number", "of", "documents"))
    return (
        all(type(count) is int for count in (number, of, documents)) and 1 <= number <= of and of > 1 and documents >= 0
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 1 <= value <= MAX_SAMPLES


RULES: dict[str, tuple[Callable[[object], bool], str]] = {
    "samples": (_is_count, f"a whole number from 1 to {MAX_SAMPLES:,}"),
    "finished": (lambda value: isinstance(value, bool), "true or false"),
    "howsure": (_is_text, "a version"),
    "actors": (_are_titles, "titles by code"),
    "names": (_are_names, "pairs of a code and a name"),
    "rule": (_is_rule, "a rule with its name and lists of words"),
    "seed": (_is_seed, "a whole number, 0 or more"),
    "part": (_is_part, "the number of a part, that of parts, and that of all documents"),
    "filters": (_are_filters, "an object of texts and truth values"),
    "stories": (_is_object, "an object"),
    "imported": (_is_object, "an object"),
    "parser": (_is_text_or_object, "a text or an object"),
    "lexicon": (_is_text_or_object, "a text or an object"),
    "model": (_is_text_or_object, "a text or an object"),
}


def rule_event(rule: Mapping[str, Any]) -> str:
    """Return the name of a rule's event with its words; rule: plain values.

    >>> rule_event({"name": "bombing", "forms": ["bombed", "shelled"], "nouns": ["bombing"]})
    'bombing (bombed, shelled, bombing)'
    """
    name = str(rule.get("name") or "an event without a name")
    words = list(dict.fromkeys(word for field in ("verbs", "forms", "nouns") for word in rule.get(field) or ()))
    rule_words = words or ([f"function {rule['function']}"] if rule.get("function") else [])
    return f"{name} ({', '.join(rule_words)})" if rule_words else name


ENTITIES = "entities"  # a unit of counts
COREFERENCE = (
    "coreference only: which mentions refer to the same entity. The texts, their parse, the names of the actors and "
    "the rule are taken as given."
)
IMPORTED = (
    "the imported probabilities only: the model that gave them is taken as calibrated. What it misses or mistakes "
    "throughout is not included. Samples were drawn from the probabilities, as if the actors of a document were "
    "independent."
)
AnySettings = Mapping[str, Any]


def is_imported(settings: AnySettings) -> bool:
    """Return whether the events were imported from another model.

    Their samples were drawn from the model's probabilities, and there are no mentions and no evidence.
    """
    return settings.get("imported") is not None


def known_units(settings: AnySettings, units: Iterable[str]) -> list[str]:
    """Return those of `units` in which the events of a store can be counted; imported events have no entities."""
    return [unit for unit in units if not (unit == ENTITIES and is_imported(settings))]


def check_unit_known(settings: AnySettings, unit: str) -> None:
    """Raise InputError for the unit "entities" if only probabilities of documents were imported."""
    if unit not in known_units(settings, [unit]):
        raise InputError(
            "unit must be documents or share: the events of this store were imported, without the entities that act."
        )


Columns = dict[str, npt.NDArray[Any]]
Parameters = Mapping[str, Any] | Sequence[Any]
# errors in the query itself; all others mean that the file is damaged
PROGRAMMING_ERRORS = (duckdb.ProgrammingError, duckdb.PermissionException)
DATED = (
    f"SELECT date FROM documents UNION ALL SELECT date FROM left_out WHERE reason = '{NO_ACTOR}' AND date IS NOT NULL"
)
FETCHED = 1_000  # rows read at a time
ADVICE = "Restrict the days (since and until), or leave the other documents out of the store: howsure events recount."
Facts = dict[tuple[Any, ...], Any]
Answer = TypeVar("Answer")


class Store(Protocol):
    """An open events store, as far as queries need it: its path, its connection and its settings."""

    @property
    def path(self) -> Path:
        """The file of the store."""

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The open database."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the store, by name."""

    facts: Facts | None  # a cache of answers about the whole store; None if they are not cached


def query_rows(store: Store, query: str, **parameters: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a query with `$name` parameters. Each query has its own cursor, so threads can use a store."""
    with run_query(store, query, parameters) as answer:
        return answer.fetchall()


def query_columns(store: Store, query: str, **parameters: Any) -> Columns:
    """Return the columns of a query as arrays by name; see `query_rows`."""
    with run_query(store, query, parameters) as answer:
        return answer.fetchnumpy()


def iterate_rows(store: Store, query: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query, with only a few in memory at a time; see `query_rows`."""
    with run_query(store, query, {}) as answer:
        while rows := answer.fetchmany(FETCHED):
            yield from rows


@contextmanager
def remember_answers(store: Store) -> Iterator[None]:
    """A context in which queries about the whole store are cached, if the store is open for reading only."""
    is_outermost = store.facts is None and is_for_reading(store)
    if is_outermost:
        store.facts = {}
    try:
        yield
    finally:
        if is_outermost:
            store.facts = None


def query_facts(store: Store, query: str, **parameters: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a query about the whole store, cached in a context of `remember_answers`."""
    key = (query, *sorted(parameters.items()))
    return list(remembered_answer(store, key, lambda: query_rows(store, query, **parameters)))


def remembered_answer(store: Store, key: tuple[Any, ...], find: Callable[[], Answer]) -> Answer:
    """Return the result of `find`, a function about the whole store, cached by `key`; see `remember_answers`."""
    cache = {} if store.facts is None else store.facts
    if key not in cache:
        cache[key] = find()
    value: Answer = cache[key]
    return value


@contextmanager
def run_query(store: Store, query: str, parameters: Parameters) -> Iterator[duckdb.DuckDBPyConnection]:
    """A context that gives the cursor of an executed query, whose rows can be fetched."""
    try:
        with store.connection.cursor() as cursor:
            yield cursor.execute(query, parameters)
    except (duckdb.Error, UnicodeDecodeError) as error:
        if _is_closed(store):
            raise closed_store(store.path) from error
        if isinstance(error, PROGRAMMING_ERRORS):
            raise
        reason = str(error).strip().partition("\n")[0].rstrip(".")[:300]
        raise InputError(f"the store is damaged or truncated: {reason}. Restore a copy.") from error


def _is_closed(store: Store) -> bool:
    """Return whether the store was closed, which may happen while rows are being fetched."""
    try:
        store.connection.cursor().close()
    except duckdb.ConnectionException:
        return True
    return False


def closed_store(path: Path) -> InputError:
    """Return the error for a store that is queried or changed after it was closed."""
    return InputError(f"the store {path} is closed; open it again with EventStore.open.")


def is_for_reading(store: Store) -> bool:
    """Return whether a store is open for reading only, so that the results of queries cannot change."""
    query = "SELECT readonly FROM system.main.duckdb_databases() WHERE database_name = current_database()"
    return bool(query_rows(store, query)[0][0])


def number_of_samples(store: Store) -> int:
    """Return the number of clusterings sampled per document."""
    if not hasattr(store, "settings"):
        raise InputError(f"store must be an open store, as EventStore.open(path) gives; it is {store!r}.")
    samples = store.settings.get("samples")
    if not isinstance(samples, int) or samples < 1:
        raise InputError(f"the settings of the store must contain the number of samples; it is {samples!r}.")
    return samples


def actor_title(store: Store, actor: str) -> str:
    """Return the title of an actor's code; the code itself if the store has no title for it."""
    titles: Mapping[str, str] = store.settings.get("actors") or {}
    return titles.get(actor, actor)


def acting_actors(store: Store) -> dict[str, tuple[int, float]]:
    """Return for each actor the number of documents in which it may act, and the expected number.

    Actors are sorted by decreasing expected number.
    """
    rows = query_facts(
        store,
        "SELECT actor, count(*), sum(probability) AS expected FROM events GROUP BY actor ORDER BY expected DESC, actor",
    )
    return {actor: (int(documents), float(expected)) for actor, documents, expected in rows}


def chosen_actors(store: Store, actors: Sequence[str] | None) -> tuple[str, ...]:
    """Return the codes of the requested actors without repetition, or of all that act, by decreasing expected count.

    actors: codes or titles from the lexicon, ignoring case; None means all actors that act.
    """
    acting = list(acting_actors(store))
    if actors is None and not acting:
        first_and_last(store)
        raise InputError("the store contains no event: no actor acts in any document. Check the rule and the lexicon.")
    if actors is None:
        return tuple(acting)
    if isinstance(actors, str) or not actors:
        raise InputError(f"actors must be a list of codes, such as {acting[:2]}; it is {actors!r}.")
    known_codes = list(dict.fromkeys([*acting, *(store.settings.get("actors") or {})]))
    return tuple(dict.fromkeys(_code(store, actor, known_codes) for actor in actors))


def _code(store: Store, actor: str, known_codes: Sequence[str]) -> str:
    """Return the code of an actor given by code or title."""
    if actor in known_codes:
        return actor
    candidates = [code for code in known_codes if actor.lower() in (code.lower(), actor_title(store, code).lower())]
    if len(candidates) > 1:
        raise InputError(f"{actor} may be {' or '.join(candidates)}; give the code.")
    if not candidates:
        titles = [actor_title(store, code) for code in known_codes]
        near = nearest(actor, [*known_codes, *titles])
        code = near if near in known_codes else known_codes[titles.index(near)] if near else None
        meaning = f" Did you mean {code} ({actor_title(store, code)})?" if code else ""
        raise InputError(f"no actor {actor!r} in the store; it has {shortened(known_codes)}.{meaning}")
    return candidates[0]


def checked_length(period: str) -> str:
    """Return `period` if it is a valid length of period."""
    if period not in PERIODS:
        raise unknown_name("length of period", period, PERIODS, place="howsure")
    return period


def first_and_last(store: Store) -> tuple[datetime.date, datetime.date]:
    """Return the dates of the first and the last document, including those left out because they name no actor."""
    first, last = query_facts(store, f"SELECT min(date), max(date) FROM ({DATED})")[0]
    if first is None:
        raise InputError("the store has no document: no document of the input was kept, or none was read yet.")
    return first, last


def documents_by_period(
    store: Store, period: str, *, since: Day | None = None, until: Day | None = None
) -> dict[str, int]:
    """Return the number of documents in each period, for all periods from the first to the last document.

    Documents left out because they name no actor are included: they were examined, and have no event. since, until: the
    first and the last requested day.
    """
    checked_length(period)
    low, high = requested_days(since, until)
    source = f"FROM ({DATED}) WHERE date BETWEEN $low AND $high"
    first, last = query_facts(store, f"SELECT min(date), max(date) {source}", low=low, high=high)[0]
    if first is None:
        first, last = first_and_last(store)
        raise InputError(f"the store has no document from {low} to {high}; its documents are of {first} to {last}.")
    check_span(first, last, period=period, advice=ADVICE)
    grouped = f"SELECT date_trunc('{period}', date)::DATE, count(*) {source} GROUP BY ALL"
    counts = {find_period(start, period=period): int(n) for start, n in query_facts(store, grouped, low=low, high=high)}
    return {label: counts.get(label, 0) for label in periods_between(str(first), str(last), period=period)}


MAX_DAYS_WITHOUT = 2  # at the end of a month, quarter or year, such as a weekend


def incomplete_periods(store: Store, periods: Sequence[str], since: Day | None, until: Day | None) -> tuple[str, ...]:
    """Return the periods that may be incomplete, because the documents, or the requested days, begin or end in them.

    Documents begin or end in a period if it has more days without documents there than half of the other periods, and
    more than two (in a week, more than none).
    """
    length, (low, high) = period_length(periods[0]), requested_days(since, until)
    requested = f"FROM ({DATED}) WHERE date BETWEEN $low AND $high"
    query = f"SELECT min(date), max(date) {requested} GROUP BY date_trunc('{length}', date) ORDER BY 1"
    days = query_facts(store, query, low=low, high=high)
    before = [(first - period_start(find_period(first, period=length))).days for first, _ in days[1:]]
    after = [(period_end(find_period(last, period=length)) - last).days for _, last in days[:-1]]
    usual_before, usual_after = (
        datetime.timedelta(max(0 if length == "week" else MAX_DAYS_WITHOUT, median_low(gaps or [0])))
        for gaps in (before, after)
    )
    first, last = first_and_last(store)
    begin = low if first < low else first - min(usual_before, first - datetime.date.min)
    end = high if last > high else last + min(usual_after, datetime.date.max - last)
    return tuple(period for period in periods if period_start(period) < begin or period_end(period) > end)


def requested_days(since: Day | None, until: Day | None) -> tuple[datetime.date, datetime.date]:
    """Return the first and the last requested day as dates; None means no limit."""
    low, high = as_date(since, name="since"), as_date(until, name="until")
    if low is not None and high is not None and high < low:
        raise InputError(f"until must not be before since; they are {high} and {low}.")
    return low or datetime.date.min, high or datetime.date.max


def period_bounds(store: Store, at: str) -> tuple[datetime.date, datetime.date]:
    """Return the first and the last day of a period of the store."""
    periods = list(documents_by_period(store, period_length(at)))
    if at not in periods:
        raise unknown_name("period", at, periods, place="the store")
    return period_start(at), period_end(at)


def store_recipe(store: Store, **options: Any) -> dict[str, Any]:
    """Return the recipe of a result: its options, the uncertainty it includes, and the settings of the store."""
    return {
        "howsure": __version__,
        **options,
        "event": counted_event(store),
        "uncertainty": IMPORTED if is_imported(store.settings) else COREFERENCE,
        "store": recorded_settings(store),
    }


def recorded_settings(store: Store) -> dict[str, Any]:
    """Return the settings of the store without the names and titles of all actors."""
    return {name: value for name, value in store.settings.items() if name not in ("actors", "names")}


def is_topic(event: str, actors: Sequence[str]) -> bool:
    """Return whether the only "actor" is the event itself, as in scores imported for a single yes/no question.

    >>> is_topic("Protest", ["p_protest"]), is_topic("Protest", ["Police"])
    (True, False)
    """
    return len(actors) == 1 and event.casefold() in actors[0].casefold()


def counted_event(store: Store) -> str:
    """Return the counted event: the name of the store's rule, and the words that it looks for.

    >>> from howsure_events import example_store
    >>> with example_store() as store:
    ...     counted_event(store)
    'attack (attack, attacks, attacked, attacking)'
    """
    return rule_event(store.settings.get("rule") or {})
