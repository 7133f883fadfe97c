"""The tables of an events store, as anyone can query them, and their columns as Arrow arrays and packed samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import nanoarrow
import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Bools

# The tables of an events store: a DuckDB file that anyone can open and query.
#
# All random draws are stored, so that every number of a series, a figure or the page can be recomputed from the tables.

VERSION = 4  # of the tables; a store of another version is refused
EVENT_TABLES = {
    # What made the store, a JSON value each: version, howsure, finished (whether all of the input is in it), input,
    # parser, rule, lexicon, names (pairs of a code and a name, all that the lexicon holds), actors (codes and titles),
    # model, samples, seed, filters, stories (how documents of one story are found), and, where a store holds a part of
    # its input only, part (its number, of how many, and the documents of all parts).
    "settings": """
        name VARCHAR PRIMARY KEY,
        value VARCHAR NOT NULL""",
    # Each document kept. `document` is its position in the input, from 0, counting those left out. `story` is its
    # story according to a column of the input.
    "documents": """
        document BIGINT PRIMARY KEY,
        id VARCHAR UNIQUE NOT NULL,
        date DATE NOT NULL,
        title VARCHAR,
        category VARCHAR,
        story VARCHAR,
        words BIGINT NOT NULL,
        mentions BIGINT NOT NULL""",
    # Documents of the input that are not kept, and why: 'no date', 'category', 'empty', 'no actor', 'too long'
    # (howsure_events.corpus.REASONS).
    "left_out": """
        document BIGINT PRIMARY KEY,
        id VARCHAR NOT NULL,
        date DATE,
        reason VARCHAR NOT NULL""",
    # Documents that report the same story as others, such as reprints, and the first document of that story: their
    # events are the same or nearly so, and do not count as independent. Only of documents with an event in some
    # sample, known when the store is finished; a document that is not here is a story of its own.
    "stories": """
        document BIGINT PRIMARY KEY,
        story BIGINT NOT NULL""",
    # The words, whether a space follows each, and the parse: a layer that the parser does not give is null. `heads` are
    # positions from 0, -1 for the root. Sentences are numbered from 0 in each document.
    "sentences": """
        document BIGINT NOT NULL,
        sentence INTEGER NOT NULL,
        words VARCHAR[] NOT NULL,
        spaces BOOLEAN[] NOT NULL,
        lemmas VARCHAR[],
        tags VARCHAR[],
        universal_tags VARCHAR[],
        features VARCHAR[],
        heads INTEGER[],
        relations VARCHAR[],
        speaker VARCHAR,
        addressee VARCHAR""",
    # Mentions in text order, words start to stop - 1 of a sentence; what describes each, and the event word if it acts
    # (in a document in which none acts, what describes them is not looked for).
    "mentions": """
        document BIGINT NOT NULL,
        mention INTEGER NOT NULL,
        sentence INTEGER NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        head INTEGER NOT NULL,
        actors VARCHAR[] NOT NULL,
        verb INTEGER""",
    # P(mention j picks antecedent k); antecedent = mention means that it is new. Rows of a mention sum to 1.
    # Only of documents in which some mention acts and some is described as an actor, as in all tables below.
    "antecedents": """
        document BIGINT NOT NULL,
        mention INTEGER NOT NULL,
        antecedent INTEGER NOT NULL,
        probability DOUBLE NOT NULL""",
    # The S sampled clusterings: S rows of M unsigned 16-bit integers (little-endian), the first mention of each entity.
    "clusterings": """
        document BIGINT PRIMARY KEY,
        samples BLOB NOT NULL,
        best BLOB NOT NULL""",
    # For each actor that acts in some sample or in the 1-best clustering: in which share of the samples, in which
    # (S bits, the first sample is the lowest bit of the first byte), how many of its entities act in each
    # (S unsigned bytes), whether it does in the 1-best clustering, and how many of its entities do there.
    "events": """
        document BIGINT NOT NULL,
        actor VARCHAR NOT NULL,
        probability DOUBLE NOT NULL,
        samples BLOB NOT NULL,
        entities BLOB NOT NULL,
        best BOOLEAN NOT NULL,
        best_entities INTEGER NOT NULL""",
    # Why: mention `named` is described as the actor, mention `agent` acts, and they are one entity of that actor in
    # the samples whose bits are set.
    "evidence": """
        document BIGINT NOT NULL,
        actor VARCHAR NOT NULL,
        named INTEGER NOT NULL,
        agent INTEGER NOT NULL,
        probability DOUBLE NOT NULL,
        samples BLOB NOT NULL""",
}


# Labels: which documents were drawn to be read by hand, and what readers said of them.
LABEL_TABLES = {
    # Each draw of documents, from 1: its settings as a JSON object: question, actors (codes, in the order of their
    # keys), labels (their requested number), design, period, seed, strata, howsure, drawn (ISO time).
    "label_draw": """
        draw INTEGER PRIMARY KEY,
        settings VARCHAR NOT NULL""",
    # The stratum of every stored document; empty where the documents were drawn with given chances instead.
    "label_strata": """
        document BIGINT PRIMARY KEY,
        stratum VARCHAR NOT NULL""",
    # The documents that were drawn, the order in which they are read, from 1, over all draws, and the chance that each
    # had to be drawn, in all draws together.
    "label_sample": """
        document BIGINT PRIMARY KEY,
        draw INTEGER NOT NULL,
        position INTEGER NOT NULL,
        inclusion DOUBLE NOT NULL""",
    # Every answer in the order given, from 1; nothing is changed or removed. `acting`: the actors that act, null where
    # an answer was taken back. `settles`: it settles what coders answered differently. `revision` counts the answers of
    # a coder to a document (those that settle it: of all). `undoes` is the entry whose former state this one restores.
    # `given` is in UTC.
    "answers": """
        entry BIGINT PRIMARY KEY,
        document BIGINT NOT NULL,
        coder VARCHAR NOT NULL,
        settles BOOLEAN NOT NULL,
        acting VARCHAR[],
        unclear BOOLEAN NOT NULL,
        revision INTEGER NOT NULL,
        undoes BIGINT,
        given TIMESTAMP NOT NULL""",
}
TABLES = EVENT_TABLES | LABEL_TABLES


# Columns of the store's tables as Arrow arrays, which DuckDB reads without inspecting every value.

ARROW = {
    "BIGINT": nanoarrow.int64(),
    "INTEGER": nanoarrow.int32(),
    "DOUBLE": nanoarrow.float64(),
    "BOOLEAN": nanoarrow.bool_(),
    "VARCHAR": nanoarrow.string(),
    "DATE": nanoarrow.string(),
    "TIMESTAMP": nanoarrow.string(),
    "BLOB": nanoarrow.large_binary(),
}
NUMBERS = {"BIGINT": np.int64, "INTEGER": np.int32, "DOUBLE": np.float64}
LIST = "[]"


def column_types(table: str) -> dict[str, str]:
    """The types of a table's columns, by name.

    >>> column_types("left_out")
    {'document': 'BIGINT', 'id': 'VARCHAR', 'date': 'DATE', 'reason': 'VARCHAR'}
    """
    lines = (line.replace(",", " ").split() for line in TABLES[table].strip().splitlines())
    return {name: kind for name, kind, *_ in lines}


def arrow_table(table: str, columns: Mapping[str, Sequence[Any]]) -> Any:
    """Rows for a table of the store as an Arrow stream, from the values of its columns."""
    types = column_types(table)
    arrays = {name: _array(values, types[name]) for name, values in columns.items()}
    schema = nanoarrow.struct({name: array.schema for name, array in arrays.items()})
    n = len(next(iter(columns.values())))
    return nanoarrow.ArrayStream(nanoarrow.c_array_from_buffers(schema, n, [None], children=arrays.values()))


def _array(values: Sequence[Any], kind: str) -> Any:
    if kind.endswith(LIST):
        inner, lists = kind.removesuffix(LIST), [value or () for value in values]
        ends = np.cumsum([0, *map(len, lists)], dtype=np.int32)
        is_valid = np.packbits([value is not None for value in values], bitorder="little")
        items = _array(list(chain.from_iterable(lists)), inner)
        return nanoarrow.c_array_from_buffers(
            nanoarrow.list_(ARROW[inner]), len(values), [is_valid, ends], children=[items]
        )
    if isinstance(values, np.ndarray) and kind in NUMBERS:
        return nanoarrow.c_array(np.ascontiguousarray(values, NUMBERS[kind]))
    plain = values.tolist() if isinstance(values, np.ndarray) else values
    dates = kind in ("DATE", "TIMESTAMP")
    return nanoarrow.c_array([None if day is None else str(day) for day in plain] if dates else plain, ARROW[kind])


# Packed samples in a store: one bit or byte per sample, two bytes per mention and sample.


def as_bits(blobs: Sequence[bytes] | npt.NDArray[Any], n_samples: int) -> Bools:
    """Packed samples as booleans (rows, S); the first sample is the lowest bit of the first byte.

    >>> as_bits([bytes([5, 1])], 10).astype(int).tolist()
    [[1, 0, 1, 0, 0, 0, 0, 0, 1, 0]]
    """
    packed = np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(len(blobs), -(-n_samples // 8))
    return np.unpackbits(packed, axis=1, count=n_samples, bitorder="little").view(np.bool_)


def as_counts(blobs: Sequence[bytes] | npt.NDArray[Any], n_samples: int) -> npt.NDArray[np.uint8]:
    """Numbers of entities as integers (rows, S)."""
    return np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(len(blobs), n_samples)


def as_labels(blob: bytes, n_mentions: int) -> npt.NDArray[np.int64]:
    """Clusterings (S, M): the first mention of the entity of each mention."""
    return np.frombuffer(blob, dtype="<u2").reshape(-1, n_mentions).astype(np.int64)
