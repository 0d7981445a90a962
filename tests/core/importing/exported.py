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


def as_tutorial_b(ours: Checkpoint, divided_by_model: bool) -> dict[str, Tensor]:
    """Our parameters as tutorial B's code names them, for scores over √d_model or, as that code has it, √d_k.

    A model trained with the larger divisor has queries that are as much longer; the unbiased deviation of its norms is
    made up for by their weights, up to the tiny epsilon.
    """
    mine, config = dict(ours.model.state_dict()), ours.config
    longer = (config.d_model / config.d_head) ** 0.5 if divided_by_model else 1.0
    unbiased = (config.d_model / (config.d_model - 1)) ** 0.5
    source = mine["source_embedding.table"]
    target = mine.get("target_embedding.table", source)
    out = {
        "src_embed.embedding.weight": source,
        "tgt_embed.embedding.weight": target,
        "projection_layer.proj.weight": target,
    }
    blocks = {
        "encoder": {"self": ("self_attention_block", 0), "ffn": ("", 1)},
        "decoder": {
            "self": ("self_attention_block", 0),
            "cross": ("cross_attention_block", 1),
            "ffn": ("", 2),
        },
    }
    for stack, parts in blocks.items():
        out[f"{stack}.norm.alpha"] = mine[f"{stack}_norm.weight"] * unbiased
        out[f"{stack}.norm.bias"] = mine[f"{stack}_norm.bias"]
        for n in range(ours.config.layers(stack)):
            at, to = f"{stack}_layers.{n}", f"{stack}.layers.{n}"
            for block, (name, place) in parts.items():
                norm = f"{to}.residual_connections.{place}.norm"
                out[f"{norm}.alpha"] = mine[f"{at}.{block}_residual.norm.weight"] * unbiased
                out[f"{norm}.bias"] = mine[f"{at}.{block}_residual.norm.bias"]
                for part in ("weight", "bias"):
                    if block == "ffn":
                        for place, each in enumerate(("up", "down"), 1):
                            key = f"{to}.feed_forward_block.linear_{place}.{part}"
                            out[key] = mine[f"{at}.feed_forward.{each}_proj.{part}"]
                        continue
                    for letter, each in zip("qkvo", ("q", "k", "v", "output"), strict=True):
                        tensor = mine[f"{at}.{block}_attention.{each}_proj.{part}"]
                        out[f"{to}.{name}.w_{letter}.{part}"] = tensor * (longer if letter == "q" else 1.0)
    return {key: tensor.detach().clone() for key, tensor in out.items()}


def export_tutorial_b(name: str, folder: Path, divided_by_model: bool) -> tuple[Checkpoint, list[str]]:
    """`export` in tutorial B's layout: everything is told but the scale of scores."""
    ours, _ = export(name, folder)
    torch.save(as_tutorial_b(ours, divided_by_model), folder / "b.pt")
    vocabularies = [f"--{side}-vocabulary" for side in ("source", "target")]
    files = [word for side, flag in zip(("source", "target"), vocabularies, strict=True)
             for word in (flag, str(folder / f"{side}.json"))]  # fmt: skip
    told = ("--heads", str(HEADS.get(name, 8)), *TOLD[2:])
    return ours, [str(folder / "b.pt"), *files, *told]
