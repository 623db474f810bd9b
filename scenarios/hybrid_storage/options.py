"""Options of the scenario: the storage, the workloads, windows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pmtwin.scenarios.block_traces import APART, TOGETHER
from pmtwin.scenarios.hybrid_storage.workloads.shape import Shape
from pmtwin.sim.errors import ConflictError
from pmtwin.sim.files.input_file import shareable
from pmtwin.sim.hybrid.options import HybridOptions
from pmtwin.sim.hybrid.running import ENGINES
from pmtwin.sim.options import Options, leaves, option

ALL, NO_YARDSTICK = "all", "none"
REFERENCE, OPTIMUM = "write-lru", "optimum"
"""Policy and yardstick between which the gap lies that others close."""

YARDSTICKS = (OPTIMUM, "optimum_charged", "oracle_epoch")

BESIDE_A_TRACE = "does not go with --trace, which has its own requests; remove one of the two"


@dataclass(frozen=True, kw_only=True)
class HybridStorageOptions(Options):
    """What an operator would set.

    Raises:
        ConflictError: for options of drawn workloads beside a trace.
    """

    engine: str = option(
        "compiled", "engine: compiled or simpy, with the same numbers", choices=ENGINES, metavar="NAME"
    )
    trace: Path | None = option(
        None,
        "block requests in the place of the workloads: CSV, oracleGeneral, a log of fio, text of blkparse, or a trace "
        "of MSR, SYSTOR'17, Alibaba or Tencent; also compressed",
        metavar="FILE",
    )
    volumes: str = option(
        APART, "whether equal offsets of two volumes of the trace are different pages", choices=(APART, TOGETHER),
        metavar="NAME",
    )  # fmt: skip
    measured: float = option(
        0.5, "last part of a workload that is measured; the first part runs before the first window, unmeasured",
        low=0.01, high=1.0, metavar="P",
    )  # fmt: skip
    requests_per_window: int = option(1000, "answered requests that end a window", low=10, high=10**6, metavar="N")
    yardsticks: tuple[str, ...] = option(
        (ALL,),
        f"what evaluate shows of what is possible, for two devices: {', '.join(YARDSTICKS)}, {ALL} or {NO_YARDSTICK}",
        choices=(*YARDSTICKS, ALL, NO_YARDSTICK), metavar="NAME",
    )  # fmt: skip
    wear_weight: float = option(
        0.0, "weight w of the wear in the reward, 1 / slowdown - w x write amplification", low=0.0, high=100.0,
        metavar="W",
    )  # fmt: skip
    device_samples: int = option(
        0, "sampled devices that the measurements behind device files allow: runs take turns; 0: the fitted ones",
        low=0, high=1000, metavar="N",
    )  # fmt: skip
    storage: HybridOptions = field(default_factory=HybridOptions)
    shape: Shape = field(default_factory=Shape)

    def of_device(self, number: int) -> HybridStorageOptions:
        """The options of a run on a sampled device; themselves without samples."""
        return replace(self, storage=self.storage.sampled(number), device_samples=0) if self.device_samples else self

    def __getstate__(self) -> dict[str, Any]:
        """The state for worker processes, which cannot read a pipe that this process has read."""
        return self.__dict__ | ({} if self.trace is None else {"trace": shareable(self.trace)})

    def __post_init__(self):
        super().__post_init__()
        if self.device_samples:
            self.storage.sampled(self.device_samples - 1)
        if self.trace is not None:
            for leaf in leaves(Shape):
                value = getattr(self.shape, leaf.name)
                if value != leaf.default:
                    raise ConflictError(leaf.name, value, BESIDE_A_TRACE)
