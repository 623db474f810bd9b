"""Sizes, mixes and times of a run of fio, by its counters.

Options say what the user asked for, and can be read in more than one way: `4KiB` is 4,000 B under fio's usual
`kb_base`, and of `rwmixread` and `rwmixwrite` the later one counts. Reports may also hold jobs that fio merged. So
options only choose among the values that the counters allow, and a run whose counters contradict them is not usable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pmtwin.calibrate.readers.cleaning import SMALLEST_REGION_BYTES
from pmtwin.calibrate.readers.document import LARGEST_SIZE_BYTES, number, whole
from pmtwin.calibrate.readers.fio_runs import Run
from pmtwin.sim.device.geometry import MIB
from pmtwin.sim.errors import InputError

DIRECTIONS = ("read", "write")
KIB = 1024.0
DEFAULT_SIZE = "4k"
HALF = 0.5
MIX_OPTIONS = ("rwmixread", "rwmixwrite")

SIZE_TOLERANCE, BANDWIDTH_TOLERANCE, SHARE_TOLERANCE = 0.005, 0.05, 0.02
"""Relative difference that is allowed between the mean access and the block size (4,000 and 4,096 B are 2.4 % apart),
and between a bandwidth and the bytes over the time; absolute difference between the share of writes and its option."""

RANGES = ("bsrange", "bssplit")
RANGE = "a range of block sizes"

_SIZE = re.compile(r"^(?:(0x[0-9a-f]+)|(\d+)\s*([kmgtp]?)(?:i?b|i)?)$", re.IGNORECASE)


@dataclass(frozen=True)
class Side:
    """Reads or writes of a run, all threads together.

    Args:
        accesses, size_bytes: number of accesses and bytes that they moved; 0 where the file does not say.
        bandwidth_mib_s: as fio states it.
        runtime_ms: of the longest thread.
    """

    accesses: float
    size_bytes: float
    bandwidth_mib_s: float
    runtime_ms: float

    @property
    def mean_bytes(self) -> float:
        """Mean size of an access; 0 where the file does not say."""
        return self.size_bytes / self.accesses if self.accesses else 0.0

    @property
    def moved(self) -> bool:
        """Whether there was any access."""
        return self.accesses > 0 or self.bandwidth_mib_s > 0.0


def side_of(run: Run, direction: str) -> Side:
    """Counters of one direction."""
    sides = [report[direction] for report in run.reports]
    in_bytes = all("io_kbytes" in side or "bw_bytes" in side for side in sides)  # fio 2 counts KiB

    def values(name: str) -> list[float]:
        return [float(side.get(name, 0)) for side in sides]

    in_mib = [side["bw_bytes"] / MIB if "bw_bytes" in side else side["bw"] * KIB / MIB for side in sides]
    moved = sum(values("io_bytes")) * (1.0 if in_bytes else KIB)
    return Side(sum(values("total_ios")), moved, sum(in_mib), max(values("runtime")))


def counters_fault(moves: Sequence[str], sides: dict[str, Side]) -> str:
    """Why the counters of a run do not fit its way of access or each other; "" if they do.

    Args:
        moves: directions that its `rw` asks for.
    """
    for name, side in sides.items():
        if side.moved and name not in moves:
            return f"{name}s in a run of {moves[0]}s: jobs merged by group_reporting?"
        expected = side.size_bytes / MIB / (side.runtime_ms / 1e3) if side.runtime_ms else 0.0
        if expected and abs(side.bandwidth_mib_s / expected - 1.0) > BANDWIDTH_TOLERANCE:
            return "bandwidth does not fit the bytes over the time: threads that did not run together"
    return ""


def write_share(options: dict, sides: dict[str, Side], where: str) -> tuple[float, str]:
    """Share of the accesses of a mix that write, and why it is not usable ("" if it is usable).

    Raises:
        InputError: an option that is no percentage.
    """
    percents = {name: number(name, options[name], where, 0.0, 100.0) for name in MIX_OPTIONS if name in options}
    asked = [(100.0 - each if name == "rwmixread" else each) / 100.0 for name, each in percents.items()] or [HALF]
    accesses = sum(side.accesses for side in sides.values())
    if not accesses:
        return asked[-1], ""
    share = sides["write"].accesses / accesses
    if min(abs(share - each) for each in asked) > SHARE_TOLERANCE:
        return share, f"{100 * share:.0f} % of the accesses write, its options ask for {100 * asked[-1]:.0f} %"
    return share, ""


def access_size(options: dict, direction: str, side: Side, where: str) -> tuple[float, str]:
    """Size of an access, and why a run has no single size ("" if it has one).

    Raises:
        InputError: a block size that cannot be read, where no counter tells the size.
    """
    if any(name in options for name in RANGES):
        return 0.0, RANGE
    text = _text_of(str(options.get("bs", DEFAULT_SIZE)), direction)
    allowed = _allowed_sizes(text)
    if not side.mean_bytes:
        if not allowed:
            raise InputError("bs", text, "bytes, or with k, m or g", where)
        return whole("bs", allowed[0], where, LARGEST_SIZE_BYTES), ""
    if not allowed and side.mean_bytes.is_integer():
        return whole("io_bytes / total_ios", side.mean_bytes, where, LARGEST_SIZE_BYTES), ""
    for size in allowed:
        if size and abs(side.mean_bytes / size - 1.0) <= SIZE_TOLERANCE:
            return whole("bs", size, where, LARGEST_SIZE_BYTES), ""
    return 0.0, f"io_bytes / total_ios is {side.mean_bytes:,.6g} B where bs is {text}: jobs merged by group_reporting?"


def region_fault(run: Run) -> str:
    """Why loads and cached stores of a run may stay in the CPU's cache; "" if they do not, or the file does not say."""
    for name in ("size", "filesize"):
        text = str(run.options.get(name, ""))
        sizes = _allowed_sizes(text)
        if sizes and max(sizes) * run.threads < SMALLEST_REGION_BYTES:
            return f"{name}={text} in each of {run.threads:.0f} threads fits the CPU's cache"
    return ""


def _text_of(text: str, direction: str) -> str:
    """The block size of reads or writes in `bs=4k`, `bs=4k,8k` (reads, writes) or `bs=,8k` (the default for reads)."""
    parts = [part.strip() for part in text.split(",")]
    index = min(DIRECTIONS.index(direction), len(parts) - 1)
    return parts[index] or DEFAULT_SIZE


def _allowed_sizes(text: str) -> list[int]:
    """The sizes that a text may mean, the usual one first; empty for a text that is no size."""
    match = _SIZE.match(text)
    if not match:
        return []
    if match.group(1):
        return [int(match.group(1), 16)]
    power = " kmgtp".index((match.group(3) or " ").lower())
    return [int(match.group(2)) * base**power for base in (1024, 1000)]
