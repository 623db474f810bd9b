"""Fit of the six costs to the 17 rows of Tables VII to IX, and its errors on rows left out.

`python -m pmtwin.scenarios.two_tier.storage.fitting [FILE.json]` prints the profile with its errors, and writes it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from pmtwin.scenarios.two_tier.storage.costs import FITTED, Costs
from pmtwin.scenarios.two_tier.storage.fluid import fluid_times, row_of
from pmtwin.scenarios.two_tier.storage.published import SCALING
from pmtwin.scenarios.two_tier.storage.workloads import WORKLOADS
from pmtwin.sim.files.writing import write_json

START = {
    "io_ms": 30.0, "disk_load": 0.3, "contention": 0.3, "write_back": 0.3, "access_ms": 2.0, "access_ms_per_kib": 0.1,
}  # fmt: skip
SHARES = ("disk_load", "write_back")
STARTS, SPREAD, RESTARTS = 5, 0.5, 3
"""Number of starting points of the fit, their standard deviation (of logarithms), and successive searches from each."""


def published_rows() -> list[tuple[str, int]]:
    """(table, processes) of each row."""
    return [(table, processes) for table, rows in SCALING.items() for processes in rows]


def fit(rows: list[tuple[str, int]], start: np.ndarray | None = None) -> np.ndarray:
    """Unbounded parameters (`costs_of`) that minimise the sum of |log(time by formula / published time)|.

    Args:
        rows: (table, processes) of the rows.
        start: starting point of the search; None: several points.
    """
    inputs, published = _arrays(rows)

    def loss(parameters: np.ndarray) -> float:
        return float(np.abs(np.log(np.array(fluid_times(inputs, costs_of(parameters))) / published)).sum())

    rng = np.random.default_rng(0)
    starts = (
        [start] if start is not None else [parameters_of(START) + rng.normal(0.0, SPREAD, 6) for _ in range(STARTS)]
    )
    return min((_searched(loss, parameters) for parameters in starts), key=loss)


def _searched(loss: Callable[[np.ndarray], float], parameters: np.ndarray) -> np.ndarray:
    for _ in range(RESTARTS):
        parameters = minimize(loss, parameters, method="Nelder-Mead", options={"maxiter": 3000, "maxfev": 3000}).x
    return parameters


def costs_of(parameters: np.ndarray) -> Costs:
    """Costs from unbounded parameters: logarithms, or log(s / (1 - s)) for shares s."""
    pairs = zip(FITTED, np.clip(parameters, -30.0, 13.0), strict=True)
    values = {name: float(1.0 / (1.0 + np.exp(-value)) if name in SHARES else np.exp(value)) for name, value in pairs}
    values["disk_load"], values["contention"] = min(values["disk_load"], 0.99), min(values["contention"], 2.0)
    return Costs(**values)


def left_out(rows: list[tuple[str, int]], start: np.ndarray) -> list[tuple[float, float]]:
    """(response, HDD time) of each row in seconds, by a fit to all other rows."""
    times = []
    for number, row in enumerate(rows):
        parameters = fit(rows[:number] + rows[number + 1 :], start)
        response, disk = fluid_times(_arrays([row])[0], costs_of(parameters))
        times.append((float(response[0]), float(disk[0])))
    return times


def median_errors(times: list[tuple[float, float]], rows: list[tuple[str, int]]) -> dict[str, float]:
    """Median absolute errors in percent of response, HDD and completion times, and of the first two together."""
    computed, published = np.array(times), np.array([SCALING[table][processes] for table, processes in rows])
    errors = 100.0 * np.abs(computed / published - 1.0)
    completion = 100.0 * np.abs(computed.max(axis=1) / published.max(axis=1) - 1.0)
    return {
        "response": float(np.median(errors[:, 0])),
        "disk": float(np.median(errors[:, 1])),
        "completion": float(np.median(completion)),
        "response_and_disk": float(np.median(errors)),
    }


def parameters_of(values: dict[str, float]) -> np.ndarray:
    """Unbounded parameters from name -> value of the fitted costs; the inverse of `costs_of`."""
    return np.array(
        [np.log(values[name] / (1.0 - values[name]) if name in SHARES else values[name]) for name in FITTED]
    )


def _arrays(rows: list[tuple[str, int]]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    systems = [WORKLOADS[table].system(processes, costs_of(parameters_of(START))) for table, processes in rows]
    inputs = [row_of(system) for system in systems]
    published = np.array([SCALING[table][processes] for table, processes in rows]).T
    return {name: np.array([row[name] for row in inputs], float) for name in inputs[0]}, published


def fitted_profile() -> dict:
    """The profile: costs, and errors of the formula on the fitted rows and on rows left out."""
    rows = published_rows()
    parameters = fit(rows)
    inputs, _ = _arrays(rows)
    times = np.array(fluid_times(inputs, costs_of(parameters))).T
    fitted = [(float(response), float(disk)) for response, disk in times]
    costs = costs_of(parameters)
    units = {"io_ms": "ms", "access_ms": "ms", "access_ms_per_kib": "ms/KiB", "disk_ms": "ms", "rpc_us": "us"}
    return {
        "schema": 1,
        "name": "delta",
        "source": "Sasidharan and others, Performance Models for a Two-tiered Storage System, Tables VII to IX",
        "refit": "python -m pmtwin.scenarios.two_tier.storage.fitting scenarios/two_tier/storage/delta.json",
        "parameters": {
            name: {
                "value": float(f"{getattr(costs, name):.6g}"),
                "unit": units.get(name, ""),
                "origin": "fitted" if name in FITTED else "assumed",
            }
            for name in Costs.__dataclass_fields__
        },
        "median_error_percent": median_errors(fitted, rows),
        "median_error_percent_left_out": median_errors(left_out(rows, parameters), rows),
    }


def main(arguments: list[str]) -> None:
    """Fit, print the profile, and write it if a file is named."""
    profile = fitted_profile()
    if arguments:
        write_json(arguments[0], profile)
    print(json.dumps(profile, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
