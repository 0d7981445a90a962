"""Bring your own checkpoint: pick files, see what was detected, answer, watch the checks, try it, explore it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from core.analysis.readout import decimal
from core.errors import AtlasError
from core.importing.cli import LAYOUTS
from core.language import message, numeral, plural, tr
from core.verify.report import NOT_PROVED, PROVED
from ui import uploads
from ui.models.import_progress import (
    AUTO,
    DraftImport,
    answer_value,
    option_sources,
    sentence,
    usual_cut,
    vocabulary_answers,
)
from ui.session import state
from ui.shared import cards, checkpoints
from ui.style import screen_text

if TYPE_CHECKING:
    from core.importing.options import Question
    from core.importing.plan import ImportPlan
    from core.verify.report import TrustReport


_CUTS: Final = {
    "whitespace": message("At spaces"),
    "chars": message("Into characters"),
    "regex": message("By a regular expression"),
    "numbers": message("The vocabulary is lost: ids as text"),
}
_PATTERN: Final = r"\w+|[^\w\s]"
_VOCABULARY_MB: Final = 50


def draw_questions(draft: DraftImport, plan: ImportPlan) -> int:
    """The vocabulary, where the files bring none, and what is asked; returns the number of the last step drawn."""
    number = 1
    brought = plan.vocabularies is not None and plan.wishes.source is None and plan.wishes.tokenizer is None
    if not brought:
        number += 1
        _vocabulary(draft, number)
    asked, assumed = draft.questions()
    if asked or assumed:
        number += 1
        _answers(draft, asked, assumed, number)
    return number


def _vocabulary(draft: DraftImport, number: int) -> None:
    source, target = draft.dropped
    with cards.card("vocabulary", fill=False):
        if source:
            names = (screen_text.plain(each[0][0]) for each in (source, target) if each)
            cards.title(
                tr("{number} · Vocabularies", number=number),
                tr("{source} for the source, {target} for the target", source=next(names), target=next(names))
                if target
                else tr("{source} for both sides", source=next(names)),
            )
        else:
            cards.title(
                tr("{number} · Give the vocabulary", number=number),
                tr(
                    "One token per line, tokenizer.json, vocab.json with merges.txt, or SentencePiece. A single file serves both sides."
                ),
            )
        mark = draft.number
        cut = st.selectbox(
            tr("How is text cut into tokens?"),
            list(_CUTS),
            index=list(_CUTS).index(usual_cut((*source, *target))),
            format_func=lambda each: tr(_CUTS[each]),
            key=f"widget_cut_{mark}",
        )
        pattern, lowercase = "", False
        sides: tuple[Sequence[Any], Sequence[Any]] = ((), ())
        if cut != "numbers":
            if cut == "regex":
                pattern = st.text_input(
                    tr("What one token looks like"), _PATTERN, key=f"widget_pattern_{mark}", max_chars=200
                )
            lowercase = st.checkbox(
                tr("The vocabulary is lower-case: convert the text to lower case"), key=f"widget_lower_{mark}"
            )
            with st.expander(tr("Other files")) if source else nullcontext():
                left, right = st.columns(2)
                sides = (
                    _uploader(tr("Source vocabulary"), "source", left, mark),
                    _uploader(tr("Target vocabulary"), "target", right, mark),
                )
        _take(draft, cut, pattern, lowercase, sides)
        if "vocabulary" in draft.problems:
            cards.mistake(draft.problems["vocabulary"])
        elif draft.plan is not None and draft.plan.vocabularies is not None:
            one, other = (numeral(each.size, ",") for each in draft.plan.vocabularies)
            cards.status(
                tr("{source} source tokens, {target} target tokens", source=one, target=other)
                if one != other
                else tr("{size} tokens on each side", size=one)
            )


def _uploader(label: str, side: str, column: Any, mark: int) -> list[Any]:
    with column:
        return list(
            st.file_uploader(
                label,
                accept_multiple_files=True,
                key=f"widget_{side}_{mark}",
                max_upload_size=_VOCABULARY_MB,
            )
        )


def _take(
    draft: DraftImport, cut: str, pattern: str, lowercase: bool, sides: Sequence[Sequence[Any]]
) -> None:
    """Plan again when anything about the vocabulary has changed since it was last taken."""
    given = (cut, pattern, lowercase, *(tuple(file.file_id for file in side) for side in sides))
    nothing = cut != "numbers" and not any((*sides, *draft.dropped))
    if draft.folder is None or given == draft.vocabulary or (nothing and not draft.vocabulary):
        return
    draft.vocabulary = given
    try:
        source, target = ([(file.name, file.getvalue()) for file in side] for side in sides)
        if not (source or target):
            source, target = map(list, draft.dropped)
        if cut == "regex" and not pattern.strip():
            raise AtlasError.tr("Write what one token looks like, such as {pattern}.", pattern=_PATTERN)
        places = (
            {"tokenizer": None, "source": None, "target": None}
            if nothing
            else vocabulary_answers(draft.folder, source, target, cut)
        )
    except (AtlasError, OSError) as error:
        draft.problems["vocabulary"] = sentence(error)
        return
    split = {} if cut == "numbers" else {"split": cut, "pattern": pattern or None, "lowercase": lowercase}
    draft.answer("vocabulary", **places, **split)


def _answers(draft: DraftImport, asked: Sequence[Question], assumed: Sequence[Question], number: int) -> None:
    waiting = draft.plan is not None and any(each.name != "vocabulary" for each in draft.plan.open_questions)
    with cards.card("answer", fill=False), st.form(f"import_answers_{draft.number}", border=False):
        wrong = draft.plan is not None and bool(draft.plan.problems)
        if waiting:
            cards.title(
                tr("{number} · Answer what the file does not say", number=number),
                tr("Each question shows the name of the model’s option"),
            )
        elif wrong:
            cards.title(
                tr("{number} · An answer does not fit the file", number=number),
                tr("The card about the model says which"),
            )
        else:
            cards.title(
                tr("{number} · All questions answered", number=number), tr("You can still change the answers")
            )
        given = {question.name: _ask(question, draft.number) for question in asked}
        named = {question.name for question in assumed}
        others = [each for each in (draft.plan.assumed if draft.plan else ()) if each.name not in named]
        if assumed:
            with st.expander(
                plural(
                    "{count} option assumed: change it if it is wrong",
                    "{count} options assumed: change what is wrong",
                    len(assumed) + len(others),
                )
            ):
                answers = {question.name: _ask(question, draft.number) for question in assumed}
                for each in others:  # such as how a vocabulary's file was read, which another file answers
                    cards.quiet(tr("{name}: {words}", name=each.name, words=each.reason))
            # What the reader left as proposed stays an assumption in the report.
            given |= {
                each.name: answers[each.name] for each in assumed if answers[each.name] != each.proposal
            }
        pressed = st.form_submit_button(
            tr("Continue") if waiting or wrong else tr("Apply"),
            type="primary" if waiting or wrong else "secondary",
        )
        if "answer" in draft.problems:
            cards.mistake(draft.problems["answer"])
    if pressed:
        # An empty field answers no question, but it is an answer where something was assumed: nothing.
        waits = {each.name for each in asked if each.blocking}
        if empty := unanswered(asked, given):
            draft.problems["answer"] = empty
            st.rerun()
        draft.answer(
            "answer", **{name: v for name, v in given.items() if v not in (None, "") or name not in waits}
        )
        st.rerun()


def unanswered(asked: Sequence[Question], given: Mapping[str, Any]) -> str:
    """A sentence about the questions that wait for an answer and were given none; empty where there is none."""
    empty = [each.name for each in asked if each.blocking and given.get(each.name) in (None, "")]
    if not empty:
        return ""
    if len(empty) == 1:
        return tr(
            "{name} is still empty. The file does not say it: fill it in and press Continue.", name=empty[0]
        )
    return tr(
        "{names} are still empty. The file does not say them: fill them in and press Continue.",
        names=", ".join(empty),
    )


def _ask(question: Question, mark: int) -> Any:
    """One question: its option's name and what was inferred, and why, beside the field."""
    words, field = st.columns([1.7, 1], vertical_alignment="center")
    with words:
        cards.question(question.name, question.text.removeprefix(f"{question.name} is "))
    key = f"widget_ask_{mark}_{question.name}"
    label = screen_text.label(question.text)
    with field:
        if question.choices:
            chosen = list(question.choices)
            index = chosen.index(question.proposal) if question.proposal in chosen else None
            return st.selectbox(label, chosen, index=index, key=key, label_visibility="collapsed")
        if isinstance(question.proposal, bool):
            return st.checkbox(tr("Yes"), question.proposal, key=key)
        shown = "" if question.proposal is None else str(question.proposal)
        return answer_value(st.text_input(label, shown, key=key, max_chars=200, label_visibility="collapsed"))


_OFF: Final = message(
    "Uploads are off for your browser. By default they are on only for a browser on the machine that runs the app "
    "(http://localhost). Its operator can set ATLAS_UPLOADS=on. python -m core import works everywhere."
)
_READ: Final = (
    ("MarianMT, OPUS-MT", message("config.json, weights, source.spm, target.spm, vocab.json")),
    ("BART, mBART", message("config.json, weights, tokenizer.json or vocab.json with merges.txt")),
    ("T5, Flan-T5", message("config.json, weights, tokenizer.json or spiece.model")),
    ("torch.nn.Transformer", message("State dict, and a vocabulary for each side with one token per line")),
    (
        message("The common tutorials"),
        message("State dict, and a vocabulary for each side with one token per line"),
    ),
    (message("Anything else"), message("The same, and rules of your own (.toml)")),
)
_TRIAL_LIMIT: Final = 2000  # characters


def draw_import() -> None:
    """The whole wizard: the steps that can be taken, and beside them what was found in the files."""
    if not uploads.allowed():
        with cards.card("off", fill=False):
            cards.title(tr("Bring your own checkpoint"), tr(_OFF))
        return
    draft: DraftImport = state.draft_import(DraftImport)
    left, right = st.columns([1, 1.1], gap="small")
    with left:
        _pick(draft)
        last = draw_questions(draft, draft.plan) if draft.plan is not None else 1
    with right:
        if draft.plan is None:
            _what_can_be_read()
            return
        _detected(draft.plan)
    if draft.plan.ready:
        with left:
            _finish(draft, draft.plan, last + 1)


def _what_can_be_read() -> None:
    with cards.card("families", fill=False):
        cards.title(tr("What can be read"), tr("Recognised by the names of the weights"))
        rows = [(tr(made), tr(files)) for made, files in _READ]
        cards.table(rows, (tr("Made with"), tr("Files")))
        cards.quiet(
            tr(
                "Nothing in your files is run. Only you see them, and they are deleted soon after you close this tab."
            )
        )


def drop() -> Sequence[Any]:
    """The field that takes all files of a checkpoint, here and in the gallery; files open the import."""
    uploads.open_uploads()
    dropped: Sequence[Any] = st.file_uploader(
        tr("Checkpoint files"),
        accept_multiple_files=True,
        key="widget_files",
        max_upload_size=uploads.limit_mb(),
        label_visibility="collapsed",
        on_change=state.open_import,
        args=("widget_files",),
    )
    return dropped


def _pick(draft: DraftImport) -> None:
    with cards.card("pick", fill=not state.entered("widget_files")):
        limit = uploads.limit_mb()
        cards.title(
            tr("1 · Drop all files"),
            tr("Weights, config and vocabularies, in any order, or a .zip; at most {limit} MB", limit=limit),
        )
        picked = drop()
        with st.expander(tr("Wrong layout?")):
            layout = st.selectbox(tr("Layout"), LAYOUTS, format_func=_layout_words, key="widget_layout")
            rules = st.file_uploader(
                tr("Rules of your own (.toml)"),
                type="toml",
                key="widget_rules",
                max_upload_size=1,
                help=tr("They map its keys to this project’s; docs/importing.md describes them."),
            )
        files = tuple(file.file_id for file in (*picked, *((rules,) if rules else ())))
        if (layout, *files) != draft.files:
            draft.start((layout, *files), uploads.remove_folder)
            if picked:
                with st.spinner(tr("Reading …")):
                    _read(draft, picked, limit, layout, rules)
        _problem(draft, "pick")


def _read(draft: DraftImport, picked: Sequence[Any], limit: int, layout: str, rules: Any) -> None:
    for file in picked:
        file.seek(0)  # it was read to its end if only the layout has changed
    named = [(file.name, file) for file in picked]
    own = rules.getvalue() if rules is not None else None
    try:
        folder = uploads.new_folder()
    except OSError as error:
        draft.problems["pick"] = sentence(error)
        return
    draft.read(folder, named, limit * 10**6, layout, own)


def _layout_words(name: str) -> str:
    return tr("Recognised automatically") if name == AUTO else name


def _problem(draft: DraftImport, step: Any) -> None:
    if step in draft.problems:
        cards.mistake(draft.problems[step])


def _detected(plan: ImportPlan) -> None:
    with cards.card("detected", fill=False):
        reason = (
            tr("As you chose")
            if plan.layout_reason == "told"
            else tr("Recognised by {reason}", reason=plan.layout_reason)
        )
        cards.title([tr("Layout:"), " ", (plan.layout.title, "b")], reason)
        for problem in plan.problems[:3]:
            cards.mistake(sentence(AtlasError(problem)))
        if len(plan.problems) > 3:
            cards.quiet(tr("and {count} more", count=len(plan.problems) - 3))
        cards.grid(
            (
                each.name,
                _shown(each.value),
                each.how if each.how in ("assumed", "told") else "read",
                _how(each.how, each.unsure),
            )
            for each in plan.findings
        )
        cards.readout(option_sources(plan))
        for note in plan.weights.notes[:5]:
            cards.quiet(sentence(AtlasError(note)))
        with st.expander(tr("Where each option comes from")):
            rows = [
                (
                    each.name,
                    _shown(each.value),
                    _how(each.how, False),
                    each.reason[:200] if each.reason != each.how else "",
                    tr("no") if each.unsure else tr("yes"),
                )
                for each in plan.findings
            ]
            cards.table(
                rows, (tr("Option"), tr("Value"), tr("From"), tr("Reason"), tr("Checked")), name="detected"
            )
        if plan.destinations:
            with st.expander(
                plural("Where its {count} key goes", "Where its {count} keys go", len(plan.destinations))
            ):
                cards.table(
                    [
                        (each.key, "×".join(map(str, each.shape)), ", ".join(each.to) or each.note)
                        for each in plan.destinations
                    ],
                    (tr("Key"), tr("Shape"), tr("Becomes")),
                    name="keys",
                )


_HOWS: Final = {"assumed": message("assumed"), "told": message("your answer"), "file": message("file")}


def _how(how: str, unsure: bool) -> str:
    """Where an option comes from: `file`, `assumed`, `your answer`; with a word where nothing checks it."""
    words = tr(_HOWS.get(how, how))
    return tr("{source}, not checked", source=words) if unsure else words


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return tr("none") if value is None or value == "" else str(value)[:80]


def _finish(draft: DraftImport, plan: ImportPlan, number: int) -> None:
    with cards.card("finish", fill=False):
        cards.title(
            tr("{number} · Try it, name it, open it", number=number),
            tr("All checks run on this model before it opens"),
        )
        text = st.text_input(
            tr("A sentence of your own"),
            key=f"widget_trial_{draft.number}",
            max_chars=_TRIAL_LIMIT,
            placeholder=tr("Type one like those it was trained on, then press Enter"),
        )
        expected = st.text_input(
            tr("What the trained model writes for it"),
            key=f"widget_expect_{draft.number}",
            max_chars=_TRIAL_LIMIT,
            placeholder=tr("If you know"),
        )
        with st.spinner(tr("Checking …")):
            if text.strip():
                draft.try_out(text.strip(), expected.strip())
            draft.check()
            if draft.report is not None and draft.trial is None and "finish" not in draft.problems:
                draft.try_out()
        _trial(draft, expected.strip())
        _problem(draft, "finish")
        if draft.report is None:
            return
        if largest := (draft.compared or {}).get("largest"):
            cards.quiet(
                tr(
                    "The transformers library computes the same from these files: the largest difference is {largest}.",
                    largest=largest,
                )
            )
        with st.expander(checks_title(draft.report), expanded=not draft.report.passed):
            draw_report(draft.report)
        cards.quiet([tr(PROVED), " ", tr(NOT_PROVED)] if draft.report.passed else tr(NOT_PROVED))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.text_input(tr("Name"), tr("my model"), key="widget_import_name", max_chars=60)
            if st.button(tr("Open"), key="widget_explore", type="primary"):
                _write(draft, name)


def _trial(draft: DraftImport, expected: str) -> None:
    """What the model writes, how sure it is of that, whether it was expected, and what looks wrong."""
    trial, written = draft.trial, draft.written
    if trial is None or written is None:
        return
    cards.pair(written.text, written.written)
    made_up = (
        tr("A text made of its own vocabulary: type a sentence to see more.") + " " if trial.made_up else ""
    )
    rate = decimal(written.log_probability, 3)
    cards.quiet(
        made_up
        + plural(
            "Mean log-probability {rate} per token, over {count} token.",
            "Mean log-probability {rate} per token, over {count} tokens.",
            written.tokens,
            rate=rate,
        )
    )
    if written.unknown:
        cards.quiet(tr("The vocabulary lacks {words}.", words=" ".join(written.unknown[:8])))
    if draft.comparison is not None and draft.comparison.matched:
        beam = draft.comparison.matched == "beam"
        cards.status(
            tr("This is what you expect, by beam search.") if beam else tr("This is what you expect.")
        )
    elif draft.comparison is not None:
        cards.difference(draft.comparison.difference)
    elif expected:
        cards.quiet(tr("Type the source sentence too."))
    for warning in trial.warnings:
        cards.warning(sentence(AtlasError(warning)))


def checks_title(report: TrustReport) -> str:
    """How many checks of a trust report pass."""
    passed = sum(check.passed for check in report.checks)
    return tr("{passed} of {count} checks pass", passed=passed, count=len(report.checks))


def draw_report(report: TrustReport) -> None:
    """A trust report as a quiet list."""
    cards.ticks(
        (check.passed, check.promise, numeral(check.value, ".0e") if check.value else "0")
        for check in report.checks
    )


def _write(draft: DraftImport, name: str) -> None:
    folder = None
    try:
        folder = uploads.new_folder()
        checkpoint = folder / "checkpoint"
        with st.spinner(tr("Writing …")):
            draft.write(checkpoint, name.strip() or "imported")
    except (AtlasError, OSError) as error:
        if folder is not None:
            uploads.remove_folder(folder)
        cards.mistake(sentence(error))
        return
    own = uploads.free_name(name, [entry.name for entry in checkpoints.entries()])
    draft.start((), uploads.remove_folder)
    uploads.holds(folder, own, checkpoint)
    state.add_imported(own, checkpoint)
    state.update(checkpoint=own, desk="gallery")
    st.switch_page("pages/translate.py", query_params=state.link_params())
