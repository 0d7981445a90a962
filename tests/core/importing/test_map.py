"""`--map`: a layout of one's own in the rule language, and what the language refuses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from core.errors import CheckpointError
from core.importing import ImportPlan, families, plan_import, read_layout
from core.model.config import ModelConfig
from core.model.transformer import Transformer

CONFIG = ModelConfig(
    source_vocab_size=20,
    target_vocab_size=20,
    d_model=12,
    heads=3,
    d_ff=16,
    encoder_layers=2,
    decoder_layers=1,
    max_length=30,
    positions="learned",
    output_bias=True,
    final_norm=True,
    norm_placement="pre",
)
HEAD = r"""
name = "mine"
title = "my own layout"
detect = ['enc\.0\.qkv\.w']

[config]
d_model = { size = 'emb', axis = 1 }
d_ff = { size = 'enc\.0\.up\.w', axis = 1 }
heads = { size = 'enc\.0\.qkv\.w', axis = 1 }
encoder_layers = { count = 'enc\.(\d+)\..*' }
decoder_layers = { count = 'dec\.(\d+)\..*' }
source_vocab_size = { size = 'emb', axis = 0 }
target_vocab_size = { option = "source_vocab_size" }
max_length = { size = 'pos', axis = 0 }
positions = "learned"
norm_placement = "pre"
final_norm = true
output_bias = { has = 'head_bias' }
pad_id = 0
bos_id = 1
eos_id = 2

[[rule]]
from = 'emb|tied_head'
to = 'source_embedding.table'
duplicates = true

[[rule]]
from = 'pos'
to = ['source_embedding.positions.table', 'target_embedding.positions.table']
copy = true

[[rule]]
from = 'head_bias'
to = 'output_bias'

"""
TAIL = r"""
[[rule]]
from = 'step'
ignore = "a counter of the training loop"

[[constant]]
to = '.*_proj\.bias'
value = 0.0
"""


def theirs() -> tuple[Transformer, dict[str, Tensor]]:
    """A model of ours, and its weights under names and in shapes of a layout nobody has heard of."""
    torch.manual_seed(1)
    model = Transformer(CONFIG).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(std=0.3)
            if name.endswith("_proj.bias"):
                parameter.zero_()
    ours = {name: parameter.detach() for name, parameter in model.named_parameters()}
    out: dict[str, Tensor] = {
        "emb": ours["source_embedding.table"],
        "tied_head": ours["source_embedding.table"].clone(),
        "pos": ours["source_embedding.positions.table"],
        "head_bias": ours["output_bias"],
        "step": torch.tensor(7),
    }
    ours["target_embedding.positions.table"].copy_(out["pos"])
    for stack, short in (("encoder", "enc"), ("decoder", "dec")):
        out[f"{short}.norm"] = torch.stack([ours[f"{stack}_norm.{part}"] for part in ("weight", "bias")])
        for n in range(CONFIG.layers(stack)):
            at = f"{stack}_layers.{n}"
            for block, name in (("self_attention", ""), ("cross_attention", "x")):
                if f"{at}.{block}.q_proj.weight" not in ours:
                    continue
                q, k, v = (ours[f"{at}.{block}.{part}_proj.weight"] for part in "qkv")
                if name:  # fused keys and values, output features last
                    out[f"{short}.{n}.xq.w"], out[f"{short}.{n}.xkv.w"] = q.T, torch.cat([k, v]).T
                else:
                    out[f"{short}.{n}.qkv.w"] = torch.cat([q, k, v]).T.reshape(12, 3, 12)
                out[f"{short}.{n}.{name}o.w"] = ours[f"{at}.{block}.output_proj.weight"].T
                if name:  # a matrix a head: (heads, d_model out, head_dim)
                    out[f"{short}.{n}.xo.w"] = (
                        ours[f"{at}.{block}.output_proj.weight"].reshape(12, 3, 4).permute(1, 0, 2)
                    )
            out[f"{short}.{n}.up.w"] = ours[f"{at}.feed_forward.up_proj.weight"].T
            out[f"{short}.{n}.down.w"] = ours[f"{at}.feed_forward.down_proj.weight"].T
            for residual in ("self", "cross", "ffn"):
                if f"{at}.{residual}_residual.norm.weight" in ours:
                    parts = [ours[f"{at}.{residual}_residual.norm.{part}"] for part in ("weight", "bias")]
                    out[f"{short}.{n}.{residual}_norm"] = torch.stack(parts)
    return model, {key: tensor.contiguous() for key, tensor in out.items()}


def rules() -> str:
    """The map: head and tail above, and between them each rule for both stacks."""
    made = []
    for stack, short in (("encoder", "enc"), ("decoder", "dec")):
        at = f"{stack}_layers.\\1"
        qkv = ", ".join(f"'{at}.self_attention.{part}_proj.weight'" for part in "qkv")
        kv = ", ".join(f"'{at}.cross_attention.{part}_proj.weight'" for part in "kv")
        unstack = 'permute = [1, 0, 2]\nreshape = ["d_model", -1]'
        lines = [
            (rf"{short}\.(\d+)\.qkv\.w", f"[{qkv}]", 'reshape = ["d_model", -1]\ntranspose = true'),
            (rf"{short}\.(\d+)\.xq\.w", f"'{at}.cross_attention.q_proj.weight'", "transpose = true"),
            (rf"{short}\.(\d+)\.xkv\.w", f"[{kv}]", "transpose = true"),
            (rf"{short}\.(\d+)\.o\.w", f"'{at}.self_attention.output_proj.weight'", "transpose = true"),
            (rf"{short}\.(\d+)\.xo\.w", f"'{at}.cross_attention.output_proj.weight'", unstack),
            (rf"{short}\.(\d+)\.(up|down)\.w", f"'{at}.feed_forward.\\2_proj.weight'", "transpose = true"),
        ]
        for residual in ("self", "cross", "ffn"):
            pair = ", ".join(f"'{at}.{residual}_residual.norm.{part}'" for part in ("weight", "bias"))
            lines.append((rf"{short}\.(\d+)\.{residual}_norm", f"[{pair}]", "reshape = [-1]"))
        pair = ", ".join(f"'{stack}_norm.{part}'" for part in ("weight", "bias"))
        lines.append((rf"{short}\.norm", f"[{pair}]", "reshape = [-1]"))
        for pattern, to, more in lines:
            made.append(f"[[rule]]\nfrom = '{pattern}'\nto = {to}\n{more}\n")
    return HEAD + "\n".join(made) + TAIL


def test_a_layout_of_ones_own_is_imported_whole(tmp_path: Path) -> None:
    model, state = theirs()
    torch.save(state, tmp_path / "w.pt")
    (tmp_path / "mine.toml").write_text(rules())
    plan = plan_import(tmp_path / "w.pt", map_file=tmp_path / "mine.toml", tokenizer="numbers")
    assert plan.ready, (plan.problems, plan.open_questions)
    assert plan.layout.title == "my own layout"
    source, target = torch.randint(3, 20, (2, 9)), torch.randint(3, 20, (2, 7))
    with torch.inference_mode():
        assert torch.equal(plan.checkpoint.model(source, target), model(source, target))
    assert plan.assignment is not None
    assert len(plan.assignment.constants) == 4 * 4 + 3 * 2  # four attentions, three feed-forwards
    notes = {place.key: place.note for place in plan.destinations}
    assert notes["step"] == "ignored: a counter of the training loop"
    assert "split in 3" in notes["enc.0.qkv.w"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[config]", "[config"), "is not TOML"),
        (("[[rule]]", "[[rules]]"), "'rules'"),
        (("from = 'pos'", "from = '(pos'"), "not a regular expression"),
        (("from = 'pos'", "form = 'pos'"), "'form'"),
        (("copy = true", 'copy = "yes"'), "true or false"),
        (("copy = true", "sizes = [1]"), "1 sizes for 2"),
        (("copy = true", "axis = 'x'"), "axis = 'x'; it must be a whole number"),
        (("copy = true", "reshape = ['width']"), "reshape"),
        (("copy = true", "permute = [1, 1]"), "permute"),
        (("copy = true", "when = { width = 3 }"), "options"),
        (("to = 'output_bias'", r"to = '\3'"), "group"),
        (("to = 'output_bias'", ""), "exactly one of"),
        (("to = 'output_bias'", "to = 'output_bias'\nignore = 'x'"), "exactly one of"),
        (("value = 0.0", "value = 'zero'"), "must be a number"),
        (("heads = {", "heads_per_layer = {"), "no option of the model"),
        (("axis = 1 }\nenc", "axes = 1 }\nenc"), "'axes'"),
        (("{ size = 'enc\\.0\\.qkv\\.w', axis = 1 }", "{ axis = 1 }"), "needs one of"),
        (("(\\d+)\\..*' }\ndec", "\\d+\\..*' }\ndec"), "needs a group"),
    ],
)
def test_a_wrong_map_is_refused_by_its_rule(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    text = rules()
    assert change[0] in text
    (tmp_path / "mine.toml").write_text(text.replace(*change, 1))
    with pytest.raises(CheckpointError, match=r".*" + said.replace("(", r"\(")) as caught:
        read_layout(tmp_path / "mine.toml")
    assert "\n" not in str(caught.value)
    assert "mine.toml" in str(caught.value)


def test_two_keys_for_one_parameter_are_refused(tmp_path: Path) -> None:
    _, state = theirs()
    torch.save(state, tmp_path / "w.pt")
    (tmp_path / "mine.toml").write_text(rules().replace("duplicates = true\n", "", 1))
    plan = plan_import(tmp_path / "w.pt", map_file=tmp_path / "mine.toml", tokenizer="numbers")
    assert plan.problems == ("emb and tied_head would both fill source_embedding.table",)


def test_a_copy_that_differs_is_refused(tmp_path: Path) -> None:
    _, state = theirs()
    torch.save(state | {"tied_head": state["emb"] + 1}, tmp_path / "w.pt")
    (tmp_path / "mine.toml").write_text(rules())
    plan = plan_import(tmp_path / "w.pt", map_file=tmp_path / "mine.toml", tokenizer="numbers")
    with pytest.raises(CheckpointError, match="tied_head differs from the copy in emb"):
        _ = plan.checkpoint


def test_every_family_is_a_readable_map() -> None:
    assert set(families()) == {
        *("marian", "bart", "mbart", "t5", "torch", "seq2seq", "annotated", "tutorial-b", "tutorial-e"),
        *("plbart", "mvp", "pegasus", "blenderbot", "blenderbot-small", "m2m-100", "fsmt", "umt5", "fairseq"),
        *("ctranslate2", "joeynmt"),
    }
    for layout in families().values():
        assert layout.detect
        assert layout.title
        assert layout.model_types or not layout.named_only


@pytest.mark.parametrize("like", ["../bart", "nobody", 3])
def test_a_map_can_be_like_a_family_and_nothing_else(tmp_path: Path, like: Any) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\nlike = "bart"\n[config]\nnorm_placement = "pre"\n')
    mine, bart = read_layout(path), families()["bart"]
    assert mine.name == "mine" and mine.rules == bart.rules
    assert mine.config == {**bart.config, "norm_placement": ({"value": "pre"},)}
    path.write_text(f"like = {like!r}\n")
    with pytest.raises(CheckpointError, match="is no family"):
        read_layout(path)


HEADS = r"""
[[rule]]
from = 'enc\.(\d+)\.head_(\d+)\.([qkv])'
to = 'encoder_layers.\1.self_attention.\3_proj.weight'
part = '\2'

[[rule]]
from = 'enc\.(\d+)\.head_(\d+)\.out'
to = 'encoder_layers.\1.self_attention.output_proj.weight'
part = '\2'
axis = 1
"""


def by_head(folder: Path, changes: Mapping[str, Tensor | None]) -> tuple[Transformer, ImportPlan]:
    """The model, and a plan for its weights with the second encoder layer's attention as a module for each head."""
    model, state = theirs()
    del state["enc.1.qkv.w"], state["enc.1.o.w"]
    ours = model.encoder_layers[1].self_attention.state_dict()
    for head in reversed(range(3)):  # in whatever order a file has them
        rows = slice(4 * head, 4 * head + 4)
        state |= {f"enc.1.head_{head}.{each}": ours[f"{each}_proj.weight"][rows].clone() for each in "qkv"}
        state[f"enc.1.head_{head}.out"] = ours["output_proj.weight"][:, rows].clone()
    state = {key: tensor for key, tensor in {**state, **changes}.items() if tensor is not None}
    torch.save(state, folder / "w.pt")
    (folder / "mine.toml").write_text(rules() + HEADS)
    return model, plan_import(folder / "w.pt", map_file=folder / "mine.toml", tokenizer="numbers")


def test_a_module_for_each_head_fills_one_parameter(tmp_path: Path) -> None:
    model, plan = by_head(tmp_path, {})
    assert not plan.problems
    imported = plan.checkpoint.model.state_dict()
    assert all(torch.equal(imported[name], tensor) for name, tensor in model.state_dict().items())
    notes = {each.key: each.note for each in plan.destinations}
    assert notes["enc.1.head_2.out"] == "part 2 along axis 1"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"enc.1.head_1.q": None}, "as parts 0, 2, not 0 to 1"),
        ({"enc.1.head_2.q": torch.zeros(5, 12)}, "have (13, 12) together"),
        ({"enc.1.head_2.q": torch.zeros(4, 11)}, "have no one shape together"),
        ({"enc.1.head_03.q": torch.zeros(4, 12)}, "as parts 0, 03, 1, 2, not 0 to 3"),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    tmp_path: Path, changes: dict[str, Tensor | None], said: str
) -> None:
    _, plan = by_head(tmp_path, changes)
    assert any(said in problem for problem in plan.problems), plan.problems


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("part = 'two'", "needs part to be the group"),
        ("part = '\\4'", "uses a group"),
        ("part = '\\2'\nfit = true", "joins parts"),
    ],
)
def test_a_rule_that_joins_says_how(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "mine.toml").write_text(rules() + HEADS.replace("part = '\\2'\n\n", f"{line}\n\n", 1))
    with pytest.raises(CheckpointError, match=said):
        read_layout(tmp_path / "mine.toml")
