"""A document's events: against every clustering there is, and in their samples."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.events import newswire, sentences
from tests.events.sentences import ACTIVE, HUSSEIN, NOUN, PRESIDENT, document

from howsure.data import read_documents
from howsure.data.documents.document import Document, Mention, Sentence
from howsure_events.corpus import Fields, InputDocument
from howsure_events.extraction.dependencies import survey_dependencies
from howsure_events.extraction.extract_document import (
    COLUMNS,
    Act,
    Description,
    Extraction,
    Facts,
    Rows,
    document_seed,
    entity_counts,
    extract,
    find_evidence,
    mention_facts,
    mention_heads,
)
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.extraction.processes import Work, Worker
from howsure_events.lexicon import Lexicon
from howsure_events.rule import Rule, built_in_rule
from howsure_events.store.event_store import EventStore
from howsure_events.store.tables import EVENT_TABLES
from howsure_text import parses
from howsure_text.coreference.antecedent_model import AntecedentModel
from howsure_text.coreference.coref_posterior import CorefPosterior
from howsure_text.parses import ParsedSentence, parsed_sentence
from tests.source import DEMO


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> AntecedentModel:
    return AntecedentModel.load(newswire.write_model(tmp_path_factory.mktemp("model") / "model.npz"))


def extracted(text: Document, model: AntecedentModel, *, samples: int = 100, name: str = "") -> Extraction:
    rng = document_seed(0, name or text.name)
    return extract(text, model=model, lexicon=newswire.lexicon(), rule=newswire.rule(), samples=samples, rng=rng)


def acting(labels: tuple[int, ...], facts: Facts) -> set[str]:
    """Eq. 3, word by word: the actors c with an entity that is described as c alone, and acts."""
    actors = set()
    for entity in set(labels):
        members = [mention for mention, label in enumerate(labels) if label == entity]
        named = {description.actor for description in facts.descriptions if description.mention in members}
        if len(named) == 1 and any(act.mention in members for act in facts.acts):
            actors |= named
    return actors


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
    n = 10_000
    extraction = extracted(newswire.story(number, sentences=3), model, samples=n)
    if extraction.sampled is None:
        assert not extraction.facts.acts or not extraction.facts.actors
        return
    exact = enumerated(model.posterior(extraction.document, mentions=extraction.mentions), extraction.facts)
    for actor, share in zip(extraction.facts.actors, extraction.sampled.probabilities.tolist(), strict=True):
        p = min(1.0, exact[actor])
        assert abs(share - p) <= 5 * np.sqrt(p * (1 - p) / n) + 1e-9


def test_every_sample_by_the_definition(model: AntecedentModel) -> None:
    n_sampled = 0
    for number in range(0, 80, 4):
        extraction = extracted(newswire.story(number), model, samples=30)
        if extraction.sampled is None:
            continue
        n_sampled += 1
        sampled, actors = extraction.sampled, extraction.facts.actors
        for sample, counts in zip(sampled.clusterings.tolist(), sampled.entities, strict=True):
            assert acting(tuple(sample), extraction.facts) == {actors[a] for a in np.flatnonzero(counts)}
            assert all(label <= mention and sample[label] == label for mention, label in enumerate(sample))
        best = acting(tuple(sampled.best.tolist()), extraction.facts)
        assert best == {actors[a] for a in np.flatnonzero(sampled.best_entities)}
        for a, actor in enumerate(actors):
            evidence = [entry.samples for entry in extraction.sampled.evidence if entry.actor == actor]
            shown = np.any(evidence, axis=0) if evidence else np.zeros(30, dtype=np.bool_)
            assert np.array_equal(shown, sampled.entities[:, a] > 0)
    assert n_sampled > 10


def test_evidence_is_of_samples_not_of_the_best(model: AntecedentModel) -> None:
    extraction = extracted(document(PRESIDENT, HUSSEIN), model, samples=2_000)
    assert extraction.facts.actors == ("IRQ",)
    (share,) = extraction.sampled.probabilities.tolist()
    assert 0.0 < share < 1.0
    together = model.posterior(extraction.document, mentions=extraction.mentions).pair_probability()
    shares = [entry.samples.mean() for entry in extraction.sampled.evidence]
    assert max(shares) <= share <= sum(shares)
    for entry in extraction.sampled.evidence:
        assert entry.samples.mean() == pytest.approx(together[entry.description, entry.agent], abs=0.05)


@pytest.mark.parametrize("texts", [(NOUN,), (PRESIDENT,), (HUSSEIN,)], ids=["a noun", "nobody acts", "nobody named"])
def test_the_model_is_not_asked_in_vain(texts: tuple[str, ...]) -> None:
    untrained = AntecedentModel(mentions="detected")
    extraction = extracted(document(*texts), untrained)
    assert extraction.sampled is None
    assert len(extraction.mentions) == len(extraction.heads) > 0


def test_given_mentions(model: AntecedentModel) -> None:
    text = document(ACTIVE)
    mentions = (Mention(0, 0, 2),)
    extraction = extract(text, model=model, lexicon=newswire.lexicon(), rule=newswire.rule(), mentions=mentions, rng=1)
    assert extraction.mentions == mentions
    assert (extraction.facts.actors, extraction.sampled.probabilities.tolist()) == (("USA",), [1.0])


def test_randomness_is_of_seed_and_id(model: AntecedentModel) -> None:
    text = document(PRESIDENT, HUSSEIN)
    first, same, other = (extracted(text, model, name=name).sampled for name in ("a", "a", "b"))
    assert np.array_equal(first.clusterings, same.clusterings)
    assert not np.array_equal(first.clusterings, other.clusterings)
    assert document_seed(0, "a").entropy != document_seed(1, "a").entropy
    assert document_seed(0, "\ud800").entropy != document_seed(0, "?").entropy


def test_a_model_from_a_file_draws_the_same(model: AntecedentModel, tmp_path: Path) -> None:
    model.save(tmp_path / "again.npz")
    text = document(PRESIDENT, HUSSEIN)
    again = extracted(text, AntecedentModel.load(tmp_path / "again.npz")).sampled
    first = extracted(text, model).sampled
    assert np.array_equal(first.clusterings, again.clusterings)


def test_the_posterior_of_a_document_is_made_once(model: AntecedentModel, monkeypatch: pytest.MonkeyPatch) -> None:
    made, make = [], CorefPosterior.__init__
    monkeypatch.setattr(CorefPosterior, "__init__", lambda self, *a, **k: (made.append(self), make(self, *a, **k))[1])
    assert extracted(document(PRESIDENT, HUSSEIN), model).sampled is not None
    assert len(made) == 1


# The rule on clusterings, against its definition entity by entity, and against exact enumeration of all of them.


Row = tuple[int, ...]


def facts(described: list[set[int]], agents: list[bool], actors: int = 2) -> Facts:
    table = np.array([[a in codes for a in range(actors)] for codes in described], dtype=np.bool_)
    names = tuple("ABCDE"[:actors])
    return Facts(names, table.reshape(len(described), actors), np.array(agents, dtype=np.bool_), (), ())


def slow_counts(row: Row, document_facts: Facts) -> list[int]:
    """f(c, E; x) as it is defined, entity by entity."""
    counts = [0] * len(document_facts.actors)
    for entity in set(row):
        members = [mention for mention, number in enumerate(row) if number == entity]
        named = {a for mention in members for a in np.flatnonzero(document_facts.described[mention]).tolist()}
        if len(named) == 1 and any(document_facts.agent[mention] for mention in members):
            counts[named.pop()] += 1
    return counts


@st.composite
def situations(draw: st.DrawFn) -> tuple[np.ndarray, Facts]:
    n = draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(st.integers(0, n - 1), min_size=n, max_size=n), min_size=1, max_size=4))
    described = draw(st.lists(st.sets(st.integers(0, 2), max_size=2), min_size=n, max_size=n))
    agents = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return np.array(rows), facts(described, agents, actors=3)


@given(situations())
def test_counts_are_those_of_the_definition(situation: tuple[np.ndarray, Facts]) -> None:
    clusters, document_facts = situation
    expected = [slow_counts(tuple(row), document_facts) for row in clusters.tolist()]
    assert entity_counts(clusters, document_facts).tolist() == expected


@given(situations())
def test_evidence_is_there_just_where_it_is_true(situation: tuple[np.ndarray, Facts]) -> None:
    clusters, document_facts = situation
    marked = np.zeros((len(clusters), len(document_facts.actors)), dtype=np.bool_)
    for entry in find_evidence(clusters, document_facts):
        assert document_facts.agent[entry.agent]
        assert document_facts.described[entry.description, document_facts.actors.index(entry.actor)]
        assert (clusters[entry.samples, entry.agent] == clusters[entry.samples, entry.description]).all()
        marked[:, document_facts.actors.index(entry.actor)] |= entry.samples
    assert (marked == (entity_counts(clusters, document_facts) > 0)).all()


@given(situations(), st.permutations(range(6)))
def test_numbers_of_entities_are_only_names(situation: tuple[np.ndarray, Facts], names: list[int]) -> None:
    clusters, document_facts = situation
    assert (entity_counts(np.array(names)[clusters], document_facts) == entity_counts(clusters, document_facts)).all()


def test_mr_hussein_is_iraqs_half_of_the_time() -> None:
    """Exact enumeration over antecedents: P(event) = P(the mention links to the one that names Iraq)."""
    mentions = [Mention(0, 0, 5), Mention(0, 4, 5), Mention(1, 0, 2), Mention(1, 4, 5)]
    lexicon = Lexicon([("IRQ", "Iraq"), ("KWT", "Kuwait")])
    document_facts = mention_facts(
        document(sentences.PRESIDENT, sentences.HUSSEIN), mentions, lexicon=lexicon, rule=built_in_rule("attack")
    )
    antecedents = [[1.0], [1.0, 0.0], [0.4, 0.5, 0.1], [0.7, 0.0, 0.3, 0.0]]  # of each mention: new, then 0, 1, …
    exact, rows, weights = np.zeros(len(document_facts.actors)), [], []
    for choice in product(*(range(len(probabilities)) for probabilities in antecedents)):
        row: list[int] = []
        for mention, chosen in enumerate(choice):
            row.append(mention if chosen == 0 else row[chosen - 1])
        probability = float(
            np.prod([probabilities[chosen] for probabilities, chosen in zip(antecedents, choice, strict=True)])
        )
        exact += probability * (np.array(slow_counts(tuple(row), document_facts)) > 0)
        rows.append(row)
        weights.append(probability)
    by_kernel = np.array(weights) @ (entity_counts(np.array(rows), document_facts) > 0)
    np.testing.assert_allclose(by_kernel, exact, atol=1e-15)
    # "Mr. Hussein" acts: with President Hussein, or with Iraq itself unless Kuwait is in it too
    np.testing.assert_allclose(exact, [0.5 + 0.1 * 0.7, 0.0], atol=1e-15)


def test_a_document_without_agents_or_mentions() -> None:
    assert not entity_counts(np.zeros((3, 2), dtype=int), facts([{0}, {1}], [False, False])).any()
    nothing = Facts((), np.zeros((0, 0), dtype=np.bool_), np.zeros(0, dtype=np.bool_), (), ())
    assert entity_counts(np.zeros((3, 0), dtype=int), nothing).shape == (3, 0)
    assert find_evidence(np.zeros((3, 0), dtype=int), nothing) == []


# What a document says of each mention: who describes it, whether it acts.


LEXICON = Lexicon(
    [
        ("USA", "American"),
        ("IRQ", "Iraq"),
        ("IRQ", "Iraqi"),
        ("IRN", "Iranian"),
        ("KWT", "Kuwait"),
        ("NATO", "NATO"),
        ("KOR", "South Korean"),
    ],
    match_case=True,
)
PAPER, WIDE = built_in_rule("attack"), built_in_rule("attack-wide")


def facts_of(text: str, mentions: list[tuple[int, int]], rule: Rule = PAPER) -> Facts:
    spans = [Mention(0, start, end) for start, end in mentions]
    return mention_facts(document(text), spans, lexicon=LEXICON, rule=rule)


def described(facts: Facts) -> list[set[str]]:
    return [
        {actor for actor, is_described in zip(facts.actors, row, strict=True) if is_described}
        for row in facts.described
    ]


def test_a_modifier_and_a_head() -> None:
    facts = facts_of(sentences.ACTIVE, [(0, 2), (3, 4)])
    assert facts.actors == ("IRQ", "USA")
    assert described(facts) == [{"USA"}, {"IRQ"}]
    assert facts.agent.tolist() == [True, False]
    assert facts.descriptions == (Description(0, "USA", 0), Description(1, "IRQ", 3))
    assert facts.acts == (Act(0, 2),)


def test_no_agent_no_descriptions() -> None:
    facts = facts_of(sentences.NOUN, [(0, 1)])
    assert (facts.actors, facts.described.shape, facts.agent.tolist()) == ((), (1, 0), [False])


def test_no_mentions_at_all() -> None:
    facts = facts_of(sentences.ACTIVE, [])
    assert (facts.described.shape, facts.agent.shape, facts.acts) == ((0, 0), (0,), ())


def test_a_noun_after_of_describes() -> None:
    spans = [Mention(0, 0, 5), Mention(1, 0, 2)]
    president = mention_facts(document(sentences.PRESIDENT, sentences.HUSSEIN), spans, lexicon=LEXICON, rule=PAPER)
    assert described(president) == [{"IRQ"}, set()]
    assert president.agent.tolist() == [False, True]


def test_conjoined_modifiers_describe_if_conjuncts_count() -> None:
    assert described(facts_of(sentences.CONJOINED, [(0, 4), (5, 6)])) == [{"IRQ"}, set()]
    wide = facts_of(sentences.CONJOINED, [(0, 4), (5, 6)], WIDE)
    assert described(wide) == [{"IRQ", "IRN"}, set()]
    assert wide.agent.tolist() == [True, True]


def test_nouns_before_a_noun() -> None:
    text = "NATO/NNP/2/compound planes/NNS/3/nsubj attacked/VBD/0/root"
    assert described(facts_of(text, [(0, 2)])) == [set()]
    assert described(facts_of(text, [(0, 2)], WIDE)) == [{"NATO"}]


def test_a_path_of_two_relations() -> None:
    rule = built_in_rule("attack", labels="clear")
    facts = facts_of(sentences.CLEAR_PASSIVE, [(0, 1), (4, 7)], rule)
    assert described(facts) == [{"KWT"}, {"IRQ"}]
    assert facts.agent.tolist() == [False, True]


def test_any_word_of_a_long_name_describes() -> None:
    text = "South/JJ/2/amod Korean/JJ/3/amod ships/NNS/4/nsubj attacked/VBD/0/root"
    assert described(facts_of(text, [(0, 3)])) == [{"KOR"}]


def test_mentions_that_share_a_head_share_its_facts() -> None:
    facts = facts_of(sentences.ACTIVE, [(0, 2), (1, 2)])
    assert facts.agent.tolist() == [True, True]
    assert described(facts) == [{"USA"}, {"USA"}]


def test_heads() -> None:
    president = document(sentences.PRESIDENT)
    assert mention_heads(president, [Mention(0, 0, 5), Mention(0, 1, 3), Mention(0, 4, 5)]) == [0, 1, 4]


# What is stored is what was extracted, bit by bit.


SAMPLES = 21
NUMBERS = (0, 1, 4, 8, 12)


@pytest.fixture(scope="module")
def extractions(tmp_path_factory: pytest.TempPathFactory) -> list[Extraction]:
    model = AntecedentModel.load(newswire.write_model(tmp_path_factory.mktemp("model") / "model.npz"))
    texts = [newswire.story(number) for number in NUMBERS]
    lexicon, rule = newswire.lexicon(), newswire.rule()
    return [
        extract(text, model=model, lexicon=lexicon, rule=rule, samples=SAMPLES, rng=document_seed(0, text.name))
        for text in texts
    ]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, extractions: list[Extraction]) -> EventStore:
    rows = Rows()
    for number, extraction in zip(NUMBERS, extractions, strict=True):
        rows.add(InputDocument(number, f"id {number}", "1990-01-02", None, "desk", ""), extraction)
    rows.leave_out(InputDocument(2, "id 2", None, None, None, ""), "no date")
    path = tmp_path_factory.mktemp("store") / "news.duckdb"
    with EventStore.create(path, {}) as event_store:
        event_store.append(rows.tables())
    return EventStore.open(path)


def test_columns_are_those_of_the_schema(store: EventStore) -> None:
    for name, columns in COLUMNS.items():
        stored = [row[0] for row in store.ask("SELECT column_name FROM duckdb_columns() WHERE table_name = ?", [name])]
        assert list(columns) == stored
    assert set(COLUMNS) | {"settings", "stories"} == set(EVENT_TABLES)


def test_documents_sentences_and_mentions(store: EventStore, extractions: list[Extraction]) -> None:
    for number, extraction in zip(NUMBERS, extractions, strict=True):
        row = store.ask("SELECT id, category, words, mentions FROM documents WHERE document = ?", [number])
        words = sum(map(len, extraction.document.sentences))
        assert row == [(f"id {number}", "desk", words, len(extraction.mentions))]
        sentences = store.ask("SELECT words FROM sentences WHERE document = ? ORDER BY sentence", [number])
        assert [tuple(words) for (words,) in sentences] == [
            sentence.words for sentence in extraction.document.sentences
        ]
        mentions = store.ask(
            "SELECT sentence, start, stop, head, actors, verb FROM mentions WHERE document = ? ORDER BY mention",
            [number],
        )
        acts = {act.mention: act.verb for act in extraction.facts.acts}
        for at, (mention, head) in enumerate(zip(extraction.mentions, extraction.heads, strict=True)):
            descriptions = [description for description in extraction.facts.descriptions if description.mention == at]
            named = sorted({description.actor for description in descriptions})
            assert mentions[at] == (mention.sentence, mention.start, mention.end, head, named, acts.get(at))
    assert store.ask("FROM left_out") == [(2, "id 2", None, "no date")]


def test_samples_events_and_evidence(store: EventStore, extractions: list[Extraction]) -> None:
    n_sampled = 0
    for number, extraction in zip(NUMBERS, extractions, strict=True):
        drawn = extraction.sampled
        links = store.ask("SELECT mention, antecedent, probability FROM antecedents WHERE document = ?", [number])
        if drawn is None:
            assert not links
            assert not store.ask("FROM events WHERE document = ?", [number])
            continue
        n_sampled += 1
        matrix = np.zeros((len(extraction.mentions), len(extraction.mentions)))
        for mention, antecedent, probability in links:
            matrix[mention, antecedent] = probability
        assert matrix.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
        assert np.array_equal(matrix.diagonal(), drawn.antecedents.new)
        ((samples, best),) = store.ask("SELECT samples, best FROM clusterings WHERE document = ?", [number])
        assert np.array_equal(np.frombuffer(samples, "<u2").reshape(SAMPLES, -1), drawn.clusterings)
        assert np.array_equal(np.frombuffer(best, "<u2"), drawn.best)
        events = store.ask("FROM events WHERE document = ?", [number])
        for _, actor, probability, sampled, entities, in_best, best_entities in events:
            place = extraction.facts.actors.index(actor)
            counts = drawn.entities[:, place]
            assert np.array_equal(unpacked(sampled), counts > 0)
            assert np.array_equal(np.frombuffer(entities, np.uint8), counts)
            assert (probability, in_best) == ((counts > 0).mean(), drawn.best_entities[place] > 0)
            assert best_entities == drawn.best_entities[place]
        stored = {row[1] for row in events}
        assert stored == {
            a for at, a in enumerate(extraction.facts.actors) if drawn.entities[:, at].any() or drawn.best_entities[at]
        }
        for (_, actor, named, agent, probability, sampled), evidence in zip(
            store.ask("FROM evidence WHERE document = ?", [number]), drawn.evidence, strict=True
        ):
            assert (actor, named, agent) == (evidence.actor, evidence.description, evidence.agent)
            assert np.array_equal(unpacked(sampled), evidence.samples)
            assert probability == evidence.samples.mean()
    assert n_sampled >= 2


def unpacked(blob: bytes) -> np.ndarray:
    return np.unpackbits(np.frombuffer(blob, np.uint8), count=SAMPLES, bitorder="little").astype(bool)


def test_nothing_is_nothing(tmp_path: Path) -> None:
    with EventStore.create(tmp_path / "empty.duckdb", {}) as event_store:
        event_store.append(Rows().tables())
        assert event_store.next_document == 0


# Each sentence is parsed once a document, for mentions, rule and antecedent model.


NEWS = DEMO


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each sentence is parsed, by where it stands."""
    counts = Counter[str]()

    def counting(sentence: Sentence, *, where: str = "the sentence") -> ParsedSentence:
        counts[where] += 1
        return parsed_sentence(sentence, where=where)

    monkeypatch.setattr(parses, "parsed_sentence", counting)
    return counts


@pytest.fixture(scope="module")
def work() -> Work:
    lexicon = Lexicon.read(NEWS / "actors.tsv")
    return Work(parser=None, model=AntecedentModel.pretrained(), lexicon=lexicon, rule=built_in_rule("attack-wide"))


def test_extraction(parsed: Counter[str], work: Work) -> None:
    corpus = open_corpus([NEWS / "news.conllu"], fields=Fields())
    batch = Worker(work)(list(corpus.documents()))
    sentences = len(batch.tables["sentences"]["sentence"])
    assert len(set(batch.tables["antecedents"]["document"].tolist())) > 20  # the model was asked
    assert len(parsed) == sentences > 100
    assert set(parsed.values()) == {1}


def test_the_survey_of_relations(parsed: Counter[str], work: Work) -> None:
    survey_dependencies(open_corpus([NEWS / "news.conllu"], fields=Fields()), work=work)
    assert set(parsed.values()) == {1}


def test_the_antecedent_model(parsed: Counter[str]) -> None:
    """In a posterior, and in training, where the annotated mentions are the detected ones."""
    first = read_documents(NEWS / "news.conllu")[0]
    model = AntecedentModel.pretrained()
    mentions = model.posterior(first).mentions
    assert (len(parsed), set(parsed.values())) == (len(first.sentences), {1})
    parsed.clear()
    annotated = replace(first, mentions=tuple(replace(mention, entity=0) for mention in mentions))
    AntecedentModel(mentions="detected", passes=1, rng=0).fit([annotated])
    assert (len(parsed), set(parsed.values())) == (len(first.sentences), {1})
