"""Sets of contexts under which the middleware runs: conditions by number, and the goals that make sense for them.

A context is a workload with the parameters of the model that hold under it. `phases` are those of the thesis
(`pmtwin.scenarios.nvm_middleware.phases`), `changing` are phases whose load does. In `device-bound` the device decides:
docs/where-time-goes.md has the reason for each number; docs/contexts.md those of `contended` and `random`. Another set
is another entry of `CONTEXT_SETS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pmtwin.scenarios.nvm_middleware.drawn_contexts import RANDOM_TRAINED, contended_workloads, random_workloads
from pmtwin.scenarios.nvm_middleware.phases import PHASES
from pmtwin.scenarios.nvm_middleware.reward import Sla
from pmtwin.scenarios.nvm_middleware.workloads import azure_blob, svd
from pmtwin.sim.load import Burst, Drift, LoadPart, Ramp
from pmtwin.sim.load.workload import ClassWorkload, Workload

KIB = 1024


@dataclass(frozen=True)
class Context:
    """Conditions of the middleware.

    Args:
        workload: at its own rates; or the number of a phase of the thesis, at the rates of the options.
        parameters: of the model under it: name -> value.
        parts: how its load changes, besides what varies anyway (`pmtwin.sim.load`).
    """

    workload: Workload | int
    parameters: Mapping[str, float] = field(default_factory=dict)
    parts: tuple[LoadPart, ...] = ()


@dataclass(frozen=True)
class ContextSet:
    """Contexts by number.

    Args:
        numbers: of the contexts, in order.
        contexts: number -> context; empty: the phases of the thesis, at the rates of the options.
        sla: goals of the set.
        full_speed: whether traces are replayed as fast as the answers come, both classes in proportion, unless another
            load is asked for.
        kept_aside: numbers that training does not see, and on which evaluations run unless others are named.
        practised: whether training may also draw workloads of its own (`drawn_contexts.PRACTICE_RANGES`), which have
            the goals and the store of the thesis.
    """

    numbers: tuple[int, ...]
    contexts: Mapping[int, Context] = field(default_factory=dict)
    sla: Sla = field(default_factory=Sla)
    full_speed: bool = False
    kept_aside: tuple[int, ...] = ()
    practised: bool = True

    @property
    def real(self) -> bool:
        """Whether the real middleware can run it: no parameters of a model, and only rates of the load change."""
        changing = (not part.rates_alone for context in self.contexts.values() for part in context.parts)
        return not any(context.parameters for context in self.contexts.values()) and not any(changing)


LEAN_STORE = {
    "dimms": 1.0,
    "remote_mix_factor": 1.0,
    "handoff_ns": 8_000.0,
    "handoff_contention_threads": 64.0,
    "handoff_contention_power": 2.0,
    "handoff_contention_most": 0.0,
    "handoff_bytes": 0.0,
    "client_contention_clients": 0.0,
    "crowding_threads": 0.0,
    "records": 0.0,
    "kv_contention_threads": 64.0,
    "get_software_ns": 100.0,
    "put_software_ns": 500.0,
    "get_copy_ns_per_byte": 0.05,
    "put_copy_ns_per_byte": 0.05,
    "get_chain_accesses": 1.0,
    "put_chain_accesses": 1.0,
    "put_persists": 2.0,
    "put_write_factor": 1.0,
}
"""One module below a log-structured store: its index is in DRAM, a put appends its value to a log on the device."""

CLIENTS = 48
FULL_SPEED_OPS = 1e6
"""Operations/s of a trace that no device keeps up with: it is replayed as fast as the answers come."""


def _device_bound(
    interactive: tuple[int, float], batch: tuple[int, float], batch_rate_ops: float = FULL_SPEED_OPS
) -> Context:
    """(size in KiB, share of writes) of both classes."""
    paces = (FULL_SPEED_OPS, azure_blob.INTERARRIVAL_COV), (batch_rate_ops, svd.INTERARRIVAL_COV)
    loads = (
        ClassWorkload(CLIENTS, writes, size * KIB, size * KIB, rate_ops=rate, interarrival_cov=cov)
        for (size, writes), (rate, cov) in zip((interactive, batch), paces, strict=True)
    )
    first, second = loads
    name = f"{interactive[0]}-beside-{batch[0]}-kib"
    return Context(Workload(f"device-bound-{name}", first, second), LEAN_STORE)


DEVICE_BOUND = {
    1: _device_bound((16, 0.5), (64, 0.9)),
    2: _device_bound((16, 0.2), (32, 0.9), FULL_SPEED_OPS / 2.0),
    3: _device_bound((64, 0.9), (16, 0.5)),
    4: _device_bound((32, 0.9), (32, 0.9)),
}

CHANGING = {
    1: Context(1, parts=(Burst(every=40, length=6, factor=1.4),)),
    2: Context(2, parts=(Ramp(first=0.6, last=1.2, length=100),)),
    3: Context(1, parts=(Drift("write_ratio", to=0.2, every=100), Drift("size", to=0.25, every=160, classes=(1,)))),
    4: Context(3, parts=(Drift("clients", to=0.5, every=120), Drift("rate", to=0.5, every=120))),
}
"""Phases of the thesis whose load changes: bursts of six windows, a ramp, a drifting mix and size, clients that leave
and come back with their rate. 100 windows are half an episode of the thesis."""

CONTENDED = {number: Context(workload) for number, workload in contended_workloads().items()}
RANDOM = {number: Context(workload) for number, workload in random_workloads().items()}

PHASE_SET = "phases"
CONTEXT_SETS = {
    PHASE_SET: ContextSet(tuple(PHASES)),
    "changing": ContextSet(tuple(CHANGING), CHANGING),
    "random": ContextSet(tuple(RANDOM), RANDOM, kept_aside=tuple(RANDOM)[RANDOM_TRAINED:]),
    "contended": ContextSet(tuple(CONTENDED), CONTENDED),
    "device-bound": ContextSet(
        tuple(DEVICE_BOUND),
        DEVICE_BOUND,
        Sla(latency_goal_us=2_000.0, throughput_goal_ops=50_000.0),
        full_speed=True,
        practised=False,
    ),
}
"""Name -> set; the first is the default."""
