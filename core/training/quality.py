"""Translation quality: BLEU in two measures, chrF, exact match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacremoses import MosesPunctNormalizer, MosesTokenizer

from core.errors import InputError


@dataclass(frozen=True)
class Quality:
    """Corpus scores of hypotheses against one reference each; all in percent.

    `bleu` is sacreBLEU on the raw text, with `signature`. `bleu_tokenised` is the Multi30k convention: Moses
    punctuation normalisation and tokenisation, lower case, then BLEU on those tokens. The two are not comparable.
    """

    sentences: int
    bleu: float
    signature: str
    bleu_tokenised: float
    chrf: float
    chrf_signature: str
    exact: float

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@lru_cache(maxsize=8)
def _moses(language: str) -> tuple[MosesPunctNormalizer, MosesTokenizer]:
    return MosesPunctNormalizer(lang=language), MosesTokenizer(lang=language)


def moses_lowercase(text: str, language: str = "en") -> str:
    """Moses normalisation and tokenisation, lower case; tokens separated by single spaces."""
    normaliser, tokeniser = _moses(language)
    tokenised: str = tokeniser.tokenize(normaliser.normalize(text), escape=False, return_str=True)
    return tokenised.lower()


def score(hypotheses: Sequence[str], references: Sequence[str], language: str = "en") -> Quality:
    """All scores of a corpus. `language` (a two-letter code) is for the Moses rules of the target side."""
    if len(hypotheses) != len(references) or not references:
        raise InputError(
            f"There are {len(hypotheses)} translations and {len(references)} references; the numbers must be equal "
            "and not zero."
        )
    raw, chrf = BLEU(), CHRF()
    # Effective order matters only where no sentence has four tokens, as with dates: BLEU would be 0 by definition.
    plain = BLEU(tokenize="none", force=True, effective_order=True)
    tokenised = [[moses_lowercase(text, language) for text in side] for side in (hypotheses, references)]
    same = sum(a.strip() == b.strip() for a, b in zip(hypotheses, references, strict=True))
    return Quality(
        sentences=len(references),
        bleu=raw.corpus_score(list(hypotheses), [list(references)]).score,
        signature=str(raw.get_signature()),
        bleu_tokenised=plain.corpus_score(tokenised[0], [tokenised[1]]).score,
        chrf=chrf.corpus_score(list(hypotheses), [list(references)]).score,
        chrf_signature=str(chrf.get_signature()),
        exact=100 * same / len(references),
    )


@dataclass(frozen=True)
class MultiReference:
    """Corpus BLEU where one translation of each source is compared with all of that source's references."""

    sources: int
    references: int
    bleu: float
    signature: str
    bleu_tokenised: float

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def score_multi_reference(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], language: str = "en"
) -> MultiReference:
    """BLEU of one hypothesis a source against its references, of which each source has one or more (Papineni 2002).

    Not comparable with a single-reference score: the more references, the more matches.
    """
    if len(hypotheses) != len(references) or not references or not all(references):
        raise InputError(
            f"There are {len(hypotheses)} translations and {len(references)} lists of references; the numbers must be "
            "equal and not zero, and no list empty."
        )
    raw = BLEU()
    plain = BLEU(tokenize="none", force=True, effective_order=True)
    tokenised = [[moses_lowercase(text, language) for text in texts] for texts in references]
    return MultiReference(
        sources=len(references),
        references=sum(map(len, references)),
        bleu=raw.corpus_score(list(hypotheses), _streams(references)).score,
        signature=str(raw.get_signature()),
        bleu_tokenised=plain.corpus_score(
            [moses_lowercase(text, language) for text in hypotheses], _streams(tokenised)
        ).score,
    )


def score_of_sources(
    sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str], language: str = "en"
) -> MultiReference | None:
    """`score_multi_reference` of parallel lists in which a source may repeat; None where none has two references.

    The hypothesis of a source is the one at its first place. A reference that is there twice counts once.
    """
    best: dict[str, str] = {}
    of_source: dict[str, dict[str, None]] = {}
    for source, hypothesis, reference in zip(sources, hypotheses, references, strict=True):
        best.setdefault(source, hypothesis)
        of_source.setdefault(source, {})[reference] = None
    if all(len(texts) == 1 for texts in of_source.values()):
        return None
    return score_multi_reference(list(best.values()), [list(texts) for texts in of_source.values()], language)


def _streams(references: Sequence[Sequence[str]]) -> list[list[str]]:
    """The references turned as sacreBLEU takes them: the first of every source, the second, …; None for no more."""
    most = max(map(len, references))
    return [[texts[i] if i < len(texts) else None for texts in references] for i in range(most)]  # type: ignore[misc]


def quick_bleu(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """sacreBLEU on raw text alone, for the log of a training."""
    return float(BLEU().corpus_score(list(hypotheses), [list(references)]).score)


def exact_match(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """Percentage of translations equal to their reference."""
    same = sum(a.strip() == b.strip() for a, b in zip(hypotheses, references, strict=True))
    return 100 * same / max(1, len(references))
