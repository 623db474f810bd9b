"""The profile of a device: parameters of its law, latencies and tail, their sources, and their errors.

A profile is data in one JSON file: `load_profile` finds the shipped ones by name and others by path. Functions of
`pmtwin.sim.device` predict with it (`prediction`, `mechanism`, `ranges`, `sampling`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from pmtwin.sim.device import law
from pmtwin.sim.device.identified import Identified
from pmtwin.sim.device.profile_text import to_text
from pmtwin.sim.device.schema import WANTED, check_profile
from pmtwin.sim.device.tail import Tail
from pmtwin.sim.errors import unknown_name
from pmtwin.sim.files.input_file import content_of
from pmtwin.sim.files.json_file import parse_json
from pmtwin.sim.files.writing import write_text

SCHEMA_VERSION = 1
DEFAULT_PROFILE = "optane-dcpmm-100"


@dataclass(frozen=True)
class Profile:
    """A calibrated device.

    Args:
        name: name of the profile.
        device: the measured device.
        parameters: operation -> {name of `pmtwin.sim.device.parameters.LAW_PARAMETERS`: value}.
        fitted_range: operation -> list of boxes, each {"pattern", "dimms", "access_size_bytes": [low, high],
            "threads": [low, high], "power_w": [low, high]}.
        idle_latency_ns: (operation, pattern) -> ns; a value that was not identified raises `InputError`.
        queue_line_ns: operation -> time in ns by which a media line delays those behind it; errors likewise.
        tail: distribution of single writes.
        residual: correction of the law inside the data, or None (`pmtwin.sim.device.residual`).
        intervals: half-widths of the prediction intervals, or None (`pmtwin.sim.device.intervals`).
        effects: strides, fences, remote node, mixes: the fitted entries, or None (`pmtwin.sim.device.effects`).
        uncertainty: deviations of the parameters in bootstrap replicates, or modes of the bandwidths, or None
            (`pmtwin.sim.device.sampling`).
        access_profile: counts of key-value operations, or None (`pmtwin.sim.device.access_profile`).
        record: the rest of the file: intervals of the parameters, cleaning, hash, errors, versions, sources.
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
        for name, noun in (("idle_latency_ns", "idle latency"), ("queue_line_ns", "latency under load")):
            object.__setattr__(self, name, Identified(getattr(self, name), noun, self.name))

    def __deepcopy__(self, memo: dict) -> Profile:
        return self  # immutable, and large: copies of environments share it

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all on which predictions and simulations depend; equal devices have equal hashes."""
        names = (member.name for member in fields(self) if member.name not in ("name", "device", "record"))
        parts = repr([type(self).__qualname__, *(getattr(self, name) for name in names)])
        return hashlib.sha256(parts.encode()).hexdigest()

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def save(self, path: str | os.PathLike) -> Path:
        """Write the profile as JSON, atomically."""
        text = to_text(self.to_json()) + "\n"
        return write_text(path, text, "profile")

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


def profile_from_json(value: Any, where: str) -> Profile:
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
    """The shipped profile with a name, or the profile in a file.

    A file is read at each call, but equal content gives the same object: do not change its members
    (`dataclasses.replace` makes a changed profile).

    Raises:
        InputError: no such profile, or a file of another kind.
    """
    name = os.fspath(name_or_path)
    if name in profile_names():
        return _parse(resources.files("pmtwin.sim.profiles").joinpath(f"{name}.json").read_bytes(), f"profile {name}")
    path = Path(name)
    if not path.exists() or path.is_dir():
        fault = "is a folder" if path.is_dir() else "is no shipped profile and no file"
        raise unknown_name("profile", name, [*profile_names(), WANTED], wrong=fault)
    return _parse(content_of(path, "profile", WANTED), str(path))


@lru_cache(maxsize=16)
def _parse(content: bytes, where: str) -> Profile:
    return profile_from_json(parse_json(content, "profile", where, WANTED), where)
