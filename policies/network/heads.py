"""What the outputs of a value network mean: one number for each action, or a distribution over returns (C51)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from pmtwin.policies.network.projection import projected
from pmtwin.sim.errors import InputError, check_range


class Head(ABC):
    """Values of actions from outputs, and what the outputs learn.

    Args:
        actions: how many there are.
    """

    kind: str

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

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain values for `head_of`."""


class LinearHead(Head):
    """One output for each action: its value. The loss is half the squared error."""

    kind = "linear"

    @property
    def outputs(self) -> int:
        """As many as actions."""
        return self.actions

    def values(self, outputs):
        """The outputs."""
        return outputs

    def targets(self, rewards, discounts, after, actions):
        """Rewards and the discounted values of what comes after: shape (rows,)."""
        return rewards + discounts * after[np.arange(len(actions)), actions]

    def gradient(self, outputs, actions, targets):
        """Mean loss, and its gradient."""
        rows = np.arange(len(actions))
        error = outputs[rows, actions] - targets
        gradient = np.zeros_like(outputs)
        gradient[rows, actions] = error / len(rows)
        return 0.5 * float(error @ error) / len(rows), gradient

    def to_dict(self):
        """Plain values."""
        return {"kind": self.kind, "actions": self.actions}


class CategoricalHead(Head):
    """A distribution over returns for each action (Bellemare et al., ICML 2017: C51). The loss is the cross-entropy.

    Args:
        actions: how many there are.
        atoms: returns that the distribution is over, evenly spaced.
        low, high: the least and the largest return.

    Raises:
        InputError: for fewer than two atoms, or ends in another order.
    """

    kind = "categorical"

    def __init__(self, actions: int, atoms: int, low: float, high: float):
        super().__init__(actions)
        check_range("atoms", atoms, 2, 10_000)
        if not -np.inf < low < high < np.inf:
            raise InputError("range of returns", f"{low:g} to {high:g}", "finite numbers, the lower one first")
        self.atoms, self.low, self.high = atoms, low, high
        self.returns = np.linspace(low, high, atoms)

    @property
    def outputs(self) -> int:
        """Atoms of all actions, one action after the other."""
        return self.actions * self.atoms

    def probabilities(self, outputs: np.ndarray) -> np.ndarray:
        """Of each atom: shape (..., actions, atoms)."""
        logits = outputs.reshape(*outputs.shape[:-1], self.actions, self.atoms)
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    def values(self, outputs):
        """The means of the distributions."""
        return self.probabilities(outputs) @ self.returns.astype(outputs.dtype)

    def targets(self, rewards, discounts, after, actions):
        """Probabilities of the atoms behind the rewards, shape (rows, atoms): projected back onto the atoms."""
        chosen = self.probabilities(after)[np.arange(len(actions)), actions]
        return projected(chosen, rewards, discounts, self.low, self.high)

    def gradient(self, outputs, actions, targets):
        """Mean loss, and its gradient."""
        rows = np.arange(len(actions))
        chosen = outputs.reshape(-1, self.actions, self.atoms)[rows, actions]
        shifted = chosen - chosen.max(axis=1, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        gradient = np.zeros((len(rows), self.actions, self.atoms), outputs.dtype)
        gradient[rows, actions] = (np.exp(logs) - targets) / len(rows)
        return -float((targets * logs).sum()) / len(rows), gradient.reshape(outputs.shape)

    def to_dict(self):
        """Plain values."""
        return {"kind": self.kind, "actions": self.actions, "atoms": self.atoms, "low": self.low, "high": self.high}


HEADS: dict[str, type[Head]] = {cls.kind: cls for cls in (LinearHead, CategoricalHead)}


def head_of(entry: Mapping[str, Any]) -> Head:
    """The head that `to_dict` described.

    Raises:
        InputError, KeyError, TypeError: for what `to_dict` would not have written.
    """
    fields = dict(entry)
    return HEADS[fields.pop("kind")](**fields)
