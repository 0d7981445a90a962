"""A file that looks like a known family and is none: refused in one sentence, never read as what it is not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.checkpoints.files import is_foreign
from core.errors import CheckpointError
from core.importing.plan import ImportPlan, plan_import
from tests.core.importing.untrusted_files import good
from tests.parity import families
from tests.parity.families import SIZES
from tests.parity.test_hugging_face import build, state_of, stored, without_duplicates

transformers = pytest.importorskip("transformers")

TOLD: dict[str, Any] = {"heads": 4, "pad": 1, "bos": 2, "eos": 2, "unk": 3, "forced_bos_id": "none"}


def write(folder: Path, config: dict[str, Any] | None, state: dict[str, Tensor], name: str) -> Path:
    """A weights file of any name, with or without a config.json beside it."""
    folder.mkdir(exist_ok=True)
    save_file({key: tensor.contiguous() for key, tensor in state.items()}, folder / name)
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config))
    return folder / name


def refusal(path: Path, **given: Any) -> str:
    with pytest.raises(CheckpointError) as caught:
        plan_import(path, tokenizer="numbers", **given).require_ready()
    sentence = str(caught.value)
    assert "\n" not in sentence and sentence.endswith(".") and len(sentence) < 600
    return sentence


# -- config.json beside a file of any name -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["epoch3.safetensors", "best-model.bin", "model.safetensors"])
def test_a_config_beside_a_file_of_any_name_is_read(tmp_path: Path, name: str) -> None:
    """T5 with gated SiLU, which its weights cannot tell from gated GELU."""
    torch.manual_seed(4)
    theirs = transformers.T5ForConditionalGeneration(
        transformers.T5Config(**families.T5, feed_forward_proj="gated-silu")
    ).eval()
    theirs.config.save_pretrained(tmp_path)
    path = tmp_path / name
    if path.suffix == ".bin":
        torch.save(theirs.state_dict(), path)
    else:
        save_file(without_duplicates(theirs), path)
    plan = plan_import(path, tokenizer="numbers")
    assert plan.config is not None, plan.open_questions
    assert plan.config.activation == "silu"
    source, target = torch.randint(3, 90, (2, 12)), torch.randint(3, 90, (2, 9))
    with torch.inference_mode():
        wanted = theirs(input_ids=source, decoder_input_ids=target, use_cache=False).logits
        assert (plan.checkpoint.model(source, target) - wanted).abs().max() < 1e-4


@pytest.mark.parametrize("layout", ["auto", "bart"])
@pytest.mark.parametrize("kept", [("model_type",), ("architectures",), ("model_type", "architectures")])
def test_blenderbot_small_is_not_taken_for_bart(tmp_path: Path, layout: str, kept: tuple[str, ...]) -> None:
    theirs = families.build("blenderbot-small")
    config = theirs.config.to_dict() | {"architectures": ["BlenderbotSmallForConditionalGeneration"]}
    for name in {"model_type", "architectures"} - set(kept):
        del config[name]
    path = write(tmp_path, config, without_duplicates(theirs), "dialogue.safetensors")
    if layout == "auto" and "model_type" in kept:
        assert plan_import(path, tokenizer="numbers").layout.name == "blenderbot-small"
        return
    said = refusal(path, layout=layout)
    assert ("blenderbot-small" if "model_type" in kept else "BlenderbotSmallForCond") in said
    assert "the layout bart reads" in said and "give the weights’ own config.json" in said


def test_a_config_of_another_known_family_is_refused(tmp_path: Path) -> None:
    theirs = build("bart")
    folder = stored(tmp_path, "bart", theirs, without_duplicates(theirs))
    content = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(content | {"model_type": "mbart"}))
    assert "model_type = 'mbart', and the layout bart reads bart" in refusal(folder)
    contradiction = content | {"architectures": ["MBartForConditionalGeneration"]}
    (folder / "config.json").write_text(json.dumps(contradiction))
    assert "architectures = \"['MBartFor" in refusal(folder)
    for odd in ({"model_type": ["bart", {}]}, {"model_type": 3}, {"architectures": {"a": 1}}):
        (folder / "config.json").write_text(json.dumps(content | odd))
        if odd != {"model_type": ["bart", {}]}:
            refusal(folder)


def test_a_class_of_ones_own_is_taken_for_the_familys_and_said(tmp_path: Path) -> None:
    theirs = build("bart")
    folder = stored(tmp_path, "bart", theirs, without_duplicates(theirs))
    content = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(content | {"architectures": ["MySummariser"]}))
    plan = plan_import(folder, tokenizer="numbers")
    assert plan.ready and "config.json names MySummariser" in str(plan.assumption)
    for name, said in (
        ("BartForSequenceClassification", "writes no translation; core.from_generate"),
        ("PegasusXForConditionalGeneration", "the layout bart reads"),
        ("BertModel", "the layout bart reads"),
    ):
        (folder / "config.json").write_text(json.dumps(content | {"architectures": [name]}))
        assert said in refusal(folder)


def test_a_config_without_model_type_is_still_hugging_faces(tmp_path: Path) -> None:
    theirs = build("bart")
    folder = stored(tmp_path, "bart", theirs, without_duplicates(theirs))
    content = json.loads((folder / "config.json").read_text())
    del content["model_type"]
    (folder / "config.json").write_text(json.dumps(content))
    assert is_foreign(folder)


def test_half_a_model_and_prompts_are_called_what_they_are(tmp_path: Path) -> None:
    config = transformers.BartConfig(**SIZES)
    for made, said in (
        (transformers.BartForCausalLM(config), "decoder-only model’s, without an encoder"),
        (
            transformers.MvpForConditionalGeneration(
                transformers.MvpConfig(**SIZES, use_prompt=True, prompt_mid_dim=8)
            ),
            "learned prompts before the keys",
        ),
    ):
        made.save_pretrained(tmp_path / type(made).__name__)
        assert said in refusal(tmp_path / type(made).__name__)


@pytest.mark.parametrize("first", [0, 3])
def test_a_list_without_the_special_tokens_is_refused_or_warned_of(tmp_path: Path, first: int) -> None:
    theirs = build("bart")
    folder = stored(tmp_path, "bart", theirs, without_duplicates(theirs))
    words = [f"{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(theirs.config.vocab_size)]
    (tmp_path / "words.txt").write_text("\n".join(words[first:]))
    plan = plan_import(folder, tokenizer=tmp_path / "words.txt")
    text = plan.problems[0] if first else str(plan.assumption)
    assert "special tokens are words in words.txt" in text and ("3 rows more" in text) == bool(first)


def test_a_tutorials_weights_beside_anothers_config_are_refused(tmp_path: Path) -> None:
    torch.save(good(), tmp_path / "tut6.pt")
    told = {"heads": 2, "pad": 0, "bos": 1, "eos": 2}
    assert plan_import(tmp_path / "tut6.pt", answers=told, tokenizer="numbers").ready
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    assert "model_type = 'gpt2', but the keys are those of seq2seq" in refusal(
        tmp_path / "tut6.pt", answers=told
    )
    (tmp_path / "config.json").write_text('{"heads": 2, "epochs": 30}')  # a student's own
    assert plan_import(tmp_path / "tut6.pt", answers=told, tokenizer="numbers").ready


# -- an output table that is not there ---------------------------------------------------------------------------


def base(model: Any) -> dict[str, Tensor]:
    """The state of the base model alone: what BartModel.save_pretrained writes, without head and bias."""
    inner = {key.removeprefix("model."): tensor for key, tensor in state_of(model).items()}
    return {
        key: tensor
        for key, tensor in inner.items()
        if key not in ("lm_head.weight", "final_logits_bias") and "embed_tokens" not in key
    }


@pytest.mark.parametrize("family", ["marian", "bart", "mbart", "t5-v1.1"])
def test_a_missing_output_table_is_never_invented(tmp_path: Path, family: str) -> None:
    theirs = build(family)
    config = theirs.config.to_dict() | {"tie_word_embeddings": False}
    config.pop("scale_decoder_outputs", None)
    path = write(tmp_path, config, base(theirs), "model.safetensors")
    said = refusal(path)
    assert "nothing in the file fills output_proj, the output table" in said and "tie_output=true" in said
    told = plan_import(path, answers={"tie_output": True}, tokenizer="numbers")
    assert told.ready, (told.problems, told.open_questions)
    assert {each.name: each.how for each in told.findings}["tie_output"] == "told"


@pytest.mark.parametrize(
    ("family", "base_class"), [("t5-v1.1", "T5Model"), ("mt5", "MT5Model")], ids=["t5", "mt5"]
)
def test_a_base_model_whose_config_is_rewritten_is_refused_too(
    tmp_path: Path, family: str, base_class: str
) -> None:
    """Recent versions of the library write tie_word_embeddings = true for models with a head of their own."""
    theirs = build(family)
    config = theirs.config.to_dict() | {"architectures": [base_class], "tie_word_embeddings": True}
    config |= {"scale_decoder_outputs": False} if family == "t5-v1.1" else {}
    assert "output_proj, the output table" in refusal(
        write(tmp_path, config, base(theirs), "model.safetensors")
    )


@pytest.mark.parametrize("family", ["marian", "bart", "mbart", "t5-v1.1"])
def test_without_a_config_the_output_table_is_asked_for(tmp_path: Path, family: str) -> None:
    theirs = build(family)
    state = base(theirs)
    path = write(tmp_path, None, state, "weights.safetensors")
    plan = plan_import(path, answers=dict(TOLD), tokenizer="numbers")
    assert [question.name for question in plan.open_questions] == ["tie_output"]
    assert "--set tie_output=true" in refusal(path, answers=dict(TOLD))
    assert plan.answer(tie_output=True).ready
    assert "output_proj" in plan.answer(tie_output=False).problems[0]


@pytest.mark.parametrize("family", ["marian", "bart", "mbart"])
def test_a_tied_table_that_a_whole_model_leaves_out_is_no_invention(tmp_path: Path, family: str) -> None:
    """save_pretrained leaves out what is tied; with its bias there, a head of its own would be there too."""
    path = write(tmp_path, None, without_duplicates(build(family)), "weights.safetensors")
    plan = plan_import(path, answers=dict(TOLD), tokenizer="numbers")
    assert plan.ready, (plan.problems, plan.open_questions)
    assert plan.config is not None and plan.config.tie_output


def test_a_marian_base_model_says_that_its_bias_is_not_there(tmp_path: Path) -> None:
    theirs = build("marian")
    plan = plan_import(
        write(tmp_path, theirs.config.to_dict(), base(theirs), "model.safetensors"), tokenizer="numbers"
    )
    assert plan.ready, (plan.problems, plan.open_questions)
    how = {finding.name: finding.how for finding in plan.findings}
    assert (how["output_bias"], how["tie_output"]) == ("assumed", "config.json")
    assert any("final_logits_bias" in question.text for question in plan.questions)


# -- fairseq -----------------------------------------------------------------------------------------------------


def fairseq(**more: Tensor) -> dict[str, Tensor]:
    """fairseq's names for a post-norm Transformer: no `shared`, no `final_logits_bias`, counters of its own."""
    state = {
        re.sub(r"^model\.", "", key): tensor
        for key, tensor in state_of(build("marian-separate")).items()
        if not re.search("embed_positions|lm_head|final_logits_bias", key)
    }
    return state | more


SIGNS: dict[str, dict[str, Tensor]] = {
    "encoder.version": {
        "encoder.version": torch.tensor([3.0]),
        "decoder.version": torch.tensor([3.0]),
    },
    "decoder.output_projection.weight": {"decoder.output_projection.weight": torch.randn(80, 32)},
    "encoder.embed_positions._float_tensor": {"encoder.embed_positions._float_tensor": torch.zeros(1)},
    "may be fairseq’s": {},
    "encoder.layers.0.self_attn.in_proj_weight": {
        "encoder.layers.0.self_attn.in_proj_weight": torch.randn(96, 32)
    },
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("layout", ["auto", "marian"])
@pytest.mark.parametrize("prefix", ["", "model."])
def test_fairseqs_names_are_recognised_and_refused(
    tmp_path: Path, sign: str, layout: str, prefix: str
) -> None:
    state = {prefix + key: tensor for key, tensor in fairseq(**SIGNS[sign]).items()}
    torch.save({"model": state, "last_optimizer_state": {}}, tmp_path / "checkpoint_best.pt")
    said = refusal(tmp_path / "checkpoint_best.pt", layout=layout, answers=dict(TOLD))
    assert sign in said and "fairseq’s" in said and "--map" in said


def test_fairseqs_pre_norm_models_are_named_too(tmp_path: Path) -> None:
    state = fairseq(**SIGNS["encoder.version"])
    state |= {
        f"{stack}.layer_norm.{part}": torch.ones(32)
        for stack in ("encoder", "decoder")
        for part in ("weight", "bias")
    }
    torch.save(state, tmp_path / "checkpoint_best.pt")
    assert "encoder.version is fairseq’s" in refusal(tmp_path / "checkpoint_best.pt")


def test_early_hugging_face_files_with_fairseqs_counters_load(tmp_path: Path) -> None:
    """facebook/bart-base has encoder.version beside shared.weight, and a config.json."""
    theirs = build("bart")
    state = base(theirs) | SIGNS["encoder.version"]
    path = write(tmp_path, theirs.config.to_dict(), state, "model.safetensors")
    plan = plan_import(path, tokenizer="numbers")
    assert plan.ready, (plan.problems, plan.open_questions)
    assert load_file(path).keys() == {place.key for place in plan.destinations}


# -- end tokens --------------------------------------------------------------------------------------------------


def ended(folder: Path, config: Any, generation: Any) -> ImportPlan:
    theirs = build("bart")
    stored(folder, "bart", theirs, without_duplicates(theirs))
    content = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(content | {"eos_token_id": config}))
    if generation is not None:
        said = {"eos_token_id": generation, "decoder_start_token_id": 2}
        (folder / "generation_config.json").write_text(json.dumps(said))
    plan = plan_import(folder, tokenizer="numbers")
    assert plan.ready, (plan.problems, plan.open_questions)
    return plan


@pytest.mark.parametrize(
    ("config", "generation", "end", "how"),
    [
        (2, None, 2, "config.json"),
        (2, 2, 2, "generation_config.json"),
        (2, 7, 7, "generation_config.json"),
        ([2, 7], None, 2, "assumed"),
        ([2, 2], None, 2, "config.json"),
        (2, [7, 2], 7, "assumed"),
    ],
)
def test_end_tokens_are_generates_and_a_cut_list_is_told(
    tmp_path: Path, config: Any, generation: Any, end: int, how: str
) -> None:
    plan = ended(tmp_path, config, generation)
    assert plan.config is not None
    found = next(finding for finding in plan.findings if finding.name == "eos_id")
    assert (plan.config.eos_id, found.how) == (end, how)
    cut = config if isinstance(config, list) else generation
    warned = [question.text for question in plan.questions if question.name == "eos_id"]
    if how == "assumed":
        assert warned and f"the first of eos_token_id = {cut}" in warned[0]
        assert plan.answer(eos=str(cut[1])).config.eos_id == cut[1]  # type: ignore[union-attr]
    else:
        assert not warned
    # The source ends as the tokenizer ended it, whatever ends the output.
    assert plan.checkpoint.encode_source("5 6")[-1] == 2
