"""Entities: labelled spans of tokens, and their probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from howsure import __version__
from howsure.data.documents.entities import entities_in, prefix_and_type
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import check_number, shortened
from howsure.inputs.pairs import Bools, Floats, Integers, Pairs
from howsure.result import Result
from howsure.show.table import FLAG, NUMBER, WORDS, Column, Kind, plain_list
from howsure_text.sequences.messages import first_rows
from howsure_text.sequences.potentials import check_count
from howsure_text.sequences.sentences import ERROR, Texts, check_tags, check_unknown_tags
from howsure_text.sequences.tag_posterior import TagPosterior
from howsure_text.sequences.token_labels import EntityLabels

# The exact probability of an entity: the probability of the labels that begin, continue and end it.
# The posterior over the labels of a sentence is a Markov chain. The sentence has an entity of type X from token s to
# token e if the label at s begins it, the labels up to e continue it, and the label at e + 1 does not. The probability
# of the entity is therefore a product of matrices, in which pairs of labels that violate this condition are 0. All
# first tokens s are processed at once. A first token is dropped when the probability that its entity has begun and not
# yet ended falls below the minimum, because that probability bounds the probability of every longer entity.

CELLS = 1 << 22  # number of pair marginals in memory at the same time: 32 MB


class Spans(NamedTuple):
    """Entities (n,): row of the first token, number of tokens, index of the type, and probability."""

    row: Integers
    length: Integers
    type: Integers
    probability: Floats


@dataclass(frozen=True, slots=True)
class SpanChain:
    """The N tokens of some sentences in one array, with the probabilities of K labels.

    first_sentence: the index of the first sentence. rows: the first row of each sentence. begins (N, K): P(label k
    begins an entity at the token). ends (N, K): P(the entity ends at the token | label k). onwards (N, K, K): P(the
    next label is k', which continues the entity | label k). type_membership (K, types): 1 if the label has the type.
    """

    first_sentence: int
    rows: Integers
    begins: Floats
    ends: Floats
    onwards: Floats
    type_membership: Floats

    def likely(self, min_probability: float) -> Spans:
        """Return all entities with a probability above 0 and of at least `min_probability`."""
        token = np.arange(len(self.begins))
        nothing = np.empty(0, dtype=np.int64)
        open_probability, batches = self.begins, [Spans(nothing, nothing, nothing, np.empty(0))]
        for length in range(1, len(self.begins) + 1):
            probability = (open_probability * self.ends[token]) @ self.type_membership
            candidate, type_ = np.nonzero((probability >= min_probability) & (probability > 0.0))
            start = token[candidate] - length + 1
            probabilities_ = np.minimum(probability[candidate, type_], 1.0)  # rounding may end above 1
            batches.append(Spans(start, np.full(len(candidate), length), type_, probabilities_))
            open_probability = np.einsum("nj,njk->nk", open_probability, self.onwards[token])
            highest = (open_probability @ self.type_membership).max(axis=1, initial=0.0)
            kept = np.flatnonzero((highest >= min_probability) & (highest > 0.0))
            if not len(kept):
                break
            open_probability, token = open_probability[kept], token[kept] + 1
        rows, lengths, types = (
            np.concatenate(column) for column in zip(*(batch[:3] for batch in batches), strict=True)
        )
        return Spans(rows, lengths, types, np.concatenate([batch.probability for batch in batches]))

    def probabilities(self, row: Integers, length: Integers, type_: Integers) -> Floats:
        """Return the probabilities of entities, given the row of the first token, length and type index of each."""
        probabilities = np.zeros(len(row))
        open_probability = self.begins[row] * self.type_membership.T[type_]
        remaining, entity = length.copy(), np.arange(len(row))
        token = row.copy()
        while len(entity):
            ends_here = remaining == 1
            probabilities[entity[ends_here]] = (open_probability[ends_here] * self.ends[token[ends_here]]).sum(axis=1)
            entity, token, remaining, open_probability = (
                entity[~ends_here],
                token[~ends_here],
                remaining[~ends_here],
                open_probability[~ends_here],
            )
            open_probability = np.einsum("nj,njk->nk", open_probability, self.onwards[token])
            token, remaining = token + 1, remaining - 1
        return np.minimum(probabilities, 1.0)  # rounding may end above 1


def span_chains(posterior: TagPosterior, labels: EntityLabels) -> Iterator[SpanChain]:
    """Yield chains of consecutive sentences, each as long as fits in memory."""
    ends = np.cumsum(posterior.lengths) * max(posterior.n_tags, 1) ** 2
    start = 0
    while start < len(posterior):
        done = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, done + CELLS, side="right")), start + 1)
        yield _chain(posterior[start:stop], labels, start)
        start = stop


def _chain(posterior: TagPosterior, labels: EntityLabels, first_sentence: int) -> SpanChain:
    lengths, size = posterior.lengths, posterior.n_tags
    rows = first_rows(lengths)
    marginals = np.concatenate([*posterior.marginals(), np.empty((0, size))])
    pairs = np.zeros((len(marginals), size, size))  # from each token to the next, except from the last token
    later = np.ones(len(marginals), dtype=bool)
    later[rows[lengths > 0]] = False
    pairs[np.flatnonzero(later) - 1] = np.concatenate([*posterior.pair_marginals(), np.empty((0, size, size))])
    begins = marginals * labels.inside
    begins[later] = np.where(labels.continues, 0.0, pairs[np.flatnonzero(later) - 1]).sum(axis=1) * labels.inside
    total = pairs.sum(axis=2)
    each = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0.0)
    ends = np.where(labels.continues, 0.0, pairs).sum(axis=2) * each
    ends[(rows + lengths - 1)[lengths > 0]] = 1.0
    pairs *= np.where(labels.continues, each[:, :, None], 0.0)
    return SpanChain(first_sentence, rows, begins, ends * labels.inside, pairs, labels.type_membership)


# The possible entities of a posterior, with their probabilities, and whether they are gold entities.

Booleans = Bools
PLACE = Kind(str)  # columns with positions
Key = tuple[int, int, int, str]  # sentence, start, stop, type


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EntitySpans(Result):
    """Entities of the k best sequences, other probable entities, and gold entities, in the order of the text.

    sentence, start, stop (n,): the tokens start, …, stop − 1 of a sentence, counted from 0. types (n,): their types.
    probability (n,): the probability that exactly these tokens are an entity of this type. predicted (n,): whether the
    entity is in the predicted sequence. chosen (n,): whether the model proposed the entity; False if it is listed only
    because it is a gold entity. gold (n,): whether it is a gold entity; None without gold tags. changed_by_grammar: the
    number of sentences in which the most probable legal sequence is not the most probable sequence; None without a
    grammar.
    """

    sentence: Integers
    start: Integers
    stop: Integers
    types: tuple[str, ...]
    probability: Floats
    predicted: Booleans
    chosen: Booleans
    gold: Booleans | None
    recipe: dict[str, Any]
    changed_by_grammar: int | None = None

    description = ""

    def __len__(self) -> int:
        return len(self.sentence)

    def pairs(self, *, only_predicted: bool = False) -> Pairs:
        """Return calibration pairs (probability, whether it is a gold entity), grouped by type, clustered by sentence.

        Gold entities that the model did not propose are not included, because a selection by gold labels would make any
        model look miscalibrated. only_predicted: use only the entities of the predicted sequence.
        """
        if self.gold is None:
            raise InputError(
                "the spans have no gold entities to compare with; pass the gold tags to entity_spans: tags=..."
            )
        rows = np.flatnonzero(self.predicted if only_predicted else self.chosen)
        if not len(rows):
            raise InputError(
                "the model predicts no entity, so there is nothing to evaluate. Pass a lower `min_probability` to "
                "entity_spans."
            )
        types = [self.types[i] for i in rows.tolist()]
        names = sorted(set(types))
        number_of = {name: i for i, name in enumerate(names)}
        codes = np.array([number_of[name] for name in types], dtype=np.int64)
        labels, clusters = self.gold[rows].astype(np.uint8), self.sentence[rows]
        return Pairs(labels, self.probability[rows], groups=codes, group_names=tuple(names), clusters=clusters)

    def to_dict(self) -> dict[str, Any]:
        """The recipe, and the columns by name."""
        spans = {column.name: plain_list(column.of(())) for column in self.columns()}
        return {"recipe": self.recipe, "spans": spans}

    def columns(self) -> Sequence[Column]:
        """Return the columns of the table, which has one row per entity."""
        places = {"sentence": self.sentence, "start": self.start, "stop": self.stop}
        return [
            *(Column(name, PLACE, values=places_of_spans) for name, places_of_spans in places.items()),
            Column("type", WORDS, values=self.types),
            Column("probability", NUMBER, values=self.probability),
            Column("predicted", FLAG, values=self.predicted),
            *([] if self.gold is None else [Column("gold", FLAG, values=self.gold)]),
        ]


def entity_spans(
    posterior: TagPosterior,
    tags: Sequence[Sequence[str]] | None = None,
    *,
    grammar: str | None = None,
    k_best: int = 1,
    min_probability: float | None = None,
    predicted: Sequence[Sequence[str]] | None = None,
    unknown_tags: str = ERROR,
) -> EntitySpans:
    """Return entities, each with the probability that exactly its tokens are an entity of its type.

    This is the sum of the probabilities of all label sequences that contain the entity. It is computed exactly, by
    products along the chain. Label sequences are converted to entities as by `entities_in`.

    posterior: a posterior over labels of BIO (O, B-TYPE, I-TYPE), IOB1, BIOES or BILOU. tags: the gold labels of each
    sentence. grammar: "BIO", "IOB1" or "BIOES", to use `within_grammar(posterior, grammar)`. k_best: list the entities
    of the k best sequences. min_probability: also list all other entities of at least this probability. predicted: the
    label sequences that the model predicted (default: the most probable sequences). unknown_tags: "error" refuses gold
    entities of a type unknown to the model; "keep" gives them probability 0.

    >>> import numpy as np
    >>> logits = [np.log([[0.1, 0.8, 0.1], [0.3, 0.1, 0.6], [0.9, 0.1, 1e-9]])]
    >>> posterior = TagPosterior.from_logits(logits, labels=["O", "B-PER", "I-PER"], grammar="BIO")
    >>> entity_spans(posterior, [["B-PER", "I-PER", "O"]], min_probability=0.1)
    sentence  start  stop  type  probability  predicted  gold
    ─────────────────────────────────────────────────────────
           0      0     1  PER        0.3810         no    no
           0      0     2  PER        0.5714        yes   yes
           0      1     2  PER        0.1071         no    no

    Raises InputError for other labels, or tags that do not match the sentences.
    Source: Jagannatha & Yu
    2020 (entities as events to be calibrated); Nguyen & O'Connor 2015, section 4.2.
    """
    if posterior.labels is None:
        raise InputError("posterior has no names of labels. Pass them to TagPosterior: labels=[...].")
    labels, free = EntityLabels(posterior.labels), posterior
    if grammar is not None:
        posterior = within_grammar(posterior, grammar)
    k = check_count(k_best, "k_best")
    lowest_probability = (
        None if min_probability is None else check_number(min_probability, name="min_probability", low=0, high=1)
    )
    lengths = [range(int(length)) for length in posterior.lengths]
    gold = None if tags is None else _gold(check_tags(tags, lengths), labels, unknown_tags)
    best = [posterior.names(paths.tags) for paths in posterior.k_best(k)]
    answers = [paths[0] for paths in best] if predicted is None else check_tags(predicted, lengths, name="predicted")
    answer_keys = _keys(answers)
    candidates = answer_keys.union(
        *(_keys(paths[rank] if rank < len(paths) else [] for paths in best) for rank in range(k))
    )
    probabilities = _probabilities(posterior, labels, candidates | (gold or set()), lowest_probability)
    chosen = candidates | {
        key for key, p in probabilities.items() if lowest_probability is not None and p >= lowest_probability
    }
    keys = sorted(probabilities)
    sentence, start, stop = (np.array([key[i] for key in keys], dtype=np.int64) for i in range(3))
    recipe = {
        "howsure": __version__,
        "sentences": len(posterior),
        "tokens": int(posterior.lengths.sum()),
        "k_best": k,
        "min_probability": lowest_probability,
        "predicted": "most probable sequence" if predicted is None else "given",
        "unknown_tags": unknown_tags,
    }
    changed = None
    if grammar is not None:
        recipe["grammar"] = grammar.upper()
        changed = sum(paths[0] != free_path for paths, free_path in zip(best, free.names(free.viterbi()), strict=True))
    return EntitySpans(
        sentence=sentence,
        start=start,
        stop=stop,
        types=tuple(key[3] for key in keys),
        probability=np.array([probabilities[key] for key in keys], dtype=np.float64),
        predicted=_membership(keys, answer_keys),
        chosen=_membership(keys, chosen),
        gold=None if gold is None else _membership(keys, gold),
        recipe=recipe,
        changed_by_grammar=changed,
    )


def _probabilities(
    posterior: TagPosterior, labels: EntityLabels, keys: set[Key], min_probability: float | None
) -> dict[Key, float]:
    """Return the probabilities of the entities `keys`, and of all entities of at least `min_probability`."""
    type_of = {name: i for i, name in enumerate(labels.type_names)}
    probabilities = dict.fromkeys(keys, 0.0)  # remains 0 for types that the model does not have
    ordered = sorted(key for key in keys if key[3] in type_of)
    next_key = 0
    for chain in span_chains(posterior, labels):
        first_key, last = next_key, chain.first_sentence + len(chain.rows)
        while next_key < len(ordered) and ordered[next_key][0] < last:
            next_key += 1
        in_chain = ordered[first_key:next_key]
        rows = np.array([chain.rows[key[0] - chain.first_sentence] + key[1] for key in in_chain], dtype=np.int64)
        sizes = np.array([key[2] - key[1] for key in in_chain], dtype=np.int64)
        types = np.array([type_of[key[3]] for key in in_chain], dtype=np.int64)
        probabilities |= zip(in_chain, chain.probabilities(rows, sizes, types).tolist(), strict=True)
        if min_probability is not None:
            likely = chain.likely(min_probability)
            names = _span_keys(likely, chain.rows, chain.first_sentence, labels)
            probabilities |= zip(names, likely.probability.tolist(), strict=True)
    return probabilities


def _span_keys(spans: Spans, rows: Integers, first_sentence: int, labels: EntityLabels) -> list[Key]:
    """Return the key (sentence, start, stop, type) of each entity; `rows`: the first row of each sentence."""
    sentence = np.searchsorted(rows, spans.row, side="right") - 1  # skips empty sentences, which begin at the same row
    start = spans.row - rows[sentence]
    ends = (start + spans.length).tolist()
    names = [labels.type_names[type_] for type_ in spans.type.tolist()]
    return list(zip((sentence + first_sentence).tolist(), start.tolist(), ends, names, strict=True))


def _keys(tags: Any) -> set[Key]:
    return {(i, span.start, span.stop, span.type) for i, sentence in enumerate(tags) for span in entities_in(sentence)}


def _membership(keys: Sequence[Key], members: set[Key]) -> Booleans:
    return np.array([key in members for key in keys], dtype=bool)


def _gold(tags: Texts, labels: EntityLabels, unknown_tags: str) -> set[Key]:
    """Return the keys of the gold entities; raise InputError for unknown types unless they are kept."""
    check_unknown_tags(unknown_tags)
    distinct_tags = {tag for sentence in tags for tag in sentence}
    unknown = {type_ for _, type_ in map(prefix_and_type, distinct_tags)} - {"", *labels.type_names}
    if unknown and unknown_tags == ERROR:
        raise InputError(
            f"the model has no entities of the type {shortened(sorted(unknown))}, as the gold tags have; it has "
            f"{shortened(labels.type_names)}. To count them as missed, use `unknown_tags='keep'`."
        )
    return _keys(tags)


def within_grammar(posterior: TagPosterior, grammar: str) -> TagPosterior:
    """Return the posterior given that the label sequence is legal in a grammar: "BIO", "IOB1" or "BIOES".

    P(y | legal) = P(y) / P(legal) for legal sequences y, and 0 for all others. Without a grammar, a CRF that was
    trained on entities can predict the illegal sequence `O I-PER`, if rarely. `TagPosterior.from_logits` has a
    parameter `grammar`.

    >>> import numpy as np
    >>> free = TagPosterior([np.zeros((2, 3))], np.zeros((3, 3)), labels=["O", "B-PER", "I-PER"])
    >>> legal = within_grammar(free, "BIO")
    >>> [np.exp(posterior.log_prob([["O", "I-PER"]])).round(3).tolist() for posterior in (free, legal)]
    [[0.111], [0.0]]
    >>> np.exp(legal.log_prob([["B-PER", "I-PER"]])).round(3).tolist()  # five sequences are legal
    [0.2]
    """
    if posterior.labels is None:
        raise InputError("posterior has no names of labels. Pass them to TagPosterior: labels=[...].")
    start, between, end = EntityLabels(posterior.labels).potentials(grammar)
    chain_potentials = posterior._potentials
    shape = (-1, posterior.n_tags, posterior.n_tags)
    matrices = (
        chain_potentials.transitions
        if chain_potentials.shared
        else [np.reshape(transition, shape) for transition in chain_potentials.transitions]
    )
    transitions = matrices + between if chain_potentials.shared else [matrix + between for matrix in matrices]
    first, last = (
        rule if end_potential is None else end_potential + rule
        for end_potential, rule in ((chain_potentials.start, start), (chain_potentials.end, end))
    )
    return posterior._with(replace(chain_potentials, transitions=transitions, start=first, end=last))
