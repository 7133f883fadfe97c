"""`howsure events parser`: the installed spaCy pipelines, the contents of a folder, and how to get a pipeline."""

from __future__ import annotations

import click

from howsure_cli.terminal.commands import Command
from howsure_cli.terminal.output import emit
from howsure_events.extraction.pipelines import Pipeline, installed_pipelines, pipeline_at, spacy_version

RELEASES = "https://github.com/explosion/spacy-models/releases/download"
GET = """
with a network:
  python -m spacy download en_core_web_sm
without one, on a machine that has it, then here with the copied file:
  python -m pip download --no-deps {releases}/{name}/{name}-py3-none-any.whl
  python -m pip install --no-deps {name}-py3-none-any.whl
then:
  howsure events extract FILE --text COL --date COL --parser en_core_web_sm --store OUT
"""


@click.command("parser", cls=Command)
@click.argument("path", required=False, metavar="[FOLDER]")
def parser_command(path: str | None) -> None:
    """List the installed parsers, and the commands that install one, with or without a network.

    \b
    howsure events parser
    howsure events parser path/to/folder

    For the FOLDER of a spaCy pipeline, the command shows its language, and whether it is suitable.
    """
    if path is None:
        pipelines = installed_pipelines()
        shown = "\n".join(f"  {_pipeline_line(pipeline)}" for pipeline in pipelines) or "  none"
        name = f"en_core_web_sm-{spacy_version().rpartition('.')[0]}.0"
        emit(f"spaCy {spacy_version()}, with pipelines:\n{shown}\n{GET.format(releases=RELEASES, name=name)}", None)
        return
    pipeline = pipeline_at(path)
    extract = f"Next: howsure events extract FILE --text COL --date COL --parser {pipeline.place}\n"
    emit(f"{_pipeline_line(pipeline)}\n{'' if pipeline.why_not else extract}", None)


def _pipeline_line(pipeline: Pipeline) -> str:
    use = pipeline.why_not or f"tags and dependencies ({pipeline.scheme})"
    return f"{pipeline.name} {pipeline.version}, language {pipeline.language}: {use}"
