"""What write-ups D and E say, and what changed since 2017, recomputed: each claim with its numbers and its source.

The words are this project's own; numbers that a write-up prints are quoted as numbers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import torch
from torch.nn import functional

from core.analysis.readout import exact
from core.language import message
from core.learning import trials
from core.learning.printed import D_POSITIONS, Claim, seeded, small
from core.learning.tutorials import preset
from core.model.config import ModelConfig
from core.model.layers import Norm
from core.model.positions import sinusoid_table

if TYPE_CHECKING:
    from core.api import Checkpoint

# -- D ------------------------------------------------------------------------------------------------------

GPT2_MERGES: Final = 50_000
D_PIECES: Final = ("Ġmachine", "Ġlearning", "Ġusing", "ĠPy", "Tor", "ch")
"""The pieces that D prints of its example, each with the signs that GPT-2 spells its bytes by."""


def _no_residual(trained: Checkpoint | None) -> Claim:
    draw = seeded()
    out, x = (torch.randn(4, 10, 6, generator=draw) for _ in range(2))

    def scratch(t: torch.Tensor) -> torch.Tensor:
        centred = t - t.mean(-1, keepdim=True)
        scaled: torch.Tensor = centred / torch.sqrt(centred.pow(2).mean(-1, keepdim=True) + 1e-5)
        return scaled

    norm = torch.nn.functional.layer_norm(out + x, (6,))
    without, within = (float((scratch(each) - norm).abs().max()) for each in (out, out + x))
    return Claim(
        "no-residual",
        (
            message(
                "Its layer norm from scratch leaves out the residual: numbers are wrong by up to {error}"
            ),
            {"error": exact(without, 1)},
        ),
        message("Computed from scratch on the attention output, the norm gives the same as the library’s."),
        (
            (message("largest difference as written"), "0", exact(without)),
            (message("with the residual added first"), "0", exact(within)),
        ),
        without < 1e-4,
    )


def _positions(trained: Checkpoint | None) -> Claim:
    printed = [line.split() for line in D_POSITIONS.strip().splitlines()]
    table = sinusoid_table(len(printed), len(printed[0]))
    same = sum(
        f"{value:.4f}" == cell
        for row, cells in zip(table, printed, strict=True)
        for value, cell in zip(row, cells, strict=True)
    )
    count = table.size
    return Claim(
        "positions",
        (
            message("{same} of the {count} numbers of its ten position rows come out"),
            {"same": str(same), "count": str(count)},
        ),
        message("Ten rows of sinusoids in six dimensions, printed to four decimals."),
        ((message("numbers that agree"), str(count), str(same)),),
        same == count,
    )


def _length(trained: Checkpoint | None) -> Claim:
    from core.learning.printed import encoder_shape

    shapes = {length: encoder_shape("tutorial-d", length) for length in (4, 10)}
    widths = {shape[-1] for shape in shapes.values()}
    return Claim(
        "length",
        (
            message("Sentences of 4 and of 10 tokens both have d_model = {width}: it is no length"),
            {"width": ", ".join(map(str, sorted(widths)))},
        ),
        message("The length of the sequence, S, is d_model in the paper."),
        tuple(
            ((message("{count} tokens: d_model"), {"count": str(length)}), str(length), str(shape[-1]))
            for length, shape in shapes.items()
        ),
        len(widths) > 1,
    )


D_TEXT: Final = (14126, 352, 628, 198, 198, 1026, 373, 257, 6016, 4692, 1110, 287, 3035)
D_START: Final = 50256
"""The ids of the pieces that D's batch holds, and its start token."""


def _windows(trained: Checkpoint | None) -> Claim:
    rows, length = 4, 10
    text = torch.tensor(D_TEXT)
    encoder = text.unfold(0, length, 1)[:rows]
    decoder = torch.cat([torch.tensor([D_START]), text]).unfold(0, length, 1)[:rows]
    written = torch.stack(
        [text[n : n + length] for n in range(rows)]
    )  # what follows each token of the decoder's rows
    same, starts = int((written == encoder).sum()), int((decoder[:, 0] == D_START).sum())
    return Claim(
        "windows",
        (
            message("Its decoder has to write what its encoder reads: {same} of {count} pieces are the same"),
            {"same": str(same), "count": str(encoder.numel())},
        ),
        message("Encoder and decoder read windows of one text; the decoder’s are shifted by one, behind a start token."),
        (
            (message("pieces to write that the encoder reads at the same place"), "–", f"{same} / {encoder.numel()}"),
            (message("decoder rows that begin with the start token"), str(rows), str(starts)),
        ),
        starts == rows,
    )  # fmt: skip


def _pieces(trained: Checkpoint | None) -> Claim:
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]  # bytes that GPT-2 spells by their own sign
    others = [
        byte for byte in range(256) if byte not in plain
    ]  # and those that it spells by another, in this order
    line_break = len(plain) + others.index(ord("\n"))
    space = chr(256 + others.index(ord(" ")))
    count = 256 + GPT2_MERGES + 1
    joined = "".join(D_PIECES).replace(space, " ")
    return Claim(
        "pieces",
        (
            message("GPT-2 has {count} pieces: 256 bytes, {merges} merged pairs and one special token"),
            {"count": f"{count:,}", "merges": f"{GPT2_MERGES:,}"},
        ),
        message("GPT-2 cuts a text into pieces; Ġ is a space in front. Its only special token also starts the text."),
        (
            (message("size of the vocabulary"), "50,257", f"{count:,}"),
            (message("number of the special token, the last one"), str(D_START), str(count - 1)),
            (message("number of the line break, from the order of the bytes"), "198", str(line_break)),
            (" ".join(D_PIECES), "machine learning using PyTorch", joined.strip()),
        ),
        count == 50_257 and count - 1 == D_START and line_break == 198,
    )  # fmt: skip


def _library(trained: Checkpoint | None) -> Claim:
    draw = seeded()
    q, k, v = (torch.randn(4, 2, 10, 3, generator=draw) for _ in range(3))
    hidden = torch.triu(torch.full((10, 10), -torch.inf), diagonal=1)
    by_hand = torch.softmax(q @ k.mT / math.sqrt(3) + hidden, dim=-1) @ v
    error = float((by_hand - functional.scaled_dot_product_attention(q, k, v, is_causal=True)).abs().max())
    return Claim(
        "library",
        (message("PyTorch’s own attention gives the same: it differs by at most {error}"), {"error": small(error)}),
        message("Scaled dot-product attention also exists in PyTorch, as one function."),
        ((message("largest difference, with the causal mask"), "0", exact(error, 6)),),
        error < 1e-4,
    )  # fmt: skip


def _source_unread(trained: Checkpoint | None) -> Claim:
    draw = seeded()
    memory, other, state = (torch.randn(10, 6, generator=draw) for _ in range(3))

    def cross(source: torch.Tensor) -> torch.Tensor:
        mixed: torch.Tensor = torch.softmax(state @ source.T / math.sqrt(6), dim=-1) @ source
        return mixed

    meant = float(
        (
            functional.layer_norm(cross(memory) + state, (6,))
            - functional.layer_norm(cross(other) + state, (6,))
        )
        .abs()
        .max()
    )
    # C_out = Dropout(A_out): the output of self-attention, whatever the source is
    written = float(
        (functional.layer_norm(state + state, (6,)) - functional.layer_norm(state + state, (6,))).abs().max()
    )
    return Claim(
        "source-unread",
        (
            message("As its outline of the decoder is written, another source moves the output by {written}"),
            {"written": exact(written, 0)},
        ),
        message("C_out = MultiHeadCrossAttn(L_out, encoder_out), then C_out = Dropout(A_out). A_out is self-attention’s output."),
        (
            (message("change by another source, as written"), "> 0", exact(written)),
            (message("the same with Dropout(C_out)"), "> 0", exact(meant)),
        ),
        written > 0,
    )  # fmt: skip


def _comment_root(trained: Checkpoint | None) -> Claim:
    c = preset("tutorial-d")
    text, code = math.sqrt(c.d_model), math.sqrt(c.d_head)
    return Claim(
        "comment-root",
        (
            message("Its comment divides by {written} and its code by {code}: a factor of {factor}"),
            {"written": exact(text), "code": exact(code), "factor": exact(text / code)},
        ),
        message("A comment writes the softmax of the scores over √d_model; the code divides by √d_k."),
        ((message("divisor in comment and code"), f"√{c.d_model} = {exact(text)}", f"√{c.d_head} = {exact(code)}"),),
        c.d_model == c.d_head,
    )  # fmt: skip


def _families(trained: Checkpoint | None) -> Claim:
    shares = ahead_shares()
    return Claim(
        "families",
        (
            message(
                "An encoder row gives {encoder} % of its weight to later tokens, a decoder row {decoder} %"
            ),
            {"encoder": f"{100 * shares[0]:.0f}", "decoder": f"{100 * shares[1]:.0f}"},
        ),
        message(
            "BERT is an encoder alone and reads both ways; GPT is a decoder alone and reads what came before."
        ),
        (
            (message("weight on later tokens, encoder"), "> 0 %", f"{100 * shares[0]:.1f} %"),
            (message("weight on later tokens, decoder"), "0 %", f"{100 * shares[1]:.1f} %"),
        ),
        shares[0] > 0 and shares[1] == 0,
    )


def ahead_shares() -> tuple[float, float]:
    """The mean share of its weight that a row of random scores gives to later tokens: without the causal mask, and with it."""
    scores = torch.randn(64, 10, 10, generator=seeded())
    later = torch.triu(torch.ones(10, 10), diagonal=1).bool()
    free, masked = (torch.softmax(each, -1) for each in (scores, scores.masked_fill(later, -torch.inf)))
    return tuple(float(each[:, later].sum() / each.sum()) for each in (free, masked))  # type: ignore[return-value]


D: Final = (
    _no_residual,
    _positions,
    _pieces,
    _length,
    _windows,
    _library,
    _source_unread,
    _comment_root,
    _families,
)


# -- E ------------------------------------------------------------------------------------------------------


def _shifted(trained: Checkpoint | None) -> Claim:
    target = [1, 7, 4, 3, 5, 9, 2, 0]
    fed, wanted = target[:-1], target[1:]
    return Claim(
        "shifted",
        (
            message("The decoder reads {fed} of {count} target tokens and predicts the {fed} that follow"),
            {"fed": str(len(fed)), "count": str(len(target))},
        ),
        message("The target goes in without its last token: row t has to predict token t + 1."),
        (
            (message("target it reads"), "trg[:, :-1]", " ".join(map(str, fed))),
            (message("target it has to predict"), "trg[:, 1:]", " ".join(map(str, wanted))),
        ),
        len(fed) == len(wanted),
    )


def _einsum(trained: Checkpoint | None) -> Claim:
    draw = seeded()
    q, k, v = (torch.randn(2, length, 8, 32, generator=draw) for length in (7, 9, 9))
    energy = torch.einsum("nqhd,nkhd->nhqk", q, k)
    by_product = q.transpose(1, 2) @ k.permute(0, 2, 3, 1)
    weights = torch.softmax(energy / 32**0.5, dim=-1)
    mixed = torch.einsum("nhqk,nkhd->nqhd", weights, v)
    by_mixing = (weights @ v.transpose(1, 2)).transpose(1, 2)
    errors = [float((one - two).abs().max()) for one, two in ((energy, by_product), (mixed, by_mixing))]
    return Claim(
        "einsum",
        (
            message("Its einsum forms are the matrix products: they differ by at most {error}"),
            {"error": small(max(errors))},
        ),
        message("Scores and mixed values are written as sums over named axes."),
        (
            (message("largest difference of the scores"), "0", exact(errors[0], 6)),
            (message("largest difference of the mixed values"), "0", exact(errors[1], 6)),
        ),
        max(errors) < 1e-4,
    )


def _large_number(trained: Checkpoint | None) -> Claim:
    width, length = preset("tutorial-e").d_model, 10
    scores = torch.randn(length, length, generator=seeded())
    hidden = torch.triu(torch.ones(length, length), diagonal=1).bool()
    weights = torch.softmax(scores.masked_fill(hidden, -1e20) / width**0.5, dim=-1)
    ahead = float(weights[hidden].max())
    nothing = torch.softmax(torch.full((length,), -1e20) / width**0.5, dim=-1)
    return Claim(
        "large-number",
        (
            message("Masking with −1e20 before the scale hides as well as −∞: hidden keys get {ahead}"),
            {"ahead": exact(ahead, 0)},
        ),
        message("Where the mask is 0 the score becomes −1e20, and the scale comes after it."),
        (
            (message("largest weight of a hidden key"), "0", exact(ahead, 4)),
            (message("weights of a row that sees nothing (−∞ gives NaN)"), "–", exact(float(nothing.max()), 1)),
        ),
        ahead == 0,
    )  # fmt: skip


def _end_is_fed(trained: Checkpoint | None) -> Claim:
    batch = ((1, 7, 4, 3, 5, 9, 2, 0), (1, 5, 6, 2, 4, 7, 6, 2))
    end, pad = 2, 0
    last = [row[-1] for row in batch]
    return Claim(
        "end-is-fed",
        (
            message(
                "In {count} of its {rows} sentences the token left out is padding, so the end token is read"
            ),
            {"count": str(last.count(pad)), "rows": str(len(batch))},
        ),
        message("Both targets go in as trg[:, :-1], which is to leave out the end token."),
        tuple(
            ((message("sentence {number}: token left out"), {"number": str(number)}), str(end), str(token))
            for number, token in enumerate(last, start=1)
        ),
        last.count(pad) == 0,
    )


E: Final = (_shifted, _end_is_fed, _einsum, _large_number, _families)


# -- since 2017 ---------------------------------------------------------------------------------------------


def _pre_norm(trained: Checkpoint | None) -> Claim:
    post, pre = trials.gradient_ratio("post"), trials.gradient_ratio("pre")
    return Claim(
        "pre-norm",
        (
            message(
                "Before training, the last decoder layer’s gradient is {post} times the first’s with post-norm, {pre} times with "
                "pre-norm"
            ),
            {"post": exact(post, 1), "pre": exact(pre, 1)},
        ),
        message(
            "Post-norm needs a warm-up because gradients near the output are large at the start; pre-norm can do without "
            "(Xiong et al. 2020)."
        ),
        (
            (message("last layer ÷ first layer, post-norm"), "> 1", exact(post)),
            (message("last layer ÷ first layer, pre-norm"), "≈ 1", exact(pre)),
        ),
        post > 2 and 0.5 < pre < 2,
    )


def _relative(trained: Checkpoint | None) -> Claim:
    absolute, relative = trials.shift_change("sinusoidal"), trials.shift_change("relative_buckets")
    return Claim(
        "relative",
        (
            message(
                "{shift} words before a sentence change its scores by up to {absolute} with sinusoids, {relative} with relative "
                "positions"
            ),
            {"shift": str(trials.SHIFT), "absolute": exact(absolute), "relative": small(relative)},
        ),
        message(
            "A learned number for each distance is added to the scores, so only the distance counts (Shaw et al. 2018; "
            "Raffel et al. 2020)."
        ),
        (
            (message("largest change of a score, sinusoids"), "> 0", exact(absolute)),
            (message("the same, relative positions"), "0", small(relative)),
        ),
        relative < 1e-4 < absolute,
    )


def _rotary(trained: Checkpoint | None) -> Claim:
    absolute, moved = trials.shift_change("sinusoidal"), trials.rotary_change()
    return Claim(
        "rotary",
        (
            message(
                "{shift} words before a sentence change its scores by up to {absolute} with sinusoids, {rotary} with rotary "
                "positions"
            ),
            {"shift": str(trials.SHIFT), "absolute": exact(absolute), "rotary": small(moved)},
        ),
        message(
            "Each pair of numbers of a query or key is turned by its position, so products depend on the distance alone (Su et "
            "al. 2021); no number of it is learned. The small model dates-rotary was trained with them."
        ),
        (
            (message("largest change of a score, sinusoids"), "> 0", exact(absolute)),
            (message("the same, rotary positions"), "0", small(moved)),
        ),
        moved < 1e-4 < absolute,
    )


def _gated(trained: Checkpoint | None) -> Claim:
    wide, narrow = 2048, 2048 * 2 // 3
    plain, gated = (
        trials.feed_forward_parameters(wide, False),
        trials.feed_forward_parameters(narrow, True),
    )
    return Claim(
        "gated",
        (
            message("A gate costs a third matrix: {ratio} times the parameters, or two thirds of the width"),
            {"ratio": exact(trials.gate_cost(), 1)},
        ),
        message(
            "One projection, through an activation, multiplies another; the inner width shrinks by a third to pay for it "
            "(Shazeer 2020)."
        ),
        (
            ((message("parameters, inner width {width}, no gate"), {"width": f"{wide:,}"}), "–", f"{plain:,}"),
            ((message("parameters, inner width {width}, gated"), {"width": f"{narrow:,}"}), f"{plain:,}", f"{gated:,}"),
        ),
        abs(gated / plain - 1) < 0.01,
    )  # fmt: skip


def _rms(trained: Checkpoint | None) -> Claim:
    x = torch.randn(64, 512, generator=seeded())
    moved = {}
    for formula in ("layer", "rms"):
        norm = Norm(ModelConfig.preset("t5", norm_formula=formula))
        with torch.inference_mode():
            moved[formula] = float((norm(x + 3) - norm(x)).abs().max())
    return Claim(
        "rms",
        (
            message("RMS norm keeps the mean: adding 3 to every number changes its output by {rms}, layer norm’s by {layer}"),
            {"rms": exact(moved["rms"], 1), "layer": small(moved["layer"])},
        ),
        message("RMS norm divides by the root mean square and subtracts no mean (Zhang & Sennrich 2019)."),
        (
            (message("change of the output, layer norm"), "0", small(moved["layer"])),
            (message("change of the output, RMS norm"), "> 0", exact(moved["rms"])),
        ),
        moved["layer"] < 1e-4 < moved["rms"],
    )  # fmt: skip


def _decoder_only(trained: Checkpoint | None) -> Claim:
    share = trials.decoder_only_share(preset("paper"))
    return Claim(
        "decoder-only",
        (
            message("Without encoder and cross-attention, {share} % of the layers’ parameters are left"),
            {"share": f"{100 * share:.0f}"},
        ),
        message(
            "GPT keeps the decoder’s masked self-attention and feed-forward alone: source and target are one text (Radford et "
            "al. 2018). This project’s model always has an encoder; the share is counted on the paper’s base model."
        ),
        ((message("share of the layers’ parameters"), "< 50 %", f"{100 * share:.1f} %"),),
        share < 0.5,
    )


LATER: Final = (_pre_norm, _relative, _rotary, _gated, _rms, _decoder_only)
