"""Bring your own checkpoint: pick files, see what was detected, answer, watch the checks, try it, explore it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from core.analysis.readout import decimal
from core.errors import AtlasError
from core.importing.cli import LAYOUTS
from core.language import message, plural, tr
from core.verify.report import NOT_PROVED, PROVED
from ui.models import import_questions
from ui.models.import_progress import AUTO, DraftImport, sentence
from ui.session import state
from ui.shared import cards, checkpoints, tables
from ui.uploads import gate, policy

if TYPE_CHECKING:
    from core.importing import ImportPlan
    from core.verify.report import TrustReport

_OFF: Final = message(
    "Uploads are off for your browser. By default they are on only for a browser on the machine that runs the app "
    "(http://localhost). Its operator can set ATLAS_UPLOADS=on. python -m core import works everywhere."
)
_READ: Final = (
    ("MarianMT, OPUS-MT", message("config.json, weights, source.spm, target.spm, vocab.json")),
    ("BART, mBART", message("config.json, weights, tokenizer.json or vocab.json with merges.txt")),
    ("T5, Flan-T5", message("config.json, weights, tokenizer.json or spiece.model")),
    ("torch.nn.Transformer", message("State dict, and a vocabulary for each side with one token a line")),
    (
        message("The common tutorials"),
        message("State dict, and a vocabulary for each side with one token a line"),
    ),
    (message("Anything else"), message("The same, and rules of your own (.toml)")),
)
_TRIAL_LIMIT: Final = 2000  # characters


def draw() -> None:
    """The whole wizard; only the steps that can be taken are shown."""
    if not gate.allowed():
        with cards.card("off", fill=False):
            cards.title(tr("Bring your own checkpoint"), tr(_OFF))
        return
    draft: DraftImport = state.draft_import(DraftImport)
    left, right = st.columns([1, 1.1], gap="small")
    with left:
        _pick(draft)
        last = import_questions.draw(draft, draft.plan) if draft.plan is not None else 1
    with right:
        if draft.plan is None:
            _what_can_be_read()
            return
        _detected(draft.plan)
        if draft.plan.ready:
            _finish(draft, draft.plan, last + 1)


def _what_can_be_read() -> None:
    with cards.card("families", fill=False):
        cards.title(tr("What can be read"), tr("Recognised by the names of the weights"))
        rows = [(tr(made), tr(files)) for made, files in _READ]
        tables.table(rows, (tr("Made with"), tr("Files")))
        cards.quiet(
            tr(
                "Nothing in your files is run. Only you see them, and they are deleted soon after you close this tab."
            )
        )


def drop() -> Sequence[Any]:
    """The field that takes all files of a checkpoint, here and in the gallery; files open the import."""
    gate.open_uploads()
    dropped: Sequence[Any] = st.file_uploader(
        tr("Checkpoint files"), accept_multiple_files=True, key="widget_files", max_upload_size=policy.limit_mb(),
        label_visibility="collapsed", on_change=state.update, kwargs={"desk": "import"},
    )  # fmt: skip
    return dropped


def _pick(draft: DraftImport) -> None:
    with cards.card("pick", fill=False):
        limit = policy.limit_mb()
        cards.title(
            tr("1 · Drop all files"),
            tr("Weights, config and vocabularies, in any order, or a .zip; at most {limit} MB", limit=limit),
        )
        picked = drop()
        with st.expander(tr("Wrong layout?")):
            layout = st.selectbox(tr("Layout"), LAYOUTS, format_func=_layout_words, key="widget_layout")
            rules = st.file_uploader(
                tr("Rules of your own (.toml)"), type="toml", key="widget_rules", max_upload_size=1,
                help=tr("They map its keys to this project's; docs/importing.md describes them."),
            )  # fmt: skip
        files = tuple(file.file_id for file in (*picked, *((rules,) if rules else ())))
        if (layout, *files) != draft.files:
            draft.start((layout, *files), gate.remove_folder)
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
        folder = gate.new_folder()
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
        tables.grid(
            (
                each.name,
                _shown(each.value),
                each.how if each.how in ("assumed", "told") else "read",
                _how(each.how, each.unsure),
            )
            for each in plan.findings
        )
        cards.readout(_sources(plan))
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
            tables.table(
                rows, (tr("Option"), tr("Value"), tr("From"), tr("Reason"), tr("Checked")), name="detected"
            )
        if plan.destinations:
            with st.expander(
                plural("Where its {count} key goes", "Where its {count} keys go", len(plan.destinations))
            ):
                tables.table(
                    [(each.key, "×".join(map(str, each.shape)), ", ".join(each.to) or each.note)
                     for each in plan.destinations],
                    (tr("Key"), tr("Shape"), tr("Becomes")), name="keys",
                )  # fmt: skip


_HOWS: Final = {"assumed": message("assumed"), "told": message("your answer"), "file": message("file")}


def _how(how: str, unsure: bool) -> str:
    """Where an option comes from: `file`, `assumed`, `your answer`; with a word where nothing checks it."""
    words = tr(_HOWS.get(how, how))
    return tr("{source}, not checked", source=words) if unsure else words


def _sources(plan: ImportPlan) -> str:
    """How many options come from the file, how many from elsewhere, and how many of them nothing can check."""
    hows = [each.how for each in plan.findings]
    assumed, answered = hows.count("assumed"), hows.count("told")
    parts = [
        tr("Options: {read} from the file, {assumed} assumed, {answered} answered by you.",
           read=len(hows) - assumed - answered, assumed=assumed, answered=answered)
    ]  # fmt: skip
    if doubted := sum(each.unsure for each in plan.findings):
        parts.append(
            plural(
                "Nothing in the file confirms {count} of them.",
                "Nothing in the file confirms {count} of them.",
                doubted,
            )
        )
    return " ".join(parts)


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
            tr("A sentence of your own"), key=f"widget_trial_{draft.number}", max_chars=_TRIAL_LIMIT,
            placeholder=tr("Type one that it was trained for, then Enter"),
        )  # fmt: skip
        expected = st.text_input(
            tr("What the trained model writes for it"), key=f"widget_expect_{draft.number}", max_chars=_TRIAL_LIMIT,
            placeholder=tr("If you know"),
        )  # fmt: skip
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
        held = sum(check.passed for check in draft.report.checks)
        with st.expander(
            tr("{passed} of {count} checks pass", passed=held, count=len(draft.report.checks)),
            expanded=not draft.report.passed,
        ):
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
    tables.pair(written.text, written.written)
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
        cards.quiet(tr("Its vocabulary lacks {words}.", words=" ".join(written.unknown[:8])))
    if draft.comparison is not None and draft.comparison.matched:
        beam = draft.comparison.matched == "beam"
        cards.status(
            tr("This is what you expect, by beam search.") if beam else tr("This is what you expect.")
        )
    elif draft.comparison is not None:
        tables.difference(draft.comparison.difference)
    elif expected:
        cards.quiet(tr("Type the source sentence too."))
    for warning in trial.warnings:
        cards.warning(sentence(AtlasError(warning)))


def draw_report(report: TrustReport) -> None:
    """A trust report as a quiet list."""
    tables.ticks(
        (check.passed, tr(check.sentence), f"{check.value:.0e}" if check.value else "0")
        for check in report.checks
    )


def _write(draft: DraftImport, name: str) -> None:
    folder = None
    try:
        folder = gate.new_folder()
        checkpoint = folder / "checkpoint"
        with st.spinner(tr("Writing …")):
            draft.write(checkpoint, name.strip() or "imported")
    except (AtlasError, OSError) as error:
        if folder is not None:
            gate.remove_folder(folder)
        cards.mistake(sentence(error))
        return
    own = policy.free_name(name, [entry.name for entry in checkpoints.entries()])
    draft.start((), gate.remove_folder)
    gate.holds(folder, own, checkpoint)
    state.add_imported(own, checkpoint)
    state.update(checkpoint=own, desk="gallery")
    st.switch_page("pages/translate.py", query_params=state.link_params())
