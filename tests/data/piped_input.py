"""Standard input that is a pipe, in this process: reading it takes no program of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from unittest.mock import patch


@contextmanager
def piped_input(content: bytes) -> Iterator[None]:
    """Somebody writes into standard input while it is read, as another program does."""
    reading, writing = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError), open(writing, "wb") as end:  # a reader need not read to the end
            end.write(content)

    with ThreadPoolExecutor(1) as other:
        with open(reading, encoding="utf-8") as given, patch.object(sys, "stdin", given):
            written = other.submit(write)
            yield
        written.result()
