"""What an entry of a probe's journal looks like: its device, or a case with what was measured of it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from pmtwin.calibrate.probing.cases import Case
from pmtwin.calibrate.readers.probe_forms import RepetitionForm
from pmtwin.sim.errors import InputError
from pmtwin.sim.typed_json import NotNegative, typed

_CASE = frozenset(field.name for field in fields(Case))


class DeviceEntry(Struct):
    """Which device it is, and on which machine."""

    device: dict[str, Any]


class Visit(Struct):
    """A visit to a case: its repetitions, or why the native probe refused it."""

    case: Case
    seconds: NotNegative
    at_s: NotNegative
    benchmarks: list[RepetitionForm] | UnsetType = UNSET
    error: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.benchmarks is UNSET and self.error is UNSET:
            raise InputError("benchmarks", None, "a list of repetitions")


def check_entry(entry: object, where: str) -> None:
    """Refuse what no probe has written: any other entry can be gone on from, and be part of a result.

    Args:
        entry: a value of JSON.
        where: file and line.

    Raises:
        InputError: names the field.
    """
    if not isinstance(entry, dict) or not {"device", "case"} & set(entry):
        raise InputError("entry", entry, "an object with 'device' or 'case'", where)
    if "device" in entry:
        typed("entry", entry, DeviceEntry, where, within="")
    if "case" in entry:
        typed("entry", entry, Visit, where, within="")
        for name in entry["case"].keys() - _CASE:
            raise InputError(f"case.{name}", entry["case"][name], f"a case of {', '.join(sorted(_CASE))}", where)
