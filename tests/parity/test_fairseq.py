"""fairseq's own files, against the Transformer of `transformers` that was converted from fairseq (FSMT)."""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
import torch

from core.errors import CheckpointError
from core.importing import ImportPlan, plan_import
from tests.parity.families import FAMILIES, build, measured

pytest.importorskip("transformers")
ARGUMENTS = {
    **{"arch": "transformer_wmt_en_de", "dropout": 0.1, "activation_fn": "relu", "no_scale_embedding": True},
    **{f"{side}_{name}": value for side in ("encoder", "decoder") for name, value in (
        ("embed_dim", 32), ("ffn_embed_dim", 48), ("attention_heads", 4), ("normalize_before", False))},
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


def planned(folder: Path, state: dict[str, torch.Tensor], *, new: bool = False, **changes: Any) -> ImportPlan:
    arguments = Namespace(**(ARGUMENTS | changes))
    kept = {"args": None, "cfg": {"model": arguments, "task": {}}} if new else {"args": arguments}
    torch.save(
        {**kept, "model": state, "extra_state": {"epoch": 3}, "last_optimizer_state": None},
        folder / "best.pt",
    )
    return plan_import(folder / "best.pt", tokenizer="numbers")


@pytest.mark.parametrize("new", [False, True])
def test_a_file_of_fairseq_writes_what_its_conversion_does(tmp_path: Path, new: bool) -> None:
    model = build("fsmt")
    plan = planned(
        tmp_path,
        fairseqs(model),
        new=new,
        no_scale_embedding=not FAMILIES["fsmt"].settings.get("scale_embedding", True),
    )
    assert (plan.layout.name, plan.open_questions, plan.problems) == ("fairseq", (), ())
    found = measured(model, plan.checkpoint.model)
    assert found.largest < 1e-5
    assert found.written


def test_fused_projections_and_the_norms_of_a_pre_norm_model_are_read(tmp_path: Path) -> None:
    state = fairseqs(build("fsmt"))
    for key in [key for key in state if re.search(r"self_attn\.q_proj", key)]:
        parts = [state.pop(key.replace("q_proj", f"{each}_proj")) for each in "qkv"]
        state[key.replace("q_proj.", "in_proj_")] = torch.cat(parts)
    for side in ("encoder", "decoder"):
        state |= {f"{side}.layer_norm.{part}": torch.randn(32) for part in ("weight", "bias")}
    plan = planned(tmp_path, state, encoder_normalize_before=True, decoder_normalize_before=True)
    config = plan.checkpoint.config
    assert (config.norm_placement, config.final_norm, config.heads) == ("pre", True, 4)
    ours = plan.checkpoint.model.state_dict()
    fused = state["decoder.layers.1.self_attn.in_proj_weight"]
    assert torch.equal(ours["decoder_layers.1.self_attention.k_proj.weight"], fused[32:64])
    assert torch.equal(ours["decoder_norm.weight"], state["decoder.layer_norm.weight"])


def test_a_dictionary_has_fairseqs_four_tokens_first(tmp_path: Path) -> None:
    model = build("fsmt")
    plan = planned(tmp_path, fairseqs(model))
    for side, size in (("source", 90), ("target", 96)):
        (tmp_path / f"{side}.txt").write_text("".join(f"{side}{n} {100 - n}\n" for n in range(size - 4)))
    plan = plan.answer(tokenizer=None, source=tmp_path / "source.txt", target=tmp_path / "target.txt")
    assert plan.checkpoint.encode_source("source0 source3") == [4, 7, 2]
    assert plan.checkpoint.target_tokenizer.vocabulary["target0"] == 4


def test_arguments_that_are_no_plain_values_are_passed_over(tmp_path: Path) -> None:
    state = fairseqs(build("fsmt"))
    plan = planned(tmp_path, state, encoder_learned_pos=torch.ones(3), dropout={"a": [1]})
    assert plan.checkpoint.config.dropout == 0.1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"encoder_learned_pos": True}, "encoder_learned_pos = True"),
        ({"decoder_attention_heads": 8}, "attention_heads 4 in the encoder and 8 in the decoder"),
        ({"adaptive_softmax_cutoff": "100,200"}, "adaptive_softmax_cutoff"),
    ],
)
def test_what_has_no_place_here_is_refused_in_a_sentence(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(CheckpointError) as refusal:
        planned(tmp_path, fairseqs(build("fsmt")), **changes)
    assert said in str(refusal.value)
