"""The [data] section of a recipe: the sources of pairs, which are held back, and how pairs are changed or added."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from core.schema import Bounds, check_fields

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
    """[data.substitution]: names and numbers in training pairs are replaced each epoch (core.training.substitution)."""

    path: str
    share: float = 0.5
    invented: float = 0.0
    surnames: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self, bounds=dict.fromkeys(("share", "invented", "surnames"), Bounds(0, 1)))


@dataclass(frozen=True, kw_only=True)
class TemplatesConfig:
    """[data.templates]: `pairs` sentences from templates, with the names of [data.substitution] (core.training.substitution)."""

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
    held-back
    pairs. It is not the seed of the training: runs that start from one another must hold back the same pairs, or each
    would
    be measured on training pairs of the other. `joined` pairs are concatenations of two training pairs; `typos` is the
    share of source sentences that get a typing mistake, drawn for each epoch (core.training.prepared).
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
        templates=resolve(data.templates) if data.templates else None,
    )


def short(source: SourceConfig | SubstitutionConfig | TemplatesConfig) -> dict[str, Any]:
    """A section as on the card: only settings that differ from the defaults, without paths of this machine."""
    default = {f.name: f.default for f in dataclasses.fields(source)}
    stated = {k: v for k, v in dataclasses.asdict(source).items() if v != default[k]}
    return {k: Path(v).name if k.endswith("path") else v for k, v in stated.items()}
