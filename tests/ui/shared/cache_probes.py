"""What each cache of the app keeps, asked for as the pages ask for it: one probe for every site of `cache_sites`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.analysis import familiarity
from core.analysis.alignment import Gold, GoldFile
from core.analysis.familiarity import Word
from core.experiments.edits import Edits, Head, HeadsStep
from core.model import hooks
from ui.attention import wall
from ui.heads import alignment_data as data
from ui.heads import atlas
from ui.heads.atlas import Corpus
from ui.inside import answer, lenses, norms, positions
from ui.learn import dynamics, mistake_on_sentence, shelf
from ui.learn.shelf import Numbers
from ui.session.selection import Selection
from ui.shared import ablations, cache, context, contributions, models, mount, what_if
from ui.shared import checkpoints as listing
from ui.shared import maps as view
from ui.shared.cache import BoundedCache
from ui.shared.checkpoints import Entry
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import Decode
from ui.style import theme
from ui.translate import unusual

TEXTS = ("quiet birds sleep while rain falls", "rain falls while quiet birds sleep")
"""As long as each other, of the same words: a key that holds less than the sentence takes one for the other."""
RANKED: tuple[Head, ...] = (("cross", 1, 2), ("cross", 0, 1))
EDITS = Edits((HeadsStep("cross", 1, (2,), "mean"),))


@dataclass(frozen=True)
class Case:
    """A checkpoint of the list and a sentence; `target` is what the reader gives as its translation."""

    model: str
    text: str
    target: str = ""

    @property
    def entry(self) -> Entry:
        return listing.find(self.model)[0]

    @cached_property
    def selection(self) -> Selection:
        given = {"strategy": "given", "target": self.target} if self.target else {}
        return replace(Selection(checkpoint=self.model, text=self.text), **given)  # type: ignore[arg-type]

    @property
    def checkpoint(self) -> CheckpointView:
        return CheckpointView(self.entry, self.selection)

    @property
    def view(self) -> DecodeView:
        self.checkpoint.load()
        return self.checkpoint.decoded

    @property
    def decode(self) -> Decode:
        return self.view.decode

    @property
    def file(self) -> GoldFile:
        """A gold file of this sentence alone; every file has the same name."""
        links = Gold(frozenset({(0, TEXTS.index(self.text))}), frozenset({(0, 0), (0, 1)}))
        return GoldFile("mine.txt", ((self.text, "pluie tombe"),), (links,))

    @property
    def corpus(self) -> Corpus:
        return Corpus(f"mine {TEXTS.index(self.text)}", ((self.text, ""),))


@dataclass(frozen=True)
class Probe:
    """`value` of a case, which is another one for another `by`; `models` are two folders that differ in it."""

    value: Callable[[Case], Any]
    by: frozenset[str] = frozenset({"sentence", "model"})
    models: tuple[str, str] = ("a", "b")
    cache: BoundedCache[Any] | None = None  # the cache itself, where the site makes the key


def plain(value: Any) -> Any:
    """The same as numbers and words that can be compared."""
    if isinstance(value, np.ndarray):
        numbers = value.dtype.kind in "fiub"
        return value.shape, repr(value.astype(float).round(6).tolist()) if numbers else value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [
            plain(each) for each in (sorted(value, key=repr) if isinstance(value, set | frozenset) else value)
        ]
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value) if each.name != "key"}
    if hasattr(value, "to_csv"):
        return value.to_csv()
    if hasattr(value, "detach"):
        return plain(value.detach().numpy())
    if hasattr(value, "to_plotly_json"):
        return plain(value.to_plotly_json())
    return (
        value
        if isinstance(value, str | int | bool | type(None))
        else repr(value if isinstance(value, float) else type(value))
    )


def decoded(decode: Decode) -> Any:
    return decode.source_text, decode.trace.written_ids, decode.trace.stacked("decoder", "cross", "weights")


def recorded(trace: Any) -> Any:
    return {str(site): np.asarray(array) for site, array in trace.records.items()}


class Finished:
    """In place of a job: all its stages at once."""

    def __init__(
        self,
        make: Callable[[], Any],
        on_done: Callable[[Any], None] = lambda value: None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        assert wanted()
        *_, last = make()
        on_done(last)
        self.latest, self.finished = last, True


def with_jobs(ask: Callable[[Case], Any]) -> Callable[[Case], Any]:
    """`ask`, with every measurement behind the page finished at once."""

    def value(case: Case) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(context, "Job", Finished)
            patch.setattr(context.state, "start_job", lambda name, begin: begin(lambda: True))
            return ask(case)

    return value


def _started_gold(case: Case) -> Any:
    if case.checkpoint.known(data._name(case.file)) is None:
        data.start(case.checkpoint, case.file)
    return data.surveyed(case.checkpoint, case.file)


def _surveyed_gold(case: Case) -> Any:
    case.checkpoint.load()
    return data.surveyed(case.checkpoint, case.file)


def _started_atlas(case: Case) -> Any:
    if atlas.roles_on(case.entry, case.corpus) is None:
        atlas.start(case.checkpoint, case.corpus)
    found = atlas.roles_on(case.entry, case.corpus)
    assert found
    return found.name, found.atlas.sentences, found.numbers


def _started_survey(case: Case) -> Any:
    view = case.view
    if ablations.surveyed(view, False) is None:
        ablations.start_survey(view, False)
    return ablations.surveyed(view, False)


def _started_pair(case: Case) -> Any:
    view, ranked = case.view, list(RANKED)
    if ablations.known(view, ranked) is None:
        ablations.start(view, ranked)
    return ablations.known(view, ranked)


def _joined(case: Case) -> Any:
    """Links of the other direction that are told by the model and the sentence they were made from."""
    mark = (len(case.model), "ab".index(case.model), TEXTS.index(case.text))
    links = {(0, 0, "writing"): frozenset({mark[1:]})}
    words = SimpleNamespace(source=("x",) * 6, target=("y",) * 5, spaced=True)
    plate: Any = SimpleNamespace(words=words, links=frozenset({(0, 0)}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "_every_head", lambda *given: links)
        return data.joined(case.checkpoint, plate, (case.text, "pluie tombe"), "weight").backward


def _stored_dynamics(case: Case) -> Any:
    inner = case.entry
    named: Any = SimpleNamespace(
        name=inner.name,
        path=inner.path,
        stamp=inner.stamp,
        config=inner.config,
        usable=SimpleNamespace(has_dynamics=True),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dynamics, "stored_dynamics", lambda path, config: path.name)
        return dynamics.stored(named)


def _open_scores(case: Case) -> Any:
    maps = view.maps_of(case.decode, "cross", case.entry.tokenizers)
    chosen = replace(case.selection, kind="cross", layer=1, head=2, draw="scores")
    return wall.open_heads_of(case.view, maps, chosen).values


def _inside(case: Case) -> Any:
    chosen = replace(case.view, selection=replace(case.selection, layer=1, head=2))
    return answer.operations_at(chosen, answer.spot(chosen, "cross"))


def _answer(case: Case) -> Any:
    chosen = replace(case.view, selection=replace(case.selection, layer=1, head=2))
    return answer.answer(chosen, answer.spot(chosen, "cross"))


def _outliers(case: Case) -> Any:
    """The error, which every sentence and model has another of."""
    view = case.view
    parameters = context.norm_parameters(case.entry)
    return repr(norms.outliers_and_error(view, norms.recorded_tables(view)[0], parameters))


def _scene(case: Case) -> Any:
    chosen = replace(case.selection, kind="cross", layer=1, head=2)
    case.checkpoint.load()
    return recorded(Numbers(CheckpointView(case.entry, chosen)).scene.stream())


def _plate(case: Case) -> Any:
    return data.shares_of(case.view, "contribution").heads


def _figure(case: Case) -> Any:
    return mount.drawn(_two_points, case.text, mode="light").to_plotly_json()["layout"]["title"]["text"]


def _two_points(text: str, *, mode: str) -> Any:
    import plotly.graph_objects as go

    return go.Figure(layout={"title": {"text": f"{text} {mode}"}})


def _pure(function: Any, *given: tuple[Any, ...]) -> Callable[[Case], Any]:
    """A function that is cached by its arguments, asked with those of the sentence's number."""
    return lambda case: plain(function(*given[TEXTS.index(case.text)]))


def _strange(case: Case) -> Any:
    """The words that are known to the checkpoint, which the sentence's own are held against."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(familiarity, "strange_words", lambda words, known: [(Word(repr(known), 1, None), "")])
        return unusual._strange(case.view)


def _first_sentence(case: Case) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context, "first_sentence", lambda tokenizer, language: tokenizer.label(4))
        return context.example_text(case.entry)


def _refused(case: Case) -> Any:
    from core.errors import CheckpointError

    def broken() -> Any:
        raise CheckpointError(f"{case.model} cannot be used for {case.text}.")

    try:
        return context.kept(case.entry, f"for {case.text}", broken)
    except CheckpointError as error:
        return str(error)


def _lesson(case: Case) -> Any:
    files = sorted((shelf.FOLDER / "en").glob("*.md"))
    found = dict(shelf._contents(shelf.FOLDER / "en"))
    lesson = found[files[TEXTS.index(case.text)].stem]
    return getattr(lesson, "title", lesson)


_MODEL = frozenset({"model"})
_SENTENCE = frozenset({"sentence"})
PROBES: Mapping[str, Probe] = {
    # -- of a decode
    "ui/shared/contributions.py::contributions_of": Probe(
        lambda case: [
            (found.values, found.readings)
            for measure in ("lengths", "residual", "alti", "zeroing", "rollout")
            for kind in ("encoder", "causal", "cross")
            for found in [contributions.contributions_of(case.view, measure, kind)]  # type: ignore[arg-type]
        ]
    ),
    "ui/shared/contributions.py::_gap": Probe(lambda case: contributions._gap(case.view)),
    "ui/shared/contributions.py::_alti_layers": Probe(lambda case: contributions._alti_layers(case.view)),
    "ui/shared/contributions.py::_layers": Probe(
        lambda case: [
            contributions.analysis.weighted_norms(layer)
            for layer in contributions._layers(case.view, "cross")
        ]
    ),
    "ui/inside/lenses.py::lens_of": Probe(lambda case: lenses.lens_of(case.view)),
    "ui/inside/lenses.py::ladder_of": Probe(lambda case: lenses.ladder_of(case.view)),
    "ui/shared/what_if.py::outcome": Probe(lambda case: what_if.outcome(case.view, EDITS)),
    "ui/shared/what_if.py::_reference": Probe(
        lambda case: what_if._reference(case.view, EDITS),
        by=_MODEL,
        models=("learned-1", "learned-2"),
    ),
    "ui/shared/what_if.py::reasons": Probe(lambda case: what_if.reasons(case.view, 0, 19)),
    "ui/shared/what_if.py::direct_parts": Probe(lambda case: what_if.direct_parts(case.view, 0, 19)),
    "ui/shared/what_if.py::source_measures": Probe(lambda case: what_if.source_measures(case.view, 0).scores),
    "ui/shared/ablations.py::start_survey": Probe(with_jobs(_started_survey)),
    "ui/shared/ablations.py::start": Probe(with_jobs(_started_pair)),
    "ui/learn/mistake_on_sentence.py::on_sentence": Probe(
        lambda case: [
            mistake_on_sentence.on_sentence(case.view, name).study
            for name in ("no-causal-mask", "scale-by-d-model")
        ]
    ),
    "ui/learn/mistake_on_sentence.py::output": Probe(
        lambda case: [
            mistake_on_sentence.output(case.view, name) for name in ("head-split-view", "no-embedding-scale")
        ]
    ),
    "ui/heads/alignment_data.py::shares_of": Probe(_plate),
    "ui/heads/alignment_data.py::joined": Probe(_joined),
    "ui/inside/answer.py::operations_at": Probe(_inside),
    "ui/inside/answer.py::answer": Probe(_answer),
    "ui/attention/wall.py::open_heads_of": Probe(_open_scores),
    "ui/inside/norms.py::recorded_tables": Probe(lambda case: norms.recorded_tables(case.view)[1]),
    "ui/inside/norms.py::outliers_and_error": Probe(_outliers),
    "ui/inside/norms.py::without": Probe(lambda case: norms.without(case.view).stream),
    "ui/inside/positions.py::costs_of": Probe(lambda case: repr(positions.costs_of(case.view, 1))),
    "ui/learn/shelf.py::Numbers.scene": Probe(_scene),
    # -- of a corpus or a gold file
    "ui/heads/alignment_data.py::surveyed": Probe(_surveyed_gold),
    "ui/heads/alignment_data.py::start": Probe(with_jobs(_started_gold)),
    "ui/heads/atlas.py::start": Probe(with_jobs(_started_atlas)),
    # -- of a checkpoint
    "ui/heads/atlas.py::stored": Probe(lambda case: atlas.stored(case.entry).numbers, by=_MODEL),
    "ui/shared/ablations.py::stored": Probe(lambda case: ablations.stored(case.entry), by=_MODEL),
    "ui/learn/dynamics.py::stored": Probe(_stored_dynamics, by=_MODEL),
    "ui/translate/unusual.py::_strange": Probe(_strange, by=_MODEL),
    "ui/heads/alignment_data.py::in_force": Probe(lambda case: data.in_force(case.entry), by=_MODEL),
    "ui/shared/context.py::parameter_lines": Probe(
        lambda case: context.parameter_lines(case.entry), by=_MODEL
    ),
    "ui/shared/context.py::norm_parameters": Probe(
        lambda case: list(context.norm_parameters(case.entry).values()), by=_MODEL
    ),
    "ui/shared/context.py::position_table": Probe(
        lambda case: [context.position_table(case.entry, length) for length in (4, 6)],
        by=_MODEL,
        models=("learned-1", "learned-2"),
    ),
    "ui/shared/context.py::relative_bias": Probe(
        lambda case: [context.relative_bias(case.entry, stack) for stack in ("encoder", "decoder")],
        by=_MODEL,
        models=("relative-1", "relative-2"),
    ),
    "ui/shared/checkpoints.py::Entry.tokenizers": Probe(
        lambda case: case.entry.tokenizers[0].labels([4, 5, 6]),
        by=_MODEL,
        models=("a", "c"),
        cache=cache.TOKENIZERS,
    ),
    "ui/shared/checkpoints.py::read_entry": Probe(
        lambda case: (case.entry.name, case.entry.tokenizers[0].labels([4, 5, 6])),
        by=_MODEL,
        models=("a", "c"),
        cache=cache.TOKENIZERS,
    ),
    # -- the caches themselves
    "ui/shared/checkpoints.py::_read": Probe(
        lambda case: (case.entry.name, case.entry.examples), by=_MODEL, cache=cache.ENTRIES
    ),
    "ui/shared/models.py::model": Probe(
        lambda case: models.model(case.entry).model.state_dict()["output_proj"],
        by=_MODEL,
        cache=cache.MODELS,
    ),
    "ui/shared/models.py::_load": Probe(
        lambda case: (models.model(case.entry), cache.DIGESTS.peek(case.entry.stamp))[1],
        by=_MODEL,
        cache=cache.DIGESTS,
    ),
    "ui/shared/models.py::_report": Probe(
        lambda case: models.run_trust(case.entry).checks, by=_MODEL, cache=cache.REPORTS
    ),
    "ui/shared/context.py::_example": Probe(
        lambda case: decoded(context._example(case.entry)),  # type: ignore[arg-type]
        by=_MODEL,
        cache=cache.DECODES,
    ),
    "ui/shared/context.py::example_text": Probe(
        _first_sentence, by=_MODEL, models=("bare-1", "bare-2"), cache=cache.OF_FILES
    ),
    "ui/shared/context.py::CheckpointView._decode": Probe(
        lambda case: decoded(case.decode), cache=cache.DECODES
    ),
    "ui/shared/context.py::read_text": Probe(
        lambda case: context.read_text(case.entry, case.text), models=("a", "c"), cache=cache.READINGS
    ),
    "ui/shared/context.py::DecodeView.recorded": Probe(
        lambda case: recorded(case.view.recorded(("*.scores",))), cache=cache.RESULTS
    ),
    "ui/shared/context.py::_unless_refused": Probe(_refused, cache=cache.REFUSED),
    "ui/shared/context.py::kept": Probe(
        lambda case: context.kept(case.entry, case.text, lambda: (case.model, case.text)),
        cache=cache.OF_FILES,
    ),
    "ui/shared/context.py::CheckpointView.memo": Probe(
        lambda case: case.view.memo(("it",), lambda: (case.model, case.text), heavy=True),
        cache=cache.RESULTS,
    ),
    "ui/shared/context.py::drawing": Probe(
        lambda case: context.drawing(case.text.encode(), lambda: case.text),
        by=_SENTENCE,
        cache=cache.DRAWINGS,
    ),
    "ui/shared/mount.py::drawn": Probe(_figure, by=_SENTENCE),
    # -- by their arguments alone
    "ui/learn/shelf.py::_contents": Probe(_lesson, by=_SENTENCE, cache=cache.LESSONS),
    "ui/style/theme.py::plotly_diverging": Probe(
        _pure(theme.plotly_diverging, ("light",), ("dark",)), by=_SENTENCE
    ),
    "ui/style/theme.py::plotly_sequential": Probe(
        _pure(theme.plotly_sequential, ("cross", "light"), ("causal", "light")), by=_SENTENCE
    ),
    "ui/style/theme.py::plotly_template": Probe(
        _pure(theme.plotly_template, ("light", False), ("light", True)), by=_SENTENCE
    ),
    "ui/style/theme.py::shell_css": Probe(
        _pure(theme.shell_css, ("light", False), ("dark", True)), by=_SENTENCE
    ),
    "core/model/hooks.py::_plan": Probe(
        lambda case: sorted(
            hooks._plan((("*.weights", "*.scores")[TEXTS.index(case.text)],))[("decoder", 0, "cross")][1]
        ),
        by=_SENTENCE,
    ),
}
UNKEYED: Mapping[str, str] = {
    "core/training/recorded.py::recorded": "a training that ships, by its task",
    "core/learning/printed.py::printed": "what a write-up printed, by the write-up",
    "core/learning/claims/__init__.py::claims": "the claims of a write-up, files of the code",
    "core/analysis/uncertainty.py::resamples": "draws by their number, that of the sentences and the seed",
    "ui/app/navigation.py::_pages": "the pages of the app, by the language of their titles",
    "ui/app/assets.py::_files": "Streamlit's own scripts and styles by their names",
    "ui/shared/cards.py::_css": "files of the code, by the language of their words",
    "ui/shared/contrasts.py::pairs_of": "the file of the checkpoint's folder, by its entry",
    "ui/shared/faithfulness.py::stored_results": "the file of the checkpoint's folder, by its entry",
    "ui/shared/contrasts.py::results": "the file of the checkpoint's folder, by its entry",
    "ui/what_if/carry.py::carried_between": "named by the model and by both of its sentences",
    "ui/what_if/carry.py::translations": "named by the model, both sentences and the edits",
    "ui/what_if/carry.py::_measure": "named by the model; measures the checkpoint's own pairs",
    "ui/web/contract.py::_fields": "the fields of a dataclass of the code",
    "core/language.py::_catalogue": "one file by its language (tests/core/test_language.py)",
    "core/language.py::_marks": "the signs of numbers by their language",
    "core/language.py::_ask": "how a thread learns its language; holds no answer",
    "core/schema.py::_hints": "the type hints of a dataclass of the code",
    "ui/app/frame.py::_in_force": "for one run, by selection and device (tests/pages/test_once_a_run.py)",
    "ui/app/frame.py::_say_if_crowded": "for one run; holds no answer",
    "ui/shared/checkpoints.py::entries": "for one run (tests/pages/test_once_a_run.py)",
    "ui/shared/context.py::CheckpointView.measure_behind": "by the name that its callers give, which are probed",
    "ui/shared/context.py::CheckpointView.decoded": "for one run, by folder, device, text and options (tests/pages/test_once_a_run.py)",
    "ui/shared/cache.py::_running": "the jobs at work by their id, so that they can be counted; holds no answer",
    "core/child.py::_living": "children by their id, so that the oldest can be ended; holds no answer",
    "core/training/evaluate.py::_moses": "by language; needs sacremoses, which scoring alone installs (tests/core/training)",
    "ui/export/figure.py::_colours": "the colours of a map by its kind of attention",
    "ui/export/paper.py::_advance": "the width of a letter of that font, by the letter",
    "ui/uploads.py::_receiving": "the files on their way, so that their bytes can be counted; holds no answer",
    "ui/export/figure.py::_dark": "a colour by its kind of attention",
    "ui/inside/positions.py::draw_positions": "kept by DecodeView.recorded, which is probed",
    "ui/inside/positions.py::_rotary": "the same",
    "ui/learn/code_lines.py::result": "kept by DecodeView.recorded, which is probed",
    "ui/style/theme.py::reading_ink": "black or white, by the colour below it",
    "ui/learn/trainings.py::_held": "runs by their secret token (tests/ui/learn)",
    "ui/shared/models.py::_failures": "by stamp and device (test_context.py)",
    "ui/shared/models.py::_no_room": "by stamp (test_no_room.py)",
    "ui/shared/models.py::_started": "by stamp and device (test_context.py)",
    "ui/shared/models.py::_unchecked": "by stamp and device (test_context.py)",
    "core/learning/trials.py::gradients": "fixed random weights and words (tests/core/learning/test_trials.py)",
    "core/learning/trials.py::shift_change": "fixed random weights and words (tests/core/learning/test_trials.py)",
    "ui/models/model_card.py::_pattern": "a template of ours as an expression, by the template",
}
"""What is kept without a key that a sentence or a model could be missing from, and why."""
