"""`from_generate`: a `Trace` of the attention maps that another library's model returned, taken as they are.

What Hugging Face's `generate(..., output_attentions=True, return_dict_in_generate=True)` or one forward pass returned
holds the weights of all three kinds of attention, cut in steps and in beams. Nothing is computed again, so this serves
models that this project cannot run, Whisper's and TrOCR's text side among them, and only what was returned is there.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from torch import Tensor

from core.errors import InputError
from core.model.config import ModelConfig
from core.model.hooks import LOGITS, Site
from core.model.trace import Tokens, Trace
from core.tokenizer.files import MOST_TOKENS
from core.tokenizer.piece import Family, Surfaces

_EAGER: Final = (
    'The outputs hold no attention maps: load the model with attn_implementation="eager" (sdpa and flash attention '
    "return none) and ask for output_attentions=True."
)
_KINDS: Final = ("encoder_attentions", "decoder_attentions", "cross_attentions")
_STRAY: Final = 1e-4
"""Weight that a query may give to padding: none, but for rounding in half precision."""
_MARKS: Final[tuple[tuple[Family, str], ...]] = (
    ("metaspace", "▁"),
    ("byte-level", "Ġ"),
    ("wordpiece", "##"),
    ("suffix", "</w>"),
)


def from_generate(
    outputs: Any,
    tokenizer: Any,
    source_ids: Any,
    item: int = 0,
    *,
    target_ids: Any = None,
    attention_mask: Any = None,
) -> Trace:
    """The maps in `outputs` as a trace that every view and export takes: maps as given, not recomputed.

    `source_ids` (B, S), or (S,) for one source, is what the encoder read; None where that was no text (sound, an image).
    `item` counts the returned sequences: with `num_return_sequences=n`, those of the second source begin at n. `tokenizer`
    spells both sides; give (source, target) where each has its own. A list of tokens, each at the place of its id, or a dict of tokens and ids serves too. `target_ids` (B, T), what the decoder read, belongs to
    the outputs of a forward pass, which do not hold it. `attention_mask` (B, S) says which source tokens are padding, where
    the padding token's id at either end does not.

    Tensors may be numpy's. Cross-attention alone is enough. Learned prompts before the keys (MVP) are left out with a
    warning, and so are an encoder's maps that come in parts (PegasusX).

    Of the trace's `config` the layers, heads and vocabulary sizes are the model's; a forward pass tells no more. Logits are
    recorded where `output_logits=True` or `output_scores=True` asked for them. Raises `InputError`.
    """
    if not any(_get(outputs, name) is not None for name in ("sequences", "logits", *_KINDS)):
        raise InputError(
            f"A {type(outputs).__name__} holds no attention maps; give what generate(..., output_attentions=True, "
            "return_dict_in_generate=True) or the model returned."
        )
    if _get(outputs, "cross_attentions") is None and _get(outputs, "attentions") is not None:
        raise InputError("These are a decoder-only model's maps; give those of an encoder-decoder.")
    encoder, decoder, cross = (_get(outputs, name) for name in _KINDS)
    if not cross or any(_lacks(kind) for kind in (encoder, decoder, cross) if kind):
        raise InputError(_EAGER)
    source_speaker, speaker = _speakers(tokenizer)
    stepwise = isinstance(cross[0], tuple | list)
    decoded = _generated(outputs, speaker, item) if stepwise else _read_at_once(outputs, target_ids, item)
    sources = _rows(source_ids, "source_ids")
    count = len(sources) if sources is not None else _batch(encoder, decoded.items)
    if decoded.items % count:
        raise InputError(
            f"There are {decoded.items} sequences for {count} sources; give the source_ids that went in."
        )
    source = item // (decoded.items // count)
    crossed = decoded.maps(cross, causal=False)
    prompts = 0 if sources is None or not decoder else _prompts(decoder, crossed, sources.shape[1])
    causal = decoded.maps(decoder, causal=True, prompts=prompts) if decoder else []
    crossed = [weights[..., prompts:] for weights in crossed]
    width = crossed[0].shape[-1]
    kept = _kept(sources, attention_mask, source, crossed, source_speaker)
    records = {Site("decoder", n, "self", "weights"): weights for n, weights in enumerate(causal)}
    records |= {Site("decoder", n, "cross", "weights"): _without(w, kept) for n, w in enumerate(crossed)}
    for layer, tensor in enumerate(encoder or ()):
        if len(getattr(tensor, "shape", ())) != 4:
            warnings.warn(
                "The encoder's maps are in parts, as of block-local attention, and are left out; cross and causal are shown.",
                stacklevel=2,
            )
            break
        rows = _array(tensor[source * len(tensor) // count])  # one a source, or one a beam
        if rows.shape[-2:] != (width, width):
            break  # states were made shorter after the encoder: its maps speak of other positions
        records[Site("encoder", layer, "self", "weights")] = _without(rows[:, kept], kept)
    if (logits := decoded.logits(outputs)) is not None:
        records[LOGITS] = logits
    ids = np.flatnonzero(kept) if sources is None else sources[source, kept]
    return _trace(records, ids.tolist(), decoded, None if sources is None else source_speaker, speaker)


class _ListedTokens:
    """A list of tokens, each at the place of its id, as a tokenizer."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens

    def __len__(self) -> int:
        return len(self._tokens)

    def convert_ids_to_tokens(self, ids: Sequence[int]) -> list[str]:
        if unknown := [each for each in ids if not 0 <= each < len(self._tokens)]:
            raise InputError(
                f"The tokenizer lists {len(self._tokens):,} tokens, and id {unknown[0]} is beyond them; give a token for each id."
            )
        return [self._tokens[each] for each in ids]


def _speakers(tokenizer: Any) -> tuple[Any, Any]:
    """What spells the (source, target): one tokenizer for both or two, each a tokenizer, a processor or a list of tokens."""
    pair = isinstance(tokenizer, tuple | list) and not (tokenizer and isinstance(tokenizer[0], str))
    if pair and len(tokenizer) != 2:
        raise InputError(
            f"{len(tokenizer)} tokenizers are given; give one, (source, target), or a list of tokens by their ids."
        )
    source, target = (
        _ListedTokens(_in_order(each))
        if isinstance(each, tuple | list | Mapping)
        else getattr(each, "tokenizer", each)
        for each in (tokenizer if pair else (tokenizer, tokenizer))
    )
    return source, target


def _in_order(tokens: Sequence[str] | Mapping[Any, Any]) -> list[str]:
    """The token of each id, of a list or of a dict of ids and tokens, either way round."""
    if not isinstance(tokens, Mapping):
        return [str(token) for token in tokens]
    by_id = (
        {number: token for token, number in tokens.items()}
        if isinstance(next(iter(tokens), 0), str)
        else tokens
    )
    if (
        not by_id
        or not all(type(number) is int and number >= 0 for number in by_id)
        or max(by_id) >= MOST_TOKENS
    ):
        raise InputError(
            "The tokenizer is a dict without ids and tokens; give {token: id}, {id: token} or a list of tokens."
        )
    return [str(by_id.get(number, f"<no token {number}>")) for number in range(max(by_id) + 1)]


def _get(outputs: Any, name: str) -> Any:
    """A part of the outputs, None where it was not asked for."""
    return outputs.get(name) if type(outputs) is dict else getattr(outputs, name, None)


def _lacks(kind: Any) -> bool:
    first = kind[0]
    return first is None or (isinstance(first, tuple | list) and (not first or first[0] is None))


def _batch(encoder: Any, items: int) -> int:
    whole = encoder and len(getattr(encoder[0], "shape", ())) == 4
    return len(encoder[0]) if whole and items % len(encoder[0]) == 0 else items


def _array(value: Any) -> np.ndarray:
    """Torch's or numpy's numbers as numpy, float32."""
    return np.asarray(value.detach().float().cpu() if isinstance(value, Tensor) else value, dtype=np.float32)


def _first_step(kind: Any) -> Any:
    """The first layer's maps of what the decoder read first."""
    return kind[0][0] if isinstance(kind[0], tuple | list) else kind[0]


def _prompts(decoder: Any, crossed: Sequence[np.ndarray], sources: int) -> int:
    """How many learned prompts, as MVP's, stand before the keys of the decoder's maps; 0 where there are none.

    Their columns are not tokens and are left out, with a warning that says what weight they took.
    """
    first = _first_step(decoder)
    more = int(crossed[0].shape[-1]) - sources
    if more <= 0 or first.shape[-1] - first.shape[-2] != more:
        return 0
    shares = [float(weights[..., :more].sum(axis=-1).mean()) for weights in crossed]
    warnings.warn(
        f"The decoder's keys begin with {more} learned prompts, which are no tokens: their columns are left out, with "
        f"{sum(shares) / len(shares):.0%} of the weight of cross-attention, so that rows sum to less than 1.",
        stacklevel=3,
    )
    return more


def _rows(ids: Any, name: str) -> np.ndarray | None:
    """Ids as an array (B, length)."""
    if ids is None:
        return None
    ids = ids.detach().cpu().numpy() if isinstance(ids, Tensor) else ids
    try:
        rows = np.asarray(ids, dtype=np.int64)
    except (TypeError, ValueError):
        rows = np.zeros(0, dtype=np.int64)
    if rows.ndim not in (1, 2) or not rows.size or (rows < 0).any():
        raise InputError(f"{name} must be ids, (batch, length) or one row of them; give what the model read.")
    return rows.reshape(-1, rows.shape[-1])


@dataclass(frozen=True)
class _Decoded:
    """What the decoder read and wrote for one item, and where its rows are among the steps and beams."""

    items: int
    ids: tuple[int, ...]  # what was read, and the last token written
    prompt: int  # tokens that the first step read
    beams: tuple[int, ...]  # the row of the batch at each step; one step where all was read at once
    streams: int = (
        1  # of ProphetNet's cross-attention: the decoder's own rows come first, then those of later tokens
    )

    @property
    def length(self) -> int:
        """Decoder inputs T."""
        return len(self.ids) - 1

    def maps(self, kind: Any, causal: bool, prompts: int = 0) -> list[np.ndarray]:
        """Weights of each layer, (H, T, keys); of causal ones without the columns of `prompts`."""
        steps = kind if isinstance(kind[0], tuple | list) else (kind,)
        if len(steps) < len(self.beams):
            raise InputError(
                f"There are maps of {len(steps)} steps for {len(self.beams)} tokens; give all of them."
            )
        layers = []
        for layer in range(len(steps[0])):
            rows = []
            for step, row in enumerate(self.beams):
                tensor = steps[step][layer]
                if tensor is None:
                    raise InputError(_EAGER)
                own = _array(tensor[row])
                own = own if causal else own[:, : own.shape[1] // self.streams]
                weights_row = own[:, : self.prompt] if step == 0 else own[:, -1:]
                if causal:  # keys of later steps: none yet, or the empty places of a cache of fixed size
                    weights_row = weights_row[..., prompts : prompts + self.length]
                    missing = self.length - weights_row.shape[-1]
                    weights_row = np.pad(weights_row, ((0, 0), (0, 0), (0, missing)))
                rows.append(weights_row)
            if len({each.shape[-1] for each in rows}) > 1:
                raise InputError("The steps' maps differ in width; give outputs of one call of generate.")
            layers.append(np.concatenate(rows, axis=1)[:, : self.length])
        return layers

    def logits(self, outputs: Any) -> np.ndarray | None:
        """Scores of the token after each decoder input (T, V), as far as they were asked for."""
        given = next((g for name in ("logits", "scores") if (g := _get(outputs, name)) is not None), None)
        if given is None:
            return None
        if hasattr(given, "shape"):
            return _array(given[self.beams[0], : self.length]) if len(given.shape) == 3 else None
        rows = [_array(given[step][row]) for step, row in enumerate(self.beams)]
        # Of a prompt's tokens only the last has scores; the others are not choices.
        return np.stack(rows) if len(rows) == self.length else None


def _generated(outputs: Any, speaker: Any, item: int) -> _Decoded:
    sequences = _rows(_get(outputs, "sequences"), "sequences")
    if sequences is None:
        raise InputError("The outputs hold no sequences; give what generate returned, whole.")
    _check_item(item, len(sequences))
    cross = _get(outputs, "cross_attentions")
    first = cross[0][0]
    beams, causal = _get(outputs, "beam_indices"), _get(outputs, "decoder_attentions")
    steps, prompt = len(cross), int(first.shape[-2])
    if causal:
        prompt = int(causal[0][0].shape[-2])
    elif beams is None and prompt % max(own := sequences.shape[1] - steps, 1) == 0 < own:
        prompt = own  # the rows that are not further streams
    streams = int(first.shape[-2]) // prompt
    if beams is not None:
        if int(beams.max()) >= len(first):
            raise InputError(
                f"Of {int(beams.max()) + 1} beams or more the outputs keep the maps of {len(first)}, as Whisper's generate "
                "does; call it with num_beams=1, or give one forward pass over the sequence."
            )
        chosen = beams[item].tolist()
        rows = tuple(row for row in chosen if row >= 0)
    elif len(first) == len(sequences):
        rows = (item,) * steps
    else:
        raise InputError(
            f"There are maps of {len(first)} beams for {len(sequences)} sequences and no beam_indices; call generate with "
            "output_scores=True."
        )
    ids = sequences[item, : prompt + len(rows)].tolist()
    if len(ids) <= prompt:
        raise InputError(
            f"The sequence has {len(ids)} tokens and the decoder read {prompt} at first, so no step of it is there; give "
            "sequences that begin with what the decoder read."
        )
    if beams is None:  # finished sequences go on with padding
        end, padding = getattr(speaker, "eos_token_id", None), getattr(speaker, "pad_token_id", None)
        written = ids[prompt:]
        if end in written:
            written = written[: written.index(end) + 1]
        while len(written) > 1 and written[-1] == padding != end:
            written.pop()
        ids = ids[:prompt] + written
    return _Decoded(len(sequences), tuple(ids), prompt, rows[: len(ids) - prompt], streams)


def _read_at_once(outputs: Any, target_ids: Any, item: int) -> _Decoded:
    maps, logits = _get(outputs, "cross_attentions")[0], _get(outputs, "logits")
    if logits is not None and len(logits.shape) != 3:
        logits = None  # a classifier's, which are of no token
    causal = _get(outputs, "decoder_attentions")
    _check_item(item, len(maps))
    targets = _rows(target_ids, "target_ids")
    streams = 1
    if (
        targets is not None
        and maps.shape[-2] % targets.shape[1] == 0
        and (causal or _get(outputs, "ngram_hidden_states"))
    ):
        streams = maps.shape[-2] // (causal[0].shape[-2] if causal else targets.shape[1])
    if targets is None or targets.shape != (len(maps), maps.shape[-2] // streams):
        raise InputError(
            f"A forward pass does not say what its decoder read; give target_ids of shape {(len(maps), maps.shape[-2] // streams)}."
        )
    ids = targets[item].tolist()
    # The last row writes the likeliest token; without logits it is unknown, and the row is left out.
    ids += [int(logits[item, -1].argmax())] if logits is not None else []
    if len(ids) < 2:
        raise InputError("One decoder input without logits writes nothing that is known; give two or more.")
    return _Decoded(len(maps), tuple(ids), len(ids) - 1, (item,), streams)


def _check_item(item: int, count: int) -> None:
    if type(item) is not int or not 0 <= item < count:
        raise InputError(f"item is {item!r}; there are {count} sequences, counted from 0.")


def _kept(
    sources: np.ndarray | None, mask: Any, source: int, crossed: Sequence[np.ndarray], speaker: Any
) -> np.ndarray:
    """Which keys are no padding, (S,) bool."""
    width, padding = crossed[0].shape[-1], getattr(speaker, "pad_token_id", None)
    given = _rows(mask, "attention_mask")
    if given is not None and source < len(given) and given.shape[1] == width:
        return np.asarray(given[source] != 0)
    if given is not None:
        raise InputError(f"attention_mask has shape {given.shape}; the maps have {width} source tokens.")
    if sources is None:
        return np.ones(width, dtype=bool)
    if sources.shape[1] != width:
        raise InputError(
            f"source_ids have {sources.shape[1]} tokens and the maps {width}; give the ids that went in."
        )
    real = np.flatnonzero(sources[source] != padding)
    if not real.size:
        raise InputError("The source is padding alone; give attention_mask.")
    kept = np.zeros(width, dtype=bool)
    kept[real[0] : real[-1] + 1] = True
    # Of equal tokens, those that get weight are no padding.
    if padding == getattr(speaker, "eos_token_id", None):
        kept |= np.any([weights.any(axis=(0, 1)) for weights in crossed], axis=0)
    return kept


def _without(weights: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Weights (H, T, S) without the padding's columns, which must be empty."""
    stray = float(weights[..., ~kept].sum(axis=-1).max(initial=0.0))
    if stray > _STRAY:
        raise InputError(
            f"A query gives {stray:.1%} of its weight to padding, so the model was run without a mask; call it again with "
            "attention_mask."
        )
    return np.ascontiguousarray(weights[..., kept])


def _trace(
    records: Mapping[Site, np.ndarray], source: list[int], decoded: _Decoded, reader: Any, speaker: Any
) -> Trace:
    ids = decoded.ids
    layers = {
        stack: len({s.layer for s in records if s.stack == stack and s.kind == "weights"})
        for stack in ("encoder", "decoder")
    }
    heads = [
        next((len(each) for s, each in records.items() if s.stack == stack and s.kind == "weights"), 0)
        for stack in ("encoder", "decoder")
    ]
    logits = records.get(LOGITS)
    config = ModelConfig(
        source_vocab_size=_size(reader, source),
        target_vocab_size=max(_size(speaker, ids), 0 if logits is None else logits.shape[-1]),
        d_model=max(heads),  # not known: a number that fits the heads
        heads=heads[0] or heads[1],
        decoder_heads=heads[1] or None,
        head_dim=1,
        encoder_layers=layers["encoder"],
        decoder_layers=layers["decoder"],
        tie_embeddings=False,
        positions="none",
        pad_id=0,
        bos_id=ids[0],
        eos_id=getattr(speaker, "eos_token_id", None),
        unk_id=None,
    )
    sources = [str(n + 1) for n in source] if reader is None else _labels(reader, source, None)
    labels = _labels(speaker, ids, ids[0])
    return Trace(
        config,
        Tokens(tuple(sources), tuple(labels[:-1]), tuple(labels[1:])),
        tuple(source),
        ids[:-1],
        ids[1:],
        records,
        as_given=True,
    )


def _size(tokenizer: Any, ids: Sequence[int]) -> int:
    try:
        known = len(tokenizer) if tokenizer is not None else 1
    except TypeError:
        known = getattr(tokenizer, "vocab_size", 1)
    return max(known, max(ids, default=0) + 1)


def _labels(tokenizer: Any, ids: Sequence[int], start: int | None) -> list[str]:
    """How a reader sees the ids: as one of this project's tokenizers shows its own."""
    if hasattr(tokenizer, "labels"):
        return list(tokenizer.labels(ids))
    if not hasattr(tokenizer, "convert_ids_to_tokens"):
        raise InputError(f"A {type(tokenizer).__name__} spells no tokens; give the model's tokenizer.")
    different = sorted(set(ids))
    places = {number: index for index, number in enumerate(different)}
    tokens = [str(token) for token in tokenizer.convert_ids_to_tokens(different)]
    known = tokenizer.get_vocab() if hasattr(tokenizer, "get_vocab") else tokens
    family, mark = next(
        ((family, mark) for family, mark in _MARKS if any(mark in token for token in known)), ("plain", "")
    )
    roles: dict[str, Any] = {
        role: getattr(tokenizer, f"{role}_token_id", None) for role in ("unk", "pad", "eos")
    }
    roles["bos"] = start
    special = {places[n] for n in getattr(tokenizer, "all_special_ids", ()) if n in places}
    surfaces = Surfaces(
        tokens,
        family,
        mark,
        {
            role: None if roles[role] is None else places.get(roles[role])
            for role in ("unk", "pad", "bos", "eos")
        },
        special,
    )
    return surfaces.labels([places[number] for number in ids])
