"""Scenario of the two-tiered storage: service threads of one process, or the whole system with replacement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar

from pmtwin.scenarios.contexts import OWN, Contexts
from pmtwin.scenarios.scenario import Scenario, Training
from pmtwin.scenarios.two_tier.loads import RATES, rate_of
from pmtwin.scenarios.two_tier.scenario_options import PROCESS, WHOLE, ScenarioOptions
from pmtwin.scenarios.two_tier.whole_loads import LOADS, OF_LOAD, OWN_RATE, POINT, requests_of
from pmtwin.sim.common.number_forms import percent
from pmtwin.sim.control import LOG, LOWER, Column, Goal, Measure, Settings
from pmtwin.sim.errors import ConflictError, PmtwinError

MOST_THREADS, MOST_WAITING = 64, 1e6
SETTINGS = Settings("threads", ("service_threads",), (1,), (MOST_THREADS,), "threads", moves=((-1,), (0,), (1,)))

RESPONSE = Measure("mean_response_ms", "ms", "mean time from a request to its answer", LOWER, LOG)
MEASURES: tuple[Measure, ...] = (
    RESPONSE,
    Measure("rho1", "", "utilisation of the service threads", compared=False),
    Measure("l1", "", "requests that wait for a service thread", compared=False),
    Measure("rho2", "", "utilisation of the I/O thread; 0 without one", compared=False),
    Measure("l2", "", "misses that wait for the I/O thread", compared=False),
    Measure("w2_ms", "ms", "mean time that a miss waits for the I/O thread", compared=False),
)
P99 = Measure("p99_ms", "ms", "99th percentile of the time from a request to its answer", LOWER, LOG)
"""Measure with a goal in the whole system."""


class TwoTier(Scenario):
    """Control of the service threads of a process; options of the whole system make a `WholeTwoTier` instead."""

    name = "two-tier"
    description = "Page cache in fast memory over shared hard disks: replacement, queues, service threads"
    Options = ScenarioOptions
    options: ScenarioOptions
    columns: ClassVar[tuple[Column, ...]] = (
        Column("service_threads", 1, MOST_THREADS, "threads"),
        Column("waiting_tier1", 0, MOST_WAITING, "requests", LOG),
        Column("waiting_misses", 0, MOST_WAITING, "requests", LOG),
    )
    measures = MEASURES
    settings = SETTINGS
    initial_setting = (16,)
    everyday = ("engine", "model")
    variants = (MappingProxyType({"model": WHOLE}),)
    warming = "pmtwin.scenarios.two_tier.commands.warming"
    examples = MappingProxyType(
        {
            "simulate": (
                "pmtwin simulate two-tier --example section-v",
                "pmtwin simulate two-tier --example table-vii --json",
            ),
            "evaluate": (
                "pmtwin evaluate two-tier --policies fixed:16 random --seeds 3",
                "pmtwin evaluate two-tier --policies lru s3-fifo hedge --seeds 5",
                "pmtwin evaluate two-tier --trace trace.csv.gz --cache 1%,10% --policies lru sieve min",
            ),
            "plan": (
                "pmtwin plan two-tier --rate 10000 --p99 50",
                "pmtwin plan two-tier --rate 4000 --p99 100 --data-gb 2000 --json",
            ),
            "train": (
                "pmtwin train two-tier -o policy.npz --dry-run",
                "pmtwin train two-tier -o policy.npz",
            ),
            "export": (
                "pmtwin export fixed:16 --scenario two-tier -o policy.json",
                "pmtwin export q-learning:policy.npz --scenario two-tier -o policy.json",
            ),
            "recommend": (
                "pmtwin recommend two-tier",
                "pmtwin recommend two-tier --json",
            ),
        }
    )
    contexts = Contexts("load", tuple(RATES))
    goal_options = MappingProxyType({RESPONSE.name: "response_goal_ms", P99.name: "p99_goal_ms"})
    own_conditions_option = "rate"
    baselines: ClassVar[tuple[str, ...]] = ("fixed:1", "fixed:16", "random")
    training = Training(dict.fromkeys(RATES, 60), dataset_episodes=10, episode_steps=60)
    figures = "pmtwin.scenarios.two_tier.figures.pipeline"
    commands = MappingProxyType({
        "simulate": "pmtwin.scenarios.two_tier.commands.simulate",
        "evaluate": "pmtwin.scenarios.two_tier.commands.evaluate",
        "plan": "pmtwin.scenarios.two_tier.commands.plan",
    })  # fmt: skip

    def __new__(cls, options: ScenarioOptions | None = None):
        if cls is TwoTier and options is not None and options.below == WHOLE:
            cls = WholeTwoTier
        return super().__new__(cls)

    @classmethod
    def all_points(cls):
        return WholeTwoTier.points

    @classmethod
    def values_beside(cls, values: Mapping[str, Any], policies: Sequence[str], by_point: Callable):
        inside = next((spec for spec in policies if decides_inside(spec, by_point)), None)
        if inside is None:
            return values
        if values.get("model") == PROCESS:
            reason = f"has no caches, in which policy {inside} decides; give --model {WHOLE}, or remove --model"
            raise ConflictError("model", PROCESS, reason)
        return {**values, "model": WHOLE}

    @classmethod
    def values_beside_goals(cls, values: Mapping[str, Any], limits: Mapping[str, float]):
        if P99.name not in limits:
            return values
        if values.get("model") == PROCESS:
            reason = f"belongs to --model {WHOLE}; give that, or remove this goal"
            raise ConflictError("goal", f"{P99.name}={limits[P99.name]:g}", reason)
        return {**values, "model": WHOLE}

    @property
    def goals(self):
        return (Goal("response", RESPONSE, self.options.response_goal_ms),)

    def reward(self, measures: Mapping[str, float]) -> float:
        """1 minus the mean response time as a share of its goal: negative beyond the goal."""
        return 1.0 - measures[RESPONSE.name] / self.options.response_goal_ms

    def system(self, conditions: Any, seed: int, device: int = 0, mode: str | None = None):
        from pmtwin.scenarios.two_tier.system import TwoTierSystem

        return TwoTierSystem(self, rate_of(conditions), seed)

    @property
    def options_without_use(self):
        other = PROCESS if self.options.below == WHOLE else WHOLE
        reason = f"belongs to --model {other}; add that, or remove this option"
        return dict.fromkeys(self.options.unused, reason) | self.options.idle | self.options.idle_in_windows

    def record(self):
        idle = self.options_without_use
        options = {name: value for name, value in super().record().items() if name not in idle}
        return options | {"model": self.options.below}

    def setup(self, contexts: Sequence[int | str]):
        rows = {"model": self.model_in_words, "load": "; ".join(map(self.load_in_words, contexts))}
        return {**rows, "threads": self.threads_in_words, **super().setup(contexts)}

    @property
    def setup_options(self):
        return super().setup_options | {"model", "rate", "loads"}

    @property
    def model_in_words(self) -> str:
        """The model and its size, for a reader."""
        return f"{PROCESS}: the queues of one, {percent(self.options.miss_rate)} of the requests are misses"

    @property
    def threads_in_words(self) -> str:
        """The number of service threads, for a reader."""
        return f"{self.initial_setting[0]} of a process, unless a policy sets others"

    def conditions_of(self, context: int | str) -> Any:
        """Conditions of a load, or those that the options set in the place of loads."""
        return self.own_conditions if context == OWN else context

    def load_in_words(self, context: int | str) -> str:
        """A load and its numbers, for a reader."""
        return f"{self.context_label(context)}{rate_of(self.conditions_of(context)):g} requests/s of a process"

    def context_label(self, context: int | str) -> str:
        """Beginning of a text about a load: its name, if it has one."""
        return "" if context == OWN else f"{context}: "

    @property
    def own_conditions(self):
        return self.options.rate

    @property
    def engine(self):
        return self.options.engine

    def rests_on_profile(self):
        return False

    def context_name(self, context: int | str):
        return f"rate {self.options.rate:g}" if context == OWN else super().context_name(context)

    def context_record(self, context: int | str):
        return {} if context == OWN else super().context_record(context)


class WholeTwoTier(TwoTier):
    """Control of the service threads of each process, and of the page that leaves a full cache."""

    columns = (
        *TwoTier.columns,
        Column("idle_threads", 0, MOST_THREADS, "threads"),
        Column("miss_ratio", 0, 1),
    )
    measures = (
        RESPONSE,
        P99,
        Measure("miss_ratio", "", "requests that bring a page into a cache, as a share of those that come", LOWER),
        Measure("disk_ms", "ms", "time of the disks per answered request", LOWER),
        Measure("disk_utilisation", "", "utilisation of the disks, mean", compared=False),
        Measure("io_utilisation", "", "utilisation of the I/O threads, mean", compared=False),
        Measure("thread_wait_ms", "ms", "mean time that a request waits for a service thread", compared=False),
        Measure("idle_threads", "", "service threads of a process that are idle, mean", compared=False),
        Measure("evictions", "", "pages that left the caches", compared=False),
        Measure("page_writes", "", "dirty pages written to the disks", compared=False),
        Measure("line_waits", "", "requests that waited since every line was pinned", compared=False),
    )
    initial_setting = (4,)
    request_classes = ("requests",)
    points = (POINT,)
    contexts = Contexts("load", tuple(LOADS))
    own_conditions_option = "client_rate"
    baselines = ("fixed:2", "fixed:4", "fixed:16", "random")
    training = Training(dict.fromkeys(LOADS, 60), dataset_episodes=10, episode_steps=60)

    def __init__(self, options: ScenarioOptions | None = None):
        super().__init__(options or ScenarioOptions(model=WHOLE))
        self.points = (replace(POINT, default=self.options.replacement),)

    @property
    def goals(self):
        return (
            Goal("response", RESPONSE, self.options.response_goal_ms),
            Goal("p99", P99, self.options.p99_goal_ms),
        )

    def reward(self, measures: Mapping[str, float]) -> float:
        """1 minus the largest measure with a goal, as a share of its goal: negative beyond a goal."""
        return 1.0 - max(measures[goal.measure.name] / goal.limit for goal in self.goals)

    def system(self, conditions: Any, seed: int, device: int = 0, mode: str | None = None):
        from pmtwin.scenarios.two_tier.whole_system import WholeSystem

        return WholeSystem(self, requests_of(conditions), seed)

    @property
    def own_conditions(self):
        options = self.options
        if options.requests_from is not None:
            return (options.client_rate or OWN_RATE, 0.0, 0)
        if options.client_rate is None and options.skew is None and options.drift is None:
            return None
        return (options.client_rate or OWN_RATE, options.skew or 0.0, options.drift or 0)

    @property
    def setup_options(self):
        model = {"processes", "client_threads", "disks", "cache_lines", "pages", "replacement"}
        return super().setup_options | model | {"client_rate", "skew", "drift", "requests_from"}

    @property
    def model_in_words(self):
        options = self.options
        pages = "" if options.requests_from else f" for {options.pages:,} pages"
        caches = f"caches of {options.cache_lines:,} lines{pages} ({options.replacement} unless a policy decides)"
        clients = f"processes {options.processes:,}, client threads of each {options.client_threads:,}"
        return f"{WHOLE}: {clients}, {caches}, disks {options.disks:,}"

    def load_in_words(self, context: int | str):
        load = self.context_record(context)
        pages = f"pages of {self.options.requests_from}" if self.options.requests_from else f"skew {load['skew']:g}"
        drift = f", drift {load['drift']}" if load.get("drift") else ""
        return f"{self.context_label(context)}{load['client_rate']:g} requests/s of a client, {pages}{drift}"

    def context_record(self, context: int | str):
        """The load and its numbers."""
        numbers = dict(zip(OF_LOAD, requests_of(self.conditions_of(context)), strict=True))
        idle = self.options_without_use
        return super().context_record(context) | {name: value for name, value in numbers.items() if name not in idle}

    def record(self):
        """The options, without those of `OF_LOAD` that the user has not set."""
        return {name: value for name, value in super().record().items() if value is not None or name not in OF_LOAD}

    def context_name(self, context: int | str):
        return "requests of the options" if context == OWN else f"{self.contexts.noun} {context}"


def decides_inside(spec: object, by_point: Callable) -> bool:
    """Whether a policy decides about replacement; False for a bad spec, which is refused later."""
    try:
        return POINT.name in by_point(spec, WholeTwoTier)
    except PmtwinError:
        return False
