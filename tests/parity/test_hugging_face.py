"""MarianMT, BART, mBART, T5 v1.0 and v1.1: tiny random models of `transformers`, saved, imported, compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from core.errors import CheckpointError
from core.importing.plan import ImportPlan, plan_import
from tests.parity import families
from tests.parity.comparing import SOURCE, TARGET, TOLERANCE, gap, padded_batch
from tests.parity.families import SIZES, T5, VOCABULARY, Family, measured, random_model

transformers = pytest.importorskip("transformers")

_MARIAN = {**SIZES, "eos_token_id": 0, "bos_token_id": 0}
_GATED = {**T5, "feed_forward_proj": "gated-gelu"}
FAMILIES: dict[str, Family] = {
    "marian": Family(
        "MarianMT",
        "Marian",
        "marian",
        {**_MARIAN, **dict.fromkeys(("pad_token_id", "decoder_start_token_id"), 95)}
        | {"activation_function": "swish", "scale_embedding": True},
        "MTModel",
    ),
    "marian-separate": Family(
        "two vocabularies",
        "Marian",
        "marian",
        {**_MARIAN, **dict.fromkeys(("pad_token_id", "decoder_start_token_id"), 79)}
        | {"activation_function": "relu", "decoder_vocab_size": 80}
        | {"share_encoder_decoder_embeddings": False},
        "MTModel",
    ),
    "bart": families.FAMILIES["bart"],
    "mbart": Family(
        "mBART", "MBart", "mbart", {**SIZES, "scale_embedding": True, "decoder_start_token_id": 90}
    ),
    "t5-v1.0": families.FAMILIES["t5"],
    "t5-v1.1": Family("T5 v1.1", "T5", "t5", {**_GATED, "tie_word_embeddings": False}, own_head=True),
    "mt5": Family("mT5", "MT5", "t5", _GATED, own_head=True),
}
"""Token ids as the published models of each have them."""


def build(family: str) -> Any:
    return random_model(FAMILIES[family])


def state_of(model: Any) -> dict[str, torch.Tensor]:
    return {key: tensor.detach().clone().contiguous() for key, tensor in model.state_dict().items()}


def without_duplicates(model: Any) -> dict[str, torch.Tensor]:
    """Each tied table once, as `save_pretrained` stores it; the head of T5 v1.1 is a table of its own."""
    seen: dict[int, str] = {}
    for key, tensor in model.state_dict().items():
        if "embed_positions" in key and "Marian" in type(model).__name__:
            continue
        seen.setdefault(tensor.data_ptr(), key)
    return {key: model.state_dict()[key].detach().clone() for key in seen.values()}


def plan(folder: Path, family: str, **told: Any) -> ImportPlan:
    found = plan_import(folder, answers=told, tokenizer="numbers")
    assert found.layout.name == FAMILIES[family].layout
    assert found.layout_reason.startswith("config.json, which names")
    assert found.ready, (found.problems, found.open_questions)
    return found


def stored(tmp_path: Path, family: str, model: Any, state: dict[str, torch.Tensor]) -> Path:
    model.config.save_pretrained(tmp_path)
    if family == "t5-v1.1":  # as every published T5 v1.1 says it; recent versions of the library rewrite this
        path = tmp_path / "config.json"
        content = json.loads(path.read_text()) | {"tie_word_embeddings": False}
        path.write_text(json.dumps(content))
    save_file(state, tmp_path / "model.safetensors", metadata={"format": "pt"})
    return tmp_path


@pytest.mark.parametrize(
    "family", [name for name, family in FAMILIES.items() if family not in families.FAMILIES.values()]
)
def test_logits_maps_states_and_greedy_output_are_equal(tmp_path: Path, family: str) -> None:
    theirs = build(family)
    ours = plan(stored(tmp_path, family, theirs, without_duplicates(theirs)), family).checkpoint.model
    found = measured(theirs, ours, beams=(1,))
    assert found.largest <= TOLERANCE
    assert found.written


@pytest.mark.sampled(3)
@pytest.mark.parametrize("layout", ["auto", "t5"])
@pytest.mark.parametrize("tied", ["rewritten", "as-published", "left-out", "really"])
def test_mt5_is_never_scaled_by_the_width(tmp_path: Path, layout: str, tied: str) -> None:
    """Its own library never scales the head, whatever the versions write for tie_word_embeddings."""
    theirs = build("mt5")
    if tied == "really":
        theirs.lm_head.weight = theirs.shared.weight
    folder = stored(tmp_path, "mt5", theirs, without_duplicates(theirs))
    _change({"tie_word_embeddings": tied != "as-published"})(folder)
    if tied == "left-out":
        content = json.loads((folder / "config.json").read_text())
        del content["tie_word_embeddings"]
        (folder / "config.json").write_text(json.dumps(content))
    found = plan_import(folder, layout, tokenizer="numbers")
    assert found.ready, (found.problems, found.open_questions)
    source = padded_batch(VOCABULARY, 0, (SOURCE, 30), 7)
    target = padded_batch(VOCABULARY, 0, (TARGET, 12), 0, seed=1)
    rows = target != 0
    with torch.inference_mode():
        wanted = theirs(
            input_ids=source,
            attention_mask=(source != 0).long(),
            decoder_input_ids=target,
            use_cache=False,
        ).logits
    largest = wanted.abs().max().clamp(min=1.0)  # a tied head that is not scaled gives wide logits
    assert gap(found.checkpoint.model(source, target) / largest, wanted / largest, rows) <= TOLERANCE


@pytest.mark.sampled(3)
@pytest.mark.parametrize("family", FAMILIES)
def test_files_that_repeat_tied_tables_load(tmp_path: Path, family: str) -> None:
    theirs = build(family)
    once = tmp_path / "once"
    twice = tmp_path / "twice"
    first = plan(stored(once, family, theirs, without_duplicates(theirs)), family).checkpoint
    second = plan(stored(twice, family, theirs, state_of(theirs)), family).checkpoint
    assert first.digest == second.digest


@pytest.mark.sampled(4)
@pytest.mark.parametrize("family", ["marian", "t5-v1.1"])  # containers are opened before a family is known
@pytest.mark.parametrize("container", ["half", "sharded", "pickle", "legacy-pickle"])
def test_other_containers_load(tmp_path: Path, family: str, container: str) -> None:
    theirs = build(family)
    model = plan(
        stored(tmp_path / "whole", family, theirs, without_duplicates(theirs)), family
    ).checkpoint.model
    folder = stored(tmp_path / "other", family, theirs, without_duplicates(theirs))
    _repack(folder, container)
    other = plan(folder, family)
    assert other.checkpoint.card["weights"] == ("float16" if container == "half" else "float32")
    source = padded_batch(model.config.source_vocab_size, model.config.source_padding, (SOURCE, 20), 7)
    target = padded_batch(
        model.config.target_vocab_size, model.config.pad_id, (TARGET, 12), model.config.bos_id
    )
    if container == "half":
        for parameter in model.parameters():
            parameter.copy_(parameter.half())
    with torch.inference_mode():
        assert torch.equal(model(source, target), other.checkpoint.model(source, target))


def _repack(folder: Path, container: str) -> None:
    path = folder / "model.safetensors"
    state = load_file(path)
    if container == "half":
        save_file({key: tensor.half() for key, tensor in state.items()}, path)
        return
    path.unlink()
    if container == "sharded":
        keys = sorted(state)
        names = {key: f"model-0000{1 + place % 3}-of-00003.safetensors" for place, key in enumerate(keys)}
        for name in set(names.values()):
            save_file({key: state[key] for key in keys if names[key] == name}, folder / name)
        index = {"metadata": {"total_size": 1}, "weight_map": names}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    else:
        zipped = container == "pickle"
        torch.save(state, folder / "pytorch_model.bin", _use_new_zipfile_serialization=zipped)


def _change(settings: dict[str, Any]) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | settings))

    return change


@pytest.mark.parametrize(
    ("stated", "told", "heads"),
    [
        ({"decoder_attention_heads": 2}, {}, (4, 2)),
        ({"decoder_attention_heads": 2}, {"heads": 8}, (8, 2)),  # what each stack's own number is stays so
        ({"decoder_attention_heads": 2}, {"decoder_heads": 16}, (4, 16)),
        ({}, {"heads": 2}, (2, 2)),  # told of both
    ],
)
def test_each_stack_has_the_heads_that_it_is_said_to_have(
    tmp_path: Path, stated: dict[str, Any], told: dict[str, Any], heads: tuple[int, int]
) -> None:
    """Every number would fit the shapes."""
    theirs = build("bart")
    folder = stored(tmp_path, "bart", theirs, without_duplicates(theirs))
    _change(stated)(folder)
    plan = plan_import(folder, answers=told, tokenizer="numbers")
    assert plan.config is not None
    assert (plan.config.of("encoder").heads, plan.config.of("decoder").heads) == heads


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"encoder_layers": 6}, "encoder_layers"),
        ({"activation_function": "swoosh"}, "swoosh"),
        ({"d_model": 64}, "d_model"),
        ({"encoder_attention_heads": 5, "decoder_attention_heads": 5}, "5 heads"),
    ],
)
def test_a_config_of_another_model_is_refused(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    theirs = build("marian")
    folder = stored(tmp_path, "marian", theirs, without_duplicates(theirs))
    _change(settings)(folder)
    with pytest.raises(CheckpointError, match=said):
        plan_import(folder, tokenizer="numbers").require_ready()
