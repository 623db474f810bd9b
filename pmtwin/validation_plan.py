"""The plan of `pmtwin validate` from its command line."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from pmtwin.middleware.native import check_operations
from pmtwin.policies import make_policy
from pmtwin.policies.base import MIDDLEWARE
from pmtwin.scenarios import check_scenario
from pmtwin.scenarios.nvm_middleware.figures.published import FIGURE_B1_POOLS
from pmtwin.scenarios.nvm_middleware.phases import check_phase, phase_numbers
from pmtwin.scenarios.nvm_middleware.workloads import make_workload, workload_names
from pmtwin.scenarios.rollout import make_schedule
from pmtwin.scenarios.validation import SettingSearch, Transfer, ValidationPlan, grid_cases, policy_cases
from pmtwin.scenarios.validation.runs import MEASURED, PREDICTED
from pmtwin.sim.errors import InputError, MissingDependencyError, check_range, unknown_name
from pmtwin.startable import check_starts
from pmtwin.twin_options import environment_settings, middleware_settings, parse_pools
from pmtwin.validation_learning import learning_specs

GRID_42 = "section-4.2"
"""The name of the grid of thesis section 4.2: 42 combinations of pools."""


class Planned(NamedTuple):
    """What is run; `transfer` and `searching` only where a policy is held against the best fixed pools."""

    plan: ValidationPlan
    transfer: Transfer | None
    searching: SettingSearch | None


def planned(args: argparse.Namespace) -> Planned:
    """Checked: bad specs, pools, phases and settings are errors before anything runs.

    Raises:
        InputError: naming the option.
    """
    check_scenario(args.scenario)
    check_range("--windows", args.windows, 1, 10**6)
    check_range("--seed", args.seed, 0, 2**63 - 1)
    phases = tuple(dict.fromkeys(check_phase(phase) for phase in args.phases or phase_numbers()))
    settings = environment_settings(args)
    if settings["engine"] == "native":
        raise InputError("--engine", "native", "an engine of the twin: compiled or simpy; the other side is native")
    if args.learnt and not args.learn:
        raise InputError("--learnt", args.learnt, "only with --learn: nothing else learns")
    schedule = (args.steps, args.phase_steps)
    for name in ("steps", "phase_steps"):
        check_range(f"--{name.replace('_', '-')}", getattr(args, name), 1, 10**6)
    policies = [*args.policies, *learning_specs(args)]
    transfer = _transfer(args, phases, schedule) if args.transfer else None
    cases = []
    if args.grid or not (policies or transfer):
        if args.workload:
            if args.phases:
                raise InputError("--phases", args.phases, "either phases or --workload, not both")
            _check_workload(args.workload)
        cases += grid_cases(_grid(args.grid), args.windows, () if args.workload else phases, args.workload)
    cases += policy_cases(policies, args.schedule, *schedule, args.seed, phases)
    cases += transfer.policy_cases() if transfer else []
    plan = ValidationPlan(
        cases=tuple(cases),
        seeds=args.seeds,
        seed=args.seed,
        warmup_windows=args.warmup_windows,
        settings={name: value for name, value in settings.items() if name not in ("engine", "native")},
        predicted={"engine": settings["engine"]},
        measured={"engine": "native", "native": middleware_settings(args)},
    )
    plan.environment(PREDICTED, plan.cases[0])
    _check_measured(plan)
    return Planned(plan, transfer, SettingSearch(FIGURE_B1_POOLS) if transfer else None)


def _check_measured(plan: ValidationPlan) -> None:
    """What the middleware cannot run is an error before the twin has run; whether it is built is asked later."""
    for case in plan.cases:
        with suppress(MissingDependencyError):
            plan.environment(MEASURED, case, make_policy(case.policy).mode).check_engine()
    check_starts(plan)


def _check_workload(name: str) -> None:
    served = [known for known in workload_names() if _is_served(known)]
    if name in workload_names() and name not in served:
        raise InputError("--workload", name, f"one get or put a request, as of {', '.join(served)}")
    if name not in served:
        raise unknown_name("--workload", name, served)


def _is_served(name: str) -> bool:
    try:
        check_operations(make_workload(name))
    except InputError:
        return False
    return True


def _transfer(args: argparse.Namespace, phases: tuple[int, ...], schedule: tuple[int, int]) -> Transfer:
    policy = make_policy(args.transfer)
    if policy.mode != MIDDLEWARE or policy.needs_phase:
        raise InputError("--transfer", args.transfer, "a policy that sets the pools and is not told the phase")
    blocks = make_schedule(args.schedule, *schedule, np.random.default_rng(args.seed), phases)
    return Transfer(args.transfer, phases, tuple(blocks), args.windows, args.lead_windows)


def _grid(words: list[str] | None) -> tuple[tuple[int, int], ...]:
    if words in (None, [GRID_42]):
        return FIGURE_B1_POOLS
    pools = tuple(parse_pools(word, "--grid") for word in words)
    if None in pools:
        raise InputError("--grid", "none", "pools; no middleware is --policies none")
    return pools
