"""What the outputs of a value network mean: one number for each action, or a distribution over returns (C51)."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from pmtwin.policies.network.atoms import Atoms
from pmtwin.policies.network.projection import projected


class Head(ABC):
    """Values of actions from outputs, and what the outputs learn.

    Args:
        actions: how many there are.
    """

    atoms: Atoms | None = None
    """Of a distribution; None: the outputs are the values."""

    def __init__(self, actions: int):
        self.actions = actions

    @property
    @abstractmethod
    def outputs(self) -> int:
        """How many outputs the network has."""

    @abstractmethod
    def values(self, outputs: np.ndarray) -> np.ndarray:
        """The value of each action: shape (..., actions), of outputs of shape (..., outputs)."""

    @abstractmethod
    def targets(self, rewards: np.ndarray, discounts: np.ndarray, after: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """What the outputs of the actions taken should have been.

        Args:
            rewards: shape (rows,).
            discounts: of what comes after, shape (rows,); 0 where nothing does.
            after: outputs of the target network in the states that came after, shape (rows, outputs).
            actions: which action would be taken there, shape (rows,).
        """

    @abstractmethod
    def gradient(self, outputs: np.ndarray, actions: np.ndarray, targets: np.ndarray) -> tuple[float, np.ndarray]:
        """Mean loss of a batch, and its gradient with respect to the outputs.

        Args:
            outputs: shape (rows, outputs).
            actions: that were taken, shape (rows,).
            targets: return value of `targets`.
        """


class LinearHead(Head):
    """One output for each action: its value. The loss is half the squared error."""

    @property
    def outputs(self) -> int:
        """As many as actions."""
        return self.actions

    def values(self, outputs: np.ndarray):
        """The outputs."""
        return outputs

    def targets(self, rewards: np.ndarray, discounts: np.ndarray, after: np.ndarray, actions: np.ndarray):
        """Rewards and the discounted values of what comes after: shape (rows,)."""
        return rewards + discounts * after[np.arange(len(actions)), actions]

    def gradient(self, outputs: np.ndarray, actions: np.ndarray, targets: np.ndarray):
        """Mean loss, and its gradient."""
        rows = np.arange(len(actions))
        error = outputs[rows, actions] - targets
        gradient = np.zeros_like(outputs)
        gradient[rows, actions] = error / len(rows)
        return 0.5 * float(error @ error) / len(rows), gradient


class CategoricalHead(Head):
    """A distribution over returns for each action (Bellemare et al., ICML 2017: C51). The loss is the cross-entropy.

    Args:
        actions: how many there are.
        atoms: returns that the distribution is over.

    Raises:
        InputError: as `Atoms.check`.
    """

    def __init__(self, actions: int, atoms: Atoms):
        super().__init__(actions)
        atoms.check()
        self.atoms: Atoms = atoms
        self._returns = np.linspace(atoms.low, atoms.high, atoms.count)

    @property
    def outputs(self) -> int:
        """Atoms of all actions, one action after the other."""
        return self.actions * self.atoms.count

    def probabilities(self, outputs: np.ndarray) -> np.ndarray:
        """Of each atom: shape (..., actions, atoms)."""
        logits = outputs.reshape(*outputs.shape[:-1], self.actions, self.atoms.count)
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    def values(self, outputs: np.ndarray):
        """The means of the distributions."""
        return self.probabilities(outputs) @ self._returns.astype(outputs.dtype)

    def targets(self, rewards: np.ndarray, discounts: np.ndarray, after: np.ndarray, actions: np.ndarray):
        """Probabilities of the atoms behind the rewards, shape (rows, atoms): projected back onto the atoms."""
        chosen = self.probabilities(after)[np.arange(len(actions)), actions]
        return projected(chosen, rewards, discounts, self.atoms.low, self.atoms.high)

    def gradient(self, outputs: np.ndarray, actions: np.ndarray, targets: np.ndarray):
        """Mean loss, and its gradient."""
        rows = np.arange(len(actions))
        chosen = outputs.reshape(-1, self.actions, self.atoms.count)[rows, actions]
        shifted = chosen - chosen.max(axis=1, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        gradient = np.zeros((len(rows), self.actions, self.atoms.count), outputs.dtype)
        gradient[rows, actions] = (np.exp(logs) - targets) / len(rows)
        return -float((targets * logs).sum()) / len(rows), gradient.reshape(outputs.shape)
