"""What every placement asks of a device that its profile was never fitted on: so many modules."""

from __future__ import annotations

from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.sim.device.outside import assumed_axes, outside_axes, outside_text
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.device.ranges import usual_dimms
from pmtwin.sim.numa.costs import STREAM
from pmtwin.sim.store.device_times import PERSIST


def unmeasured(options: NumaOptions) -> str:
    """A clause that says which accesses are extrapolated even with one thread; empty where none is."""
    profile, modules = load_profile(options.profile), {"dimms": float(options.machine.modules)}
    operations = [name for name in ("load", STREAM, PERSIST) if name in profile.fitted_range]
    outside = [outside_axes(profile.fitted_range[name], modules) for name in operations]
    if not any(outside):
        return ""
    whole = int(usual_dimms(profile))
    advice = f"; --modules {whole} is as profile {profile.name}" if options.machine.modules != whole else ""
    return f"{outside_text(outside, assumed_axes(profile))} of a node{advice}"
