"""How commands end: no traceback, a code that says what happened, and no error taken for another."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from tests.cli.running import howsure as run

from howsure.errors import InputError, shorten_values
from howsure_cli.command_line import check_memory, machine_memory, run_to_exit_code


def ended(error: BaseException, capsys: pytest.CaptureFixture[str], *, with_traceback: bool = False) -> tuple[int, str]:
    """The code, and what is said, of a command that raises an error."""

    @click.command()
    def failing() -> None:
        raise error

    code = run_to_exit_code(lambda: failing.main([], standalone_mode=False), with_traceback=with_traceback)
    return code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "beginning"),
    [
        (InputError("no file x."), 2, "howsure: no file x.\n"),
        (FileNotFoundError(2, "No such file", "x"), 2, "howsure: x: No such file\n"),
        (OSError("cannot seek"), 2, "howsure: cannot seek\n"),
        (KeyboardInterrupt(), 130, "\nhowsure: stopped\n"),
        (MemoryError(), 70, "howsure: there is not enough memory. Process less at a time"),
        (RecursionError("maximum recursion depth"), 70, "howsure: the input is nested too deeply"),
        (EOFError("no data left"), 70, "\nhowsure: EOFError: no data left. This is a bug: please report it"),
        (OverflowError("int too large"), 70, "howsure: OverflowError: int too large. This is a bug"),
        (UnicodeEncodeError("ascii", "ä", 0, 1, "not in range"), 70, "howsure: UnicodeEncodeError: 'ascii' codec"),
        (KeyError("x\ny"), 70, "howsure: KeyError: 'x\\ny'. This is a bug"),
        (ZeroDivisionError(), 70, "howsure: ZeroDivisionError. This is a bug"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_error_is_one_sentence(
    error: BaseException, code: int, beginning: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code, message = ended(error, capsys)
    assert exit_code == code
    assert message.startswith(beginning)
    assert "Traceback" not in message
    assert len(message.strip().splitlines()) == 1
    assert ("--traceback shows where it occurred." in message) == (code == 70)


def test_the_traceback_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    code, message = ended(ValueError("\x1b[31m"), capsys, with_traceback=True)
    assert code == 70
    assert message.startswith("Traceback (most recent call last)")
    assert "in failing" in message
    assert message.endswith("please report it to the authors of howsure, with the command.\n")
    assert "\x1b" not in message


@pytest.mark.parametrize("arguments", [["--traceback", "simulate", "5"], ["simulate", "5", "--traceback"]])
def test_traceback_option_works_at_any_position(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(*arguments).code == 0

    def broken(*_: object, **__: object) -> None:
        raise ArithmeticError("two and two")

    monkeypatch.setattr("howsure.calibration.simulation.simulate_pairs", broken)
    done = run(*arguments)
    assert (done.code, done.out) == (70, "")
    assert "in broken" in done.err
    done = run(*(word for word in arguments if word != "--traceback"))
    assert (done.code, done.err.count("\n")) == (70, 1)


@pytest.mark.long
def test_memory_that_there_is_not() -> None:
    """A real one: the process may have as much memory as it has, and no more."""
    program = """
import resource, sys
from howsure_cli.command_line import main
import howsure_cli.commands.calibration, howsure.calibration.simulation
with open("/proc/self/statm") as file:
    held = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + (64 << 20),) * 2)
main(["simulate", "20000000"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 70, done.stderr
    assert done.stderr.startswith("howsure: there is not enough memory.")
    assert done.stdout == ""


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_message_repeats_no_whole_text(quote: str) -> None:
    long = f"{quote}{300 * 'x'}{quote}"
    assert str(InputError(f"y must be 0 or 1; row 3 of 'a b' is {long}.")).startswith(
        f"y must be 0 or 1; row 3 of 'a b' is {quote}{79 * 'x'}…{quote}."
    )
    message = "the map's groups aren't the runs' groups: " + 90 * "word " + "the rows' order"
    assert shorten_values(message) == message  # apostrophes quote nothing
    assert shorten_values(f"it contains b{long}.") == f"it contains b{quote}{79 * 'x'}…{quote}."


# Numbers that no memory can hold are refused in a sentence, before the work.


ABSURD = 10**14


def test_what_there_is_can_be_had() -> None:
    there = machine_memory()
    assert there is not None
    check_memory(there, name="n", value=1)
    with pytest.raises(InputError, match=r"^n must be small enough for the memory of this machine .*; 7 needs about"):
        check_memory(there + 1, name="n", value=7)
