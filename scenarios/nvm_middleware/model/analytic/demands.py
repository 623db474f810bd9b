"""Moments of each request kind's service demand, and times of operations that share the device.

The set-up of the analytic tier: computed once, from the model's record.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.service.speeds import solve_speeds
from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import NOISE_BINS
from pmtwin.sim.load.workload import CLASSES

if TYPE_CHECKING:
    from pmtwin.scenarios.nvm_middleware.model.model import Model

NODES = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0, 26.0, 32.0, 40.0, 48.0, 64.0, 96.0])
"""Populations of one class at which the device is solved; times are interpolated linearly in between."""

ROUNDS = 6
"""Iterations of the fixed point that divides a class in the device among its kinds."""

MOMENTS = 9
HAND, SOFT, DEVICE, HAND_2, SOFT_2, HAND_SOFT, DEVICE_VAR, HAND_DEVICE, SOFT_DEVICE = range(MOMENTS)
"""Columns of `moments`; DEVICE_VAR is a variance, the products are raw moments over the sizes."""

LEAST_SHARE = 1e-9


@lru_cache
def demands_dtype(kinds: int) -> np.dtype:
    """Layout of the demands' record for K kinds, n = len(NODES) populations and c classes.

    Compiled code passes a record on without counting references to its arrays.
    """
    n, c = NODES.size, len(CLASSES)
    return np.dtype(
        [
            ("share", "f8", kinds),  # of the requests of the kind's class
            ("class_of", "i8", kinds),
            ("moments", "f8", (kinds, MOMENTS)),  # over the equally likely sizes; software and device in ns
            ("stall_share", "f8", (kinds, 2)),  # probability of a stall of wear levelling, of a rarer one
            ("stall_ns", "f8", (kinds, 2)),
            ("stall_sd", "f8", (kinds, 2)),
            ("noise_square", "f8"),  # second moment of the host's noise, whose mean is 1
            ("device_ns", "f8", (kinds, n, n)),  # time of an operation among so many of both classes, itself included
            ("nodes", "f8", n),
            ("place", "i8", int(NODES[-1]) + 1),  # node at or below a whole number of operations
            ("interarrival_scv", "f8", c),  # squared coefficient of variation of the gaps of the traces
            ("means", "f8", (c, MOMENTS)),  # `moments` of a class: the mean over its kinds
            ("products", "f8", (c, n, n, 4)),  # means over a class: time in the device, its square, its products with
            # the factor of the hand-off and with the software
            ("rare", "f8", (c, 2)),  # of a class: mean of the time that stalls take, and of its square
        ],
        align=True,
    )  # fmt: skip


def demands_of(model: Model) -> np.ndarray:
    """The model's demands for the analytic tier, without the host: shape (1,), of `demands_dtype`."""
    record = model.records[0]
    share, class_of = _shares(model), np.array(record["class_of"], dtype=np.int64)
    moments, (stall_share, stall_ns, stall_sd) = _moments(record), _stalls(record)
    device_ns = _device_ns(model.records, share, class_of, NODES)
    class_shares = share * (class_of == np.arange(len(CLASSES))[:, None])
    stalls = np.stack([(stall_share * stall_ns).sum(axis=1), (stall_share * (stall_ns**2 + stall_sd**2)).sum(axis=1)])
    place = np.searchsorted(NODES, np.arange(int(NODES[-1]) + 1), side="right") - 1
    fields = {
        "share": share,
        "class_of": class_of,
        "moments": moments,
        "stall_share": stall_share,
        "stall_ns": stall_ns,
        "stall_sd": stall_sd,
        "noise_square": np.mean(record["cpu_noise"][:NOISE_BINS] ** 2),
        "device_ns": device_ns,
        "nodes": NODES,
        "place": np.minimum(place, NODES.size - 2),
        "interarrival_scv": [load.interarrival_cov**2 for load in model.workload.classes],
        "means": class_shares @ moments,
        "products": _products(class_shares, moments, device_ns),
        "rare": class_shares @ stalls.T,
    }
    demands = np.zeros(1, dtype=demands_dtype(len(model.kinds)))
    for name, value in fields.items():
        demands[0][name] = value
    return demands


def _products(class_shares: np.ndarray, moments: np.ndarray, device_ns: np.ndarray) -> np.ndarray:
    """See `demands_dtype`."""
    idle = moments[:, DEVICE]
    relative = [
        np.ones_like(idle), moments[:, DEVICE_VAR] / idle**2 + 1.0, moments[:, HAND_DEVICE] / idle,
        moments[:, SOFT_DEVICE] / idle,
    ]  # fmt: skip
    powers = [device_ns, device_ns**2, device_ns, device_ns]
    parts = [
        np.einsum("ck,k,kij->cij", class_shares, factor, power) for factor, power in zip(relative, powers, strict=True)
    ]
    return np.stack(parts, axis=-1)


def _shares(model: Model) -> np.ndarray:
    """Share of each kind in the requests of its class, shape (K,)."""
    loads = model.workload.classes
    share = np.zeros(len(model.kinds))
    for number, (c, operation) in enumerate(model.kinds):
        share[number] = loads[c].share(operation)
    return share


def _moments(record: np.void) -> np.ndarray:
    demand, hand = record["demand_ns"], record["handoff_factor"]
    soft, device = demand[:, :, 0], demand[:, :, 1] + demand[:, :, 3]
    device_variance = demand[:, :, 2] ** 2 + 2.0 * demand[:, :, 3] ** 2  # of b z + c z^2
    columns = {
        HAND: hand, SOFT: soft, DEVICE: device, HAND_2: hand**2, SOFT_2: soft**2, HAND_SOFT: hand * soft,
        HAND_DEVICE: hand * device, SOFT_DEVICE: soft * device,
    }  # fmt: skip
    moments = np.empty((demand.shape[0], MOMENTS))
    for column, values in columns.items():
        moments[:, column] = values.mean(axis=1)
    moments[:, DEVICE_VAR] = device_variance.mean(axis=1) + device.var(axis=1)
    return moments


def _stalls(record: np.void) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    share = np.stack([record["wear_probability"].mean(axis=1), record["rare_probability"].mean(axis=1)], axis=1)
    low, span = float(record["rare_low_ns"]), float(record["rare_span_ns"])
    mean = np.broadcast_to([record["wear_ns"].mean(), low + 0.5 * span], share.shape).copy()
    sd = np.broadcast_to([record["wear_ns"].std(), span / np.sqrt(12.0)], share.shape).copy()
    return share, mean, sd


@njit(cache=True, error_model="numpy")
def _device_ns(models, share, class_of, nodes):
    """Mean time in ns of an operation of each kind, by the populations of both classes, shape (K, n, n)."""
    model = models[0]
    kinds = share.shape[0]
    times = np.empty((kinds, nodes.shape[0], nodes.shape[0]))
    population, speeds = np.empty(kinds), np.empty(kinds)
    in_class = np.empty(2)
    for i in range(nodes.shape[0]):
        for j in range(nodes.shape[0]):
            for k in range(kinds):
                times[k, i, j] = model.idle_ns[k]
            if nodes[i] + nodes[j] == 0.0:
                continue
            for _ in range(ROUNDS):
                in_class[:] = 0.0
                for k in range(kinds):
                    in_class[class_of[k]] += share[k] * times[k, i, j]
                for k in range(kinds):
                    c = class_of[k]
                    inside = nodes[i] if c == 0 else nodes[j]
                    population[k] = inside * share[k] * times[k, i, j] / in_class[c] if in_class[c] > 0.0 else 0.0
                solve_speeds(model, population, speeds)
                for k in range(kinds):
                    times[k, i, j] = model.idle_ns[k] / speeds[k]
    return times


@njit(cache=True, error_model="numpy", inner=True)
def corner(demands, first, second):
    """(node of the first class, weight of the next, node of the second class, weight of the next)."""
    nodes = demands.nodes
    most = nodes[nodes.shape[0] - 1]
    first = min(first, most) if first > 0.0 else 0.0
    second = min(second, most) if second > 0.0 else 0.0
    i, j = demands.place[int(first)], demands.place[int(second)]
    u = (first - nodes[i]) / (nodes[i + 1] - nodes[i])
    v = (second - nodes[j]) / (nodes[j + 1] - nodes[j])
    return i, u, j, v


@njit(cache=True, error_model="numpy", inner=True)
def device_time(demands, kind, i, u, j, v):
    """Time in ns of an operation in the device, interpolated; `i`, `u`, `j`, `v` are the result of `corner`."""
    table = demands.device_ns
    low = table[kind, i, j] + v * (table[kind, i, j + 1] - table[kind, i, j])
    high = table[kind, i + 1, j] + v * (table[kind, i + 1, j + 1] - table[kind, i + 1, j])
    return low + u * (high - low)
