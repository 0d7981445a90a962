"""`wrap`: a model that is in memory as a `Checkpoint`, compared with the original at once; `import_checkpoint`: one on disk.

Hugging Face's encoder-decoders and modules around torch's Transformer. Nothing is written but the tokenizer's files, to a
folder that is gone when `wrap` returns. Where the layout allows the copy shares the original's storage, so a model that is
trained on has to be wrapped again.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import torch
from torch import Tensor, nn

from core.api import Checkpoint, load
from core.errors import InputError
from core.importing.kinds import refuse_in_memory
from core.importing.originals import (
    as_returned,
    full_precision,
    in_single_precision,
    is_hugging_face,
    published_class,
    refuse_holder,
    unwrapped,
)
from core.importing.own_transformer import Outputs, described
from core.importing.plan import ImportPlan, plan_import, plan_weights
from core.importing.sentencepiece import Vocabulary
from core.importing.source_ids import SameIds, around_in_memory, compare_ids, in_memory
from core.importing.trial import write_import
from core.importing.vocabulary import BYTES, NONE, NUMBERS, Wishes, given_vocabulary
from core.importing.weights import weights_in_memory
from core.model.hooks import ATTENTION, Hooks, Site
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer


@dataclass(eq=False, repr=False)
class WrappedCheckpoint(Checkpoint):
    """A checkpoint whose original is in memory: `agreement` says how far the two are apart."""

    agreement: Agreement | None = None
    plan: ImportPlan | None = None

    def as_now(self) -> Transformer:
        """The model as the original is now, further trained or moved to another device; what can be shared is not copied."""
        if self.plan is None or self.plan.assignment is None:
            return self.model
        self.plan.weights.refresh()
        return self.plan.assignment.model()

    def __repr__(self) -> str:
        return f"<Checkpoint {self.card.get('name')}: {self.agreement}>"

    def _repr_html_(self) -> str | None:
        return None if self.agreement is None else self.agreement._repr_html_()


def wrap(
    model: nn.Module,
    tokenizer: Any,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    **options: Any,
) -> WrappedCheckpoint:
    """The Hugging Face encoder-decoder, or the module around torch's Transformer, as a checkpoint.

    `tokenizer`: Hugging Face's, one of `core.Tokenizer`, a list of tokens, "numbers", or (source, target) of these.
    `source_language` and `target_language` are codes of a multilingual vocabulary, such as fr_XX. `options` answer what a
    model does not tell, by the names of `core.ModelConfig` (and pad, bos, eos, unk). Logits and all three kinds of maps are
    compared with the original's on random ids, and the copy is refused where one differs by more than 1e-5 of its scale;
    `agreement` keeps the differences. The original may be compiled, in DataParallel, under autocast or in half precision: both
    are compared in float32, and `agreement` says what was read otherwise than it is stored. Raises `InputError` or `CheckpointError`.
    """
    answers = {"source_language": source_language, "target_language": target_language, **options}
    if not isinstance(model, nn.Module):
        raise InputError(
            f"A {type(model).__name__} is no model in memory; give an encoder-decoder, or core.load its folder."
        )
    model = unwrapped(model)
    refuse_in_memory(model)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        stack.enter_context(_evaluating(model))
        wishes, files = _wishes(tokenizer, folder)
        exact, stored_as = in_single_precision(model)
        if is_hugging_face(model):
            plans, original, padded = (
                [_hugging_face_plan(model, files, wishes, answers)],
                _hugging_face(exact),
                True,
            )
        else:
            refuse_holder(model)
            module = described(model)
            plans = [
                plan_weights(module.weights, wishes, {**settings, **_own(tokenizer), **answers}, "torch")
                for settings in module.settings
            ]
            original = module.run if exact is model else described(exact).run
            padded = module.takes_padding
        tried = [_checkpoint(plan, original, padded, tokenizer) for plan in plans[:1]]
        while not tried[-1].agreement.agrees and len(tried) < len(plans):  # type: ignore[union-attr]
            tried.append(_checkpoint(plans[len(tried)], original, padded, tokenizer))
    best = min(tried, key=lambda each: each.agreement.largest)  # type: ignore[union-attr]
    assert best.agreement is not None
    if stored_as:
        best.agreement = dataclasses.replace(best.agreement, stored_as=stored_as)
        best.card["agreement"] = str(best.agreement)
    if (ids := _same_ids(best, tokenizer)) is not None:
        best.agreement = dataclasses.replace(best.agreement, same_ids=ids.same)
        best.card |= {**ids.card, "agreement": str(best.agreement)}
        ids.warn()
    if not best.agreement.agrees:
        name = max(("logits", *ATTENTION), key=lambda each: getattr(best.agreement, each))
        raise InputError(
            f"The copy's {name} differ from the original's by {getattr(best.agreement, name):.1e} where {TOLERANCE:.0e} is "
            "allowed, so it would show another model; use core.from_generate, which shows the original's own maps."
        )
    return best


def import_checkpoint(
    path: str | Path,
    *,
    out: str | Path | None = None,
    layout: str = "auto",
    map_file: str | Path | None = None,
    tokenizer: str | Path | None = None,
    source_vocabulary: str | Path | None = None,
    target_vocabulary: str | Path | None = None,
    sentences: list[str] | None = None,
    **options: Any,
) -> Checkpoint:
    """The checkpoint in another project's file or folder, as `python -m core import` makes it; with `out`, written there.

    `options` are answers: options of `core.ModelConfig` by name, pad, bos, eos, unk, source_language, target_language, and
    split, pattern, lowercase and max_bytes for its files. Raises `CheckpointError` with one sentence that names what is
    missing or does not fit.
    """
    reading = {
        name: options.pop(name) for name in ("split", "pattern", "lowercase", "max_bytes") if name in options
    }
    plan = plan_import(
        path,
        layout,
        options,
        map_file=map_file,
        tokenizer=tokenizer,
        source_vocabulary=source_vocabulary,
        target_vocabulary=target_vocabulary,
        **reading,
    )
    _require_ready(plan)
    if out is None:
        return plan.compared(trusted=True)
    write_import(plan, out, sentences)
    return load(out)


def _require_ready(plan: ImportPlan) -> None:
    """As `ImportPlan.require_ready`, with the way on in Python."""
    if plan.open_questions and not plan.problems:
        asked = " ".join(question.text for question in plan.open_questions)
        answers = ", ".join(f"{question.name.removesuffix('_id')}=…" for question in plan.open_questions)
        raise InputError(f"{asked} Answer with {answers}.")
    plan.require_ready()


def _checkpoint(plan: ImportPlan, original: Original, padded: bool, tokenizer: Any) -> WrappedCheckpoint:
    _require_ready(plan)
    checkpoint = plan.checkpoint
    agreement = measured(checkpoint.model, original, padded)
    parts = {each.name: getattr(checkpoint, each.name) for each in dataclasses.fields(Checkpoint)}
    parts["card"] = {
        **checkpoint.card,
        "origin": f"a {plan.weights.path.name} in memory",
        "agreement": str(agreement),
    }
    return WrappedCheckpoint(**parts, agreement=agreement, plan=plan)


def _same_ids(checkpoint: Checkpoint, tokenizer: Any) -> SameIds | None:
    """The comparison with the tokenizer in memory; None where it is none of Hugging Face's."""
    speaker = in_memory(tokenizer[0] if isinstance(tokenizer, tuple) else tokenizer)
    return None if speaker is None else compare_ids(checkpoint, speaker)


@contextmanager
def _evaluating(model: nn.Module) -> Iterator[None]:
    """The model in evaluation mode; afterwards each module is as it was."""
    training = {module: module.training for module in model.modules()}
    model.eval()
    try:
        yield
    finally:
        for module, was in training.items():
            module.training = was


def _own(tokenizer: Any) -> dict[str, int | str]:
    """The special ids of this project's own tokenizer, the target's of two."""
    speaker = tokenizer[-1] if isinstance(tokenizer, tuple) and tokenizer else tokenizer
    if not isinstance(speaker, Tokenizer):
        return {}
    return {role: NONE if n is None else n for role, n in dataclasses.asdict(speaker.specials).items()}


def _wishes(tokenizer: Any, folder: Path) -> tuple[Wishes, Mapping[str, Path]]:
    """Where the vocabularies are; Hugging Face's tokenizers are saved to `folder`."""
    if isinstance(tokenizer, str) and tokenizer in (NUMBERS, BYTES):
        return Wishes(tokenizer=tokenizer), {}
    if tokenizer == (NUMBERS, NUMBERS):
        return Wishes(tokenizer=NUMBERS), {}
    if isinstance(tokenizer, tuple):
        if len(tokenizer) != 2:
            raise InputError(f"{len(tokenizer)} tokenizers are given; give one, or (source, target).")
        source, target = (
            _vocabulary(each, folder / side) for each, side in zip(tokenizer, ("s", "t"), strict=True)
        )
        return Wishes(source=source, target=target), {}
    if hasattr(tokenizer, "save_pretrained"):
        tokenizer.save_pretrained(str(folder))
        around = around_in_memory(tokenizer)
        files = {path.name: path for path in folder.iterdir() if path.is_file()}
        return Wishes(tokenizer=folder, around=around), files
    return Wishes(tokenizer=_vocabulary(tokenizer, folder)), {}


def _vocabulary(tokenizer: Any, folder: Path) -> Any:
    """What `Wishes` takes: a folder's tokenizer.json, "numbers" or "bytes", or the vocabulary itself."""
    if isinstance(tokenizer, str) and tokenizer in (NUMBERS, BYTES):
        return tokenizer
    if hasattr(tokenizer, "save_pretrained"):
        tokenizer.save_pretrained(str(folder))
        if not (folder / "tokenizer.json").is_file():
            raise InputError(
                f"A {type(tokenizer).__name__} cannot be one side of two; give it alone, for both."
            )
        return folder / "tokenizer.json"
    if isinstance(tokenizer, (Tokenizer, list, Vocabulary)):
        return given_vocabulary(tokenizer)
    raise InputError(
        f"A {type(tokenizer).__name__} is no tokenizer; give Hugging Face's, core.Tokenizer, a list of tokens or 'numbers'."
    )


# -- Hugging Face --------------------------------------------------------------------------------------------


def _hugging_face_plan(
    model: Any, files: Mapping[str, Path], wishes: Wishes, answers: Mapping[str, Any]
) -> ImportPlan:
    config = json.loads(json.dumps(model.config.to_dict(), default=str)) | {
        "architectures": [published_class(model)]
    }
    generation = getattr(model, "generation_config", None)
    weights = weights_in_memory(
        type(model).__name__,
        model.state_dict,
        config,
        json.loads(json.dumps(generation.to_dict(), default=str)) if generation is not None else None,
        files,
    )
    return plan_weights(weights, wishes, answers)


def _hugging_face(model: Any) -> Original:
    """The outputs of a Hugging Face model in float32, by the attention that returns its weights."""

    def run(source: Tensor, target: Tensor, source_rows: Tensor, target_rows: Tensor) -> Outputs:
        before = getattr(model.config, "_attn_implementation", None)
        try:
            model.set_attn_implementation("eager")
            theirs = model(
                input_ids=source,
                attention_mask=source_rows.long(),
                decoder_input_ids=target,
                decoder_attention_mask=target_rows.long(),
                output_attentions=True,
                use_cache=False,
                return_dict=True,
            )
        finally:
            if before is not None:
                model.set_attn_implementation(before)
        if getattr(theirs, "logits", None) is None:
            raise InputError(
                f"A {type(model).__name__} has no output layer; give the model with one, such as …ForConditionalGeneration."
            )
        maps = (theirs.encoder_attentions, theirs.decoder_attentions, theirs.cross_attentions)
        return {"logits": theirs.logits} | {
            n: torch.stack(kind) for n, kind in zip(ATTENTION, maps, strict=True)
        }

    return run


TOLERANCE: Final = 1e-5
_SOURCES: Final = (
    28,
    17,
    23,
)  # tokens of the sentences; the shorter ones are padded where the original takes padding
_TARGETS: Final = (26, 26, 14)
Original = Callable[[Tensor, Tensor, Tensor, Tensor], Outputs]
"""source (B, S), target (B, T), and where each is no padding, bool → the original's outputs."""


@dataclass(frozen=True)
class Agreement:
    """The largest difference from the original, each relative to its scale: the largest original value, at least 1.

    Measured in single precision over `tokens` decoder inputs of `sentences` random id sequences. An embedding row that
    none of them reads is not compared. `same_ids`: whether a text has the ids that the original's tokenizer gives it; None
    where that was not compared.
    """

    logits: float
    encoder: float
    causal: float
    cross: float
    sentences: int
    tokens: int
    same_ids: bool | None = None
    stored_as: str = ""  # the types of the original's numbers, where they are not float32
    returned: str = ""  # what the original returns, where that is no logits but what follows from them

    @property
    def largest(self) -> float:
        """The largest of the four differences."""
        return max(self.logits, self.encoder, self.causal, self.cross)

    @property
    def agrees(self) -> bool:
        """Whether every difference is at most TOLERANCE; a difference that is no number is none."""
        return all(getattr(self, name) <= TOLERANCE for name in ("logits", *ATTENTION))

    def __str__(self) -> str:
        parts = [f"{field.name} {getattr(self, field.name):.1e}" for field in fields(self)[:4]]
        ids = {
            True: "; the same source ids",
            False: "; OTHER SOURCE IDS than the original's tokenizer",
            None: "",
        }
        return (
            f"largest difference from the original over {self.sentences} sentences, {self.tokens} target tokens: "
            f"{', '.join(parts)}{ids[self.same_ids]}"
            + (f"; stored as {self.stored_as}, read and compared in float32" if self.stored_as else "")
            + (f"; the original returns {self.returned}, which were compared" if self.returned else "")
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{title}</td><td>{getattr(self, name):.1e}</td></tr>"
            for name, title in (
                ("logits", "logits"),
                *((kind.key, kind.title) for kind in ATTENTION.values()),
            )
        )
        return (
            f"<table><caption>{self}</caption><thead><tr><th></th><th>largest difference</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )


def measured(model: Transformer, original: Original, padded: bool) -> Agreement:
    """Both models on the same random ids; `padded`: the sentences have different lengths."""
    config, device = model.config, next(model.parameters()).device
    longest = config.max_length
    sources = [min(length, longest) for length in (_SOURCES if padded else _SOURCES[:1] * 3)]
    targets = [min(length, longest) for length in (_TARGETS if padded else _TARGETS[:1] * 3)]
    source = _random_ids(config.source_vocab_size, config.source_padding, sources, 1).to(device)
    target = _random_ids(config.target_vocab_size, config.pad_id, targets, 2)
    target[:, 0] = config.bos_id
    target = target.to(device)
    source_rows, target_rows = (_rows(lengths).to(device) for lengths in (sources, targets))
    with torch.inference_mode(), full_precision(device):
        wanted = dict(original(source, target, source_rows, target_rows))
        ours = dict(outputs(model, source, target))
    theirs = wanted.pop("logits")
    logits = ours.pop("logits")
    read = [
        (_gap(form, each, target_rows), name)
        for each in (theirs if isinstance(theirs, list) else [theirs])
        for form, name in [as_returned(logits, each)]
    ]
    rows = {"encoder": source_rows}
    gaps = {name: _gap(ours[name], wanted[name], rows.get(name, target_rows)) for name in ours}
    gaps["logits"], returned = min(read)
    return Agreement(
        logits=gaps["logits"],
        encoder=gaps["encoder"],
        causal=gaps["causal"],
        cross=gaps["cross"],
        sentences=len(sources),
        tokens=int(target_rows.sum()),
        returned=returned,
    )


def outputs(model: Transformer, source: Tensor, target: Tensor) -> Outputs:
    """What `model` gives for one batch."""
    hooks = Hooks(record=["*.weights"])
    compared = {"logits": model(source, target, hooks)}
    for name, kind in ATTENTION.items():
        layers = range(model.config.layers(kind.stack))
        compared[name] = torch.stack(
            [hooks.records[Site(kind.stack, n, kind.block, "weights")] for n in layers]
        )
    return compared


def _random_ids(vocabulary: int, padding: int, lengths: Sequence[int], seed: int) -> Tensor:
    """Random ids (B, longest) that hold `padding` after each row's length and nowhere else."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, max(vocabulary - 1, 1), (len(lengths), max(lengths)), generator=generator)
    ids[ids >= padding] += 1  # every id but the padding's
    ids.clamp_(max=vocabulary - 1)
    for row, length in zip(ids, lengths, strict=True):
        row[length:] = padding
    return ids


def _rows(lengths: Sequence[int]) -> Tensor:
    return torch.arange(max(lengths))[None] < torch.tensor(lengths)[:, None]


def _gap(ours: Tensor, theirs: Tensor, rows: Tensor) -> float:
    """The largest difference where `rows` (B, T) are real, over the largest original value there, at least 1."""
    theirs = theirs.to(ours.device).float()
    if ours.shape != theirs.shape:
        return float("inf")
    if ours.dim() == 5:  # (L, B, H, T, S) → (B, T, …)
        ours, theirs = (each.permute(1, 3, 0, 2, 4) for each in (ours, theirs))
    ours, theirs = ours[rows], theirs[rows]
    gap = float((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1.0))
    return gap if gap == gap else float("inf")
