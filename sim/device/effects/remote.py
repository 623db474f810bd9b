"""The remote NUMA node: each access takes longer than from the local node, by a factor.

If threads run on both nodes, each has the speed of its node, and the factor is that of their mean speed. If a profile
states the capacity of the link between the nodes, remote threads move no more, on all sets of DIMMs together. The link
has this capacity each way: reads come one way and writes go the other, so that each side of a mix has a way of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from pmtwin.sim.device import law
from pmtwin.sim.device.access_points import AccessPoints, Outcome
from pmtwin.sim.device.cells import name_in
from pmtwin.sim.device.effects.effect import Column, EntryForm, MixChange, VariedEffect
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.typed_json import NotNegative, Positive

LOCAL, REMOTE, BOTH = "local", "remote", "both"
NODES = LOCAL, REMOTE
"""Nodes of a measurement."""

SHARES = {LOCAL: 0.0, REMOTE: 1.0, BOTH: 0.5}
"""Share of the threads that run on the remote node, by the name in a table of points."""

LINK_SOFTNESS = 4.0
"""How sharply a link fills: the whole number with the smallest error on reads of remote DRAM
(`pmtwin.calibrate.effects.remote_dram`)."""

PARAMETERS = {"time_factor": "time of an access from the remote node over that from the local one"}


Share = Annotated[float, Meta(ge=0, le=1)]


class MixesForm(Struct):
    """Factors on mixes from the remote node, by numbers of threads and shares of writes."""

    threads: Annotated[list[Positive], Meta(min_length=2)]
    write_shares: Annotated[list[Share], Meta(min_length=2)]
    time_factors: list[list[Positive]]
    log_half_width: NotNegative

    def __post_init__(self) -> None:
        for name in ("threads", "write_shares"):
            values = getattr(self, name)
            if sorted(set(values)) != values:
                raise InputError(name, values, "rising numbers")
        if {len(curve) for curve in self.time_factors} != {len(self.write_shares)} or len(self.time_factors) != len(
            self.threads
        ):
            raise InputError("time_factors", self.time_factors, "a row for each of threads, over write_shares")


class RemoteEntryForm(EntryForm):
    """A profile's entry, with optional factors of mixes of reads and writes, and the capacity of the link."""

    mixes: MixesForm | None = None
    link_mib_s: Positive | None = None


class Remote(VariedEffect):
    """The effect with column `numa`: the node of the threads, as seen from the memory."""

    name = "remote"
    parameters = PARAMETERS
    column = Column("numa", "remote", NODES)
    form = RemoteEntryForm
    own_latency = True
    in_mixes = True

    def read(self, row: Mapping[str, str], pattern: str, access_size_bytes: float, where: str) -> float:
        return SHARES[name_in(self.column.name, row, tuple(SHARES), where)]

    def check_threads(self, value: float, threads: float, where: str) -> None:
        check_both(BOTH if value == SHARES[BOTH] else "", threads, where)

    def apply(
        self,
        parameters: Mapping[str, float],
        entry: Mapping,
        pattern: str,
        points: AccessPoints,
        outcome: Outcome,
        present: np.ndarray,
    ) -> None:
        share = points.column(self.column.key)[present]
        factor = np.broadcast_to(np.asarray(entry["parameters"]["time_factor"]), share.shape)
        if link := entry.get("link_mib_s"):
            bounds = outcome.issue_mib_s[present], outcome.media_mib_s[present]
            local = law.join_bounds(parameters, *bounds) * outcome.correction[present]
            factor = share * local / linked_mib_s(share * local / factor, link / points.sets[present])
        outcome.time_factor[present] = mean_factor(factor, share)
        self.widen(entry, pattern, points, outcome, present)

    def mix_change(self, entry: Mapping, points: AccessPoints, write_share: np.ndarray) -> MixChange | None:
        present, mixes = points.has(self.column.key), entry.get("mixes")
        if mixes is None or not present.any():
            return None
        factors = mix_factors(mixes, points.threads, write_share)
        return MixChange(present, mean_factor(factors, points.column(self.column.key)), mixes["log_half_width"])


def check_both(node: str, threads: float, where: str) -> None:
    """Raise `InputError` if `node` is `both` and there are fewer than two threads."""
    if node == BOTH and threads < len(NODES):
        allowed = f"at least {len(NODES)} with numa=both, half of them on either node; or numa local or remote"
        raise InputError("threads", int(threads), allowed, where)


def linked_mib_s(offered_mib_s: np.ndarray, link_mib_s: float) -> np.ndarray:
    """Bandwidth over a link with capacity `link_mib_s`: a smooth minimum."""
    return offered_mib_s * (1.0 + (offered_mib_s / link_mib_s) ** LINK_SOFTNESS) ** (-1.0 / LINK_SOFTNESS)


def mean_factor(factor: np.ndarray | float, share: np.ndarray) -> np.ndarray:
    """Factor on the time of an access, where a share of the threads takes `factor` times as long as the others."""
    return np.where(share == 1.0, factor, 1.0 / (1.0 - share + share / factor))


def mix_factors(mixes: Mapping, threads: np.ndarray, write_share: np.ndarray) -> np.ndarray:
    """Time of a mix from the remote node over that from the local one, arrays of one shape.

    Interpolated over the share of writes and the logarithm of the number of threads; outside the measured numbers of
    threads, the factor of the nearest.

    Args:
        mixes: of a profile's entry, with `threads`, `write_shares` and `time_factors` of shape (threads, shares).
    """
    counts, shares, logs = np.log(mixes["threads"]), mixes["write_shares"], np.log(mixes["time_factors"])
    curves = np.array([np.interp(write_share, shares, curve) for curve in logs])
    place = np.interp(np.log(threads), counts, np.arange(counts.size))
    below = np.minimum(place.astype(int), counts.size - 2)
    low, high = (np.take_along_axis(curves, (below + step)[None], axis=0)[0] for step in (0, 1))
    return np.exp(low + (place - below) * (high - low))
