"""Tune a live system by a policy, then compare the result with the default in alternating blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pmtwin.config.record import arguments
from pmtwin.config.shared import CommandConfig, Printed, Seeded
from pmtwin.console.output import about, message, print_json, print_table
from pmtwin.console.progress import progress
from pmtwin.scenarios.live_system.declaration import Live
from pmtwin.scenarios.live_system.latency import named, traded, tradeoff_of
from pmtwin.scenarios.live_system.scenario_of import columns_of, scenario_of
from pmtwin.scenarios.live_system.ticking import first_ticks
from pmtwin.sim.common.number_forms import percent
from pmtwin.sim.common.standard_output import results
from pmtwin.sim.common.user_files import made_by
from pmtwin.sim.control import Column
from pmtwin.sim.control.tradeoff import MOST_WEIGHT, Tradeoff
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import option

if TYPE_CHECKING:
    from pmtwin.policies import Policy
    from pmtwin.scenarios.live_system.tuning import Tuned, TuningPlan
    from pmtwin.scenarios.scenario import Scenario

EXAMPLES = (
    "pmtwin tune docs/examples/sqlite_store.py:store --policy dqn --seconds 300 --block-ticks 200 --settle-ticks 20",
    "pmtwin tune docs/examples/sqlite_store.py:store --rules docs/examples/sqlite_rules.toml --replay r.sqlite --json",
)

FIRST_TICKS = 20
"""Ticks at the default from which the bounds of the indicators are taken."""


@dataclass(frozen=True, kw_only=True)
class Config(CommandConfig, Seeded, Printed):
    """Options of `pmtwin tune`."""

    command: ClassVar[str] = "tune"
    runs_user_code: ClassVar[bool] = True
    system: str = option(help="live system, made by pmtwin.live in a file", metavar="FILE.py:NAME", positional=True)
    policy: str = option("dqn", "policy that tunes", metavar="SPEC")
    rules: Path | None = option(None, "rules of the action checker before the policy", metavar="FILE")
    replay: Path | None = option(
        None,
        "SQLite replay database of a policy that keeps one; a stopped run goes on from it",
        metavar="FILE",
        recorded=False,
    )
    latency: str | None = option(
        None,
        "indicator of latency L: the objective is T / T0 - w max(0, L / L0 - 1), with the system's objective T, and T0 "
        "and L0 of the first ticks",
        metavar="INDICATOR",
    )
    latency_weight: float | None = option(
        None, "weight w of --latency (default: 1)", low=0.0, high=MOST_WEIGHT, metavar="W"
    )
    seconds: float | None = option(
        None, "duration of the tuning, in seconds (default: 300, without --ticks)", low=0.001, high=1e8, metavar="N"
    )
    ticks: int | None = option(
        None, "ticks of the tuning, those of a stopped run included", low=1, high=10**9, metavar="N"
    )
    pairs: int = option(6, "pairs of blocks at the default and at the result", low=2, high=10**4, metavar="N")
    block_ticks: int = option(20, "ticks of a block", low=1, high=10**6, metavar="N")
    settle_ticks: int = option(3, "ticks before a block that do not count", low=0, high=10**6, metavar="N")
    output: Path | None = option(
        None, "file for what the policy has learned", metavar="FILE", short="-o", recorded=False
    )


def run(config: Config) -> int:
    """Tune and print; returns 0.

    Raises:
        InputError: for a system, rules, a database or an indicator that is not accepted.
        ScenarioError: if a function of the user's file fails.
    """
    result = tuned(config)
    with results():
        if config.json:
            print_json(result | {"configuration": {"arguments": arguments(config)}})
        else:
            _show(result)
    return 0


def tuned(config: Config) -> dict[str, Any]:
    """Tune; the result as plain values.

    Raises:
        InputError: for a system, rules, a database or an indicator that is not accepted.
    """
    from pmtwin.policies.action_rules import ActionRules
    from pmtwin.scenarios.live_system.tuning import TuningPlan, tune

    live = made_by(config.system, "system", Live, "a live system (pmtwin.live)")
    rules = ActionRules.none(live.settings) if config.rules is None else ActionRules.read(config.rules, live.settings)
    rules.check_start(live.initial, live.initial, f"{live.name}: start")
    live, columns, tradeoff = _with_objective(config, live)
    policy = _policy(config, scenario_of(live, columns))
    seconds = 300.0 if config.seconds is None and config.ticks is None else config.seconds
    plan = TuningPlan(seconds, config.ticks, config.pairs, config.block_ticks, config.settle_ticks, config.seed)
    message(_phases(live, plan))
    with ExitStack() as bars:
        tuning = bars.enter_context(progress(desc="tune", total=config.ticks, unit="tick"))

        def compare() -> Callable[[], None]:
            tuning.close()
            return bars.enter_context(progress(desc="compare", total=plan.compared_ticks, unit="tick")).update

        result = tune(live, columns, policy, rules, plan, tuning.update, compare)
    if config.output is not None and policy.save(str(config.output)) is None:
        message(f"pmtwin tune: {policy.spec} learns nothing that {config.output} could keep")
    return _plain(live, policy, result) | ({} if tradeoff is None else {"tradeoff": asdict(tradeoff)})


def _phases(live: Live, plan: TuningPlan) -> str:
    """How long the tuning takes, and the comparison after it."""
    until = [f"{plan.seconds:g} s"] if plan.seconds is not None else []
    until += [f"{plan.ticks:,} ticks"] if plan.ticks is not None else []
    lasts = f" ({about(plan.compared_ticks * live.tick_s)})" if live.tick_s else ""
    return (
        f"tune: {' or '.join(until)} of tuning, then {plan.compared_ticks:,} ticks{lasts} in which the default "
        "and the result take turns"
    )


def _with_objective(config: Config, live: Live) -> tuple[Live, tuple[Column, ...], Tradeoff | None]:
    """(the system, columns of its observations, its objective with a latency if there is one)."""
    if config.latency is None:
        if config.latency_weight is not None:
            raise ConflictError(
                "latency_weight", config.latency_weight, "belongs to --latency; add that, or remove this"
            )
        return live, _columns(config, live), None
    weight = 1.0 if config.latency_weight is None else config.latency_weight
    live = named(live, config.latency, weight)
    columns = _columns(config, live)
    tradeoff = tradeoff_of(live, columns, config.latency, weight)
    return traded(live, tradeoff, config.latency), columns, tradeoff


def _columns(config: Config, live: Live) -> tuple[Column, ...]:
    """Columns with bounds: those of the database of a stopped run, or from the first ticks."""
    from pmtwin.policies.online.database import ReplayDatabase

    if config.replay is not None and config.replay.is_file() and config.replay.stat().st_size:
        database = ReplayDatabase(config.replay, None)
        database.close()
        stored = database.layout.get("columns", [])
        if database.layout.get("scenario") != live.name or not stored:
            allowed = f"the database of {live.name}, or another path"
            raise InputError("replay", str(config.replay), allowed, wrong="belongs to another system")
        return tuple(Column(name, low, high, scale=scale) for name, low, high, scale in stored)
    return columns_of(live, first_ticks(live, FIRST_TICKS))


def _policy(config: Config, scenario: Scenario) -> Policy:
    from pmtwin.policies import make_policy

    policy = make_policy(config.policy, scenario)
    if config.replay is None:
        return policy
    if not hasattr(policy.options, "replay"):
        raise ConflictError("replay", config.replay, f"belongs to a policy that keeps a database; not {policy.spec}")
    options: Any = policy.options
    made = type(policy)(replace(options, replay=str(config.replay)))
    made.inline = policy.inline
    return made


def _plain(live: Live, policy: Policy, result: Tuned) -> dict[str, Any]:
    names = live.settings.names
    settings = {
        name: dict(zip(names, setting, strict=True))
        for name, setting in (("default", result.default), ("result", result.result))
    }
    rest: Mapping[str, Any] = {key: value for key, value in asdict(result).items() if key not in settings}
    return {"system": live.name, "policy": policy.spec, **settings, **rest}


def _show(result: Mapping[str, Any]) -> None:
    """Print the settings, the pairs of blocks, and the gain."""
    rows = [(name, result["default"][name], result["result"][name]) for name in result["default"]]
    print_table(rows, ("parameter", "default", "result"))
    print()
    print_table([(k + 1, *pair) for k, pair in enumerate(result["blocks"])], ("pair", "at default", "at result"))
    gain, left_at = result["gain"], result["left_at"]
    shown = {name: percent(gain[name], signed=True) for name in ("mean", "low", "high") if gain[name] is not None}
    interval = f"{shown['low']} to {shown['high']}" if "low" in shown else "too few ticks for an interval"
    print(
        f"\n{result['ticks']:,} ticks of {result['policy']}, {result['refused']} actions refused; "
        f"gain {shown['mean']} ({interval}); the system is left at its {left_at}"
    )
