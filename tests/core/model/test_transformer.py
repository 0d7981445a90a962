"""The model: equal to torch's own Transformer, causal, stateless."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.api import Checkpoint
from core.errors import InputError
from core.model.config import ModelConfig
from core.model.hooks import Hooks, Site
from core.model.transformer import Transformer
from tests.core.conftest import SOURCE, TARGET

# -- torch.nn.Transformer --------------------------------------------------------------------------------


def copy_attention(ours: nn.Module, theirs: nn.MultiheadAttention) -> None:
    weights, biases = theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3)
    for name, weight, bias in zip(("q_proj", "k_proj", "v_proj"), weights, biases, strict=True):
        ours.get_submodule(name).load_state_dict({"weight": weight, "bias": bias})
    ours.get_submodule("output_proj").load_state_dict(theirs.out_proj.state_dict())


def copy_layer(ours: nn.Module, theirs: Any, blocks: tuple[str, ...]) -> None:
    for place, block in enumerate(blocks, start=1):
        ours.get_submodule(f"{block}_residual.norm").load_state_dict(
            getattr(theirs, f"norm{place}").state_dict()
        )
    copy_attention(ours.get_submodule("self_attention"), theirs.self_attn)
    if "cross" in blocks:
        copy_attention(ours.get_submodule("cross_attention"), theirs.multihead_attn)
    ours.get_submodule("feed_forward.up_proj").load_state_dict(theirs.linear1.state_dict())
    ours.get_submodule("feed_forward.down_proj").load_state_dict(theirs.linear2.state_dict())


@pytest.fixture(params=["post", "pre"])
def pair(request: pytest.FixtureRequest) -> tuple[Transformer, nn.Transformer]:
    """Our model, and torch's with the same random weights. torch's always ends each stack with a norm."""
    config = ModelConfig(
        **{"source_vocab_size": 40, "target_vocab_size": 50, "d_model": 32, "heads": 4, "d_ff": 64},
        **{"encoder_layers": 2, "decoder_layers": 3, "max_length": 64, "norm_placement": request.param},
        **{"final_norm": True, "tie_embeddings": False, "tie_output": False, "output_bias": True},
    )
    torch.manual_seed(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a fast path that is not used here
        theirs = nn.Transformer(32, 4, 2, 3, 64, batch_first=True, norm_first=request.param == "pre").eval()
    ours = Transformer(config).eval()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
        for mine, other in zip(ours.encoder_layers, theirs.encoder.layers, strict=True):
            copy_layer(mine, other, ("self", "ffn"))
        for mine, other in zip(ours.decoder_layers, theirs.decoder.layers, strict=True):
            copy_layer(mine, other, ("self", "cross", "ffn"))
        for mine_norm, other_norm in (
            (ours.encoder_norm, theirs.encoder.norm),
            (ours.decoder_norm, theirs.decoder.norm),
        ):
            assert mine_norm is not None
            assert other_norm is not None
            mine_norm.load_state_dict(other_norm.state_dict())
    return ours, theirs


@pytest.mark.filterwarnings("ignore:.*nested.tensor")
def test_logits_equal_torchs_transformer(pair: tuple[Transformer, nn.Transformer]) -> None:
    ours, theirs = pair
    source, target = torch.randint(4, 40, (3, 21)), torch.randint(4, 50, (3, 26))
    source[1, 15:], source[2, 3:] = 0, 0
    target[0, 20:] = 0
    causal = ~torch.ones(26, 26, dtype=torch.bool).tril()  # torch's polarity: True = may not
    with torch.no_grad():
        states = theirs(
            ours.source_embedding(source),
            ours.target_embedding(target),
            tgt_mask=causal,
            src_key_padding_mask=source == 0,
            tgt_key_padding_mask=target == 0,
            memory_key_padding_mask=source == 0,
        )
        expected = torch.nn.functional.linear(states, ours.output_proj, ours.output_bias)
        for hooks in (None, Hooks(["*"])):
            logits = ours(source, target, hooks)
            assert logits.shape == (3, 26, 50)
            assert float((logits - expected)[target != 0].abs().max()) < 1e-5


# -- what must hold for every kind of model --------------------------------------------------------------


def test_later_targets_change_nothing_before(kind: Checkpoint) -> None:
    changed = TARGET.clone()
    changed[:, 3] = 10
    before, after = kind.model(SOURCE, TARGET), kind.model(SOURCE, changed)
    assert float((before - after)[:, :3].abs().max()) < 1e-6
    assert float((before - after)[1, 3].abs().max()) > 1e-4


def test_padding_changes_nothing(kind: Checkpoint) -> None:
    alone = kind.model(SOURCE[:1, :4], TARGET[:1, :3])
    assert torch.allclose(kind.model(SOURCE, TARGET)[:1, :3], alone, atol=1e-5)


def test_a_source_of_padding_alone_stays_finite(kind: Checkpoint) -> None:
    hooks = Hooks(["*.weights"])
    logits = kind.model(torch.zeros(1, 3, dtype=torch.long), TARGET[:1], hooks)
    assert torch.isfinite(logits).all()
    assert not hooks.records[Site.parse("decoder.1.cross.weights")].any()
    assert not hooks.records[Site.parse("encoder.0.self.weights")].any()


def test_stepping_gives_the_logits_of_a_full_pass(kind: Checkpoint) -> None:
    target = torch.randint(4, 16, (2, 26))
    target[:, 0] = kind.config.bos_id
    state = kind.model.start(kind.model.encode(SOURCE), SOURCE)
    stepped = torch.stack([kind.model.step(target[:, t], state) for t in range(26)], dim=1)
    assert torch.allclose(stepped, kind.model(SOURCE, target), atol=1e-5)


@pytest.mark.parametrize("positions", ["sinusoidal", "relative_buckets", "rotary"])
def test_without_a_causal_mask_later_targets_count_and_padding_does_not(
    build: Callable[..., Checkpoint], positions: str
) -> None:
    model = build(causal=False, positions=positions).model
    changed = TARGET.clone()
    changed[1, 3] = 10
    hooks = Hooks(["decoder.*.self.weights"])
    before, after = model(SOURCE, TARGET, hooks), model(SOURCE, changed)
    assert float((before - after)[1, 0].abs().max()) > 1e-4
    assert torch.allclose(before[:1, :3], model(SOURCE[:1, :4], TARGET[:1, :3]), atol=1e-5)
    weights = hooks.records[Site.parse("decoder.1.self.weights")]
    assert float(weights[1].min()) > 0.0
    assert not weights[0, ..., 3].any()


@pytest.mark.parametrize("positions", ["sinusoidal", "relative_buckets", "rotary"])
def test_without_a_causal_mask_a_step_reads_all_tokens_again(
    build: Callable[..., Checkpoint], positions: str
) -> None:
    model = build(causal=False, positions=positions).model
    target = torch.randint(4, 16, (2, 12))
    target[:, 0] = model.config.bos_id
    state = model.start(model.encode(SOURCE), SOURCE, capacity=12)
    for t in range(12):
        if t == 9:  # back by three, in other rows' order
            state.truncate(6)
            state = state.select(torch.tensor([1, 0]))
            target, source = target[[1, 0]], SOURCE[[1, 0]]
            for again in (6, 7, 8):
                model.step(target[:, again], state)
        hooks, full = Hooks(["decoder.*.weights"]), Hooks(["decoder.*.weights"])
        logits = model.step(target[:, t], state, hooks)
        whole = model(SOURCE if t < 9 else source, target[:, : t + 1], full)
        assert torch.allclose(logits, whole[:, -1], atol=1e-5)
        assert all(
            torch.allclose(hooks.records[site], maps, atol=1e-6) for site, maps in full.records.items()
        )


def attributes(module: nn.Module) -> dict[str, dict[str, Any]]:
    """A snapshot of every attribute of every module: identities for objects, values for tensors."""
    return {
        name: {
            key: (id(value), value._version if isinstance(value, Tensor) else None)
            for group in (part.__dict__, part._parameters, part._buffers, part._modules)
            for key, value in group.items()
        }
        | {"hooks": len(part._forward_hooks) + len(part._forward_pre_hooks)}
        for name, part in module.named_modules()
    }


def test_a_pass_changes_no_attribute_of_any_module(kind: Checkpoint) -> None:
    before = attributes(kind.model)
    kind.model(SOURCE, TARGET, Hooks(["*"], {"*.weights": lambda weights: weights}))
    kind.model.step(TARGET[:, 0], kind.model.start(kind.model.encode(SOURCE), SOURCE))
    assert attributes(kind.model) == before


def test_threads_on_one_model_get_bit_identical_traces(tiny: Checkpoint) -> None:
    def seen(seed: int) -> dict[Site, Tensor]:
        generator = torch.Generator().manual_seed(seed)
        source = torch.randint(4, 16, (1, 5 + seed), generator=generator)
        target = torch.randint(4, 16, (1, 7), generator=generator)
        hooks = Hooks(["*"] if seed % 2 else ["*.weights", "*.logits"])
        with torch.inference_mode():
            tiny.model(source, target, hooks)
        return hooks.records

    alone = [seen(seed) for seed in range(4)]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(seen, [0, 1, 2, 3] * 12))
    for place, records in enumerate(together):
        assert records.keys() == alone[place % 4].keys()
        assert all(torch.equal(tensor, alone[place % 4][site]) for site, tensor in records.items())


@pytest.mark.parametrize(("source", "target", "side"), [(49, 3, "source"), (3, 49, "target")])
def test_longer_than_the_model_reads(tiny: Checkpoint, source: int, target: int, side: str) -> None:
    with pytest.raises(InputError, match=f"The {side} has 49 tokens; this model reads at most 48"):
        tiny.model(torch.ones(1, source, dtype=torch.long), torch.ones(1, target, dtype=torch.long))


def test_a_part_that_is_taken_out_or_replaced_is_not_found_any_more() -> None:
    embedding = Transformer(
        ModelConfig(source_vocab_size=9, target_vocab_size=9, d_model=8, heads=2)
    ).source_embedding
    first = embedding.positions
    assert first is not None
    embedding.positions = None
    assert embedding.positions is None
    embedding.positions = first
    assert embedding.positions is first


# -- reading it ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "relative_buckets", "rotary"])
def test_a_pass_is_read_in_six_files(positions: str) -> None:
    """Every function of the project that a recorded forward pass calls is in one of six files."""
    model = Transformer(
        ModelConfig(
            **{"source_vocab_size": 40, "target_vocab_size": 40, "d_model": 32, "heads": 4, "d_ff": 64},
            **{"encoder_layers": 1, "decoder_layers": 1, "max_length": 64, "positions": positions},
        )
    ).eval()
    core = Path(__file__).parents[3] / "core"
    entered: set[str] = set()

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(core):
            entered.add(path.relative_to(core).as_posix())

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        model(SOURCE, TARGET, Hooks(["*"]))
    finally:
        sys.setprofile(before)
    six = ("config", "transformer", "layers", "attention", "linear", "hooks")
    assert entered == {f"model/{name}.py" for name in six}
