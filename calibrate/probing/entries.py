"""What an entry of a probe's journal looks like: its device, or a case with what was measured of it."""

from __future__ import annotations

from dataclasses import MISSING, fields

from pmtwin.calibrate.probing.cases import Case
from pmtwin.calibrate.readers.probe import BANDWIDTH, TYPICAL
from pmtwin.sim.errors import InputError

_TYPES = {"str": (str,), "int": (int,), "float": (int, float)}
_WORDS = {"str": "text", "int": "a whole number", "float": "a number"}
_OF_BENCHMARK = {"name": "str", "run_name": "str", **dict.fromkeys((BANDWIDTH, *TYPICAL, "cpu_share"), "float")}
_LARGEST = 1e300
"""Whole numbers of JSON have no bound; beyond this they are no floating-point numbers."""


def check_entry(entry: object, where: str) -> None:
    """Refuse what no probe has written: any other entry can be gone on from, and be part of a result.

    Args:
        entry: a value of JSON.
        where: file and line.

    Raises:
        InputError: names the field.
    """
    _object(entry, "entry", where)
    if "device" in entry:
        _object(entry["device"], "device", where)
    elif "case" not in entry:
        raise InputError("entry", ", ".join(entry), "an object with 'device' or 'case'", where)
    if "case" in entry:
        _check_case(entry["case"], where)
        for name in ("seconds", "at_s"):
            _check(entry, name, "float", "", where)
            if entry[name] < 0:
                raise InputError(name, entry[name], "at least 0", where)
        if "error" in entry:
            _check(entry, "error", "str", "", where)
        else:
            _check_benchmarks(entry.get("benchmarks"), where)


def _check_case(case: object, where: str) -> None:
    _object(case, "case", where)
    known = {field.name: field for field in fields(Case)}
    for name in case:
        if name not in known:
            raise InputError(f"case.{name}", case[name], f"a case of {', '.join(known)}", where)
    for name, field in known.items():
        if name in case or field.default is MISSING:
            _check(case, name, field.type, "case.", where)


def _check_benchmarks(benchmarks: object, where: str) -> None:
    if not isinstance(benchmarks, list):
        raise InputError("benchmarks", benchmarks, "a list of repetitions", where)
    for number, one in enumerate(benchmarks):
        _object(one, f"benchmarks[{number}]", where)
        for name, kind in _OF_BENCHMARK.items():
            if name in one:
                _check(one, name, kind, f"benchmarks[{number}].", where)


def _check(of: dict, name: str, kind: str, prefix: str, where: str) -> None:
    value = of.get(name)
    good = isinstance(value, _TYPES[kind]) and not isinstance(value, bool)
    if not good or (kind != "str" and abs(value) > _LARGEST):
        raise InputError(prefix + name, value, _WORDS[kind], where)


def _object(value: object, field: str, where: str) -> None:
    if not isinstance(value, dict):
        raise InputError(field, value, "an object", where)
