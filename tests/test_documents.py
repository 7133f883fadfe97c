"""Every page does what it says: the code and the commands of the documents run, and print what stands below them.

How a block of a page (README.md, docs/, …) is treated is written on its first line:

    ```python           runs; all blocks of a page share one namespace
    ```bash run         runs as one script
    ```console          runs every line `$ command` (a backslash continues it); lines below it are what it prints
    ```console exit=2   the same, for a command that must end with this exit code
    ```console no-run   for what cannot run here: git clone, make, pip; never for howsure itself
    ```text             what the block before it printed
    ```python long      the same after any of these words, for what takes seconds: the page as a whole is then one of
                        those that `make test-long` runs; with `slow`, one of those that `make check-slow` runs
    ```python programs  for what needs programs that these tests do without: tests/programs runs such pages as a whole;
                        so too `spark` and `ray`
    ``` and data        json, csv, …: shown, not run

    tolerance=0.001     after any of these words, where a training prints: its decimals may differ by this amount

Commands `howsure` run in this process, all else of a line in a shell: see tests/shell_lines.py.

What is printed is compared by tests/printed.py: decimals but for their rounding, everything else exactly; `...` stands
for any text. A page runs in an empty folder with a folder images/; with HOWSURE_DRAW=1
(`make pictures`) what it draws into images/ becomes docs/images/.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image

from tests.lacking import require
from tests.printed import is_printed
from tests.shell_lines import run_line
from tests.source import FOLDERS, PACKAGES, ROOT

DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [page for folder in (".", "benchmarks") for page in sorted((ROOT / folder).glob("*.md"))] + DOCS
FENCE = re.compile(r"^```(.*)\n((?:.*\n)*?)```\s*$", re.MULTILINE)
HEAVY = {"slow", "long", "programs", "ray", "spark"}
TIMED = {"slow", "long"}
SHOWN_ONLY = {"csv", "html", "javascript", "json", "latex", "toml", "yaml", "bibtex"}


class PageError(AssertionError):
    """A page does not do what it says."""


@dataclass(frozen=True)
class Block:
    """A fenced block: the words and options of its first line, its text, and the number of the text's first line."""

    words: tuple[str, ...]
    options: dict[str, str]
    text: str
    line: int

    @property
    def tolerance(self) -> float:
        return float(self.options.get("tolerance", 0))


def blocks_of(text: str) -> list[Block]:
    """All fenced blocks of a page, in order."""
    missed = re.search(r"^[ \t>]*```.*", FENCE.sub("", text), re.MULTILINE)
    if missed:
        raise PageError(f"a block must start in the first column and end: {missed[0]}")
    return [
        block_of(match[1].split(), match[2], text.count("\n", 0, match.start()) + 2) for match in FENCE.finditer(text)
    ]


def block_of(marks: list[str], text: str, line: int) -> Block:
    """A block; of its first line an option is what has an equals sign."""
    options = dict(mark.split("=", 1) for mark in marks if "=" in mark)
    unknown = options.keys() - {"exit", "tolerance"}
    if unknown:
        raise PageError(f"line {line}: an option is exit= or tolerance=, not {min(unknown)}=")
    return Block(tuple(mark for mark in marks if "=" not in mark), options, text, line)


def run_page(
    text: str,
    folder: Path,
    *,
    heavy: Collection[str] = (),
    compare: Callable[[str, str, int, float], None] | None = None,
) -> None:
    """Run the blocks of a page in a folder; raise PageError, or what the code raises, where it breaks its word.

    `heavy`: run those too that are marked by one of these words of `HEAVY`. `compare`: called with the expected text,
    the printed text, the line and the tolerance of each output; by default it raises PageError where they differ.
    """
    compare = compare or require_printed
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = None
    for block in blocks_of(text):
        before, printed = printed, None
        needed, words = HEAVY & set(block.words), tuple(word for word in block.words if word not in HEAVY)
        if not needed <= set(heavy):
            continue
        match words:
            case ("python",):
                printed = run_python(block, folder, namespace)
            case ("bash", "run"):
                printed = run_command(block.text, folder, block.line)
            case ("console", "no-run"):
                if re.search(r"^\$ howsure", block.text, re.MULTILINE):
                    raise PageError(f"line {block.line}: howsure itself must run")
            case ("console",):
                for line, command, expected in commands_of(block):
                    shown = run_command(command, folder, line, exit_code=int(block.options.get("exit", 0)))
                    if expected.strip():
                        compare(expected, shown, line, block.tolerance)
            case ("text",):
                if before is None:
                    raise PageError(f"line {block.line}: a text block stands right after the block that prints it")
                compare(block.text, before, block.line, block.tolerance)
            case words if words and words[0] not in SHOWN_ONLY:
                raise PageError(f"line {block.line}: what is ```{' '.join(words)}? See tests/test_documents.py")


def run_python(block: Block, folder: Path, namespace: dict[str, object]) -> str:
    """What a block of Python prints."""
    code = compile("\n" * (block.line - 1) + block.text, "page", "exec", dont_inherit=True)
    printed = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        exec(code, namespace)
    return printed.getvalue()


def run_command(command: str, folder: Path, line: int, *, exit_code: int = 0) -> str:
    """What a command prints, to both of its streams, as a reader would see it."""
    code, printed = run_line(command, folder)
    if code != exit_code:
        raise PageError(f"line {line}: exit code {code}, not {exit_code}:\n{command}\n{printed}")
    return printed


def commands_of(block: Block) -> Iterator[tuple[int, str, str]]:
    """Line, command and expected output of every `$ command` in a block."""
    parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block.text, flags=re.MULTILINE)
    if parts[0].strip() or len(parts) == 1:
        raise PageError(f"line {block.line}: a console block starts with `$ command`")
    line = block.line
    for command, expected in zip(parts[1::2], parts[2::2], strict=True):
        yield line, command, expected
        line += command.count("\n") + 1 + expected.count("\n")


def without_margins(text: str) -> str:
    """A text without blank lines around it and blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))


def require_printed(expected: str, printed: str, line: int, tolerance: float) -> None:
    """Raise PageError unless the text printed is the text wanted, in which `...` is any text."""
    expected, printed = without_margins(expected), without_margins(printed)
    if not is_printed(expected, printed, tolerance=tolerance):
        raise PageError(f"line {line}: the page says\n{expected}\n\nbut this was printed\n{printed}")


def links_of(text: str) -> list[str]:
    """The targets of all links and pictures that do not lead to another site."""
    matches = re.findall(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"", FENCE.sub("", text))
    return [link for pair in matches for link in pair if link and not re.match(r"[a-z]+:", link)]


def dead_links(page: Path) -> list[str]:
    """Links of a page to a file or a heading that does not exist."""
    dead = []
    for link in links_of(page.read_text(encoding="utf-8")):
        path, _, heading = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (heading and heading not in headings_of(target.read_text(encoding="utf-8"))):
            dead.append(link)
    return dead


def headings_of(text: str) -> set[str]:
    """The names by which links reach the headings of a page."""
    titles = re.findall(r"^#+ +(.+?)\s*$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def copy_picture(source: str, target: str) -> None:
    """Copy a picture; a PNG with a palette of 256 colours, a third of the size."""
    if source.endswith(".png"):
        Image.open(source).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(target, optimize=True)
    else:
        shutil.copy(source, target)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def marks_of(page: Path) -> list[pytest.MarkDecorator]:
    words = {word for block in blocks_of(page.read_text(encoding="utf-8")) for word in block.words}
    return [pytest.mark.slow] if "slow" in words else [pytest.mark.long] if "long" in words else []


@pytest.mark.parametrize("page", [pytest.param(page, marks=marks_of(page), id=name_of(page)) for page in PAGES])
def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    """A page runs if there are the data that it reads, in a folder with an empty folder for its pictures."""
    text = page.read_text(encoding="utf-8")
    if any(
        re.search("HOWSURE_DATA|howsure data get", block.text)
        for block in blocks_of(text)
        if HEAVY & set(block.words) <= TIMED
    ):
        require("data")
    images = tmp_path / "images"
    images.mkdir()
    run_page(text, tmp_path, heavy=TIMED)
    if os.environ.get("HOWSURE_DRAW"):
        shutil.copytree(images, ROOT / "docs" / "images", dirs_exist_ok=True, copy_function=copy_picture)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    assert not dead_links(page)


def text_in_tables(text: str) -> list[str]:
    """Lines that Markdown takes for rows of the table above them, since no blank line separates them from it."""
    lines = FENCE.sub("```", text).splitlines()
    pairs = itertools.pairwise(lines)
    return [line for above, line in pairs if above.startswith("|") and line and not line.startswith(("|", "```"))]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_blank_line_ends_each_table(page: Path) -> None:
    assert text_in_tables(page.read_text(encoding="utf-8")) == []


def test_a_heading_within_a_table_is_found() -> None:
    assert text_in_tables("|a|\n|-|\n|1|\n## Next\n\n|b|\n\n## Last\n") == ["## Next"]


def missing_files(text: str) -> list[str]:
    """The files named in `backticks` that are in no folder to which such names refer."""
    paths = re.findall(r"`([\w./-]+\.(?:py|pyi|md|toml|txt|lock|yml))`", FENCE.sub("", text))
    folders = [ROOT, *FOLDERS, *PACKAGES.values()]
    return [path for path in paths if "NAME" not in path and not any((folder / path).is_file() for folder in folders)]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_the_files_that_a_page_names_exist(page: str) -> None:
    assert missing_files((ROOT / page).read_text(encoding="utf-8")) == []


def test_a_missing_file_is_found() -> None:
    page = "`errors.py` `data/logs/NAME.py` `data/no_such_file.py`\n```text\n`neither.py`\n```\n"
    assert missing_files(page) == ["data/no_such_file.py"]


def test_every_page_is_reached_from_the_index() -> None:
    reached, waiting = set(), [ROOT / "docs" / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page.suffix == ".md" and page not in reached:
            reached.add(page)
            waiting += [page.parent / link.partition("#")[0] for link in links_of(page.read_text(encoding="utf-8"))]
    assert {name_of(page) for page in DOCS} - {name_of(page) for page in reached} == set()


def test_a_page_that_keeps_its_word_passes(tmp_path: Path) -> None:
    page = """
```python
total = 1 + 1
print("two", total)
```

It prints

```text
two 2
```

```python
print(total + 1)  # the same namespace
open("numbers.txt", "w").write("1\\n2\\n3\\n").__class__
```

```console
$ cat numbers.txt \\
    | tail -n 2
2
3
$ echo "a long line"; echo end
a ... line
...
$ true
```

```console exit=2
$ echo wrong >&2; exit 2
wrong
```

```bash run
for word in a b; do echo "$word"; done
```

```text
a
b
```

```console no-run
$ make test
```

```json
{"shown": true}
```

```console tolerance=0.001
$ echo trained: 0.0262 0.0345; echo wrong; exit 0
trained: 0.0264 0.0344
wrong
```

```console exit=3 tolerance=0.01
$ echo 0.25; exit 3
0.26
```
"""
    run_page(page, tmp_path)
    assert [line for line, _, _ in commands_of(blocks_of(page)[3])] == [19, 23, 26]


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("```python\n1 / 0\n```\n", "division by zero"),
        ("```python\nprint(1)\n```\n```text\n2\n```\n", "line 5: the page says\n2\n\nbut this was printed\n1"),
        ("```console\n$ false\n```\n", "line 2: exit code 1, not 0"),
        ("```console\n$ false | cat\n```\n", "exit code 1"),
        ("```console\n$ cat $NO_SUCH_VARIABLE\n```\n", "unbound variable"),
        ("```console\n$ echo 1\n$ echo 2\n3\n```\n", "line 3: the page says"),
        ("```console exit=2\n$ true\n```\n", "exit code 0, not 2"),
        ("```console\nls\n```\n", "starts with `\\$ command`"),
        ("```console no-run\n$ howsure demo\n```\n", "howsure itself must run"),
        ("```bash run\nexit 3\n```\n", "exit code 3"),
        ("```bash\nls\n```\n", "what is ```bash"),
        ("```text\nhello\n```\n", "right after the block"),
        ("```text tolerance=0.1\nhello\n```\n", "right after the block"),
        ("```console\n$ echo 0.0262\n0.0264\n```\n", "line 2: the page says"),
        ("```console tolerance=0.001\n$ echo 0.0262\n0.0274\n```\n", "line 2: the page says"),
        ("```console tolerance=1\n$ echo 1 is 0.5\n2 is 0.5\n```\n", "line 2: the page says"),
        ("```console digits=3\n$ true\n```\n", "an option is exit= or tolerance=, not digits="),
        ("- a list\n  ```python\n  print(1)\n  ```\n", "must start in the first column"),
        ("```python\nprint(1)\n", "must start in the first column and end"),
    ],
)
def test_a_page_that_breaks_its_word_fails(page: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises((PageError, ZeroDivisionError), match=complaint):
        run_page(page, tmp_path)


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One Title: here\n[a](page.md#one-title-here) [b](#two) ![c](no.png) [d](https://example.org)\n"
        '<img src="no.svg">\n```console no-run\n$ echo [e](f)\n```\n'
    )
    assert dead_links(page) == ["#two", "no.png", "no.svg"]
