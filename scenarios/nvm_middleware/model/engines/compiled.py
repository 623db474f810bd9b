"""Engine `compiled`: the middleware as one numba kernel, request by request equal to engine `simpy`.

Only requests that are being served are simulated. Clients are a ring of the times at which they become ready; a
request is submitted at the later of that time and its place in the trace, and since both are known in advance, a busy
pool's queue needs no events: a worker that becomes free asks when the next request was, or will be, submitted.

The event loop is specific to the stations that `Model.network` declares, and calls their compiled functions
(`pmtwin.sim.stations`). The general loop for any network (`pmtwin.sim.engines.network_kernel`) is slower: it has an
event for each submission and tests the kind of the next station.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.engines.base import Engine, WindowResult
from pmtwin.scenarios.nvm_middleware.model.engines.waits import waited_ns
from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.scenarios.nvm_middleware.model.requests import cpu_work_ns, device_work_ns, request_kind, request_noise
from pmtwin.scenarios.nvm_middleware.model.service.occupancy import first_row, row_of
from pmtwin.scenarios.nvm_middleware.model.stations.device_sharing import (
    advance_device,
    join_device,
    leave_device,
    load_device,
    save_device,
    schedule_device,
)
from pmtwin.scenarios.nvm_middleware.model.stations.host_processors import (
    advance_processors,
    leave_processors,
    load_processors,
    save_processors,
    schedule_processors,
    share_processors,
    threads_wanted,
)
from pmtwin.scenarios.nvm_middleware.model.stations.middleware_state import (
    CPU,
    SLOTS,
    empty_states,
    in_device,
    with_kinds,
)
from pmtwin.scenarios.nvm_middleware.model.stations.trace_replay import (
    change_clients,
    close_window,
    next_submission,
    open_window,
    ring_place,
    submit,
)
from pmtwin.sim.compiling import njit
from pmtwin.sim.stations.ordered import NEVER, insert_among_many


class CompiledEngine(Engine):
    """See `pmtwin.scenarios.nvm_middleware.model.engines.base.Engine`."""

    name = "compiled"
    copyable = True

    def __init__(self, model: Model, keys: np.ndarray, pools: tuple[int, int]):
        self._model = model
        self._states = empty_states(len(model.kinds))
        state = self._states[0]
        state["free"], state["free_count"] = np.arange(SLOTS), SLOTS
        state["random_keys"], state["pools"] = keys, pools
        state["gap_factor"] = 1.0
        _begin(model.records, self._states)
        change_clients(self._states, model.records[0]["clients"])

    def resize(self, pools: tuple[int, int]) -> None:
        _resize(self._model.records, self._states, *pools)

    def set_pace(self, pace: tuple[float, float]) -> None:
        _set_pace(self._states, *pace)

    def set_model(self, model: Model) -> None:
        change = model.records[0]["clients"] - self._model.records[0]["clients"]
        _end(self._model.records, self._model.rows, self._states)
        if model.kinds != self._model.kinds:
            self._states = with_kinds(self._states, self._model.kinds, model.kinds)
        _begin(model.records, self._states)
        change_clients(self._states, change)
        self._model = model

    def copy(self) -> CompiledEngine:
        other = copy(self)
        other._states = self._states.copy()
        return other

    def outstanding(self) -> np.ndarray:
        state = self._states[0]
        return state["busy"] + state["queued_end"] - state["queued_first"]

    def unreleased(self) -> np.ndarray:
        return np.where(self._model.records[0]["closed"], 0, self._states[0]["budget"])

    def run_window(self, completions: int, release: tuple[int, int]) -> WindowResult:
        model = self._model
        latency, classes = np.empty(completions), np.empty(completions, dtype=np.uint8)
        released, waited = np.array(release, dtype=np.int64), np.empty(2)
        done, start, end = run(model.records, model.rows, self._states, released, latency, classes, waited)
        check_done(done, completions)
        return WindowResult(latency, classes, start, end, waited)

    @property
    def parts(self) -> tuple[Model, np.ndarray]:
        """(model, state) for the next window; `set_model` replaces both."""
        return self._model, self._states


def check_done(done: int, completions: int) -> None:
    """Raise `RuntimeError` if a window ended with fewer than `completions` completions."""
    if done < completions:
        raise RuntimeError(f"the window needs {completions} completions; only {done} requests were released")


@njit(cache=True)
def _end(models, rows, states):
    """Update the virtual clocks, before the model is replaced."""
    model, st = models[0], states[0]
    row = rows[row_of(model, st.population, rows)]
    save_processors(st, advance_processors(load_processors(model, st), st.now))
    save_device(st, advance_device(st, load_device(st), row, st.now))


@njit(cache=True)
def _begin(models, states):
    """Continue with a new model; the virtual clocks must be up to date."""
    st = states[0]
    for c in range(2):
        st.budget[c], st.next_arrival_ns[c] = 0, st.now
    st.cpu_threads = threads_wanted(models[0], st)


@njit(cache=True)
def _resize(models, states, interactive, batch):
    model, st = models[0], states[0]
    st.pools[0], st.pools[1] = interactive, batch
    if threads_wanted(model, st) != st.cpu_threads:
        save_processors(st, advance_processors(load_processors(model, st), st.now))
        st.cpu_threads = threads_wanted(model, st)


@njit(cache=True)
def _set_pace(states, interactive, batch):
    st = states[0]
    st.gap_factor[0], st.gap_factor[1] = 1.0 / interactive, 1.0 / batch


@njit(cache=True, forceinline=True, inner=True)
def _start(model, st, now, c, submitted, cpu, held):
    """A worker starts the next request of the class on the processors; `submitted`: its submission time, ns."""
    c &= 1  # tells the compiler that c is 0 or 1
    if st.queued_first[c] < st.queued_end[c]:
        st.queued_first[c] += 1
    else:
        submit(model, st, c)
    st.waited[c] += now - submitted
    st.busy[c] += 1
    cpu = advance_processors(cpu, now)
    threads = threads_wanted(model, st)
    if threads != cpu.threads:
        cpu = share_processors(model, cpu, threads, held)
    running = st.busy[0] + st.busy[1]
    key, index = st.random_keys[c], st.started[c]
    st.started[c] += np.uint64(1)
    word, kind = request_kind(model, key, index, c)
    place, device_place, stall = request_noise(model, key, index, word, kind)
    work = cpu_work_ns(model, key, index, word, kind, place, stall, cpu.threads, running, submitted == now)
    st.free_count -= 1
    slot = st.free[st.free_count]
    st.slot_kind[slot] = kind
    st.slot_submitted[slot] = submitted
    st.slot_device_work[slot] = device_work_ns(model, word, kind, device_place)
    insert_among_many(st, CPU, cpu.virtual + work, slot)
    return schedule_processors(st, cpu)


@njit(cache=True, forceinline=True, inner=True)
def _next_start(model, st, c):
    """Earliest time at which an idle worker can start the next request of the class; NEVER without idle workers."""
    idle = st.busy[0] + st.busy[1] < model.limit if model.shared else st.busy[c] < st.pools[c]
    return next_submission(st, c) if idle else NEVER


@njit(cache=True, forceinline=True, inner=True)
def _next_starts(model, st, c, next_starts):
    """Next start times of both classes, after a change in class c."""
    if model.shared:
        return _next_start(model, st, 0), _next_start(model, st, 1)
    start = _next_start(model, st, c)
    return start if c == 0 else next_starts[0], next_starts[1] if c == 0 else start


@njit(cache=True, inner=True)
def _waits_since(st, c):
    """Number of the window at whose end the class's next request was found waiting; if none, the next number."""
    if st.queued_first[c] == st.queued_end[c]:
        return st.windows + 1
    return st.queued_window[c, ring_place(st, c, st.queued_first[c])]


@njit(cache=True, inner=True)
def _submitted_first(st, next_starts):
    """The class whose next request is submitted first; at the same instant, the class that has waited longer."""
    if next_starts[0] == next_starts[1]:
        return 1 if _waits_since(st, 1) < _waits_since(st, 0) else 0
    return 0 if next_starts[0] < next_starts[1] else 1


@njit(cache=True, inner=True)
def _first_of_window(model, st, next_starts):
    """The class whose next request begins the window: interactive first or, without a middleware, in order.

    Waiting requests precede requests that clients submit now.
    """
    if model.shared:
        return _submitted_first(st, next_starts)
    if max(next_starts) <= st.now:
        return 1 if _waits_since(st, 0) > st.windows >= _waits_since(st, 1) else 0
    return 0 if next_starts[0] <= st.now else 1


@njit(cache=True, forceinline=True, inner=True)
def _answer(model, st, now, c, slot):
    """Free the worker of a finished request; its client becomes ready later, unless the client is to leave."""
    st.busy[c] -= 1
    if st.retiring_clients[c] > 0:
        st.retiring_clients[c] -= 1
    else:
        st.ready[c, ring_place(st, c, st.ready_end[c])] = now + model.client_wakeup_ns
        st.ready_end[c] += 1
    st.free[st.free_count] = slot
    st.free_count += 1


@njit(cache=True, inner=True)
def _waiting_ns(st, c):
    """Total wait so far, in ns, of a class's requests that are in queue at the end of a window."""
    submitted = np.empty(st.queued_end[c] - st.queued_first[c])
    for j in range(submitted.shape[0]):
        submitted[j] = st.queued[c, ring_place(st, c, st.queued_first[c] + j)]
    return waited_ns(st.now, submitted)


@njit(cache=True)
def run(models, rows, states, release, latency, classes, waited):
    """Run a window, which ends when `latency` is full.

    Args:
        models, states: records, shape (1,).
        rows: table of speeds, see `pmtwin.scenarios.nvm_middleware.model.service.occupancy`.
        release: shape (2,), number of requests of each class's trace to release.
        latency, classes: shape (completions,), to be filled.
        waited: shape (2,), to be filled: time in queue within the window, in ns.

    Returns:
        (number of completions, start of the window in ns, end in ns).
    """
    st = states[0]
    start = st.now
    for c in range(2):
        waited[c] = _waiting_ns(st, c)
    open_window(models[0], st, release)
    _start_waiting(models[0], st)
    done = _run(models, rows, states, latency, classes)
    close_window(models[0], st)
    for c in range(2):
        waited[c] = st.waited[c] + _waiting_ns(st, c) - waited[c]  # without the waits within earlier windows
    return done, start, st.now


@njit(cache=True, inner=True)
def _start_waiting(model, st):
    """Let idle workers take waiting requests and those submitted now, before anything else happens."""
    now, held = st.now, in_device(st)
    cpu = load_processors(model, st)
    next_starts = _next_start(model, st, 0), _next_start(model, st, 1)
    while min(next_starts) <= now:
        c = _first_of_window(model, st, next_starts)
        cpu = _start(model, st, now, c, next_starts[c], cpu, held)
        next_starts = _next_starts(model, st, c, next_starts)
    save_processors(st, cpu)


@njit(cache=True, inner=True)
def _run(models, rows, states, latency, classes):
    """Simulate until `latency` is full; returns the number of completions.

    Values that change with every event are local variables, which the compiler keeps in registers.
    """
    model, st = models[0], states[0]
    now = st.now
    cpu, device = load_processors(model, st), load_device(st)
    next_starts = _next_start(model, st, 0), _next_start(model, st, 1)
    population_changed = True
    done = 0
    while True:
        if population_changed:
            # passing the table to a function counts a reference, which costs more than the look-up
            row = rows[first_row(device.population, rows.shape[0])]
            if row.population != device.population:
                row = rows[row_of(model, st.population, rows)]
            device = schedule_device(st, device, row)
        if done == latency.shape[0]:
            break
        submission = min(next_starts)
        population_changed = True
        if device.end <= cpu.end and device.end <= submission:
            if device.end == NEVER:
                break
            now = device.end
            slot, device = leave_device(st, advance_device(st, device, row, now))
            if st.gate_first < st.gate_end:
                device = join_device(st, device, st.gate[st.gate_first & (SLOTS - 1)])
                st.gate_first += 1
            c = model.class_of[st.slot_kind[slot]] & 1
            latency[done], classes[done] = now - st.slot_submitted[slot], c
            done += 1
            _answer(model, st, now, c, slot)
            threads = threads_wanted(model, st)
            if threads != cpu.threads or model.access_holds_cpu:
                cpu = share_processors(model, advance_processors(cpu, now), threads, device.present)
                cpu = schedule_processors(st, cpu)
            next_starts = _next_starts(model, st, c, next_starts)
            if model.shared:
                c = _submitted_first(st, next_starts)
            submitted = next_starts[c]
            if submitted <= now:
                cpu = _start(model, st, now, c, submitted, cpu, device.present)
                next_starts = _next_starts(model, st, c, next_starts)
        elif cpu.end <= submission:
            now = cpu.end
            slot, cpu = leave_processors(st, cpu)
            population_changed = device.present < model.hardware_threads
            if population_changed:
                device = join_device(st, advance_device(st, device, row, now), slot)
                if model.access_holds_cpu:
                    cpu = share_processors(model, cpu, cpu.threads, device.present)
            else:
                st.gate[st.gate_end & (SLOTS - 1)] = slot
                st.gate_end += 1
            cpu = schedule_processors(st, cpu)
        else:
            population_changed = False
            now = submission
            c = 0 if next_starts[0] <= next_starts[1] else 1
            cpu = _start(model, st, now, c, submission, cpu, device.present)
            next_starts = _next_starts(model, st, c, next_starts)
    st.now = now
    save_processors(st, cpu)
    save_device(st, device)
    return done
