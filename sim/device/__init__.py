"""The device: the law of its bandwidth, its latencies and their tail, and the profile with their parameters."""

from pmtwin.sim.device.law import OPERATIONS, PATTERNS
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import DEFAULT_PROFILE, Profile, load_profile, profile_names
from pmtwin.sim.device.sampling import sample_profiles
from pmtwin.sim.device.tail import Tail

__all__ = ["DEFAULT_PROFILE", "OPERATIONS", "PATTERNS", "Profile", "Tail", "load_profile", "predict"]
__all__ += ["profile_names", "sample_profiles"]
