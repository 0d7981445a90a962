"""The engine of the live page computes what core computes on the same float16 weights; more in tests/page_parity.py."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import core
from core.api import trace_ids
from core.checkpoints.bundle import Bundle
from core.decoding.search import translate_batch
from core.decoding.session import DecodeSession
from core.experiments.edits import Edits, HeadsStep
from core.experiments.what_if import all_heads, what_if
from core.model.config import CHOICES, DECODERS, ModelConfig
from core.model.hooks import ATTENTION
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from tests.browser_code import answer
from tests.core.conftest import KINDS, TINY, shaken
from tests.live_page import TOLERANCE, agreement, decoded, gap, ran
from tests.page_parity import different, random_layout
from tests.page_tokenizers import TOKENIZERS, texts
from ui.export.live.pack import pack, rounded_to_halves

DATES = Path(__file__).parents[3] / "checkpoints" / "dates"
ACTIVATIONS = {
    name: {"activation": name, "sinusoid_denominator": "half_minus_one"}
    for name in CHOICES["activation"]
    if name not in ("relu", "gelu")  # which KINDS have
}
NO_BIAS = {
    "no-bias, no-end": {
        **dict.fromkeys(("projection_bias", "attention_output_bias", "ffn_bias"), False),
        "eos_id": None,
    }
}


def random_checkpoint(**options: Any) -> Bundle:
    tokenizer = Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", "<unk>", *"abcdefghij ."], split="chars")
    size = tokenizer.vocab_size
    torch.manual_seed(3)
    config = ModelConfig(**{"source_vocab_size": size, "target_vocab_size": size, **TINY, **options})
    return Bundle(shaken(Transformer(config), 3), tokenizer, tokenizer)


def sources(count: int, size: int, longest: int = 14) -> list[list[int]]:
    rng = random.Random(5)
    return [[rng.randrange(3, size) for _ in range(rng.randint(1, longest))] for _ in range(count)]


@pytest.fixture(scope="module")
def dates() -> Bundle:
    return core.load(DATES, "cpu")


def assert_agrees(checkpoint: Bundle, rows: list[list[int]]) -> None:
    results = agreement(checkpoint, rows)
    assert results.other == []
    assert max(results.gaps.values()) <= TOLERANCE, results.gaps


@pytest.mark.sampled(5)
@pytest.mark.parametrize("options", [*KINDS.values(), *ACTIVATIONS.values(), *NO_BIAS.values()])
def test_every_option_gives_the_same_ids_and_maps(options: dict[str, Any]) -> None:
    checkpoint = random_checkpoint(**options)
    assert_agrees(checkpoint, sources(3, checkpoint.config.source_vocab_size))


def test_the_options_above_are_all_choices() -> None:
    """So that a choice that core gets later cannot be forgotten here."""
    tried = [dataclasses.asdict(ModelConfig(source_vocab_size=9, target_vocab_size=9, **TINY))]
    tried += [*KINDS.values(), *ACTIVATIONS.values()]
    for name, choices in CHOICES.items():
        if name != "dropout_placement" and name not in DECODERS:  # training alone; the same again
            assert {each[name] for each in tried if name in each} | {"none"} == {*choices, "none"}, name


@pytest.mark.sampled(1)
@pytest.mark.parametrize("family", ["t5-v1.1", "marian"])
def test_imported_layouts_agree(family: str) -> None:
    pytest.importorskip("transformers")
    assert_agrees(*random_layout(family, 3))


def test_padding_in_a_source_is_not_attended() -> None:
    checkpoint = random_checkpoint()
    row = [5, 0, 6, 7, 0]
    (ours,) = decoded(checkpoint, [{"source": row}])
    assert not ours.maps["encoder"][..., 1].any()
    assert not ours.maps["cross"][..., 4].any()
    assert ours.ids == translate_batch(rounded_to_halves(checkpoint).model, [row])[0]


def test_a_trained_model_samples_forces_and_ablates_as_core_does(dates: Bundle) -> None:
    text, halves = "3rd of May, 1979", rounded_to_halves(dates)
    source = list(dates.source_tokenizer.encode(text))
    sampled = {"strategy": "sample", "temperature": 3.0, "topK": 4, "seed": 2**40 + 1}
    zero = ["cross-1.2", "causal-0.1", "encoder-1.0"]
    prefix = [dates.target_tokenizer.id_of(sign) for sign in "19-"]
    plain, drawn, forced, ablated = decoded(
        dates,
        [
            {"source": source},
            {"source": source, "options": sampled},
            {"source": source, "options": {"prefix": prefix}},
            {"source": source, "options": {"zero": zero}},
        ],
    )
    assert plain.ids == translate_batch(halves.model, [source])[0]
    assert drawn.ids == _session(halves, text, "sample", temperature=3.0, top_k=4, seed=2**40 + 1)
    assert forced.ids == _session(halves, text, prefix=prefix)
    assert forced.ids[:3] == prefix
    edit = {
        f"{ATTENTION[kind].stack}.{site.split('.')[0]}.{ATTENTION[kind].block}.head_output": _without(
            int(site.split(".")[1])
        )
        for kind, site in (name.split("-") for name in zero)
    }
    assert ablated.ids == _session(halves, text, edit=edit)
    trace = trace_ids(halves, source, ablated.ids, record=("*.weights",), edit=edit)
    for kind, map_ in ablated.maps.items():
        wanted = trace.stacked(ATTENTION[kind].stack, ATTENTION[kind].block, "weights")
        assert gap(map_, wanted) <= TOLERANCE
        assert kind == "encoder" or gap(map_[:, :, :5], plain.maps[kind][:, :, :5]) > 1e-3


def _session(checkpoint: Bundle, text: str, *given: Any, **options: Any) -> list[int]:
    session = DecodeSession(checkpoint, text, *given, **options)
    session.run()
    return session.ids


def _without(head: int) -> Any:
    def edit(output: torch.Tensor) -> torch.Tensor:
        changed = output.clone()
        changed[:, head] = 0
        return changed

    return edit


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_a_tokenizer_reads_texts_alike_or_the_page_warns(kind: str) -> None:
    other, _ = different(TOKENIZERS[kind](), texts(60, seed=9))
    assert other == []


def test_every_option_of_the_configuration_is_known_and_others_are_refused() -> None:
    fields = [field.name for field in dataclasses.fields(ModelConfig)]
    sound = ModelConfig(source_vocab_size=9, target_vocab_size=9).to_json()
    code = f"""
    import {{ OPTIONS, refusal }} from './engine/config.ts';
    const sound = JSON.parse('{json.dumps(sound)}');
    const lines = [[...OPTIONS].sort().join(' '), refusal(sound), refusal({{ ...sound, rotary: true }}),
      refusal({{ ...sound, relative_bias_per_layer: true }}), refusal({{ ...sound, causal: false }}),
      refusal({{ ...sound, activation: 'swoosh' }}), refusal({{ ...sound, heads: '8' }})];
    console.log(lines.join('\\n'));
    """
    assert answer(code).splitlines() == [
        " ".join(sorted(fields)),
        "",
        "This page cannot run the model: it does not know the option rotary.",
        "This page cannot run the model: it cannot do relative_bias_per_layer.",
        "This page cannot run the model: its decoder has no causal mask, so that a step would have to read all tokens again.",
        'This page cannot run the model: its activation is "swoosh"; it knows '
        f"{', '.join(CHOICES['activation'])}.",
        'This page cannot run the model: its heads is "8".',
    ]


_ABLATES = """
import { readFileSync } from 'node:fs';
import { Engine, ablate } from './engine/engine.ts';
const folder = process.argv[2];
const { source, ids, heads } = JSON.parse(readFileSync(`${folder}/tasks.json`, 'utf8'));
const engine = new Engine(new Uint8Array(readFileSync(`${folder}/model.bin`)));
const answers = [];
for (const chosen of heads) answers.push(await ablate(engine, source, ids, chosen));
process.stdout.write(JSON.stringify(answers));
"""


def test_ablated_heads_change_the_text_and_its_probabilities_as_in_core(
    dates: Bundle, tmp_path: Path
) -> None:
    """Each head of every kind alone, several at once, and all of cross-attention, as the What if page ablates them."""
    halves = rounded_to_halves(dates)
    source = list(dates.source_tokenizer.encode("3rd of May, 1979"))
    ids = translate_batch(halves.model, [source])[0]
    every = all_heads(dates.config)
    chosen = [*([head] for head in every), every[3::7], [head for head in every if head[0] == "cross"]]
    (tmp_path / "model.bin").write_bytes(pack(dates))
    (tmp_path / "tasks.json").write_text(json.dumps({"source": source, "ids": ids, "heads": chosen}))
    for heads, ours in zip(chosen, ran(_ABLATES, tmp_path), strict=True):
        edits = Edits(tuple(HeadsStep(kind, layer, (head,)) for kind, layer, head in heads))
        theirs = what_if(halves, source, ids, edits)
        assert ours["ids"] == list(theirs.rewritten)
        assert np.abs(np.array(ours["probabilities"]) - np.exp(theirs.next_word())).max() <= TOLERANCE
