"""Runs both sides of a validation, and keeps finished runs."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from pmtwin.console.output import counted, message
from pmtwin.console.progress import progress
from pmtwin.pipeline.store import Store
from pmtwin.policies import Policy, make_policy
from pmtwin.validation.cases import Case
from pmtwin.validation.duration import expected_seconds
from pmtwin.validation.keys import case_key
from pmtwin.validation.measured import BetweenRuns, MeasuredSide
from pmtwin.validation.plan import MEASURED, PREDICTED, ValidationPlan
from pmtwin.validation.saturation import saturating_case
from pmtwin.validation.windows import Windows, run_case

if TYPE_CHECKING:
    from tqdm import tqdm


def run_plan(
    plan: ValidationPlan,
    side: MeasuredSide,
    keep: Path | None = None,
    learnt: Path | None = None,
    transfer: Collection[Case] = (),
) -> tuple[dict[str, list[list[Windows]]], ValidationPlan, dict]:
    """Run every case on both sides, the real system first: the twin may need values measured between its runs.

    Args:
        side: the measured side.
        keep: folder of finished runs, which are not repeated.
        learnt: folder for the policies that have learnt on the real system, one file `NAME-RUN.npz` per run.
        transfer: cases that only a transfer compares.

    Returns:
        (side -> one list of runs per case, the plan for the twin with the case that `saturation.saturating_case` adds,
        entries of `MeasuredSide.outcome` for the record)
    """
    with side.between(plan, keep) as besides:
        measured = run_side(plan, MEASURED, keep, learnt, besides, expected_seconds(plan, side, plan.cases))
        added = saturating_case(plan, side, measured, transfer)
        if added is not None:
            message("no named case saturates: one is added, with clients that never pause")
            measured += run_side(replace(plan, cases=(added,)), MEASURED, keep)
            plan = replace(plan, cases=(*plan.cases, added))
    plan, outcome = side.outcome(plan)
    return {PREDICTED: run_side(plan, PREDICTED, keep), MEASURED: measured}, plan, outcome


def run_side(
    plan: ValidationPlan,
    side: str,
    keep: Path | None = None,
    learnt: Path | None = None,
    between: BetweenRuns | None = None,
    expected_s: float | None = None,
) -> list[list[Windows]]:
    """Run every case on one side, seed by seed, so that a slow period of the machine spreads over the cases.

    Args:
        keep, learnt: see `run_plan`.
        between: work before each run and after the last.
        expected_s: expected seconds of everything; None if unknown.

    Returns:
        one list of runs per case.
    """
    store = None if keep is None else Store(keep, "--keep")
    results: list[list[Windows]] = [[] for _ in plan.cases]
    runs = plan.seeds * len(plan.cases)
    what = counted(len(plan.cases), "case"), counted(plan.seeds, "seed"), counted(plan.windows(), "window")
    besides = between or BetweenRuns()
    more = (
        f", and {besides.windows:,} of the host: {plan.windows() + besides.windows:,} in all" if besides.windows else ""
    )
    message(f"to be {side}: {', '.join(what)}{more}")
    with progress(desc=side, total=plan.windows() + besides.windows, unit="window", expected_s=expected_s) as bar:
        for done, (run, number) in enumerate(product(range(plan.seeds), range(len(plan.cases)))):
            besides.step(done, runs, bar.update)
            results[number].append(_one_run(plan, side, plan.cases[number], run, store, learnt, bar))
        besides.step(runs, runs, bar.update)
    return results


def _one_run(
    plan: ValidationPlan, side: str, case: Case, run: int, store: Store | None, learnt: Path | None, bar: tqdm
) -> Windows:
    """A run, or its kept result."""
    policy = make_policy(case.policy, plan.scenario(side, case))
    key = case_key(plan, side, case, run)
    file = _learnt_file(learnt, side, policy, run)
    kept = None if store is None or (file and not file.exists()) else store.load(side, key)
    if kept is not None:
        bar.update(case.windows)
        return Windows.from_dict(kept)
    began = time.perf_counter()
    windows = run_case(plan, side, case, run, policy, bar.update)
    if file:
        policy.save(str(file))
    if store is not None:
        store.finish(side, key, windows.to_dict(), time.perf_counter() - began)
    return windows


def _learnt_file(folder: Path | None, side: str, policy: Policy, run: int) -> Path | None:
    """File for what the policy of a run has learnt; None if it learns nothing, or on the twin only."""
    if folder is None or side != MEASURED or type(policy).save is Policy.save or not policy.learns_in_a_run():
        return None
    return folder / f"{policy.name}-{run}.npz"
