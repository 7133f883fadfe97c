"""An experiment in words: what the screen shows, and the page of Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from howsure.cli.terminal.output import table_text
from howsure.inputs.naming import counted
from howsure.reproductions import Finding, Reproduction, ResultTable
from howsure.show.table import Table

CORRECTIONS = "What corrects the paper"


def as_text(result: Reproduction, *, limit: int | None = None) -> str:
    """Every table, then the findings: what the paper says, what we found, and whether it holds."""
    parts = [result.title, *result.notes]
    parts += [f"{table.title}\n{table_text(_as_table(table))}".rstrip() for table in result.tables]
    parts += [summary(result, limit), *map(_in_words, result.findings)]
    if result.corrections:
        parts.append("\n".join([CORRECTIONS, *(f"- {one}" for one in result.corrections)]))
    parts.append(_recipe(result))
    return "\n\n".join(parts) + "\n"


def as_page(result: Reproduction, command: str, pictures: Mapping[str, str], *, limit: int | None = None) -> str:
    """A page of Markdown: findings first, then figures (their addresses in `pictures`), tables and the recipe."""
    parts = [f"# {result.title}", f"This page was made by `{command}`.", summary(result, limit)]
    parts += [*_overview(result.findings), *_findings(result.findings)]
    if result.corrections:
        parts += [f"## {CORRECTIONS}", "\n".join(f"- {one}" for one in result.corrections)]
    if pictures:
        parts.append("## Figures")
    for name, address in pictures.items():
        shown = name.replace("-", " ")
        parts.append(f"![{shown}]({address})\n\n*{result.captions.get(name, shown)}*")
    for table in result.tables:
        parts += [f"## {table.title}", _markdown(_as_table(table))]
    parts.append("## How this was done")
    parts.append("\n".join(f"- {note}" for note in (*result.notes, f"Recipe: {_recipe(result)}.")))
    return "\n\n".join(parts) + "\n"


def summary(result: Reproduction, limit: int | None = None) -> str:
    """How many findings hold; with a limit, that they are those of a quick look."""
    holds = [finding.holds for finding in result.findings]
    hold, fail, undecided = (holds.count(verdict) for verdict in (True, False, None))
    said = f"Of {counted(len(holds), 'finding')} {counted(hold, 'holds', 'hold')}, "
    said += counted(fail, "does not", "do not")
    if undecided:
        said += f", {counted(undecided, 'is', 'are')} undecided at the 95 % level"
    if limit is None:
        return f"{said}."
    read = f"Only the first {limit:,} texts or sentences of each part were read (--limit): a quick look, not a result."
    return f"{said}. {read}"


def _in_words(finding: Finding) -> str:
    heading = ", ".join(filter(None, (finding.place, finding.setting)))
    asked = "paper" if finding.figure else "asked"
    return f"{heading}: {finding.verdict}\n  {asked}: {finding.paper}\n  ours:  {finding.ours}"


def _settings(findings: Sequence[Finding]) -> list[str]:
    return list(dict.fromkeys(finding.setting for finding in findings))


def _overview(findings: Sequence[Finding]) -> list[str]:
    """The verdicts of what is asked in several settings: a row a claim, a column a setting."""
    verdicts: dict[tuple[str, str], dict[str, str]] = {}
    for one in findings:
        verdicts.setdefault((one.place, one.paper), {})[one.setting] = one.verdict
    tables: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for claim, found in verdicts.items():
        if len(found) > 1:
            tables.setdefault(tuple(found), []).append((*claim, *found.values()))
    headers = [("where", "claim", *settings) for settings in tables]
    return [_markdown(Table(names, rows, words=names)) for names, rows in zip(headers, tables.values(), strict=True)]


def _findings(findings: Sequence[Finding]) -> list[str]:
    """A table of findings for each setting, under its name."""
    headers, parts = ("where", "claim", "here", "verdict"), []
    for setting in _settings(findings):
        rows = [(f.place, f.paper, f.ours, f"**{f.verdict}**") for f in findings if f.setting == setting]
        parts += [f"## {setting}"] if setting else []
        parts.append(_markdown(Table(headers, rows, words=headers)))
    return parts


def _as_table(table: ResultTable) -> Table:
    return Table(table.headers, table.rows, table.words)


def _markdown(table: Table) -> str:
    return table_text(table, "markdown").rstrip()


def _recipe(result: Reproduction) -> str:
    return ", ".join(f"{key} {value}" for key, value in result.recipe.items())
