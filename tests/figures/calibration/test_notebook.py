"""What a notebook shows."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from howsure.calibration.words import verdict
from howsure.figures.notebook import curve_html
from tests.figures.made_up import curve_with


def test_the_table_and_the_picture_are_one_valid_element() -> None:
    curve = replace(curve_with([0.2, 0.8], [0.1, 0.6], name="<script>x</script>"), notes=("a < b & c",))
    html = curve_html(curve)
    tree = ElementTree.fromstring(html)
    assert tree.find(".//svg") is not None
    assert "<script" not in html
    text = "".join(tree.itertext())
    assert verdict(curve) in text
    assert "Note: a < b & c" in text
    assert str(curve.error) in text
    assert html == curve._repr_html_()


def test_two_curves_in_one_notebook_do_not_share_names() -> None:
    first, second = (curve_html(curve_with([0.2, 0.8], [0.1, p])) for p in (0.6, 0.7))
    names = [
        {node.attrib["id"] for node in ElementTree.fromstring(html).iter() if "id" in node.attrib}
        for html in (first, second)
    ]
    assert names[0]
    assert not names[0] & names[1]
