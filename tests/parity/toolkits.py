"""Tiny random models as CTranslate2 and JoeyNMT keep them.

CTranslate2's own converter writes its files, of models of `transformers`. JoeyNMT pins versions that do not install beside
ours, so its Transformer is written again here from its documentation; files that JoeyNMT 2.3 itself wrote were compared
once, in an environment of their own (docs/importing.md).
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import yaml
from torch import Tensor, nn

from core.decoding.search import translate_batch
from core.importing import ImportPlan, plan_import
from tests.parity.comparing import SOURCE, TARGET, padded_batch, recorded
from tests.parity.families import FAMILIES, STEPS, VOCABULARY, Measured, build, measured, row
from tests.parity.layouts import Linear4, Seen, masks, sinusoids

CONVERTED = ("marian", "bart", "m2m-100", "t5", "flan-t5")


def tokens_of(name: str) -> list[str]:
    """The list of tokens beside a converted model, with the special tokens where `tests.parity.families` has them."""
    if name.endswith("t5"):
        return ["<pad>", "</s>", "<unk>", *(f"w{n}" for n in range(3, VOCABULARY))]
    if name == "marian":  # whose padding is no token of CTranslate2's
        return ["<s>", *(f"w{n}" for n in range(1, VOCABULARY - 3)), "</s>", "<unk>"]
    return ["<s>", "<pad>", "</s>", "<unk>", *(f"w{n}" for n in range(4, VOCABULARY))]


def converted(name: str, folder: Path, quantization: str | None = None) -> Any:
    """The model of `transformers`, after CTranslate2's converter has written it to `folder`."""
    from ctranslate2.converters import transformers as converters

    model = build(name)
    config = model.config
    if name == "marian":  # as every published one: the padding is the last token, and its row is zeros
        config.pad_token_id = config.decoder_start_token_id = VOCABULARY - 1
        config.eos_token_id = VOCABULARY - 3
        model.generation_config.update(
            pad_token_id=VOCABULARY - 1, decoder_start_token_id=VOCABULARY - 1, eos_token_id=VOCABULARY - 3
        )
        model.model.shared.weight.data[-1] = 0.0
        model.final_logits_bias[0, -1] = 0.0
    # What BART's configuration had before version 5 of the library, and the converter reads.
    config.normalize_before, config.normalize_embedding = False, True
    specification = converters._MODEL_LOADERS[type(config).__name__].get_model_spec(model)
    tokens = tokens_of(name)
    specification.register_source_vocabulary(tokens)
    specification.register_target_vocabulary(tokens)
    stated = specification.config
    stated.eos_token, stated.unk_token = "</s>", "<unk>"
    stated.decoder_start_token = "<pad>" if name.endswith("t5") else "</s>"
    specification.validate()
    specification.optimize(quantization=quantization)
    folder.mkdir(exist_ok=True)
    specification.save(str(folder))
    return model


# -- fairseq -------------------------------------------------------------------------------------------------

ARGUMENTS = {
    **{"arch": "transformer_wmt_en_de", "dropout": 0.1, "activation_fn": "relu", "no_scale_embedding": True},
    **{f"{side}_{name}": value for side, heads in (("encoder", 4), ("decoder", 8)) for name, value in (
        ("embed_dim", 32), ("attention_heads", heads), ("normalize_before", False))},
    **{"max_source_positions": 64, "max_target_positions": 64, "task": "translation"},
}  # fmt: skip


def fairseqs(model: Any) -> dict[str, torch.Tensor]:
    """The model's weights as fairseq names them, with what else it keeps among them."""
    state = {
        key.removeprefix("model."): tensor
        for key, tensor in model.state_dict().items()
        if not re.search("embed_positions", key)
    }
    for side in ("encoder", "decoder"):
        state[f"{side}.version"] = torch.tensor([3.0])
        state[f"{side}.embed_positions._float_tensor"] = torch.zeros(1)
    return state


def fairseq(folder: Path, state: dict[str, torch.Tensor], *, new: bool = False, **changes: Any) -> ImportPlan:
    arguments = Namespace(**(ARGUMENTS | changes))
    kept = {"args": None, "cfg": {"model": arguments, "task": {}}} if new else {"args": arguments}
    torch.save(
        {**kept, "model": state, "extra_state": {"epoch": 3}, "last_optimizer_state": None},
        folder / "best.pt",
    )
    return plan_import(folder / "best.pt", tokenizer="numbers")


# -- JoeyNMT -------------------------------------------------------------------------------------------------

_NAMES = ("q_layer", "k_layer", "v_layer", "output_layer")
PADDING, START, END = 1, 2, 3


class _Norm(nn.LayerNorm):
    def __init__(self, width: int) -> None:
        super().__init__(width, eps=1e-6)


class _FeedForward(nn.Module):
    def __init__(self, width: int, inner: int, pre: bool) -> None:
        super().__init__()
        self.layer_norm, self.pre = _Norm(width), pre
        self.pwff_layer = nn.Sequential(
            nn.Linear(width, inner), nn.ReLU(), nn.Identity(), nn.Linear(inner, width), nn.Identity()
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = (
            self.pwff_layer(self.layer_norm(x)) + x if self.pre else self.layer_norm(self.pwff_layer(x) + x)
        )
        return out


class _Layer(nn.Module):
    """Its blocks in order: self-attention, cross-attention in the decoder, feed-forward, each with a norm of its own."""

    def __init__(self, width: int, heads: int, inner: int, decoder: bool, pre: bool) -> None:
        super().__init__()
        self.pre, self.blocks = pre, [("src_src_att", "layer_norm", "encoder")]
        if decoder:
            self.blocks = [
                ("trg_trg_att", "x_layer_norm", "causal"),
                ("src_trg_att", "dec_layer_norm", "cross"),
            ]
        for attention, norm, _ in self.blocks:
            self.add_module(attention, Linear4(width, heads, _NAMES))
            self.add_module(norm, _Norm(width))
        self.feed_forward = _FeedForward(width, inner, pre)

    def forward(self, x: Tensor, memory: Tensor | None, seen: Seen, source: Tensor, target: Tensor) -> Tensor:
        for attention, norm, kind in self.blocks:
            read = self.get_submodule(norm)(x) if self.pre else x
            keys = memory if kind == "cross" and memory is not None else read
            mixed = self.get_submodule(attention)(
                read, keys, target if kind == "causal" else source, seen.maps[kind]
            )
            x = mixed + x if self.pre else self.get_submodule(norm)(mixed + x)
        out: Tensor = self.feed_forward(x)
        return out


class _Stack(nn.Module):
    def __init__(self, layers: int, width: int, heads: int, inner: int, decoder: bool, pre: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(_Layer(width, heads, inner, decoder, pre) for _ in range(layers))
        self.pe = nn.Module()
        self.pe.register_buffer("pe", sinusoids(5000, width)[None])
        if pre:
            self.layer_norm = _Norm(width)


@dataclass(frozen=True)
class JoeySizes:
    source: int = 60
    target: int = 80
    width: int = 32
    heads: int = 4
    inner: int = 48


class JoeyNMT(nn.Module):
    """The Transformer of JoeyNMT 2, by its documentation: norms with an epsilon of 1e-6, no bias at the output."""

    def __init__(self, pre: bool, tied: bool, softmax: bool) -> None:
        super().__init__()
        sizes, self.pre = JoeySizes(), pre
        width, self.scale = sizes.width, sizes.width**0.5
        target = sizes.source if tied else sizes.target
        self.encoder = _Stack(2, width, sizes.heads, sizes.inner, False, pre)
        self.decoder = _Stack(3, width, sizes.heads, sizes.inner, True, pre)
        self.src_embed, self.trg_embed = nn.Module(), nn.Module()
        self.src_embed.lut = nn.Embedding(sizes.source, width)
        self.trg_embed.lut = self.src_embed.lut if tied else nn.Embedding(target, width)
        self.decoder.output_layer = nn.Linear(width, target, bias=False)
        if softmax:
            self.decoder.output_layer.weight = self.trg_embed.lut.weight
        self.settings = {"tied_embeddings": tied, "tied_softmax": softmax}

    def forward(self, source: Tensor, target: Tensor, seen: Seen) -> Tensor:
        source_mask, target_mask = masks(source, target, PADDING)
        x = self._embedded(self.src_embed, source, self.encoder)
        for layer in self.encoder.layers:
            x = layer(x, None, seen, source_mask, target_mask)
        seen.states = memory = self.encoder.layer_norm(x) if self.pre else x
        y = self._embedded(self.trg_embed, target, self.decoder)
        for layer in self.decoder.layers:
            y = layer(y, memory, seen, source_mask, target_mask)
        out: Tensor = self.decoder.output_layer(self.decoder.layer_norm(y) if self.pre else y)
        return out

    def _embedded(self, table: Any, ids: Tensor, stack: Any) -> Tensor:
        out: Tensor = table.lut(ids) * self.scale + stack.pe.pe[:, : ids.shape[1]]
        return out

    def generate(self, source: Tensor, steps: int) -> list[int]:
        """The greedy output for one source, from the start token on and without it."""
        target = torch.tensor([[START]])
        for _ in range(steps):
            logits = self(source, target, Seen())[0, -1]
            logits[[PADDING, START]] = -torch.inf
            target = torch.cat([target, logits.argmax().reshape(1, 1)], dim=1)
            if int(target[0, -1]) == END:
                break
        return target[0, 1:].tolist()


def joeynmt(folder: Path, pre: bool, tied: bool, softmax: bool, **changes: Any) -> tuple[JoeyNMT, ImportPlan]:
    """A random model, after its files are written as JoeyNMT keeps them, and the plan of their import."""
    torch.manual_seed(5)
    model = JoeyNMT(pre, tied, softmax).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(0.3 if len(parameter) in (60, 80) else 1.0)  # tables are drawn large
            parameter.add_(torch.randn_like(parameter) * 0.1)
    stack = {
        "type": "transformer",
        "num_heads": 4,
        "layer_norm": "pre" if pre else "post",
        "embeddings": {"scale": True},
    }
    settings = {**model.settings, "encoder": dict(stack), "decoder": {**stack, **changes}}
    (folder / "config.yaml").write_text(yaml.safe_dump({"name": "tiny", "model": settings}))
    for side, letter, size in (("src", "a", 60), ("trg", "a" if tied else "b", 60 if tied else 80)):
        words = ["<unk>", "<pad>", "<s>", "</s>", *(f"{letter}{n}" for n in range(size - 4))]
        (folder / f"{side}_vocab.txt").write_text("".join(f"{word}\n" for word in words))
    kept = {
        "optimizer_state": {"state": {}},
        "train_iter_state": torch.Generator().get_state(),
        "stats_state": {"steps": 3},
    }
    torch.save({"model_state": model.state_dict(), **kept}, folder / "best.ckpt")
    return model, plan_import(folder)


def translator(folder: Path) -> Any:
    """CTranslate2's own program for the folder."""
    import ctranslate2

    return ctranslate2.Translator(str(folder), inter_threads=1, intra_threads=1)


def compared(model: JoeyNMT, plan: ImportPlan) -> Measured:
    """The differences of one import on a padded batch, and whether both write the same greedily."""
    ours = plan.checkpoint.model
    source = padded_batch(60, PADDING, (SOURCE, 30, 41), 7)
    target = padded_batch(ours.config.target_vocab_size, PADDING, (TARGET, TARGET, 12), START, seed=1)
    seen = Seen()
    with torch.inference_mode():
        wanted = model(source, target, seen)
    logits, maps, states = recorded(ours, source, target)
    assert seen.states is not None
    kinds = (("encoder", source), ("causal", target), ("cross", target))
    gaps = [
        (a - b).abs().transpose(1, 2)[rows != PADDING].max()
        for kind, rows in kinds
        for a, b in zip(maps[kind], seen.maps[kind], strict=True)
    ]
    texts = [each[each != PADDING] for each in source]
    with torch.inference_mode():
        written = [model.generate(ids[None], STEPS) for ids in texts]
    return Measured(
        float((logits - wanted).abs()[target != PADDING].max()),
        float(max(gaps)),
        float((states - seen.states).abs()[source != PADDING].max()),
        translate_batch(ours, [ids.tolist() for ids in texts], 1, STEPS) == written,
    )


def rows() -> Iterator[str]:
    """The lines of these files in the table of docs/importing.md."""
    with TemporaryDirectory() as folder:
        model = build("fsmt")
        found = measured(
            model, fairseq(Path(folder), fairseqs(model), no_scale_embedding=False).checkpoint.model
        )
        yield row("fairseq `.pt` | `fairseq` | `transformers`, FSMT", found)
    for name in CONVERTED:
        with TemporaryDirectory() as folder:
            model = converted(name, Path(folder))
            found = measured(model, plan_import(folder).checkpoint.model)
        yield row(f"CTranslate2 of {FAMILIES[name].title} | `ctranslate2` | `transformers`", found)
    for pre, name in ((True, "pre-norm"), (False, "post-norm")):
        with TemporaryDirectory() as folder:
            found = compared(*joeynmt(Path(folder), pre, False, True))
        yield row(f"JoeyNMT, {name} | `joeynmt` | written again, greedy only", found)
