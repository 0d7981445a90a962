"""`wrap`: a model that is in memory as a `Checkpoint`, compared with the original at once; `import_checkpoint`: one on disk.

Hugging Face's encoder-decoders and modules around torch's Transformer. Nothing is written but the tokenizer's files, to a
folder that is gone when `wrap` returns. Where the layout allows the copy shares the original's storage, so a model that is
trained on has to be wrapped again.
"""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from torch import nn

from core.api import Checkpoint, load
from core.errors import InputError
from core.importing.agreement import TOLERANCE, Agreement, Original, hugging_face_outputs, measure_agreement
from core.importing.comparing import compared_card
from core.importing.kinds import refuse_in_memory
from core.importing.known_layout import of_known_layout
from core.importing.originals import (
    in_single_precision,
    is_hugging_face,
    published_class,
    refuse_holder,
    unwrapped,
)
from core.importing.own_transformer import ModuleInMemory, described, holds_torchs
from core.importing.plan import ImportPlan, plan_import, plan_weights
from core.importing.sentencepiece import Vocabulary
from core.importing.source_ids import SameIds, around_in_memory, compare_ids, in_memory
from core.importing.trial import write_import
from core.importing.vocabulary import BYTES, NONE, NUMBERS, Wishes, given_vocabulary
from core.importing.weights import weights_in_memory
from core.model.hooks import ATTENTION
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
    map_file: str | Path | None = None,
    **options: Any,
) -> WrappedCheckpoint:
    """A Hugging Face encoder-decoder, a module around torch's Transformer, or one of a known layout, as a checkpoint.

    `tokenizer`: Hugging Face's, one of `core.Tokenizer`, a list of tokens, "numbers", or (source, target) of these.
    `source_language` and `target_language` are codes of a multilingual vocabulary, such as fr_XX. `options` answer what a
    model does not tell, by the names of `core.ModelConfig` (and pad, bos, eos, unk). `map_file` holds rules for a module of any
    other layout (docs/importing.md). Logits and all three kinds of maps are
    compared with the original's on random ids, and the copy is refused where one differs by more than 1e-5 of its scale;
    `agreement` keeps the differences. The original may be compiled, in DataParallel, under autocast or in half precision: both
    are compared in float32, and `agreement` says what was read otherwise than it is stored. Raises `InputError` or `CheckpointError`.
    """
    answers = {"source_language": source_language, "target_language": target_language, **options}
    if not isinstance(model, nn.Module):
        raise InputError(
            f"A {type(model).__name__} is not a model in memory; give an encoder-decoder, or core.load its folder."
        )
    model = unwrapped(model)
    refuse_in_memory(model)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        stack.enter_context(_evaluating(model))
        wishes, files = _wishes(tokenizer, folder)
        exact, stored_as = in_single_precision(model)
        originals: list[tuple[Original, bool]]
        plans: list[Callable[[], ImportPlan]]
        if is_hugging_face(model):
            plans = [partial(_hugging_face_plan, model, files, wishes, answers)]
            originals = [(hugging_face_outputs(exact), True)]
        else:
            refuse_holder(model)
            told = {**_own(tokenizer), **answers}
            module = _module(model, exact, wishes, told, map_file)
            plans = [
                partial(plan_weights, module.weights, wishes, {**settings, **told}, module.layout, map_file)
                for settings in module.settings
            ]
            originals = [(run, run.takes_padding) for run in module.runs]
        # Most modules agree at the first settings; the plans of the others are made where they do not.
        made = cache(lambda number: plans[number]())
        _require_ready(made(0))
        tried: list[WrappedCheckpoint] = []
        for (original, padded), number in product(originals, range(len(plans))):
            try:
                tried.append(_checkpoint(made(number), original, padded, tokenizer))
            except InputError:
                if not tried:
                    raise
                continue  # a way to call the module that fails on longer sentences
            if tried[-1].agreement.agrees:  # type: ignore[union-attr]
                break
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
    compare: bool = True,
    **options: Any,
) -> Checkpoint:
    """The checkpoint in another project's file or folder, as `python -m core import` makes it; with `out`, written there.

    `options` are answers: options of `core.ModelConfig` by name, pad, bos, eos, unk, source_language, target_language, and
    split, pattern, lowercase and max_bytes for its files. With `compare`, a folder that `transformers` can open is compared
    with the library's own model. What the file does not tell is assumed, with a warning and on the card. Raises
    `CheckpointError` with one sentence that names what is missing, does not fit or differs.
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
    card = compared_card(plan) if compare else {}
    if plan.assumption:
        warnings.warn(plan.assumption, stacklevel=2)
    if out is None:
        checkpoint = plan.compared(trusted=True)
        return dataclasses.replace(checkpoint, card={**checkpoint.card, **card})
    write_import(plan, out, sentences, card)
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
    agreement = measure_agreement(checkpoint.model, original, padded)
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
        f"A {type(tokenizer).__name__} is not a tokenizer; give Hugging Face's, core.Tokenizer, a list of tokens or 'numbers'."
    )


def _module(
    model: nn.Module,
    exact: nn.Module,
    wishes: Wishes,
    answers: Mapping[str, Any],
    map_file: str | Path | None,
) -> ModuleInMemory:
    """The parts of a module that is none of Hugging Face's, and the ways to call `exact`, the same in single precision.

    Raises InputError or CheckpointError.
    """
    if map_file is None and holds_torchs(model):
        return described(model, exact)
    return of_known_layout(model, exact, wishes, answers, map_file)


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
