"""Runs both sides of a validation, keeps finished runs, and says what the middleware's store lies on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

from pmtwin import __version__, machine
from pmtwin.best_setting import best_fixed
from pmtwin.medium import medium_of_mount
from pmtwin.output import counted, message, progress
from pmtwin.pipeline.store import Store
from pmtwin.scenarios.nvm_middleware.native import NativeSettings
from pmtwin.scenarios.validation import SettingSearch, Tolerances, Transfer, compare, transferred, verdict
from pmtwin.scenarios.validation.runs import MEASURED, PREDICTED, Case, ValidationPlan, Windows, measure
from pmtwin.sim.errors import InputError
from pmtwin.validation_host import HostWatch
from pmtwin.validation_keys import case_key

SCHEMA_VERSION = 2


def validated(
    plan: ValidationPlan,
    scenario: str,
    medium: str,
    tolerances: Tolerances,
    keep: Path | None = None,
    transfer: Transfer | None = None,
    searching: SettingSearch | None = None,
    learnt: Path | None = None,
    record: Mapping[str, list] | None = None,
    host: HostWatch | None = None,
) -> dict:
    """Run the plan; what `pmtwin validate --json` prints.

    Args:
        scenario: name of what is controlled.
        medium, tolerances: as of `pmtwin.scenarios.validation.verdict`.
        keep: as of `run_plan`.
        transfer: a policy against the best fixed pools, as well; its own cases are in the plan.
        searching: for those.
        learnt: as of `run_plan`.
        record: of `pmtwin.twin_options.parameter_record`; replaced by what `host` finds, but for its warnings.
        host: what is measured of the host between the runs of the middleware.

    Returns:
        `schema_version`, `scenario`, `verdict`, the fields of `pmtwin.scenarios.validation.compare`, `transfer` (of
        `pmtwin.scenarios.validation.transferred`, if it was asked for), `configuration`.
    """
    record, fixed, best = dict(record or {}), [], {}
    if transfer is not None:
        best = best_fixed(plan, transfer, searching, keep)
        fixed = [case for case in dict.fromkeys(transfer.fixed_cases(best)) if case not in plan.cases]
        plan = replace(plan, cases=(*plan.cases, *fixed))
    runs, plan, found = run_plan(plan, keep, learnt, host)
    record |= found | {"warnings": [*record.get("warnings", ()), *found.get("warnings", ())]}
    compared = compare(plan.cases, runs, {*transfer.policy_cases(), *fixed} if transfer else ())
    if transfer is not None:
        compared["transfer"] = transferred(transfer, best, plan.cases, runs)
    return {
        "schema_version": SCHEMA_VERSION,
        "scenario": scenario,
        "verdict": verdict(compared, medium, tolerances, record["warnings"]),
        **compared,
        "configuration": configuration(plan) | record,
    }


def configuration(plan: ValidationPlan) -> dict:
    """What makes the runs repeatable."""
    env = plan.environment(PREDICTED, plan.cases[0])
    return {
        "version": __version__,
        "cases": len(plan.cases),
        "seeds": plan.seeds,
        "seed": plan.seed,
        "warmup_windows": plan.warmup_windows,
        "twin": {name: value for name, value in env.twin.to_dict().items() if name != "mode"},
        "middleware": plan.measured["native"].to_dict(),
        "reward": env.reward_parameters.to_dict(),
        "host": machine.host_context(),
    }


def run_plan(
    plan: ValidationPlan, keep: Path | None = None, learnt: Path | None = None, host: HostWatch | None = None
) -> tuple[dict[str, list[list[Windows]]], ValidationPlan, dict]:
    """Every case on both sides, the middleware first: the twin may need to know what was measured beside it.

    Args:
        keep: a folder of finished runs, which are not repeated.
        learnt: a folder for what policies have learnt on the middleware by the end of a run, `NAME-RUN.npz`.
        host: what is measured of the host between the runs of the middleware.

    Returns:
        (side -> cases -> runs, the plan with the host's parameters, what `HostWatch.outcome` says of them)
    """
    if host is None:
        measured, found = run_side(plan, MEASURED, keep, learnt), {}
    else:
        with host.between(plan, keep) as (due, samples):
            message(f"host: {host.rounds} rounds between the runs of the middleware")
            measured = run_side(plan, MEASURED, keep, learnt, due)
        plan, found = host.outcome(plan, samples)
    return {PREDICTED: run_side(plan, PREDICTED, keep), MEASURED: measured}, plan, found


def run_side(
    plan: ValidationPlan,
    side: str,
    keep: Path | None = None,
    learnt: Path | None = None,
    between: Callable[[int, int], None] = lambda done, runs: None,
) -> list[list[Windows]]:
    """Every case on one side, seed by seed: what slows the machine for a while meets different ones in each.

    Args:
        keep, learnt: as of `run_plan`.
        between: called with (runs that are done, all runs) before each and after the last.

    Returns:
        cases -> runs.
    """
    from pmtwin.policies import PolicyContext, make_policy

    store = None if keep is None else Store(keep, "--keep")
    found: list[list[Windows]] = [[] for _ in plan.cases]
    windows, runs = plan.seeds * sum(case.windows for case in plan.cases), plan.seeds * len(plan.cases)
    what = counted(len(plan.cases), "case"), counted(plan.seeds, "seed"), counted(windows, "window")
    message(f"{side}: {', '.join(what)}")
    with progress(description=side, total=windows, unit="window") as bar:

        def one(case: Case, run: int) -> Windows:
            policy = make_policy(case.policy)
            key = case_key(plan, side, case, run, policy)
            file = _learnt_file(learnt, side, policy, run)
            kept = None if store is None or (file and not file.exists()) else store.load(side, key)
            if kept is not None:
                bar.update(case.windows)
                return Windows.from_dict(kept)
            began = time.perf_counter()
            windows = measure(plan, side, case, run, lambda _: policy, PolicyContext, bar.update)
            if file:
                policy.save(file)
            if store is not None:
                store.finish(side, key, windows.to_dict(), time.perf_counter() - began)
            return windows

        for done, (run, number) in enumerate(product(range(plan.seeds), range(len(plan.cases)))):
            between(done, runs)
            found[number].append(one(plan.cases[number], run))
        between(runs, runs)
    return found


def _learnt_file(folder: Path | None, side: str, policy, run: int) -> Path | None:
    """Where a run leaves what its policy has learnt; None: it learns nothing, or on the twin only."""
    from pmtwin.policies.base import Policy

    learns = folder is not None and side == MEASURED and type(policy).save is not Policy.save
    return folder / f"{policy.name}-{run}.npz" if learns else None


def medium_of(settings: NativeSettings, root: Path = Path("/")) -> str:
    """What the store lies on: `emulated`, `dram`, or `pmem` for a file on a real device mounted with direct access.

    Raises:
        InputError: a pool on anything else, such as a disk: what was measured there would be neither.
    """
    if settings.store == "emulated":
        return "emulated"
    if settings.store != "pmemkv" or settings.path is None:
        return "dram"
    if not os.path.isdir(settings.path):
        raise InputError("--path", settings.path, "a folder that is there")
    medium, what = medium_of_mount(machine.mount_of(settings.path, root), root)
    if medium is None:
        allowed = "/dev/shm or another tmpfs, or persistent memory mounted with -o dax: what a pool on "
        raise InputError("--path", settings.path, f"{allowed}{what} shows is neither main nor persistent memory")
    return medium
