"""The actor of an agent that Stable-Baselines3 saved, as a network of ours.

Its file is a zip with pickled objects: reading it runs code that whoever wrote it has chosen.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from pmtwin.policies.base import PolicyContext
from pmtwin.policies.network.perceptron import ACTIVATIONS, Perceptron
from pmtwin.sim.errors import InputError, MissingDependencyError
from pmtwin.sim.normalization import Normalization

ACTOR, ACTOR_OUTPUT = "mlp_extractor.policy_net", "action_net"
"""Where PPO and A2C keep the hidden layers and the last one."""
VALUES = "q_net.q_net"
"""Where DQN keeps all layers."""


def read_agent(path: Path, context: PolicyContext) -> Perceptron:
    """Read an agent of PPO, A2C or DQN with `MlpPolicy`, trained with `normalize=True`.

    Args:
        path: what the agent's `save` wrote.
        context: of the scenario that it was trained in.

    Raises:
        MissingDependencyError: without Stable-Baselines3.
        InputError: if the file cannot be read; if its spaces are not the scenario's with `normalize=True`; if its
            policy is no plain multilayer perceptron of `ACTIVATIONS`.
    """
    try:
        from stable_baselines3.common.save_util import load_from_zip_file
    except ImportError as error:
        remedy = "pip install 'pmtwin[sb3]'"
        raise MissingDependencyError(f"--sb3: Stable-Baselines3 cannot be imported ({error}); {remedy}") from error
    if not path.is_file():
        raise InputError("sb3", str(path), "an existing file")
    if not zipfile.is_zipfile(path):
        raise InputError("sb3", str(path), "the zip file of an agent that Stable-Baselines3 saved")
    try:
        data, parameters, _ = load_from_zip_file(path, device="cpu")
        tensors = {name: tensor.detach().numpy().astype(float) for name, tensor in parameters["policy"].items()}
    except (KeyError, ValueError, TypeError, AttributeError, ImportError, EOFError, RuntimeError) as error:
        raise InputError("sb3", str(path), f"an agent that Stable-Baselines3 saved ({error})") from error
    _check_spaces(data, context, path)
    weights, biases = _layers(tensors, path)
    return Perceptron(Normalization(context.columns).scaling, weights, biases, _activation(data, tensors, path))


def _check_spaces(data: dict, context: PolicyContext, path: Path) -> None:
    """The spaces are the scenario's, normalised."""
    observations, actions = data.get("observation_space"), data.get("action_space")
    shape = (context.observation_size,)
    if getattr(observations, "shape", None) != shape or not (
        np.all(observations.low == -1.0) and np.all(observations.high == 1.0)
    ):
        allowed = f"{context.observation_size} numbers from -1 to 1: train in the environment with normalize=True"
        raise InputError("observation space", observations, allowed, str(path))
    if getattr(actions, "n", None) != context.action_count:
        raise InputError("action space", actions, f"Discrete({context.action_count})", str(path))


def _layers(tensors: dict[str, np.ndarray], path: Path) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Weights and biases of the layers from observation to action."""
    stem = ACTOR if f"{ACTOR_OUTPUT}.weight" in tensors else VALUES
    numbers = sorted(
        int(name.removeprefix(f"{stem}.").removesuffix(".weight"))
        for name in tensors
        if name.startswith(f"{stem}.") and name.endswith(".weight")
    )
    names = [f"{stem}.{number}" for number in numbers] + [ACTOR_OUTPUT] * (stem == ACTOR)
    if not names or any(name.startswith(("features_extractor.", "q_net.features_extractor.")) for name in tensors):
        raise InputError("sb3", str(path), "an agent of PPO, A2C or DQN with MlpPolicy")
    weights = [np.ascontiguousarray(tensors[f"{name}.weight"]) for name in names]
    return weights, [tensors[f"{name}.bias"] for name in names]


def _activation(data: dict[str, Any], tensors: dict[str, np.ndarray], path: Path) -> str:
    """The activation of the hidden layers; Stable-Baselines3 does not save the one that is its default."""
    chosen = (data.get("policy_kwargs") or {}).get("activation_fn")
    if chosen is None:
        return "tanh" if f"{ACTOR_OUTPUT}.weight" in tensors else "relu"
    name = chosen.__name__.lower()
    if name not in ACTIVATIONS:
        raise InputError("activation_fn", chosen.__name__, " or ".join(ACTIVATIONS), str(path))
    return name
