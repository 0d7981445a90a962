"""The training recipe: a TOML file read into frozen, validated dataclasses."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.config import ModelConfig
from core.errors import ConfigError
from core.training.tables import build

PRECISIONS = ("float32", "bfloat16")
TOKENIZERS = ("bpe", "characters")
HELD_BACK_BY = ("source", "both")
# What the tokenizer decides; a recipe must not contradict it.
MODEL_KEYS_FROM_TOKENIZER = frozenset(
    {"source_vocab_size", "target_vocab_size", "pad_id", "bos_id", "eos_id", "unk_id", "source_pad_id"}
    | {"forced_bos_id"}  # no objective here teaches what would follow it
)


@dataclass(frozen=True, kw_only=True)
class SourceConfig:
    """One place pairs come from: a TSV file, two parallel files, or a built-in task.

    `held_back` pairs are kept from training, with all that share their source sentence (`held_back_by` "source")
    or either of their sentences ("both"); validation and test pairs likewise. No source holds back a sentence of
    one that is `never_held_back`.
    """

    path: str | None = None
    columns: tuple[int, int] = (0, 1)
    source_path: str | None = None
    target_path: str | None = None
    task: str | None = None
    pairs: int = 0
    split: str = "train"
    repeat: int = 1
    held_back: int = 0
    held_back_by: str = "source"
    never_held_back: bool = False

    def __post_init__(self) -> None:
        parallel = self.source_path is not None or self.target_path is not None
        if (self.path is not None) + parallel + (self.task is not None) != 1:
            raise ConfigError(
                "A data source needs exactly one of path (a TSV file), source_path with target_path, or task."
            )
        if parallel and (self.source_path is None or self.target_path is None):
            raise ConfigError("A data source with source_path also needs target_path, and the reverse.")
        if self.task is not None and self.pairs < 1:
            raise ConfigError(
                f"The task {self.task!r} needs pairs, the number of examples to generate (1 or more)."
            )
        if self.split not in ("train", "valid", "test"):
            raise ConfigError(f"split is {self.split!r}; choose one of train, valid, test.")
        if len(self.columns) != 2 or min(self.columns) < 0:
            raise ConfigError(f"columns is {list(self.columns)}; give two column numbers, counted from 0.")
        if self.held_back_by not in HELD_BACK_BY:
            raise ConfigError(
                f"held_back_by is {self.held_back_by!r}; choose one of {', '.join(HELD_BACK_BY)}."
            )
        if self.never_held_back and self.held_back:
            raise ConfigError("A data source has either held_back or never_held_back, not both.")
        _at_least("repeat", self.repeat, 1)
        _at_least("held_back", self.held_back, 0)


@dataclass(frozen=True, kw_only=True)
class SubstitutionConfig:
    """[data.substitution]: names and numbers of training pairs drawn anew each epoch (core.training.substitution)."""

    path: str
    share: float = 0.5
    invented: float = 0.0

    def __post_init__(self) -> None:
        for name in ("share", "invented"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must lie between 0 and 1.")


@dataclass(frozen=True, kw_only=True)
class DataConfig:
    """Where training and validation pairs come from; `test` is never trained on and scored at the end.

    A training pair of more than `max_tokens` a side is left out, and one whose longer side has more than
    `max_length_ratio` times the tokens of the shorter, end marks counted (0: no limit).
    """

    sources: tuple[SourceConfig, ...]
    valid: SourceConfig | None = None
    test: tuple[SourceConfig, ...] = ()
    max_tokens: int = 128
    max_length_ratio: float = 0.0
    substitution: SubstitutionConfig | None = None
    description: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    source_language: str = ""
    target_language: str = ""

    def __post_init__(self) -> None:
        if not self.sources:
            raise ConfigError("[data] has no source; add at least one [[data.sources]] table.")
        if self.valid is None and not any(source.held_back for source in self.sources):
            raise ConfigError(
                "[data] has nothing to validate on; give valid or held_back in one of the sources."
            )
        _at_least("max_tokens", self.max_tokens, 2)
        if self.max_length_ratio and self.max_length_ratio < 1:
            raise ConfigError(
                f"max_length_ratio is {self.max_length_ratio}; give 1 or more, or 0 for no limit."
            )


@dataclass(frozen=True, kw_only=True)
class TokenizerConfig:
    """bpe: one joint subword vocabulary trained on both sides; characters: one token a character.

    `bpe_dropout` is the share of merges left out in training (core.tokenizer.dropout), drawn anew each epoch.
    """

    kind: str = "bpe"
    vocab_size: int = 8000
    shared: bool = True
    bpe_dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in TOKENIZERS:
            raise ConfigError(f"tokenizer kind is {self.kind!r}; choose one of {', '.join(TOKENIZERS)}.")
        _at_least("vocab_size", self.vocab_size, 8)
        if not 0 <= self.bpe_dropout < 1:
            raise ConfigError(f"bpe_dropout is {self.bpe_dropout}; it must be from 0 to below 1.")
        if self.bpe_dropout and self.kind != "bpe":
            raise ConfigError('bpe_dropout needs kind = "bpe"; characters have no merges to leave out.')


@dataclass(frozen=True, kw_only=True)
class LoopConfig:
    """The [training] section: optimiser, schedule, batches, how often to look and to save."""

    max_steps: int
    seed: int = 1
    batch_tokens: int = 4096
    learning_rate: float = 1e-3
    warmup_steps: int = 1000
    cooldown: float = 0.0
    label_smoothing: float = 0.1
    clip_norm: float = 1.0
    betas: tuple[float, float] = (0.9, 0.98)
    adam_eps: float = 1e-9
    precision: str = "float32"
    evaluate_every: int = 500
    evaluate_pairs: int = 400
    log_every: int = 50
    average_last: int = 5
    average_every: int = 200
    dynamics_steps: int = 28
    save_seconds: float = 40.0
    max_hours: float = 0.0
    device: str = "auto"
    threads: int = 0

    def __post_init__(self) -> None:
        for name in ("max_steps", "batch_tokens", "warmup_steps", "evaluate_every", "evaluate_pairs"):
            _at_least(name, getattr(self, name), 1)
        for name in ("log_every", "average_last", "average_every"):
            _at_least(name, getattr(self, name), 1)
        for name in ("dynamics_steps", "max_hours", "threads", "save_seconds", "clip_norm"):
            _at_least(name, getattr(self, name), 0)
        if self.precision not in PRECISIONS:
            raise ConfigError(f"precision is {self.precision!r}; choose one of {', '.join(PRECISIONS)}.")
        if not 0 <= self.cooldown <= 1 or not 0 <= self.label_smoothing < 1:
            raise ConfigError("cooldown must lie between 0 and 1, and label_smoothing from 0 to below 1.")
        if self.learning_rate <= 0:
            raise ConfigError(f"learning_rate is {self.learning_rate}; it must be above 0.")


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """A whole recipe. `model` holds ModelConfig fields except those the tokenizer decides."""

    name: str
    out: Path
    work: Path
    data: DataConfig
    training: LoopConfig
    tokenizer: TokenizerConfig = field(default_factory=TokenizerConfig)
    model: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    examples: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        allowed = {f.name for f in dataclasses.fields(ModelConfig)} - MODEL_KEYS_FROM_TOKENIZER
        for key in self.model:
            if key not in allowed:
                raise ConfigError(f"[model] does not know {key!r}; it knows {', '.join(sorted(allowed))}.")

    def to_json(self) -> dict[str, Any]:
        """The recipe as the checkpoint's card states it: no paths of this machine."""
        return {
            "name": self.name,
            "model": dict(self.model),
            "tokenizer": dataclasses.asdict(self.tokenizer),
            "training": dataclasses.asdict(self.training),
            "sources": [_short(source) for source in self.data.sources],
            "valid": _short(self.data.valid) if self.data.valid else None,
            "max_tokens": self.data.max_tokens,
            "max_length_ratio": self.data.max_length_ratio,
            "substitution": _short(self.data.substitution) if self.data.substitution else None,
        }


def load_config(
    path: str | Path,
    *,
    out: str | Path | None = None,
    work: str | Path | None = None,
    data_dir: str | Path | None = None,
    max_steps: int | None = None,
    device: str | None = None,
) -> TrainingConfig:
    """Read and check a recipe; the keyword arguments win over the file.

    Relative paths in the file start at the file's folder; `{data}` in a path stands for `data_dir`.
    """
    file = Path(path)
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"The recipe {str(file)!r} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"The recipe {str(file)!r} is not valid TOML: {error}.") from error
    if not isinstance(table.get("name", ""), str):
        raise ConfigError(f"name is {table['name']!r}; give text.")
    name = table.setdefault("name", file.stem)
    if out is None:
        out = file.parent / table["out"] if isinstance(table.get("out"), str) else Path("checkpoints") / name
    table["out"] = Path(out)
    if work is None:
        work = (
            file.parent / table["work"]
            if isinstance(table.get("work"), str)
            else Path("runs") / table["out"].name
        )
    table["work"] = Path(work)
    training = table.get("training")
    if isinstance(training, dict):
        training.update({k: v for k, v in (("max_steps", max_steps), ("device", device)) if v is not None})
    config: TrainingConfig = build(TrainingConfig, table, "the recipe")
    return dataclasses.replace(config, data=_resolve_data(config.data, file.parent, data_dir))


def _resolve_data(data: DataConfig, folder: Path, data_dir: str | Path | None) -> DataConfig:
    def resolve(source: Any) -> Any:
        changes = {}
        for name in ("path", "source_path", "target_path"):
            value = getattr(source, name, None)
            if value is None:
                continue
            if "{data}" in value:
                if data_dir is None:
                    raise ConfigError(
                        f"The recipe reads {value!r}; say where {{data}} is with --data-dir DIR."
                    )
                value = value.replace("{data}", str(data_dir))
            file = folder / value
            if not file.is_file():
                raise ConfigError(
                    f"The data file {str(file)!r} does not exist; check the recipe or --data-dir."
                )
            changes[name] = str(file)
        return dataclasses.replace(source, **changes)

    return dataclasses.replace(
        data,
        sources=tuple(resolve(source) for source in data.sources),
        valid=resolve(data.valid) if data.valid else None,
        test=tuple(resolve(source) for source in data.test),
        substitution=resolve(data.substitution) if data.substitution else None,
    )


def _short(source: SourceConfig | SubstitutionConfig) -> dict[str, Any]:
    default = {f.name: f.default for f in dataclasses.fields(source)}
    stated = {k: v for k, v in dataclasses.asdict(source).items() if v != default[k]}
    return {k: Path(v).name if k.endswith("path") else v for k, v in stated.items()}


def _at_least(name: str, value: float, low: float) -> None:
    if value < low:
        raise ConfigError(f"{name} is {value}; it must be {low} or more.")
