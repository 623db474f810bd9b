"""Files of value models: npz without pickle."""

from __future__ import annotations

from pathlib import Path

from pmtwin.policies.network.files import network_arrays, network_of
from pmtwin.policies.npz_file import FIELD, read_npz, write_npz
from pmtwin.policies.value.inputs import Inputs
from pmtwin.policies.value.model import AfterstateValue
from pmtwin.sim.errors import InputError

FORMAT, SCHEMA = "pmtwin-afterstate", 1
ALLOWED = "a value model written by pmtwin train --policy afterstate"


def save_value(path: str | Path, value: AfterstateValue, origin: dict) -> Path:
    """Write a model and its origin; the same model and origin give the same bytes.

    Raises:
        InputError: if the path cannot be written.
    """
    inputs = {
        "columns": value.inputs.columns,
        "measures": list(value.inputs.measures),
        "logs": list(value.inputs.logs),
    }
    header = {
        "format": FORMAT,
        "schema": SCHEMA,
        "activation": value.network.activation,
        "inputs": inputs,
        "origin": origin,
    }
    return write_npz(path, header, network_arrays(value.network))


def load_value(path: str | Path) -> tuple[AfterstateValue, dict]:
    """The model and its origin.

    Raises:
        InputError: if the file is absent, unreadable, of another kind or schema, or has no value model.
    """
    header, arrays = read_npz(path, FORMAT, SCHEMA, ALLOWED)
    try:
        network = network_of(arrays, header["activation"])
        inputs = header["inputs"]
        names, logs = tuple(map(str, inputs["measures"])), tuple(map(bool, inputs["logs"]))
        value = AfterstateValue(Inputs(int(inputs["columns"]), names, logs), network)
    except InputError as error:
        raise error.renamed(error.field, str(path)) from error
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(FIELD, str(path), f"{ALLOWED} ({type(error).__name__}: {error})") from error
    return value, header.get("origin", {})
