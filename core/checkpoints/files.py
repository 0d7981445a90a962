"""The files of a checkpoint folder: read and checked without torch or allocating a tensor, and replaced in one move.

model.safetensors  config.json  card.json  tokenizer.json | source_tokenizer.json + target_tokenizer.json
example.npz  atlas.npz  importance.npz  dynamics.npz  contrasts.tsv  contrasts.json   (not needed to load the model)

Folders of Hugging Face open as they are, in the hub's cache too, and nothing is downloaded. `core.importing.folders`
converts them in memory; it stands above this package and is imported by its name, on first use.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from core.errors import CheckpointError, ConfigError, InputError
from core.files import read_object
from core.language import numeral
from core.model.config import ModelConfig
from core.tokenizer import Tokenizer

CONFIG, WEIGHTS, CARD = "config.json", "model.safetensors", "card.json"
TOKENIZER = "tokenizer.json"
TOKENIZERS = ("source_tokenizer.json", "target_tokenizer.json")
EXAMPLE, ATLAS, DYNAMICS = "example.npz", "atlas.npz", "dynamics.npz"
IMPORTANCE = "importance.npz"
IMPORT_REPORTS = ("import-report.json", "import-report.md")

MAX_JSON_BYTES = 2**20  # config and card
MOST_VALUES = 30_000  # of a card, which stays in memory while its folder is listed
MAX_HEADER_BYTES = 4 * 2**20  # some 30,000 tensors; 15 MB of them took 15 seconds to check
MOST_HEADER_PARTS = 500_000  # each takes ten times the memory of its byte in the file
MOST_DIMENSIONS = 16  # of a tensor
LARGEST_SIZE = 2**63  # one past the largest that a tensor or a file can have
ITEM_BYTES: Mapping[str, int] = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2"), 1),
    **dict.fromkeys(("I16", "U16", "F16", "BF16"), 2),
    **dict.fromkeys(("I32", "U32", "F32"), 4),
    **dict.fromkeys(("I64", "U64", "F64", "C64"), 8),
}


class TensorInfo(NamedTuple):
    """The dtype and shape of one tensor in a safetensors header."""

    dtype: str  # as safetensors spells it: F16, BF16, F32, …
    shape: tuple[int, ...]


SHIPPED: Final = Path(__file__).resolve().parents[2] / "checkpoints"
"""The folder of the models that come with the project, in the repository and in an installed package."""


def shipped_names() -> list[str]:
    """The names of the models that come with the project."""
    return (
        sorted(each.name for each in SHIPPED.iterdir() if (each / CONFIG).is_file())
        if SHIPPED.is_dir()
        else []
    )


def _shipped(path: Path) -> Path | None:
    """The shipped model called `path`, such as en-fr or checkpoints/en-fr; None where there is none."""
    parts = path.parts[1:] if path.parts[:1] == (SHIPPED.name,) else path.parts
    if not parts or path.is_absolute() or ".." in parts:
        return None
    folder = SHIPPED.joinpath(*parts)
    return folder if (folder / CONFIG).is_file() else None


def open_folder(path: str | Path) -> Path:
    """The checkpoint folder `path`, or the shipped model of that name. Raises CheckpointError if there is neither."""
    try:
        folder = Path(path).expanduser()
        if str(path).strip() and folder.is_dir():
            return folder
        is_file = folder.is_file()
        if not is_file and (shipped := _shipped(folder)) is not None:
            return shipped
    except (OSError, ValueError, RuntimeError):
        is_file = False
    quoted = repr(str(path)[:200])
    if is_file:
        raise CheckpointError.tr(
            "{path} is a file; give the checkpoint’s folder, which holds {weights}.",
            path=quoted,
            weights=WEIGHTS,
        )
    if not shipped_names():
        raise CheckpointError.tr(
            "there is no checkpoint folder {path}; give a folder that holds {weights}.",
            path=quoted,
            weights=WEIGHTS,
        )
    raise CheckpointError.tr(
        "there is no checkpoint folder {path}; give a folder that holds {weights}, or the name of a shipped model: {names}.",
        path=quoted,
        weights=WEIGHTS,
        names=", ".join(shipped_names()),
    )


def file_in(folder: Path, name: str) -> Path:
    """The file `name`, which must be a regular file of this folder, not a link to somewhere else."""
    path = folder / name
    try:
        target = path.resolve()
        inside = target.is_relative_to(folder.resolve())
        if inside and target.is_file():
            return path
    except (OSError, RuntimeError) as error:
        raise CheckpointError.tr(
            "{file} cannot be read ({reason}); copy it again.", file=path, reason=error
        ) from None
    if not inside:
        raise CheckpointError.tr(
            "{file} is a link that leads out of the folder; copy the file itself there.", file=path
        )
    raise CheckpointError.tr(
        "{file} is missing or not a file; copy the checkpoint’s folder as a whole.", file=path
    )


def read_config(folder: Path) -> ModelConfig:
    content = read_object(file_in(folder, CONFIG), MAX_JSON_BYTES)
    try:
        config = ModelConfig.from_json(content)
    except ConfigError as error:
        raise CheckpointError(f"{folder / CONFIG}: {error}") from None
    for stack in ("encoder", "decoder"):
        if not config.layers(stack):
            raise CheckpointError.tr(
                "{value}: {stack}_layers is 0; a checkpoint has at least one layer in each stack.",
                value=folder / CONFIG,
                stack=stack,
            )
    return config


def read_card(folder: Path) -> dict[str, Any]:
    path = file_in(folder, CARD)
    card = read_object(path, MAX_JSON_BYTES, MOST_VALUES)
    try:
        return {_clean(name): _without_surrogates(value) for name, value in card.items()}
    except RecursionError:  # parsed, but too deep for the copy
        raise CheckpointError.tr("{file} nests its objects too deeply; write it again.", file=path) from None


def _without_surrogates(value: Any) -> Any:
    """The same value with every lone surrogate, which no file or page can hold, replaced by U+FFFD."""
    if isinstance(value, list):
        return [_without_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {_clean(name): _without_surrogates(each) for name, each in value.items()}
    return _clean(value) if isinstance(value, str) else value


def _clean(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def tokenizer_files(folder: Path) -> tuple[str, ...]:
    """One name where source and target share it, else two. Raises CheckpointError if missing or ambiguous."""
    one = (folder / TOKENIZER).exists()
    some = [name for name in TOKENIZERS if (folder / name).exists()]
    if one and some:
        raise CheckpointError.tr(
            "{folder} holds both {name} and {other}; remove the one that is not the model’s.",
            folder=folder,
            name=TOKENIZER,
            other=some[0],
        )
    if one:
        return (TOKENIZER,)
    if len(some) == 2:
        return TOKENIZERS
    lacking = next((name for name in TOKENIZERS if name not in some), TOKENIZER) if some else TOKENIZER
    raise CheckpointError.tr(
        "{file} is missing; put the tokenizer that the model was trained with there.", file=folder / lacking
    )


def read_tokenizers(folder: Path) -> tuple[Tokenizer, Tokenizer]:
    """(source, target); the same object twice where they share one."""
    loaded = [Tokenizer.load(file_in(folder, name)) for name in tokenizer_files(folder)]
    return loaded[0], loaded[-1]


def check_tokenizers(
    config: ModelConfig, source: Tokenizer, target: Tokenizer, card: Mapping[str, Any] | None = None
) -> None:
    """Raise CheckpointError, naming both sides, unless sizes and special ids agree with the model.

    A table may have a few rows too many, or as many as `card` says under UNUSED_ROWS.
    """
    unused = (card or {}).get(UNUSED_ROWS)
    for side, tokenizer, size in (
        ("source", source, config.source_vocab_size),
        ("target", target, config.target_vocab_size),
    ):
        stated = unused.get(side) if isinstance(unused, dict) else None
        if stated == size - tokenizer.vocab_size > 0:
            continue
        if not (_padded(size, tokenizer.vocab_size) or _has_rows(size, tokenizer)):
            raise CheckpointError.tr(
                "the {side} tokenizer has {vocab_size} tokens but the model {size}; use the tokenizer the model was trained with.",
                side=side,
                vocab_size=tokenizer.vocab_size,
                size=size,
            )
    pairs = [
        ("source padding", source.pad_id, config.source_padding),
        ("padding", target.pad_id, config.pad_id),
        ("start", target.bos_id, config.bos_id),
        ("end", target.eos_id, config.eos_id),
    ]
    for role, given, wanted in pairs:
        if given != wanted:
            raise CheckpointError.tr(
                "the {role} token is {given} in the tokenizer but {wanted} in {config}; give both the same id.",
                role=role,
                given=given,
                wanted=wanted,
                config=CONFIG,
            )


def unused_rows(config: ModelConfig, source: int, target: int) -> dict[str, int]:
    """For each side whose table has clearly more rows than tokens (`source`, `target`), how many; `check_tokenizers` refuses it."""
    sizes = {"source": (config.source_vocab_size, source), "target": (config.target_vocab_size, target)}
    return {
        side: rows - tokens
        for side, (rows, tokens) in sizes.items()
        if rows > tokens and not _padded(rows, tokens)
    }


UNUSED_ROWS: Final = "unused_rows"
"""A card's entry: for each side the rows that no token of the folder's own tokenizer has."""
_MULTIPLES: Final = (8, 16, 32, 64, 128)  # to which tables are rounded up for the sake of speed
_FEW_ROWS: Final = 0.05  # of a table


def _padded(rows: int, tokens: int) -> bool:
    """Whether a table only has more rows than there are tokens: rounded up (T5: 32100 in 32128), or by a few (NLLB-200: two)."""
    spare = rows - tokens
    rounded = 2 * tokens > rows and any(rows % each == 0 and spare < each for each in _MULTIPLES)
    return spare == 0 or (spare > 0 and (rounded or spare <= max(2, rows * _FEW_ROWS)))


def _has_rows(rows: int, tokenizer: Tokenizer) -> bool:
    """Whether a table has a row for every token but special and added ones (BART-large-cnn: 50265 tokens in 50264 rows)."""
    return tokenizer.vocab_size > rows and not tokenizer.spells_beyond(rows)


def read_header(path: Path) -> dict[str, TensorInfo]:
    """Name → dtype and shape, with the declared sizes checked against the file's own.

    Raises CheckpointError if the file is cut short, or declares more or other bytes than it has.
    """
    header, size, length = _header(path)
    header.pop("__metadata__", None)
    tensors: dict[str, TensorInfo] = {}
    end = 0
    for name, entry in header.items():
        info = _tensor_info(entry)
        if info is None:
            raise CheckpointError.tr(
                "{file} is damaged: its tensor {name!r} declares bytes that do not fit its shape; copy it again.",
                file=path,
                name=name[:80],
            )
        tensors[name] = info
        end = max(end, entry["data_offsets"][1])
    if end != size - 8 - length:
        raise CheckpointError.tr(
            "{file} is damaged: its tensors need {needed} bytes and it holds {held}; copy it again.",
            file=path,
            needed=numeral(end, ","),
            held=numeral(size - 8 - length, ","),
        )
    return tensors


def read_metadata(path: Path) -> dict[str, str]:
    """The text that stands beside the tensors, by name, such as the names of tied tensors that are stored once."""
    metadata = _header(path)[0].get("__metadata__")
    pairs = metadata.items() if isinstance(metadata, dict) else ()
    return {name: text for name, text in pairs if isinstance(text, str)}


def _header(path: Path) -> tuple[dict[str, Any], int, int]:
    """The header as it is, the file's size and the header's length, in bytes. Raises CheckpointError."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if size < 8 or length > size - 8:
                raise CheckpointError.tr(
                    "{file} is damaged: its header is longer than the file; copy it again.", file=path
                )
            if length > MAX_HEADER_BYTES:
                raise CheckpointError.tr(
                    "{file}: its header has {length} bytes, and at most {most} are read, enough for 30,000 tensors; save the "
                    "weights in several files.",
                    file=path,
                    length=numeral(length, ","),
                    most=numeral(MAX_HEADER_BYTES, ","),
                )
            text = file.read(length)
            if (values := text.count(b"{") + text.count(b"[") + text.count(b",")) > MOST_HEADER_PARTS:
                raise CheckpointError.tr(
                    "{file}: its header lists {values} values, and at most {most} are read; save the weights in several files.",
                    file=path,
                    values=numeral(values, ","),
                    most=numeral(MOST_HEADER_PARTS, ","),
                )
            header = json.loads(text.decode("utf-8"))
    except OSError as error:
        raise CheckpointError.tr(
            "{file} cannot be read ({reason}); copy it again.", file=path, reason=error
        ) from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, CheckpointError):
            raise
        header = None
    if not isinstance(header, dict):
        raise CheckpointError.tr(
            "{file} is damaged: its header is not a JSON object; copy it again.", file=path
        )
    return header, size, length


def _tensor_info(entry: Any) -> TensorInfo | None:
    """The entry's dtype and shape; None unless it is complete and its byte range has the length of its shape and dtype."""
    if not isinstance(entry, dict) or not isinstance(entry.get("dtype"), str):
        return None
    if entry["dtype"] not in ITEM_BYTES:
        return None
    shape, offsets = _sizes(entry.get("shape")), _sizes(entry.get("data_offsets"))
    if shape is None or offsets is None or len(offsets) != 2:
        return None
    if offsets[1] - offsets[0] != math.prod(shape) * ITEM_BYTES[entry["dtype"]]:
        return None
    return TensorInfo(entry["dtype"], shape)


def _sizes(numbers: Any) -> tuple[int, ...] | None:
    """The numbers as a tuple; None if they are no shape or range, or too many or too large, which would take long to multiply."""
    if not isinstance(numbers, list) or len(numbers) > MOST_DIMENSIONS:
        return None
    if not all(type(n) is int and 0 <= n < LARGEST_SIZE for n in numbers):
        return None
    return tuple(numbers)


def folder_digest(folder: Path) -> str:
    """SHA-256 over everything that determines the model's output: config, weights and tokenizers, not the card."""
    return _digest(file_in(folder, name) for name in (CONFIG, WEIGHTS, *tokenizer_files(folder)))


def _digest(paths: Iterable[Path]) -> str:
    """SHA-256 over the names, sizes and contents of files."""
    total = hashlib.sha256()
    for path in paths:
        total.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while chunk := file.read(2**20):
                total.update(chunk)
    return total.hexdigest()


_WRITTEN = (CONFIG, WEIGHTS, CARD, TOKENIZER, *TOKENIZERS)


def replace_folder(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a new folder beside `path`, then move it to `path`.

    Other files of the old folder are kept, except an example, an atlas and a report of other weights. Raises
    CheckpointError
    if `path` holds something other than a checkpoint, or cannot be written; then nothing half-written is left.
    """
    try:
        path = path.expanduser().resolve()  # follows a link to its folder
        check_replaceable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError.tr(
            "{path} cannot be written ({reason}); choose another folder.", path=path, reason=error
        ) from None
    try:
        fresh.chmod(0o755)
        write(fresh)
        if path.exists():
            _keep_others(path, fresh)
        _flush(fresh)
        _swap(fresh, path)
    except (OSError, InputError) as error:  # an InputError about one file names the temporary folder
        raise CheckpointError.tr(
            "{path} cannot be written ({reason}); free some space or choose another folder.",
            path=path,
            reason=error.__cause__ or error,
        ) from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def check_replaceable(path: Path) -> None:
    """Raise CheckpointError if `path` is something that a checkpoint must not replace."""
    if path.is_file():
        raise CheckpointError.tr("{path} is a file; give a folder to write to.", path=path)
    known = (*_WRITTEN, EXAMPLE, ATLAS, IMPORTANCE, DYNAMICS)
    if path.is_dir() and any(path.iterdir()) and not any((path / name).exists() for name in known):
        raise CheckpointError.tr(
            "{path} holds other files; choose a new folder for the checkpoint.", path=path
        )


def _keep_others(old: Path, fresh: Path) -> None:
    for entry in old.iterdir():
        if entry.name in _WRITTEN or (fresh / entry.name).exists():
            continue
        if entry.name in (EXAMPLE, ATLAS, IMPORTANCE, *IMPORT_REPORTS) and not _same_model(old, fresh):
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, fresh / entry.name, symlinks=True)
        else:
            shutil.copy2(entry, fresh / entry.name, follow_symlinks=False)


def _same_model(old: Path, fresh: Path) -> bool:
    try:
        return folder_digest(old) == folder_digest(fresh)
    except (CheckpointError, OSError):
        return False


def _flush(folder: Path) -> None:
    for entry in [*(file for file in folder.iterdir() if file.is_file()), folder]:
        handle = os.open(entry, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _swap(fresh: Path, path: Path) -> None:
    """Two renames, since no folder can be renamed onto a non-empty one; if the second fails, the first is undone."""
    if not path.exists():
        fresh.rename(path)
        return
    aside = Path(f"{fresh}.old")
    path.rename(aside)
    try:
        fresh.rename(path)
    except BaseException:
        aside.rename(path)
        raise
    shutil.rmtree(aside, ignore_errors=True)


_CONVERTER: Final = "core.importing.folders"
_REPOSITORY: Final = "models--"
_HIDDEN: Final = (".", "datasets--", "spaces--")
_SNAPSHOTS: Final = "snapshots"
_READ: Final = (".json", ".txt", ".spm", ".model", ".safetensors", ".bin", ".pt")
_MAX_CONFIG_BYTES: Final = 4 * 2**20


def checkpoint_folder(path: str | Path) -> Path:
    """The folder `path`, or the snapshot in it if it is a repository of the hub's cache. Raises CheckpointError."""
    return snapshot(open_folder(path))


def snapshot(folder: Path) -> Path:
    """The revision `main` of a repository in the hub's cache, else its newest; the last of a trainer's checkpoint-N.

    Any other folder as it is.
    """
    if not folder.name.startswith(_REPOSITORY):
        return _last_of_training(folder) or folder
    try:
        kept = [each for each in (folder / _SNAPSHOTS).iterdir() if each.is_dir()]
        main = folder / "refs" / "main"
        named = main.read_text(encoding="utf-8", errors="replace").strip() if main.is_file() else ""
    except OSError:
        kept, named = [], ""
    if not kept:
        raise CheckpointError.tr(
            "{folder} holds no snapshot, and nothing is downloaded automatically; fetch the model with its own library first.",
            folder=folder.name,
        )
    return next(
        (each for each in kept if each.name == named), max(kept, key=lambda each: each.stat().st_mtime)
    )


def _last_of_training(folder: Path) -> Path | None:
    """The last folder checkpoint-N that a trainer left in `folder`; None where there is none, or the model is beside them."""
    if (folder / CONFIG).exists() or (folder / WEIGHTS).exists() or not folder.is_dir():
        return None
    numbered = [
        (int(match[1]), each)
        for each in folder.iterdir()
        if (match := re.fullmatch(r"checkpoint[-_](\d{1,12})", each.name)) and each.is_dir()
    ]
    return max(numbered)[1] if numbered else None


def repository(folder: Path) -> str:
    """`Helsinki-NLP/opus-mt-en-fr` for a snapshot of the hub's cache; empty for any other folder."""
    above = folder.parent.parent.name
    inside = folder.parent.name == _SNAPSHOTS and above.startswith(_REPOSITORY)
    return above.removeprefix(_REPOSITORY).replace("--", "/") if inside else ""


def folder_name(folder: Path) -> str:
    """The name of a folder in a list: of a snapshot, its repository's without the owner."""
    return repository(folder).rpartition("/")[2] or folder.name


def checkpoint_folders(root: Path) -> list[Path]:
    """The folders below `root` that are listed, or `root` itself if it is a model's folder. Raises OSError.

    Of the hub's cache, the snapshots of encoder-decoders; nothing else in it is a checkpoint.
    """
    if not root.is_dir():
        return []
    if _is_repository(root) or (root / CONFIG).is_file():
        return _of_hub(root) if _is_repository(root) else [root]
    with os.scandir(root) as inside:
        names = [each.name for each in inside if not each.name.startswith(_HIDDEN) and _is_folder(each)]
    listed: list[Path] = []
    for folder in (root / name for name in names):
        listed += _of_hub(folder) if _is_repository(folder) else [folder]
    return sorted(listed)


def _of_hub(folder: Path) -> list[Path]:
    try:
        model = snapshot(folder)
        return [model] if _foreign_config(model).get("is_encoder_decoder") is True else []
    except CheckpointError:
        return []


def _is_repository(folder: Path) -> bool:
    return folder.name.startswith(_REPOSITORY) and (folder / _SNAPSHOTS).is_dir()


def _is_folder(each: os.DirEntry[str]) -> bool:
    try:
        return each.is_dir()
    except OSError:  # a link that leads to itself
        return False


def is_foreign(folder: Path) -> bool:
    """Whether a folder is another project's: no card of this one, and a config.json that names a model there, or none."""
    if (folder / CARD).exists():
        return False
    if not (folder / CONFIG).exists():
        return any(each.is_file() for each in folder.iterdir())
    try:
        config = _foreign_config(folder)
        return any(isinstance(config.get(name), kind) for name, kind in _FOREIGN.items())
    except CheckpointError:
        return False


_FOREIGN: Final = {"model_type": str, "architectures": list, "transformers_version": str}
"""Entries of config.json that Hugging Face's have and none of this project's."""


def _foreign_config(folder: Path) -> dict[str, Any]:
    """The content of config.json, which may be a link to a blob of the hub's cache."""
    return read_object(folder / CONFIG, _MAX_CONFIG_BYTES)


def foreign_converter() -> Any:
    """`core.importing.folders`: `convert`, `summary` and `tokenizers` of a folder, each raising CheckpointError."""
    return import_module(_CONVERTER)


def foreign_digest(folder: Path) -> str:
    """SHA-256 over the settings, vocabularies and PyTorch weights of a foreign folder, by name."""
    return _digest(sorted(each for each in folder.iterdir() if each.suffix in _READ and each.is_file()))
