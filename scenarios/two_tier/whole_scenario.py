"""The whole two-tiered storage as a scenario: service threads between windows, replacement at each miss."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pmtwin.scenarios.contexts import OWN, Contexts
from pmtwin.scenarios.scenario import Training
from pmtwin.scenarios.two_tier.scenario import MOST_THREADS, P99_MS, RESPONSE, TwoTier
from pmtwin.scenarios.two_tier.scenario_options import WHOLE, ScenarioOptions
from pmtwin.sim.control import LOG, LOWER, Column, Goal, Measure
from pmtwin.sim.decisions import REPLACEMENT, DecisionPoint
from pmtwin.sim.errors import PmtwinError

LOADS = {"calm": (2.0, 1.0, 0), "busy": (20.0, 1.2, 0), "skewed": (100.0, 1.4, 0), "drifting": (40.0, 1.3, 64)}
"""Name -> requests/s of a client thread, exponent of the pages' popularity, requests between two steps of drift."""

OF_LOAD = ("client_rate", "skew", "drift")
"""Options for the numbers of a load."""

OWN_RATE = 100.0
"""Of a client thread, where other options than its rate state the requests."""

P99 = Measure(P99_MS, "ms", "99th percentile of the time from a request to its answer", LOWER, LOG)
POINT = DecisionPoint("replacement", "a miss of a full cache", REPLACEMENT, "lru")


class WholeTwoTier(TwoTier):
    """Service threads of each process, and the page that leaves a full cache."""

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
        """Reward: 1 minus the measure that is nearest to its goal, or furthest above, as a share of it."""
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
        told = {"processes", "client_threads", "disks", "cache_lines", "pages", "replacement"}
        return super().setup_options | told | {"client_rate", "skew", "drift", "requests_from"}

    @property
    def model_in_words(self):
        options = self.options
        pages = "" if options.requests_from else f" for {options.pages:,} pages"
        caches = f"caches of {options.cache_lines:,} lines{pages} ({options.replacement} unless a policy decides)"
        clients = f"processes {options.processes:,}, client threads of each {options.client_threads:,}"
        return f"{WHOLE}: {clients}, {caches}, disks {options.disks:,}"

    def load_in_words(self, context: int | str):
        rate = self.context_record(context)
        asked = f"pages of {self.options.requests_from}" if self.options.requests_from else f"skew {rate['skew']:g}"
        drift = f", drift {rate['drift']}" if rate.get("drift") else ""
        return f"{self.context_label(context)}{rate['client_rate']:g} requests/s of a client, {asked}{drift}"

    def context_record(self, context: int | str):
        """The load, and its numbers."""
        numbers = dict(zip(OF_LOAD, requests_of(self.conditions_of(context)), strict=True))
        idle = self.options_without_use
        return super().context_record(context) | {name: each for name, each in numbers.items() if name not in idle}

    def record(self):
        """Without what is by load and not stated."""
        return {name: each for name, each in super().record().items() if each is not None or name not in OF_LOAD}

    def context_name(self, context: int | str):
        return "requests of the options" if context == OWN else f"{self.contexts.noun} {context}"


def decides_inside(spec: object, by_point: Callable) -> bool:
    """Whether a policy decides which page leaves; one that cannot be made is refused when it is."""
    try:
        return POINT.name in by_point(spec, WholeTwoTier)
    except PmtwinError:
        return False


def requests_of(conditions: str | tuple[float, float, int]) -> tuple[float, float, int]:
    """Requests of a named load, or as they are stated."""
    return LOADS[conditions] if isinstance(conditions, str) else conditions
