"""The options of `pmtwin probe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pmtwin.config.shared import CommandConfig, DryRun, Printed, Seeded
from pmtwin.sim.device.access_profile import KEY_BYTES
from pmtwin.sim.device.geometry import MOST_DIMMS
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import option

EXAMPLES = (
    "pmtwin probe --path /mnt/pmem0 -o probe.json",
    "pmtwin probe --node 2 -o cxl.json",
    "pmtwin probe --host --store map -o host.json",
)
DESCRIPTION = """Measures bandwidth and latency of the memory below a directory (--path), in a temporary file that is
always removed at the end, or of a NUMA node without a file system (--node). It takes at most five minutes (--quick: one
minute), over all sizes and threads; --kv and --host measure something else. The same command resumes an interrupted
probe, whose output file holds what was measured until then; --kv and --host begin anew. The output file is the input of
`pmtwin calibrate`."""

PRESETS = ("quick", "kv", "host", "full")
"""Options that replace the default measurement of five minutes; at most one may be given."""

LONGEST_S = 30 * 24 * 3600.0


@dataclass(frozen=True, kw_only=True)
class Config(CommandConfig, Seeded, Printed, DryRun):
    """Options of `pmtwin probe`."""

    command: ClassVar[str] = "probe"
    everyday: ClassVar[tuple[str, ...]] = (
        "path",
        "node",
        "output",
        "quick",
        "host",
        "kv",
        "store",
        "profile",
        "threads",
        "resume",
        "compare",
        "json",
        "dry_run",
    )
    path: str | None = option(None, "directory on the memory to measure, such as /mnt/pmem0 or /dev/shm", metavar="DIR")
    node: int | None = option(
        None,
        "NUMA node to measure instead of a directory, such as a CXL expander without a file system",
        low=0,
        high=1023,
        metavar="N",
        excludes=("path", "memory_node", "kv", "host"),
    )
    output: str | None = option(None, "output file (JSON)", short="-o", metavar="FILE", recorded=False)
    quick: bool = option(False, "short measurement: at most 60 s, without strides and fences")
    kv: bool = option(
        False, "measure the memory accesses of pmemkv's gets and puts instead, for pmtwin calibrate --access-profile"
    )
    host: bool = option(
        False,
        "measure the software costs of the middleware on this machine instead, for --host of other commands; takes "
        "about two minutes on an idle machine and longer beside other work, since the number of windows is fixed; "
        "begins anew after an interruption",
    )
    full: bool = option(False, "full measurement: all points, an hour or more")
    store: str = option("map", "storage backend for --host: map, or pmemkv in a pool below --path", metavar="NAME")
    keys: int = option(1000, "number of keys for --host; use the same number in later runs", metavar="N")
    pool_mib: int = option(1024, "pool size of pmemkv for --host, in MiB", metavar="MIB")
    profile: str = option("dram-ddr4", "device profile of the store's memory, for --host", metavar="NAME|FILE")
    key_bytes: int | None = option(None, f"key size for --kv, 8 to 4096 bytes (default: {KEY_BYTES})", metavar="N")
    target_error: float | None = option(
        None,
        "median model error at which the measurement stops, in percent",
        low=0.01,
        high=100.0,
        unit="%",
        metavar="PERCENT",
    )
    time: float | None = option(
        None,
        "maximum duration, in seconds (default: 300; with --quick: 60)",
        low=5.0,
        high=LONGEST_S,
        unit="s, and no less than the set-up and the first case take",
        metavar="SECONDS",
    )
    resume: bool = option(False, "resume an interrupted probe; an error if there is none", recorded=False)
    force: bool = option(False, "start again and overwrite an existing result or journal", recorded=False)
    operations: str | None = option(
        None,
        "operations to measure, such as load,ntstore: load, ntstore, store_clwb, store (default: the first three)",
        metavar="NAMES",
    )
    threads: int | None = option(None, "maximum number of threads (default: one per processor)", metavar="N")
    dimms: int | None = option(
        None, "number of memory modules, if the kernel does not report it", low=1, high=MOST_DIMMS, metavar="N"
    )
    region_bytes: int | None = option(
        None,
        "size of the measured region, in bytes (default: 16 times the cache; 4 times in less than 5 minutes)",
        metavar="N",
    )
    memory_node: int | None = option(None, "NUMA node of the measured memory", metavar="N")
    isa: str | None = option(
        None, "instruction set to use, such as avx2+clflushopt (default: the best available)", metavar="NAMES"
    )
    compare: tuple[str, ...] = option(
        (), "compare two probe results instead of measuring", metavar="FILE", words="2", separator="\n"
    )

    def __post_init__(self):
        super().__post_init__()
        chosen = [name for name in PRESETS if getattr(self, name)]
        if len(chosen) > 1:
            raise ConflictError(
                chosen[-1], True, f"does not go with --{chosen[0]}; choose one of --{', --'.join(PRESETS)}"
            )
        if self.key_bytes is not None and not self.kv:
            raise ConflictError("key_bytes", self.key_bytes, "belongs to --kv; add that, or remove this option")
        if len(self.compare) not in (0, 2):
            raise InputError("compare", list(self.compare), "two results of probes")
