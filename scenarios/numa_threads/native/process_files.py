"""What the kernel tells of the threads of a process: `/proc/PID/task/TID/stat` and `schedstat`."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pmtwin.sim.errors import InputError

MOST_THREADS = 1024
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
MOST_BYTES = 1024
"""Of either file; both are shorter."""

_MINOR, _MAJOR, _SYSTEM, _PROCESSOR = 7, 9, 12, 36
"""Places in `stat` behind the name of the thread (proc(5): fields 10, 12, 15 and 39)."""


class Counted(NamedTuple):
    """A thread since its start.

    Fields:
        cpu_ns, wait_ns: on a processor, ready for one. system_ns: of the former in the kernel, by ticks.
        minor_faults, major_faults: page faults. cpu: processor where it is, or was last.
    """

    cpu_ns: int
    wait_ns: int
    system_ns: int
    minor_faults: int
    major_faults: int
    cpu: int


class ThreadFiles:
    """The files of a process' threads.

    Raises:
        InputError: for a process that is not there, or of another user.
    """

    def __init__(self, pid: int):
        check_process(pid)
        self._pid, self._folder = pid, f"/proc/{pid}/task"

    def ids(self) -> list[int]:
        """The threads of now; none if the process has ended, be it that nobody has taken note of its end."""
        with suppress(FileNotFoundError, ProcessLookupError):
            threads = sorted(map(int, os.listdir(self._folder)))
            return [] if threads == [self._pid] and _has_ended(self._pid) else threads
        return []

    def look(self, thread: int) -> Counted | None:
        """A thread's counters; None if it has ended."""
        with suppress(FileNotFoundError, ProcessLookupError):
            stat, schedule = (_read(f"{self._folder}/{thread}/{name}") for name in ("stat", "schedstat"))
            fields = stat[stat.rindex(b")") + 2 :].split()
            cpu_ns, wait_ns, _ = schedule.split()
            system_ns = int(fields[_SYSTEM]) * 1_000_000_000 // TICKS_PER_S
            minor, major, cpu = (int(fields[place]) for place in (_MINOR, _MAJOR, _PROCESSOR))
            return Counted(int(cpu_ns), int(wait_ns), system_ns, minor, major, cpu)
        return None


def _read(path: str) -> bytes:
    """A short file of the kernel's, by the fewest system calls."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, MOST_BYTES)
    finally:
        os.close(file)


def check_process(pid: int) -> None:
    """Raise `InputError` unless a process is there and of this user."""
    try:
        owner, ended = os.stat(f"/proc/{pid}").st_uid, _has_ended(pid)
    except (FileNotFoundError, ProcessLookupError):
        ended = True
    if ended:
        raise InputError("pid", pid, "the number of a process that runs", wrong="is gone")
    if owner != os.geteuid():
        allowed = f"a process of the user who runs this command (number {os.geteuid()})"
        raise InputError("pid", pid, allowed, wrong=f"is a process of user {owner}")


def _has_ended(pid: int) -> bool:
    """Whether only its entry in the table of processes is left."""
    stat = Path(f"/proc/{pid}/stat").read_bytes()
    return stat[stat.rindex(b")") + 2 :][:1] in (b"Z", b"X")


def pages_of_nodes(pid: int) -> dict[int, int]:
    """Node -> bytes of a process' memory there, by `numa_maps`; empty where the kernel does not say."""
    try:
        lines = Path(f"/proc/{pid}/numa_maps").read_text().splitlines()
    except OSError:
        return {}
    held: dict[int, int] = {}
    for line in lines:
        words = dict(word.partition("=")[::2] for word in line.split() if "=" in word)
        page = int(words.get("kernelpagesize_kB", "4")) << 10
        for name, number in words.items():
            if name[0] == "N" and name[1:].isdecimal():
                held[int(name[1:])] = held.get(int(name[1:]), 0) + page * int(number)
    return held
