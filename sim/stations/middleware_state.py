"""What the compiled middleware keeps between events: one record of fixed layout, and constants to read it with."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.populations import ROW
from pmtwin.sim.speeds import KINDS
from pmtwin.sim.stations.ordered import ROOM_BESIDES
from pmtwin.sim.workload import MAX_CLIENTS

NOW, CPU_LAST, CPU_VIRTUAL, DEVICE_LAST = range(4)
CPU = 0
"""Station 0 is the host's processors, stations 1 to 4 are the device's four kinds."""

STATIONS = 1 + KINDS
UNLIMITED = np.int64(1) << 60

RING = MAX_CLIENTS
"""Room for the clients of a class; a power of two, so that a ring's place is its number's lowest bits."""

SLOTS = 2048
"""Room for the requests in service; a power of two, and more than any mode admits."""

STATION_ROOM = SLOTS + ROOM_BESIDES

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
    ("gap_factor", "f8", 2),  # on the trace's gaps: the inverse of the pace
    ("submitted", "u8", 2),  # requests so far: the next one's number for its gap
    ("started", "u8", 2),  # requests so far: the next one's number for everything else
    ("next_start", "f8", 2),  # when an idle worker could start the class's next request
    ("waited", "f8", 2),  # time in queue of the requests started in this window
    ("random_keys", "u8", 2),
], align=True)  # fmt: skip
"""Everything that changes, as one record; indexed by class (2), kind (4), station (5) or slot.

What is used as an index is unsigned: the compiler then leaves out what Python does with negative ones."""
