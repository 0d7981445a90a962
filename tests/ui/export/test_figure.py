"""Figures for a paper: exact width, selectable text, larger weights darker, and the values of the CSV."""

from __future__ import annotations

import csv
import io
import itertools
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pypdf
import pytest

import core
from core.errors import InputError
from core.language import speaking
from ui.export.figure import MOST_CELLS, Rows, one_head, shade
from ui.style.theme import KINDS, Kind, luminance

ROOT = Path(__file__).parents[3]
SENTENCE = "12 March 1999"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def trace() -> core.Trace:
    return core.trace(core.load(ROOT / "checkpoints" / "dates", device="cpu"), SENTENCE)


def values(svg: str) -> list[str]:
    return [
        each.get("data-value", "") for each in ElementTree.fromstring(svg).iter() if each.get("data-value")
    ]


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


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
    assert svg.get("width") == f"{width:g}mm"
    page = pypdf.PdfReader(figure.save(tmp_path / "figure.pdf")).pages[0]
    assert float(page.mediabox.width) == pytest.approx(width * 72 / 25.4, abs=0.01)
    assert float(page.mediabox.height) == pytest.approx(
        float(str(svg.get("height"))[:-2]) * 72 / 25.4, abs=0.01
    )


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
    assert values(figure.svg()) == [row["value"] for row in rows if float(row["value"]) >= 0.003]
    row = rows[len(trace.tokens.source)]
    assert (row["query_reads"], row["query_writes"]) == (trace.tokens.target[1], trace.tokens.written[1])


def test_the_wall_and_the_joint_view_have_every_value_too(trace: core.Trace) -> None:
    wall = core.figure(trace, "causal", width=174)
    rows = [row for row in table(wall.csv) if row["value"] and float(row["value"]) >= 0.003]
    assert values(wall.svg()) == [row["value"] for row in rows]
    weights = trace.weights("decoder", "self").numpy()
    assert {row["head"] for row in rows} == {
        f"{n}.{m}" for n in range(weights.shape[0]) for m in range(weights.shape[1])
    }
    joint = core.figure(trace, "joint", (0, 1), threshold=0.2)
    kept = [row["value"] for row in table(joint.csv) if row["value"] and float(row["value"]) >= 0.2]
    assert sorted(values(joint.svg())) == sorted(kept)


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
    figure = one_head(np.array([[0.9, 0.1], [0.5, 0.5]]), rows, "encoder", "caption", "", 85.0)
    fills = {
        e.get("data-value"): str(e.get("fill"))
        for e in ElementTree.fromstring(figure.svg()).iter(f"{SVG}rect")
        if e.get("data-value")
    }
    assert fills == {text: shade(float(text), "encoder") for text in ("0.9", "0.1", "0.5")}


def test_words_of_a_stranger_are_text(tmp_path: Path) -> None:
    rows = Rows(("<script>", "&\x00"), (), ('"><x', "b"))
    figure = one_head(np.eye(2), rows, "encoder", "<b>", "", 85.0)
    assert "script" not in {each.tag for each in ElementTree.fromstring(figure.svg()).iter()}
    assert "<script>" in "".join(ElementTree.fromstring(figure.svg()).itertext())


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
    with pytest.raises(InputError, match=r"choose \.pdf, \.svg or \.csv"):
        core.figure(trace).save(tmp_path / "figure.png")
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
