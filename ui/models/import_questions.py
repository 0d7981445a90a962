"""The steps of an import that need an answer: which vocabulary, and options the file does not determine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from core.errors import AtlasError
from ui.models.import_progress import DraftImport, sentence, vocabulary_answers
from ui.shared import cards, tables
from ui.style import screen_text
from ui.uploads import policy

if TYPE_CHECKING:
    from core.importing import ImportPlan, Question

_CUTS: Final = {
    "whitespace": "at spaces",
    "chars": "into characters",
    "regex": "by a regular expression",
    "numbers": "no vocabulary is left: ids as text",
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
    with cards.card("vocabulary", fill=False):
        cards.title(
            f"{number} · Give the vocabulary",
            "one token a line, tokenizer.json, vocab.json with merges.txt, or SentencePiece; the source's alone "
            "serves both sides",
        )
        mark = draft.number
        cut = st.selectbox(
            "how text is cut into tokens",
            list(_CUTS),
            format_func=_CUTS.__getitem__,
            key=f"widget_cut_{mark}",
        )
        pattern, lowercase = "", False
        sides: tuple[list[Any], list[Any]] = ([], [])
        if cut != "numbers":
            if cut == "regex":
                pattern = st.text_input(
                    "what one token looks like", _PATTERN, key=f"widget_pattern_{mark}", max_chars=200
                )
            lowercase = st.checkbox(
                "the vocabulary is lower-case, so text is made so", key=f"widget_lower_{mark}"
            )
            left, right = st.columns(2)
            sides = (_uploader("source", left, mark), _uploader("target", right, mark))
        _take(draft, cut, pattern, lowercase, sides)
        if "vocabulary" in draft.problems:
            cards.mistake(draft.problems["vocabulary"])
        elif draft.plan is not None and draft.plan.vocabularies is not None:
            titles = dict.fromkeys(f"{each.size:,} tokens" for each in draft.plan.vocabularies)
            cards.status(
                " source, ".join(titles) + (" target" if len(titles) > 1 else ", both sides the same size")
            )


def _uploader(side: str, column: Any, mark: int) -> list[Any]:
    with column:
        return list(
            st.file_uploader(
                f"{side} vocabulary", accept_multiple_files=True, key=f"widget_{side}_{mark}",
                max_upload_size=_VOCABULARY_MB,
            )
        )  # fmt: skip


def _take(
    draft: DraftImport, cut: str, pattern: str, lowercase: bool, sides: Sequence[Sequence[Any]]
) -> None:
    """Plan again when anything about the vocabulary has changed since it was last taken."""
    given = (cut, pattern, lowercase, *(tuple(file.file_id for file in side) for side in sides))
    nothing = cut != "numbers" and not any(sides)
    if draft.folder is None or given == draft.vocabulary or (nothing and not draft.vocabulary):
        return
    draft.vocabulary = given
    try:
        source, target = ([(file.name, file.getvalue()) for file in side] for side in sides)
        if cut == "regex" and not pattern.strip():
            raise AtlasError(f"Write what one token looks like, such as {_PATTERN}.")
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
                f"{number} · Answer what the file cannot tell", "by the names of this model's options"
            )
        elif wrong:
            cards.title(f"{number} · An answer does not fit the file", "what it is stands beside the model")
        else:
            cards.title(f"{number} · Nothing is left to answer", "but what is here can still be changed")
        given = {question.name: _ask(question, draft.number) for question in asked}
        if assumed:
            with st.expander(f"{len(assumed)} assumed; change what is wrong"):
                answers = {question.name: _ask(question, draft.number) for question in assumed}
            # What the reader left as proposed stays an assumption in the report.
            given |= {
                each.name: answers[each.name] for each in assumed if answers[each.name] != each.proposal
            }
        pressed = st.form_submit_button(
            "Continue" if waiting or wrong else "Take these",
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
    fields = "This field is" if len(empty) == 1 else "These fields are"
    return f"{fields} still empty: {', '.join(empty)}. The file cannot tell; give {'it' if len(empty) == 1 else 'them'} and press Continue."


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
            return st.checkbox("yes", question.proposal, key=key)
        shown = "" if question.proposal is None else str(question.proposal)
        return policy.answer_value(
            st.text_input(label, shown, key=key, max_chars=200, label_visibility="collapsed")
        )
