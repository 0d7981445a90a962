"""What the write-ups say, recomputed: each claim with its numbers, right or a mistake. The first one opens the page.

The words are this project's own and in claims.toml; numbers that a write-up prints are quoted as numbers. A function here
computes the fields of one claim's sentences.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor
from torch.nn import functional

from core.analysis.readout import exact
from core.learning import trials
from core.learning.printed import D_POSITIONS, Claim, Outcome, encoder_shape, outcome, seeded, small
from core.learning.study import far
from core.learning.tutorials import preset
from core.model.config import ModelConfig
from core.model.layers import Norm
from core.model.positions import rotation_error, sinusoid_table

if TYPE_CHECKING:
    from core.api import Checkpoint

DRAWS: Final = 2000
_FILE: Final[Mapping[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def claims(name: str, trained: Checkpoint | None = None) -> tuple[Claim, ...]:
    """The claims of a write-up. `trained`: its small model, for what only a trained one shows."""
    listed = [text for text in _FILE["claims"] if name in text["of"]]
    made: Mapping[str, Callable[[], Outcome | None]]
    made = {**_OUTCOMES, "after-the-end": partial(after_the_end, trained)}
    computed = ((text, made[text["id"]]()) for text in listed)
    return tuple(_claim(text, each) for text, each in computed if each is not None)


def _claim(text: Mapping[str, Any], computed: Outcome) -> Claim:
    fields, templates = computed.fields, text["rows"]
    of_rows = computed.rows or [fields] * len(templates)
    rows = tuple(
        ((row["what"], own), row["theirs"].format(**own), row["ours"].format(**own))
        for row, own in zip(templates * (len(of_rows) // len(templates)), of_rows, strict=True)
    )
    return Claim(text["id"], (text["finding"], fields), (text["says"], fields), rows, computed.holds)


# -- the paper ----------------------------------------------------------------------------------------------


def rotation() -> Outcome:
    width, offset, length = 512, 7, 60
    error = rotation_error(sinusoid_table(length + offset, width), offset)
    return outcome(error < 1e-4, offset=offset, count=length, error=small(error), exactly=exact(error, 6))


def _spread(width: int) -> tuple[float, float]:
    """The variance of q · k of this width before and after ÷ √width, over many pairs of random vectors."""
    q, k = (torch.randn(2, 4 * DRAWS, width, generator=seeded(), dtype=torch.float32)).unbind(0)
    scores = (q * k).sum(-1).double()
    return float(scores.var()), float((scores / math.sqrt(width)).var())


def root() -> Outcome:
    width = preset("paper").d_head
    before, after = _spread(width)
    holds = abs(before / width - 1) < 0.05 and abs(after - 1) < 0.05
    return outcome(holds, width=width, before=exact(before, 1), after=exact(after))


# -- A ------------------------------------------------------------------------------------------------------

WORD: Final = "abcd"


def after_the_end(trained: Checkpoint | None) -> Outcome | None:
    if trained is None or trained.config.eos_id is None:
        return None
    c, end, label = trained.config, trained.config.eos_id, trained.target_tokenizer.labels
    written = trained.target_tokenizer.encode(WORD[::-1])
    inner = [each for each in written if each not in (c.bos_id, end)]
    target = [c.bos_id, *inner, end]
    source = trained.source_tokenizer.encode(WORD)
    with torch.inference_mode():
        logits = trained.model(torch.tensor([list(source)]), torch.tensor([target]))[0]
    chosen = logits.argmax(-1).tolist()
    reads, writes = label(target), label(chosen)
    wanted = [*label(inner), label([end])[0], "–"]
    rows = (
        {"token": read, "wanted": want, "written": write}
        for read, want, write in zip(reads, wanted, writes, strict=True)
    )
    return outcome(reads[-1] != label([end])[0], *rows, end=reads[-1])


def cut() -> Outcome:
    config, length = preset("tutorial-a"), 4
    heads, size = config.heads, config.d_head
    x = torch.arange(length * config.d_model).reshape(length, config.d_model)
    right = x.view(length, heads, size).transpose(0, 1)
    same = int((right == x.reshape(heads, length, size)).sum())
    before, after = (length, config.d_model), (heads, length, size)
    return outcome(same == x.numel(), same=same, count=x.numel(), before=before, after=after)


def mask_first() -> Outcome:
    length, size = 5, preset("tutorial-a").d_head
    scores = torch.randn(length, length, generator=seeded())
    hidden = torch.tril(torch.ones(length, length)) == 0
    before = torch.softmax(scores.masked_fill(hidden, -torch.inf) / size**0.5, dim=-1)
    after = torch.softmax((scores / size**0.5).masked_fill(hidden, -torch.inf), dim=-1)
    error = far(before, after)
    return outcome(error < 1e-6, error=small(error), exactly=exact(error, 6))


# -- B ------------------------------------------------------------------------------------------------------


def means() -> Outcome:
    rows = ((0.2, 0.3, 0.4), (0.2, 0.4, 0.4), (0.3, 0.4, 0.4))
    lines = []
    for row, printed in zip(rows, ("0.2", "0.3", "0.4"), strict=True):
        line = {"numbers": " + ".join(f"{each:.1f}" for each in row), "printed": printed}
        mean = sum(row) / len(row)
        lines.append({**line, "mean": f"{mean:.2f}", "rounded": f"{mean:.1f}"})
    wrong = [line for line in lines if line["rounded"] != line["printed"]]
    first = (wrong or lines)[0]
    return outcome(not wrong, *lines, **{**first, "mean": first["rounded"]})


def exponential() -> Outcome:
    width, length = 512, 100
    by_exp = torch.exp(torch.arange(0, width, 2).float() * (-math.log(10000.0) / width))
    angles = torch.arange(length).float()[:, None] * by_exp
    table = torch.from_numpy(sinusoid_table(length, width))
    error = max(far(angles.sin(), table[:, 0::2]), far(angles.cos(), table[:, 1::2]))
    return outcome(error < 1e-4, error=small(error), count=length, exactly=exact(error, 6))


def no_softmax() -> Outcome:
    logits = torch.randn(DRAWS, 100, generator=seeded())
    same = int((logits.argmax(-1) == logits.softmax(-1).argmax(-1)).sum())
    return outcome(same == DRAWS, same=f"{same:,}", count=f"{DRAWS:,}")


def _dropped(values: Tensor, rate: float, draw: torch.Generator) -> Tensor:
    """Dropout as in training: numbers set to zero at this rate, the others divided by 1 − rate."""
    kept = torch.rand(values.shape, generator=draw) >= rate
    return values * kept / (1 - rate)


def inner_dropout() -> Outcome:
    rate, width, inner, draw = preset("tutorial-b").dropout, 64, 256, seeded()
    x = torch.randn(width, generator=draw)
    first = torch.randn(width, inner, generator=draw) / width**0.5
    second = torch.randn(inner, width, generator=draw) / inner**0.5
    hidden = torch.relu(x @ first)
    dropped = _dropped(hidden.expand(DRAWS, -1), rate, draw)
    outputs, plain = dropped @ second, hidden @ second
    zero = float((dropped[:, hidden > 0] == 0).float().mean())
    shift = float((outputs.mean(0) - plain).norm() / plain.norm())
    once = float((outputs - plain).norm(dim=-1).mean() / plain.norm())
    shares = {
        name: f"{100 * share:.0f}" for name, share in (("once", once), ("shift", shift), ("zero", zero))
    }
    return outcome(
        abs(zero - rate) < 0.01 and shift < 0.05, **shares, draws=f"{DRAWS:,}", rate=f"{100 * rate:.0f}"
    )


def sum_dropout() -> Outcome:
    config, draw = preset("tutorial-b"), seeded()
    rate = config.dropout
    positions = torch.from_numpy(sinusoid_table(DRAWS // 20, config.d_model)).float()
    x = torch.randn(positions.shape, generator=draw) * config.d_model**0.5 + positions
    dropped = _dropped(x, rate, draw)
    zero = float((dropped == 0).float().mean())
    longer, wanted = float(dropped.pow(2).sum() / x.pow(2).sum()), 1 / (1 - rate)
    holds = abs(zero - rate) < 0.01 and abs(longer - wanted) < 0.02
    shares = {"zero": f"{100 * zero:.0f}", "rate": f"{100 * rate:.0f}"}
    return outcome(holds, **shares, longer=exact(longer), wanted=exact(wanted))


def word_map() -> Outcome:
    words, heads, size = 4, 8, 64
    q, k = torch.randn(2, words, heads, size, generator=seeded()).unbind(0)
    weights = torch.softmax(q @ k.mT / (heads * size) ** 0.5, dim=-1)
    drawn = ((0.2, 0.3, 0.1, 0.4), (0.1, 0.4, 0.2, 0.3), (0.1, 0.2, 0.3, 0.4), (0.3, 0.2, 0.1, 0.4))
    shape, sums = tuple(weights.shape), " ".join(f"{sum(row):.1f}" for row in drawn)
    squares = {"words": f"{words} × {words}", "heads": f"{heads} × {heads}"}
    return outcome(shape == (heads, words, words), **squares, shape=shape, sums=sums)


# -- C ------------------------------------------------------------------------------------------------------


def variance() -> Outcome:
    before, after = _spread(512)
    holds = abs(before / 512 - 1) < 0.05 and abs(after - 1) < 0.05
    exactly = {"exactly": exact(before), "exactly_after": exact(after, 4)}
    return outcome(holds, before=exact(before, 0), after=exact(after), **exactly)


def independent() -> Outcome:
    width, length, draw = 64, 5, seeded()
    x, q, k, v = (torch.randn(size, width, generator=draw) for size in (length, width, width, width))

    def attend(x: Tensor) -> Tensor:
        scores = (x @ q) @ (x @ k).T / width**1.5
        mixed: Tensor = torch.softmax(scores, dim=-1) @ (x @ v) / width**0.5
        return mixed

    other = x.clone()
    other[-1] = torch.randn(width, generator=draw)
    moved = far(attend(other)[:-1], attend(x)[:-1])
    order = torch.tensor([3, 0, 4, 1, 2])
    turned = far(attend(x[order]), attend(x)[order])
    return outcome(moved < 1e-6, moved=exact(moved, 1), exactly=exact(moved), turned=exact(turned, 4))


def _roots(name: str) -> Outcome:
    """√d_model, which a write-up names, and the root of a head's size, by which its code divides."""
    c = preset(name)
    text, code = math.sqrt(c.d_model), math.sqrt(c.d_head)
    sizes = {"d_model": c.d_model, "d_head": c.d_head}
    return outcome(text == code, **sizes, written=exact(text), code=exact(code), factor=exact(text / code))


def order() -> Outcome:
    draw, width = seeded(), 64
    x = torch.randn(5, width, generator=draw)
    other = x.clone()
    other[-1] = torch.randn(width, generator=draw)
    inner, outer, q, k = (torch.randn(width, width, generator=draw) / width**0.5 for _ in range(4))

    def feed(t: Tensor) -> Tensor:
        fed: Tensor = torch.relu(t @ inner) @ outer
        return fed

    def attend(t: Tensor) -> Tensor:
        mixed: Tensor = torch.softmax((t @ q) @ (t @ k).T / width**0.5, dim=-1) @ t
        return mixed

    alone, mixed = (far(part(other)[:-1], part(x)[:-1]) for part in (feed, attend))
    both = far(attend(feed(x)), feed(attend(x)))
    fields = {"error": exact(both, 1), "exactly": exact(both), "alone": exact(alone), "mixed": exact(mixed)}
    return outcome(both < 1e-4, **fields)


def residual() -> Outcome:
    width, layers, draw = 64, 24, seeded()
    matrices = [torch.randn(width, width, generator=draw) / width**0.5 for _ in range(layers)]
    start, direction = torch.randn(2, 8, width, generator=draw).unbind(0)
    lengths = []
    with torch.enable_grad():
        for kept in (0, 1):
            x = start.clone().requires_grad_()
            y = x
            for matrix in matrices:
                y = kept * y + torch.relu(y @ matrix)
            (gradient,) = torch.autograd.grad((y * direction).sum(), x)
            lengths.append(float(gradient.norm() / direction.norm()))
    without, with_sum = lengths
    left = {"without": small(without), "with_sum": small(with_sum)}
    return outcome(without < 1 <= with_sum, layers=layers, share=f"{100 * without:.1g}", **left)


def unit_rows() -> Outcome:
    x = 3 + 5 * torch.randn(4, 512, generator=seeded())
    normed = functional.layer_norm(x, (512,))
    mean, deviation = float(normed.mean(-1).abs().max()), float(normed.std(-1, unbiased=False).mean())
    return outcome(mean < 1e-4 and abs(deviation - 1) < 1e-3, mean=exact(mean), deviation=exact(deviation))


def table_sizes() -> Outcome:
    length, width, t5 = 512, preset("tutorial-c").d_model, preset("t5")
    learned, relative = length * width, t5.relative_buckets * t5.heads
    sizes = {"count": length, "width": width, "buckets": t5.relative_buckets, "heads": t5.heads}
    return outcome(relative < learned, learned=f"{learned:,}", relative=f"{relative:,}", **sizes)


# -- D ------------------------------------------------------------------------------------------------------

GPT2_MERGES: Final = 50_000
D_PIECES: Final = ("Ġmachine", "Ġlearning", "Ġusing", "ĠPy", "Tor", "ch")
"""The pieces that D prints of its example, each with the signs that GPT-2 spells its bytes by."""
D_TEXT: Final = (14126, 352, 628, 198, 198, 1026, 373, 257, 6016, 4692, 1110, 287, 3035)
D_START: Final = 50256
"""The ids of the pieces that D's batch holds, and its start token."""


def no_residual() -> Outcome:
    draw = seeded()
    out, x = (torch.randn(4, 10, 6, generator=draw) for _ in range(2))

    def scratch(t: Tensor) -> Tensor:
        centred = t - t.mean(-1, keepdim=True)
        return centred / torch.sqrt(centred.pow(2).mean(-1, keepdim=True) + 1e-5)

    norm = functional.layer_norm(out + x, (6,))
    without, within = (far(scratch(each), norm) for each in (out, out + x))
    return outcome(without < 1e-4, error=exact(without, 1), without=exact(without), within=exact(within))


def positions() -> Outcome:
    printed = [line.split() for line in D_POSITIONS.strip().splitlines()]
    table = sinusoid_table(len(printed), len(printed[0]))
    same = sum(
        f"{value:.4f}" == cell
        for row, cells in zip(table, printed, strict=True)
        for value, cell in zip(row, cells, strict=True)
    )
    return outcome(same == table.size, same=same, count=table.size)


def length() -> Outcome:
    widths = {count: encoder_shape("tutorial-d", count)[-1] for count in (4, 10)}
    distinct = sorted(set(widths.values()))
    rows = ({"count": count, "width": width} for count, width in widths.items())
    return outcome(len(distinct) > 1, *rows, width=", ".join(map(str, distinct)))


def windows() -> Outcome:
    rows, length = 4, 10
    text = torch.tensor(D_TEXT)
    encoder = text.unfold(0, length, 1)[:rows]
    decoder = torch.cat([torch.tensor([D_START]), text]).unfold(0, length, 1)[:rows]
    # what follows each token of the decoder's rows
    written = torch.stack([text[n : n + length] for n in range(rows)])
    same, starts = int((written == encoder).sum()), int((decoder[:, 0] == D_START).sum())
    return outcome(starts == rows, same=same, count=encoder.numel(), rows=rows, starts=starts)


def pieces() -> Outcome:
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]  # bytes that GPT-2 spells by their own sign
    others = [byte for byte in range(256) if byte not in plain]  # spelled by another, in this order
    line_break = len(plain) + others.index(ord("\n"))
    space = chr(256 + others.index(ord(" ")))
    count = 256 + GPT2_MERGES + 1
    return outcome(
        count == 50_257 and count - 1 == D_START and line_break == 198,
        count=f"{count:,}",
        merges=f"{GPT2_MERGES:,}",
        start=D_START,
        last=count - 1,
        line_break=line_break,
        pieces=" ".join(D_PIECES),
        joined="".join(D_PIECES).replace(space, " ").strip(),
    )


def library() -> Outcome:
    draw = seeded()
    q, k, v = (torch.randn(4, 2, 10, 3, generator=draw) for _ in range(3))
    hidden = torch.triu(torch.full((10, 10), -torch.inf), diagonal=1)
    by_hand = torch.softmax(q @ k.mT / math.sqrt(3) + hidden, dim=-1) @ v
    error = far(by_hand, functional.scaled_dot_product_attention(q, k, v, is_causal=True))
    return outcome(error < 1e-4, error=small(error), exactly=exact(error, 6))


def source_unread() -> Outcome:
    draw = seeded()
    memory, other, state = (torch.randn(10, 6, generator=draw) for _ in range(3))

    def cross(source: Tensor) -> Tensor:
        return torch.softmax(state @ source.T / math.sqrt(6), dim=-1) @ source

    def norm(output: Tensor) -> Tensor:
        return functional.layer_norm(output + state, (6,))

    meant = far(norm(cross(memory)), norm(cross(other)))
    # C_out = Dropout(A_out): the output of self-attention, whatever the source is
    written = far(norm(state), norm(state))
    return outcome(written > 0, written=exact(written, 0), exactly=exact(written), meant=exact(meant))


def families() -> Outcome:
    """The mean share of its weight that a row of random scores gives to later tokens, without the causal mask and with it."""
    scores = torch.randn(64, 10, 10, generator=seeded())
    later = torch.triu(torch.ones(10, 10), diagonal=1).bool()
    encoder, decoder = (
        100 * float(each[:, later].sum() / each.sum())
        for each in (torch.softmax(scores, -1), torch.softmax(scores.masked_fill(later, -torch.inf), -1))
    )
    exactly = {"exactly": f"{encoder:.1f}", "exactly_decoder": f"{decoder:.1f}"}
    return outcome(
        encoder > 0 and decoder == 0, encoder=f"{encoder:.0f}", decoder=f"{decoder:.0f}", **exactly
    )


# -- E ------------------------------------------------------------------------------------------------------


def shifted() -> Outcome:
    target = [1, 7, 4, 3, 5, 9, 2, 0]
    fed, wanted = target[:-1], target[1:]
    reads = {"reads": " ".join(map(str, fed)), "wanted": " ".join(map(str, wanted))}
    return outcome(len(fed) == len(wanted), fed=len(fed), count=len(target), **reads)


def einsum() -> Outcome:
    draw = seeded()
    q, k, v = (torch.randn(2, length, 8, 32, generator=draw) for length in (7, 9, 9))
    energy = torch.einsum("nqhd,nkhd->nhqk", q, k)
    by_product = q.transpose(1, 2) @ k.permute(0, 2, 3, 1)
    weights = torch.softmax(energy / 32**0.5, dim=-1)
    mixed = torch.einsum("nhqk,nkhd->nqhd", weights, v)
    by_mixing = (weights @ v.transpose(1, 2)).transpose(1, 2)
    errors = far(energy, by_product), far(mixed, by_mixing)
    exactly = {"scores": exact(errors[0], 6), "mixed": exact(errors[1], 6)}
    return outcome(max(errors) < 1e-4, error=small(max(errors)), **exactly)


def large_number() -> Outcome:
    width, length = preset("tutorial-e").d_model, 10
    scores = torch.randn(length, length, generator=seeded())
    hidden = torch.triu(torch.ones(length, length), diagonal=1).bool()
    weights = torch.softmax(scores.masked_fill(hidden, -1e20) / width**0.5, dim=-1)
    ahead = float(weights[hidden].max())
    nothing = torch.softmax(torch.full((length,), -1e20) / width**0.5, dim=-1)
    alone = exact(float(nothing.max()), 1)
    return outcome(ahead == 0, ahead=exact(ahead, 0), exactly=exact(ahead, 4), alone=alone)


def end_is_fed() -> Outcome:
    batch = ((1, 7, 4, 3, 5, 9, 2, 0), (1, 5, 6, 2, 4, 7, 6, 2))
    end, pad = 2, 0
    rows = [{"number": number, "end": end, "token": row[-1]} for number, row in enumerate(batch, start=1)]
    count = sum(row["token"] == pad for row in rows)
    return outcome(count == 0, *rows, count=count, rows=len(batch))


# -- since 2017 ---------------------------------------------------------------------------------------------


def pre_norm() -> Outcome:
    post, pre = trials.gradient_ratio("post"), trials.gradient_ratio("pre")
    exactly = {"exactly_post": exact(post), "exactly_pre": exact(pre)}
    return outcome(pre <= 1 < post, post=exact(post, 1), pre=exact(pre, 1), **exactly)


def _unmoved(by: str, positions: str) -> Outcome:
    """How far a shift moves a score with sinusoids, and with other positions: the field `by`."""
    absolute, moved = trials.shift_change("sinusoidal"), trials.shift_change(positions)
    fields = {"shift": trials.SHIFT, "absolute": exact(absolute), by: small(moved)}
    return outcome(moved < 1e-4 < absolute, **fields)


def gated() -> Outcome:
    wide, narrow = 2048, 2048 * 2 // 3
    plain, made = trials.feed_forward_parameters(wide, False), trials.feed_forward_parameters(narrow, True)
    counts = {"plain": f"{plain:,}", "gated": f"{made:,}"}
    rows = ({"width": f"{width:,}", **counts} for width in (wide, narrow))
    return outcome(abs(made / plain - 1) < 0.01, *rows, ratio=exact(trials.gate_cost(), 1))


def rms() -> Outcome:
    x = torch.randn(64, 512, generator=seeded())
    moved = {}
    for formula in ("layer", "rms"):
        norm = Norm(ModelConfig.preset("t5", norm_formula=formula))
        with torch.inference_mode():
            moved[formula] = far(norm(x + 3), norm(x))
    fields = {"rms": exact(moved["rms"], 1), "layer": small(moved["layer"]), "exactly": exact(moved["rms"])}
    return outcome(moved["layer"] < 1e-4 < moved["rms"], **fields)


def decoder_only() -> Outcome:
    share = trials.decoder_only_share(preset("paper"))
    return outcome(share < 0.5, share=f"{100 * share:.0f}", exactly=f"{100 * share:.1f}")


_OUTCOMES: Final[Mapping[str, Callable[[], Outcome]]] = {
    **{
        each.__name__.replace("_", "-"): each
        for each in (
            *(rotation, root, cut, mask_first, means, exponential, no_softmax, sum_dropout, inner_dropout),
            *(word_map, variance, independent, order, unit_rows, residual, table_sizes, no_residual),
            *(positions, pieces, length, windows, library, source_unread, families, shifted, end_is_fed),
            *(einsum, large_number, pre_norm, gated, rms, decoder_only),
        )
    },
    "two-roots": lambda: _roots("tutorial-c"),
    "comment-root": lambda: _roots("tutorial-d"),
    "relative": lambda: _unmoved("relative", "relative_buckets"),
    "rotary": lambda: _unmoved("rotary", "rotary"),
}
