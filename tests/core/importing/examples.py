"""Tiny real files of every family, under the names that the README's examples use."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from torch import Tensor

from core.model.config import ModelConfig
from core.model.transformer import Transformer, sinusoid_table
from tests.core.importing.test_vocabularies import CORPUS, train
from tests.parity.families import SIZES, T5
from tests.parity.layouts import (
    ANNOTATED,
    HYUNWOONGKO,
    JADORE801120,
    ORIGINAL_TRANSFORMER,
    SAMLYNNEVANS,
    SEQ2SEQ,
    TUTORIAL_B,
    TUTORIAL_E,
    Layout,
    Reference,
)
from tests.parity.test_textbook import Textbook
from tests.parity.test_tutorial_layouts import TorchTutorial, shaken

ROOT = Path(__file__).parents[3]
WIDTH, INNER = 32, 48
WORDS = sorted(set(re.findall(r"[a-z]+", " ".join(CORPUS).lower())))


def words(path: Path, *specials: str) -> int:
    """A vocabulary of one token a line → how many."""
    tokens = [*specials, *WORDS]
    path.write_text("\n".join(tokens) + "\n")
    return len(tokens)


def opus_mt(folder: Path) -> None:
    from tests.parity.test_marian_folder import folder_of

    (folder / "opus-mt-en-fr").mkdir()
    folder_of(folder / "opus-mt-en-fr")


def bart(folder: Path) -> None:
    """vocab.json and merges.txt, and a config.json that forces <s>, as bart-large has them."""
    import transformers

    place = folder / "bart-base"
    place.mkdir()
    learned = tokenizers.ByteLevelBPETokenizer()
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    learned.train_from_iterator(CORPUS, 320, special_tokens=specials, show_progress=False)
    learned.save_model(str(place))
    size = learned.get_vocab_size()
    config = transformers.BartConfig(**{**SIZES, "vocab_size": size})
    model = transformers.BartForConditionalGeneration(config)
    model.generation_config.forced_bos_token_id = 0
    model.save_pretrained(place)


def mbart(folder: Path) -> None:
    from tests.parity.test_generate import mbart as fifty

    fifty(folder / "mbart-50", True, 2)


def t5(folder: Path) -> None:
    import transformers

    place = folder / "flan-t5-small"
    place.mkdir()
    train(place / "spiece.model", CORPUS, 150, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    size = tokenizer_size(place / "spiece.model") + 100
    # `generate` sizes its cache by the encoder's depth.
    even = {"num_decoder_layers": None}
    config = transformers.T5Config(**{**T5, **even, "vocab_size": size, "feed_forward_proj": "gated-gelu"})
    transformers.T5ForConditionalGeneration(config).save_pretrained(place)


def tokenizer_size(path: Path) -> int:
    from core.importing.sentencepiece import read_sentencepiece

    return len(read_sentencepiece(path).pieces)


def torch_transformer(folder: Path) -> None:
    specials = ("<unk>", "<pad>", "<bos>", "<eos>")
    sizes = [words(folder / f"vocab.{code}.txt", *specials) for code in ("de", "en")]
    theirs = shaken(TorchTutorial(False, False, sizes=(sizes[0], sizes[1]), heads=8))
    torch.save({"epoch": 18, "model_state_dict": theirs.state_dict()}, folder / "translation.pt")


def seq2seq(folder: Path) -> None:
    sizes = [words(folder / f"{side}.txt", "<unk>", "<pad>", "<sos>", "<eos>") for side in ("src", "trg")]
    torch.save(shaken(Reference(SEQ2SEQ, *sizes, WIDTH, 8, INNER, 1)).state_dict(), folder / "tut6-model.pt")


def of_torchtext(folder: Path, layout: Layout, wrapped: Callable[[Any], Any], name: str) -> None:
    """A model and its lists of tokens in torchtext's order; `wrapped`: what its training saves around the state dict."""
    sizes = [words(folder / f"{side}.txt", "<unk>", "<pad>", "<sos>", "<eos>") for side in ("src", "trg")]
    state = shaken(Reference(layout, *sizes, WIDTH, 8, INNER, 1)).state_dict()
    torch.save(wrapped(state), folder / name)


def hyunwoongko(folder: Path) -> None:
    of_torchtext(folder, HYUNWOONGKO, lambda state: state, "model-0.pt")


def jadore801120(folder: Path) -> None:
    def wrapped(state: Any) -> Any:
        return {"epoch": 3, "settings": argparse.Namespace(d_model=WIDTH, n_head=8), "model": state}

    of_torchtext(folder, JADORE801120, wrapped, "model.chkpt")


def samlynnevans(folder: Path) -> None:
    of_torchtext(folder, SAMLYNNEVANS, lambda state: state, "model_weights")


def original_transformer(folder: Path) -> None:
    def wrapped(state: Any) -> Any:
        return {"num_of_epochs": 20, "state_dict": state, "language_direction": "G2E"}

    of_torchtext(folder, ORIGINAL_TRANSFORMER, wrapped, "transformer_128.pth")


def annotated(folder: Path) -> None:
    sizes = [words(folder / f"{code}.txt", "<s>", "</s>", "<blank>", "<unk>") for code in ("de", "en")]
    theirs = shaken(Reference(ANNOTATED, *sizes, WIDTH, 8, INNER, 2))
    torch.save(theirs.state_dict(), folder / "multi30k_model_final.pt")


def d2l(folder: Path) -> None:
    sizes = [words(folder / f"{code}.txt", "<unk>", "<pad>", "<bos>", "<eos>") for code in ("eng", "fra")]
    torch.save(shaken(Textbook(*sizes)).state_dict(), folder / "transformer.params")


def tutorial_b(folder: Path) -> None:
    """Its vocabularies are files of the tokenizers library: words, cut at white space."""
    sizes = []
    for code in ("en", "it"):
        tokens = ["[UNK]", "[PAD]", "[SOS]", "[EOS]", *WORDS]
        vocabulary = {token: place for place, token in enumerate(tokens)}
        backend = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
        backend.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        backend.save(str(folder / f"{code}.json"))
        sizes.append(len(tokens))
    theirs = shaken(Reference(TUTORIAL_B, *sizes, WIDTH, 8, INNER, 1))
    state = {"epoch": 19, "model_state_dict": theirs.state_dict(), "global_step": 5000}
    torch.save(state, folder / "tmodel_19.pt")


def tutorial_e(folder: Path) -> None:
    torch.save(
        shaken(Reference(replace(TUTORIAL_E, one_for_all=True), 30, 28, WIDTH, 4, INNER, 0)).state_dict(),
        folder / "e.pt",
    )


def documented_map() -> str:
    """The map of docs/importing.md as it stands there."""
    text = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, flags=re.DOTALL)
    return str(example)


def by_rules(folder: Path) -> None:
    """The documented map, and a model whose keys it is about."""
    (folder / "mine.toml").write_text(documented_map(), encoding="utf-8")
    torch.save(renamed(mine_model()), folder / "mine.pt")


def mine_model() -> Transformer:
    """The model in `mine.pt`."""
    config = ModelConfig(
        source_vocab_size=24,
        target_vocab_size=24,
        d_model=12,
        heads=3,
        d_ff=20,
        encoder_layers=2,
        decoder_layers=2,
        max_length=40,
        norm_placement="pre",
        final_norm=True,
    )
    torch.manual_seed(2)
    model = shaken(Transformer(config))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "cross_attention" in name and name.endswith("bias"):
                parameter.zero_()
    assert isinstance(model, Transformer)
    return model


def renamed(model: Transformer) -> dict[str, Tensor]:
    """Our weights under the example's names and in its shapes."""
    ours = {name: parameter.detach() for name, parameter in model.named_parameters()}
    table = ours["source_embedding.table"]
    out: dict[str, Tensor] = {
        "tok.weight": table,
        "head.weight": table.clone(),
        "pe": sinusoid_table(40, 12, "sinusoidal").float(),
        "num_updates": torch.tensor(900),
    }
    for stack in ("encoder", "decoder"):
        for part in ("weight", "bias"):
            out[f"{stack}.norm.{part}"] = ours[f"{stack}_norm.{part}"]
            for n in range(2):
                at, to = f"{stack}_layers.{n}", f"{stack}.{n}"
                qkv = [ours[f"{at}.self_attention.{each}_proj.{part}"] for each in "qkv"]
                out[f"{to}.qkv.{part}"] = torch.cat(qkv)
                out[f"{to}.out.{part}"] = ours[f"{at}.self_attention.output_proj.{part}"]
                for each in ("up", "down"):
                    out[f"{to}.{each}.{part}"] = ours[f"{at}.feed_forward.{each}_proj.{part}"]
                for each in ("self", "cross", "ffn")[:: 2 if stack == "encoder" else 1]:
                    out[f"{to}.norm_{each}.{part}"] = ours[f"{at}.{each}_residual.norm.{part}"]
    for n in range(2):
        at = f"decoder_layers.{n}.cross_attention"
        q, k, v, o = (ours[f"{at}.{each}_proj.weight"] for each in ("q", "k", "v", "output"))
        out[f"decoder.{n}.cross.q.weight"] = q.T
        out[f"decoder.{n}.cross.kv.weight"] = torch.cat([k, v]).T
        out[f"decoder.{n}.cross.out.weight"] = o.reshape(12, 3, 4).permute(1, 0, 2)
    return {key: tensor.contiguous() for key, tensor in out.items()}


def ctranslate2(folder: Path) -> None:
    from tests.parity.toolkits import converted

    pytest.importorskip("ctranslate2")
    converted("marian", folder / "opus-mt-ct2")


def joeynmt(folder: Path) -> None:
    from tests.parity.toolkits import joeynmt as written

    place = folder / "joey-de-en"
    place.mkdir()
    written(place, True, False, True)


# What each of the README's examples reads, by the path it gives.
EXAMPLES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "opus-mt-en-fr": ("marian", opus_mt),
    "bart-base": ("bart", bart),
    "mbart-50": ("mbart", mbart),
    "flan-t5-small": ("t5", t5),
    "translation.pt": ("torch", torch_transformer),
    "tut6-model.pt": ("seq2seq", seq2seq),
    "multi30k_model_final.pt": ("annotated", annotated),
    "transformer.params": ("d2l", d2l),
    "model-0.pt": ("hyunwoongko", hyunwoongko),
    "model.chkpt": ("jadore801120", jadore801120),
    "model_weights": ("samlynnevans", samlynnevans),
    "transformer_128.pth": ("original-transformer", original_transformer),
    "tmodel_19.pt": ("tutorial-b", tutorial_b),
    "e.pt": ("tutorial-e", tutorial_e),
    "opus-mt-ct2": ("ctranslate2", ctranslate2),
    "joey-de-en": ("joeynmt", joeynmt),
    "mine.pt": ("mine", by_rules),
}
