"""Ctrl-C waits for what must not be broken off, and reaches no child."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from howsure.events.extraction.processes import deaf_children, undisturbed


def ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def work_on(done: list[bool]) -> None:
    with undisturbed():
        ctrl_c()
        done.append(True)


def fail_inside() -> None:
    with undisturbed():
        ctrl_c()
        raise ValueError("inside")


def test_ctrl_c_waits() -> None:
    done: list[bool] = []
    with pytest.raises(KeyboardInterrupt):
        work_on(done)
    assert done == [True]
    with pytest.raises(KeyboardInterrupt):  # as before
        ctrl_c()


def test_who_ignores_it_goes_on() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    done: list[bool] = []
    try:
        work_on(done)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == [True]


def test_without_ctrl_c_nothing_happens() -> None:
    before = signal.getsignal(signal.SIGINT)
    with undisturbed():
        pass
    assert signal.getsignal(signal.SIGINT) is before


def test_an_error_inside_comes_first() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="inside"):
        fail_inside()
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread() -> None:
    told: list[bool] = []

    def inside() -> None:
        with undisturbed():
            told.append(True)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert told == [True]


def test_children_do_not_hear() -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('alive')"
    with deaf_children():
        deaf = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    hearing = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (deaf.returncode, deaf.stdout) == (0, "alive\n")
    assert (hearing.returncode, hearing.stdout) == (-signal.SIGINT, "")
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
