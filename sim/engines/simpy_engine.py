"""Engine `simpy`: the specification. The middleware as SimPy processes, written to be read beside chapter 3 of the
thesis.

A request is submitted by the replay of its class, waits in its FIFO queue, is served by a worker (first on the host's
processors, then, holding a hardware thread, on the device), and its answer makes the client ready for the next one.
What a request costs comes from `sim.requests`; when anything happens is decided here, and again, independently, in
`pmtwin.sim.engines.compiled`, which must agree on every latency to the last bit.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import simpy

from pmtwin.sim.engines.base import Engine, WindowResult, waiting_ns
from pmtwin.sim.engines.simpy_servers import SUBMISSION, AbsoluteEnvironment, Device, Processors
from pmtwin.sim.host import MAX_RUNNABLE
from pmtwin.sim.model import Model
from pmtwin.sim.requests import Draws, draw_block

BLOCK = 1024
"""Requests are drawn in blocks; which block a request falls into changes nothing."""


class SimpyEngine(Engine):
    """See `pmtwin.sim.engines.base.Engine`."""

    name = "simpy"

    def __init__(self, model: Model, keys: np.ndarray, pools: tuple[int, int]):
        self.env = AbsoluteEnvironment()
        self._model, self._plain, self._keys = model, model.plain, keys
        self._pools, self._busy = list(pools), [0, 0]
        self._ready = [deque([0.0] * int(clients)) for clients in model.plain.clients]
        self._surplus = [0, 0]
        queue = deque()
        self._queues = [queue, queue] if model.plain.shared else [queue, deque()]
        self._budget, self._due = [0, 0], [0.0, 0.0]
        self._submitted, self._started = [0, 0], [0, 0]
        self._blocks: dict[tuple[int, int], Draws] = {}
        self._waited = [0.0, 0.0]
        self._answers: list[tuple[float, int]] = []
        self._processors = Processors(self.env, model, self._threads())
        self._device = Device(self.env, model, self._processors)
        self._hardware_threads = simpy.Resource(self.env, model.plain.hardware_threads)
        self._changed = [self.env.event(), self.env.event()]
        for c in range(2):
            self.env.process(self._replay(c))

    # -- the interface of an engine

    def resize(self, pools: tuple[int, int]) -> None:
        self._pools = list(pools)
        self._processors.set_threads(self._threads())

    def set_model(self, model: Model) -> None:
        self._processors.set_model(model)
        self._device.set_model(model)
        change = [new - old for new, old in zip(model.plain.clients, self._plain.clients, strict=True)]
        self._model, self._plain, self._blocks = model, model.plain, {}
        self._budget, self._due = [0, 0], [self.env.now, self.env.now]
        for c in range(2):
            self._join(c, max(change[c], 0))
            self._retire(c, max(-change[c], 0))
        self._processors.set_threads(self._threads())

    def run_window(self, completions: int, release: tuple[int, int]) -> WindowResult:
        start, self._answers, self._waited, before = self.env.now, [], [0.0, 0.0], self._waiting_ns()
        for c in range(2):
            closed = self._plain.closed[c]
            self._budget[c] = np.inf if closed else self._budget[c] + release[c]
            if closed:
                self._due[c] = -np.inf
            elif self._due[c] <= start:  # behind its schedule: the trace goes on from now
                self._due[c] = start + self._gap(c)
            self._tell(c)
        for c in range(2):
            self._start_waiting(c)
        while len(self._answers) < completions:
            if self.env.peek() == np.inf:
                raise RuntimeError(
                    f"the window needs {completions} completions; only {len(self._answers)} are released"
                )
            self.env.step()
        self._finish_instant()
        answers = np.array(self._answers)
        waited = np.array(self._waited) + self._waiting_ns() - before  # as in the compiled engine
        return WindowResult(answers[:, 0], answers[:, 1].astype(np.uint8), start, self.env.now, waited)

    def _waiting_ns(self) -> np.ndarray:
        submitted = [np.array([at for owner, at in queue if owner == c]) for c, queue in enumerate(self._queues)]
        return waiting_ns(self.env.now, submitted)

    def _finish_instant(self) -> None:
        """Clients due at the window's last instant still submit; what else ends at it belongs to the next window."""
        timers = self._processors.timer, self._device.timer
        for timer in timers:
            timer.hold()
        while self.env.peek() == self.env.now:
            self.env.step()
        for timer in timers:
            timer.go_on()

    def outstanding(self) -> np.ndarray:
        waiting = [sum(1 for owner, _ in queue if owner == c) for c, queue in enumerate(self._queues)]
        return np.array([self._busy[c] + waiting[c] for c in range(2)])

    def unreleased(self) -> np.ndarray:
        return np.array([0 if self._plain.closed[c] else self._budget[c] for c in range(2)])

    # -- clients

    def _replay(self, c: int):
        """The clients of a class submit the requests of its trace in order, each at its time if a client is ready."""
        while True:
            if not self._ready[c] or self._budget[c] == 0:
                yield simpy.AnyOf(self.env, [self._changed[c]])  # as far off as below: the classes keep their order
            elif self._due[c] > self.env.now:
                yield self.env.at(self._due[c], SUBMISSION + c) | self._changed[c]
            else:
                self._submit(c)

    def _submit(self, c: int) -> None:
        self._ready[c].popleft()
        if not self._plain.closed[c]:
            self._budget[c] -= 1
            self._submitted[c] += 1
            self._due[c] += self._gap(c)
        self._queues[c].append((c, self.env.now))
        self._start_waiting(c)

    def _answer(self, c: int, submitted: float) -> None:
        self._answers.append((self.env.now - submitted, c))
        if self._surplus[c] > 0:
            self._surplus[c] -= 1
            return
        if self._plain.client_wakeup_ns == 0.0:  # its next request comes before whatever else is due now
            self._is_ready(c)
            return
        ready = self.env.at(self.env.now + self._plain.client_wakeup_ns, SUBMISSION + c)
        ready.callbacks.append(lambda _: self._is_ready(c))

    def _is_ready(self, c: int) -> None:
        self._ready[c].append(self.env.now)
        if len(self._ready[c]) == 1:  # the replay may have been waiting for a client
            self._tell(c)

    def _tell(self, c: int) -> None:
        """Something that the replay waits for may have happened."""
        changed, self._changed[c] = self._changed[c], self.env.event()
        changed.succeed()

    def _join(self, c: int, count: int) -> None:
        stay = min(count, self._surplus[c])
        self._surplus[c] -= stay
        self._ready[c].extend([self.env.now] * (count - stay))

    def _retire(self, c: int, count: int) -> None:
        idle = min(count, len(self._ready[c]))
        for _ in range(idle):
            self._ready[c].popleft()
        self._surplus[c] += count - idle

    def _gap(self, c: int) -> float:
        draws, j = self._draws(c, self._submitted[c])
        return draws.gap_ns[j]

    def _draws(self, c: int, index: int) -> tuple[Draws, int]:
        """The block with request `index` of a class, and its place there."""
        number, j = divmod(index, BLOCK)
        if (c, number) not in self._blocks:
            self._blocks = {key: block for key, block in self._blocks.items() if key[0] != c or key[1] >= number - 1}
            drawn = draw_block(self._model.records, self._keys[c], c, number * BLOCK, BLOCK)
            self._blocks[c, number] = Draws(*(values.tolist() for values in drawn))
        return self._blocks[c, number], j

    # -- workers

    def _idle(self, c: int) -> bool:
        if self._plain.shared:
            return sum(self._busy) < self._plain.limit
        return self._busy[c] < self._pools[c]

    def _threads(self) -> int:
        """Threads that want a hardware thread: polling workers and spinning clients always do."""
        threads = max(sum(self._busy), self._plain.spinning)
        if self._plain.polls:
            threads = sum(max(pool, busy) for pool, busy in zip(self._pools, self._busy, strict=True))
        return min(threads, MAX_RUNNABLE)

    def _start_waiting(self, c: int) -> None:
        while self._queues[c] and self._idle(c):
            owner, submitted = self._queues[c].popleft()
            self._start(owner, submitted)

    def _start(self, c: int, submitted: float) -> None:
        now = self.env.now
        self._waited[c] += now - submitted
        self._busy[c] += 1
        self._processors.set_threads(self._threads())
        draws, j = self._draws(c, self._started[c])
        self._started[c] += 1
        cpu_done = self._processors.work(self._cpu_work_ns(draws, j, woken=submitted == now))
        self.env.process(self._serve(c, draws.kind[j], submitted, cpu_done, draws.device_ns[j]))

    def _cpu_work_ns(self, draws: Draws, j: int, woken: bool) -> float:
        """Work on the host: hand-off, software, perhaps a wake-up, waits for a hardware thread or a stalled device."""
        model, threads = self._plain, self._threads()
        work = model.handoff_ns[threads] + draws.software_ns[j] * model.kv_factor[sum(self._busy)]
        if woken:
            work += model.wakeup_ns
        work *= draws.cpu_noise[j]
        waits = model.preempted_ns[threads]
        if waits > 0.0 and draws.preemption[j] * model.timeslice_ns < work:
            work += waits * model.rate[threads]
        if draws.stall_ns[j] > 0.0:
            work += draws.stall_ns[j] * model.rate[threads]
        return float(work)

    def _serve(self, c: int, kind: int, submitted: float, cpu_done: simpy.Event, device_ns: float):
        """A worker with a request: processors, then device, then the answer."""
        yield cpu_done
        with self._hardware_threads.request() as thread:
            yield thread
            yield self._device.access(kind, device_ns)
        self._busy[c] -= 1
        self._processors.set_threads(self._threads())
        self._answer(c, submitted)
        self._start_waiting(c)
