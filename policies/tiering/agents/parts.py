"""The arrays of an agent: what it learns, its experiences, its numbers. All agents begin with these, in this order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pmtwin.policies.tiering.agents.options import HALF, NUMBERS, OPTIMISERS, UNITS, AgentOptions
from pmtwin.policies.tiering.features import COUNT, DEVICE, EVICTIONS, FURTHER, INTERVAL, PAGE_BYTES, SINCE_MOVE, WRITE

PARTS = 18
(
    ONLINE, ACTING, MOMENTS, PROGRESS, DEVICES, STATES, AFTERS, ACTIONS, REWARDS, AGENT, SIZES, PLACES, MOST, INPUTS,
    GRADIENT, SCRATCH, LOSSES, DRAWS,
) = range(PARTS)  # fmt: skip
"""Parameters of the network that learns, and of the copy that decides and gives targets; running means of the
optimiser; `PROGRESS`, int64: decisions, steps of the optimiser; names of the devices. Rows of the replay: state, next
state, action, reward. `AGENT`: a record. Sizes of the network; features that are its inputs, and the
highest bin of each; the present inputs; gradient; workspaces; mean loss of the last trainings; random numbers."""

LEARNED = (ONLINE, ACTING, MOMENTS, PROGRESS, DEVICES)
DECISIONS, STEPS = range(2)
KEPT_LOSSES = 1000

RECORD = np.dtype([
    ("gamma", "f8"), ("rate", "f8"), ("batch", "i8"), ("batches", "i8"), ("every", "i8"), ("copy", "i8"),
    ("epsilon", "f8"), ("epsilon_first", "f8"), ("epsilon_over", "i8"), ("warm_up", "i8"), ("low", "f8"),
    ("step", "f8"), ("scale", "f8"), ("half", "i8"), ("optimiser", "i8"), ("binned", "i8"), ("added", "i8"),
    ("closed", "i8"), ("requests", "i8"), ("trainings", "i8"),
])  # fmt: skip
"""`scale`: of rewards in 1/ms. `added`: experiences so far; the next state of those from `closed` on is not known yet.
`requests`: counted for trainings and copies."""


@dataclass(frozen=True)
class Defaults:
    """What an agent of a paper has where its options name nothing: discount, learning rate, rows of a batch."""

    gamma: float
    rate: float
    batch: int


def features_of(point: Any, options: AgentOptions, sees_moves: bool) -> list[int]:
    """Places of the features that an agent sees.

    Args:
        sees_moves: whether the migration interval is an input.
    """
    evictions = len(point.features) + EVICTIONS
    further = list(range(FURTHER, evictions))
    if getattr(options, "inputs", "") == NUMBERS:
        return [*range(FURTHER), *further, evictions]
    return [*range(FURTHER if sees_moves else SINCE_MOVE), *further]


def best_reward(point: Any) -> float:
    """1 / latency in 1/ms of the fastest access to the first device that moves a page."""
    first = point.storage.devices[0]
    return 1e6 / min(first.alone_ns(write, PAGE_BYTES) for write in (False, True))


def agent_arrays(
    options: AgentOptions, point: Any, key: int, defaults: Defaults, places: list[int], lowest: float, highest: float
) -> tuple[np.ndarray, ...]:
    """The arrays of an agent that has learned nothing.

    Args:
        places: of the features that are inputs. lowest, highest: rewards in the agent's unit.
    """
    from pmtwin.policies.network.fused import WORK_ROWS, work_width
    from pmtwin.policies.network.layers import Layers

    devices = [device.name for device in point.storage.devices]
    sizes = len(places), options.hidden, len(devices), options.atoms
    layers = Layers.drawn((*sizes[:2], sizes[2] * sizes[3]), "swish", np.random.default_rng(int(key)))
    online = layers.parameters
    acting = online.astype(np.float16).astype(np.float32) if options.precision == HALF else online.copy()
    record = _record(options, defaults, lowest, highest)
    most = np.array([_most_bin(place, len(devices)) for place in places], np.float32)
    rows = options.replay
    names = np.frombuffer("+".join(devices).encode()[:64].ljust(64), np.uint8).copy()
    return (
        online, acting, np.zeros((2, len(online)), np.float32), np.zeros(2, np.int64), names,
        np.zeros((rows, sizes[0]), np.float32), np.zeros((rows, sizes[0]), np.float32), np.zeros(rows, np.int8),
        np.zeros(rows, np.float32), record, np.array(sizes), np.array(places), most, np.zeros(sizes[0], np.float32),
        np.zeros_like(online), np.zeros((WORK_ROWS + 1, work_width(sizes)), np.float32),
        np.zeros(KEPT_LOSSES, np.float32), np.array([key, 0], np.uint64),
    )  # fmt: skip


def _record(options: AgentOptions, defaults: Defaults, lowest: float, highest: float) -> np.ndarray:
    record = np.zeros(1, RECORD)
    chosen: dict[str, Any] = {}
    for name in ("gamma", "rate", "batch"):
        value = getattr(options, name)
        chosen[name] = getattr(defaults, name) if value is None else value
    low = lowest / (1.0 - chosen["gamma"]) if options.low is None else options.low
    high = highest / (1.0 - chosen["gamma"]) if options.high is None else options.high
    _check_range(low, high, options)
    values = chosen | {
        "low": low,
        "step": (high - low) / (options.atoms - 1),
        "scale": UNITS[options.unit],
        "half": options.precision == HALF,
        "optimiser": OPTIMISERS.index(options.optimiser),
        "binned": getattr(options, "inputs", "") != NUMBERS,
    }
    for name in ("batches", "every", "copy", "epsilon", "epsilon_first", "epsilon_over", "warm_up"):
        values[name] = getattr(options, name)
    for name, value in values.items():
        record[name] = value
    return record


def _check_range(low: float, high: float, options: AgentOptions) -> None:
    from pmtwin.policies.network.atoms import Atoms

    Atoms(options.atoms, low, high).check()


def _most_bin(place: int, devices: int) -> int:
    """Highest bin of a feature (Harmonia, Table 1)."""
    if place in (INTERVAL, COUNT, SINCE_MOVE):
        return 63
    return {WRITE: 1, DEVICE: devices - 1}.get(place, 7)
