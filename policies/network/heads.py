"""Heads of value networks: one output for each action, or a distribution over its returns (C51)."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from pmtwin.policies.network.atoms import Atoms
from pmtwin.policies.network.projection import projected


class Head(ABC):
    """Computes values of actions from outputs, and targets and gradients for learning.

    Args:
        actions: number of actions.
    """

    atoms: Atoms | None = None
    """Atoms of the distributions; None: the outputs are the values."""

    def __init__(self, actions: int):
        self.actions = actions

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Number of the network's outputs."""

    @abstractmethod
    def values(self, outputs: np.ndarray) -> np.ndarray:
        """The value of each action, shape (..., actions), from outputs of shape (..., outputs)."""

    @abstractmethod
    def targets(self, rewards: np.ndarray, discounts: np.ndarray, after: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Targets for the outputs of the actions taken.

        Args:
            rewards: shape (rows,).
            discounts: discount of the next state's value, shape (rows,); 0 at the end of an episode.
            after: outputs of the target network in the next states, shape (rows, outputs).
            actions: actions chosen in the next states, shape (rows,).
        """

    @abstractmethod
    def gradient(self, outputs: np.ndarray, actions: np.ndarray, targets: np.ndarray) -> tuple[float, np.ndarray]:
        """Mean loss of a batch, and its gradient with respect to the outputs.

        Args:
            outputs: shape (rows, outputs).
            actions: actions taken, shape (rows,).
            targets: return value of `targets`.
        """


class LinearHead(Head):
    """One output for each action: its value. The loss is half the squared error."""

    @property
    def outputs(self) -> int:
        """The number of actions."""
        return self.actions

    def values(self, outputs: np.ndarray):
        """The outputs."""
        return outputs

    def targets(self, rewards: np.ndarray, discounts: np.ndarray, after: np.ndarray, actions: np.ndarray):
        """Rewards plus the discounted values of the next states, shape (rows,)."""
        return rewards + discounts * after[np.arange(len(actions)), actions]

    def gradient(self, outputs: np.ndarray, actions: np.ndarray, targets: np.ndarray):
        """Mean loss, and its gradient with respect to the outputs."""
        rows = np.arange(len(actions))
        error = outputs[rows, actions] - targets
        gradient = np.zeros_like(outputs)
        gradient[rows, actions] = error / len(rows)
        return 0.5 * float(error @ error) / len(rows), gradient


class CategoricalHead(Head):
    """A distribution over returns for each action (Bellemare et al., ICML 2017: C51). The loss is the cross-entropy.

    Args:
        actions: number of actions.
        atoms: returns over which the distributions extend.

    Raises:
        InputError: see `Atoms.check`.
    """

    def __init__(self, actions: int, atoms: Atoms):
        super().__init__(actions)
        atoms.check()
        self.atoms: Atoms = atoms
        self._returns = np.linspace(atoms.low, atoms.high, atoms.count)

    @property
    def outputs(self) -> int:
        """The number of actions times the number of atoms; outputs stand action by action."""
        return self.actions * self.atoms.count

    def probabilities(self, outputs: np.ndarray) -> np.ndarray:
        """Probability of each atom, shape (..., actions, atoms)."""
        logits = outputs.reshape(*outputs.shape[:-1], self.actions, self.atoms.count)
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    def values(self, outputs: np.ndarray):
        """The means of the distributions."""
        return self.probabilities(outputs) @ self._returns.astype(outputs.dtype)

    def targets(self, rewards: np.ndarray, discounts: np.ndarray, after: np.ndarray, actions: np.ndarray):
        """Distribution of reward plus discounted return, projected onto the atoms: shape (rows, atoms)."""
        chosen = self.probabilities(after)[np.arange(len(actions)), actions]
        return projected(chosen, rewards, discounts, self.atoms.low, self.atoms.high)

    def gradient(self, outputs: np.ndarray, actions: np.ndarray, targets: np.ndarray):
        """Mean loss, and its gradient with respect to the outputs."""
        rows = np.arange(len(actions))
        chosen = outputs.reshape(-1, self.actions, self.atoms.count)[rows, actions]
        shifted = chosen - chosen.max(axis=1, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        gradient = np.zeros((len(rows), self.actions, self.atoms.count), outputs.dtype)
        gradient[rows, actions] = (np.exp(logs) - targets) / len(rows)
        return -float((targets * logs).sum()) / len(rows), gradient.reshape(outputs.shape)
