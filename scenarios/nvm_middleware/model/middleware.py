"""The middleware's interface (thesis Table 3.1) over any engine, simulated or real; time passes in windows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.engines import Engine, make_engine
from pmtwin.scenarios.nvm_middleware.model.engines.base import Observed, WindowResult
from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.scenarios.nvm_middleware.model.model_cache import cached_model
from pmtwin.scenarios.nvm_middleware.model.pools import ACTIONS, MODES, POOL_MIN, POOLS, WindowSpec
from pmtwin.scenarios.nvm_middleware.model.trace_release import TraceRelease
from pmtwin.scenarios.nvm_middleware.model.window_stats import SHORTEST_NS, WindowStats, window_stats
from pmtwin.sim.device.profile import DEFAULT_PROFILE, Profile, load_profile
from pmtwin.sim.draws import class_keys
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.load.changes import LoadChanges, changed
from pmtwin.sim.load.part import NO_CHANGE, Factors
from pmtwin.sim.load.workload import Workload, in_order
from pmtwin.sim.parameters.values import resolve


class State(NamedTuple):
    """State of the middleware (thesis Table 3.2).

    Queue sizes are means over the last window (Little's law); block sizes are in bytes.
    """

    interactive_threads: int
    batch_threads: int
    interactive_queue_size: float
    batch_queue_size: float
    interactive_block_size: float
    batch_block_size: float
    interactive_write_ratio: float
    batch_write_ratio: float


EngineFactory = Callable[[Model, np.ndarray, tuple[int, int]], Engine]
"""(model, keys of the random numbers, pools) -> engine; called at each start."""


class Middleware:
    """The middleware under a workload: its twin or, with a real engine, the real middleware.

    A real engine takes the trace (size, kind and gap of each request) from the model, and for an emulated device also
    its speed; all other times are those of the real system. Windows of a real engine follow one another without a
    pause: while a policy computes, requests continue, and the action takes effect later, as on any live system.

    Args:
        workload: requests of the clients.
        profile: a profile, its name, or the path of its file.
        engine: "compiled" or "simpy" (same numbers); "analytic" (formulas); or a function that makes another engine.
        seed: root of all randomness, an int or a SeedSequence.
        window: length and end of a window.
        parameters: values for `pmtwin.sim.parameters.values.PARAMETERS` other than the defaults.
        mode: "middleware", or "direct" for up to 200 concurrent accesses without queues and pools (thesis section 4.2).

    Raises:
        InputError: for unknown names, values out of range, or a drained window in closed loop.
    """

    workload: Workload
    trace_state: tuple[float, ...]
    _engine: Engine | None
    _last: WindowResult | None
    _stats: WindowStats[float] | None
    _offered: Workload
    _factors: Factors
    _coming: Factors | None
    _model: Model
    _measured_threads: float

    def __init__(
        self,
        workload: Workload,
        profile: Profile | str = DEFAULT_PROFILE,
        engine: str | EngineFactory = "compiled",
        seed: int | np.random.SeedSequence = 0,
        window: WindowSpec | None = None,
        parameters: Mapping[str, float] | None = None,
        mode: str = "middleware",
    ):
        if mode not in MODES:
            raise unknown_name("mode", mode, MODES)
        self.profile = load_profile(profile) if isinstance(profile, str) else profile
        self.mode = mode
        self._make_engine = engine if callable(engine) else partial(make_engine, engine)
        self.window = window or WindowSpec()
        self._values = resolve(parameters)
        sequence = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        self._seed = sequence.entropy, sequence.spawn_key
        self._keys = class_keys(self._sequence())
        self._engine = None
        self._pools = (POOL_MIN, POOL_MIN)
        self._trace = TraceRelease()
        self._offer(workload)
        if not callable(engine):
            self._new_engine()  # an unknown name is an error at once, not at `start`

    # -- system (Table 3.1)

    def start(self, interactive_threads: int, batch_threads: int) -> None:
        """Start both pools; time begins at zero with every client ready.

        Raises:
            InputError: for pools out of range.
        """
        self.begin(*POOLS.check(POOLS.noun, (interactive_threads, batch_threads)))

    def begin(self, interactive_threads: int, batch_threads: int) -> None:
        """As `start`, for pools that are already checked."""
        self._pools, self._engine = (interactive_threads, batch_threads), None
        self._trace = TraceRelease()
        self._offer(self._offered)
        self._engine = self._new_engine()
        self._forget()

    def stop(self) -> None:
        """Stop the middleware; `start` begins a new run."""
        self._engine = None
        self._forget()

    def set_workload(self, workload: Workload, parameters: Mapping[str, float] | None = None) -> None:
        """Begin another phase; requests in flight are carried over. Setting the current phase again has no effect.

        Args:
            workload: workload of the phase.
            parameters: model parameters that differ from the defaults; None: unchanged.

        Raises:
            InputError: if a parameter of `FIXED` changes while the middleware runs.
        """
        values = self._values if parameters is None else resolve(parameters)
        if workload == self._offered and values == self._values:
            return
        for name in FIXED if self._engine is not None else ():
            if values[name] != self._values[name]:
                raise InputError(name, values[name], f"{self._values[name]:g}, as when the middleware was started")
        self._values = values
        before = self._offered.parts
        if workload.parts == before:  # another phase under the same changes: they continue
            self._offered = workload
            self._use(changed(workload, self._factors))
        else:
            self._offer(workload)
        if self._engine is not None:
            self._engine.set_model(self._model)
            if workload.parts != before:  # the new changes begin with the next window, or there are none
                self._engine.set_pace(self._factors.rate)

    def run_window(self) -> WindowStats[float]:
        """Run one window."""
        engine, release, completions = self.begin_window()
        self.end_window(engine.run_window(completions, release))
        return self.get_stats()

    def begin_window(self) -> tuple[Engine, tuple[int, int], int]:
        """(engine, requests of each class to release, completions that end the window) for the next window.

        The caller runs the window and passes its result to `end_window`.
        """
        engine = self._running()
        if self._offered.parts:
            self._change_load(engine)
        return engine, *self._trace.release(self.window, engine, self._factors.rate)

    def end_window(self, result: WindowResult) -> None:
        """Complete the window of `begin_window` with its result."""
        self._last, self._stats, self._last_extrapolated = result, None, self.extrapolated

    @property
    def extrapolated(self) -> bool:
        """Whether more threads may access the device at once than its profile covers for these accesses."""
        hardware_threads = self._values["cores"] * self._values["threads_per_core"]
        at_once = hardware_threads if self.mode == "direct" else sum(self._pools)
        return at_once > self._measured_threads

    # -- the learning agent (Tables 3.1 to 3.3)

    def get_stats(self) -> WindowStats[float]:
        """Measures of the last window."""
        if self._stats is None:
            if self._last is None:
                raise RuntimeError("no window has passed since start()")
            self._stats = window_stats(self._last, self._last_extrapolated)
        return self._stats

    def get_state(self) -> State:
        """The current state (Table 3.2).

        The monitor of a real middleware computes the state from the requests that arrived, not from the workload. For
        the twin, in mode "direct" and before the first window, queue sizes are means over the last window (0 before the
        first), and block sizes and write ratios are those of the workload.
        """
        observed = None if self.mode == "direct" or self._engine is None else self._engine.observed
        if observed is not None:
            return State(*self._pools, *observed.state[len(self._pools) :])
        return State(*self._pools, *self._queue_sizes(), *self.trace_state)

    @property
    def pools(self) -> tuple[int, int]:
        """Current numbers of (interactive, batch) threads."""
        return self._pools

    def perform_action(self, action: int) -> tuple[int, int]:
        """Perform an action of Table 3.3, within 1 to 32 threads per pool; returns the new pools."""
        if not (0 <= action < len(ACTIONS) and int(action) == action):
            raise InputError("action", action, f"a whole number from 0 to {len(ACTIONS) - 1} (Table 3.3)")
        self.set_pools(*POOLS.moved(self._pools, int(action)))
        return self._pools

    def resize(self, interactive_threads: int, batch_threads: int) -> None:
        """Set the sizes of both pools.

        Raises:
            InputError: for pools out of range.
        """
        self.set_pools(*POOLS.check(POOLS.noun, (interactive_threads, batch_threads)))

    def set_pools(self, interactive_threads: int, batch_threads: int) -> None:
        """As `resize`, for pools that are already checked."""
        engine, pools = self._running(), (interactive_threads, batch_threads)
        if pools != self._pools:
            engine.resize(pools)
            self._pools = pools

    # -- for twins only

    def coming_rates(self) -> tuple[float, ...]:
        """Factors on both classes' rates in the coming window."""
        rate = self._coming_factors().rate if self._offered.parts else self._factors.rate
        return tuple(map(float, rate))

    def waiting(self) -> tuple[float, ...]:
        """1 plus the share of each class's clients whose request is in flight."""
        clients = [max(load.clients, 1) for load in self.workload.classes]
        return tuple(1.0 + count / most for count, most in zip(self._running().outstanding(), clients, strict=True))

    def tried(self, pools: tuple[int, ...]) -> Middleware:
        """A copy of the middleware that has run the next window with these pools; the original is unchanged.

        The copy uses the random numbers of that window. It must not run further windows: it shares the generator of
        later loads with the original.

        Raises:
            InputError: for pools out of range, or if the engine cannot be copied.
        """
        return self.trial(POOLS.check(POOLS.noun, pools))

    def trial(self, pools: tuple[int, ...]) -> Middleware:
        """As `tried`, for pools that are already checked."""
        if self._offered.parts:
            self._coming_factors()  # drawn before the copy, so that neither draws them again
        trial = copy(self)
        trial._engine, trial._trace = self._running().copy(), copy(self._trace)
        trial.set_pools(*pools)
        trial.run_window()
        return trial

    def offered_ops(self) -> float | None:
        """Operations/s that the traces offered in the last window; None if a class is in closed loop."""
        loads = zip(self.workload.classes, self._factors.rate, strict=True)
        offered = 0.0
        for load, factor in loads:
            if load.clients:
                if load.rate_ops is None:
                    return None
                offered += load.rate_ops * factor
        return offered

    def latencies(self) -> tuple[np.ndarray, np.ndarray]:
        """(class of shape (n,), uint8; latency in us of shape (n,)) of the last window in completion order."""
        if self._last is None:
            raise RuntimeError("no window has passed since start()")
        return self._last.classes, self._last.latency_ns * 1e-3

    def observed(self) -> Observed | None:
        """Measures of the last window by a real middleware's monitor; None before the first window and for the twin."""
        return self._running().observed

    def validity_warning(self) -> str:
        """Reason not to trust the last window; empty if there is none, and always empty for the twin."""
        observed = self._running().observed
        return "" if observed is None else observed.validity_warning

    def _queue_sizes(self) -> tuple[float, float]:
        """Requests of each class in queue, on average over the last window."""
        if self._last is None:
            return 0.0, 0.0
        duration_ns = max(self._last.end_ns - self._last.start_ns, SHORTEST_NS)
        interactive, batch = (self._last.waited_ns / duration_ns).tolist()
        return interactive, batch

    def _new_engine(self) -> Engine:
        return self._make_engine(self._model, self._keys, self._pools)

    def _running(self) -> Engine:
        if self._engine is None:
            raise RuntimeError("start() comes first")
        return self._engine

    def _forget(self) -> None:
        self._stats = self._last = None

    def _sequence(self) -> np.random.SeedSequence:
        """The root seed sequence, with no children spawned."""
        entropy, spawn_key = self._seed
        return np.random.SeedSequence(entropy, spawn_key=spawn_key)

    def _offer(self, workload: Workload) -> None:
        """Set the workload and restart its changes of load."""
        self._offered, self._factors, self._coming = workload, NO_CHANGE, None
        entropy, spawn_key = self._seed
        self._changes = LoadChanges(workload.parts, np.random.SeedSequence(entropy, spawn_key=(*spawn_key, _LOAD_KEY)))
        self._use(workload)

    def _coming_factors(self) -> Factors:
        """Factors of the workload's changes in the next window."""
        if self._coming is None:
            self._coming = next(self._changes)
        return self._coming

    def _change_load(self, engine: Engine) -> None:
        """Advance to the load of the next window."""
        self._factors, self._coming = self._coming_factors(), None
        workload = changed(self._offered, self._factors)
        if workload is not self.workload and workload != self.workload:
            self._use(workload)
            engine.set_model(self._model)
        engine.set_pace(self._factors.rate)

    def _use(self, workload: Workload) -> None:
        self.workload = workload
        self._trace.follow(workload, self.window)
        classes = workload.classes
        sizes, writes = [load.mean_size_bytes() for load in classes], [float(load.write_ratio) for load in classes]
        self.trace_state = (*sizes, *writes)  # the last four of `State`
        in_flight = () if self._engine is None else self._model.kinds
        kinds = in_order((*workload.kinds, *in_flight))
        direct = self.mode == "direct"
        self._model, self._measured_threads = cached_model(self.profile, workload, kinds, self._values, direct)
        if self._engine is None:
            self._forget()


FIXED: tuple[str, ...] = "cores", "threads_per_core", "direct_concurrency"
"""Parameters of the machine that cannot change while the middleware runs."""

_LOAD_KEY = 2
"""Spawn key of the load; the seed's children 0 and 1 belong to the classes (`pmtwin.sim.draws.class_keys`)."""
