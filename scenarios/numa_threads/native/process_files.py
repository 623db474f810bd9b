"""What the kernel tells of the threads of a process: `/proc/PID/task/TID/stat` and `schedstat`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from pmtwin.sim.errors import InputError

MOST_THREADS = 1024
TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
FILES = ("stat", "schedstat")
MOST_BYTES = 1024
"""Of either file; both are shorter."""

MOST_KEPT = 256
"""Threads whose files stay open: a process may usually have 1,024 of them."""

COUNTED = np.dtype([
    (name, np.int64) for name in ("began", "cpu_ns", "wait_ns", "system_ns", "minor_faults", "cpu")
])  # fmt: skip
"""A thread since its start: ticks of the machine when it began; time on a processor, ready for one, and in the kernel
(by ticks); page faults; processor where it is, or was last."""

ENDED = -1
"""Instead of a processor: the thread has ended."""

_STATE, _MINOR, _SYSTEM, _BEGAN, _CPU = 0, 7, 12, 19, 36
"""Places in `stat` behind the name of the thread (proc(5): fields 3, 10, 15, 22 and 39)."""

_OVER = (b"Z", b"X")
"""States of a thread or process of which only its entry in the table of processes is left."""


class ThreadFiles:
    """The files of a process' threads, kept open from look to look: that halves what a look takes.

    Raises:
        InputError: for a process that is not there, or of another user.
    """

    def __init__(self, pid: int):
        check_process(pid)
        self._pid, self._folder = pid, f"/proc/{pid}/task"
        self._kept: dict[int, list[int]] = {}

    def ids(self) -> list[int]:
        """The threads of now; none if the process has ended, be it that nobody has taken note of its end."""
        with suppress(FileNotFoundError, ProcessLookupError):
            threads = sorted(map(int, os.listdir(self._folder)))
            return [] if threads == [self._pid] and _has_ended(self._pid) else threads
        return []

    def look(self, threads: Sequence[int]) -> np.ndarray:
        """Shape (T,), `COUNTED`: the threads' counters; `cpu` is `ENDED` where one has ended."""
        self._keep(threads)
        return np.array([self._row(thread) for thread in threads], COUNTED)

    def close(self) -> None:
        """Close all files."""
        self._keep(())

    def _keep(self, threads: Sequence[int]) -> None:
        """Close the files of all other threads."""
        for thread in self._kept.keys() - set(threads):
            for file in self._kept.pop(thread):
                os.close(file)

    def _row(self, thread: int) -> tuple[int, ...]:
        with suppress(FileNotFoundError, ProcessLookupError):
            stat, schedule = self._read(thread)
            fields, (cpu_ns, wait_ns, _) = _fields(stat), schedule.split()
            if fields[_STATE] not in _OVER:
                began, system, minor, cpu = map(int, (fields[_BEGAN], fields[_SYSTEM], fields[_MINOR], fields[_CPU]))
                return began, int(cpu_ns), int(wait_ns), system * TICK_NS, minor, cpu
        return 0, 0, 0, 0, 0, ENDED

    def _read(self, thread: int) -> list[bytes]:
        """The content of both files.

        Raises:
            FileNotFoundError, ProcessLookupError: the thread has ended; files kept of it never tell of another one.
        """
        files = self._kept.pop(thread, [])
        try:
            for name in FILES[len(files) :]:
                files.append(os.open(f"{self._folder}/{thread}/{name}", os.O_RDONLY))
            told = [os.pread(file, MOST_BYTES, 0) for file in files]
            if len(self._kept) < MOST_KEPT:
                self._kept[thread], files = files, []
            return told
        finally:
            for file in files:
                os.close(file)


def _fields(stat: bytes) -> list[bytes]:
    """The fields behind the name, which may have blanks and brackets."""
    return stat[stat.rindex(b")") + 2 :].split()


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
    return _fields(Path(f"/proc/{pid}/stat").read_bytes())[_STATE] in _OVER


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
