"""Data as a second thing to place: where the values are, and copies of them from node to node."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np

from pmtwin.scenarios.numa_threads.model import Model, costs_of
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.points import DATA
from pmtwin.sim.decisions import call_event
from pmtwin.sim.decisions.whole_number import whole_number
from pmtwin.sim.errors import AnswerError
from pmtwin.sim.numa.copying import Slowed, copying, loaded_latencies_ns, running_threads
from pmtwin.sim.numa.costs import INSERT
from pmtwin.sim.numa.load import GET, PUT
from pmtwin.sim.numa.running import Run
from pmtwin.sim.numa.window import Window

NOWHERE = -1


class Order(NamedTuple):
    """A share of the values to copy, beside the threads that ran in the window before, shape (N, H, 2)."""

    source: int
    target: int
    share: float
    running: np.ndarray


class Copied(NamedTuple):
    """What was copied in a window, from node to node; 0 values: nothing."""

    source: int = 0
    target: int = 0
    values: float = 0.0


class Data:
    """The values of the store, whose keys all threads use alike.

    Attributes:
        shares: shape (N,), of the values on each node. state: what decides; None: nothing.
        copied: in the last window.
    """

    def __init__(self, options: NumaOptions, state: Any = None):
        self._options, self.state, self.copied = options, state, Copied()
        nodes, away = options.machine.nodes, options.data_away
        self.shares = np.full(nodes, away / max(nodes - 1, 1))
        self.shares[options.pool_node] = 1.0 - away
        self._order: Order | None = None

    def undecided(self) -> Data:
        """The same data, which nobody moves."""
        other = copy.copy(self)
        other.shares, other.state, other._order = self.shares.copy(), None, None
        return other

    @property
    def node(self) -> int:
        """Node with the most data, of those with processors."""
        return int(self.shares[: self._options.machine.thread_nodes].argmax())

    def of_threads(self, threads: int) -> np.ndarray:
        """Shape (T, N): shares of the nodes in each thread's operations."""
        return np.tile(self.shares, (threads, 1))

    def decide(self, run: Run, window: Window, model: Model) -> None:
        """Ask to which node values are copied in the coming window."""
        if self.state is None:
            return
        running = running_threads(window, run.costs)
        mix = np.array([model.load.read_share, 1.0 - model.load.read_share])
        threads_on = np.bincount(run.machine.node_of, weights=window.core["busy_ns"], minlength=run.machine.nodes)
        latencies = loaded_latencies_ns(running, run.costs, threads_on, mix)
        target = whole_number(call_event(self.state, "copy_to", latencies.copy(), self.shares.copy()))
        if not NOWHERE <= target < len(self.shares):
            allowed = f"0 to {len(self.shares) - 1}, the nodes of the machine, or {NOWHERE} for none"
            raise AnswerError(DATA, "node", target, allowed)
        others = np.where((self.shares > 0.0) & (np.arange(len(self.shares)) != target), latencies, -np.inf)
        source = int(others.argmax())
        if target != NOWHERE and np.isfinite(others[source]):
            share = min(self._options.copy_share, float(self.shares[source]), self._room(target, model))
            self._order = Order(source, target, share, running)

    def _room(self, node: int, model: Model) -> float:
        """Share of the data that a node still has room for."""
        pool = self._options.pool_bytes(model.workload.value_bytes)
        return max(float(self._options.machine.room_bytes[node]) / pool - float(self.shares[node]), 0.0)

    def advance(self, run: Run, model: Model) -> None:
        """A window: what is ordered is copied beside its threads; what is not copied at its end stays."""
        until, order = run.now_s + self._options.window_s, self._order
        self._order, self.copied = None, Copied()
        if order is not None and not run.done:
            self._copy(run, model, order, until)
        run.advance(until)

    def with_copies(self, window: Window, model: Model) -> Window:
        """A window with the bytes of the copies."""
        if not self.copied.values:
            return window
        source, target, values = self.copied
        costs, inserts = model.plain_costs, costs_of(self._options, model.workload, model.sample, INSERT)
        read, written, link = window.read_bytes.copy(), window.written_bytes.copy(), window.link_bytes.copy()
        crossed = values * float(np.asarray(costs.read_bytes)[GET])
        read[source] += crossed
        read[target] += values * float(np.asarray(inserts.read_bytes)[PUT])
        written[target] += values * float(np.asarray(inserts.written_bytes)[PUT])
        link[source, target] += crossed
        return window._replace(read_bytes=read, written_bytes=written, link_bytes=link)

    def _copy(self, run: Run, model: Model, order: Order, until_s: float) -> None:
        records, began = self._options.records, run.now_s
        inserts = costs_of(self._options, model.workload, model.sample, INSERT)
        threads = float(self._options.copy_threads)
        pace = copying(
            model.plain_costs, inserts, order.running, order.source, order.target, threads, run.machine.thread_nodes
        )
        run.set_load(model.load, Slowed(model.costs, pace.slower))
        run.advance(min(until_s, began + 1e-9 * order.share * records / pace.values_per_ns))
        values = min(1e9 * (run.now_s - began) * pace.values_per_ns, order.share * records)
        self.copied = Copied(order.source, order.target, values)
        self.shares[order.target] += values / records
        self.shares[order.source] = max(0.0, 1.0 - np.delete(self.shares, order.source).sum())
        run.set_data(self.of_threads(model.workload.threads))
        run.set_load(model.load, model.costs)
