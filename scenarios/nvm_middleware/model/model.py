"""The model that all engines run: all tables and constants of one workload on one host and one device.

It consists of a record of fixed layout, in which compiled code finds each number at a fixed offset, and a table of
speeds that fills up as populations of the device occur.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from pmtwin.scenarios.nvm_middleware.model.analytic.demands import demands_of
from pmtwin.scenarios.nvm_middleware.model.service.shared import shared_service
from pmtwin.scenarios.nvm_middleware.model.stations.device_sharing import DeviceSharing
from pmtwin.scenarios.nvm_middleware.model.stations.host_processors import HostProcessors
from pmtwin.scenarios.nvm_middleware.model.stations.trace_replay import TraceReplay
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.tail import Tail
from pmtwin.sim.draws import GAP_BINS, NOISE_BINS, NOISE_TABLE, gap_table, lognormal_table, normal_table
from pmtwin.sim.errors import InputError
from pmtwin.sim.host.station import MAX_RUNNABLE, build_host, handoff_factor
from pmtwin.sim.load.workload import CLASSES, GET, SIZE_BINS, ClassWorkload, Kind, Workload
from pmtwin.sim.parameters.values import with_value
from pmtwin.sim.stations.network import Network
from pmtwin.sim.stations.queue import Queue
from pmtwin.sim.stations.servers import Servers

MAX_HARDWARE_THREADS = 96

_HOST = [
    ("hardware_threads", "i8"), ("polls", "i8"), ("access_holds_cpu", "i8"),
    ("rate", "f8", MAX_RUNNABLE + 1), ("inverse_rate", "f8", MAX_RUNNABLE + 1), ("handoff_ns", "f8", MAX_RUNNABLE + 1),
    ("kv_factor", "f8", MAX_RUNNABLE + 1), ("crowding", "f8", MAX_RUNNABLE + 1),
    ("preempted_ns", "f8", MAX_RUNNABLE + 1), ("preemption_ns", "f8"), ("wakeup_ns", "f8"), ("client_wakeup_ns", "f8"),
]  # fmt: skip
_STALLS = [
    ("wear_ns", "f8", NOISE_BINS),  # equally likely durations
    ("rare_low_ns", "f8"), ("rare_span_ns", "f8"),
]  # fmt: skip


@lru_cache
def model_dtype(kinds: int) -> np.dtype:
    """Layout of the record of a model with `kinds` kinds of operation.

    The record has the fields of `sim.host.station.Host`, `scenarios.nvm_middleware.model.service.build.Demand` and
    `scenarios.nvm_middleware.model.service.speeds.SpeedLaw` under the same names, the stalls of a write (FAST'20 figure
    3; ns), and the fields that the comments describe.
    """
    demand = [
        ("demand_ns", "f8", (kinds, SIZE_BINS, 4)), ("stall_gate", "u8", kinds),
        ("wear_probability", "f8", (kinds, SIZE_BINS)), ("rare_probability", "f8", (kinds, SIZE_BINS)),
    ]  # fmt: skip
    speed_law = [
        ("chain_reads", "f8", kinds), ("chain_writes", "f8", kinds), ("payload_bytes", "f8", kinds),
        ("most_in_device", "i8"), ("curve_ns_per_byte", "f8", (kinds, MAX_HARDWARE_THREADS + 1)),
        ("media_ns_per_byte", "f8", (kinds, MAX_HARDWARE_THREADS + 1)),
        ("writing_share", "f8", (kinds, MAX_HARDWARE_THREADS + 1)),
        ("kept_in_mixes", "f8", (kinds, MAX_HARDWARE_THREADS + 1, MAX_HARDWARE_THREADS + 1)),
        ("chain_media_ns", "f8", kinds),
        ("read_idle_ns", "f8"), ("write_idle_ns", "f8"), ("read_line_ns", "f8"), ("write_line_ns", "f8"),
        ("idle_ns", "f8", kinds),
    ]  # fmt: skip
    fields = [
        ("shared", "i8"),  # one pool of `limit` for both classes and no queues: no middleware
        ("limit", "i8"),
        ("spinning", "i8"),  # client threads that always want a hardware thread, on the socket of the accesses
        ("clients", "i8", 2),
        ("class_of", "i8", kinds),
        ("threshold", "u8", (2, kinds)),  # by class: see `pmtwin.scenarios.nvm_middleware.model.requests.request_kind`
        ("handoff_factor", "f8", (kinds, SIZE_BINS)),  # factor on the work of a hand-off: larger values take longer
        ("size_mask", "u8", kinds),  # bits of a request's first word that select its size; none if all sizes are equal
        ("closed", "i8", 2),  # whether a class is in closed loop: its clients send as soon as they are ready
        ("gaps_ns", "f8", (2, GAP_BINS + 1)),  # quantile function of the gap between offered requests
        ("cpu_noise", "f8", NOISE_TABLE),  # `pmtwin.sim.draws.lognormal_table`
        ("normal", "f8", NOISE_TABLE),  # `pmtwin.sim.draws.normal_table`
    ]
    return np.dtype(fields + _HOST + demand + speed_law + _STALLS, align=True)


class _Plain:
    def __init__(self, records: np.ndarray):
        self._records = records

    def __getattr__(self, name: str) -> Any:
        """A field, converted at its first use: a number, or a list of numbers."""
        if name not in (self._records.dtype.names or ()):
            raise AttributeError(name)
        value = self._records[name][0].tolist()
        setattr(self, name, value)
        return value


@dataclass(frozen=True)
class Model:
    """The model that an engine runs.

    Args:
        records: shape (1,), of `model_dtype`.
        rows: table of speeds (`scenarios.nvm_middleware.model.service.occupancy`), filled in use; the values do not
            depend on who fills it.
        kinds: kinds of operation, in the order of their numbers.
        workload: the model's workload, for engines that need requests in bytes.
    """

    records: np.ndarray
    rows: np.ndarray
    kinds: tuple[Kind, ...]
    workload: Workload

    def __deepcopy__(self, memo: dict) -> Model:
        return self  # a model does not change; its table of speeds has the same values for all users

    def __reduce__(self):
        return Model, (self.records, self.rows, self.kinds, self.workload)  # derived values are computed again

    @cached_property
    def plain(self) -> _Plain:
        """The record's fields as Python numbers and lists, for code that is interpreted."""
        return _Plain(self.records)

    @cached_property
    def demands(self) -> np.ndarray:
        """Demands for the analytic tier, shape (1,), computed once; see `demands_of`."""
        return demands_of(self)

    def network(self, pools: tuple[int, int]) -> Network:
        """The stations that requests visit: replays, queues and workers of each class, processors, device.

        A worker is busy until its request leaves the device; the hardware thread that accesses the device is busy until
        then too. Without a middleware both classes wait in one line for the clients' threads.
        """
        sources = [TraceReplay(name, classes=(name,), model=self, class_index=c) for c, name in enumerate(CLASSES)]
        if self.plain.shared:
            workers = [Queue("queue"), Servers("workers", servers=int(self.plain.limit), hold="device")]
        else:
            workers = []
            for name, size in zip(CLASSES, pools, strict=True):
                pool = Servers(f"{name} workers", classes=(name,), servers=int(size), hold="device")
                workers += [Queue(f"{name} queue", classes=(name,)), pool]
        threads = Servers("hardware threads", servers=int(self.plain.hardware_threads), hold="device")
        return Network(
            classes=CLASSES,
            stations=(
                *sources, *workers, HostProcessors("processors", model=self),
                Queue("processed"), threads, DeviceSharing("device", model=self),
            ),
        )  # fmt: skip


def build_model(
    profile: Profile,
    workload: Workload,
    values: Mapping[str, float],
    direct: bool,
    kinds: tuple[Kind, ...] | None = None,
) -> Model:
    """The model for resolved parameter `values`; `direct`: no middleware.

    Args:
        kinds: the workload's kinds of operation, and possibly those of an earlier workload whose operations are in
            flight; additional kinds change no result. None: the workload's kinds.

    Raises:
        InputError: for more hardware threads than the table of speeds has room for.
    """
    if profile.access_profile is None:  # the law of a store with records needs counted accesses
        values = with_value(values, "records", 0.0)
    host = build_host(values, direct, sum(load.clients for load in workload.classes))
    if host.hardware_threads > MAX_HARDWARE_THREADS:
        raise InputError("cores", values["cores"], f"at most {MAX_HARDWARE_THREADS} hardware threads in total")
    remote = direct and bool(values["direct_remote"])
    kinds = kinds or workload.kinds
    demand, law, rows = shared_service(profile, workload, kinds, values, host.hardware_threads, remote)
    records = np.zeros(1, dtype=model_dtype(len(kinds)))
    for part in (host, demand, law):
        _fill(records[0], part._asdict())
    _fill(records[0], _stalls(profile.tail))
    _fill(records[0], _class_fields(workload, kinds, values, direct))
    return Model(records, rows, kinds, workload)


def _fill(record: np.void, fields: Mapping[str, ArrayLike]) -> None:
    for name, value in fields.items():
        if np.ndim(value) and record[name].shape != np.shape(value):
            record[name][tuple(slice(size) for size in np.shape(value))] = value
        else:
            record[name] = value


def _stalls(tail: Tail) -> dict[str, ArrayLike]:
    """Durations of stalls: normal for wear levelling, uniform for rarer ones (`pmtwin.sim.device.access_latency`)."""
    middle = (np.arange(NOISE_BINS) + 0.5) / NOISE_BINS
    return {
        "wear_ns": np.maximum(tail.stall_ns + tail.stall_sd_ns * special.ndtri(middle), 0.0),
        "rare_low_ns": tail.rare_stall_low_ns,
        "rare_span_ns": tail.rare_stall_high_ns - tail.rare_stall_low_ns,
    }


def _class_fields(
    workload: Workload, kinds: tuple[Kind, ...], values: Mapping[str, float], direct: bool
) -> dict[str, ArrayLike]:
    classes = workload.classes
    return {
        "shared": direct,
        "limit": values["direct_concurrency"],
        "spinning": round(values["spinning_clients"] * sum(load.clients for load in classes)) if direct else 0,
        "clients": [load.clients for load in classes],
        "class_of": [kind.class_index for kind in kinds],
        "threshold": [[_threshold(load, c, kind) for kind in kinds] for c, load in enumerate(classes)],
        "handoff_factor": [
            handoff_factor(values_handed_over(classes[kind.class_index], kind.operation), values["handoff_bytes"])
            for kind in kinds
        ],
        "size_mask": [_size_mask(classes[kind.class_index].sizes(kind.operation != GET)) for kind in kinds],
        "closed": [load.rate_ops is None for load in classes],
        "gaps_ns": [gap_table(load.rate_ops or 1.0, load.interarrival_cov) for load in classes],
        "cpu_noise": lognormal_table(values["cpu_noise_sigma"]),
        "normal": normal_table(),
    }


def values_handed_over(load: ClassWorkload, operation: str) -> np.ndarray:
    """Bytes of the value in a request or its answer; 0 for a remove."""
    return load.sizes(operation != GET) * (operation != "remove")


def _threshold(load: ClassWorkload, class_index: int, kind: Kind) -> int:
    """Share of a class's requests that are of this kind or a later one, times 2^32; 0 for gets and the other class."""
    shares = {
        "put_update": 1.0,
        "put_insert": load.insert_share + load.remove_share,
        "remove": load.remove_share,
    }
    if kind.class_index != class_index or kind.operation == GET:
        return 0
    return round(load.write_ratio * shares[kind.operation] * 2**32)


def _size_mask(sizes: np.ndarray) -> int:
    return 0 if np.all(sizes == sizes[0]) else SIZE_BINS - 1
