"""Every number of a training run in one dataclass: the thesis' campaign, what it leaves open, and the reduced one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from pmtwin.policies.linear_q.algorithm2 import QLearningParameters
from pmtwin.policies.linear_q.features import POOL_STATE_LOG_COLUMNS
from pmtwin.sim.errors import InputError, check_range, unknown_name

ORDERS = ("interleaved", "in-turn")
TARGETS = ("fitted-q", "return", "reward")

GRID = {
    "degree": (1, 2, 3),
    "alpha": (0.1, 0.01, 0.001, 0.0001),
    "penalty": ("l1", "l2", "elasticnet"),
    "loss": ("squared_error", "huber", "epsilon_insensitive"),
    "learning_rate": ("constant", "optimal", "invscaling"),
    "max_iter": (100, 1000, 10_000, 100_000),
}
"""Table D.1; its loss "squared" is called squared_error today."""

EPISODES = {1: 700, 2: 700, 3: 1000, 4: 1000}
"""Table D.3: training episodes by phase."""


@dataclass(frozen=True)
class TrainingPlan:
    """What is run; with the seed and the environment it determines the trained policy bit for bit.

    Args:
        seed: root of all random numbers of the run.
        dataset_episodes: episodes of the random agent per phase (section 4.3).
        episodes: training episodes by phase (Table D.3); its keys are the phases.
        episode_steps: steps, that is windows, of an episode (Table D.3).
        order: `interleaved` mixes the phases evenly in proportion to their episodes, so that none is forgotten while
            another is learnt; `in-turn` trains one phase after the other as the thesis does.
        log_columns: which columns of the state enter as logarithms (`linear_q.features`).
        grid: Table D.1.
        grid_share: share of the grid's configurations that are tried, drawn at random (1: all).
        folds: of the cross-validation.
        online_learning_rates: learning rates of the grid that may be chosen; the others are scored for the table. All
            nine winners of Table D.2 are invscaling, and the online phase needs it: a constant step follows the noise
            of the latest windows for ever, and `optimal` starts with steps that no degree above 1 survives.
        test_share: share of each sub-dataset that is kept aside for the final score.
        eta0: initial step size of gradient descent, which Table D.1 leaves at its default: with scikit-learn's 0.01 the
            fit has not converged after 200 sweeps of a tenth of the data, so correlated are powers of pools and queues;
            above 0.1 it can diverge.
        target: what the models are first fitted to: `reward`: the immediate reward; `return`: the discounted rewards
            to the end of the episode; `fitted-q`: the reward, then r + gamma max Q' in `sweeps` sweeps over the data.
        sweeps: passes over the data that bootstrap the models.
        q: the parameters of Algorithm 2.
        checkpoint_every: episodes between two checkpoints.
        selections: how often during the training the greedy policy is tried without exploration; the best of these
            snapshots by `trials` is the result (0: the last weights are, as in the thesis). Q-learning with function
            approximation need not converge: the last weights can be worse than earlier ones in a change of phase.
        selection_steps: windows of a trial from one change of phase to the next.
    """

    seed: int = 0
    dataset_episodes: int = 150
    episodes: Mapping[int, int] = field(default_factory=lambda: dict(EPISODES))
    episode_steps: int = 200
    order: str = "interleaved"
    log_columns: tuple[bool, ...] = POOL_STATE_LOG_COLUMNS
    grid: Mapping[str, tuple] = field(default_factory=lambda: dict(GRID))
    grid_share: float = 1.0
    folds: int = 5
    online_learning_rates: tuple[str, ...] = ("invscaling",)
    test_share: float = 0.2
    eta0: float = 0.05
    target: str = "reward"
    sweeps: int = 20
    q: QLearningParameters = field(default_factory=QLearningParameters)
    checkpoint_every: int = 20
    selections: int = 20
    selection_steps: int = 40

    def __post_init__(self):
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise InputError("seed", self.seed, "a whole number of at least 0")
        check_range("dataset_episodes", self.dataset_episodes, 1, 1e6)
        check_range("episode_steps", self.episode_steps, 1, 1e6)
        if not self.episodes:
            raise InputError("episodes", self.episodes, "a number of episodes for at least one phase")
        for phase, count in self.episodes.items():
            check_range(f"episodes of phase {phase}", count, 1, 1e7)
        if self.order not in ORDERS:
            raise unknown_name("order", self.order, ORDERS)
        if self.target not in TARGETS:
            raise unknown_name("target", self.target, TARGETS)
        if not set(self.online_learning_rates) & set(self.grid["learning_rate"]):
            allowed = f"at least one of the grid's: {', '.join(self.grid['learning_rate'])}"
            raise InputError("online_learning_rates", self.online_learning_rates, allowed)
        for name, low, high in (
            ("grid_share", 0.0, 1.0),
            ("folds", 2, 100),
            ("test_share", 0.01, 0.9),
            ("eta0", 1e-9, 10.0),
            ("sweeps", 1, 1e6),
            ("checkpoint_every", 1, 1e7),
            ("selections", 0, 1e6),
            ("selection_steps", 1, 1e6),
        ):
            check_range(name, getattr(self, name), low, high)

    @property
    def phases(self) -> tuple[int, ...]:
        """The phases that are trained, ascending."""
        return tuple(sorted(self.episodes))

    def steps(self) -> dict[str, int]:
        """Environment steps of each stage; their sum is what the campaign costs."""
        blocks = len(self.phases) * (len(self.phases) - 1) + 1
        return {
            "dataset": len(self.phases) * self.dataset_episodes * self.episode_steps,
            "online": sum(self.episodes.values()) * self.episode_steps,
            "selection": self.selection_steps * blocks * (self.selections + 1 if self.selections else 0),
        }

    def reduced(self, campaign: float) -> TrainingPlan:
        """The plan with this share of the thesis' campaign.

        Episodes of the random agent and of the training are multiplied by `campaign`, and so is the share of the
        grid that is tried; below 1 only the smallest number of iterations of Table D.1 is (converged fits need
        fewer, so that this cuts short the ones that do not converge). The smaller data set is swept more often, up to
        100 times, so that the models are as far trained as in the full campaign.

        Raises:
            InputError: unless 0 < campaign <= 1.
        """
        check_range("campaign", campaign, 0.0005, 1.0)
        if campaign == 1.0:
            return self
        return replace(
            self,
            dataset_episodes=max(2, round(campaign * self.dataset_episodes)),
            episodes={phase: max(3, round(campaign * count)) for phase, count in self.episodes.items()},
            grid_share=campaign * self.grid_share,
            sweeps=max(self.sweeps, min(100, round(self.sweeps / campaign))),
            grid=dict(self.grid, max_iter=(min(self.grid["max_iter"]),)),
        )

    def to_dict(self) -> dict:
        """All of it as JSON would give it back: the fingerprint of a run."""
        plain = asdict(self)
        plain["episodes"] = {str(phase): count for phase, count in sorted(self.episodes.items())}
        plain["grid"] = {name: list(values) for name, values in self.grid.items()}
        plain["log_columns"] = list(self.log_columns)
        plain["online_learning_rates"] = list(self.online_learning_rates)
        return plain
