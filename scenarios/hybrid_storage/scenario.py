"""Scenario of hybrid storage: where writes go, which pages move, and two numbers between windows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from pmtwin.scenarios.contexts import OWN, Contexts
from pmtwin.scenarios.hybrid_storage.halves import TUNED_ON
from pmtwin.scenarios.hybrid_storage.options import HybridStorageOptions
from pmtwin.scenarios.hybrid_storage.published import ASSUMED, TABLE_4, TABLE_5
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.control import HIGHER, LOG, LOWER, Column, Measure, Settings
from pmtwin.sim.hybrid.devices import CONFIGS, devices_of
from pmtwin.sim.hybrid.options import RANDOM
from pmtwin.sim.hybrid.point import StoragePoint, migrate_point, place_point

SETTINGS = Settings.of(
    "thresholds",
    {"free_percent": (0, 1, 2, 5, 10, 20, 50), "promote_at": (0, 1, 2, 4, 8, 16, 32, 64)},
    moves=((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)),
)
"""Percent of each device but the last that is kept free, and uses from which a page is promoted (0: never)."""

PLACE, MIGRATE = "write-lru", "thresholds"
"""What decides unless a policy is named; with the first setting, no page moves."""

SLOWDOWN = Measure("slowdown", "", "mean latency over that of the same requests, all on the first device", LOWER, LOG)


class HybridStorage(Scenario):
    """Two to four block devices as one."""

    name = "hybrid-storage"
    description = "Two to four block devices as one: which device a write goes to, and which page moves"
    Options = HybridStorageOptions
    options: HybridStorageOptions
    columns = (
        Column("free_percent", 0, 50, "%"),
        Column("promote_at", 0, 64, "requests"),
        Column("slowdown", 0, 1e6, "", LOG),
        Column("mean_us", 0, 1e9, "us", LOG),
        Column("read_share", 0, 1),
        Column("free", 0, 1),
        Column("evictions", 0, 1e9, "pages", LOG),
    )
    measures: tuple[Measure, ...] = (
        SLOWDOWN,
        Measure("mean_us", "us", "mean latency of a request", LOWER, LOG, tolerance_percent=10.0),
        Measure("p99_us", "us", "99th percentile of the latency", LOWER, LOG),
        Measure("p9999_us", "us", "99.99th percentile of the latency", LOWER, LOG),
        Measure("throughput", "", "requests/s over those with all pages on the first device", HIGHER),
        Measure("write_amplification", "", "bytes written to devices over bytes written by requests", LOWER),
        Measure("moves", "", "pages that a policy moved"),
        Measure("promotions", "", "those of them to a faster device", compared=False),
        Measure("evictions", "", "pages evicted before answers", compared=False),
        Measure("promoted", "", "pages that reads brought to a faster device", compared=False),
        Measure("dropped", "", "pages to move that found the queue or the device full", compared=False),
        Measure("stale", "", "pages to move that were written or evicted before", compared=False),
        Measure("ping_pong", "", "pages moved back within 1,000 requests", LOWER, compared=False),
    )
    contexts = Contexts("workload", (*TABLE_4, *ASSUMED, *TABLE_5), only_chosen=(*ASSUMED, *TABLE_5))
    settings = SETTINGS
    initial_setting = (0, 0)
    request_classes = ("requests",)
    points: tuple[StoragePoint, ...] = (
        place_point(devices_of("perf"), PLACE),
        migrate_point(devices_of("perf"), MIGRATE),
    )
    recommended = "gain"
    baselines = (
        "gain", "write-lru", "lru-clean", "cde", "heat", "k-svm", "rnn-hss", "static-set", "slow-only", "fast-only",
    )  # fmt: skip
    measured = "pmtwin.scenarios.hybrid_storage.validation.measured:MeasuredFiles"
    own_conditions_option = "trace"
    stepped = "pmtwin.scenarios.hybrid_storage.decisions:DecisionEnv"
    everyday = ("engine", "devices", "fast", "trace", "layout", "arrivals", "skew", "length")
    figures = "pmtwin.scenarios.hybrid_storage.figures.pipeline"
    warming = "pmtwin.scenarios.hybrid_storage.commands.warming"
    commands = MappingProxyType({
        "evaluate": "pmtwin.scenarios.hybrid_storage.commands.evaluate",
        "plan": "pmtwin.scenarios.hybrid_storage.commands.plan",
    })  # fmt: skip
    examples: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({
        "simulate": ("pmtwin simulate hybrid-storage --workload ssd-02 --thresholds 10,2",),
        "evaluate": (
            "pmtwin evaluate hybrid-storage --workloads ssd-02 YCSB-B --policies write-lru lru-clean heat cde",
            "pmtwin evaluate hybrid-storage --trace trace.csv --fast .1%,1%,10% --policies write-lru heat static-set",
        ),
        "plan": (
            "pmtwin plan hybrid-storage --trace trace.csv --goal mean_us=80",
            "pmtwin plan hybrid-storage --workload ssd-02 --goal mean_us=60 p99_us=400 --gb-price H=3 M=0.15",
        ),
        "validate": ("pmtwin validate hybrid-storage --fast /dev/shm --slow /var/tmp",),
    })  # fmt: skip

    def __init__(self, options: HybridStorageOptions | None = None):
        super().__init__(options)
        devices = self.options.storage.block_devices
        self.points = (place_point(devices, PLACE), migrate_point(devices, MIGRATE))
        self.draws = not self.options.trace or self.options.storage.scan_order == RANDOM or bool(self.devices)

    def reward(self, measures: Mapping[str, float]) -> float:
        """Share of the speed with all pages on the first device, less the weighted wear of the devices."""
        reward, weight = 1.0 / measures[SLOWDOWN.name], self.options.wear_weight
        amplification = measures["write_amplification"]
        return reward - weight * amplification if weight and amplification == amplification else reward

    def system(self, conditions: Any, seed: int, device: int = 0, mode: str | None = None):
        from pmtwin.scenarios.hybrid_storage.system import HybridSystem

        sampled = type(self)(self.options.of_device(device)) if self.devices else self
        return HybridSystem(sampled, conditions, seed)

    @property
    def devices(self):
        return self.options.device_samples

    @property
    def trained_contexts(self):
        """Half of the traces (`halves.py`), or the options' own requests."""
        return super().trained_contexts if self.options.trace else TUNED_ON

    @property
    def engine(self):
        return self.options.engine

    def rests_on_profile(self):
        return False

    @property
    def own_conditions(self):
        return self.options.trace

    @property
    def options_without_use(self):
        return {} if self.options.trace else {"volumes": "belongs to --trace; add that, or remove this option"}

    def context_name(self, context: int | str):
        return f"trace {self.options.trace}" if context == OWN else super().context_name(context)

    def context_record(self, context: int | str):
        return {} if context == OWN else super().context_record(context)

    def results_beside(self, evaluation):
        """Latencies over Fast-Only, and what is possible: regrets, and how much of a gap each policy closes."""
        from pmtwin.scenarios.hybrid_storage.beside import results_beside

        return results_beside(evaluation)

    def setup(self, contexts):
        names = [device.name for device in self.options.storage.block_devices]
        known = self.options.storage.devices if self.options.storage.devices in CONFIGS else "own"
        fast = f"{self.options.storage.fast:g} % of the pages on {names[0]}"
        return {"devices": f"{known}: {', '.join(names)}; {fast}", **super().setup(contexts)}
