"""Causal language models and their logits, as torch and transformers have them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.calibration.test_logit_calibration import by_hand, model
from tests.cli.running import howsure as run

from howsure import CalibrationSummary, InputError
from tests.test_documents import ROOT, copy_picture, run_page

pytestmark = pytest.mark.programs

LOGITS, TOKENS = model()
TOKENS[::9] = -100
LOGITS[4, 200:] = -np.inf
LOGITS[5] = -1000.0
LOGITS[5, 3] = 10.0
TOKENS[5] = 4  # a wrong choice of the probability 1


def summary_of(logits: Any, targets: Any, **options: Any) -> CalibrationSummary:
    summary = CalibrationSummary()
    summary.add_logits(logits, targets, **options)
    return summary


@pytest.mark.parametrize("at_once", [1, 1 << 10, 1 << 16, 1 << 24])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_a_tensor_is_summed_as_an_array_is(dtype: str, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from howsure.calibration import logits as of_tensors

    monkeypatch.setitem(of_tensors.PAIRS_PER_BLOCK, "cpu", at_once)
    logits = torch.tensor(LOGITS).to(getattr(torch, dtype)).requires_grad_()
    targets = torch.tensor(TOKENS)
    wide = logits.detach().to(torch.float64).numpy()
    for reduce in ("class-wise", "top-label"):
        of_tensor, of_array = summary_of(logits, targets, reduce=reduce), summary_of(wide, TOKENS, reduce=reduce)
        assert len(of_tensor) == len(of_array)
        curve, expected = of_tensor.curve(n_bins=20), of_array.curve(n_bins=20)
        np.testing.assert_array_equal(curve.bins.count, expected.bins.count)
        np.testing.assert_allclose(curve.bins.mean_prob, expected.bins.mean_prob, rtol=0, atol=1e-12)
        assert curve.error.value == pytest.approx(expected.error.value, abs=1e-12)
        assert curve.error.high == pytest.approx(expected.error.high, abs=1e-12)
        assert of_tensor.slots.infinite_rows == of_array.slots.infinite_rows
        if not of_tensor.slots.infinite_rows:
            assert curve.log_loss.score == pytest.approx(expected.log_loss.score, abs=1e-9)


def test_pairs_of_exactly_one_half_lie_above_it() -> None:
    import torch

    logits = np.full((6, 5), -np.inf)
    logits[:, [1, 3]] = 0.0
    tokens = np.array([1, 3, 3, 0, 2, 1])
    for targets in (tokens, np.full(6, -100)):
        assert summary_of(torch.tensor(logits), torch.tensor(targets)) == summary_of(logits, targets)


def test_pairs_by_hand_to_a_trillionth() -> None:
    import torch

    logits, tokens = model(seed=2)
    labels, probabilities = by_hand(logits, tokens)
    pairs = CalibrationSummary()
    pairs.add(labels, probabilities)
    summary = summary_of(torch.tensor(logits).reshape(50, 10, -1), tokens.reshape(50, 10))
    for streamed, in_memory in ((summary, pairs), (summary.by_probability(), pairs.by_probability())):
        for binning in ("adaptive", "uniform", "weight"):
            a, b = streamed.curve(binning=binning, n_bins=12), in_memory.curve(binning=binning, n_bins=12)
            assert a.error.value == pytest.approx(b.error.value, abs=1e-12)
            assert a.brier.score == pytest.approx(b.brier.score, abs=1e-12)


def test_where_only_deterministic_algorithms_are_allowed() -> None:
    import torch

    logits, targets = torch.tensor(LOGITS), torch.tensor(TOKENS)
    expected = summary_of(logits, targets)
    torch.use_deterministic_algorithms(True)
    try:
        assert summary_of(logits, targets) == expected
    finally:
        torch.use_deterministic_algorithms(False)


def test_tensors_that_make_no_probabilities() -> None:
    import torch

    logits = torch.zeros((4, 3))
    for wrong in (torch.nan, torch.inf):
        logits[2, 1] = wrong
        with pytest.raises(InputError, match="row 2 has other values"):
            summary_of(logits, torch.tensor([0, -100, 1, 2]))
    assert len(summary_of(logits, torch.tensor([0, 1, -100, 2]))) == 9
    assert len(summary_of(logits, torch.full((4,), -100))) == 0
    with pytest.raises(InputError, match=r"they are torch\.int64"):
        summary_of(torch.zeros((4, 3), dtype=torch.int64), torch.zeros(4, dtype=torch.int64))
    with pytest.raises(InputError, match="they are float32"):
        summary_of(torch.zeros((4, 3)), torch.zeros(4))
    with pytest.raises(InputError, match="row 0 is 3"):
        summary_of(torch.zeros((4, 3)), torch.full((4,), 3))


@pytest.fixture(scope="module")
def language_model() -> Any:
    """A causal model of 60 tokens, as it is before it has learnt."""
    from transformers import GPT2Config, GPT2LMHeadModel, set_seed

    set_seed(0)
    return GPT2LMHeadModel(GPT2Config(vocab_size=60, n_positions=24, n_embd=32, n_layer=1, n_head=2)).eval()


def test_the_loss_of_the_model_is_that_of_the_summed_pairs(language_model: Any) -> None:
    """Of its next tokens: that logits and tokens were brought together at the same place."""
    import torch

    tokens = torch.randint(0, 60, (40, 24))
    with torch.no_grad():
        output = language_model(tokens, labels=tokens)
    curve = summary_of(output.logits[:, :-1], tokens[:, 1:]).by_probability().curve(binning="weight")
    assert curve.n == 40 * 23 * 60
    assert curve.multiclass.log_loss == pytest.approx(float(output.loss), rel=1e-5)


def test_shards_that_torch_saved(language_model: Any, tmp_path: Path) -> None:
    """One command says of files what the library says of tensors, in bfloat16 too."""
    import torch
    from safetensors.torch import save_file

    tokens = torch.randint(0, 60, (40, 24), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        logits = language_model(tokens).logits[:, :-1].bfloat16()
    summary = summary_of(logits, tokens[:, 1:])
    for number, (some, right) in enumerate(zip(logits.split(16), tokens[:, 1:].split(16), strict=True)):
        save_file({"logits": some.contiguous(), "labels": right.contiguous()}, tmp_path / f"{number}.safetensors")
    done = run("calibration", "logits", tmp_path / "*.safetensors", "--format", "json")
    curve = json.loads(done.out)["curves"][0]
    assert curve["n"] == len(summary)
    expected = summary.by_probability().curve(binning="weight").error
    assert curve["error"]["value"] == pytest.approx(expected.value, abs=1e-12)


def test_the_page_of_language_models_runs(tmp_path: Path) -> None:
    """With the programs that the tests of every day do without."""
    (tmp_path / "images").mkdir()
    run_page((ROOT / "docs" / "language-models.md").read_text(encoding="utf-8"), tmp_path, heavy={"programs"})
    if os.environ.get("HOWSURE_DRAW"):
        for picture in (tmp_path / "images").iterdir():
            copy_picture(str(picture), str(ROOT / "docs" / "images" / picture.name))
