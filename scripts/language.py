"""Find phrases of this project that are not idiomatic English, and variables with vague names.

    python scripts/language.py [--list] [PATH ...]    (default: the packages and the documents)

The script counts phrases that a native expert would not write, in documents, docstrings, comments and messages, and
variables whose name does not describe their value (`one`, `held`, `told`). Some hits are correct English.
`tests/test_language.py` keeps the counts from rising. CONTRIBUTING.md, "Language", says what to write instead.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PATHS = (
    *(f"packages/{name}/src" for name in ("core", "cli", "text", "events", "papers")),
    "docs",
    "README.md",
    "CHANGELOG.md",
    "SKILL.md",
    "CONTRIBUTING.md",
)

PHRASES = {  # what to write instead: where to find the phrase
    "reported, shown": r"(?<!`)\btold\b(?! apart)"
    r"|(?<![Cc]annot )(?<!cannot-)(?<!to )(?<!`)\btells?\b(?! (?:\w+ )?apart|=|:| right answers from)",
    "is not a": r"(?<![Tt]here )\b(?:is|are|was|were|be) no "
    r"(?!longer\b|more\b|less\b|fewer\b|different\b|better\b|worse\b|need\b)\w",
    "next to, along with": r"\bbeside\b",
    "is in, unchanged": r"\bstands? (?:in\b(?! for)|beside|there|alone|as|at|with)\b|\bas (?:it|they) stands?\b",
    "fix, correct; recalibrate": r"\bmend(?:s|ed|ing)?\b",
    "does not exist": r"\b(?:that|which|it|they|what) (?:is|are) none\b|(?<!there )\bare none\b(?! of)",
    "this many": r"\bso (?:many|much|few)\b",
    "make mistakes": r"\berrs?\b|\berred\b",
    "is requested": r"\b(?:is|are|was|were) asked for\b",
    "is based on": r"\brests? on\b",
    "anyone who": r"\b[Ww]hoever\b|\. Who \w+s\b",
    "available": r"\bat hand\b",
    "correctly, incorrectly": r"\brightly\b|\bwrongly\b",
}
# A phrase begins a word, or is ". Who": all other positions are passed over quickly.
ANY_PHRASE = re.compile(rf"(?:\b|(?=\.))(?:{'|'.join(PHRASES.values())})")
VAGUE_NAMES = {"held", "found", "one", "told", "said", "asked", "given", "read", "own", "beside", "called", "known"}
VAGUE_NAMES |= {"taken", "wanted", "seen", "meant"}
# What may follow a name that gets a value. Most files have no such place and need not be parsed.
MAY_BE_NAMED = re.compile(rf"\b(?:{'|'.join(sorted(VAGUE_NAMES))})\s*(?:[^\w\s]{{0,3}}=|[:,)\]]|in\b)")


class Hit(NamedTuple):
    """A phrase or a variable, and its position."""

    path: Path
    line: int
    text: str
    advice: str


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a document, or of the comments and strings of a source file, with their numbers."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), start=1)
        return
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds:
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line


def phrase_hits(path: Path) -> Iterator[Hit]:
    """Yield the phrases of a file that are not idiomatic English."""
    if not ANY_PHRASE.search(path.read_text(encoding="utf-8")):
        return  # most sources, which then need not be split into tokens
    for number, line in prose(path):
        for advice, pattern in PHRASES.items():
            for _ in re.finditer(pattern, line):
                yield Hit(path, number, line.strip(), advice)


def name_hits(path: Path) -> Iterator[Hit]:
    """Yield the variables and parameters of a source file with a vague name, at each position where they get a
    value."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if MAY_BE_NAMED.search(text) else ():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE_NAMES:
            yield Hit(path, node.lineno, node.id, "a name for the value")
        elif isinstance(node, ast.arg) and node.arg in VAGUE_NAMES:
            yield Hit(path, node.lineno, node.arg, "a name for the value")


def files_below(paths: list[Path]) -> list[Path]:
    """Return source files and documents, except files that the project does not write."""
    files = [file for path in paths for file in ([path] if path.is_file() else sorted(path.rglob("*")))]
    return [file for file in files if file.suffix in (".py", ".md") and "egg-info" not in str(file)]


def all_hits(paths: list[Path]) -> tuple[list[Hit], list[Hit]]:
    """Return the phrases and names of all files."""
    files = files_below(paths)
    sources = [file for file in files if file.suffix == ".py"]
    return [hit for file in files for hit in phrase_hits(file)], [hit for file in sources for hit in name_hits(file)]


def main() -> None:
    """Print the counts and, with --list, each position."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--list", action="store_true", help="print each place, not only the counts")
    options = parser.parse_args()
    phrases, names = all_hits(options.paths or [ROOT / path for path in PATHS])
    if options.list:
        for hit in (*phrases, *names):
            print(f"{hit.path}:{hit.line}: {hit.text[:100]}  → {hit.advice}")
    for advice, count in Counter(hit.advice for hit in phrases).most_common():
        print(f"{count:6,}  → {advice}")
    print(f"{len(phrases):6,}  phrases")
    print(f"{len(names):6,}  variables with a vague name")


if __name__ == "__main__":
    main()
