"""Checkpoints: every number and word of the list, of what is inside one, of two side by side, and of an import's start."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.accounting import Account, Fact, Name, Number, account, fact, no_result, share, tokens
from tests.browser.golden_facts import ROOT, furniture
from tests.browser.golden_model import NAME, parameters
from tests.browser.golden_reading import visit_golden
from tests.browser.looking import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.turned


class Folder:
    """A checkpoint's own files, read without the app."""

    def __init__(self, path: Path) -> None:
        self.path = path
        stored = json.loads((path / "config.json").read_text("utf-8"))
        self.config: dict[str, Any] = {
            "causal": True,
            **stored,
        }  # those of before had no decoder without a mask
        self.card: dict[str, Any] = json.loads((path / "card.json").read_text("utf-8"))
        with (path / "model.safetensors").open("rb") as weights:
            header = json.loads(weights.read(int.from_bytes(weights.read(8), "little")))
        self.count = sum(math.prod(each["shape"]) for key, each in header.items() if key != "__metadata__")

    @property
    def size(self) -> Number:
        """How many numbers it has, in thousands or millions."""
        return Number(self.count / (1e6 if self.count >= 1e6 else 1e3))

    @property
    def in_brief(self) -> list[Fact]:
        """Its layers, heads and numbers, as one line has them."""
        layers = fact(self.config["encoder_layers"], self.config["decoder_layers"])
        return [layers, fact(self.config["heads"]), (self.size,)]

    @property
    def stacks(self) -> list[list[Fact]]:
        layers = [self.config["encoder_layers"], *[self.config["decoder_layers"]] * 2]
        return [[fact(count, self.config["heads"])] for count in layers if count]


@pytest.fixture(scope="module")
def folders(listed: str) -> dict[str, Folder]:
    """Every checkpoint that is listed, by what its card calls it."""
    paths = [*(ROOT / "checkpoints").rglob("config.json")]
    paths += [each for root in listed.split(os.pathsep) for each in Path(root).glob("*/config.json")]
    every = [Folder(path.parent) for path in paths]
    return {each.card.get("name") or each.path.name: each for each in every}


def as_written(text: str) -> list[Fact]:
    """The numbers and words of a text of a card, as it has them."""
    shown = tokens(text, spoken=False)
    return [tuple(Name(each.shown) for each in shown)] if shown else []


def texts_of(page: Page, wish: str) -> list[str]:
    return [each.strip() for each in page.locator(wish).all_inner_texts()]


def cards_of(page: Page, key: str) -> dict[str, str]:
    """Streamlit's key of every card that begins so, by the title on it."""
    found = page.locator(f"[class*=st-key-{key}]").evaluate_all(
        "(cards) => cards.map((each) => [each.querySelector('.atlas-title b').textContent.trim(), each.className])"
    )
    return {title: next(name for name in names.split() if key in name) for title, names in found}


def whole(value: int) -> Number:
    """A count, with commas where it has thousands."""
    return Number(float(value))


def scores_of(card: dict[str, Any]) -> list[list[Fact]]:
    """The cells of the table of scores: on what, then BLEU, chrF and exact hits, where any set has them."""
    every = card.get("figures", {}).get("quality", {})
    found = {
        name: {key: value for key, value in each.items() if key != "bleu" or value or not each.get("exact")}
        for name, each in every.items()
    }
    columns = [key for key in ("bleu", "chrf", "exact") if any(key in each for each in found.values())]
    rows: list[list[Fact]] = []
    for name, each in found.items():
        beam = [fact(each["beam"])] if each.get("beam", 1) != 1 else []
        rows.append([*as_written(name), *beam, (whole(each["sentences"]),)])
        for key in columns:
            value = each.get(key)
            if value is not None:  # what is not perfect does not round up to it
                rows.append([(Number(min(value, 99.994) if value < 100 else 100.0, percent=key == "exact"),)])
        if "multi_reference" in each:
            several = each["multi_reference"]
            rows += [[*as_written(name), (whole(several["sources"]),)], [fact(float(several["bleu"]))]]
    return rows


def test_the_list_of_checkpoints(visit: Visit, folders: dict[str, Folder]) -> None:
    page = visit_golden(visit, "checkpoints")
    page.locator(".st-key-card_invitation").wait_for()
    groups = {
        group: {name for name, each in folders.items() if each.path.parent.name == group}
        for group in ("tutorials", "twins")
    }
    small = {name: folders[name] for names in groups.values() for name in names}
    listed, lines = (cards_of(page, key) for key in ("card_checkpoint_", "small_"))
    assert sorted(listed) == sorted(set(folders) - set(small)) and sorted(lines) == sorted(small)
    accounts = [
        *(
            Account(f"st-key-card_{group} atlas-title", [[fact(len(names))]])
            for group, names in groups.items()
        ),
        *(
            Account(f"{where} atlas-subtitle", [folder.in_brief])
            for folder, where in ((small[name], where) for name, where in lines.items())
        ),
    ]
    for folder, where in ((folders[name], where) for name, where in listed.items()):
        card, config = folder.card, folder.config
        examples = [each for each in card.get("examples", []) if each["source"]]
        pair = next((each for each in examples if each.get("translation")), None)
        both = [as_written(pair[side]) for side in ("source", "translation")] if pair else []
        sizes = dict.fromkeys((config["source_vocab_size"], config["target_vocab_size"]))
        named = [
            as_written(
                f"{card.get('name', '')} {folder.path.name}"
                if card.get("name") != folder.path.name
                else folder.path.name
            )
        ]
        accounts += [
            Account(f"{where} atlas-title", [each for each in named if each]),
            Account(
                f"{where} atlas-quiet", [each for each in [as_written(card.get("description", ""))] if each]
            ),
            Account(f"{where} atlas-pair", [each for each in both if each]),
            Account(f"{where} atlas-stacks", folder.stacks),
            Account(
                f"{where} atlas-grid",
                [[(folder.size,)], [fact(config["d_model"])], [tuple(map(whole, sizes))]],
            ),
            no_result(f"{where} atlas-scores tipped", "what a score counts"),
            Account(f"{where} atlas-scores td", scores_of(card)),
            Account(f"{where} stPopoverButton", [[fact(len(examples))]] if examples else []),
        ]
    account(page, *furniture(None), *accounts)


def test_inside_a_checkpoint(visit: Visit, folders: dict[str, Folder]) -> None:
    page = visit_golden(visit, "checkpoints", desk="inspect", other_checkpoint="en-fr")
    page.locator(".st-key-chart_histogram .js-plotly-plot .main-svg").first.wait_for()
    page.locator(".atlas-ticks li").first.wait_for()
    folder, every = folders[NAME], parameters()
    names = texts_of(page, ".st-key-card_parameters tbody tr td:first-child")
    assert sorted(names) == sorted(every)
    rows = []
    for name in names:
        values = every[name].astype(float)
        size = math.sqrt(float((values**2).sum()))
        numbers = [fact(float(values.mean())), fact(float(values.std())), fact(size)]
        rows += [[fact(layer)] for layer in re.findall(r"_layers\.(\d+)\.", name)]
        rows += [[fact(*values.shape)], *([each] for each in numbers)]
    homes = {"table": 0, "encoder": 0, "causal": 0, "cross": 0}
    for name, values in every.items():
        decoder = "cross" if ".cross_" in name else "causal"
        homes[
            "encoder" if name.startswith("encoder") else decoder if name.startswith("decoder") else "table"
        ] += values.size
    parts = [[[(whole(count),)], [(share(count / folder.count),)]] for count in homes.values()]
    most = max(homes["table"], homes["encoder"], homes["causal"] + homes["cross"]) / folder.count
    chosen = page.locator(".st-key-widget_parameter input").input_value()
    spread = every[chosen].astype(float)
    account(
        page,
        *furniture(None),
        Account("st-key-card_options atlas-title", [[fact(NAME)]]),
        Account("st-key-card_options atlas-subtitle", [[size_of(folder)]]),
        Account("st-key-card_options td", [cells for cells in option_cells(folder) if cells]),
        no_result("st-key-card_checks", "how far the checks deviate; what they promise"),
        Account("st-key-card_shares atlas-title", [[(share(most),), (whole(folder.count),)]]),
        Account("st-key-card_shares atlas-legend", [cell for part in parts for cell in part]),
        Account("st-key-card_shares atlas-areas", areas_of({name: every[name].size for name in names})),
        Account("st-key-card_parameters atlas-title", [[fact(len(every))]]),
        Account("st-key-card_parameters td", rows),
        *beside(folders),
        no_result("st-key-card_histogram atlas-quiet", "what to look for"),
        Account(
            "st-key-card_histogram atlas-readout",
            [
                [
                    fact(spread.size),
                    fact(
                        *(float(each) for each in (spread.min(), spread.max(), spread.mean(), spread.std()))
                    ),
                ]
            ],
        ),
    )


def areas_of(sizes: dict[str, int]) -> list[list[Fact]]:
    """What the areas say when pointed at: layer, parameters and share of every block; and the layers' numbers below."""
    columns: dict[tuple[str, str], dict[str, int]] = {}
    for name, size in sizes.items():
        first, *rest = name.split(".")
        side = first.split("_")[0]
        stack = side if side in ("encoder", "decoder", "output") else "table"
        layer = rest[0] if first.endswith("_layers") else ""
        block = (
            ("norm" if "_residual" in rest[1] else rest[1]) if layer else "norm" if "_norm" in first else side
        )
        if "positions" in rest:
            block = "positions"
        inside = columns.setdefault((stack, layer), {})
        tokens_of_both = "tokens" if stack == "table" and block != "positions" else block
        inside[tokens_of_both] = inside.get(tokens_of_both, 0) + size
    total, found = sum(sizes.values()), []
    order = ("table", "encoder", "decoder", "output")
    for (_, layer), inside in sorted(columns.items(), key=lambda each: order.index(each[0][0])):
        own = [fact(layer)] if layer else []
        found += [
            [*own, (Number(float(size)), Number(100 * size / total, percent=True))]
            for size in inside.values()
        ]
        found += [own] if layer else []
    return found


OPTIONS = (
    ("encoder_layers", "decoder_layers"),
    ("heads", "d_model"),
    ("d_model",),
    ("d_ff", "activation", "gated"),
    ("source_vocab_size", "target_vocab_size"),
    ("positions",),
    ("max_length",),
    ("norm_placement",),
    ("norm_formula", "norm_eps"),
    ("final_norm",),
    ("embedding_norm",),
    ("embedding_scale",),
    ("tie_embeddings", "tie_output"),
    ("score_scale",),
    ("causal",),
    ("projection_bias", "attention_output_bias", "ffn_bias", "output_bias"),
    ("dropout", "dropout_placement"),
)
"""What each line of the options tells."""


def size_of(folder: Folder) -> Fact:
    """How many numbers, and how many megabytes its weights take on the disk."""
    return folder.size, Number((folder.path / "model.safetensors").stat().st_size / 1e6)


def option_cells(folder: Folder) -> list[list[Fact]]:
    """The numbers of each line of the options."""
    c = folder.config
    told = {
        "heads": [fact(c["heads"], c["d_model"] // c["heads"])],
        "norm_formula": [fact(f"{c['norm_eps']:g}")],
        "d_ff": [(whole(c["d_ff"]),)],
        "dropout": [fact(float(c["dropout"]))],
    }
    return [
        told.get(line[0])
        or ([tuple(whole(c[key]) for key in line)] if all(type(c[key]) is int for key in line) else [])
        for line in OPTIONS
    ]


def beside(folders: dict[str, Folder]) -> list[Account]:
    """What the card that compares the model with en-fr says."""
    other = (
        folders["en-fr"]
        if "en-fr" in folders
        else next(each for each in folders.values() if each.path.name == "en-fr")
    )
    both = (folders[NAME], other)
    one, two = (
        [
            ("size", [size_of(each)]),
            *zip(
                [tuple(each.config[key] for key in line) for line in OPTIONS], option_cells(each), strict=True
            ),
        ]
        for each in both
    )
    loud = [n for n in range(len(one)) if n == 0 or one[n][0] != two[n][0]]
    same = [n for n in range(len(one)) if n not in loud]
    return [
        Account("st-key-card_differ atlas-title", [[fact(NAME, "en-fr"), fact(len(loud), len(one))]]),
        Account("st-key-versus stSelectbox", [[fact("en-fr")]], "value"),
        Account("st-key-versus_stacks atlas-stacks", [*both[0].stacks, *both[1].stacks]),
        Account("atlas-config th", [[fact(NAME)], [fact("en-fr")]]),
        *(
            Account(
                f"atlas-config {where} td", [side[n][1] for n in lines for side in (one, two) if side[n][1]]
            )
            for where, lines in (("loud", loud), ("tr", same))
        ),
    ]


def test_an_import_begins(visit: Visit) -> None:
    page = visit_golden(visit, "checkpoints", desk="import")
    page.locator(".st-key-card_pick").wait_for()
    account(
        page,
        *furniture(None),
        Account("st-key-card_pick atlas-title", [[fact(1)]]),  # the first step
        Account("st-key-card_pick atlas-subtitle", [[fact(500)]]),  # megabytes
    )


# What B keeps of the paper: width, layers of encoder and decoder, heads and their width, feed-forward, dropout.
KEPT = fact(512, 6, 6, 8, 64, 2048, 0.1)
CUT = (1, 10, 8, 512 // 8)
"""The shape of B's attention: sentences, tokens, heads, numbers a head."""
MEANS = {(0.2, 0.3, 0.4): 0.2, (0.2, 0.4, 0.4): 0.3, (0.3, 0.4, 0.4): 0.4}
"""The means that B gives of three tokens of three numbers."""


def test_a_write_up_and_its_small_model(visit: Visit, folders: dict[str, Folder]) -> None:
    name = "tutorial-b"
    page = visit_golden(visit, "tutorials", tutorial=name)
    page.locator(".st-key-card_instances .atlas-quiet").first.wait_for()
    folder = next(each for each in folders.values() if each.path.name == name)
    c, quality = folder.config, folder.card["figures"]["quality"]
    exact = next(float(each["exact"]) for of, each in quality.items() if "test" in of)
    trained = [fact(c["encoder_layers"], c["decoder_layers"]), fact(c["heads"]), (folder.size,)]
    account(
        page,
        *furniture(None),
        no_result("card header card-subtitle", "of what a write-up is"),
        Account("st-key-card_instances atlas-quiet", [[*trained, (Number(exact, percent=True),)]]),
        Account("st-key-card_instances atlas-subtitle", [[fact(c["d_model"], c["heads"])]]),
        no_result("st-key-card_mistakes atlas-quiet", "what keeps its code from running"),
        no_result("st-key-card_mistakes atlas-subtitle", "where its mistakes open"),
        no_result("st-key-tutorial_head atlas-quiet", "its name"),
        Account("st-key-card_claim atlas-title", [[fact(*next(iter(MEANS)), 3, 0.3, 0.2)]]),
        Account("react-aria-ComboBox", [[fact(*next(iter(MEANS)), 3, 0.3, 0.2)]], "value"),
        Account("st-key-card_printed atlas-subtitle", [[fact(1), fact(1)]]),
        Account(
            "atlas-shapes td",  # ten tokens, eight heads of 512 numbers: the cut into heads, then the weights
            [[fact(*cut)] for cut in (CUT, CUT, (*CUT[:3], CUT[2]), (CUT[0], CUT[2], CUT[1], CUT[1]))],
        ),
        Account(
            "atlas-claimed td",
            [
                each
                for row, claimed in MEANS.items()
                for each in ([fact(*row, 3)], [fact(claimed)], [fact(sum(row) / 3)])
            ],
        ),
        Account("st-key-card_choices atlas-title", [[fact(10, 16)]]),
        Account("st-key-card_choices atlas-quiet", [[KEPT]]),
        Account("st-key-card_claims atlas-subtitle", [[fact(4, 5)]]),
        no_result(
            "st-key-card_claims atlas-answers", "tests/core/learning/test_claims.py computes them again"
        ),
        Account(
            "atlas-choices td",
            [[fact(0, 1, -1e9)]],
        ),
        no_result("stExpanderDetails", "the same sizes as the configuration writes them"),
    )
