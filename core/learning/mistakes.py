"""Every mistake that this project knows: its name, the code, its symptom, the assertion that catches it.

The page Mistakes shows each of `PITFALLS` on a model, by its study (`core.learning.study`). `core.check` names them, and
the mistakes that have no page, in a `Verdict` (`core.learning.calling`). Imports no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from core.errors import InputError
from core.language import message


@dataclass(frozen=True)
class Mistake:
    """A mistake with a page. `found_in`: the letters of the tutorials that make it, or words.

    `finding` is the symptom in one sentence, with the numbers {right} and {wrong} of `Study.numbers[number]`. `sketch` is
    what was written, in our own words of Python; `test` is the line that would have caught it. `verdicts` are
    the sentences of `core.check` by the way in which the mistake shows, none where a check cannot see it.
    """

    id: str
    title: str
    found_in: str
    explanation: str
    see: str
    finding: str
    number: int
    sketch: str
    test: str
    verdicts: Mapping[str, str] = field(default_factory=dict)


# In the order in which a reader meets the operations: heads, positions, masks, the stream, the maps themselves.
PITFALLS: Final = (
    Mistake(
        "head-split-view",
        message("Heads cut without a transpose"),
        "A",
        message(
            "Each token has one row of d numbers. Cutting it into H parts gives (T, H, d_h), and a transpose then "
            "brings the heads to the front. Reshaping (T, d) straight to (H, T, d_h) fits in size, so no error is "
            "raised. But head 0 gets all parts of the first few tokens, not the first part of every token."
        ),
        message(
            "Rows of a map no longer belong to one token. Replace one word, and rows of other words change in another"
            " head."
        ),
        message("Replace one word, and {wrong} queries of other words change; correct: {right}."),
        0,
        "q = self.w_q(x)                          # (T, d)\n"
        "q = q.reshape(heads, T, d // heads)      # should be view(T, heads, -1).transpose(0, 1)\n"
        "k = self.w_k(x).reshape(heads, T, d // heads)\n"
        "v = self.w_v(x).reshape(heads, T, d // heads)\n"
        "w = softmax(q @ k.transpose(-2, -1) / sqrt(d // heads))",
        "assert torch.equal(split(x)[h, t], x[t, h * d_h : (h + 1) * d_h])",
        {
            "scores": "A score depends on more than one query and one key, as when heads are cut without a transpose.",
            "values": "With all weight on one key other tokens’ values reach the output, as when values are cut into heads without a transpose.",
        },
    ),
    Mistake(
        "heads-attend-heads",
        message("Heads attend to heads"),
        "B",
        message(
            "Q, K and V are cut to (N, T, H, d_h) and left there. A matrix product works on the last two axes, which "
            "are now heads and numbers. So every token compares its own heads with each other. The sizes fit, the "
            "rows sum to 1 and the model even trains."
        ),
        message(
            "The map is heads × heads, one for every token. Replacing a word changes nothing at any other word."
        ),
        message(
            "Replace one word, and the attention output of the other words changes by {wrong}; correct: {right}."
        ),
        0,
        "q = self.w_q(x).view(N, T, heads, d_h)\n"
        "k = self.w_k(x).view(N, T, heads, d_h)   # the transpose(1, 2) is missing\n"
        "v = self.w_v(x).view(N, T, heads, d_h)\n"
        "w = softmax(q @ k.transpose(-2, -1) / sqrt(d_h), dim=-1)   # (N, T, heads, heads)\n"
        "out = (w @ v).reshape(N, T, heads * d_h)",
        "assert weights.shape == (N, heads, T, T)",
        {
            "": "No token’s output depends on another token: the product runs over the heads of one token.",
            "stops": "The product runs over the heads of one token, and then the code stops ({error}).",
        },
    ),
    Mistake(
        "merge-without-transpose",
        message("Heads merged without a transpose"),
        "C",
        message(
            "Each head computes its own (T, d_h), so the batch is (N, H, T, d_h). The way back to (N, T, d) is a "
            "transpose and then a reshape. The reshape alone fits in size, but its first row holds the outputs of "
            "head 0 for the first H tokens."
        ),
        message("Every map of the layer looks right, but its output mixes the tokens."),
        message(
            "Of a row that the output projection reads, {wrong} belongs to its own token; correct: {right}."
        ),
        0,
        "w = softmax(scores)                # (N, H, T, T): correct\n"
        "out = w @ v                        # (N, H, T, d_h): correct\n"
        "out = out.reshape(N, T, H * d_h)   # should be out.transpose(1, 2).reshape(…)\n"
        "return self.w_o(out)",
        "assert torch.equal(merge(heads)[t, h * d_h : (h + 1) * d_h], heads[h, t])",
        {
            "": "A row of the output depends on the attention weights of another query, as when heads are merged without a transpose."
        },
    ),
    Mistake(
        "scale-by-d-model",
        message("Scores divided by √d_model"),
        "B, E",
        message(
            "A score is a sum over the d_h numbers of one head, so its spread grows with √d_h, and √d_h is the "
            "divisor. Dividing by √d_model, the width of all heads together, makes every score smaller by √H. No "
            "error is raised; training from scratch can even adapt to it."
        ),
        message("Flatter maps with more entropy, because every score is smaller by √H."),
        message("The rows are flatter: their mean entropy is {wrong}; correct: {right}."),
        2,
        "scores = q @ k.transpose(-2, -1)          # a sum over d_h numbers\n"
        "scores = scores / math.sqrt(self.d_model)  # should be math.sqrt(self.d_h)\n"
        "w = torch.softmax(scores, dim=-1)\n"
        "out = w @ v",
        "assert torch.allclose(scores, q @ k.mT / math.sqrt(q.shape[-1]))",
        {"": "The scores are divided by the root of a width that is not this head’s."},
    ),
    Mistake(
        "cross-qkv-swapped",
        message("Cross-attention the wrong way round"),
        "B, D",
        message(
            "In cross-attention the decoder gives the queries and the encoder output gives keys and values. Here the "
            "encoder output gives the queries instead. The result has one row for each source token, so it fits only "
            "where both sides have one length. The keys are decoder states, so each row also reads target words that "
            "come later. D writes this. B calls (x, memory, memory) where the arguments are (values, keys, query): "
            "the decoder gives only the values."
        ),
        message("The cross map is source × target, and the first step knows the last word."),
        message(
            "Replace the last target word, and the logits of the first step move by {wrong}; correct: {right}."
        ),
        0,
        "x = x + self.self_attention(x, x, x, causal)\n"
        "# signature: attention(query, key, value)\n"
        "x = x + self.cross_attention(memory, x, x)   # should be (x, memory, memory)\n"
        "x = x + self.feed_forward(x)",
        "assert decode(src, tgt_with_another_last_token)[:, 0].allclose(decode(src, tgt)[:, 0])",
        {
            "rows": "The keys ask and the queries answer: the output has a row for every key.",
            "map": "The keys ask and the queries answer: a row of the output follows from one key and every query.",
            "logits": "The output has a row for each source token.",
            "leaks": "It stops where source and target differ in length, and leaks where they do not.",
        },
    ),
    Mistake(
        "no-embedding-scale",
        message("Embeddings without √d_model"),
        message("A general mistake, in none of the five write-ups"),
        message(
            "A table that also serves as the output projection starts with entries of about 1/√d_model. Its rows have"
            " length 1, while a sinusoidal position has length √(d/2). The factor √d_model makes the word as long as "
            "its position; without it the sum is almost the position alone. A table of its own usually starts with "
            "entries of about 1 and needs no factor."
        ),
        message("Positions outweigh words: the first layer’s maps are nearly the same for every sentence."),
        message("Another sentence changes the first layer’s maps by {wrong}; correct: {right}."),
        1,
        "x = self.embed(tokens)            # rows of length about 1\n"
        "# x = x * math.sqrt(self.d_model)  is missing\n"
        "x = x + self.positions[: x.size(1)]   # rows of length sqrt(d / 2)\n"
        "return self.dropout(x)",
        "assert 0.3 < (embed(tokens).norm(dim=-1) / positions.norm(dim=-1)).mean() < 3",
    ),
    Mistake(
        "pe-exponent-doubled",
        message("The even index doubled once more"),
        "C",
        message(
            "The formula divides a position by 10000^(2i/d), where i counts the pairs of sine and cosine. Code that "
            "walks over the even columns already holds 2i. Writing 2 * i doubles the exponent, so the wavelengths run"
            " up to 10000² instead of 10000. Half of the dimensions then hardly change within a sentence."
        ),
        message(
            "Most dimensions are constant, and the similarity of positions falls less with their distance."
        ),
        message("{wrong} of the dimensions hardly change with the position; correct: {right}."),
        0,
        "even = torch.arange(0, d_model, 2)              # 0, 2, 4, …: this is 2i\n"
        "denominator = 10000 ** (2 * even / d_model)     # should be even / d_model\n"
        "angle = position[:, None] / denominator\n"
        "table[:, 0::2], table[:, 1::2] = angle.sin(), angle.cos()",
        "assert abs(denominator[-1] - 10000 ** ((d_model - 2) / d_model)) < 1e-3",
        {"": "The exponent doubles an index that is even already, so most dimensions hardly move."},
    ),
    Mistake(
        "pe-in-feed-forward",
        message("Positions added in the feed-forward branch"),
        "C",
        message(
            "Positions are added once, where the tokens enter, and the residual stream carries them on. This code "
            "adds them to what the feed-forward network reads, not to the stream. The same network also runs before "
            "attention. So attention reads the network’s output, and the residual path never gets a position."
        ),
        message(
            "The stream that enters layer 0 holds no positions. With random weights that holds after every layer; "
            "trained weights can write a part of them back."
        ),
        message(
            "Where layer 0 reads it, the cosine of the stream with its own position is {wrong}; correct: {right}."
        ),
        0,
        "def feed_forward(self, x):\n"
        "    x = x + self.positions(x.size(1))      # a local sum: the stream never gets it\n"
        "    return self.w2(relu(self.w1(x)))\n"
        "x = self.norm1(x + self.attention(self.feed_forward(x)))   # the network runs before attention, too\n"
        "x = self.norm2(x + self.feed_forward(x))                   # the same weights again",
        "assert layer.feed_forward(x).allclose(layer.feed_forward(x[:, perm])[:, inverse])",
    ),
    Mistake(
        "no-causal-mask",
        message("No causal mask"),
        message("A general mistake, in none of the five write-ups"),
        message(
            "In training the decoder reads the whole translation at once and predicts the next word at every "
            "position. Only the causal mask hides that word. A model trained without it learns to copy the answer: "
            "its loss falls to almost nothing, and it cannot write. The weights shown here were trained with the "
            "mask, so without it their loss rises."
        ),
        message(
            "The upper triangle of the causal map is not empty, and the first step changes with the last word."
        ),
        message("A row gives {wrong} of its weight to words that come later; correct: {right}."),
        0,
        "x = self.embed(target)\n"
        "for layer in self.layers:\n"
        "    x = layer(x, memory, source_mask)   # no target mask is handed on\n"
        "return self.project(x)",
        "assert weights.triu(1).abs().max() == 0",
        {
            "mask": "Every position may attend to every other.",
            "attention": "The mask changes nothing: every query still sees every key.",
            "model": "The decoder sees its own future.",
        },
    ),
    Mistake(
        "target-padding-unmasked",
        message("Target padding not masked"),
        "E",
        message(
            "Sentences of a batch are filled up with <pad> to one length. The source has a mask for it; the target "
            "has the causal mask alone. Where padding comes last, no word sees it, so the fault goes unnoticed. The "
            "rows of padding do see it. A loss that counts those rows, or a batch padded on the left, trains on "
            "noise."
        ),
        message("Weight in the <pad> columns; here only in the rows of padding, because padding comes last."),
        message("A row of padding gives {wrong} of its weight to <pad>; correct: {right}."),
        0,
        "def target_mask(self, target):\n"
        "    N, T = target.shape\n"
        "    causal = torch.tril(torch.ones(T, T)).expand(N, 1, T, T)\n"
        "    return causal        # & (target != pad)[:, None, None, :]",
        "assert weights[..., tokens == pad].max() == 0",
        {
            "mask": "The mask is causal and leaves the padding of these tokens in sight.",
            "model": "Padding of the target is attended to: other numbers for <pad> give other logits in the rows after it.",
        },
    ),
    Mistake(
        "mask-truth-value",
        message("if mask: on a tensor"),
        "C",
        message(
            "An optional argument is tested with “if mask:”. For None that works. A tensor of more than one number "
            "has no truth value, so Python raises an error at the first real mask. A mask of a single 0, which "
            "forbids everything, counts as false and is skipped. Correct is “if mask is not None”."
        ),
        message("An error for any mask with more than one element. With exactly one, the mask is skipped."),
        message("The code stops, so {wrong} rows have weights; correct: {right}."),
        0,
        "def attention(q, k, v, mask=None):\n"
        "    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))\n"
        "    if mask:                        # should be: if mask is not None\n"
        "        scores = scores.masked_fill(mask == 0, -torch.inf)\n"
        "    return torch.softmax(scores, dim=-1) @ v",
        "attention(q, k, v, mask=torch.ones(T, T).tril())   # must not raise",
        {
            "": "A mask is asked whether it is true.",
            "mask": "A tensor is asked whether it is true.",
            "attention": "The mask is asked whether it is true, which a tensor cannot say.",
        },
    ),
    Mistake(
        "masked-row-nan",
        message("A row with nothing to attend to"),
        "A, D",
        message(
            "A row whose scores are all −∞ has a softmax of 0/0, which is NaN. That happens where a mask forbids the "
            "rows of padding as well as its columns, or where a sentence is empty. In the next layer that NaN is a "
            "value, and zero times NaN is NaN. So every token is lost, then the loss, then every weight."
        ),
        message("One row of NaN in the first layer; from the second on, all of them."),
        message("After the last layer, {wrong} tokens are NaN; correct: {right}."),
        1,
        "keep = (tokens != pad)\n"
        "mask = keep[:, :, None] & keep[:, None, :]        # rows of padding keep nothing\n"
        "scores = scores.masked_fill(~mask, -torch.inf)\n"
        "w = torch.softmax(scores, dim=-1)                 # NaN where a row is all -inf",
        "assert torch.isfinite(attention(q, k, v, mask=torch.zeros(T, T))).all()",
        {
            "mask": "A row may attend to nothing, not even to itself.",
            "attention": "A row that may attend to nothing becomes NaN: softmax of −inf alone is 0/0.",
            "model": "A sentence of padding alone makes NaN.",
        },
    ),
    Mistake(
        "mask-leaks",
        message("A mask that leaks"),
        message("Found in real code"),
        message(
            "Forbidden scores have to become so small that their softmax is zero: −∞, or −1e9. With the sign in the "
            "exponent, 1e-9, they become zero instead, and e⁰ is 1. A forbidden key then gets as much as any key with"
            " an average score. The mask has the right shape, and where scores are large the map even looks causal."
        ),
        message(
            "A veil of equal weights over the upper triangle; the first step changes with the last word."
        ),
        message("The forbidden cells of a row share {wrong} of its weight; correct: {right}."),
        0,
        "mask = torch.tril(torch.ones(T, T))\n"
        "scores = q @ k.transpose(-2, -1) / math.sqrt(d_h)\n"
        "scores = scores.masked_fill(mask == 0, 1e-9)   # should be -1e9\n"
        "w = torch.softmax(scores, dim=-1)",
        "assert weights.masked_select(mask == 0).max() < 1e-6",
        {
            "future": "Positions may attend to what comes after them.",
            "small": "What is added to forbidden scores is too small to hide them.",
            "some": "Some of what is added to forbidden scores is too small to hide them.",
            "attention": "Attention weight reaches keys that the mask forbids.",
            "band": "It masks the future by itself, and {ahead} of it is left in sight.",
            "model": "The causal mask is there and lets some weight through.",
        },
    ),
    Mistake(
        "dropout-after-norm",
        message("Dropout on the norm’s output"),
        "A, E",
        message(
            "The paper applies dropout to a sub-layer’s output before it is added to the stream, so the stream itself"
            " stays whole. Here dropout follows the norm: dropout(norm(x + sublayer(x))). In a post-norm model the "
            "norm’s output is the stream. Every sub-layer then sets a part of it to zero and enlarges the rest. "
            "Evaluation hides it, because dropout is off there."
        ),
        message("In training, what the next layer reads has zeros; mean and deviation are not 0 and 1."),
        message("In training, {wrong} of the numbers that the next layer reads are zero; correct: {right}."),
        0,
        "def forward(self, x):\n"
        "    x = self.dropout(self.norm1(x + self.attention(x)))\n"
        "    x = self.dropout(self.norm2(x + self.ffn(x)))\n"
        "    # should be self.norm1(x + self.dropout(self.attention(x)))\n"
        "    return x",
        "layer.train(); assert (layer(x) == 0).float().mean() < 0.01",
        {"": "Dropout is applied to what the norms give, which is the residual stream."},
    ),
    Mistake(
        "std-plus-eps",
        message("A norm that divides by std + ε"),
        "B",
        message(
            "Layer norm divides by √(variance + ε), and its variance is the mean of the squares. x.std() divides by d"
            " − 1 and takes the root first, so ε is added outside of it. A model trained this way works. Weights "
            "trained elsewhere give other outputs: every norm is too small by about 1/(2d), and rows that hardly vary"
            " are blown up."
        ),
        message("Small differences everywhere, in maps and logits; their size depends on d_model."),
        message("The largest change of any weight is {wrong}, too little to see."),
        -2,
        "mean = x.mean(-1, keepdim=True)\n"
        "std = x.std(-1, keepdim=True)                  # divides by d - 1\n"
        "return gamma * (x - mean) / (std + eps) + beta   # eps outside of the root\n"
        "# should be (x - mean) / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)",
        "assert torch.allclose(my_norm(x), F.layer_norm(x, x.shape[-1:]), atol=1e-6)",
        {"": "The norm {how}: weights that were trained with layer norm give other numbers here."},
    ),
    Mistake(
        "axes-swapped",
        message("Axes swapped"),
        message("Found in real code"),
        message(
            "A cross-attention tensor has queries (the target) first and keys (the source) second. A plot that takes "
            "x before y, or a transpose for looks, swaps them. In sentences of equal length only the rows reveal it: "
            "a row of attention sums to 1, a column need not."
        ),
        message("Source words where target words belong, and rows that do not sum to 1."),
        message("The smallest sum of a row is {wrong}; correct: {right}."),
        0,
        "w = model.cross_attention_weights        # (T, S): target rows, source columns\n"
        "heatmap(w.T, rows=target, columns=source)\n"
        "# or: plot(x=target, y=source, z=w)",
        "assert drawn.shape == (len(target), len(source)) and np.allclose(drawn.sum(1), 1)",
    ),
    Mistake(
        "beams-not-reordered",
        message("Beams whose attention was not reordered"),
        message("Found in real code"),
        message(
            "In a beam search the hypotheses change places at every step, because the best continuation can come from"
            " any of them. Tokens and cache follow the new order. Attention that is collected beside them keeps the "
            "old order. So the best hypothesis gets rows that other hypotheses computed."
        ),
        message(
            "Some rows are those of another hypothesis; a full pass over the same words gives other numbers."
        ),
        message("{wrong} rows belong to another hypothesis; correct: {right}."),
        0,
        "for step in range(limit):\n"
        "    logits, attention = model.step(tokens, cache)\n"
        "    maps.append(attention)                 # rows in the order of now\n"
        "    tokens, parents = best(logits)\n"
        "    cache = cache[parents]                 # and maps = maps[parents] is missing",
        "assert np.allclose(beam.maps, model(source, beam.tokens).maps, atol=1e-5)",
    ),
    Mistake(
        "alignment-layer-ignored",
        message("An alignment layer silently ignored"),
        message("Found in real code"),
        message(
            "Which layer aligns words best differs from model to model, so tools take it as an option. Here the "
            "option is read but never passed on, so every choice gives the last layer’s attention. That layer often "
            "aligns worst. Every map is a true map, but not of the layer in its title."
        ),
        message("Every layer gives the same map."),
        message("The maps of layer 0 and of the last layer differ by {wrong}; correct: {right}."),
        0,
        "def align(model, pair, alignment_layer=None):\n"
        "    output = model(pair)                   # alignment_layer goes nowhere\n"
        "    w = output.cross_attentions[-1]\n"
        "    return w.mean(heads).argmax(-1)",
        "assert not np.allclose(align(pair, layer=0), align(pair, layer=1))",
    ),
)
IDS: Final = tuple(each.id for each in PITFALLS)


def mistake(name: str) -> Mistake:
    """The mistake of this id. Raises `InputError` that lists those with a page."""
    if name not in IDS:
        raise InputError(f"There is no pitfall {name!r}; choose one of {', '.join(IDS)}.")
    return PITFALLS[IDS.index(name)]
