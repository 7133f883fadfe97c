"""The commands of `howsure`, one file or folder each, loaded on use; and commands of other distributions."""

from __future__ import annotations

import click

from howsure import __version__
from howsure.files.input_files import checked_text
from howsure_cli import TRACEBACK
from howsure_cli.plugins import EXTRAS, PAPERS_COMMAND, load, package_command, plugin_commands
from howsure_cli.terminal.commands import Group
from howsure_cli.terminal.output import TYPED

# name -> (module in howsure_cli.commands, empty for those of howsure-text and howsure-events; what the help says)
COMMANDS = {
    "look": ("look", "What is in this file, and which commands can evaluate it?"),
    "score": ("score", "How good is a model? Means with intervals, ranks and tiers."),
    "judge": ("judge", "Correct a model's grades with human grades; measure the agreement of raters."),
    "calibration": ("calibration", "Do predicted probabilities match frequencies?"),
    "significance": ("significance.main", "Is a model really better than the baseline?"),
    "check": ("check.main", "Is a limit on a score or error kept? Pass, fail or cannot tell, for CI."),
    "monitor": ("monitor", "Is a model still calibrated? Alarms, with the date of the change."),
    "selective": ("selective", "What if a model answers only when it is confident?"),
    "fields": ("fields", "How reliable is each extracted field, and which documents need no review?"),
    "recalibrate": ("recalibrate", "Recalibrate probabilities: learn a map, evaluate it, apply it."),
    "counts": ("counts", "How many documents have a property? Counts corrected with labels."),
    "sequences": ("", "Train taggers, and get the probability of every tag."),
    "coreference": ("", "Which mentions refer to the same entity, and how certain is that?"),
    "events": ("", "Who does what, how often, and how certain is that? With a page to explore."),
    "quantiles": ("calibration:quantiles", "Are posterior draws of continuous quantities calibrated?"),
    "simulate": ("calibration:simulate", "Simulate predictions with known calibration."),
    "signature": ("signature", "Explain a signature, the line with the settings of a result."),
    "data": ("data", "List, download and cite the data sets of the experiments."),
    "demo": ("demo", "Run the main commands on bundled data."),
    "help": ("help", "Explain a command with all of its options, or the options for input or output."),
}

FIELD_TERMS = {  # a word of the field -> (what it is here, the command)
    "accuracy": ("Accuracy and other scores with intervals", "howsure score"),
    "agents": ("Agents, with errored trials and costs", "howsure score agents"),
    "agreement": ("Agreement of annotators", "howsure judge agreement"),
    "battles": ("Battles and Elo-style ratings", "howsure score battles"),
    "bootstrap": ("Comparisons of models", "howsure significance"),
    "compare": ("Comparisons of models", "howsure significance"),
    "cost": ("Agents' scores against costs", "howsure score agents"),
    "ece": ("Calibration errors, including the ECE", "howsure calibration"),
    "elo": ("Battles and Elo-style ratings", "howsure score battles"),
    "f1": ("F1 and other scores with intervals", "howsure score"),
    "discrimination": ("Which items of a benchmark distinguish models", "howsure score items"),
    "items": ("Which items of a benchmark distinguish models", "howsure score items"),
    "spans": ("Agreement on spans of texts", "howsure judge spans"),
    "kappa": ("Agreement of annotators, with kappa and alpha", "howsure judge agreement"),
    "extraction": ("Extracted fields, and which documents need no review", "howsure fields"),
    "leaderboard": ("Means with intervals and ranks", "howsure score"),
    "mcnemar": ("Comparisons of models, with McNemar's test", "howsure significance"),
    "pass@k": ("pass@k of repeated runs", "howsure score --pass-at"),
    "power": ("Power and the number of items", "howsure significance power"),
    "prevalence": ("Numbers and proportions of units, corrected by labels", "howsure counts"),
    "tnr": ("Validation of a judge, with TPR and TNR", "howsure judge validate"),
    "tpr": ("Validation of a judge, with TPR and TNR", "howsure judge validate"),
    "validate": ("Validation of a judge", "howsure judge validate"),
    "reliability": ("Calibration curves", "howsure calibration"),
}


class Chapters(Group):
    """A group whose commands are imported only when they are run, so that `howsure --help` is quick."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for argument in args:
            checked_text(argument, "each argument")
        ctx.meta[TYPED] = list(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *(name for name in plugin_commands() if name not in COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in EXTRAS:
            return load(package_command(cmd_name))
        if cmd_name not in COMMANDS:
            plugin = plugin_commands().get(cmd_name)
            if plugin is None and cmd_name == PAPERS_COMMAND:
                raise click.UsageError(
                    "the experiments of the papers are in a separate package, howsure-papers. In a checkout of "
                    "howsure, `make demo` installs it (or: pip install -e packages/papers).",
                    ctx,
                )
            if plugin is None and (term := cmd_name.lower()) in FIELD_TERMS:
                subject, command = FIELD_TERMS[term]
                raise click.UsageError(f"No command {cmd_name!r}. {subject}: {command}", ctx)
            return None if plugin is None else load(plugin)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])
        others = {name: plugin.summary for name, plugin in plugin_commands().items() if name not in COMMANDS}
        if others:
            with formatter.section("Commands of other distributions"):
                formatter.write_dl(list(others.items()))


@click.command(
    cls=Chapters,
    elsewhere={name: f"howsure_cli.commands.{module}" for name, (module, _) in COMMANDS.items() if module},
    context_settings={"max_content_width": 100},
)
@click.version_option(__version__, prog_name="howsure")
@click.option(TRACEBACK, is_flag=True, expose_value=False, help="Show where an unexpected error occurred.")
def howsure() -> None:
    """How confident is your NLP model, is that confidence justified, and what does it mean for your results?"""
