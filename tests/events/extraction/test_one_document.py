"""A document's events: against every clustering there is, and in their samples."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from howsure.coreference.antecedent_model import AntecedentModel
from howsure.coreference.coref_posterior import CorefPosterior
from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError
from howsure.events.extraction.one_document import Extraction, Facts, document_seed, extract
from tests.events import newswire
from tests.events.sentences import ACTIVE, HUSSEIN, NOUN, PRESIDENT, document


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> AntecedentModel:
    return AntecedentModel.load(newswire.write_model(tmp_path_factory.mktemp("model") / "model.npz"))


def extracted(text: Document, model: AntecedentModel, *, samples: int = 100, name: str = "") -> Extraction:
    rng = document_seed(0, name or text.name)
    return extract(text, model=model, lexicon=newswire.lexicon(), rule=newswire.rule(), samples=samples, rng=rng)


def acting(labels: tuple[int, ...], facts: Facts) -> set[str]:
    """Eq. 3, word by word: the actors c with an entity that is described as c alone, and acts."""
    found = set()
    for entity in set(labels):
        members = [mention for mention, label in enumerate(labels) if label == entity]
        named = {one.actor for one in facts.descriptions if one.mention in members}
        if len(named) == 1 and any(act.mention in members for act in facts.acts):
            found |= named
    return found


def enumerated(posterior: CorefPosterior, facts: Facts) -> dict[str, float]:
    """P(actor acts), from all ways in which every mention picks an antecedent or is new."""
    rows = [posterior.antecedents.row(mention) for mention in range(len(posterior))]
    choices = [
        [*zip(ks.tolist(), ps.tolist(), strict=True), (j, float(posterior.antecedents.new[j]))]
        for j, (ks, ps) in enumerate(rows)
    ]
    total = dict.fromkeys(facts.actors, 0.0)
    for choice in product(*choices):
        labels: list[int] = []
        for antecedent, _ in choice:
            labels.append(labels[antecedent] if antecedent < len(labels) else antecedent)
        weight = float(np.prod([p for _, p in choice]))
        for actor in acting(tuple(labels), facts):
            total[actor] += weight
    return total


@pytest.mark.parametrize("number", [0, 4, 8, 12, 16, 20, 24, 28, 32, 36])
def test_probabilities_are_those_of_all_clusterings(number: int, model: AntecedentModel) -> None:
    n = 40_000
    found = extracted(newswire.story(number, sentences=3), model, samples=n)
    if found.sampled is None:
        assert not found.facts.acts or not found.facts.actors
        return
    exact = enumerated(model.posterior(found.document, mentions=found.mentions), found.facts)
    for actor, share in zip(found.facts.actors, found.sampled.probabilities.tolist(), strict=True):
        p = min(1.0, exact[actor])
        assert abs(share - p) <= 5 * np.sqrt(p * (1 - p) / n) + 1e-9


def test_every_sample_by_the_definition(model: AntecedentModel) -> None:
    seen = 0
    for number in range(0, 80, 4):
        found = extracted(newswire.story(number), model, samples=30)
        if found.sampled is None:
            continue
        seen += 1
        held, actors = found.sampled, found.facts.actors
        for sample, counts in zip(held.clusterings.tolist(), held.entities, strict=True):
            assert acting(tuple(sample), found.facts) == {actors[a] for a in np.flatnonzero(counts)}
            assert all(label <= mention and sample[label] == label for mention, label in enumerate(sample))
        best = acting(tuple(held.best.tolist()), found.facts)
        assert best == {actors[a] for a in np.flatnonzero(held.best_entities)}
        for a, actor in enumerate(actors):
            told = [one.samples for one in found.sampled.evidence if one.actor == actor]
            shown = np.any(told, axis=0) if told else np.zeros(30, dtype=np.bool_)
            assert np.array_equal(shown, held.entities[:, a] > 0)
    assert seen > 10


def test_evidence_is_of_samples_not_of_the_best(model: AntecedentModel) -> None:
    found = extracted(document(PRESIDENT, HUSSEIN), model, samples=2_000)
    assert found.sampled is not None
    assert found.facts.actors == ("IRQ",)
    (share,) = found.sampled.probabilities.tolist()
    assert 0.0 < share < 1.0
    together = model.posterior(found.document, mentions=found.mentions).pair_probability()
    shares = [one.samples.mean() for one in found.sampled.evidence]
    assert max(shares) <= share <= sum(shares)
    for one in found.sampled.evidence:
        assert one.samples.mean() == pytest.approx(together[one.description, one.agent], abs=0.05)


@pytest.mark.parametrize("texts", [(NOUN,), (PRESIDENT,), (HUSSEIN,)], ids=["a noun", "nobody acts", "nobody named"])
def test_the_model_is_not_asked_in_vain(texts: tuple[str, ...]) -> None:
    untrained = AntecedentModel(mentions="detected")
    found = extracted(document(*texts), untrained)
    assert found.sampled is None
    assert len(found.mentions) == len(found.heads) > 0


def test_given_mentions(model: AntecedentModel) -> None:
    text = document(ACTIVE)
    held = (Mention(0, 0, 2),)
    found = extract(text, model=model, lexicon=newswire.lexicon(), rule=newswire.rule(), mentions=held, rng=1)
    assert found.mentions == held
    assert found.sampled is not None
    assert (found.facts.actors, found.sampled.probabilities.tolist()) == (("USA",), [1.0])


def test_randomness_is_of_seed_and_id(model: AntecedentModel) -> None:
    text = document(PRESIDENT, HUSSEIN)
    first, same, other = (extracted(text, model, name=name).sampled for name in ("a", "a", "b"))
    assert first is not None
    assert same is not None
    assert other is not None
    assert np.array_equal(first.clusterings, same.clusterings)
    assert not np.array_equal(first.clusterings, other.clusterings)
    assert document_seed(0, "a").entropy != document_seed(1, "a").entropy
    assert document_seed(0, "\ud800").entropy != document_seed(0, "?").entropy


def test_samples_must_be_a_number(model: AntecedentModel) -> None:
    with pytest.raises(InputError, match="samples"):
        extracted(document(PRESIDENT), model, samples=0)


def test_a_model_from_a_file_draws_the_same(model: AntecedentModel, tmp_path: Path) -> None:
    model.save(tmp_path / "again.npz")
    text = document(PRESIDENT, HUSSEIN)
    again = extracted(text, AntecedentModel.load(tmp_path / "again.npz")).sampled
    first = extracted(text, model).sampled
    assert first is not None
    assert again is not None
    assert np.array_equal(first.clusterings, again.clusterings)


def test_the_posterior_of_a_document_is_made_once(model: AntecedentModel, monkeypatch: pytest.MonkeyPatch) -> None:
    made, make = [], CorefPosterior.__init__
    monkeypatch.setattr(CorefPosterior, "__init__", lambda self, *a, **k: (made.append(self), make(self, *a, **k))[1])
    assert extracted(document(PRESIDENT, HUSSEIN), model).sampled is not None
    assert len(made) == 1
