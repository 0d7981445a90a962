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
`ignore = "why"`; `to` one parameter that many keys fill together, such as those of a module for each head, with
`part = '\2'`, the group that numbers them from 0: they are joined in that order along `axis`. Before that, in this order: `permute` (axes), `reshape` (numbers, -1, or names of options), `transpose`
(the last two axes); after it `fit` (leading rows only) and `expand` (one number for the whole vector).
`duplicates = true`: the key may repeat what another key has filled, if the values are equal. `when = { option = value }`:
only for such a configuration; in [config], a word that names an option stands for its value. `given = { name = value }`,
in [config]: only where config.json says so (a list there: if it holds the value). `[defaults.bart]` has the values that the
library takes for what a config.json of this `model_type` leaves out: a value, `{ as = "num_layers" }` for that of another field,
or `{ value = 16, with = "encoder_attention_heads" }` for one that counts only beside another field. `[[constant]]` fills parameters that
the file lacks by design. `like = "bart"`: all that this file does not say is as in that family, whose rules come after
these. `named_only = true`: detected only where config.json gives one of `model_types`, the keys being another family's too.

`detect_layout` finds the family of untrusted weights from their keys, or says what they are instead. Names alone do not
distinguish BlenderbotSmall from BART, nor fairseq's Transformer from MarianMT: read as the wrong family, such a file would
load and compute something other than its model. So the `model_type` of config.json and fairseq's own names are checked too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, Final

from core.errors import CheckpointError
from core.files import parse_toml
from core.importing.weights import Weights
from core.language import numeral, tr
from core.model.config import ModelConfig
from core.schema import problem_in, unknown_key

FAMILIES = Path(__file__).parent / "families"
MAX_MAP_BYTES = 2**20
OPTIONS = frozenset(option.name for option in fields(ModelConfig))
# No options of the model: the tokens before and after its source texts ("start" is the start token).
SOURCE_FRAME = ("source_before", "source_after")
SOURCES = (
    "value",
    "option",
    "json",
    "generation",
    "size",
    "least",
    "count",
    "ratio",
    "has",
    "equal",
    "differ",
    "sinusoid",
    "assume",
    "ask",
)
_SOURCE_EXTRAS = {"axis", "plus", "minus", "map", "reason", "flag", "choices", "when", "given", "only"}

_RULE_KINDS: Mapping[str, type] = {
    **dict.fromkeys(("copy", "transpose", "fit", "expand", "duplicates"), bool),
    "axis": int,
    "sizes": list,
    "reshape": list,
    "permute": list,
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
    part: str = ""
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
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


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
            raise CheckpointError.tr(
                "{file} has more than {max_map_bytes} bytes; a map of rules is shorter.",
                file=file.name,
                max_map_bytes=numeral(MAX_MAP_BYTES, ","),
            )
        content = _completed(file.name, parse_toml(file.read_text(encoding="utf-8")))
    except CheckpointError:
        raise
    except OSError as error:
        raise CheckpointError.tr(
            "the map {file} cannot be read ({reason}); give a TOML file.", file=file, reason=error.strerror
        ) from None
    except ValueError as error:
        raise CheckpointError.tr(
            "the map {file} is not TOML ({error}); docs/importing.md has an example.",
            file=file.name,
            error=error,
        ) from None
    return _Reader(file.name).layout(content)


def _completed(file: str, content: dict[str, Any]) -> dict[str, Any]:
    """The content, completed from the family that it is `like`."""
    if "like" not in content:
        return content
    like = content.pop("like")
    path = FAMILIES / f"{like}.toml"
    if path not in FAMILIES.glob("*.toml"):
        raise CheckpointError.tr(
            "the map {file} says like = {like!r}, which is not a family; choose one of {names}.",
            file=file,
            like=str(like)[:40],
            names=", ".join(sorted(each.stem for each in FAMILIES.glob("*.toml"))),
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
                "name",
                "title",
                "detect",
                "absent",
                "model_types",
                "architectures",
                "named_only",
                "config",
                "rule",
                "constant",
                "defaults",
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
            self.defaults(content.get("defaults", {})),
        )

    def defaults(self, entry: Any) -> Mapping[str, Mapping[str, Any]]:
        if not isinstance(entry, dict) or not all(isinstance(each, dict) for each in entry.values()):
            raise self.fail("[defaults]", "is not a table of tables, one for each model_type")
        return entry

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
            raise self.fail(f"[config] {option}", "is not an option of the model")
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
        given_part = [entry["part"]] if isinstance(entry.get("part"), str) else []
        for template in (*to, *given_part, *self.texts(f"{where}, same_as,", entry.get("same_as", []))):
            if any(int(group) > pattern.groups for group in re.findall(r"\\(\d+)", template)):
                raise self.fail(where, f"uses a group in {template!r} that its pattern does not have")
        typed = {name: entry[name] for name in _RULE_KINDS if name in entry}
        if problem := problem_in(typed, _RULE_KINDS):
            raise self.fail(where, f"has {problem.given}; it must be {problem.allowed}")
        part = entry.get("part", "")
        if not isinstance(part, str) or (part and not re.fullmatch(r"\\\d+", part)):
            raise self.fail(where, "needs part to be the group that numbers the parts, such as '\\2'")
        if part and (len(to) != 1 or {"sizes", "copy", "fit", "expand", "duplicates"} & set(entry)):
            raise self.fail(
                where, "joins parts, so it has one `to` and no sizes, copy, fit, expand or duplicates"
            )
        sizes, reshape = entry.get("sizes", []), entry.get("reshape", [])
        if not all(type(n) is int and n > 0 for n in sizes):
            raise self.fail(where, "needs whole numbers above 0 as sizes")
        if not all(type(n) is int or str(n) in OPTIONS for n in reshape):
            raise self.fail(where, "needs reshape to list whole numbers or options of the model")
        permute = entry.get("permute", [])
        if sorted(map(str, permute)) != [str(n) for n in range(len(permute))]:
            raise self.fail(where, "needs permute to list every axis once, from 0 on")
        if sizes and len(sizes) != len(to):
            raise self.fail(where, f"gives {len(sizes)} sizes for {len(to)} destinations")
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in typed.items()
        }
        same_as, ignore = entry.get("same_as"), entry.get("ignore")
        return Rule(pattern, to, same_as, ignore, part=part, when=self.when(where, entry), **given)

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


_FAIRSEQ: Final = (  # every fairseq model has one of these; Hugging Face's files of the same families have none
    r"(?:.*\.)?embed_positions\._float_tensor",
    r"(?:.*\.)?decoder\.(?:output_projection\.weight|embed_out)",
    r"(?:.*\.)?(?:self_attn|encoder_attn)\.in_proj_(?:weight|bias)",
    r"(?:.*\.)?(?:encoder|decoder)\.version",
)
_SHARED_NAMES: Final = (
    r"(?:.*\.)?encoder\.layers\.0\.self_attn\.(?:k_proj\.|in_proj_)weight",
    r"(?:.*\.)?decoder\.layers\.0\.encoder_attn\..*",
)
_HUGGING_FACE: Final = r"(?:.*\.)?shared\.weight|final_logits_bias|lm_head\.weight"


def check_origin(weights: Weights, layout: Layout) -> None:
    """Raises CheckpointError where config.json or fairseq's names say that the weights are not of this family."""
    config = weights.config or {}
    named = {name: config[name] for name in ("model_type", "architectures") if config.get(name)}
    if not layout.model_types:
        if named:
            raise CheckpointError.tr(
                "config.json beside the weights says {value}, but the keys are those of {title}, whose models have no "
                "such file; remove config.json if it belongs to another model.",
                value=_stated(named),
                title=layout.title,
            )
        return
    allowed: dict[str, tuple[str, ...]] = {
        "model_type": layout.model_types,
        "architectures": layout.architectures,
    }
    for name, value in named.items():
        values = value if isinstance(value, list) else [value]
        if not any(re.sub("^(TF|Flax)(?=[A-Z])", "", str(each)) in allowed[name] for each in values):
            if name == "model_type" and not any(value in each.model_types for each in families().values()):
                raise CheckpointError.tr(
                    "config.json says {value}, a kind of model that is not imported here; core.from_generate shows the maps that its own library returns.",
                    value=_stated({name: value}),
                )
            if name == "architectures" and all(map(_is_own_class, values)):
                continue  # a user's own subclass, which the plan says is read as the family's
            if name == "architectures" and (kind := next(filter(_OTHER_HEAD.search, map(str, values)), None)):
                raise CheckpointError.tr(
                    "config.json says that these are the weights of {kind}, which writes no translation; core.from_generate shows the maps of its forward pass (with target_ids=…), and the {title} that it was made from opens here.",
                    kind=kind[:60],
                    title=layout.title,
                )
            raise CheckpointError.tr(
                "config.json beside the weights says {value}, and the layout {name} reads {listed}; give the weights’ own config.json, or rules with --map FILE.toml.",
                value=_stated({name: value}),
                name=layout.name,
                listed=", ".join(allowed[name]),
            )
    if not named:
        refuse_fairseq(weights)


_OTHER_HEAD: Final = re.compile(
    r"For(SequenceClassification|QuestionAnswering|TokenClassification|CausalLM|MultipleChoice|MaskedLM|Retrieval)|EncoderModel$"
)


def _is_own_class(name: object) -> bool:
    """Whether `architectures` may name a user's own subclass: its name is none of the library's."""
    known = {each for layout in families().values() for each in layout.architectures}
    if not isinstance(name, str) or not name.isidentifier():
        return False
    bare = re.sub("^(TF|Flax)(?=[A-Z])", "", name)
    return (
        bare not in known
        and not _OTHER_HEAD.search(bare)
        and not bare.endswith("Model")
        and not _NEAR_CLASSES.match(bare)
    )


_NEAR_CLASSES: Final = re.compile(
    r"(PegasusX|BigBirdPegasus|LongT5|LED|Switch|NllbMoe|SeamlessM4T|Whisper|Speech2Text|T5Gemma|ProphetNet|XLMProphetNet"
    r"|EncoderDecoder|VisionEncoderDecoder|SpeechEncoderDecoder|Pix2Struct|UdopFor|RagFor|Pop2Piano)"
)
"""Classes of the library that are near a family's and compute something else."""


def own_class(weights: Weights, layout: Layout) -> str | None:
    """The class in `architectures` that is none of the library's, where `layout` reads it as its family's; else None."""
    named = (weights.config or {}).get("architectures")
    values = named if isinstance(named, list) else [named] if named else []
    bare = {re.sub("^(TF|Flax)(?=[A-Z])", "", str(each)) for each in values}
    return (
        None
        if not layout.model_types or not values or bare & set(layout.architectures)
        else str(values[0])[:60]
    )


def refuse_fairseq(weights: Weights) -> None:
    """Raises CheckpointError for the names of a fairseq model (Ott et al. 2019)."""
    if not all(weights.find(pattern) for pattern in _SHARED_NAMES) or weights.find(_HUGGING_FACE):
        return
    key = next((keys[0] for pattern in _FAIRSEQ if (keys := weights.find(pattern))), None)
    raise CheckpointError.tr(
        "{sign}, and its arguments are missing, without which the model cannot be read; give the whole checkpoint file with "
        "args or cfg, convert it to Hugging Face’s format, or write rules with --map FILE.toml.",
        sign=tr("the key {key} is fairseq’s", key=key[:60])
        if key
        else tr("the keys may be fairseq’s, and no config.json says otherwise"),
    )


def _stated(named: dict[str, Any]) -> str:
    return " and ".join(f"{name} = {str(value)[:60]!r}" for name, value in named.items())


AUTO = "auto"
_FORMS: Final = 200  # of keys, whose words are compared
_NEAR: Final = 0.6
_OWN: Final = r"(encoder|decoder)_layers\.\d+\.self_attention\.q_proj\.weight"
# Encoder-decoders that differ from every layout here in more than names.
_ELSEWHERE: Final = (
    ("tensor2tensor's", r"(^|/)(symbol_modality_|body/(encoder|decoder)/layer_)"),
    ("OpenNMT's", r"(^|\.)(self_attn|context_attn)\.linear_(keys|values|query)\."),
)


def detect_layout(weights: Weights) -> tuple[Weights, Layout, str]:
    """The one family that fits, and why. Raises CheckpointError if none does.

    A common first word of all keys, which an enclosing module adds, is removed from the weights.
    """
    try:
        return (weights, *_detected(weights))
    except CheckpointError:
        inside = weights.without_common_prefix()
        if inside is None:
            raise
        try:
            return (inside, *_detected(inside))
        except CheckpointError:
            pass
        raise


def _detected(weights: Weights) -> tuple[Layout, str]:
    model_type = str((weights.config or {}).get("model_type", ""))[:40]
    fitting = [
        layout
        for layout in families().values()
        if _fits(layout, weights) and (not layout.named_only or model_type in layout.model_types)
    ]
    if not fitting:
        if not model_type:
            refuse_fairseq(weights)
        raise CheckpointError(_refusal(weights, model_type))
    layout = next((each for each in fitting if model_type in each.model_types), fitting[0])
    check_origin(weights, layout)
    if model_type in layout.model_types:
        return layout, tr("config.json, which names {kind}, and the keys", kind=model_type)
    first, *second = (weights.find(each)[0] for each in layout.detect[:2])
    keys = tr("{first} and {last}", first=first, last=second[0]) if second else first
    return layout, tr("the keys {keys}", keys=keys)


def _fits(layout: Layout, weights: Weights) -> bool:
    present = all(weights.find(pattern) for pattern in layout.detect)
    return bool(layout.detect) and present and not any(weights.find(pattern) for pattern in layout.absent)


def _refusal(weights: Weights, model_type: str) -> str:
    keys = list(weights.info)

    def has(pattern: str) -> bool:
        return any(re.search(pattern, key) for key in keys)

    if has(f"^{_OWN}$"):
        return tr(
            "these weights are already a checkpoint of Attention Atlas, so there is nothing to import; open its folder "
            "with --checkpoint, or copy it into the folder of the app’s checkpoints."
        )
    attention = has(r"att\b|attn|attention|q_proj|fc_q|w_q|in_proj|queries|SelfAttention|query")
    encoder, decoder = has(r"(^|[./])enc(?!oder_(attn|decoder))"), has(r"(^|[./])(decoder|dec)")
    elsewhere = next((whose for whose, pattern in _ELSEWHERE if has(pattern)), None)
    both = (encoder or not decoder) and (
        (encoder and decoder) or (weights.config or {}).get("is_encoder_decoder") is True
    )
    half = False
    if elsewhere:
        what = tr("they are {toolkit}", toolkit=elsewhere)
    elif has(r"weight_[ih]h_l\d"):
        what = tr("they are those of a recurrent network (weight_ih_l0), which has no self-attention")
    elif not attention:
        what = tr("none of them belongs to an attention layer")
    elif both and model_type:
        what = tr("config.json says {value!r}", value=model_type)
    elif (encoder and not decoder) or has(r"^(bert|roberta)\."):
        what, half = tr("they have an encoder and no decoder"), True
    elif not encoder or has(r"^(transformer\.h|h|model\.layers)\.\d+\."):
        what, half = tr("they are a decoder-only model’s, without an encoder"), True
    else:
        what = tr("no family uses their names")
    if half:
        what_next = tr(
            "only models with both are read, and core.from_maps shows the attention weights of any model"
        )
    elif both and not elsewhere:
        what_next = _way_on(keys, model_type)
    else:
        what_next = tr(
            "known layouts are {names}, and --map FILE.toml takes rules for any other",
            names=", ".join(families()),
        )
    return tr(
        "the keys ({first}, …) fit no known encoder-decoder layout: {what}; {what_next}.",
        first=keys[0][:40] if keys else tr("none"),
        what=what,
        what_next=what_next,
    )


def _way_on(keys: Sequence[str], model_type: str) -> str:
    """What to do with an encoder-decoder of another kind: rules where its names are near a family's, else its own library."""
    nearest = None if model_type else _nearest(keys)
    if nearest:
        return tr(
            '--map FILE.toml takes rules for any other layout, which may begin with like = "{name}", the nearest ({share} of '
            "the words)",
            name=nearest[0],
            share=numeral(nearest[1], ".0%"),
        )
    return tr(
        "core.from_generate shows the maps that its own library returns, and --map FILE.toml takes rules for a model of the "
        "same parts"
    )


def _nearest(keys: Sequence[str]) -> tuple[str, float] | None:
    """The family whose names share the most words with the keys, and the share; None where none is near."""
    forms = list({re.sub(r"\d+", "", key[:200]): None for key in keys})[:_FORMS]
    nearest = {
        layout.name: sum(
            max(_shared_words(form, rule.pattern.pattern) for rule in layout.rules) for form in forms
        )
        for layout in families().values()
    }
    name = max(nearest, key=lambda each: nearest[each])
    share = nearest[name] / max(len(forms), 1)
    return (name, share) if share >= _NEAR else None


def _shared_words(key: str, pattern: str) -> float:
    """The share of the words of a key and of a rule's pattern that are in both."""
    ours = set(re.findall(r"[A-Za-z]+", key))
    theirs = set(re.findall(r"[A-Za-z]+", re.sub(r"\\[a-z]|\[[^]]*\]", " ", pattern)))
    return len(ours & theirs) / max(len(ours | theirs), 1)
