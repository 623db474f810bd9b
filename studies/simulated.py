"""A device with known truth: it answers as the native probe does, from a profile's law and drawn noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pmtwin.calibrate.probing.cases import CHASE, LATENCY, MIXED
from pmtwin.calibrate.probing.native import Answer, CaseRefusedError
from pmtwin.sim.device.effects import varied
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile

Draw = Callable[[np.random.Generator, int], np.ndarray]
"""Draws logarithms of measured over true, shape (n,)."""


def normal_noise(sigma: float) -> Draw:
    """Log-normal measurements."""
    return lambda rng, count: sigma * rng.standard_normal(count)


class SimulatedDevice:
    """A device that follows the law of a profile exactly, and whose measurements scatter.

    Args:
        profile: whose parameters, effects and idle latencies are the truth.
        noise: of a single repetition.
        seed: of the noise.
        threads: hardware threads of the machine.
        remote_threads: those on the remote NUMA node.
        media: kind of memory.

    Attributes:
        seconds: that the measurements would have taken: a clock for the session.
    """

    def __init__(
        self, profile: Profile, noise: Draw, seed: int, threads: int = 24, media: str = "pmem", remote_threads: int = 0
    ):
        self._profile, self._noise = replace(profile, residual=None), noise
        self._rng = np.random.default_rng(seed)
        self.seconds = 0.0
        self.context = {
            "host_name": "simulated",
            "media": media,
            "dimms": FULL_SET_DIMMS,
            "local_threads": threads,
            "remote_threads": remote_threads,
            "json_schema_version": 1,
        }

    def ask(self, case: dict) -> Answer:
        """Repetitions of a case; `CaseRefusedError` for more threads than there are."""
        if case["threads"] > self.context["local_threads"]:
            raise CaseRefusedError(f"threads: {case['threads']}; allowed: 1 to {self.context['local_threads']}")
        count = case["repetitions"]
        name, truth = self._truth(case)
        values = truth * np.exp(self._noise(self._rng, count))
        self.seconds += count * case["min_time_s"]
        return Answer([self._benchmark(case, index, name, value) for index, value in enumerate(values.tolist())], 0.0)

    def interrupt(self) -> None:
        """Nothing is ever at work."""

    def close(self) -> None:
        """Nothing is held."""

    def _truth(self, case: dict) -> tuple[str, float]:
        operation, pattern, size = case["operation"], case["pattern"], case["access_size_bytes"]
        if case["kind"] in (CHASE, LATENCY):
            return "latency_mean_ns", self._profile.idle_latency_ns.get((operation, pattern), 100.0)
        if any(effect.column.name in case for effect in varied()):
            return "bandwidth_mib_s", self._varied(case)
        if operation != MIXED:
            return "bandwidth_mib_s", self._law(operation, pattern, size, case["threads"])
        read, write = (self._law(name, pattern, size, case["threads"]) for name in ("load", case["write_operation"]))
        ratio = case["write_ratio"]
        return "bandwidth_mib_s", 1.0 / ((1.0 - ratio) / read + ratio / write)

    def _law(self, operation: str, pattern: str, size: float, threads: float) -> float:
        size, threads = np.array([float(size)]), np.array([float(threads)])
        return float(bandwidth_mib_s(self._profile, operation, pattern, size, threads)[0])

    def _varied(self, case: dict) -> float:
        at = {name: case[name] for name in ("operation", "pattern", "access_size_bytes", "threads")}
        at |= {"dimms": FULL_SET_DIMMS, "power_w": REFERENCE_POWER_W}
        for effect in varied():
            if (name := effect.column.name) in case:
                row = {name: str(case[name])}
                at[effect.column.key] = effect.read(row, case["pattern"], case["access_size_bytes"], "case")
        predicted = predict(self._profile, {name: np.array([value]) for name, value in at.items()})
        bandwidth = float(predicted["bandwidth_mib_s"][0])
        if not np.isfinite(bandwidth):
            raise CaseRefusedError(f"{predicted['not_identified'][0]}: the truth knows nothing of it")
        return bandwidth

    def _benchmark(self, case: dict, index: int, name: str, value: float) -> dict:
        columns = [effect.column for effect in varied()]
        names = [each.name for each in columns if each.names]
        words = [
            f"{key}={case[key]}"
            for key in ("operation", "write_operation", "pattern", *names, "kind", "mix_by")
            if key in case
        ]
        title = f"{case['kind']}/{case['operation']}/{case['pattern']}/{case['access_size_bytes']}B"
        return {
            "name": f"{title}/threads:{case['threads']}",
            "run_type": "iteration",
            "repetition_index": index,
            "threads": case["threads"],
            "label": " ".join(words),
            "access_size_bytes": float(case["access_size_bytes"]),
            "write_ratio": case.get("write_ratio", 0.0),
            **{each.name: case.get(each.name, 0) for each in columns if not each.names},
            "cpu_share": 1.0,
            name: value,
        }
