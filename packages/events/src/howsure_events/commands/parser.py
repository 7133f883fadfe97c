"""`howsure events parser`: the installed spaCy pipelines, the contents of a wheel or folder, and how to get a
pipeline."""

from __future__ import annotations

import os

import click

from howsure.errors import InputError
from howsure_cli.terminal.commands import Command, OutputFile
from howsure_cli.terminal.output import emit
from howsure_events.extraction.pipelines import Pipeline, installed_pipelines, pipeline_at, spacy_version, unpack_wheel

RELEASES = "https://github.com/explosion/spacy-models/releases/download"
GET = """
with a network:
  python -m spacy download en_core_web_sm
without one, on a machine that has it, then here with the copied file:
  python -m pip download --no-deps {releases}/{name}/{name}-py3-none-any.whl
  howsure events parser {name}-py3-none-any.whl --output en_core_web_sm
then:
  howsure events extract FILE --text COL --date COL --parser en_core_web_sm --store OUT
"""


@click.command("parser", cls=Command)
@click.argument("path", required=False, metavar="[WHEEL|FOLDER]")
@click.option("--output", type=OutputFile(), metavar="FOLDER")
def parser_command(path: str | None, output: str | None) -> None:
    """List the installed parsers, and the commands that install one, with or without a network.

    \b
    howsure events parser
    howsure events parser en_core_web_sm-3.8.0-py3-none-any.whl --output en_core_web_sm
    howsure events parser path/to/folder

    A WHEEL of a spaCy pipeline need not be installed: unpack it, and name its FOLDER with --parser. For a wheel or a
    folder, the command shows the language of the pipeline, and whether it is suitable.
    """
    if path is None:
        if output is not None:
            raise InputError("--output is the folder to which a wheel is unpacked; name the wheel, too.")
        pipelines = installed_pipelines()
        shown = "\n".join(f"  {_pipeline_line(pipeline)}" for pipeline in pipelines) or "  none"
        name = f"en_core_web_sm-{spacy_version().rpartition('.')[0]}.0"
        emit(f"spaCy {spacy_version()}, with pipelines:\n{shown}\n{GET.format(releases=RELEASES, name=name)}", None)
        return
    if output is not None:
        unpack_wheel(path, output)
    pipeline = pipeline_at(output or path)
    then = (
        ""
        if pipeline.why_not
        else f"Next: howsure events extract FILE --text COL --date COL --parser {pipeline.place}\n"
    )
    if not pipeline.why_not and os.path.isfile(path) and output is None:
        then = f"Next: howsure events parser {path} --output {pipeline.name}\n"
    emit(f"{_pipeline_line(pipeline)}\n{then}", None)


def _pipeline_line(pipeline: Pipeline) -> str:
    use = pipeline.why_not or f"tags and dependencies ({pipeline.scheme})"
    return f"{pipeline.name} {pipeline.version}, language {pipeline.language}: {use}"
