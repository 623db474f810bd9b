"""The file of a host's parameters: written by `pmtwin probe --host`, read wherever the twin is run (`--host FILE`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.json_file import read_json
from pmtwin.sim.parameters import PARAMETERS, resolve
from pmtwin.sim.typed_json import Finite, check_name, typed

FORMAT, VERSION = "pmtwin-host", 1
ORIGINS = ("measured", "assumed")
WANTED = "a file that `pmtwin probe --host` wrote"


class EntryForm(Struct):
    """A parameter in the file, with both ends of an interval or without one."""

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
        if self.low is not UNSET and self.low > self.high:
            raise InputError("low", self.low, f"at most high, {self.high:g}")


class ProfileName(Struct):
    """The profile that was measured beside."""

    name: str
    fingerprint: str


class ContextForm(Struct):
    """The parts of the context that are looked at; files written before may lack some."""

    profile: ProfileName | UnsetType = UNSET
    middleware: dict[str, Any] | UnsetType = UNSET


class HostForm(Struct):
    """The file, but for `format` and `version`, which are looked at first."""

    context: ContextForm
    parameters: dict[str, EntryForm]
    samples: dict[str, Any]


@dataclass(frozen=True)
class HostFile:
    """Parameters of a host.

    Args:
        path: where they were read.
        entries: name -> `value`, `low`, `high` (where there is an interval), `origin`, `source`.
        context: machine, store, keys, profile and rounds of the measurement.
        samples: cell of `pmtwin.host.experiments` -> one value a round; whatever the file says.
    """

    path: str
    entries: Mapping[str, Mapping]
    context: Mapping
    samples: Mapping

    @property
    def values(self) -> dict[str, float]:
        """Name -> value, for `pmtwin.sim.parameters.resolve`."""
        return {name: entry["value"] for name, entry in self.entries.items()}

    def warnings(self, profile_name: str) -> list[str]:
        """Why the parameters should not be trusted beside a profile; empty if they were measured beside it."""
        beside = self.context.get("profile", {})
        if beside.get("fingerprint") == load_profile(profile_name).fingerprint:
            return []
        return [
            f"{self.path} was measured beside another profile ({beside.get('name', 'unknown')}) than {profile_name}: "
            "accesses were told from software by that one, so that the parameters may not fit; measure anew with "
            f"pmtwin probe --host --profile {profile_name}"
        ]


def origins(host: HostFile | None, by_hand: Mapping[str, float] | None = None) -> list[dict]:
    """Of each parameter of the twin: name, value, origin and source.

    Args:
        host: where some of them come from. by_hand: name -> value, which go before it.
    """
    entries, found = host.entries if host else {}, []
    for name, parameter in PARAMETERS.items():
        if name in (by_hand or {}):
            own = {"value": by_hand[name], "origin": "assumed", "source": "set by hand (--set)"}
        elif name not in entries:
            source = f"not in {host.path}; default, from {parameter.source}" if host else parameter.source
            own = {"value": parameter.default, "origin": parameter.origin, "source": source}
        else:
            entry = entries[name]
            own = {"value": entry["value"], "origin": entry["origin"], "source": f"{host.path}: {entry['source']}"}
        found.append({"name": name, **own})
    return found


def record(host: HostFile | None, by_hand: Mapping[str, float], profile_name: str) -> dict[str, list]:
    """For the record of a run: `parameters`, as of `origins`, and `warnings` about them."""
    warnings = [] if host is None else host.warnings(profile_name)
    return {"parameters": origins(host, by_hand), "warnings": warnings}


def document(entries: Mapping[str, Mapping], context: Mapping, samples: Mapping) -> dict:
    """The file's content, in JSON's own types."""
    return {"format": FORMAT, "version": VERSION, "context": context, "parameters": entries, "samples": samples}


def read_host(path: str | Path) -> HostFile:
    """The host's parameters in a file.

    Raises:
        InputError: no such file, another kind or version of file, a field that is missing or a value out of range.
    """
    return host_of(read_json(path, "--host", WANTED), str(path))


def host_of(content: object, name: str) -> HostFile:
    """The host's parameters in the content of a file; `name` is where they are said to be from.

    Raises:
        InputError: as `read_host`.
    """
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        raise InputError("format", found, f"{FORMAT}: {WANTED}", name)
    if content.get("version") != VERSION or isinstance(content["version"], bool):
        raise InputError("version", content.get("version"), f"{VERSION}: measure anew", name)
    form = typed("host", content, HostForm, name, within="")
    try:
        resolve({parameter: entry.value for parameter, entry in form.parameters.items()})
    except InputError as error:
        raise InputError(error.field, error.value, error.allowed, name) from error
    return HostFile(name, content["parameters"], content["context"], content["samples"])
