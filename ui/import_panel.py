"""Bring your own checkpoint: pick files, see what was detected, answer, watch the checks, explore it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from core.errors import AtlasError
from ui import resources, state, uploads
from ui.components import facts, furniture

if TYPE_CHECKING:
    from core.importing import ImportPlan, Question
    from core.verify import TrustReport

_OFF: Final = (
    "Uploads are off on this server. They are on when it listens on localhost (--server.address localhost) or "
    "its operator sets ATLAS_UPLOADS=on; python -m core import works everywhere."
)
_ROLES: Final = {"pad_id": "pad", "bos_id": "bos", "eos_id": "eos", "unk_id": "unk"}
_SPLITS: Final = {"whitespace": "at spaces", "chars": "into characters"}


@dataclass
class Bench:
    """One session's import: its folder, the plan so far, what is wrong."""

    files: tuple[str, ...] = ()
    folder: TemporaryDirectory[str] | None = None
    plan: ImportPlan | None = None
    report: TrustReport | None = None
    problem: str = ""
    kept: list[TemporaryDirectory[str]] = field(default_factory=list)

    def start(self, files: tuple[str, ...]) -> None:
        """Empty, for these files."""
        if self.folder is not None:
            self.folder.cleanup()
        self.files, self.folder, self.plan, self.report, self.problem = files, None, None, None, ""

    def told(self, **answers: Any) -> None:
        """Take answers; a wrong one leaves the plan as it was."""
        self.problem, self.report = "", None
        try:
            self.plan = self.plan.answer(**answers) if self.plan else None
        except AtlasError as error:
            self.problem = str(error)


def draw() -> None:
    """The whole wizard; only the steps that can be taken are shown."""
    if not uploads.allowed(st.get_option("server.address")):
        with furniture.card("off"):
            furniture.title("Bring your own checkpoint", _OFF)
        return
    bench: Bench = state.bench(Bench)
    left, right = st.columns([1, 1.15], gap="small")
    with left:
        _pick(bench)
        if bench.plan is not None:
            _answer(bench, bench.plan)
    with right:
        if bench.plan is not None:
            _detected(bench.plan)
            if bench.plan.ready:
                _finish(bench, bench.plan)
        else:
            with furniture.card("families"):
                furniture.title("What can be read", "recognised by the names of its weights")
                furniture.quiet(
                    "MarianMT, BART, mBART, T5, torch.nn.Transformer and the common tutorials. Files are treated as "
                    "a stranger's: nothing in them is run, and they are removed when this session ends."
                )


def _pick(bench: Bench) -> None:
    with furniture.card("pick"):
        limit = uploads.limit_mb()
        furniture.title(
            "1 · Pick the files", f"weights and what stands beside them, or a .zip; at most {limit} MB"
        )
        picked = st.file_uploader(
            "checkpoint files", accept_multiple_files=True, key="widget_files", max_upload_size=limit,
            label_visibility="collapsed",
        )  # fmt: skip
        files = tuple(file.file_id for file in picked)
        if files != bench.files:
            bench.start(files)
            if picked:
                with st.spinner("Reading …"):
                    _read(bench, picked, limit)
        if bench.problem:
            furniture.mistake(bench.problem)


def _read(bench: Bench, picked: list[Any], limit: int) -> None:
    from core.importing import plan_import, store_uploads

    bench.folder = uploads.new_folder()
    place = Path(bench.folder.name)
    try:
        store_uploads(place, [(file.name, file) for file in picked], limit * 10**6)
        bench.plan = plan_import(place, max_bytes=limit * 10**6)
    except (AtlasError, OSError) as error:
        bench.problem = (
            str(error) if isinstance(error, AtlasError) else "There is no room for these files here."
        )
        bench.folder.cleanup()


def _answer(bench: Bench, plan: ImportPlan) -> None:
    if not plan.questions:
        return
    with furniture.card("answer"), st.form("import_answers", border=False):
        furniture.title("2 · Answer what the file cannot tell")
        answers = {}
        for question in sorted(plan.questions, key=lambda each: not each.blocking):
            if question.name == "vocabulary":
                continue
            value = _ask(question)
            # What the reader left as proposed stays an assumption in the report, and can still be changed.
            if question.blocking or value != question.proposal:
                answers[_ROLES.get(question.name, question.name)] = value
        vocabulary = _vocabulary(plan)
        if st.form_submit_button("Continue", type="primary"):
            given = {name: value for name, value in answers.items() if value not in (None, "")}
            bench.told(**given, **_stored(bench, vocabulary))
            st.rerun()


def _ask(question: Question) -> Any:
    key = f"widget_ask_{question.name}"
    if question.choices:
        chosen = list(question.choices)
        index = chosen.index(question.proposal) if question.proposal in chosen else None
        return st.selectbox(question.text, chosen, index=index, key=key)
    if isinstance(question.proposal, bool):
        return st.checkbox(question.text, question.proposal, key=key)
    shown = "" if question.proposal is None else str(question.proposal)
    return uploads.answer_value(st.text_input(question.text, shown, key=key, max_chars=200))


def _vocabulary(plan: ImportPlan) -> dict[str, Any]:
    if plan.vocabularies is not None and plan.wishes.source is None and plan.wishes.tokenizer is None:
        return {}
    given = plan.wishes.source is not None or plan.wishes.tokenizer is not None
    furniture.quiet(
        "The vocabularies, one token a line, or a tokenizer.json."
        + (" Given; pick to replace." if given else "")
    )
    source = st.file_uploader("source vocabulary", key="widget_source", max_upload_size=50)
    target = st.file_uploader("target vocabulary", key="widget_target", max_upload_size=50)
    split = st.selectbox("text is cut", list(_SPLITS), format_func=_SPLITS.__getitem__, key="widget_split")
    numbers = st.checkbox("No vocabulary is left: write ids as text", key="widget_numbers")
    return {"source": source, "target": target, "split": split, "numbers": numbers}


def _stored(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """The vocabularies under names of our own; only their kind is taken from the uploads' names."""
    if not given or bench.folder is None:
        return {}
    if given["numbers"]:
        return {"tokenizer": "numbers"}
    told: dict[str, Any] = {"split": given["split"]}
    for side in ("source", "target"):
        if (file := given[side]) is not None:
            ending = next(
                (end for end in (".json", ".spm", ".model") if file.name.lower().endswith(end)), ".txt"
            )
            place = Path(bench.folder.name) / f"vocabulary-{side}{ending}"
            place.write_bytes(file.getvalue())
            told[side] = place
    return told


def _detected(plan: ImportPlan) -> None:
    with furniture.card("detected"):
        furniture.title(["This is ", (plan.layout.title, "b")], f"recognised by {plan.layout_reason}")
        rows = [
            (each.name, str(each.value)[:80], f"{each.how}: {each.reason}"[:200]) for each in plan.findings
        ]
        facts.table(rows, ("option", "value", "from"), name="detected")
        for problem in plan.problems[:3]:
            furniture.mistake(problem)
        if plan.destinations:
            with st.expander(f"where its {len(plan.destinations)} keys go"):
                facts.table(
                    [(each.key, "×".join(map(str, each.shape)), ", ".join(each.to) or each.note)
                     for each in plan.destinations],
                    ("key", "shape", "becomes"), name="detected",
                )  # fmt: skip


def _finish(bench: Bench, plan: ImportPlan) -> None:
    with furniture.card("finish"):
        furniture.title(
            "3 · Check it, name it, explore it", "every promise is tried on this model before it opens"
        )
        try:
            if bench.report is None:
                with st.spinner("Checking …"):
                    bench.report = plan.verify()
        except AtlasError as error:
            furniture.mistake(str(error))
            return
        draw_report(bench.report)
        name = st.text_input("name", "my model", key="widget_import_name", max_chars=60)
        if st.button("Explore it", key="widget_explore", type="primary"):
            _write(bench, plan, name)


def draw_report(report: TrustReport) -> None:
    """A trust report as a quiet list."""
    facts.ticks(
        (check.passed, check.sentence, f"{check.value:.0e}" if check.value else "0")
        for check in report.checks
    )


def _write(bench: Bench, plan: ImportPlan, name: str) -> None:
    folder = uploads.new_folder()
    place = Path(folder.name) / "checkpoint"
    sources = [{"source": text} for text in bench.report.sources] if bench.report else []
    try:
        plan.write(place, card={"name": name.strip() or "imported", "examples": sources})
    except (AtlasError, OSError) as error:
        folder.cleanup()
        furniture.mistake(
            str(error) if isinstance(error, AtlasError) else "There is no room for this model here."
        )
        return
    own = uploads.free_name(name, [entry.name for entry in resources.entries()])
    bench.kept.append(folder)
    bench.start(bench.files)
    state.add_imported(own, place)
    state.update(checkpoint=own, desk="gallery")
    st.switch_page("pages/translate.py", query_params=state.link_params())
