"""Options of the whole two-tiered storage."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pmtwin.scenarios.two_tier.storage.mapping import MAPPINGS, RANDOM
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import Options, option

PAGE_BYTES = 524_288
"""Page size of the paper, for which the times of disks are fitted."""

READ, READ_MODIFY_WRITE = "read", "read-modify-write"
SHARED, LOCAL = "shared", "local"
UNIFORM, SEQUENTIAL = "uniform", "sequential"

OF_TRACE = ("pages", "pattern", "skew", "drift", "locality")
"""Options of the requests that a trace replaces."""

BESIDE_REQUESTS = "does not go with --requests-from, which sets the requests; remove one of the two"

WORKLOAD, CACHES, DISKS = "requests of the whole system", "page caches", "disks"


@dataclass(frozen=True, kw_only=True)
class WorkloadOptions(Options):
    """Options of the client threads' requests."""

    operation: str = option(
        READ,
        "access of a request; a read-modify-write is two accesses under the page's lock",
        choices=(READ, READ_MODIFY_WRITE), metavar="NAME", group=WORKLOAD,
    )  # fmt: skip
    client_threads: int = option(
        16, "number of client threads per process", low=1, high=4096, metavar="N", group=WORKLOAD
    )
    client_rate: float = option(
        100.0,
        "request rate of a client thread, in requests/s: 1/rate passes between an answer and the next request",
        low=1e-3, high=1e9, metavar="R", group=WORKLOAD,
    )  # fmt: skip
    pages: int = option(32_768, "number of pages in use", low=1, high=10**7, metavar="N", group=WORKLOAD)
    request_bytes: int = option(4096, "request size, in bytes", low=1, high=2**40, metavar="B", group=WORKLOAD)
    request_offset: int = option(
        0, "offset of a request in its page, in bytes", low=0, high=2**40, metavar="B", group=WORKLOAD, shown=False
    )  # changes nothing; records of earlier versions have it
    pattern: str = option(
        UNIFORM,
        "access pattern: uniform (any page) or sequential (each client reads its part of the pages in order)",
        choices=(UNIFORM, SEQUENTIAL), metavar="NAME", group=WORKLOAD,
    )  # fmt: skip
    skew: float = option(
        0.0,
        "exponent of the pages' Zipf popularity; 0: uniform",
        low=0.0, high=10.0, metavar="S", group=WORKLOAD,
    )  # fmt: skip
    drift: int = option(
        0,
        "number of answered requests after which each page falls by one rank of popularity, and the last one becomes "
        "the first; 0: never",
        low=0, high=10**9, metavar="N", group=WORKLOAD,
    )  # fmt: skip
    requests_from: Path | None = option(
        None,
        "block trace: clients request its pages in order, and from the start again after its end; times, sizes and "
        "writes are ignored",
        metavar="FILE", group=WORKLOAD,
    )  # fmt: skip
    locality: str = option(
        SHARED,
        "pages of a client: shared (all pages) or local (pages that its process caches)",
        choices=(SHARED, LOCAL), metavar="NAME", group=WORKLOAD,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class CacheOptions(Options):
    """Options of the caches of tier 1."""

    page_bytes: int = option(
        PAGE_BYTES,
        "size of a page, a cache line and a stripe (m), in bytes",
        low=1,
        high=2**40,
        metavar="B",
        group=CACHES,
    )
    cache_lines: int = option(65_536, "number of lines per cache (N)", low=1, high=2**28, metavar="N", group=CACHES)
    mapping: str = option(
        RANDOM,
        f"map from pages to caching processes: {', '.join(MAPPINGS)}",
        choices=MAPPINGS,
        metavar="NAME",
        group=CACHES,
    )
    block_pages: int = option(
        16, "block size of the block-cyclic map, in pages", low=1, high=10**7, metavar="N", group=CACHES
    )
    replacement: str = option(
        "lru", "replacement policy of a full cache (pmtwin list policies)", metavar="NAME", group=CACHES
    )
    prefetch_lines: int = option(
        0,
        "number of lines per prefetch buffer, filled along strides of misses",
        low=0,
        high=10**6,
        metavar="N",
        group=CACHES,
    )


@dataclass(frozen=True, kw_only=True)
class DiskOptions(Options):
    """Options of the disks of tier 2."""

    disks: int = option(
        8,
        "number of disks, shared by all processes; pages are striped over them",
        low=1,
        high=10_000,
        metavar="N",
        group=DISKS,
    )
    disk_load: float | None = option(
        None, "utilisation of each disk by other users (default: fitted)", low=0.0, high=0.99, metavar="S", group=DISKS
    )
    write_back: float | None = option(
        None, "share of the dirty pages that idle I/O threads write (default: fitted)",
        low=0.0, high=1.0, metavar="S", group=DISKS,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class StorageOptions(WorkloadOptions, CacheOptions, DiskOptions):
    """Options of the whole system, except numbers of processes, requests and service threads.

    Raises:
        InputError: for a request that does not fit into its page, or a policy that cannot decide during a simulation.
    """

    def __post_init__(self):
        super().__post_init__()
        if self.request_bytes > self.page_bytes:
            if self.page_bytes == PAGE_BYTES:
                raise InputError("request_bytes", self.request_bytes, f"up to the {PAGE_BYTES} bytes of a page")
            raise InputError("page_bytes", self.page_bytes, f"at least the {self.request_bytes} bytes of a request")
        if self.request_offset + self.request_bytes > self.page_bytes:
            raise InputError(
                "request_offset", self.request_offset,
                f"0 to {self.page_bytes - self.request_bytes}: a request must not cross the end of its page",
            )  # fmt: skip
        self._check_requests()
        self._check_replacement()

    def _check_replacement(self) -> None:
        from pmtwin.policies.replacement import replacement_names, replacement_policy

        try:
            policy = replacement_policy(self.replacement)
        except InputError as error:
            raise error.renamed("replacement") from error
        if policy.replays_alone or policy.clairvoyant:
            names = sorted(name for name in replacement_names() if not replacement_policy(name).clairvoyant)
            allowed = f"{', '.join(names)}; a policy must decide without knowledge of coming requests"
            raise InputError("replacement", self.replacement, allowed)

    def _check_requests(self) -> None:
        """Refuse contradictory options of requests."""
        if self.drift and not self.skew:
            raise ConflictError("drift", self.drift, "belongs to --skew: uniform pages have no ranks; add that")
        if self.skew and self.pattern != UNIFORM:
            raise ConflictError("skew", self.skew, f"does not go with --pattern {self.pattern}; remove one of the two")
        for name in OF_TRACE if self.requests_from is not None else ():
            if getattr(self, name) != type(self).__dataclass_fields__[name].default:
                raise ConflictError(name, getattr(self, name), BESIDE_REQUESTS)
