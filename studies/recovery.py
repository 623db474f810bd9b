"""A device with known truth, probed and fitted: are its parameters inside the intervals that say 90 %?"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pmtwin.calibrate.bootstrap import bootstrap_logs, intervals
from pmtwin.calibrate.identification import weak_parameters
from pmtwin.calibrate.measurements import Measurements, group
from pmtwin.calibrate.multistart import fit_best
from pmtwin.calibrate.probing.document import document, to_text
from pmtwin.calibrate.probing.journal import Journal
from pmtwin.calibrate.probing.plan import PRESETS
from pmtwin.calibrate.probing.session import Session
from pmtwin.calibrate.probing.state import Plan
from pmtwin.calibrate.readers import read_sources
from pmtwin.calibrate.settings import fit_settings
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.numerics.statistics import wilson_interval
from studies.simulated import Draw, SimulatedDevice


@dataclass(frozen=True)
class Recovered:
    """A parameter of the truth and what the probe made of it.

    Args:
        fitted, low, high: the estimate and its 90 % interval.
        identified: whether the profile would call it fitted, and not left open.
    """

    operation: str
    name: str
    truth: float
    fitted: float
    low: float
    high: float
    identified: bool

    @property
    def inside(self) -> bool:
        """Whether the interval holds the truth."""
        return self.low <= self.truth <= self.high


def replicate_noise(measurements: Measurements) -> Draw:
    """Draws from how far the replicates of a sweep lie apart (log of one over the median of its configuration).

    Deviations from a median of few are too small by a factor that is undone: sqrt(n / (n - 1)).
    """
    configurations, index = group(measurements)
    count = configurations.replicates[index]
    several = count > 1
    logs = np.log(measurements.bandwidth_mib_s / configurations.bandwidth_mib_s[index])[several]
    logs = logs * np.sqrt(count[several] / (count[several] - 1.0))
    return lambda rng, wanted: rng.choice(logs, wanted) * rng.choice((-1.0, 1.0), wanted)


def probe_simulated(device: SimulatedDevice, operation: str, seconds: float, seed: int) -> Measurements:
    """What the reader makes of the probe of one operation of a simulated device, whose clock is its own."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal", {})
        threads, dimms = device.context["local_threads"], float(device.context["dimms"])
        remote = device.context["remote_threads"]
        plan = Plan(PRESETS["default"], (operation,), threads, dimms, seconds, None, seed, remote)
        session = Session(device, plan, journal, clock=lambda: device.seconds)
        state = session.run()
        result = document(journal, device.context, plan, state, session.elapsed_s(), interrupted=False)
        path = Path(folder) / "probe.json"
        path.write_text(to_text(json.loads(json.dumps(result))), encoding="utf-8")
        measurements, _ = read_sources([path])
        journal.close()
        journal.remove()
    return measurements


def recover(
    profile: Profile, noise: Draw, operation: str, seconds: float, replicates: int, seed: int, threads: int = 16
) -> list[Recovered]:
    """Probe a device that follows the profile's law exactly, fit, and compare every parameter that was fitted.

    Args:
        seconds: of the simulated device's own clock.
        replicates: of the bootstrap.
    """
    from threadpoolctl import threadpool_limits

    device_seed, bootstrap_seed = np.random.SeedSequence(seed).spawn(2)
    device = SimulatedDevice(profile, noise, int(device_seed.generate_state(1)[0]), threads)
    with threadpool_limits(1):
        measurements = probe_simulated(device, operation, seconds, seed)
        configurations, _ = group(measurements)
        fit = fit_best(operation, configurations, fit_settings(configurations, device.context["media"]))
        of = intervals(fit, bootstrap_logs(configurations, fit, replicates, bootstrap_seed))
    open_ones = {*fit.on_bound(), *weak_parameters(fit, configurations)}
    truth = profile.parameters[operation]
    return [
        Recovered(operation, name, truth[name], fit.parameters[name], *of[name], name not in open_ones)
        for name in fit.free
    ]


def coverage(recovered: Sequence[Recovered]) -> dict:
    """Share of identified parameters inside their intervals, with its own 90 % interval (Wilson), and by name."""
    judged = [each for each in recovered if each.identified]
    names = sorted({(each.operation, each.name) for each in judged})
    by_name = {}
    for operation, name in names:
        of = [each for each in judged if (each.operation, each.name) == (operation, name)]
        by_name[f"{operation}.{name}"] = {"times": len(of), "inside": sum(each.inside for each in of)}
    inside = sum(each.inside for each in judged)
    low, high = (round(end, 3) for end in wilson_interval(inside, len(judged)))
    share = round(inside / len(judged), 3) if judged else None
    return {"judged": len(judged), "inside": inside, "share": share, "interval_90": [low, high], "by_name": by_name}
