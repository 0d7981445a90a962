"""Claims of D, the module with positions and windows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.analysis.readout import exact
from core.language import message
from core.learning.claims.claim import Outcome, grid, outcome, percent, raised, seeded, small
from core.learning.printed import D_POSITIONS
from core.learning.study import far
from core.learning.tutorials import preset
from core.model.positions import sinusoid_table
from core.model.transformer import Transformer

GPT2_MERGES: Final = 50_000
D_PIECES: Final = ("Ġmachine", "Ġlearning", "Ġusing", "ĠPy", "Tor", "ch")
"""The pieces that D prints of its example, each with the signs that GPT-2 spells its bytes by."""
D_TEXT: Final = (14126, 352, 628, 198, 198, 1026, 373, 257, 6016, 4692, 1110, 287, 3035)
D_START: Final = 50256
"""The ids of the pieces that D's batch holds, and its start token."""
LINKED: Final = "1901.05207"
"""The arXiv number that D links for the paper on GPT-2; its first four digits are year and month."""
GPT2_PUBLISHED: Final = date(2019, 2, 14)


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
    config = preset("tutorial-d")
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        model = Transformer(config).eval()
        widths = {count: model.encode(torch.full((1, count), 5)).shape[-1] for count in (4, 10)}
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


def filled() -> Outcome:
    width, heads, draw = 6, 2, seeded()
    size = width // heads
    x = torch.randn(4, 10, width, generator=draw)
    bias = (2 * torch.rand(3 * width, generator=draw) - 1) / width**0.5  # as the framework starts it

    def weights(matrix: Tensor, start: Tensor) -> Tensor:
        made = (x @ matrix.T + start).reshape(4, 10, heads, 3 * size).transpose(1, 2)
        q, k, _ = made.chunk(3, dim=-1)
        return torch.softmax(q @ k.mT / math.sqrt(size), dim=-1)

    def apart(matrix: Tensor, start: Tensor) -> float:
        return far(*weights(matrix, start).unbind(1))

    twos, usual = (
        torch.full((3 * width, width), 2.0),
        (2 * torch.rand(3 * width, width, generator=draw) - 1) / width**0.5,
    )
    rank, free = (int(torch.linalg.matrix_rank(each)) for each in (twos, usual))
    none = torch.zeros(3 * width)
    return outcome(
        apart(twos, none) > 0.01,
        **{"rank": rank, "free": free, "apart": exact(apart(twos, none)), "biased": exact(apart(twos, bias))},
        **{"apart_free": exact(apart(usual, none))},
    ).with_grids(
        *(
            grid((message("head {number}"), {"number": str(n)}), each)
            for n, each in enumerate(weights(twos, none)[0])
        )
    )


def one_column() -> Outcome:
    norm = functional.layer_norm(torch.randn(4, 10, 6, generator=seeded()), (6,))
    printed = norm[:, :, 0]
    return outcome(
        printed.numel() == norm.numel(),
        **{"shape": tuple(norm.shape), "printed": tuple(printed.shape)},
        **{"count": norm.numel(), "shown": printed.numel()},
    )


def divisible() -> Outcome:
    c = preset("tutorial-d")
    size, whole = c.d_head % c.heads, c.d_model % c.heads
    return outcome(size == 0, size=size, whole=whole, heads=c.heads, d_head=c.d_head, d_model=c.d_model)


def arxiv() -> Outcome:
    month = date(2000 + int(LINKED[:2]), int(LINKED[2:4]), 1)
    return outcome(
        (month.year, month.month) >= (GPT2_PUBLISHED.year, GPT2_PUBLISHED.month),
        month=f"{month:%Y-%m}",
        published=f"{GPT2_PUBLISHED:%Y-%m}",
    )


class _FeedForward(nn.Module):
    """D's feed-forward network: a dropout of its own between two matrices, whatever rate it is given."""

    def __init__(self, width: int, inner: int, rate: float) -> None:
        super().__init__()
        self.up, self.down, self.dropout = nn.Linear(width, inner), nn.Linear(inner, width), nn.Dropout()
        self.given = rate


def half_dropped() -> Outcome:
    asked = preset("tutorial-d").dropout
    rate = _FeedForward(6, 12, asked).dropout.p
    dropped = (torch.rand(20_000, generator=seeded()) < rate).float().mean()
    return outcome(rate == asked, asked=percent(asked), rate=percent(rate), dropped=percent(float(dropped)))


def dropout_outline() -> Outcome:
    rate, inner, draw = preset("tutorial-d").dropout, _FeedForward(6, 12, 0.1).dropout.p, seeded()
    x, up = torch.randn(2000, 6, generator=draw), torch.randn(6, 12, generator=draw)
    down = torch.randn(12, 6, generator=draw)

    def keep(shape: torch.Size, by: float) -> Tensor:
        return (torch.rand(shape, generator=draw) >= by).float()

    hidden = torch.relu(x @ up)
    outlined = (hidden @ down) * keep(x.shape, rate)
    active = hidden > 0
    kept = hidden * keep(hidden.shape, inner)
    written = kept @ down
    lost = float((kept[active] == 0).float().mean())
    alive = (kept > 0).any(-1)  # else the whole row is 0, for want of an active number
    zero = [float((each[alive] == 0).float().mean()) for each in (outlined, written)]
    return outcome(
        abs(zero[1] - zero[0]) < 0.01 and lost == 0,
        **{"outlined": percent(zero[0]), "written": percent(zero[1]), "lost": percent(lost)},
    )


def globals_read() -> Outcome:
    outside, own, longest, length = 6, 8, 10, 4

    def table(length: int, width: int) -> Tensor:  # reads neither of its arguments
        return torch.from_numpy(sinusoid_table(longest, outside))

    made = table(length, own)
    problem = raised(lambda: torch.zeros(1, length, own) + made)
    shape = tuple(made.shape)
    return outcome(shape == (length, own), wanted=(length, own), shape=shape, problem=problem)


OUTCOMES: Final[Mapping[str, Callable[[], Outcome]]] = {
    "no-residual": no_residual,
    "source-unread": source_unread,
    "windows": windows,
    "filled": filled,
    "one-column": one_column,
    "dropout-outline": dropout_outline,
    "half-dropped": half_dropped,
    "globals-read": globals_read,
    "length": length,
    "divisible": divisible,
    "arxiv": arxiv,
    "positions": positions,
    "library": library,
    "pieces": pieces,
}
