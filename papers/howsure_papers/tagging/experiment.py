"""Section 4.2 and Figures 3 and 4 (a) of Nguyen & O'Connor (2015), and Figures 4.1–4.3 of Nguyen's thesis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from howsure import __version__
from howsure_papers.replicates import SUBSAMPLES
from howsure_papers.reproduction import Advance, Reproduction, nobody
from howsure_papers.tagging.contest import BIN_SIZE, about_tags, hold_all, steps_of_contests
from howsure_papers.tagging.corpora import read_ewt, read_wsj
from howsure_papers.tagging.models import PENALTIES, PSEUDOCOUNTS
from howsure_papers.tagging.results import (
    bin_sizes_table,
    captions,
    figure_3,
    figure_4,
    figure_name,
    findings,
    labels_table,
    models_table,
    notes_on_models,
    quantities_table,
    search_table,
)
from howsure_papers.tagging.thesis import steps_of_thesis, thesis

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def reproduce_tagging(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = nobody
) -> Reproduction:
    """Run section 4.2 again: is a CRF that is as accurate as an HMM better calibrated, over all tags and by tag?

    On the Wall Street Journal sample and on EWT; then the thesis's query NN on the former. `limit`: use only the first
    sentences of each part. `advance` is told of every model and every subsample; there are about `steps_of_tagging()`.

    Raises InputError if the folders `wsj_sample` and `ud_english_ewt` are not found in `data`.
    """
    corpora = [read(data, limit) for read in (read_wsj, read_ewt)]
    held = hold_all(corpora, about_tags, seed=seed, advance=advance)
    of_thesis = thesis(corpora[0], seed=seed, advance=advance)

    def draw() -> dict[str, Figure]:
        drawn = {f"figure-3-{corpus.key}": figure_3(outcomes) for corpus, outcomes in held}
        for corpus, outcomes in held:
            drawn |= {figure_name("4a", corpus, outcome): figure_4(outcome) for outcome in outcomes}
        return drawn | of_thesis.draw()

    tables = [models_table(held), *(quantities_table(corpus, outcomes) for corpus, outcomes in held)]
    tables += [of_thesis.table, search_table(held), bin_sizes_table(held)]
    tables += [labels_table(f"Figure 4 (a): errors by tag, {corpus.name}", outcomes) for corpus, outcomes in held]
    found = [one for corpus, outcomes in held for outcome in outcomes for one in findings(corpus, outcome)]
    recipe = {
        "howsure": __version__, "data": "wsj_sample, ud_english_ewt",
        "sentences": [list(corpus.sizes) for corpus in corpora], "bin_size": BIN_SIZE,
        "pseudocounts": list(PSEUDOCOUNTS), "c2": list(PENALTIES), "subsamples": SUBSAMPLES, "seed": seed,
    }  # fmt: skip
    title = "HMM and CRF as taggers (Nguyen & O'Connor 2015, Figures 3 and 4 (a); Nguyen's thesis, Figures 4.1–4.3)"
    return Reproduction(
        "tagging", title, (*found, *of_thesis.findings), tuple(tables), recipe, draw,
        (*notes_on_models(corpora), *NOTES, *of_thesis.notes), {**captions(held), **of_thesis.captions},
    )  # fmt: skip


def steps_of_tagging() -> int:
    """About how often `advance` is called."""
    return steps_of_contests() + steps_of_thesis()


NOTES = (
    f"All tags together are evaluated in bins of {BIN_SIZE:,}, each tag separately in bins of n^(2/3) / 2 tokens. The "
    "average over tags is the root of the mean debiased squared error.",
)
