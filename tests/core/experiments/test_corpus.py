"""The corpus atlas and its commands: running sums are those of numpy, parts join to the whole, a stopped run goes on."""

from __future__ import annotations

import csv
import errno
import json
import re
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.analysis import contributions as parts
from core.analysis import heads as analysis
from core.analysis.alignment import READINGS, Measured, from_lines, measure, read_gold
from core.analysis.roles import Running, leading_score
from core.api import Checkpoint, load, trace, trace_many
from core.errors import InputError
from core.experiments import contributions, corpus_run, importance
from core.experiments.cli import write_csv
from core.experiments.contributions import gold_survey
from core.experiments.corpus import QUANTILES, RECORD, Atlas, Sentence, load_atlas, value_sizes
from core.experiments.corpus_run import output_metrics
from core.experiments.what_if import Pair
from core.model.hooks import ATTENTION
from core.tokenizer.tokenizer import spaced_words
from tests.core.conftest import Command, write
from tests.core.experiments.test_contributions import of_words

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def shipped_dates() -> Checkpoint:
    return load(ROOT / "checkpoints" / "dates", device="cpu")


SENTENCES = ("abc def.", "a", "face dig. abba", "jig cab", "hi. bad cafe ice", "decade", "fa ja ga")
PAIRS = [(text, other) for text, other in zip(SENTENCES, reversed(SENTENCES), strict=True)]


def test_running_sums_are_numpys_and_join() -> None:
    draw = np.random.default_rng(0)
    values = draw.normal(3, 2, size=(50, 2, 3))
    values[4, 0, 1] = values[7, 1, 2] = np.nan
    values[:, 1, 0] = np.nan
    whole, one, two = (Running.empty((2, 3)) for _ in range(3))
    for position, each in enumerate(values):
        whole.meet(each)
        (one if position % 3 else two).meet(each)
    one.join(two)
    for running in (whole, one):
        np.testing.assert_allclose(running.average, mean_of(values), atol=1e-12)
        np.testing.assert_allclose(running.spread, spread_of(values), atol=1e-12)
    assert np.isnan(whole.average[1, 0]) and np.isnan(whole.spread[1, 0])


def mean_of(values: np.ndarray) -> np.ndarray:
    """The mean over the first axis of what is no NaN; NaN where nothing is left."""
    with warnings.catch_warnings(action="ignore"):
        return np.asarray(np.nanmean(values, axis=0))


def spread_of(values: np.ndarray) -> np.ndarray:
    with warnings.catch_warnings(action="ignore"):
        return np.asarray(np.nanstd(values, axis=0))


def atlas_of(checkpoint: Checkpoint, pairs: list[tuple[str, str]], first: int = 0) -> Atlas:
    result = Atlas(checkpoint.config)
    for number, each in enumerate(trace_many(checkpoint, pairs, record=RECORD), start=first):
        result.meet(each, sentence=Sentence(number, ""))
    return result


@pytest.mark.sampled(3)
def test_a_row_is_the_mean_of_the_sentences_own_scores(kind: Checkpoint) -> None:
    result = atlas_of(kind, PAIRS)
    traces = [trace(kind, source, target, record=RECORD) for source, target in PAIRS]
    for key, side in ATTENTION.items():
        sides = {
            "encoder": ("source", "source"),
            "causal": ("target", "target"),
            "cross": ("written", "source"),
        }[key]
        own = [
            analysis.head_scores(
                each.stacked(side.stack, side.block, "weights"),
                side.name,
                queries=getattr(each.tokens, sides[0]),
                keys=getattr(each.tokens, sides[1]),
            )
            for each in traces
        ]
        for name in ("entropy", "confidence", "eos_share", "effective_rank"):
            values = np.array([scores[name] for scores in own])
            np.testing.assert_allclose(result.scores[side.name][name].average, mean_of(values), atol=1e-5)
            np.testing.assert_allclose(result.scores[side.name][name].spread, spread_of(values), atol=1e-4)
    rows = result.rows()
    config = kind.config
    assert (
        len(rows)
        == config.heads * config.encoder_layers + 2 * config.of("decoder").heads * config.decoder_layers
    )
    apart = result.divergence["cross"].average
    assert (apart >= 0).all() and apart.max() <= np.log(2) and np.allclose(apart, apart.T)


@pytest.mark.sampled(3)
def test_what_arrives_from_sinks_is_by_the_size_of_f(kind: Checkpoint) -> None:
    """‖f(x)‖ of the atlas is that of the contributions, computed there from the vectors themselves."""
    source, target = PAIRS[4]
    one = trace(kind, source, target, record=(*RECORD, *contributions.RECORD))
    metrics = output_metrics(kind.model)
    for key in ATTENTION:
        expected = [
            [np.linalg.norm(layer.head_vectors(head), axis=-1) for head in range(len(layer.weights))]
            for layer in contributions.layers(kind.model, one, key)  # type: ignore[arg-type]
        ]
        np.testing.assert_allclose(value_sizes(one, key, metrics[key]), expected, rtol=1e-6)
    result = Atlas(kind.config)
    result.meet(one, None, None, metrics)
    for layer, part in enumerate(contributions.layers(kind.model, one, "cross")):
        weighted = parts.weighted_norms(part)
        sink = [label.startswith("⟨") or label == "." for label in one.tokens.source]
        share = (weighted[..., sink].sum(-1) / weighted.sum(-1)).mean(-1)
        np.testing.assert_allclose(result.scores["cross"]["sink_arrives"].average[layer], share, rtol=1e-6)


def test_the_sample_is_the_same_however_the_corpus_was_shared(
    tiny: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.experiments.corpus.SAMPLE", 4)
    whole, one, two = (Atlas(tiny.config) for _ in range(3))
    for number, ((source, target), each) in enumerate(
        zip(PAIRS, trace_many(tiny, PAIRS, record=RECORD), strict=True)
    ):
        for part in (whole, one if number % 3 else two):
            part.meet(each, None, Sentence(number, source, target))
    two.join(one)
    sentences = [Sentence(number, *pair) for number, pair in enumerate(PAIRS)]
    expected = sorted(sentences, key=lambda sentence: sentence.draw)[:4]
    for part in (whole, two):
        assert [drawn.sentence for drawn in part.sample] == expected
    values = np.stack([drawn.scores["cross"]["entropy"] for drawn in whole.sample])
    np.testing.assert_allclose(whole.quantiles("cross", "entropy"), np.quantile(values, QUANTILES, axis=0))


def test_the_sentences_of_a_head_are_nearest_to_its_mean_and_farthest_from_it(tiny: Checkpoint) -> None:
    result = atlas_of(tiny, PAIRS)
    for layer, head in ((0, 1), (1, 3)):
        metric = leading_score(result.means("cross", layer, head), "cross")
        own = [
            (drawn.sentence.number, float(drawn.scores["cross"][metric][layer, head]))
            for drawn in result.sample
        ]
        mean = result.means("cross", layer, head)[metric]
        shown = result.shown("cross", layer, head)
        assert shown is not None
        typical, extreme = shown
        assert typical.metric == metric and typical.mean == mean
        known = [(abs(value - mean), number) for number, value in own if np.isfinite(value)]
        assert abs(abs(typical.value - mean) - min(known)[0]) < 1e-6
        assert abs(abs(extreme.value - mean) - max(known)[0]) < 1e-6
        assert dict(own)[typical.sentence.number] == typical.value
        assert typical.sentence.number != extreme.sentence.number
    table = result.scores["cross"]["normalised_entropy"]
    for drawn in result.sample:  # all alike: the first of the corpus stands for both
        drawn.scores["cross"][metric][1, 3] = table.mean[1, 3]
    result.scores["cross"][metric].mean[1, 3] = table.mean[1, 3]
    equal = result.shown("cross", 1, 3)
    if equal is not None and leading_score(result.means("cross", 1, 3), "cross") == metric:
        assert equal[0].sentence.number == equal[1].sentence.number == 0


def test_on_dates_the_alignment_head_is_the_one_that_reads_the_month(shipped_dates: Checkpoint) -> None:
    """A head that the atlas calls alignment looks at the month's letters while the month's digits are written."""
    texts = [each["source"] for each in shipped_dates.card["examples"]]
    stored = load_atlas(ROOT / "checkpoints" / "dates", shipped_dates.config, shipped_dates.digest)
    named = [
        (layer, head)
        for layer in range(2)
        for head in range(4)
        if any(role.startswith("alignment") for role in stored.roles("cross", layer, head))
    ]
    on_month = []
    for text in texts:
        month = re.search(r"may|dec|february", text.lower())
        if month is None:
            continue
        result = trace(shipped_dates, text, record=("*.cross.weights",))
        weights = result.stacked("decoder", "cross", "weights")
        written = "".join(result.tokens.written)
        assert re.match(r"\d{4}-\d{2}-\d{2}", written)
        on_month.append(weights[:, :, 5:7, month.start() : month.end()].sum(-1).mean(-1))
    share = np.mean(on_month, axis=0)
    best = np.unravel_index(int(share.argmax()), share.shape)
    assert len(on_month) >= 6 and tuple(map(int, best)) in named and share[best] > 0.85


def test_a_part_that_is_kept_goes_on_as_if_never_stopped(tiny: Checkpoint, tmp_path: Path) -> None:
    whole = atlas_of(tiny, PAIRS)
    first = atlas_of(tiny, PAIRS[:3])
    first.save(tmp_path / "part", "this corpus")
    again = Atlas.load(tmp_path / "part", tiny.config, "this corpus")
    again.join(atlas_of(tiny, PAIRS[3:], first=3))
    check_same(again.rows(), whole.rows(), 1e-6)
    assert Atlas.load(tmp_path / "part", tiny.config, "another").sentences == 0
    (tmp_path / "part").write_bytes(b"no file of numbers")
    assert Atlas.load(tmp_path / "part", tiny.config, "this corpus").sentences == 0


def check_same(rows: list[dict[str, Any]], others: list[dict[str, Any]], within: float) -> None:
    assert [list(row) for row in rows] == [list(row) for row in others]
    for row, other in zip(rows, others, strict=True):
        for name, value in row.items():
            if isinstance(value, float):
                np.testing.assert_allclose(value, other[name], atol=within, err_msg=name)
            elif name != "roles":
                assert value == other[name]


# -- the commands -------------------------------------------------------------------------------------------------

TEXTS = ("A man.", "I am tired.", "The dog is chasing a white ball.", "Where is my book?", "A white dog.")
# Sentences, translations and their hand-made alignment.
ALIGNED = (
    ("I am tired.", "The white dog"),
    ("Je suis fatigué.", "Le chien blanche"),
    ("1-1 2-2 3p3", "1-1 2-3 3-2"),
)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def aligned(tmp_path: Path) -> list[Path]:
    """The files of `ALIGNED`."""
    return [write(tmp_path / name, *lines) for name, lines in zip("stg", ALIGNED, strict=True)]


def test_heads_writes_a_row_a_head_and_goes_on_where_it_stopped(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = write(tmp_path / "corpus.txt", *TEXTS[:2], " ", "The ball. " * 40, *TEXTS[2:])
    code, text, _ = command("heads", corpus=corpus, out=tmp_path / "once.csv")
    assert code == 0 and "12 heads over 5 sentences" in text
    monkeypatch.setattr(corpus_run, "SAVED", 2)
    real, met = Atlas.meet, []

    def meet(self: Atlas, *args: Any) -> None:
        met.append(1)
        if len(met) == 4:
            raise KeyboardInterrupt
        real(self, *args)

    monkeypatch.setattr(Atlas, "meet", meet)
    assert command("heads", corpus=corpus, out=tmp_path / "twice.csv")[0] == 130
    assert not (tmp_path / "twice.csv").exists()
    monkeypatch.setattr(Atlas, "meet", real)
    code, text, _ = command("heads", corpus=corpus, out=tmp_path / "twice.csv")
    assert code == 0 and "2 of 5 sentences are done; going on" in text
    once, twice = read(tmp_path / "once.csv"), read(tmp_path / "twice.csv")
    assert len(once) == 12 and once[0]["kind"] == "encoder-self"
    for one, two in zip(once, twice, strict=True):
        for name in set(one) - {"kind", "layer", "head", "roles"}:
            assert (one[name] == two[name] == "") or abs(float(one[name]) - float(two[name])) < 1e-6, name
    assert not list(tmp_path.glob("*.part"))


def test_importance_writes_the_two_rankings(
    command: Command, aligned: list[Path], tiny_checkpoint: Path, tmp_path: Path
) -> None:
    out = tmp_path / "o.csv"
    code, text, _ = command("importance", corpus=aligned[0], target=aligned[1], out=out)
    assert code == 0 and "Spearman" in text
    checkpoint = load(tiny_checkpoint, device="cpu")
    pairs = [
        Pair(tuple(checkpoint.encode_source(s)), tuple(checkpoint.target_tokenizer.encode(t)))
        for s, t in zip(*ALIGNED[:2], strict=True)
    ]
    *_, expected = importance.leave_one_out(checkpoint.model, pairs)
    keys = {side.name: key for key, side in ATTENTION.items()}
    rows = read(out)
    assert len(rows) == 12
    for row in rows:
        value = expected.tables[keys[row["kind"]]][int(row["layer"]), int(row["head"])]  # type: ignore[index]
        assert abs(float(row["left_out"]) - value) < 1e-4
    order = [float(row["left_out"]) for row in rows]
    assert order == sorted(order, reverse=True)


def test_align_measures_every_head_against_the_gold_file(
    command: Command, aligned: list[Path], tiny_checkpoint: Path, tmp_path: Path
) -> None:
    source, target, gold = aligned
    code, text, _ = command("align", source=source, target=target, gold=gold, out=tmp_path / "o.csv")
    rows = read(tmp_path / "o.csv")
    assert code == 0 and len(rows) == 2 * 2 * 2 + 2 and "AER" in text
    baselines = {row["reading"] for row in rows if not row["layer"]}
    assert baselines == {"diagonal", "ibm1"} and "heads and readings align better" in text
    assert {"aer_low", "aer_high", "n", "beats_diagonal"} <= set(rows[0])
    checkpoint = load(tiny_checkpoint, device="cpu")
    row = next(row for row in rows if (row["layer"], row["head"], row["reading"]) == ("1", "0", "writing"))
    by_hand = [links_by_hand(checkpoint, *pair) for pair in zip(*ALIGNED[:2], strict=True)]
    total = sum(map(measure, by_hand, read_gold(ALIGNED[2])), Measured())
    assert abs(float(row["aer"]) - total.aer) < 1e-9
    assert command("align", source=source, target=target, head="1.0", out=tmp_path / "links.txt")[0] == 0
    links = (tmp_path / "links.txt").read_text().splitlines()
    assert [set(line.split()) for line in links] == [{f"{s}-{t}" for s, t in each} for each in by_hand]


def links_by_hand(checkpoint: Checkpoint, source: str, target: str) -> set[tuple[int, int]]:
    """Head 1.0 at the step that writes: letters of the labels counted off against the words between spaces."""
    traced = trace(checkpoint, source, target, record=("*.weights",))
    weights = traced.array("decoder.1.cross.weights")[0]
    rows, columns = of_words(traced.tokens.written, target), of_words(traced.tokens.source, source)
    chosen = set()
    for word in range(max(rows) + 1):
        mean = weights[[t for t, number in enumerate(rows) if number == word]].mean(0)
        share = {
            number: sum(mean[j] for j, own in enumerate(columns) if own == number) for number in set(columns)
        }
        best = max(share, key=lambda number: share[number])
        if best >= 0:
            chosen.add((best, word))
    return chosen


def test_align_reads_one_file_of_pairs_and_prints_aer_by_layer(
    command: Command, aligned: list[Path], tiny_checkpoint: Path, tmp_path: Path
) -> None:
    """With the gold in it, it measures; without, or where a head is named, it links. Either as from files of their own."""
    source, target, gold = aligned
    pairs, whole = (
        write(tmp_path / f"{many} columns", *map(" ||| ".join, zip(*ALIGNED[:many], strict=True)))
        for many in (2, 3)
    )
    given = (
        {"source": source, "target": target, "gold": gold},
        {"source": pairs, "gold": gold},
        {"source": whole},
    )
    done = [command("align", out=tmp_path / f"measured{n}", **files) for n, files in enumerate(given)]
    assert [code for code, *_ in done] == [0, 0, 0]
    texts = [text for _, text, _ in done]
    assert len({(tmp_path / f"measured{n}").read_text() for n in range(3)}) == 1
    assert len({"\n".join(words.split("\n")[:3]) for words in texts}) == 1
    for n, files in enumerate(given):
        code, *_ = command(
            "align",
            out=tmp_path / f"linked{n}",
            head="1.0",
            **{k: v for k, v in files.items() if k != "gold"},
        )
        assert code == 0
    assert len({(tmp_path / f"linked{n}").read_text() for n in range(3)}) == 1
    *_, last = gold_survey(load(tiny_checkpoint, device="cpu"), from_lines("g", whole.read_text()))
    counts = last.counts["weight"]
    printed = [re.findall(r"\d\.\d{3}|nan", line) for line in texts[0].split("\n")[1:3]]
    for reading, numbers in zip(READINGS, printed, strict=True):
        expected = [*counts.by_layer(reading), counts.of(reading, None, None).aer]
        assert numbers == [f"{value:.3f}" for value in expected]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a b", "Line 1 of"),
        ("a ||| b\nc ||| d ||| 1-1", "Line 2 of"),
        ("a ||| b ||| c ||| d", "4 parts"),
    ],
)
def test_a_line_that_is_no_pair_is_named(command: Command, tmp_path: Path, text: str, says: str) -> None:
    pairs = write(tmp_path / "p", text)
    code, _, sentence = command("align", source=pairs, head="0.0", out=tmp_path / "o")
    assert code == 2 and says in sentence and sentence.count("\n") == 1 and not (tmp_path / "o").exists()


def test_what_words_need_is_measured_on_the_first_sentences_alone(
    tiny: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of a long corpus, and what is too long, has every other score."""
    monkeypatch.setattr("core.analysis.roles.NEEDED", -1.0)
    monkeypatch.setattr(corpus_run, "COMPARED", 2)
    *_, stage = corpus_run.measure_corpus(tiny, PAIRS)
    table = stage.atlas.scores["cross"]
    assert (table["alignment"].count == 2).all() and (table["alignment_fed_back"].count == 2).all()
    assert (table["entropy"].count == len(PAIRS)).all()
    monkeypatch.setattr(corpus_run, "_MOST_VECTORS", 1)
    *_, stage = corpus_run.measure_corpus(tiny, PAIRS)
    assert not stage.atlas.scores["cross"]["alignment"].count.any()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"gold": "gone"}, "cannot be read"),
        ({"head": "9.9"}, "--head is '9.9'"),
        ({"head": "x"}, "--head is 'x'"),
        ({"head": "9" * 5000 + ".0"}, "write layer.head, from 0.0 to 1.1"),
        ({"gold": "s", "head": "1.0"}, "leave out --head and --reading, or --gold"),
        ({"gold": "s", "reading": "writing"}, "leave out --head and --reading, or --gold"),
        ({}, "names no head"),
    ],
)
def test_a_mistake_is_one_line(
    command: Command, aligned: list[Path], tmp_path: Path, change: dict[str, str], says: str
) -> None:
    code, _, text = command("align", source=aligned[0], target=aligned[1], out=tmp_path / "o", **change)
    assert code == 2 and says in text and text.count("\n") == 1


@pytest.fixture
def with_head(tiny_checkpoint: Path, tmp_path: Path) -> Callable[..., Path]:
    """`with_head(layer=…, head=…)`: a copy of the checkpoint whose card names this head of cross-attention."""

    def named(**stated: Any) -> Path:
        folder = shutil.copytree(tiny_checkpoint, tmp_path / "tiny", dirs_exist_ok=True)
        card = json.loads((folder / "card.json").read_text())
        card["default_heads"] = {"cross": {"share": 0.5, "words": 9, "sentences": 2, **stated}}
        (folder / "card.json").write_text(json.dumps(card))
        return folder

    return named


@pytest.mark.parametrize(
    "stated", [{"layer": "x", "head": 0}, {"layer": 99, "head": 0}, {"layer": 0, "head": -1}]
)
def test_a_head_that_the_card_names_and_the_model_lacks_is_one_line(
    command: Command,
    with_head: Callable[..., Path],
    aligned: list[Path],
    tmp_path: Path,
    stated: dict[str, Any],
) -> None:
    given = {"source": aligned[0], "target": aligned[1], "out": tmp_path / "o"}
    code, _, text = command("align", checkpoint=with_head(**stated), **given)
    assert code == 2 and "names no head" in text
    assert command("align", checkpoint=with_head(layer=1, head=1), **given)[0] == 0


def test_the_head_that_the_card_names_is_read_as_the_card_says(
    command: Command, with_head: Callable[..., Path], aligned: list[Path], tmp_path: Path
) -> None:
    folder = with_head(layer=1, head=0, reading="reading")

    def links(**more: str) -> str:
        given = {"source": aligned[0], "target": aligned[1], "out": tmp_path / "o"}
        assert command("align", checkpoint=folder, **given, **more)[0] == 0
        return (tmp_path / "o").read_text()

    reading, writing = (links(head="1.0", reading=name) for name in ("reading", "writing"))
    assert reading != writing, "the two steps have links of their own"
    assert links() == reading and links(reading="writing") == writing
    assert links(head="1.0") == writing, "a head that was chosen is not the card's"


def test_a_disk_that_is_full_leaves_the_old_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __init__(self, stream: Any) -> None:
            self.stream = stream

        def writerow(self, row: Any) -> None:
            self.stream.write("half a row")
            raise OSError(errno.ENOSPC, "No space left on device")

    table = tmp_path / "heads.csv"
    write_csv(table, [{"name": "fatigué", "share": 1 / 3}])
    old = table.read_bytes()
    assert old == "name,share\r\nfatigué,0.333333333\r\n".encode()
    monkeypatch.setattr(csv, "writer", Full)
    with pytest.raises(InputError, match=r"heads\.csv cannot be written \(No space left on device\)"):
        write_csv(table, [{"name": "other"}])
    assert table.read_bytes() == old and [each.name for each in tmp_path.iterdir()] == ["heads.csv"]


def test_a_corpus_without_a_sentence_is_one_line(command: Command, tmp_path: Path) -> None:
    corpus = write(tmp_path / "s", "", " ")
    code, _, text = command("heads", corpus=corpus, out=tmp_path / "o")
    assert code == 2 and "no sentence" in text
    code, _, text = command("heads", corpus=corpus, target=write(tmp_path / "t", "one"), out=tmp_path / "o")
    assert code == 2 and "one translation per sentence" in text


def test_words_between_spaces_are_found_whatever_the_tokenizer_calls_a_word(
    build: Callable[..., Checkpoint],
) -> None:
    tokenizer = build().source_tokenizer
    text = "abc de.f ja."
    ids = tokenizer.encode(text)
    result = spaced_words(tokenizer, ids, text)
    labels = tokenizer.labels(ids)
    spelled = ["".join(label for label, word in zip(labels, result, strict=True) if word == n and label != "␣") for n in range(3)]  # fmt: skip
    assert spelled == ["abc", "de.f", "ja."] and result[-1] == -1
    with pytest.raises(InputError, match="do not spell"):
        spaced_words(tokenizer, ids, "abc de.f jaja.")
