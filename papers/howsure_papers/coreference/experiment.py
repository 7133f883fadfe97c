"""Section 5.3 and Figure 5 of Nguyen & O'Connor (2015): are the probabilities that two mentions corefer calibrated?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from howsure import __version__
from howsure.coreference import AntecedentModel, CorefPosterior
from howsure.coreference.detection import Source
from howsure.coreference.training import Loss
from howsure.data.documents.document import Document
from howsure.figures.calibration import curve_figure
from howsure_papers.coreference.corpora import (
    GUM,
    LITBANK,
    ONTOGUM,
    CoreferenceCorpus,
    parser_beside,
    read_corpus,
)
from howsure_papers.coreference.judging import BIN_SIZE, SAMPLES, Judged, judge
from howsure_papers.coreference.results import (
    CAPTIONS,
    Setting,
    changes_table,
    corrections,
    findings,
    notes,
    paper_table,
    sampling_table,
    settings_table,
)
from howsure_papers.reproduction import Advance, Reproduction, nobody

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PASSES, PASSES_OF_A_SLICE = 12, 3
AT_ONCE: dict[str, Any] = {"sharpness": 1.1, "two_steps": False}
SHARPENED = {(ONTOGUM, "gold"): AT_ONCE}  # where cross-validation finds this better than the default


@dataclass(frozen=True, slots=True)
class Fit:
    """A model to be trained: on what corpus, which mentions, by what loss."""

    corpus: str
    mentions: Source
    loss: Loss


FITS: tuple[Fit, ...] = (
    Fit(ONTOGUM, "detected", "likelihood"),
    Fit(ONTOGUM, "detected", "margin"),
    Fit(ONTOGUM, "gold", "likelihood"),
    Fit(ONTOGUM, "gold", "margin"),
    Fit(GUM, "detected", "likelihood"),
    Fit(GUM, "detected", "margin"),
    Fit(GUM, "gold", "likelihood"),
    Fit(GUM, "gold", "margin"),
    Fit(LITBANK, "gold", "likelihood"),
    Fit(LITBANK, "gold", "margin"),
)


def reproduce_coreference(
    *,
    data: str | None = None,
    parser: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    advance: Advance = nobody,
) -> Reproduction:
    """Run section 5.3 again: P(two mentions corefer), exactly and by 1,000 samples, against what is annotated.

    Antecedent models are trained on OntoGUM, GUM and LitBank, by likelihood and by softmax-margin, on gold and on
    detected mentions. `parser`: a spaCy pipeline (a name or a folder) for LitBank, which comes without trees, and for
    the loss by parsing; by default models/en_ud_small beside the data sets, and without it both are left out. `limit`:
    use only the first documents of each part. `advance` is told of every model; there are `steps_of_coreference()`.

    Raises InputError if the folders `gum` and `litbank_coref` are not found in `data`.
    """
    name = parser if parser is not None else parser_beside(data)
    wanted = [corpus for corpus in (ONTOGUM, GUM, LITBANK) if corpus != LITBANK or name is not None]
    corpora = {corpus: read_corpus(corpus, data, limit=limit, parser=_parser_for(corpus, name)) for corpus in wanted}
    passes = PASSES if limit is None else PASSES_OF_A_SLICE
    judged: dict[Setting, Judged] = {}
    development: dict[Setting, Judged] = {}
    for fit in FITS:
        if fit.corpus in corpora:
            corpus = corpora[fit.corpus]
            way = SHARPENED.get((fit.corpus, fit.mentions), {})
            model = AntecedentModel(mentions=fit.mentions, loss=fit.loss, rng=seed, passes=passes, **way)
            model.fit(corpus.train, development=corpus.dev)
            if model.interrupted_:  # who interrupts it ends the experiment, not this training alone
                raise KeyboardInterrupt
            judged |= _judged(model, corpus, seed=seed)
            if corpus.dev:
                development[_setting(model, corpus)] = judge(_asked(model, corpus.dev), corpus.dev)
        advance(1)

    def draw() -> dict[str, Figure]:
        return _drawn(judged)

    recipe = {
        "howsure": __version__,
        "data": ", ".join(
            f"{one.name} ({len(one.train)} + {len(one.dev)} + {len(one.test)} documents)" for one in corpora.values()
        ),
        "parser": "none" if name is None else Path(name).name,
        "bin_size": BIN_SIZE,
        "samples": SAMPLES,
        "seed": seed,
    }
    tables = (
        paper_table(judged),
        settings_table(judged, "Every model: 1-best clusters without singletons, and pairs"),
        sampling_table(judged),
        changes_table(judged),
        settings_table(development, "The same models on the development parts"),
    )
    title = "Coreference: are pair probabilities calibrated? (Nguyen & O'Connor 2015, section 5.3, Figure 5)"
    said = notes([one.left_out for one in corpora.values()], name is not None)
    return Reproduction(
        "coreference", title, findings(judged), tables, recipe, draw, said, CAPTIONS, corrections(judged)
    )


def steps_of_coreference() -> int:
    """How many models `reproduce_coreference` trains."""
    return len(FITS)


def _parser_for(corpus: str, parser: str | None) -> str | None:
    """OntoGUM is judged on its own trees only."""
    return None if corpus == ONTOGUM else parser


def _judged(model: AntecedentModel, corpus: CoreferenceCorpus, *, seed: int) -> dict[Setting, Judged]:
    """Judge a model on the test part; on GUM what it makes of detected mentions also in the parser's trees."""
    setting = _setting(model, corpus)
    found = {setting: judge(_asked(model, corpus.test), corpus.test, seed=seed)}
    if corpus.name == GUM and model.mentions == "detected" and corpus.parsed is not None:
        found[replace(setting, trees="parser")] = judge(_asked(model, corpus.parsed), corpus.parsed, seed=seed)
    return found


def _setting(model: AntecedentModel, corpus: CoreferenceCorpus) -> Setting:
    return Setting(corpus.name, model.mentions, "parser" if corpus.name == LITBANK else "gold", model.loss)


def _asked(model: AntecedentModel, documents: Sequence[Document]) -> list[CorefPosterior]:
    return [model.posterior(document) for document in documents]


def _drawn(judged: dict[Setting, Judged]) -> dict[str, Figure]:
    """Figure 5: both losses and the samples on OntoGUM; and the likelihood on all corpora."""
    paper = Setting(ONTOGUM, "detected", "gold", "likelihood")
    exact, margin = judged[paper], judged[replace(paper, loss="margin")]
    of_paper = [
        replace(exact.curve, name="likelihood, exact"),
        replace(exact.sampled_curve, name=f"likelihood, {SAMPLES:,} samples"),
        replace(margin.curve, name="softmax-margin, exact"),
    ]
    everywhere = [
        replace(one.curve, name=str(setting)) for setting, one in judged.items() if setting.loss == "likelihood"
    ]
    return {"figure-5": curve_figure(of_paper), "corpora": curve_figure(everywhere, panels=True)}
