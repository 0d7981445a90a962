"""The shipped checkpoints as their students would have them: a state dict of torch.nn.Transformer, and vocabularies."""

from __future__ import annotations

import json
import re
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


def given(name: str, count: int) -> list[str]:
    """The sentences as arguments of the import command."""
    return [word for text in sentences(name, count) for word in ("--sentence", text)]


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


# From our names to others', each applied where it matches.
_TORCH = (
    (r"^source_embedding\.table", "src_tok_emb.embedding.weight"),
    (r"^target_embedding\.table", "tgt_tok_emb.embedding.weight"),
    (r"^output_proj$", "generator.weight"),
    (r"^(encoder|decoder)_(layers|norm)", r"transformer.\1.\2"),
    *((r"self_attention", "self_attn"), (r"cross_attention", "multihead_attn")),
    *((r"\.[qkv]_proj\.", ".in_proj_"), (r"output_proj", "out_proj")),
    *((r"feed_forward\.up_proj", "linear1"), (r"feed_forward\.down_proj", "linear2")),
    *((r"self_residual\.norm", "norm1"), (r"cross_residual\.norm", "norm2")),
    *((r"(encoder.*)ffn_residual\.norm", r"\1norm2"), (r"ffn_residual\.norm", "norm3")),
)
_TUTORIAL_B = (
    (r"^source_embedding\.table", "src_embed.embedding.weight"),
    (r"^target_embedding\.table", "tgt_embed.embedding.weight"),
    (r"^(encoder|decoder)_(layers|norm)", r"\1.\2"),
    *((r"_attention\.", "_attention_block."), (r"\.([qkv])_proj", r".w_\1"), (r"output_proj", "w_o")),
    *((r"\.up_proj", "_block.linear_1"), (r"\.down_proj", "_block.linear_2")),
    *((r"self_residual", "residual_connections.0"), (r"cross_residual", "residual_connections.1")),
    *((r"(encoder.*)ffn_residual", r"\1residual_connections.1"), (r"ffn_residual", "residual_connections.2")),
    (r"norm\.weight", "norm.alpha"),
)


def _renamed(name: str, names: tuple[tuple[str, str], ...]) -> str:
    for ours, theirs in names:
        name = re.sub(ours, theirs, name)
    return name


def as_torch(ours: Checkpoint) -> dict[str, Tensor]:
    """Our parameters under the names of PyTorch's translation tutorial, Q, K and V in one matrix."""
    parts: dict[str, list[Tensor]] = {}
    for name, tensor in ours.model.state_dict().items():
        parts.setdefault(_renamed(name, _TORCH), []).append(tensor)
    out = {key: torch.cat(tensors) for key, tensors in parts.items()}
    out.setdefault("tgt_tok_emb.embedding.weight", out["src_tok_emb.embedding.weight"].clone())
    out.setdefault("generator.weight", out["tgt_tok_emb.embedding.weight"].clone())
    return out


def as_tutorial_b(ours: Checkpoint, divided_by_model: bool) -> dict[str, Tensor]:
    """Our parameters as tutorial B's code names them, for scores over √d_model or, as that code has it, √d_k.

    A model trained with the larger divisor has queries that are as much longer; the unbiased deviation of its norms is
    made up for by their weights, up to the tiny epsilon.
    """
    config = ours.config
    longer = (config.d_model / config.d_head) ** 0.5 if divided_by_model else 1.0
    unbiased = (config.d_model / (config.d_model - 1)) ** 0.5
    out: dict[str, Tensor] = {}
    for name, tensor in ours.model.state_dict().items():
        key = _renamed(name, _TUTORIAL_B)
        out[key] = tensor * (unbiased if key.endswith("alpha") else longer if ".w_q." in key else 1.0)
    out.setdefault("tgt_embed.embedding.weight", out["src_embed.embedding.weight"].clone())
    out["projection_layer.proj.weight"] = out["tgt_embed.embedding.weight"].clone()
    return out


def export_tutorial_b(name: str, folder: Path, divided_by_model: bool) -> tuple[Checkpoint, list[str]]:
    """`export` in tutorial B's layout: everything is told but the scale of scores."""
    ours, _ = export(name, folder)
    torch.save(as_tutorial_b(ours, divided_by_model), folder / "b.pt")
    vocabularies = [f"--{side}-vocabulary" for side in ("source", "target")]
    files = [word for side, flag in zip(("source", "target"), vocabularies, strict=True)
             for word in (flag, str(folder / f"{side}.json"))]  # fmt: skip
    told = ("--heads", str(HEADS.get(name, 8)), *TOLD[2:])
    return ours, [str(folder / "b.pt"), *files, *told]
