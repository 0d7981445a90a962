"""Carry over: which part of the model carries the difference between two sentences (activation patching)."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from core.analysis.readout import capitalised, rewriting
from core.decoding import inputs
from core.errors import AtlasError, InputError
from core.experiments.edits import UNEDITED, Edits, HeadsStep
from core.language import message, numeral, plural, tr
from core.model.hooks import ATTENTION, attention_of
from ui.app import frame
from ui.export import menu
from ui.export.files import csv_text
from ui.session import state
from ui.session.selection import TEXT_LIMIT
from ui.shared import cards, context, contrasts
from ui.shared.cards import two_lines
from ui.shared.context import CheckpointView, example_text
from ui.shared.mount import draw_figure, one_export, theme_watch
from ui.what_if import carrying

if TYPE_CHECKING:
    from core.experiments.contrast_sets import SetResult, Stage
    from core.experiments.patching import Patching
    from ui.shared.cache import Job
    from ui.style.theme import Kind

TAKEN: Final = 5
"""Heads that the button takes out."""
MOST_TAKEN: Final = 16
MOST_TOKENS: Final = 60
"""Tokens of a sentence: each is patched in each layer."""
_KINDS: Final = ("cross", "encoder", "causal")
_MORE: Final = message(
    "Both sentences are translated. The log-odds of the first words that differ, "
    "$m = \\log p(\\text{word}) - \\log p(\\text{other})$, are taken after the words that both translations share. One "
    "activation of one sentence is put into the run of the other one (activation patching, Vig et al. 2020).\n\n"
    "**Restores**: the first sentence’s activation in the second sentence’s run, "
    "$(m_\\text{patched} - m_2) / (m_1 - m_2)$. **Disturbs**: the second sentence’s in the first one’s run. The two differ "
    "where parts act together or stand in for each other, and shares need not sum to 100 %. Intervals are 95 %, by "
    "bootstrap over pairs."
)


def page() -> None:
    """The page of two sentences, which the selection or the checkpoint's own pairs give."""
    shown = frame.current()
    if shown is None:
        return
    cards.style(__file__, "what_if.css", "carry.css")
    with st.container(key="carry_page"):
        _views(shown)
    theme_watch()


@st.fragment
def _views(shown: CheckpointView) -> None:
    shown = shown.now()
    stored = contrasts.results(shown)
    first, second = sentences(shown, stored)
    with st.container(key="carry_options"):
        left, right, saved = st.columns([0.44, 0.44, 0.12], gap="small", vertical_alignment="center")
        with left:
            _field("clean", tr("First sentence"), first, corrupted=second)
        with right:
            _field("corrupted", tr("Second sentence"), second, clean=first)
    if not second.strip():
        with cards.card("carry", fill=False):
            cards.title(
                tr("Which part of the model carries the difference between two sentences?"),
                tr(
                    "Type a second sentence with as many tokens as the first, which differs from it in one word."
                ),
            )
        _explained()
        return
    try:
        result, words = carried_between(shown, first, second)
    except AtlasError as error:
        cards.mistake(str(error))
        _sets(shown, stored)
        return
    with saved:
        _files(shown, result, stored)
    _finding(shown, result, words, (first, second))
    _heads(shown, result)
    _removed(shown, result, (first, second))
    _sets(shown, stored)
    _streams(shown, result)
    _explained()


def _explained() -> None:
    cards.explain(
        tr("One activation of the first sentence is put into the second one."),
        tr("What carries the difference brings the first sentence’s word back."),
        tr(_MORE),
        name="carry",
    )


def _field(name: str, label: str, text: str, **other: str) -> None:
    """A sentence to type; a link holds no more than the field takes. `other`: the one that stays, which goes into the link too."""

    def typed(words: str) -> None:
        if words.strip():
            state.update(**{name: words}, **other)

    st.text_input(
        label,
        max_chars=TEXT_LIMIT,
        label_visibility="collapsed",
        placeholder=label,
        **state.hold(f"carry_{name}", text[:TEXT_LIMIT], typed),
    )


# -- what is compared ---------------------------------------------------------------------------------------------


def sentences(shown: CheckpointView, stored: Mapping[str, tuple[SetResult, ...]]) -> tuple[str, str]:
    """The two sentences: the link's, or the first pair that ships with the checkpoint, the plain sentence first."""
    chosen = shown.selection
    if chosen.clean or chosen.corrupted:
        return chosen.clean or example_text(shown.entry), chosen.corrupted
    own = next(iter(contrasts.pairs_of(shown).values()), None)
    if own is None:
        return example_text(shown.entry), ""
    clean, corrupted = own[0]
    return corrupted, clean


def carried_between(shown: CheckpointView, first: str, second: str) -> tuple[Patching, tuple[str, str]]:
    """The effects of two sentences, kept, and the two words. Raises `AtlasError` with one sentence."""
    for text in (first, second):
        tokens = len(context.read_text(shown.entry, text).ids)
        if tokens > MOST_TOKENS:
            raise InputError.tr(
                "The sentence has {tokens} tokens; two sentences are compared up to {most}. Shorten it.",
                tokens=tokens,
                most=MOST_TOKENS,
            )

    def make() -> Patching:
        from core.experiments.patching import patch

        return patch(shown.load(), first, second)

    with frame.loading(shown.entry.name, first, waits=not shown.is_loaded):
        shown.load()
    result = shown.memo(("patch", first, second), make, heavy=True)
    word, other = shown.entry.tokenizers[1].labels([result.contrast.word, result.contrast.other])
    return result, (word, other)


def translations(shown: CheckpointView, texts: tuple[str, str], edits: Edits) -> list[str]:
    """What greedy search writes for both sentences under edits, kept."""

    def make() -> list[str]:
        from core.experiments.what_if import rewrite

        checkpoint = shown.load()
        written = []
        for text in texts:
            source = inputs.source_ids(checkpoint, text)
            written.append(checkpoint.target_tokenizer.decode(rewrite(checkpoint, source, edits, ())))
        return written

    result: list[str] = shown.memo(("carry translations", texts, str(edits)), make, heavy=True)
    return result


# -- the cards ----------------------------------------------------------------------------------------------------


def _finding(shown: CheckpointView, result: Patching, words: tuple[str, str], texts: tuple[str, str]) -> None:
    """The finding, and both sentences with their translations."""
    written = translations(shown, texts, UNEDITED)
    with cards.card("carry", fill=False):
        cards.title(carrying.title(result, words, shown.entry.config))
        rows = "".join(
            f'<div><dt dir="auto">{html.escape(text)}</dt><dd dir="auto">{html.escape(line)}</dd></div>'
            for text, line in zip(texts, written, strict=True)
        )
        st.html(f'<dl class="atlas-carried">{rows}</dl>')
        cards.readout(carrying.log_odds(result, words))


def _heads(shown: CheckpointView, result: Patching) -> None:
    """All heads by what they carry, in the direction that is chosen."""
    direction = shown.selection.direction
    tables = {
        kind: getattr(result.effects[f"{kind}-heads"], direction)
        for kind in _KINDS
        if f"{kind}-heads" in result.effects
    }
    others = {kind: getattr(result.effects[f"{kind}-heads"], _OTHER[direction]) for kind in tables}
    reach = max(0.05, *(float(abs(table).max()) for table in tables.values()))
    with cards.card("carriers", fill=False):
        with st.container(horizontal=True, vertical_alignment="top", gap="small", key="carriers_top"):
            cards.title(
                tr(_DIRECTION_TITLES[direction]), tr("Share of the difference, in %, one head at a time")
            )
            names = {name: tr(words) for name, words in _DIRECTIONS.items()}
            cards.choice(tr("Direction"), names, state.bind("direction"))
        with one_export("carry_heads"):
            columns = st.columns(len(tables), gap="small")
            for column, (kind, table) in zip(columns, tables.items(), strict=True):
                with column:
                    name = tr(attention_of(shown.entry.config, kind).label)
                    cards.quiet(capitalised(name))
                    layers, heads = table.shape
                    draw_figure(
                        f"carry_{kind}",
                        carrying.table,
                        table,
                        others[kind],
                        [str(layer) for layer in range(layers)],
                        [str(head) for head in range(heads)],
                        (tr("layer"), tr("head")),
                        name,
                        reach=reach,
                    )
        cards.readout(carrying.heads_sentence(result))


_DIRECTIONS: Final = {"restored": message("First into second"), "disturbed": message("Second into first")}
_DIRECTION_TITLES: Final = {
    "restored": message("What each head of the first sentence restores in the second"),
    "disturbed": message("What each head of the second sentence disturbs in the first"),
}
_OTHER: Final = {"restored": "disturbed", "disturbed": "restored"}


def _removed(shown: CheckpointView, result: Patching, texts: tuple[str, str]) -> None:
    """Take the strongest heads out: both translations before and after."""
    ranked = carrying.carriers(result, carrying.carriers(result)[0].kind)
    most = min(MOST_TAKEN, len(ranked))
    count = min(shown.selection.taken, most)
    with cards.card("taken_out", fill=False):
        before = translations(shown, texts, UNEDITED)
        heads = [(each.layer, each.head) for each in ranked[:count]]
        kind = ranked[0].kind
        phrase = tr(attention_of(shown.entry.config, kind).phrase)
        if not count:
            start = min(TAKEN, most)
            strongest = carrying.heads_list([(each.layer, each.head) for each in ranked[:start]])
            with cards.asking(
                tr("Does the model forget the difference without these heads?"),
                tr("Strongest first: heads {heads} of {kind}", heads=strongest, kind=phrase),
            ):
                st.button(
                    plural("Ablate the strongest head", "Ablate the {count} strongest heads", start),
                    on_click=state.update,
                    kwargs={"taken": start},
                    key="take_out",
                    type="primary",
                )
            return
        after = translations(shown, texts, _without(kind, heads))
        cards.title(
            carrying.removed_title(before, after, count),
            tr("Ablated: heads {heads} of {kind}", heads=carrying.heads_list(heads), kind=phrase),
        )
        for text, old, new in zip(texts, before, after, strict=True):
            cards.quiet((text, "text"))
            st.html(two_lines(rewriting(old, new)))
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="taken_controls"):
            st.slider(
                tr("Ablated heads, strongest first"),
                0,
                most,
                **state.hold("heads_taken", count, lambda chosen: state.update(taken=int(chosen))),
            )
            st.button(tr("Put them back"), on_click=state.update, kwargs={"taken": 0}, key="put_back")


def _without(kind: Kind, heads: list[tuple[int, int]]) -> Edits:
    by_layer: dict[int, list[int]] = {}
    for layer, head in heads:
        by_layer.setdefault(layer, []).append(head)
    return Edits(
        tuple(
            HeadsStep(kind, layer, tuple(sorted(those)), "zero") for layer, those in sorted(by_layer.items())
        )
    )


def _streams(shown: CheckpointView, result: Patching) -> None:
    """Where the difference is: the residual streams by layer and token."""
    labels = shown.entry.tokenizers[0].labels(result.contrast.clean)
    read = shown.entry.tokenizers[1].labels(result.contrast.prefix)
    streams = [
        (tr("Encoder stream"), "encoder-stream", labels),
        (tr("Decoder stream"), "decoder-stream", read),
    ]
    with cards.card("streams", fill=False):
        cards.title(
            carrying.stream_title(result, labels),
            tr(
                "Share of the difference, in %, that one token’s vector restores before each layer and at the end"
            ),
        )
        widths = [max(4, min(len(tokens), carrying.ACROSS)) for _, _, tokens in streams]
        with one_export("carry_streams"):
            columns = st.columns(widths, gap="small")
            for column, (name, family, tokens) in zip(columns, streams, strict=True):
                with column:
                    cards.quiet(name)
                    effect = result.effects[family]
                    layers = [str(layer) for layer in range(len(effect.restored) - 1)]
                    draw_figure(
                        f"carry_{family.replace('-', '_')}",
                        carrying.table,
                        effect.restored,
                        effect.disturbed,
                        [*layers, tr("end")],
                        tokens,
                        (tr("layer"), tr("token")),
                        name,
                        upright=len(tokens) > carrying.ACROSS,
                    )
        cards.readout(carrying.stream_sentence(result))


# -- the pairs that ship --------------------------------------------------------------------------------------------


def _sets(shown: CheckpointView, stored: Mapping[str, tuple[SetResult, ...]]) -> None:
    """How many pairs flip without the strongest heads, with intervals and random heads."""
    own = contrasts.pairs_of(shown)
    if not own:
        return
    job = shown.job(contrasts.MEASURED)
    running = job is not None and not job.finished

    @st.fragment(run_every=1.0 if running else None)
    def card() -> None:
        with cards.card("sets", fill=False):
            _draw_sets(shown, stored, own, job)

    card()


def _draw_sets(
    shown: CheckpointView,
    stored: Mapping[str, tuple[SetResult, ...]],
    own: Mapping[str, list[tuple[str, str]]],
    job: Job[Stage] | None,
) -> None:
    from core.experiments.contrast_sets import clearest

    config = shown.entry.config
    best = {name: clearest(results) for name, results in stored.items()}
    if (
        job is not None
        and job.finished
        and shown.known(contrasts.MEASURED) is not None
        and shown.known(contrasts.MEASURED) is not stored
    ):
        st.rerun()
    chosen = best.get(_set_of(shown, own)) or next(iter(best.values()), None)
    if chosen is not None:
        cards.title(
            carrying.sets_title(chosen, config),
            tr(
                "{name}: heads {heads}. A pair flips when its second sentence, without these heads, gets the word of the first.",
                name=carrying.set_name(chosen.name).capitalize(),
                heads=carrying.heads_list(chosen.heads),
            ),
        )
        flip = plural("Flip without {count} head", "Flip without {count} heads", len(chosen.heads))
        head = (tr("Set"), tr("Strongest head [95 %]"), flip, tr("12 random sets"))
        rows = [carrying.set_row(each, config) for each in best.values()]
        cards.table(rows, head, name="scores")
    else:
        count = sum(map(len, own.values()))
        cards.title(
            plural(
                "{count} pair of sentences comes with this model",
                "{count} pairs of sentences come with this model",
                count,
            )
        )
    if job is not None and job.problem:
        cards.mistake(job.problem)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="sets_controls"):
        _open_set(own)
        if job is not None and not job.finished:
            st.progress(job.share, f"{numeral(100 * job.share, '.0f')} %")
            st.button(tr("Stop"), on_click=job.cancel, key="stop_sets")
        else:
            st.button(
                tr("Measure again") if best else tr("Measure"),
                on_click=_measure,
                args=(shown, own),
                key="measure_sets",
                type="tertiary",
            )


def _open_set(own: Mapping[str, list[tuple[str, str]]]) -> None:
    """Open the first pair of a set."""
    for number, (name, pairs) in enumerate(own.items()):
        clean, corrupted = pairs[0]
        st.button(
            tr("Open: {name}", name=carrying.set_name(name)),
            on_click=state.update,
            kwargs={"clean": corrupted, "corrupted": clean, "taken": 0},
            key=f"open_set_{number}",
        )


def _set_of(shown: CheckpointView, own: Mapping[str, list[tuple[str, str]]]) -> str:
    """The set that the two sentences are of, in either order; empty for others."""
    texts = frozenset(sentences(shown, {}))
    return next((name for name, pairs in own.items() if any(frozenset(pair) == texts for pair in pairs)), "")


def _measure(shown: CheckpointView, own: Mapping[str, list[tuple[str, str]]]) -> None:
    """Measure all sets behind the page."""
    from core.experiments.contrast_sets import Stage as Progress
    from core.experiments.contrast_sets import measure_set

    total = sum(len(pairs) + len(_KINDS) for pairs in own.values())

    def steps() -> Iterator[Progress]:
        checkpoint, done = shown.load(), 0
        finished: tuple[SetResult, ...] = ()
        for name, pairs in own.items():
            for stage in measure_set(checkpoint, name, pairs):
                done += 1
                yield Progress(finished + stage.results, done, total)
                if stage.results:
                    finished += stage.results

    def outcome(last: Stage) -> Mapping[str, tuple[SetResult, ...]]:
        return {name: tuple(each for each in last.results if each.name == name) for name in own}

    shown.measure_behind(contrasts.MEASURED, steps, outcome)


# -- files ----------------------------------------------------------------------------------------------------------


def _files(shown: CheckpointView, result: Patching, stored: Mapping[str, tuple[SetResult, ...]]) -> None:
    """CSV of every site of these two sentences, and of every head over the pairs that ship."""

    def sites() -> str:
        return _csv(list(result.rows()))

    def sets() -> str:
        return _csv([row for results in stored.values() for each in results for row in each.rows()])

    files = [(tr("CSV of these two sentences"), "carry-over.csv", sites)]
    if stored:
        files.append((tr("CSV of all heads over the pairs"), "carry-over-pairs.csv", sets))
    menu.tables([(label, f"{shown.entry.name}-{name}", make) for label, name, make in files])


def _csv(rows: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return csv_text(names, ([_cell(row[name]) for name in names] for row in rows))


def _cell(value: Any) -> Any:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else value


assert set(_KINDS) == set(ATTENTION)
