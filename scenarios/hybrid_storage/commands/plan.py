"""`pmtwin plan hybrid-storage --trace FILE --goal mean_us=80`: the least fast capacity that keeps a latency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pmtwin.commands import plan
from pmtwin.config.record import run_record
from pmtwin.config.shared import Parallel
from pmtwin.console.output import print_json, print_table, print_text
from pmtwin.console.progress import progress
from pmtwin.policies import make_policy
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.hybrid_storage.sizing.sensitivity import sensitivity
from pmtwin.scenarios.hybrid_storage.sizing.sheets import Sheets, of_devices
from pmtwin.sim.common.number_forms import rounded
from pmtwin.sim.common.processes import processes
from pmtwin.sim.common.standard_output import results
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.options import option

PRICES = "prices and endurance"
POLICIES = ("gain", "write-lru", "lru-clean", "cde", "heat", "fast-only")
GOALS = ("mean_us", "p99_us", "p9999_us")


@dataclass(frozen=True, kw_only=True)
class Config(plan.Config, Parallel):
    """Options of `pmtwin plan hybrid-storage`."""

    scenario: HybridStorage
    replaced: ClassVar[tuple[str, ...]] = ("fast", "requests_per_window", "yardsticks")
    everyday: ClassVar[tuple[str, ...]] = (
        "goal", "context", "policies", "seeds", "gb_price", "endurance_tb", "seed", "jobs", "json",
    )  # fmt: skip
    goal: tuple[str, ...] = option(
        help=f"largest latency that is promised, such as mean_us=80; also {' and '.join(GOALS[1:])}; several: all",
        separator=" ",
        metavar="MEASURE=LIMIT",
    )
    context: int | str | None = option(None, "{context} to plan for; --trace FILE takes its place")
    policies: tuple[str, ...] = option(
        POLICIES, "policies to choose from: NAME[:OPTIONS] or FILE.py:Class[:OPTIONS]", separator=" ", metavar="SPEC"
    )
    seeds: int = option(5, "runs of each capacity; of a trace one, if nothing draws", low=1, high=1000, metavar="N")
    gb_price: tuple[str, ...] = option(
        (), "price of a GB of a device in USD, such as H=4 M=0.2 (default: assumed, and printed)", separator=" ",
        metavar="NAME=USD", group=PRICES,
    )  # fmt: skip
    endurance_tb: tuple[str, ...] = option(
        (), "TB that may be written to a whole device, such as H=20500 (default: assumed, and printed)",
        separator=" ", metavar="NAME=TB", group=PRICES,
    )  # fmt: skip

    def __post_init__(self):
        super().__post_init__()
        _ = self.limits, self.sheets
        if self.context is None and self.scenario.own_conditions is None:
            raise InputError("--workload", None, "a workload, or --trace FILE in its place")
        if not self.policies:
            raise InputError("policies", [], "at least one")

    @property
    def limits(self) -> dict[str, float]:
        """Measure -> limit."""
        for word in self.goal:
            name, equals, _ = word.partition("=")
            if equals and name not in GOALS:
                raise unknown_name("goal", name, GOALS)
        try:
            limits = of_devices("goal", self.goal)
        except InputError as error:
            allowed = f"MEASURE=LIMIT, each measure once, with a limit above 0 in us: {', '.join(GOALS)}"
            raise InputError("goal", error.value, allowed) from error
        if not limits:
            raise InputError("goal", None, f"a limit of {', '.join(GOALS)}")
        return limits

    @property
    def sheets(self) -> Sheets:
        """Prices and endurance of the devices."""
        prices, ratings = (of_devices(name, getattr(self, name)) for name in ("gb_price", "endurance_tb"))
        return Sheets(self.scenario.options.storage.block_devices, prices, ratings)


def run(config: Config) -> int:
    """Search, simulate and print; returns 0, or 1 if fresh seeds are above a goal by more than their interval.

    Raises:
        InputError: for goals that no policy keeps, with the best that can be had.
    """
    from pmtwin.scenarios.hybrid_storage.sizing.search import impossible, ranked

    problem, draws = _problem(config)
    searches = _searches(config, problem)
    sheets = config.sheets
    rows = ranked(problem, sheets, searches)
    if not rows:
        raise impossible(problem, searches)
    result: dict[str, Any] = {
        "best": rows[0],
        "policies": rows,
        "not_kept": [each.policy for each in searches if each.best is None],
        "curves": {
            each.policy: [{"fast_pages": tried.pages, **tried.result.values} for tried in each.tried]
            for each in searches
        },
        "goals": problem.goals,
        "pages": problem.pages,
        "devices": sheets.record(),
        "sensitivity": sensitivity(sheets, rows),
    }
    if draws:
        fresh = range(config.seed + config.seeds, config.seed + 2 * config.seeds)
        result["simulated"] = problem.of(rows[0]["policy"], rows[0]["fast_pages"], fresh).values
    if config.json:
        print_json(result | {"configuration": run_record(config)})
    else:
        _print(result, config)
    lows = {name: value["low"] for name, value in result.get("simulated", {}).items()}
    return int(any(low is not None and low > problem.goals[name] for name, low in lows.items()))


def _problem(config: Config):
    """(what is searched, whether runs with other seeds differ)."""
    from pmtwin.scenarios.hybrid_storage.sizing.search import Problem
    from pmtwin.scenarios.hybrid_storage.system import requests_of

    scenario, own = config.scenario, config.scenario.own_conditions
    context = None if own is not None and config.context is None else scenario.contexts.check(config.context)
    if own is not None and context is not None:
        raise scenario.refused_contexts("context", context)
    requests = requests_of(scenario.options, own if context is None else context, config.seed)
    policies = [make_policy(spec, scenario) for spec in config.policies]
    parts = [part for policy in policies for part in (policy, *policy.inline.values())]
    draws = own is None or any(part.draws for part in parts)
    seeds = tuple(range(config.seed, config.seed + (config.seeds if draws else 1)))
    return Problem(scenario, context, len(requests.home), len(requests.first), config.limits, seeds), draws


def _searches(config: Config, problem) -> list:
    from joblib import delayed

    from pmtwin.scenarios.hybrid_storage.sizing.search import search

    policies = {spec: make_policy(spec, config.scenario) for spec in config.policies}
    tasks = [
        delayed(search)(problem, spec, any(getattr(part, "holds_all", False) for part in policy.inline.values()))
        for spec, policy in policies.items()
    ]
    searches = processes(min(config.jobs, len(tasks)), "generator")(tasks)
    return list(progress(searches, desc="search", total=len(tasks), unit="candidate"))


@results()
def _print(result: dict, config: Config) -> None:
    names = list(result["goals"])
    rows = [_shown(row, names) for row in result["policies"]]
    header = ("policy", "fast %", "fast GB", *(f"{name} [95 %]" for name in names), "cost USD", "years of wear")
    print_table([("best" if number == 0 else number + 1, *row) for number, row in enumerate(rows)], ("", *header))
    if result["not_kept"]:
        print_text(f"no capacity keeps the goal under {', '.join(result['not_kept'])}")
    if "simulated" in result:
        print()
        fresh = [(name, *_interval(value)) for name, value in result["simulated"].items()]
        print_table(fresh, ("best, with fresh seeds", "simulated", "low", "high"))
    print()
    print_table(
        [
            (name, row["usd_gb"], row["priced"], row["endurance_tb"] or "-", row["rated"])
            for name, row in result["devices"].items()
        ],
        ("device", "USD a GB", "", "TB written", ""),
    )
    _print_sensitivity(result["sensitivity"])
    print_text(
        "capacity to within 1 %; the last device holds all pages once; wear: of as much capacity as stands here, with "
        "the endurance of the device a GB, at the rate of the run"
    )
    print("(--json: every capacity that was simulated, and the whole configuration)")


def _print_sensitivity(rows: Sequence[dict]) -> None:
    """What the best policy costs and how long it lasts with each assumed number at half and at double."""
    shown = []
    for row in rows:
        if row["assumed"] == "usd_gb":
            what, values = f"price of {row['device']}: cost USD", row["cost_usd"]
            cheapest = " or ".join(dict.fromkeys(row["cheapest"]))
        else:
            what, values, cheapest = f"endurance of {row['device']}: years", row["years"], ""
        shown.append((what, *map(rounded, values), cheapest))
    if shown:
        print()
        print_table(shown, ("if what is assumed were", "half", "double", "cheapest policy then"))


def _shown(row: dict, names: Sequence[str]) -> tuple:
    years = ", ".join(f"{name} {rounded(value, 3)}" for name, value in row["years"].items() if value is not None)
    values = (
        f"{rounded(row[name]['mean'])} [{rounded(row[name]['low'])}–{rounded(row[name]['high'])}]" for name in names
    )
    return (
        row["policy"],
        rounded(row["fast_percent"]),
        rounded(row["fast_gb"]),
        *values,
        rounded(row["cost_usd"]),
        years,
    )


def _interval(value: dict) -> tuple:
    return tuple("-" if value[name] is None else rounded(value[name]) for name in ("mean", "low", "high"))
