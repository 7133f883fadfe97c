"""What the trials say, as tables and findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from howsure.show.table import Table
from howsure_papers.counts.trials import SIZES, Tally, Tried, size_name
from howsure_papers.reproduction import Finding

METHODS = {
    "auto": "corrected",
    "exact": "exact in each cell",
    "difference": "prediction-powered",
    "labels": "labels alone",
    "raw": "scores alone",
}
NOMINAL, LEAST, LEAST_MEAN, WIDTH = 0.95, 0.93, 0.95, 0.6
CLASSES = tuple(size_name(low, high) for low, high in zip((0, *SIZES), (*SIZES, None), strict=True))


@dataclass(frozen=True, slots=True)
class Row:
    """One setting of an experiment: its name in words, and what each method did."""

    name: tuple[str, ...]
    found: Mapping[str, Tried]


def incidents_table(rows: Sequence[Row]) -> Table:
    """Coverage and width by method and by size of the true count."""
    headers = ("question", "labels", "method", "coverage", "width", "of labels alone", *CLASSES, "country", "all")
    body = []
    for row in rows:
        alone = row.found["labels"].cells.mean_width
        for method, tried in row.found.items():
            sizes = tried.cells.by_size()
            of_sizes = [f"{sizes[name][0]:.3f}" if name in sizes else "–" for name in CLASSES]
            ends = [f"{tally.coverage:.2f}" for tally in (tried.domains, tried.total)]
            width = tried.cells.mean_width
            body.append([*row.name, METHODS[method], covered(tried.cells), f"{width:.1f}", f"{width / alone:.2f}",
                         *of_sizes, *ends])  # fmt: skip
    caption = "muc4: 95 % intervals of counts by country and quarter; coverage in all, by size of the count, of sums"
    return Table(headers, body, ["question", "method"], caption=caption)


def incidents_findings(rows: Sequence[Row], labels: str) -> list[Finding]:
    """Whether the intervals of one number of labels hold, and how wide they are."""
    findings = []
    for row in rows:
        if row.name[1] != labels:
            continue
        where = f"MUC-4, {row.name[0]}, {labels} labels"
        cells, sizes = row.found["auto"].cells, row.found["auto"].cells.by_size()
        worst = min(sizes, key=lambda name: sizes[name][0])
        share = cells.mean_width / row.found["labels"].cells.mean_width
        raw = row.found["raw"].cells.coverage
        findings += [
            asked(f"intervals of cells contain the count in {NOMINAL:.0%} of cases",
                  f"{covered(cells)} of {len(cells.held):,}; intervals from the scores alone {raw:.2f}",
                  cells.coverage >= LEAST_MEAN, where),
            asked(f"so do those of every size of count (at least {LEAST:.0%})",
                  f"least for counts of {worst}: {sizes[worst][0]:.3f} of {sizes[worst][1]:,}",
                  sizes[worst][0] >= LEAST, where),
            asked(f"they are at most {WIDTH:g} times as wide as those from labels alone",
                  f"{share:.3f} times ({cells.mean_width:.1f} against {row.found['labels'].cells.mean_width:.1f})",
                  share <= WIDTH, where),
        ]  # fmt: skip
    return findings


def police_table(rows: Sequence[Row]) -> Table:
    """Coverage and width by question, score, labels, design and length of periods."""
    headers = ("question", "score", "labels", "design", "periods", "coverage", "width", "labels alone", "their width",
               "total", "width of total")  # fmt: skip
    body = []
    for row in rows:
        cells, total, alone = row.found["auto"].cells, row.found["auto"].total, row.found["labels"].cells
        both = [covered(cells), f"{cells.mean_width:.1f}", f"{alone.coverage:.3f}", f"{alone.mean_width:.1f}"]
        body.append([*row.name, *both, f"{total.coverage:.2f}", f"{total.mean_width:.0f}"])
    caption = "india_police_events: 95 % intervals of counts by week and by day, and of the total"
    return Table(headers, body, ["question", "score", "design", "periods"], caption=caption)


def police_totals_table(rows: Sequence[Row]) -> Table:
    """Coverage and width of the total by question, score and labels."""
    headers = ("question", "score", "labels", "coverage", "width", "labels alone", "their width")
    body = []
    for row in rows:
        of_methods = [row.found[method].total for method in ("auto", "labels")]
        body.append([*row.name, *(text for one in of_methods for text in (covered(one), f"{one.mean_width:.0f}"))])
    caption = "india_police_events: 95 % intervals of the total, labels drawn within strata"
    return Table(headers, body, ["question", "score"], caption=caption)


def police_findings(rows: Sequence[Row], totals: Sequence[Row], *, least: int, design: str) -> list[Finding]:
    """Over all questions, scores and numbers of labels from `least` on, under one design."""
    kept = [row for row in rows if int(row.name[2]) >= least and row.name[3] == design]
    where = f"India police events, {least} labels or more, {design}"
    findings = []
    for by in dict.fromkeys(row.name[4] for row in kept):
        mine = [(row.name, row.found["auto"].cells) for row in kept if row.name[4] == by]
        said = f"intervals of {by}s contain the count in at least {LEAST:.0%} of cases"
        findings.append(_over_settings(said, mine, where))
    of_all = [(row.name, row.found["auto"].total) for row in totals if int(row.name[2]) >= least]
    findings.append(
        _over_settings(f"intervals of the total contain it in at least {LEAST:.0%} of cases", of_all, where)
    )
    return findings


def graded_table(rows: Sequence[Row]) -> Table:
    """Coverage of accuracy by data set, over models and samples."""
    headers = ("questions", "models", "intervals", "coverage", "width in points", "labels alone", "their width")
    body = []
    for name in dict.fromkeys(row.name[1] for row in rows):
        mine = [row for row in rows if row.name[1] == name]
        auto, alone = (together(row.found[method].total for row in mine) for method in ("auto", "labels"))
        body.append([name, f"{len(mine)}", f"{len(auto.held):,}", covered(auto), f"{100 * auto.mean_width:.1f}",
                     f"{alone.coverage:.3f}", f"{100 * alone.mean_width:.1f}"])  # fmt: skip
    caption = "llm_mcq_confidence: 95 % intervals of a model's accuracy from its confidence and 100 grades"
    return Table(headers, body, ["questions"], caption=caption)


def graded_findings(rows: Sequence[Row]) -> list[Finding]:
    """Over all models, data sets and samples."""
    where = "accuracy of language models, 100 grades"
    auto, alone = (together(row.found[method].total for row in rows) for method in ("auto", "labels"))
    ratio = auto.mean_width / alone.mean_width
    return [
        _over_settings(f"intervals of the accuracy contain it in at least {LEAST:.0%} of cases",
                       [(row.name, row.found["auto"].total) for row in rows], where),
        asked("confidence makes these intervals narrower than grades alone do",
              f"{ratio:.2f} times as wide ({100 * auto.mean_width:.1f} against {100 * alone.mean_width:.1f} points)",
              ratio < 1.0, where),
    ]  # fmt: skip


def simulated_table(rows: Sequence[Row]) -> Table:
    """Coverage and width in each kind of population."""
    headers = ("population", "labels", "scores alone", "coverage", "width", "labels alone", "their width", "total")
    body = []
    for row in rows:
        raw, auto, alone = (row.found[method] for method in ("raw", "auto", "labels"))
        of_labels = [f"{alone.cells.coverage:.3f}", f"{alone.cells.mean_width:.1f}"]
        ours = [covered(auto.cells), f"{auto.cells.mean_width:.1f}"]
        body.append([*row.name, f"{raw.cells.coverage:.2f}", *ours, *of_labels, f"{auto.total.coverage:.2f}"])
    caption = "Simulated: 95 % intervals of the counts of cells, labels drawn within strata of the score"
    return Table(headers, body, ["population"], caption=caption)


def simulated_findings(rows: Sequence[Row], extreme: str) -> list[Finding]:
    """Each kind; where drift is extreme, at least .90."""
    return [
        asked(f"intervals of cells contain the count in at least {0.9 if row.name[0] == extreme else LEAST_MEAN:.0%} "
              "of cases",
              f"{covered(row.found['auto'].cells)} of {len(row.found['auto'].cells.held):,}",
              row.found["auto"].cells.coverage >= (0.9 if row.name[0] == extreme else LEAST_MEAN),
              f"simulated: {row.name[0]}")
        for row in rows
    ]  # fmt: skip


def asked(what: str, ours: str, holds: bool, where: str) -> Finding:
    """A finding that no paper has."""
    return Finding("", what, ours, bool(holds), where)


def covered(tally: Tally) -> str:
    """The coverage and its standard error over samples.

    >>> covered(Tally([True, True, False, True], [1.0] * 4, [1] * 4, [0, 0, 1, 1]))
    '0.750 ± 0.250'
    """
    error = tally.error
    return f"{tally.coverage:.3f}" + (f" ± {error:.3f}" if error == error else "")


def together(tallies: Iterable[Tally]) -> Tally:
    """Several tallies as one."""
    found = Tally()
    for one in tallies:
        found.held += one.held
        found.width += one.width
        found.truth += one.truth
        found.sample += one.sample
    return found


def _over_settings(what: str, tallies: Sequence[tuple[tuple[str, ...], Tally]], where: str) -> Finding:
    all_of = together(tally for _, tally in tallies)
    worst = min(tallies, key=lambda pair: pair[1].coverage)
    low = float(np.mean([tally.coverage < LEAST for _, tally in tallies]))
    ours = (
        f"{all_of.coverage:.3f} of {len(all_of.held):,}; least in {', '.join(worst[0])}: {worst[1].coverage:.3f} of "
        f"{len(worst[1].held):,}; {low:.0%} of {len(tallies):,} settings are below"
    )
    return asked(what, ours, all_of.coverage >= LEAST, where)
