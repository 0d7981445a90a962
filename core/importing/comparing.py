"""Compare an import with the model that `transformers` opens from the same folder.

Logits and all three kinds of maps, on random ids, as `wrap` does for a model in memory. Nothing is downloaded and no code of
the folder is run. Where the library cannot open the folder, draws weights that it lacks, or takes too long, nothing is
compared.
"""

from __future__ import annotations

import copy
import importlib.util
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor, nn

from core.child import Child, ChildError
from core.errors import CheckpointError
from core.importing.agreement import TOLERANCE, Agreement, Original, hugging_face_outputs, measure_agreement
from core.importing.calling import Outputs
from core.model.hooks import ATTENTION

if TYPE_CHECKING:
    from core.importing.plan import ImportPlan
    from core.model.transformer import Transformer

SECONDS: Final = 60.0
MOST_BYTES: Final = 4_000_000_000  # of weights, which are read a second time
MEGABYTES: Final = (
    8192  # of a child: torch alone takes one gigabyte, and two models of the largest upload four
)


class _LibraryError(Exception):
    """The library's own forward pass fails, or takes too long."""


def compare_with_library(plan: ImportPlan) -> Agreement | None:
    """How far the import is from the library's own model; None where that cannot be measured.

    Raises CheckpointError where a difference is more than TOLERANCE of its scale, in double precision too.
    """
    agreement = _measured(plan)
    if agreement is not None and not agreement.agrees:
        raise _difference(agreement)
    return agreement


def _measured(plan: ImportPlan) -> Agreement | None:
    """The measured differences, without comparing them with TOLERANCE."""
    deadline = time.monotonic() + SECONDS
    with torch.random.fork_rng(devices=[]):
        theirs = _library_model(plan)
        if theirs is None:
            return None
        ours = plan.checkpoint.model
        try:
            with _until(theirs, deadline):
                return agreement_with(ours, theirs)
        except _LibraryError:
            return None


def _difference(agreement: Agreement) -> CheckpointError:
    """The sentence about an import that differs from the library's model."""
    worst = max(("logits", *ATTENTION), key=lambda name: float(getattr(agreement, name)))
    return CheckpointError.tr(
        "the {name} of the import differ from those of the transformers library by {gap} of their scale, where {tolerance} is "
        "allowed, so it would show another model; use core.from_generate, or import it without this comparison (--no-compare).",
        name=worst,
        gap=f"{getattr(agreement, worst):.1e}",
        tolerance=f"{TOLERANCE:.0e}",
    )


class UploadComparison:
    """The same for the untrusted files of one folder: in a child process of limited memory, within SECONDS in all."""

    def __init__(self, folder: Path, layout: str, max_bytes: int) -> None:
        setup = {"path": str(folder), "layout": layout, "max_bytes": max_bytes}
        self._child = Child("core.importing.comparing:comparing", setup, MEGABYTES)

    def card(self, plan: ImportPlan, answers: Mapping[str, Any]) -> dict[str, str]:
        """As `compared_card`, with the "largest" difference; empty where nothing is compared, or it takes too much.

        Raises CheckpointError where the two differ.
        """
        if not comparable(plan):
            return {}
        texts = {name: str(value) if isinstance(value, Path) else value for name, value in answers.items()}
        try:
            measured: dict[str, Any] | None = self._child.ask(texts, seconds=SECONDS)
        except ChildError:
            return {}
        finally:
            self._child.close()
        if measured is None:
            return {}
        agreement = Agreement(**measured)
        if not agreement.agrees:
            raise _difference(agreement)
        return {"agreement": str(agreement), "largest": f"{agreement.largest:.0e}"}


def comparing(setup: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any] | None]:
    """The function that compares in the child."""
    from core.importing.plan import plan_import

    def compare(answers: dict[str, Any]) -> dict[str, Any] | None:
        plan = plan_import(**setup)
        agreement = _measured(plan.answer(**answers) if answers else plan)
        return None if agreement is None else asdict(agreement)

    return compare


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


def comparable(plan: ImportPlan) -> bool:
    """Whether `transformers` is installed and has a model for the folder of the weights, which is not too large."""
    config = plan.weights.files.get("config.json")
    known = (plan.weights.config or {}).get("model_type") in plan.layout.model_types
    if config is None or not known or not config.is_file() or not importlib.util.find_spec("transformers"):
        return False
    return sum(each.stat().st_size for each in config.parent.iterdir() if each.is_file()) <= MOST_BYTES


def _library_model(plan: ImportPlan) -> Any:
    """The library's model from the folder of the weights, in single precision; None where it has none."""
    if not comparable(plan):
        return None
    import transformers

    folder = plan.weights.files["config.json"].parent
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
