"""Figures for a paper: a matplotlib figure of an exact width, selectable text, larger weights darker, and the values of the CSV."""

from __future__ import annotations

import csv
import io
import itertools
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import matplotlib.figure
import numpy as np
import pypdf
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgba

import core
from core.errors import InputError
from core.language import speaking
from ui.export.figure import MOST_CELLS, Rows, one_head, shade
from ui.style.theme import KINDS, Kind, luminance

ROOT = Path(__file__).parents[3]
SENTENCE = "12 March 1999"


@pytest.fixture(scope="module")
def trace() -> core.Trace:
    return core.trace(core.load(ROOT / "checkpoints" / "dates", device="cpu"), SENTENCE)


def drawn(axes: Axes) -> np.ndarray:
    """The numbers that a map's axes show, NaN where there is none."""
    (mesh,) = [each for each in axes.collections if isinstance(each, QuadMesh)]
    return np.ma.filled(np.ma.asarray(mesh.get_array()).astype(float), np.nan)


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("width", [85.0, 174.0, 61.5])
@pytest.mark.parametrize(
    ("kind", "head"),
    [("cross", (0, 1)), ("causal", (0, 0)), ("encoder", None), ("joint", None), ("joint", (1, 0))],
)
def test_both_files_have_the_width_that_is_asked_for(
    trace: core.Trace, tmp_path: Path, kind: str, head: tuple[int, int] | None, width: float
) -> None:
    figure = core.figure(trace, kind, head, width=width, model="dates")
    svg = ElementTree.fromstring(figure.svg().encode())
    assert isinstance(figure, matplotlib.figure.Figure)
    assert float(str(svg.get("width"))[:-2]) == pytest.approx(width * 72 / 25.4, abs=0.01)  # points
    page = pypdf.PdfReader(figure.save(tmp_path / "figure.pdf")).pages[0]
    assert float(page.mediabox.width) == pytest.approx(width * 72 / 25.4, abs=0.01)
    assert float(page.mediabox.height) == pytest.approx(float(str(svg.get("height"))[:-2]), abs=0.01)


def test_the_text_can_be_selected_and_says_what_is_drawn(trace: core.Trace, tmp_path: Path) -> None:
    figure = core.figure(trace, "cross", (1, 2), model="dates")
    reader = pypdf.PdfReader(figure.save(tmp_path / "figure.pdf"))
    spoken = " ".join(reader.pages[0].extract_text().split())
    drawn = " ".join("".join(ElementTree.fromstring(figure.svg()).itertext()).split())
    for text in (spoken, drawn):
        assert "Cross-attention, head 1.2 of dates." in text
        assert re.search(r"Attention Atlas \d+\.\d+", text)
        for word in (*trace.tokens.source, *trace.tokens.written):
            assert word in text
    assert reader.metadata is not None
    assert reader.metadata.title == figure.caption
    fonts = [each.get_object() for each in reader.pages[0]["/Resources"]["/Font"].values()]  # type: ignore[index]
    assert all("/FontFile2" in each["/DescendantFonts"][0].get_object()["/FontDescriptor"] for each in fonts)


def test_the_values_are_those_of_the_table(trace: core.Trace) -> None:
    figure = core.figure(trace, "cross", (1, 2))
    weights = trace.weights("decoder", "cross")[1, 2].numpy()
    rows = table(figure.csv)
    assert np.array_equal(np.float32([row["value"] for row in rows]).reshape(weights.shape), weights)
    assert np.array_equal(drawn(figure.axes[0 if figure.axes[0].get_label() != "scale" else 1]), weights)
    row = rows[len(trace.tokens.source)]
    assert (row["query_reads"], row["query_writes"]) == (trace.tokens.target[1], trace.tokens.written[1])


def test_the_wall_and_the_joint_view_have_every_value_too(trace: core.Trace) -> None:
    wall = core.figure(trace, "causal", width=174)
    weights = trace.weights("decoder", "self").numpy()
    layers, heads = weights.shape[:2]
    by_name = {axes.get_label(): axes for axes in wall.axes}
    assert set(by_name) == {"scale", *(f"{n}.{m}" for n in range(layers) for m in range(heads))}
    shown = drawn(by_name["1.1"])
    assert np.array_equal(shown, weights[1, 1])
    assert {row["head"] for row in table(wall.csv)} == set(by_name) - {"scale"}
    joint = core.figure(trace, "joint", (0, 1), threshold=0.2)
    kept = [row for row in table(joint.csv) if row["value"] and float(row["value"]) >= 0.2]
    assert len(joint.axes[0].patches) == len(kept)
    widest = max(float(row["value"]) for row in kept)
    lines = [patch.get_linewidth() * 25.4 / 72 for patch in joint.axes[0].patches]
    assert max(lines) == pytest.approx(0.1 + 0.7 * widest, abs=1e-6)


def test_a_researcher_can_change_it_before_saving(trace: core.Trace, tmp_path: Path) -> None:
    figure = core.figure(trace, "cross", (1, 2))
    (axes,) = [each for each in figure.axes if each.get_label() != "scale"]
    axes.set_title("Our title", fontsize=6)
    figure.savefig(tmp_path / "own.svg")
    assert "Our title" in figure.svg()
    assert (tmp_path / "own.svg").stat().st_size > 1000
    assert figure.save(tmp_path / "own.png").read_bytes()[:4] == b"\x89PNG"


def test_what_no_row_may_attend_to_is_empty_in_the_table(trace: core.Trace) -> None:
    rows = table(core.figure(trace, "causal", (0, 0)).csv)
    assert {not row["value"] for row in rows if int(row["key_position"]) > int(row["query_position"])} == {
        True
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_larger_weight_is_darker_in_grey_too(kind: Kind) -> None:
    greys = [luminance(shade(weight, kind)) for weight in np.linspace(0, 1, 51)]
    assert greys[0] == pytest.approx(1.0)
    assert greys[-1] < 0.1
    assert all(darker < lighter for lighter, darker in itertools.pairwise(greys))


def test_a_cell_is_as_dark_as_its_weight() -> None:
    rows = Rows(("a", "b"), (), ("a", "b"))
    figure = one_head(np.array([[0.9, 0.1], [np.nan, 0.5]]), rows, "encoder", "caption", "", 85.0)
    mesh = next(axes for axes in figure.axes if axes.get_label() != "scale").collections[0]
    figure.svg()  # colours are set when it is drawn
    colours = mesh.get_facecolor()
    for weight, colour in zip((0.9, 0.1, 0.5), colours[[0, 1, 3]], strict=True):
        assert to_rgba(shade(weight, "encoder")) == pytest.approx(tuple(colour), abs=0.01)
    assert colours[2][3] == 0  # what a row must not attend to is paper


def test_words_of_a_stranger_are_text(tmp_path: Path) -> None:
    rows = Rows(("<script>", "&\x00", "$x^2$"), (), ('"><x', "b", "c"))
    figure = one_head(np.eye(3), rows, "encoder", "<b>", "", 85.0)
    assert "script" not in {each.tag for each in ElementTree.fromstring(figure.svg()).iter()}
    spoken = "".join(ElementTree.fromstring(figure.svg()).itertext())
    assert "<script>" in spoken and "$x^2$" in spoken


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"width": 5}, "width is 5; give 30 to 1,000 millimetres"),
        ({"kind": "all"}, "kind is 'all'"),
        ({"head": (9, 0)}, r"no head 9\.0"),
        ({"kind": "joint", "head": (9, 0)}, r"no head 9\.0"),
        ({"threshold": 0}, "threshold is 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(
    trace: core.Trace, options: dict[str, object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        core.figure(trace, **options)  # type: ignore[arg-type]


def test_other_endings_and_letters_are_refused(trace: core.Trace, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"choose \.pdf, \.svg, \.png or \.csv"):
        core.figure(trace).save(tmp_path / "figure.doc")
    figure = one_head(np.eye(1), Rows(("猫",), (), ("cat",)), "encoder", "", "", 85.0)
    assert "猫" in figure.svg()
    with pytest.raises(InputError, match=r"no 猫; save the figure as \.svg"):
        figure.pdf()
    with pytest.raises(InputError, match=f"at most {MOST_CELLS:,}"):
        one_head(np.zeros((400, 400)), Rows(("a",) * 400, (), ("b",) * 400), "encoder", "", "", 85.0)
    with pytest.raises(InputError, match="cannot be shown"):
        core.figure("a sentence")  # type: ignore[arg-type]


def test_a_decoder_without_the_causal_mask_is_drawn_whole_and_not_named_by_it(tmp_path: Path) -> None:
    trace = core.trace(core.load(ROOT / "checkpoints" / "twins" / "dates-unmasked", device="cpu"), "1 May")
    weights = trace.stacked("decoder", "self", "weights")[1, 0]
    figure = core.figure(trace, "causal", (1, 0))
    assert figure.caption.startswith("Decoder self-attention, head 1.0.")
    written = [float(row["value"]) for row in table(figure.csv)]
    assert written == pytest.approx(weights.ravel().tolist(), abs=1e-4), "later tokens included"
    assert "decoder self" in core.figure(trace, "joint").svg()


def test_a_caption_is_in_the_language_in_use(trace: core.Trace) -> None:
    with speaking("fr"):
        figure = core.figure(trace, "causal", (0, 0), model="dates")
        joint = core.figure(trace, "joint")
    assert figure.caption.startswith(
        "Auto-attention du décodeur (causale), la tête 0.0 de dates. «\u00a01 2 ␣ M a r c h"
    )
    assert "lignes à partir de 5\u00a0%" in joint.svg()
