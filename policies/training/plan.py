"""The plan of a Q-learning training: the thesis' campaign, the choices it leaves open, and reduced campaigns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pmtwin.policies.linear_q.parameters import QLearningParameters
from pmtwin.policies.training.problem import Problem
from pmtwin.sim.errors import InputError, check_range, unknown_name

ORDERS = ("interleaved", "in-turn")
TARGETS = ("fitted-q", "return", "reward")
TRIED = ("eligible", "grid", "halving")
MOST_ACTORS = 1024

GRID = {
    "degree": (1, 2, 3),
    "alpha": (0.1, 0.01, 0.001, 0.0001),
    "penalty": ("l1", "l2", "elasticnet"),
    "loss": ("squared_error", "huber", "epsilon_insensitive"),
    "learning_rate": ("constant", "optimal", "invscaling"),
    "max_iter": (100, 1000, 10_000, 100_000),
}
"""Table D.1; scikit-learn has renamed its loss "squared" to squared_error."""

USUAL_EPISODES = 300
"""Number of training episodes of a context for which the scenario declares none."""


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """Plan of a training run; together with the environment it determines the trained policy, bit for bit.

    Args:
        problem: nouns and shapes of the scenario.
        episodes: number of training episodes by context, in the order of the contexts.
        seed: root of all random numbers of the run.
        dataset_episodes: number of episodes of the random agent per context (section 4.3).
        episode_steps: number of steps (windows) of an episode (Table D.3).
        order: `interleaved` mixes the contexts evenly in proportion to their episodes, so that none is forgotten
            while another is learned; `in-turn` trains one context after the other as the thesis does.
        grid: Table D.1.
        grid_share: share of the grid's configurations that are tried, drawn at random (1: all).
        folds: number of folds of the cross-validation.
        online_learning_rates: learning rates of the grid that may be chosen. All nine winners of Table D.2 are
            invscaling, and the online stage needs it: a constant step never stops following the noise of the latest
            windows, and the first steps of `optimal` make every degree above 1 diverge.
        tried: `eligible`: only the configurations with `online_learning_rates`; `grid`: all, which results in the same
            models and adds the best score of the others to the table; `halving`: the eligible ones, most of them only
            on part of the data (`halving.py`).
        test_share: share of each sub-dataset that is kept aside for the final score.
        eta0: initial step size of gradient descent, which Table D.1 leaves at its default. With scikit-learn's 0.01 the
            fit has not converged after 200 sweeps over a tenth of the data, since powers of the columns are strongly
            correlated; above 0.1 it can diverge.
        target: target of the bootstrap: `reward`: the immediate reward; `return`: the discounted rewards to the end of
            the episode; `fitted-q`: the reward in the first sweep, then r + gamma max Q'.
        sweeps: number of passes over the data in the bootstrap.
        q: parameters of Algorithm 2.
        actors: number of episodes played with the same weights (`actors.py`); 1: one after another, as in the thesis.
        checkpoint_every: number of episodes between two checkpoints.
        selections: number of trials of the greedy policy during the training; the result is the weights of the best
            trial (`trials.py`). 0: the last weights, as in the thesis; since Q-learning with function approximation
            need not converge, these can be worse than earlier ones after a change of context.
        selection_steps: number of windows of a trial between two changes of context.
    """

    problem: Problem
    episodes: Mapping[int | str, int]
    seed: int = 0
    dataset_episodes: int = 150
    episode_steps: int = 200
    order: str = "interleaved"
    grid: Mapping[str, tuple] = field(default_factory=lambda: dict(GRID))
    grid_share: float = 1.0
    folds: int = 5
    online_learning_rates: tuple[str, ...] = ("invscaling",)
    tried: str = "eligible"
    test_share: float = 0.2
    eta0: float = 0.05
    target: str = "reward"
    sweeps: int = 20
    q: QLearningParameters = field(default_factory=QLearningParameters)
    actors: int = 1
    checkpoint_every: int = 20
    selections: int = 20
    selection_steps: int = 40

    def __post_init__(self):
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise InputError("seed", self.seed, "a whole number of at least 0")
        check_range("dataset_episodes", self.dataset_episodes, 1, 1e6)
        check_range("episode_steps", self.episode_steps, 1, 1e6)
        if not self.episodes:
            raise InputError("episodes", self.episodes, f"episodes of at least one {self.problem.context_noun}")
        for context, count in self.episodes.items():
            check_range(f"episodes of {self.problem.context_noun} {context}", count, 0, 1e7)
        if self.order not in ORDERS:
            raise unknown_name("order", self.order, ORDERS)
        if self.target not in TARGETS:
            raise unknown_name("target", self.target, TARGETS)
        if self.tried not in TRIED:
            raise unknown_name("tried", self.tried, TRIED)
        if not set(self.online_learning_rates) & set(self.grid["learning_rate"]):
            allowed = f"at least one of the grid's: {', '.join(self.grid['learning_rate'])}"
            raise InputError("online_learning_rates", self.online_learning_rates, allowed)
        for name, low, high in (
            ("grid_share", 0.0, 1.0),
            ("folds", 2, 100),
            ("test_share", 0.01, 0.9),
            ("eta0", 1e-9, 10.0),
            ("sweeps", 1, 1e6),
            ("actors", 1, MOST_ACTORS),
            ("checkpoint_every", 1, 1e7),
            ("selections", 0, 1e6),
            ("selection_steps", 1, 1e6),
        ):
            check_range(name, getattr(self, name), low, high)

    @classmethod
    def from_training(cls, problem: Problem, training: Any, **changes: Any) -> TrainingPlan:
        """The whole campaign that a scenario declares.

        Args:
            problem: nouns and shapes of the scenario.
            training: a `pmtwin.scenarios.scenario.Training`, with `episodes` (by context), `dataset_episodes` and
                `episode_steps`.
            changes: values of further fields.
        """
        episodes = {name: training.episodes.get(name, USUAL_EPISODES) for name in problem.contexts}
        declared = {"dataset_episodes": training.dataset_episodes, "episode_steps": training.episode_steps}
        return cls(**{"problem": problem, "episodes": episodes, **declared, **changes})

    @property
    def contexts(self) -> tuple[int | str, ...]:
        """The training contexts, in order."""
        return tuple(self.episodes)

    def steps(self) -> dict[str, int]:
        """Number of environment steps of each stage."""
        count = len(self.contexts)
        blocks = count * (count - 1) + 1
        trials = 1 + min(self.selections, sum(self.episodes.values())) if self.selections else 0
        return {
            "dataset": count * self.dataset_episodes * self.episode_steps,
            "online": sum(self.episodes.values()) * self.episode_steps,
            "selection": self.selection_steps * blocks * trials,
        }

    def reduced(self, campaign: float) -> TrainingPlan:
        """The plan of a share of the whole campaign.

        The numbers of episodes of the random agent and of the training, and the share of the grid that is tried, are
        multiplied by `campaign`. Below 1 only the smallest `max_iter` of Table D.1 is tried, which cuts short fits that
        do not converge. The bootstrap makes more passes over the smaller data set, up to 100, so that the models are
        trained as far as in the whole campaign.

        Raises:
            InputError: unless 0.0005 <= campaign <= 1.
        """
        check_range("campaign", campaign, 0.0005, 1.0)
        if campaign == 1.0:
            return self
        return replace(
            self,
            dataset_episodes=max(2, round(campaign * self.dataset_episodes)),
            episodes={name: max(3, round(campaign * count)) for name, count in self.episodes.items()},
            grid_share=campaign * self.grid_share,
            sweeps=max(self.sweeps, min(100, round(self.sweeps / campaign))),
            grid=dict(self.grid, max_iter=(min(self.grid["max_iter"]),)),
        )

    def to_dict(self) -> dict:
        """The plan as JSON values, which identify a run.

        `actors` and `tried` are left out at their defaults, so that policy files of earlier versions, which did not
        have these fields, stay the same bytes.
        """
        values = asdict(self)
        del values["problem"]
        for name, default in (("actors", 1), ("tried", "eligible")):
            if values[name] == default:
                del values[name]
        values["episodes"] = {str(name): count for name, count in self.episodes.items()}
        values["log_columns"] = list(self.problem.log_columns)
        values["grid"] = {name: list(options) for name, options in self.grid.items()}
        values["online_learning_rates"] = list(self.online_learning_rates)
        return values
