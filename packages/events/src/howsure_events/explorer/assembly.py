"""Assembly of a page as one HTML text with its styles, its script, and its texts in a language."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from howsure_events.explorer.access import policy
from howsure_events.languages import ENGLISH, LOCALE, text_in, texts_in

IMPORT = re.compile(r'^import (\{.*\}) from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const) (\w+))", re.MULTILINE)
USED = re.compile(r'\bsay\("(\w+)"')
FORBIDDEN_IN_JSON = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


@dataclass(frozen=True, slots=True)
class Design:
    """The files of a page: its HTML frame, its styles, and its modules, each of which imports only earlier ones.

    packed: whether embedded data are compressed and encoded as base64, which takes a fifth of the space of JSON and
    cannot contain HTML.
    """

    title: str  # key of the title in the texts of a language
    frame: str
    styles: tuple[str, ...]
    modules: tuple[str, ...]
    packed: bool = False


EXPLORING = Design(
    "page_title",
    "index.html",
    ("style.css", "reading.css"),
    (
        *("wording", "dom", "state", "requests", "served", "embedded", "axes", "roving", "chart", "comparison"),
        *("corrections", "listing", "reading", "saving", "form", "figures", "lists", "sections", "main"),
    ),
    packed=True,
)
LABELLING = Design(
    "labelling",
    "label.html",
    ("style.css", "reading.css", "label.css"),
    (
        *("wording", "dom", "requests", "orders", "listing", "reading", "choice", "keys", "stage", "coder", "desk"),
        *("progress", "settling", "answering", "overview", "labelling"),
    ),
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as HTML, the hashes of its script and style, and its Content-Security-Policy."""

    html: str
    script: str
    style: str
    policy: str


def assemble(
    data: Any = None, *, design: Design = EXPLORING, language: str = ENGLISH, writing: str | None = None
) -> Page:
    """Assemble a page. A page with `data` needs no server; a page without them queries its server.

    A page with data also contains its Content-Security-Policy, which is otherwise sent by the server. writing: the
    token that a page with permission to write must send. language: the language of its texts.
    """
    script, style = _script(design, language), "".join(_text(name) for name in design.styles)
    hashes = _hash(script), _hash(style)
    allowed = policy(scripts=[hashes[0]], styles=[hashes[1]], served=data is None)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    html = environment.from_string(_text(design.frame)).render(
        title=text_in(language, design.title),
        language=language,
        say=partial(text_in, language),
        policy=None if data is None else allowed,
        style=Markup(style),
        script=Markup(script),
        data=None if data is None else packed(data) if design.packed else Markup(json_in_html(data)),
        writing=writing,
    )
    return Page(html, *hashes, allowed)


def json_in_html(data: Any) -> str:
    """Serialize data to JSON in which characters with a meaning in HTML are escaped.

    >>> json_in_html("</script>")
    '"\\\\u003c/script\\\\u003e"'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter, escaped in FORBIDDEN_IN_JSON.items():
        text = text.replace(letter, escaped)
    return text.encode("utf-8", "replace").decode()


def packed(data: Any) -> str:
    """Serialize data to JSON, compressed by gzip and encoded as base64; equal data give equal strings.

    >>> packed([1])[:4]
    'H4sI'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), mtime=0)).decode()


def _script(design: Design, language: str) -> str:
    """Join all modules to one script, since a page in a single file cannot import modules.

    Each module becomes a function that returns its exports. The script starts with the texts that the modules use, and
    the locale of numbers and dates.
    """
    modules = "".join(_as_function(name, _text(f"{name}.js")) for name in design.modules)
    texts, used = texts_in(language), dict.fromkeys(USED.findall(modules))
    catalogue = {"LOCALE": texts[LOCALE], "TEXTS": {key: texts[key] for key in used}}
    return f"const $catalogue = {json_in_html(catalogue)};\n{modules}"


def _as_function(name: str, module: str) -> str:
    """Convert a module to a constant with its exports.

    >>> print(_as_function("b", 'import { one } from "./a.js";\\nexport const two = one + 1;\\n'))
    const $b = (() => {
    const { one } = $a;
    const two = one + 1;
    return { two };
    })();
    <BLANKLINE>
    """
    exported = ", ".join(EXPORT.findall(module))
    body = EXPORT.sub("", IMPORT.sub(lambda match: f"const {match[1]} = ${match[2]};", module))
    return f"const ${name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def _text(name: str) -> str:
    return files("howsure_events.explorer").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the hash of a script or style, for a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
