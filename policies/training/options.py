"""The options of Q-learning's training, as `pmtwin train` offers them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pmtwin.policies.linear_q.parameters import QLearningParameters
from pmtwin.policies.training.plan import MOST_ACTORS, ORDERS, TARGETS, TRIED, TrainingPlan
from pmtwin.policies.training.problem import Problem
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class QTraining(Options):
    """Options of a training run; the scenario declares the whole campaign."""

    campaign: float = option(
        0.1,
        "share of the whole campaign of q-learning, which is 1 and which this option chooses; 0.1 takes minutes",
        low=0.0005,
        high=1.0,
        metavar="SHARE",
    )
    episodes: tuple[int, ...] | None = option(
        None,
        "training episodes per context: one number, or a number for each context; 0: no episodes after the bootstrap "
        "(default: by --campaign)",
        metavar="N[,N...]",
    )
    dataset_episodes: int | None = option(
        None, "episodes of the random agent per context (default: by --campaign)", low=1, high=10**6, metavar="N"
    )
    trials: int = option(
        20,
        "number of evaluations during training; the best weights are kept; 0: keep the last weights (thesis)",
        low=0,
        high=1000,
        metavar="N",
    )
    order: str = option(
        "interleaved", "order of the contexts: interleaved, or in-turn (thesis)", choices=ORDERS, metavar="KIND"
    )
    target: str = option("reward", f"target of the first models: {', '.join(TARGETS)}", choices=TARGETS, metavar="KIND")
    selection: str = option(
        "eligible",
        "configurations in model selection: eligible (those that can win); grid (all; the same models win); halving "
        "(most see a part of the data)",
        choices=TRIED,
        metavar="KIND",
    )
    actors: int = option(
        1,
        "number of episodes played with the same weights; it changes the policy, unlike --jobs",
        low=1,
        high=MOST_ACTORS,
        metavar="N",
    )
    q: QLearningParameters = field(default_factory=QLearningParameters)

    def plan(self, problem: Problem, declared: Any, seed: int) -> TrainingPlan:
        """The plan of the run.

        Args:
            problem: the controlled system.
            declared: the whole campaign (a `pmtwin.scenarios.scenario.Training`).
            seed: root of all random numbers.

        Raises:
            InputError: for numbers of episodes that do not fit the contexts.
        """
        plan = TrainingPlan.from_training(problem, declared, seed=seed, order=self.order, target=self.target, q=self.q)
        plan = replace(plan, tried=self.selection, actors=self.actors, selections=self.trials)
        plan = plan.reduced(self.campaign)
        if self.episodes is not None:
            plan = replace(plan, episodes=self._by_context(problem))
        if self.dataset_episodes is not None:
            plan = replace(plan, dataset_episodes=self.dataset_episodes)
        return plan

    def _by_context(self, problem: Problem) -> dict[int | str, int]:
        """Context -> episodes from one number, or one per context."""
        count = len(problem.contexts)
        episodes = self.episodes * count if len(self.episodes) == 1 else self.episodes
        if len(episodes) != count or min(episodes) < 0:
            text = ",".join(map(str, self.episodes))
            per_context = f"or {count} separated by commas, one per {problem.context_noun}"
            raise InputError("episodes", text, f"one whole number of at least 0, {per_context}")
        return dict(zip(problem.contexts, episodes, strict=True))
