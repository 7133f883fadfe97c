"""The notebooks of docs/notebooks run, and show what they contain.

`python -m tests.test_example_notebooks` runs them and stores what their cells show. Texts are compared like the output
of the documents (tests/printed.py); of a picture, its presence.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.kernels import running_kernel
from tests.printed import is_printed
from tests.source import ROOT
from tests.test_documents import links_of

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
STORED = ("text/html", "text/plain", "image/png")  # forms of an output


def source_lines(text: str) -> list[str]:
    """A text as a notebook stores it."""
    return text.splitlines(keepends=True)


def cell_outputs(notebook: dict[str, Any], folder: Path) -> list[list[dict[str, Any]]]:
    """The outputs of each code cell, as a notebook stores them."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    variables = {"PATH": path, "NO_COLOR": "1", "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    with running_kernel(folder, variables=variables) as kernel:
        return [
            stored_outputs(kernel.run("".join(cell["source"])))
            for cell in notebook["cells"]
            if cell["cell_type"] == "code"
        ]


def stored_outputs(messages: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Texts that a cell prints, joined, then its results and pictures."""
    printed = "".join(content["text"] for kind, content in messages if kind == "stream").replace("\r\n", "\n")
    outputs: list[dict[str, Any]] = []
    if printed:
        outputs.append({"output_type": "stream", "name": "stdout", "text": source_lines(printed)})
    for kind, content in messages:
        if kind == "error":
            raise AssertionError("\n".join(content["traceback"]))
        if kind in ("execute_result", "display_data"):
            data = {form: content["data"][form] for form in STORED if form in content["data"]}
            data = {form: text if form == "image/png" else source_lines(text) for form, text in data.items()}
            count = {"execution_count": None} if kind == "execute_result" else {}
            outputs.append({"output_type": kind, "data": data, "metadata": {}} | count)
    return outputs


def texts(outputs: list[dict[str, Any]]) -> list[str]:
    """What outputs show as text; of a picture, that it is one."""
    data = [output.get("data", {"text/plain": output.get("text")}) for output in outputs]
    return ["a picture" if "image/png" in forms else "".join(forms["text/plain"]) for forms in data]


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_shows_what_it_contains(path: Path, tmp_path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    stored = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for expected, outputs in zip(stored, cell_outputs(notebook, tmp_path), strict=True):
        for stored_text, shown in zip(texts(expected), texts(outputs), strict=True):
            assert is_printed(stored_text, shown), f"{path.name} contains\n{stored_text}\nbut shows\n{shown}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_the_links_of_a_notebook_lead_somewhere(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    links = [link for cell in cells if cell["cell_type"] == "markdown" for link in links_of("".join(cell["source"]))]
    assert links
    assert [link for link in links if not (path.parent / link.partition("#")[0]).is_file()] == []


def main() -> None:
    """Run the notebooks, and store what their cells show."""
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            outputs = iter(cell_outputs(notebook, Path(folder)))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"] = next(outputs)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
