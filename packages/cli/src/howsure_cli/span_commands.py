"""Propose commands for spans that raters marked in documents: a row for each span, or lists of spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

from howsure.data.column_roles import LISTS, ONE, SeenColumn
from howsure.files.input_files import parsed_json
from howsure.inputs.checks import is_missing
from howsure.inputs.numbers_and_names import parse_number
from howsure_cli.column_words import ITEMS, JUDGE, LABELS, RATERS, UNITS, words_in
from howsure_cli.typed_commands import Option, Proposal, TypedFiles

STARTS, ENDS = words_in("start begin"), words_in("end stop")
OTHER_ENDS = words_in("token time date year page line row ms seconds")  # not characters of a text
CATEGORIES = LABELS | words_in("entity tag type labels")
MARKERS = RATERS | JUDGE | words_in("completed_by user username coder")  # who marked spans
DOCUMENTS = ITEMS | UNITS | words_in("file filename")


class _Roles(NamedTuple):
    document: str
    rater: str
    start: str
    end: str
    category: str | None


def spans_in_rows(
    columns: Sequence[SeenColumn], rows: Sequence[Sequence[Any]], typed: TypedFiles
) -> Iterator[Proposal]:
    """The command for a table with a row for each span, or with a list of spans in each row."""
    names = [column.name for column in columns]
    if (roles := _spans_as_rows(names, rows)) is not None:
        yield _command(roles, typed)
    if typed.options.get("explode"):
        return
    candidates = list[tuple[_Roles, str]]()
    for column in columns:
        for path in _paths_of_lists(column, rows, names.index(column.name)):
            exploded = [*chain.from_iterable(_exploded(dict(zip(names, row, strict=True)), path) for row in rows)]
            inner = list(dict.fromkeys(name for row in exploded for name in row))
            table = [[row.get(name) for name in inner] for row in exploded]
            if (roles := _spans_as_rows(inner, table, below=path)) is not None:
                candidates.append((roles, path))
    for roles, path in sorted(candidates, key=lambda candidate: candidate[0].category is None)[:1]:  # not the tokens
        yield _command(roles, typed, explode=path)


def _command(roles: _Roles, typed: TypedFiles, **options: Option) -> Proposal:
    return typed.command("judge spans", **options, **roles._asdict())


def _spans_as_rows(names: Sequence[str], rows: Sequence[Sequence[Any]], *, below: str = "") -> _Roles | None:
    """The columns of spans and of their documents and raters; None for any other table, and for spans of a rater that
    overlap. below: the list that contains start and end."""
    words = {name: _words(name) for name in names}
    inside = [name for name in names if not below or name.startswith(f"{below}.")]
    outside = [name for name in names if name not in inside] if below else names
    start = next((name for name in inside if words[name] & STARTS and not words[name] & OTHER_ENDS), None)
    end = next((name for name in inside if words[name] & ENDS and not words[name] & OTHER_ENDS), None)
    if start is None or end is None or start == end:
        return None
    used = {start, end}
    marked_by = [name for name in outside if any(_words(part) & MARKERS for part in name.split("."))]
    rater = next((name for name in marked_by if name not in used), None)
    document = _document([name for name in outside if name not in {*used, rater}], names, rows, rater)
    categories = [name for name in inside if words[name] & CATEGORIES and name not in {*used, rater, document}]
    category = min(categories, key=lambda name: words[name] >= {"type"}, default=None)
    if rater is None or document is None:
        return None
    roles = _Roles(document, rater, start, end, category)
    return roles if _can_agree(roles, names, rows) else None


def _words(name: str) -> frozenset[str]:
    last = name.rsplit(".", 1)[-1]
    return SeenColumn(last, "", "", 0, 0, ()).words


def _document(
    candidates: Sequence[str], names: Sequence[str], rows: Sequence[Sequence[Any]], rater: str | None
) -> str | None:
    """The first column that names documents of which some have two raters, those named for a text before hashes."""
    if rater is None:
        return None
    who = names.index(rater)
    named = [name for name in candidates if _words(name) & DOCUMENTS or _words(name) & {"text", "input", "document"}]
    for name in sorted(named, key=lambda name: bool(_words(name) & {"text", "task"})):
        raters: dict[Any, set[Any]] = {}
        for row in rows:
            raters.setdefault(row[names.index(name)], set()).add(row[who])
        if None not in raters and any(len(marked) > 1 for marked in raters.values()):
            return name
    return None


def _can_agree(roles: _Roles, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether all positions are characters, and no spans of a rater and category overlap."""
    places = [names.index(name) for name in roles if name is not None]
    spans: dict[tuple[Any, ...], list[tuple[float, float]]] = {}
    for row in rows:
        document, rater, start, end, *category = (row[place] for place in places)
        ends = [None if is_missing(value) else parse_number(str(value)) for value in (start, end)]
        if ends == [None, None] and is_missing(start) and is_missing(end):
            continue
        first, after = ends
        if first is None or after is None or not 0 <= first < after or not (first.is_integer() and after.is_integer()):
            return False
        if is_missing(rater) or is_missing(document) or any(map(is_missing, category)):
            return False
        spans.setdefault((document, rater, *map(str, category)), []).append((first, after))
    overlap = any(a[1] > b[0] for marked in spans.values() for a, b in pairwise(sorted(marked)))
    return bool(spans) and not overlap


def _paths_of_lists(column: SeenColumn, rows: Sequence[Sequence[Any]], place: int) -> Iterator[str]:
    """The list of objects in a column, and lists in these objects, by their names."""
    if column.kind not in (LISTS, ONE) or not column.examples[0].startswith("["):
        return
    first = next((row[place] for row in rows if row[place] and row[place] != "[]"), "[]")
    try:
        elements = parsed_json(first)
    except ValueError:  # such as a list as Python prints it
        return
    yield column.name
    for element in elements[:1]:
        if isinstance(element, dict):
            yield from (f"{column.name}.{key}" for key, value in element.items() if isinstance(value, list))


def _exploded(row: Mapping[str, Any], path: str) -> Iterator[dict[str, Any]]:
    """The row of a table once for each element of a list, with the values of objects under names such as spans.start;
    without an element, the row itself."""
    name = path
    while name not in row:  # whose name may have points
        name = name.rpartition(".")[0]
    elements = parsed_json(row[name]) if row[name] else []
    others = {key: value for key, value in row.items() if key != name}
    for element in elements if isinstance(elements, list) else []:
        inner = path[len(name) + 1 :]
        if not inner:
            yield others | _leaves(name, element)
        elif isinstance(element, dict):
            outer = others | _leaves(name, {key: value for key, value in element.items() if key != inner})
            yield from (outer | _leaves(path, part) for part in element.get(inner) or [{}])
    if not elements:
        yield others


def _leaves(name: str, content: Any) -> dict[str, Any]:
    """The values in an object and the objects in it, by names such as annotations.result.value."""
    if not isinstance(content, dict):
        return {name: content}
    return {inner: value for key, part in content.items() for inner, value in _leaves(f"{name}.{key}", part).items()}
