"""Two-tiered storage: a page cache in fast memory over shared hard disks (Sasidharan and others)."""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "TwoTier": "pmtwin.scenarios.two_tier.scenario",
    "TwoTierOptions": "pmtwin.scenarios.two_tier.options",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin.scenarios.two_tier", _HOMES)
