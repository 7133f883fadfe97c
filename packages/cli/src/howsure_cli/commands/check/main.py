"""`howsure check`: pass, fail or cannot tell, as a table, a file and an exit code."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import click

from howsure.check.calibration import check_calibration, run_calibration_check
from howsure.check.evidence import Baseline
from howsure.check.scores import check_score, check_score_so_far, run_score_check
from howsure.check.selective import check_selective
from howsure.check.verdicts import CANNOT_TELL, FAIL, MAX_RUNS, PASS, Check, Verdict
from howsure.data.sources import Files
from howsure.errors import InputError
from howsure.fields.check_fields import check_fields
from howsure.fields.policy import FilingPolicy
from howsure.files.atomic_write import locked, write_atomically
from howsure.files.input_files import identity
from howsure.notes import with_spelled_notes
from howsure.scores.model_scores import score_models
from howsure.scores.score_table import score_table
from howsure.show.table import in_a_line, markdown_escaped
from howsure.significance.experiments import Experiments
from howsure.significance.trend import check_date
from howsure_cli.commands.check.configuration import (
    InToml,
    contexts,
    read_configuration,
    section_named_in_errors,
    take_shared,
)
from howsure_cli.commands.fields import FILES, gold_option, policy_option, table_options
from howsure_cli.terminal.commands import OutputFile
from howsure_cli.terminal.derived import build_command, call_function
from howsure_cli.terminal.options import (
    Decorator,
    DefaultGroup,
    bounds_option,
    build_source,
    choice_option,
    figure_option,
    formatted_output_option,
    in_order,
    output_options,
    raw_option,
    role_option,
    verbose_option,
)
from howsure_cli.terminal.output import emit, emit_result, in_options, is_raw, result_text, write_pictures

CODES = "Exit codes: 0 pass, 1 fail, 3 cannot tell, 2 wrong input."
FORMATS = ("table", "json", "csv", "markdown")
CHECKS: dict[str, Callable[..., Check]] = {
    "calibration": run_calibration_check,
    "fields": check_fields,
    "score": run_score_check,
    "selective": check_selective,
}
DOCUMENTED_BY: dict[str, tuple[Callable[..., object], ...]] = {
    "calibration": (check_calibration,),
    "score": (check_score, check_score_so_far, score_models, score_table),
}


@click.group(cls=DefaultGroup, default="all", context_settings={"max_content_width": 110}, epilog=CODES)
def command() -> None:
    """Is a limit kept? Verdicts with an exit code: pass, fail, or cannot tell."""


# Options that all checks share: the level, the baseline, and the files that verdicts are written to.


def as_level(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """The level of one-sided tests."""
    if not 0.5 < value < 1.0:
        raise click.BadParameter(f"{value:g} is not between 0.5 and 1; write 0.95 for 95%")
    return value


def as_date(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Check that a value is a date, year-month-day, and return it."""
    try:
        return None if value is None else check_date(value)
    except InputError as error:
        raise click.BadParameter(str(error)) from error


SHARED: dict[str, Decorator] = {
    "level": click.option("--level", type=float, callback=as_level, default=0.95, show_default=True),
    "alarms_over": click.option(
        "--alarms-over",
        type=click.IntRange(1, MAX_RUNS),
        default=1,
        show_default=True,
        metavar="RUNS",
        help="Limit the probability of a false fail in any of this many runs to 1 - level.",
    ),
    "baseline": click.option(
        "--baseline",
        metavar="FILE.json",
        help="Compare with the file of a former run; --not-worse-than gives the margin.",
    ),
    "write_baseline": click.option(
        "--write-baseline",
        type=OutputFile(".json"),
        metavar="FILE.json",
        help="Write the estimates to a file that a later run can be compared with.",
    ),
    "form": choice_option("--format", "form", of=FORMATS, is_eager=True),
    "output": formatted_output_option,
    "junit": click.option(
        "--junit", type=OutputFile(".xml"), metavar="FILE.xml", help="Also write the verdicts as JUnit XML."
    ),
    "summary": click.option(
        "--summary",
        type=OutputFile(".md", ".markdown", ".txt", "", appended=True),
        metavar="FILE",
        help="Also append the verdicts to a file as Markdown, such as a job's summary on GitHub.",
    ),
    "experiments": click.option(
        "--experiments",
        type=OutputFile(),
        metavar="FILE",
        help="Also add the verdicts to the history in this file; see howsure check trend.",
    ),
    "date": click.option(
        "--date", callback=as_date, metavar="DATE", help="Date of these verdicts in the history (default: today)."
    ),
}
shared_options = in_order([*SHARED.values(), verbose_option, raw_option])


# The checks, and how they are shown.


@command.command("all", epilog=CODES, short_help="All checks in howsure.toml or pyproject.toml (the default).")
@click.option("--config", metavar="FILE.toml", help="File of checks (default: howsure.toml, else pyproject.toml).")
@shared_options
def all_command(config: str | None, **_: Any) -> None:
    """Make all checks in howsure.toml, or in pyproject.toml below [tool.howsure.check].

    \b
    howsure check
    howsure check --config nightly.toml --junit check.xml --summary "$GITHUB_STEP_SUMMARY"
    """
    context = click.get_current_context()
    configuration = read_configuration(config, kinds=list(CHECKS))
    shared = take_shared(configuration, context, tuple(SHARED))
    made = contexts(configuration, command.commands, context, shared=tuple(SHARED))
    baseline = None if shared["baseline"] is None else Baseline.load(shared["baseline"])
    compared = [each.params["not_worse_than"] is not None for _, each in made]
    if baseline is not None and not any(compared):
        raise InputError(
            f"no check in {configuration.path} is compared with --baseline {shared['baseline']}. Add a margin, such "
            "as not-worse-than = 0.01, to each check that should be compared."
        )
    checks = []
    for (kind, each), is_compared in zip(made, compared, strict=True):
        with each, section_named_in_errors(configuration, kind, each.command):
            checks.append(run_check(kind, each.params, baseline if is_compared else None))
    how = {name: shared[name] for name in ("level", "alarms_over")}
    keys = InToml(click.Command("check", params=[param for _, each in made for param in each.command.params]))
    show(with_spelled_notes(Check.together(checks, **how), keys), shared)


def check_command(
    kind: str, short_help: str, examples: str, *, files: str | None = None, **options: Decorator | None
) -> None:
    """The command of a check, derived from its function, with `options` of its own. files: what it reads."""
    function = CHECKS[kind]
    without_options = dict.fromkeys(("level", "alarms_over", "baseline"))

    def run(**typed: Any) -> None:
        baseline = None if typed["baseline"] is None else Baseline.load(typed["baseline"])
        check = run_check(kind, typed, baseline, level=typed["level"])
        show(Check.together([check], level=typed["level"], alarms_over=typed["alarms_over"]), typed)

    how: dict[str, Any] = {
        "more_options": [shared_options],
        "options": without_options | options,
        "documented_by": DOCUMENTED_BY.get(kind, ()),
        "epilog": CODES,
        "short_help": short_help,
    }
    how |= {} if files is None else {"files": files}
    command.add_command(build_command(kind, function, run, examples=examples, **how))


def run_check(kind: str, typed: Mapping[str, Any], baseline: Baseline | None, **how: Any) -> Check:
    """The result of a check's function for the files and options of the command line, compared with a baseline."""
    how["baseline" if kind in DOCUMENTED_BY else "against"] = baseline
    source = build_source(typed["files"], typed)
    named = {option_name: typed[option_name] for option_name in ("better_than", "against") if typed.get(option_name)}
    how |= {option_name: other_model(model, source) for option_name, model in named.items()}
    labels = typed.get("y_true")
    if isinstance(labels, tuple):
        if len(labels) > 2 or (len(labels) == 2 and not typed["better_than"] and not typed["against"]):
            raise InputError(
                "give --target once or, if another model is compared, twice, for the labels of each model."
            )
        how |= dict(zip(("y_true", "y_true_against"), (*labels, None, None), strict=False))
    if "policy" in typed:
        how["policy"] = FilingPolicy.load(typed["policy"])
    arguments = {name: value for name, value in typed.items() if name not in SHARED}
    return call_function(CHECKS[kind], arguments, data=source, **how)


def other_model(named: str, source: Files) -> Files | str:
    """Return the other model as a source with the same columns, or as a column of the same files."""
    if not (os.path.exists(named) or Path(named).suffix or any(mark in named for mark in "*?/")):
        return named
    if [identity(named) or named] == [identity(path) or path for path in source.paths]:
        raise InputError(f"{named} is the model that is checked. Compare it with another model.")
    return replace(source, paths=(named,))


def show(check: Check, shared: Mapping[str, Any]) -> None:
    """Print the verdicts, write the requested files, and exit with the code."""
    if shared["date"] is not None and shared["experiments"] is None:
        raise InputError(
            "--date is the date of an entry in the history of checks. Name the file of the history with --experiments."
        )
    check = in_options(check)
    how = {name: check.recipe[name] for name in ("howsure", "level", "alarms_over")}
    recipe = {"command": "howsure check", **how, "baseline": shared["baseline"]}
    check = replace(check, recipe=recipe | {"checks": [each.recipe for each in check.results]})
    store = None if shared["experiments"] is None else Experiments(shared["experiments"])
    if shared["write_baseline"] is not None:
        check.baseline.save(shared["write_baseline"])
    if shared["junit"] is not None:
        write_atomically(junit_xml(check).encode(), shared["junit"])
    if shared["summary"] is not None:
        append_summary(check, shared["summary"])
    if store is not None:
        store.add_points(check.points(shared["date"] or datetime.date.today()))
    if shared["form"] == "markdown":
        emit(summary_markdown(check), shared["output"])
    else:
        emit_result(check, shared["form"], shared["output"])
    if check.outcome != PASS:
        click.get_current_context().exit(check.exit_code)


check_command(
    "calibration",
    "Is the calibration error below a limit, or below another model's?",
    """
howsure check calibration dev.jsonl --target gold --prob score --max-error 0.05
howsure check calibration dev.jsonl --target gold --prob score --max-error 0.05 --group language
howsure check calibration new.jsonl --target gold --prob score --id uid --better-than old.jsonl
howsure check calibration dev.csv --target gold --prob new --not-worse-than 0.01 --against old
howsure check calibration monday.summary tuesday.summary --max-error 0.05
""",
    y_true=role_option("y_true", multiple=True),
    y_true_against=None,
)
check_command(
    "score",
    "Is the mean score above a limit, or above another model's?",
    """
howsure check score dev.csv --score exact_match --min-score 0.8
howsure check score new.jsonl --score rougeL --id uid --not-worse-than 0.01 --against old.jsonl
howsure check score grades.csv --score grade --min-score 3.5 --bounds 1,5
howsure check score dev.csv --target gold --prediction label --metric macro_f1 --min-score 0.7
""",
    bounds=bounds_option,
    metrics=click.option("--metric", "metrics", multiple=True, metavar="NAME"),
    targets=click.option("--targets", metavar="FILE"),
)
check_command(
    "fields",
    "Does a policy that files documents keep its promise?",
    """
howsure check fields checked.jsonl --gold gold.jsonl --policy policy.json
""",
    files=FILES,
    gold=gold_option,
    policy=policy_option,
    data=table_options,
    against=None,
)
check_command(
    "selective",
    "Is the risk of the most confident answers below a limit?",
    """
howsure check selective dev.jsonl --target right --prob confidence --max-risk 0.05 --min-coverage 0.7
""",
    against=None,
)


@command.command("trend", short_help="Show the results of checks over the dates of a history, with a figure.")
@click.argument("file", metavar="FILE")
@click.option("--check", "name", metavar="NAME", help="One of the checks, by its name (default: all).")
@output_options
@figure_option()
def trend_command(file: str, name: str | None, form: str, output: str | None, figure: str | None) -> None:
    """What did checks find over time? The results that --experiments FILE has collected.

    \b
    howsure check trend nightly.experiments --figure trend.svg
    """
    if not os.path.isfile(file):
        raise InputError(f"the file {file} does not exist. A check with --experiments {file} creates it.")
    trend = Experiments(file).trend(name)
    shown = result_text(trend, form)
    write_pictures(trend, figure=figure, report=None)
    emit(shown, output)


# Verdicts for systems of continuous integration: JUnit XML, and a summary in Markdown.


def junit_xml(check: Check) -> str:
    """Return a JUnit suite with a test per verdict. "fail" is a failure, and "cannot tell" is a skipped test with its
    reason."""
    outcomes = [verdict.outcome for verdict in check]
    counts = (
        f'tests="{len(outcomes)}" failures="{outcomes.count(FAIL)}" errors="0" skipped="{outcomes.count(CANNOT_TELL)}"'
    )
    cases = "".join(map(_case, check))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites {counts}>\n<testsuite name="howsure check" {counts}>\n{cases}</testsuite>\n</testsuites>\n'
    )


def _case(verdict: Verdict) -> str:
    name = verdict.rule if verdict.group is None else f"{verdict.rule} [{verdict.group}]"
    head = f"<testcase classname={_quoted(f'howsure.check.{verdict.check}')} name={_quoted(name)}"
    if verdict.outcome == FAIL:
        return f"{head}><failure message={_quoted(verdict.sentence)}/></testcase>\n"
    if verdict.outcome == CANNOT_TELL:
        return f"{head}><skipped message={_quoted(verdict.sentence)}/></testcase>\n"
    return f"{head}><system-out>{_quoted(verdict.sentence)[1:-1]}</system-out></testcase>\n"


def _quoted(text: str) -> str:
    return quoteattr(in_a_line(text))


def summary_markdown(check: Check) -> str:
    """A heading with the outcome, the table, and a sentence per verdict; nothing in it is HTML or a link."""
    bullets = [f"- {markdown_escaped(in_a_line(line))}" for line in check.footnotes()]
    table = check.table().markdown(raw=is_raw())
    return "\n".join([f"### howsure check: {check.outcome}", "", table, "", *bullets, "", ""])


def append_summary(check: Check, path: str) -> None:
    """Append the summary to a file, which several steps of a job share."""
    with locked(path):
        before = Path(path).read_bytes() if os.path.isfile(path) else b""
        write_atomically(before + summary_markdown(check).encode(), path)
