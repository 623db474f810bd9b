"""The plan of a validation from its options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pmtwin.policies import make_policy
from pmtwin.policies.between_windows import window_spec
from pmtwin.policies.points import by_point, window_point
from pmtwin.scenarios.comparison.rollout import Block, Context
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.sim.errors import InputError
from pmtwin.validation.cases import Case, case_schedule, grid_cases, policy_cases
from pmtwin.validation.checks import check_plan
from pmtwin.validation.measured import MeasuredSide
from pmtwin.validation.options import ValidationConfig
from pmtwin.validation.plan import ValidationPlan
from pmtwin.validation.search import SettingSearch
from pmtwin.validation.transfer import Transfer


class Planned(NamedTuple):
    """All that runs; `transfer` and `searching` only if a policy is compared with the best fixed setting."""

    plan: ValidationPlan
    transfer: Transfer | None
    searching: SettingSearch | None

    @property
    def cases(self) -> list[Case]:
        """All cases, with those of fixed settings in a transfer, which run as long as the policy."""
        return [*self.plan.cases, *(self.transfer.policy_cases() if self.transfer else [])]

    @property
    def searched(self) -> float:
        """Largest number of windows that the search may run."""
        return self.searching.most_windows(self.transfer.contexts) if self.searching and self.transfer else 0.0


def planned(config: ValidationConfig) -> Planned:
    """The checked plan of a configuration; nothing runs yet.

    Raises:
        InputError: for an option that is not accepted.
    """
    scenario, contexts = config.scenario, chosen_contexts(config.scenario, config.contexts)
    schedule = case_schedule(
        scenario, config.schedule, config.steps, config.context_steps, config.seed, config.contexts and contexts
    )
    policies = [*(_asked(spec, config) for spec in config.policies), *config.learning_specs]
    transfer = _transfer(config, contexts, schedule) if config.transfer else None
    cases = []
    if config.compares_grid:
        cases += grid_cases(_grid(config), config.windows, contexts)
    cases += policy_cases(policies, schedule)
    cases += transfer.policy_cases() if transfer else []
    plan = ValidationPlan(
        cases=tuple(cases),
        predicted=scenario,
        measured=config.side.measured,
        seeds=config.seeds,
        seed=config.seed,
        warmup_windows=config.warmup_windows,
    )
    check_plan(plan, config.side)
    return Planned(
        plan, transfer, SettingSearch(scenario.settings, default_grid(scenario, config.side)) if transfer else None
    )


def chosen_contexts(scenario: Scenario, names: Sequence[Context]) -> tuple[Context, ...]:
    """The contexts that take part, each once; `OWN` where options set the conditions."""
    if scenario.own_conditions is not None:
        return (OWN,)
    known = scenario.contexts
    return tuple(dict.fromkeys(known.check(name) for name in names)) or known.names


def default_grid(scenario: Scenario, side: MeasuredSide) -> tuple[Setting, ...]:
    """The first grid of the measured side, or the initial setting alone."""
    return tuple(next(iter(side.grids.values()), (scenario.initial_setting,)))


def _grid(config: ValidationConfig) -> tuple[Setting, ...]:
    if not config.grid:
        return default_grid(config.scenario, config.side)
    settings: list[Setting] = []
    for word in config.grid:
        settings += config.side.grids.get(word) or [config.scenario.settings.parse("--grid", word)]
    return tuple(settings)


def _asked(spec: str, config: ValidationConfig) -> str:
    """The spec of a policy that the real system asks wherever it decides.

    Raises:
        InputError: for one that decides inside the windows where the real system does not ask.
    """
    scenario, asked = config.scenario, config.side.asks_inside
    inside = by_point(spec, scenario).keys() - {window_point(scenario)}
    if inside and inside <= set(asked):
        return spec
    allowed = "a policy that decides between them, such as threshold (pmtwin list policies: those for point window)"
    where = f"asks only at {' and '.join(asked)}" if asked else "asks none"
    return window_spec(spec, scenario, f"the real system {where}", allowed)


def _transfer(config: ValidationConfig, contexts: tuple[Context, ...], schedule: tuple[Block, ...]) -> Transfer:
    spec = _asked(config.transfer, config)
    policy = make_policy(spec, config.scenario)
    if policy.mode is not None or policy.needs_context:
        noun, context = config.scenario.settings.noun, config.scenario.contexts.noun
        raise InputError("transfer", config.transfer, f"a policy that sets the {noun} without knowing the {context}")
    return Transfer(spec, contexts, schedule, config.windows, config.lead_windows)
