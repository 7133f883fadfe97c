"""What the page may load and run, and the headers of every answer."""

from __future__ import annotations

from collections.abc import Collection

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def policy(*, scripts: Collection[str], styles: Collection[str], served: bool) -> str:
    """The Content-Security-Policy of the page: its own script and styles by their hashes, and nothing else.

    A served page may ask its own server, and no page may hold it in a frame (a file's policy cannot say that).
    """
    rules = [
        "default-src 'none'",
        f"script-src {' '.join(scripts)}",
        f"style-src {' '.join(styles)}",
        "img-src data:",  # the empty icon
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    ]
    return "; ".join([*rules, "connect-src 'self'", "frame-ancestors 'none'"] if served else rules)
