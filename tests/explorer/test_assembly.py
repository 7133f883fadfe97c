"""The page put together: whole, small, and closed to what lies in its data."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.explorer.assembly import EXPLORING, EXPORT, IMPORT, LABELLING, Design, assemble, json_in_html
from howsure.explorer.monitor_page import MONITORING
from tests.explorer.hostile_store import ATTACKS

SMALL = 100_000  # bytes; the issue asks for half a megabyte
TEXTS = st.text(st.characters(codec=None), max_size=40) | st.sampled_from(ATTACKS)

PAGE = files("howsure.explorer").joinpath("page")
DESIGNS = (EXPLORING, LABELLING, MONITORING)


def text(name: str) -> str:
    return PAGE.joinpath(name).read_text(encoding="utf-8")


@settings(max_examples=50)
@given(st.recursive(TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=5))
def test_no_text_breaks_out_of_its_script(data: object) -> None:
    written = json_in_html(data)
    assert not re.search("[<>&\u2028\u2029]", written)
    try:
        expected = json.loads(json.dumps(data).encode("utf-8", "surrogatepass"))
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half of a pair: no text that a file can hold
        written.encode()
    else:
        assert json.loads(written) == expected


def test_every_file_of_the_page_is_in_it() -> None:
    known = {name for one in DESIGNS for name in (one.frame, *one.styles, *(f"{module}.js" for module in one.modules))}
    assert {one.name for one in PAGE.iterdir()} == known


@pytest.mark.parametrize("design", DESIGNS, ids=["exploring", "labelling", "monitoring"])
def test_modules_import_what_those_before_them_export(design: Design) -> None:
    exported: dict[str, set[str]] = {}
    for name in design.modules:
        module = text(f"{name}.js")
        imports = IMPORT.findall(module)
        assert len(imports) == len(re.findall("^import", module, re.MULTILINE)), f"{name}: an import in another form"
        assert "</script" not in module
        for names, source in imports:
            wanted = set(re.findall(r"\w+", names))
            assert wanted <= exported[source], f"{name} imports what {source} does not export"
            body = IMPORT.sub("", module)
            assert {one for one in wanted if not re.search(rf"\b{one}\b", body)} == set(), f"{name}: not used"
        exported[name] = set(EXPORT.findall(module))
        assert len(exported[name]) == len(re.findall("^export", module, re.MULTILINE)), f"{name}: another export"


def test_nothing_in_the_page_makes_elements_of_text() -> None:
    for name in {name for one in DESIGNS for name in one.modules}:
        code = text(f"{name}.js")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|\.srcdoc", code
        )
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", code)


def test_the_policy_allows_exactly_what_is_in_the_page() -> None:
    for page in (assemble(), assemble({"a": "</script>"}), assemble(design=LABELLING, writing='"><b>')):
        scripts = re.findall(r'<script type="module">(.*?)</script>', page.html, re.DOTALL)
        styles = re.findall("<style>(.*?)</style>", page.html, re.DOTALL)
        assert (len(scripts), len(styles)) == (1, 1)
        for directive, content in (("script-src", scripts[0]), ("style-src", styles[0])):
            hashed = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"{directive} 'sha256-{hashed}';" in page.policy
        assert not re.search(r"\sstyle=|\son\w+=|(src|href)=\"(?!data:,|#)", page.html.partition("<script type")[0])


def test_a_file_has_its_policy_and_its_data_inside() -> None:
    page = assemble({"title": ATTACKS[2]})
    assert page.html.count("</script>") == 2
    assert "connect-src" not in page.policy
    held = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html, re.DOTALL)
    assert held
    assert json.loads(held[1]) == {"title": ATTACKS[2]}
    meta = re.search('http-equiv="Content-Security-Policy" content="(.*?)"', page.html)
    assert meta
    assert meta[1].replace("&#39;", "'") == page.policy


def test_a_served_page_has_neither() -> None:
    page = assemble()
    assert "http-equiv" not in page.html
    assert 'id="data"' not in page.html
    assert "connect-src 'self'" in page.policy
    assert len(page.html.encode()) < SMALL


def test_the_token_to_write_stands_in_the_labelling_room_only() -> None:
    room = assemble(design=LABELLING, title="Labelling", writing='"><b>')
    assert '<meta name="writing" content="&#34;&gt;&lt;b&gt;">' in room.html
    assert 'name="writing"' not in assemble().html
    assert "connect-src 'self'" in room.policy
    assert len(room.html.encode()) < SMALL
