"""Neural coreference models, as their own libraries build and run them: what they resolve is what the posterior says.

No weights can be had here, so they are random; biases are set such that about half of all scores are below "none".
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.coreference.by_definition import Enumeration

from howsure.data import Document, Sentence
from howsure_text.coreference import (
    AntecedentScores,
    CorefPosterior,
    posterior_from_scores,
    read_antecedent_scores,
    scores_from_fastcoref,
    write_antecedent_scores,
)

pytestmark = pytest.mark.programs

TEXT = """
Maria met Ruth in Lisbon . She showed her the old harbour . Ruth loved it . Her brother called from the harbour .
He was worried about Maria .
"""
LONG = TEXT.split()
SHORT = LONG[:18]
VOCABULARY = 120


def as_sets(clusters: Iterable[Iterable[Any]]) -> set[frozenset[Any]]:
    """Entities with several mentions."""
    return {frozenset(members) for members in map(list, clusters) if len(members) > 1}


def enumerated(logits: np.ndarray) -> np.ndarray:
    """P(i ~ j) from scores (M, M + 1) with "none" last, summed over all choices of antecedents."""
    m = len(logits)
    weights = np.where(np.tri(m, k=-1, dtype=bool), np.exp(np.asarray(logits[:, :-1], dtype=float)), 0.0)
    np.fill_diagonal(weights, np.exp(np.asarray(logits[:, -1], dtype=float)))
    return Enumeration(weights / weights.sum(axis=1, keepdims=True)).together()


def write_tokenizer(folder: Path) -> None:
    """Byte pairs learned from the text, as RoBERTa has them."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "cls": "<s>", "sep": "</s>"}
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokens = list(dict.fromkeys(special.values()))
    tokenizer.train_from_iterator([" ".join(LONG)], trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=tokens))
    ends = [(token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>")]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    special_tokens = {f"{name}_token": token for name, token in special.items()}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special_tokens).save_pretrained(folder)


@pytest.fixture(scope="module", params=["FCoref", "LingMessCoref"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A model of fastcoref."""
    import fastcoref
    import spacy
    import torch
    from fastcoref.coref_models.modeling_fcoref import FCorefModel
    from fastcoref.coref_models.modeling_lingmess import LingMessModel
    from transformers import RobertaConfig

    folder = tmp_path_factory.mktemp(request.param)
    write_tokenizer(folder)
    head = {"max_span_length": 3, "top_lambda": 0.25, "ffnn_size": 24, "dropout_prob": 0.1, "max_segment_len": 128}
    config = RobertaConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=200,
        pad_token_id=1,
        coref_head={**head, "max_doc_len": 150},
    )
    module = FCorefModel if request.param == "FCoref" else LingMessModel
    module.all_tied_weights_keys = {}  # fastcoref 2.1.6 is of the time of transformers 4, which did not ask for it
    torch.manual_seed(3)
    built = module(config)
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.mul_(3.0)  # as they are, all scores are alike
    built.save_pretrained(folder)
    model = getattr(fastcoref, request.param)(
        str(folder), device="cpu", nlp=spacy.blank("en"), enable_progress_bar=False
    )
    logits = model.predict(texts=[LONG], is_split_into_words=True)[0].coref_logit
    links = logits[:, :-1][np.tri(len(logits), k=-1, dtype=bool)]
    scale = 2.0 / float(links.std())
    with torch.no_grad():
        for name, parameter in model.model.named_parameters():
            if "classifier" in name or "antecedent" in name:
                parameter.mul_(scale)  # all scores are linear in these
        model.model.mention_start_classifier.bias -= scale * float(np.quantile(links, 0.7)) / 2
    return model


@pytest.fixture(scope="module")
def resolved(model: Any) -> list[Any]:
    """What the model predicts for a long text and a short one, in a batch that is padded."""
    return list(model.predict(texts=[LONG, SHORT], is_split_into_words=True))


def test_the_best_antecedents_are_the_clusters_of_fastcoref(resolved: list[Any]) -> None:
    for result in resolved:
        names = [*result.char_map, *range(len(result.coref_logit) - len(result.char_map))]  # padding comes last
        posterior = CorefPosterior.from_scores(result.coref_logit, null="last", mentions=names)
        assert as_sets(posterior.best_antecedent_clusters()) == as_sets(result.clusters)
        assert ((posterior.antecedents.new > 0.05) & (posterior.antecedents.new < 0.5)).any()
    assert len(as_sets(resolved[0].clusters)) >= 1


def test_the_posterior_of_fastcoref_equals_enumeration(resolved: list[Any]) -> None:
    result = resolved[1]
    m = len(result.char_map)
    assert 3 <= m <= 8
    logits = np.column_stack([result.coref_logit[:m, :m], result.coref_logit[:m, -1]])
    probability = CorefPosterior.from_scores(result.coref_logit, null="last").pair_probability()
    np.testing.assert_allclose(
        probability[:m, :m], enumerated(logits), atol=1e-6
    )  # fastcoref's are of single precision
    assert np.array_equal(probability[m:, m:], np.eye(len(probability) - m))


@pytest.mark.filterwarnings("ignore:left out")
def test_what_is_written_is_the_posterior_of_the_words(resolved: list[Any], tmp_path: Path) -> None:
    sentences = [LONG[:6], LONG[6:13], LONG[13:17], LONG[17:24], LONG[24:]]
    scored = [
        scores_from_fastcoref(resolved[0], id="long", words=sentences),
        scores_from_fastcoref(resolved[1], id="short"),
    ]
    write_antecedent_scores(scored, tmp_path / "scores.jsonl")
    for document_scores, result in zip(read_antecedent_scores(tmp_path / "scores.jsonl"), resolved, strict=True):
        spans = [span for _, span in result.char_map.values()]
        kept = [row for row, span in enumerate(spans) if span is not None and span not in spans[:row]]
        assert [tuple(span) for span in document_scores.mentions.tolist()] == [spans[row] for row in kept]
        expected = CorefPosterior.from_scores(
            result.coref_logit[np.ix_(kept, [*kept, len(result.coref_logit)])], null="last"
        )
        posterior = CorefPosterior.from_scores(document_scores.scores, null=document_scores.null)
        np.testing.assert_allclose(posterior.pair_probability(), expected.pair_probability(), rtol=1e-12)
    assert len(scored[0].words) == 5
    assert json.loads((tmp_path / "scores.jsonl").read_text().splitlines()[1])["words"] == [SHORT]


def test_candidates_that_are_not_words_are_counted(resolved: list[Any]) -> None:
    """Special tokens and padding are candidates as well; whether anything refers to them decides what is said."""
    for result in resolved:
        spans = [span for _, span in result.char_map.values()]
        lost = [row for row, span in enumerate(spans) if span is None or span in spans[:row]]
        posterior = CorefPosterior.from_scores(result.coref_logit, null="last")
        others = [row for row in range(len(spans)) if row not in lost]
        referred = any(np.isin(posterior.antecedents.row(row)[0], lost).any() for row in others)
        if referred:
            with pytest.warns(UserWarning, match="candidates? of .* that are not words"):
                scores_from_fastcoref(result, id="x")
        else:
            assert len(scores_from_fastcoref(result, id="x")) == len(others)


@pytest.mark.filterwarnings("ignore:left out")
def test_a_text_is_found_again_in_a_document_cut_otherwise(model: Any) -> None:
    """fastcoref cuts a text by spaCy, the document has other words: mentions are found by their characters."""
    text = "Maria didn't meet Ruth's brother in Lisbon. She showed Ruth the harbour, and Ruth's brother Maria's house."
    result = model.predict(texts=[text])[0]
    scores = scores_from_fastcoref(result, id="text")
    assert scores.text == text
    document = Document("text", tuple(Sentence(tuple(half.split())) for half in (text[:43], text[43:])))
    posterior = posterior_from_scores(scores, document, misplaced="leave-out")
    assert len(posterior) > 0
    spans = {text[start:end] for start, end in scores.mentions.tolist()}
    assert {" ".join(document.words_of(mention)) for mention in posterior.mentions} <= spans
    kept = posterior_from_scores(scores)
    assert [" ".join(kept_words.split()) for kept_words in sorted(spans)] == sorted(
        {text_of(scores, mention) for mention in kept.mentions}
    )


def text_of(scores: AntecedentScores, mention: Any) -> str:
    """The characters of a mention in the text itself."""
    sentence = scores.document().sentences[0]
    words, spaces = sentence.words[mention.start : mention.end], sentence.spaces[mention.start : mention.end]
    return "".join(word + " " * space for word, space in zip(words, spaces, strict=True)).strip()


def pruned_model() -> Any:
    """The head of e2e-coref (Lee et al. 2018): all spans scored, the best kept, the best antecedents of each scored."""
    import torch
    from torch import nn

    class Head(nn.Module):
        def __init__(self, size: int = 16) -> None:
            super().__init__()
            self.mention = nn.Linear(2 * size, 1)
            self.pair = nn.Sequential(nn.Linear(6 * size, 24), nn.ReLU(), nn.Linear(24, 1))
            self.coarse = nn.Linear(2 * size, 2 * size)

        def forward(self, words: Any, kept: int, antecedents: int) -> dict[str, Any]:
            n = len(words)
            every = torch.tensor([(i, j) for i in range(n) for j in range(i, min(i + 3, n))])
            starts, ends = every[:, 0], every[:, 1]
            spans = torch.cat([words[starts], words[ends]], dim=1)
            scores = self.mention(spans).squeeze(1)
            top = torch.topk(scores, kept).indices.sort().values
            spans, scores = spans[top], scores[top]
            earlier = torch.tril(torch.ones(kept, kept), diagonal=-1)
            fast = self.coarse(spans) @ spans.T + scores[:, None] + scores[None, :] + torch.log(earlier)
            rough, chosen = torch.topk(fast, antecedents, dim=1)
            several = spans[:, None].expand(-1, antecedents, -1)
            pairs = torch.cat([several, spans[chosen], several * spans[chosen]], dim=2)
            slow = rough + self.pair(pairs).squeeze(2)
            return {
                "top_span_starts": starts[top],
                "top_span_ends": ends[top],
                "top_antecedents": chosen,
                "top_antecedent_scores": torch.cat([torch.zeros(kept, 1), slow], dim=1),
            }

    torch.manual_seed(1)
    head = Head()
    with torch.no_grad():
        head.coarse.weight.mul_(2.0)
        return head(torch.randn(len(SHORT), 16), kept=7, antecedents=4)


def test_the_layout_of_e2e_coref() -> None:
    out = {name: tensor.numpy() for name, tensor in pruned_model().items()}
    antecedents, scores = out["top_antecedents"], out["top_antecedent_scores"]
    document_scores = AntecedentScores(
        id="short",
        words=SHORT,
        mentions=np.column_stack([out["top_span_starts"], out["top_span_ends"] + 1]),
        antecedents=antecedents,
        scores=scores,
        null="first",
    )
    posterior = posterior_from_scores(document_scores)
    greedy_clusters: dict[int, set[int]] = {}  # its own decoding: the highest score, column 0 for none
    for j, best in enumerate(scores.argmax(axis=1).tolist()):
        entity = greedy_clusters[int(antecedents[j, best - 1])] if best else set()
        entity.add(j)
        greedy_clusters[j] = entity
    places = {mention: place for place, mention in enumerate(posterior.mentions)}
    clusters = [[places[mention] for mention in cluster] for cluster in posterior.best_antecedent_clusters()]
    assert as_sets(clusters) == as_sets(greedy_clusters.values())
    assert as_sets(clusters)
    dense = np.full((7, 8), -np.inf)
    for j in range(7):
        dense[j, antecedents[j]] = scores[j, 1:]
    dense[:, -1] = scores[:, 0]
    np.testing.assert_allclose(posterior.pair_probability(), enumerated(dense), atol=1e-12)
