"""`core.from_generate`: every kind of `generate` output is the trace that a teacher-forced pass gives."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import core
from core.errors import InputError
from core.model.trace import Trace
from tests.parity.families import SIZES
from tests.parity.test_hugging_face import VOCABULARY, build

transformers = pytest.importorskip("transformers")
TOLERANCE = 1e-5
ASKED = {"output_attentions": True, "return_dict_in_generate": True}


class Numbers:
    """The least that a tokenizer of the library tells: special ids, and ids as numbers."""

    def __init__(self, config: Any) -> None:
        self.pad_token_id, self.eos_token_id = config.pad_token_id, config.eos_token_id
        self.all_special_ids = [self.pad_token_id, self.eos_token_id]

    def __len__(self) -> int:
        return VOCABULARY

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [f"▁w{n}" for n in ids]


def of_equal_depth(family: str) -> Any:
    """A random model of two layers a side."""
    model = build(family)
    stack = model.decoder if hasattr(model, "decoder") else model.model.decoder
    layers = stack.block if hasattr(stack, "block") else stack.layers
    del layers[2:]
    model.config.num_decoder_layers = model.config.decoder_layers = 2
    return model


def left_padded(config: Any, lengths: tuple[int, ...] = (7, 11)) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2)
    rows = torch.randint(3, 70, (len(lengths), max(lengths)), generator=generator)
    for row, length in zip(rows, lengths, strict=True):
        row[: len(row) - length] = config.pad_token_id
    return rows


def assert_as_forced(
    trace: Trace, model: Any, source: torch.Tensor, mask: torch.Tensor | None = None
) -> None:
    """The three kinds of maps are those of one pass over the same ids."""
    read = torch.tensor([trace.target_ids])
    with torch.inference_mode():
        wanted = model(
            input_ids=source,
            attention_mask=mask,
            decoder_input_ids=read,
            output_attentions=True,
            use_cache=False,
        )
    assert [*trace.target_ids[1:], trace.written_ids[-1]] == list(trace.written_ids)
    kept = slice(None) if mask is None else mask[0].bool()
    for stack, block, theirs in (
        ("encoder", "self", wanted.encoder_attentions),
        ("decoder", "self", wanted.decoder_attentions),
        ("decoder", "cross", wanted.cross_attentions),
    ):
        ours = trace.weights(stack, block)
        layers = torch.stack(theirs)[:, 0]
        if (stack, block) == ("encoder", "self"):
            layers = layers[:, :, kept]
        layers = layers if block == "self" and stack == "decoder" else layers[..., kept]
        assert ours.shape == layers.shape
        assert (ours - layers).abs().max() <= TOLERANCE


@pytest.mark.sampled(4)
@pytest.mark.parametrize("family", ["marian", "t5-v1.1", "bart"])
@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("cache", [True, False])
def test_steps_beams_items_and_left_padding_are_one_forced_pass(family: str, beams: int, cache: bool) -> None:
    model = of_equal_depth(family)  # the library's cache has as many layers as the encoder
    config = model.config
    source = left_padded(config)
    mask = (source != config.pad_token_id).long()
    options = {"num_beams": beams, "num_return_sequences": min(beams, 2), "max_new_tokens": 9}
    with torch.inference_mode():
        outputs = model.generate(
            source,
            attention_mask=mask,
            do_sample=False,
            use_cache=cache,
            output_scores=True,
            **options,
            **ASKED,
        )
    told = {n: core.from_generate(outputs, Numbers(config), source, n) for n in range(len(outputs.sequences))}
    assert len(told) == 2 * min(beams, 2)
    for n, trace in told.items():
        row = n // min(beams, 2)
        assert trace.as_given
        assert trace.source_ids == tuple(source[row][mask[row].bool()].tolist())
        assert list(trace.target_ids) == outputs.sequences[n, : len(trace.target_ids)].tolist()
        assert_as_forced(trace, model, source[row : row + 1], mask[row : row + 1])
        logits = trace.get("decoder.final.logits")
        assert logits.shape == (len(trace.target_ids), VOCABULARY)
        if beams == 1:
            assert tuple(logits.argmax(-1).tolist()) == trace.written_ids
    if beams > 1:  # so that a row of the batch taken for a beam would have been seen
        changes = [len(set(row.tolist())) > 1 for row in outputs.beam_indices]
        assert any(changes) or family == "t5-v1.1"


def test_several_prompt_tokens_are_rows_of_their_own() -> None:
    model = of_equal_depth("bart")
    source = left_padded(model.config, (8,))
    prompt = torch.tensor([[2, 17, 18, 19]])
    with torch.inference_mode():
        outputs = model.generate(
            source, decoder_input_ids=prompt, max_new_tokens=5, do_sample=False, num_beams=3, **ASKED
        )
    trace = core.from_generate(outputs, Numbers(model.config), source)
    assert trace.target_ids[:4] == (2, 17, 18, 19)
    assert_as_forced(trace, model, source)


def test_sampled_sequences_of_one_source_are_items() -> None:
    model = of_equal_depth("marian")
    source = left_padded(model.config)
    mask = (source != model.config.pad_token_id).long()
    torch.manual_seed(1)
    with torch.inference_mode():
        outputs = model.generate(
            source, attention_mask=mask, do_sample=True, num_return_sequences=3, max_new_tokens=6, **ASKED
        )
    assert len({tuple(row) for row in outputs.sequences.tolist()}) > 2
    for n in range(6):
        trace = core.from_generate(outputs, Numbers(model.config), source, n)
        assert_as_forced(trace, model, source[n // 3 : n // 3 + 1], mask[n // 3 : n // 3 + 1])


def test_a_forward_pass_is_given_with_what_its_decoder_read() -> None:
    model = build("marian")
    source, read = left_padded(model.config, (9,)), torch.tensor([[95, 4, 5, 6]])
    with torch.inference_mode():
        outputs = model(input_ids=source, decoder_input_ids=read, output_attentions=True, use_cache=False)
    trace = core.from_generate(outputs, Numbers(model.config), source[0].tolist(), target_ids=read)
    assert trace.target_ids == (95, 4, 5, 6)
    assert trace.written_ids == (4, 5, 6, int(outputs.logits[0, -1].argmax()))
    assert_as_forced(trace, model, source)
    assert torch.equal(trace.get("decoder.final.logits"), outputs.logits[0])
    without = type(outputs)(**{name: value for name, value in outputs.items() if name != "logits"})
    shorter = core.from_generate(without, Numbers(model.config), source, target_ids=read)
    assert shorter.target_ids == (95, 4, 5)  # what the last one writes is not known
    assert shorter.weights("decoder", "cross").equal(trace.weights("decoder", "cross")[:, :, :3])
    with pytest.raises(InputError, match=r"give target_ids of shape \(1, 4\)"):
        core.from_generate(outputs, Numbers(model.config), source)
    classified = type(outputs)(**{**outputs, "logits": torch.zeros(1, 3)})  # of classes, not of tokens
    assert core.from_generate(classified, Numbers(model.config), source, target_ids=read).target_ids == (
        95,
        4,
        5,
    )


def test_a_dict_of_tokens_and_ids_spells_them_either_way_round() -> None:
    model = build("marian")
    source, read = left_padded(model.config, (9,)), torch.tensor([[95, 4, 5, 6]])
    with torch.inference_mode():
        outputs = model(input_ids=source, decoder_input_ids=read, output_attentions=True, use_cache=False)
    ids = {f"t{number}": number for number in range(96)}
    for tokens in (ids, {number: token for token, number in ids.items()}):
        assert core.from_generate(outputs, tokens, source, target_ids=read).tokens.target[1:3] == ("t4", "t5")
    with pytest.raises(InputError, match="a dict without ids and tokens"):
        core.from_generate(outputs, {"a": "b"}, source, target_ids=read)


def test_fewer_layers_than_the_model_has_are_a_trace_of_those() -> None:
    model = build("marian")
    source = left_padded(model.config, (9,))
    with torch.inference_mode():
        outputs = model.generate(source, max_new_tokens=5, use_cache=False, **ASKED)
    outputs.cross_attentions = tuple(step[:2] for step in outputs.cross_attentions)
    outputs.decoder_attentions = tuple(step[:2] for step in outputs.decoder_attentions)
    outputs.encoder_attentions = None
    trace = core.from_generate(outputs, Numbers(model.config), source)
    assert (trace.config.encoder_layers, trace.config.decoder_layers) == (0, 2)
    assert trace.weights("decoder", "cross").shape[0] == 2
    page = core.show(trace).page
    assert "cross-attention" in page and "maps as given, not recomputed" in page
    with pytest.raises(InputError, match="no encoder maps; it has: causal, cross"):
        core.show(trace, "encoder")


def whisper() -> tuple[Any, dict[str, Any]]:
    own = {"num_mel_bins": 8, "max_source_positions": 20, "max_target_positions": 40, "decoder_layers": 2}
    ids = {"bos_token_id": 2, "decoder_start_token_id": 3}
    unused = dict.fromkeys(("suppress_tokens", "begin_suppress_tokens"))
    config = transformers.WhisperConfig(**{**SIZES, **own, **ids, **unused})
    config._attn_implementation = "eager"
    model = transformers.WhisperForConditionalGeneration(config).eval()
    return model, {"input_features": torch.randn(1, 8, 40)}


def trocr() -> tuple[Any, dict[str, Any]]:
    image = transformers.ViTConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        image_size=16,
        patch_size=4,
    )
    text = transformers.TrOCRConfig(
        vocab_size=VOCABULARY,
        d_model=32,
        decoder_layers=2,
        decoder_attention_heads=4,
        decoder_ffn_dim=48,
        init_std=0.3,
    )
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(image, text)
    config.decoder_start_token_id, config.pad_token_id, config.eos_token_id = 2, 1, 2
    config._attn_implementation = "eager"
    model = transformers.VisionEncoderDecoderModel(config=config).eval()
    model.set_attn_implementation("eager")
    return model, {"pixel_values": torch.randn(1, 3, 16, 16)}


@pytest.mark.parametrize(("family", "positions"), [(whisper, 20), (trocr, 17)])
@pytest.mark.parametrize("beams", [1, 3])
def test_text_sides_of_models_that_cannot_be_imported(family: Any, positions: int, beams: int) -> None:
    torch.manual_seed(5)
    model, inputs = family()
    model.generation_config.eos_token_id = 2
    asked = {
        **ASKED,
        "output_scores": True,
        "max_new_tokens": 6,
        "num_beams": beams,
        "decoder_start_token_id": 3,
    }
    with torch.inference_mode():
        outputs = model.generate(**inputs, do_sample=False, **asked)
    tokens = Numbers(model.generation_config)
    if family is whisper and beams > 1:  # its own generate throws the other beams' maps away
        with pytest.raises(InputError, match="num_beams=1, or give one forward pass"):
            core.from_generate(outputs, tokens, None)
        return
    trace = core.from_generate(outputs, tokens, None)
    read = torch.tensor([trace.target_ids])
    with torch.inference_mode():
        wanted = model(**inputs, decoder_input_ids=read, output_attentions=True, use_cache=False)
    assert trace.tokens.source == tuple(str(n) for n in range(1, positions + 1))
    for block, theirs in (("self", wanted.decoder_attentions), ("cross", wanted.cross_attentions)):
        assert (trace.weights("decoder", block) - torch.stack(theirs)[:, 0]).abs().max() <= TOLERANCE
    encoder = torch.stack(wanted.encoder_attentions)[:, 0]
    assert (trace.weights("encoder", "self") - encoder).abs().max() <= TOLERANCE
    assert "maps as given" in core.show(trace).page


def test_what_needs_the_model_is_refused_in_a_sentence_and_the_mark_is_kept(tmp_path: Path) -> None:
    model = of_equal_depth("marian")
    source = left_padded(model.config, (6,))
    with torch.inference_mode():
        outputs = model.generate(source, max_new_tokens=5, **ASKED)
    trace = core.from_generate(outputs, Numbers(model.config), source)
    with pytest.raises(InputError, match=r"as given, not recomputed; core.wrap\(model, tokenizer\)"):
        trace.scores("decoder", "cross")
    trace.save(tmp_path / "given.npz")
    again = Trace.load(tmp_path / "given.npz")
    assert again.as_given and again.tokens == trace.tokens
    np.testing.assert_array_equal(again.weights("decoder", "self"), trace.weights("decoder", "self"))


def test_sdpa_is_refused_by_the_name_of_what_helps() -> None:
    model = of_equal_depth("marian")
    source = left_padded(model.config, (6,))
    with torch.inference_mode():
        eager = model.generate(source, max_new_tokens=4, **ASKED)
    eager.cross_attentions = tuple(tuple(None for _ in step) for step in eager.cross_attentions)
    absent = type(eager)(sequences=eager.sequences)
    model.set_attn_implementation("sdpa")
    with torch.inference_mode():
        read = torch.tensor([[95, 4]])
        passed = model(input_ids=source, decoder_input_ids=read, output_attentions=True, use_cache=False)
    for outputs in (eager, absent, passed):
        with pytest.raises(InputError, match='attn_implementation="eager"'):
            core.from_generate(outputs, Numbers(model.config), source, target_ids=read)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"item": 2}, "item is 2; there are 1 sequences"),
        ({"source_ids": [[4, 5]]}, "source_ids have 2 tokens and the maps 6"),
        ({"source_ids": "text"}, "source_ids must be ids"),
        ({"attention_mask": [[1, 1]]}, r"attention_mask has shape \(1, 2\)"),
        ({"attention_mask": [[0, 0, 1, 1, 1, 1]]}, "of its weight to padding"),
        ({"tokenizer": object()}, "A object spells no tokens"),
        ({"outputs": [1]}, "A list holds no attention maps"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, Any], said: str) -> None:
    model = of_equal_depth("marian")
    source = left_padded(model.config, (6,))
    with torch.inference_mode():
        outputs = model.generate(source, max_new_tokens=4, **ASKED)
    given = {"outputs": outputs, "tokenizer": Numbers(model.config), "source_ids": source, **change}
    with pytest.raises(InputError, match=said):
        core.from_generate(**given)


def of_kind(name: str) -> Any:
    """Random models whose maps have a form of their own."""
    torch.manual_seed(0)
    if name == "prophetnet":
        sizes = {"hidden_size": 32, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "ngram": 2}
        layers = {"num_encoder_layers": 2, "num_decoder_layers": 2, "init_std": 0.3}
        heads = {"num_encoder_attention_heads": 4, "num_decoder_attention_heads": 4}
        ids = {"pad_token_id": 1, "eos_token_id": 2, "bos_token_id": 0, "decoder_start_token_id": 0}
        config = transformers.ProphetNetConfig(
            vocab_size=VOCABULARY, max_position_embeddings=64, **sizes, **layers, **heads, **ids
        )
        model = transformers.ProphetNetForConditionalGeneration(config)
    elif name == "mvp":
        config = transformers.MvpConfig(**SIZES, use_prompt=True, prompt_length=5, prompt_mid_dim=16)
        model = transformers.MvpForConditionalGeneration(config)
    else:
        config = transformers.PegasusXConfig(**SIZES, block_size=8, num_global_tokens=4)
        model = transformers.PegasusXForConditionalGeneration(config)
    model.set_attn_implementation("eager")
    model.generation_config.forced_eos_token_id = None
    return model.eval()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("prophetnet", None),
        ("mvp", "begin with 5 learned prompts"),
        ("pegasusx", "in parts, as of block-local"),
    ],
)
@pytest.mark.parametrize("beams", [1, 3])
@pytest.mark.filterwarnings("ignore")
def test_prompts_streams_and_maps_in_parts_are_those_of_a_forced_pass(
    name: str, said: str | None, beams: int
) -> None:
    model = of_kind(name)
    source = left_padded(model.config, (9,))
    with torch.inference_mode():
        outputs = model.generate(
            source, max_new_tokens=5, num_beams=beams, output_scores=True, use_cache=False, **ASKED
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        trace = core.from_generate(outputs, Numbers(model.config), source)
    assert any(said in str(each.message) for each in caught) if said else not caught
    read = torch.tensor([trace.target_ids])
    with torch.inference_mode():
        wanted = model(input_ids=source, decoder_input_ids=read, output_attentions=True, use_cache=False)
    prompts = 5 if name == "mvp" else 0
    length = len(trace.target_ids)
    cross = torch.stack(wanted.cross_attentions)[:, 0, :, :length, prompts:]
    causal = torch.stack(wanted.decoder_attentions)[:, 0, :, :, prompts:]
    assert (trace.weights("decoder", "cross") - cross).abs().max() <= TOLERANCE
    assert (trace.weights("decoder", "self") - causal).abs().max() <= TOLERANCE
    assert ("encoder" in trace.kinds) == (name != "pegasusx")
    forced = core.from_generate(wanted, Numbers(model.config), source, target_ids=read)
    assert (forced.weights("decoder", "cross")[:, :, :length] - cross).abs().max() <= TOLERANCE


@pytest.mark.parametrize("beams", [1, 4])
def test_numpy_and_cross_attention_alone_are_enough(beams: int) -> None:
    model = of_equal_depth("marian")
    source = left_padded(model.config)
    mask = (source != model.config.pad_token_id).long()
    with torch.inference_mode():
        outputs = model.generate(
            source, attention_mask=mask, max_new_tokens=6, num_beams=beams, output_scores=True, **ASKED
        )

    def plain(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.numpy()
        return tuple(map(plain, value)) if isinstance(value, tuple) else value

    names = (
        "sequences",
        "scores",
        "beam_indices",
        "encoder_attentions",
        "decoder_attentions",
        "cross_attentions",
    )
    arrays = {name: plain(outputs[name]) for name in names if name in outputs}
    of_torch = core.from_generate(outputs, Numbers(model.config), source, 1)
    of_numpy = core.from_generate(arrays, Numbers(model.config), source.numpy(), 1)
    assert of_numpy.tokens == of_torch.tokens
    assert of_numpy.records.keys() == of_torch.records.keys()
    assert all(np.array_equal(of_numpy.records[site], of_torch.records[site]) for site in of_torch.records)
    alone = {name: value for name, value in arrays.items() if name not in names[3:5]}
    trace = core.from_generate(alone, Numbers(model.config), source.numpy(), 1)
    assert trace.kinds == ("cross",)
    assert torch.equal(trace.weights("decoder", "cross"), of_torch.weights("decoder", "cross"))
    with pytest.raises(InputError, match="This trace has no causal maps; it has: cross"):
        core.show(trace, "causal")


def test_an_end_token_that_is_also_the_padding_stays() -> None:
    model = of_equal_depth("marian")
    tokens = Numbers(model.config)
    tokens.pad_token_id = end = tokens.eos_token_id
    source = torch.tensor([[5, 6, 7, end, end, end], [5, 6, 7, 8, 9, end]])
    mask = torch.tensor([[1, 1, 1, 1, 0, 0], [1] * 6])
    with torch.inference_mode():
        outputs = model.generate(source, attention_mask=mask, max_new_tokens=6, do_sample=False, **ASKED)
    for item, length in ((0, 4), (1, 6)):
        trace = core.from_generate(outputs, tokens, source, item)
        assert trace.source_ids == tuple(source[item, :length].tolist())
        sums = trace.weights("decoder", "cross").sum(-1)
        assert torch.allclose(sums, torch.ones_like(sums), atol=1e-5)


def test_seamless_shows_its_maps_with_a_list_of_tokens() -> None:
    """SeamlessM4T, text to text: nothing here computes it, and its own maps are shown."""
    layers = {f"{part}{side}_layers": 1 for part in ("", "t2u_") for side in ("encoder", "decoder")}
    heads = {f"{part}{side}_attention_heads": 4 for part in ("", "t2u_") for side in ("encoder", "decoder")}
    inner = {f"{part}{side}_ffn_dim": 32 for part in ("", "t2u_") for side in ("encoder", "decoder")}
    widths = dict.fromkeys(("vocoder_embed_dim", "hifi_gan_upsample_initial_channel", "unit_embed_dim", "spkr_embed_dim", "lang_embed_dim"), 8)  # fmt: skip
    speech = {
        "speech_encoder_layers": 1,
        "speech_encoder_attention_heads": 4,
        "speech_encoder_intermediate_size": 32,
    }
    signs = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "decoder_start_token_id": 3}
    config = transformers.SeamlessM4TConfig(
        vocab_size=60, t2u_vocab_size=60, hidden_size=32, attn_implementation="eager",
        **layers, **heads, **inner, **widths, **speech, **signs,
    )  # fmt: skip
    torch.manual_seed(0)
    model = transformers.SeamlessM4TForTextToText(config).eval()
    model.generation_config.text_decoder_lang_to_code_id = {"fra": 5}
    source, tokens = torch.tensor([[6, 7, 8, 9, 3]]), [f"t{number}" for number in range(60)]
    outputs = model.generate(input_ids=source, tgt_lang="fra", output_attentions=True, return_dict_in_generate=True,
                             max_new_tokens=6, do_sample=False)  # fmt: skip
    trace = core.from_generate(outputs, tokens, source)
    assert trace.tokens.source == ("t6", "t7", "t8", "t9", "t3") and trace.tokens.target[1] == "t5"
    forward = model(input_ids=source, decoder_input_ids=outputs.sequences, output_attentions=True)
    length = len(trace.tokens.target)
    for stack, block in (("encoder", "self"), ("decoder", "self"), ("decoder", "cross")):
        kind = {"self": f"{stack}_attentions", "cross": "cross_attentions"}[block]
        wanted = forward[kind][0][0]
        wanted = wanted if stack == "encoder" else wanted[:, :length]
        wanted = wanted if block == "cross" or stack == "encoder" else wanted[..., :length]
        assert torch.allclose(trace.weights(stack, block)[0], wanted, atol=1e-6)
    for given, said in (
        (tokens[:5], "lists 5 tokens, and id 6 is beyond them"),
        ([1, 2, 3], "3 tokenizers are given"),
        ((tokens,), "1 tokenizers are given"),
    ):
        with pytest.raises(InputError, match=said):
            core.from_generate(outputs, given, source)
