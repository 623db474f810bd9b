"""Engine `compiled`: the middleware as one numba kernel, request by request equal to engine `simpy`.

Only requests that are being served are simulated. Clients are a ring of the times at which they become ready; a
request is submitted at the later of that time and its place in the trace, and since both are known in advance, a busy
pool's queue needs no events: a worker that becomes free asks when the next request was, or will be, submitted.

The event loop is written for the stations that `Model.network` declares, and composed of their compiled functions
(`pmtwin.sim.stations`): the loop for any network (`pmtwin.sim.engines.network_kernel`), which has an event for each
submission and looks up what kind of station is next, takes 2.1 times as long on a network of these stations.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.engines.base import Engine, WindowResult
from pmtwin.sim.model import Model
from pmtwin.sim.populations import first_row, packed, row_of
from pmtwin.sim.requests import cpu_work_ns, device_work_ns, request_kind, request_noise
from pmtwin.sim.stations.device_sharing import advance_device, join_device, schedule_device
from pmtwin.sim.stations.host_processors import advance_cpu, schedule_cpu, set_cpu_threads
from pmtwin.sim.stations.middleware_state import (
    CPU,
    CPU_LAST,
    CPU_VIRTUAL,
    NOW,
    RING,
    SLOTS,
    empty_states,
    in_device,
    with_kinds,
)
from pmtwin.sim.stations.ordered import NEVER, insert
from pmtwin.sim.stations.trace_replay import change_clients, close_window, next_submission, open_window, submit
from pmtwin.sim.waits import waited_ns


class CompiledEngine(Engine):
    """See `pmtwin.sim.engines.base.Engine`."""

    name = "compiled"

    def __init__(self, model: Model, keys: np.ndarray, pools: tuple[int, int]):
        self._model = model
        self._states = empty_states(len(model.kinds))
        state = self._states[0]
        state["free"], state["free_count"] = np.arange(SLOTS), SLOTS
        state["random_keys"], state["pools"] = keys, pools
        state["gap_factor"] = 1.0
        _begin(model.records, model.rows, self._states)
        change_clients(self._states, model.records[0]["clients"])

    def resize(self, pools: tuple[int, int]) -> None:
        _resize(self._model.records, self._states, *pools)

    def set_pace(self, pace: tuple[float, float]) -> None:
        _set_pace(self._states, *pace)

    def set_model(self, model: Model) -> None:
        change = model.records[0]["clients"] - self._model.records[0]["clients"]
        _end(self._model.records, self._states)
        if model.kinds != self._model.kinds:
            self._states = with_kinds(self._states, self._model.kinds, model.kinds)
        _begin(model.records, model.rows, self._states)
        change_clients(self._states, change)
        self._model = model

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
        """(the model, the state) that the next window takes; others after `set_model`."""
        return self._model, self._states


def check_done(done: int, completions: int) -> None:
    """Raise `RuntimeError` for a window that ended before it was full."""
    if done < completions:
        raise RuntimeError(f"the window needs {completions} completions; only {done} requests were released")


@njit(cache=True)
def _end(models, states):
    """Bring the clocks up to date, before another model begins."""
    advance_cpu(models[0], states[0])
    advance_device(states[0])


@njit(cache=True)
def _begin(models, rows, states):
    """Go on under a model; the clocks are up to date."""
    model, st = models[0], states[0]
    for c in range(2):
        st.budget[c], st.due[c] = 0, st.clock[NOW]
    set_cpu_threads(model, st)
    row = row_of(model, st.population, rows)
    for k in range(st.speeds.shape[0]):
        st.speeds[k] = rows[row].speeds[k]
    schedule_cpu(model, st)
    schedule_device(st)


@njit(cache=True)
def _resize(models, states, interactive, batch):
    st = states[0]
    st.pools[0], st.pools[1] = interactive, batch
    set_cpu_threads(models[0], st)


@njit(cache=True)
def _set_pace(states, interactive, batch):
    st = states[0]
    st.gap_factor[0], st.gap_factor[1] = 1.0 / interactive, 1.0 / batch


@njit(cache=True)
def _start(model, st, c, submitted):
    """A worker takes the next request of the class, submitted at the given time, to the processors."""
    c &= 1  # nothing else comes in, but this way the compiler knows
    if st.queued_first[c] < st.queued_end[c]:
        st.queued_first[c] += 1
    else:
        submit(model, st, c)
    now = st.clock[NOW]
    st.waited[c] += now - submitted
    st.busy[c] += 1
    set_cpu_threads(model, st)
    running = st.busy[0] + st.busy[1]
    key, index = st.random_keys[c], st.started[c]
    st.started[c] += np.uint64(1)
    word, kind = request_kind(model, key, index, c)
    place, device_place, stall = request_noise(model, key, index, word, kind)
    work = cpu_work_ns(model, key, index, word, kind, place, stall, st.cpu_threads, running, submitted == now)
    st.free_count -= 1
    slot = st.free[st.free_count]
    st.slot_kind[slot] = kind
    st.slot_submitted[slot] = submitted
    st.slot_device_work[slot] = device_work_ns(model, word, kind, device_place)
    advance_cpu(model, st)
    insert(st, CPU, st.clock[CPU_VIRTUAL] + work, slot)
    schedule_cpu(model, st)
    _look_ahead(model, st, c)


@njit(cache=True)
def _look_ahead(model, st, c):
    """Note when an idle worker could start the next request of the class: NEVER if no worker is idle."""
    c &= 1
    if model.shared:
        idle = st.busy[0] + st.busy[1] < model.limit
        st.next_start[0] = next_submission(st, 0) if idle else NEVER
        st.next_start[1] = next_submission(st, 1) if idle else NEVER
    else:
        st.next_start[c] = next_submission(st, c) if st.busy[c] < st.pools[c] else NEVER


@njit(cache=True)
def _waits_since(st, c):
    """The number of the window whose end found the next request of the class waiting; that of none is greater."""
    if st.queued_first[c] == st.queued_end[c]:
        return st.windows + 1
    return st.queued_window[c, st.queued_first[c] & (RING - 1)]


@njit(cache=True)
def _submitted_first(st):
    """The class whose next request was, or will be, submitted first; at one instant who waits longer."""
    if st.next_start[0] == st.next_start[1]:
        return 1 if _waits_since(st, 1) < _waits_since(st, 0) else 0
    return 0 if st.next_start[0] < st.next_start[1] else 1


@njit(cache=True)
def _start_waiting(model, st):
    """Idle workers take what waits, interactive first, then what clients submit now; without a middleware in order."""
    now = st.clock[NOW]
    for c in range(2):
        _look_ahead(model, st, c)
    while min(st.next_start[0], st.next_start[1]) <= now:
        if model.shared:
            c = _submitted_first(st)
        elif max(st.next_start[0], st.next_start[1]) <= now:
            c = 1 if _waits_since(st, 0) > st.windows >= _waits_since(st, 1) else 0
        else:
            c = 0 if st.next_start[0] <= now else 1
        _start(model, st, c, st.next_start[c])


@njit(cache=True)
def _after_answer(model, st, c):
    """A worker of the class is free, and one of its clients will be: the worker takes what waits."""
    _look_ahead(model, st, c)
    if model.shared:
        c = _submitted_first(st)
    if st.next_start[c] <= st.clock[NOW]:
        _start(model, st, c, st.next_start[c])


@njit(cache=True)
def _leave_cpu(model, st):
    """A request leaves the processors for the device (True), or waits for a hardware thread to access it (False)."""
    head = st.head[CPU]
    slot = st.slots[CPU, head]
    st.clock[CPU_VIRTUAL] = st.keys[CPU, head]
    st.clock[CPU_LAST] = st.clock[NOW]
    st.head[CPU] += 1
    schedule_cpu(model, st)
    if in_device(st) < model.hardware_threads:
        join_device(model, st, slot)
        return True
    st.gate[st.gate_end & (SLOTS - 1)] = slot
    st.gate_end += 1
    return False


@njit(cache=True)
def _leave_device(model, st):
    """An operation is done: its worker is free, its client answered; returns its slot."""
    advance_device(st)
    kind = st.device_kind
    station = 1 + kind
    st.virtual[kind] = st.keys[station, st.head[station]]
    slot = st.slots[station, st.head[station]]
    st.head[station] += 1
    if model.access_holds_cpu:
        advance_cpu(model, st)
    st.population[kind] -= 1
    if model.access_holds_cpu:
        schedule_cpu(model, st)
    if st.gate_first < st.gate_end:
        join_device(model, st, st.gate[st.gate_first & (SLOTS - 1)])
        st.gate_first += 1
    c = model.class_of[kind]
    st.busy[c] -= 1
    set_cpu_threads(model, st)
    if st.surplus[c] > 0:
        st.surplus[c] -= 1
    else:
        st.ready[c, st.ready_end[c] & (RING - 1)] = st.clock[NOW] + model.client_wakeup_ns
        st.ready_end[c] += 1
    st.free[st.free_count] = slot
    st.free_count += 1
    return slot


@njit(cache=True)
def _waiting_ns(st, c):
    """How long the requests of a class have waited already that the end of a window found in queue, summed."""
    submitted = np.empty(st.queued_end[c] - st.queued_first[c])
    for j in range(submitted.shape[0]):
        submitted[j] = st.queued[c, (st.queued_first[c] + j) & (RING - 1)]
    return waited_ns(st.clock[NOW], submitted)


@njit(cache=True)
def run(models, rows, states, release, latency, classes, waited):
    """One window, which ends when `latency` is full.

    Args:
        models, states: of one element. rows: of `pmtwin.sim.populations`.
        release: shape (2,), requests of the trace of each class.
        latency, classes: shape (completions,), to be filled.
        waited: shape (2,), to be filled: time in queue within the window, in ns.

    Returns:
        (completions; start and end of the window in ns).
    """
    st = states[0]
    start = st.clock[NOW]
    before = _waiting_ns(st, 0), _waiting_ns(st, 1)
    done = _run(models, rows, states, release, latency, classes)
    for c in range(2):
        waited[c] = st.waited[c] + _waiting_ns(st, c) - before[c]  # of those started, less what earlier windows had
    return done, start, st.clock[NOW]


@njit(cache=True)
def _run(models, rows, states, release, latency, classes):
    """Simulate until `latency` is full; returns the number of completions."""
    model, st = models[0], states[0]
    open_window(model, st, release)
    _start_waiting(model, st)
    done = 0
    while done < latency.shape[0]:
        submission = min(st.next_start[0], st.next_start[1])
        device_changed = True
        if st.device_end <= st.cpu_end and st.device_end <= submission:
            if st.device_end == NEVER:
                break
            st.clock[NOW] = st.device_end
            slot = _leave_device(model, st)
            class_index = model.class_of[st.slot_kind[slot]]
            latency[done] = st.clock[NOW] - st.slot_submitted[slot]
            classes[done] = class_index
            done += 1
            _after_answer(model, st, class_index)
        elif st.cpu_end <= submission:
            st.clock[NOW] = st.cpu_end
            device_changed = _leave_cpu(model, st)
        else:
            st.clock[NOW] = submission
            _start(model, st, 0 if st.next_start[0] <= st.next_start[1] else 1, submission)
            device_changed = False
        if device_changed:
            # handing the table to a function counts a reference, which costs more than the look-up
            population = packed(st.population)
            row = first_row(population, rows.shape[0])
            if rows[row].population != population:
                row = row_of(model, st.population, rows)
            for k in range(st.speeds.shape[0]):
                st.speeds[k] = rows[row].speeds[k]
            schedule_device(st)
    close_window(model, st)
    return done
