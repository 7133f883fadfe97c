"""Print the size of the project: lines, lines of code, files, and the median file of each package and folder.

    python scripts/size.py [--against REF]

Lines of code are without comments, docstrings and blank lines. The last column counts lines that are excluded from the
formatter. With --against, the figures of another commit precede today's.
"""

from __future__ import annotations

import argparse
import ast
import io
import statistics
import subprocess
import tarfile
import tokenize
from collections import defaultdict
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
WINGS = ("packages", "src", "papers", "tests")  # src and papers: before 0.3.0
QUIET = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
HEADER = ("lines", "code", "files", "median", "skips")


def code_lines(text: str) -> int:
    """Return the number of lines of a file that contain code."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            first = node.body[0]
            docstrings |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    numbers: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in QUIET:
            numbers |= set(range(token.start[0], token.end[0] + 1))
    return len(numbers - docstrings)


def formatter_skips(text: str) -> int:
    """Return the number of comments that exclude lines from the formatter."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum("fmt: skip" in token.string for token in tokens if token.type == tokenize.COMMENT)


def rooms(texts: dict[PurePosixPath, str]) -> dict[str, tuple[int, int, int, int, int]]:
    """Return lines, lines of code, files, the median file and lines excluded from the formatter, by folder."""
    sizes_by_room: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for path, text in texts.items():
        size = (len(text.splitlines()), code_lines(text), formatter_skips(text))
        wing, *inside = path.parts
        if wing == "packages":
            package, kind, *inside = inside
            wing = f"packages/{package}/tests" if kind == "tests" else f"packages/{package}"
            inside = inside if kind == "tests" else inside[1:]  # without the import name
        sizes_by_room["tests of all" if "tests" in wing else "all but tests"].append(size)
        sizes_by_room[wing].append(size)
        sizes_by_room[f"{wing}/{inside[0]}" if len(inside) > 1 else f"{wing}, single files"].append(size)
    return {name: _sizes(sizes) for name, sizes in sizes_by_room.items()}


def _sizes(sizes: list[tuple[int, int, int]]) -> tuple[int, int, int, int, int]:
    lines, code, skips = zip(*sizes, strict=True)
    return sum(lines), sum(code), len(sizes), round(statistics.median(lines)), sum(skips)


def of_checkout() -> dict[PurePosixPath, str]:
    """Return the Python files of this checkout that git tracks."""
    listed = subprocess.check_output(["git", "ls-files", *(f"{wing}/*.py" for wing in WINGS)], cwd=ROOT, text=True)
    return {PurePosixPath(name): (ROOT / name).read_text("utf-8") for name in listed.split() if (ROOT / name).exists()}


def of_commit(ref: str) -> dict[PurePosixPath, str]:
    """Return the Python files of a commit."""
    packed = subprocess.check_output(["git", "archive", ref], cwd=ROOT)
    texts = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            if path.suffix == ".py" and path.parts[0] in WINGS and (file := archive.extractfile(member)):
                texts[path] = file.read().decode()
    return texts


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--against", metavar="REF", help="a commit, whose figures are shown in front")
    ref = parser.parse_args().against
    now, before = rooms(of_checkout()), {} if ref is None else rooms(of_commit(ref))
    names = sorted({*now, *before}, key=lambda name: (name.startswith("tests"), -max(now.get(name, (0,))[0], 0), name))
    columns = [f"{name} {when}".strip() for when in ([ref, "now"] if ref else [""]) for name in HEADER]
    print("  ".join(f"{name:>14}" for name in columns))
    for name in names:
        sizes = [*(before.get(name, (0, 0, 0, 0, 0)) if ref else ()), *now.get(name, (0, 0, 0, 0, 0))]
        print("  ".join(f"{size:>14,}" for size in sizes), name, sep="  ")


if __name__ == "__main__":
    main()
