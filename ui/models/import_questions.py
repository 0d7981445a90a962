"""The steps of an import that need an answer: which vocabulary, and options the file does not determine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from core.errors import AtlasError
from core.language import message, plural, tr
from ui.models.import_progress import DraftImport, sentence, usual_cut, vocabulary_answers
from ui.shared import cards, tables
from ui.style import screen_text
from ui.uploads import policy

if TYPE_CHECKING:
    from core.importing import ImportPlan, Question

_CUTS: Final = {
    "whitespace": message("At spaces"),
    "chars": message("Into characters"),
    "regex": message("By a regular expression"),
    "numbers": message("No vocabulary is left: ids as text"),
}
_PATTERN: Final = r"\w+|[^\w\s]"
_VOCABULARY_MB: Final = 50


def draw(draft: DraftImport, plan: ImportPlan) -> int:
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
                    "One token a line, tokenizer.json, vocab.json with merges.txt, or SentencePiece. One file alone "
                    "serves both sides."
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
                tr("The vocabulary is lower-case: lower the text"), key=f"widget_lower_{mark}"
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
            one, other = (f"{each.size:,}" for each in draft.plan.vocabularies)
            cards.status(
                tr("{source} source tokens, {target} target tokens", source=one, target=other)
                if one != other
                else tr("{size} tokens on each side", size=one)
            )


def _uploader(label: str, side: str, column: Any, mark: int) -> list[Any]:
    with column:
        return list(
            st.file_uploader(
                label, accept_multiple_files=True, key=f"widget_{side}_{mark}",
                max_upload_size=_VOCABULARY_MB,
            )
        )  # fmt: skip


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
            raise AtlasError(tr("Write what one token looks like, such as {pattern}.", pattern=_PATTERN))
        places = {"tokenizer": None, "source": None, "target": None} if nothing else vocabulary_answers(
            draft.folder, source, target, cut
        )  # fmt: skip
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
                tr("Each question has the name of the model's option"),
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
        if assumed:
            with st.expander(
                plural(
                    "{count} option assumed: change it if it is wrong",
                    "{count} options assumed: change what is wrong",
                    len(assumed),
                )
            ):
                answers = {question.name: _ask(question, draft.number) for question in assumed}
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
        tables.question(question.name, question.text.removeprefix(f"{question.name} is "))
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
        return policy.answer_value(
            st.text_input(label, shown, key=key, max_chars=200, label_visibility="collapsed")
        )
