"""`howsure fields`: how reliable is each field of extracted documents, and which documents can be filed without
review?"""

from __future__ import annotations

from functools import cache
from typing import Any

import click

from howsure.data.sources import read
from howsure.errors import InputError
from howsure.fields.decisions import file_documents
from howsure.fields.evaluation import evaluate_fields
from howsure.fields.policy import FilingPolicy
from howsure.notes import WARNING, severity
from howsure_cli.terminal.commands import OutputFile, names_file
from howsure_cli.terminal.derived import build_command, call_function, finish
from howsure_cli.terminal.options import (
    Decorator,
    DefaultGroup,
    by_file_option,
    encoding_option,
    figure_option,
    from_option,
    in_order,
    missing_option,
    output_options,
    report_option,
    where_option,
)
from howsure_cli.terminal.output import say

FILES = (
    "FILE...: responses of OpenAI or vLLM whose content is JSON, best with logprobs; a folder of JSON files; JSON "
    "lines with ids; or a table with a row per value, the only one from which options select rows."
)
EXAMPLES = """
howsure fields responses.jsonl --gold gold --compare total=number:0.01 --worst 20
howsure fields responses.jsonl --gold gold.jsonl --max-risk 0.05 --write-policy policy.json
howsure fields values.csv --document invoice --field field --value value --confidence p --gold truth
"""
APPLY_EXAMPLES = """
howsure fields apply new.jsonl --policy policy.json
howsure fields apply new.jsonl --policy policy.json --audit 20 --seed 0 --format csv --output decisions.csv
"""


def as_gold_source(context: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    """Return the files of true values, or the name of the column of true values."""
    return read(value) if value is not None and (names_file(value) or "*" in value) else value


def by_field(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str] | None:
    """Return the settings by field, from FIELD=SETTING. Several are separated by commas, or the option is repeated."""
    pairs = [pair.partition("=") for text in values for pair in text.split(",")]
    for field, sign, setting in pairs:
        if not (field and sign and setting):
            raise click.BadParameter(f"write FIELD=SETTING, as in {parameter.metavar}")
    return {field.strip(): setting.strip() for field, _, setting in pairs} or None


def choices_by_field(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, list[str]] | None:
    """The possible values of each field, separated by |."""
    settings = by_field(context, parameter, values)
    return None if settings is None else {field: setting.split("|") for field, setting in settings.items()}


gold_option = click.option("--gold", metavar="FILE|COL", callback=as_gold_source)
compare_option = click.option("--compare", metavar="FIELD=HOW", multiple=True, callback=by_field)
choices_option = click.option("--choices", metavar="FIELD=A|B|…", multiple=True, callback=choices_by_field)
table_options = in_order(
    [
        where_option,
        by_file_option,
        click.option("--skip-missing", is_flag=True),
        missing_option,
        from_option,
        encoding_option,
    ]
)
policy_option = click.option("--policy", metavar="FILE.json", required=True)
OPTIONS: dict[str, Decorator | None] = {
    "gold": gold_option,
    "compare": compare_option,
    "choices": choices_option,
    "policy": click.option("--policy", metavar="FILE.json"),
    "data": table_options,
}


def evaluate(
    form: str,
    output: str | None,
    figure: str | None,
    report: str | None,
    write_policy: str | None,
    policy: str | None,
    **typed: Any,
) -> None:
    """Print the table of fields, and write the policy."""
    passed = None if policy is None else FilingPolicy.load(policy)
    table = call_function(evaluate_fields, typed, policy=passed)
    if write_policy is not None:
        if table.policy is None:
            raise InputError("--write-policy needs --max-risk, such as --max-risk 0.05.")
        if table.policy.is_empty:
            warnings = [str(note) for note in table.notes if severity(note) == WARNING]
            raise InputError(" ".join([f"{table.policy.answer} No policy was written.", *warnings]))
        table.policy.save(write_policy)
        say(f"The policy was written to {write_policy}.")
    finish(table, name="fields", form=form, output=output, figure=figure, report=report)


@cache
def fields() -> click.Command:
    """The default command."""
    return build_command(
        "fields",
        evaluate_fields,
        evaluate,
        examples=EXAMPLES,
        files=FILES,
        more_options=[
            click.option("--write-policy", type=OutputFile(".json"), metavar="FILE.json"),
            output_options,
            figure_option(),
            report_option,
        ],
        options=OPTIONS,
        epilog="See also: howsure fields apply, howsure check fields --help",
    )


@cache
def apply() -> click.Command:
    """`howsure fields apply`."""
    return build_command(
        "fields apply",
        file_documents,
        decide,
        examples=APPLY_EXAMPLES,
        files=FILES,
        more_options=[output_options],
        options={"policy": policy_option, "data": table_options},
    )


def decide(form: str, output: str | None, policy: str, **typed: Any) -> None:
    """Print the decisions on new documents."""
    decisions = call_function(file_documents, typed, policy=FilingPolicy.load(policy))
    finish(decisions, name="fields apply", form=form, output=output)


@click.group(
    cls=DefaultGroup,
    default="table",
    elsewhere={"table": fields, "apply": apply},
    context_settings={"max_content_width": 110},
)
def command() -> None:
    """Fields: how sure is each field of extracted documents, and which documents can be filed?"""
