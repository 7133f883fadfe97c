"""The command line as a process: signals, exit codes, encodings, memory, and help without loading the commands."""

from __future__ import annotations

import importlib.util
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import NoReturn

import click

from howsure.errors import HowsureError, InputError, shorten_values
from howsure_cli import HELP_OPTIONS, TRACEBACK


@contextmanager
def any_encoding() -> Iterator[None]:
    """Let both streams write every character, escaped if the encoding lacks it; a closed stderr is ignored."""
    with ExitStack() as after:
        if sys.stderr is None:
            sys.stderr = after.enter_context(open(os.devnull, "w"))
            after.callback(setattr, sys, "stderr", None)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                after.callback(stream.reconfigure, errors=stream.errors)
                after.callback(_drop_unwritten, stream)
                stream.reconfigure(errors="backslashreplace")
        yield


def _drop_unwritten(stream: io.TextIOWrapper) -> None:
    """Discard the output that a stream could not write, because it would fail again when the process ends."""
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


GIGABYTE = 1 << 30


def machine_memory() -> int | None:
    """The memory of this machine in bytes; None if the system does not report it (Windows)."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def check_memory(needed: int, *, name: str, value: int) -> None:
    """Raise InputError if a parameter needs more memory (`needed` bytes) than the machine has.

    >>> check_memory(10**18, name="n", value=10**16)
    Traceback (most recent call last):
    howsure.errors.InputError: n must be small enough for the memory of this machine...
    """
    there = machine_memory()
    if there is not None and needed > there:
        raise InputError(
            f"{name} must be small enough for the memory of this machine ({there / GIGABYTE:,.1f} GB); {value:,} needs "
            f"about {needed / GIGABYTE:,.0f} GB."
        )


WRONG_INPUT, UNFORESEEN, STOPPED, UNREAD = 2, 70, 130, 141
ERROR_SENTENCES = {
    MemoryError: "there is not enough memory. Process less at a time, or use a machine with more memory",
    RecursionError: "the input is nested too deeply",
}
BUG_REPORT_ADVICE = "This is a bug: please report it to the authors of howsure, with the command"
TRACEBACK_ADVICE = f"{TRACEBACK} shows where it occurred"


def run_to_exit_code(run: Callable[[], object], *, with_traceback: bool) -> int:
    """Run a command and return the exit code. Any error is printed as one sentence.

    The exit code is the number that `run` returns (a verdict), 2 for an error in the input or of the machine, 70 for an
    unexpected error, or 130 if the user stopped the command.
    """
    try:
        ended = run()
    except (Exception, KeyboardInterrupt) as error:
        return _report_error(error, with_traceback)
    return ended if isinstance(ended, int) else 0


def _report_error(error: BaseException, with_traceback: bool) -> int:
    from howsure_cli.terminal.output import say  # loaded only if there is a message, so that --help is fast

    match error:
        case click.exceptions.Abort() | KeyboardInterrupt():
            if isinstance(error.__cause__, EOFError):  # click takes it for Ctrl-D
                return _report_unforeseen(error.__cause__, with_traceback)
            say("howsure: stopped")
            return STOPPED
        case click.ClickException():
            buffer = io.StringIO()
            error.show(buffer)
            say(shorten_values(buffer.getvalue().removesuffix("\n")))
            return WRONG_INPUT
        case HowsureError():
            say(f"howsure: {error}")
            return WRONG_INPUT
        case BrokenPipeError():
            return UNREAD
        case OSError():  # no permission, a full disk
            where = "" if error.filename is None else f"{error.filename}: "
            say(f"howsure: {where}{error.strerror or error}")
            return WRONG_INPUT
        case _:
            return _report_unforeseen(error, with_traceback)


def _report_unforeseen(error: BaseException, with_traceback: bool) -> int:
    import traceback

    from howsure_cli.terminal.output import say

    if with_traceback:
        say("".join(traceback.format_exception(error)).removesuffix("\n"))
    what = next((explanation for kind, explanation in ERROR_SENTENCES.items() if isinstance(error, kind)), None)
    if what is None:
        first = next(iter(str(error).splitlines()), "")[:300]
        what = f"{type(error).__name__}{f': {first}' if first else ''}. {BUG_REPORT_ADVICE}"
    say(f"howsure: {what.rstrip('.')}{'.' if with_traceback else f'; {TRACEBACK_ADVICE}.'}")
    return UNFORESEEN


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM and a closed terminal end a command like Ctrl-C: its scratch files are removed."""
    names = ("SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
    signals = [getattr(signal, name) for name in names if hasattr(signal, name)]
    # nohup's is ignored, and stays so
    heard = [signal_number for signal_number in signals if signal.getsignal(signal_number) is signal.SIG_DFL]
    for signal_number in heard:
        signal.signal(signal_number, signal.default_int_handler)
    try:
        yield
    finally:
        for signal_number in heard:
            signal.signal(signal_number, signal.SIG_DFL)


def load_on_use(*modules: str) -> None:
    """Load submodules of a library only when one of their names is used, although another library imports them.

    scipy.special imports all of numpy, with its compiler of Fortran and its test tools, which takes 0.06 s.
    """
    for name in modules:
        package, _, submodule = name.rpartition(".")
        spec = importlib.util.find_spec(name)
        if name not in sys.modules and spec is not None and spec.loader is not None:
            spec.loader = importlib.util.LazyLoader(spec.loader)
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            setattr(sys.modules[package], submodule, module)


class SpecialFunctions(ModuleType):
    """scipy.special with its functions of arrays only, until another of its names is used.

    The rest prepares other array libraries, which takes longer than importing numpy.
    """

    def __getattr__(self, name: str) -> object:
        if not name.startswith("_"):
            importlib.import_module("scipy")
            functions = importlib.import_module(f"{self.__name__}._ufuncs")
            if hasattr(functions, name):
                return getattr(functions, name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def load_special_functions_on_use() -> None:
    """Replace scipy.special by `SpecialFunctions`, unless it is loaded or its functions are in another module."""
    scipy = importlib.util.find_spec("scipy")
    folders = [os.path.join(folder, "special") for folder in (scipy and scipy.submodule_search_locations) or ()]
    if "scipy.special" not in sys.modules and folders and PathFinder.find_spec("_ufuncs", folders):
        module = SpecialFunctions("scipy.special")
        module.__path__ = folders
        module.__spec__ = ModuleSpec("scipy.special", None, is_package=True)
        sys.modules["scipy.special"] = module


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; invalid input gives one sentence and exit code 2."""
    command_line = sys.argv[1:] if arguments is None else list(arguments)

    def run() -> object:
        with terminated_as_interrupted():
            if command_line and command_line[-1] in HELP_OPTIONS:
                from howsure_cli.terminal.recorded_help import recorded_help

                if (page := recorded_help(command_line)) is not None:
                    click.echo(page)
                    return 0
            load_on_use("numpy.f2py", "numpy.testing")
            load_special_functions_on_use()
            from howsure_cli.chapters import howsure  # which `--help` does not need

            return howsure(command_line, standalone_mode=False, prog_name="howsure")

    with any_encoding():
        code = run_to_exit_code(run, with_traceback=TRACEBACK in command_line)
    sys.exit(code)
