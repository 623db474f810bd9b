"""Forms of the entries of a probe's journal: the device, or a case with its measurements."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct

from pmtwin.calibrate.probing.cases import BANDWIDTH, CHASE, LATENCY, MIXED
from pmtwin.calibrate.readers.document import LARGEST_SIZE_BYTES, MOST_THREADS
from pmtwin.calibrate.readers.probe import MIX_BY
from pmtwin.calibrate.readers.probe_forms import RepetitionForm
from pmtwin.sim.device.effects import Column, varied
from pmtwin.sim.device.law import OPERATIONS, PATTERNS
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.typed_json import NotNegative, check_name, typed

NAMES = {
    "kind": (BANDWIDTH, LATENCY, CHASE),
    "operation": (*OPERATIONS, MIXED),
    "pattern": PATTERNS,
    "write_operation": ("", *OPERATIONS[1:]),
    "mix_by": ("", *MIX_BY),
}
"""Allowed values of the text fields of a case; the columns of effects define their own."""


class PlainCase(Struct):
    """A case without the columns of effects."""

    kind: str
    operation: str
    pattern: str
    access_size_bytes: Annotated[int, Meta(ge=1, le=LARGEST_SIZE_BYTES)]
    threads: Annotated[int, Meta(ge=1, le=MOST_THREADS)]
    write_operation: str = ""
    write_ratio: Annotated[float, Meta(ge=0, le=1)] = 0.0
    mix_by: str = ""


class DeviceEntry(Struct):
    """The device and its machine."""

    device: dict[str, Any]


class PlainVisit(Struct, kw_only=True):
    """A visit to a case: its repetitions, or why the native probe refused it."""

    seconds: NotNegative
    at_s: NotNegative
    benchmarks: list[RepetitionForm] | UnsetType = UNSET
    error: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.benchmarks is UNSET and self.error is UNSET:
            raise InputError("benchmarks", None, "a list of repetitions")


@cache
def _case_form(columns: tuple[Column, ...]) -> type[Struct]:
    """A case with the columns of effects."""
    names = NAMES | {each.name: ("", *each.names) for each in columns if each.names}

    def check(self) -> None:
        for name, known in names.items():
            check_name(name, getattr(self, name), known)

    fields = [(each.name, str if each.names else _NUMBER, each.unsaid) for each in columns]
    return defstruct("CaseForm", fields, bases=(PlainCase,), namespace={"__post_init__": check})


@cache
def _visit_form(case: type[Struct]) -> type[Struct]:
    return defstruct("Visit", [("case", case)], bases=(PlainVisit,), kw_only=True)


_NUMBER = Annotated[int, Meta(ge=0, le=LARGEST_SIZE_BYTES)]


def check_entry(entry: object, where: str) -> None:
    """Refuse an entry that no probe writes. The probe can continue from any other entry and put it into its result.

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
        case = _case_form(tuple(effect.column for effect in varied()))
        typed("entry", entry, _visit_form(case), where, within="")
        for name in [name for name in entry["case"] if name not in case.__struct_fields__]:
            allowed = f"a case of {', '.join(case.__struct_fields__)}"
            raise InputError(f"case.{name}", entry["case"][name], allowed, where)
