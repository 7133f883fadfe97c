"""What is printed, as HTML: for the notebooks of results that are lines and no table."""

from __future__ import annotations

from html import escape

from howsure.show.harmless import on_a_terminal


def preformatted(text: str) -> str:
    """The same lines in a fixed font, with everything escaped.

    >>> preformatted("a < b")
    '<pre>a &lt; b</pre>'
    """
    return f"<pre>{escape(on_a_terminal(text))}</pre>"
