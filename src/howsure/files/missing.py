"""What to say of a path that leads nowhere."""

from __future__ import annotations

import os

from howsure.errors import InputError
from howsure.inputs.naming import nearest


def missing_file(path: str) -> InputError:
    """The error for a path that leads nowhere, with the file beside it that was probably meant."""
    folder = os.path.dirname(path) or "."
    near = nearest(os.path.basename(path), os.listdir(folder)) if os.path.isdir(folder) else None
    advice = "" if near is None else f" Did you mean {os.path.join(os.path.dirname(path), near)}?"
    return InputError(f"no file {path}.{advice}")
