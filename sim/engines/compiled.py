"""Engine `compiled`: the middleware as one numba kernel, request by request equal to engine `simpy`.

Only requests that are being served are simulated. Clients are a ring of the times at which they become ready; a
request is submitted at the later of that time and its place in the trace, and since both are known in advance, a busy
pool's queue needs no events: a worker that becomes free asks when the next request was, or will be, submitted. Servers
that share their processors keep a virtual clock and their requests sorted by the virtual time of their end.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sim.draws import gap_ns
from sim.engines.base import Engine, WindowResult
from sim.errors import check_range
from sim.host import MAX_RUNNABLE
from sim.model import Model
from sim.populations import ROW, fill_row, row_of
from sim.requests import cpu_work_ns, device_work_ns, request_kind
from sim.service import KINDS
from sim.workload import CLASSES

NOW, CPU_LAST, CPU_VIRTUAL, DEVICE_LAST = range(4)
CPU = 0
"""Station 0 is the host's processors, stations 1 to 4 are the device's four kinds."""

STATIONS = 1 + KINDS
STATION_ROOM = 2304
STATION_MOVE = 192
"""A station's requests move to the front of its arrays after this many have left: few, to stay in the nearest cache."""
FRONT = 64
"""Where the requests of a station begin after a move: before it is room for those that belong at the head."""

LONG = 24
"""A station with more requests than this is worth a look at which end a new one belongs."""

UNLIMITED = np.int64(1) << 60
NEVER = np.inf


MAX_CLIENTS = 4096
RING = 4096
SLOTS = 2048

STATE = np.dtype([
    ("clock", "f8", 4),
    ("virtual", "f8", KINDS),  # virtual clocks of the device
    ("population", "u4", KINDS),
    ("speeds", "f8", ROW),  # of the present population: a row of the table of speeds
    ("device_end", "f8"),  # when the next operation leaves the device
    ("device_kind", "u4"),  # of that operation
    ("cpu_end", "f8"),  # when the next request leaves the processors
    ("cpu_threads", "u4"),  # threads that want a hardware thread: sets the speed of each
    ("keys", "f8", (STATIONS, STATION_ROOM)),  # [station, head:tail]: virtual end times, ascending; then NEVER
    ("slots", "u4", (STATIONS, STATION_ROOM)),  # the requests that they belong to
    ("head", "u4", STATIONS),
    ("tail", "u4", STATIONS),
    ("slot_kind", "u4", SLOTS),
    ("slot_submitted", "f8", SLOTS),
    ("slot_device_work", "f8", SLOTS),
    ("free", "u4", SLOTS),  # a stack of slots not in use
    ("free_count", "u4"),
    ("gate", "u4", SLOTS),  # a ring of slots that wait for a hardware thread to access the device
    ("gate_first", "i8"),
    ("gate_end", "i8"),
    ("pools", "u4", 2),
    ("busy", "u4", 2),
    ("ready", "f8", (2, RING)),  # a ring of times at which clients are ready
    ("ready_first", "i8", 2),
    ("ready_end", "i8", 2),
    ("queued", "f8", (2, RING)),  # a ring of submission times of requests that a window's end found waiting
    ("queued_first", "i8", 2),
    ("queued_end", "i8", 2),
    ("surplus", "u4", 2),  # clients to retire at their next answer
    ("budget", "i8", 2),  # requests of the trace released and not yet submitted
    ("due", "f8", 2),  # time of the next request in the trace
    ("submitted", "u8", 2),  # requests so far: the next one's number for its gap
    ("started", "u8", 2),  # requests so far: the next one's number for everything else
    ("next_start", "f8", 2),  # when an idle worker could start the class's next request
    ("waited", "f8", 2),  # time in queue of the requests started in this window
    ("random_keys", "u8", 2),
], align=True)  # fmt: skip
"""Everything that changes, as one record; indexed by class (2), kind (4), station (5) or slot.

What is used as an index is unsigned: the compiler then leaves out what Python does with negative ones."""


class CompiledEngine(Engine):
    """See `sim.engines.base.Engine`."""

    name = "compiled"

    def __init__(self, model: Model, keys: np.ndarray, pools: tuple[int, int]):
        self._model = model
        self._states = np.zeros(1, dtype=STATE)
        state = self._states[0]
        state["free"], state["free_count"] = np.arange(SLOTS), SLOTS
        state["random_keys"], state["pools"] = keys, pools
        state["keys"][:, 0] = NEVER
        _set_model(model.records, model.records, model.rows, self._states)
        _change_clients(self._states, _clients(model))

    def resize(self, pools: tuple[int, int]) -> None:
        self._states[0]["pools"] = pools
        _resized(self._model.records, self._states)

    def set_model(self, model: Model) -> None:
        change = _clients(model) - _clients(self._model)
        _set_model(self._model.records, model.records, model.rows, self._states)
        _change_clients(self._states, change)
        self._model = model

    def outstanding(self) -> np.ndarray:
        state = self._states[0]
        return state["busy"] + state["queued_end"] - state["queued_first"]

    def unreleased(self) -> np.ndarray:
        return np.where(self._model.records[0]["closed"], 0, self._states[0]["budget"])

    def run_window(self, completions: int, release: tuple[int, int]) -> WindowResult:
        model, state = self._model, self._states[0]
        start = float(state["clock"][NOW])
        latency, classes = np.empty(completions), np.empty(completions, dtype=np.uint8)
        done = _run(model.records, model.rows, self._states, np.array(release, dtype=np.int64), latency, classes)
        if done < completions:
            raise RuntimeError(f"the window needs {completions} completions; only {done} requests were released")
        return WindowResult(latency, classes, start, float(state["clock"][NOW]), state["waited"].copy())


def _clients(model: Model) -> np.ndarray:
    clients = model.records[0]["clients"]
    for name, count in zip(CLASSES, clients, strict=True):
        check_range(f"{name} clients", int(count), 0, MAX_CLIENTS)
    return clients


@njit(cache=True)
def _set_model(old_models, new_models, new_rows, states):
    """Bring the clocks up to date under the old model, then go on under the new."""
    st = states[0]
    _advance_cpu(old_models[0], st)
    _advance_device(st)
    for c in range(2):
        st.budget[c], st.due[c] = 0, st.clock[NOW]
    _set_cpu_threads(new_models[0], st)
    row = row_of(new_models[0], st.population)
    fill_row(new_models[0], st.population, new_rows, row)
    for k in range(ROW):
        st.speeds[k] = new_rows[row, k]
    _schedule_cpu(new_models[0], st)
    _schedule_device(st)


@njit(cache=True)
def _resized(models, states):
    _set_cpu_threads(models[0], states[0])


@njit(cache=True)
def _change_clients(states, change):
    """New clients are ready now; surplus ones leave, the longest ready first, busy ones with their next answer."""
    st = states[0]
    now = st.clock[NOW]
    for c in range(2):
        for _ in range(change[c]):
            if st.surplus[c] > 0:
                st.surplus[c] -= 1
            else:
                _ready_now(st, c, now)
        for _ in range(-change[c]):
            first = st.ready_first[c]
            if first < st.ready_end[c] and st.ready[c, first & (RING - 1)] <= now:
                st.ready_first[c] += 1
            else:
                st.surplus[c] += 1


@njit(cache=True)
def _ready_now(st, c, now):
    """Insert a client who is ready now before those whose answers are still on their way."""
    j = st.ready_end[c]
    while j > st.ready_first[c] and st.ready[c, (j - 1) & (RING - 1)] > now:
        st.ready[c, j & (RING - 1)] = st.ready[c, (j - 1) & (RING - 1)]
        j -= 1
    st.ready[c, j & (RING - 1)] = now
    st.ready_end[c] += 1


@njit(cache=True)
def _insert(st, station, key, slot):
    """Insert in ascending order, behind equal keys."""
    if st.head[station] >= STATION_MOVE:
        _move_to_front(st, station)
    j, head = st.tail[station], st.head[station]
    if j - head > LONG and head > 0 and key < st.keys[station, (head + j) >> 1]:
        _insert_from_head(st, station, key, slot)
        return
    while j > head and st.keys[station, j - 1] > key:
        st.keys[station, j] = st.keys[station, j - 1]
        st.slots[station, j] = st.slots[station, j - 1]
        j -= 1
    st.keys[station, j] = key
    st.slots[station, j] = slot
    st.tail[station] += 1
    st.keys[station, st.tail[station]] = NEVER


@njit(cache=True)
def _insert_from_head(st, station, key, slot):
    """The same where the place is nearer to the head: a short request among many that wait for a hardware thread."""
    j, tail = st.head[station], st.tail[station]
    while j < tail and st.keys[station, j] <= key:
        st.keys[station, j - 1] = st.keys[station, j]
        st.slots[station, j - 1] = st.slots[station, j]
        j += 1
    st.keys[station, j - 1] = key
    st.slots[station, j - 1] = slot
    st.head[station] -= 1


@njit(cache=True)
def _move_to_front(st, station):
    head = st.head[station]
    count = st.tail[station] - head
    for j in range(count):
        st.keys[station, FRONT + j] = st.keys[station, head + j]
        st.slots[station, FRONT + j] = st.slots[station, head + j]
    st.head[station], st.tail[station] = FRONT, FRONT + count
    st.keys[station, FRONT + count] = NEVER


@njit(cache=True)
def _advance_cpu(model, st):
    st.clock[CPU_VIRTUAL] += (st.clock[NOW] - st.clock[CPU_LAST]) * model.rate[st.cpu_threads]
    st.clock[CPU_LAST] = st.clock[NOW]


@njit(cache=True)
def _set_cpu_threads(model, st):
    """The number of threads that want a hardware thread has changed: from now on, another speed."""
    threads = max(st.busy[0] + st.busy[1], model.spinning)
    if model.polls:
        threads = max(st.pools[0], st.busy[0]) + max(st.pools[1], st.busy[1])
    threads = min(threads, MAX_RUNNABLE)
    if threads != st.cpu_threads:
        _advance_cpu(model, st)
        st.cpu_threads = threads
        _schedule_cpu(model, st)


@njit(cache=True)
def _schedule_cpu(model, st):
    """Note when the next request leaves the processors."""
    left = max(0.0, st.keys[CPU, st.head[CPU]] - st.clock[CPU_VIRTUAL])
    st.cpu_end = st.clock[CPU_LAST] + left * model.inverse_rate[st.cpu_threads]


@njit(cache=True)
def _advance_device(st):
    elapsed = st.clock[NOW] - st.clock[DEVICE_LAST]
    for k in range(KINDS):
        st.virtual[k] += elapsed * st.speeds[k]
    st.clock[DEVICE_LAST] = st.clock[NOW]


@njit(cache=True)
def _schedule_device(st):
    """Note when the next operation leaves the device, and its kind; the first kind of those that leave at once."""
    best, kind = NEVER, 0
    for k in range(KINDS):
        left = max(0.0, st.keys[1 + k, st.head[1 + k]] - st.virtual[k])
        end = st.clock[DEVICE_LAST] + left * st.speeds[KINDS + k]
        kind = k if end < best else kind
        best = min(best, end)
    st.device_end = best
    st.device_kind = kind


@njit(cache=True)
def _join_device(st, slot):
    _advance_device(st)
    kind = st.slot_kind[slot]
    st.population[kind] += 1
    _insert(st, 1 + kind, st.virtual[kind] + st.slot_device_work[slot], slot)


@njit(cache=True)
def _next_submission(st, c):
    """When the next request of the class that no worker has started was, or will be, submitted."""
    c &= 1
    first = st.queued_first[c]
    if first < st.queued_end[c]:
        return st.queued[c, first & (RING - 1)]
    return _next_of_trace(st, c)


@njit(cache=True)
def _next_of_trace(st, c):
    c &= 1
    first = st.ready_first[c]
    if st.budget[c] == 0 or first == st.ready_end[c]:
        return NEVER
    return max(st.ready[c, first & (RING - 1)], st.due[c])


@njit(cache=True)
def _submit(model, st, c):
    """The longest ready client of the class submits the next request of the trace."""
    c &= 1
    st.ready_first[c] += 1
    if not model.closed[c]:
        st.budget[c] -= 1
        st.submitted[c] += np.uint64(1)
        st.due[c] += gap_ns(model.gaps_ns, c, st.random_keys[c], st.submitted[c])


@njit(cache=True)
def _start(model, st, c, submitted):
    """A worker takes the next request of the class, submitted at the given time, to the processors."""
    c &= 1  # nothing else comes in, but this way the compiler knows
    if st.queued_first[c] < st.queued_end[c]:
        st.queued_first[c] += 1
    else:
        _submit(model, st, c)
    now = st.clock[NOW]
    st.waited[c] += now - submitted
    st.busy[c] += 1
    _set_cpu_threads(model, st)
    running = st.busy[0] + st.busy[1]
    key, index = st.random_keys[c], st.started[c]
    st.started[c] += np.uint64(1)
    word, kind = request_kind(model, key, index, c)
    work = cpu_work_ns(model, key, index, word, kind, st.cpu_threads, running, submitted == now)
    st.free_count -= 1
    slot = st.free[st.free_count]
    st.slot_kind[slot] = kind
    st.slot_submitted[slot] = submitted
    st.slot_device_work[slot] = device_work_ns(model, key, index, word, kind)
    _advance_cpu(model, st)
    _insert(st, CPU, st.clock[CPU_VIRTUAL] + work, slot)
    _schedule_cpu(model, st)
    _look_ahead(model, st, c)


@njit(cache=True)
def _look_ahead(model, st, c):
    """Note when an idle worker could start the next request of the class: NEVER if no worker is idle."""
    c &= 1
    if model.shared:
        idle = st.busy[0] + st.busy[1] < model.limit
        st.next_start[0] = _next_submission(st, 0) if idle else NEVER
        st.next_start[1] = _next_submission(st, 1) if idle else NEVER
    else:
        st.next_start[c] = _next_submission(st, c) if st.busy[c] < st.pools[c] else NEVER


@njit(cache=True)
def _start_waiting(model, st):
    """Give waiting requests to idle workers, interactive first; without a middleware in order of submission."""
    now = st.clock[NOW]
    for c in range(2):
        _look_ahead(model, st, c)
    while min(st.next_start[0], st.next_start[1]) <= now:
        c = 0 if st.next_start[0] <= (st.next_start[1] if model.shared else now) else 1
        _start(model, st, c, st.next_start[c])


@njit(cache=True)
def _after_answer(model, st, c):
    """A worker of the class is free, and one of its clients will be: the worker takes what waits."""
    _look_ahead(model, st, c)
    if model.shared and st.next_start[1] < st.next_start[0]:
        c = 1
    elif model.shared:
        c = 0
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
    _schedule_cpu(model, st)
    if st.population[0] + st.population[1] + st.population[2] + st.population[3] < model.hardware_threads:
        _join_device(st, slot)
        return True
    st.gate[st.gate_end & (SLOTS - 1)] = slot
    st.gate_end += 1
    return False


@njit(cache=True)
def _leave_device(model, st):
    """An operation is done: its worker is free, its client answered; returns its slot."""
    _advance_device(st)
    kind = st.device_kind
    station = 1 + kind
    st.virtual[kind] = st.keys[station, st.head[station]]
    slot = st.slots[station, st.head[station]]
    st.head[station] += 1
    st.population[kind] -= 1
    if st.gate_first < st.gate_end:
        _join_device(st, st.gate[st.gate_first & (SLOTS - 1)])
        st.gate_first += 1
    c = kind // 2
    st.busy[c] -= 1
    _set_cpu_threads(model, st)
    if st.surplus[c] > 0:
        st.surplus[c] -= 1
    else:
        st.ready[c, st.ready_end[c] & (RING - 1)] = st.clock[NOW] + model.client_wakeup_ns
        st.ready_end[c] += 1
    st.free[st.free_count] = slot
    st.free_count += 1
    return slot


@njit(cache=True)
def _open_window(model, st, release):
    """Release a window's requests: the trace goes on from now, with what is left of earlier windows first."""
    for c in range(2):
        st.waited[c] = 0.0
        if model.closed[c]:
            st.budget[c], st.due[c] = UNLIMITED, st.clock[NOW]
        else:
            st.budget[c] += release[c]
            if st.due[c] <= st.clock[NOW]:  # behind its schedule: the trace goes on from now
                st.due[c] = st.clock[NOW] + gap_ns(model.gaps_ns, c, st.random_keys[c], st.submitted[c])


@njit(cache=True)
def _close_window(model, st):
    """Requests submitted in this window and not started stay submitted, whatever the next window's trace says."""
    for c in range(2):
        at = _next_of_trace(st, c)
        while at <= st.clock[NOW]:
            _submit(model, st, c)
            st.queued[c, st.queued_end[c] & (RING - 1)] = at
            st.queued_end[c] += 1
            at = _next_of_trace(st, c)


@njit(cache=True)
def _run(models, rows, states, release, latency, classes):
    """Simulate until `latency` is full; returns the number of completions."""
    model, st = models[0], states[0]
    _open_window(model, st, release)
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
            class_index = st.slot_kind[slot] // 2
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
        if (
            device_changed
        ):  # not a function: handing the table to one counts a reference, which costs more than the look-up
            row = row_of(model, st.population)
            if rows[row, 0] == 0.0:
                fill_row(model, st.population, rows, row)
            for k in range(ROW):
                st.speeds[k] = rows[row, k]
            _schedule_device(st)
    _close_window(model, st)
    return done
