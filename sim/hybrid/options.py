"""Options of a hybrid storage: what the paper leaves open has an option each."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.devices import CONFIGS, MEASURED, BlockDevice, devices_of
from pmtwin.sim.options import Options, option

APPEND, HOME = "append", "home"
CACHED, SYNC = "cached", "sync"
CLOSED, PACED, OPEN = "closed", "paced", "open"
OLDEST, RECENT, RANDOM = "oldest", "recent", "random"
STAY, PROMOTE = "stay", "promote"
BY_BANDWIDTH, BY_TIME = "bandwidth", "time"
DROP_NEWEST, DROP_OLDEST = "drop-newest", "drop-oldest"
EVICT, REFUSE = "evict", "refuse"
WHOLE, WITHOUT_EVICTIONS = "whole", "without-evictions"
LAYOUTS, HDD_WRITES, ARRIVALS = (APPEND, HOME), (CACHED, SYNC), (CLOSED, PACED, OPEN)
SCANS, READS, IDLE_MEASURES = (OLDEST, RECENT, RANDOM), (STAY, PROMOTE), (BY_BANDWIDTH, BY_TIME)
FULL_QUEUES, FULL_DEVICES = (DROP_NEWEST, DROP_OLDEST), (EVICT, REFUSE)
REWARD_LATENCIES = (WHOLE, WITHOUT_EVICTIONS)
MOST_QUEUED = 1000
UNLIMITED = 1 << 62
"""Pages that the last device holds."""


def percent_of(field: str, text: str) -> float:
    """The percentage in a text such as `10` or `.1%`.

    Raises:
        InputError: for another form.
    """
    try:
        return float(text.strip().removesuffix("%"))
    except ValueError:
        raise InputError(field, text, "a percentage, such as 10 or .1%") from None


@dataclass(frozen=True, kw_only=True)
class HybridOptions(Options):
    """The devices, and how requests and moves use them."""

    title = "hybrid storage"

    devices: str = option(
        "perf",
        f"configuration of devices: {', '.join(CONFIGS)}, or names joined by +, the fastest first, such as H+LSSD; "
        "--config is a file of options, as of every command",
        metavar="NAME",
    )
    fast: float = option(
        10.0, "capacity of the first device, in percent of the pages; each further one but the last doubles it",
        low=0.0, high=100.0, unit="%", metavar="P", parse=percent_of,
    )  # fmt: skip
    layout: str = option(
        APPEND, "where a device writes a page: append (behind the last one, as in Sibyl's code) or home (in its place)",
        choices=LAYOUTS, metavar="NAME",
    )  # fmt: skip
    hdd_writes: str = option(
        CACHED, "writes of a hard disk: cached (0.1 ms, by its memory) or sync (with a seek)", choices=HDD_WRITES,
        metavar="NAME",
    )  # fmt: skip
    arrivals: str = option(
        CLOSED,
        "when a request comes: closed (its gap after the last answer), paced (its gap after the last one came, but not "
        "before that is answered) or open (its gap after the last one came)",
        choices=ARRIVALS, metavar="NAME",
    )  # fmt: skip
    reads: str = option(
        STAY,
        "pages of a read: stay, or promote (a read is a decision too, and those on slower devices go to the chosen one "
        "before the answer, as in Sibyl's code)",
        choices=READS, metavar="NAME",
    )  # fmt: skip
    full_device: str = option(
        EVICT,
        "a device without room for a request: evict (the least recently used pages leave, before the answer) or refuse "
        "(it cannot be chosen)",
        choices=FULL_DEVICES, metavar="NAME",
    )  # fmt: skip
    decision_ns: float = option(240.0, "time of a placement decision before each write", low=0.0, high=1e9, unit="ns")
    reward_latency: str = option(
        WHOLE,
        "latency that policies learn from: whole, or without-evictions (nor the time of promotions by reads; as in "
        "Sibyl's code)",
        choices=REWARD_LATENCIES, metavar="NAME",
    )  # fmt: skip
    queue: int = option(10, "pages that wait for a move at most", low=0, high=MOST_QUEUED, metavar="N")
    full_queue: str = option(
        DROP_NEWEST, "page that a full queue drops: the one that comes (drop-newest) or the one that waits longest",
        choices=FULL_QUEUES, metavar="NAME",
    )  # fmt: skip
    idle_percent: float = option(
        10.0, "a device is idle for moves below this share of what --idle-measure names", low=0.0, high=100.0, unit="%"
    )
    idle_measure: str = option(
        BY_BANDWIDTH,
        "bandwidth: bytes of requests, as a share of what the link carries (Harmonia's rule); time: time with requests",
        choices=IDLE_MEASURES, metavar="NAME",
    )  # fmt: skip
    idle_ms: float = option(1.0, "time for which that share is measured", low=1e-3, high=1e6, unit="ms")
    scan: int = option(1, "pages that a migration policy is asked about after each request", low=0, high=10**6)
    idle_scan: int = option(
        64, "pages that it is asked about at most when devices are idle, until one is to move", low=0, high=10**6
    )
    scan_order: str = option(
        OLDEST, "page that it is asked about: the one not used for longest, the most recent one, or any",
        choices=SCANS, metavar="NAME",
    )  # fmt: skip

    @property
    def block_devices(self) -> tuple[BlockDevice, ...]:
        """The devices, the fastest first."""
        return devices_of(self.devices)

    def sampled(self, number: int) -> HybridOptions:
        """The options with a sample, counted from 0, of each device that was measured.

        Raises:
            InputError: if a file has fewer samples, or no device was measured.
        """
        names = self.devices.split("+")
        if not any(name.endswith(MEASURED) for name in names):
            raise InputError("device_samples", number + 1, f"0, or a measured device (NAME{MEASURED}) in --devices")
        return replace(
            self, devices="+".join(f"{name}#{number}" if name.endswith(MEASURED) else name for name in names)
        )

    def __post_init__(self):
        super().__post_init__()
        devices_of(self.devices)
        if self.fast == 0.0:
            raise InputError("fast", self.fast, "a percentage above 0, at most 100")


def capacities(options: HybridOptions, pages: int) -> list[int]:
    """Pages that each device holds; the last one holds any number.

    Raises:
        InputError: if the first device holds no page.
    """
    first = round(options.fast / 100.0 * pages)
    if first < 1:
        raise InputError("fast", options.fast, f"percent of {pages:,} pages that make a page or more, at most 100")
    count = len(options.block_devices)
    return [first << number for number in range(count - 1)] + [UNLIMITED]
