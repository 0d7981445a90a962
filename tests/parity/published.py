"""Random models with as many rows and tokens as published ones have, and how far an import of what was saved is from each.

A table may have more rows than there are tokens, or fewer where the last tokens are special. The widths are small: they
change nothing about which row a token has. `python -m tests.parity` writes the table of docs/importing.md.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import core
from core.importing.plan import ImportPlan, plan_import
from tests.parity.comparing import Measured
from tests.parity.families import FAMILIES, figures, measured, random_model

_BART: Final = {0: "<s>", 1: "<pad>", 2: "</s>", 3: "<unk>"}
_T5: Final = {0: "<pad>", 1: "</s>", 2: "<unk>"}
_ROLES: Final = {"<s>": "bos", "<pad>": "pad", "</s>": "eos", "<unk>": "unk", "<mask>": "mask"}
TEXTS: Final = ("w10 w11 w12", "w30000 w9 , w31000")


@dataclass(frozen=True)
class Published:
    """A published model's family, the rows of its table, its tokens, and the tokens whose ids matter."""

    title: str
    family: str
    rows: int
    tokens: int
    named: Mapping[int, str]  # by id
    source: str  # what stands around a text A
    settings: Mapping[str, Any] = field(default_factory=dict)
    target: str | None = None  # the language written
    resized_from: int = 0  # rows before the library's resize_token_embeddings


PUBLISHED: Final = {
    each.title: each
    for each in (
        Published("bart-large", "bart", 50265, 50265, {**_BART, 50264: "<mask>"}, "<s> $A </s>"),
        Published("bart-large-cnn, bart-large-xsum", "bart", 50264, 50265, {**_BART, 50264: "<mask>"}, "<s> $A </s>"),
        Published("bart-large and 3 added tokens", "bart", 50268, 50268,
                  {**_BART, 50264: "<mask>", 50265: "<a>", 50266: "<b>", 50267: "<c>"}, "<s> $A </s>", resized_from=50265),
        Published("bart-large and 3 added tokens, to a multiple of 8", "bart", 50272, 50268,
                  {**_BART, 50264: "<mask>", 50265: "<a>", 50266: "<b>", 50267: "<c>"}, "<s> $A </s>", resized_from=50265),
        Published("bart-large, to a multiple of 64", "bart", 50304, 50265, {**_BART, 50264: "<mask>"}, "<s> $A </s>",
                  resized_from=50265),
        Published("mbart-large-50", "mbart", 250054, 250054, {**_BART, 250004: "en_XX", 250008: "fr_XX", 250053: "<mask>"},
                  "en_XX $A </s>", target="fr_XX"),
        Published("nllb-200", "nllb", 256206, 256204, {**_BART, 256047: "eng_Latn", 256057: "fra_Latn", 256203: "<mask>"},
                  "eng_Latn $A </s>", target="fra_Latn"),
        Published("m2m100", "m2m-100", 128112, 128104, {**_BART, 128022: "__en__", 128028: "__fr__"}, "__en__ $A </s>",
                  target="__fr__"),
        Published("opus-mt-en-de", "marian", 58101, 58101, {0: "</s>", 1: "<unk>", 58100: "<pad>"}, "$A </s>",
                  {"pad_token_id": 58100, "decoder_start_token_id": 58100, "eos_token_id": 0, "bos_token_id": 0}),
        Published("t5", "t5", 32128, 32100, {**_T5, 32000: "<extra_id_99>", 32099: "<extra_id_0>"}, "$A </s>"),
        Published("flan-t5", "flan-t5", 32128, 32100, {**_T5, 32000: "<extra_id_99>", 32099: "<extra_id_0>"}, "$A </s>"),
        Published("mt5", "flan-t5", 250112, 250100, {**_T5, 250099: "<extra_id_0>"}, "$A </s>"),
    )
}  # fmt: skip


def tokenizer(published: Published) -> Any:
    """A tokenizer of the library with that many tokens: words, and those of `named` at their ids, as special ones."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = {published.named.get(number, f"w{number}"): number for number in range(published.tokens)}
    backend = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    signs = [(sign, words[sign]) for sign in published.source.split() if sign != "$A"]
    backend.post_processor = processors.TemplateProcessing(single=published.source, special_tokens=signs)
    roles = {f"{_ROLES[token]}_token": token for token in published.named.values() if token in _ROLES}
    others = [token for token in published.named.values() if token not in _ROLES]
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, additional_special_tokens=others, **roles
    )


def model(published: Published) -> Any:
    """A random model of the family with that many rows, resized by the library where the published one was."""
    family = FAMILIES[published.family]
    first = published.resized_from or published.rows
    settings = {**family.settings, "vocab_size": first, **published.settings}
    theirs = random_model(dataclasses.replace(family, settings=settings))
    if published.resized_from:
        multiple = next((n for n in (64, 8) if published.rows % n == 0), None)
        theirs.resize_token_embeddings(published.tokens, pad_to_multiple_of=multiple, mean_resizing=False)
        assert theirs.get_input_embeddings().num_embeddings == published.rows
    return theirs


def saved(published: Published, folder: Path) -> tuple[Any, Any, ImportPlan]:
    """The model and the tokenizer, both saved to `folder`, and the import of that folder."""
    theirs, speaker = model(published), tokenizer(published)
    theirs.save_pretrained(folder)
    speaker.save_pretrained(folder)
    answers = {"target_language": published.target} if published.target else {}
    plan = plan_import(folder, answers=answers)
    if any(question.name == "forced_bos_id" for question in plan.open_questions):
        plan = plan.answer(forced_bos_id="none")
    return theirs, speaker, plan


def same_ids(checkpoint: core.Checkpoint, speaker: Any) -> bool:
    """Whether the texts have the ids that the library's tokenizer gives them."""
    return all(checkpoint.encode_source(text) == speaker(text).input_ids for text in TEXTS)


def found(published: Published) -> tuple[Measured, bool]:
    """The largest differences, those of logits as a share of the largest one, and whether the source ids are the same.

    Among 250,000 random logits some are so large that rounding alone is above 1e-5.
    """
    with TemporaryDirectory() as folder:
        theirs, speaker, plan = saved(published, Path(folder))
        checkpoint = plan.checkpoint
        config = checkpoint.config
        if config.forced_bos_id is not None:
            theirs.generation_config.forced_bos_token_id = config.forced_bos_id
        gaps = measured(theirs, checkpoint.model)
        relative = dataclasses.replace(gaps, logits=gaps.logits / max(gaps.scale, 1.0))
        return relative, same_ids(checkpoint, speaker)


def table() -> Iterator[str]:
    """The lines of the table in docs/importing.md."""
    yield "| sizes as in | layout | rows | tokens | logits | maps | encoder states | greedy and beam 4 | source ids |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for title, published in PUBLISHED.items():
        gaps, same = found(published)
        first = f"{title} | `{FAMILIES[published.family].layout}` | {published.rows:,} | {published.tokens:,}"
        yield f"| {first} | {figures(gaps)} | {'the same' if same else 'NOT THE SAME'} |"
