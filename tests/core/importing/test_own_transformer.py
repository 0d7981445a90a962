"""A file of torch.nn.Transformer inside one's own module opens without a map, or asks which key is which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.errors import CheckpointError
from core.importing.plan import ImportPlan, plan_import
from tests.core.importing.test_wrap import HEADS, SOURCES, TARGETS, TELLING, WIDTH, MadeUp, OwnNames, shaken

TOLD = {"heads": HEADS, **TELLING}


class StudentsOwn(OwnNames):
    """Two tables of the same size and names that say nothing; positions as a buffer with an axis for the batch."""

    def __init__(self, names: tuple[str, str]) -> None:
        super().__init__(nn.functional.relu)
        del self.french_words, self.source_words, self.position
        self.names = names
        for name in names:
            setattr(self, name, nn.Embedding(TARGETS, WIDTH))
        self.register_buffer("pe", torch.randn(1, 70, WIDTH))
        self.register_buffer("tgt_mask", torch.ones(8, 8))
        self.out = nn.Linear(WIDTH, TARGETS)

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(b.shape[1])
        x, y = (getattr(self, name)(ids) for name, ids in zip(self.names, (a, b), strict=True))
        at: Any = self.pe[0]
        return self.out(self.body(x + at[: a.shape[1]], y + at[: b.shape[1]], tgt_mask=mask))


def planned(folder: Path, model: nn.Module, prefix: str = "", **answers: Any) -> ImportPlan:
    file = folder / "mine.pt"
    torch.save({f"{prefix}{key}": tensor for key, tensor in model.state_dict().items()}, file)
    return plan_import(file, answers={**TOLD, **answers}, tokenizer="numbers")


def gap(plan: ImportPlan, model: nn.Module) -> float:
    """The largest difference of the logits from the module's own."""
    torch.manual_seed(1)
    source, target = torch.randint(4, min(SOURCES, TARGETS), (1, 9)), torch.randint(4, TARGETS, (1, 7))
    with torch.no_grad():
        return float((plan.checkpoint.model(source, target) - model.eval()(source, target)).abs().max())


@pytest.mark.parametrize(
    ("make", "answers"),
    [
        (OwnNames, {"activation": "gelu", "embedding_scale": False}),
        (MadeUp, {"norm_placement": "pre", "positions": "sinusoidal_halves", "max_length": 80}),
        (lambda: StudentsOwn(("english", "tgt_embedding")), {"embedding_scale": False}),
        (lambda: StudentsOwn(("encoder_table", "french")), {"embedding_scale": False}),
    ],
)
@pytest.mark.parametrize("prefix", ["", "net."])
def test_a_module_with_names_of_its_own_opens_without_a_map(
    tmp_path: Path, make: Any, answers: dict[str, Any], prefix: str
) -> None:
    model = shaken(make())
    plan = planned(tmp_path, model, prefix, **answers)
    assert plan.layout.name == "torch"
    assert plan.ready
    assert gap(plan, model) < 1e-5
    assert any("is read as src_tok_emb.embedding.weight" in note for note in plan.weights.notes)


def test_names_that_tell_nothing_are_asked_for_and_told(tmp_path: Path) -> None:
    model = shaken(StudentsOwn(("one", "two")))
    with pytest.raises(CheckpointError) as asked:
        planned(tmp_path, model)
    text = str(asked.value)
    assert "one.weight, two.weight" in text
    assert "--set source_table=KEY --set target_table=KEY" in text
    plan = planned(tmp_path, model, source_table="one.weight", embedding_scale=False)
    assert gap(plan, model) < 1e-5
    swapped = planned(tmp_path, model, source_table="two.weight", embedding_scale=False)
    assert gap(swapped, model) > 0.1
    with pytest.raises(
        CheckpointError, match=r"not a table of the model’s width in the file; it has .*one\.weight"
    ):
        planned(tmp_path, model, target_table="three.weight")


def test_equal_tables_of_positions_are_one_and_different_ones_are_the_sides_own(tmp_path: Path) -> None:
    model = shaken(StudentsOwn(("src", "tgt")))
    model.register_buffer("pos_tgt", model.pe.clone())  # type: ignore[operator]
    plan = planned(tmp_path, model, embedding_scale=False)
    assert gap(plan, model) < 1e-5
    assert "the key pos_tgt repeats pe" in plan.weights.notes
    model.pos_tgt[0, 0, 0] += 1.0  # type: ignore[index,operator]
    own = planned(tmp_path, model, embedding_scale=False).checkpoint.model
    assert torch.equal(own.target_embedding.positions.table, model.pos_tgt[0])  # type: ignore[index,union-attr]
    assert torch.equal(own.source_embedding.positions.table, model.pe[0])  # type: ignore[index,union-attr]
    model.register_buffer("pos_3", model.pe.clone() + 1)  # type: ignore[operator]
    with pytest.raises(CheckpointError, match="different tables of positions"):
        planned(tmp_path, model)
    del model.pos_3
    model.register_buffer("pos_two", model.pos_tgt.clone())  # type: ignore[operator]
    del model.pos_tgt
    with pytest.raises(
        CheckpointError, match="--set source_position_table=KEY --set target_position_table=KEY"
    ):
        planned(tmp_path, model)
    told = planned(tmp_path, model, embedding_scale=False, target_position_table="pe").checkpoint.model
    assert torch.equal(told.target_embedding.positions.table, model.pe[0])  # type: ignore[index,union-attr]


def test_answers_about_tables_are_for_such_a_file_alone(tmp_path: Path) -> None:
    torch.save({"encoder.weight": torch.ones(2, 2)}, tmp_path / "x.pt")
    with pytest.raises(CheckpointError, match="source_table is only for files of torch"):
        plan_import(tmp_path / "x.pt", answers={"source_table": "encoder.weight"})
