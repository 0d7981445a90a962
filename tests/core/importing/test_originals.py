"""`core.wrap` of models as training leaves them in memory: wrapped, rounded, under autocast, pruned, returning anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import prune

import core
from core.errors import AtlasError
from core.importing.originals import as_returned, full_precision, readings
from tests.core.importing.test_saved_trainings import Student, TwoPositions
from tests.core.importing.test_wrap import HEADS, INNER, TARGETS, TELLING, WIDTH, shaken
from tests.parity.families import build

transformers = pytest.importorskip("transformers")
BFLOAT16 = torch.autocast("cpu", dtype=torch.bfloat16)


class Returning(Student):
    """Gives what `give` makes of its logits."""

    def __init__(self, give: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.give = give

    def forward(self, src: Tensor, tgt: Tensor) -> Any:
        return self.give(super().forward(src, tgt))


class UnderAutocast(Student):
    @BFLOAT16
    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        return super().forward(src, tgt)


class TimeFirst(Student):
    """Reads and writes (T, B) where `inside` is false; else turns (B, T) around by itself."""

    def __init__(self, inside: bool) -> None:
        super().__init__()
        self.inside = inside
        self.transformer = nn.Transformer(WIDTH, HEADS, 2, 1, INNER, 0.0)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        src, tgt = (src.t(), tgt.t()) if self.inside else (src, tgt)
        mask = torch.ones(len(tgt), len(tgt), dtype=torch.bool).triu(1)
        read, written = (
            self.src_emb(src) + self.pos[0, : len(src), None],
            self.tgt_emb(tgt) + self.pos[0, : len(tgt), None],
        )
        return self.fc_out(self.transformer(read, written, tgt_mask=mask))


class Holder(nn.Module):
    """As a LightningModule holds its model."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: Any) -> Any:
        return self.model(**batch)


def wrapped_in_autocast(model: Any) -> Any:
    """As accelerate leaves a model after training in bfloat16."""
    model.forward = BFLOAT16(model.forward)
    return model


def compiled_in_place(model: nn.Module) -> nn.Module:
    model.compile()
    return model


def compiled_inside() -> nn.Module:
    model = Student()
    model.transformer = torch.compile(model.transformer)  # type: ignore[assignment]
    return model


def pruned(model: Any, *parts: tuple[nn.Module, str]) -> Any:
    for part, name in parts:
        prune.l1_unstructured(part, name, 0.5)
    return model


def pruned_student() -> nn.Module:
    model = Student()
    attention = model.transformer.encoder.layers[0].self_attn
    return pruned(model, (model.fc_out, "weight"), (attention, "in_proj_weight"))  # type: ignore[no-any-return]


def normalised() -> nn.Module:
    model = Student()
    torch.nn.utils.parametrizations.weight_norm(model.fc_out)
    return model


def subclass() -> Any:
    class OwnBart(transformers.BartForConditionalGeneration):  # type: ignore[name-defined, misc]
        pass

    return OwnBart(build("bart").config)


def pruned_bart() -> Any:
    model = build("bart")
    return pruned(model, (model.model.encoder.layers[0].fc1, "weight"))


MODELS: dict[str, Callable[[], Any]] = {
    "compiled": lambda: torch.compile(Student()),
    "compiled inside": compiled_inside,
    "compiled, BART": lambda: torch.compile(build("bart")),
    "compiled in place, BART": lambda: compiled_in_place(build("bart")),
    "in DataParallel": lambda: nn.DataParallel(Student()),
    "in DataParallel, compiled": lambda: nn.DataParallel(torch.compile(Student())),  # type: ignore[arg-type]
    "averaged": lambda: torch.optim.swa_utils.AveragedModel(Student()),
    "a subclass of BART": subclass,
    "autocast around forward, BART": lambda: wrapped_in_autocast(build("bart")),
    "autocast around forward": UnderAutocast,
    "time first": lambda: TimeFirst(False),
    "time first inside": lambda: TimeFirst(True),
    "two tables of positions": TwoPositions,
    "without biases": lambda: Student(bias=False),
    "pruned": pruned_student,
    "pruned, BART": pruned_bart,
    "weight norm on the output": normalised,
}


def told(model: Any) -> dict[str, int]:
    return {} if "Bart" in repr(model)[:200] else TELLING


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_as_training_leaves_it_is_compared_exactly(name: str) -> None:
    torch.manual_seed(0)
    model = MODELS[name]()
    state = {key: each.clone() for key, each in model.state_dict().items()}
    agreement = core.wrap(model, "numbers", **told(model)).agreement
    assert agreement is not None and agreement.agrees
    assert all(torch.equal(each, state[key]) for key, each in model.state_dict().items())


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("family", ["bart", "marian", "pegasus", "fsmt", "t5", "m2m-100", "own"])
def test_other_precisions_are_compared_in_single_and_said(family: str, kind: torch.dtype) -> None:
    """Sinusoids too, which half precision rounds by up to 4e-3."""
    model = shaken(Student()) if family == "own" else build(family)
    language = {"target_language": "none"} if family == "m2m-100" else {}
    wrapped = core.wrap(model.to(kind), "numbers", **told(model), **language)
    assert wrapped.agreement is not None and wrapped.agreement.agrees
    name = str(kind).removeprefix("torch.")
    assert f"stored as {name}, read and compared in float32" in str(wrapped.card["agreement"])


RETURNED: dict[str, tuple[Callable[[Tensor], Any], str]] = {
    "a tuple": (lambda y: (y, None), ""),
    "attention first": (lambda y: (torch.zeros(3, 4, 26, 26), y), ""),
    "a dict": (lambda y: {"loss": None, "logits": y}, ""),
    "a dict of other names": (lambda y: {"attention": torch.zeros(3, 26, 26), "y": y}, ""),
    "a ModelOutput": (lambda y: transformers.modeling_outputs.Seq2SeqLMOutput(logits=y), ""),
    "log-probabilities": (lambda y: y.log_softmax(-1), "log-probabilities"),
    "probabilities": (lambda y: y.softmax(-1), "probabilities"),
    "(B, V, T)": (lambda y: y.transpose(1, 2), ""),
    "(T, B, V)": (lambda y: y.transpose(0, 1), ""),
    "(B·T, V)": (lambda y: y.flatten(0, 1), ""),
    "(T·B, V), log-probabilities": (lambda y: y.transpose(0, 1).flatten(0, 1).log_softmax(-1), "log-probabilities"),
}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", RETURNED)
def test_whatever_form_the_logits_come_in(name: str) -> None:
    give, said = RETURNED[name]
    model = shaken(Returning(give))
    agreement = core.wrap(model, "numbers", **TELLING).agreement
    assert agreement is not None and agreement.agrees and agreement.returned == said
    assert (f"the original returns {said}" in str(agreement)) == bool(said)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", RETURNED)
def test_another_models_logits_are_refused_in_every_form(name: str) -> None:
    give, _ = RETURNED[name]
    model = shaken(Returning(lambda y: give(y.flip(-1))))
    with pytest.raises(AtlasError, match="differ from the original's"):
        core.wrap(model, "numbers", **TELLING)


def _adapted() -> Any:
    model = build("bart")
    model.model.encoder.layers[0].fc1.lora_A = nn.ModuleDict()
    return model


REFUSED: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "words": (lambda: Returning(lambda y: y.argmax(-1)), ("for ids (3, 6)", "logits of every target position")),
    "the last step": (lambda: Returning(lambda y: y[:, -1]), ("returns (3, 50)",)),
    "nothing": (lambda: Returning(lambda y: None), ("returns a NoneType",)),
    "a holder of BART": (lambda: Holder(build("bart")), ("BartForConditionalGeneration as .model",)),
    "a holder of one's own": (lambda: Holder(Student()), ("give the part .model alone",)),
    "an adapter": (_adapted, ("adapter", "merge_and_unload")),
    "quantised": (lambda: torch.ao.quantization.quantize_dynamic(Student(), {nn.Linear}, dtype=torch.qint8), ("quantised", "dequantize")),
    "quantised, BART": (lambda: torch.ao.quantization.quantize_dynamic(build("bart"), {nn.Linear}, dtype=torch.qint8), ("quantised",)),
    "without numbers": (lambda: Student().to("meta"), ("on the meta device", "load its weights")),
    "pruned half": (lambda: pruned_student().half(), ("cannot be copied to float32", "model.float()")),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:torch.ao.quantization is deprecated")
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_compared_is_named(name: str) -> None:
    make, said = REFUSED[name]
    with pytest.raises(AtlasError) as refused:
        core.wrap(make(), "numbers", **TELLING)
    assert all(words in str(refused.value) for words in said), refused.value


def test_the_callers_autocast_changes_nothing() -> None:
    with BFLOAT16:
        agreement = core.wrap(shaken(Student()), "numbers", **TELLING).agreement
        assert torch.is_autocast_enabled("cpu")
    assert agreement is not None and agreement.agrees
    with full_precision(torch.device("cpu")), BFLOAT16:
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
    with BFLOAT16:
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16


def test_numbers_may_be_given_for_each_side() -> None:
    wrapped = core.wrap(shaken(Student()), ("numbers", "numbers"), **TELLING)
    assert wrapped.encode_source("5 59") == [2, 5, 59, 3]
    with pytest.raises(AtlasError, match="source_pad_id"):  # numbers have no names to tell it
        core.wrap(shaken(Student()), ("numbers", [f"t{n}" for n in range(TARGETS)]), **TELLING)


def test_readings_name_each_axis() -> None:
    logits = torch.randn(3, 26, 7)
    for given in (logits, logits.transpose(0, 1), logits.transpose(1, 2), logits.flatten(0, 1)):
        assert any(torch.equal(each, logits) for each in readings({"y": given}, 3, 26))
    assert readings(torch.randn(3, 25, 7), 3, 26) == []
    assert as_returned(logits, logits)[1] == ""
