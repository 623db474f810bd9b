"""A middleware whose windows are known in advance, for tests of what runs on top of it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from pmtwin import WindowStats
from pmtwin.scenarios.nvm_middleware.model.middleware import State


class Event(NamedTuple):
    """A call that changes something."""

    name: str
    value: object


class ToyMiddleware:
    """Latency is 100 us plus 10 us for each thread that the pools are away from the best of the phase.

    Throughput is 300,000 operations/s less 1,000 for each such thread. Calls are recorded in `events`.
    """

    best = {"phase-1": (10, 12), "phase-2": (3, 30), "phase-3": (20, 5), "phase-4": (32, 32)}  # noqa: RUF012
    made: list = []  # noqa: RUF012 - the tests empty it

    def __init__(
        self, workload, profile=None, engine="compiled", seed=0, window=None, parameters=None, mode="middleware"
    ):
        self.workload, self.mode, self.seed = workload, mode, seed
        self.events = [Event("seed", seed)]
        ToyMiddleware.made.append(self)

    def begin(self, interactive, batch):
        self.pools = (interactive, batch)
        self.events.append(Event("start", self.pools))

    def stop(self):
        self.events.append(Event("stop", None))

    def set_pools(self, interactive, batch):
        if (interactive, batch) != self.pools:
            self.pools = (interactive, batch)
            self.events.append(Event("resize", self.pools))

    def set_workload(self, workload, parameters=None):
        self.workload = workload
        self.events.append(Event("workload", workload.name))

    def run_window(self):
        self.events.append(Event("window", self.pools))
        return self.get_stats()

    def get_stats(self):
        if self.mode == "direct":
            return WindowStats(1000.0, 0, 0, 0, 100_000.0, 50_000.0, 50_000.0, 0.05, 5000, False)
        away = sum(abs(p - b) for p, b in zip(self.pools, self.best[self.workload.name], strict=True))
        rate = 300_000.0 - 1000.0 * away
        return WindowStats(100.0 + 10.0 * away, 0, 0, 0, rate, rate / 2, rate / 2, 5000 / rate, 5000, True)

    def coming_rates(self):
        return 1.0, 1.0

    waiting = coming_rates

    def offered_ops(self):
        return None

    def validity_warning(self):
        return ""

    def latencies(self):
        p99_us = self.get_stats().p99_us
        return np.array([0, 1], dtype=np.uint8), np.array([p99_us, 1.0])

    def get_state(self):
        loads = self.workload.classes
        sizes = [load.mean_size_bytes() for load in loads]
        return State(*self.pools, 1e9, 0.0, *sizes, *[load.write_ratio for load in loads])


@pytest.fixture
def toy(monkeypatch):
    """Every twin is a `ToyMiddleware` in this test; those made are in `toy.made`."""
    monkeypatch.setattr("pmtwin.scenarios.nvm_middleware.model.middleware.Middleware", ToyMiddleware)
    monkeypatch.setattr(ToyMiddleware, "made", [])
    return ToyMiddleware


@pytest.fixture
def changed_admission(tmp_path, monkeypatch) -> Callable[[Mapping[str, str]], str]:
    """(text -> another text) -> the spec of `admission.py` with those changes, in the working directory."""

    def changed(texts: Mapping[str, str]) -> str:
        source = (Path(__file__).parent / "admission.py").read_text(encoding="utf-8")
        for old, new in texts.items():
            assert old in source, old
            source = source.replace(old, new)
        (tmp_path / "mine.py").write_text(source, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        return "mine.py:admission"

    return changed
