"""Deep Q-learning: minibatches from a replay, a target network, an optimiser.

Mnih et al. (Nature 2015) with options: double Q (van Hasselt et al., AAAI 2016), returns of several steps, a
categorical head (C51). It depends on no environment or simulator: the caller adds rows to the replay and asks for
values.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.policies.network.heads import Head
from pmtwin.policies.network.layers import Layers, by_layer
from pmtwin.policies.network.optimisers import Optimiser, limit_norm, limit_norms
from pmtwin.policies.network.replay import Replay
from pmtwin.policies.network.states import joined, part_of, random_state, restore_random
from pmtwin.policies.network.target_copy import TargetCopy
from pmtwin.sim.errors import CheckFailedError


class DeepQ:
    """A deep Q-network and the parts of its training.

    Args:
        layers: layers from observations to the outputs of the head.
        head: interpretation of the outputs.
        optimiser: optimiser of the layers' parameters.
        target: target copy of these parameters.
        replay: replay with rows of `replay.transition_type`.
        random: generator that draws the minibatches.
        batch: number of rows in a minibatch.
        double: double Q: the learning network chooses the next action, and the target network values it.
        norm: largest length of a gradient; longer ones are shortened.
        by_tensor: whether `norm` holds for the weights and for the biases of each layer, rather than for all together.
    """

    def __init__(
        self,
        layers: Layers,
        head: Head,
        optimiser: Optimiser,
        target: TargetCopy,
        replay: Replay,
        random: np.random.Generator,
        batch: int = 32,
        double: bool = True,
        norm: float = 10.0,
        by_tensor: bool = False,
    ):
        self.layers, self.head, self.optimiser, self.target = layers, head, optimiser, target
        self.replay, self.random, self.batch, self.double, self.norm = replay, random, batch, double, norm
        self._target_layers = Layers(layers.sizes, layers.activation, target.parameters)
        self._gradient = np.empty_like(layers.parameters)
        tensors = [part for parts in zip(*by_layer(layers.sizes, self._gradient), strict=True) for part in parts]
        self._tensors = [part.reshape(-1) for part in tensors] if by_tensor else []

    @property
    def steps(self) -> int:
        """Steps of the optimiser so far."""
        return self.optimiser.steps

    def values(self, observation: np.ndarray) -> np.ndarray:
        """The value of each action: shape (actions,)."""
        return self.head.values(self.layers.values(observation))

    def learn(self) -> float:
        """Make one optimiser step on a minibatch; returns the mean loss before it.

        Raises:
            CheckFailedError: if the loss or the gradient is not finite.
        """
        rows = self.replay.sample(self.random, self.batch)
        states, next_states = np.ascontiguousarray(rows["state"]), np.ascontiguousarray(rows["after"])
        target_outputs = self._target_layers.run(next_states).outputs
        choosing = self.layers.run(next_states).outputs if self.double else target_outputs
        best = self.head.values(choosing).argmax(axis=1)
        targets = self.head.targets(rows["reward"], rows["discount"], target_outputs, best)
        passed = self.layers.run(states)
        loss, of_outputs = self.head.gradient(passed.outputs, rows["action"], targets)
        self.layers.gradient(passed, of_outputs, self._gradient)
        norm = limit_norms(self._tensors, self.norm) if self._tensors else limit_norm(self._gradient, self.norm)
        if not np.isfinite(loss + norm):
            remedy = "choose a smaller learning rate, or a lower limit of the gradient's length"
            raise CheckFailedError(f"the deep Q-network diverged at step {self.steps + 1}; {remedy}")
        parameters, target = self.layers.parameters, self.target
        if target.follows_each_step:
            self.optimiser.step_and_follow(parameters, self._gradient, target.parameters, target.share)
        else:
            self.optimiser.step(parameters, self._gradient)
            target.follow(parameters, self.steps)
        return loss

    def state(self, replay: bool = True) -> dict[str, np.ndarray]:
        """The state of learning, for a checkpoint.

        Args:
            replay: whether the rows of the replay are part of it.
        """
        parts = {
            "parameters": {"online": self.layers.parameters.copy(), "target": self.target.parameters.copy()},
            "optimiser": self.optimiser.state(),
            "random": {"state": random_state(self.random)},
        }
        return joined(parts | ({"replay": self.replay.state()} if replay else {}))

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a state; the same rows then give the same bits. A state without a replay keeps the present
        rows.

        Raises:
            InputError: for the state of another network, optimiser or replay.
        """
        parameters = part_of(state, "parameters")
        self.layers.parameters[...] = parameters["online"]
        self.target.parameters[...] = parameters["target"]
        self.optimiser.restore(part_of(state, "optimiser"))
        if replay := part_of(state, "replay"):
            self.replay.restore(replay)
        restore_random(self.random, state["random.state"])
