"""Hybrid storage: which device holds a page, and when it moves (Nadig and others, "Harmonia", 2025)."""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "HybridStorage": "pmtwin.scenarios.hybrid_storage.scenario",
    "HybridStorageOptions": "pmtwin.scenarios.hybrid_storage.options",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin.scenarios.hybrid_storage", _HOMES)
