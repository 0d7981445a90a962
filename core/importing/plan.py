"""`ImportPlan`: the import of an untrusted checkpoint, before anything is written.

A plan never changes: `answer` returns a new one. Pages and the command line use the same object: show `findings`
and `questions`, let a person answer, look at `problems`, and `write_import` it once `ready`.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from core.api import Checkpoint
from core.checkpoints.files import UNUSED_ROWS, check_tokenizers, unused_rows
from core.child import Child, ChildError, ChildStoppedError
from core.errors import AtlasError, CheckpointError, ConfigError
from core.importing.assign import FLOATS, Assignment, Destination
from core.importing.options import ROLES, Finding, Inference, Question, as_language, inferred
from core.importing.own_transformer import in_tutorials_names
from core.importing.rules import (
    AUTO,
    OPTIONS,
    SOURCE_FRAME,
    Layout,
    check_origin,
    detect_layout,
    families,
    own_class,
    read_layout,
)
from core.importing.sentencepiece import Vocabulary
from core.importing.source_ids import SameIds, compare_ids, of_folder
from core.importing.vocabulary import LANGUAGE_OPTIONS, Wishes, card_languages, find_vocabularies
from core.importing.weights import MAX_BYTES, Weights, read_weights
from core.language import numeral, plural, tr
from core.model.config import ModelConfig
from core.tokenizer import Frame, Specials, Tokenizer
from core.verify.checking import verify
from core.verify.report import TrustReport

CAUSAL: Final = "causal"  # whether the decoder never attends to a later token, which no file tells


@dataclass(frozen=True)
class ImportPlan:
    """One way to read one file. Make it with `plan_import`."""

    weights: Weights = field(repr=False)
    layout: Layout = field(repr=False)
    layout_reason: str
    answers: Mapping[str, Any]
    wishes: Wishes
    findings: tuple[Finding, ...]
    questions: tuple[Question, ...]
    vocabularies: tuple[Vocabulary, Vocabulary] | None
    config: ModelConfig | None
    destinations: tuple[Destination, ...]
    problems: tuple[str, ...]
    assignment: Assignment | None = field(repr=False)
    # Measurements that decided an answer, by its option.
    measured: Mapping[str, str] = field(default_factory=dict)

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """Questions that must be answered before the import."""
        return tuple(question for question in self.questions if question.blocking)

    @property
    def assumed(self) -> tuple[Finding, ...]:
        """Options that neither the file nor an answer states, each with the reason for its value."""
        return tuple(finding for finding in self.findings if finding.how == "assumed")

    @property
    def assumption(self) -> str | None:
        """One sentence with every assumed option; None where nothing is assumed."""
        if not self.assumed:
            return None
        # What is no option has no other value to give, so its reason says what was assumed.
        named = ", ".join(
            f"{each.name} = {each.value!r}" + ("" if each.name in OPTIONS else f" ({each.reason})")
            for each in self.assumed
        )
        return plural(
            "The file does not say what {count} option is, so it is assumed: {named}. Give another value by its name if it is wrong.",
            "The file does not say what {count} options are, so they are assumed: {named}. Give other values by their names where they are wrong.",
            len(self.assumed),
            named=named,
        )

    @property
    def ready(self) -> bool:
        """Whether the file can be imported now."""
        return self.config is not None and not self.open_questions and not self.problems

    def answer(self, **answers: Any) -> ImportPlan:
        """The plan with more answers: options of the model by name, `pad`, `bos`, `eos`, `unk`, languages, vocabularies.

        `source_language` and `target_language` are codes of a multilingual vocabulary, such as fr_XX.
        Vocabularies are answered as `tokenizer`, `source`, `target`, `split`, `pattern` and `lowercase`.
        """
        wished = {field.name for field in dataclasses.fields(Wishes)}
        wishes = dataclasses.replace(
            self.wishes, **{name: answers.pop(name) for name in list(answers) if name in wished}
        )
        measured = {name: text for name, text in self.measured.items() if name not in answers}
        return _plan(
            self.weights, self.layout, self.layout_reason, {**self.answers, **answers}, wishes, measured
        )

    def settle(self, name: str, value: Any, measurement: str) -> ImportPlan:
        """The plan with an answer that was measured, and the measurement as a phrase."""
        answers, measured = {**self.answers, name: value}, {**self.measured, name: measurement}
        return _plan(self.weights, self.layout, self.layout_reason, answers, self.wishes, measured)

    def require_ready(self) -> None:
        """Raise CheckpointError with the first problem or the open questions."""
        if self.problems:
            raise CheckpointError.tr(
                "{problems} (read as {title}).", problems=self.problems[0], title=self.layout.title
            )
        if self.open_questions:
            asked = " ".join(question.text for question in self.open_questions)
            flags = " ".join(question.flag for question in self.open_questions)
            raise CheckpointError.tr(
                "the file leaves something open: {asked} Answer with {flags}.", asked=asked, flags=flags
            )
        if self.config is None:
            raise CheckpointError.tr("the configuration is not complete.")

    @cached_property
    def tokenizers(self) -> tuple[Tokenizer, Tokenizer]:
        """(source, target), checked against the configuration. Raises CheckpointError."""
        self.require_ready()
        assert self.config is not None
        source, target = self._tokenizers(self.config)
        check_tokenizers(self.config, source, target, {UNUSED_ROWS: self._unused_rows})
        return source, target

    @property
    def _unused_rows(self) -> dict[str, int]:
        """The rows of each side that no token has, which are allowed where the vocabulary lies beside the weights."""
        return {
            each.name.removesuffix(_UNUSED): each.value
            for each in self.findings
            if each.name.endswith(_UNUSED)
        }

    @property
    def parameters(self) -> int:
        """The number of learned numbers, tied tables counted once."""
        return sum(map(math.prod, self.assignment.shapes.values())) if self.assignment else 0

    @property
    def card(self) -> dict[str, Any]:
        """The card of the checkpoint. Raises CheckpointError."""
        self.require_ready()
        assert self.config is not None
        dtypes = {info.dtype for info in self.weights.info.values()}
        card = {
            "name": self.weights.path.stem[:80],
            "task": "imported",
            "origin": f"imported from a {self.layout.title} checkpoint",
            "layout": self.layout.name,
            "parameters": self.parameters,
            "weights": "float16" if dtypes & {*FLOATS} == {"F16"} else "float32",
        }
        if self.vocabularies is not None:
            first = (self.config.bos_id, self.config.forced_bos_id)
            card |= card_languages(self.vocabularies, self.tokenizers[0].encode(""), first)
            if self._unused_rows:
                card[UNUSED_ROWS] = self._unused_rows
        if self.assumed:
            card["assumed"] = [f"{each.name} = {each.value!r}: {each.reason}"[:200] for each in self.assumed]
        return card

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """The model and its tokenizers, in memory. Raises CheckpointError."""
        self.require_ready()
        assert self.assignment is not None
        source, target = self.tokenizers
        return Checkpoint(self.assignment.model(), source, target, self.card)

    @cached_property
    def source_ids(self) -> SameIds | None:
        """Texts compared with what `transformers` makes of the folder's own tokenizer; None where they cannot be."""
        return self._compared_ids(trusted=False)

    def _compared_ids(self, trusted: bool) -> SameIds | None:
        given = (self.wishes.tokenizer, self.wishes.source, self.wishes.target)
        if self.weights.in_memory or not self.layout.model_types or any(each is not None for each in given):
            return None
        if any(self.answers.get(name) is not None for name in (*SOURCE_FRAME, "source_language")):
            return None  # the user wants another source than that tokenizer's
        speaker = of_folder(self.weights.files, trusted)
        return None if speaker is None else compare_ids(self.checkpoint, speaker)

    def compared(self, trusted: bool = False) -> Checkpoint:
        """`checkpoint` with that comparison on its card, and a difference as a Python warning.

        `trusted`: the folder is the user's own (see `core.importing.source_ids.of_folder`).
        """
        ids = self._compared_ids(trusted=True) if trusted else self.source_ids
        if ids is None:
            return self.checkpoint
        ids.warn()
        return dataclasses.replace(self.checkpoint, card={**self.checkpoint.card, **ids.card})

    def verify(self, sources: list[str] | None = None) -> TrustReport:
        """The trust report, on given sentences or on one made of the vocabulary's own tokens."""
        return verify(self.compared(), sources or None)

    def _tokenizers(self, config: ModelConfig) -> tuple[Tokenizer, Tokenizer]:
        if self.vocabularies is None:
            raise CheckpointError.tr(
                "there is no vocabulary; give --tokenizer, or --tokenizer numbers if it is lost."
            )
        source, target = self.vocabularies
        specials = Specials(config.pad_id, config.bos_id, config.eos_id, config.unk_id)
        own = specials if source.tokens == target.tokens else self._own_specials(config, source, target)
        if (end := self._source_end()) is not None:
            own = dataclasses.replace(own, eos=end)
        frame = self._frame(source, own)
        written = target.make(specials, Frame())
        if source is target and frame == Frame() and own == specials:
            return written, written
        return source.make(own, frame), written

    def _own_specials(self, config: ModelConfig, source: Vocabulary, target: Vocabulary) -> Specials:
        """The source's own specials: by their common names, else the same tokens as the target's, never the target's ids.

        A missing start token is replaced by padding. A missing start or end token must not be around a text, unless no
        token ends the target either: then nothing is. Raises CheckpointError.
        """
        stated = {"pad": config.pad_id, "bos": config.bos_id, "eos": config.eos_id, "unk": config.unk_id}
        ids = dict(source.specials)
        for role, token_id in stated.items():
            token = target.token(token_id) if ids[role] is None and token_id is not None else None
            ids[role] = source.tokens.get(token) if token is not None else ids[role]
        if config.source_pad_id is None and ids["pad"] != config.pad_id:
            raise CheckpointError.tr(
                "the source vocabulary has no padding token by a common name; give its id with --set source_pad_id=N."
            )
        padding = config.source_padding
        around = [str(_finding(self.findings, name) or "") for name in SOURCE_FRAME]
        if not any(each.name == "source_after" for each in self.findings):
            around[1] = "end"
        if config.eos_id is None and ids["eos"] is None:
            around = [text.replace("end", "") for text in around]
        for role, words, option in (
            ("bos", ("start",), "source_before"),
            ("eos", ("end", "</s>"), "source_after"),
        ):
            if ids[role] is None and any(word in text.split() for text in around for word in words):
                raise CheckpointError.tr(
                    "the source vocabulary has no {words} token by a common name; give the token around a source text with "
                    "--set {option}=TOKEN, or --set {option}= if there is none.",
                    words=words[0],
                    option=option,
                )
        return Specials(padding, padding if ids["bos"] is None else ids["bos"], ids["eos"], ids["unk"])

    def _source_end(self) -> int | None:
        """The end token of source texts, from config.json, where generation_config.json gives the output another one."""
        stated = (self.weights.config or {}).get("eos_token_id")
        how = next((finding.how for finding in self.findings if finding.name == "eos_id"), None)
        return stated if type(stated) is int and how in ("generation_config.json", "assumed") else None

    def _frame(self, source: Vocabulary, own: Specials) -> Frame:
        """The tokens around a source text."""
        ids: list[tuple[int, ...]] = []
        for name in SOURCE_FRAME:
            value = _finding(self.findings, name)
            if value is None and name == "source_after":
                value = "end"
            words = [str(value)] if isinstance(value, int) else str(value or "").split()
            named = {"start": own.bos, "end": own.eos, "</s>": own.eos}
            stood = [named[word] if word in named else source.id_of(name, word) for word in words]
            ids.append(tuple(token for token in stood if token is not None))
        before, after = ids
        assert self.config is not None
        size = min(source.size, self.config.source_vocab_size)
        if wrong := [token_id for token_id in (*before, *after) if token_id >= size]:
            raise CheckpointError.tr(
                "token {wrong} around the source is not in its vocabulary of {size}.",
                wrong=wrong[0],
                size=size,
            )
        return Frame(before, None if after == (() if own.eos is None else (own.eos,)) else after)


def plan_import(
    path: str | Path,
    layout: str = AUTO,
    answers: Mapping[str, Any] | None = None,
    *,
    map_file: str | Path | None = None,
    tokenizer: str | Path | None = None,
    source_vocabulary: str | Path | None = None,
    target_vocabulary: str | Path | None = None,
    split: str = "whitespace",
    pattern: str | None = None,
    lowercase: bool = False,
    max_bytes: int = MAX_BYTES,
) -> ImportPlan:
    """Read the file or folder at `path` and plan its import; nothing is written.

    `answers`: options as for `ImportPlan.answer`, without vocabularies. Raises CheckpointError for a file that
    cannot be read or fits no layout; what can still be answered or corrected is in the plan.
    """
    weights = read_weights(path, max_bytes)
    wishes = Wishes(tokenizer, source_vocabulary, target_vocabulary, split, pattern, lowercase)
    return plan_weights(weights, wishes, answers, layout, map_file)


def plan_weights(
    weights: Weights,
    wishes: Wishes,
    answers: Mapping[str, Any] | None = None,
    layout: str = AUTO,
    map_file: str | Path | None = None,
) -> ImportPlan:
    """The same for weights that are open already, or in memory."""
    answers = dict(answers or {})
    if map_file is None and layout in (AUTO, "torch") and not weights.in_memory:
        weights, answers = in_tutorials_names(weights, answers)
    if map_file is not None:
        chosen, reason = read_layout(map_file), f"the rules of {Path(map_file).name}"
    elif layout == AUTO:
        weights, chosen, reason = detect_layout(weights)
    elif layout in families():
        chosen, reason = families()[layout], "told"
        check_origin(weights, chosen)
    else:
        raise CheckpointError.tr(
            "there is no layout {layout!r}; choose {auto}, {listed}, or give --map.",
            layout=layout,
            auto=AUTO,
            listed=", ".join(families()),
        )
    if note := _not_followed(weights.generation, (weights.config or {}).get("pad_token_id")):
        weights = dataclasses.replace(weights, notes=(*weights.notes, note))
    return _plan(weights, chosen, reason, answers, wishes)


def _plan(
    weights: Weights,
    layout: Layout,
    reason: str,
    answers: Mapping[str, Any],
    wishes: Wishes,
    measured: Mapping[str, str] | None = None,
) -> ImportPlan:
    if unknown := sorted(set(answers) - OPTIONS - set(ROLES) - {*SOURCE_FRAME, *LANGUAGE_OPTIONS}):
        raise CheckpointError.tr(
            "{unknown!r} is not an option of the model; known are {listed}.",
            unknown=unknown[0],
            listed=", ".join(sorted(OPTIONS)),
        )
    sized = Inference(layout, weights, {n: v for n, v in answers.items() if n not in ROLES}, {})
    sized.run()
    sizes = (sized.value("source_vocab_size"), sized.value("target_vocab_size"))
    vocabularies = None
    if all(isinstance(size, int) and 0 < size <= 2_000_000 for size in sizes):
        vocabularies = find_vocabularies(weights.files, layout.name, wishes, sizes)
    inference = inferred(layout, weights, answers, vocabularies)
    questions = [as_language(question, vocabularies) for question in inference.questions]
    if vocabularies is None:
        text = tr("Which vocabulary was the model trained with?")
        questions.append(
            Question("vocabulary", text, "--source-vocabulary, --target-vocabulary or --tokenizer")
        )
    config, assignment = None, None
    lacking = inference.lacking()
    problems = [lacking] if lacking else []
    if not lacking and not any(q.blocking and q.name != "vocabulary" for q in questions):
        settings = {finding.name: finding.value for finding in inference.findings.values()}
        for name in SOURCE_FRAME:
            settings.pop(name, None)
        settings.setdefault("unk_id", None)  # not every vocabulary has an unknown token, and none is invented
        try:
            config = ModelConfig.from_json(settings)
            assignment = Assignment(layout, weights, config)
            problems = assignment.problems
            if assignment.lacks_table and "tie_output" not in answers:
                text = (
                    "tie_output is taken to be False: the model is said to have an output table of its own."
                )
                questions.append(Question("tie_output", text, "--set tie_output=true", False, (False, True)))
                why = "the model is said to have an output table of its own"
                inference.findings["tie_output"] = Finding("tie_output", False, "assumed", why)
        except (ConfigError, TypeError) as error:
            problems = [str(error).removesuffix(".")]
    without = _words_for_specials(config, vocabularies, answers)
    if without and without[0]:
        problems = [*problems, without[1]]
    if CAUSAL not in inference.findings:
        inference.findings[CAUSAL] = causal = _causal(layout)
        if causal.how == "assumed":
            text = f"causal is taken to be True: {causal.reason}."
            questions.append(Question(CAUSAL, text, "--set causal=false", True, (True, False)))
    return ImportPlan(
        weights,
        layout,
        reason,
        dict(answers),
        wishes,
        (
            *_with_measured(inference.findings.values(), measured or {}),
            *_read_otherwise(vocabularies),
            *_taken_for(weights, layout),
            *([Finding("specials", "words", "assumed", without[1])] if without and not without[0] else []),
            *_unused(config, vocabularies, weights, wishes),
        ),
        tuple(questions),
        vocabularies,
        config,
        tuple(assignment.destinations) if assignment else (),
        tuple(problems),
        assignment,
        measured or {},
    )


def _with_measured(findings: Iterable[Finding], measured: Mapping[str, str]) -> Iterator[Finding]:
    for each in findings:
        text = measured.get(each.name)
        yield each if text is None else Finding(each.name, each.value, "measured", text)


def _causal(layout: Layout) -> Finding:
    """The finding that no decoder position sees a later one: stated by families with a config.json, else assumed."""
    if layout.model_types:
        return Finding(CAUSAL, True, "layout", "the family's decoders are causal")
    return Finding(CAUSAL, True, "assumed", "no file tells whether the model was trained with a causal mask")


def _read_otherwise(vocabularies: tuple[Vocabulary, Vocabulary] | None) -> Iterator[Finding]:
    """What was assumed to read the vocabularies' files."""
    for side, vocabulary in zip(("source", "target"), vocabularies or (), strict=False):
        if side == "target" and vocabularies is not None and vocabularies[0] is vocabulary:
            return
        for remark in vocabulary.remarks:
            yield Finding(f"{side}_vocabulary", vocabulary.title, "assumed", remark)


def _words_for_specials(
    config: ModelConfig | None, vocabularies: tuple[Vocabulary, Vocabulary] | None, answers: Mapping[str, Any]
) -> tuple[bool, str] | None:
    """Whether a list of words seems to lack the special tokens, and the sentence: their ids are those of ordinary words.

    Sure of it (True) where the table also has as many rows more. None where the ids are special tokens, or were told.
    """
    if config is None or vocabularies is None or any(answers.get(role) is not None for role in ROLES):
        return None
    words = vocabularies[1]
    if " split by " not in words.title:
        return None
    ids = {number for number in (config.pad_id, config.bos_id, config.eos_id) if number is not None}
    tokens = [words.token(number) or "" for number in sorted(ids)]
    if len(ids) < 2 or any(map(_SPECIAL_WORD.fullmatch, tokens)):
        return None
    lacking = 0 < config.target_vocab_size - words.size <= _MOST_SPECIALS
    lacking = lacking and not any(map(_SPECIAL_WORD.fullmatch, words.tokens))
    if not lacking and not all(map(str.isalpha, tokens)):
        return None
    named = ", ".join(
        f"{number} is {token[:20]!r}" for number, token in zip(sorted(ids), tokens, strict=True)
    )
    text = f"the ids of the special tokens are words in {words.title.partition(',')[0]} ({named})"
    more = f", and the table has {config.target_vocab_size - words.size} rows more; write the special tokens into the list too"
    return lacking, text + more if lacking else text


_MOST_SPECIALS: Final = 8


_SPECIAL_WORD: Final = re.compile(
    r"[<\[|_{].*[>\]|_}]|(pad|unk|eos|bos|sos|go|stop|start|end|blank|begin|padding|none|null)|", re.I
)


def _taken_for(weights: Weights, layout: Layout) -> Iterator[Finding]:
    """The finding that a user's own class is read as the family's, which only that class could contradict."""
    if (name := own_class(weights, layout)) is not None:
        reason = f"config.json names {name}, which is no class of transformers; what its own code does otherwise is not shown"
        yield Finding("architecture", layout.architectures[0], "assumed", reason)


_UNUSED: Final = "_unused_rows"


def _unused(
    config: ModelConfig | None,
    vocabularies: tuple[Vocabulary, Vocabulary] | None,
    weights: Weights,
    wishes: Wishes,
) -> Iterator[Finding]:
    """For each table with many more rows than the folder's own vocabulary has tokens, that it is this model's all the same."""
    given = (wishes.tokenizer, wishes.source, wishes.target)
    if config is None or vocabularies is None or weights.in_memory or any(each is not None for each in given):
        return
    source, target = (each.size for each in vocabularies)
    for side, rows in unused_rows(config, source, target).items():
        reason = f"as many rows of the {side} table belong to no token of {vocabularies[0].title}; it lies beside the weights"
        yield Finding(side + _UNUSED, rows, "assumed", reason)


def _finding(findings: tuple[Finding, ...], name: str) -> Any:
    return next((finding.value for finding in findings if finding.name == name), None)


_NEUTRAL: Mapping[str, Any] = {
    "num_beams": 1,
    "do_sample": False,
    "length_penalty": 1.0,
    "repetition_penalty": 1.0,
    "no_repeat_ngram_size": 0,
    "encoder_no_repeat_ngram_size": 0,
    "min_length": 0,
    "min_new_tokens": 0,
    "forced_eos_token_id": None,
    "forced_decoder_ids": None,
    "suppress_tokens": None,
    "begin_suppress_tokens": None,
}


def _not_followed(generation: Mapping[str, Any] | None, pad: Any) -> str | None:
    """A sentence naming the settings of `generate` that decoding here does not take over; None if there are none."""
    given = generation or {}
    names = [name for name, neutral in _NEUTRAL.items() if given.get(name) not in (None, neutral)]
    if given.get("bad_words_ids") not in (None, [[pad]]):  # padding is never written anyway
        names.append("bad_words_ids")
    settings = [
        f"{name} = {str(given[name])[:20]}" if isinstance(given[name], (bool, int, float)) else name
        for name in names
    ]
    if not settings:
        return None
    return tr("decoding here does not take over {settings} of generate", settings=", ".join(settings))


SECONDS: Final = 20.0
MEGABYTES: Final = 8192  # torch alone takes one gigabyte, and a model of the largest upload three


class RulesTrial:
    """Plans by the untrusted rules in `map_file`, for the files in `folder`, in a child process and each within SECONDS.

    Untrusted patterns are matched against untrusted keys, and sizes become tables: both may take any time and memory,
    in code that holds Python's lock. What succeeds in the child is then repeated in this process.
    """

    def __init__(self, folder: Path, layout: str, map_file: Path, max_bytes: int) -> None:
        setup = {"path": str(folder), "layout": layout, "map_file": str(map_file), "max_bytes": max_bytes}
        self._child = Child("core.importing.plan:planning", setup, MEGABYTES)

    def check(self, answers: Mapping[str, Any]) -> None:
        """Plan with these answers (see `ImportPlan.answer`), up to the model. Raises CheckpointError if that takes too much.

        Mistakes in the files or the answers are reported by the plan itself.
        """
        texts = {name: str(value) if isinstance(value, Path) else value for name, value in answers.items()}
        try:
            self._child.ask(texts, seconds=SECONDS)
        except ChildStoppedError:
            raise CheckpointError.tr(
                "these rules take more than {seconds} seconds, or too much memory; give simpler patterns and smaller sizes.",
                seconds=numeral(SECONDS, "g"),
            ) from None
        except ChildError as error:
            reason = " ".join(str(error).split())[:200]
            raise CheckpointError.tr(
                "these rules cannot be followed ({kind}: {reason}).", kind=error.kind, reason=reason
            ) from None


def planning(setup: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    """The function that makes the plans in the child."""

    def plan(answers: dict[str, Any]) -> None:
        try:
            made = plan_import(**setup)
            made = made.answer(**answers) if answers else made
            if made.ready:
                _ = made.checkpoint
        except AtlasError:
            return

    return plan
