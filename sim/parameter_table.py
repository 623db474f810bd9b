"""Every parameter of the middleware's twin, each with its unit, its plausible range and where its value comes from.

The device's own parameters live in its profile. What is here is the host, the software path and the key-value
operation: `measured` values come from a measurement that the source names, `published` ones from the thesis, `assumed`
ones from nobody, and the report shows how far the conclusions depend on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Origin = Literal["measured", "published", "assumed"]


@dataclass(frozen=True)
class Parameter:
    """One number of the model.

    Args:
        name: unit in the name where it has one.
        default, low, high: the value used and its plausible range, all in `unit`.
        origin: measured, published or assumed.
        source: the measurement, table or reasoning behind the value.
        meaning: one sentence.
        whole: only whole numbers make sense.
        allowed: (low, high) of what is accepted, where that is more than the plausible range of the thesis' machine:
            other machines and stores, which have been measured.
    """

    name: str
    default: float
    low: float
    high: float
    unit: str
    origin: Origin
    source: str
    meaning: str
    whole: bool = False
    allowed: tuple[float, float] | None = None

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest value that is accepted."""
        return self.allowed or (self.low, self.high)


_TABLE = (
    Parameter("cores", 24, 1, 96, "cores", "published", "thesis Table 4.1", "Cores of one socket.", True),
    Parameter(
        "threads_per_core", 2, 1, 4, "threads", "published", "thesis Table 4.1", "Hardware threads of one core.", True
    ),
    Parameter(
        "smt_yield",
        0.2,
        0.0,
        0.4,
        "",
        "assumed",
        "a spinning sibling takes issue slots; busy siblings gain 0.2 to 0.3 on servers of that time",
        "What a second hardware thread adds to a core's throughput.",
    ),
    Parameter(
        "workers_poll",
        1,
        0,
        1,
        "",
        "assumed",
        "thesis section 3.5 names TBB's non-blocking queue, which has no blocking pop",
        "1: idle workers poll their queue and occupy a hardware thread; 0: they are parked.",
        True,
    ),
    Parameter(
        "worker_wakeup_ns",
        5_000,
        1_000,
        50_000,
        "ns",
        "assumed",
        "a futex wake-up on Linux",
        "Work to wake a parked worker; nothing when workers poll.",
        allowed=(0.0, 1e6),
    ),
    Parameter(
        "handoff_ns",
        22_000,
        8_000,
        60_000,
        "ns",
        "assumed",
        "8 to 14 us of CPU a request were measured on 2 cores; two sockets and 400 clients cost more; "
        "within that, set by hand so that pools of 15,15 come near thesis Table E.2",
        "Work to hand one request to a worker and its answer back, with few threads.",
        allowed=(0.0, 1e6),
    ),
    Parameter(
        "handoff_contention_threads",
        19,
        8,
        64,
        "threads",
        "assumed",
        "set by hand: thesis section 4.2 has its best latency at 16 interactive and under 8 batch threads; Table E.2",
        "Threads on the queues at which contention has doubled the hand-off: it grows as 1 + (n / this)^2.",
        allowed=(0.1, 1e6),
    ),
    Parameter(
        "kv_contention_threads",
        7,
        4,
        64,
        "threads",
        "assumed",
        "set by hand so that the gain over no middleware comes near thesis section 4.2",
        "Concurrent operations at which contention inside the key-value store has doubled its software time.",
        allowed=(0.1, 1e6),
    ),
    Parameter(
        "client_wakeup_ns",
        20_000,
        0,
        100_000,
        "ns",
        "assumed",
        "a cross-socket wake-up with hundreds of threads",
        "From an answer to the client's readiness for its next request.",
    ),
    Parameter(
        "spinning_clients",
        1.0,
        0.0,
        1.0,
        "",
        "assumed",
        "threads that replay a trace wait for microseconds, shorter than a timer sleeps; 0 if they sleep",
        "Share of the client threads that always want a hardware thread; without a middleware they do the work.",
    ),
    Parameter(
        "timeslice_ns",
        4_000_000,
        500_000,
        24_000_000,
        "ns",
        "assumed",
        "Linux' fair scheduler on 8 or more processors: at least 3 ms, checked at ticks of 4 ms (Ubuntu's 250 Hz)",
        "How long a thread keeps a hardware thread while others wait for one; 0: turns so short that they share it.",
        allowed=(0.0, 24e6),
    ),
    Parameter(
        "access_holds_cpu",
        0,
        0,
        1,
        "",
        "assumed",
        "the thesis' machine has nearly as many hardware threads as workers: there it hardly matters",
        "1: a thread that accesses the device keeps a hardware thread from those that compute; 0: it does not.",
        True,
    ),
    Parameter(
        "cpu_noise_sigma",
        0.25,
        0.0,
        1.0,
        "",
        "assumed",
        "no measurement on the thesis' machine exists",
        "Log-normal sigma of the software work of one request.",
    ),
    Parameter(
        "get_software_ns",
        211,
        100,
        2_000,
        "ns",
        "measured",
        "pmemkv 1.4 cmap in memory, one thread: 4,741 k gets/s",
        "Software work of a get of a few bytes.",
        allowed=(0.0, 1e6),
    ),
    Parameter(
        "put_software_ns",
        1_773,
        500,
        10_000,
        "ns",
        "measured",
        "pmemkv 1.4 cmap in memory, one thread: 564 k puts/s; its flushes to DRAM are in it",
        "Software work of a put of a few bytes.",
        allowed=(0.0, 1e6),
    ),
    Parameter(
        "get_copy_ns_per_byte",
        0.183,
        0.05,
        1.0,
        "ns/B",
        "measured",
        "pmemkv 1.4 cmap: 1,042 k gets/s at 4 KiB",
        "Software work of a get per byte of its value.",
        allowed=(0.0, 100.0),
    ),
    Parameter(
        "put_copy_ns_per_byte",
        0.289,
        0.05,
        2.0,
        "ns/B",
        "measured",
        "pmemkv 1.4 cmap: 339 k puts/s at 4 KiB",
        "Software work of a put per byte of its value.",
        allowed=(0.0, 100.0),
    ),
    Parameter(
        "get_chain_accesses",
        3,
        1,
        10,
        "accesses",
        "assumed",
        "cmap: bucket, node, value",
        "Dependent random reads of a get before its payload.",
        allowed=(0.0, 1000.0),
    ),
    Parameter(
        "put_chain_accesses",
        4,
        1,
        20,
        "accesses",
        "assumed",
        "cmap: bucket, node, value, allocator",
        "Dependent random reads of a put before its payload.",
        allowed=(0.0, 1000.0),
    ),
    Parameter(
        "put_persists",
        5,
        1,
        20,
        "persists",
        "assumed",
        "libpmemobj: log entry, metadata, value, commit, lane",
        "Flush-and-fence rounds of a put, each of one media line.",
        allowed=(0.0, 1000.0),
    ),
    Parameter(
        "put_write_factor",
        2,
        1,
        4,
        "",
        "assumed",
        "libpmemobj transactions log the old value before the new is written",
        "Bytes written to the device per byte of value.",
        allowed=(0.01, 100.0),
    ),
    Parameter(
        "hot_write_share",
        0.1,
        0.0,
        1.0,
        "",
        "assumed",
        "wear-levelling stalls hit hot blocks only (FAST'20 figure 3)",
        "Share of writes that fall into blocks hot enough to be moved.",
    ),
    Parameter(
        "direct_concurrency",
        200,
        1,
        1_000,
        "accesses",
        "published",
        "thesis section 4.2",
        "Concurrent accesses without a middleware.",
        True,
    ),
    Parameter(
        "direct_remote",
        1,
        0,
        1,
        "",
        "assumed",
        "thesis section 4.1.1: the applications have a socket of their own",
        "1: without a middleware the clients reach the device from the other socket.",
        True,
    ),
    Parameter(
        "remote_read_factor",
        1.17,
        1.0,
        3.0,
        "",
        "measured",
        "PerMA-Bench, 64 B random, 16 threads: 15.4 near, 13.2 GiB/s far",
        "How much longer a read takes from the other socket.",
    ),
    Parameter(
        "remote_write_factor",
        1.52,
        1.0,
        6.0,
        "",
        "measured",
        "PerMA-Bench, 64 B random, 16 threads: 3.00 near, 1.98 GiB/s far",
        "How much longer a write takes from the other socket.",
    ),
    Parameter("dimms", 6, 1, 6, "DIMMs", "published", "thesis Table 4.1", "Interleaved DIMMs of the socket.", True),
)

PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
"""Name to parameter, in the order of a request's way through the system."""
