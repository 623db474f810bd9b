"""Affinity masks of the threads of another process: set, read back, and given back at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress

from pmtwin.sim.errors import InputError


class Masks:
    """Masks of threads, as they were and as they are.

    Args:
        observe: set none, and print on standard error what would be set.
    """

    def __init__(self, observe: bool = False):
        self._observe = observe
        self._before: dict[int, set[int]] = {}
        self._changed: set[int] = set()
        self._usual: dict[frozenset[int], set[int]] = {}
        """Mask that was set -> all that the threads had that it was set for."""

    def note(self, thread: int) -> None:
        """Remember the mask of a new thread before anything is set; nothing for one that has ended.

        One that has a mask that was set for another thread has inherited it: its mask is what those threads had.
        """
        mask = set[int]() if thread in self._before else self.of(thread)
        if mask:
            usual = self._usual.get(frozenset(mask))
            self._before[thread] = usual or mask
            if usual:
                self._changed.add(thread)

    def forget(self, thread: int) -> None:
        """The thread has ended: another one may get its number."""
        self._before.pop(thread, None)
        self._changed.discard(thread)

    def assign(self, thread: int, cpus: Iterable[int]) -> None:
        """The thread may use these processors from now on; nothing for one that has ended.

        Raises:
            InputError: if the kernel refuses, or keeps another mask.
        """
        wanted, kept = set(cpus), set[int]()
        if self.of(thread) in (wanted, kept):
            return
        if self._observe:
            print(f"thread {thread}: would go to {_listed(wanted)}", file=sys.stderr)
            return
        self.note(thread)
        if thread not in self._before:
            return
        self._usual.setdefault(frozenset(wanted), set()).update(self._before[thread])
        self._changed.add(thread)
        try:
            os.sched_setaffinity(thread, wanted)
            kept = os.sched_getaffinity(thread)
        except ProcessLookupError:
            return
        except OSError as error:
            allowed = f"a thread that may be moved: {error.strerror}"
            raise InputError(f"affinity of thread {thread}", _listed(wanted), allowed) from error
        if kept != wanted:
            allowed = f"those that its control group lets it use; {_listed(kept)} was kept"
            raise InputError(f"affinity of thread {thread}", _listed(wanted), allowed)

    def changed(self, thread: int) -> bool:
        """Whether the mask of a thread is not its own."""
        return thread in self._changed

    def of(self, thread: int) -> set[int]:
        """The mask of a thread now; empty if it has ended."""
        with suppress(ProcessLookupError):
            return os.sched_getaffinity(thread)
        return set()

    def give_back(self, thread: int) -> None:
        """The thread has its mask of before; nothing if that is so, or it has ended."""
        if thread in self._changed:
            with suppress(OSError):  # it has ended, or may no longer use these processors: its own affair
                os.sched_setaffinity(thread, self._before[thread])
            self._changed.discard(thread)

    def restore(self, threads: Iterable[int] = ()) -> bool:
        """Give back all masks; returns whether there were any.

        Args:
            threads: all of the process: those that came unseen may have inherited what was set.
        """
        for thread in threads:
            self.note(thread)
        changed = tuple(self._changed)
        for thread in changed:
            self.give_back(thread)
        return bool(changed)


def _listed(cpus: Iterable[int]) -> str:
    numbers = ", ".join(map(str, sorted(cpus)))
    return f"processor{'s' * (',' in numbers)} {numbers}"
