"""The end of the loop: the twin held against the real middleware on this machine, over a device that is emulated.

The twin's side is the same in every bit each time. The middleware's threads are real: nothing promises that there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pmtwin.middleware import emulated
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.campaign import Campaign
from pmtwin.scenarios.nvm_middleware.phases import phase_numbers
from pmtwin.scenarios.nvm_middleware.validation.measured import MeasuredMiddleware
from pmtwin.sim.errors import MissingDependencyError
from pmtwin.validation import Tolerances, ValidationPlan, grid_cases
from pmtwin.validation.document import validated

STEP = "validation"
WORKLOAD, MEDIUM = "section-4.2", "emulated"
KEPT = "runs"
WINDOW_S = 0.9
"""Time of a window of 5,000 requests on the emulated device, roughly: it waits, whatever the number of cores."""


def left_out() -> str | None:
    """Why this machine cannot do it, or None."""
    try:
        emulated.load()
    except MissingDependencyError as error:
        return str(error)
    return None


def windows(campaign: Campaign) -> int:
    """Windows of the middleware."""
    cases = len(campaign.validation_pools) + len(phase_numbers())
    return cases * campaign.validation_seeds * (campaign.validation_windows + campaign.validation_warmup)


def plan_of(campaign: Campaign, seed: int, profile: str, best_fixed: Mapping[str, Mapping]):
    """Pools of section 4.2 under its workload, and in each phase those that the twin found best.

    Args:
        best_fixed: phase -> `pools`, of the experiment `evaluation-random`.
    """
    cases = grid_cases(campaign.validation_pools, campaign.validation_windows, changes=(("workload", WORKLOAD),))
    for phase, best in best_fixed.items():
        cases += grid_cases([tuple(best["pools"])], campaign.validation_windows, (int(phase),))
    side = _side(campaign, profile)
    return ValidationPlan(
        cases=tuple(cases),
        predicted=side.predicted,
        measured=side.measured,
        seeds=campaign.validation_seeds,
        seed=seed,
        warmup_windows=campaign.validation_warmup,
    )


def _side(campaign: Campaign, profile: str):
    """The middleware on an emulated device, beside its twin."""
    values = {"twin.profile": profile, "twin.requests_per_window": campaign.validation_requests}
    return MeasuredMiddleware.of(NvmMiddleware, values | {"twin.native.store": MEDIUM})


def run(campaign: Campaign, seed: int, profile: str, best_fixed: Mapping[str, Mapping], folder: Path) -> dict:
    """The comparison, as `pmtwin validate --json` prints it; finished runs are kept below `folder`."""
    plan, side = plan_of(campaign, seed, profile, best_fixed), _side(campaign, profile)
    return validated(plan, side, Tolerances(NvmMiddleware, MEDIUM), folder / KEPT)


def passed(values: Mapping) -> bool:
    """Whether the check passed: a failed one, on a busy machine perhaps, is done again by the next run."""
    return values["verdict"]["passed"]
