"""Size of the campaign: the thesis', and its reduction that fits into minutes on two cores."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import product

from pmtwin.policies.training.afterstate_options import AfterstateTraining
from pmtwin.scenarios.comparison.best_fixed import SearchPlan
from pmtwin.scenarios.comparison.survey import SurveyPlan
from pmtwin.scenarios.nvm_middleware.published import FIGURE_B1_POOLS

Pools = tuple[int, int]

COARSE = (1, 2, 4, 6, 8, 10, 12, 15, 18, 22, 27, 32)


def _grid(sizes: tuple[int, ...]) -> tuple[Pools, ...]:
    return tuple(product(sizes, sizes))


@dataclass(frozen=True)
class Campaign:
    """Sizes of all experiments; a window is 5,000 requests.

    Args:
        name: `quick` or `full`.
        concurrency_seeds, concurrency_windows, concurrency_warmup: runs of each of the 43 settings of Figure B.1,
            windows of each that count, and windows before them.
        fixed_pools: settings whose reward quartiles are computed in each phase.
        fixed_windows, fixed_warmup: windows of each of them.
        published_draws: draws of the inferred host that predict the order of the published settings.
        training_share: share of the thesis' training campaign (its data set, grid and episodes).
        seeds, steps, phase_steps: of the long run (thesis section 4.3: 4,000 steps, a phase is 200).
        search: for the best fixed pools of each phase.
        recommended: training of the recommended policy.
        yardstick_seeds, yardstick_steps, yardstick_phase_steps: of its comparison with the clairvoyant.
        survey: of the settings that the clairvoyant and the best constant choose from.
        sensitivity_seeds, sensitivity_windows, sensitivity_settling: runs of each variant, windows of each phase that
            count, and windows before them, in which a policy walks to its pools.
        screening_trajectories: paths through all inferred and assumed parameters together (elementary effects).
        agreement_windows, agreement_requests: of the check that both engines agree.
        saturation_requests: of each closed loop that only the device limits.
        bootstrap: replicates of the calibration's parameter intervals.
        validation_pools: settings of section 4.2 that also run on the real middleware, on an emulated device.
        validation_seeds, validation_windows, validation_warmup: runs of each of them, windows of each that count, and
            windows before them; each takes a second or so.
        validation_requests: completions that end such a window.
        explain_windows, explain_requests: windows of each run that is traced, and completions that end one.
        device_bound_seeds, device_bound_windows: runs of each of the pools that are compared, and windows of each.
    """

    name: str
    concurrency_seeds: int
    concurrency_windows: int
    concurrency_warmup: int
    fixed_pools: tuple[Pools, ...]
    fixed_windows: int
    fixed_warmup: int
    published_draws: int
    training_share: float
    seeds: int
    steps: int
    phase_steps: int
    search: SearchPlan = field(default_factory=SearchPlan)
    recommended: AfterstateTraining = field(default_factory=AfterstateTraining)
    yardstick_seeds: int = 5
    yardstick_steps: int = 400
    yardstick_phase_steps: int = 100
    survey: SurveyPlan = field(default_factory=SurveyPlan)
    sensitivity_seeds: int = 3
    sensitivity_windows: int = 12
    sensitivity_settling: int = 12
    screening_trajectories: int = 4
    agreement_windows: int = 3
    agreement_requests: int = 1000
    saturation_requests: int = 100_000
    bootstrap: int = 20
    validation_pools: tuple[Pools, ...] = ((2, 4), (8, 8), (16, 32), (24, 2))
    validation_seeds: int = 3
    validation_windows: int = 1
    validation_warmup: int = 1
    validation_requests: int = 5000
    explain_windows: int = 2
    explain_requests: int = 1000
    device_bound_seeds: int = 5
    device_bound_windows: int = 4

    def to_dict(self) -> dict:
        """Plain values, for the record of a run and the key of its cache."""
        return asdict(self)


QUICK = Campaign(
    name="quick",
    concurrency_seeds=5,
    concurrency_windows=10,
    concurrency_warmup=3,
    fixed_pools=_grid(COARSE),
    fixed_windows=16,
    fixed_warmup=2,
    published_draws=100,
    training_share=0.1,
    seeds=5,
    steps=1600,
    phase_steps=200,
    search=SearchPlan(rounds=((1, 192), (4, 48), (10, 12)), final_windows=12, final_seeds=5, warmup_windows=1),
)

FULL = Campaign(
    name="full",
    concurrency_seeds=10,
    concurrency_windows=60,
    concurrency_warmup=5,
    fixed_pools=_grid(tuple(range(1, 33))),
    fixed_windows=100,
    fixed_warmup=5,
    published_draws=300,
    training_share=1.0,
    seeds=10,
    steps=4000,
    phase_steps=200,
    yardstick_seeds=10,
    sensitivity_seeds=5,
    sensitivity_windows=60,
    sensitivity_settling=40,
    screening_trajectories=20,
    agreement_windows=20,
    agreement_requests=5000,
    bootstrap=200,
    validation_pools=FIGURE_B1_POOLS,
    validation_seeds=3,
    validation_windows=5,
    validation_warmup=1,
    explain_windows=8,
    explain_requests=5000,
    device_bound_seeds=10,
    device_bound_windows=20,
)
