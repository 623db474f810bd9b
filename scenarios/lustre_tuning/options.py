"""Options of the scenario: cluster, data, windows of time, reward."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from pmtwin.scenarios.lustre_tuning.workloads import UNIT_BYTES, Workload
from pmtwin.sim.control.tradeoff import MOST_WEIGHT
from pmtwin.sim.errors import InputError
from pmtwin.sim.lustre.cluster import ENGINES, Cluster
from pmtwin.sim.lustre.load import RANDOM, Load
from pmtwin.sim.options import Options, option, option_again
from pmtwin.sim.stations.hard_disk import GB

LEVEL, CHANGE, OBJECTIVE = "level", "change", "objective"


@dataclass(frozen=True, kw_only=True)
class LustreOptions(Options):
    """What an operator would set.

    Raises:
        InputError: for data that the disks have no room for, or an RPC or an OSC's data smaller than `UNIT_BYTES`.
    """

    engine: str = option(
        "compiled", "engine: compiled or simpy, with the same numbers", choices=ENGINES, metavar="NAME"
    )
    window_s: float = option(1.0, "length of a window, in s", low=1e-3, high=3600.0, metavar="S")
    fill_s: float = option(
        120.0, "time before the first window, in which the clients' caches fill with dirty data, in s",
        low=0.0, high=1e5, metavar="S",
    )  # fmt: skip
    reward: str = option(
        LEVEL,
        "reward of a window: its throughput in MB/s (level), how much that is above the window's before (change), or "
        "throughput over that of Lustre's default, less what a longer p99 costs (objective)",
        choices=(LEVEL, CHANGE, OBJECTIVE), metavar="NAME",
    )  # fmt: skip
    latency_weight: float = option(
        1.0, "cost of a p99 of twice that of Lustre's default, in its throughputs; for --reward objective", low=0.0,
        high=MOST_WEIGHT, metavar="W",
    )  # fmt: skip
    lost: float = option(
        0.0, "share of a client's indicators that are lost on their way, all of a window at once", low=0.0, high=1.0,
        metavar="P",
    )  # fmt: skip
    io_bytes: int = option(
        8192, "size of random reads and writes, in bytes (assumed)", low=512, high=UNIT_BYTES, metavar="B"
    )
    data_gb: float = option_again(Load, "data_gb")
    spread: float = option_again(Load, "spread")
    file_units: int = option(
        100, "reads and writes of 1 MiB that a file of the file server takes", low=1, high=10**5, metavar="N"
    )
    cluster: Cluster = field(default_factory=Cluster)

    def __post_init__(self):
        super().__post_init__()
        self.cluster.check_data(self.data_gb)
        self._check_units()

    def _check_units(self) -> None:
        """Refuse RPCs and data of an OSC that are smaller than the largest read or write of any workload."""
        cluster = self.cluster
        if cluster.rpc_kib * 1024 < UNIT_BYTES:
            allowed = f"at least {UNIT_BYTES // 1024}, a read or write of the workloads with files"
            raise InputError("rpc_kib", cluster.rpc_kib, allowed)
        if cluster.region_bytes(self.data_gb) < UNIT_BYTES:
            least_mb = math.ceil(cluster.oscs * UNIT_BYTES * 1e3 / GB)
            allowed = f"at least {least_mb / 1e3:g} GB, a MiB of each client on each server"
            raise InputError("data_gb", self.data_gb, allowed)

    def load(self, workload: Workload) -> Load:
        """What the threads of a client do under a workload."""
        return Load(
            pattern=workload.pattern,
            read_share=workload.read_share,
            threads=workload.threads,
            readers=workload.readers,
            unit_bytes=self.io_bytes if workload.pattern == RANDOM else UNIT_BYTES,
            data_gb=self.data_gb,
            spread=self.spread if workload.spread is None else workload.spread,
            file_units=self.file_units,
        )
