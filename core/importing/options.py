"""The model's configuration from an untrusted file: what was read, what was assumed and why, what must be asked.

Each option of a layout lists sources, tried in turn: the shapes and names of tensors, config.json, an assumption
with its reason, or a question. What the caller tells comes before everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from core.errors import CheckpointError
from core.importing.generation import NONE
from core.importing.readings import UNKNOWN, How, Readings, Unknown, look_up, mapped
from core.importing.rules import OPTIONS, Layout
from core.importing.weights import Weights

SPECIALS = ("pad_id", "bos_id", "eos_id", "unk_id", "source_pad_id", "forced_bos_id")
_GENERATION: Final = "generation_config.json"
_NAMES = {"pad_id": "padding", "bos_id": "start", "eos_id": "end"}
_NO_TABLE: Final = "The file holds no output table: was it the table of the embeddings?"


@dataclass(frozen=True)
class Finding:
    """One option of the configuration, where it comes from and why."""

    name: str
    value: Any
    how: How
    reason: str


@dataclass(frozen=True)
class Question:
    """What the file cannot tell. Blocking questions have no proposal; the others go on with theirs."""

    name: str
    text: str
    flag: str
    proposal: Any = None
    choices: tuple[Any, ...] = ()

    @property
    def blocking(self) -> bool:
        return self.proposal is None


class Inference:
    """Works out one layout's options for one file."""

    def __init__(
        self, layout: Layout, weights: Weights, told: Mapping[str, Any], specials: Mapping[str, int | None]
    ) -> None:
        self.layout, self.weights, self.told, self.specials = layout, weights, dict(told), specials
        self._readings = Readings(weights)
        self.findings: dict[str, Finding] = {}
        self.questions: list[Question] = []
        self._settling: set[str] = set()

    def run(self) -> None:
        """Fill `findings` and `questions`. Raises CheckpointError where the file contradicts itself."""
        for name in (*self.layout.config, *(n for n in self.told if n not in self.layout.config)):
            self._settle(name)
        for name in SPECIALS:
            if name not in self.findings:
                self._settle(name)

    def lacking(self) -> str | None:
        """What a size that nothing tells would be read from, as a sentence; None if every size is known."""
        for name, sources in self.layout.config.items():
            asked = any(question.name == name for question in self.questions)
            for source in sources:
                pattern = source.get("size") or source.get("least") or source.get("count")
                if pattern and name not in self.findings and not asked:
                    example = pattern.replace("\\", "").replace("(d+)", "0").replace("(?:", "(")
                    return f"nothing in the file tells {name}, which the key {example} would"
        return None

    def value(self, name: str) -> Any:
        """The value of an option that is settled, or None."""
        finding = self.findings.get(name)
        return finding.value if finding else None

    def holds(self, when: Mapping[str, Any]) -> bool:
        """Whether the configuration so far is as `when` says; a word that names an option stands for its value."""
        wanted = ((name, self.value(value) if value in OPTIONS else value) for name, value in when.items())
        return all(value is not None and self.value(name) == value for name, value in wanted)

    def _settle(self, name: str) -> None:
        if name in self.findings or name in self._settling:
            return
        for source in self.layout.config.get(name, ()):
            if "agree" in source:
                self._readings.agreed(source["agree"])  # refuses two numbers, whatever is told
        if self.told.get(name) is not None:
            value = None if self.told[name] == NONE and name == "forced_bos_id" else self.told[name]
            self.findings[name] = Finding(name, value, "told", "told")
            return
        self._settling.add(name)
        for source in self.layout.config.get(name, ()):
            if self.holds(source.get("when", {})) and self._given(source) and self._try(name, source):
                return
        if name == "tie_output" and self.layout.config.get(name):
            self.questions.append(Question(name, _NO_TABLE, "--set tie_output=true", None, (True, False)))
            return
        if name in SPECIALS and self.specials.get(name) is not None:
            why = "found in the vocabulary by its name"
            self.findings[name] = Finding(name, self.specials[name], "vocabulary", why)
            return
        if name in _NAMES and not any(question.name == name for question in self.questions):
            flag = f"--{name.removesuffix('_id')}"
            self.questions.append(Question(name, f"Which token is the {_NAMES[name]} token?", flag))

    def _given(self, source: Mapping[str, Any]) -> bool:
        """Whether config.json says what the source asks for; a list there says each of its values."""
        config = self.weights.config or {}
        for name, wanted in source.get("given", {}).items():
            stated = config.get(name)
            if wanted not in (stated if isinstance(stated, list) else [stated]):
                return False
        return True

    def _from_json(self, name: str, source: Mapping[str, Any]) -> Any:
        return (
            mapped(source, look_up(self.weights.config, source["json"]), name) if "json" in source else None
        )

    def _try(self, name: str, source: Mapping[str, Any]) -> bool:
        """Settle `name` by one source; False if the source knows nothing."""
        if "ask" in source or "assume" in source:
            return self._ask(name, source)
        read, how, reason = self._measure(source)
        stated = self._from_json(name, source)
        if not isinstance(read, Unknown) and stated is not None and stated != read:
            raise CheckpointError(
                f"config.json says {name} is {stated!r} ({source['json']}) but the weights say {read!r}; "
                "give the config.json that belongs to these weights."
            )
        if isinstance(read, Unknown):
            if stated is None:
                return False
            read, how, reason = stated, "config.json", str(source["json"])
        reason = str(source.get("reason", reason))
        if how in ("config.json", _GENERATION) and (cut := self._cut(source, how)):
            reason = f"the first of {reason} = {cut}, and a model here has one"
            text = f"{name} is taken to be {read!r}: {reason}."
            self.questions.append(Question(name, text, f"--{name.removesuffix('_id')}", read, tuple(cut)))
            how = "assumed"
        self.findings[name] = Finding(name, read, how, reason)
        return True

    def _cut(self, source: Mapping[str, Any], how: How) -> list[Any]:
        """The values of a list of which only the first is taken, if it holds different ones."""
        part = "generation" if "generation" in source else "json"
        where = self.weights.generation if part == "generation" else self.weights.config
        value = (where or {}).get(source.get(part, ""))
        different = list(dict.fromkeys(value)) if isinstance(value, list) else []
        return different if len(different) > 1 else []

    def _ask(self, name: str, source: Mapping[str, Any]) -> bool:
        flag = str(source.get("flag", f"--set {name}="))
        choices = tuple(source.get("choices", ()))
        if "ask" in source:
            self.questions.append(Question(name, str(source["ask"]), flag, None, choices))
            return True
        value, reason = source["assume"], str(source.get("reason", "the layout's usual choice"))
        self.findings[name] = Finding(name, value, "assumed", reason)
        self.questions.append(
            Question(name, f"{name} is taken to be {value!r}: {reason}.", flag, value, choices)
        )
        return True

    def _measure(self, source: Mapping[str, Any]) -> tuple[Any, How, str]:
        """What the source says without config.json."""
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
        if "agree" in source:
            return self._readings.agreed(source["agree"]), "config.json", " and ".join(source["agree"])
        if "size" in source or "least" in source:
            return self._readings.size(source)
        if "count" in source:
            return self._readings.count(source["count"]), "shapes", "layers counted in the keys"
        if "has" in source:
            found = bool(self.weights.find(source["has"]))
            if not found and source.get("only"):
                return UNKNOWN, "shapes", ""
            return found, "shapes", "whether the file has such a key"
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
            whole = second > 0 and first % second == 0
            return (first // second if whole else UNKNOWN), "shapes", f"{first} / {second}"
        if "equal" in source:
            return self._readings.equal(source["equal"]), "shapes", "whether the tables hold the same values"
        if "sinusoid" in source:
            return (
                self._readings.sinusoid(source["sinusoid"]),
                "shapes",
                "the table of positions, compared with sinusoids",
            )
        return UNKNOWN, "layout", ""
