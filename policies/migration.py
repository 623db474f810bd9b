"""Policies that move pages between the devices of a hybrid storage, asked in the background."""

from __future__ import annotations

from pmtwin.policies.inline_policy import InlinePolicy
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
ANSWERED = Event("answered", {"latency_ns": "float64", "write": "boolean"}, teaches=True)
MOVED = Event("moved", {"page": "int64", "origin": "int64", "target": "int64"})

MIGRATION = PointKind(
    "migration", "which page moves to which device", "pmtwin.policies.Migration", (USED, MOVE, ANSWERED, MOVED)
)
"""A request has used `pages` pages from `page` on; which page is to move; a request was answered; a page was moved."""


class Migration(InlinePolicy):
    """Which page moves to which device.

    Compiled: `arrays(self, point, key)` declares the arrays; `point.storage` has the number of `pages`, the `devices`
    and the `capacity` of each in pages. `move(arrays, page, features, device_of, oldest, free, setting)` is a static
    method that returns `page * devices + target`, with the numbers of a page and a device, or -1.

    - `page`, `features`: a page that the storage proposes, and what `point.features` declares of it; -1: none. A policy
      that answers with the page's own device is asked about the next one.
    - `device_of`: shape (pages,), device of each page. `oldest`, `free`: shape (devices,), the least recently used page
      of each device, or -1, and its free pages. `setting`: what was decided between windows.

    `used(arrays, page, pages, write, device_of)` is told of the pages of each request when it is answered, `answered(
    arrays, latency_ns, write)` of its latency, and `moved(arrays, page, origin, target)` of each move that is done.
    Plain Python: the same methods with `self` for `arrays`, and `start(self, point, key)`.
    """

    decides = MIGRATION
