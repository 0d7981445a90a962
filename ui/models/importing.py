"""Bring your own checkpoint: pick files, see what was detected, answer, watch the checks, try it, explore it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from core.analysis.readout import decimal
from core.errors import AtlasError
from core.importing.cli import LAYOUTS
from core.verify.report import NOT_PROVED, PROVED
from ui.models import import_questions
from ui.models.import_progress import AUTO, DraftImport, sentence
from ui.session import state
from ui.shared import cards, checkpoints, tables
from ui.uploads import gate, policy

if TYPE_CHECKING:
    from core.importing import ImportPlan
    from core.verify import TrustReport

_OFF: Final = (
    "Uploads are off for your browser. Without a setting they are on only for a browser on the machine that the app "
    "runs on (http://localhost); its operator can set ATLAS_UPLOADS=on. python -m core import works everywhere."
)
_READ: Final = (
    ("MarianMT, OPUS-MT", "config.json, weights, source.spm, target.spm, vocab.json"),
    ("BART, mBART", "config.json, weights, tokenizer.json or vocab.json with merges.txt"),
    ("T5, Flan-T5", "config.json, weights, tokenizer.json or spiece.model"),
    ("torch.nn.Transformer", "the state dict, two vocabularies with one token a line"),
    ("the common tutorials", "the state dict, two vocabularies with one token a line"),
    ("anything else", "the same, and rules of your own (.toml)"),
)
_TRIAL_LIMIT: Final = 2000  # characters


def draw() -> None:
    """The whole wizard; only the steps that can be taken are shown."""
    if not gate.allowed():
        with cards.card("off", fill=False):
            cards.title("Bring your own checkpoint", _OFF)
        return
    gate.open_uploads()
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
        cards.title("What can be read", "recognised by the names of the weights, never by those of the files")
        tables.table(_READ, ("made with", "give"))
        cards.quiet(
            "Files are treated as untrusted: nothing in them is run, only you see them, and they are removed soon "
            "after you close this tab."
        )


def _pick(draft: DraftImport) -> None:
    with cards.card("pick", fill=False):
        limit = policy.limit_mb()
        cards.title(
            "1 · Pick the files", f"weights and what stands beside them, or a .zip; at most {limit} MB"
        )
        picked = st.file_uploader(
            "checkpoint files", accept_multiple_files=True, key="widget_files", max_upload_size=limit,
            label_visibility="collapsed",
        )  # fmt: skip
        with st.expander("not recognised, or not rightly?"):
            layout = st.selectbox("layout", LAYOUTS, format_func=_layout_words, key="widget_layout")
            rules = st.file_uploader(
                "rules of your own (.toml)", type="toml", key="widget_rules", max_upload_size=1,
                help="From its keys to ours; docs/importing.md tells the language.",
            )  # fmt: skip
        files = tuple(file.file_id for file in (*picked, *((rules,) if rules else ())))
        if (layout, *files) != draft.files:
            draft.start((layout, *files), gate.remove_folder)
            if picked:
                with st.spinner("Reading …"):
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
    return "found by itself" if name == AUTO else name


def _problem(draft: DraftImport, step: Any) -> None:
    if step in draft.problems:
        cards.mistake(draft.problems[step])


def _detected(plan: ImportPlan) -> None:
    with cards.card("detected", fill=False):
        reason = "as you said" if plan.layout_reason == "told" else f"recognised by {plan.layout_reason}"
        cards.title(["This is ", (plan.layout.title, "b")], reason)
        for problem in plan.problems[:3]:
            cards.mistake(sentence(AtlasError(problem)))
        if len(plan.problems) > 3:
            cards.quiet(f"and {len(plan.problems) - 3} more of the kind")
        tables.grid(
            (each.name, _shown(each.value), f"{each.how}, not checked" if each.unsure else each.how)
            for each in plan.findings
        )
        cards.readout(_sources(plan))
        for note in plan.weights.notes[:5]:
            cards.quiet(sentence(AtlasError(note)))
        with st.expander("where each of these comes from"):
            rows = [
                (
                    each.name,
                    _shown(each.value),
                    each.how,
                    each.reason[:200] if each.reason != each.how else "",
                    "not checked" if each.unsure else "",
                )
                for each in plan.findings
            ]
            tables.table(rows, ("option", "value", "from", "because", ""), name="detected")
        if plan.destinations:
            with st.expander(f"where its {len(plan.destinations)} keys go"):
                tables.table(
                    [(each.key, "×".join(map(str, each.shape)), ", ".join(each.to) or each.note)
                     for each in plan.destinations],
                    ("key", "shape", "becomes"), name="keys",
                )  # fmt: skip


def _sources(plan: ImportPlan) -> str:
    """`17 options read from the file, 6 assumed, 1 told; nothing in the file can show whether those 7 are right.`"""
    hows = [each.how for each in plan.findings]
    assumed, answered = hows.count("assumed"), hows.count("told")
    parts = [f"{len(hows) - assumed - answered} options read from the file"]
    parts += [f"{assumed} assumed"] if assumed else []
    parts += [f"{answered} told"] if answered else []
    doubted = sum(each.unsure for each in plan.findings)
    which = f"those {doubted} are" if doubted > 1 else "that one is"
    parts[-1] += f"; nothing in the file can show whether {which} right" if doubted else ""
    return ", ".join(parts) + "."


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None or value == "" else str(value)[:80]


def _finish(draft: DraftImport, plan: ImportPlan, number: int) -> None:
    with cards.card("finish", fill=False):
        cards.title(
            f"{number} · Try it, name it, explore it", "every check is made on this model before it opens"
        )
        text = st.text_input(
            "a sentence of your own", key=f"widget_trial_{draft.number}", max_chars=_TRIAL_LIMIT,
            placeholder="type one that it was trained for, then Enter",
        )  # fmt: skip
        expected = st.text_input(
            "what the trained model writes for it", key=f"widget_expect_{draft.number}", max_chars=_TRIAL_LIMIT,
            placeholder="if you know",
        )  # fmt: skip
        with st.spinner("Checking …"):
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
            f"{held} of {len(draft.report.checks)} checks pass", expanded=not draft.report.passed
        ):
            draw_report(draft.report)
        cards.quiet([PROVED, " ", NOT_PROVED] if draft.report.passed else NOT_PROVED)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.text_input("name", "my model", key="widget_import_name", max_chars=60)
            if st.button("Explore it", key="widget_explore", type="primary"):
                _write(draft, name)


def _trial(draft: DraftImport, expected: str) -> None:
    """What the model writes, how sure it is of that, whether it was expected, and what looks wrong."""
    trial, written = draft.trial, draft.written
    if trial is None or written is None:
        return
    tables.pair(written.text, written.written)
    rate = decimal(written.log_probability, 3)
    cards.quiet(
        [
            "A text made of its own vocabulary; type a sentence to see more. " if trial.made_up else "",
            "Mean log-probability ", (rate, "b"), f" a token, over {written.tokens}.",
        ]
    )  # fmt: skip
    if written.unknown:
        cards.quiet(["Its vocabulary does not know ", (" ".join(written.unknown[:8]), "b"), "."])
    if draft.comparison is not None and draft.comparison.matched:
        beam = " by beam search" if draft.comparison.matched == "beam" else ""
        cards.status(f"This is what you expect{beam}.")
    elif draft.comparison is not None:
        tables.difference(draft.comparison.difference)
    elif expected:
        cards.quiet("Type the sentence too that this is the translation of.")
    for warning in trial.warnings:
        cards.warning(sentence(AtlasError(warning)))


def draw_report(report: TrustReport) -> None:
    """A trust report as a quiet list."""
    tables.ticks(
        (check.passed, check.sentence, f"{check.value:.0e}" if check.value else "0")
        for check in report.checks
    )


def _write(draft: DraftImport, name: str) -> None:
    folder = None
    try:
        folder = gate.new_folder()
        checkpoint = folder / "checkpoint"
        with st.spinner("Writing …"):
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
