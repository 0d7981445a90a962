"""An import compared at the door with the model that `transformers` itself opens from the same folder.

Logits and all three kinds of maps, on random ids, as `wrap` does for a model in memory. Nothing is downloaded and no code of
the folder is run. Where the library cannot open the folder, draws weights that it lacks, or takes too long, nothing is
compared.
"""

from __future__ import annotations

import copy
import importlib.util
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor, nn

from core.errors import CheckpointError
from core.importing.agreement import TOLERANCE, Agreement, Original, hugging_face_outputs, measure_agreement
from core.importing.calling import Outputs
from core.model.hooks import ATTENTION

if TYPE_CHECKING:
    from core.importing.plan import ImportPlan
    from core.model.transformer import Transformer

SECONDS: Final = 60.0
MOST_BYTES: Final = 4_000_000_000  # of weights, which are read a second time


class _LibraryError(Exception):
    """The library's own forward pass fails, or takes too long."""


def compare_with_library(plan: ImportPlan) -> Agreement | None:
    """How far the import is from the library's own model; None where that cannot be measured.

    Raises CheckpointError where a difference is more than TOLERANCE of its scale, in double precision too.
    """
    deadline = time.monotonic() + SECONDS
    with torch.random.fork_rng(devices=[]):
        theirs = _library_model(plan)
        if theirs is None:
            return None
        ours = plan.checkpoint.model
        try:
            with _until(theirs, deadline):
                agreement = agreement_with(ours, theirs)
        except _LibraryError:
            return None
    if agreement.agrees:
        return agreement
    worst = max(("logits", *ATTENTION), key=lambda name: float(getattr(agreement, name)))
    raise CheckpointError.tr(
        "the {name} of the import differ from those of the transformers library by {gap} of their scale, where {tolerance} is "
        "allowed, so it would show another model; use core.from_generate, or import it without this comparison (--no-compare).",
        name=worst,
        gap=f"{getattr(agreement, worst):.1e}",
        tolerance=f"{TOLERANCE:.0e}",
    )


def compared_card(plan: ImportPlan) -> dict[str, str]:
    """What the card says of the comparison; empty where there is none. Raises CheckpointError where the two differ."""
    agreement = compare_with_library(plan)
    return {} if agreement is None else {"agreement": str(agreement)}


def agreement_with(ours: Transformer, theirs: nn.Module) -> Agreement:
    """Both on the same ids, in single precision; in double where rounding may have taken them apart."""
    agreement = measure_agreement(ours, _outputs(theirs), True)
    if agreement.agrees:
        return agreement
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)  # in which some families make their masks
    try:
        doubled = measure_agreement(
            copy.deepcopy(ours).double(), _outputs(copy.deepcopy(theirs).double()), True
        )
    except _LibraryError:
        return agreement
    finally:
        torch.set_default_dtype(before)
    return min(agreement, doubled, key=lambda each: each.largest)


def _outputs(theirs: Any) -> Original:
    """The outputs of the library's model, whose own failures are `_LibraryError`."""
    theirs.config.return_dict = True  # whatever its folder says: parts of some families go by it alone
    run = hugging_face_outputs(theirs)

    def outputs(*batch: Tensor) -> Outputs:
        try:
            return run(*batch)
        except Exception as error:  # of many kinds
            raise _LibraryError(str(error)) from None

    return outputs


def _library_model(plan: ImportPlan) -> Any:
    """The library's model from the folder of the weights, in single precision; None where it has none."""
    config = plan.weights.files.get("config.json")
    known = (plan.weights.config or {}).get("model_type") in plan.layout.model_types
    if config is None or not known or not config.is_file() or not importlib.util.find_spec("transformers"):
        return None
    folder = config.parent
    if sum(each.stat().st_size for each in folder.iterdir() if each.is_file()) > MOST_BYTES:
        return None
    import transformers

    with _quietly(transformers):
        try:
            model, loading = transformers.AutoModelForSeq2SeqLM.from_pretrained(
                str(folder),
                local_files_only=True,
                trust_remote_code=False,
                attn_implementation="eager",
                dtype=torch.float32,
                output_loading_info=True,
            )
        except Exception:  # its own refusals are of many kinds
            return None
    return None if loading["missing_keys"] or loading["mismatched_keys"] else model.eval()


@contextmanager
def _quietly(transformers: Any) -> Iterator[None]:
    """Without the library's progress bars and warnings."""
    log = transformers.utils.logging
    level, bars = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    log.disable_progress_bar()
    try:
        yield
    finally:
        log.set_verbosity(level)
        if bars:
            log.enable_progress_bar()


@contextmanager
def _until(model: nn.Module, deadline: float) -> Iterator[None]:
    """Stop a forward pass of `model` that is not over at `deadline`, between two of its modules."""

    def check(*_: Any) -> None:
        if time.monotonic() > deadline:
            raise _LibraryError

    hooks = [module.register_forward_pre_hook(check) for module in model.modules()]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
