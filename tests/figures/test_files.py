"""Files of figures: whole, the same every time, and with their text as text."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from howsure.errors import InputError
from howsure.figures.calibration import curve_figure
from howsure.figures.files import figure_bytes, inline_svg, save_figure
from howsure.files.whole import write_whole
from tests.figures.made_up import curve_with, many_curves

MAGIC = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}


@pytest.mark.parametrize("suffix", [".svg", *(pytest.param(one, marks=pytest.mark.long) for one in (".png", ".pdf"))])
def test_the_same_figure_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix.upper()}"
    save_figure(curve_figure(many_curves(2)), first)
    save_figure(curve_figure(many_curves(2)), second)
    assert first.read_bytes().startswith(MAGIC[suffix])
    assert first.read_bytes() == second.read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted([first, second])
    assert not re.search(rb"CreationDate|<dc:date>|[0-9]{4}-[0-9]{2}-[0-9]{2}T", first.read_bytes())


@pytest.mark.parametrize(("name", "said"), [("curve.jpg", "'.jpg'"), ("curve", "no suffix"), ("curve.svg.gz", "'.gz'")])
def test_other_suffixes_are_refused_by_name(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(InputError, match=r"must end in \.svg, \.png or \.pdf") as caught:
        save_figure(curve_figure(many_curves(1)), tmp_path / name)
    assert said in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*nowhere"):
        save_figure(curve_figure(many_curves(1)), tmp_path / "nowhere" / "curve.svg")


def test_a_file_that_cannot_be_replaced_stays_and_nothing_is_left_behind(tmp_path: Path) -> None:
    target = tmp_path / "taken.svg"
    target.mkdir()
    with pytest.raises(InputError, match=r"taken\.svg: it is a folder"):
        write_whole(b"new", target)
    assert list(tmp_path.iterdir()) == [target]


def test_text_in_a_drawing_is_text() -> None:
    tree = ElementTree.fromstring(figure_bytes(curve_figure(many_curves(2)), ".svg"))
    texts = [" ".join("".join(node.itertext()).split()) for node in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"underconfident", "overconfident", "predicted probability", "frequency of label 1", "g1", "g2"} <= set(
        texts
    )


@pytest.mark.parametrize("count", [6, pytest.param(10, marks=pytest.mark.long)])
def test_names_are_shown_as_they_are(count: int) -> None:
    names = ["_hidden", "$x^2$", "<b>&amp;</b>", "back\\slash", "100 %", '" id="x'] + ["more"] * 4
    svg = figure_bytes(curve_figure(many_curves(count), labels=names[:count]), ".svg").decode()
    tree = ElementTree.fromstring(svg)
    texts = {"".join(node.itertext()).strip() for node in tree.iter("{http://www.w3.org/2000/svg}text")}
    assert set(names[:count]) <= texts


def test_an_inline_drawing_refers_to_nothing_outside_and_to_its_own_names_inside() -> None:
    curve = curve_with([0.2, 0.8], [0.1, 0.9], name='a "quoted" <name> id="kept"')
    svg = inline_svg(curve_figure([curve]), prefix="p1", description='says "this" & that')
    tree = ElementTree.fromstring(svg)
    assert tree.tag == "svg"
    assert tree.attrib["role"] == "img"
    assert tree.attrib["aria-label"] == 'says "this" & that'
    assert "http" not in svg
    assert "xlink" not in svg
    assert "metadata" not in svg
    held = [node.attrib["id"] for node in tree.iter() if "id" in node.attrib]
    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg))
    assert len(held) == len(set(held))
    assert {a or b for a, b in used} == set(held)
    assert all(name.startswith("p1-") for name in held)
    assert 'id="kept"' in "".join("".join(node.itertext()) for node in tree.iter("text"))
