"""Ctrl-C, pressed in the command's own process at a chosen moment of its work, however fast or slow the machine is."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

PROGRAM = """
import os, signal, sys, threading, time
from howsure_cli.command_line import main

def press():
    main_thread = threading.main_thread().ident
    while True:
        frame = sys._current_frames()[main_thread]
        while frame is not None:
            if frame.f_code.co_name == {function!r} and ({moment})(frame.f_locals):
                os.killpg(0, signal.SIGINT)
                return
            frame = frame.f_back
        time.sleep(0.001)

threading.Thread(target=press, daemon=True).start()
main()
"""


def pressed(*arguments: Any, function: str, moment: str) -> subprocess.CompletedProcess[str]:
    """Run a command; press Ctrl-C, as a terminal does for its children too, once a function's variables are so."""
    program = PROGRAM.format(function=function, moment=moment)
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, start_new_session=True, timeout=600)
