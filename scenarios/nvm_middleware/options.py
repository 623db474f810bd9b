"""All options of the thread-pool scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from pmtwin.scenarios.nvm_middleware.context_sets import CONTEXT_SETS, PHASE_SET, Context, ContextSet
from pmtwin.scenarios.nvm_middleware.drawn_contexts import practice_workload
from pmtwin.scenarios.nvm_middleware.phases import (
    BATCH_RATE_OPS,
    INTERACTIVE_RATE_OPS,
    check_phase,
    phase_workload,
)
from pmtwin.scenarios.nvm_middleware.reward import GOALS, RewardParameters
from pmtwin.scenarios.nvm_middleware.reward_file import RewardFunction, reward_of_file
from pmtwin.scenarios.nvm_middleware.twin import TwinSettings
from pmtwin.scenarios.nvm_middleware.varying import client_rates_ops, varying
from pmtwin.scenarios.nvm_middleware.workloads import FORMS, is_file, make_workload, workload_names
from pmtwin.scenarios.nvm_middleware.workloads.azure_blob import blob_class
from pmtwin.scenarios.nvm_middleware.workloads.azure_trace import read_blob_trace, trace_statistics
from pmtwin.sim.errors import ConflictError, InputError, check_range
from pmtwin.sim.load.workload import CLASSES, Workload
from pmtwin.sim.options import NONE, Options, option
from pmtwin.sim.parameters.values import resolve

LOAD = "offered load"
"""Heading of the options."""

BLOB_WORKLOADS = ("azure-blob", "traces")
"""Workloads whose interactive class a blob trace can give."""


USUAL = "usual"
"""Offered rate of the phases, and a workload's own; load as the phases and the engine have it."""

STEADY, VARYING = "steady", "varying"
WITH_PARTS = "with its parts"
"""Load of a workload that has parts of its own; `VARYING` multiplies them."""


def _parse_rate(field_name: str, text: str) -> float | str:
    if text == USUAL:
        return USUAL
    try:
        rate = float(text)
    except ValueError:
        raise InputError(field_name, text, f"operations per second, or {NONE}") from None
    check_range(field_name, rate, 1.0, 1e9, "operations/s")
    return rate


def _rate(name: str, usual: float):
    return option(
        USUAL,
        f"{name} offered load, in operations/s; {NONE}: closed loop (default: {usual:g} with --load {STEADY}, by the "
        f"number of client threads with --load {VARYING}, the workload's own with --workload)",
        metavar="OPS",
        group=LOAD,
        parse=_parse_rate,
    )


@dataclass(frozen=True)
class OfferedLoad(Options):
    """Load that the clients offer.

    Args:
        load: `steady`: constant rates, both classes in their proportion; `varying`: rates that change from window to
            window, each class on its own trace unless they are tied (`pmtwin.scenarios.nvm_middleware.varying`).
        interactive_rate_ops, batch_rate_ops: operations/s of the two traces; None: the clients send at once (closed
            loop).
    """

    load: str = option(
        USUAL,
        f"{STEADY}: constant rates, both classes in proportion; {VARYING}: rates that change from window to window, "
        f"each class on its own trace unless classes_tied is 1 (default: {VARYING}; with --workload that of "
        f"its parts; {STEADY} without parts, with --contexts device-bound and on a real middleware)",
        choices=(USUAL, STEADY, VARYING),
        metavar="NAME",
        group=LOAD,
    )
    interactive_rate_ops: float | str | None = _rate("interactive", INTERACTIVE_RATE_OPS)
    batch_rate_ops: float | str | None = _rate("batch", BATCH_RATE_OPS)

    def __post_init__(self):
        super().__post_init__()
        for name, rate in self.given.items():
            if rate is not None:
                check_range(f"{name}_rate_ops", rate, 1.0, 1e9, "operations/s")

    @property
    def given(self) -> dict[str, float | None]:
        """Class -> rate, of the classes whose rate is not the usual one."""
        rates = {name: getattr(self, f"{name}_rate_ops") for name in CLASSES}
        return {name: rate for name, rate in rates.items() if rate != USUAL}

    @property
    def rates_ops(self) -> tuple[float | None, float | None]:
        """(interactive, batch) of the phases."""
        given = self.given
        return given.get("interactive", INTERACTIVE_RATE_OPS), given.get("batch", BATCH_RATE_OPS)


@dataclass(frozen=True)
class NvmOptions(Options):
    """Options of the thread pools, in groups `twin`, `offered` and `reward_parameters`.

    A goal of `reward_parameters` that is not given is that of the phases.

    Args:
        workload: a workload, or the name of one (`workloads.make_workload`), in the place of all phases; a rate of
            `offered` that is not the usual one is that of a named workload too.
        contexts: name of the phases (`pmtwin.scenarios.nvm_middleware.context_sets`).
        reward: goals and reward (`reward_file.reward_of_file`).
        blob_trace: AzureFunctionsBlobDataset2020 CSV that the interactive class of `azure-blob` or `traces` comes from.
    """

    twin: TwinSettings = field(default_factory=TwinSettings)
    offered: OfferedLoad = field(default_factory=OfferedLoad)
    reward_parameters: RewardParameters = field(default_factory=RewardParameters)
    contexts: str = option(
        PHASE_SET,
        f"phase set: {', '.join(CONTEXT_SETS)}; each set has its goals, which options of goals override",
        choices=tuple(CONTEXT_SETS),
        metavar="NAME",
        group=LOAD,
        formerly="context_set",
    )
    workload: Workload | str | None = option(
        None,
        f"workload instead of the phases: {', '.join(workload_names())}; user-defined: {FORMS}",
        metavar="NAME|FILE",
        group=LOAD,
    )
    reward: str | None = option(
        None,
        "goals and reward from a file: TOML or JSON with goals (p99_us, throughput_ops) and reward (constants of "
        "Algorithm 1), or FILE.py:NAME, a function of a window's measures",
        metavar="FILE",
        group=GOALS,
        formerly="reward_file",
    )
    blob_trace: Path | None = option(
        None, "blob-trace CSV for the interactive class of workloads azure-blob and traces", metavar="FILE", group=LOAD
    )

    def __post_init__(self):
        super().__post_init__()
        parameters = self.reward_parameters
        if self.reward is not None:
            parameters = reward_of_file(self.reward, parameters)[0]
        sla = parameters.sla.given_or(self.phases.sla)
        object.__setattr__(self, "reward_parameters", replace(parameters, sla=sla))
        if isinstance(self.workload, str):
            workload = make_workload(self.workload)  # an unknown name is an error at once
            self._check_rates(workload)
            self._check_parts(workload)
            self._check_load(workload)
        elif self.workload is not None and not isinstance(self.workload, Workload):
            raise InputError("workload", self.workload, f"a Workload, or {', '.join(workload_names())}")
        if self.blob_trace is not None and self.workload not in BLOB_WORKLOADS:
            raise ConflictError(
                "blob_trace", str(self.blob_trace), f"belongs to --workload {' or '.join(BLOB_WORKLOADS)}; remove it"
            )
        if self.contexts != PHASE_SET and self.workload is not None:
            raise ConflictError(
                "workload", self.workload, f"does not go with --contexts {self.contexts}; remove one of the two"
            )
        if self.twin.native is not None and not self.phases.real:
            allowed = ", ".join(name for name, contexts in CONTEXT_SETS.items() if contexts.real)
            raise InputError("contexts", self.contexts, f"{allowed} with engine {self.twin.engine}")

    @cached_property
    def reward_function(self) -> RewardFunction | None:
        """Reward function in place of Algorithm 1; None without one."""
        return None if self.reward is None else reward_of_file(self.reward, self.reward_parameters)[1]

    def _check_rates(self, workload: Workload) -> None:
        """Raise `InputError` for the rate of a class without clients, which nobody would offer."""
        for name in self.offered.given:
            if not getattr(workload, name).clients:
                reason = f"has no use: workload {workload.name} has no {name} clients; remove it"
                raise ConflictError(f"{name}_rate_ops", self.offered.given[name], reason)

    def _check_load(self, workload: Workload) -> None:
        """Raise `InputError` for rates that vary where nobody has a rate."""
        rates = [load.rate_ops for load in _paced(workload, self.offered.given).classes if load.clients]
        if self.offered.load == VARYING and set(rates) == {None}:
            reason = f"has no use: clients of workload {workload.name} have no rate, which could vary; remove it"
            raise ConflictError("load", VARYING, reason)

    def _check_parts(self, workload: Workload) -> None:
        """Raise `InputError` for rates that vary beside parts on a real middleware: it runs no parts of a file, so that
        it would run another load than the twin."""
        if workload.parts and self.offered.load == VARYING and self.twin.native is not None:
            reason = (
                f"does not go with the parts of workload {self.workload} on a real middleware, which leaves them out; "
                f"give --load {STEADY} for its mean rates, or a workload without parts"
            )
            raise ConflictError("load", VARYING, reason)

    @cached_property
    def own_workload(self) -> Workload | None:
        """The workload that replaces all phases, at its rates."""
        if not isinstance(self.workload, str):
            return self.workload
        workload = make_workload(self.workload)
        if self.blob_trace is not None:
            workload = _with_blob_trace(workload, self.blob_trace)
        if is_file(self.workload) and (self.offered.load == STEADY or self.twin.native is not None):
            workload = replace(workload, parts=(), tied=True)
        return _paced(workload, self.offered.given)

    @property
    def phases(self) -> ContextSet:
        """The phases under which the middleware runs."""
        return CONTEXT_SETS[self.contexts]

    @property
    def varies(self) -> bool:
        """Whether the load changes from window to window: by its option, or where phases have the pace of clients."""
        if self.offered.load != USUAL:
            return self.offered.load == VARYING
        return self.workload is None and self.twin.native is None and not self.phases.full_speed

    def offer(self, workload: Workload, values: Mapping[str, float]) -> Workload:
        """A workload at its offered rates.

        Args:
            values: of the twin's parameters, those of the load among them; the others are at their defaults.
        """
        return varying(workload, resolve(values)) if self.varies else workload

    def practice_workload(self, rng: np.random.Generator) -> Workload | None:
        """Workload drawn for training (`drawn_contexts.practice_workload`); None where rates or workload are given."""
        if self.own_workload is not None or self.offered.given or not self.phases.practised:
            return None
        return practice_workload(rng)

    def context(self, number: int | str) -> Context:
        """The context of that number in the set."""
        known = self.phases.contexts.get(number) if isinstance(number, int) else None
        return known or Context(check_phase(number))

    def workload_of(self, context: Context, values: Mapping[str, float]) -> Workload:
        """The workload of a context at its offered rates; `values` as in `offer`."""
        if isinstance(context.workload, Workload):
            workload = _paced(context.workload, self.offered.given)
        else:
            workload = self._phase_workload(context.workload, values)
        return self.offer(replace(workload, parts=context.parts), values)

    def _phase_workload(self, phase: int, values: Mapping[str, float]) -> Workload:
        if not self.varies:
            return phase_workload(phase, *self.offered.rates_ops)
        rates = client_rates_ops(phase_workload(phase), resolve(values)) | self.offered.given
        return phase_workload(phase, rates["interactive"], rates["batch"])


def _paced(workload: Workload, rates_ops: Mapping[str, float | None]) -> Workload:
    """The workload with other rates, by class."""
    classes = {name: replace(getattr(workload, name), rate_ops=rate) for name, rate in rates_ops.items()}
    return replace(workload, **classes)


def _with_blob_trace(workload: Workload, path: Path) -> Workload:
    return replace(workload, interactive=blob_class(statistics=trace_statistics(read_blob_trace(path))))
