"""Workloads in a user's files: Python, a table in JSON or TOML, a trace."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np

from pmtwin.scenarios.nvm_middleware.workloads.request_trace import COLUMNS, trace_workload
from pmtwin.sim.common.user_files import FORM, made_by, split_file
from pmtwin.sim.errors import ConflictError, InputError, unknown_name
from pmtwin.sim.files.input_file import one_reader, plain_suffix, reading
from pmtwin.sim.files.input_text import text_lines
from pmtwin.sim.files.table_file import read_table
from pmtwin.sim.files.typed_json import Finite, typed
from pmtwin.sim.load import Burst, Drift, LoadPart, Ramp, RateVariation
from pmtwin.sim.load.workload import CLASSES, SIZE_BINS, ClassWorkload, Workload

FIELD = "workload"
TABLES, TRACES = (".json", ".toml"), (".csv",)
FORMS = f"{FORM}, FILE{', FILE'.join(TABLES)}, FILE{TRACES[0]} (a trace)"
"""Forms of a workload in a file."""

PARTS: dict[str, type[LoadPart]] = {
    "burst": Burst, "ramp": Ramp, "drift": Drift, "variation": RateVariation
}  # fmt: skip
PARTS_FORM = 'a list of tables: [[parts]] with double brackets in TOML, "parts": [{...}] in JSON'
Sizes = Finite | list[Finite]


class ClassForm(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A class in a file; fields as of `ClassWorkload`, sizes also as a list of equally likely ones."""

    clients: int
    write_ratio: Finite = 0.0
    read_sizes_bytes: Sizes | None = None
    write_sizes_bytes: Sizes | None = None
    rate_ops: Finite | None = None
    interarrival_cov: Finite | None = None
    gets_per_read: Finite | None = None
    gets_per_write: Finite | None = None
    insert_share: Finite | None = None
    remove_share: Finite | None = None


class ClientsForm(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A class beside a trace."""

    clients: int


class WorkloadForm(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A workload in a file."""

    name: str | None = None
    interactive: ClassForm | None = None
    batch: ClassForm | None = None
    tied: bool = True
    parts: list[dict] = []


class TraceForm(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A trace with its client threads in a file; `trace`: its path, from the folder of the file."""

    trace: str
    name: str | None = None
    interactive: ClientsForm | None = None
    batch: ClientsForm | None = None


def is_file(spec: str) -> bool:
    """Whether a spec names a file: by the end of its name, or as a pipe."""
    return split_file(spec) is not None or plain_suffix(spec) in (*TABLES, *TRACES) or Path(spec).is_fifo()


def file_workload(spec: str) -> Workload:
    """The workload of a file.

    Args:
        spec: `FORMS`; NAME is a `Workload`, or a function without arguments that returns one.

    Raises:
        InputError: for a file that is not accepted, with its name and the fault.
    """
    if split_file(spec) is not None:
        return made_by(spec, FIELD, Workload)
    with reading(spec, FIELD, FORMS):
        stamp = os.stat(spec)
    with one_reader():
        return _read(spec, stamp.st_mtime_ns, stamp.st_ino, stamp.st_size)


@lru_cache(maxsize=16)
def _read(path: str, changed_ns: int, inode: int, size: int) -> Workload:
    """Reads the file in its present state: a long trace is read once."""
    return trace_workload(path) if _is_trace(path) else _table_workload(path)


def _is_trace(path: str) -> bool:
    """By the end of its name; where that does not tell, by a first line that names columns."""
    suffix = plain_suffix(path)
    if suffix in (*TABLES, *TRACES):
        return suffix in TRACES
    first = next((line for line in text_lines(path, FIELD, FORMS) if line.strip()), "")
    return set(COLUMNS) <= {name.strip(' "\n') for name in first.split(",")}


def _table_workload(path: str) -> Workload:
    table = read_table(path, FIELD)
    name = Path(path).stem
    if "trace" in table:
        trace = typed(FIELD, table, TraceForm, path, within="")
        clients = {each: getattr(trace, each).clients for each in CLASSES if getattr(trace, each)}
        workload = trace_workload(Path(path).parent / trace.trace, clients)
        return replace(workload, name=trace.name) if trace.name else workload
    if isinstance(table.get("parts"), dict):
        raise InputError("parts", table["parts"], PARTS_FORM, path)
    form = typed(FIELD, table, WorkloadForm, path, within="")
    parts = tuple(_part(part, f"parts[{i}]", path) for i, part in enumerate(form.parts))
    interactive, batch = (_class(getattr(form, each), each, path) for each in CLASSES)
    try:
        return Workload(form.name or name, interactive, batch, notes={"source": path}, tied=form.tied, parts=parts)
    except InputError as error:
        raise error.renamed(error.field, path) from None


def _class(form: ClassForm | None, name: str, path: str) -> ClassWorkload:
    if form is None:
        return ClassWorkload(clients=0, write_ratio=0.0, read_sizes_bytes=1, write_sizes_bytes=1)
    _check_used(form, name, path)
    given = {each: value for each in form.__struct_fields__ if (value := getattr(form, each)) is not None}
    sizes = {each: _sizes(given.get(each, 1), f"{name}.{each}", path) for each in _SIZES}
    try:
        return ClassWorkload(**(given | sizes))
    except InputError as error:
        raise error.renamed(f"{name}.{error.field}", path) from None


_SIZES = ("read_sizes_bytes", "write_sizes_bytes")


def _check_used(form: ClassForm, name: str, path: str) -> None:
    """Refuse what a class lacks or would not use."""
    if not 0.0 <= form.write_ratio <= 1.0:  # first: what is used follows from it
        raise InputError(f"{name}.write_ratio", form.write_ratio, "0 to 1", path)
    reads, writes = form.clients > 0 and form.write_ratio < 1.0, form.clients > 0 and form.write_ratio > 0.0
    used = dict.fromkeys(("read_sizes_bytes", "gets_per_read"), reads)
    used |= dict.fromkeys(("write_sizes_bytes", "gets_per_write", "insert_share", "remove_share"), writes)
    used |= {"rate_ops": form.clients > 0, "interarrival_cov": form.rate_ops is not None}
    for key, needed in used.items():
        value = getattr(form, key)
        if value is not None and not needed:
            mix = f"{form.clients} clients, write_ratio {form.write_ratio:g}"
            why = "no rate_ops" if key == "interarrival_cov" else mix
            raise ConflictError(f"{name}.{key}", value, f"is not used with {why}; remove it", path)
        if value is None and needed and key in _SIZES:
            raise InputError(f"{name}.{key}", None, "a size in bytes, or a list of equally likely ones", path)


def _sizes(value: float | list[float], field: str, path: str) -> float | np.ndarray:
    """Equally likely sizes in the length that `ClassWorkload` has."""
    if not isinstance(value, list):
        return value
    if not 1 <= len(value) <= SIZE_BINS:
        raise InputError(field, f"{len(value)} sizes", f"1 to {SIZE_BINS} equally likely sizes", path)
    return np.array(value, dtype=float)[np.arange(SIZE_BINS) * len(value) // SIZE_BINS]


def _part(table: dict, field: str, path: str) -> LoadPart:
    values = dict(table)
    kind = values.pop("kind", None)
    if kind not in PARTS:
        raise unknown_name(f"{field}.kind", kind, PARTS, path)
    known = [each.name for each in fields(PARTS[kind])]  # type: ignore[arg-type]  # every part is a dataclass
    for name in values:
        if name not in known:
            raise unknown_name(f"{field}.{name}", name, known, path)
    if isinstance(classes := values.get("classes"), list):
        for name in classes:
            if name not in CLASSES:
                raise unknown_name(f"{field}.classes", name, CLASSES, path)
        values["classes"] = tuple(CLASSES.index(name) for name in classes)
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    try:
        return PARTS[kind](**values)
    except InputError as error:
        raise error.renamed(f"{field}.{error.field}", path) from None
    except TypeError as error:
        raise InputError(field, table, f"{kind} with {', '.join(known)} ({error})", path) from None
