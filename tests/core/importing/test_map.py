"""`--map`: a layout of one's own in the rule language, which is the documented one, and what the language refuses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from core.errors import CheckpointError
from core.importing.plan import ImportPlan, plan_import
from core.importing.rules import families, read_layout
from core.model.transformer import Transformer
from tests.core.importing.examples import documented_map, mine_model, renamed

TOLD = {"heads": 3, "pad": 0, "bos": 1, "eos": 2}


def planned(folder: Path, state: Mapping[str, Tensor], rules: str, **told: Any) -> ImportPlan:
    torch.save(dict(state), folder / "w.pt")
    (folder / "mine.toml").write_text(rules, "utf-8")
    return plan_import(
        folder / "w.pt", answers={**TOLD, **told}, map_file=folder / "mine.toml", tokenizer="numbers"
    )


@pytest.mark.parametrize("split", [False, True])
def test_a_layout_of_ones_own_is_imported_whole(tmp_path: Path, split: bool) -> None:
    """Also with its queries split in heads, which are joined before they are transposed."""
    model, rules = mine_model(), documented_map()
    state = renamed(model)
    if split:
        for key in [key for key in state if key.endswith("cross.q.weight")]:
            state[key] = state[key].reshape(12, 3, 4)
        rules = rules.replace("transpose = true", 'reshape = ["d_model", -1]\ntranspose = true', 1)
    plan = planned(tmp_path, state, rules)
    assert plan.ready, (plan.problems, plan.open_questions)
    assert plan.layout.title == "mine"
    source, target = torch.randint(3, 20, (2, 9)), torch.randint(3, 20, (2, 7))
    with torch.inference_mode():
        assert torch.equal(plan.checkpoint.model(source, target), model(source, target))
    assert plan.assignment is not None
    assert len(plan.assignment.constants) == 2 * 4  # the biases of two cross-attentions
    notes = {each.key: each.note for each in plan.destinations}
    assert notes["num_updates"] == "ignored: a counter of the training loop"
    assert "split in 3" in notes["encoder.0.qkv.weight"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[config]", "[config"), "is not TOML"),
        (("[[rule]]", "[[rules]]"), "'rules'"),
        (("from = 'pe'", "from = '(pe'"), "not a regular expression"),
        (("from = 'pe'", "form = 'pe'"), "'form'"),
        (("duplicates = true", 'duplicates = "yes"'), "true or false"),
        (("transpose = true", "sizes = [1, 2]"), "2 sizes for 1"),
        (("transpose = true", "axis = 'x'"), "axis = 'x'; it must be a whole number"),
        (('["d_model", -1]', "['width']"), "reshape"),
        (('["d_model", -1]', "[[1]]"), "reshape"),
        (("[1, 0, 2]", "[1, 1]"), "permute"),
        (("{ tie_output = true }", "{ width = 3 }"), "options"),
        (("to = 'output_proj'", r"to = '\3'"), "group"),
        (("to = 'output_proj'", ""), "exactly one of"),
        (("to = 'output_proj'", "to = 'output_proj'\nignore = 'x'"), "exactly one of"),
        (("value = 0.0", "value = 'zero'"), "must be a number"),
        (("heads = {", "heads_per_layer = {"), "not an option of the model"),
        (("axis = 1 }", "axes = 1 }"), "'axes'"),
        (("{ size = 'pe', axis = 0 }", "{ axis = 0 }"), "needs one of"),
        (("(\\d+)\\..*' }", "\\d+\\..*' }"), "needs a group"),
    ],
)
def test_a_wrong_map_is_refused_by_its_rule(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    text = documented_map()
    assert change[0] in text
    (tmp_path / "mine.toml").write_text(text.replace(*change, 1), "utf-8")
    with pytest.raises(CheckpointError, match=said) as caught:
        read_layout(tmp_path / "mine.toml")
    assert "\n" not in str(caught.value)
    assert "mine.toml" in str(caught.value)


def test_two_keys_for_one_parameter_are_refused(tmp_path: Path) -> None:
    rules = documented_map().replace("duplicates = true\n", "", 1)
    plan = planned(tmp_path, renamed(mine_model()), rules)
    assert plan.problems == ("tok.weight and head.weight would both fill source_embedding.table",)


def test_a_copy_that_differs_is_refused(tmp_path: Path) -> None:
    state = renamed(mine_model())
    state["head.weight"] = state["tok.weight"] + 1
    plan = planned(tmp_path, state, documented_map(), tie_output=True)
    with pytest.raises(CheckpointError, match="head.weight differs from the copy in tok.weight"):
        _ = plan.checkpoint


def test_every_family_is_a_readable_map() -> None:
    assert set(families()) == {
        *("marian", "bart", "mbart", "t5", "torch", "seq2seq", "annotated", "tutorial-b", "tutorial-e"),
        *("hyunwoongko", "jadore801120", "samlynnevans", "original-transformer"),
        *(
            "plbart",
            "mvp",
            "pegasus",
            "blenderbot",
            "blenderbot-small",
            "m2m-100",
            "fsmt",
            "umt5",
            "fairseq",
            "d2l",
        ),
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
    with pytest.raises(CheckpointError, match="is not a family"):
        read_layout(path)


HEADS = r"""
[[rule]]
from = 'decoder\.(\d+)\.head_(\d+)\.q'
to = 'decoder_layers.\1.cross_attention.q_proj.weight'
part = '\2'

[[rule]]
from = 'decoder\.(\d+)\.head_(\d+)\.out'
to = 'decoder_layers.\1.cross_attention.output_proj.weight'
part = '\2'
axis = 1
"""


def with_heads(first: str = "part = '\\2'") -> str:
    """The documented map, and after its rules two for a module of each head, with `first` in the first of them."""
    return documented_map().replace(
        "[[constant]]", HEADS.replace("part = '\\2'", first, 1) + "\n[[constant]]", 1
    )


def by_head(folder: Path, changes: Mapping[str, Tensor | None]) -> tuple[Transformer, ImportPlan]:
    """The model, and a plan for its weights with the second decoder layer's cross-attention as a module for each head."""
    model = mine_model()
    state: dict[str, Tensor | None] = {**renamed(model)}
    del state["decoder.1.cross.q.weight"], state["decoder.1.cross.out.weight"]
    ours = model.decoder_layers[1].cross_attention.state_dict()
    for head in reversed(range(3)):  # in whatever order a file has them
        rows = slice(4 * head, 4 * head + 4)
        state[f"decoder.1.head_{head}.q"] = ours["q_proj.weight"][rows].clone()
        state[f"decoder.1.head_{head}.out"] = ours["output_proj.weight"][:, rows].clone()
    kept = {key: tensor for key, tensor in {**state, **changes}.items() if tensor is not None}
    return model, planned(folder, kept, with_heads())


def test_a_module_for_each_head_fills_one_parameter(tmp_path: Path) -> None:
    model, plan = by_head(tmp_path, {})
    assert not plan.problems
    imported = plan.checkpoint.model.state_dict()
    assert all(torch.equal(imported[name], tensor) for name, tensor in model.state_dict().items())
    notes = {each.key: each.note for each in plan.destinations}
    assert notes["decoder.1.head_2.out"] == "part 2 along axis 1"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"decoder.1.head_1.q": None}, "as parts 0, 2, not 0 to 1"),
        ({"decoder.1.head_2.q": torch.zeros(5, 12)}, "have (13, 12) together"),
        ({"decoder.1.head_2.q": torch.zeros(4, 11)}, "have no one shape together"),
        ({"decoder.1.head_03.q": torch.zeros(4, 12)}, "as parts 0, 03, 1, 2, not 0 to 3"),
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
    (tmp_path / "mine.toml").write_text(with_heads(line), "utf-8")
    with pytest.raises(CheckpointError, match=said):
        read_layout(tmp_path / "mine.toml")
