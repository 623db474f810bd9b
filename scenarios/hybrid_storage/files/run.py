"""A run of requests over two files: what `pmtwin.sim.hybrid.run.Run` is, in real time."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from typing import Any

import numpy as np

from pmtwin.scenarios.hybrid_storage.files import kernel
from pmtwin.scenarios.hybrid_storage.files.records import MOVER, NO_OWNER, REQUESTS, Files
from pmtwin.sim.errors import CheckFailedError, InputError
from pmtwin.sim.hybrid.options import STAY, WHOLE, HybridOptions
from pmtwin.sim.hybrid.records import COUNTS, make_state
from pmtwin.sim.hybrid.run import Deciders, Reading, last_of
from pmtwin.sim.hybrid.stream import PAGE_BYTES, Paged

SLICE_NS = 50e6
"""Time after which a signal is looked for."""

SLACK_NS, PR_SET_TIMERSLACK = 1, 29
"""How late the kernel may end a sleep of a thread, and the call of Linux that says so."""

_LIBRARY = ctypes.CDLL(None, use_errno=True)


def _check(options: HybridOptions, deciders: Deciders) -> None:
    """Refuse what real files do not do.

    Raises:
        InputError: for an option, or a policy that moves pages on the path of requests.
    """
    for name, value in (("reads", STAY), ("reward_latency", WHOLE)):
        if getattr(options, name) != value:
            raise InputError(name, getattr(options, name), f"{value} on real files")
    if deciders.every:
        allowed = "one that moves pages in the background, on real files"
        raise InputError("policy", f"moves every {deciders.every} requests", allowed)


class FilesRun:
    """Requests of one thread over files; arguments as for `pmtwin.sim.hybrid.running.start_run`.

    Args:
        deciders: the policies; compiled ones.
        files: made for the pages and the largest request of the requests.
        fast_only: whether the first device holds all pages, and nothing is decided.
    """

    def __init__(
        self,
        options: HybridOptions,
        paged: Paged,
        deciders: Deciders,
        window: int,
        key: int,
        files: Files,
        fast_only: bool = False,
    ):
        _check(options, deciders)
        self.state = make_state(options, paged, window, key, fast_only)
        self.files, self._options, self._deciders, self._passed_ns = files, options, deciders, 0
        self._errors: list[BaseException] = []
        if fast_only:
            files.current[:] = files.stored[0]
        else:
            self.state.setting["tells"], self.state.setting["moves"] = deciders.tells, deciders.moves
        self._compile()
        party = self.state.party[0]
        party["due_ns"] = self.state.request[party["next_row"]]["gap_ns"]

    def advance(self, until: int) -> None:
        """Run until so many requests are answered, counted from the start; no time passes between two calls.

        Raises:
            CheckFailedError: if an access is impossible.
        """
        self.files.shared["stop"] = 0
        begin = time.monotonic_ns() - self._passed_ns
        self.files.thread["origin_ns"] = begin
        mover = threading.Thread(target=self._move_pages, daemon=True)
        mover.start()
        try:
            self._serve(until)
        finally:
            self.files.shared["stop"] = 1
            mover.join()
            self._passed_ns = time.monotonic_ns() - begin
        for error in self._errors:
            raise error
        self._raise_failed()

    def _compile(self) -> None:
        """Compile what runs, before it counts: one thread must not begin before the other one."""
        self.files.shared["stop"] = 1
        place, migrate, *_ = self._deciders
        kernel.serve(self.state, self.files, place, migrate, 0, self._options.scan, SLICE_NS)
        kernel.move_pages(self.state, self.files, migrate, self._options.idle_scan)

    def _serve(self, until: int) -> None:
        place, migrate, *_ = self._deciders
        sleep_exactly()
        answered = self.state.tally["answered"]
        while answered[0] < until and not self.files.shared["stop"][0]:
            try:
                kernel.serve(self.state, self.files, place, migrate, until, self._options.scan, SLICE_NS)
            except BaseException:
                self._give_back_lock(REQUESTS)
                raise

    def _move_pages(self) -> None:
        """The thread that moves pages."""
        try:
            sleep_exactly()
            kernel.move_pages(self.state, self.files, self._deciders.migrate, self._options.idle_scan)
        except BaseException as error:
            self._give_back_lock(MOVER)
            self._errors.append(error)
            self.files.shared["stop"] = 1

    def _give_back_lock(self, who: int) -> None:
        """Free the lock, if an error of a policy ended this thread while it had it."""
        if self.files.shared["owner"][0] == who:
            self.files.shared["owner"] = NO_OWNER
            _LIBRARY.pthread_mutex_unlock(ctypes.c_void_p(int(self.files.shared["mutex_address"][0])))

    def _raise_failed(self) -> None:
        for thread in self.files.thread:
            if thread["failed"]:
                raise CheckFailedError(_failure(self.files, thread))

    def reading(self) -> Reading:
        """The counters now."""
        tally, device = self.state.tally[0], self.state.device
        counts = {name: int(tally[name]) for name in COUNTS}
        used, written, read = (device[name].copy() for name in ("used", "written", "read"))
        busy = device["busy_ns"].copy()
        return Reading(float(tally["now_ns"]), int(tally["answered"]), counts, used, written, read, busy)

    def set_knobs(self, setting: tuple[int, ...]) -> None:
        """Change the setting that migration policies are told."""
        self.state.knobs[:] = setting

    def last(self) -> tuple[np.ndarray, np.ndarray]:
        """(latencies in ns, rows of the stream) of the window's last answers, in their order."""
        answer, answered = self.state.answer, int(self.state.tally["answered"][0])
        return last_of(answer["latency_ns"], answer["row"], answered)

    def device_of(self) -> np.ndarray:
        """Shape (P,), int8: device of each page."""
        return self.state.device_of.copy()


def sleep_exactly() -> None:
    """Let sleeps of this thread end in time; they may end 50 us late otherwise."""
    _LIBRARY.prctl(PR_SET_TIMERSLACK, ctypes.c_ulong(SLACK_NS), 0, 0, 0)


def _failure(files: Files, thread: Any) -> str:
    """What the system says of the access that failed."""
    device, start = int(thread["failed"]) - 1, int(thread["failed_start"])
    kind = "write" if thread["failed_write"] else "read"
    handle, buffer = int(files.file["handle"][device]), memoryview(files.data[0]).cast("B")
    reason = "no byte"
    try:
        if kind == "read":
            os.preadv(handle, [buffer], start)
        else:
            os.pwritev(handle, [buffer], start)
    except OSError as error:
        reason = os.strerror(error.errno or 0)
    return f"a {kind} of device {device} at byte {start:,} (page {start // PAGE_BYTES:,}) failed: {reason}"
