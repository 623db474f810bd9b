"""Yardsticks of placement on one fast and one slow device: what is possible for one who knows the requests to come.

All of them count latencies of idle devices. For one thread that waits for each answer that is exact; otherwise requests
also queue, and the yardstick is a lower bound.
"""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "Yardstick": "pmtwin.scenarios.hybrid_storage.yardsticks.yardstick",
    "optimum": "pmtwin.scenarios.hybrid_storage.yardsticks.free_moves",
    "optimum_charged": "pmtwin.scenarios.hybrid_storage.yardsticks.charged_moves",
    "oracle_epoch": "pmtwin.scenarios.hybrid_storage.yardsticks.epochs",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin.scenarios.hybrid_storage.yardsticks", _HOMES)
