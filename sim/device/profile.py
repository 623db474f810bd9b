"""The profile of a device: parameters of its law, latencies and tail, what they rest on, how far to trust them.

A profile is one JSON file. `load_profile` finds the shipped ones by name and any other by path.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.access_latency import AccessLatency
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.device.identified import Identified
from pmtwin.sim.device.latency import loaded_latency_ns
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile_text import to_text
from pmtwin.sim.device.sampling import sample_profiles
from pmtwin.sim.device.schema import check_profile
from pmtwin.sim.device.tail import Tail
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.files import write_atomically
from pmtwin.sim.json_file import parse_json

SCHEMA_VERSION = 1
DEFAULT_PROFILE = "optane-dcpmm-100"


@dataclass(frozen=True)
class Profile:
    """A calibrated device.

    Args:
        name: how users call it.
        device: what was measured.
        parameters: operation -> {name of `pmtwin.sim.device.parameters.LAW_PARAMETERS`: value}.
        fitted_range: operation -> list of boxes, each {"pattern", "dimms", "access_size_bytes": [low, high],
            "threads": [low, high], "power_w": [low, high]}.
        idle_latency_ns: (operation, pattern) -> ns; asking for one that was not identified raises `InputError`.
        queue_line_ns: operation -> time in ns that one media line holds up those behind it; the same.
        tail: how single writes spread.
        residual: correction on the law inside the data, or None (`pmtwin.sim.device.residual`).
        intervals: half-widths of the prediction intervals, or None (`pmtwin.sim.device.intervals`).
        effects: strides, fences, far node, mixes: what the data tell of each, or None (`pmtwin.sim.device.effects`).
        uncertainty: deviations of the parameters in bootstrap replicates, or None (`pmtwin.sim.device.sampling`).
        access_profile: what a key-value operation asks of a device, or None (`pmtwin.sim.access_profile`).
        record: everything else of the file: intervals of the parameters, cleaning, hash, errors, versions, sources.
    """

    name: str
    device: str
    parameters: Mapping[str, Mapping[str, float]]
    fitted_range: Mapping[str, list[dict]]
    idle_latency_ns: Mapping[tuple[str, str], float]
    queue_line_ns: Mapping[str, float]
    tail: Tail
    residual: dict | None = None
    intervals: dict | None = None
    effects: dict | None = None
    uncertainty: dict | None = None
    access_profile: dict | None = None
    record: dict = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        for name, of in (("idle_latency_ns", "idle latency"), ("queue_line_ns", "latency under load")):
            object.__setattr__(self, name, Identified(getattr(self, name), of, self.name))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that predictions and simulations depend on: equal devices have equal ones."""
        names = (each.name for each in fields(self) if each.name not in ("name", "device", "record"))
        parts = repr([type(self).__qualname__, *(getattr(self, name) for name in names)])
        return hashlib.sha256(parts.encode()).hexdigest()

    def bandwidth_mib_s(
        self,
        operation: str,
        pattern: str,
        access_size_bytes: np.ndarray,
        threads: np.ndarray,
        dimms: np.ndarray = FULL_SET_DIMMS,
        power_w: np.ndarray = REFERENCE_POWER_W,
    ) -> np.ndarray:
        """Total bandwidth in MiB/s by the mechanism alone: finite, positive and smooth in real-valued threads.

        Arrays broadcast against each other. `predict`, which the simulator uses, adds the residual inside the data.

        Raises:
            InputError: an operation or pattern that the profile does not know.
        """
        parameters = self._of(operation)
        random = np.asarray(self._is_random(pattern))
        self.require_measured(operation, pattern)
        sizes, threads, dimms, power_w = (
            np.asarray(value, dtype=float) for value in (access_size_bytes, threads, dimms, power_w)
        )
        return law.bandwidth_mib_s(parameters, random, sizes, threads, dimms, power_w)

    def extrapolated(
        self,
        operation: str,
        pattern: str,
        access_size_bytes: np.ndarray,
        threads: np.ndarray,
        dimms: np.ndarray = FULL_SET_DIMMS,
        power_w: np.ndarray = REFERENCE_POWER_W,
    ) -> np.ndarray:
        """True where a point lies outside every box of values that the operation and pattern were fitted on."""
        self._of(operation), self._is_random(pattern)
        sizes, threads, dimms, power_w = np.broadcast_arrays(access_size_bytes, threads, dimms, power_w)
        inside = np.zeros(sizes.shape, dtype=bool)
        for box in self.fitted_range[operation]:
            if box["pattern"] != pattern:
                continue
            inside |= (
                (dimms == box["dimms"])
                & _between(sizes, box["access_size_bytes"])
                & _between(threads, box["threads"])
                & _between(power_w, box["power_w"])
            )
        return ~inside

    def loaded_latency_ns(
        self, utilisation: np.ndarray, operation: str = "load", pattern: str = "random"
    ) -> np.ndarray:
        """Latency in ns of one dependent access at a utilisation of the media of 0 (idle) to 1."""
        self._of(operation), self._is_random(pattern)
        idle_ns = self.idle_latency_ns[operation, pattern]
        return loaded_latency_ns(idle_ns, self.queue_line_ns[operation], np.asarray(utilisation, dtype=float))

    def predict(self, points: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Bandwidth with its 90 % interval, and latency, of many points at once (`sim.device.prediction.predict`)."""
        return predict(self, points)

    def require_measured(self, operation: str, pattern: str) -> None:
        """Raise `InputError` unless the profile was fitted to this operation with this pattern."""
        patterns = {name: sorted({box["pattern"] for box in boxes}) for name, boxes in self.fitted_range.items()}
        if pattern not in patterns.get(operation, ()):
            known = "; ".join(f"{name} {' and '.join(of)}" for name, of in patterns.items())
            raise InputError("operation", f"{operation} {pattern}", f"what profile {self.name} was fitted to: {known}")

    def access_latency(
        self, mean_ns: np.ndarray, lines: np.ndarray = 0.0, region_bytes: float = math.inf
    ) -> AccessLatency:
        """Distribution of single accesses of this mean that write `lines` media lines in a block of `region_bytes`."""
        return AccessLatency(mean_ns, self.tail, lines, region_bytes)

    def sample(self, n: int, seed: int | np.random.SeedSequence = 0, spread: float = 1.0) -> list[Profile]:
        """`n` plausible devices: profiles with parameters drawn as the data leave them uncertain.

        See `pmtwin.sim.device.sampling.sample_profiles`.
        """
        return sample_profiles(self, n, seed, spread)

    def save(self, path: str | os.PathLike) -> Path:
        """Write the profile as JSON, atomically."""
        text = to_text(self.to_json()) + "\n"
        return write_atomically(path, lambda file: file.write(text), field="profile")

    def to_json(self) -> dict:
        """The content of the profile's file."""
        idle = {
            operation: {pattern: self.idle_latency_ns.get((operation, pattern)) for pattern in law.PATTERNS}
            for operation in self.parameters
        }
        return {
            "schema": SCHEMA_VERSION,
            "name": self.name,
            "device": self.device,
            "law_version": law.LAW_VERSION,
            "parameters": {operation: dict(values) for operation, values in self.parameters.items()},
            "fitted_range": self.fitted_range,
            "idle_latency_ns": idle,
            "queue_line_ns": {operation: self.queue_line_ns.get(operation) for operation in self.parameters},
            "tail": vars(self.tail),
            "record": self.record,
            "residual": self.residual,
            "intervals": self.intervals,
            "effects": self.effects,
            "uncertainty": self.uncertainty,
            "access_profile": self.access_profile,
        }

    def _of(self, operation: str) -> Mapping[str, float]:
        if operation not in self.parameters:
            raise unknown_name("operation", operation, self.parameters)
        return self.parameters[operation]

    @staticmethod
    def _is_random(pattern: str) -> bool:
        if pattern not in law.PATTERNS:
            raise unknown_name("pattern", pattern, law.PATTERNS)
        return pattern == "random"


def profile_from_json(value: object, where: str) -> Profile:
    """A profile from the content of its file.

    Raises:
        InputError: a key is missing, a number is out of its range, or the law has another version.
    """
    check_profile(value, SCHEMA_VERSION, where)
    idle = {
        (operation, pattern): float(latency)
        for operation, patterns in value["idle_latency_ns"].items()
        for pattern, latency in patterns.items()
        if latency is not None
    }
    return Profile(
        name=value["name"],
        device=value["device"],
        parameters=value["parameters"],
        fitted_range=value["fitted_range"],
        idle_latency_ns=idle,
        queue_line_ns={name: line for name, line in value["queue_line_ns"].items() if line is not None},
        tail=Tail(**value["tail"]),
        residual=value.get("residual"),
        intervals=value.get("intervals"),
        effects=value.get("effects"),
        uncertainty=value.get("uncertainty"),
        access_profile=value.get("access_profile"),
        record=value.get("record", {}),
    )


def profile_names() -> list[str]:
    """Names of the shipped profiles."""
    folder = resources.files("pmtwin.sim.profiles")
    return sorted(entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json"))


def load_profile(name_or_path: str | os.PathLike = DEFAULT_PROFILE) -> Profile:
    """The shipped profile of that name, or the one in that file.

    A file is read at each call and parsed once: equal content gives the same object, so that what is in it must not be
    changed (`dataclasses.replace` makes another).

    Raises:
        InputError: no such profile, or a file that is not one.
    """
    name = os.fspath(name_or_path)
    if name in profile_names():
        return _parse(resources.files("pmtwin.sim.profiles").joinpath(f"{name}.json").read_bytes(), f"profile {name}")
    path = Path(name)
    if not path.is_file():
        raise unknown_name("profile", name, [*profile_names(), "the path of a profile's JSON file"])
    try:
        return _parse(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError("profile", name, f"a readable file ({error.strerror})") from error


@lru_cache(maxsize=16)
def _parse(content: bytes, where: str) -> Profile:
    return profile_from_json(parse_json(content, "profile", where), where)


def _between(values: np.ndarray, bounds: list[float]) -> np.ndarray:
    return (values >= bounds[0]) & (values <= bounds[1])
