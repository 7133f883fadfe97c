"""CoNLL-U: documents of sentences with tags, trees and mentions, ten columns per word.

Tokens are syntactic words: lines of multiword tokens (`1-2`) only determine where spaces are; empty nodes (`1.1`) and
enhanced dependencies are left out.
"""

from __future__ import annotations

import os

from howsure.data.documents.conllu_blocks import NEW_DOCUMENT, begins_document, blocks_in, comments_of, name_of_document
from howsure.data.documents.conllu_sentence import ENTITY, Block, read_mentions, read_sentence
from howsure.data.documents.document import Document, Mention, Sentence, Strings
from howsure.data.documents.entity_brackets import BracketFault, BrokenDocument, LeftOut
from howsure.data.parses.trees import is_tree
from howsure.files.text import Text, read_text

LAYOUT = "global.Entity"
META = "meta::"


def read_conllu(path: str | os.PathLike[str], *, left_out: LeftOut | None = None) -> list[Document]:
    """The documents of a CoNLL-U file, plain or gzip; "-" is standard input.

    A document starts at `# newdoc`; a file without such a line is one document, named like the file. `# meta::key = …`
    is metadata of the document, any other comment of its sentence (for repeated keys, the last one counts). A layer
    that is `_` throughout a sentence is None. Mentions are read from `Entity=` in the layout given by `#
    global.Entity`. A document with unmatched brackets is an error or, with a list as `left_out`, is left out and
    recorded there.

    Raises InputError naming the line where the file violates the format, heads do not form a tree or brackets do not
    match. Source: https://universaldependencies.org/format.html.
    """
    return conllu_documents(read_text(path), left_out)


def conllu_documents(text: Text, left_out: LeftOut | None = None, *, mentions: bool = True) -> list[Document]:
    """The documents of a text in CoNLL-U; without `mentions`, Entity= is not read, and need not be in order."""
    documents: list[_Growing] = []
    layout: Strings | None = None
    for line, above, rows in blocks_in(text.content.split("\n")):
        block, comments = Block(text, line + len(above), "\n".join(rows)), comments_of(above)
        if not rows:
            raise block.fault(-1, "comments must stand right above their sentence; nothing follows this one.")
        if begins_document(comments) or not documents:
            documents.append(_Growing(name_of_document(comments, stem=text.stem, number=len(documents) + 1)))
            comments = {key: value for key, value in comments.items() if key not in NEW_DOCUMENT}
        declared = comments.pop(LAYOUT, None)
        if declared is not None and mentions:
            layout = tuple(field.strip() for field in declared.split("-"))
            if not {"eid", "GRP"} & set(layout):
                raise block.fault(
                    -1, f"# {LAYOUT} must name the field of the entity, eid or GRP; it is {'-'.join(layout)}."
                )
        documents[-1].add(block, comments, layout, mentions=mentions)
    if left_out is not None:
        left_out += [BrokenDocument(one.name, str(one.fault)) for one in documents if one.fault is not None]
        documents = [document for document in documents if document.fault is None]
    return [document.finished(text) for document in documents]


class _Growing:
    """A document being read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.metadata: dict[str, str] = {}
        self.sentences: list[Sentence] = []
        self.lines: list[int] = []
        self.mentions: list[Mention] | None = None
        self.fault: BracketFault | None = None  # where mentions cannot be read

    def add(self, block: Block, comments: dict[str, str], layout: Strings | None, *, mentions: bool) -> None:
        for key in [key for key in comments if key.startswith(META)]:
            self.metadata[key.removeprefix(META)] = comments.pop(key)
        if layout is not None and self.mentions is None:
            self.mentions = []
        sentence = read_sentence(block, comments)
        if mentions and ENTITY in block.body:
            name = f"sentence {comments.get('sent_id', len(self.sentences) + 1)} of {self.name}"
            self.mentions = self.mentions or []
            try:
                self.mentions += read_mentions(block, layout or ("eid",), sentence=len(self.sentences), name=name)
            except BracketFault as fault:
                self.fault = self.fault or fault
        self.sentences.append(sentence)
        self.lines.append(block.line)

    def finished(self, text: Text) -> Document:
        if self.fault is not None:
            raise self.fault
        for number, sentence in enumerate(self.sentences):
            if sentence.heads is not None and not is_tree(sentence.heads):
                name = sentence.metadata.get("sent_id", str(number + 1))
                what = f"the heads of sentence {name} of {self.name} go in a circle; they must form a tree."
                raise text.fault(self.lines[number], what)
        mentions = None if self.mentions is None else tuple(self.mentions)
        return Document(self.name, tuple(self.sentences), mentions, self.metadata)
