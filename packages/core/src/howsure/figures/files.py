"""Saving figures; the same figure gives the same bytes with the same matplotlib on the same machine."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from matplotlib.figure import Figure

from howsure.errors import InputError
from howsure.figures.style import use_style
from howsure.figures.width import wanted_width
from howsure.files.atomic_write import write_atomically

DOTS_PER_INCH = 200
POINTS_PER_INCH = 72
# Text is saved as text, which can be searched; identifiers inside a file are the same in every run.
SAVING: Any = {"svg.fonttype": "none", "svg.hashsalt": "howsure", "pdf.fonttype": 42}
UNDATED: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None},
}
TAG = re.compile(r"<[^>]*>")
IDENTITY = re.compile(r' id="([^"]*)"')
REFERENCE = re.compile(r'(url\(#|xlink:href="#)([^")]+)')


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as .svg, .png or .pdf: to a temporary file in the same folder, which then replaces `path`."""
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in UNDATED:
        ending = f"{target.name!r} ends in {kind!r}" if kind else f"{target.name!r} has no suffix"
        raise InputError(f"A figure's file must end in .svg, .png or .pdf; {ending}. Rename it.")
    write_atomically(figure_bytes(figure, kind), target)


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """Return a figure as the bytes of a ".svg", ".png" or ".pdf" file, without a date."""
    buffer = io.BytesIO()
    with use_style(**SAVING):
        if wanted_width() is not None:  # only a second layout makes room for a legend
            figure.draw_without_rendering()
        figure.savefig(
            buffer,
            format=kind[1:],
            dpi=DOTS_PER_INCH,
            metadata=UNDATED[kind],
            bbox_inches="tight" if wanted_width() is None else None,  # a requested width is not cropped
            pad_inches=0.06,
        )
    return buffer.getvalue()


def inline_svg(figure: Figure, *, prefix: str, description: str) -> str:
    """Return a figure as a self-contained <svg> element for an HTML page, which scales and has a description.

    prefix: makes its identifiers different from those of the other figures of the page.
    """
    text = figure_bytes(figure, ".svg").decode("utf-8")
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    used = {name for tag in TAG.findall(text) for _, name in REFERENCE.findall(tag)}

    def renamed(tag: re.Match[str]) -> str:
        element = IDENTITY.sub(lambda m: f' id="{prefix}-{m[1]}"' if m[1] in used else "", tag[0])
        return REFERENCE.sub(rf"\g<1>{prefix}-\g<2>", element).replace("xlink:href", "href")

    head, body = text[: text.index(">")], text[text.index(">") + 1 :]
    box = dict(re.findall(r'(viewBox|width)="([^"]*)"', head))
    inches = float(box["width"].removesuffix("pt")) / POINTS_PER_INCH
    size = f'style="width: {inches:.2f}in; max-width: 100%; height: auto"'
    opening = f'<svg viewBox="{box["viewBox"]}" {size} role="img" aria-label={quoteattr(description)}>'
    return opening + TAG.sub(renamed, body).strip()
