"""A run that leaves a file in the checkout fails and names it; one that does not passes, also in a dirty checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clean_tree import IGNORED, MAX_LISTED

ROOT = Path(__file__).parents[1]
HEADING = "the checkout changed during this run"


def run_tests(pytester: pytest.Pytester, *tests: str, options: tuple[str, ...] = ()) -> pytest.RunResult:
    """pytest, without git, on tests with these bodies in a folder that holds uncommitted files."""
    pytester.makeini("[pytest]")
    for name in ("notes.txt", "unused.txt"):
        (pytester.path / name).write_text("uncommitted")
    functions = [f"def test_{number}(tmp_path):\n    {body}\n" for number, body in enumerate(tests)]
    pytester.makepyfile(test_file="\n".join(["from pathlib import Path", *functions]))
    plugins = ("-p", "tests.clean_tree", "-p", "no:howsure", "-p", "no:cacheprovider")
    return pytester.runpytest_inprocess("-q", *plugins, *options, no_reraise_ctrlc=True)


@pytest.mark.parametrize(
    "options", [(), pytest.param(("-n", "1"), marks=pytest.mark.long)], ids=["one process", "xdist"]
)
def test_files_that_a_test_leaves_fail_the_run(options: tuple[str, ...], pytester: pytest.Pytester) -> None:
    done = run_tests(
        pytester,
        "Path('one.csv').write_text('a,b')",
        "Path('notes.txt').write_text('other text')",
        "Path('unused.txt').unlink()",
        options=options,
    )
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.assert_outcomes(passed=3)
    listed = str(done.stdout).partition(HEADING)[2].splitlines()[1:4]
    assert listed == ["notes.txt changed", "one.csv appeared", "unused.txt disappeared"]


def test_a_run_that_leaves_nothing_passes(pytester: pytest.Pytester) -> None:
    """Under xdist, `make test` itself is the proof."""
    done = run_tests(pytester, "(tmp_path / 'one.csv').write_text('a,b')")
    assert done.ret == pytest.ExitCode.OK
    assert HEADING not in str(done.stdout)


def test_what_git_ignores_may_change(pytester: pytest.Pytester) -> None:
    done = run_tests(pytester, "Path('build').mkdir(); Path('build/page.html').write_text('')")
    assert done.ret == pytest.ExitCode.OK


def test_a_long_list_is_cut(pytester: pytest.Pytester) -> None:
    done = run_tests(pytester, f"[Path(f'{{k}}.csv').write_text('') for k in range({MAX_LISTED + 2})]")
    assert "and 2 more files" in str(done.stdout)


def test_a_run_that_fails_anyway_keeps_its_exit_code(pytester: pytest.Pytester) -> None:
    done = run_tests(pytester, "Path('one.csv').write_text(''); raise KeyboardInterrupt")
    assert done.ret == pytest.ExitCode.INTERRUPTED
    assert "one.csv appeared" in str(done.stdout)


def test_what_may_change_is_what_git_ignores() -> None:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    caches = {".pytest_cache", ".mypy_cache", ".ruff_cache"}
    assert {line.strip("/") for line in lines} - caches == set(IGNORED) - {".git", "*_cache"}


def test_this_run_is_judged(request: pytest.FixtureRequest) -> None:
    assert request.config.pluginmanager.has_plugin("tests.clean_tree")
