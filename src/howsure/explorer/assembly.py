"""The page put together: one HTML text with its styles and its script inside, for the server and for a file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from howsure.explorer.access.headers import policy

STYLES = ("style.css", "reading.css")
MODULES = (  # in this order: each imports from those before it only
    "dom",
    "wording",
    "state",
    "served",
    "embedded",
    "axes",
    "roving",
    "chart",
    "comparison",
    "listing",
    "reading",
    "saving",
    "form",
    "figures",
    "lists",
    "sections",
    "main",
)
IMPORT = re.compile(r'^import (\{.*\}) from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const) (\w+))", re.MULTILINE)
FORBIDDEN_IN_JSON = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


@dataclass(frozen=True, slots=True)
class Page:
    """The page as text, and the policy of what it may load and run."""

    html: str
    policy: str


def assemble(data: Any = None, *, title: str = "Events and their uncertainty") -> Page:
    """The page: with `data` inside, a page that needs no server; without, one that asks its server.

    The policy stands in the page itself if it has the data, and is for the server to send otherwise.
    """
    script, style = _script(), "".join(_text(name) for name in STYLES)
    allowed = policy(scripts=[_hash(script)], styles=[_hash(style)], served=data is None)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    html = environment.from_string(_text("index.html")).render(
        title=title,
        policy=None if data is None else allowed,
        style=Markup(style),
        script=Markup(script),
        data=None if data is None else Markup(json_in_html(data)),
    )
    return Page(html, allowed)


def json_in_html(data: Any) -> str:
    """JSON that no text in it can break out of: the letters that HTML reads are written as escapes.

    >>> json_in_html("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter, escaped in FORBIDDEN_IN_JSON.items():
        text = text.replace(letter, escaped)
    return text.encode("utf-8", "replace").decode()


def _script() -> str:
    """All modules in one script, each a function that returns what it exports: a page of one file cannot import."""
    return "".join(_as_function(name, _text(f"{name}.js")) for name in MODULES)


def _as_function(name: str, module: str) -> str:
    """A module as a constant that holds its exports.

    >>> print(_as_function("b", 'import { one } from "./a.js";\\nexport const two = one + 1;\\n'))
    const $b = (() => {
    const { one } = $a;
    const two = one + 1;
    return { two };
    })();
    <BLANKLINE>
    """
    exported = ", ".join(EXPORT.findall(module))
    body = EXPORT.sub("", IMPORT.sub(_destructured, module))
    return f"const ${name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def _destructured(found: re.Match[str]) -> str:
    return f"const {found[1]} = ${found[2]};"


def _text(name: str) -> str:
    return files("howsure.explorer").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """A script or a style as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
