"""What a policy has learned inside a simulation, as a file: arrays without pickle, with where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pmtwin.policies.npz_file import read_npz, write_npz
from pmtwin.policies.specified import FIELD
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option, plain

FORMAT, SCHEMA = "pmtwin-inline", 1
ALLOWED = "what a policy has learned inside the simulation, written by pmtwin train"


@dataclass(frozen=True)
class LearnedOptions(Options):
    """Options of a policy that learns inside the simulation."""

    file: str = option("", "what it has learned, written by pmtwin train; it goes on from there", metavar="FILE")


def save_learned(path: Any, policy: Any, arrays: Mapping[str, np.ndarray], origin: dict) -> Path:
    """Write what a policy has learned, with its name and options.

    Raises:
        InputError: if the path cannot be written.
    """
    header = {"format": FORMAT, "schema": SCHEMA, **_identity(policy), "origin": origin}
    return write_npz(path, header, dict(arrays))


def load_learned(path: str, policy: Any) -> tuple[dict[str, np.ndarray], dict]:
    """(what the policy has learned, origin).

    Raises:
        InputError: if the file is absent, unreadable, or of another policy or other options.
    """
    header, arrays = read_npz(path, FORMAT, SCHEMA, ALLOWED)
    for name, expected in _identity(policy).items():
        if header.get(name) != expected:
            allowed = f"{expected}, as here; this file is of {header.get(name)}"
            raise InputError(f"{FIELD} {policy.called()}: {name}", expected, allowed, path)
    return arrays, header.get("origin", {})


def given_back(arrays: Mapping[str, np.ndarray], name: str, target: np.ndarray, policy: Any) -> None:
    """Fill an array with what was learned.

    Raises:
        InputError: for another shape, as of a scenario with other actions.
    """
    saved = arrays.get(name)
    if saved is None or saved.shape != target.shape:
        shape = None if saved is None else saved.shape
        allowed = f"an array {name} of shape {target.shape}; the file has {shape}"
        raise InputError(f"{FIELD} {policy.spec}", policy.options.file, allowed, wrong="does not fit")
    target[...] = saved


def _identity(policy: Any) -> dict:
    """Class and options that a file belongs to."""
    options = {name: value for name, value in plain(policy.options).items() if name != "file"}
    return {"policy": type(policy).__name__, "options": options}
