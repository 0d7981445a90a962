"""Tiny random models of `transformers` by family, and how far an import of what it saved is from each.

`python -m tests.parity` writes the table of docs/importing.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from core.decoding.search import translate_batch
from core.importing.plan import plan_import
from core.model.transformer import Transformer
from tests.parity.comparing import Batch, Measured, differences

VOCABULARY, STEPS, BEAMS = 96, 26, (1, 4)
SIZES = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 64,
    "init_std": 0.3,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}
UNEVEN = {"decoder_attention_heads": 8, "decoder_ffn_dim": 40}
T5 = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "d_kv": 12,
    "d_ff": 48,
    "num_layers": 2,
    "num_decoder_layers": 3,
    "num_heads": 4,
    "decoder_start_token_id": 0,
    "relative_attention_num_buckets": 12,
    "relative_attention_max_distance": 24,
}


@dataclass(frozen=True)
class Family:
    """How a family's model is made, and which of our layouts reads it."""

    title: str
    prefix: str  # of the library's classes
    layout: str
    settings: dict[str, Any]
    model: str = "ForConditionalGeneration"
    # Of the random model: one whose beams do not end at once.
    seed: int = 7
    own_head: bool = False  # drawn by itself, not tied to the table of tokens


FAMILIES: dict[str, Family] = {
    "marian": Family(
        "MarianMT",
        "Marian",
        "marian",
        {**SIZES, "activation_function": "swish", "scale_embedding": True},
        "MTModel",
    ),
    "marian-uneven": Family(
        "MarianMT, decoder of 8 heads",
        "Marian",
        "marian",
        {**SIZES, **UNEVEN, "activation_function": "swish", "scale_embedding": True},
        "MTModel",
        seed=8,
    ),
    "bart": Family("BART", "Bart", "bart", SIZES),
    "mbart": Family("mBART", "MBart", "mbart", {**SIZES, "scale_embedding": True}, seed=8),
    "plbart": Family(
        "PLBart, decoder of 8 heads",
        "PLBart",
        "plbart",
        {**SIZES, **UNEVEN, "scale_embedding": True, "decoder_start_token_id": 90},
    ),
    "mvp": Family("MVP", "Mvp", "mvp", SIZES),
    "pegasus": Family(
        "Pegasus, decoder of 8 heads",
        "Pegasus",
        "pegasus",
        {**SIZES, **UNEVEN, "scale_embedding": True, "decoder_start_token_id": 1},
    ),
    "blenderbot": Family(
        "Blenderbot",
        "Blenderbot",
        "blenderbot",
        {**SIZES, "scale_embedding": True, "decoder_start_token_id": 0},
    ),
    "blenderbot-small": Family(
        "BlenderbotSmall", "BlenderbotSmall", "blenderbot-small", {**SIZES, "decoder_start_token_id": 0}
    ),
    "m2m-100": Family("M2M100", "M2M100", "m2m-100", {**SIZES, "scale_embedding": True}, seed=8),
    "nllb": Family(
        "NLLB, decoder of 8 heads",
        "M2M100",
        "m2m-100",
        {**SIZES, **UNEVEN, "scale_embedding": True, "activation_function": "gelu"},
        seed=8,
    ),
    "fsmt": Family(
        "FSMT, decoder of 8 heads",
        "FSMT",
        "fsmt",
        {
            **{n: v for n, v in (SIZES | UNEVEN).items() if n != "vocab_size"},
            "src_vocab_size": 90,
            "tgt_vocab_size": VOCABULARY,
            "decoder_layers": 2,
        },
    ),
    "t5": Family("T5 v1.0", "T5", "t5", T5),
    "flan-t5": Family("T5 v1.1, Flan-T5", "T5", "t5", {**T5, "feed_forward_proj": "gated-gelu"}),
    "byt5": Family("ByT5", "T5", "t5", {**T5, "feed_forward_proj": "gated-gelu", "num_decoder_layers": 1}),
    "umt5": Family("UMT5", "UMT5", "umt5", {**T5, "feed_forward_proj": "gated-gelu"}),
}


def build(name: str, seed: int | None = None) -> Any:
    """A random model of a family by its name."""
    return random_model(FAMILIES[name], seed)


def random_model(family: Family, seed: int | None = None) -> Any:
    """A random model whose every parameter differs from its initial constant, and which `generate` runs plainly."""
    import transformers

    torch.manual_seed(family.seed if seed is None else seed)
    config = getattr(transformers, f"{family.prefix}Config")(**family.settings)
    config._attn_implementation = "eager"
    model = getattr(transformers, family.prefix + family.model)(config).eval()
    with torch.no_grad():
        if family.own_head:
            model.lm_head.weight = torch.nn.Parameter(torch.randn(VOCABULARY, 32) * 0.2)
        for key, parameter in model.named_parameters():
            if parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter) * 0.2)
            if "relative_attention_bias" in key:
                parameter.normal_()
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.normal_()
    ids = {role: getattr(config, f"{role}_token_id", None) for role in ("pad", "eos", "decoder_start")}
    model.generation_config = transformers.GenerationConfig(
        **{f"{role}_token_id": n for role, n in ids.items()}
    )
    return model


def imported(name: str, folder: Path, model: Any) -> Transformer:
    """The model as read from the folder to which its own library saved it."""
    model.save_pretrained(folder)
    plan = plan_import(folder, answers={"target_language": None}, tokenizer="numbers")
    if any(question.name in ("forced_bos_id", "target_language") for question in plan.open_questions):
        plan = plan.answer(forced_bos_id="none")
    assert plan.layout.name == FAMILIES[name].layout
    plan.require_ready()
    return plan.checkpoint.model


def measured(theirs: Any, ours: Transformer, beams: Sequence[int] = BEAMS) -> Measured:
    """Both on one padded batch of 27 target tokens, and decoded on each source by beams of these sizes."""
    batch = Batch.of(ours.config)
    with torch.inference_mode():
        wanted = theirs(
            input_ids=batch.source,
            attention_mask=batch.source_rows.long(),
            decoder_input_ids=batch.target,
            decoder_attention_mask=batch.target_rows.long(),
            output_attentions=True,
            use_cache=False,
        )
    rows, config = batch.sources, ours.config
    never = {config.pad_id, config.bos_id} - {config.eos_id}  # written by this project
    return differences(
        ours,
        batch,
        wanted.logits,
        {
            "encoder": wanted.encoder_attentions,
            "causal": wanted.decoder_attentions,
            "cross": wanted.cross_attentions,
        },
        wanted.encoder_last_hidden_state,
        all(
            translate_batch(ours, rows, size, STEPS)
            == [generated(theirs, row, never, num_beams=size) for row in rows]
            for size in beams
        ),
    )


def generated(theirs: Any, row: list[int], suppressed: Collection[int], **options: Any) -> list[int]:
    """What `generate` writes for one source, without the decoder's start, and never one of `suppressed`."""
    settings = {"num_beams": 1, "do_sample": False, "max_new_tokens": STEPS, **options}
    with torch.inference_mode():
        found = theirs.generate(
            torch.tensor([row]),
            suppress_tokens=sorted(suppressed),
            # This version lays its cache out for as many decoder layers as encoder layers. FSMT's `generate` writes
            # something else without a cache than its forward pass says.
            use_cache=theirs.config.model_type == "fsmt",
            **settings,
        )
    ids: list[int] = found[0, 1:].tolist()
    return ids


def table() -> Iterator[str]:
    """The lines of the table in docs/importing.md."""
    yield "| family | layout | compared with | logits | maps | encoder states | greedy and beam 4 |"
    yield "|---|---|---|---|---|---|---|"
    for name, family in FAMILIES.items():
        with TemporaryDirectory() as folder:
            model = build(name)
            found = measured(model, imported(name, Path(folder), model))
        yield row(f"{family.title} | `{family.layout}` | `transformers`", found)


def row(first: str, found: Measured) -> str:
    """One line of the table, after its `first` cells."""
    return f"| {first} | {figures(found)} |"


def figures(found: Measured) -> str:
    """The cells of what was measured."""
    gaps = " | ".join(f"{gap:.0e}" for gap in (found.logits, found.maps, found.states))
    return f"{gaps} | {'the same' if found.written else 'NOT THE SAME'}"
