"""Transfer: does a policy trained on the twin keep the service level on the real system as well as fixed settings?

Policy and fixed settings run through the same windows with the same seeds. In a single context, windows before those
that count let the policy move from the initial setting to its choice. Under changing contexts every window counts. The
fixed settings were chosen on the real system, from other seeds (`best_fixed`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.scenarios.comparison.rollout import Block, Context
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.sim.errors import check_range
from pmtwin.sim.numerics.statistics import over_runs, ratio_over_runs, share_interval
from pmtwin.validation.cases import Case, fixed_spec
from pmtwin.validation.plan import MEASURED, PREDICTED, ValidationPlan
from pmtwin.validation.search import Target
from pmtwin.validation.windows import Windows

FEW = 0.05
"""If the best fixed setting keeps the service level in less than this share of windows, median rewards decide."""


@dataclass(frozen=True)
class Transfer:
    """A policy, and the contexts in which it is compared with fixed settings.

    Args:
        spec: spec of the policy.
        contexts: contexts that run by themselves.
        schedule: changing contexts; not used with one context.
        windows: windows that count, in each context by itself.
        lead_windows: windows under the policy before those that count.
    """

    spec: str
    contexts: tuple[Context, ...]
    schedule: tuple[Block, ...]
    windows: int = 10
    lead_windows: int = 10

    def __post_init__(self):
        check_range("--windows", self.windows, 1, 10**6)
        check_range("--lead-windows", self.lead_windows, 0, 10**6)

    @property
    def targets(self) -> dict[Target, tuple[Block, ...]]:
        """Schedule for each set of contexts over which a fixed setting is chosen."""
        alone = {(context,): (Block(context, self.lead_windows + self.windows),) for context in self.contexts}
        return alone | ({self.contexts: self.schedule} if len(self.contexts) > 1 else {})

    def policy_cases(self) -> list[Case]:
        """The policy in every context, and in the schedule."""
        return [Case(self.spec, schedule) for schedule in self.targets.values()]

    def fixed_cases(self, best: Mapping[Target, Setting]) -> list[Case]:
        """The best fixed setting of each context in that context, and the best over all contexts in the schedule."""
        return [Case(fixed_spec(best[target]), schedule) for target, schedule in self.targets.items()]


def transferred(
    transfer: Transfer,
    best: Mapping[Target, Setting],
    plan: ValidationPlan,
    runs: Mapping[str, Sequence[Sequence[Windows]]],
) -> list[dict]:
    """Compare the policy with the best fixed settings: one entry for each context and one for the schedule.

    Args:
        best: target -> best fixed setting.
        plan, runs: as for `comparison.compare`; the cases include `policy_cases` and `fixed_cases`.

    Returns:
        entries with `workload`; the best fixed setting, under the scenario's noun; `attainment`: share of windows that
        kept the service level, for `fixed`, `policy` and `policy_on_twin`, each an `over_runs` over seeds; `ratio` of
        the attainment of policy and fixed setting, with an interval; `median_reward` of both; `decided_by`:
        `attainment`, or `median reward` if the fixed setting keeps the service level in less than `FEW` of the windows;
        `loss_percent`: loss of the policy in the deciding measure.
    """
    scenario, results = plan.predicted, []
    for target, schedule in transfer.targets.items():
        lead = transfer.lead_windows if len(target) == 1 else 0
        ours, theirs = (plan.cases.index(Case(spec, schedule)) for spec in (transfer.spec, fixed_spec(best[target])))
        sides = {
            "fixed": runs[MEASURED][theirs],
            "policy": runs[MEASURED][ours],
            "policy_on_twin": runs[PREDICTED][ours],
        }
        shares = {name: [float(run.met[lead:].mean()) for run in some] for name, some in sides.items()}
        median = {
            name: float(np.median(np.concatenate([run.reward[lead:] for run in sides[name]])))
            for name in ("fixed", "policy")
        }
        few = float(np.mean(shares["fixed"])) < FEW
        ratio = None if few else ratio_over_runs(shares["policy"], shares["fixed"])
        if ratio is not None and ratio["low"] is not None:
            ratio["low"] = max(ratio["low"], 0.0)  # no share is negative
        lost = (
            (median["fixed"] - median["policy"]) / max(abs(median["fixed"]), 1e-9)
            if ratio is None
            else 1.0 - ratio["mean"]
        )
        results.append(
            {
                "workload": _name(scenario, target),
                scenario.settings.noun: list(best[target]),
                "attainment": {name: over_runs(values, share_interval) for name, values in shares.items()},
                "ratio": ratio,
                "median_reward": median,
                "decided_by": "median reward" if few else "attainment",
                "loss_percent": 100.0 * lost,
            }
        )
    return results


def _name(scenario: Scenario, target: Target) -> str:
    return scenario.context_name(target[0]) if len(target) == 1 else f"changing {scenario.contexts.plural}"
