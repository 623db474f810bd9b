"""Options of a sizing: load, disks, prices, and limits."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

LOAD, DISKS, PRICES, LIMITS = "load", "disks", "prices", "limits"


@dataclass(frozen=True, kw_only=True)
class SizingOptions(Options):
    """A load on data of a given size, which a hash of the page number spreads evenly over the processes."""

    rate: float = option(help="total request rate, in requests/s", low=1e-3, high=1e9, metavar="R", group=LOAD)
    p99: float = option(
        help="maximum p99 response time, in milliseconds",
        low=1e-6,
        high=1e9,
        metavar="MS",
        group=LOAD,
    )
    data_gb: float = option(500.0, "total data size, in GB", low=1e-3, high=1e7, metavar="GB", group=LOAD)
    request_bytes: int = option(4096, "request size, in bytes", low=1, high=1 << 30, metavar="BYTES", group=LOAD)
    run_bytes: int = option(
        524_288,
        "mean length of a sequential read, in bytes",
        low=1,
        high=1 << 40,
        metavar="BYTES",
        group=LOAD,
    )
    skew: float = option(0.7, "Zipf exponent of the popularity of pages; 0: uniform", low=0.0, high=0.99, group=LOAD)
    disks: int = option(8, "number of disks, shared by all processes", low=1, high=1_000_000, metavar="N", group=DISKS)
    position_ms: float = option(
        24.0, "disk positioning time, with the wait for other users, in milliseconds", low=0.0, high=1e6, group=DISKS
    )
    disk_mb_s: float = option(85.0, "bandwidth of a disk, in MB/s", low=1e-3, high=1e6, group=DISKS)
    process_cost: float = option(
        1.0, "price of a process, its I/O thread included, in cores", low=0.0, high=1e9, group=PRICES
    )
    thread_cost: float = option(1.0, "price of a service thread, in cores", low=0.0, high=1e9, group=PRICES)
    gb_cost: float = option(0.003, "price of a GB of cache, in cores", low=0.0, high=1e9, group=PRICES)
    most_processes: int = option(64, "maximum number of processes", low=1, high=4096, metavar="P", group=LIMITS)
    most_threads: int = option(
        64, "maximum number of service threads per process", low=1, high=1024, metavar="K", group=LIMITS
    )
    most_gb: float = option(175.0, "maximum cache per process, in GB", low=1e-6, high=1e6, metavar="GB", group=LIMITS)
    most_load: float = option(0.9, "maximum utilisation of a queue", low=0.01, high=0.99, group=LIMITS)
    page_bytes: tuple[int, ...] = option(
        tuple(65_536 << n for n in range(8)), "page sizes to choose from, in bytes", low=1, high=1 << 34,
        metavar="BYTES", group=LIMITS,
    )  # fmt: skip

    def __post_init__(self):
        super().__post_init__()
        for name in ("rate", "p99"):
            if not getattr(self, name) < float("inf"):
                raise InputError(name, getattr(self, name), "a finite number")
        if self.run_bytes < self.request_bytes:
            raise InputError("run_bytes", self.run_bytes, f"at least a request, {self.request_bytes:,} bytes")
        if not self.page_bytes:
            raise InputError("page_bytes", self.page_bytes, "a size or more")
        for size in self.page_bytes:
            if not self.request_bytes <= size <= 1e9 * self.data_gb:
                raise InputError(
                    "page_bytes",
                    size,
                    f"the request size ({self.request_bytes:,}) to the total data size, in bytes",
                )

    def misses_per_s(self, page_bytes: int, processes: int) -> float:
        """mu_2: pages per second that the I/O thread of a process reads; with more processes than disks they share."""
        page_s = 1e-3 * self.position_ms + page_bytes / (1e6 * self.disk_mb_s)
        return min(1.0, self.disks / processes) / page_s

    def pages_per_request(self, page_bytes: int) -> float:
        """Mean number of pages, for each request of a sequential read, that the read looks up for the first time.

        A read of L bytes in requests of s bytes begins anywhere, so that it touches 1 + (L - s)/m pages of m bytes on
        average. Further requests for these pages hit.
        """
        touched = 1.0 + (self.run_bytes - self.request_bytes) / page_bytes
        return min(touched * self.request_bytes / self.run_bytes, 1.0)

    def cost(self, lines: int, processes: int, threads: int, page_bytes: int) -> float:
        """Cost of a configuration, in cores."""
        gb = 1e-9 * lines * page_bytes
        return processes * (self.process_cost + threads * self.thread_cost + gb * self.gb_cost)
