"""`core.wrap`: a model in memory is the same checkpoint as its file, agrees with its original, or is refused."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import core
from core.errors import AtlasError, InputError
from core.importing.agreement import TOLERANCE, Agreement
from core.importing.assign import Assignment
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from tests.parity.test_hugging_face import FAMILIES, build, without_duplicates
from tests.parity.test_marian_folder import folder_of

transformers = pytest.importorskip("transformers")
SOURCES, TARGETS, WIDTH, HEADS, INNER = 60, 50, 32, 4, 48
TELLING = {"pad": 1, "bos": 2, "eos": 3}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_in_memory_is_what_its_folder_is(tmp_path: Path, family: str) -> None:
    from tests.parity.test_hugging_face import plan, stored

    model = build(family)
    wrapped = core.wrap(model, "numbers")
    assert wrapped.agreement is not None
    assert 0.0 < wrapped.agreement.largest <= TOLERANCE
    assert wrapped.agreement.tokens >= 2 * 24
    there = plan(stored(tmp_path, family, model, without_duplicates(model)), family).checkpoint
    assert wrapped.digest == there.digest


def test_the_original_is_left_as_it_was_and_its_storage_is_shared() -> None:
    model = build("marian")
    model.set_attn_implementation("sdpa")
    model.train()
    model.model.encoder.eval()
    before = {key: tensor.clone() for key, tensor in model.state_dict().items()}
    trained = [name for name, parameter in model.named_parameters() if parameter.requires_grad]
    wrapped = core.wrap(model, "numbers")
    assert model.config._attn_implementation == "sdpa"
    assert model.training and model.model.decoder.training and not model.model.encoder.training
    assert all(torch.equal(tensor, before[key]) for key, tensor in model.state_dict().items())
    assert trained == [name for name, parameter in model.named_parameters() if parameter.requires_grad]
    shared = {parameter.data_ptr() for parameter in model.parameters()}
    copied = [name for name, each in wrapped.model.named_parameters() if each.data_ptr() not in shared]
    assert copied == ["output_bias"]  # which the original keeps as (1, V), a buffer
    assert not any(parameter.requires_grad for parameter in wrapped.model.parameters())


def test_a_model_in_half_precision_is_compared_in_single() -> None:
    model = build("bart").to(torch.bfloat16)
    wrapped = core.wrap(model, "numbers")
    assert wrapped.agreement is not None and wrapped.agreement.agrees
    assert next(model.parameters()).dtype == torch.bfloat16
    assert wrapped.model.decoder_layers[0].feed_forward.up_proj.weight.dtype == torch.float32


PLANTED = [
    "source_embedding.table",
    "encoder_layers.0.self_attention.q_proj.weight",
    "encoder_layers.1.feed_forward.down_proj.bias",
    "decoder_layers.0.self_residual.norm.weight",
    "decoder_layers.2.cross_attention.output_proj.weight",
    "decoder_layers.1.cross_attention.k_proj.weight",
    "output_bias",
]


@pytest.mark.parametrize("name", PLANTED)
def test_a_fault_of_a_thousandth_in_one_copied_weight_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    plain = Assignment.model

    def faulty(self: Assignment) -> Transformer:
        model = plain(self)
        parameter = dict(model.named_parameters())[name]
        parameter.data = parameter.detach() + 1e-3 * torch.linspace(-1, 1, parameter.numel()).view(
            parameter.shape
        )
        return model

    monkeypatch.setattr(Assignment, "model", faulty)
    with pytest.raises(InputError, match=r"differ from the original's by .* where 1e-05 is allowed"):
        core.wrap(build("marian"), "numbers")


def test_the_agreement_is_shown_and_cannot_be_changed() -> None:
    wrapped = core.wrap(build("marian"), "numbers")
    assert wrapped.agreement is not None
    said = str(wrapped.agreement)
    assert f"logits {wrapped.agreement.logits:.1e}" in said and "3 sentences, 66 target tokens" in said
    assert said in repr(wrapped)
    shown = core.show(wrapped)
    assert f"<td>{wrapped.agreement.cross:.1e}</td>" in shown.page and shown.cell == wrapped._repr_html_()
    with pytest.raises(dataclasses.FrozenInstanceError):
        wrapped.agreement.logits = 0.0  # type: ignore[misc]
    assert not dataclasses.replace(wrapped.agreement, cross=math.nan).agrees
    assert wrapped.card["agreement"] == said


def test_hugging_faces_tokenizer_comes_with_its_model(tmp_path: Path) -> None:
    folder_of(tmp_path)
    model = transformers.MarianMTModel.from_pretrained(tmp_path).eval()
    tokenizer = transformers.MarianTokenizer.from_pretrained(tmp_path)
    wrapped = core.wrap(model, tokenizer)
    assert wrapped.agreement is not None and wrapped.agreement.same_ids
    text = "A man rides a bike."
    trace = core.trace(wrapped, text, max_steps=12)
    inputs = tokenizer(text, return_tensors="pt")
    assert list(trace.source_ids) == inputs.input_ids[0].tolist()
    with torch.inference_mode():
        model.set_attn_implementation("eager")
        outputs = model.generate(
            **inputs,
            max_new_tokens=12,
            do_sample=False,
            num_beams=1,
            forced_eos_token_id=None,
            bad_words_ids=[[wrapped.config.pad_id]],
            output_attentions=True,
            return_dict_in_generate=True,
        )
    given = core.from_generate(outputs, tokenizer, inputs.input_ids)
    assert given.tokens == trace.tokens  # the same labels, whichever way the maps came
    for stack, block in (("encoder", "self"), ("decoder", "self"), ("decoder", "cross")):
        assert (given.weights(stack, block) - trace.weights(stack, block)).abs().max() <= TOLERANCE
    wrapped_file = tmp_path / "wrapped"
    core.save(
        wrapped_file,
        wrapped.model,
        wrapped.source_tokenizer,
        wrapped.target_tokenizer,
        wrapped.card,
        "float32",
    )
    assert core.load(wrapped_file, "cpu").translate(text) == wrapped.translate(text)


@pytest.mark.thorough
def test_import_checkpoint_is_the_command(tmp_path: Path) -> None:
    folder_of(tmp_path)
    wrapped = core.wrap(
        transformers.MarianMTModel.from_pretrained(tmp_path),
        transformers.MarianTokenizer.from_pretrained(tmp_path),
    )
    here = core.import_checkpoint(tmp_path)
    written = core.import_checkpoint(tmp_path, out=tmp_path / "out", sentences=["A man rides a bike."])
    assert here.digest == wrapped.digest
    assert written.translate("A man.") == here.translate("A man.")
    assert (tmp_path / "out" / "import-report.json").is_file()
    (tmp_path / "config.json").write_text(
        json.dumps({"model_type": "marian", "pad_token_id": here.config.pad_id, "eos_token_id": 0})
    )
    with pytest.raises(
        AtlasError, match=r"How many attention heads does each layer have\? Answer with heads=…"
    ):
        core.import_checkpoint(tmp_path)
    bare = core.import_checkpoint(tmp_path, heads=4, max_length=64).config
    assert (bare.activation, bare.embedding_scale) == (
        "gelu",
        False,
    )  # what the library takes for what is left out
    answers = {"heads": 4, "max_length": 64, "activation": "silu", "embedding_scale": True}
    assert core.import_checkpoint(tmp_path, **answers).config == here.config


# -- modules around torch's Transformer ----------------------------------------------------------------------


def sinusoids(length: int, halves: bool = False) -> Tensor:
    rates = torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10_000) / WIDTH))
    angles = torch.arange(length)[:, None] * rates
    parts = (angles.sin(), angles.cos())
    return torch.cat(parts, 1) if halves else torch.stack(parts, -1).flatten(1)


class WithMasks(nn.Module):
    """As PyTorch's tutorial calls it: sequence first, all masks as arguments."""

    def __init__(self, pre: bool = False, activation: Any = "relu") -> None:
        super().__init__()
        self.transformer = nn.Transformer(WIDTH, HEADS, 2, 3, INNER, 0.1, activation, norm_first=pre)
        self.generator = nn.Linear(WIDTH, TARGETS)
        self.src_embed = nn.Embedding(SOURCES, WIDTH)
        self.tgt_embed = nn.Embedding(TARGETS, WIDTH)
        self.register_buffer("pe", sinusoids(80)[:, None])

    def forward(
        self, src, trg, src_mask, tgt_mask, src_padding_mask, tgt_padding_mask, memory_key_padding_mask
    ) -> Any:  # type: ignore[no-untyped-def]
        x = self.src_embed(src) * math.sqrt(WIDTH) + self.pe[: len(src)]
        y = self.tgt_embed(trg) * math.sqrt(WIDTH) + self.pe[: len(trg)]
        padding = (src_padding_mask, tgt_padding_mask, memory_key_padding_mask)
        return self.generator(self.transformer(x, y, src_mask, tgt_mask, None, *padding))


class OwnNames(nn.Module):
    """Batch first, learned positions, no scale, its own mask inside; the target's table comes first and is the output's."""

    def __init__(self, activation: Any = nn.functional.gelu) -> None:
        super().__init__()
        self.french_words = nn.Embedding(TARGETS, WIDTH)
        self.source_words = nn.Embedding(SOURCES, WIDTH)
        self.position = nn.Embedding(70, WIDTH)
        self.body = nn.Transformer(WIDTH, HEADS, 1, 2, INNER, 0.0, activation, batch_first=True)
        self.out = nn.Linear(WIDTH, TARGETS, bias=False)
        self.out.weight = self.french_words.weight

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        at = self.position.weight
        mask = nn.Transformer.generate_square_subsequent_mask(b.shape[1])
        x, y = self.source_words(a) + at[: a.shape[1]], self.french_words(b) + at[: b.shape[1]]
        return self.out(self.body(x, y, tgt_mask=mask))


class Uneven(OwnNames):
    """Its decoder has other heads, another width, its norms first and none at the end; torch makes its activation relu."""

    def __init__(self) -> None:
        super().__init__(nn.GELU())
        layer = nn.TransformerDecoderLayer(
            WIDTH, HEADS // 2, INNER + 8, 0.0, nn.GELU(), norm_first=True, batch_first=True
        )
        self.body.decoder = nn.TransformerDecoder(layer, 2)


class MadeUp(nn.Module):
    """Two stacks without nn.Transformer, one table for both sides, sinusoids made in the forward pass, sines first."""

    def __init__(self, causal: bool = True) -> None:
        super().__init__()
        self.causal = causal
        self.words = nn.Embedding(TARGETS, WIDTH)
        layers = {"dim_feedforward": INNER, "dropout": 0.0, "batch_first": True, "norm_first": True}
        self.enc = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(WIDTH, HEADS, **layers), 2, nn.LayerNorm(WIDTH)
        )
        self.dec = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(WIDTH, HEADS, **layers), 2, nn.LayerNorm(WIDTH)
        )
        self.head = nn.Linear(WIDTH, TARGETS)

    def forward(self, src: Tensor, tgt: Tensor, pad_mask: Tensor | None = None) -> Tensor:
        x = self.words(src) * WIDTH**0.5 + sinusoids(src.shape[1], True)
        y = self.words(tgt) * WIDTH**0.5 + sinusoids(tgt.shape[1], True)
        mask = torch.ones(tgt.shape[1], tgt.shape[1]).triu(1).bool() if self.causal else None
        memory = self.enc(x, src_key_padding_mask=pad_mask)
        return self.head(self.dec(y, memory, tgt_mask=mask, memory_key_padding_mask=pad_mask))


def shaken(model: nn.Module) -> nn.Module:
    torch.manual_seed(3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    return model


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            WithMasks,
            {"norm_placement": "post", "positions": "sinusoidal", "embedding_scale": True, "max_length": 80},
        ),
        (
            lambda: WithMasks(True, "gelu"),
            {"norm_placement": "pre", "activation": "gelu", "final_norm": True},
        ),
        (
            OwnNames,
            {
                "positions": "learned",
                "embedding_scale": False,
                "tie_output": True,
                "activation": "gelu",
                "dropout": 0.0,
            },
        ),
        (MadeUp, {"positions": "sinusoidal_halves", "tie_embeddings": True, "norm_placement": "pre"}),
        (
            Uneven,
            {
                **{"norm_placement": "post", "final_norm": True, "activation": "gelu"},
                **{
                    "decoder_norm_placement": "pre",
                    "decoder_final_norm": False,
                    "decoder_activation": "relu",
                },
                **{"decoder_heads": HEADS // 2, "decoder_d_ff": INNER + 8},
            },
        ),
    ],
    ids=["tutorial", "tutorial-pre", "own-names", "made-up", "uneven"],
)
def test_a_module_around_torchs_transformer_agrees(make: Any, expected: dict[str, Any]) -> None:
    torch.manual_seed(1)
    model = shaken(make())
    wrapped = core.wrap(model, "numbers", **TELLING)
    assert wrapped.agreement is not None and wrapped.agreement.agrees
    assert {name: getattr(wrapped.config, name) for name in expected} == expected
    assert wrapped.config.heads == HEADS
    assert model.training
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in model.modules())
    trace = core.trace(wrapped, "4 5 6", max_steps=6)
    assert trace.weights("decoder", "cross").shape[-1] == len(trace.source_ids)


def test_padding_is_compared_where_the_module_takes_it() -> None:
    torch.manual_seed(1)
    padded, plain = (
        core.wrap(shaken(make()), "numbers", **TELLING).agreement for make in (WithMasks, OwnNames)
    )
    assert isinstance(padded, Agreement) and isinstance(plain, Agreement)
    assert (padded.tokens, plain.tokens) == (66, 78)


def test_own_tokenizers_and_lists_of_tokens_spell_a_wrapped_module() -> None:
    torch.manual_seed(1)
    names = ["<unk>", "<pad>", "<s>", "</s>"]
    sides = [
        [*names, *(f"{mark}{n}" for n in range(size - 4))] for mark, size in (("s", SOURCES), ("t", TARGETS))
    ]
    tokenizers = tuple(Tokenizer.from_vocabulary(tokens, split="whitespace") for tokens in sides)
    model = shaken(WithMasks())
    one = core.wrap(model, tokenizers)
    assert one.config.pad_id == 1 and one.config.bos_id == 2 and one.config.eos_id == 3
    other = core.wrap(model, tuple(sides))
    assert one.translate("s3 s4 s5") == other.translate("s3 s4 s5")
    assert one.encode_source("s3 s4") == [2, 7, 8, 3]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: nn.Transformer(WIDTH, HEADS, 1, 1, INNER), "bare Transformer reads vectors"),
        (
            lambda: nn.Linear(3, 3),
            "Linear is none of Hugging Face's .* fit no known encoder-decoder layout: none of them",
        ),
        (lambda: MadeUp(causal=False), "differ from the original's by"),
        (lambda: object(), "A object is not a model in memory"),
    ],
)
def test_what_cannot_be_wrapped_is_refused_in_a_sentence(make: Any, said: str) -> None:
    torch.manual_seed(1)
    with pytest.raises(InputError, match=said):
        core.wrap(make(), "numbers", **TELLING)


def test_a_base_model_and_a_decoder_alone_are_refused() -> None:
    with pytest.raises(AtlasError, match="no output layer"):
        core.wrap(build("bart").model, "numbers")
    gpt = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_layer=1, n_embd=8, n_head=2, vocab_size=30))
    with pytest.raises(AtlasError, match="decoder-only"):
        core.wrap(gpt, "numbers")
    with pytest.raises(InputError, match="A int is not a tokenizer"):
        core.wrap(build("bart"), 5)
