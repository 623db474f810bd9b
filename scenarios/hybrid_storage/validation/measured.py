"""Two real files as the measured side of a validation, in the place of a fast and a slow device."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pmtwin.machine.medium import IN_MEMORY
from pmtwin.scenarios.hybrid_storage.options import BESIDE_A_TRACE, HybridStorageOptions
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.hybrid_storage.system import measured_windows, trace_requests
from pmtwin.scenarios.hybrid_storage.validation.devices import on_devices
from pmtwin.scenarios.hybrid_storage.validation.order import Order, order_of
from pmtwin.scenarios.hybrid_storage.validation.page_files import check_room
from pmtwin.scenarios.hybrid_storage.validation.repeats import floor, floor_words, noisy
from pmtwin.scenarios.hybrid_storage.validation.scenario import PagesInFiles, PagesOnDevices, whole_pages
from pmtwin.scenarios.hybrid_storage.validation.store import NAMES, FileStore, opened_store
from pmtwin.scenarios.hybrid_storage.workloads.shape import Shape
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.hybrid.devices import BlockDevice
from pmtwin.sim.hybrid.options import HOME, OPEN
from pmtwin.sim.hybrid.running import COMPILED
from pmtwin.sim.hybrid.stream import PAGE_BYTES
from pmtwin.sim.options import Options, build, leaves, option, option_again, plain
from pmtwin.validation.criteria import Criterion
from pmtwin.validation.measured import BetweenRuns, MeasuredSide, Medium

if TYPE_CHECKING:
    from pmtwin.validation.plan import ValidationPlan

POLICIES = ("write-lru", "lru-clean", "heat", "cde", "static-set", "slow-only")
WORKLOADS = ("YCSB-B", "ssd-02", "LUN4")
"""What is compared unless it is named: six policies, in a workload of reads and writes, one of reads, one of writes."""

CASES = ("policies", "grid", "transfer", "learn")
"""Options that name what is compared."""

BUSY = 0.75
"""Load of a processor, on average over the last minute, from which other programs disturb the run: it takes one or two
processors itself, most of the time asleep."""

NOT_SAFE = "the files have no name and are gone with the process: nothing here is safe from a crash"
AGREED = "page contents, their places and both sides' mean latencies on these files"


@dataclass(frozen=True, kw_only=True)
class SideOptions(Options):
    """The files, and requests that take seconds on them."""

    title = "the real side"

    fast: Path | None = option(None, "folder of the fast device's file, such as /dev/shm", metavar="DIR")
    slow: Path | None = option(None, "folder of the slow device's file", metavar="DIR")
    slow_us: float = option(
        0.0, "time by which each access to the slow file is made longer", low=0.0, high=1e6, unit="us", metavar="N"
    )
    capacity: float = option(
        10.0, "capacity of the fast device, in percent of the pages", low=0.0, high=100.0, unit="%", metavar="P"
    )
    tau: float = option(
        0.8, "least Kendall's tau between the orders of the policies on both sides", low=-1.0, high=1.0, metavar="T"
    )
    footprint_pages: int = option(
        16_384, "pages of each file, of 4 KiB; a trace has its own", low=64, high=1 << 31, metavar="N"
    )
    length: int = option_again(Shape, "length", 4000)


class MeasuredFiles(MeasuredSide[PagesOnDevices, SideOptions]):
    """Requests to files in two folders, under the twin's own compiled policies and directories.

    Accesses to both files, timed between the runs, make the twin's devices. What is predicted is what policies make of
    them: where pages are, what moves, and what waits.
    """

    system = "files"
    media: ClassVar[dict[str, Medium]] = {
        "files": Medium("validated (files)", NOT_SAFE, agreed=AGREED),
        "slowed": Medium(
            "verified (slowed)", f"each access to the slow file was made longer; {NOT_SAFE}", agreed=AGREED
        ),
    }
    measures = ("mean_us", "p99_us")
    asks_inside = tuple(point.name for point in HybridStorage.points)
    usual: ClassVar[dict[str, int]] = {"warmup_windows": 0}
    Takes = SideOptions
    everyday = ("fast", "slow", "slow_us", "capacity", "length", "footprint_pages")
    replaced = (
        "devices", "fast", "layout", "hdd_writes", "decision_ns", "length", "footprint_pages", "yardsticks",
        "device_samples",
    )  # fmt: skip

    measured: PagesInFiles

    def __init__(self, predicted: PagesOnDevices, measured: PagesInFiles, options: SideOptions, pages: int):
        super().__init__(predicted, measured, options)
        self.folders, self.pages = _folders(options), pages
        self._random = np.random.default_rng(0)
        self._store: FileStore | None = None

    @classmethod
    def of(cls, scenario: type[HybridStorage], values: Mapping[str, Any], options: SideOptions) -> MeasuredFiles:
        """Both sides have whole pages in their places, one thread, and the devices that are measured."""
        folders, trace = _folders(options), values.get("trace")
        _check_capacity(options.capacity, options.footprint_pages)
        shape = {} if trace else {"shape.length": options.length, "shape.footprint_pages": options.footprint_pages}
        if trace:
            _refuse_shape(options)
        storage = {"storage.fast": options.capacity, "storage.layout": HOME, "storage.decision_ns": 0.0}
        chosen: HybridStorageOptions = build(HybridStorageOptions, {**values, **shape, **storage})
        if chosen.storage.arrivals == OPEN:
            raise InputError("arrivals", OPEN, "closed or paced: one thread waits for each answer")
        pages = options.footprint_pages
        if chosen.trace is not None:
            pages = len(whole_pages(trace_requests(chosen.trace, chosen.volumes)).home)
            _check_capacity(options.capacity, pages)
        is_shared = os.stat(folders[0]).st_dev == os.stat(folders[1]).st_dev
        for name, folder in zip(NAMES, folders, strict=True):
            check_room(folder, name, pages, 1 + is_shared)
        twin = replace(chosen, storage=on_devices(chosen.storage, ()))
        return cls(PagesOnDevices(twin), PagesInFiles(replace(twin, engine=COMPILED)), options, pages)

    @property
    def medium(self) -> str:
        return "slowed" if self.options.slow_us else "files"

    @property
    def warnings(self) -> list[str]:
        fast, slow = self.folders
        if os.stat(fast).st_dev == os.stat(slow).st_dev and not self.options.slow_us:
            return ["both folders are on one file system: the devices are one device"]
        return []

    def defaults(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Six policies over three workloads, each as long as its measured part."""
        options, values = self.predicted.options, dict[str, Any]()
        if not any(given.get(name) for name in CASES):
            values["policies"] = POLICIES
        contexts, windows = 1, measured_windows(options)
        if options.trace is None:
            values["contexts"] = WORKLOADS
            contexts = len(given.get("contexts") or WORKLOADS)
        if given.get("grid"):
            values["windows"] = windows
        if not given.get("grid") or given.get("policies"):
            values |= {"context_steps": windows, "steps": given.get("context_steps", windows) * contexts}
        return values

    @contextmanager
    def holding(self) -> Iterator[None]:
        with opened_store(self.folders, self.pages, self.options.slow_us) as store:
            self._store = self.measured.store = store
            yield

    @contextmanager
    def between(self, plan: ValidationPlan[PagesOnDevices], keep: Path | None) -> Iterator[BetweenRuns]:
        """Accesses to both files are timed before each run and after the last."""
        fast_pages = max(round(self.options.capacity / 100.0 * self.pages), 1)

        def step(done: int, runs: int, on_window: Any) -> None:
            self.store.measure(fast_pages, self._random)
            on_window()

        yield BetweenRuns(plan.seeds * len(plan.cases) + 1, step)

    @property
    def store(self) -> FileStore:
        """The open files."""
        assert self._store is not None, "the files are not open"
        return self._store

    def outcome(self, plan: ValidationPlan[PagesOnDevices]) -> tuple[ValidationPlan[PagesOnDevices], dict]:
        """The twin's devices are those that were measured."""
        options, devices, reads = plan.predicted.options, self.store.devices(), self.store.reads()
        twin = PagesOnDevices(replace(options, storage=on_devices(options.storage, devices)))
        entries = {
            "devices": {device.name: _numbers(device) for device in devices},
            "accesses_us": self.store.times_us(),
            "files": {name: each.words for name, each in zip(NAMES, self.store.opened, strict=True)},
            "reads": reads._asdict(),
            "repeat_percent": self.store.repeats(),
            "warnings": [*self._cached(), *_busy(), *noisy(self.store.repeats())],
        }
        return replace(plan, predicted=twin), entries

    def criteria(self, compared: Mapping[str, Any]) -> list[Criterion]:
        """The order of the policies, and reads with wrong content."""
        order, reads = order_of(compared, self.measures[0]), self.store.reads()
        share = 100.0 * reads.wrong / max(reads.checked, 1)
        what = f"wrong reads ({reads.wrong:,} of {reads.checked:,} pages)"
        return [*_of_order(order, self.options.tau), Criterion(what, share, [share, share], 0.0)]

    def _cached(self) -> list[str]:
        """That a file is not what is measured, but the memory before it."""
        return [
            f"{name} is accessed through the page cache: memory answers its reads"
            for name, each in zip(NAMES, self.store.opened, strict=True)
            if not (each.direct or each.kind in IN_MEMORY)
        ]

    def record(self, predicted: PagesOnDevices) -> dict:
        return {"twin": plain(predicted.options)}

    def arguments(self) -> dict:
        return plain(self.measured.options, self.replaced) | {"engine": self.predicted.options.engine}

    def planned(self) -> dict:
        return {"file_mib": self.pages * PAGE_BYTES / (1 << 20)}

    def setup(self, result: dict) -> dict[str, str]:
        used = result["configuration"]
        reads, order = used["reads"], order_of(result, self.measures[0], floor(used["repeat_percent"]))
        slowed = f", each access {self.options.slow_us:g} us longer" if self.options.slow_us else ""
        rows = {
            name: f"{used['files'][name]}{slowed * (name == NAMES[1])}: {_described(device)}"
            for name, device in used["devices"].items()
        }
        return rows | {
            "capacity": f"{self.options.capacity:g} % of the pages on {NAMES[0]}",
            "reads": f"{reads['checked']:,} pages read, number, version and checksum checked, {reads['wrong']:,} wrong",
            "own work": f"{reads['own_us']:.2g} us of a request outside of its accesses, on the real side alone",
            "noise floor": floor_words(used["repeat_percent"]),
            "order": order.words(),
            "safety": NOT_SAFE,
        }


def _folders(options: SideOptions) -> tuple[Path, Path]:
    """The two folders.

    Raises:
        InputError: if one is missing, or both are the same.
    """
    for name in NAMES:
        folder = getattr(options, name)
        if folder is None:
            raise InputError(name, None, f"a folder for the file of the {name} device")
        if not folder.is_dir():
            wrong = "is no folder" if folder.exists() else "is not there"
            raise InputError(name, str(folder), "an existing folder", wrong=wrong)
    assert options.fast is not None and options.slow is not None
    if options.fast.samefile(options.slow):
        raise InputError(NAMES[1], str(options.slow), "another folder than --fast", wrong="is the folder of both")
    return options.fast, options.slow


def _refuse_shape(options: SideOptions) -> None:
    for leaf in leaves(SideOptions):
        if leaf.name in ("length", "footprint_pages") and getattr(options, leaf.name) != leaf.default:
            raise ConflictError(leaf.name, getattr(options, leaf.name), BESIDE_A_TRACE)


def _check_capacity(percent: float, pages: int) -> None:
    if round(percent / 100.0 * pages) < 1:
        raise InputError("capacity", percent, f"percent of {pages:,} pages that make a page or more, at most 100")


def _of_order(order: Order, least: float) -> list[Criterion]:
    """The check of the order: pairs of policies, a count without sampling error; none of a single policy."""
    if not order.pairs:
        return []
    share = 100.0 * order.swapped / order.pairs
    what = f"pairs of policies in another order (Kendall's tau {order.tau:.2f})"
    return [Criterion(what, share, [share, share], 50.0 * (1.0 - least))]


def _busy() -> list[str]:
    """That other programs ran."""
    load, processors = os.getloadavg()[0], len(os.sched_getaffinity(0))
    if load <= BUSY * processors:
        return []
    return [
        f"the machine was busy (load {load:.1f} of {processors} processors): real times have the delays of other "
        "programs in them"
    ]


def _numbers(device: BlockDevice) -> dict[str, float]:
    """The numbers of a device's model."""
    return {name: value for name, value in asdict(device).items() if isinstance(value, float)}


def _described(device: Mapping[str, float]) -> str:
    parts = [
        f"{kind} {device[f'{kind}_us']:.3g} us + bytes / {device[f'{kind}_gb_s']:.3g} GB/s"
        for kind in ("read", "write")
    ]
    seek = f", seek {device['seek_us']:,.0f} us" if device.get("seek_us") else ""
    wakes = [device[f"{kind}_wake_us"] for kind in ("read", "write")]
    pause = f", after a pause up to {wakes[0]:.3g} and {wakes[1]:.3g} us more (half of it after "
    wake = f"{pause}{device['wake_half_us']:,.0f} us)" if any(wakes) else ""
    return f"{', '.join(parts)}{seek}{wake}"
