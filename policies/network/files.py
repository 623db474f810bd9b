"""Saved networks: one npz file without pickle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from pmtwin.policies.network.atoms import Atoms
from pmtwin.policies.network.perceptron import Perceptron
from pmtwin.policies.npz_file import FIELD, read_npz, write_npz
from pmtwin.sim.errors import InputError

FORMAT, SCHEMA = "pmtwin-mlp", 1
DEEP_Q = "pmtwin-dqn"
ALLOWED = {
    FORMAT: "a network written by pmtwin export --sb3",
    DEEP_Q: "a network written by pmtwin train --policy dqn",
}
"""Format of a file -> its content, for errors."""


def save_network(path: str | Path, network: Perceptron, origin: dict, form: str = FORMAT) -> Path:
    """Write a network and its origin; the same network and origin give the same bytes.

    Args:
        path: file to write; a failure leaves an earlier one whole.
        network: the network.
        origin: plain values: `scenario`, and how the network was trained.
        form: format in the header: `FORMAT` or `DEEP_Q`.

    Raises:
        InputError: if the path cannot be written.
    """
    header = {"format": form, "schema": SCHEMA, "activation": network.activation, "origin": origin}
    if network.atoms is not None:
        header["atoms"] = network.atoms._asdict()
    return write_npz(path, header, network_arrays(network))


def load_network(path: str | Path, form: str = FORMAT) -> tuple[Perceptron, dict]:
    """The network and its origin.

    Args:
        path: file to read.
        form: format that the header must name: `FORMAT` or `DEEP_Q`.

    Raises:
        InputError: if the file is absent, unreadable, of another kind or schema, or its arrays are no network.
    """
    header, arrays = read_npz(path, form, SCHEMA, ALLOWED[form])
    try:
        atoms = Atoms(**header["atoms"]) if "atoms" in header else None
        network = replace(network_of(arrays, header["activation"]), atoms=atoms)
    except InputError as error:
        raise error.renamed(error.field, str(path)) from error
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(FIELD, str(path), f"{ALLOWED[form]} ({type(error).__name__}: {error})") from error
    return network, header.get("origin", {})


def network_arrays(network: Perceptron) -> dict[str, np.ndarray]:
    """The network's arrays by their names in a file."""
    arrays = {"scaling": network.scaling}
    for number, (weights, biases) in enumerate(zip(network.weights, network.biases, strict=True)):
        arrays |= {f"weights_{number}": weights, f"biases_{number}": biases}
    return arrays


def network_of(arrays: dict[str, np.ndarray], activation: str) -> Perceptron:
    """The network with these arrays; the inverse of `network_arrays`.

    Raises:
        InputError, KeyError, TypeError, ValueError: if the arrays are no network.
    """
    numbers = [number for number in range(len(arrays)) if f"weights_{number}" in arrays]
    weights, biases = ([_floats(arrays[f"{name}_{k}"]) for k in numbers] for name in ("weights", "biases"))
    return Perceptron(_floats(arrays["scaling"]), weights, biases, activation)


def _floats(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=float)
