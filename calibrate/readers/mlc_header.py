"""What MLC's text says of a measurement before its rows (buffer, order of accesses, traffic, node), and of the caches.

Where the command line is printed without an option, MLC's defaults hold (readme of MLC 3.9 to 3.11): a buffer that MLC
sizes for memory; sequential accesses with the prefetchers off, random ones where MLC cannot turn them off; reads alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pmtwin.calibrate.readers.cells import NUMBER, SIZES, bytes_of, plain_number
from pmtwin.sim.device.geometry import MIB

MOST_CACHE_MIB = 512.0
"""Size of the caches where the text does not state it; the largest last-level cache of a processor has 504 MiB."""

MOST_CACHE_OF_A_THREAD_MIB = 16.0
"""Largest share of the caches of a processor for each of its threads, where all of them run."""

TRAFFIC = {2: (2, 1, False), 3: (3, 1, False), 4: (3, 2, False), 5: (1, 1, False), 6: (0, 1, True), 7: (2, 1, True)}
TRAFFIC |= {8: (1, 1, True), 9: (3, 1, True), 10: (2, 1, True), 11: (3, 1, False), 12: (4, 1, False)}
"""Option -W: (reads, writes, non-temporal)."""

READS = (1, 0, False)
FIRST_NODE = "node 0"

COMMAND = re.compile(r"Command line parameters:(.*)")
_BUFFER = re.compile(r"Using buffer size of\s+(\d+(?:[.,]\d+)*)\s*([KMG]i?B)", re.IGNORECASE)
_SIZE = r"(\d+(?:[.,]\d+)?)\s*([KMG])(?:i?B)?\b"
_LEVEL = r"\b(L[1-4]|LLC|last[- ]level)"
_CACHE = re.compile(
    rf"{_LEVEL}[di]?(?:\s+(?:data|instruction|cache|size))*\s*[:=(]?\s*{_SIZE}(?:.*?\((\d+) instances?)?", re.I
)
_CACHE_BEHIND = re.compile(rf"\b{_SIZE}\s*(?:of\s+|shared\s+)*{_LEVEL}", re.IGNORECASE)
_CPUINFO = re.compile(rf"^\s*(cache size)\s*:\s*{_SIZE}", re.IGNORECASE)


@dataclass
class Setting:
    """What the text says of the measurements that follow.

    Args:
        command: options of MLC; None where the text does not show them.
        buffer_mib: size of the buffer, as printed.
        random: whether the accesses are random; None where the text does not say.
    """

    command: str | None = None
    buffer_mib: float | None = None
    random: bool | None = None

    def option(self, letter: str, value: str = r"(\S+)") -> str | None:
        """The value of an option; "" for an option without a value, None without the option."""
        option = re.search(rf"(?:^|\s)-{letter}(?:\s*{value})?(?=\s|$)", self.command or "")
        return (option.group(1) or "") if option else None

    def note(self, line: str) -> bool:
        """Note what a line states; False if the line states nothing, or is a heading too."""
        if command := COMMAND.search(line):
            self.command, self.buffer_mib, self.random = command.group(1).strip(), None, None
        elif buffer := _BUFFER.search(line):
            # MLC prints three decimals, which look like thousands behind a decimal comma
            self.buffer_mib = float(buffer.group(1).replace(",", ".")) * SIZES[buffer.group(2).lower()] / MIB
        elif re.search(r"enabling random access", line):
            self.random = True
        elif heading := re.search(r"latencies for (random|sequential) access", line):
            self.random = heading.group(1) == "random"
            return False  # a heading, too
        else:
            return False
        return True

    def pattern(self) -> str | None:
        """Order of the accesses; None where it is not stated."""
        if self.option("r", "()") is not None or self.random:
            return "random"
        return "sequential" if self.random is False else None

    def chosen_buffer_mib(self) -> float | None:
        """Size in MiB of a buffer that the user may have chosen; None for one that MLC sized for memory, or unknown."""
        asked = self.option("b", rf"({NUMBER}[kKmMgG]?)")
        if self.command is not None and asked is None:
            return None
        if self.buffer_mib is not None or not asked:
            return self.buffer_mib
        unit = asked[-1] if asked[-1].isalpha() else ""
        return plain_number(asked.removesuffix(unit)) * (bytes_of(unit or "k") or 1) / MIB

    def node(self) -> str:
        """The node of the memory by the options."""
        if node := self.option("j", r"(\d+)"):
            return f"node {node}"
        cores = [self.option(letter, r"(\d+)") for letter in "ic"]
        return f"the node of core {cores[0]}" if cores[0] and cores[0] != (cores[1] or "0") else FIRST_NODE

    def threads(self) -> int | None:
        """Number of threads that make the traffic; None where the options do not tell."""
        cores = self.option("k", r"(\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)")
        if cores:
            ends = [part.split("-") for part in cores.split(",") if part]
            return sum(int(end[-1]) - int(end[0]) + 1 for end in ends)
        mask = self.option("m", r"((?:0x)?[0-9a-fA-F]+)")
        return bin(int(mask, 16)).count("1") if mask else None

    def traffic(self, line: str | None) -> tuple[int, int, bool] | None:
        """(reads, writes, non-temporal) by the options, else by the line "Using ... traffic"; None if unknown."""
        if (code := self.option("W", r"(\d+)")) is not None:
            return TRAFFIC.get(int(code or 0))
        if line is None or "Read-only" in line:
            return READS
        ratio = re.search(r"(\d+):(\d+)", line)
        if not ratio:
            return None
        return int(ratio.group(1)), int(ratio.group(2)), bool(re.search(r"\bNT\b|non.?temporal", line, re.IGNORECASE))


def caches_mib(lines: list[str]) -> float | None:
    """Size of one cache of each stated level together, in MiB; None where the text does not state the last level."""
    levels: dict[str, float] = {}
    for line in lines:
        for found in (*_CACHE.finditer(line), *_CPUINFO.finditer(line)):
            level, size, unit, *instances = found.groups()
            _state(levels, level, size, unit, (instances or [None])[0])
        for found in _CACHE_BEHIND.finditer(line):
            size, unit, level = found.groups()
            _state(levels, level, size, unit, None)
    return sum(levels.values()) if {"L3", "L4"} & set(levels) else None


def _state(levels: dict[str, float], level: str, size: str, unit: str, instances: str | None) -> None:
    name = "L3" if level.lower().startswith(("l3", "llc", "last", "cache")) else level.upper()
    mib = float(size.replace(",", ".")) * SIZES[unit.lower()] / MIB / float(instances or 1)
    levels[name] = max(levels.get(name, 0.0), mib)


def buffer_fault(setting: Setting, caches: float | None, of_bandwidth: bool) -> str:
    """Why the accesses stay in the caches, by the size of the buffer; "" if they do not, or the text does not say."""
    buffer = setting.chosen_buffer_mib()
    if buffer is None:
        return ""
    stated = f"{caches:g} MiB by the text" if caches else f"not stated, at most {MOST_CACHE_MIB:g} MiB taken"
    limit = caches or MOST_CACHE_MIB
    if of_bandwidth:
        threads = setting.threads()
        of_a_thread = limit / threads if threads else min(limit, MOST_CACHE_OF_A_THREAD_MIB)
        return f"buffer of each thread fits its share of the caches ({stated})" if buffer <= of_a_thread else ""
    return f"buffer fits the caches ({stated})" if buffer <= limit else ""
