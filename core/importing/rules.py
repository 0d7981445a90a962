r"""The rule language: how one family names its weights, and what its configuration is, as data.

    name = "mine"                                  # a layout is one TOML file
    detect = ['enc\.0\.qkv\.weight']               # keys that must be there, as regular expressions
    [config]                                       # options of ModelConfig; each a source, or a list tried in turn
    d_model = { size = 'enc\.0\.norm\.weight', axis = 0 }
    heads = { ask = "How many heads?" }
    [[rule]]                                       # the first rule whose `from` matches the whole key applies
    from = 'enc\.(\d+)\.qkv\.weight'
    to = ['encoder_layers.\1.self_attention.q_proj.weight', 'encoder_layers.\1.self_attention.k_proj.weight', …]

A rule says what happens to a key: `to` one of our parameters; `to` several, splitting it in equal parts along `axis`
(or by `sizes`), or with `copy = true` complete into each; `same_as` a tensor that the model computes, compared;
`ignore = "why"`. Before that, in this order: `permute` (axes), `reshape` (numbers, -1, or names of options), `transpose`
(the last two axes); after it `fit` (leading rows only) and `expand` (one number for the whole vector).
`duplicates = true`: the key may repeat what another key has filled, if the values are equal. `when = { option = value }`:
only for such a configuration; in [config], a word that names an option stands for its value. `given = { name = value }`,
in [config]: only where config.json says so (a list there: if it holds the value). `[[constant]]` fills parameters that
the file lacks by design. `like = "bart"`: all that this file does not say is as in that family, whose rules come after
these. `named_only = true`: detected only where config.json gives one of `model_types`, the keys being another family's too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from core.errors import CheckpointError
from core.files import parse_toml
from core.model.config import ModelConfig
from core.schema import problem_in, unknown_key

FAMILIES = Path(__file__).parent / "families"
MAX_MAP_BYTES = 2**20
OPTIONS = frozenset(option.name for option in fields(ModelConfig))
# No options of the model: the tokens before and after its source texts ("start" is the start token).
SOURCE_FRAME = ("source_before", "source_after")
SOURCES = (
    *(
        "value",
        "option",
        "json",
        "generation",
        "agree",
        "size",
        "least",
        "count",
        "ratio",
        "has",
        "equal",
        "differ",
        "sinusoid",
    ),
    *("assume", "ask"),
)
_SOURCE_EXTRAS = {
    "axis",
    "plus",
    "minus",
    "map",
    "reason",
    "flag",
    "choices",
    "when",
    "given",
    "json",
    "only",
}


_RULE_KINDS: Mapping[str, type] = {
    **dict.fromkeys(("copy", "transpose", "fit", "expand", "duplicates"), bool),
    **{"axis": int, "sizes": list, "reshape": list, "permute": list},
}


@dataclass(frozen=True)
class Rule:
    """What happens to the keys that `pattern` matches."""

    pattern: re.Pattern[str]
    to: tuple[str, ...] = ()
    same_as: str | None = None
    ignore: str | None = None
    axis: int = 0
    sizes: tuple[int, ...] = ()
    copy: bool = False
    transpose: bool = False
    permute: tuple[int, ...] = ()
    reshape: tuple[int | str, ...] = ()
    fit: bool = False
    expand: bool = False
    duplicates: bool = False
    when: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Constant:
    """Parameters that are filled with one number, because the family has none."""

    pattern: re.Pattern[str]
    value: float
    when: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Layout:
    """One family: how to recognise it, how to configure the model, and the rule for each key."""

    name: str
    title: str
    detect: tuple[str, ...]
    absent: tuple[str, ...]
    model_types: tuple[str, ...]  # its names in config.json; empty for layouts without such a file
    architectures: tuple[str, ...]
    config: Mapping[str, tuple[Mapping[str, Any], ...]]
    rules: tuple[Rule, ...]
    constants: tuple[Constant, ...]
    named_only: bool = False


@cache
def families() -> Mapping[str, Layout]:
    """All built-in families, by name."""
    layouts = (read_layout(path) for path in sorted(FAMILIES.glob("*.toml")))
    return {layout.name: layout for layout in layouts}


def read_layout(path: str | Path) -> Layout:
    """The layout in a TOML file. Raises CheckpointError naming the rule and what is wrong with it."""
    file = Path(path)
    try:
        if file.stat().st_size > MAX_MAP_BYTES:
            raise CheckpointError(
                f"{file.name} has more than {MAX_MAP_BYTES:,} bytes; a map of rules is shorter."
            )
        content = _completed(file.name, parse_toml(file.read_text(encoding="utf-8")))
    except CheckpointError:
        raise
    except OSError as error:
        raise CheckpointError(
            f"the map {str(file)!r} cannot be read ({error.strerror}); give a TOML file."
        ) from None
    except ValueError as error:
        raise CheckpointError(
            f"the map {file.name} is not TOML ({error}); docs/importing.md has an example."
        ) from None
    return _Reader(file.name).layout(content)


def _completed(file: str, content: dict[str, Any]) -> dict[str, Any]:
    """The content with what it leaves out taken from the family that it is `like`."""
    if "like" not in content:
        return content
    like = content.pop("like")
    path = FAMILIES / f"{like}.toml"
    if path not in FAMILIES.glob("*.toml"):
        raise CheckpointError(
            f"the map {file}: like = {str(like)[:40]!r} is no family; see core/importing/families."
        )
    base = _completed(path.name, parse_toml(path.read_text(encoding="utf-8")))
    lists = {part: [*content.get(part, []), *base.get(part, [])] for part in ("rule", "constant")}
    return base | content | lists | {"config": base.get("config", {}) | content.get("config", {})}


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file

    def fail(self, where: str, what: str) -> CheckpointError:
        return CheckpointError(f"the map {self.file}: {where} {what}.")

    def layout(self, content: Mapping[str, Any]) -> Layout:
        self.known(
            "the file",
            content,
            {
                *("name", "title", "detect", "absent", "model_types", "architectures", "named_only"),
                *("config", "rule", "constant"),
            },
        )
        rules, constants = content.get("rule", []), content.get("constant", [])
        if not isinstance(rules, list) or not rules:
            raise self.fail("it", "has no [[rule]]; add one for each kind of key")
        config = content.get("config", {})
        if not isinstance(config, dict):
            raise self.fail("[config]", "is not a table of options")
        name = str(content.get("name", Path(self.file).stem))
        return Layout(
            name,
            str(content.get("title", name)),
            self.patterns("detect", content),
            self.patterns("absent", content),
            tuple(self.texts("model_types", content.get("model_types", []))),
            tuple(self.texts("architectures", content.get("architectures", []))),
            {option: self.sources(option, entry) for option, entry in config.items()},
            tuple(self.rule(number, entry) for number, entry in enumerate(rules, 1)),
            tuple(self.constant(number, entry) for number, entry in enumerate(constants, 1)),
            content.get("named_only") is True,
        )

    def patterns(self, field_name: str, content: Mapping[str, Any]) -> tuple[str, ...]:
        texts = self.texts(field_name, content.get(field_name, []))
        for text in texts:
            self.pattern(field_name, text)
        return tuple(texts)

    def known(self, where: str, table: Any, allowed: set[str]) -> None:
        if not isinstance(table, dict):
            raise self.fail(where, "is not a table")
        if unknown := sorted(set(table) - allowed):
            raise self.fail(
                where, f"has {unknown_key(unknown[0], allowed)}; allowed are {', '.join(sorted(allowed))}"
            )

    def texts(self, where: str, entry: Any) -> list[str]:
        texts = [entry] if isinstance(entry, str) else entry
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise self.fail(where, "is not text or a list of texts")
        return texts

    def pattern(self, where: str, text: Any) -> re.Pattern[str]:
        try:
            return re.compile(text)
        except (re.error, TypeError, RecursionError) as error:
            raise self.fail(where, f"is not a regular expression: {error}") from None

    def sources(self, option: str, entry: Any) -> tuple[Mapping[str, Any], ...]:
        if option not in OPTIONS.union(SOURCE_FRAME):
            raise self.fail(f"[config] {option}", "is no option of the model")
        if not isinstance(entry, dict) and not (
            isinstance(entry, list) and all(isinstance(e, dict) for e in entry)
        ):
            entry = {"value": entry}
        sources = entry if isinstance(entry, list) else [entry]
        for source in sources:
            self.known(f"[config] {option}", source, set(SOURCES) | _SOURCE_EXTRAS)
            if not isinstance(source.get("given", {}), dict):
                raise self.fail(f"[config] {option}", "needs `given` to be a table of config.json's names")
            if not any(kind in source for kind in SOURCES):
                raise self.fail(f"[config] {option}", f"needs one of {', '.join(SOURCES)}")
            for kind in ("size", "least", "count", "has", "sinusoid"):
                if kind in source:
                    expression = self.pattern(f"[config] {option}", source[kind])
                    if kind == "count" and expression.groups < 1:
                        raise self.fail(
                            f"[config] {option}", "counts layers, so its pattern needs a group such as (\\d+)"
                        )
        return tuple(sources)

    def rule(self, number: int, entry: Any) -> Rule:
        where = f"rule {number}"
        allowed = {"from", *(option.name for option in fields(Rule))} - {"pattern"}
        self.known(where, entry, allowed)
        if sum(option in entry for option in ("to", "same_as", "ignore")) != 1:
            raise self.fail(where, "needs exactly one of to, same_as and ignore")
        pattern = self.pattern(f"{where}, from,", entry.get("from"))
        to = tuple(self.texts(f"{where}, to,", entry.get("to", [])))
        for template in (*to, *self.texts(f"{where}, same_as,", entry.get("same_as", []))):
            if any(int(group) > pattern.groups for group in re.findall(r"\\(\d+)", template)):
                raise self.fail(where, f"uses a group in {template!r} that its pattern does not have")
        typed = {name: entry[name] for name in _RULE_KINDS if name in entry}
        if problem := problem_in(typed, _RULE_KINDS):
            raise self.fail(where, f"has {problem.given}; it must be {problem.allowed}")
        sizes, axis, reshape = entry.get("sizes", []), entry.get("axis", 0), entry.get("reshape", [])
        if not all(type(n) is int and n > 0 for n in sizes):
            raise self.fail(where, "needs whole numbers above 0 as sizes")
        if not all(type(n) is int or n in OPTIONS for n in reshape):
            raise self.fail(where, "needs reshape to list whole numbers or options of the model")
        permute = entry.get("permute", [])
        if sorted(map(str, permute)) != [str(n) for n in range(len(permute))]:
            raise self.fail(where, "needs permute to list every axis once, from 0 on")
        if sizes and len(sizes) != len(to):
            raise self.fail(where, f"gives {len(sizes)} sizes for {len(to)} destinations")
        flags = {name: entry.get(name, False) for name, kind in _RULE_KINDS.items() if kind is bool}
        when = self.when(where, entry)
        same_as, ignore = entry.get("same_as"), entry.get("ignore")
        return Rule(
            pattern,
            to,
            same_as,
            ignore,
            axis,
            tuple(sizes),
            permute=tuple(permute),
            reshape=tuple(reshape),
            when=when,
            **flags,
        )

    def constant(self, number: int, entry: Any) -> Constant:
        where = f"constant {number}"
        self.known(where, entry, {"to", "value", "when"})
        value = entry.get("value")
        if not isinstance(value, (int, float)) or not abs(value) < 1e6:
            raise self.fail(where, f"has value {value!r}; it must be a number")
        return Constant(self.pattern(where, entry.get("to")), float(value), self.when(where, entry))

    def when(self, where: str, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        when = entry.get("when", {})
        if not isinstance(when, dict) or not set(when) <= OPTIONS:
            raise self.fail(where, "needs `when` to be a table of the model's options")
        return when
