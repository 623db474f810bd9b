"""Whether a policy that was trained on the twin keeps the service level on the real system as well as fixed settings.

Both run through the same windows with the same seeds: in each context by itself, after windows in which the policy
moves from where it begins to where it wants to be, and through contexts that change, where every window counts. The
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
"""Where the best fixed setting keeps the level in a smaller share of the windows, median rewards are compared."""


@dataclass(frozen=True)
class Transfer:
    """What is compared.

    Args:
        spec: the policy.
        contexts: each by itself. schedule: of contexts that change; left out if there is one only.
        windows: that count, of a context by itself. lead_windows: before them, of the policy's own control.
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
        """What runs for each set of contexts over which a fixed setting is best."""
        alone = {(context,): (Block(context, self.lead_windows + self.windows),) for context in self.contexts}
        return alone | ({self.contexts: self.schedule} if len(self.contexts) > 1 else {})

    def policy_cases(self) -> list[Case]:
        """The policy everywhere."""
        return [Case(self.spec, schedule) for schedule in self.targets.values()]

    def fixed_cases(self, best: Mapping[Target, Setting]) -> list[Case]:
        """The best fixed setting of each context there, and that of the schedule."""
        return [Case(fixed_spec(best[target]), schedule) for target, schedule in self.targets.items()]


def transferred(
    transfer: Transfer,
    best: Mapping[Target, Setting],
    plan: ValidationPlan,
    runs: Mapping[str, Sequence[Sequence[Windows]]],
) -> list[dict]:
    """The comparison, one entry for each context and one for the schedule.

    Args:
        best: fixed setting by target.
        plan, runs: with `policy_cases` and `fixed_cases` among the cases, as of `comparison.compare`.

    Returns:
        entries of `workload`; the best fixed setting, under its noun; `attainment`: share of windows that kept the
        service level, of `fixed`, `policy` and `policy_on_twin`, each of `over_runs`, over seeds; `ratio` of policy to
        fixed, with one; `median_reward` of both; `decided_by`: `attainment`, or `median reward` where the fixed setting
        keeps it in less than `FEW` of the windows; `loss_percent`: what the policy loses there.
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
