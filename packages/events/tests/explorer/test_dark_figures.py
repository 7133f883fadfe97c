"""Intervals are seen in the dark: their colours against the background, as WCAG measures contrast."""

from __future__ import annotations

import re
from importlib.resources import files

PAGE = files("howsure_events.explorer").joinpath("page")


def luminance(colour: list[float]) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def parts(colour: str) -> list[float]:
    return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def test_bands_have_a_contrast_of_3_in_the_dark() -> None:
    chart, style = (PAGE.joinpath(name).read_text(encoding="utf-8") for name in ("chart.js", "style.css"))
    colours = re.findall("#[0-9a-f]{6}", chart.partition("const COLOURS = [")[2].partition("]")[0])
    (opacity,) = re.findall(r"svg \.band \{ fill-opacity: (\.\d+)", style)
    (brighter,) = re.findall(r"svg \.lighter \{ filter: brightness\(([\d.]+)\)", style)
    back = parts(style.partition("prefers-color-scheme: dark")[2].partition("--back: ")[2][:7])
    assert len(colours) == 6
    for colour in colours:
        shown = [min(1.0, part * float(brighter)) for part in parts(colour)]
        band = [float(opacity) * part + (1 - float(opacity)) * behind for part, behind in zip(shown, back, strict=True)]
        assert (luminance(band) + 0.05) / (luminance(back) + 0.05) >= 3.0
