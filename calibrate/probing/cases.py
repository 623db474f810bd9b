"""Cases of the probe: a case is one configuration to measure, in the form of a request to the native probe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from pmtwin.calibrate.measurements import Configurations
from pmtwin.sim.device.effects import varied
from pmtwin.sim.device.power import REFERENCE_POWER_W

BANDWIDTH, LATENCY, CHASE, MIXED = "bandwidth", "latency", "chase", "mixed"


@dataclass(frozen=True)
class Case:
    """One configuration to measure.

    Args:
        kind: bandwidth, latency (single accesses, timed one by one) or chase (each load returns the next address).
        operation: load, ntstore, store_clwb or store; `mixed` for a mix.
        pattern: random or sequential.
        access_size_bytes: a multiple of 64.
        threads: at least 1.
        write_operation, write_ratio, mix_by: of a mix only; the ratio counts threads or accesses (`mix_by`).
        varied: (column, value) of each effect that the accesses have.
    """

    kind: str
    operation: str
    pattern: str
    access_size_bytes: int
    threads: int
    write_operation: str = ""
    write_ratio: float = 0.0
    mix_by: str = ""
    varied: tuple[tuple[str, int | str], ...] = ()

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Case:
        """The case of an entry, the inverse of `to_entry`."""
        columns = [effect.column for effect in varied()]
        told = tuple(
            (each.name, entry[each.name]) for each in columns if entry.get(each.name, each.unsaid) != each.unsaid
        )
        return cls(**{name: entry[name] for name in _PLAIN if name in entry}, varied=told)

    def to_json(self) -> dict:
        """The fields that are set, under the native probe's names."""
        return {name: value for name, value in self._plain().items() if value not in ("", 0)} | dict(self.varied)

    def to_entry(self) -> dict:
        """All fields, and the columns of all effects."""
        return self._plain() | {effect.column.name: effect.column.unsaid for effect in varied()} | dict(self.varied)

    def _plain(self) -> dict:
        return {name: getattr(self, name) for name in _PLAIN}

    @property
    def is_pure_bandwidth(self) -> bool:
        """Whether the law is fitted to the case."""
        return self.kind == BANDWIDTH and self.operation != MIXED and not self.is_effect

    @property
    def is_effect(self) -> bool:
        """Whether the case informs an effect."""
        return bool(self.varied)


_PLAIN = tuple(each.name for each in fields(Case) if each.name != "varied")


def configurations_of(cases: list[Case], dimms: float) -> Configurations:
    """The configurations of pure bandwidth cases, in the same order; their bandwidths are NaN, not yet measured."""
    count = len(cases)
    return Configurations(
        operation=np.array([case.operation for case in cases], dtype=str),
        pattern=np.array([case.pattern for case in cases], dtype=str),
        dimms=np.full(count, float(dimms)),
        power_w=np.full(count, REFERENCE_POWER_W),
        threads=np.array([case.threads for case in cases], dtype=float),
        access_size_bytes=np.array([case.access_size_bytes for case in cases], dtype=float),
        bandwidth_mib_s=np.full(count, np.nan),
        effective_write_ratio=np.full(count, np.nan),
        replicates=np.zeros(count, dtype=int),
    )
