"""Whether a policy that was trained on the twin keeps the service level on the middleware as the best fixed pools do.

Both run through the same windows with the same seeds: in each phase by itself, after windows in which the policy moves
from where it begins to where it wants to be, and through phases that change, where every window counts. The fixed pools
were chosen on the middleware, from other seeds (`best_setting`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.scenarios.rollout import Block
from pmtwin.scenarios.statistics import ratio_interval, share_interval
from pmtwin.scenarios.validation.best_setting import Pools, Target
from pmtwin.scenarios.validation.runs import MEASURED, PREDICTED, Case, Windows
from pmtwin.sim.errors import check_range

FEW = 0.05
"""Where the best fixed pools keep the service level in a smaller share of the windows, median rewards are compared."""


@dataclass(frozen=True)
class Transfer:
    """What is compared.

    Args:
        spec: the policy.
        phases: each by itself. schedule: of phases that change; left out if there is one phase only.
        windows: that count, of a phase by itself. lead_windows: before them, of the policy's own control.
    """

    spec: str
    phases: tuple[int, ...]
    schedule: tuple[Block, ...]
    windows: int = 10
    lead_windows: int = 10

    def __post_init__(self):
        check_range("--windows", self.windows, 1, 10**6)
        check_range("--lead-windows", self.lead_windows, 0, 10**6)

    @property
    def targets(self) -> dict[Target, tuple[Block, ...]]:
        """What runs for each set of phases over which fixed pools are best."""
        alone = {(phase,): (Block(phase, self.lead_windows + self.windows),) for phase in self.phases}
        return alone | ({self.phases: self.schedule} if len(self.phases) > 1 else {})

    def policy_cases(self) -> list[Case]:
        """The policy everywhere."""
        return [Case(self.spec, schedule) for schedule in self.targets.values()]

    def fixed_cases(self, best: Mapping[Target, Pools]) -> list[Case]:
        """The best fixed pools of each phase there, and those of the schedule."""
        return [Case(_spec(best[target]), schedule) for target, schedule in self.targets.items()]


def _spec(pools: Pools) -> str:
    return f"fixed:{pools[0]},{pools[1]}"


def transferred(
    transfer: Transfer,
    best: Mapping[Target, Pools],
    cases: Sequence[Case],
    runs: Mapping[str, Sequence[Sequence[Windows]]],
) -> list[dict]:
    """The comparison, one entry for each phase and one for the schedule.

    Args:
        best: fixed pools by target.
        cases, runs: with `policy_cases` and `fixed_cases` among them, as of `comparison.compare`.

    Returns:
        entries of `workload`; `pools`: the best fixed; `attainment`: share of windows that kept the service level, of
        `fixed`, `policy` and `policy_on_twin`, each with an interval over seeds; `ratio` of policy to fixed, with one;
        `median_reward` of both; `decided_by`: `attainment`, or `median reward` where the fixed pools keep it in less
        than `FEW` of the windows; `loss_percent`: what the policy loses there.
    """
    found = []
    for target, schedule in transfer.targets.items():
        lead = transfer.lead_windows if len(target) == 1 else 0
        ours, theirs = (cases.index(Case(spec, schedule)) for spec in (transfer.spec, _spec(best[target])))
        sides = {
            "fixed": runs[MEASURED][theirs],
            "policy": runs[MEASURED][ours],
            "policy_on_twin": runs[PREDICTED][ours],
        }
        shares = {name: [float(one.met[lead:].mean()) for one in some] for name, some in sides.items()}
        median = {
            name: float(np.median(np.concatenate([one.reward[lead:] for one in sides[name]])))
            for name in ("fixed", "policy")
        }
        few = float(np.mean(shares["fixed"])) < FEW
        ratio = None if few else ratio_interval(shares["policy"], shares["fixed"])
        lost = (median["fixed"] - median["policy"]) / max(abs(median["fixed"]), 1e-9) if few else 1.0 - ratio["mean"]
        found.append(
            {
                "workload": f"phase-{target[0]}" if len(target) == 1 else "changing phases",
                "pools": list(best[target]),
                "attainment": {name: share_interval(values) for name, values in shares.items()},
                "ratio": ratio,
                "median_reward": median,
                "decided_by": "median reward" if few else "attainment",
                "loss_percent": 100.0 * lost,
            }
        )
    return found
