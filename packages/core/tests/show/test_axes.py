"""Every method `plot` refuses what is not axes with the same sentence."""

from __future__ import annotations

import inspect
import re

import pytest

import howsure
from howsure.errors import InputError

RESULTS = [value for name in howsure.__all__ if isinstance(value := getattr(howsure, name), type)]
PLOTS = {kind.__name__: vars(kind)["plot"] for kind in RESULTS if "plot" in vars(kind)}


@pytest.mark.parametrize("name", PLOTS)
def test_a_file_in_place_of_axes_is_refused(name: str) -> None:
    saved = "To save a figure: plot().figure.savefig('x.pdf')."
    with pytest.raises(InputError, match=re.escape(f"ax must be axes of matplotlib; it is 'x.pdf'. {saved}")):
        PLOTS[name](object(), "x.pdf")
    with pytest.raises(InputError, match=r"it is 5\. To save a figure: plot\(\)\.figure\.savefig\('figure\.pdf'\)"):
        PLOTS[name](object(), ax=5)
    assert next(iter([*inspect.signature(PLOTS[name]).parameters][1:])) == "ax"


def test_results_are_drawn_on_the_axes() -> None:
    curve = howsure.calibration_curve([0, 1] * 50, [0.2, 0.8] * 50)
    axes = curve.plot()
    assert curve.plot(axes) is axes
