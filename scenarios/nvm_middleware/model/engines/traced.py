"""Engine `simpy` with a trace: where each request spent its time, and how busy every station was.

It is not among the named engines: it gives the same numbers as engine `simpy`, more slowly, to explain them.

- `hand-off` and `store` are work at full speed; `host` is the time that shared hardware threads and preemption add.
- `gate` is the wait for a hardware thread that may access the device.
- `device read` and `device write` divide the time in the device as the speed law does at each instant
  (`pmtwin.scenarios.nvm_middleware.model.service.speeds.device_use`), with the mean sizes of a kind.
- `stall` is the wait for a stall of the media.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.engines.simpy_engine import Service, SimpyEngine
from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.scenarios.nvm_middleware.model.requests import Draws
from pmtwin.scenarios.nvm_middleware.model.service.speeds import device_use
from pmtwin.sim.load.workload import Kind

STATIONS = ("queue", "hand-off", "host", "store", "gate", "device read", "device write", "stall")
"""Parts of a request's time; they add up to its latency."""


class HostWork(NamedTuple):
    """Work of one request on the host, in ns at full speed; `total` includes waits for a processor."""

    total: float
    handoff: float
    store: float
    stall: float


class Trace:
    """Recorded requests and station levels of a run.

    Attributes:
        visits: for each answered request, in completion order: its class, then ns at each of `STATIONS`.
        integrals: integral of each field of `Levels` over `duration_ns`.
    """

    def __init__(self):
        self.clear()

    def clear(self) -> None:
        """Discard the record, for example after the warm-up."""
        self.visits: list[tuple[float, ...]] = []
        self.integrals = [0.0] * len(Levels._fields)
        self.duration_ns = 0.0

    def times_ns(self) -> tuple[np.ndarray, np.ndarray]:
        """(class of shape (n,), uint8; time at each of `STATIONS` of shape (n, 8) in ns) in completion order."""
        table = np.array(self.visits, dtype=float).reshape(-1, 1 + len(STATIONS))
        return table[:, 0].astype(np.uint8), table[:, 1:]

    def levels(self) -> Levels:
        """Mean levels over time."""
        duration = max(self.duration_ns, 1e-9)
        return Levels(*(integral / duration for integral in self.integrals))


class Levels(NamedTuple):
    """Utilisation of the stations at one instant.

    Fields:
        workers, batch_workers: share of a pool's workers that serve a request; 0 without the pool.
        hardware_threads: threads that want a hardware thread (including polling workers and spinning clients) over the
            number of hardware threads; above 1, threads wait.
        processors: work done for requests, as a share of the capacity of all cores.
        device: share of the hardware threads that access the device.
        media: utilisation of the device's media.
        streams: number of operations that stream their payload.
        offered_ops: operations/s that both traces offer; infinite in closed loop.
    """

    workers: float
    batch_workers: float
    hardware_threads: float
    processors: float
    device: float
    media: float
    streams: float
    offered_ops: float


class TracedEngine(SimpyEngine):
    """See `SimpyEngine`; `trace` records every answered request.

    Args:
        trace: the record to fill.
    """

    def __init__(self, model: Model, keys: np.ndarray, pools: tuple[int, int], trace: Trace):
        self._trace = trace
        self._uses: dict[tuple[int, ...], tuple[float, float, tuple]] = {}
        self._reading_ns: dict[Kind, float] = {}
        self._noted_ns = 0.0
        super().__init__(model, keys, pools)
        self._look()

    def resize(self, pools: tuple[int, int]) -> None:
        super().resize(pools)
        self._note()

    def set_model(self, model: Model) -> None:
        super().set_model(model)
        self._uses = {}
        self._note()

    def _start(self, c: int, submitted: float) -> Service:
        service = super()._start(c, submitted)
        self._note()
        return service

    def _cpu_work_ns(self, draws: Draws, j: int, threads: int, woken: bool) -> float:
        total, model = super()._cpu_work_ns(draws, j, threads, woken), self._plain
        handoff = model.handoff_ns[threads] * draws.handoff_factor[j] + (model.wakeup_ns if woken else 0.0)
        store = draws.software_ns[j] * model.kv_factor[self._busy()] * model.crowding[threads]
        stall = draws.stall_ns[j] * model.rate[threads]
        self._host_work = HostWork(total, handoff * draws.cpu_noise[j], store * draws.cpu_noise[j], stall)
        return total

    def _serve(self, c: int, kind: Kind, submitted: float, cpu_done, device_ns: float):
        request = super()._serve(c, kind, submitted, cpu_done, device_ns)
        return self._traced(request, c, kind, submitted, self._host_work)

    def _traced(self, request, c: int, kind: Kind, submitted: float, work: HostWork):
        """Let a worker serve the request, and record the times after the processors, the gate, and the device."""
        stamps = [(self.env.now, 0.0)]
        for event in request:
            self._note()
            yield event
            self._note()
            stamps.append((self.env.now, self._reading_ns.get(kind, 0.0)))
        self._note()
        (started, _), (processed, _), (entered, before), (left, after) = stamps[0], stamps[1], stamps[-2], stamps[-1]
        stretch = (processed - started) / work.total
        reading, stall = after - before, work.stall * stretch
        host = (processed - started) - work.handoff - work.store - stall
        self._trace.visits.append((
            c, started - submitted, work.handoff, host, work.store, entered - processed,
            reading, left - entered - reading, stall,
        ))  # fmt: skip

    def _note(self) -> None:
        """Update the integrals up to now, with the levels before this instant's changes."""
        elapsed, self._noted_ns = self.env.now - self._noted_ns, self.env.now
        if elapsed > 0.0:
            trace = self._trace
            trace.duration_ns += elapsed
            trace.integrals = _integrated(trace.integrals, self._levels, elapsed)
            for kind, share in self._reads:
                self._reading_ns[kind] = self._reading_ns.get(kind, 0.0) + elapsed * share
        self._look()

    def _look(self) -> None:
        """Compute the levels at this instant."""
        plain, limit = self._plain, self._plain.hardware_threads
        threads, inside = self._threads(), self._hardware_threads.busy
        computing = self._busy() - inside - len(self._gate.waiting)
        working = computing / max(threads, 1) * min(1.0, threads * plain.rate[threads] / (limit * plain.rate[limit]))
        media, streams, self._reads = self._use()
        self._levels = (
            *([pool.busy / pool.servers for pool in self._pools] + [0.0])[:2], threads / limit,
            working, inside / limit, media, streams, self._offered_ops(),
        )  # fmt: skip

    def _offered_ops(self) -> float:
        loads = zip(self._model.workload.classes, self._gap_factors, strict=True)
        return sum([(load.rate_ops or math.inf) / factor for load, factor in loads if load.clients])

    def _use(self) -> tuple[float, float, tuple[tuple[Kind, float], ...]]:
        """(utilisation of the media, streams, share of the time of each kind that goes to reading)."""
        population = self._device.population
        if population not in self._uses:
            media, streams, reads = device_use(self._model.records, np.array(population))
            self._uses[population] = (media, streams, tuple(zip(self._model.kinds, reads.tolist(), strict=True)))
        return self._uses[population]


def _integrated(integrals: list[float], levels: Sequence[float], elapsed: float) -> list[float]:
    return [integral + elapsed * level for integral, level in zip(integrals, levels, strict=True)]
