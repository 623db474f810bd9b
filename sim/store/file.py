"""The file of a store, which `pmtwin calibrate --store` writes: parameters of its law with their posterior samples."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct

from pmtwin.sim.device.profile import DEFAULT_PROFILE
from pmtwin.sim.errors import InputError, check_range, unknown_name
from pmtwin.sim.files.json_file import parse_json, read_json
from pmtwin.sim.files.typed_json import Finite, NotNegative, Positive, check_name, lacking, typed
from pmtwin.sim.files.writing import write_text
from pmtwin.sim.load.workload import OPERATIONS
from pmtwin.sim.parameters.store_law import IN_TWIN, STORE_PARAMETERS, twin_name

FORMAT, VERSION = "pmtwin-store", 1
DEFAULT_STORE = "pmemkv-cmap"
MODEL_ERROR = "model_error"
"""Column of the samples: error of the law at a point, as standard deviation of the logarithm."""

WANTED = "a file that `pmtwin calibrate --store` wrote"
RANGES = ("threads", "value_bytes", "records", "key_bytes")
HARDWARE = ("cores", "threads_per_core")
PERCENTILES = ("p50", "p99")
_PACKAGE = "pmtwin.sim.stores"


class EntryForm(Struct):
    """A parameter: median and 90 % interval of its samples."""

    value: NotNegative
    low: NotNegative
    high: NotNegative
    origin: str
    source: str

    def __post_init__(self) -> None:
        check_name("origin", self.origin, ("inferred", "assumed"))
        if not self.low <= self.value <= self.high:
            raise InputError("value", self.value, f"low to high, {self.low:g} to {self.high:g}")


class RatioForm(Struct):
    """Ratio of a percentile of single operations to their mean."""

    value: Positive
    log_sd: NotNegative
    origin: str
    source: str


class SamplesForm(Struct):
    """Joint samples: one row for each sample, one column for each name."""

    names: list[str]
    rows: Annotated[list[list[Finite]], Meta(min_length=2)]

    def __post_init__(self) -> None:
        for name in (*STORE_PARAMETERS, MODEL_ERROR):
            if name not in self.names:
                raise lacking("names", name)
        for index, name in enumerate(self.names):
            check_name(f"names[{index}]", name, (*STORE_PARAMETERS, MODEL_ERROR))
        for index, row in enumerate(self.rows):
            if len(row) != len(self.names):
                raise InputError(f"rows[{index}]", f"{len(row)} numbers", f"{len(self.names)}, as names")
            for name, number in zip(self.names, row, strict=True):
                if number <= 0.0:
                    raise InputError(f"rows[{index}].{name}", number, "a finite number above 0")


class FitForm(Struct):
    """The posterior with the profile of one device."""

    parameters: dict[str, EntryForm]
    samples: SamplesForm

    def __post_init__(self) -> None:
        for name in self.parameters:
            check_name("parameters", name, STORE_PARAMETERS)


class StoreForm(Struct):
    """The content of the file, without `format` and `version`, which are checked first."""

    name: str
    store: str
    outside_log_sd: NotNegative
    machine_log_sd: NotNegative
    fits: dict[str, FitForm]
    latency_over_mean: dict[str, dict[str, RatioForm]]
    fitted_range: dict[str, dict[str, tuple[Positive, Positive]]]
    record: dict[str, Any] = {}

    def __post_init__(self) -> None:
        if not self.fits:
            raise InputError("fits", {}, "a fit beside at least one profile")
        for operation in OPERATIONS:
            if operation not in self.latency_over_mean:
                raise lacking("latency_over_mean", operation)
            for name in PERCENTILES:
                if name not in self.latency_over_mean[operation]:
                    raise lacking(f"latency_over_mean.{operation}", name)
        for operation, box in self.fitted_range.items():
            check_name("fitted_range", operation, OPERATIONS)
            for name in (*RANGES, *HARDWARE):
                if name not in box:
                    raise lacking(f"fitted_range.{operation}", name)


@dataclass(frozen=True)
class StoreFit:
    """The posterior of a store's parameters, fitted with one profile of the measured device.

    Args:
        parameters: name -> value, low, high, origin, source.
        samples: name -> shape (samples,); the values with the same index are a joint sample.
    """

    parameters: Mapping[str, Mapping]
    samples: Mapping[str, np.ndarray]

    @property
    def count(self) -> int:
        """Number of samples."""
        return len(self.samples[MODEL_ERROR])

    @property
    def representative(self) -> int:
        """Index of the sample nearest to the medians, in standard deviations."""
        table = np.stack([self.samples[name] for name in sorted(self.samples)])
        spread = np.maximum(table.std(axis=1, keepdims=True), 1e-300)
        return int((((table - np.median(table, axis=1, keepdims=True)) / spread) ** 2).sum(axis=0).argmin())

    def twin_parameters(self, sample: int) -> dict[str, float]:
        """The twin's parameters (`pmtwin.sim.parameters.values.resolve`) in the sample with index `sample`.

        They have an effect if the user of the twin sets `records`.

        Raises:
            InputError: no such sample.
        """
        check_range("sample", sample, 0, self.count - 1)
        return {twin_name(name): float(self.samples[name][sample]) for name in IN_TWIN}


@dataclass(frozen=True)
class StoreFile:
    """The fitted law of a store.

    Args:
        name: name of the fit.
        store: the measured software.
        outside_log_sd: error of points outside `fitted_range`, as standard deviation of the logarithm of throughput.
        machine_log_sd: variation between machines and devices, as standard deviation of the same logarithm.
        fits: name of a profile -> posterior with that profile.
        latency_over_mean: operation -> p50, p99 -> value, log_sd, origin, source.
        fitted_range: measured operation -> name in `RANGES` and `HARDWARE` -> (low, high).
        record: sources, seed, command, errors.
    """

    name: str
    store: str
    outside_log_sd: float
    machine_log_sd: float
    fits: Mapping[str, StoreFit]
    latency_over_mean: Mapping[str, Mapping[str, Mapping]]
    fitted_range: Mapping[str, Mapping[str, tuple[float, float]]]
    record: Mapping = field(default_factory=dict)

    def fitted_beside(self, profile_name: str) -> str:
        """Name of the profile whose fit is used for a profile: its own, else the default's, else the file's first."""
        return next(name for name in (profile_name, DEFAULT_PROFILE, *self.fits) if name in self.fits)

    def fit_beside(self, profile_name: str) -> StoreFit:
        """The fit that is used for a profile (`fitted_beside`)."""
        return self.fits[self.fitted_beside(profile_name)]

    def document(self) -> dict:
        """The file's content, in JSON's own types."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "name": self.name,
            "store": self.store,
            "outside_log_sd": self.outside_log_sd,
            "machine_log_sd": self.machine_log_sd,
            "fits": {name: _fit_document(fit) for name, fit in self.fits.items()},
            "latency_over_mean": self.latency_over_mean,
            "fitted_range": {name: {k: list(v) for k, v in box.items()} for name, box in self.fitted_range.items()},
            "record": self.record,
        }

    def save(self, path: str | os.PathLike) -> Path:
        """Write the file. Raises `InputError` if it cannot be written."""
        text = _with_rows_in_lines(json.dumps(self.document(), allow_nan=False, indent=1))
        return write_text(path, text + "\n")


def _fit_document(fit: StoreFit) -> dict:
    rows = np.column_stack(list(fit.samples.values()))
    numbers = [[float(f"{number:.5g}") for number in row] for row in rows]
    return {"parameters": fit.parameters, "samples": {"names": list(fit.samples), "rows": numbers}}


def store_of(content: Any, where: str) -> StoreFile:
    """The store in the content of a file.

    Raises:
        InputError: another kind or version of file, a missing field or a value out of range.
    """
    version = content.get("format") if isinstance(content, dict) else None
    if version != FORMAT:
        raise InputError("format", version, f"{FORMAT}: {WANTED}", where)
    if content.get("version") != VERSION or isinstance(content["version"], bool):
        raise InputError("version", content.get("version"), f"{VERSION}: calibrate again with this version", where)
    form = typed("store", content, StoreForm, where, within="")
    return StoreFile(
        name=form.name,
        store=form.store,
        outside_log_sd=form.outside_log_sd,
        machine_log_sd=form.machine_log_sd,
        fits={
            name: StoreFit(
                content["fits"][name]["parameters"],
                dict(zip(fit.samples.names, np.array(fit.samples.rows).T, strict=True)),
            )
            for name, fit in form.fits.items()
        },
        latency_over_mean=content["latency_over_mean"],
        fitted_range=form.fitted_range,
        record=form.record,
    )


def store_names() -> list[str]:
    """Names of the shipped stores."""
    folder = resources.files(_PACKAGE)
    return sorted(entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json"))


def load_store(name_or_path: str | os.PathLike = DEFAULT_STORE) -> StoreFile:
    """The shipped store with a name, or the store in a file.

    Raises:
        InputError: no such store, or a file of another kind.
    """
    name = os.fspath(name_or_path)
    if name in store_names():
        content = resources.files(_PACKAGE).joinpath(f"{name}.json").read_bytes()
        return store_of(parse_json(content, "store", name), f"store {name}")
    if not Path(name).exists() or Path(name).is_dir():
        raise unknown_name("store", name, [*store_names(), "the path of a store's JSON file"])
    return store_of(read_json(name, "store", WANTED), name)


def _with_rows_in_lines(text: str) -> str:
    """Indented JSON with each list of numbers on one line."""
    return re.sub(r"\[\s*(-?[\d.][^\[\]{}\"]*?)\s*\]", lambda match: f"[{' '.join(match[1].split())}]", text)
