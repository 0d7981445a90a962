"""The peers: a random Marian of Hugging Face with the same weights imported, and a model of `torch.nn.Transformer`."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from core.api import Checkpoint
from core.importing import plan_import
from core.model.position_tables import sinusoid_table

VOCABULARY = 8000


class Shape(NamedTuple):
    """Layers a stack, width and width of the feed-forward; 8 heads each."""

    layers: int
    d_model: int
    d_ff: int

    def __str__(self) -> str:
        return f"{self.layers}+{self.layers}×{self.d_model}"


SMALL, BASE = Shape(4, 256, 1024), Shape(6, 512, 2048)


def hugging_face(shape: Shape) -> tuple[Any, Checkpoint]:
    """A random Marian that computes its attention eagerly, and our checkpoint of its weights."""
    import transformers

    transformers.logging.set_verbosity_error()
    torch.manual_seed(7)
    last = VOCABULARY - 1
    config = transformers.MarianConfig(
        **{"vocab_size": VOCABULARY, "d_model": shape.d_model, "max_position_embeddings": 512},
        **{f"{side}_layers": shape.layers for side in ("encoder", "decoder")},
        **{f"{side}_attention_heads": 8 for side in ("encoder", "decoder")},
        **{f"{side}_ffn_dim": shape.d_ff for side in ("encoder", "decoder")},
        **{"pad_token_id": last, "decoder_start_token_id": last, "eos_token_id": 0, "bos_token_id": 0},
        **{"activation_function": "swish", "scale_embedding": True, "init_std": 0.05},
        forced_eos_token_id=None,
    )
    config._attn_implementation = "eager"
    theirs = transformers.MarianMTModel(config).eval().requires_grad_(False)
    seen: dict[int, str] = {}
    for key, tensor in theirs.state_dict().items():
        if "embed_positions" not in key:
            seen.setdefault(tensor.data_ptr(), key)
    with tempfile.TemporaryDirectory() as folder:
        config.save_pretrained(folder)
        weights = {key: theirs.state_dict()[key].clone() for key in seen.values()}
        save_file(weights, Path(folder) / "model.safetensors", metadata={"format": "pt"})
        ours = plan_import(folder, tokenizer="numbers").checkpoint
    return theirs, ours


def random_ids(rows: int, length: int, seed: int = 0, vocabulary: int = 7000) -> Tensor:
    """(rows, length) int64 of ordinary tokens."""
    return torch.randint(3, vocabulary, (rows, length), generator=torch.Generator().manual_seed(seed))


class PlainTransformer(nn.Module):
    """A plain model around `torch.nn.Transformer`: tied scaled embeddings, sinusoids, tied output."""

    positions: Tensor

    def __init__(
        self, d_model: int, heads: int, layers: int, d_ff: int, dropout: float, vocabulary: int
    ) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, d_model)
        self.register_buffer("positions", torch.from_numpy(sinusoid_table(256, d_model)).float())
        self.dropout = nn.Dropout(dropout)
        self.transformer = nn.Transformer(d_model, heads, layers, layers, d_ff, dropout, batch_first=True)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """source (B, S), target (B, T), padded with 0 → logits (B, T, V)."""
        causal = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        padding = (source == 0).float().masked_fill(source == 0, -math.inf)
        states = self.transformer(
            self._embed(source),
            self._embed(target),
            tgt_mask=causal,
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_is_causal=True,
        )
        return nn.functional.linear(states, self.table.weight)

    def _embed(self, ids: Tensor) -> Tensor:
        x: Tensor = self.table(ids) * math.sqrt(self.table.embedding_dim) + self.positions[: ids.shape[1]]
        return self.dropout(x)
