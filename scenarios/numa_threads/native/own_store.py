"""Threads of a store of ours: the program `pmtwin-numa-load`, which counts the operations of each."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from pmtwin.middleware.errors import StoreError
from pmtwin.scenarios.numa_threads.native.sources import Done
from pmtwin.sim.common.native_parts import how_to_get, native_folder
from pmtwin.sim.errors import MissingDependencyError, input_error_of
from pmtwin.sim.numa.load import SEQUENTIAL, Load

PROGRAM = "pmtwin-numa-load"
NEEDS = "a C++ compiler and CMake (for store pmemkv also pmemkv: scripts/fetch-pmemkv)"
LAST_WORDS_S = 10.0


class StoreThreads(NamedTuple):
    """What the program runs.

    Fields:
        load: operations. threads, records: their numbers. store, path: as of `NativeOptions`.
        cpus: processors that the threads may use. fill_cpus: that the data are written from. far: those that are far
            from the data. factors: how many times as long a get and a put are made to take there.
        own_keys: whether no two threads ask for the same key. seed: of the keys.
    """

    load: Load
    threads: int
    records: int
    store: str
    path: str | None
    cpus: list[int]
    fill_cpus: list[int]
    far: list[int]
    factors: tuple[float, float]
    own_keys: bool
    seed: int


class OwnStore:
    """The running program; its threads have begun.

    Attributes:
        threads: their numbers, in the order in which they began.

    Raises:
        MissingDependencyError: it is not built. InputError: a folder that cannot be used. StoreError: it failed.
    """

    always_works = True

    def __init__(self, threads: StoreThreads):
        command = [require_program(), *_arguments(threads)]
        # a session of its own: Ctrl-C is for this process, whose end the program sees at its input
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        self.pid = self._process.pid
        try:
            begun = self._answer()
        except BaseException:
            self.close()
            raise
        self.threads = [row[0] for row in begun["threads"]]
        self._place_of = {thread: place for place, thread in enumerate(self.threads)}
        self._last = np.array(begun["threads"], np.int64)

    def look(self, threads: Sequence[int], cpu_ns: np.ndarray, near: np.ndarray) -> Done:
        with suppress(BrokenPipeError):  # it has ended: its last words follow
            print(file=self._input, flush=True)
        told = self._answer()
        now = np.array(told["threads"], np.int64)
        passed, self._last = now - self._last, now
        rows = passed[[self._place_of[thread] for thread in threads]]
        return Done(rows[:, 2:].reshape(-1, 2, 2), rows[:, 1], np.array(told["latency_ns"], float).reshape(-1, 2))

    def close(self) -> None:
        """End the program: its file is removed."""
        process = self._process
        if process.poll() is None:
            with suppress(BrokenPipeError):
                self._input.close()
            try:
                process.wait(LAST_WORDS_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()

    @property
    def _input(self):
        assert self._process.stdin is not None
        return self._process.stdin

    def _answer(self) -> dict:
        assert self._process.stdout is not None and self._process.stderr is not None
        line = self._process.stdout.readline()
        if not line:
            words = self._process.stderr.read().strip().splitlines()
            last = words[-1].removeprefix(f"{PROGRAM}: ") if words else f"{PROGRAM} ended"
            raise input_error_of(last) or StoreError(last)
        told = json.loads(line)
        if told["failed"]:
            raise StoreError(f"{told['failed']:,} operations failed: the store is full, say")
        return told


def require_program() -> str:
    """Path of the program.

    Raises:
        MissingDependencyError: it is not built.
    """
    path = native_folder() / PROGRAM
    if not os.access(path, os.X_OK):
        raise MissingDependencyError(f"{PROGRAM} is not built: {how_to_get(NEEDS)}")
    return str(path)


def _arguments(threads: StoreThreads) -> list[str]:
    load = threads.load
    get, put = threads.factors
    values = {
        "threads": threads.threads,
        "records": threads.records,
        "value_bytes": round(load.value_bytes),
        "read_share": load.read_share,
        "sequential": int(load.pattern == SEQUENTIAL),
        "own_keys": int(threads.own_keys),
        "seed": threads.seed,
        "store": threads.store,
        "path": threads.path or "",
        "get_factor": get,
        "put_factor": put,
        **{name: ",".join(map(str, getattr(threads, name))) for name in ("cpus", "fill_cpus", "far")},
    }
    return [f"--{name}={value}" for name, value in values.items()]
