"""Files of translation toolkits, each against another program that computes the same model.

fairseq's: the Transformer of `transformers` that was converted from fairseq (FSMT). CTranslate2's: the model that its own
converter read, and its own program. JoeyNMT's: its Transformer, written again from its documentation.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

import pytest
import torch

from core.decoding.search import translate_batch
from core.errors import CheckpointError
from core.importing.plan import ImportPlan, plan_import
from core.importing.settings_trial import means
from core.model.transformer import Transformer
from tests.parity.comparing import TARGET, TOLERANCE
from tests.parity.families import BEAMS, FAMILIES, STEPS, build, measured
from tests.parity.layouts import END, PAD, START, compared
from tests.parity.toolkits import (
    CONVERTED,
    converted,
    fairseq,
    fairseqs,
    joeynmt,
    tokens_of,
    translator,
)

pytest.importorskip("transformers")


@pytest.mark.parametrize("new", [False, True])
def test_a_file_of_fairseq_writes_what_its_conversion_does(tmp_path: Path, new: bool) -> None:
    model = build("fsmt")
    plan = fairseq(
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
    plan = fairseq(tmp_path, state, encoder_normalize_before=True, decoder_normalize_before=True)
    config = plan.checkpoint.config
    assert (config.norm_placement, config.final_norm, config.heads) == ("pre", True, 4)
    ours = plan.checkpoint.model.state_dict()
    fused = state["decoder.layers.1.self_attn.in_proj_weight"]
    assert torch.equal(ours["decoder_layers.1.self_attention.k_proj.weight"], fused[32:64])
    assert torch.equal(ours["decoder_norm.weight"], state["decoder.layer_norm.weight"])


def test_a_dictionary_has_fairseqs_four_tokens_first(tmp_path: Path) -> None:
    model = build("fsmt")
    plan = fairseq(tmp_path, fairseqs(model))
    for side, size in (("source", 90), ("target", 96)):
        (tmp_path / f"{side}.txt").write_text("".join(f"{side}{n} {100 - n}\n" for n in range(size - 4)))
    plan = plan.answer(tokenizer=None, source=tmp_path / "source.txt", target=tmp_path / "target.txt")
    assert plan.checkpoint.encode_source("source0 source3") == [4, 7, 2]
    assert plan.checkpoint.target_tokenizer.vocabulary["target0"] == 4


def test_arguments_that_are_no_plain_values_are_passed_over(tmp_path: Path) -> None:
    state = fairseqs(build("fsmt"))
    plan = fairseq(tmp_path, state, encoder_learned_pos=torch.ones(3), dropout={"a": [1]})
    assert plan.checkpoint.config.dropout == 0.1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"encoder_learned_pos": True}, "encoder_learned_pos = True"),
        ({"decoder_embed_dim": 64}, "embed_dim 32 in the encoder and 64 in the decoder"),
        ({"adaptive_softmax_cutoff": "100,200"}, "adaptive_softmax_cutoff"),
    ],
)
def test_what_has_no_place_here_is_refused_in_a_sentence(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(CheckpointError) as refusal:
        fairseq(tmp_path, fairseqs(build("fsmt")), **changes)
    assert said in str(refusal.value)


# -- CTranslate2 ---------------------------------------------------------------------------------------------


def opened(folder: Path, model: Any) -> ImportPlan:
    config = model.config
    plan = plan_import(folder)
    assert (plan.layout.name, plan.problems) == ("ctranslate2", ())
    assert (plan.config.bos_id, plan.config.eos_id) == (config.decoder_start_token_id, config.eos_token_id)  # type: ignore[union-attr]
    assert plan.config.pad_id == config.pad_token_id  # type: ignore[union-attr]
    return plan


@pytest.mark.parametrize("name", CONVERTED)
def test_a_converted_model_computes_and_writes_what_it_was_converted_from(tmp_path: Path, name: str) -> None:
    pytest.importorskip("ctranslate2")
    model = converted(name, tmp_path)
    ours = opened(tmp_path, model).checkpoint
    found = measured(model, ours.model)
    assert found.largest <= TOLERANCE
    assert found.written
    rows = [["w7", "w30", "w41", "w50", "</s>"], ["w80", "w9", "w77", "w31", "w12", "w60", "</s>"]]
    padding = None if name == "marian" else [["<pad>"]]  # never written here; Marian's has no token there
    numbers = {token: n for n, token in enumerate(tokens_of(name))}
    theirs = translator(tmp_path)
    target = [[f"w{n}" for n in range(5, 5 + TARGET)], ["w9", "w12", "w77"]]
    for row, written, scored in zip(rows, target, theirs.score_batch(rows, target), strict=True):
        read = [ours.config.bos_id, *(numbers[each] for each in written)]
        with torch.no_grad():
            logits = ours.model(torch.tensor([[numbers[each] for each in row]]), torch.tensor([read]))
        if name == "marian":
            logits[..., -1] = -torch.inf  # its padding is no token of CTranslate2's
        rated = (
            logits[0].log_softmax(dim=-1).gather(1, torch.tensor([[*read[1:], ours.config.eos_id]]).T)[:, 0]
        )
        assert torch.allclose(rated, torch.tensor(scored.log_probs), atol=TOLERANCE, rtol=TOLERANCE)
    for beams in BEAMS:
        found_there = theirs.translate_batch(
            rows,
            beam_size=beams,
            max_decoding_length=STEPS,
            return_end_token=True,
            suppress_sequences=padding,
        )
        written_there = [[numbers[t] for t in each.hypotheses[0]] for each in found_there]
        # T5's padding is likely in a random model, and CTranslate2 rates what is left anew once it may not be written.
        here = cast(Transformer, Unpadded(ours.model)) if name.endswith("t5") else ours.model
        sources = [[numbers[t] for t in row] for row in rows]
        for source, mine, other in zip(
            sources, translate_batch(here, sources, beams, STEPS), written_there, strict=True
        ):
            if (
                mine != other
            ):  # its search ends with as many hypotheses as its beam, though a live one be likelier
                assert name == "t5" and beams > 1
                assert mean(here, source, mine) > mean(here, source, other)


class Unpadded:
    """A model for which padding has no probability."""

    def __init__(self, model: Transformer) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def step(self, *read: Any) -> torch.Tensor:
        logits = self.model.step(*read).clone()
        logits[:, self.model.config.pad_id] = -torch.inf
        return logits


def mean(model: Any, source: list[int], written: list[int]) -> float:
    """The mean log-probability a token of what was written, as a search of penalty 1 ranks it."""
    (rated,) = means(model, [source], [written])
    return rated


@pytest.mark.parametrize(
    ("stored", "most"), [("int8", 0.05), ("int16", 0.01), ("float16", 0.01), ("bfloat16", 0.1)]
)
def test_rounded_weights_are_read_as_what_they_stand_for(tmp_path: Path, stored: str, most: float) -> None:
    pytest.importorskip("ctranslate2")
    model = converted("m2m-100", tmp_path, stored)
    plan = opened(tmp_path, model)
    ours, theirs = (
        plan.checkpoint.model.state_dict(),
        build("m2m-100").state_dict(),
    )  # the converter rounds its own in place
    gap = ours["encoder_layers.1.feed_forward.up_proj.weight"] - theirs["model.encoder.layers.1.fc1.weight"]
    assert 0 < float(gap.abs().max()) < most
    assert any("whole numbers" in note for note in plan.weights.notes) == stored.startswith("int")


def test_the_lists_of_tokens_are_the_vocabulary(tmp_path: Path) -> None:
    pytest.importorskip("ctranslate2")
    checkpoint = opened(tmp_path, converted("marian", tmp_path)).checkpoint
    assert checkpoint.encode_source("w7 w30") == [7, 30, 93]
    assert checkpoint.target_tokenizer.vocabulary["<pad>"] == 95
    assert set(checkpoint.translate("w7 w30").split()) <= set(tokens_of("marian"))


def damaged(data: bytes) -> dict[str, bytes]:
    """A model.bin with one length or number changed."""
    first = data.index(b"decoder/activation")
    table = data.index(b"decoder/embeddings/weight\0") + len(b"decoder/embeddings/weight\0")
    return {
        "cut short": data[: len(data) // 2],
        "another version": b"\x05" + data[1:],
        "more variables than bytes": data[: first - 6] + b"\xff\xff\xff\x7f" + data[first - 2 :],
        "a name without an end": data[: first - 2] + b"\xff\xff" + data[first:],
        "too many axes": data[:table] + b"\xff" + data[table + 1 :],
        "a shape of billions": data[: table + 1] + b"\xff\xff\xff\x7f" + data[table + 5 :],
        "an unknown type": data[: table + 9] + b"\x09" + data[table + 10 :],
        "an alias of nothing": data[:-10] + b"X" + data[-9:],
    }


@pytest.mark.parametrize("fault", list(damaged(b"decoder/activation decoder/embeddings/weight\0")))
def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path, fault: str) -> None:
    pytest.importorskip("ctranslate2")
    converted("bart", tmp_path)
    path = tmp_path / "model.bin"
    path.write_bytes(damaged(path.read_bytes())[fault])
    with pytest.raises(CheckpointError) as refusal:
        plan_import(tmp_path).require_ready()
    assert "\n" not in str(refusal.value)
    assert "model.bin" in str(refusal.value)


# -- JoeyNMT -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pre", "tied", "softmax"), [(True, True, True), (False, False, True), (True, False, False)]
)
def test_a_file_of_joeynmt_computes_and_writes_what_its_transformer_does(
    tmp_path: Path, pre: bool, tied: bool, softmax: bool
) -> None:
    model, plan = joeynmt(tmp_path, pre, tied, softmax)
    assert (plan.layout.name, plan.questions, plan.problems) == ("joeynmt", (), ())
    checkpoint = plan.checkpoint
    config = checkpoint.config
    assert (config.pad_id, config.bos_id, config.eos_id, config.unk_id) == (PAD, START, END, 0)
    assert (config.tie_embeddings, config.tie_output) == (tied, softmax)
    found = compared(model, checkpoint.model)
    assert found.largest <= TOLERANCE
    assert found.written
    assert checkpoint.encode_source("a3 a4") == [7, 8, END]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"type": "recurrent"}, "decoder is 'recurrent'"),
        ({"alpha": 1.5}, "alpha = 1.5"),
        ({"embeddings": {"scale": False}}, "embeddings: scale True in the encoder and False in the decoder"),
    ],
)
def test_a_joeynmt_model_that_has_no_place_here_is_refused(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(CheckpointError, match=re.escape(said)):
        joeynmt(tmp_path, True, False, False, **changes)


def test_a_yaml_that_grows_is_refused(tmp_path: Path) -> None:
    joeynmt(tmp_path, True, False, False)
    levels = "".join(f"l{n}: &l{n}\n  <<: [*l{n - 1}, *l{n - 1}]\n" for n in range(1, 60))
    (tmp_path / "config.yaml").write_text(f"l0: &l0\n  a: 1\n{levels}")
    with pytest.raises(CheckpointError, match=r"config\.yaml repeats parts of itself"):
        plan_import(tmp_path)
