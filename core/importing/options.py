"""The model's configuration from an untrusted file: what was read, what was assumed and why, what must be asked.

Each option of a layout lists sources, tried in turn: the shapes and names of tensors, config.json, an assumption
with its reason, or a question. Answers of the caller take precedence over all of them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import torch

from core.errors import CheckpointError
from core.importing.rules import OPTIONS, SOURCE_FRAME, Layout
from core.importing.sentencepiece import Vocabulary
from core.importing.tokenizer_files import SETTINGS, tokenizer_settings
from core.importing.vocabulary import (
    LANGUAGE_OPTIONS,
    NONE,
    around_in_words,
    language_codes,
    settle_languages,
)
from core.importing.weights import Weights
from core.language import message, numeral, tr
from core.model.config import CHOICES, DECODERS
from core.model.transformer import sinusoid_table

How = Literal[
    "told", "shapes", "config.json", "generation_config.json", "vocabulary", "layout", "measured", "assumed"
]
SAME_TABLE: Final = 4e-3  # sinusoids stored in bfloat16 differ by as much
_TABLE_BYTES: Final = 2**28  # the largest table of positions that is compared with sinusoids


class Unknown:
    """The value of a reading that the file does not answer."""


UNKNOWN: Final = Unknown()


class Readings:
    """Values read from one file; UNKNOWN where the file does not say. Raises CheckpointError where it contradicts itself."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights

    def axis(self, pattern: str, axis: int) -> int | None:
        for key in self.weights.find(pattern):
            shape = self.weights.info[key].shape
            if axis < len(shape):
                return shape[axis]
        return None

    def size(self, source: Mapping[str, Any]) -> tuple[Any, How, str]:
        axis = source.get("axis", 0)
        keys = self.weights.find(source.get("size", source.get("least")))
        sizes = [
            self.weights.info[key].shape[axis] for key in keys if axis < len(self.weights.info[key].shape)
        ]
        if not sizes:
            return UNKNOWN, "shapes", ""
        size = min(sizes) if "least" in source else sizes[0]
        return size + source.get("plus", 0) - source.get("minus", 0), "shapes", f"shape of {keys[0][:80]}"

    def count(self, pattern: str) -> Any:
        expression = re.compile(pattern)
        matches = (expression.fullmatch(key) for key in self.weights.info)
        numbers = {match.group(1) for match in matches if match}
        layers = sorted(int(number) for number in numbers if number.isdecimal() and len(number) < 5)
        if layers != list(range(len(layers))):
            missing = next(n for n in range(len(layers) + 1) if n not in layers)
            raise CheckpointError.tr(
                "the keys number their layers {layers} without layer {missing}; the file is not complete.",
                layers=layers[:12],
                missing=missing,
            )
        return len(layers) if layers else UNKNOWN

    def equal(self, patterns: Sequence[str]) -> bool | Unknown:
        """Whether the first pattern's tensor equals that of the first of the others that is present."""
        first = self.weights.find(patterns[0])
        other = next((keys[0] for pattern in patterns[1:] if (keys := self.weights.find(pattern))), None)
        if not first or other is None:
            return UNKNOWN
        if self.weights.info[first[0]].shape != self.weights.info[other].shape:
            return False
        return torch.equal(self.weights.tensor(first[0]), self.weights.tensor(other))

    def sinusoid(self, pattern: str) -> Any:
        keys = self.weights.find(pattern)
        if not keys:
            return UNKNOWN
        shape = self.weights.info[keys[0]].shape
        if not shape or 0 in shape or shape[-1] % 2:
            return "learned"
        table = self.weights.tensor(keys[0]).reshape(-1, shape[-1]).float()
        if table.numel() * 8 > _TABLE_BYTES:
            raise CheckpointError.tr(
                "{keys} has {shape} positions; shorten the table.",
                keys=keys[0][:80],
                shape=numeral(table.shape[0], ","),
            )
        for layout in ("sinusoidal", "sinusoidal_halves"):
            if torch.allclose(
                table, sinusoid_table(table.shape[0], table.shape[1], layout).float(), atol=SAME_TABLE, rtol=0
            ):
                return layout
        return "learned"


def look_up(config: Mapping[str, Any] | None, name: str) -> Any:
    value = (config or {}).get(name)
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, (dict, list)):
        raise CheckpointError.tr(
            "the configuration gives {name} as a {kind}; it must be a number or a word.",
            name=name,
            kind=type(value).__name__,
        )
    return value


_ACTIVATIONS: Final = {
    **dict.fromkeys(
        ("gelu_new", "gelu_fast", "gelu_accurate", "gelu_pytorch_tanh", "gelu_python_tanh"), "gelu_tanh"
    ),
    "gelu_python": "gelu",
    "swish": "silu",
    **{name: name for name in CHOICES["activation"] if name != "gelu_tanh"},
}
MAPS: Final[Mapping[str, Mapping[str, Any]]] = {
    "activations": _ACTIVATIONS,
    "t5_activations": {
        **_ACTIVATIONS,
        **{f"gated-{word}": name for word, name in _ACTIVATIONS.items()},
        "gated-gelu": "gelu_tanh",
    },
}
"""Words of config.json that several families share, by the name that a family gives as `map`."""


def mapped(source: Mapping[str, Any], value: Any, name: str) -> Any:
    if value is None or "map" not in source:
        return value
    words = MAPS[source["map"]] if isinstance(source["map"], str) else source["map"]
    word = str(value).lower() if isinstance(value, bool) else str(value)
    if word not in words:
        raise CheckpointError.tr(
            "config.json gives {source} as {word!r}, which {name} has no counterpart for; known are {listed}.",
            source=source["json"],
            word=word[:40],
            name=name,
            listed=", ".join(words),
        )
    return words[word]


ROLES: Final = {"pad": "pad_id", "bos": "bos_id", "eos": "eos_id", "unk": "unk_id"}


def inferred(
    layout: Layout,
    weights: Weights,
    answers: Mapping[str, Any],
    vocabularies: tuple[Vocabulary, Vocabulary] | None,
) -> Inference:
    """The options that follow from the file and the answers; those of a language depend on the decoder's start token."""
    given, specials = _with_ids(answers, vocabularies), _specials(vocabularies)
    around = _around(layout, vocabularies)
    inference = Inference(layout, weights, given, specials, around)
    inference.run()
    start, end = inference.value("bos_id"), inference.value("eos_id")
    own = None if answers.get("target_language") else _own_target(inference, weights, vocabularies)
    wanted = answers if own is None else {**answers, "target_language": own}
    if languages := settle_languages(wanted, start, end, vocabularies, weights.files):
        inference = Inference(layout, weights, {**given, **languages}, specials, around)
        inference.run()
    if own is not None and vocabularies is not None:
        value = languages.get("forced_bos_id", languages.get("bos_id"))
        option = "forced_bos_id" if "forced_bos_id" in languages else "bos_id"
        reason = f"{SETTINGS} gives {own!r} as tgt_lang"
        inference.findings[option] = Finding(option, value, "assumed", reason)
        text = f"the target's language is taken to be {own!r}: {SETTINGS} gives it as tgt_lang."
        codes = language_codes(vocabularies[1])
        inference.questions.append(Question("target_language", text, "--target-language", own, codes))
    return inference


def _own_target(
    inference: Inference, weights: Weights, vocabularies: tuple[Vocabulary, Vocabulary] | None
) -> str | None:
    """The language in which the folder's tokenizer last wrote (tgt_lang), where the target's is asked for and has it."""
    asked = any(each.blocking and each.flag == "--target-language" for each in inference.questions)
    if vocabularies is None or not asked:
        return None
    name, codes = tokenizer_settings(weights.files).get("tgt_lang"), language_codes(vocabularies[1])
    return name if isinstance(name, str) and (name in codes or f"__{name}__" in codes) else None


def _around(layout: Layout, vocabularies: tuple[Vocabulary, Vocabulary] | None) -> dict[str, Finding]:
    """What the source's own tokenizer puts around a text; empty where no file of it says, so that the family's holds.

    A tokenizer.json without such a step says so for Hugging Face's models. The code of tutorials adds tokens by itself.
    """
    around = vocabularies[0].around if vocabularies is not None else None
    if vocabularies is None or around is None or (around.unsaid and not layout.model_types):
        return {}
    how: How = "assumed" if around.assumed else "vocabulary"
    return {
        name: Finding(
            name, around_in_words(vocabularies[0], ids), how if ids else "vocabulary", around.reason
        )
        for name, ids in zip(SOURCE_FRAME, (around.before, around.after), strict=True)
    }


def as_language(question: Question, vocabularies: tuple[Vocabulary, Vocabulary] | None) -> Question:
    """A question that a language answers, with the languages of the vocabulary as choices."""
    name = question.flag.removeprefix("--").replace("-", "_")
    if name not in LANGUAGE_OPTIONS:
        return question
    codes = language_codes(vocabularies[LANGUAGE_OPTIONS.index(name)]) if vocabularies is not None else ()
    return dataclasses.replace(question, name=name, choices=codes)


def _with_ids(
    answers: Mapping[str, Any], vocabularies: tuple[Vocabulary, Vocabulary] | None
) -> dict[str, Any]:
    """The answers with special tokens as ids."""
    others = {*ROLES, *LANGUAGE_OPTIONS}
    with_ids = {name: value for name, value in answers.items() if name not in others}
    for role, option in [*ROLES.items(), *((option, option) for option in SPECIALS)]:
        value = answers.get(role)
        if value == NONE and option in _ABSENT:
            with_ids[option] = NONE
            continue
        if isinstance(value, str):
            if vocabularies is not None:
                value = vocabularies[option != "source_pad_id"].id_of(role, value)
            elif value.isdecimal():
                value = int(value)
            else:
                raise CheckpointError.tr(
                    "{role} is given as {value!r} but there is no vocabulary; give its id.",
                    role=role,
                    value=value[:40],
                )
        if value is not None:
            with_ids[option] = value
    return with_ids


def _specials(vocabularies: tuple[Vocabulary, Vocabulary] | None) -> dict[str, int | None]:
    if vocabularies is None:
        return {}
    source, target = (vocabulary.specials for vocabulary in vocabularies)
    ids = {option: target[role] for role, option in ROLES.items()}
    different = source["pad"] is not None and source["pad"] != target["pad"]
    return {**ids, "source_pad_id": source["pad"] if different else None}


SPECIALS = ("pad_id", "bos_id", "eos_id", "unk_id", "source_pad_id", "forced_bos_id")
_GENERATION: Final = "generation_config.json"
_BY_NAME: Final = "found in the vocabulary by its name"
_NAMES = {"pad_id": message("padding"), "bos_id": message("start"), "eos_id": message("end")}
_ABSENT: Final = ("forced_bos_id", "eos_id", "unk_id")  # which a model may lack, answered with "none"
_NO_TABLE: Final = message("The file holds no output table: was it the table of the embeddings?")


# Sizes that shapes would contradict; every other given or assumed value is unchecked.
_SHAPED: Final = frozenset(
    (
        "d_model",
        "d_ff",
        "decoder_d_ff",
        "encoder_layers",
        "decoder_layers",
        "source_vocab_size",
        "target_vocab_size",
    )
)


@dataclass(frozen=True)
class Finding:
    """One option of the configuration, where it comes from and why."""

    name: str
    value: Any
    how: How
    reason: str

    @property
    def unsure(self) -> bool:
        """Whether the value was given or assumed and no shape in the file would contradict another."""
        return self.how in ("told", "assumed") and self.name not in _SHAPED


@dataclass(frozen=True)
class Question:
    """A question about an option that the file does not state. Blocking questions have no proposal; others use theirs."""

    name: str
    text: str
    flag: str
    proposal: Any = None
    choices: tuple[Any, ...] = ()

    @property
    def blocking(self) -> bool:
        return self.proposal is None


def _default(config: Mapping[str, Any], value: Any) -> Any:
    """The value of a family's `[defaults]`: itself, `as` another field, or only `with` another field; None for none."""
    if not isinstance(value, dict):
        return value
    return config.get(value["as"]) if "as" in value else value["value"] if value["with"] in config else None


class Inference:
    """Infers one layout's options for one file."""

    def __init__(
        self,
        layout: Layout,
        weights: Weights,
        answers: Mapping[str, Any],
        specials: Mapping[str, int | None],
        around: Mapping[str, Finding] | None = None,
    ) -> None:
        """`around`: what the tokenizer says about the tokens around a source, in place of the family's."""
        self.layout, self.weights, self.answers, self.specials = layout, weights, dict(answers), specials
        self._around = around or {}
        self._readings = Readings(weights)
        self.config, self.defaults = weights.config, {}
        if weights.config is not None:
            defaults = layout.defaults.get(str(weights.config.get("model_type")), {})
            left_out = {name: value for name, value in defaults.items() if weights.config.get(name) is None}
            self.defaults = {name: _default(weights.config, value) for name, value in left_out.items()}
            self.config = {**weights.config, **self.defaults}
        self.findings: dict[str, Finding] = {}
        self.questions: list[Question] = []
        self._settling: set[str] = set()

    def run(self) -> None:
        """Fill `findings` and `questions`. Raises CheckpointError where the file contradicts itself."""
        others = (name for name in (*self.answers, *self._around) if name not in self.layout.config)
        for name in (*self.layout.config, *others):
            self._settle(name)
        for name in SPECIALS:
            if name not in self.findings:
                self._settle(name)

    def lacking(self) -> str | None:
        """A sentence that names an unknown size and the key it would be read from; None if every size is known."""
        for name, sources in self.layout.config.items():
            asked = any(question.name == name for question in self.questions)
            for source in sources:
                pattern = source.get("size") or source.get("least") or source.get("count")
                if pattern and name not in self.findings and not asked and name not in DECODERS:
                    example = pattern.replace("\\", "").replace("(d+)", "0").replace("(?:", "(")
                    return f"nothing in the file tells {name}, which the key {example} would"
        return None

    def value(self, name: str) -> Any:
        """The value of an option that is known, or None."""
        finding = self.findings.get(name)
        return finding.value if finding else None

    def holds(self, when: Mapping[str, Any]) -> bool:
        """Whether the configuration so far matches `when`; a word that names an option stands for its value."""
        wanted = ((name, self.value(value) if value in OPTIONS else value) for name, value in when.items())
        return all(value is not None and self.value(name) == value for name, value in wanted)

    def _settle(self, name: str) -> None:
        if name in self.findings or name in self._settling:
            return
        if self.answers.get(name) is not None:
            value = None if self.answers[name] == NONE and name in _ABSENT else self.answers[name]
            self.findings[name] = Finding(name, value, "told", "told")
            return
        if name in self._around:
            self.findings[name] = self._around[name]
            return
        # A family's id is that of its own vocabulary.
        if name == "unk_id" and self.specials.get(name) is not None:
            self.findings[name] = Finding(name, self.specials[name], "vocabulary", _BY_NAME)
            return
        self._settling.add(name)
        if name in DECODERS:
            self._settle_decoder(name, DECODERS[name])
            return
        for source in self.layout.config.get(name, ()):
            if self.holds(source.get("when", {})) and self._given(source) and self._try(name, source):
                return
        if name == "tie_output" and self.layout.config.get(name):
            self.questions.append(Question(name, tr(_NO_TABLE), "--set tie_output=true", None, (True, False)))
            return
        if name in SPECIALS and self.specials.get(name) is not None:
            self.findings[name] = Finding(name, self.specials[name], "vocabulary", _BY_NAME)
            return
        if name in _NAMES and not any(question.name == name for question in self.questions):
            flag = f"--{name.removesuffix('_id')}"
            kind = tr(_NAMES[name])
            text = (
                tr("Which token is the {kind} token (none, if no token ends a text)?", kind=kind)
                if name in _ABSENT
                else tr("Which token is the {kind} token?", kind=kind)
            )
            self.questions.append(Question(name, text, flag))

    def _settle_decoder(self, name: str, own: str) -> None:
        """An option of the decoder, where it is another than the encoder's.

        What is told in place of the encoder's holds for both, unless config.json gives each its own.
        """
        self._settle(own)
        known = self.findings.get(own)
        if known is not None and known.how == "told" and self._stated(name) == self._stated(own):
            return
        for source in self.layout.config.get(name, ()):
            if self.holds(source.get("when", {})) and self._given(source) and self._try(name, source):
                if known is not None and self.findings[name].value == known.value:
                    del self.findings[name]
                return

    def _stated(self, name: str) -> Any:
        """What config.json says of an option, in its own words; None where it says nothing."""
        sources = self.layout.config.get(name, ())
        stated = (look_up(self.config, each["json"]) for each in sources if "json" in each)
        return next((value for value in stated if value is not None), None)

    def _given(self, source: Mapping[str, Any]) -> bool:
        """Whether config.json has the values that the source requires; a list there has each of its items."""
        config = self.config or {}
        for name, wanted in source.get("given", {}).items():
            stated = config.get(name)
            values = stated if isinstance(stated, list) else [stated]
            if not any(each in values for each in (wanted if isinstance(wanted, list) else [wanted])):
                return False
        return True

    def _from_json(self, name: str, source: Mapping[str, Any]) -> Any:
        if "json" not in source:
            return None
        value = mapped(source, look_up(self.config, source["json"]), name)
        return value + source["plus"] if "plus" in source and type(value) is int else value

    def _try(self, name: str, source: Mapping[str, Any]) -> bool:
        """Determine `name` from one source; False if the source does not know it."""
        if "ask" in source or "assume" in source:
            return self._ask(name, source)
        read, how, reason = self._measure(source)
        stated = self._from_json(name, source)
        if not isinstance(read, Unknown) and stated is not None and stated != read:
            raise CheckpointError.tr(
                "config.json says {name} is {stated!r} ({source}) but the weights say {read!r}; give the config.json that belongs to these weights.",
                name=name,
                stated=stated,
                source=source["json"],
                read=read,
            )
        if isinstance(read, Unknown):
            if stated is None:
                return False
            read, how, reason = stated, "config.json", str(source["json"])
            if reason in self.defaults:
                reason = (
                    f"config.json leaves {reason} out, which means {self.defaults[reason]!r} in the library"
                )
        reason = str(source.get("reason", reason))
        if how in ("config.json", _GENERATION) and (cut := self._cut(source, how)):
            reason = f"the first of {reason} = {cut}, and a model here has one"
            text = f"{name} is taken to be {read!r}: {reason}."
            self.questions.append(Question(name, text, f"--{name.removesuffix('_id')}", read, tuple(cut)))
            how = "assumed"
        self.findings[name] = Finding(name, read, how, reason)
        return True

    def _cut(self, source: Mapping[str, Any], how: How) -> list[Any]:
        """The values of a list of which only the first is used, if they differ."""
        field = "generation" if "generation" in source else "json"
        where = self.weights.generation if field == "generation" else self.weights.config
        value = (where or {}).get(source.get(field, ""))
        different = list(dict.fromkeys(value)) if isinstance(value, list) else []
        return different if len(different) > 1 else []

    def _ask(self, name: str, source: Mapping[str, Any]) -> bool:
        flag = str(source.get("flag", f"--set {name}="))
        choices = tuple(source.get("choices", ()))
        if "ask" in source:
            self.questions.append(Question(name, tr(str(source["ask"])), flag, None, choices))
            return True
        value, reason = source["assume"], str(source.get("reason", "the layout's usual choice"))
        self.findings[name] = Finding(name, value, "assumed", reason)
        self.questions.append(
            Question(name, f"{name} is taken to be {value!r}: {reason}.", flag, value, choices)
        )
        return True

    def _measure(self, source: Mapping[str, Any]) -> tuple[Any, How, str]:
        """The value that the source gives without config.json."""
        if "value" in source:
            return source["value"], "layout", "the layout's own choice"
        if "generation" in source:
            named: How = "config.json" if self.weights.generation is self.weights.config else _GENERATION
            read = look_up(self.weights.generation, source["generation"])
            return (UNKNOWN if read is None else read), named, str(source["generation"])
        if "option" in source:
            self._settle(source["option"])
            other = self.value(source["option"])
            return (UNKNOWN if other is None else other), "layout", f"as {source['option']}"
        if "size" in source or "least" in source:
            return self._readings.size(source)
        if "count" in source:
            return self._readings.count(source["count"]), "shapes", "layers counted in the keys"
        if "has" in source:
            present = bool(self.weights.find(source["has"]))
            if not present and source.get("only"):
                return UNKNOWN, "shapes", ""
            return present, "shapes", "whether the file has such a key"
        if "ratio" in source or "differ" in source:
            sizes = [
                self._readings.axis(pattern, axis)
                for pattern, axis in source.get("ratio", source.get("differ", ()))
            ]
            if None in sizes or len(sizes) != 2:
                return UNKNOWN, "shapes", ""
            first, second = (int(size or 0) for size in sizes)
            if "differ" in source:
                return first != second, "shapes", f"{first} against {second}"
            divides = second > 0 and first % second == 0
            return (first // second if divides else UNKNOWN), "shapes", f"{first} / {second}"
        if "equal" in source:
            return self._readings.equal(source["equal"]), "shapes", "whether the tables hold the same values"
        if "sinusoid" in source:
            return (
                self._readings.sinusoid(source["sinusoid"]),
                "shapes",
                "the table of positions, compared with sinusoids",
            )
        return UNKNOWN, "layout", ""
