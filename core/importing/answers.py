"""From what a caller tells and a vocabulary names to options of the model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from core.errors import CheckpointError
from core.importing.generation import LANGUAGE_OPTIONS, NONE, language_codes, settle_languages
from core.importing.options import SPECIALS, Inference, Question
from core.importing.pieces import Vocabulary
from core.importing.rules import Layout
from core.importing.weights import Weights

ROLES: Final = {"pad": "pad_id", "bos": "bos_id", "eos": "eos_id", "unk": "unk_id"}


def inferred(
    layout: Layout,
    weights: Weights,
    told: Mapping[str, Any],
    vocabularies: tuple[Vocabulary, Vocabulary] | None,
) -> Inference:
    """What the file and the answers say; what a language means depends on how the decoder starts."""
    settled, specials = _settled(told, vocabularies), _specials(vocabularies)
    inference = Inference(layout, weights, settled, specials)
    inference.run()
    start, end = inference.value("bos_id"), inference.value("eos_id")
    if languages := settle_languages(told, start, end, vocabularies):
        inference = Inference(layout, weights, {**settled, **languages}, specials)
        inference.run()
    return inference


def as_language(question: Question, vocabularies: tuple[Vocabulary, Vocabulary] | None) -> Question:
    """A question that a language answers, with the languages of the vocabulary to choose from."""
    name = question.flag.removeprefix("--").replace("-", "_")
    if name not in LANGUAGE_OPTIONS:
        return question
    codes = language_codes(vocabularies[LANGUAGE_OPTIONS.index(name)]) if vocabularies is not None else ()
    return dataclasses.replace(question, name=name, choices=codes)


def _settled(told: Mapping[str, Any], vocabularies: tuple[Vocabulary, Vocabulary] | None) -> dict[str, Any]:
    """Told values with the specials, which may be tokens, as ids."""
    others = {*ROLES, *LANGUAGE_OPTIONS}
    settled = {name: value for name, value in told.items() if name not in others}
    for role, option in [*ROLES.items(), *((option, option) for option in SPECIALS)]:
        value = told.get(role)
        if value == NONE and option == "forced_bos_id":
            continue
        if isinstance(value, str):
            if vocabularies is not None:
                value = vocabularies[option != "source_pad_id"].id_of(role, value)
            elif value.isdecimal():
                value = int(value)
            else:
                raise CheckpointError(
                    f"{role} is given as {value[:40]!r} but there is no vocabulary; give its id."
                )
        if value is not None:
            settled[option] = value
    return settled


def _specials(vocabularies: tuple[Vocabulary, Vocabulary] | None) -> dict[str, int | None]:
    if vocabularies is None:
        return {}
    source, target = (vocabulary.specials for vocabulary in vocabularies)
    found = {option: target[role] for role, option in ROLES.items()}
    different = source["pad"] is not None and source["pad"] != target["pad"]
    return {**found, "source_pad_id": source["pad"] if different else None}
