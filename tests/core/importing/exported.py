"""The shipped checkpoints as their students would have them: a state dict of torch.nn.Transformer, and vocabularies."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from torch import Tensor

from core import api
from core.api import Checkpoint

SHIPPED = Path(__file__).parents[3] / "checkpoints"
HEADS = {"en-fr": 8, "dates": 4}
# What the state dict does not tell but the number of heads; each is right.
TOLD = ("--norm", "pre", "--set", "source_before=", "--pad", "0", "--bos", "1", "--eos", "2", "--unk", "3")


def sentences(name: str, count: int) -> list[str]:
    card = json.loads((SHIPPED / name / "card.json").read_text(encoding="utf-8"))
    return [example["source"] for example in card["examples"][:count]]


def export(name: str, folder: Path) -> tuple[Checkpoint, list[str]]:
    """Write `model.pt` and the vocabularies of a shipped checkpoint; returns it and the arguments of its import."""
    ours = api.load(SHIPPED / name, device="cpu")
    torch.save({"model_state_dict": as_torch(ours)}, folder / "model.pt")
    files = []
    for side, tokenizer in (("source", ours.source_tokenizer), ("target", ours.target_tokenizer)):
        tokenizer.save(folder / f"own-{side}.json")
        content = json.loads((folder / f"own-{side}.json").read_text(encoding="utf-8"))
        files.append(folder / f"{side}.json")
        files[-1].write_text(json.dumps(content["tokenizer"]), encoding="utf-8")
    vocabularies = ["--source-vocabulary", str(files[0]), "--target-vocabulary", str(files[1])]
    return ours, [str(folder / "model.pt"), *vocabularies, *TOLD]


def as_torch(ours: Checkpoint) -> dict[str, Tensor]:
    """Our parameters under the names of PyTorch's translation tutorial, Q, K and V in one matrix."""
    mine = dict(ours.model.state_dict())
    out = {
        "src_tok_emb.embedding.weight": mine["source_embedding.table"],
        "tgt_tok_emb.embedding.weight": mine.get("target_embedding.table", mine["source_embedding.table"]),
    }
    out["generator.weight"] = out["tgt_tok_emb.embedding.weight"]
    norms = {"encoder": ("self", "ffn"), "decoder": ("self", "cross", "ffn")}
    for stack in ("encoder", "decoder"):
        for part in ("weight", "bias"):
            out[f"transformer.{stack}.norm.{part}"] = mine[f"{stack}_norm.{part}"]
            for n in range(ours.config.layers(stack)):
                at, to = f"{stack}_layers.{n}", f"transformer.{stack}.layers.{n}"
                blocks = {"self_attention": "self_attn"}
                if stack == "decoder":
                    blocks["cross_attention"] = "multihead_attn"
                for block, theirs in blocks.items():
                    qkv = [mine[f"{at}.{block}.{each}_proj.{part}"] for each in "qkv"]
                    out[f"{to}.{theirs}.in_proj_{part}"] = torch.cat(qkv)
                    out[f"{to}.{theirs}.out_proj.{part}"] = mine[f"{at}.{block}.output_proj.{part}"]
                out[f"{to}.linear1.{part}"] = mine[f"{at}.feed_forward.up_proj.{part}"]
                out[f"{to}.linear2.{part}"] = mine[f"{at}.feed_forward.down_proj.{part}"]
                for place, each in enumerate(norms[stack], 1):
                    out[f"{to}.norm{place}.{part}"] = mine[f"{at}.{each}_residual.norm.{part}"]
    return {key: tensor.detach().clone() for key, tensor in out.items()}
