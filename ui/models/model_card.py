"""The contents of a checkpoint's card, in words. Pure; cards are untrusted input."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeGuard

from core.analysis.glossary import QUALITY
from core.analysis.readout import capitalised, how_many
from core.language import localised, message, numeral, tr
from core.model.config import ModelConfig
from core.model.hooks import STACKS, attention_of
from ui.shared.checkpoints import Entry, in_words
from ui.style import screen_text
from ui.style.theme import KINDS, Kind

_LONGEST_NAME: Final = 80
_LISTED: Final = 12
_LARGEST: Final = 1e12

Row = tuple[str, str]


@dataclass(frozen=True)
class Stack:
    """One kind of attention in a model, in words and numbers."""

    kind: Kind
    name: str
    layers: int
    heads: int


_PLACEMENT: Final = {
    "post": message("after the sum (post-norm)"),
    "pre": message("inside the branch (pre-norm)"),
}
_FORMULA: Final = {
    "layer": message("layer norm"),
    "layer_unbiased_std": message("layer norm, unbiased deviation + ε"),
    "rms": message("root mean square"),
}
_POSITIONS: Final = {
    "sinusoidal": message("sinusoids, sine and cosine in turn"),
    "sinusoidal_halves": message("sinusoids, sines then cosines"),
    "learned": message("a learned vector for each position"),
    "relative_buckets": message("relative, a learned bias for each distance"),
    "rotary": message("rotary, queries and keys turned by their position"),
    "none": message("none"),
}
_SCALE: Final = {
    "head": message("√ of a head’s width"),
    "model": message("√ of the model’s width"),
    "none": message("nothing"),
}
_DROPOUT: Final = {
    "before_norm": message("{rate}, on the sub-layer’s output"),
    "after_norm": message("{rate}, on the norm’s output"),
}


def text(value: Any) -> str:
    """A text of a card, cut to what a page can show; "" for anything else."""
    return screen_text.plain(value)


def translated(words: str) -> str:
    """A text of a card in the language in use: of a shipped model's recipe, or one that its evaluation wrote.

    What another author wrote stays as it is.
    """
    if (known := tr(words)) != words:
        return known
    for template in _MEASURED:
        if match := _pattern(template).fullmatch(words):
            parts = {name: _part(name, part) for name, part in match.groupdict().items()}
            return tr(template, **parts)
    return words


_MEASURED: Final = (  # as core/training/evaluate.py writes them
    message("{set}: {pairs} pairs with {answers} distinct answers."),
    message(
        "{set}: {pairs} pairs from {sources} sources. With one reference per pair: {bleu} sacreBLEU. With one "
        "translation per source and all its references: {all}. The two are not comparable."
    ),
    message(
        "{set}: {share} % of the target sentences are also a training target; these score {bleu}, the others {rest}."
    ),
    message("{set}: {share} % of the target sentences are also a training target."),
    message(
        "The app steps by greedy search, but the scores are of beam search. sacreBLEU, greedy against beam: {several}."
    ),
)
_AGAINST: Final = message("{greedy} against {beam} on {set}")
_SPLITS: Final = {"valid": message("validation"), "test": message("test"), "held back": message("held out")}


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """What a template matches, a group for each field."""
    fixed = re.escape(template.replace("{", "\0").replace("}", "\1")).replace("\0", "{").replace("\1", "}")
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>.+?)", fixed))


def _part(name: str, part: str) -> str:
    """A field of what an evaluation wrote: the name of a set, scores on several sets, or a number."""
    if name == "set":
        return measured_on(part)
    if name == "several":
        matches = [_pattern(_AGAINST).fullmatch(each) for each in part.split(", ")]
        return ", ".join(
            tr(_AGAINST, **{key: _part(key, value) for key, value in each.groupdict().items()})
            for each in matches
            if each
        )
    return localised(part)


def measured_on(name: str) -> str:
    """A set of sentences by its name and the split that it is of: “dates (test)”."""
    of = re.fullmatch(r"(.+) \((.+)\)", name)
    return f"{of[1]} ({tr(_SPLITS[of[2]])})" if of and of[2] in _SPLITS else name


def texts(value: Any) -> list[str]:
    """The non-empty texts of a value that is a text or a list of texts."""
    listed = value if isinstance(value, list) else [value]
    return [words for each in listed[:_LISTED] if (words := text(each))]


def title(entry: Entry) -> str:
    """What its card calls the model; the name of its folder, which links carry, where it says nothing."""
    return screen_text.plain(entry.card.get("name"), _LONGEST_NAME) or entry.name


def does(entry: Entry) -> str:
    """The card's description of what the model does."""
    card = entry.card
    description = translated(text(card.get("description")) or text(card.get("origin")))
    return capitalised(description) if description else tr("Its card does not say what it does.")


def stacks(config: ModelConfig) -> tuple[Stack, ...]:
    """The kinds of attention that a model has, with their layers and heads."""
    kinds = (
        Stack(kind, tr(each.label), *config.shape(each.stack))
        for kind in KINDS
        for each in [attention_of(config, kind)]
    )
    return tuple(kind for kind in kinds if kind.layers)


def size_facts(entry: Entry) -> tuple[Row, ...]:
    """What one compares models by, as (name, value)."""
    config = entry.config
    sizes = dict.fromkeys((config.source_vocab_size, config.target_vocab_size))
    return (
        (tr("parameters"), in_words(entry.usable.parameters)),
        (tr("width"), numeral(config.d_model, ",")),
        (tr("vocabulary"), " → ".join(numeral(size, ",") for size in sizes)),
        (
            tr("norm"),
            " → ".join(
                dict.fromkeys(tr(_PLACEMENT_SHORT[config.of(stack).norm_placement]) for stack in STACKS)
            ),
        ),
    )


_PLACEMENT_SHORT: Final = {"post": message("post-norm"), "pre": message("pre-norm")}
_SCORES: Final = (
    ("bleu", "{:.1f}"),
    ("chrf", "{:.1f}"),
    ("exact", "{:.1f} %"),
)


def scores(entry: Entry, every: bool = True) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """(heads, rows) of the measured qualities: what each was measured on, then the scores.

    Not `every`: those that were no part of the training, against one reference; all, where the card has no others.
    """
    measured = entry.card.get("figures")
    quality = measured.get("quality") if isinstance(measured, Mapping) else None
    listed = list(quality.items())[:_LISTED] if isinstance(quality, Mapping) else []
    qualities = [(name, _defined(each)) for name, each in listed if isinstance(each, Mapping)]
    if not every:
        qualities = [each for each in qualities if not each[0].endswith(" (valid)")] or qualities
    columns = [column for column in _SCORES if any(_is_number(each.get(column[0])) for _, each in qualities)]
    rows = []
    for name, each in qualities:
        values = [_score(each.get(key), form) for key, form in columns]
        if any(values):
            rows.append((" · ".join([measured_on(text(name)), *_conditions(each)]), *values))
            if every:
                rows += _against_all(measured_on(text(name)), each, [key for key, _ in columns])
    return (tr("measured on"), *(tr(QUALITY[key].label) for key, _ in columns)), rows


def _defined(each: Mapping[str, Any]) -> Mapping[str, Any]:
    """The scores of one set without a BLEU of 0 beside exact ones: its sentences are shorter than the four tokens BLEU counts."""
    exact, bleu = each.get("exact"), each.get("bleu")
    if _is_number(exact) and exact and _is_number(bleu) and not bleu:
        return {key: value for key, value in each.items() if key != "bleu"}
    return each


def _against_all(name: str, each: Mapping[str, Any], columns: Sequence[str]) -> list[tuple[str, ...]]:
    """A row for the score of one translation a source against all its references, where it was measured."""
    several = each.get("multi_reference")
    if not isinstance(several, Mapping) or not _is_number(several.get("bleu")):
        return []
    sources = several.get("sources")
    values = [_score(several["bleu"], "{:.1f}") if key == "bleu" else "" for key in columns]
    count = [how_many(int(sources), "source")] if _is_number(sources) else []
    return [(" · ".join([name, tr("against all references"), *count]), *values)]


def _score(value: object, form: str) -> str:
    """A score in words; what is not perfect does not round up to it: 99.97, not 100.0."""
    if not _is_number(value):
        return ""
    rounds_up = 99.9 < value < 100
    return localised(
        form.replace(".1f", ".2f").format(min(value, 99.99)) if rounds_up else form.format(value)
    )


def _conditions(quality: Mapping[str, Any]) -> list[str]:
    beam, count = quality.get("beam"), quality.get("sentences")
    how = (
        ""
        if not _is_number(beam)
        else tr("greedy")
        if beam == 1
        else tr("beam {size}", size=numeral(beam, "g"))
    )
    return [words for words in (how, how_many(int(count), "sentence") if _is_number(count) else "") if words]


def examples(entry: Entry) -> list[Row]:
    """(source, what the model made of it) of the card's examples."""
    return [(text(source), text(row.get("translation"))) for source, row in entry.stated_examples]


def example_table(entry: Entry) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """(heads, rows) of the examples: source and translation; if the card has them, also the greedy translation
    and which training sources contain the sentence.
    """
    stated = [row for _, row in entry.stated_examples]
    heads, rows = [tr("source"), tr("what the model writes")], [list(row) for row in examples(entry)]
    if any(text(each.get("greedy")) for each in stated):
        heads.append(tr("by greedy search"))
        for row, each in zip(rows, stated, strict=True):
            greedy = text(each.get("greedy"))
            row.append(tr("the same") if greedy and greedy == row[1] else greedy)
    if any(each.get("trained_on") for each in stated):
        heads.append(tr("trained on"))
        for row, each in zip(rows, stated, strict=True):
            row.append(", ".join(texts(each.get("trained_on"))))
    return tuple(heads), [tuple(row) for row in rows]


_TERMS: Final = {
    "data": message("data"),
    "terms": message("terms"),
    "limits": message("limits"),
    "trained": message("trained"),
    "assumed": message("assumed"),
    "agreement": message("compared"),
}


def terms(entry: Entry) -> list[Row]:
    """(what, line) of the card's data, terms, limits, training and import, one row a line, named on the first."""
    card = entry.card
    return [
        (tr(name) if number == 0 else "", translated(line))
        for key, name in _TERMS.items()
        for number, line in enumerate(texts(card.get(key)))
    ]


def config_rows(config: ModelConfig) -> list[Row]:
    """The configuration in words."""
    tied = (
        (tr("source and target table"), config.tie_embeddings),
        (tr("output and target table"), config.tie_output),
    )

    def each(of: Callable[[ModelConfig], str]) -> str:
        encoder, decoder = (of(config.of(stack)) for stack in STACKS)
        if encoder == decoder:
            return encoder
        return tr("encoder: {encoder} · decoder: {decoder}", encoder=encoder, decoder=decoder)

    return [
        (
            tr("layers"),
            tr(
                "{encoder} encoder, {decoder} decoder",
                encoder=config.encoder_layers,
                decoder=config.decoder_layers,
            ),
        ),
        (
            tr("heads"),
            each(lambda own: tr("{count} of {width} dimensions", count=own.heads, width=own.d_head)),
        ),
        (tr("width"), f"{config.d_model}"),
        (tr("feed-forward"), each(_feed_forward)),
        (
            tr("vocabulary"),
            tr(
                "{source} source, {target} target",
                source=numeral(config.source_vocab_size, ","),
                target=numeral(config.target_vocab_size, ","),
            ),
        ),
        (tr("positions"), tr(_POSITIONS[config.positions])),
        (tr("longest input"), how_many(config.max_length, "token")),
        (tr("place of the norm"), each(lambda own: tr(_PLACEMENT[own.norm_placement]))),
        (tr("norm"), each(lambda own: f"{tr(_FORMULA[own.norm_formula])}, ε {numeral(own.norm_eps, 'g')}")),
        (tr("final norm"), each(lambda own: _yes(own.final_norm))),
        (tr("norm of embeddings"), _yes(config.embedding_norm)),
        (tr("embeddings × √width"), _yes(config.embedding_scale)),
        (tr("causal mask"), _yes(config.causal)),
        (tr("shared tables"), _named(tied, tr("nothing"))),
        (tr("scores divided by"), tr(_SCALE[config.score_scale])),
        (tr("biases"), _biases(config)),
        (tr("dropout"), tr(_DROPOUT[config.dropout_placement], rate=numeral(config.dropout, "g"))),
    ]


def _feed_forward(config: ModelConfig) -> str:
    words = [tr("{width} wide", width=numeral(config.d_ff, ",")), config.activation]
    return ", ".join([*words, tr("gated")] if config.gated else words)


def _biases(config: ModelConfig) -> str:
    named = (
        ("Q, K, V", config.projection_bias),
        (tr("attention output"), config.attention_output_bias),
        (tr("feed-forward"), config.ffn_bias),
        (tr("logits"), config.output_bias),
    )
    return _named(named, tr("none"))


def _named(parts: Sequence[tuple[str, bool]], none: str) -> str:
    """The names of the parts that hold; `none` where no part does."""
    return " · ".join(name for name, holds in parts if holds) or none


def compared(one: ModelConfig, other: ModelConfig) -> list[tuple[str, str, str]]:
    """(option, of one, of the other), what differs first."""
    pairs = zip(config_rows(one), config_rows(other), strict=True)
    rows = [(name, mine, theirs) for (name, mine), (_, theirs) in pairs]
    return sorted(rows, key=lambda row: row[1] == row[2])


def size_words(entry: Entry) -> str:
    """`239 k parameters, 0.5 MB on disk`."""
    summary = entry.usable
    return tr(
        "{parameters} parameters, {size} MB on disk",
        parameters=in_words(summary.parameters),
        size=numeral(summary.stored_bytes / 1e6, ".1f"),
    )


def _is_number(value: object) -> TypeGuard[float]:
    """A number that a measurement can be; a card may hold 1e400, which JSON reads as infinity, or 400 digits."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _yes(holds: bool) -> str:
    return tr("yes") if holds else tr("no")
