"""The first documents of a file, for a quick look: what follows them is not read."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from itertools import islice

from howsure.data.documents.document import Document
from howsure.data.documents.read_documents import FORMS, read_documents, seen_form
from howsure.files.text import read_text

BEGIN = re.compile(r"^#\s*(?:newdoc|begin document)\b", re.MULTILINE)


def first_documents(path: str | os.PathLike[str], limit: int | None) -> list[Document]:
    """The first `limit` documents of a file, or all of them; each must begin by a line that says so.

    Raises InputError as `read_documents` does.
    """
    if limit is None:
        return read_documents(path)
    text = read_text(path)
    begins = [begin.start() for begin in islice(BEGIN.finditer(text.content), limit + 1)]
    if len(begins) > limit:
        text = replace(text, content=text.content[: begins[limit]])
    return FORMS[seen_form(text)](text)
