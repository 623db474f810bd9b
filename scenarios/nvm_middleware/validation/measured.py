"""The real middleware as the measured side of a validation: on an emulated device, in main or on persistent memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pmtwin.console.output import message
from pmtwin.machine import machine
from pmtwin.machine.medium import medium_of_mount
from pmtwin.middleware.own_store import check_free
from pmtwin.middleware.settings import EMULATED, NativeSettings
from pmtwin.middleware.stores import built_engines
from pmtwin.scenarios.nvm_middleware.evidence import offered_rates
from pmtwin.scenarios.nvm_middleware.host.options import HostOptions
from pmtwin.scenarios.nvm_middleware.options import STEADY, USUAL, NvmOptions, OfferedLoad
from pmtwin.scenarios.nvm_middleware.published import FIGURE_B1_POOLS
from pmtwin.scenarios.nvm_middleware.scenario import P99, THROUGHPUT, NvmMiddleware
from pmtwin.scenarios.nvm_middleware.twin import NATIVE
from pmtwin.scenarios.nvm_middleware.workloads import is_file, make_workload, workload_names
from pmtwin.sim.common.threads import usable_threads
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.host.file import ASSUMED
from pmtwin.sim.load.workload import CLASSES
from pmtwin.sim.options import build, plain
from pmtwin.validation.measured import BetweenRuns, MeasuredSide, Medium

if TYPE_CHECKING:
    from pmtwin.scenarios.system import Setting
    from pmtwin.validation.cases import Changes
    from pmtwin.validation.plan import ValidationPlan

MEASURED_HOST = "measured in this run"

PERSISTENT = "Optane"
"""In the name of the device of every shipped profile of persistent memory."""

MANY_THREADS = 8
"""Hardware threads from which on nothing is said of their number."""

REAL_MEMORY = {
    "throughput_median": 10.0,
    "throughput_worst": None,
    "p99_median": 20.0,
    "p99_worst": None,
    "best_loss": 5.0,
    "reward_loss": 5.0,
}
"""Limits on real memory. The host's scheduling is part of every tail: limits are wider, and worst cases have none."""


class MeasuredMiddleware(MeasuredSide[NvmMiddleware, HostOptions]):
    """The middleware itself, in C++, with the store that the options name."""

    system = "middleware"
    media: ClassVar[dict[str, Medium]] = {
        EMULATED: Medium(
            "verified (emulated)",
            "the middleware ran on an emulated device that follows the same profile and host: what agrees is queueing, "
            "pools and control, not the device",
        ),
        "dram": Medium(
            "validated (DRAM)",
            "the middleware ran on main memory; the result does not hold for persistent memory",
            REAL_MEMORY,
            at_saturation=True,
        ),
        "pmem": Medium("validated (pmem)", "the middleware ran on persistent memory", REAL_MEMORY, at_saturation=True),
    }
    measures = (THROUGHPUT.name, P99.name, "batch_ops")
    grids: ClassVar[dict[str, tuple]] = {"section-4.2": FIGURE_B1_POOLS}
    report_files = ("validation.*", "validation-*.csv")
    Takes = HostOptions
    everyday = ("host",)
    replaced = ("host", "host_samples", "host_seed", "device_samples", "device_seed", "device_spread")

    def __init__(self, predicted: NvmMiddleware, measured: NvmMiddleware, options: HostOptions | None = None):
        from pmtwin.scenarios.nvm_middleware.host.watch import watch_of  # help needs no compiled code

        super().__init__(predicted, measured, options)
        native = measured.options.twin.native
        if native is None:
            raise InputError("engine", measured.engine, NATIVE)
        self.native: NativeSettings = native
        twin = predicted.options.twin
        self._watch, self._warnings = watch_of(
            self.options, self.native, twin.host_file, twin.profile, dict(twin.parameters)
        )
        self._samples: Mapping[str, list[float]] = {}

    @classmethod
    def of(
        cls, scenario: type[NvmMiddleware], values: Mapping[str, Any], options: HostOptions | None = None
    ) -> MeasuredMiddleware:
        """The twin with the options except the middleware's; the middleware with all of them.

        The load is steady on both sides unless the options say otherwise. The host is this machine in real time, and
        that of every other command where the device is emulated.
        """
        options = options or HostOptions()
        engine = values.get("twin.engine")
        if engine == NATIVE:
            allowed = f"an engine of the twin: compiled or simpy; the other side is {NATIVE}"
            raise InputError("engine", NATIVE, allowed)
        _check_workload(values.get("workload"))
        emulated = values.get("twin.native.store", EMULATED) == EMULATED
        values = {"offered.load": STEADY, **values, "twin.host": options.twin_host(emulated)}
        twin = {path: value for path, value in values.items() if not path.startswith("twin.native")}
        return cls(
            scenario(build(NvmOptions, twin)),
            scenario(build(NvmOptions, {**values, "twin.engine": NATIVE})),
            options,
        )

    @property
    def warnings(self) -> list[str]:
        named = self.predicted.options.workload
        varies = isinstance(named, str) and is_file(named) and bool(make_workload(named).parts)
        steady = f"the load of {named} changes from window to window: both sides run it at its mean rates"
        return [*self._other_memory(), *self._warnings, *([steady] if varies else []), *self._few_processors()]

    def _few_processors(self) -> list[str]:
        """That workers may outnumber the hardware threads, whose scheduler the twin does not have."""
        threads = int(usable_threads())
        if self.medium == EMULATED or threads >= MANY_THREADS:
            return []
        return [
            f"this process may use {threads} hardware thread{'s' if threads > 1 else ''}: where more workers than that "
            "run, the twin lacks the delays of the scheduler, and its p99 can be far too low; judge throughput and "
            "pools there (docs/validate.md, Few processors)"
        ]

    def _other_memory(self) -> list[str]:
        """That main memory is measured, and the twin is of persistent memory."""
        twin = self.predicted.options.twin
        if self.medium != "dram" or PERSISTENT not in twin.device.device:
            return []
        path = "/dev/shm" if self.native.path is None else self.native.path
        return [
            f"the twin is of another memory than the one measured: profile {twin.profile} is persistent memory, store "
            f"{self.native.store} lies in main memory; give --profile dram-ddr4, or a profile of this machine "
            f"(pmtwin probe --path {path} -o probe.json; pmtwin calibrate probe.json -o my-memory.json)"
        ]

    @cached_property
    def medium(self) -> str:
        return medium_of(self.native)

    def shortened(self, scenario: NvmMiddleware, times: int) -> NvmMiddleware:
        twin = scenario.options.twin
        short = replace(twin, requests_per_window=max(twin.requests_per_window // times, 10))
        return NvmMiddleware(replace(scenario.options, twin=short))

    def saturating(self) -> Changes:
        conditions = self.predicted.own_conditions
        paced = {name: None if conditions is None or getattr(conditions, name).clients else USUAL for name in CLASSES}
        return (("offered", OfferedLoad(STEADY, *paced.values())),)

    def preflight(self) -> NvmMiddleware:
        """An emulated device whose dilation is chosen from the load always starts, so that its tables, which take
        seconds, are not made for it: the rest is tried without them."""
        if self.native.store != EMULATED or self.native.dilation is not None:
            return self.measured
        twin = replace(self.measured.options.twin, native=replace(self.native, store="null"))
        return NvmMiddleware(replace(self.measured.options, twin=twin))

    @contextmanager
    def holding(self) -> Iterator[None]:
        if built_engines():
            check_free(self.native, 1 if self._watch is None else 2)  # the host is measured over a store of its own
            if self._watch is not None:
                self._watch.check_room()
        with self.native.one_store():
            yield

    @contextmanager
    def between(self, plan: ValidationPlan, keep: Path | None) -> Iterator[BetweenRuns]:
        if self._watch is None:
            with super().between(plan, keep) as besides:
                yield besides
            return
        with self._watch.between(plan, keep) as (besides, samples):
            message(f"host: {self._watch.rounds} rounds between the runs of the middleware")
            yield besides
            self._samples = samples

    def outcome(self, plan: ValidationPlan[NvmMiddleware]) -> tuple[ValidationPlan[NvmMiddleware], dict]:
        """The twin has the parameters that were measured between the runs."""
        if self._watch is None:
            return plan, {}
        parameters, told = self._watch.outcome(self._samples)
        if parameters is None:
            return plan, told
        twin = replace(plan.predicted.options.twin, parameters=parameters, host=ASSUMED)
        return replace(plan, predicted=NvmMiddleware(replace(plan.predicted.options, twin=twin))), told

    def record(self, predicted: NvmMiddleware) -> dict:
        twin = predicted.options.twin
        entries = twin.host_file.entries if twin.host_file else {}
        intervals = {
            name: {end: entry[end] for end in ("low", "high")}
            for name, entry in entries.items()
            if "low" in entry and name not in twin.parameters
        }
        return {
            "twin": twin.to_dict(),
            **({"host_intervals": intervals} if intervals else {}),
            "middleware": self.native.to_dict(),
            "reward": predicted.options.reward_parameters.to_dict(),
        }

    def arguments(self) -> dict:
        arguments = plain(self.measured.options)
        arguments["twin"]["engine"] = self.predicted.options.twin.engine
        for name in self.replaced:
            del arguments["twin"][name]
        return arguments

    def planned(self) -> dict:
        if self._watch is None:
            return {}
        return {"host_rounds": self._watch.rounds, "host_windows": self._watch.windows}

    def planned_words(self) -> dict[str, str]:
        return {"host": MEASURED_HOST} if self._watch is not None and self._watch.given is None else {}

    def window_seconds(self, scenario, context: int | str, settings: Sequence[Setting]):
        from pmtwin.scenarios.nvm_middleware.duration import window_seconds

        return window_seconds(scenario, self.native, context, settings)

    def besides_seconds(self, conditions: int) -> float:
        from pmtwin.scenarios.nvm_middleware.duration import FIT_S, TABLES_S

        rounds_s = 0.0 if self._watch is None else self._watch.expected_s
        return TABLES_S * conditions if self.medium == EMULATED else rounds_s + FIT_S

    def setup(self, result: dict) -> dict[str, str]:
        used = result["configuration"]
        host = MEASURED_HOST if "host_measurement" in used else used["twin"]["host"]
        ran = "a device that follows the twin's profile and host" if self.medium == EMULATED else "on this machine"
        return {
            "twin": f"profile {used['twin']['profile']}, host {host}",
            **self.predicted.derived(),
            "middleware": f"store {self.native.described()}, {ran}",
            "load": f"{self.predicted.load_name()} on both sides, {offered_rates(_offered(result))}",
            **super().setup(result),
        }

    def tables(self, result: dict):
        from pmtwin.scenarios.nvm_middleware.validation.tables import tables

        return tables(result)

    def write_page(self, result: dict, folder: Path) -> Path:
        from pmtwin.scenarios.nvm_middleware.validation.report import write_page

        return write_page(result, folder, self.setup(result))


def medium_of(settings: NativeSettings, root: Path = Path("/")) -> str:
    """Medium of the store: `emulated`, `dram`, or `pmem` for a file on a real device mounted with direct access.

    Raises:
        InputError: a pool on any other medium, such as a disk.
    """
    if settings.store == EMULATED:
        return EMULATED
    if settings.path is None:
        return "dram"
    if not os.path.isdir(settings.path):
        raise InputError("--path", settings.path, "a folder that is there")
    medium, what = medium_of_mount(machine.mount_of(settings.path, root), root)
    if medium is None:
        allowed = "/dev/shm or another tmpfs, or persistent memory mounted with -o dax: what a pool on "
        raise InputError("--path", settings.path, f"{allowed}{what} shows is neither main nor persistent memory")
    return medium


def _offered(result: dict) -> list[float | None]:
    """What the clients of the named cases offer, in operations/s."""
    from pmtwin.validation.comparison import ADDED

    return [entry["offered"] for entry in result["comparisons"] if entry["group"] != ADDED]


def _check_workload(name: str | None) -> None:
    """Raise `InputError` for a workload whose requests the middleware cannot serve."""
    if name is None:
        return
    if is_file(name):
        return  # the middleware refuses what it cannot serve
    served = [known for known in workload_names() if _is_served(known)]
    if name in workload_names() and name not in served:
        raise InputError("workload", name, f"one get or put a request, as of {', '.join(served)}")
    if name not in served:
        raise unknown_name("workload", name, served)


def _is_served(name: str) -> bool:
    from pmtwin.middleware.native import check_operations

    try:
        check_operations(make_workload(name))
    except InputError:
        return False
    return True
