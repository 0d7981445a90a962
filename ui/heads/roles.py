"""The heads of a model by role: those that have one first, each by its strength beside the role's threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.analysis.roles import ATLAS_SCORES, ROLES, Role
from core.language import plural, tr
from core.model.hooks import ATTENTION
from ui.heads.atlas import HeadRow, Measured
from ui.session import state
from ui.shared import importance, pin_heads
from ui.shared.context import DecodeView
from ui.shared.mount import mount
from ui.shared.tiles import TILES, Group, KindMaps, OneHead, Tile, TilesData, kind_maps
from ui.style.theme import Kind

if TYPE_CHECKING:
    from core.experiments.rankings import Survey


def wall(shown: DecodeView, measured: Measured, kinds: Sequence[Kind], opened: OneHead) -> None:
    """The card of all heads; a click opens one."""
    rows = [row for row in measured.rows if row.kind in kinds]
    trace = shown.decode.trace
    maps: dict[str, KindMaps] = {
        kind: kind_maps(
            trace.stacked(ATTENTION[kind].stack, ATTENTION[kind].block, "weights"),
            kind,
            pin_heads.cell_of(shown, kind),
        )
        for kind in {row.kind for row in rows}
    }
    survey = importance.surveyed(shown, True) if shown.entry.examples else None

    def picked(one: OneHead) -> None:
        state.update(kind=one.kind, layer=one.layer, head=one.head)

    mount(
        TILES,
        TilesData(
            groups(rows, survey),
            maps,
            title=title(rows),
            subtitle=tr(
                "Maps: this sentence · number and bar: mean over {sentences}, the mark is the threshold",
                sentences=over(measured),
            ),
            open=opened,
            name=f"roles-{shown.entry.name}",
        ),
        key="roles",
        picked=picked,
    )


def title(rows: Sequence[HeadRow]) -> str:
    """How many heads have a role."""
    count = sum(bool(row.roles) for row in rows)
    return plural(
        "{count} of {total} heads has a role that shows in its attention",
        "{count} of {total} heads have a role that shows in their attention",
        count,
        total=len(rows),
    )


def over(measured: Measured) -> str:
    """The sentences that were measured."""
    return plural("one sentence", "{count} sentences", measured.atlas.sentences)


def groups(rows: Sequence[HeadRow], survey: Survey | None) -> list[Group]:
    """One group a role and kind, by strength; then the heads without a role by kind. A head is in the first of its roles."""
    listed: list[Group] = []
    for role in ROLES:
        for kind in dict.fromkeys(row.kind for row in rows):
            those = [row for row in rows if row.kind == kind and row.roles and row.roles[0][0] == role]
            if those:
                those.sort(key=lambda row: -row.roles[0][1])
                total = sum(row.kind == kind for row in rows)
                count = tr("{count} of {total}", count=len(those), total=total)
                name = tr(role.name)
                tiles = tuple(_tile(row, survey) for row in those)
                listed.append(
                    Group(name[:1].upper() + name[1:], kind, tiles, means=tr(role.means), count=count)
                )
    without = [row for row in rows if not row.roles]
    if without:
        means = plural(
            "{count} head reaches no threshold; that does not make it useless",
            "{count} heads reach no threshold; that does not make them useless",
            len(without),
        )
        listed.append(Group(tr("No role"), without[0].kind, (), look="heading", means=means))
    for kind in dict.fromkeys(row.kind for row in without):
        those = [row for row in without if row.kind == kind]
        name = tr("{kind}: {count}", kind=tr(ATTENTION[kind].label), count=len(those))
        listed.append(Group(name, kind, tuple(_tile(row, survey) for row in those), look="small"))
    return listed


def _tile(row: HeadRow, survey: Survey | None) -> Tile:
    name = f"{row.layer}.{row.head}"
    hint = [tr("Head {head}", head=name)]
    hint += [strength(role, value) for role, value in row.roles] or [tr("no role")]
    if survey is not None:
        rank, total = rank_of(survey, row.kind, row.layer, row.head)
        hint.append(tr("importance: {rank} of {total}", rank=rank, total=total))
    value, share, threshold = "", None, None
    if row.roles:
        role, mean = row.roles[0]
        value, share, threshold = f"{100 * mean:.0f} %", round(float(mean), 4), role.threshold
    return Tile(row.kind, row.layer, row.head, " · ".join(hint), value, share, threshold)


def strength(role: Role, value: float) -> str:
    """A role with the mean that gives it: “alignment 77 % (threshold 75 %)”."""
    return tr(
        "{role} {value} (threshold {threshold})",
        role=tr(role.name),
        value=f"{100 * value:.0f} %",
        threshold=f"{100 * role.threshold:.0f} %",
    )


def rank_of(survey: Survey, kind: Kind, layer: int, head: int) -> tuple[int, int]:
    """(rank, heads) of a head by what its ablation costs; 1 is the one that is missed most."""
    values = np.concatenate([table.ravel() for table in survey.left_out.values()])
    return 1 + int((values > survey.left_out[kind][layer, head]).sum()), len(values)


assert all(role.metric in ATLAS_SCORES for role in ROLES)
