"""Policies that move pages between the devices of a hybrid storage, asked in the background."""

from __future__ import annotations

from pmtwin.policies.inline_policy import InlinePolicy
from pmtwin.policies.tiering.events import MIGRATION


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

    A policy with `every` above 0 moves pages on the path of requests, not in the background: after so many requests,
    `plan(arrays, device_of, free, setting, moves)` writes numbers as of `move` into `moves`, shape (pages,), all -1
    before. The storage makes the moves in this order, up to the first -1, and the next request waits for them.

    Plain Python: the same methods with `self` for `arrays`, and `start(self, point, key)`.
    """

    decides = MIGRATION

    @property
    def every(self) -> int:
        """Requests after which pages move on the path of the next one; 0: pages move in the background."""
        return 0
