"""A downloader for pooch that keeps partial downloads when a connection breaks, and later requests only the rest."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError

SECONDS = 30  # of silence after which a connection counts as lost
BLOCK = 1 << 16
ADVICE = "Check the network, or set HOWSURE_DATA to a folder that holds the data set."
KEPT = "The part already downloaded is kept; rerun the same command to resume."
NO_SUCH_REST = 416


class DownloadError(HowsureError):
    """A file could not be downloaded. The message says what to do."""


class Resuming:
    """Downloads to a file `part` that is kept after an interruption; `advance` receives the number of bytes."""

    def __init__(self, part: Path, advance: Callable[[int], None]) -> None:
        self.part, self.advance = part, advance

    def __call__(self, url: str, output_file: str | os.PathLike[str], pooch: Any, check_only: bool = False) -> None:
        """Download `url` completely to `output_file`; DownloadError on failure."""
        try:
            try:
                self._go_on(url)
            except urllib.error.HTTPError as error:
                if error.code != NO_SUCH_REST:
                    raise
                self.part.unlink(missing_ok=True)  # what is held is no beginning of the file
                self._go_on(url)
        except urllib.error.HTTPError as error:
            raise DownloadError(f"{url} answers {error.code} {error.reason}. {ADVICE}") from error
        except (urllib.error.URLError, ConnectionError, TimeoutError, HTTPException) as error:
            reason = str(getattr(error, "reason", error)) or type(error).__name__
            kept = f" {KEPT}" if self.part.exists() else ""
            raise DownloadError(f"{url} cannot be fetched: {reason}. {ADVICE}{kept}") from error
        os.replace(self.part, output_file)

    def _go_on(self, url: str) -> None:
        held = self.part.stat().st_size if self.part.exists() else 0
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={held}-"} if held else {})
        request = urllib.request.Request(url, headers=headers)
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            goes_on = response.status == 206
            held = held if goes_on else 0
            self.advance(held)
            with open(self.part, "ab" if goes_on else "wb") as file:
                while block := response.read(BLOCK):
                    file.write(block)
                    self.advance(len(block))
            length = response.headers.get("Content-Length")
        if length is not None and self.part.stat().st_size < held + int(length):
            raise DownloadError(f"{url} broke off. {KEPT}")
