"""Small random models with a character vocabulary, for every test of the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

import core.verify.beams
import core.verify.decodes
from core.api import Checkpoint
from core.cli.main import main
from core.model.config import ModelConfig
from core.model.hooks import Hooks
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer

# Models this small are slower on several threads, and much slower where the cores are shared.
torch.set_num_threads(1)

TINY: dict[str, Any] = {
    "d_model": 32,
    "heads": 4,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "d_ff": 48,
    "max_length": 48,
}
# One of each kind of model the configuration describes.
KINDS: dict[str, dict[str, Any]] = {
    "post": {},
    "pre": {"norm_placement": "pre", "final_norm": True, "activation": "gelu", "gated": True},
    "relative": {
        "positions": "relative_buckets",
        "norm_formula": "rms",
        "norm_placement": "pre",
        "final_norm": True,
        "score_scale": "none",
        "output_scale": "inverse_sqrt_d_model",
        "bos_id": 0,
        "head_dim": 12,
    },
    "learned": {
        "positions": "learned",
        "position_offset": 2,
        "embedding_norm": True,
        "tie_output": False,
        "output_bias": True,
        "shared_head_projection": True,
    },
    "unbiased": {
        "norm_formula": "layer_unbiased_std",
        "positions": "sinusoidal_halves",
        "score_scale": "model",
    },
    "rotary": {"positions": "rotary", "norm_placement": "pre", "final_norm": True},
    "uneven": {
        **{"positions": "rotary", "decoder_heads": 8, "decoder_head_dim": 6, "decoder_d_ff": 40},
        **{"decoder_norm_placement": "pre", "decoder_norm_formula": "rms", "decoder_norm_eps": 1e-3},
        **{"decoder_final_norm": True, "decoder_activation": "gelu", "decoder_gated": True},
    },
}


# Ids of two sentences and what the decoder reads for them, padded; for a model whose start token is 1.
SOURCE, TARGET = (
    torch.tensor([[5, 6, 7, 2, 0, 0], [8, 9, 10, 11, 12, 2]]),
    torch.tensor([[1, 6, 7, 0], [1, 9, 8, 7]]),
)


def shaken(model: Transformer, seed: int = 0) -> Transformer:
    """The same model in evaluation mode with every parameter random, biases and norms too, so that none hides."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator) * 0.1)
    return model.eval().requires_grad_(False)


@pytest.fixture(scope="session")
def characters() -> Tokenizer:
    return Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", "<unk>", *"abcdefghij ."], split="chars")


@pytest.fixture(scope="session")
def build(characters: Tokenizer) -> Callable[..., Checkpoint]:
    """`build(**options)`: a random checkpoint in memory; the options are those of `ModelConfig`."""

    def make(seed: int = 0, **options: Any) -> Checkpoint:
        size = characters.vocab_size
        config = ModelConfig(**{"source_vocab_size": size, "target_vocab_size": size, **TINY, **options})
        torch.manual_seed(seed)
        card = {"examples": [{"source": "abc def."}]}
        return Checkpoint(shaken(Transformer(config), seed), characters, characters, card)

    return make


@pytest.fixture(scope="session", params=list(KINDS))
def kind(request: pytest.FixtureRequest, build: Callable[..., Checkpoint]) -> Checkpoint:
    """A checkpoint of each kind."""
    return build(**KINDS[request.param])


@pytest.fixture(scope="session")
def tiny(build: Callable[..., Checkpoint]) -> Checkpoint:
    """One post-norm checkpoint."""
    return build()


def widened(checkpoint: Checkpoint, factor: float) -> Checkpoint:
    """The same with queries and keys `factor` times as long, so that single precision rounds its scores by much."""
    with torch.no_grad():
        for name, parameter in checkpoint.model.named_parameters():
            if name.endswith(("q_proj.weight", "k_proj.weight")):
                parameter.mul_(factor)
    return checkpoint


@pytest.fixture
def without_decodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """`verify` writes no translation again, which is two thirds of its time: beams, batches, steps back, what is drawn.

    For faults that the checks of the recorded pass see.
    """
    for module, name in (
        (core.verify.beams, "batch_gap"),
        (core.verify.beams, "beam_gap"),
        (core.verify.decodes, "back_gap"),
        (core.verify.decodes, "drawn_gap"),
    ):
        monkeypatch.setattr(module, name, lambda *args: 0.0)


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(tiny_checkpoint: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """`command(name, flag, …, option=value, …)`: what `python -m core` returns, prints, and says of mistakes."""

    def run(name: str, *flags: str, **options: object) -> tuple[int, str, str]:
        given = {"checkpoint": tiny_checkpoint, "device": "cpu", **options}
        words = (str(word) for key, value in given.items() for word in (f"--{key}", value))
        code = main([name, *flags, *words])
        return code, *capsys.readouterr()

    return run


def passed(
    checkpoint: Checkpoint, source: Sequence[int], written: Sequence[int], hooks: Hooks | None = None
) -> torch.Tensor:
    """The logits (T, V) of one pass in which the decoder reads the start token and all of `written` but its last."""
    read = [checkpoint.config.bos_id, *written[:-1]]
    with torch.inference_mode():
        logits: torch.Tensor = checkpoint.model(torch.tensor([list(source)]), torch.tensor([read]), hooks)
    return logits[0]


def write(path: Path, *lines: str) -> Path:
    """`path`, with these lines in it."""
    path.write_text("\n".join(lines) + "\n")
    return path
