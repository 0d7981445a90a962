"""The training recipe: a TOML file read into frozen, validated dataclasses, one for each of its sections."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from core.files import parse_toml, read_lines
from core.model.config import PRESETS, ModelConfig
from core.schema import Bounds, build, check_fields

PRECISIONS = ("float32", "bfloat16")
OPTIMIZERS = ("adam", "muon")
TOKENIZERS = ("bpe", "characters")
# Options that follow from the tokenizer and must not be in a recipe.
MODEL_KEYS_FROM_TOKENIZER = frozenset(
    {"source_vocab_size", "target_vocab_size", "pad_id", "bos_id", "eos_id", "unk_id", "source_pad_id"}
    | {"forced_bos_id"}  # no objective here trains a model with one
)

MOST_STEPS = 10**9  # against typing mistakes


@dataclass(frozen=True, kw_only=True)
class TokenizerConfig:
    """bpe: one joint subword vocabulary trained on both sides; characters: one token per character.

    `bpe_dropout` is the share of merges skipped in training (core.tokenizer.tokenizer), drawn for each epoch.
    """

    kind: str = "bpe"
    vocab_size: int = 8000
    shared: bool = True
    bpe_dropout: float = 0.0

    def __post_init__(self) -> None:
        check_fields(
            self,
            choices={"kind": TOKENIZERS},
            bounds={"vocab_size": Bounds(8), "bpe_dropout": Bounds(0, 1, below=True)},
        )
        if self.bpe_dropout and self.kind != "bpe":
            raise ConfigError('bpe_dropout needs kind = "bpe"; characters have no merges to leave out.')


_LOOP_BOUNDS: Mapping[str, Bounds] = {
    "max_steps": Bounds(1, MOST_STEPS),
    **dict.fromkeys(("batch_tokens", "warmup_steps", "evaluate_every", "evaluate_pairs"), Bounds(1)),
    **dict.fromkeys(("log_every", "average_last", "average_every"), Bounds(1)),
    **dict.fromkeys(("dynamics_steps", "max_hours", "threads", "save_seconds"), Bounds(0)),
    **dict.fromkeys(("clip_norm", "r_drop"), Bounds(0)),
    "cooldown": Bounds(0, 1),
    **dict.fromkeys(("label_smoothing", "keep_start"), Bounds(0, 1, below=True)),
}


@dataclass(frozen=True, kw_only=True)
class LoopConfig:
    """The [training] section: optimiser, schedule, batches, how often to evaluate and to save.

    `r_drop` is R-Drop's weight (`core.training.objective.twice_read_loss`); a step then costs twice as much.
    `keep_start` is the share of the starting checkpoint's weights in those written at the end (Wortsman et al. 2022, WiSE-FT);
    a run from nothing has none.
    """

    max_steps: int
    seed: int = 1
    batch_tokens: int = 4096
    optimizer: str = "adam"
    learning_rate: float = 1e-3
    warmup_steps: int = 1000
    cooldown: float = 0.0
    label_smoothing: float = 0.1
    r_drop: float = 0.0
    keep_start: float = 0.0
    clip_norm: float = 1.0
    betas: tuple[float, float] = (0.9, 0.98)
    adam_eps: float = 1e-9
    precision: str = "float32"
    compile: bool = False
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
        check_fields(self, choices={"precision": PRECISIONS, "optimizer": OPTIMIZERS}, bounds=_LOOP_BOUNDS)
        if self.learning_rate <= 0:
            raise ConfigError(f"learning_rate is {self.learning_rate}; it must be above 0.")


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """A whole recipe. `model` holds ModelConfig fields except those that follow from the tokenizer.

    With `start_from`, the folder of a checkpoint, the run starts from its weights and uses its tokenizers; [tokenizer]
    may then only have `bpe_dropout`.
    """

    name: str
    out: Path
    work: Path
    data: DataConfig
    training: LoopConfig
    tokenizer: TokenizerConfig = field(default_factory=TokenizerConfig)
    model: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    examples: tuple[str, ...] = ()
    probe_sentences: tuple[str, ...] = ()  # in the source language, for choosing the default heads
    further_sentences: tuple[
        str, ...
    ] = ()  # likewise, for what needs more sentences: the importance of heads
    start_from: Path | None = None

    def __post_init__(self) -> None:
        allowed = {f.name for f in dataclasses.fields(ModelConfig)} - MODEL_KEYS_FROM_TOKENIZER
        for key in self.model:
            if key not in allowed:
                raise ConfigError(f"[model] does not know {key!r}; it knows {', '.join(sorted(allowed))}.")

    def to_json(self) -> dict[str, Any]:
        """The recipe as on the checkpoint's card, without paths of this machine."""
        tokenizer = dataclasses.asdict(self.tokenizer)
        if self.start_from is not None:
            tokenizer = {"bpe_dropout": tokenizer["bpe_dropout"]}
        return {
            "name": self.name,
            "start_from": self.start_from.name if self.start_from is not None else None,
            "model": dict(self.model),
            "tokenizer": tokenizer,
            "training": dataclasses.asdict(self.training),
            "sources": [short(source) for source in self.data.sources],
            "valid": short(self.data.valid),
            "max_tokens": self.data.max_tokens,
            "max_length_ratio": self.data.max_length_ratio,
            "split_seed": self.data.split_seed,
            "substitution": short(self.data.substitution),
            "templates": short(self.data.templates),
            "joined": self.data.joined,
            "typos": self.data.typos,
        }


def load_config(
    path: str | Path,
    *,
    out: str | Path | None = None,
    work: str | Path | None = None,
    data_dir: str | Path | None = None,
    max_steps: int | None = None,
    device: str | None = None,
    start_from: str | Path | None = None,
) -> TrainingConfig:
    """Read and check a recipe; the keyword arguments override the file.

    Relative paths in the file start at the file's folder; `{data}` in a path stands for `data_dir`. `probe_sentences`
    and `further_sentences` may each name a text file with one per line. `like` names a recipe in the same folder whose settings hold unless the file
    gives its own.
    """
    file = Path(path)
    table = _with_base(_read(file), file)
    if not isinstance(table.get("name", ""), str):
        raise ConfigError(f"name is {table['name']!r}; give text.")
    name = table.setdefault("name", file.stem)

    def path_of(key: str, given: str | Path | None, default: Any) -> Any:
        if given is not None:
            return Path(given)
        return file.parent / table[key] if isinstance(table.get(key), str) else default

    table["out"] = path_of("out", out, Path("checkpoints") / name)
    table["work"] = path_of("work", work, Path("runs") / table["out"].name)
    if (start := path_of("start_from", start_from, table.get("start_from"))) is not None:
        table["start_from"] = start
    for key in ("probe_sentences", "further_sentences"):
        if isinstance(table.get(key), str):
            table[key] = read_lines(file.parent / table[key])
    if isinstance(table.get("model"), dict):
        table["model"] = _with_preset(table["model"])
    training = table.get("training")
    if isinstance(training, dict):
        training.update({k: v for k, v in (("max_steps", max_steps), ("device", device)) if v is not None})
    config: TrainingConfig = build(TrainingConfig, table, "the recipe")
    return dataclasses.replace(config, data=resolve_data(config.data, file.parent, data_dir))


def _read(file: Path) -> dict[str, Any]:
    try:
        return parse_toml(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"The recipe {str(file)!r} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise ConfigError(f"The recipe {str(file)!r} is not valid TOML: {error}.") from error


def _with_base(table: dict[str, Any], file: Path) -> dict[str, Any]:
    """The recipe with the settings of the one that it is `like`, table by table; its own take precedence."""
    if "like" not in table:
        return table
    name = table.pop("like")
    if not isinstance(name, str) or Path(name).name != name:
        raise ConfigError(f'like is {name!r}; give the name of a recipe in the same folder, such as "dates".')
    base = _read(file.parent / f"{name}.toml")
    if "like" in base:
        raise ConfigError(f"like is {name!r}, which is like another recipe itself; name that one.")
    base.pop("name", None)
    both = {
        key: {**base[key], **table[key]} for key in base.keys() & table.keys() if isinstance(base[key], dict)
    }
    return {**base, **table, **both}


def _with_preset(model: dict[str, Any]) -> dict[str, Any]:
    """[model] with the options of its `preset`, if it names one; its own options take precedence."""
    if "preset" not in model:
        return model
    name = model.pop("preset")
    if not isinstance(name, str) or name not in PRESETS:
        raise ConfigError(f"[model] preset is {name!r}; choose one of {', '.join(PRESETS)}.")
    chosen = {key: value for key, value in PRESETS[name].items() if key not in MODEL_KEYS_FROM_TOKENIZER}
    return {**chosen, **model}


HELD_BACK_BY = ("source", "both")


@dataclass(frozen=True, kw_only=True)
class SourceConfig:
    """One source of pairs: a TSV file, two parallel files, or a built-in task.

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
        check_fields(self, choices={"split": ("train", "valid", "test"), "held_back_by": HELD_BACK_BY})
        if len(self.columns) != 2 or min(self.columns) < 0:
            raise ConfigError(f"columns is {list(self.columns)}; give two column numbers, counted from 0.")
        if self.never_held_back and self.held_back:
            raise ConfigError("A data source has either held_back or never_held_back, not both.")
        check_fields(self, bounds={"repeat": Bounds(1), "held_back": Bounds(0)})


@dataclass(frozen=True, kw_only=True)
class SubstitutionConfig:
    """[data.substitution]: names and numbers in training pairs are replaced each epoch (core.training.data)."""

    path: str
    share: float = 0.5
    invented: float = 0.0
    surnames: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self, bounds=dict.fromkeys(("share", "invented", "surnames"), Bounds(0, 1)))


@dataclass(frozen=True, kw_only=True)
class TemplatesConfig:
    """[data.templates]: `pairs` sentences from templates, with the names of [data.substitution] (core.training.data)."""

    path: str
    pairs: int
    invented: float = 0.5

    def __post_init__(self) -> None:
        check_fields(self, bounds={"pairs": Bounds(1), "invented": Bounds(0, 1)})


@dataclass(frozen=True, kw_only=True)
class DataConfig:
    """The sources of training and validation pairs; `test` is never trained on and scored at the end.

    A training pair of more than `max_tokens` a side is left out, and one whose longer side has more than
    `max_length_ratio` times the tokens of the shorter, end marks counted (0: no limit). `split_seed` selects the
    held-back pairs. It is not the seed of the training: runs that start from one another must hold back the same
    pairs, or each would be measured on training pairs of the other. `joined` pairs are concatenations of two training
    pairs; `typos` is the share of source sentences that get a typing mistake, drawn for each epoch
    (core.training.prepared).
    """

    sources: tuple[SourceConfig, ...]
    valid: SourceConfig | None = None
    test: tuple[SourceConfig, ...] = ()
    max_tokens: int = 128
    max_length_ratio: float = 0.0
    split_seed: int = 1
    substitution: SubstitutionConfig | None = None
    templates: TemplatesConfig | None = None
    joined: int = 0
    typos: float = 0.0
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
        if self.templates is not None and self.substitution is None:
            raise ConfigError(
                "[data.templates] needs [data.substitution], whose names go into the templates."
            )
        check_fields(self, bounds={"max_tokens": Bounds(2), "joined": Bounds(0), "typos": Bounds(0, 1)})
        if self.max_length_ratio and self.max_length_ratio < 1:
            raise ConfigError(
                f"max_length_ratio is {self.max_length_ratio}; give 1 or more, or 0 for no limit."
            )


def resolve_data(data: DataConfig, folder: Path, data_dir: str | Path | None) -> DataConfig:
    """The same with absolute paths: they start at `folder`, and `{data}` in them stands for `data_dir`."""

    def resolve(source: Any) -> Any:
        if source is None:
            return None
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
        valid=resolve(data.valid),
        test=tuple(resolve(source) for source in data.test),
        substitution=resolve(data.substitution),
        templates=resolve(data.templates),
    )


def short(source: SourceConfig | SubstitutionConfig | TemplatesConfig | None) -> dict[str, Any] | None:
    """A section as on the card: only settings that differ from the defaults, without paths of this machine."""
    if source is None:
        return None
    default = {f.name: f.default for f in dataclasses.fields(source)}
    stated = {k: v for k, v in dataclasses.asdict(source).items() if v != default[k]}
    return {k: Path(v).name if k.endswith("path") else v for k, v in stated.items()}
