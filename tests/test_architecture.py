"""The rules of the house (docs/architecture.md), enforced on the source as it is.

Every rule is a function from a module to the sentences that say how it breaks the rule, so that the rules themselves
are tested on small offenders at the end.
"""

from __future__ import annotations

import ast
import gc
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import PurePosixPath

import pytest

from tests.source import CORE, DEMO, FILES, PACKAGES, PAPERS, ROOT

LAYERS = (
    {"errors"},
    {"lazy_imports", "notes"},
    {"inputs"},
    {"show"},
    {"result"},
    {"files", "stats", "worst_rows"},
    {"propagation"},
    {"calibration"},
    {"data"},
    {"significance", "counts", "selective", "sequential", "recalibration"},
    {"monitoring", "scores"},
    {"check", "regression"},
    {"evaluate", "fields", "inspect", "judges", "pydantic_evals", "sklearn"},
    {"figures"},
    {"__main__"},
    {"howsure_cli"},
    {"howsure_pytest"},
    {"howsure_text"},
    {"howsure_events"},
)
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
NUMERICS = {
    "stats",
    "propagation",
    "inputs",
    "calibration",
    "significance",
    "counts",
    "selective",
    "sequential",
    "recalibration",
    "check",
    "monitoring",
    "scores",
    "judges",
    "regression",
    "fields",
}
NUMERIC_MODELS = ("howsure_text.sequences", "howsure_text.coreference")
KEEPERS = {  # of what a chapter writes and reads itself
    "howsure.significance.boostsa.storage",
    "howsure.significance.experiments",
    "howsure_text.coreference.antecedent_files",
    "howsure_text.coreference.antecedent_model",
}
SUGAR = {"plot": "figures", "figure": "figures", "_repr_html_": "figures"}
CONNECTIONS = "howsure.data.tables.connections"
FRAME_SEAMS = ("howsure.inputs.frames", "howsure.calibration.engines")

COMMAND_LINE = ("howsure_cli", "howsure_text.commands", "howsure_events.commands")
NOT_COMMAND_LINE = ("howsure_cli.report", "howsure_cli.look", "howsure_cli.datasets")
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "core", "misc"}
LONGEST_FILE = 700
STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
TALKING = {"click", "rich"}
TOUCHING_A_DISK = {"duckdb", "os", "pathlib", "pickle", "shutil", "socket", "sqlite3", "subprocess", "tempfile"}
FILE_METHODS = {"mkdir", "open", "read_bytes", "read_text", "tofile", "unlink", "write_bytes", "write_text"}
NUMPY_FILE_FUNCTIONS = {"fromfile", "genfromtxt", "load", "loadtxt", "memmap", "save", "savetxt", "savez"}
SLOW_TO_IMPORT = {
    "dask",
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "scipy.stats",
    "sklearn",
    "spacy",
    "starlette",
    "torch",
}


def room_of(name: str) -> str:
    """The folder (or file) under howsure/ that contains a module; empty for howsure itself; else the package."""
    package, _, inside = name.partition(".")
    return inside.partition(".")[0] if package == "howsure" else package


@dataclass(frozen=True)
class Module:
    """A source file: its dotted name, whether it is a package's `__init__`, and its syntax tree."""

    name: str
    is_package: bool
    tree: ast.Module

    @classmethod
    def parse(cls, name: str, text: str, *, is_package: bool = False) -> Module:
        return cls(name, is_package, ast.parse(text))

    @property
    def room(self) -> str:
        return room_of(self.name)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree, which several rules look at."""
        return tuple(ast.walk(self.tree))

    @property
    def talks(self) -> bool:
        """Whether it belongs to the command line, or starts it."""
        return self.room == "__main__" or (
            self.name.startswith(COMMAND_LINE) and not self.name.startswith(NOT_COMMAND_LINE)
        )

    @property
    def keeps_files(self) -> bool:
        return self.name in KEEPERS


@dataclass(frozen=True)
class Import:
    """One imported name (`howsure.inputs.pairs.Pairs`) and the function around it; None at the top of the module."""

    name: str
    function: str | None

    @property
    def room(self) -> str:
        return room_of(self.name)

    def of(self, *libraries: str) -> bool:
        return any(self.name == library or self.name.startswith(library + ".") for library in libraries)


@cache
def modules() -> list[Module]:
    """Every source file of the package."""
    parsed = []
    gc.disable()  # of millions of nodes none is garbage
    for path in FILES:
        if PAPERS in path.parents:
            continue
        parts = PurePosixPath(path.relative_to(ROOT).as_posix().partition("/src/")[2]).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        parsed.append(Module.parse(name, path.read_text(encoding="utf-8"), is_package=is_package))
    gc.freeze()
    gc.enable()
    return parsed


@cache
def imports_of(module: Module, *, for_types: bool = True) -> tuple[Import, ...]:
    """All imports of a module, also those inside functions; `for_types` adds those under `if TYPE_CHECKING`."""
    package = module.name.split(".") if module.is_package else module.name.split(".")[:-1]

    def visit(node: ast.AST, function: str | None) -> Iterator[Import]:
        match node:
            case ast.Import():
                yield from (Import(alias.name, function) for alias in node.names)
            case ast.ImportFrom():
                above = package[: len(package) + 1 - node.level] if node.level else []
                source = ".".join([*above, *([node.module] if node.module else [])])
                yield from (Import(f"{source}.{alias.name}", function) for alias in node.names)
            case ast.If(test=ast.Name("TYPE_CHECKING")) if not for_types:
                pass
            case _:
                inside = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, STATEMENTS):  # no expression imports
                        yield from visit(child, inside)

    return tuple(visit(module.tree, None))


def imports_point_down(module: Module) -> Iterator[str]:
    """A room imports itself and the rooms below; what draws or writes a page (`SUGAR`) that room, cli anything."""
    if not module.room:
        return
    for imported in imports_of(module):
        if (
            not imported.of("howsure_pytest", *PACKAGES)
            or imported.name == "howsure.__version__"
            or imported.room == module.room
        ):
            continue
        if imported.of("howsure") and imported.room not in LEVEL and not module.name.startswith("howsure."):
            continue  # a public name, in another package
        if imported.room == SUGAR.get(imported.function or ""):
            continue
        if LEVEL.get(imported.room, len(LAYERS)) >= LEVEL[module.room]:
            yield f"{module.name} imports {imported.name}, which is not below {module.room}"


def numerics_are_pure(module: Module) -> Iterator[str]:
    """A room of numerics neither prints nor touches a disk, but in the file that keeps what it makes."""
    if not (module.room in NUMERICS or module.name.startswith(NUMERIC_MODELS)) or module.keeps_files:
        return
    for imported in imports_of(module):
        if imported.of(*TOUCHING_A_DISK):
            yield f"{module.name} imports {imported.name}"
    for node in module.nodes:
        match node:
            case ast.Call(func=ast.Name("open" | "input" as name)):
                yield f"{module.name}:{node.lineno} calls {name}()"
            case ast.Call(func=ast.Attribute(attr=name)) if name in FILE_METHODS:
                yield f"{module.name}:{node.lineno} calls .{name}()"
            case ast.Attribute(value=ast.Name("np" | "numpy"), attr=name) if (
                name.removesuffix("_compressed") in NUMPY_FILE_FUNCTIONS
            ):
                yield f"{module.name}:{node.lineno} uses np.{name}"


def only_the_command_line_talks(module: Module) -> Iterator[str]:
    """Nothing prints but cli, and what starts it."""
    if module.talks:
        return
    for imported in imports_of(module):
        if imported.of(*TALKING):
            yield f"{module.name} imports {imported.name}"
    for node in module.nodes:
        match node:
            case ast.Call(func=ast.Name("print")):
                yield f"{module.name}:{node.lineno} prints"
            case ast.Attribute(value=ast.Name("sys"), attr="stdout" | "stderr" as name):
                yield f"{module.name}:{node.lineno} uses sys.{name}"


def frames_have_one_seam(module: Module) -> Iterator[str]:
    """narwhals is imported where frames become arrays, and where the engines that hold them add up."""
    if not module.name.startswith(FRAME_SEAMS) and any(imported.of("narwhals") for imported in imports_of(module)):
        yield f"{module.name} imports narwhals; {' and '.join(FRAME_SEAMS)} are the seams"


def databases_are_opened_in_one_place(module: Module) -> Iterator[str]:
    """Every connection to DuckDB has the settings of `data/tables/connections.py`."""
    if module.name == CONNECTIONS:
        return
    for node in module.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name("duckdb"), attr=name)) if name[0].islower():
                yield f"{module.name}:{node.lineno} calls duckdb.{name}(); {CONNECTIONS} opens connections"
    for imported in imports_of(module):
        if imported.of("duckdb.connect"):
            yield f"{module.name} imports {imported.name}; {CONNECTIONS} opens connections"


def slow_libraries_are_imported_where_used(module: Module) -> Iterator[str]:
    """What is slow to import is imported inside functions; but rooms of figures may import matplotlib at their top, and
    the door to a library, which that alone opens, the library.
    """
    slow = SLOW_TO_IMPORT - ({"matplotlib"} if "figures" in module.name.split(".") else {module.name.split(".")[-1]})
    for imported in imports_of(module, for_types=False):
        if imported.function is None and imported.of(*slow):
            yield f"{module.name} imports {imported.name} at its top"


def names_say_something(module: Module) -> Iterator[str]:
    """No file is named after nothing."""
    for part in module.name.split("."):
        if part.strip("_") in FORBIDDEN_NAMES:
            yield f"{module.name}: '{part}' names no idea"


def the_library_speaks_of_parameters(module: Module) -> Iterator[str]:
    """Options have their names on the command line alone, which puts them for parameters (cli/terminal/commands.py);
    and where commands are what is written."""
    if module.talks:
        return
    for node in module.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", node.value):
                yield f"{module.name}, line {node.lineno}: a text speaks of {option}"


RULES = [
    imports_point_down,
    numerics_are_pure,
    only_the_command_line_talks,
    frames_have_one_seam,
    databases_are_opened_in_one_place,
    slow_libraries_are_imported_where_used,
    names_say_something,
    the_library_speaks_of_parameters,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_source_keeps_the_rule(rule) -> None:
    assert [broken for module in modules() for broken in rule(module)] == []


def graph_of(modules: list[Module]) -> dict[str, set[str]]:
    """Which modules each module loads, also inside functions; not for types only, nor figures of what can be drawn."""
    names = {module.name for module in modules}

    def target(imported: Import) -> str:
        return imported.name if imported.name in names else imported.name.rpartition(".")[0]

    return {
        module.name: {
            target(imported)
            for imported in imports_of(module, for_types=False)
            if imported.function not in SUGAR and target(imported) in names
        }
        - {module.name}
        for module in modules
    }


def circles_in(graph: dict[str, set[str]]) -> list[set[str]]:
    """Modules that load each other, over however many others."""

    @cache
    def reached(name: str) -> frozenset[str]:
        reachable, waiting = set(), list(graph[name])
        while waiting:
            module = waiting.pop()
            if module not in reachable:
                reachable.add(module)
                waiting.extend(graph[module])
        return frozenset(reachable)

    return [
        {name, *(module for module in reached(name) if name in reached(module))}
        for name in graph
        if name in reached(name)
    ]


def test_no_modules_import_each_other() -> None:
    """Neither across rooms nor within one, at the top of a file or inside a function."""
    assert circles_in(graph_of(modules())) == []


def test_a_circle_is_found() -> None:
    a = Module.parse("howsure.calibration.a", "def f():\n    from howsure.calibration.b import g")
    b = Module.parse("howsure.calibration.b", "import howsure.calibration.c")
    c = Module.parse("howsure.calibration.c", "from howsure.calibration.a import f")
    typed = Module.parse("howsure.calibration.c", "if TYPE_CHECKING:\n    from howsure.calibration.a import f")
    drawn = Module.parse("howsure.calibration.c", "def plot():\n    from howsure.calibration.a import f")
    assert len(circles_in(graph_of([a, b, c]))) == 3
    assert circles_in(graph_of([a, b, typed])) == []
    assert circles_in(graph_of([a, b, drawn])) == []


def test_tests_mirror_the_source() -> None:
    """A folder of tests of the statistics is named as the room that it tests; within it, as suits the tests."""
    tests = ROOT / "packages" / "core" / "tests"
    rooms = {path.relative_to(tests).parts[0] for path in tests.rglob("test_*.py") if path.parent != tests}
    assert {room for room in rooms if not (CORE / room).is_dir()} == set()


def test_every_room_has_a_level() -> None:
    assert {module.room for module in modules()} - {"", *LEVEL} == set()


def test_the_map_shows_the_house() -> None:
    """The rooms in docs/architecture.md are those that exist."""
    shown = re.findall(
        r"^\| `([a-z_]+)/?` \|", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(shown) == {module.room for module in modules() if module.name.startswith("howsure.")} - {""}


def test_one_idea_a_file() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {str(path.relative_to(ROOT)): n for path, n in lengths.items() if n > LONGEST_FILE} == {}


def loaded_by(program: str) -> set[str]:
    """The modules that a program loads, in a process of its own: of howsure, scipy, and the packages of others."""
    output = subprocess.check_output(
        [sys.executable, "-c", f"import sys; {program}\nprint(*sys.modules)"], cwd=CORE.parent, text=True
    )
    names = output.splitlines()[-1].split()
    return {name for name in names if name.startswith(("howsure.", "howsure_", "scipy."))} | {
        name.partition(".")[0] for name in names
    }


def loaded_by_typing(*typed: str) -> set[str]:
    """What a command loads."""
    return loaded_by(
        f"from howsure_cli.__main__ import main; sys.argv[1:] = {typed!r}\ntry: main()\nexcept SystemExit: pass\n"
    )


OTHERS = {"click", "duckdb", "jinja2", "matplotlib", "narwhals", "numpy", "scipy", *SLOW_TO_IMPORT}


def test_howsure_alone_loads_nothing() -> None:
    loaded = loaded_by("import howsure")
    assert {name for name in loaded if name.startswith("howsure.")} == {"howsure.lazy_imports"}
    assert OTHERS & loaded == set()


@pytest.mark.long
def test_a_function_loads_what_it_needs() -> None:
    """`calibration_error` computes with numpy; scipy comes with what needs it, narwhals with a frame."""
    loaded = loaded_by("import howsure; howsure.calibration_error([0, 1] * 50, [0.2, 0.8] * 50)")
    assert OTHERS & loaded - {"scipy"} == {"numpy"}
    assert {room_of(name) for name in loaded if name.startswith(("howsure.", "howsure_"))} == {
        *("calibration", "errors", "lazy_imports", "inputs", "notes", "result", "show", "stats", "worst_rows")
    }
    assert not {
        name
        for name in loaded
        if name.startswith(("howsure.calibration.miscalibrated_groups", "howsure.calibration.corp"))
    }


def test_help_loads_what_it_prints() -> None:
    loaded = loaded_by_typing("--help")
    assert OTHERS & loaded == {"click"}
    assert {name for name in loaded if name.startswith(("howsure.", "howsure_"))} == {
        *("howsure.errors", "howsure.lazy_imports", "howsure_cli", "howsure_cli.__main__", "howsure_cli.command_line"),
        *("howsure_cli.plugins", "howsure_cli.terminal"),
        "howsure_cli.terminal.recorded_help",
    }


def test_a_command_loads_what_it_needs() -> None:
    """No other command, no format of logs for a CSV, no figures."""
    file = str(DEMO / "predictions.csv")
    loaded = loaded_by_typing("calibration", file, "--target", "label", "--prob", "probability")
    assert OTHERS & loaded == {"click", "duckdb", "numpy", "scipy"}
    unneeded = (
        "calibration.miscalibrated_groups",
        "calibration.logit_calibration",
        "calibration.calibration_summary",
        "data.logs.lm_eval",
        "data.logs.inspect_ai",
        "data.logs.arrays",
        "data.logit_files",
    )
    prefixes = (*(f"howsure.{module}" for module in unneeded), "howsure_cli.commands.check", "howsure_cli.report")
    assert [name for name in loaded if name.startswith((*prefixes, "howsure_text", "howsure_events"))] == []


def test_public_functions_are_documented() -> None:
    """Each has a docstring with an example, and a type for every argument and the result; options go by keyword."""
    import howsure

    for name in howsure.__all__:
        public = getattr(howsure, name)
        assert inspect.getdoc(public), f"{name} has no docstring"
        if not inspect.isfunction(public):
            continue
        assert ">>> " in inspect.getdoc(public), f"{name} shows no example"
        signature = inspect.signature(public)
        assert signature.return_annotation is not signature.empty, f"{name} does not say what it returns"
        for parameter in signature.parameters.values():
            assert parameter.annotation is not parameter.empty, f"{name}: no type for {parameter.name}"
            in_pairs = parameter.name in ("y_true", "y_prob")  # which a log names, or Pairs hold
            by_log = name.endswith("_scores") or name in (
                "pass_at_k",
                "worst_items",
                "score_agents",
                "score_items",
                "check_score",
                "check_score_so_far",
                "rater_agreement",  # or `raters`
            )
            in_log = parameter.name == "score" and by_log
            in_table = name.endswith("_models") and parameter.name in ("y_true", "against", "model", "prediction")
            positional = parameter.kind is parameter.POSITIONAL_OR_KEYWORD and not (in_pairs or in_log or in_table)
            assert not (positional and parameter.default is not parameter.empty), f"{name}: {parameter.name} by keyword"


OFFENDERS = [
    (imports_point_down, "howsure.inputs.pairs", "from howsure.calibration.results import CalibrationCurve"),
    (imports_point_down, "howsure.calibration.results", "def f():\n    import howsure.data.read"),
    (imports_point_down, "howsure.calibration.results", "import howsure_cli.look"),
    (imports_point_down, "howsure.calibration.results", "def draw():\n    from howsure.figures import curve"),
    (imports_point_down, "howsure.significance.comparison", "from howsure import calibration_curve"),
    (numerics_are_pure, "howsure.inputs.pairs", "from pathlib import Path"),
    (numerics_are_pure, "howsure.inputs.pairs", "def f(path):\n    return open(path)"),
    (numerics_are_pure, "howsure.inputs.pairs", "def f(path):\n    path.write_text('')"),
    (numerics_are_pure, "howsure.inputs.pairs", "np.save('x', 1)"),
    (only_the_command_line_talks, "howsure.data.read", "print(1)"),
    (only_the_command_line_talks, "howsure_cli.report.calibration", "import rich.table"),
    (only_the_command_line_talks, "howsure.figures.curve", "import sys; sys.stderr.write('')"),
    (frames_have_one_seam, "howsure.data.read", "def f():\n    import narwhals as nw"),
    (databases_are_opened_in_one_place, "howsure_events.store", "import duckdb\nrows = duckdb.connect('x').fetchall()"),
    (databases_are_opened_in_one_place, "howsure_events.store", "import duckdb\nduckdb.sql('SELECT 1')"),
    (databases_are_opened_in_one_place, "howsure_events.store", "from duckdb import connect"),
    (slow_libraries_are_imported_where_used, "howsure.calibration.results", "from scipy import stats"),
    (slow_libraries_are_imported_where_used, "howsure_cli.report.calibration", "import matplotlib.pyplot as plt"),
    (names_say_something, "howsure.stats._utils", ""),
    (the_library_speaks_of_parameters, "howsure.data.read", "def f(n):\n    raise E(f'{n}: name it with --id COL')"),
]

LAW_ABIDING = """
from __future__ import annotations
from typing import TYPE_CHECKING
import numpy as np
from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.pairs import Pairs
from .bins import Bins
if TYPE_CHECKING:
    from matplotlib.axes import Axes
class Curve:
    def plot(self, ax: Axes | None = None) -> Axes:
        from howsure.figures.curve import draw_curve
        return draw_curve(self, ax=ax)
def p_value(z: float) -> float:
    from scipy import stats
    return float(stats.norm.sf(z))
"""


@pytest.mark.parametrize(("rule", "name", "text"), OFFENDERS)
def test_a_rule_catches_who_breaks_it(rule, name: str, text: str) -> None:
    assert len(list(rule(Module.parse(name, text)))) == 1


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_rule_leaves_others_alone(rule) -> None:
    assert list(rule(Module.parse("howsure.calibration.results", LAW_ABIDING))) == []


def test_the_version_needs_neither_numpy_nor_the_command_line() -> None:
    assert loaded_by_typing("--version").isdisjoint({"numpy", "click", "howsure_cli.command_line"})


@pytest.mark.long
def test_scores_of_a_file_load_no_optimisers() -> None:
    file = str(DEMO / "predictions.csv")
    loaded = loaded_by_typing("score", file, "--score", "label")
    assert {"scipy", "scipy.special", "duckdb"} <= loaded
    assert "scipy.optimize" not in loaded
