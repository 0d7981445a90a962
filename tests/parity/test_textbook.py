"""A Transformer with the names and the mathematics of "Dive into Deep Learning" opens by itself and computes the same."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import core
from tests.parity.comparing import TOLERANCE
from tests.parity.layouts import sinusoids

WIDTH, HEADS, INNER, SOURCE, TARGET = 16, 4, 24, 30, 40


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))

    def forward(self, queries: Tensor, keys: Tensor, hidden: Tensor) -> Tensor:
        """`hidden`: True where a query may not look."""
        parts = zip((self.W_q, self.W_k, self.W_v), (queries, keys, keys), strict=True)
        q, k, v = (project(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for project, x in parts)
        scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH / HEADS)
        mixed = scores.masked_fill(hidden, -1e6).softmax(-1) @ v
        out: Tensor = self.W_o(mixed.transpose(1, 2).flatten(2))
        return out


class AddNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ln = nn.LayerNorm(WIDTH)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        out: Tensor = self.ln(x + y)
        return out


class FeedForward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dense1, self.dense2 = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.dense2(torch.relu(self.dense1(x)))
        return out


class EncoderBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention, self.addnorm1, self.ffn, self.addnorm2 = (
            Attention(),
            AddNorm(),
            FeedForward(),
            AddNorm(),
        )

    def forward(self, x: Tensor, hidden: Tensor) -> Tensor:
        x = self.addnorm1(x, self.attention(x, x, hidden))
        out: Tensor = self.addnorm2(x, self.ffn(x))
        return out


class DecoderBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention1, self.addnorm1, self.attention2, self.addnorm2 = (
            Attention(),
            AddNorm(),
            Attention(),
            AddNorm(),
        )
        self.ffn, self.addnorm3 = FeedForward(), AddNorm()

    def forward(self, x: Tensor, memory: Tensor, later: Tensor, hidden: Tensor) -> Tensor:
        x = self.addnorm1(x, self.attention1(x, x, later))
        x = self.addnorm2(x, self.attention2(x, memory, hidden))
        out: Tensor = self.addnorm3(x, self.ffn(x))
        return out


class Stack(nn.Module):
    def __init__(self, tokens: int, block: type[nn.Module], layers: int) -> None:
        super().__init__()
        self.embedding, self.blks = nn.Embedding(tokens, WIDTH), nn.Sequential()
        for n in range(layers):
            self.blks.add_module(f"block{n}", block())

    def embedded(self, ids: Tensor) -> Tensor:
        out: Tensor = self.embedding(ids) * math.sqrt(WIDTH) + sinusoids(ids.shape[1], WIDTH)
        return out


class Textbook(nn.Module):
    def __init__(self, source: int = SOURCE, target: int = TARGET) -> None:
        super().__init__()
        self.encoder, self.decoder = Stack(source, EncoderBlock, 2), Stack(target, DecoderBlock, 3)
        self.decoder.dense = nn.Linear(WIDTH, target)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        hidden = (source == 1)[:, None, None, :]
        later = torch.ones(target.shape[1], target.shape[1]).triu(1).bool()
        memory = self.encoder.embedded(source)
        for block in self.encoder.blks:
            memory = block(memory, hidden)
        x = self.decoder.embedded(target)
        for block in self.decoder.blks:
            x = block(x, memory, later, hidden)
        out: Tensor = self.decoder.dense(x)
        return out


def test_the_textbook_s_model_opens_by_itself(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = Textbook().eval()
    torch.save(model.state_dict(), tmp_path / "transformer.pt")
    with pytest.warns(UserWarning, match="embedding_scale = True"):
        ours = core.import_checkpoint(
            tmp_path / "transformer.pt", tokenizer="numbers", heads=HEADS, pad=1, bos=2, eos=3
        )
    assert ours.card["layout"] == "d2l"
    source, target = torch.randint(4, SOURCE, (3, 9)), torch.randint(4, TARGET, (3, 7))
    source[1, 6:] = 1
    with torch.inference_mode():
        assert (ours.model(source, target) - model(source, target)).abs().max() <= TOLERANCE
