"""The typed forms of the probe's JSON, in a result and in a journal: errors name the field."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from pmtwin.calibrate.readers.document import LARGEST_SIZE_BYTES, MOST_THREADS
from pmtwin.sim.files.typed_json import Finite, NotNegative, check_name

NODES = ("local", "remote")
RUN_TYPES = ("iteration", "aggregate")
Size = Annotated[float, Meta(ge=1, le=LARGEST_SIZE_BYTES)]
Threads = Annotated[int, Meta(ge=1, le=MOST_THREADS)]


class ContextForm(Struct):
    """`context`; Google Benchmark writes all values as text."""

    json_schema_version: int = 1
    media: str = ""
    dimms: str | float | UnsetType | None = UNSET
    numa: str = NODES[0]
    fence_interval_bytes: str | float = "0"

    def __post_init__(self) -> None:
        check_name("numa", self.numa, NODES)


class BenchmarkForm(Struct, kw_only=True):
    """Fields of every entry of `benchmarks`, also of a failed one."""

    name: str
    run_type: str = RUN_TYPES[0]
    label: str = ""
    error_occurred: bool = False
    skipped: bool = False
    visit: Annotated[int, Meta(ge=0)] | UnsetType = UNSET

    def __post_init__(self) -> None:
        check_name("run_type", self.run_type, RUN_TYPES)


class RepetitionForm(BenchmarkForm, kw_only=True):
    """A repetition, as reported by the native probe and kept in the journal."""

    access_size_bytes: Size
    run_name: str | UnsetType = UNSET
    threads: Threads | UnsetType = UNSET
    cpu_share: NotNegative | UnsetType = UNSET
    bandwidth_mib_s: Finite | UnsetType = UNSET
    latency_p50_ns: Finite | UnsetType = UNSET
    latency_mean_ns: Finite | UnsetType = UNSET
    write_ratio: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
