"""torch.nn.Transformer against the real module, and the layouts of tutorials and repositories against their own mathematics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import core
from core.importing.plan import ImportPlan, plan_import
from tests.parity.comparing import TOLERANCE
from tests.parity.layouts import (
    ANNOTATED,
    END,
    HYUNWOONGKO,
    JADORE801120,
    ORIGINAL_TRANSFORMER,
    PAD,
    SAMLYNNEVANS,
    SEQ2SEQ,
    START,
    TUTORIAL_B,
    TUTORIAL_E,
    Layout,
    Reference,
    Seen,
    Sinusoids,
    compared,
)

SOURCES, TARGETS, WIDTH, HEADS, INNER = 70, 64, 32, 4, 48
SPECIALS = {"pad": PAD, "bos": START, "eos": END}

LAYOUTS: dict[str, tuple[Layout, str, dict[str, Any]]] = {
    "seq2seq": (SEQ2SEQ, "seq2seq", {"heads": HEADS}),
    "annotated": (ANNOTATED, "annotated", {"heads": HEADS}),
    "tutorial-b": (
        replace(TUTORIAL_B, by_model=True),
        "tutorial-b",
        {"heads": HEADS, "score_scale": "model"},
    ),
    "tutorial-b-by-head": (TUTORIAL_B, "tutorial-b", {"heads": HEADS, "score_scale": "head"}),
    "tutorial-e": (replace(TUTORIAL_E, one_for_all=True), "tutorial-e", {}),
    "tutorial-e-whole": (TUTORIAL_E, "tutorial-e", {"heads": HEADS}),
    "hyunwoongko": (HYUNWOONGKO, "hyunwoongko", {"heads": HEADS}),
    "jadore801120": (JADORE801120, "jadore801120", {"heads": HEADS}),
    "jadore801120-tied": (replace(JADORE801120, tied=True), "jadore801120", {"heads": HEADS}),
    "samlynnevans": (SAMLYNNEVANS, "samlynnevans", {"heads": HEADS}),
    "original-transformer": (ORIGINAL_TRANSFORMER, "original-transformer", {"heads": HEADS}),
}


def shaken(model: nn.Module) -> nn.Module:
    """Every parameter away from its initial constant."""
    torch.manual_seed(3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * (0.2 if parameter.dim() == 1 else 0.05))
    return model.eval()


def imported(path: Path, layout: str, told: dict[str, Any]) -> ImportPlan:
    found = plan_import(path, answers={**SPECIALS, **told}, tokenizer="numbers")
    assert found.layout.name == layout
    assert found.ready, (found.problems, found.open_questions)
    return found


def assert_equal(plan: ImportPlan, theirs: nn.Module) -> None:
    found = compared(theirs, plan.checkpoint.model)
    assert found.largest <= TOLERANCE
    assert found.written


def reference(name: str, kind: type[Reference] = Reference) -> nn.Module:
    layout = LAYOUTS[name][0]
    torch.manual_seed(12)
    return shaken(kind(layout, SOURCES if not layout.tied else TARGETS, TARGETS, WIDTH, HEADS, INNER, PAD))


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_equals_its_own_mathematics(tmp_path: Path, name: str) -> None:
    _, layout, told = LAYOUTS[name]
    theirs = reference(name)
    path = tmp_path / "model.pt"
    torch.save(theirs.state_dict(), path)
    assert_equal(imported(path, layout, told), theirs)


class InMemory(Reference):
    """The reference as its user calls it."""

    def forward(self, source: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        return super().forward(source, target, Seen())


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_module_of_a_known_layout_is_wrapped_without_an_answer(name: str) -> None:
    wrapped = core.wrap(reference(name, InMemory), "numbers", **SPECIALS)
    assert wrapped.agreement is not None
    assert wrapped.agreement.agrees


class OnlySingle(InMemory):
    """Cannot run in half precision, as code that makes single-precision tensors of its own cannot."""

    def forward(self, source: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        assert next(self.parameters()).dtype == torch.float32
        return super().forward(source, target)


def test_a_module_in_half_precision_is_run_in_single() -> None:
    wrapped = core.wrap(reference("hyunwoongko", OnlySingle).half(), "numbers", **SPECIALS)
    assert wrapped.agreement is not None
    assert wrapped.agreement.agrees
    assert wrapped.agreement.stored_as == "float16"


class OtherChoices(InMemory):
    """Normalised after each sub-layer and not scaled, where the layout's own code normalises before and scales."""

    def __init__(self, layout: Layout, *sizes: int) -> None:
        super().__init__(replace(layout, final_norms="", scaled=False), *sizes)


def test_what_a_layout_assumes_is_tried_against_the_module() -> None:
    wrapped = core.wrap(reference("annotated", OtherChoices), "numbers", **SPECIALS)
    config = wrapped.model.config
    assert (config.norm_placement, config.embedding_scale) == ("post", False)


class InSteps(Reference):
    """Without a forward pass: encode, decode and project are called by the training loop."""

    forward = nn.Module.forward  # type: ignore[assignment]

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        return self._stack("encoder", src, None, {"encoder": src_mask}, Seen())

    def decode(self, encoder_output: Tensor, src_mask: Tensor, tgt: Tensor, tgt_mask: Tensor) -> Tensor:
        mask = {"causal": tgt_mask, "cross": src_mask}
        return self._stack("decoder", tgt, encoder_output, mask, Seen())

    def project(self, x: Tensor) -> Tensor:
        out: Tensor = self.get_submodule(self.layout.output)(x)
        return out


def test_a_module_that_encodes_and_decodes_by_methods_is_wrapped() -> None:
    wrapped = core.wrap(reference("tutorial-b", InSteps), "numbers", **SPECIALS)
    assert wrapped.agreement is not None
    assert wrapped.agreement.agrees


class TorchTutorial(nn.Module):
    """The model of PyTorch's translation tutorial around the real torch.nn.Transformer."""

    def __init__(
        self,
        pre: bool,
        batch_first: bool,
        activation: str = "relu",
        sizes: tuple[int, int] = (SOURCES, TARGETS),
        heads: int = HEADS,
    ) -> None:
        super().__init__()
        self.batch_first = batch_first
        self.transformer = nn.Transformer(
            WIDTH, heads, 2, 3, INNER, 0.0, activation, batch_first=batch_first, norm_first=pre
        )
        self.generator = nn.Linear(WIDTH, sizes[1])
        self.src_tok_emb, self.tgt_tok_emb = (Sinusoids.Table(size, WIDTH) for size in sizes)
        self.positional_encoding = Sinusoids(60, WIDTH)

    def forward(self, source: Tensor, target: Tensor, seen: Seen) -> Tensor:
        table = self.positional_encoding.pos_embedding[:, 0]
        x = self.src_tok_emb.embedding(source) * math.sqrt(WIDTH) + table[: source.shape[1]]
        y = self.tgt_tok_emb.embedding(target) * math.sqrt(WIDTH) + table[: target.shape[1]]
        if not self.batch_first:
            x, y = x.transpose(0, 1), y.transpose(0, 1)
        causal = torch.triu(torch.ones(target.shape[1], target.shape[1]), diagonal=1).bool()
        with self._watched(seen):
            memory = self.transformer.encoder(x, src_key_padding_mask=source == PAD)
            out = self.transformer.decoder(
                y,
                memory,
                tgt_mask=causal,
                tgt_key_padding_mask=target == PAD,
                memory_key_padding_mask=source == PAD,
            )
        if not self.batch_first:
            memory, out = memory.transpose(0, 1), out.transpose(0, 1)
        seen.states = memory
        logits: Tensor = self.generator(out)
        return logits

    @contextmanager
    def _watched(self, seen: Seen) -> Iterator[None]:
        """Every real attention module gives its weights by head, which are kept by kind in the order of the layers."""
        encoder, decoder = self.transformer.encoder.layers, self.transformer.decoder.layers
        modules = {
            "encoder": [layer.self_attn for layer in encoder],
            "causal": [layer.self_attn for layer in decoder],
            "cross": [layer.multihead_attn for layer in decoder],
        }
        with ExitStack() as stack:
            fast = torch.backends.mha.get_fastpath_enabled()
            stack.callback(torch.backends.mha.set_fastpath_enabled, fast)
            torch.backends.mha.set_fastpath_enabled(False)  # it gives no weights
            for kind, layers in modules.items():
                for module in layers:
                    asked = module.register_forward_pre_hook(_ask, with_kwargs=True)
                    kept = module.register_forward_hook(partial(_keep, seen.maps[kind]))
                    stack.callback(asked.remove)
                    stack.callback(kept.remove)
            yield


def _ask(module: nn.Module, inputs: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    return inputs, {**options, "need_weights": True, "average_attn_weights": False}


def _keep(maps: list[Tensor], module: nn.Module, inputs: Any, output: Any) -> None:
    maps.append(output[1])


@pytest.mark.parametrize("pre", [False, True], ids=["post-norm", "pre-norm"])
@pytest.mark.parametrize("batch_first", [False, True])
def test_torch_transformer_equals_the_real_module(tmp_path: Path, pre: bool, batch_first: bool) -> None:
    activation = "gelu" if pre else "relu"
    theirs = shaken(TorchTutorial(pre, batch_first, activation))
    path = tmp_path / "model.pt"
    torch.save({"epoch": 3, "model_state_dict": theirs.state_dict(), "loss": 1.5}, path)
    plan = imported(
        path, "torch", {"heads": HEADS, "norm_placement": "pre" if pre else "post", "activation": activation}
    )
    assert_equal(plan, theirs)


@pytest.mark.parametrize(
    "wrap", ["bare", "model_state_dict", "state_dict", "model", "module.", "_orig_mod.", "both", "net."]
)
def test_state_dicts_are_found_where_training_loops_put_them(tmp_path: Path, wrap: str) -> None:
    theirs = shaken(TorchTutorial(False, True))
    state: Any = theirs.state_dict()
    if wrap in ("module.", "_orig_mod.", "both", "net."):
        prefix = "module._orig_mod." if wrap == "both" else wrap
        state = {prefix + key: value for key, value in state.items()}
    elif wrap != "bare":
        state = {
            wrap: state,
            "optimizer": {"state": {0: {"step": 3}}, "param_groups": [{"lr": 0.1}]},
            "epoch": 9,
        }
    path = tmp_path / "anything.ckpt"
    torch.save(state, path)
    plain = tmp_path / "plain.pt"
    torch.save(theirs.state_dict(), plain)
    wrapped = imported(path, "torch", {"heads": HEADS}).checkpoint
    assert wrapped.digest == imported(plain, "torch", {"heads": HEADS}).checkpoint.digest


def test_what_a_state_dict_cannot_tell_is_asked_for_by_name(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    torch.save(TorchTutorial(False, True).state_dict(), path)
    plan = plan_import(path)
    assert {question.name for question in plan.open_questions} == {
        "heads",
        "pad_id",
        "bos_id",
        "eos_id",
        "vocabulary",
    }
    assumed = {question.name: question.proposal for question in plan.questions if not question.blocking}
    assert assumed["norm_placement"] == "post"
    assert assumed["activation"] == "relu"
    assert assumed["source_before"] == "start"
    assert not plan.ready
    assert plan.config is None
    answered = plan.answer(heads=HEADS, tokenizer="numbers", **SPECIALS)
    assert answered.ready
    assert not plan.ready
    assert {finding.name: finding.how for finding in answered.findings}["heads"] == "told"
    assert answered.checkpoint.source_tokenizer.encode("5 6") == [START, 5, 6, END]
    assert answered.checkpoint.target_tokenizer.encode("5 6") == [5, 6, END]


def test_learned_positions_in_a_buffers_place_are_noticed(tmp_path: Path) -> None:
    theirs = shaken(TorchTutorial(False, True))
    theirs.positional_encoding.pos_embedding.normal_()
    path = tmp_path / "model.pt"
    torch.save(theirs.state_dict(), path)
    plan = imported(path, "torch", {"heads": HEADS})
    assert plan.config is not None
    assert plan.config.positions == "learned"
    assert_equal(plan, theirs)
