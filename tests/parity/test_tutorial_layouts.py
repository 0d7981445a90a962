"""torch.nn.Transformer against the real module, and four tutorials' layouts against their own mathematics."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.importing import ImportPlan, plan_import
from tests.parity.comparing import SOURCE, TARGET, assert_close, greedy, padded_batch, recorded
from tests.parity.layouts import Annotated, Seen, Seq2seq, Sinusoids, TutorialB, TutorialE, masks

SOURCES, TARGETS, WIDTH, HEADS, INNER = 70, 64, 32, 4, 48
PAD, BOS, EOS = 1, 2, 3
SPECIALS = {"pad": PAD, "bos": BOS, "eos": EOS}

LAYOUTS: dict[str, tuple[Callable[..., nn.Module], str, dict[str, Any]]] = {
    "seq2seq": (Seq2seq, "seq2seq", {"heads": HEADS}),
    "annotated": (Annotated, "annotated", {"heads": HEADS}),
    "tutorial-b": (TutorialB, "tutorial-b", {"heads": HEADS, "score_scale": "model"}),
    "tutorial-b-by-head": (
        lambda *sizes: TutorialB(*sizes, by_model=False),
        "tutorial-b",
        {"heads": HEADS, "score_scale": "head"},
    ),
    "tutorial-e": (TutorialE, "tutorial-e", {}),
    "tutorial-e-whole": (lambda *sizes: TutorialE(*sizes, whole=True), "tutorial-e", {"heads": HEADS}),
}


def shaken(model: nn.Module) -> nn.Module:
    """Every parameter away from its initial constant."""
    torch.manual_seed(3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * (0.2 if parameter.dim() == 1 else 0.05))
    return model.eval()


def batches() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    source = padded_batch(SOURCES, PAD, (SOURCE, 30, 41), BOS)
    target = padded_batch(TARGETS, PAD, (TARGET, TARGET, 12), BOS, seed=1)
    return source, target, source != PAD, target != PAD


def imported(path: Path, layout: str, told: dict[str, Any]) -> ImportPlan:
    found = plan_import(path, answers={**SPECIALS, **told}, tokenizer="numbers")
    assert found.layout.name == layout
    assert found.ready, (found.problems, found.open_questions)
    return found


def compare(plan: ImportPlan, logits: Tensor, maps: dict[str, list[Tensor]], states: Tensor) -> None:
    source, target, source_rows, target_rows = batches()
    mine, seen, memory = recorded(plan.checkpoint.model, source, target)
    assert_close(memory, states, source_rows, "encoder states")
    assert_close(mine, logits, target_rows, "logits")
    for kind, rows in (("encoder", source_rows), ("causal", target_rows), ("cross", target_rows)):
        assert len(seen[kind]) == len(maps[kind]) == (2 if kind == "encoder" else 3)
        for layer, (ours, theirs) in enumerate(zip(seen[kind], maps[kind], strict=True)):
            assert_close(ours, theirs, rows, f"{kind} attention of layer {layer}")


def assert_same_greedy(plan: ImportPlan, theirs: nn.Module, row: Tensor) -> None:
    """The imported model, through its cache, writes what a plain loop around `theirs` writes for `row` (1, S)."""
    written = [BOS]
    with torch.no_grad():
        while len(written) < 30 and (written[-1] != EOS or len(written) == 1):
            scores = theirs(row, torch.tensor([written]), Seen())[0, -1]
            scores[PAD] = -math.inf  # the layouts differ in what a written padding token would mean
            written.append(int(scores.argmax()))
    assert len(written) > 2
    assert greedy(plan.checkpoint.model, row, 29, [PAD]) == written[1:]


def assert_same_pass(plan: ImportPlan, theirs: nn.Module) -> None:
    """Logits, maps and states of one batch."""
    source, target, _, _ = batches()
    seen = Seen()
    with torch.inference_mode():
        logits = theirs(source, target, seen)
    assert seen.states is not None
    compare(plan, logits, seen.maps, seen.states)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_tutorials_layout_equals_its_own_mathematics(tmp_path: Path, name: str) -> None:
    make, layout, told = LAYOUTS[name]
    torch.manual_seed(11)
    theirs = shaken(make(SOURCES, TARGETS, WIDTH, HEADS, INNER, PAD))
    path = tmp_path / "model.pt"
    torch.save(theirs.state_dict(), path)
    plan = imported(path, layout, told)
    assert_same_pass(plan, theirs)
    assert_same_greedy(plan, theirs, batches()[0][1:2, :30])


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
        memory = self.transformer.encoder(x, src_key_padding_mask=source == PAD)
        out = self.transformer.decoder(
            y,
            memory,
            tgt_mask=causal,
            tgt_key_padding_mask=target == PAD,
            memory_key_padding_mask=source == PAD,
        )
        self._watch(x, y, memory, source, target, seen)
        if not self.batch_first:
            memory, out = memory.transpose(0, 1), out.transpose(0, 1)
        seen.states = memory
        logits: Tensor = self.generator(out)
        return logits

    def _watch(
        self, x: Tensor, y: Tensor, memory: Tensor, source: Tensor, target: Tensor, seen: Seen
    ) -> None:
        """The maps, by asking each real attention module for its weights on that layer's real input."""
        _, causal = masks(source, target, PAD)
        causal = torch.tril(torch.ones(target.shape[1], target.shape[1])).bool()
        for layer in self.transformer.encoder.layers:
            h = layer.norm1(x) if layer.norm_first else x
            seen.maps["encoder"].append(_weights(layer.self_attn, h, h, source == PAD, None))
            x = layer(x, src_key_padding_mask=source == PAD)
        for layer in self.transformer.decoder.layers:
            h = layer.norm1(y) if layer.norm_first else y
            seen.maps["causal"].append(_weights(layer.self_attn, h, h, target == PAD, ~causal))
            attended = layer.self_attn(h, h, h, key_padding_mask=target == PAD, attn_mask=~causal)[0]
            y = y + attended if layer.norm_first else layer.norm1(y + attended)
            h = layer.norm2(y) if layer.norm_first else y
            seen.maps["cross"].append(_weights(layer.multihead_attn, h, memory, source == PAD, None))
            crossed = layer.multihead_attn(h, memory, memory, key_padding_mask=source == PAD)[0]
            y = y + crossed if layer.norm_first else layer.norm2(y + crossed)
            act = layer.activation
            if layer.norm_first:
                y = y + layer.linear2(act(layer.linear1(layer.norm3(y))))
            else:
                y = layer.norm3(y + layer.linear2(act(layer.linear1(y))))


def _weights(
    attention: nn.MultiheadAttention, q: Tensor, k: Tensor, padding: Tensor, mask: Tensor | None
) -> Tensor:
    weights: Tensor = attention(
        q, k, k, key_padding_mask=padding, attn_mask=mask, need_weights=True, average_attn_weights=False
    )[1]
    return weights


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
    assert_same_pass(plan, theirs)
    assert_same_greedy(plan, theirs, batches()[0][1:2, :30])


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
    assert answered.checkpoint.source_tokenizer.encode("5 6") == [BOS, 5, 6, EOS]
    assert answered.checkpoint.target_tokenizer.encode("5 6") == [5, 6, EOS]


def test_learned_positions_in_a_buffers_place_are_noticed(tmp_path: Path) -> None:
    theirs = shaken(TorchTutorial(False, True))
    theirs.positional_encoding.pos_embedding.normal_()
    path = tmp_path / "model.pt"
    torch.save(theirs.state_dict(), path)
    plan = imported(path, "torch", {"heads": HEADS})
    assert plan.config is not None
    assert plan.config.positions == "learned"
    assert_same_pass(plan, theirs)
