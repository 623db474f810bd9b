"""The events of a hybrid storage that a migration policy hears, and the kind of its decision point."""

from __future__ import annotations

from pmtwin.sim.decisions.kind import Event, PointKind

USED = Event("used", {"page": "int64", "pages": "int64", "write": "boolean", "device_of": "int8[::1]"})
MOVE = Event(
    "move",
    {
        "page": "int64",
        "features": "float64[::1]",
        "device_of": "int8[::1]",
        "oldest": "int64[::1]",
        "free": "int64[::1]",
        "setting": "int64[::1]",
    },
    "page * devices + target, or -1 for none",
    whole=True,
    refusal="it names a page or a device that there is not",
)
PLANNED = Event(
    "plan",
    {"device_of": "int8[::1]", "free": "int64[::1]", "setting": "int64[::1]", "moves": "int64[::1]"},
    refusal="its plan names a page or a device that there is not",
)
ANSWERED = Event("answered", {"latency_ns": "float64", "write": "boolean"}, teaches=True)
MOVED = Event("moved", {"page": "int64", "origin": "int64", "target": "int64"})

MIGRATION = PointKind(
    "migration", "which page moves to which device", "pmtwin.policies.Migration", (USED, MOVE, PLANNED, ANSWERED, MOVED)
)
"""A request has used `pages` pages from `page` on; which page is to move; which pages move at once, before the next
request; a request was answered; a page was moved."""
