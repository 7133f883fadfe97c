"""The tables of an events store, and conversion of their columns to Arrow arrays and of packed samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import nanoarrow
import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Bools

# A store is a DuckDB file that anyone can open and query. All random draws are stored, so that every number of a
# series, a figure or the page can be recomputed from the tables.

VERSION = 4  # of the tables; stores of other versions are refused
EVENT_TABLES = {
    # How the store was made, as JSON values: version, howsure, finished (whether it contains the whole input), input,
    # parser, rule, lexicon, names (all pairs of a code and a name in the lexicon), actors (codes and titles), model,
    # samples, seed, filters, stories (how documents of one story are identified), and, if the store contains only a
    # part of its input, part (its number, the number of parts, and the number of documents of all parts).
    "settings": """
        name VARCHAR PRIMARY KEY,
        value VARCHAR NOT NULL""",
    # The documents that are kept. `document`: position in the input, from 0, including documents left out. `story`:
    # identifier of the document's story in a column of the input.
    "documents": """
        document BIGINT PRIMARY KEY,
        id VARCHAR UNIQUE NOT NULL,
        date DATE NOT NULL,
        title VARCHAR,
        category VARCHAR,
        story VARCHAR,
        words BIGINT NOT NULL,
        mentions BIGINT NOT NULL""",
    # The documents that are not kept, with the reason: 'no date', 'category', 'empty', 'no actor', 'too long' or
    # another one of howsure_events.corpus.REASONS.
    "left_out": """
        document BIGINT PRIMARY KEY,
        id VARCHAR NOT NULL,
        date DATE,
        reason VARCHAR NOT NULL""",
    # Documents that report the same story as another one, such as reprints, and the first document of the story. Their
    # events do not count as independent. The table is filled when the store is finished, and only for documents with an
    # event in some sample; a document that is not in it is a story of its own.
    "stories": """
        document BIGINT PRIMARY KEY,
        story BIGINT NOT NULL""",
    # The words of sentences, whether a space follows each word, and the parse; layers that the parser does not provide
    # are null. `heads`: word positions from 0, -1 for the root. Sentences are numbered from 0 in each document.
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
    # Mentions in text order: words start to stop - 1 of a sentence, the actors that a mention is described as, and the
    # event word if it acts. In a document in which no mention acts, `actors` is empty.
    "mentions": """
        document BIGINT NOT NULL,
        mention INTEGER NOT NULL,
        sentence INTEGER NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        head INTEGER NOT NULL,
        actors VARCHAR[] NOT NULL,
        verb INTEGER""",
    # The probability that a mention has an antecedent; antecedent = mention means that the mention starts a new entity.
    # The rows of a mention sum to 1. This and the tables below contain only documents in which some mention acts and
    # some mention is described as an actor.
    "antecedents": """
        document BIGINT NOT NULL,
        mention INTEGER NOT NULL,
        antecedent INTEGER NOT NULL,
        probability DOUBLE NOT NULL""",
    # The S sampled clusterings of M mentions: S rows of M unsigned 16-bit integers (little-endian), the first mention
    # of each mention's entity. `best`: the 1-best clustering.
    "clusterings": """
        document BIGINT PRIMARY KEY,
        samples BLOB NOT NULL,
        best BLOB NOT NULL""",
    # The actors that act in some sample or in the 1-best clustering. `probability`: proportion of samples in which the
    # actor acts. `samples`: these samples, as S bits (the first sample is the lowest bit of the first byte).
    # `entities`: number of the actor's acting entities in each sample, as S unsigned bytes. `best`, `best_entities`:
    # whether the actor acts in the 1-best clustering, and with how many entities.
    "events": """
        document BIGINT NOT NULL,
        actor VARCHAR NOT NULL,
        probability DOUBLE NOT NULL,
        samples BLOB NOT NULL,
        entities BLOB NOT NULL,
        best BOOLEAN NOT NULL,
        best_entities INTEGER NOT NULL""",
    # The evidence of an event: mention `named` is described as the actor, mention `agent` acts, and they are one entity
    # of that actor in the samples whose bits are set.
    "evidence": """
        document BIGINT NOT NULL,
        actor VARCHAR NOT NULL,
        named INTEGER NOT NULL,
        agent INTEGER NOT NULL,
        probability DOUBLE NOT NULL,
        samples BLOB NOT NULL""",
}


# Labels: the documents that were drawn for labelling, and the answers of coders.
LABEL_TABLES = {
    # The draws of documents, numbered from 1, with their settings as JSON: question, actors (codes, in the order of
    # their keys), labels (the requested number), design, period, seed, strata, howsure, drawn (ISO time).
    "label_draw": """
        draw INTEGER PRIMARY KEY,
        settings VARCHAR NOT NULL""",
    # The stratum of every stored document; empty if labels were imported with inclusion probabilities.
    "label_strata": """
        document BIGINT PRIMARY KEY,
        stratum VARCHAR NOT NULL""",
    # The drawn documents. `position`: place in the reading order over all draws, from 1. `inclusion`: probability that
    # the document was drawn, in all draws together.
    "label_sample": """
        document BIGINT PRIMARY KEY,
        draw INTEGER NOT NULL,
        position INTEGER NOT NULL,
        inclusion DOUBLE NOT NULL""",
    # All answers in the order in which they were given, from 1; no entry is changed or removed. `acting`: the actors
    # that act; null after an undo of a first answer. `settles`: whether the answer settles different answers of coders.
    # `revision`: counts the entries of a coder for a document (for settlements, of all coders). `undoes`: the entry
    # that this entry undoes. `given`: the time in UTC.
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


# DuckDB reads Arrow arrays without inspecting every value.
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
    """Return the types of a table's columns, by name.

    >>> column_types("left_out")
    {'document': 'BIGINT', 'id': 'VARCHAR', 'date': 'DATE', 'reason': 'VARCHAR'}
    """
    lines = (line.replace(",", " ").split() for line in TABLES[table].strip().splitlines())
    return {name: kind for name, kind, *_ in lines}


def arrow_table(table: str, columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return rows for a table of the store as an Arrow stream, from the values of its columns."""
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


def as_bits(blobs: Sequence[bytes] | npt.NDArray[Any], n_samples: int) -> Bools:
    """Unpack samples to booleans (rows, S); the first sample is the lowest bit of the first byte.

    >>> as_bits([bytes([5, 1])], 10).astype(int).tolist()
    [[1, 0, 1, 0, 0, 0, 0, 0, 1, 0]]
    """
    packed = np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(len(blobs), -(-n_samples // 8))
    return np.unpackbits(packed, axis=1, count=n_samples, bitorder="little").view(np.bool_)


def as_counts(blobs: Sequence[bytes] | npt.NDArray[Any], n_samples: int) -> npt.NDArray[np.uint8]:
    """Unpack numbers of entities, one byte per sample, to integers (rows, S)."""
    return np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(len(blobs), n_samples)


def as_labels(blob: bytes, n_mentions: int) -> npt.NDArray[np.int64]:
    """Unpack clusterings, two bytes per mention and sample, to (S, M): the first mention of each mention's entity."""
    return np.frombuffer(blob, dtype="<u2").reshape(-1, n_mentions).astype(np.int64)
