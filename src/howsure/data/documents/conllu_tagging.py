"""Insert tags into CoNLL-U, leaving every other character unchanged."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from howsure.errors import InputError

UNIVERSAL_TAG, TAG = 3, 4  # columns, from 0
BREAK = re.compile(r"[\t\r\n]")
NONE = ("_", "")
OF_PLACES = ("newdoc", "newpar")  # comments on where a sentence stands


@dataclass(frozen=True, slots=True)
class Tagging:
    """A tag for each word of a sentence, attributes of the words by name, and comments by key."""

    tags: Sequence[str]
    attributes: Mapping[str, Sequence[str]]
    comments: Mapping[str, str] = field(default_factory=dict)


def tagged_conllu(
    content: str, taggings: Iterable[Sequence[Tagging]], *, column: int = TAG, replaced: Collection[str] = ()
) -> str:
    """CoNLL-U with new tags in a column: each sentence once per tagging, of which there is usually one.

    The attributes go to the end of the last column, the comments to the end of the sentence's; existing ones with the
    same names, or named in `replaced`, are removed. Everything else is unchanged: other comments, columns and
    attributes, multiword tokens, empty nodes, blank lines. `# newdoc` and `# newpar` appear only above the first
    tagging.

    `content` must be text that `read_conllu` reads.

    >>> said = Tagging(["NN"], {"P": ["0.9"]})
    >>> tagged_conllu("# x\\n1\\tsaw\\t_\\t_\\tVB\\t_\\t_\\t_\\t_\\tA=1|P=0\\n\\n", [[said]]).split("\\t")
    ['# x\\n1', 'saw', '_', '_', 'NN', '_', '_', '_', '_', 'A=1|P=0.9\\n\\n']

    Raises InputError for a tag that is empty or contains a tab or a line break.
    """
    parts = content.split("\n\n")
    wanted = iter(taggings)
    for i, part in enumerate(parts):
        if body := part.strip("\n"):
            lines = body.split("\n")
            copies = [_sentence(lines, one, column, replaced, again=rank > 0) for rank, one in enumerate(next(wanted))]
            parts[i] = part.replace(body, "\n\n".join(copies))
    return "\n\n".join(parts)


def _sentence(lines: Sequence[str], tagging: Tagging, column: int, replaced: Collection[str], *, again: bool) -> str:
    comments = [line for line in lines if line.startswith("#") and not _goes(line, tagging, again)]
    comments += [f"# {key} = {value}" for key, value in tagging.comments.items()]
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    words = [row for row in rows if row[0].isdecimal()]
    gone = {*tagging.attributes, *replaced}
    for i, (row, tag) in enumerate(zip(words, tagging.tags, strict=True)):
        if not tag or BREAK.search(tag):
            raise InputError(f"a tag must be text without tab and line break to stand in CoNLL-U; one is {tag!r}.")
        kept = [] if row[-1] in NONE else [one for one in row[-1].split("|") if one.partition("=")[0] not in gone]
        said = [f"{name}={values[i]}" for name, values in tagging.attributes.items()]
        row[column], row[-1] = tag, "|".join([*kept, *said]) or "_"
    return "\n".join([*comments, *map("\t".join, rows)])


def _goes(comment: str, tagging: Tagging, again: bool) -> bool:
    key = comment[1:].partition("=")[0].strip()
    return key in tagging.comments or (again and key.partition(" ")[0] in OF_PLACES)
