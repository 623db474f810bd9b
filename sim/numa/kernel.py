"""The operating system's scheduler: Linux 4.18, of a processor's queue (CFS) and of the balance between queues."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.options import Options, option

OFF, DAX_SKIPPED, ALL_MEMORY = "off", "dax-skipped", "all-memory"


@dataclass(frozen=True, kw_only=True)
class Kernel(Options):
    """Parameters of Linux 4.18 with its defaults, for a machine of 8 logical cores or more."""

    title = "operating system"

    latency_ms: float = option(
        24.0, "time in which each ready thread of a logical core runs once, in ms", low=1e-3, high=1e6, metavar="MS"
    )
    least_slice_ms: float = option(3.0, "shortest slice of a thread, in ms", low=1e-3, high=1e6, metavar="MS")
    balance: bool = option(True, "moves of threads by the kernel, from long queues to short ones")
    numa_balancing: str = option(
        OFF,
        "moves of threads by the kernel to the memory that they access: off, dax-skipped (as Linux: persistent memory "
        "does not count, only DRAM) or all-memory",
        choices=(OFF, DAX_SKIPPED, ALL_MEMORY), metavar="NAME",
    )  # fmt: skip
    busy_factor: float = option(32.0, "how much more rarely busy cores look for threads", low=1.0, high=1e6)
    hot_ms: float = option(
        0.5, "a thread that ran within this time is spared at first, in ms", low=0.0, high=1e6, metavar="MS"
    )
    smt_percent: float = option(110.0, "load of the busiest group among siblings that is too much", low=100.0, high=1e6)
    socket_percent: float = option(117.0, "the same among the cores of a socket", low=100.0, high=1e6)
    numa_percent: float = option(125.0, "the same among nodes", low=100.0, high=1e6)
    switch_us: float = option(2.0, "time of a context switch, in us (assumed)", low=0.0, high=1e6, metavar="US")
    fault_us: float = option(1.0, "time of a minor page fault, in us (assumed)", low=0.0, high=1e6, metavar="US")
    page_bytes: int = option(
        2 << 20, "size of a page of persistent memory, in bytes (assumed)", low=4096, high=1 << 40, metavar="B"
    )
    refill_bytes: float | None = option(
        None,
        "bytes that a thread reads again on another core; none: its share of the second-level cache",
        low=0.0, high=1e12, metavar="B",
    )  # fmt: skip
