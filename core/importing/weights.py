"""The tensors of an untrusted file or folder: names, dtypes and shapes first, values only when needed.

Sizes are checked against the bytes of the file before anything is allocated, and no name in a file is ever used as a
path: a shard is looked up among the files that the folder lists.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from core.checkpoints import files
from core.checkpoints.files import ITEM_BYTES, TensorInfo, read_header, read_metadata
from core.errors import CheckpointError
from core.files import read_object
from core.importing.kinds import (
    other_program,
    refuse_adapter,
    refuse_kinds,
    refuse_other_program,
    refuse_stand_in,
    training_file,
)
from core.importing.pickled import COUNTER, read_pickled
from core.importing.toolkits import fairseq_config, is_ctranslate2, joeynmt_config, read_ctranslate2
from core.language import numeral

MAX_BYTES = 500_000_000
MAX_CONFIG_BYTES = 4 * 2**20
MAX_INDEX_BYTES = 16 * 2**20
MAX_TENSORS = 100_000
SHARDS_AT_MOST = 1000

_SINGLE = ("model.safetensors", "pytorch_model.bin", "model.pt", "checkpoint.pt", "best.ckpt")
_INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_OUTER = ("module", "base_model.model", "_forward_module")  # what a wrapper puts before every key
# Names that wrappers put before any part of a model.
_INNER = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module", "_checkpoint_module")
_AVERAGE = re.compile(r"(ema|ema_model|model_ema|ema_module|swa_model|averaged?_model|avg_model|shadow)")
_LOSS = re.compile(
    r"(.*\.)?(criterion|crit|loss|loss_f\w*|\w+_loss|ce|cross_entropy)\.(weight|pos_weight)|(.*\.)?(class|token|label|loss|ce)_?weights?|(.*\.)?(label_)?smoothing\.\w+"
)
_METRIC = re.compile(
    r"(train|val|valid|test)?_?(metrics?|acc|accuracy|bleu|chrf|rouge|ter|wer|ppl|perplexity|f1)(_\w+)?\..*"
)


@dataclass(frozen=True)
class Weights:
    """The weights at `path`. `info` describes each tensor; `tensor` reads one."""

    path: Path
    container: str
    info: Mapping[str, TensorInfo]
    config: Mapping[str, Any] | None
    files: Mapping[str, Path]  # everything beside the weights, by name
    notes: tuple[str, ...] = ()
    _read: Callable[[str], Tensor] = field(repr=False, default=lambda key: Tensor())
    in_memory: bool = False  # a model's own tensors, which a copy of it may share
    refresh: Callable[[], None] = field(repr=False, default=lambda: None)
    """Take the tensors of a model in memory again: one that was moved to another device has new ones."""
    _generation: Mapping[str, Any] | None = None

    @cached_property
    def generation(self) -> Mapping[str, Any] | None:
        """The settings of `generate`: generation_config.json if there is one, else config.json."""
        if self._generation is not None:
            return self._generation
        path = self.files.get("generation_config.json")
        return self.config if path is None else read_object(path, MAX_CONFIG_BYTES)

    def tensor(self, key: str) -> Tensor:
        """The values of `key`, on the CPU, as stored."""
        return self._read(key)

    def without_common_prefix(self) -> Weights | None:
        """The same without the first word of every key, if it is the same in all; else None."""
        first = next(iter(self.info)).split(".", 1)[0] + "."
        if not all(key.startswith(first) and len(key) > len(first) for key in self.info):
            return None
        return _renamed(self, {key[len(first) :]: key for key in self.info})

    def find(self, pattern: str) -> list[str]:
        """Keys that `pattern` matches from end to end, in the file's order."""
        expression = re.compile(pattern)
        return [key for key in self.info if expression.fullmatch(key)]


def read_weights(path: str | Path, max_bytes: int = MAX_BYTES) -> Weights:
    """Open a weights file, or a folder that holds some. Raises CheckpointError with one sentence."""
    location = Path(path).expanduser()
    try:
        if location.is_dir():
            folder = files.snapshot(location)
            read = _plain(_read_folder(folder, max_bytes))
            if folder.parent == location:
                note = f"the weights are those of {folder.name}, the last of the training"
                read = replace(read, notes=(*read.notes, note))
            return read
        if location.is_file():
            beside = {entry.name: entry for entry in location.parent.iterdir() if entry.is_file()}
            config = _read_config(beside)  # whatever the weights' file name
            return _plain(_read_file(location, max_bytes, config, beside if config else {}))
    except OSError as error:
        raise CheckpointError.tr(
            "{location} cannot be read ({value}); copy it again.",
            location=location,
            value=error.strerror or error,
        ) from None
    raise CheckpointError.tr(
        "there is nothing at {value!r}; give a weights file or the folder that holds it.", value=str(path)
    )


def weights_in_memory(
    name: str,
    tensors: Callable[[], Mapping[str, Tensor]],
    config: Mapping[str, Any] | None,
    generation: Mapping[str, Any] | None,
    files: Mapping[str, Path],
) -> Weights:
    """The tensors of a model in memory, as `tensors` gives them now; `files`: those of its tokenizer."""
    state: dict[str, Tensor] = {}

    def refresh() -> None:
        state.update({key: each.detach() for key, each in tensors().items() if isinstance(each, Tensor)})

    refresh()
    info = {key: _describe(tensor) for key, tensor in state.items()}
    _check_count(Path(name), info)
    plain = Weights(
        Path(name),
        "memory",
        info,
        config,
        files,
        (),
        state.__getitem__,
        in_memory=True,
        refresh=refresh,
        _generation=generation,
    )
    return _plain(plain)


def _read_folder(folder: Path, max_bytes: int) -> Weights:
    files = {entry.name: entry for entry in sorted(folder.iterdir()) if entry.is_file()}
    config = _read_config(files)
    for name in _INDEXES:
        if name in files:
            return _read_sharded(folder, files, name, max_bytes, config)
    for name in _SINGLE:
        if name in files:
            return _read_file(files[name], max_bytes, config, files)
    if {"adapter_config.json", "adapter_model.safetensors", "adapter_model.bin"} & set(files):
        raise refuse_adapter(folder.name)
    candidates = [
        name
        for name in files
        if name.endswith((".safetensors", ".bin", ".pt", ".pth", ".tar", ".ckpt"))
        and not training_file(name)
        and other_program(name) is None
    ]
    if len(candidates) == 1:
        return _read_file(files[candidates[0]], max_bytes, config, files)
    if candidates:
        raise CheckpointError.tr(
            "{folder} holds {count} weights files ({listed}); give one of them.",
            folder=folder,
            count=len(candidates),
            listed=", ".join(candidates[:4]),
        )
    for name in files:
        refuse_other_program(name)
    raise CheckpointError.tr(
        "{folder} holds no weights; give a folder with {one} or {other}.",
        folder=folder,
        one=_SINGLE[0],
        other=_SINGLE[1],
    )


def _read_config(files: Mapping[str, Path]) -> Mapping[str, Any] | None:
    if "config.json" in files:
        return read_object(files["config.json"], MAX_CONFIG_BYTES)
    return joeynmt_config(files["config.yaml"]) if "config.yaml" in files else None


def _check_size(path: Path, max_bytes: int) -> int:
    size = path.stat().st_size
    if size > max_bytes:
        raise CheckpointError.tr(
            "{file} has {size} bytes, but at most {max_bytes} are read; raise the limit with --max-bytes.",
            file=path.name,
            size=numeral(size, ","),
            max_bytes=numeral(max_bytes, ","),
        )
    if size < 16:
        raise CheckpointError.tr(
            "{file} is empty or cut short ({size} B); copy it again.", file=path.name, size=size
        )
    return size


def _read_file(path: Path, max_bytes: int, config: Any, files: Mapping[str, Path]) -> Weights:
    _check_size(path, max_bytes)
    refuse_stand_in(path)
    with path.open("rb") as file:
        start = file.read(10)
    if path.suffix == ".safetensors" or start[8:9] == b"{":
        info = read_header(path)
        if (
            sum(math.prod(each.shape) * ITEM_BYTES[each.dtype] for each in info.values())
            > path.stat().st_size
        ):
            raise CheckpointError.tr("{file} is damaged: its tensors overlap; copy it again.", file=path.name)
        _check_count(path, info)
        plain = Weights(path, "safetensors", info, config, files, (), lambda key: _safe_tensor(path, key))
        return _with_tied(plain, read_metadata(path))
    if is_ctranslate2(start):
        model = read_ctranslate2(path, files, config or {})
        _check_count(path, model.info)
        return Weights(path, "CTranslate2 file", model.info, model.config, files, model.notes, model.tensor)
    refuse_other_program(path.name, start)
    if path.name == "model.bin" and start[1:4] == b"\0\0\0" and 0 < start[0] < 6:
        raise CheckpointError.tr(
            "{file} is a model of CTranslate2 in an early format (version {version}); convert the original model again with "
            "CTranslate2 2.0 or later, or give its own folder.",
            file=path.name,
            version=start[0],
        )
    tensors, notes, arguments = read_pickled(path, max_bytes)
    if config is None and arguments is not None:
        config = fairseq_config(arguments)
        notes.append("the settings are fairseq's arguments in the file")
    info = {key: _describe(tensor) for key, tensor in tensors.items()}
    _check_count(path, info)
    return Weights(path, "PyTorch file", info, config, files, tuple(notes), tensors.__getitem__)


def _read_sharded(
    folder: Path, files: Mapping[str, Path], index: str, max_bytes: int, config: Any
) -> Weights:
    content = read_object(files[index], MAX_INDEX_BYTES)
    table = content.get("weight_map")
    if not isinstance(table, dict) or not table or not all(isinstance(name, str) for name in table.values()):
        raise CheckpointError.tr(
            "{index} has no weight_map of keys to shard names; copy it again.", index=index
        )
    names = sorted(set(table.values()))
    if len(names) > SHARDS_AT_MOST:
        raise CheckpointError.tr(
            "{index} names {count} shards; at most {shards_at_most} are read.",
            index=index,
            count=len(names),
            shards_at_most=SHARDS_AT_MOST,
        )
    for name in names:
        if name not in files or name in (*_INDEXES, "config.json"):
            raise CheckpointError.tr(
                "{index} names the shard {name!r}, which is not a file of this folder.",
                index=index,
                name=name[:80],
            )
    total = sum(_check_size(files[name], max_bytes) for name in names)
    if total > max_bytes:
        raise CheckpointError.tr(
            "the {count} shards have {total} bytes, but at most {max_bytes} are read; raise the limit with --max-bytes.",
            count=len(names),
            total=numeral(total, ","),
            max_bytes=numeral(max_bytes, ","),
        )
    shards = {name: _read_file(files[name], max_bytes, None, {}) for name in names}
    for key, name in table.items():
        if key not in shards[name].info:
            raise CheckpointError.tr(
                "{index} says that {key} is in {name}, but that shard does not hold it.",
                index=index,
                key=key[:80],
                name=name,
            )
    for name, shard in shards.items():
        if extra := next((key for key in shard.info if table.get(key) != name), None):
            raise CheckpointError.tr(
                "shard {name} holds {extra}, which {index} does not name there.",
                name=name,
                extra=extra[:80],
                index=index,
            )
    info = {key: shards[name].info[key] for key, name in table.items()}
    container = f"{len(names)} shards ({shards[names[0]].container})"
    return Weights(folder, container, info, config, files, (), lambda key: shards[table[key]].tensor(key))


def _safe_tensor(path: Path, key: str) -> Tensor:
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            tensor: Tensor = file.get_tensor(key)
            return tensor
    except (SafetensorError, OSError, KeyError) as error:
        reason = " ".join(str(error).split())[:120]
        raise CheckpointError.tr(
            "{file} cannot be read ({reason}); copy it again.", file=path.name, reason=reason
        ) from None


_DTYPES = {
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "float64": "F64",
    "int64": "I64",
    "bool": "BOOL",
}


def _describe(tensor: Tensor) -> TensorInfo:
    name = str(tensor.dtype).removeprefix("torch.")
    return TensorInfo(_DTYPES.get(name, name), tuple(tensor.shape))


def _check_count(path: Path, info: Mapping[str, TensorInfo]) -> None:
    if not info:
        raise CheckpointError.tr(
            "{file} holds no tensors; give the file that torch.save or safetensors wrote.", file=path.name
        )
    if len(info) > MAX_TENSORS:
        raise CheckpointError.tr(
            "{file} holds {count} tensors; at most {max_tensors} are read.",
            file=path.name,
            count=numeral(len(info), ","),
            max_tensors=numeral(MAX_TENSORS, ","),
        )


def _with_tied(weights: Weights, metadata: Mapping[str, str]) -> Weights:
    """The weights with the names that `safetensors.torch.save_model` dropped: its metadata says which tensor each shares."""
    dropped = {
        key: kept for key, kept in metadata.items() if kept in weights.info and key not in weights.info
    }
    if not dropped:
        return weights
    names = {key: key for key in weights.info} | dropped
    note = f"stored once and read also as: {', '.join(f'{key} ({kept})' for key, kept in [*dropped.items()][:4])}"
    info = {key: weights.info[stored] for key, stored in names.items()}
    read = weights._read
    return replace(weights, info=info, notes=(*weights.notes, note), _read=lambda key: read(names[key]))


def _plain(weights: Weights) -> Weights:
    """The same without what wrappers, averages, losses and pruning add. Raises CheckpointError for what nothing here reads."""
    refuse_kinds(weights.path.name, weights.info, weights.config)
    return _masked(_without_training(_unwrapped(weights)))


def _unwrapped(weights: Weights) -> Weights:
    """The same without the words that wrappers put into every key: `module.`, `_orig_mod.`, `base_model.model.`."""
    plain: dict[str, str] = {}
    for key in weights.info:
        short = ".".join(word for word in key.split(".") if word not in _INNER)
        while outer := next((word for word in _OUTER if short.startswith(f"{word}.")), None):
            short = short.removeprefix(f"{outer}.")
        if short in plain:
            raise CheckpointError.tr(
                "{plain} and {key} are one key without their prefix; remove one.",
                plain=plain[short][:80],
                key=key[:80],
            )
        plain[short] = key
    inner = {short.split(".", 1)[0] for short in plain}
    if len(inner) == 1 and all(
        short.split(".")[1:2] == ["module"] and short.count(".") > 1 for short in plain
    ):
        first = f"{inner.pop()}."  # a model in DataParallel, as the one attribute of another module
        plain = {first + short.split(".", 2)[2]: key for short, key in plain.items()}
    if all(short == key for short, key in plain.items()):
        return weights
    return _renamed(weights, plain)


def _without_training(weights: Weights) -> Weights:
    """The weights without a running average of themselves, the weights of a loss, metrics and counters; each is noted."""
    groups: dict[str, list[str]] = {}
    for key in weights.info:
        groups.setdefault(key.split(".", 1)[0], []).append(key)
    averages = [name for name in groups if _AVERAGE.fullmatch(name)]
    models = [name for name in groups if name not in averages and len(groups[name]) > 2]
    out = {key for name in averages for key in groups[name]} if models else set[str]()
    for key, info in weights.info.items():
        counter = not info.shape and COUNTER.fullmatch(key)
        loss = len([n for n in info.shape if n != 1]) == 1 and _LOSS.fullmatch(key) is not None
        if counter or loss or _METRIC.fullmatch(key):
            out.add(key)
    if not out or len(out) == len(weights.info):
        return weights
    said = [f"{name}.…" for name in averages if models]
    said += [key for key in weights.info if key in out and key.split(".", 1)[0] not in averages]
    note = f"not of the model, and left out: {', '.join(said[:8])[:200]}"
    kept = {key: each for key, each in weights.info.items() if key not in out}
    return replace(weights, info=kept, notes=(*weights.notes, note))


def _masked(weights: Weights) -> Weights:
    """The weights that `torch.nn.utils.prune` keeps as name_orig and name_mask, multiplied, under their names."""
    pruned = {
        key.removesuffix("_orig"): f"{key.removesuffix('_orig')}_mask"
        for key in weights.info
        if key.endswith("_orig") and f"{key.removesuffix('_orig')}_mask" in weights.info
    }
    if not pruned:
        return weights
    read, masks = weights._read, set(pruned.values())

    def tensor(key: str) -> Tensor:
        return read(f"{key}_orig") * read(pruned[key]) if key in pruned else read(key)

    info = {
        key.removesuffix("_orig") if key.removesuffix("_orig") in pruned else key: each
        for key, each in weights.info.items()
        if key not in masks
    }
    note = f"{len(pruned)} weights are pruned: what the masks take out is 0"
    return replace(weights, info=info, notes=(*weights.notes, note), _read=tensor)


def _renamed(weights: Weights, plain: Mapping[str, str]) -> Weights:
    """The weights under shorter keys; `plain` gives the stored key of each."""
    taken = sorted({key[: len(key) - len(short)] for short, key in plain.items() if short != key})
    notes = (*weights.notes, f"the prefix {' and '.join(taken)[:80]} was removed from the keys")
    info = {short: weights.info[key] for short, key in plain.items()}
    read = weights._read
    return replace(weights, info=info, notes=notes, _read=lambda short: read(plain[short]))
