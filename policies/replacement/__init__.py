"""Replacement policies for a cache of pages, compiled, one file each, with the same interface.

    >>> import numpy as np
    >>> from pmtwin.policies.replacement import make_cache, next_uses, replay
    >>> pages = np.array([1, 2, 3, 1, 2, 3])
    >>> replay(make_cache("lru", lines=2), pages), replay(make_cache("min", lines=2), pages, next_uses(pages))
    (6, 4)

A policy decides inside a simulation, at each request: `hit`, `miss`, `victim`, `evict` and `admit` are compiled
functions over arrays, which `cache.py` calls for replays, engines and learners. The shipped policies are branches of
one kernel (`dispatch.py`); for a user's policy a kernel is compiled, chosen by the type of its state (`events.py`).
"""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    name: f"pmtwin.policies.replacement.{module}"
    for module, names in {
        "cache": ("FILLED", "HIT", "Cache", "access"),
        "replaying": ("next_uses", "replay"),
        "making": ("make_cache",),
        "limits": ("MOST_LINES",),
        "naming": ("is_clairvoyant", "replacement_names", "replacement_policy"),
        "lines": ("Pins", "is_pinned"),
    }.items()
    for name in names
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
