"""The state of one session's import: its files, the plan so far, what was tried, what is wrong. No Streamlit."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal

from core.errors import AtlasError, CheckpointError
from core.language import message, numeral, plural, tr

if TYPE_CHECKING:
    from core.importing.comparing import UploadComparison
    from core.importing.options import Question
    from core.importing.plan import ImportPlan, RulesTrial
    from core.importing.settings_trial import Comparison, Written
    from core.importing.trial import Trial
    from core.verify.report import TrustReport

Step = Literal["pick", "vocabulary", "answer", "finish"]
AUTO: Final = "auto"
MAP_BYTES: Final = 10**6
VOCABULARY_BYTES: Final = 50 * 10**6
TRIED: Final = 5  # sentences that are kept
HEADS_S: Final = (
    10.0  # seconds after which no further sentence is run to choose the heads that open, or for the atlas
)
_ROLES: Final = {"pad_id": "pad", "bos_id": "bos", "eos_id": "eos", "unk_id": "unk"}
_ENDINGS: Final = (".json", ".spm", ".model")
_TOGETHER: Final = message(
    "These files do not make one vocabulary; give one file, or vocab.json with merges.txt, or source.spm, target.spm "
    "and vocab.json for both sides."
)
# The command line's words for what the wizard has a field for.
_FIELDS: Final = (
    ("--map FILE.toml", message("a .toml of your own")),
    ("--map", message("a .toml of your own")),
    ("--sentence", message("a sentence of your own")),
    ("--max-bytes", "ATLAS_UPLOAD_LIMIT_MB"),
    ("--unk", "unk_id"),
    ("--set tie_output=true", message("true for tie_output")),
    ("--tokenizer", message("a vocabulary")),
    ("--no-compare", "python -m core import … --no-compare"),
)
_NO_ROOM: Final = message("The server has no room for these files.")


Files = tuple[tuple[str, bytes], ...]
"""Names and contents."""


@dataclass
class DraftImport:
    """One session's import. `number` changes with every set of files, so that an answer never applies to a later question.

    `asked` keeps every question of this import, since a plan drops answered ones, even when the answer was wrong.
    `trial` is the output for the sentence typed last, and for those in `tried` before it.
    """

    number: int = 0
    files: tuple[str, ...] = ()
    folder: Path | None = None
    plan: ImportPlan | None = None
    vocabulary: tuple[Any, ...] = ()
    asked: dict[str, Question] = field(default_factory=dict)
    report: TrustReport | None = None
    trial: Trial | None = None
    tried: list[str] = field(default_factory=list)
    problems: dict[Step, str] = field(default_factory=dict)
    rules: RulesTrial | None = (
        None  # tries what a map of the reader's own asks for, before this process does it
    )
    original: UploadComparison | None = None  # with the model that transformers opens from the same files
    compared: dict[str, str] | None = None  # the card's entry about that; None before it was tried
    given: dict[str, Any] = field(default_factory=dict)  # every answer so far
    dropped: tuple[Files, Files] = ((), ())  # vocabularies that came with the weights, source and target

    def start(self, files: tuple[str, ...], remove: Callable[[Path], None]) -> None:
        """Empty, for these files; `remove` takes away the folder of the ones before."""
        if self.folder is not None:
            remove(self.folder)
        vars(self).update(vars(DraftImport(self.number + 1, files)))

    def read(
        self,
        folder: Path,
        picked: Iterable[tuple[str, IO[bytes]]],
        max_bytes: int,
        layout: str = AUTO,
        rules: bytes | None = None,
    ) -> None:
        """Sort the files, store them in `folder` and plan their import; `rules` is a map of the reader's own, as TOML.

        Vocabularies among them wait in `dropped` until they are taken like those given later.
        """
        from core.importing.comparing import UploadComparison
        from core.importing.folders import sort_uploads, store_uploads
        from core.importing.plan import RulesTrial, plan_import

        self.folder, map_file = folder, None
        try:
            streams = list(picked)
            kinds = sort_uploads([name for name, _ in streams])
            self.dropped = _contents(streams, kinds.source), _contents(streams, kinds.target)
            if rules is None and kinds.rules is not None:
                rules = next(stream for name, stream in streams if name == kinds.rules).read(MAP_BYTES + 1)
            if streams and not kinds.checkpoint:
                raise CheckpointError.tr(
                    "None of these files holds weights; give them too (.safetensors, .pt or .bin)."
                )
            store_uploads(folder, [each for each in streams if each[0] in kinds.checkpoint], max_bytes)
            if rules is not None:
                if len(rules) > MAP_BYTES:
                    raise CheckpointError.tr(
                        "the rules have more than {map_bytes} bytes; make them shorter.",
                        map_bytes=numeral(MAP_BYTES, ","),
                    )
                map_file = folder / "layout.toml"
                map_file.write_bytes(rules)
                self.rules = RulesTrial(folder, layout, map_file, max_bytes)
                self.rules.check({})
            self.plan = plan_import(folder, layout, map_file=map_file, max_bytes=max_bytes)
            if map_file is None:
                self.original = UploadComparison(folder, layout, max_bytes)
        except (AtlasError, OSError) as error:
            self.problems["pick"] = _by_given_names(sentence(error), [name for name, _ in picked])

    def answer(self, step: Step, **answers: Any) -> None:
        """Take answers, under the names of the questions; a wrong one leaves the plan as it was."""
        self.problems.pop(step, None)
        self.questions()  # so that what is answered now is remembered as asked
        named = {_ROLES.get(name, name): value for name, value in answers.items()}
        given = {**self.given, **named}
        try:
            if self.rules is not None:
                self.rules.check(given)
            self.plan = self.plan.answer(**named) if self.plan else None
        except AtlasError as error:
            self.problems[step] = sentence(error)
            return
        self.given = given
        self.report, self.trial, self.compared = None, None, None
        if step == "vocabulary":
            self.tried = []  # another vocabulary may not spell them
            self.problems.pop("answer", None)  # and it answers some of what was asked
        self.problems.pop("finish", None)

    def questions(self) -> tuple[list[Question], list[Question]]:
        """(open or already answered, assumed) questions of the form, each in the order first asked."""
        if self.plan is None:
            return [], []
        now = {each.name: each for each in self.plan.questions if each.name != "vocabulary"}
        self.asked |= now
        answered = {name for name in self.asked if _ROLES.get(name, name) in self.plan.answers}
        shown = [each for name, each in self.asked.items() if name in now or name in answered]
        first = [each for each in shown if each.blocking or each.name in answered]
        return first, [each for each in shown if each not in first]

    @property
    def written(self) -> Written | None:
        """What the model writes for the sentence that was tried last."""
        return self.trial.written[0] if self.trial is not None else None

    @property
    def comparison(self) -> Comparison | None:
        """The same beside what was expected, if anything was."""
        return self.trial.comparisons[0] if self.trial is not None and self.trial.comparisons else None

    @property
    def examples(self) -> list[dict[str, str]]:
        """What the new checkpoint's card shows: the sentences that were tried last, or else those that were checked."""
        if self.trial is not None:
            return self.trial.examples
        return [{"source": text} for text in self.report.sources] if self.report else []

    def write(self, folder: Path, name: str) -> None:
        """Write the checkpoint with the sentences tried, the latest first. Raises AtlasError, OSError."""
        from core.experiments.corpus_run import write_atlas
        from core.experiments.default_heads import default_heads
        from core.importing.trial import write_import

        if self.plan is None:
            return
        typed = bool((self._shown() or ("",))[0])
        sentences = [
            *self.tried,
            *(each["source"] for each in self.examples if each["source"] not in self.tried),
        ]
        heads = default_heads(self.plan.checkpoint, sentences, HEADS_S)
        card = {"name": name, "examples": self.examples, "default_heads": heads}
        if agreement := (self.compared or {}).get("agreement"):
            card["agreement"] = agreement
        expected = [self.comparison.expected] if self.comparison is not None else []
        write_import(self.plan, folder, list(self.tried) if typed else None, card, expected)
        with contextlib.suppress(AtlasError):  # no atlas if the model can read none of the sentences
            write_atlas(self.plan.checkpoint, [(text, "") for text in sentences], folder, HEADS_S)

    def check(self) -> None:
        """Compare with the original, then make the trust report, on the sentence that was tried or a text of the vocabulary.

        Both once for each plan. Where the original differs there is no report, and `problems` says so.
        """
        if self.plan is None or self.report is not None:
            return
        if self.compared is None and self.original is not None:
            try:
                self.compared = self.original.card(self.plan, self.given)
            except AtlasError as error:
                self.compared = {"refused": sentence(error)}
        if self.compared is not None and "refused" in self.compared:
            self.problems["finish"] = self.compared["refused"]
            return
        try:
            text = (self._shown() or ("",))[0]
            self.report = self.plan.verify([text] if text else None)
        except AtlasError as error:
            self.problems["finish"] = sentence(error)

    def _shown(self) -> tuple[str, str] | None:
        """The sentence and the expectation that `trial` is about; an empty sentence stands for a made-up one."""
        if self.trial is None:
            return None
        text = "" if self.trial.made_up else self.trial.written[0].text
        return text, self.comparison.expected if self.comparison is not None else ""

    def try_out(self, text: str = "", expected: str = "") -> None:
        """Translate one sentence with the model as it is planned, or a made-up one; kept until something changes.

        The sentences tried before take part in the comparison of numbers of heads, which one alone tells little of.
        """
        from core.importing.trial import try_import

        if self.plan is None or self._shown() == (text, expected):
            return
        self.problems.pop("finish", None)
        before = [each for each in self.tried if each != text]
        texts = [text, *before][:TRIED] if text else None
        try:
            self.trial = try_import(self.plan, texts, [expected] if expected else [])
            self.tried = texts or self.tried
        except AtlasError as error:
            self.trial = None
            self.problems["finish"] = sentence(error)


def sentence(error: Exception) -> str:
    """What went wrong, as a sentence that begins like one and names this page's fields."""
    text = str(error) if isinstance(error, AtlasError) else tr(_NO_ROOM)
    for flag, words in _FIELDS:
        text = text.replace(flag, tr(words))
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    named = "_" in first or "." in first.rstrip(".:")  # an option and a file keep their name
    begins = text if named else text[:1].upper() + text[1:]
    return begins if begins.endswith((".", "!", "?", "”")) else f"{begins}."


def _by_given_names(words: str, given: Sequence[str]) -> str:
    """Words about stored files, with the names that they had where they come from."""
    from core.importing.folders import stored_name

    stored = [(stored_name(name), name.rsplit("/", 1)[-1][-60:]) for name in given]
    for own, name in stored:
        if own and [one for one, _ in stored].count(own) == 1:
            words = words.replace(own, name)
    return words


def _contents(streams: Sequence[tuple[str, IO[bytes]]], names: Sequence[str]) -> Files:
    """The files of these names, whole. Raises CheckpointError for one that is too large for a vocabulary."""
    read = tuple((name, stream.read(VOCABULARY_BYTES + 1)) for name, stream in streams if name in names)
    for name, content in read:
        if len(content) > VOCABULARY_BYTES:
            raise CheckpointError.tr(
                "{name} is larger than {vocabulary_bytes} bytes; a vocabulary is smaller.",
                name=name[-60:],
                vocabulary_bytes=numeral(VOCABULARY_BYTES, ","),
            )
    return read


def usual_cut(files: Files) -> str:
    """How text is probably cut for a list of tokens: into characters where most tokens are single ones, else at spaces."""
    lines = [
        line
        for _, content in files
        for line in content[:100_000].decode("utf-8", "replace").split("\n")
        if line
    ]
    return "chars" if sum(len(line) == 1 for line in lines) > len(lines) / 2 else "whitespace"


def vocabulary_answers(
    folder: Path, source: Sequence[tuple[str, bytes]], target: Sequence[tuple[str, bytes]], cut: str
) -> dict[str, Any]:
    """Answers for `ImportPlan.answer`: the paths of the vocabularies. Files for the source alone serve both sides.

    `cut` "numbers" means that there is no vocabulary. Raises CheckpointError for files that do not belong together.
    """
    if cut == "numbers":
        return {"tokenizer": "numbers", "source": None, "target": None}
    if target and not source:
        raise CheckpointError.tr("Only the target’s vocabulary is given; give the source’s too.")
    paths = [
        store_vocabulary(folder, side, files) if files else None
        for side, files in (("source", source), ("target", target))
    ]
    if paths[1] is None:
        return {"tokenizer": paths[0], "source": None, "target": None}
    if any(path is not None and path.is_dir() for path in paths):
        raise CheckpointError.tr(_TOGETHER)
    return {"tokenizer": None, "source": paths[0], "target": paths[1]}


def store_vocabulary(folder: Path, side: str, files: Sequence[tuple[str, bytes]]) -> Path:
    """Store one side's files under safe names in a folder of their own; returns the file or folder to open.

    Raises CheckpointError if they do not form one vocabulary.
    """
    own_folder = folder / f"vocabulary-{side}"
    shutil.rmtree(own_folder, ignore_errors=True)
    own_folder.mkdir()
    names = []
    for name, content in files:
        own = _own_name(name)
        if own in names:
            raise CheckpointError.tr(_TOGETHER)
        (own_folder / own).write_bytes(content)
        names.append(own)
    if len(names) == 1:
        return own_folder / names[0]
    if set(names) == {"vocab.json", "merges.txt"}:
        return own_folder / "vocab.json"
    if {"source.spm", "target.spm", "vocab.json"} <= set(names):
        return own_folder
    raise CheckpointError.tr(_TOGETHER)


def _own_name(name: str) -> str:
    """A name that this project knows, or one that only says what kind of file it is."""
    from core.importing.folders import KNOWN, stored_name

    own = stored_name(name)
    if own in KNOWN:
        return str(own)
    return "tokens" + next((end for end in _ENDINGS if name.lower().endswith(end)), ".txt")


def answer_value(text: str) -> object:
    """What was typed as an answer: numbers, true and false as such, anything else as words."""
    words = text.strip()
    if re.fullmatch(r"-?\d{1,9}", words, re.ASCII):
        return int(words)
    if words.lower() in ("true", "false"):
        return words.lower() == "true"
    try:
        return float(words)
    except ValueError:
        return words


def option_sources(plan: ImportPlan) -> str:
    """How many options come from the file, how many from elsewhere, and how many of them nothing can check."""
    hows = [each.how for each in plan.findings]
    assumed, answered = hows.count("assumed"), hows.count("told")
    parts = [
        tr(
            "Options: {read} from the file, {assumed} assumed, {answered} answered by you.",
            read=len(hows) - assumed - answered,
            assumed=assumed,
            answered=answered,
        )
    ]
    if doubted := sum(each.unsure for each in plan.findings):
        parts.append(
            plural(
                "Nothing in the file confirms {count} of them.",
                "Nothing in the file confirms {count} of them.",
                doubted,
            )
        )
    return " ".join(parts)
