"""Import of the policy network from an agent that Stable-Baselines3 saved.

The file is a zip with pickled objects: reading it can run any code that its author has put there.
"""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pmtwin.policies.base import PolicyContext
from pmtwin.policies.network.interface import Interface
from pmtwin.policies.network.perceptron import Perceptron
from pmtwin.sim.control import shown_measures
from pmtwin.sim.control.normalization import Normalization
from pmtwin.sim.errors import InputError, MissingDependencyError

ACTOR, ACTOR_OUTPUT = "mlp_extractor.policy_net", "action_net"
"""Names of the hidden layers and the last one in PPO and A2C."""
VALUES = "q_net.q_net"
"""Name of all layers in DQN."""
OF_TORCH = {"Tanh": "tanh", "ReLU": "relu", "SiLU": "swish"}
"""PyTorch's name of an activation -> name in `ACTIVATIONS`."""


def read_agent(path: Path, context: PolicyContext) -> tuple[Perceptron, Interface]:
    """Read an agent of PPO, A2C or DQN with `MlpPolicy`, trained with `normalize=True`: its network and interface.

    Args:
        path: file written by the agent's `save`.
        context: context of the scenario that the agent was trained in.

    Raises:
        MissingDependencyError: without Stable-Baselines3.
        InputError: if the file cannot be read; if its spaces are not those of an environment of the scenario with
            `normalize=True`; if its policy is no plain multilayer perceptron of `ACTIVATIONS`.
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
    interface, normalization = _interface_of_space(data.get("observation_space"), context, path)
    interface = replace(interface, jumps=_jumps(data.get("action_space"), context, path))
    weights, biases = _layers(tensors, path)
    return Perceptron(normalization.scaling, weights, biases, _activation(data, tensors, path)), interface


def _interface_of_space(space: Any, context: PolicyContext, path: Path) -> tuple[Interface, Normalization]:
    """The interface whose normalised observations have this observation space, and the normalisation."""
    high = getattr(space, "high", None)
    vector = high if isinstance(high, np.ndarray) and high.ndim == 1 else np.zeros(0)
    for measures in (False, True):
        interface = Interface.showing_measures(context, measures, 1, False)
        windows = max(1, vector.size // interface.observation_size(context))
        shown = shown_measures(context.measures, context.goals) if measures else ()
        normalization = Normalization(context.columns, shown, context.goals, windows)
        if np.array_equal(vector, normalization.bound) and np.array_equal(space.low, -normalization.bound):
            return replace(interface, windows=windows), normalization
    allowed = f"the space of an environment of {context.scenario} with normalize=True"
    raise InputError("observation space", space, allowed, str(path))


def _jumps(space: Any, context: PolicyContext, path: Path) -> bool:
    """Whether actions are settings to jump to, rather than numbered actions.

    Stable-Baselines3 ignores `start` of a MultiDiscrete space: its first output always means 0. So only spaces that
    start at 0 are accepted: those of the environment's version 1, and those of `ActionsFromZero`.
    """
    if context.is_discrete and getattr(space, "n", None) == context.action_count:
        return False
    widths = context.settings.widths if context.settings else None
    nvec = getattr(space, "nvec", None)
    fits = widths is not None and nvec is not None and list(nvec) == widths
    if fits and not any(space.start):
        return True
    numbered = f"Discrete({context.action_count})" if context.is_discrete else f"{context.action_space}"
    allowed = f"{numbered}; or, with jumps=True, MultiDiscrete({widths})" if widths else numbered
    if fits:
        allowed = f"MultiDiscrete({widths}): Stable-Baselines3 ignores start; train with pmtwin.ActionsFromZero(env)"
    raise InputError("action space", str(space), allowed, str(path))


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
    """The activation of the hidden layers; Stable-Baselines3 saves only one that differs from its default."""
    chosen = (data.get("policy_kwargs") or {}).get("activation_fn")
    if chosen is None:
        return "tanh" if f"{ACTOR_OUTPUT}.weight" in tensors else "relu"
    if chosen.__name__ not in OF_TORCH:
        raise InputError("activation_fn", chosen.__name__, " or ".join(OF_TORCH), str(path))
    return OF_TORCH[chosen.__name__]
