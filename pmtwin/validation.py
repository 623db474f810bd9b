"""Runs both sides of a validation, keeps finished runs, and says what the middleware's store lies on."""

from __future__ import annotations

import os
import time
from pathlib import Path

from pmtwin import __version__, machine
from pmtwin.output import message, progress
from pmtwin.pipeline import fingerprint
from pmtwin.pipeline.store import Store
from scenarios.native import NativeSettings
from scenarios.validation import Tolerances, compare, verdict
from scenarios.validation.runs import MEASURED, PREDICTED, Case, ValidationPlan, Windows, measure

SCHEMA_VERSION = 1
ROOMS = {PREDICTED: ("sim", "scenarios", "policies"), MEASURED: ("sim", "scenarios", "policies", "middleware")}
"""The code that a kept run depends on."""


def validated(
    plan: ValidationPlan, scenario: str, medium: str, tolerances: Tolerances, keep: Path | None = None
) -> dict:
    """Run the plan; what `pmtwin validate --json` prints.

    Args:
        scenario: name of what is controlled.
        medium, tolerances: as of `scenarios.validation.verdict`.
        keep: as of `run_plan`.

    Returns:
        `schema_version`, `scenario`, `verdict`, the fields of `scenarios.validation.compare`, `configuration`.
    """
    compared = compare(plan.cases, run_plan(plan, keep))
    return {
        "schema_version": SCHEMA_VERSION,
        "scenario": scenario,
        "verdict": verdict(compared, medium, tolerances),
        **compared,
        "configuration": configuration(plan),
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


def run_plan(plan: ValidationPlan, keep: Path | None = None) -> dict[str, list[list[Windows]]]:
    """Every case on both sides, the twin first; runs that `keep` has already are not repeated."""
    from policies import PolicyContext, make_policy

    store = None if keep is None else Store(keep)
    found: dict[str, list[list[Windows]]] = {}
    for side in (PREDICTED, MEASURED):
        windows = plan.seeds * sum(case.windows for case in plan.cases)
        message(f"{side}: {len(plan.cases)} cases, {plan.seeds} seeds, {windows:,} windows")
        with progress(description=side, total=windows, unit="window") as bar:

            def one(case: Case, run: int, side: str = side, bar=bar) -> Windows:
                key = _key(plan, side, case, run)
                kept = None if store is None else store.load(side, key)
                if kept is not None:
                    bar.update(case.windows)
                    return Windows.from_dict(kept)
                began = time.perf_counter()
                windows = measure(plan, side, case, run, make_policy, PolicyContext, bar.update)
                if store is not None:
                    store.finish(side, key, windows.to_dict(), time.perf_counter() - began)
                return windows

            found[side] = [[one(case, run) for run in range(plan.seeds)] for case in plan.cases]
    return found


def _key(plan: ValidationPlan, side: str, case: Case, run: int) -> str:
    """Everything that a run depends on."""
    settings = {**plan.settings, **(plan.predicted if side == PREDICTED else plan.measured)}
    return fingerprint.digest(
        {
            "settings": {name: repr(value) for name, value in sorted(settings.items())},
            "warmup_windows": plan.warmup_windows,
            "case": repr(case),
            "policy": _file_digest(case.policy),
            "seed": [plan.seed, run],
            "code": {room: fingerprint.code(room) for room in ROOMS[side]},
            "versions": fingerprint.versions(),
        }
    )


def _file_digest(spec: str) -> str | None:
    """Of the file that a spec names, which may have been trained anew under its old name."""
    name = spec.partition(":")[2]
    data = fingerprint.data(os.getcwd(), (name,)) if name else {}
    return data.get(name)


def medium_of(settings: NativeSettings, root: Path = Path("/")) -> str:
    """What the store lies on: `emulated`, `dram`, or `pmem` for a file on a real device mounted with direct access."""
    if settings.store == "emulated":
        return "emulated"
    if settings.store != "pmemkv" or settings.path is None:
        return "dram"
    found = machine.persistent_memory(root)
    if not found["devices"] or found["emulated"]:
        return "dram"
    path = os.path.realpath(settings.path)
    mounts = (os.path.realpath(mount["folder"]) for mount in machine.dax_mounts(root))
    return "pmem" if any(os.path.commonpath((path, mount)) == mount for mount in mounts) else "dram"
