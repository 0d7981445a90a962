"""Tiny random models as CTranslate2 and JoeyNMT keep them.

CTranslate2's own converter writes its files, of models of `transformers`. JoeyNMT pins versions that do not install beside
ours, so its Transformer is written again here from its documentation; files that JoeyNMT 2.3 itself wrote were compared
once, in an environment of their own (docs/importing.md).
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import yaml

from core.importing.plan import ImportPlan, plan_import
from tests.parity.families import FAMILIES, VOCABULARY, build, measured, row
from tests.parity.layouts import JOEYNMT, PAD, Reference, compared

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


def joeynmt(
    folder: Path, pre: bool, tied: bool, softmax: bool, **changes: Any
) -> tuple[Reference, ImportPlan]:
    """A random model, after its files are written as JoeyNMT keeps them, and the plan of their import."""
    torch.manual_seed(5)
    target = 60 if tied else 80
    layout = JOEYNMT if pre else replace(JOEYNMT, final_norms="")
    model: Any = Reference(layout, 60, target, 32, 4, 48, PAD).eval()
    if tied:
        model.trg_embed.lut = model.src_embed.lut
    if softmax:
        model.decoder.output_layer.weight = model.trg_embed.lut.weight
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
    settings = {
        "tied_embeddings": tied,
        "tied_softmax": softmax,
        "encoder": dict(stack),
        "decoder": {**stack, **changes},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump({"name": "tiny", "model": settings}))
    for side, letter, size in (("src", "a", 60), ("trg", "a" if tied else "b", target)):
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
            model, plan = joeynmt(Path(folder), pre, False, True)
            found = compared(model, plan.checkpoint.model)
        yield row(f"JoeyNMT, {name} | `joeynmt` | written again, greedy only", found)
