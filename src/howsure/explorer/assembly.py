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

from howsure.explorer.security import policy

STYLES = ("style.css", "text.css")
MODULES = (  # in this order: each imports from those before it only
    "dom.js",
    "wording.js",
    "state.js",
    "served.js",
    "embedded.js",
    "axes.js",
    "roving.js",
    "chart.js",
    "comparison.js",
    "listing.js",
    "reading.js",
    "saving.js",
    "form.js",
    "main.js",
)
FORBIDDEN_IN_JSON = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


@dataclass(frozen=True, slots=True)
class Page:
    """The page as text, and the policy of what it may load and run."""

    html: str
    policy: str


def assemble(data: Any = None, *, title: str = "Events, and how sure they are") -> Page:
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
    """All modules as one: each without its imports and exports, which the order of the modules makes good."""
    return "".join(re.sub(r"^(import .*\n|export )", "", _text(name), flags=re.MULTILINE) for name in MODULES)


def _text(name: str) -> str:
    return files("howsure.explorer").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """A script or a style as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
