"""The file of a host's parameters: measured (`pmtwin probe --host`) or inferred (`pmtwin infer`); read by `--host`.

A measured file has version 1. An inferred one has version 2, joint draws of the parameters and a summary of the
inference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import UNSET, Struct, UnsetType

from pmtwin.sim.device.profile import Profile, load_profile
from pmtwin.sim.device.ranges import usual_dimms
from pmtwin.sim.errors import InputError, check_range, unknown_name
from pmtwin.sim.files.json_file import parse_json, read_json
from pmtwin.sim.files.typed_json import Finite, check_name, typed
from pmtwin.sim.host.store import store_warnings
from pmtwin.sim.parameters.values import PARAMETERS, resolve

FORMAT, MEASURED, INFERRED = "pmtwin-host", 1, 2
"""Format of the file, and its versions."""

ORIGINS = ("measured", "inferred", "assumed")
WANTED = "a file that `pmtwin probe --host` or `pmtwin infer` wrote"

ASSUMED = "assumed"
"""Value of `--host` without a file: every parameter has its default."""

DEFAULT_HOST = "inferred"
"""Name of the shipped file of the thesis' host."""

MOST_HOSTS = 1_000
"""Largest number of sampled hosts."""


class EntryForm(Struct):
    """A parameter in the file, with an interval or without."""

    value: Finite
    origin: str
    source: str
    low: Finite | UnsetType = UNSET
    high: Finite | UnsetType = UNSET

    def __post_init__(self) -> None:
        check_name("origin", self.origin, ORIGINS)
        ends = {"low": self.low, "high": self.high}
        for name, end in ends.items():
            if end is UNSET and set(ends.values()) != {UNSET}:
                raise InputError(name, None, "a finite number: the end of an interval")
        if self.low is not UNSET and self.high is not UNSET and self.low > self.high:
            raise InputError("low", self.low, f"at most high, {self.high:g}")


class ProfileName(Struct):
    """The profile with which the host was measured."""

    name: str
    fingerprint: str


class SimulatedForm(Struct):
    """The simulation of an inference: its profile."""

    profile: str | UnsetType = UNSET


class ContextForm(Struct):
    """The parts of the context that are read; files of earlier versions may lack some."""

    profile: ProfileName | UnsetType = UNSET
    middleware: dict[str, Any] | UnsetType = UNSET
    simulated: SimulatedForm | UnsetType = UNSET


class DrawsForm(Struct):
    """Equally likely joint draws of the parameters: one row for each draw, one column for each name."""

    names: list[str]
    values: list[list[Finite]]

    def __post_init__(self) -> None:
        if not self.values:
            raise InputError("values", [], "at least one draw")
        for row in self.values:
            if len(row) != len(self.names):
                raise InputError("values", f"{len(row)} numbers", f"one for each of {len(self.names)} names")


class InferredForm(Struct):
    """An inferred parameter; only its name is read."""

    name: str


class InferenceForm(Struct):
    """The part of the inference that is read."""

    parameters: list[InferredForm] | UnsetType = UNSET


class HostForm(Struct):
    """The content of the file, without `format` and `version`, which are checked first.

    `draws` and `inference` are in version 2 only.
    """

    context: ContextForm
    parameters: dict[str, EntryForm]
    samples: dict[str, Any]
    draws: DrawsForm | UnsetType = UNSET
    inference: InferenceForm | UnsetType = UNSET


@dataclass(frozen=True)
class HostFile:
    """Parameters of a host.

    Args:
        path: file, or name of a shipped host.
        entries: name -> `value`, `low`, `high` (if it has an interval), `origin`, `source`.
        context: machine, store, keys, profile and rounds of the measurement.
        samples: cell of the experiments -> one value for each round, unchecked.
        draws: equally likely joint draws, name -> value each; empty for a measured host.
        inference: priors, posterior quantiles and diagnostics; empty for a measured host.
    """

    path: str
    entries: Mapping[str, Mapping]
    context: Mapping
    samples: Mapping
    draws: tuple[Mapping[str, float], ...] = ()
    inference: Mapping = field(default_factory=dict)

    @property
    def values(self) -> dict[str, float]:
        """Name -> value, for `pmtwin.sim.parameters.values.resolve`."""
        return {name: entry["value"] for name, entry in self.entries.items()}

    def warnings(self, profile_name: str, has_records: bool) -> list[str]:
        """Reasons not to trust the parameters with a profile; empty if they were measured or fitted with it.

        Args:
            has_records: whether `records` is above 0, so that the store's fitted parameters have an effect.
        """
        measured_with, profile = self.context.get("profile", {}), load_profile(profile_name)
        if self.draws:  # parameters inferred from publications hold with any device, the store's operations do not
            has_effect = has_records and profile.access_profile is not None
            return store_warnings(self, profile.name) if has_effect else []
        if measured_with.get("fingerprint") == profile.fingerprint:
            return []
        return [
            f"{self.path} was measured with profile {measured_with.get('name', 'unknown')}, not with {profile_name}: "
            "that profile separated accesses from software, so that the parameters may not fit; "
            f"measure again with pmtwin probe --host --profile {profile_name}"
        ]


def device_values(profile: Profile) -> dict[str, float]:
    """Name -> value of the parameters whose default depends on the profile: the number of DIMMs, if not the usual."""
    dimms = usual_dimms(profile)
    return {} if dimms == PARAMETERS["dimms"].default else {"dimms": dimms}


def origins(
    host: HostFile | None, by_hand: Mapping[str, float] | None = None, profile: Profile | None = None
) -> list[dict]:
    """Name, value, origin and source of each parameter of the twin.

    Args:
        host: the host's file. by_hand: name -> value, which replace those of the host.
        profile: profile of the device, whose values (`device_values`) are used for the remaining parameters.
    """
    by_hand = by_hand or {}
    device = device_values(profile) if profile else {}
    rows = []
    for name, parameter in PARAMETERS.items():
        if name in by_hand:
            origin = {"value": by_hand[name], "origin": "assumed", "source": "set by hand (--set)"}
        elif host is not None and name in host.entries:
            entry = host.entries[name]
            origin = {
                "value": entry["value"],
                "origin": entry["origin"],
                "source": f"{host.path}: {entry['source']}",
            }
        elif profile is not None and name in device:
            origin = {
                "value": device[name],
                "origin": "measured",
                "source": f"as measured for profile {profile.name}",
            }
        else:
            source = f"not in {host.path}; default, from {parameter.source}" if host else parameter.source
            origin = {"value": parameter.default, "origin": parameter.origin, "source": source}
        rows.append({"name": name, **origin})
    return rows


def record(
    host: HostFile | None,
    by_hand: Mapping[str, float],
    profile_name: str,
    contexts: Iterable[Mapping[str, float]] = ({},),
) -> dict[str, list]:
    """`parameters` (see `origins`) and `warnings` about them, for the record of a run.

    Args:
        contexts: parameters of each context that may run; they replace the host's, and those set by hand replace them.
    """
    parameters = origins(host, by_hand, load_profile(profile_name))
    if host is None:
        return {"parameters": parameters, "warnings": []}
    has_records = any({**host.values, **context, **by_hand}.get("records") for context in contexts)
    return {"parameters": parameters, "warnings": host.warnings(profile_name, has_records)}


def document(
    entries: Mapping[str, Mapping],
    context: Mapping,
    samples: Mapping,
    draws: Mapping[str, list] | None = None,
    inference: Mapping | None = None,
) -> dict:
    """The file's content, in JSON's own types.

    Args:
        draws: `names` and `values` of an inferred host. inference: summary of the inference.
    """
    content = {"format": FORMAT, "version": MEASURED, "context": context, "parameters": entries, "samples": samples}
    return content if draws is None else content | {"version": INFERRED, "draws": draws, "inference": inference or {}}


def host_names() -> tuple[str, ...]:
    """Names that `--host` accepts instead of a file: `assumed` and the shipped hosts."""
    shipped = (path.name for path in resources.files("pmtwin.sim.hosts").iterdir() if path.name.endswith(".json"))
    return (ASSUMED, *sorted(name.removesuffix(".json") for name in shipped))


def read_host(name_or_path: str | Path) -> HostFile | None:
    """The shipped host with a name, or the host in a file; None for `assumed`.

    Raises:
        InputError: no such host or file, another kind or version of file, a missing field or a value out of range.
    """
    name = str(name_or_path)
    if name == ASSUMED:
        return None
    if name in host_names():
        return shipped_host(name)
    if not Path(name).exists() and not Path(name).suffix:
        raise unknown_name("--host", name, [*host_names(), WANTED], wrong="is no shipped host and no file")
    return host_of(read_json(name, "--host", WANTED), name)


def shipped_host(name: str) -> HostFile:
    """The shipped host with this name, which is one of `host_names` except `assumed`."""
    content = resources.files("pmtwin.sim.hosts").joinpath(f"{name}.json").read_bytes()
    return _shipped(content, name)


@lru_cache(maxsize=8)
def _shipped(content: bytes, name: str) -> HostFile:
    return host_of(parse_json(content, "--host", name, WANTED), name)


def host_of(content: Any, name: str) -> HostFile:
    """The host in the content of a file; `name`: name of the file.

    Raises:
        InputError: as `read_host`.
    """
    version = content.get("format") if isinstance(content, dict) else None
    if version != FORMAT:
        raise InputError("--host", name, WANTED, wrong="is another kind of file")
    if content.get("version") not in (MEASURED, INFERRED) or isinstance(content["version"], bool):
        allowed = f"{MEASURED} or {INFERRED}: measure or infer again with this version"
        raise InputError("version", content.get("version"), allowed, name)
    form = typed("host", content, HostForm, name, within="")
    _check_values({parameter: entry.value for parameter, entry in form.parameters.items()}, name)
    draws: tuple[dict[str, float], ...] = ()
    if form.draws is not UNSET:
        draws = tuple(dict(zip(form.draws.names, map(float, row), strict=True)) for row in form.draws.values)
        for draw in draws:
            _check_values(draw, name)
    inference = content.get("inference", {})
    return HostFile(name, content["parameters"], content["context"], content["samples"], draws, inference)


def _check_values(values: Mapping[str, float], name: str) -> None:
    try:
        resolve(values)
    except InputError as error:
        raise error.renamed(error.field, name) from error


def sample_hosts(host: HostFile | None, count: int, seed: int) -> list[dict[str, float]]:
    """Parameters of `count` plausible hosts, in random order; the first n do not depend on `count`.

    Each draw of the file occurs once before any occurs a second time.

    Raises:
        InputError: a host without draws, or a count outside of 1 to `MOST_HOSTS`.
    """
    check_range("host_samples", count, 1, MOST_HOSTS)
    if host is None or not host.draws:
        name = ASSUMED if host is None else host.path
        raise InputError("host_samples", count, f"0 with host {name}, which has no joint draws; take --host inferred")
    return [{**host.values, **host.draws[k]} for k in places_drawn(len(host.draws), count, seed)]


def places_drawn(draws: int, count: int, seed: int) -> list[int]:
    """Places of `count` draws among `draws`, in random order; each occurs once before any occurs a second time."""
    generator = np.random.default_rng(seed)
    places: list[int] = []
    while len(places) < count:
        places += generator.permutation(draws).tolist()
    return places[:count]
