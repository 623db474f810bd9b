"""Files of what policies have learned inside a simulation: arrays without pickle, and their origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pmtwin.policies.grammar import FIELD
from pmtwin.policies.npz_file import read_npz, write_npz
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option, plain

FORMAT, SCHEMA = "pmtwin-inline", 1
ALLOWED = "what a policy has learned inside the simulation, written by pmtwin train"


@dataclass(frozen=True)
class LearnedOptions(Options):
    """Options of a policy that learns inside the simulation."""

    file: str = option("", "learned state to start from, written by pmtwin train", metavar="FILE")


def save_learned(path: Any, policies: Mapping[str, Any], origin: dict) -> Path:
    """Write what policies have learned (`InlinePolicy.memory`), with their names and options.

    Args:
        policies: decision point -> the policy there; the empty name where the policy's spec names no point.

    Raises:
        InputError: if the path cannot be written.
    """
    head, arrays = {"format": FORMAT, "schema": SCHEMA, "origin": origin}, flat(policies)
    if "" in policies:
        return write_npz(path, head | _identity(policies[""]), arrays)
    return write_npz(path, head | {"points": {point: _identity(policy) for point, policy in policies.items()}}, arrays)


def flat(policies: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The learned arrays of several policies: `point.name` -> array, or `name` -> array for an empty point."""
    return {_name(point, name): array for point, policy in policies.items() for name, array in policy.memory.items()}


def of_point(arrays: Mapping[str, np.ndarray], point: str) -> dict[str, np.ndarray]:
    """Name -> array of one decision point, from the arrays of `flat`."""
    prefix = _name(point, "")
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def load_learned(path: str, policy: Any) -> tuple[dict[str, dict[str, np.ndarray]], dict]:
    """(decision point -> learned arrays, origin); the point has an empty name in the file of a single policy.

    Raises:
        InputError: if the file is absent, unreadable, or of another policy or other options.
    """
    try:
        header, arrays = read_npz(path, FORMAT, SCHEMA, ALLOWED)
    except InputError as error:
        raise error.renamed(f"{FIELD} {policy.called()}: file", error.where) from error
    expected, origin = _identity(policy), header.get("origin", {})
    if points := header.get("points"):
        memories = {point: of_point(arrays, point) for point, identity in points.items() if identity == expected}
        if memories:
            return memories, origin
        policies = ", ".join(f"{identity['policy']} at {point}" for point, identity in points.items())
        raise InputError(
            f"{FIELD} {policy.spec}",
            path,
            f"a file of {expected['policy']} with these options",
            wrong=f"is of {policies}",
        )
    for name, value in expected.items():
        if header.get(name) != value:
            wrong = f"has {name} {header.get(name)}"
            raise InputError(f"{FIELD} {policy.called()}", path, f"a file with {name} {value}", wrong=wrong)
    return {"": arrays}, origin


def given_back(arrays: Mapping[str, np.ndarray], name: str, target: np.ndarray, policy: Any) -> None:
    """Fill an array of a run with the learned one.

    Raises:
        InputError: if the learned array has another shape or type, for example from a scenario with other actions.
    """
    saved = arrays.get(name)
    if saved is None or (saved.shape, saved.dtype) != (target.shape, target.dtype):
        present = "none" if saved is None else f"{saved.dtype}, shape {saved.shape}"
        allowed = f"an array {name} of {target.dtype}, shape {target.shape}; the file has {present}"
        raise InputError(f"{FIELD} {policy.spec}", policy.options.file, allowed, wrong="does not fit")
    target[...] = saved


def learned_at(state: Any, place: int | str) -> np.ndarray:
    """A learned array: of a `CompiledState`, of a cache with one, or of a policy in plain Python."""
    state = getattr(state, "order", getattr(state, "policy", state))
    return state.arrays[place] if isinstance(place, int) else getattr(state, place)


def mean_of(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The mean of arrays of one shape and type, in that type; integers are rounded."""
    if len(arrays) == 1:
        return arrays[0].copy()
    mean = np.mean(arrays, axis=0)
    return (mean if arrays[0].dtype.kind == "f" else np.rint(mean)).astype(arrays[0].dtype)


def _name(point: str, name: str) -> str:
    return f"{point}.{name}" if point else name


def _identity(policy: Any) -> dict:
    """The class and the options of a policy; a file fits policies with the same ones."""
    options = {name: value for name, value in plain(policy.options).items() if name != "file"}
    return {"policy": type(policy).__name__, "options": options}
