"""Antecedent scores in an archive of numpy: the arrays ID/mentions, ID/scores … of each document."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import IO, Any

import numpy as np

from howsure.data.antecedent_scores.antecedent_scores import AntecedentScores
from howsure.errors import InputError, shown
from howsure.files.archive import NUMBERS, Archive, ArchiveError, Array

INDICES = "iu"
KINDS = {
    "mentions": INDICES, "scores": NUMBERS, "null": f"{NUMBERS}U", "antecedents": INDICES, "words": "U",
    "sentences": INDICES, "text": "U",
}  # fmt: skip
NEEDED = ("mentions", "scores", "null")


def scores_in_archive(file: IO[bytes]) -> dict[str, AntecedentScores]:
    """The documents of an archive by their names, in its order.

    Raises InputError naming the document and the array that is missing or wrong; ArchiveError if it is no archive.
    """
    archive = Archive(file)
    members: dict[str, list[str]] = {}
    for member in archive.arrays:
        document, _, name = member.rpartition("/")
        if not document or name not in KINDS:
            raise InputError(
                f"the array {member!r} is none of a document; they are called ID/mentions, ID/scores, ID/null and "
                "ID/words or ID/text, also ID/antecedents and ID/sentences (the number of words of each)."
            )
        members.setdefault(document, []).append(name)
    if not members:
        raise ArchiveError("it holds no arrays")
    return {name: _document(archive, name, held) for name, held in members.items()}


def _document(archive: Archive, document: str, names: list[str]) -> AntecedentScores:
    for name in NEEDED:
        if name not in names:
            raise InputError(f"document {document}: the array {document}/{name} is missing.")
    try:
        held: dict[str, Any] = {name: archive.array(f"{document}/{name}", kinds=KINDS[name]) for name in names}
        lengths = held.pop("sentences", None)
        if "words" in held:
            held["words"] = _sentences(held["words"], lengths)
        for name in ("text", "null"):
            if name in held and held[name].ndim == 0:
                held[name] = held[name].item()
        return AntecedentScores(id=document, **held)
    except ArchiveError as error:
        raise InputError(f"document {document}: {error}.") from error
    except InputError as error:
        raise InputError(f"document {document}: {error}") from None


def _sentences(words: Array, lengths: Array | None) -> list[Any]:
    held = words.tolist()
    if words.ndim != 1:
        raise InputError("words must have one dimension; sentences says how many each sentence has.")
    if lengths is None:
        return list(held)
    counts = lengths.tolist() if lengths.ndim == 1 else []
    if any(n < 0 for n in counts) or sum(counts) != len(held):
        raise InputError(
            f"sentences must be the numbers of words of each, {len(held):,} in all; they are {shown(counts)}."
        )
    starts = [0, *accumulate(counts)]
    return [held[start:end] for start, end in pairwise(starts)]


def archived(scores: Iterable[AntecedentScores]) -> bytes:
    """The bytes of an archive."""
    arrays: dict[str, Any] = {}
    for one in scores:
        if one.text is None:
            arrays[f"{one.id}/words"] = np.array([word for sentence in one.words for word in sentence], dtype=np.str_)
            arrays[f"{one.id}/sentences"] = np.array([len(sentence) for sentence in one.words])
        else:
            arrays[f"{one.id}/text"] = np.array(one.text, dtype=np.str_)
        arrays[f"{one.id}/mentions"] = one.mentions
        arrays[f"{one.id}/null"] = np.asarray(one.null)
        if one.antecedents is None:
            arrays[f"{one.id}/scores"] = np.asarray(one.scores)
        else:
            arrays[f"{one.id}/scores"], arrays[f"{one.id}/antecedents"] = _padded(one)
    content = io.BytesIO()
    # As numpy.savez_compressed does, whose older versions would store allow_pickle as an array.
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)
    return content.getvalue()


def _padded(one: AntecedentScores) -> tuple[Array, Array]:
    """Rows of equal length: -inf for what is not there."""
    rows = [np.asarray(row, dtype=np.float64) for row in one.scores]
    extra = 1 if isinstance(one.null, str) else 0
    if extra and len({len(row) for row in rows}) > 1:
        raise InputError(f"document {one.id}: rows of different length cannot hold null in a column; give it apart.")
    width = max(map(len, rows), default=0)
    scores = np.full((len(rows), width), -np.inf)
    antecedents = np.zeros((len(rows), width - extra), dtype=np.int64)
    for row, numbers, places in zip(range(len(rows)), rows, one.antecedents, strict=True):
        scores[row, : len(numbers)] = numbers
        antecedents[row, : len(places)] = places
    return scores, antecedents
