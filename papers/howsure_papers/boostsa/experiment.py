"""BooStSa's p against test-set size and sub-sample share (Fornaciari et al. 2022, Figures 1 and 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from howsure import __version__
from howsure_papers.boostsa import simulated, taggers
from howsure_papers.figures.lines import series_figure
from howsure_papers.reproduction import Advance, Reproduction, nobody
from howsure_papers.tweets.models import DATA, read_ark

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_1, FIGURE_2, DRAWN = "figure-1", "figure-2", "figure-2-drawn"
CAPTIONS = {
    FIGURE_1: "Figure 1: mean p of macro-F1 over 10 simulations with its 95 % interval, by share of the sub-samples; a "
    "true difference of one point.",
    FIGURE_2: "Figure 2: p of CRF-Basic against the HMM on the first words of the test tweets.",
    DRAWN: "Of 100 test sets of so many words, drawn by tweet: the share on which the rule finds the difference.",
}
NOTES = (
    "Every p is one-sided, as in BooStSa. For comparison with its rule, there are a full-size bootstrap and a "
    "permutation test, neither of which needs a share.",
    "Figure 1: balanced classes and predictions, a difference of one point, 10 simulations of 1,000 loops per point. "
    "The paper does not report the accuracies; ours are .80 and .81.",
    "Figure 2: the paper's two taggers and their 3,064 test words are not public. Ours are an HMM and a CRF-Basic, "
    "trained on the tweets of Gimpel et al. (2011), with the settings that are most accurate on the development "
    "tweets.",
    "In the normal approximation, the rule gives p = 1 - Φ(z √share), where z is the difference divided by its "
    "standard error: p ≤ .05 requires a share of at least (1.645 / z)². That the paper's share is above .3 implies a "
    "z between 2.3 and 3.0.",
    "The words of a tweet are not independent: test sets are drawn as whole tweets, while the tests resample words, "
    "as BooStSa does.",
)


def reproduce_boostsa(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = nobody
) -> Reproduction:
    """Run Figures 1 and 2 again, each beside what resamples of full size and a permutation say of the same data.

    Figure 1 is simulated as the paper says. Figure 2 compares two taggers that are not public; here an HMM and a
    CRF-Basic take their place, on test sets of growing size. `limit`: only the first tweets of each part. `advance` is
    told of every test set; there are `steps_of_boostsa()`.

    Raises InputError if the data set `ark_twitter_pos` is not found.
    """
    tagged = taggers.tag(read_ark(data, limit), advance)
    simulations = simulated.simulate(seed, advance)
    sizes = taggers.by_size(tagged, seed, advance)

    def draw() -> dict[str, Figure]:
        share, found = "share in a sub-sample", "test sets with p ≤ .05"
        figures = {
            FIGURE_1: series_figure(simulations.panels(), x_label="test set", y_label="p"),
            FIGURE_2: series_figure(taggers.panels(sizes), x_label=share, y_label="p"),
            DRAWN: series_figure(taggers.panels_of_draws(sizes), x_label=share, y_label=found),
        }
        for figure in figures.values():
            _one_legend(figure)
        return figures

    recipe = {
        "howsure": __version__,
        "seed": seed,
        "accuracies": list(simulated.ACCURACIES),
        "simulations": simulated.SIMULATIONS,
        "data": DATA,
        **tagged.settings,
        "draws": taggers.DRAWS,
        "loops": [simulated.LOOPS, taggers.LOOPS, taggers.LOOPS_OF_A_DRAW],
    }
    title = "BooStSa's p against sub-sample share and test-set size (Fornaciari et al. 2022, Figures 1 and 2)"
    findings = (*simulations.findings(), *taggers.findings(sizes))
    tables = (simulations.table(), *taggers.tables(sizes))
    return Reproduction("boostsa", title, findings, tables, recipe, draw, NOTES, CAPTIONS)


def steps_of_boostsa() -> int:
    """How often `advance` is called."""
    return len(simulated.SIZES) * simulated.SIMULATIONS + taggers.steps_of_taggers()


def _one_legend(figure: Figure) -> None:
    """The legend of the last panel, beside it: in a panel it would lie on lines."""
    *others, last = (axes.get_legend() for axes in figure.axes)
    for legend in others:
        if legend is not None:
            legend.remove()
    if last is not None:
        last.set(loc="upper left", bbox_to_anchor=(1.0, 1.0))
