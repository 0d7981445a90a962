"""Open Hugging Face folders as checkpoints, converted in memory, and store uploads in a folder for `plan_import`.

`core.checkpoints.files` calls `convert`, `tokenizers` and `summary` by their names. An upload's name only selects one of a
few known roles and is never used as a path. A .zip is unpacked the same way: only members with a known role, each counted
while it is written, nothing outside the folder.
"""

from __future__ import annotations

import dataclasses
import re
import warnings
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from core.api import Checkpoint
from core.checkpoints import files
from core.checkpoints.summary import ForeignSummary
from core.errors import CheckpointError
from core.files import TooLongError, open_zip
from core.importing.comparing import compared_card
from core.importing.kinds import refuse_other_program, training_file
from core.importing.plan import ImportPlan, plan_import
from core.importing.weights import MAX_BYTES
from core.language import numeral
from core.tokenizer import Tokenizer

_MOST_BYTES: Final = 2**40  # the user's own folder: memory is the only limit
_WEIGHT_FILES: Final = (".safetensors", ".bin", ".pt")


def convert(folder: Path, compare: bool = True) -> Checkpoint:
    """The folder's model and tokenizers, on the CPU; with `compare`, compared with the model of its own library.

    What the folder does not tell is assumed, with a warning and on the card. Raises CheckpointError with one sentence.
    """
    plan = _settled_plan(folder)
    made = plan.compared(trusted=True)
    card = {**made.card, **_card(folder, plan), **(compared_card(plan) if compare else {})}
    if plan.assumption:
        warnings.warn(f"{files.folder_name(folder)}: {plan.assumption}", stacklevel=4)
    return dataclasses.replace(made, card=card, stored_digest=files.foreign_digest(folder))


def tokenizers(folder: Path) -> tuple[Tokenizer, Tokenizer]:
    """(source, target). Raises CheckpointError with one sentence."""
    return _settled_plan(folder).tokenizers


def summary(folder: Path) -> ForeignSummary:
    """Configuration, card and sizes; the weights are not read. Raises CheckpointError with one sentence."""
    plan = _settled_plan(folder)
    assert plan.config is not None
    return ForeignSummary(
        path=folder,
        config=plan.config,
        card=_card(folder, plan),
        parameters=plan.parameters,
        stored_bytes=sum(each.stat().st_size for each in folder.iterdir() if each.suffix in _WEIGHT_FILES),
        has_example=False,
        has_atlas=False,
        has_importance=False,
        has_dynamics=False,
        converted=[plan.tokenizers],
    )


def _settled_plan(folder: Path) -> ImportPlan:
    """The plan of an import that has no question. Raises CheckpointError with one sentence."""
    plan = plan_import(folder, max_bytes=_MOST_BYTES)
    if plan.open_questions and not plan.problems:
        names = [each.name.removesuffix("_id") for each in plan.open_questions]
        answers = ", ".join(f"{'tokenizer' if name == 'vocabulary' else name}=…" for name in names)
        raise CheckpointError.tr(
            "{value} does not tell its {listed}; import it with core.import_checkpoint(folder, {answers}, out=…) or on the page Models.",
            value=files.folder_name(folder),
            listed=" and ".join(names),
            answers=answers,
        )
    plan.require_ready()
    return plan


def _card(folder: Path, plan: ImportPlan) -> dict[str, Any]:
    name = files.repository(folder) or folder.name
    return {**plan.card, "name": name[:80], "origin": f"{plan.layout.title}, opened as Hugging Face saved it"}


KNOWN = (
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "target_vocab.json",
    "merges.txt",
    "source.spm",
    "target.spm",
    "spiece.model",
    "sentencepiece.bpe.model",
    "model.safetensors",
    "pytorch_model.bin",
    "config.yaml",
    "shared_vocabulary.json",
    "source_vocabulary.json",
    "target_vocabulary.json",
    "model.safetensors.index.json",
    "pytorch_model.bin.index.json",
    "adapter_config.json",
)
_SHARD = re.compile(r"(model|pytorch_model)-(\d{1,5})-of-(\d{1,5})\.(safetensors|bin)")
_WEIGHTS = {
    ".safetensors": "model.safetensors",
    ".bin": "model.pt",
    ".pt": "model.pt",
    ".pth": "model.pt",
    ".ckpt": "model.pt",
    ".tar": "model.pt",  # checkpoint.pth.tar, which is none
}
_CHUNK = 2**20
_VOCABULARIES = (".txt", ".vocab", ".json", ".spm", ".model")
_SIDES = {
    "source": {"source", "src", "encoder", "enc", "input", "in", "from"},
    "target": {"target", "tgt", "trg", "decoder", "dec", "output", "out", "to"},
}
MAX_MEMBERS = 2000


def stored_name(name: str) -> str | None:
    """Our name for an upload called `name`; None if it has no role here, as an optimizer's state has none."""
    last = re.split(r"[/\\]", name)[-1]
    if training_file(last):
        return None
    if last in KNOWN:
        return KNOWN[KNOWN.index(last)]
    if shard := _SHARD.fullmatch(last):
        stem, number, total, kind = shard.groups()
        return f"{'pytorch_model' if stem.startswith('p') else 'model'}-{int(number):05d}-of-{int(total):05d}.{kind}"
    return _WEIGHTS.get(Path(last).suffix.lower())


@dataclass(frozen=True)
class SortedUploads:
    """Files that were given together, by what they are: those of a checkpoint, each side's vocabulary, and rules."""

    checkpoint: tuple[str, ...]
    source: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    rules: str | None = None


def sort_uploads(names: Sequence[str]) -> SortedUploads:
    """What each file is, by its name and those beside it, whatever their order.

    A file that no checkpoint has and that may be a list of tokens is a vocabulary: of the side that its name says, or of
    the side that is left; one alone serves both. Raises CheckpointError where two name no side, and for more than two.
    """
    rules = [name for name in names if name.lower().endswith(".toml")]
    lists = [
        name
        for name in names
        if stored_name(name) is None
        and Path(name).suffix.lower() in _VOCABULARIES
        and name not in rules
        and not training_file(name)
    ]
    rest = tuple(name for name in names if name not in lists and name not in rules)
    if len(rules) > 1:
        raise CheckpointError.tr("Several .toml files are given; give one file of rules.")
    own = rules[0] if rules else None
    if len(lists) < 2:
        return SortedUploads(rest, tuple(lists), (), own)
    sides = [_side(name) for name in lists]
    if len(lists) > 2 or (None not in sides and sides[0] == sides[1]):
        raise CheckpointError.tr(
            "{listed} cannot all be vocabularies; give one file for each side, or one for both.",
            listed=", ".join(lists)[:200],
        )
    if sides == [None, None]:
        raise CheckpointError.tr(
            "Nothing says which of {one} and {other} is the source’s vocabulary; put source or target into their names.",
            one=lists[0][-60:],
            other=lists[1][-60:],
        )
    first = sides[0] == "source" or sides[1] == "target"
    source, target = lists if first else reversed(lists)
    return SortedUploads(rest, (source,), (target,), own)


def _side(name: str) -> str | None:
    """The side that a file's name speaks of: src_vocab.txt, vocab.target.json."""
    words = set(re.split(r"[^a-z]+", re.split(r"[/\\]", name)[-1].rpartition(".")[0].lower()))
    named = [side for side, known in _SIDES.items() if words & known]
    return named[0] if len(named) == 1 else None


def store_uploads(
    folder: Path, uploads: Iterable[tuple[str, IO[bytes]]], max_bytes: int = MAX_BYTES
) -> list[str]:
    """Write uploads (name, open file) into `folder`, which belongs to one session; returns our names.

    `max_bytes` is for all of them together. Raises CheckpointError; files written until then stay in `folder`,
    which the caller removes.
    """
    room, stored = max_bytes, list[str]()
    for name, stream in uploads:
        if Path(name).suffix.lower() == ".zip":
            room = _unpack(folder, stream, room, max_bytes, stored)
        else:
            own = stored_name(name)
            if own is None and training_file(name):
                continue  # what a trainer keeps beside the weights
            if own is None:
                refuse_other_program(name)
                raise CheckpointError.tr(
                    "{name!r} is not a file of a checkpoint; give weights (.safetensors, .pt, .bin), {listed} and the like.",
                    name=name[-60:],
                    listed=", ".join(KNOWN[:3]),
                )
            room = _copy(folder, own, stream, room, max_bytes, stored)
    return stored


def _unpack(folder: Path, stream: IO[bytes], room: int, max_bytes: int, stored: list[str]) -> int:
    try:
        with open_zip(stream, MAX_MEMBERS) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > room:
                raise CheckpointError.tr(
                    "the archive unpacks to more than {max_bytes} bytes; make it smaller.",
                    max_bytes=numeral(max_bytes, ","),
                )
            last = max(
                (number for member in members if (number := _step(member.filename)) is not None), default=None
            )
            before = len(stored)
            for member in members:
                if _step(member.filename) not in (None, last):
                    continue  # a trainer's earlier checkpoint
                own = None if member.is_dir() or member.flag_bits & 1 else stored_name(member.filename)
                if own is not None:
                    with archive.open(member) as inside:
                        room = _copy(folder, own, inside, room, max_bytes, stored)
            if not any(Path(own).suffix in _WEIGHTS for own in stored[before:]):
                for member in members:
                    refuse_other_program(member.filename)
    except TooLongError:
        raise CheckpointError.tr(
            "the archive holds too many files; at most {max_members} are read.",
            max_members=numeral(MAX_MEMBERS, ","),
        ) from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError.tr("the .zip file is damaged; make it again.") from None
    return room


def _step(name: str) -> int | None:
    """The step of a trainer's folder checkpoint-N that a member of an archive lies in; None outside of one."""
    steps = re.findall(r"(?:^|/)checkpoint[-_](\d{1,12})/", name)
    return int(steps[-1]) if steps else None


def _copy(folder: Path, own: str, stream: IO[bytes], room: int, max_bytes: int, stored: list[str]) -> int:
    if own in stored:
        raise CheckpointError.tr("two of the files would be {own}; give one.", own=own)
    with (folder / own).open("xb") as file:
        while chunk := stream.read(_CHUNK):
            room -= len(chunk)
            if room < 0:
                raise CheckpointError.tr(
                    "the files are larger than {max_bytes} bytes together; make them smaller.",
                    max_bytes=numeral(max_bytes, ","),
                )
            file.write(chunk)
    stored.append(own)
    return room
