"""Commands as they are typed, ready to copy."""

from __future__ import annotations

from collections.abc import Sequence

from howsure_cli.terminal.output import shell_word as shell_word


def typed_files(
    paths: Sequence[str], format: str | None, explode: str | None, encoding: str | None = None
) -> list[str]:
    """The files, and how they are read."""
    options = {"--from": format, "--explode": explode, "--encoding": encoding}
    return [*paths, *(word for option, value in options.items() if value is not None for word in (option, value))]


def command_text(command: str, *words: str) -> str:
    return " ".join(["howsure", command, *map(shell_word, words)])


def look_command(path: str, format: str | None, explode: str | None) -> str:
    """The command that shows what is in a file, as it is read."""
    return command_text("look", *typed_files([path], format, explode))


def look_into_command(file_words: Sequence[str], name: str) -> str:
    """The command that shows the names in the objects of these lists."""
    return command_text("look", *file_words, "--explode", name)
