"""Calibration pairs from tag posteriors: the probability of a tag or pair of tags, and whether it is correct."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Any, Protocol, TypeGuard

import numpy as np

from howsure.errors import InputError, renumbered_rows
from howsure.inputs.arguments import check_arguments, is_listlike
from howsure.inputs.checks import listed
from howsure.inputs.classes import distributions, reduced
from howsure.inputs.numbers_and_names import shortened, unknown_name
from howsure.inputs.pairs import CLASS_WISE, TOP_LABEL, Floats, Integers, Pairs
from howsure.inputs.parameter_types import ArrayLike
from howsure_text.sequences.potentials import check_count
from howsure_text.sequences.sentences import ERROR, check_sentences, gold_numbers

ROUNDING = 1e-9  # probabilities may be this much outside [0, 1], because they are sums of rounded products

Tags = Sequence[Sequence[str]]
Transition = tuple[str, str]


class Posterior(Protocol):
    """The interface of a posterior over tag sequences, such as `TagPosterior`."""

    @property
    def labels(self) -> Sequence[str] | None:
        """The K tags, in the order of the columns."""
        ...

    def marginals(self) -> Sequence[Floats]:
        """P(tag of token t), an array (T, K) per sentence."""
        ...

    def pair_marginals(self, pairs: Sequence[Transition]) -> Sequence[Floats]:
        """P(tags of tokens t and t + 1), an array (T - 1, P) per sentence."""
        ...


def tag_pairs(
    posterior: Posterior | Sequence[ArrayLike],
    tags: Tags,
    *,
    tag: str | Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    reduce: str = CLASS_WISE,
    unknown_tags: str = ERROR,
) -> Pairs:
    """Return calibration pairs, P(token has the tag) and whether it does, for every token and tag or for chosen tags.

    posterior: a `TagPosterior`, or the marginals of any tagger, an array (T, K) per sentence, whose columns are named
    by `labels`. tags: the gold tags of every sentence. tag: one tag (a pair for each of n tokens) or several; None: all
    tags (n × K pairs). reduce: "class-wise", or "top-label" for the most probable tag of each token only. Unless `tag`
    is a single tag, the pairs of each tag are a group. The pairs of a sentence are a cluster, since errors within a
    sentence are correlated. unknown_tags: "error" refuses gold tags that the tagger does not know. "keep" keeps their
    tokens with label 0 in every pair, because these tokens have none of the known tags. Probabilities less than 1e-9
    outside [0, 1] are rounded to 0 or 1.

    >>> marginals = [[[0.9, 0.1], [0.3, 0.7]], [[0.6, 0.4]]]
    >>> pairs = tag_pairs(marginals, [["N", "V"], ["V"]], labels=["N", "V"], tag="V")
    >>> pairs.probabilities, pairs.labels, pairs.clusters
    (array([0.1, 0.7, 0.4]), array([0, 1, 1], dtype=uint8), array([0, 0, 1]))

    Raises InputError if a sentence and its tags differ in length, a row is not a distribution, or a tag does not exist.
    """
    check_arguments(tag_pairs, locals())
    names = _names(posterior, labels)
    if reduce not in (CLASS_WISE, TOP_LABEL):
        raise unknown_name("reduction", str(reduce), (CLASS_WISE, TOP_LABEL), place="tag_pairs")
    if tag is not None:
        if reduce == TOP_LABEL:
            raise InputError(
                "`tag` selects one tag, but `reduce='top-label'` selects the most probable tag of each token. Leave "
                "one of the two out."
            )
        _check_known([tag] if isinstance(tag, str) else listed(tag, name="tag", of="tags"), names)
    matrices = [_matrix(marginals, i) for i, marginals in enumerate(_marginals(posterior))]
    gold = _gold(tags)
    _check_lengths([len(matrix) for matrix in matrices], gold)
    matrix = _joined(matrices, len(names))
    codes = gold_numbers(gold, names, unknown_tags=unknown_tags)
    with renumbered_rows("token {}".format):
        matrix = distributions(matrix, names, None, name="posterior")
    if tag is None or isinstance(tag, str):
        return reduced(codes, matrix, names, reduce=reduce if tag is None else tag, clusters=_clusters(matrices))
    chosen = tuple(name for name in names if name in tag)
    columns, new_code = [names.index(name) for name in chosen], np.full(len(names) + 1, -1)
    new_code[columns] = np.arange(len(chosen))
    return reduced(
        new_code[codes], matrix[:, columns], chosen, reduce=CLASS_WISE, clusters=_clusters(matrices), all_classes=False
    )


def transition_pairs(
    posterior: Posterior | Sequence[ArrayLike], tags: Tags, *, pairs: Sequence[Transition], unknown_tags: str = ERROR
) -> Pairs:
    """Return calibration pairs, P(two consecutive tokens have the tags j, k) and whether they do, at every position.

    posterior: a `TagPosterior`, or an array (T - 1, P) per sentence from any tagger, whose columns are the
    probabilities of the P tag pairs in `pairs`. A sentence of T tokens has T - 1 positions. tags: the gold tags of
    every sentence. The group of a calibration pair is its tag pair, written "j k"; its cluster is the sentence.
    unknown_tags: as in `tag_pairs`; requires a `TagPosterior`.

    >>> calibration = transition_pairs([[[0.5], [0.2]]], [["N", "V", "N"]], pairs=[("N", "V")])
    >>> calibration.probabilities, calibration.labels, calibration.group_names
    (array([0.5, 0.2]), array([1, 0], dtype=uint8), ('N V',))

    Raises InputError if a sentence and its tags differ in length, a number is outside [0, 1], or a tag does not exist.
    """
    check_arguments(transition_pairs, locals())
    transitions, gold = _check_transitions(pairs), _gold(tags)
    if _is_posterior(posterior):
        names = _names(posterior, None)
        _check_known(list(chain.from_iterable(transitions)), names)
        gold_numbers(gold, names, unknown_tags=unknown_tags)
        probabilities: Sequence[Any] = posterior.pair_marginals(transitions)
    else:
        probabilities = posterior  # type: ignore[assignment]
    matrices = [_matrix(matrix, i, columns=len(transitions)) for i, matrix in enumerate(probabilities)]
    _check_lengths([len(matrix) for matrix in matrices], gold, shorter=1)
    code_of = {transition: i for i, transition in enumerate(transitions)}
    codes = np.array([code_of.get(step, -1) for sentence in gold for step in pairwise(sentence)], dtype=np.int64)
    matrix = _joined(matrices, len(transitions))
    names = tuple(map(" ".join, transitions))
    return reduced(codes, matrix, names, reduce=CLASS_WISE, clusters=_clusters(matrices), all_classes=False)


def frequent_transitions(tags: Tags, n: int) -> list[Transition]:
    """Return the n most frequent pairs of consecutive tags, the most frequent first; ties are ordered by name.

    >>> frequent_transitions([["N", "V", "N", "V"], ["D", "N"]], 2)
    [('N', 'V'), ('D', 'N')]
    """
    counts = Counter(step for sentence in _gold(tags) for step in pairwise(sentence))
    return sorted(counts, key=lambda step: (-counts[step], step))[: check_count(n, "n")]


def _gold(tags: object) -> list[list[str]]:
    return check_sentences(tags, name="tags", of="tags")


def _check_transitions(pairs: object) -> list[Transition]:
    """Check and return tag pairs; raise InputError unless each has two tags, and no two are equal if written "j k"."""
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
        raise InputError(f"pairs must be a list of tag pairs such as [('D', 'N')]; it is {pairs!r}.")
    checked: list[Transition] = []
    for i, pair in enumerate(pairs):
        tags = () if isinstance(pair, str) or not isinstance(pair, Iterable) else tuple(pair)
        if len(tags) != 2 or not all(isinstance(tag, str) for tag in tags):
            raise InputError(f"pairs must contain two tags each, such as ('D', 'N'); pairs[{i}] is {pair!r}.")
        checked.append(tags)
    texts = [" ".join(pair) for pair in checked]
    if not checked or len(set(texts)) < len(texts):
        text = shortened(texts) if texts else "none"
        raise InputError(f"pairs must contain at least one tag pair, and each once; it contains {text}.")
    return checked


def _is_posterior(posterior: Posterior | Sequence[ArrayLike]) -> TypeGuard[Posterior]:
    return hasattr(posterior, "pair_marginals")


def _marginals(posterior: Posterior | Sequence[ArrayLike]) -> Sequence[Any]:
    if _is_posterior(posterior):
        return posterior.marginals()
    if not is_listlike(posterior):
        rule = "{parameter} must be a list of arrays, one per sentence; it is {value!r}"
        raise InputError(rule, "posterior", value=posterior)
    return posterior  # type: ignore[return-value]


def _names(posterior: Posterior | Sequence[ArrayLike], labels: Sequence[str] | None) -> tuple[str, ...]:
    names = labels if labels is not None else getattr(posterior, "labels", None)
    if names is None:
        raise InputError('labels must name the columns of the marginals, in order: labels=["N", "V", ...].')
    if len(set(names)) < len(names):
        raise InputError(f"labels must name every tag once; they are {shortened(names)}.")
    return tuple(map(str, names))


def _check_known(tags: Sequence[str], names: tuple[str, ...]) -> None:
    for tag in tags:
        if tag not in names:
            raise unknown_name("tag", str(tag), names, place="the model")


def _matrix(values: Any, sentence: int, *, columns: int | None = None) -> Floats:
    try:
        matrix = _numbers(values)
    except (TypeError, ValueError) as error:
        raise InputError(f"posterior must contain numbers; sentence {sentence} does not ({error}).") from error
    if matrix.size == 0:
        return matrix.reshape(0, columns or 0)
    if matrix.ndim != 2 or (columns is not None and matrix.shape[1] != columns):
        shape = "(tokens, tags)" if columns is None else f"(tokens - 1, {columns})"
        raise InputError(
            f"posterior must contain an array {shape} per sentence; sentence {sentence} has shape {matrix.shape}."
        )
    wrong = np.argwhere(~((matrix >= -ROUNDING) & (matrix <= 1 + ROUNDING)))
    if len(wrong):
        token, column = (int(index) for index in wrong[0])
        value = float(matrix[token, column])
        raise InputError(f"posterior must be between 0 and 1; token {token} of sentence {sentence} has {value!r}.")
    return np.clip(matrix, 0.0, 1.0)


def _numbers(values: Any) -> Floats:
    """Convert values to an array of floats. Columns of data frames, which are arrays of rows, are converted by row."""
    if np.iscomplexobj(values):
        raise InputError("{parameter} must be probabilities; it contains complex numbers", "posterior")
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.array([np.asarray(row, dtype=np.float64) for row in values])


def _check_lengths(lengths: Sequence[int], tags: Tags, *, shorter: int = 0) -> None:
    if len(lengths) != len(tags):
        raise InputError(
            f"tags must contain the tags of every sentence; there are {len(tags)} lists for {len(lengths)} sentences."
        )
    for i, (length, sentence) in enumerate(zip(lengths, tags, strict=True)):
        if length != max(len(sentence) - shorter, 0):
            unit = "rows of pair marginals" if shorter else "tokens"
            raise InputError(f"sentence {i} has {length} {unit} in the posterior, and {len(sentence)} tags.")
    if not any(lengths):
        raise InputError(
            "posterior has no token to evaluate, because every sentence is empty. Give at least one sentence with "
            "tokens."
        )


def _joined(matrices: Sequence[Floats], columns: int) -> Floats:
    matrix = np.concatenate([matrix for matrix in matrices if len(matrix)])
    if matrix.shape[1] != columns:
        raise InputError(f"labels must name every column; there are {columns} labels for {matrix.shape[1]} columns.")
    return matrix


def _clusters(matrices: Sequence[Floats]) -> Integers:
    """Return the index of the sentence of each row."""
    return np.repeat(np.arange(len(matrices)), [len(matrix) for matrix in matrices])
