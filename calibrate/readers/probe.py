"""Reader of the JSON of `pmtwin probe`: that of Google Benchmark (`--benchmark_format=json`, schema version 1).

docs/calibrate-a-device.md ("The probe's JSON") lists the labels, counters and context. The idle latency of loads comes
from a pointer chase if there is one, since single loads are timed together with the clock's fences. Cases with strides,
fences or the remote node are no part of the law's sweep.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace

import numpy as np

from pmtwin.calibrate.context import DIMMS_ASSUMED, AccessColumns, Context, Latency, Mix, Varied
from pmtwin.calibrate.effects.registry import FITTINGS
from pmtwin.calibrate.measurements import Measurements, from_rows
from pmtwin.calibrate.readers.cleaning import COPY, FENCED, REMOTE_NODE, Tally, bandwidth_fault, latency_fault
from pmtwin.calibrate.readers.document import (
    LARGEST_SIZE_BYTES,
    MOST_THREADS,
    Document,
    ReadOptions,
    counter,
    measured,
    number,
    require,
    whole,
)
from pmtwin.calibrate.readers.probe_forms import BenchmarkForm, ContextForm
from pmtwin.calibrate.readers.region import region_note
from pmtwin.calibrate.readers.registry import register_document
from pmtwin.sim.device.effects import varied
from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MOST_DIMMS
from pmtwin.sim.device.law import OPERATIONS, PATTERNS
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.files.typed_json import typed

SCHEMA_VERSION = 1
MIXED = "mixed"
BANDWIDTH, SIZE, RATIO = "bandwidth_mib_s", "access_size_bytes", "write_ratio"
MEAN = "latency_mean_ns"
TYPICAL = ("latency_p50_ns", MEAN)
BANDWIDTH_UNITS = ("bandwidth_gib_s", "bandwidth_mb_s", "bandwidth_gb_s", "bandwidth_b_s")
LEAST_CPU_SHARE = 0.8
"""Least share of the time in which each thread must have had its processor."""

LEAST_OWN_SHARE = 0.4
"""The same for a single thread with `accept_disturbed`: its speed while it has its processor agrees with undisturbed
repetitions."""

DISTURBED = f"a thread ran for less than {100 * LEAST_CPU_SHARE:.0f} % of the time: others had the processor"
MIX_BY = ("threads", "accesses")
CHASE, SINGLE = "chase", "latency"
CHASED = "single loads: the pointer chase tells their idle latency"
VIRTUAL = (
    "measured in a virtual machine: other guests share memory and caches, and another time may differ by more than the "
    "intervals; two probes as sources tell by how much (predict --interval campaign)"
)
INTERRUPTED = "the probe was interrupted: the same pmtwin probe command goes on, and measures the rest"


def _recognises(document: Document) -> bool:
    if not document.is_json or '"benchmarks"' not in document.text or '"context"' not in document.text:
        return False
    return isinstance(document.json, dict) and {"context", "benchmarks"} <= set(document.json)


@register_document("probe", _recognises, 'Google Benchmark\'s JSON with "context" and "benchmarks"')
def read(document: Document, options: ReadOptions) -> Measurements:
    """Usable cases.

    Raises:
        InputError: another schema, a context that does not say what was measured, or no usable case.
    """
    host = require("context", document.json["context"], (), document.path)
    form = typed("context", host, ContextForm, document.path)
    if form.json_schema_version != SCHEMA_VERSION:
        raise InputError("json_schema_version", form.json_schema_version, str(SCHEMA_VERSION), document.path)
    cases = document.json["benchmarks"]
    if not isinstance(cases, list) or not cases:
        raise InputError("benchmarks", cases, "a list of at least one case", document.path)
    stated = _stated_dimms(host)
    told = options.dimms or FULL_SET_DIMMS if stated is None else stated
    dimms = number("context.dimms", told, document.path, 1, MOST_DIMMS)
    tally = Tally(document.path)
    tally.drop(COPY, document.json_copies * len(cases))
    contents = _read_cases(cases, form, dimms, options, tally)
    fenced = number("context.fence_interval_bytes", form.fence_interval_bytes or "0", document.path) > 0
    context = Context(
        fenced=fenced,
        media=form.media,
        latencies=tuple(contents.latencies),
        mixes=tuple(contents.mixes),
        varied=tuple(contents.varied),
        other_rows=contents.other_rows,
        disturbed_rows=contents.disturbed,
        notes=_notes(host, fenced, dimms_assumed=stated is None and not options.dimms),
    )
    usable = len(contents.rows) + contents.other_rows
    measurements = from_rows(contents.rows, tally.dropped(usable), context)
    return replace(measurements, session=np.full(len(measurements), _session(host)))


@dataclass
class _Contents:
    """Contents of the usable cases by kind; `disturbed`: number of cases that other work disturbed."""

    rows: list[dict] = field(default_factory=list)
    latencies: list[Latency] = field(default_factory=list)
    mixes: list[Mix] = field(default_factory=list)
    varied: list[Varied] = field(default_factory=list)
    disturbed: int = 0

    @property
    def other_rows(self) -> int:
        """Number of cases other than pure accesses."""
        return len(self.latencies) + len(self.mixes) + len(self.varied)

    def add(self, content: dict | Mix | Latency | Varied | None) -> None:
        """Add the content of a usable case."""
        match content:
            case Latency():
                self.latencies.append(content)
            case Mix():
                self.mixes.append(content)
            case Varied():
                self.varied.append(content)
            case dict():
                self.rows.append(content)


def _read_cases(cases: list, form: ContextForm, dimms: float, options: ReadOptions, tally: Tally) -> _Contents:
    """The contents of the usable cases; the others are counted."""
    contents = _Contents()
    chased = {_kind_and_pattern(case) for case in cases if isinstance(case, dict) and not _lost(case, options)}
    for index, case in enumerate(cases):
        where = f"{tally.path}: benchmarks[{index}]"
        with tally.row():
            typed("case", case, BenchmarkForm, where, within="")
            content, reason = _case(case, dimms, form.media, _least_share(case, options), where)
            reason = reason or (REMOTE_NODE if form.numa == "remote" else _chased(case, content, chased))
            if reason and options.accept_disturbed and _lost(case, ReadOptions()):
                reason = DISTURBED  # as without that option: the same rows count as disturbed
            tally.drop(reason)
            if not reason:
                contents.disturbed += case.get("cpu_share", 1.0) < LEAST_CPU_SHARE
                contents.add(content)
    return contents


def _chased(case: dict, content: object, chased: Set[tuple[str, str]]) -> str:
    """Why the latency of single loads is not used: a pointer chase with their pattern is among the cases; else "".

    Args:
        chased: kind and pattern of the cases.
    """
    if not isinstance(content, Latency) or content.operation != "load":
        return ""
    is_single = _kind_and_pattern(case) == (SINGLE, content.pattern)
    return CHASED if is_single and (CHASE, content.pattern) in chased else ""


def _notes(host: Mapping, fenced: bool, dimms_assumed: bool) -> tuple[str, ...]:
    """Notes on how the probe measured."""
    notes = {
        FENCED: fenced,
        DIMMS_ASSUMED: dimms_assumed,
        region_note(host): True,
        INTERRUPTED: _record(host).get("interrupted") is True,
        VIRTUAL: host.get("virtualised") is True,
    }
    return tuple(note for note, applies in notes.items() if note and applies)


def _record(host: Mapping) -> Mapping:
    """What the probe wrote about itself; empty for a file of another program."""
    record = host.get("probe")
    return record if isinstance(record, dict) else {}


def _stated_dimms(host: Mapping) -> object:
    """Number of DIMMs that the kernel or the user stated; None where neither did.

    Earlier probes of DRAM, whose number the kernel does not tell, wrote the full set that they assumed.
    """
    stated, asked = host.get("dimms"), _record(host).get("asked")
    nobody = isinstance(asked, dict) and "dimms" in asked and asked["dimms"] is None
    return None if nobody and host.get("media") == "dram" and stated == FULL_SET_DIMMS else stated


def _session(host: Mapping) -> str:
    """Identity of the probe; "" for a file of another program."""
    identity = _record(host).get("probe_id")
    return identity if isinstance(identity, str) else ""


def _lost(case: dict, options: ReadOptions) -> bool:
    share = case.get("cpu_share", 1.0)
    return isinstance(share, int | float) and share < _least_share(case, options)


def _least_share(case: dict, options: ReadOptions) -> float:
    return LEAST_OWN_SHARE if options.accept_disturbed and case.get("threads") == 1 else LEAST_CPU_SHARE


def _case(
    case: dict, dimms: float, media: str, least_share: float, where: str
) -> tuple[dict | Mix | Latency | Varied | None, str]:
    """Content of one case, and why it is not usable ("" if it is usable)."""
    if case.get("run_type", "iteration") != "iteration":
        return None, "summary of repetitions, which are there themselves"
    if case.get("error_occurred") or case.get("skipped"):
        return None, "the case failed"
    where = f"{where} {case['name']}"
    labels = _labels(case)
    operation = _name("operation", labels, (*OPERATIONS, MIXED), where)
    pattern = _name("pattern", labels, PATTERNS, where)
    size = whole(SIZE, case.get(SIZE), where, LARGEST_SIZE_BYTES)
    if counter("cpu_share", case.get("cpu_share", 1.0), where) < least_share:
        return None, DISTURBED
    effects = _effects(case, labels, size, where)
    if effects and (unknown := _unknown_effect(effects, operation, pattern, BANDWIDTH in case)):
        return None, unknown
    if BANDWIDTH not in case:
        return _latency(case, operation, pattern, size, where)
    bandwidth = measured(BANDWIDTH, case[BANDWIDTH], where) / own_share(case)
    columns: AccessColumns = {
        "pattern": pattern,
        "dimms": dimms,
        "threads": _threads(case, where),
        "access_size_bytes": size,
        "bandwidth_mib_s": bandwidth,
    }
    reason = bandwidth_fault(bandwidth, size, dimms, media)
    for name, value in effects.items():
        return Varied(operation=operation, **columns, effect=name, value=value), reason
    if operation != MIXED:
        return {"operation": operation, **columns}, reason
    write = _name("write_operation", labels, OPERATIONS[1:], where)
    ratio = counter(RATIO, case.get(RATIO), where, 0, 1)
    by_access = _name("mix_by", {"mix_by": "threads"} | labels, MIX_BY, where) == "accesses"
    return Mix(write_operation=write, write_ratio=ratio, by_access=by_access, **columns), reason


def own_share(case: Mapping) -> float:
    """Share of the measured time in which the case ran: a single thread stands still while it has no processor."""
    return min(case.get("cpu_share", 1.0), 1.0) if case.get("threads") == 1 else 1.0


def _threads(case: dict, where: str) -> float:
    return whole("threads", case.get("threads"), where, MOST_THREADS)


def _kind_and_pattern(case: dict) -> tuple[str, str]:
    labels = _labels(case)
    return str(labels.get("kind")), str(labels.get("pattern"))


def _effects(case: dict, labels: dict[str, str], size: float, where: str) -> dict[str, float]:
    """Name of each effect of a case -> value of its column."""
    effects = {}
    for effect in varied():
        name, names = effect.column.name, effect.column.names
        told: float | str
        if names:
            told = _name(name, {name: names[0]} | labels, names, where)
        else:
            told = counter(name, case.get(name, 0), where)
        if value := FITTINGS[effect.name].value_of(effect.column, told, size):
            effects[effect.name] = value
    return effects


def _unknown_effect(effects: dict, operation: str, pattern: str, is_bandwidth: bool) -> str:
    """Why no effect's form covers a case that is not plain; "" if one does."""
    if len(effects) > 1:
        return f"{' and '.join(effects)} at once: each effect is known by itself"
    ((name, value),) = effects.items()
    return FITTINGS[name].fault(value, operation, pattern, is_bandwidth and operation != MIXED)


def _labels(case: dict) -> dict[str, str]:
    """The names in the label, and those in the case's columns, which take precedence."""
    words = dict(word.split("=", 1) for word in str(case.get("label", "")).split() if "=" in word)
    return words | {name: case[name] for name in ("operation", "pattern", "write_operation") if name in case}


def _name(field: str, labels: dict[str, str], known: tuple[str, ...], where: str) -> str:
    if labels.get(field) not in known:
        raise unknown_name(field, labels.get(field), known, where)
    return labels[field]


def _latency(case: dict, operation: str, pattern: str, size: float, where: str) -> tuple[Latency | None, str]:
    """The latency of a case without bandwidth, and why it is not usable; a bandwidth in another unit is refused."""
    for name in BANDWIDTH_UNITS:
        if name in case:
            raise InputError(name, case[name], f"{BANDWIDTH}: MiB/s of all threads together", where)
    typical = next((name for name in TYPICAL if name in case), None)
    if typical is None:
        raise InputError("case", ", ".join(case), f"a counter {BANDWIDTH} or {TYPICAL[0]}", where)
    if _threads(case, where) != 1:
        return None, "latency of several threads: not idle"
    latency = measured(typical, case[typical], where)
    if typical == MEAN:
        latency *= own_share(case)
    reason = latency_fault(latency)
    visit = f"{where.split(': benchmarks[')[0]}: {case['visit']}" if "visit" in case else ""
    return Latency(operation, pattern, size, latency, visit), reason
