"""The options of `pmtwin calibrate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pmtwin.calibrate.published import PUBLISHED
from pmtwin.calibrate.specification import DEFAULT_BOOTSTRAP, UNNAMED
from pmtwin.calibrate.store.measurements import FURTHER, RESULTS
from pmtwin.config.shared import CommandConfig, DryRun, Parallel, Printed, Replacing, Seeded
from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MOST_DIMMS
from pmtwin.sim.device.profile import DEFAULT_PROFILE
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import option

EXAMPLES = (
    "pmtwin calibrate probe.json -o my-device.json --report fit",
    "pmtwin calibrate mlc.txt -o my-device.json --prior family",
    "pmtwin calibrate --prior family --suggest 20 --media dram > to-measure.csv",
)
DESCRIPTION = f"""Fits a device profile to measured bandwidths. The format of a file is found by its content:
LATTester's sweep (CSV), PerMA-Bench's results (JSON, or flattened into a table) and its mixes, fio's JSON (ioengine
libpmem, dev-dax or mmap), the text of Intel's Memory Latency Checker (needs --prior family if it is the only file),
the probe's JSON, and a table of your own (CSV) with the columns of pmtwin predict and bandwidth_mib_s, latency_ns or
both. Files may be compressed (gzip, bzip2, xz) and of different formats. Effects that the measurements do not determine
are marked as not identified in the profile; a prediction that needs one is refused.

With --store the sources are measured operations of a key-value store: a table of pmtwin predict's points with
{" or ".join(RESULTS)} (optional: {", ".join(FURTHER)}), the data of Viper's figure, or
pmemkv_bench's summary. The first machine is the reference. The output is a file for pmtwin predict --store.

With --form the sources are tables of runs (CSV) with the variables of a formula in R's notation and its response. The
output is a file for pmtwin predict --regression. With --form block they are fio's runs through the kernel to a block
device (direct=1); --job prints the job file for them."""

MAX_BOOTSTRAP = 10_000
MOST_SUGGESTIONS = 200
MOST_THREADS = 16
FOLDS = 20
BLOCK = "block"
"""Value of `--form`: a block device."""
OF_DEVICES = (
    "report",
    "device",
    "machine",
    "dimms",
    "media",
    "effects",
    "access_profile",
    "accept_disturbed",
    "store",
    "suggest",
    "most_threads",
    "jobs",
)
"""Options that do not go with a fit of a formula to runs."""


@dataclass(frozen=True, kw_only=True)
class Config(CommandConfig, Seeded, Parallel, Printed, DryRun, Replacing):
    """Options of `pmtwin calibrate`.

    Raises:
        InputError: for a blank name, or a single replicate, which has no spread.
    """

    command: ClassVar[str] = "calibrate"
    everyday: ClassVar[tuple[str, ...]] = (
        "output",
        "report",
        "name",
        "machine",
        "media",
        "prior",
        "suggest",
        "store",
        "form",
        "jobs",
        "json",
        "dry_run",
    )
    sources: tuple[str, ...] = option(
        (), help="file of measurements, or folder of such files", metavar="SOURCE", positional=True, separator="\n"
    )
    output: str | None = option(None, "output file: the profile (JSON)", short="-o", metavar="FILE", recorded=False)
    report: str | None = option(None, "folder for the fit report: an HTML page", metavar="DIR", recorded=False)
    name: str | None = option(None, "name of the profile (default: the output file's, without its ending)")
    device: str = option(UNNAMED, "description of the measured device")
    machine: str | None = option(
        None, "machine to use from a table of several machines (column file or hw)", metavar="NAME"
    )
    dimms: int | None = option(
        None,
        f"modules or channels, where the files do not say: 1 to {MOST_DIMMS} (default: {FULL_SET_DIMMS})",
        low=1,
        high=MOST_DIMMS,
        metavar="N",
    )
    media: str | None = option(
        None, "pmem or dram, where the files do not say", choices=tuple(PUBLISHED), metavar="KIND"
    )
    like: str | None = option(
        None,
        "profile that supplies latencies and tail where the files have none (marked as assumed); with --form: the "
        "regression whose formula is fitted",
        metavar="PROFILE",
    )
    prior: str = option(
        "none",
        "prior: none, or family: the shipped devices, for a device with 5 to 100 measurements or with an MLC text only",
        choices=("none", "family"),
        metavar="NAME",
    )
    suggest: int | None = option(
        None,
        "with --prior family: print a CSV table to fill in: the missing idle latencies, and so many bandwidths to "
        "measure next, the most telling first; also without SOURCE",
        low=1,
        high=MOST_SUGGESTIONS,
        metavar="N",
    )
    most_threads: int = option(
        MOST_THREADS, "with --suggest: maximum number of threads of a configuration", low=1, high=32, metavar="N"
    )
    effects: tuple[str, ...] = option(
        (),
        "further files, from which effects are fitted: strides and fences (LATTester's sweeps), the remote NUMA node "
        "and mixes (PerMA-Bench, FAST'20 figure 6), the tail of writes (FAST'20 figure 3); latency under load is "
        "checked against FAST'20 figure 6",
        metavar="FILE",
        separator="\n",
    )
    access_profile: str = option(
        DEFAULT_PROFILE,
        "memory accesses of pmemkv's gets and puts: a result of pmtwin probe --kv, or a profile that contains one "
        f"(default: that of {DEFAULT_PROFILE}, pmemkv 1.4, which holds for every device)",
        metavar="FILE",
    )
    accept_disturbed: bool = option(
        False,
        "fit a probe of a busy machine: also with less than half of its rows left, and with those of one thread that "
        "other work disturbed",
    )
    bootstrap: int = option(
        DEFAULT_BOOTSTRAP,
        "bootstrap replicates for the intervals; 0: fit the mechanism only, without residual and intervals",
        low=0,
        high=MAX_BOOTSTRAP,
        metavar="N",
    )
    store: tuple[str, ...] = option(
        (),
        "fit a key-value store instead, once for each of these device profiles; with --bootstrap 0 the validation on "
        "left-out parts is skipped",
        metavar="PROFILE",
        separator="\n",
    )

    form: str | None = option(
        None,
        "fit a formula to runs instead of a profile: regression (least squares) or mechanistic (no estimate below 0); "
        "or block: a block device to fio's runs through the kernel",
        choices=("regression", "mechanistic", BLOCK),
        metavar="FORM",
        group="regression of runs",
        excludes=OF_DEVICES,
    )
    formula: str | None = option(
        None,
        "formula RESPONSE ~ TERMS in R's notation (a*b, a:b, I(a/b), + 0); instead of it, --like REGRESSION takes the "
        "formula of a shipped regression",
        metavar="FORMULA",
        group="regression of runs",
    )
    folds: int = option(
        FOLDS,
        "number of parts of the cross-validation; each part is predicted by a fit to the others",
        low=2,
        high=1000,
        metavar="N",
        group="regression of runs",
    )

    capacity_gb: float | None = option(
        None,
        "with --form block: capacity of the device",
        low=1e-3,
        high=1e6,
        metavar="GB",
        group="block devices",
    )
    job: bool = option(False, "with --form block: print the job file for fio, and fit nothing", group="block devices")

    def __post_init__(self):
        super().__post_init__()
        if self.formula is not None and self.form is None:
            raise ConflictError("formula", self.formula, "belongs to --form; add that, or remove this option")
        object.__setattr__(self, "name", self.called)
        if not self.called.strip():
            raise InputError("name", self.called, "a name that is not blank")
        if self.prior == "family":
            for name in ("like", "effects", "report", "store"):
                if getattr(self, name):
                    raise ConflictError(
                        name, getattr(self, name), "does not go with --prior family; remove one of the two"
                    )
        self._check_block()
        self._check_suggestions()
        if self.bootstrap == 1:
            raise InputError("bootstrap", 1, f"0 or 2 to {MAX_BOOTSTRAP}: one replicate has no spread")

    @property
    def called(self) -> str:
        """Name of the fitted profile, store or regression."""
        return Path(self.output or "profile").stem if self.name is None else self.name

    def without_use(self) -> Mapping[str, str]:
        """Options of other fits than the chosen one, with reasons."""
        reasons: dict[str, str] = {}
        if self.form == BLOCK:
            reasons["folds"] = "does nothing with --form block, which leaves no runs out; remove it"
        elif self.form is not None:
            reasons["bootstrap"] = f"does not go with --form {self.form}; remove one of the two"
        else:
            reasons["folds"] = "belongs to --form; add that, or remove this option"
        if self.prior == "family":
            reasons["bootstrap"] = "does nothing with --prior family, which needs no replicates; remove it"
        if self.suggest is None:
            reasons["most_threads"] = "belongs to --suggest; add that, or remove it"
        else:
            reasons["access_profile"] = "does not go with --suggest, which fits nothing; remove it"
        return reasons

    def _check_block(self) -> None:
        """Raise `ConflictError` for options that do not go with `--form block`, or need it."""
        refused: tuple[str, ...]
        if self.form == BLOCK:
            refused, reason = ("formula", "like"), "does not go with --form block; remove one of the two"
        else:
            refused, reason = ("capacity_gb", "job"), "belongs to --form block; add that, or remove this option"
        if self.job and self.form == BLOCK:
            refused, reason = ("sources", "output", "capacity_gb"), "does not go with --job, which fits nothing"
        for name in refused:
            if getattr(self, name):
                raise ConflictError(name, getattr(self, name), reason)

    def _check_suggestions(self) -> None:
        """Raise `InputError` for missing sources, and for options that do not go with `suggest`, or need it."""
        if self.suggest is None:
            if not self.sources and not self.job:
                raise InputError("SOURCE", None, "a file of measurements, or a folder of such files")
            return
        if self.prior != "family":
            raise ConflictError("suggest", self.suggest, "belongs to --prior family; add that")
        for name in ["output", "dry_run"] + ["machine"] * (not self.sources):
            if getattr(self, name):
                raise ConflictError(
                    name, getattr(self, name), "does not go with --suggest, which fits nothing; remove it"
                )
