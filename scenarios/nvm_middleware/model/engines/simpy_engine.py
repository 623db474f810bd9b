"""Engine `simpy`: the specification. The middleware as SimPy processes, written to be read beside chapter 3 of the
thesis.

A request is submitted by the replay of its class, waits in its FIFO queue, is served by a worker (first on the host's
processors, then, holding a hardware thread, on the device), and its answer makes the client ready for the next one.
The costs of a request come from `scenarios.nvm_middleware.model.requests`. The times of events are computed here and,
independently, in `pmtwin.scenarios.nvm_middleware.model.engines.compiled`, whose latencies must agree to the last bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np
import simpy
from simpy.core import EmptySchedule

from pmtwin.scenarios.nvm_middleware.model.engines.base import Engine, WindowResult
from pmtwin.scenarios.nvm_middleware.model.engines.waits import waited_ns
from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.scenarios.nvm_middleware.model.requests import Draws, draw_block
from pmtwin.sim.host.station import MAX_RUNNABLE
from pmtwin.sim.load.workload import CLASSES, Kind
from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment

if TYPE_CHECKING:
    from pmtwin.scenarios.nvm_middleware.model.stations.device_sharing import _Device
    from pmtwin.scenarios.nvm_middleware.model.stations.host_processors import _HostProcessors
    from pmtwin.scenarios.nvm_middleware.model.stations.trace_replay import _Replay
    from pmtwin.sim.stations.queue import Line
    from pmtwin.sim.stations.servers import Pool

DEVICE_END, CPU_END, SUBMISSION = 2, 3, 4
"""Order of events at the same instant: first all consequences of earlier events (SimPy's priorities 0 and 1), then ends
on the device, ends on the processors, and submissions (interactive before batch)."""

Service = Generator[simpy.Event, None, None]
"""The events of a request at its stations; its worker waits for each of them."""

BLOCK = 1024
"""Number of requests that are drawn at once; results do not depend on it."""


class SimpyEngine(Engine):
    """The model as SimPy processes, with the stations that `Model.network` declares.

    Workers that take waiting requests at the same instant do so one after another: the cost of a hand-off depends on
    the number of busy workers. In a network without such costs a request continues when it is its turn
    (`pmtwin.sim.engines.network_simpy`).
    """

    name = "simpy"

    def __init__(self, model: Model, keys: np.ndarray, pools: tuple[int, int]):
        self.env = AbsoluteEnvironment()
        self._model, self._plain, self._keys = model, model.plain, keys
        self._blocks: dict[tuple[int, int], Draws] = {}
        self._waited, self._started, self._open = [0.0, 0.0], [0, 0], [0, 0]
        self._answers: list[tuple[float, int]] = []
        self._gap_factors = (1.0, 1.0)
        self._connect(model, pools)
        self._processors.set_threads(self._threads())
        for replay in self._replays:
            self.env.process(replay.run(lambda c: self._submit(c)))

    def _connect(self, model: Model, pools: tuple[int, int]) -> None:
        """Set up the declared stations and their dependencies."""
        declared = model.network(pools).stations
        priorities = dict(zip(CLASSES, (SUBMISSION, SUBMISSION + 1), strict=True))
        priorities |= {"processors": CPU_END, "device": DEVICE_END}
        stations: dict[str, Any] = {
            each.name: each.process(self.env, self._gap, priorities.get(each.name, 0)) for each in declared
        }
        self._replays: list[_Replay] = [stations[name] for name in CLASSES]
        self._processors: _HostProcessors = stations["processors"]
        self._device: _Device = stations["device"]
        self._gate: Line = stations["processed"]
        self._hardware_threads: Pool = stations["hardware threads"]
        self._gate.servers, self._hardware_threads.queue = self._hardware_threads, self._gate
        self._device.processors = self._processors
        prefixes = ["", ""] if model.plain.shared else [f"{name} " for name in CLASSES]
        self._queues: list[deque] = [stations[f"{prefix}queue"].waiting for prefix in prefixes]
        self._workers: list[Pool] = [stations[f"{prefix}workers"] for prefix in prefixes]
        self._pools = self._workers[:1] if model.plain.shared else self._workers

    # -- the interface of an engine

    def resize(self, pools: tuple[int, int]) -> None:
        if not self._plain.shared:
            for workers, size in zip(self._workers, pools, strict=True):
                workers.servers = size
        self._processors.set_threads(self._threads())

    def set_pace(self, pace: tuple[float, float]) -> None:
        self._gap_factors = 1.0 / pace[0], 1.0 / pace[1]

    def set_model(self, model: Model) -> None:
        self._processors.set_model(model)
        self._device.set_model(model)
        self._model, self._plain, self._blocks = model, model.plain, {}
        for replay in self._replays:
            replay.set_model(model)
        self._processors.set_threads(self._threads())

    def run_window(self, completions: int, release: tuple[int, int]) -> WindowResult:
        start, self._answers, self._waited, before = self.env.now, [], [0.0, 0.0], self._waiting_ns()
        for replay, requests in zip(self._replays, release, strict=True):
            replay.release(requests)
        for c in range(2):
            self._start_waiting(c)
        answers, step = self._answers, self.env.step
        try:
            while len(answers) < completions:
                step()
        except EmptySchedule:
            missing = f"the window needs {completions} completions; only {len(answers)} are released"
            raise RuntimeError(missing) from None
        self._finish_instant()
        latency_ns, classes = np.array(answers).T
        waited = np.array(self._waited) + self._waiting_ns() - before  # as in the compiled engine
        return WindowResult(latency_ns, classes.astype(np.uint8), start, self.env.now, waited)

    def _waiting_ns(self) -> np.ndarray:
        submitted = [np.array([at for owner, at in queue if owner == c]) for c, queue in enumerate(self._queues)]
        return np.array([waited_ns(self.env.now, times) for times in submitted])

    def _finish_instant(self) -> None:
        """Let clients that are due at the window's last instant submit; other events then belong to the next window."""
        timers = self._processors.timer, self._device.timer
        for timer in timers:
            timer.hold()
        while self.env.peek() == self.env.now:
            self.env.step()
        for timer in timers:
            timer.go_on()

    def outstanding(self) -> np.ndarray:
        return np.array(self._open)

    def unreleased(self) -> np.ndarray:
        return np.array([replay.unreleased() for replay in self._replays])

    # -- clients

    def _submit(self, c: int) -> None:
        self._open[c] += 1
        self._queues[c].append((c, self.env.now))
        self._start_waiting(c)

    def _answer(self, c: int, submitted: float) -> None:
        self._open[c] -= 1
        self._answers.append((self.env.now - submitted, c))
        self._replays[c].answered()

    def _gap(self, c: int, index: int) -> float:
        draws, j = self._draws(c, index)
        return draws.gap_ns[j] * self._gap_factors[c]

    def _draws(self, c: int, index: int) -> tuple[Draws, int]:
        """(block of draws with request `index` of a class, position of the request in the block)."""
        number, j = divmod(index, BLOCK)
        if (c, number) not in self._blocks:
            self._blocks = {key: block for key, block in self._blocks.items() if key[0] != c or key[1] >= number - 1}
            drawn = draw_block(self._model.records, self._keys[c], c, number * BLOCK, BLOCK)
            self._blocks[c, number] = Draws(*(values.tolist() for values in drawn))
        return self._blocks[c, number], j

    # -- workers

    def _busy(self) -> int:
        """Number of workers that serve a request."""
        return sum([pool.busy for pool in self._pools])

    def _threads(self) -> int:
        """Number of threads that want a hardware thread; polling workers and spinning clients always do."""
        threads = max(self._busy(), self._plain.spinning)
        if self._plain.polls:
            threads = sum([max(pool.servers, pool.busy) for pool in self._pools])
        return min(threads, MAX_RUNNABLE)

    def _start_waiting(self, c: int) -> None:
        """Let idle workers take waiting requests."""
        while (service := self._next_service(c)) is not None:
            self.env.process(self._work(c, service))

    def _work(self, c: int, service: Service | None):
        """A worker serves one request after another until none waits."""
        while service is not None:
            yield from service
            service = self._next_service(c)

    def _next_service(self, c: int) -> Service | None:
        """Start the service of the next waiting request, if a worker is free."""
        if not (self._queues[c] and self._workers[c].claim()):
            return None
        return self._start(*self._queues[c].popleft())

    def _start(self, c: int, submitted: float) -> Service:
        now, threads = self.env.now, self._threads()
        self._waited[c] += now - submitted
        self._processors.set_threads(threads)
        draws, j = self._draws(c, self._started[c])
        self._started[c] += 1
        cpu_done = self._processors.work(self._cpu_work_ns(draws, j, threads, woken=submitted == now))
        return self._serve(c, self._model.kinds[draws.kind[j]], submitted, cpu_done, draws.device_ns[j])

    def _cpu_work_ns(self, draws: Draws, j: int, threads: int, woken: bool) -> float:
        """Work on the host: hand-off, software, perhaps a wake-up, waits for a hardware thread or a stalled device."""
        model = self._plain
        store = draws.software_ns[j] * model.kv_factor[self._busy()] * model.crowding[threads]
        work = model.handoff_ns[threads] * draws.handoff_factor[j] + store
        if woken:
            work += model.wakeup_ns
        work *= draws.cpu_noise[j]
        waits = model.preempted_ns[threads]
        if waits > 0.0 and draws.preemption[j] * model.preemption_ns < work:
            work += waits * model.rate[threads]
        if draws.stall_ns[j] > 0.0:
            work += draws.stall_ns[j] * model.rate[threads]
        return float(work)

    def _serve(self, c: int, kind: Kind, submitted: float, cpu_done: simpy.Event, device_ns: float) -> Service:
        """A worker with a request: processors, then device, then the answer."""
        yield cpu_done
        yield from self._gate.visit(None)
        yield self._device.serve(kind, device_ns)
        self._hardware_threads.release()
        self._workers[c].busy -= 1
        self._processors.set_threads(self._threads())
        self._answer(c, submitted)
