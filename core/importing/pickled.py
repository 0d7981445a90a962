"""Reads PyTorch's own files (.pt, .pth, .bin) without running anything in them.

A pickle is a program. Its instructions are first read as text, for the names that it would import:

- names that a state dict needs are allowed (`_ALLOWED`);
- names that a program would misuse are refused (`_DANGEROUS`);
- every other name, such as a scheduler or a NumPy number, is read as `Unread`, which does nothing.

The numbers that it declares must fit in the file. Then `torch.load(weights_only=True)` reads it, which has its own list of
allowed calls. In what it gives the state dict is looked for, wherever a training script put it.
"""

from __future__ import annotations

import _compat_pickle
import io
import pickletools
import re
import threading
import zipfile
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import torch
from torch import Tensor

from core.errors import CheckpointError
from core.files import TooLongError, open_zip, regular_file
from core.importing.kinds import refuse_quantised
from core.importing.protocols import (
    NotWrittenAgainError,
    UnpicklerOfLaterProtocols,
    as_protocol_two,
    is_newer,
)
from core.importing.toolkits import fairseq_arguments
from core.language import numeral

# Names that torch itself allows; no stand-in replaces them.
_OF_TORCH: Final = frozenset(torch._weights_only_unpickler._get_allowed_globals())
MAX_PROGRAM_BYTES = 32 * 2**20
MAX_ENTRIES = 20_000
MAX_INSTRUCTIONS = 2_000_000  # a state dict of 10,000 tensors needs 250,000, and two vocabularies of 100,000 words less than a million
_LEGACY_MAGIC: Final = (0x1950A86A20F9469CFC6C).to_bytes(10, "little")
_LEGACY_PROGRAMS = 5  # magic number, protocol, system, the object, the list of storages
_STORAGES = (
    "Float",
    "Half",
    "BFloat16",
    "Double",
    "Long",
    "Int",
    "Short",
    "Char",
    "Byte",
    "Bool",
    "ComplexFloat",
)
_DTYPES = ("float32", "float16", "bfloat16", "float64", "int64", "int32", "int16", "int8", "uint8", "bool")
_ALLOWED = {
    "argparse Namespace",  # of fairseq's files: nothing but attributes
    "collections OrderedDict",
    "collections Counter",
    "_codecs encode",  # how bytes are written, those of NumPy's numbers among them
    "__builtin__ set",
    "builtins set",
    "torch Size",
    "torch device",
    "torch._utils _rebuild_tensor_v2",
    "torch._utils _rebuild_tensor",
    "torch._utils _rebuild_parameter",
    *(f"torch {name}Storage" for name in _STORAGES),
    *(f"torch {name}" for name in _DTYPES),
    "torch.storage UntypedStorage",
    "torch.storage TypedStorage",
}
# A file that names one of these is made to run something; nothing else in it is looked at.
_DANGEROUS: Final = re.compile(
    r"(posix|nt|os|sys|subprocess|pty|shutil|socket|runpy|importlib|ctypes|code|codeop|commands|types|timeit|pdb|webbrowser"
    r"|pickle|_pickle|cPickle|marshal|__builtin__|builtins)(\.| )"
)
_HARMLESS: Final = re.compile(
    r"(__builtin__|builtins) (frozenset|slice|range|xrange|int|float|long|str|unicode|bytes|bytearray|bool|list|tuple|dict|object|complex)"
)
_QUANTISED: Final = re.compile(
    r"torch (q|qu)int\w+|torch per_(tensor|channel)_\w+|torch\._utils _rebuild_qtensor|torch Q\w+Storage|torch float8_\w+"
)
_SLOW_CODECS: Final = ("idna", "punycode")
_LOADING: Final = threading.Lock()  # torch keeps the names that are allowed for all threads together
_STRINGS = ("UNICODE", "STRING")


class Unread:
    """Stands for an object that is not a tensor and not needed; it is ignored."""

    def __new__(cls, *_: Any, **__: Any) -> Unread:
        return object.__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __setstate__(self, _: Any) -> None:
        pass


class _Dict:
    """Stands for a kind of dict, such as defaultdict: a plain one, which the file then fills."""

    def __new__(cls, *_: Any, **__: Any) -> Any:
        return {}


class _List:
    """Stands for a kind of list, such as deque: a plain one."""

    def __new__(cls, *_: Any, **__: Any) -> Any:
        return []


def read_pickled(path: Path, max_bytes: int) -> tuple[dict[str, Tensor], list[str], Mapping[str, Any] | None]:
    """The state dict in `path`, notes on what was left out, and the arguments that fairseq keeps beside it.

    Raises CheckpointError with one sentence.
    """
    zipped = zipfile.is_zipfile(path)
    unread = _check_zip(path, max_bytes) if zipped else _check_legacy(path)
    allowed = torch.serialization.safe_globals([Namespace, *_stand_ins(unread)])
    later = patch.object(torch._weights_only_unpickler, "Unpickler", UnpicklerOfLaterProtocols)
    try:
        with _LOADING, allowed, later if zipped else nullcontext():
            content = torch.load(path, map_location="cpu", weights_only=True, mmap=True if zipped else None)
    except Exception as error:
        reason = " ".join(str(error).split("\n")[0].split())[:120] or type(error).__name__
        raise CheckpointError.tr(
            "{file} is not a readable PyTorch file ({reason}); save it again.", file=path.name, reason=reason
        ) from None
    state, notes = _state_dict(path, content, unread)
    for key, tensor in state.items():
        _check_tensor(path, key, tensor, max_bytes)
    return state, notes, fairseq_arguments(content)


def _stand_ins(names: set[str]) -> Iterator[tuple[Any, str]]:
    """What each of these names is read as, for torch's list of what may be called."""
    for raw in names:
        module, _, name = raw.partition(" ")
        # Protocol 2, which torch.save writes, has the names of Python 2; torch looks for today's.
        now = _compat_pickle.NAME_MAPPING.get(
            (module, name), (_compat_pickle.IMPORT_MAPPING.get(module, module), name)
        )
        made: Any = type(name, (Unread,), {"__module__": module})
        if name == "defaultdict" or name.endswith("Dict"):
            made = _Dict
        elif name == "deque":
            made = _List
        for dotted in {f"{module}.{name}", ".".join(now)}:
            yield made, dotted


def _check_zip(path: Path, max_bytes: int) -> set[str]:
    """The names in the archive's program that are read as `Unread`. Raises CheckpointError for what torch.save never writes."""
    size = path.stat().st_size
    try:
        with regular_file(path) as file, open_zip(file, MAX_ENTRIES) as archive:
            entries = archive.infolist()
            _refuse_other_archives(path, entries)
            _check_entries(path, entries, size, max_bytes)
            program = archive.read(_program(path, entries))
            return _walk(path, io.BytesIO(_in_protocol_two(path, program)), size)[1]
    except TooLongError:
        raise CheckpointError.tr(
            "{file} holds too many entries; at most {max_entries} are read.",
            file=path.name,
            max_entries=numeral(MAX_ENTRIES, ","),
        ) from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError.tr("{file} is a damaged archive; copy it again.", file=path.name) from None


def _refuse_other_archives(path: Path, entries: Sequence[zipfile.ZipInfo]) -> None:
    """Raises CheckpointError for TorchScript and for NumPy's archives, with what to do instead."""
    names = {"/" + entry.filename for entry in entries}
    if any("/code/" in name for name in names) and any(name.endswith("/constants.pkl") for name in names):
        raise CheckpointError.tr(
            "{file} is TorchScript, a compiled program; load it with torch.jit.load and save model.state_dict() with torch.save.",
            file=path.name,
        )
    if names and all(name.endswith(".npy") for name in names):
        raise CheckpointError.tr(
            "{file} is a NumPy archive; load it with numpy.load and save its arrays as tensors with torch.save, a name for each.",
            file=path.name,
        )


def _check_entries(path: Path, entries: Sequence[zipfile.ZipInfo], size: int, max_bytes: int) -> None:
    """Raises CheckpointError for a name that leads out of the archive, for compression, and for more than the file has."""
    for entry in entries:
        folders = entry.filename.replace("\\", "/").split("/")
        if entry.filename.startswith(("/", "\\")) or ".." in folders or ":" in folders[0]:
            raise CheckpointError.tr(
                "{file} holds an entry whose name leads out of it; save it again.", file=path.name
            )
        if entry.compress_type != zipfile.ZIP_STORED:
            raise CheckpointError.tr(
                "{file} is a compressed archive, which torch.save never writes.", file=path.name
            )
    total = sum(entry.file_size for entry in entries)
    if total > min(size, max_bytes):
        raise CheckpointError.tr(
            "{file} declares {total} bytes and has {size}; save it again.",
            file=path.name,
            total=numeral(total, ","),
            size=numeral(size, ","),
        )


def _program(path: Path, entries: Sequence[zipfile.ZipInfo]) -> zipfile.ZipInfo:
    """The archive's one pickle. Raises CheckpointError where there is another number of them, or one that is too long."""
    programs = [entry for entry in entries if entry.filename.endswith(".pkl")]
    if len(programs) != 1 or not programs[0].filename.endswith("data.pkl"):
        raise CheckpointError.tr(
            "{file} is an archive without a single data.pkl; give a file that torch.save wrote.",
            file=path.name,
        )
    if programs[0].file_size > MAX_PROGRAM_BYTES:
        raise CheckpointError.tr(
            "{file} has a data.pkl of {file_size} bytes; that is too long.",
            file=path.name,
            file_size=numeral(programs[0].file_size, ","),
        )
    return programs[0]


def _in_protocol_two(path: Path, program: bytes) -> bytes:
    """The archive's program as torch is given it. Raises CheckpointError."""
    try:
        return as_protocol_two(program, MAX_PROGRAM_BYTES, MAX_INSTRUCTIONS)
    except NotWrittenAgainError:
        raise CheckpointError.tr(
            "{file} is written in pickle protocol {protocol} and cannot be read safely; open it where it was made and write "
            "torch.save(model.state_dict(), FILE), without pickle_protocol.",
            file=path.name,
            protocol=program[1],
        ) from None
    except ValueError:
        raise _damaged(path) from None


def _damaged(path: Path) -> CheckpointError:
    return CheckpointError.tr("{file} is damaged: its pickle breaks off; copy it again.", file=path.name)


def _check_legacy(path: Path) -> set[str]:
    """The same for the format before PyTorch 1.6: pickles one after another, and the numbers behind them."""
    names: set[str] = set()
    with path.open("rb") as file:
        first = file.read(32)
        # torch does not know the instructions of these protocols.
        if is_newer(first) and first[1] > 3 and _LEGACY_MAGIC in first:
            raise CheckpointError.tr(
                "{file} is written in pickle protocol {protocol} and in the format before PyTorch 1.6, which are not read "
                "together; open it where it was made and write torch.save(model.state_dict(), FILE).",
                file=path.name,
                protocol=first[1],
            )
        if first[:1] != b"\x80":
            raise CheckpointError.tr(
                "{file} is neither safetensors nor a PyTorch file; give one of the two.", file=path.name
            )
        file.seek(0)
        left = MAX_INSTRUCTIONS
        for _ in range(_LEGACY_PROGRAMS):
            left, more = _walk(path, file, path.stat().st_size, left)
            names |= more
            if file.tell() == path.stat().st_size:
                raise CheckpointError.tr(
                    "{file} is a bare pickle, not a PyTorch file; use torch.save.", file=path.name
                )
    return names


def _walk(path: Path, stream: Any, size: int, most: int = MAX_INSTRUCTIONS) -> tuple[int, set[str]]:
    """Refuse a pickle that would run something, or declares more numbers than the file has bytes.

    Returns how many of `most` instructions are left, and the names that are read as `Unread`. Raises CheckpointError.
    """
    strings: list[str] = []  # the last two that were put on the stack: a module and a name, for STACK_GLOBAL
    names: set[str] = set()
    slow = False  # whether a text of the file begins as the name of a slow codec does
    last_number, declared, start = 0, 0, stream.tell()
    try:
        for instruction, argument, _ in pickletools.genops(stream):
            name, most = instruction.name, most - 1
            if most < 0 or stream.tell() - start > MAX_PROGRAM_BYTES:
                raise CheckpointError.tr(
                    "{file} holds a pickle that is too long; save only model.state_dict().", file=path.name
                )
            if name.endswith(_STRINGS) or "UNICODE" in name:
                strings = [*strings[-1:], str(argument)]
                slow = slow or re.sub(r"[\W_]", "", strings[-1][:40]).lower().startswith(_SLOW_CODECS)
            elif (isinstance(argument, int) and "INT" in name) or name.startswith("LONG"):
                last_number = int(argument) if argument is not None else 0
            elif name in ("BINPERSID", "PERSID"):
                # A tensor's storage; the number before it says how many numbers it has.
                declared += max(last_number, 0)
            if name in ("GLOBAL", "INST"):
                names.add(str(argument))
            elif name == "STACK_GLOBAL":
                names.add(" ".join(strings))
            elif name.startswith("EXT"):
                raise _refusal(path, "an extension")
    except CheckpointError:
        raise
    except Exception:
        raise _damaged(path) from None
    if declared > 16 * size:
        raise CheckpointError.tr(
            "{file} declares {declared} numbers in {size} bytes; save it again.",
            file=path.name,
            declared=numeral(declared, ","),
            size=numeral(size, ","),
        )
    _refuse_names(path, names, slow)
    return most, names - _ALLOWED


def _refuse_names(path: Path, names: set[str], slow: bool) -> None:
    """Raises CheckpointError for names of quantised numbers, and for what would run something; `slow` as in `_walk`."""
    if quantised := next(filter(_QUANTISED.match, sorted(names)), None):
        dotted = ".".join(quantised.split())
        raise refuse_quantised(path.name, dotted if "float8" in dotted else f"torch.ao: {dotted}")
    for name in sorted(names - _ALLOWED):
        misused = _DANGEROUS.match(name) or ".".join(name.split()) in _OF_TORCH
        if misused and not _HARMLESS.fullmatch(name):
            raise _refusal(path, name)
    if slow and "_codecs encode" in names:
        raise _refusal(path, "_codecs encode")


def _refusal(path: Path, name: str) -> CheckpointError:
    return CheckpointError.tr(
        "{file} would run {dotted!r} when opened, so it is refused; save only model.state_dict() and give that.",
        file=path.name,
        dotted=".".join(name.split())[:80],
    )


COUNTER: Final = re.compile(
    r"n_averaged|initted|(global_)?(step|epoch|iter|iteration)s?|(best_|val_|train_)?(val_)?loss|lr"
)
_MOST_PLACES: Final = 5_000  # mappings and lists that are looked into
_DEEPEST: Final = 5
_USUAL: Final = (
    "model_state_dict",
    "state_dict",
    "model",
    "model_state",
    "net",
    "network",
    "module",
    "weights",
    "params",
)
_AVERAGED: Final = re.compile(
    r"(?<![a-z])(ema|swa|shadow|averaged?|avg|teacher|momentum)(?![a-z])|_ema|ema_", re.I
)
_TRAINING: Final = re.compile(
    r"optimi[sz]er|(?<![a-z])optim(?![a-z])|sched|scaler|(?<![a-z])rng|callback|loops", re.I
)
_ENDS: Final = re.compile(r"[._]?(model)?[._]?(state|weights|params)?[._]?(dict)?$", re.I)


class _Found(NamedTuple):
    """A mapping of the file, and the keys that lead to it."""

    place: tuple[str, ...]
    mapping: Mapping[Any, Any]

    @property
    def where(self) -> str:
        """The keys in words."""
        return " → ".join(self.place)


def _state_dict(path: Path, content: Any, unread: set[str]) -> tuple[dict[str, Tensor], list[str]]:
    """The mapping of names to tensors, wherever a training script put it, and notes on what is beside it.

    Inner mappings count as well as outer ones: a loss that is a tensor makes no state dict of what holds it. An optimizer's
    state is none either. Of copies with the same names (a running average) the trained one is read.
    """
    if isinstance(content, Unread) or (not isinstance(content, Mapping) and _module(unread)):
        raise _whole_module(path, content)
    mappings = list(_mappings(content))
    sizes = [_numbers(each.mapping) for each in mappings]
    found = [each for each, size in zip(mappings, sizes, strict=True) if size]
    if not mappings:
        raise CheckpointError.tr(
            "{file} holds a {name}, not a state dict; save model.state_dict() and give that.",
            file=path.name,
            name=type(content).__name__,
        )
    if not found:
        if _module(unread):
            raise _whole_module(path, content)
        if any(re.search(r"^numpy\S* _reconstruct$", name) for name in unread):
            raise CheckpointError.tr(
                "{file} holds NumPy arrays, which cannot be read without running code; turn each into a tensor by "
                "torch.from_numpy and save a dict of these with torch.save.",
                file=path.name,
            )
        if (key := _nameless(content)) is not None:
            raise CheckpointError.tr(
                "{file} holds tensors in a list without names ({key}), as running averages of parameters do; copy them "
                "into the model (ema.copy_to(model.parameters())), save model.state_dict() and give that.",
                file=path.name,
                key=key,
            )
        raise CheckpointError.tr(
            "{file} holds no named tensors; save model.state_dict() and give that.", file=path.name
        )
    likely = [each for each, size in zip(mappings, sizes, strict=True) if size and size >= max(sizes) / 2]
    place, mapping = chosen = _chosen(path, likely)
    others = [each for each in found if each.mapping is not mapping]
    notes = []
    read = set(place[:1])
    if both := _two_halves(chosen, others):
        mapping, halves = both
        read |= set(halves)
        notes.append(f"the state dicts {' and '.join(halves)} were read as one")
    elif place:
        notes.append(f"the state dict was found under {chosen.where}")
    notes += [
        f"{each.where} holds the same names and was not read; save it alone to see it"
        for each in others
        if each.place and set(each.mapping) == set(mapping)
    ]
    if place and isinstance(content, Mapping):
        beside = [str(key)[:40] for key in content if str(key)[:40] not in read]
        notes += [f"beside it, not read: {', '.join(beside[:8])}"] if beside else []
    return _tensors(path, mapping, notes), notes


def _nameless(content: Any) -> str | None:
    """The key of a list of tensors in `content`; None where there is none."""
    for each in _mappings(content):
        for key, value in each.mapping.items():
            if isinstance(value, (list, tuple)) and sum(isinstance(one, Tensor) for one in value) > 1:
                return str(key)[:40]
    return None


def _tensors(path: Path, mapping: Mapping[Any, Any], notes: list[str]) -> dict[str, Tensor]:
    """The tensors of a state dict; numbers among them are left out with a note."""
    tensors = {
        key: each for key, each in mapping.items() if isinstance(key, str) and isinstance(each, Tensor)
    }
    counters = [key for key, each in tensors.items() if not each.dim() and COUNTER.fullmatch(key)]
    rest = [str(key)[:80] for key in mapping if key not in tensors]
    for key in rest:
        if "." in key and not key.endswith("_extra_state"):
            raise CheckpointError.tr(
                "{file} mixes tensors with {rest!r}, which is not a tensor; save model.state_dict().",
                file=path.name,
                rest=key,
            )
    if rest or counters:
        notes.append(f"among the tensors, not read: {', '.join([*rest, *counters][:8])}")
    return {key: each for key, each in tensors.items() if key not in counters}


def _mappings(content: Any) -> Iterator[_Found]:
    """Every mapping in `content` with the keys that lead to it, in the file's order, without an optimizer's state."""
    waiting: list[tuple[tuple[str, ...], Any]] = (
        [((), content)] if isinstance(content, (Mapping, list, tuple)) else []
    )
    seen = set[int]()
    for _ in range(_MOST_PLACES):
        if not waiting:
            return
        place, node = waiting.pop(0)
        if id(node) in seen or len(place) > _DEEPEST:
            continue
        seen.add(id(node))
        if isinstance(node, Mapping):
            if "param_groups" in node:
                continue
            yield _Found(place, node)
            named = [(str(key)[:40], each) for key, each in node.items()]
            inside = [(key, each) for key, each in named if not _TRAINING.search(key)]
        else:
            inside = [(str(number), each) for number, each in enumerate(node[:100])]
        waiting += [((*place, key), each) for key, each in inside if isinstance(each, (Mapping, list, tuple))]


def _numbers(mapping: Mapping[Any, Any]) -> int:
    """How many numbers the named weights of a mapping have; 0 where it has none."""
    return sum(
        each.numel()
        for key, each in mapping.items()
        if isinstance(key, str)
        and isinstance(each, Tensor)
        and each.dim()
        and (each.is_floating_point() or "." in key)
    )


def _chosen(path: Path, likely: list[_Found]) -> _Found:
    """The state dict to read: not an average of it, by a usual name, else the only one or all alike. Raises CheckpointError."""
    trained = [each for each in likely if not _AVERAGED.search(" ".join(each.place))] or likely
    usual = [each for name in _USUAL for each in trained if each.place and each.place[-1] == name]
    whole = [each for each in trained if _names_both(map(str, each.mapping), ("enc", "dec"))]
    best = (usual or whole or trained)[0]
    others = [
        each
        for each in trained
        if each.mapping is not best.mapping and not _equal(best.mapping, each.mapping)
    ]
    halves = _names_both((" ".join(each.place).lower() for each in trained), ("encoder", "decoder"))
    if others and not usual and len(whole) != 1 and not halves:
        raise CheckpointError.tr(
            "{file} holds several state dicts ({listed}); save only the one that you want to see.",
            file=path.name,
            listed=", ".join(each.where for each in (best, *others)[:4]),
        )
    return best


def _names_both(names: Iterable[str], parts: tuple[str, str]) -> bool:
    """Whether some name has the first part in it, and some the second."""
    known = list(names)
    return all(any(part in name for name in known) for part in parts)


def _equal(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> bool:
    if set(one) != set(other):
        return False
    pairs = ((each, other[key]) for key, each in one.items() if isinstance(each, Tensor))
    return all(isinstance(b, Tensor) and a.shape == b.shape and torch.equal(a, b) for a, b in pairs)


def _two_halves(chosen: _Found, others: list[_Found]) -> tuple[dict[str, Any], list[str]] | None:
    """An encoder's and a decoder's state dicts, saved side by side, as one with `encoder.` and `decoder.`; else None."""
    halves: dict[str, tuple[str, Mapping[Any, Any]]] = {}
    for place, mapping in (chosen, *others):
        if place and place[:-1] == chosen.place[:-1]:
            halves.setdefault(_ENDS.sub("", place[-1]).lower(), (place[-1], mapping))
    if not {"encoder", "decoder"} <= set(halves) or _ENDS.sub("", chosen.place[-1]).lower() not in halves:
        return None
    joined = {f"{part}.{key}": each for part in halves for key, each in halves[part][1].items()}
    return joined, [name for name, _ in halves.values()]


def _module(unread: set[str]) -> bool:
    """Whether the file names modules of torch, as one that was saved as a whole does."""
    return any(name.startswith("torch.nn.modules.") for name in unread)


def _whole_module(path: Path, content: Any) -> CheckpointError:
    inside = [content]
    if isinstance(content, Mapping):
        inside = list(content.values())
    elif isinstance(content, (list, tuple)):
        inside = list(content)
    name = next((type(each).__name__ for each in inside if isinstance(each, Unread)), "module")
    return CheckpointError.tr(
        "{file} holds a whole {name}, whose code would have to run; where that class is defined, load it and write "
        "torch.save(model.state_dict(), FILE), and give that file.",
        file=path.name,
        name=name[:60],
    )


def _check_tensor(path: Path, key: str, tensor: Tensor, max_bytes: int) -> None:
    """Refuse a tensor that is larger than its stored bytes (strides of 0 can turn a few bytes into billions)."""
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_meta:
        raise CheckpointError.tr(
            "{file}: {key} is not a plain tensor; store it dense and unquantised.",
            file=path.name,
            key=key[:80],
        )
    if tensor.numel() * tensor.element_size() > max(tensor.untyped_storage().nbytes(), 0):
        raise CheckpointError.tr(
            "{file}: {key} is larger than the bytes stored for it; save a copy of it.",
            file=path.name,
            key=key[:80],
        )
    if tensor.numel() * tensor.element_size() > max_bytes:
        raise CheckpointError.tr(
            "{file}: {key} is larger than {max_bytes} bytes.",
            file=path.name,
            key=key[:80],
            max_bytes=numeral(max_bytes, ","),
        )
