"""The device: the law of its bandwidth, its latencies and their tail, and the profile with their parameters."""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "DEFAULT_PROFILE": "pmtwin.sim.device.profile",
    "OPERATIONS": "pmtwin.sim.device.law",
    "PATTERNS": "pmtwin.sim.device.law",
    "Profile": "pmtwin.sim.device.profile",
    "Tail": "pmtwin.sim.device.tail",
    "load_profile": "pmtwin.sim.device.profile",
    "predict": "pmtwin.sim.device.prediction",
    "profile_names": "pmtwin.sim.device.profile",
    "sample_profiles": "pmtwin.sim.device.sampling",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
