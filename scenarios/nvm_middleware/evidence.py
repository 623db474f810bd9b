"""What results of the thread pools rest on: profile, host, load and reward; for readers, records and trained files."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pmtwin.scenarios.capabilities.conditions import WithConditions
from pmtwin.scenarios.capabilities.evidence import WithEvidence
from pmtwin.scenarios.contexts import OWN
from pmtwin.scenarios.nvm_middleware.context_sets import PHASE_SET
from pmtwin.scenarios.nvm_middleware.options import STEADY, VARYING, WITH_PARTS, NvmOptions
from pmtwin.scenarios.nvm_middleware.reward_file import GOALS
from pmtwin.scenarios.nvm_middleware.workloads import is_file
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.host.file import device_values
from pmtwin.sim.host.file import record as parameter_record
from pmtwin.sim.load.workload import CLASSES, Workload


class NvmEvidence(WithConditions, WithEvidence):
    """What results of `NvmMiddleware` rest on."""

    options: NvmOptions

    @abstractmethod
    def offer(self, conditions: Workload | int | str, device: int = 0) -> tuple[Workload, dict[str, float]]:
        """(workload of a phase or the given one, as it is offered; the parameters that are not as by default)."""

    @abstractmethod
    def conditions_in(self, context: int | str) -> Workload | int | str:
        """Those of the options in the place of all contexts, where they have some; else the context itself."""

    def rests_on_profile(self) -> bool:
        return self.options.twin.native is None or self.options.twin.native.store == "emulated"

    def unmeasured(self, contexts: Sequence[int | str]) -> str:
        from pmtwin.scenarios.nvm_middleware.unmeasured import unmeasured

        clauses = (unmeasured(*offered) for offered in self._on_profile(contexts))
        return next(filter(None, clauses), "")

    def extrapolated_where(self, contexts: Sequence[int | str], settings: Sequence[Sequence[int]] | None = None) -> str:
        from pmtwin.scenarios.nvm_middleware.unmeasured import covered_threads

        bounds = [count for offered in self._on_profile(contexts) if (count := covered_threads(*offered))]
        if not bounds or (settings is not None and max(map(sum, settings)) <= min(bounds)):
            return ""
        threads = "1 thread is" if min(bounds) == 1 else f"{min(bounds)} threads are"
        return f"more than {threads} at the device at once"

    def _on_profile(self, contexts: Iterable[int | str]) -> Iterator[tuple[Profile, Workload, Mapping[str, float]]]:
        """Profile, workload and parameters in each context; none where results do not rest on the profile."""
        for context in contexts if self.rests_on_profile() else ():
            yield self.options.twin.device, *self.offer(self.conditions_in(context))

    def setup(self, contexts: Sequence[int | str]) -> dict[str, str]:
        twin = self.options.twin
        system = {"profile": twin.profile, "host": twin.host} if self.rests_on_profile() else {}
        if twin.native is not None:
            system["store"] = twin.native.described()
        conditions, rates = self.own_conditions, offered_rates(map(self.offered_load, contexts))
        without = " without them" if conditions is not None and conditions.parts else ""
        load = f"{self.load_name()}, {rates}{without}"
        return {**system, **self.derived(), "load": load, **super().setup(contexts)}

    @property
    def setup_options(self) -> frozenset[str]:
        return super().setup_options | {"workload", "contexts", "load", "path"}

    def load_name(self) -> str:
        """The workload or the set of phases, and whether its rates change."""
        workload = self.options.workload
        name = workload.name if isinstance(workload, Workload) else workload or self.options.contexts
        return f"{name}, {self._load_kind()}"

    def _load_kind(self) -> str:
        """`STEADY`, `VARYING`, `WITH_PARTS`, or both of these: each load has a word of its own."""
        conditions = self.own_conditions
        parts = [WITH_PARTS] if conditions is not None and conditions.parts else []
        return ", ".join([*([VARYING] if self.options.varies else []), *parts]) or STEADY

    def record(self) -> dict:
        conditions, offered = self.own_conditions, self.options.offered
        sets = {} if self.options.contexts == PHASE_SET else {"contexts": self.options.contexts}
        rates = dict(zip(CLASSES, offered.rates_ops, strict=True))
        if conditions is not None:
            rates = {name: load.rate_ops for name, load in zip(CLASSES, conditions.classes, strict=True)}
        elif self.options.varies or sets:  # the others are those of the clients, or of each phase
            rates = offered.given
        workload = {} if conditions is None else {"workload": conditions.name}
        return {
            **workload,
            **sets,
            "load": self._load_kind(),
            "offered_ops": rates,
            "twin": {name: value for name, value in self.options.twin.to_dict().items() if name != "engine"},
            "reward": self._reward_record(),
        }

    def differences_in_training(self, origin: Mapping) -> list[str]:
        then, now = origin.get("environment", {}), self.record()
        differences = []
        for name, option in GOALS.items():
            limits = [record.get("reward", {}).get("sla", {}).get(option) for record in (then, now)]
            if limits[0] is not None and limits[0] != limits[1]:
                differences.append(f"a goal of {name} {limits[0]:,.10g}, not {limits[1]:,.10g}")
        loads = [_load_of(record) for record in (then, now)]
        untold = "workload" not in then and list(origin.get("plan", {}).get("contexts", ())) == [OWN]  # an older file
        if then and not untold and loads[0] != loads[1]:
            differences.append(f"{loads[0]}, not {loads[1]}")
        elif (known := origin.get("workload_sha256")) and known != self.origin().get("workload_sha256"):
            differences.append(f"another content of {loads[0]}")
        return differences

    def _reward_record(self) -> dict:
        """The goals, and the constants of Algorithm 1 or the function in its place."""
        constants = self.options.reward_parameters.to_dict()
        if self.options.reward_function is None:
            return constants
        return {"sla": constants["sla"], "function": self.options.reward}

    def origin(self) -> dict:
        twin = self.options.twin
        content = json.dumps(twin.device.to_json(), sort_keys=True)
        digest = hashlib.sha256(content.encode()).hexdigest()
        origin = {"engine": twin.engine, "profile": twin.profile, "profile_sha256": digest}
        if isinstance(self.options.workload, str) and is_file(self.options.workload):
            content = repr([load._key() for load in self.own_conditions.classes]) + repr(self.own_conditions.parts)
            origin["workload_sha256"] = hashlib.sha256(content.encode()).hexdigest()
        return origin

    def parameters(self) -> dict[str, list]:
        twin = self.options.twin
        return parameter_record(twin.host_file, twin.parameters, twin.profile, self._context_parameters())

    def _context_parameters(self) -> list[Mapping[str, float]]:
        """Parameters of the model in each context that may run."""
        numbers = self.options.phases.numbers
        return [{}] if self.own_conditions else [self.options.context(number).parameters for number in numbers]

    def derived(self) -> dict[str, str]:
        twin, contexts = self.options.twin, self._context_parameters()
        chosen = {**(twin.host_file.values if twin.host_file else {}), **twin.parameters}
        values = device_values(twin.device) if self.rests_on_profile() else {}
        workload = self.options.own_workload
        left_out = workload.notes.get("left_out") if workload else None
        return ({"left out of the trace": left_out} if left_out else {}) | {
            name: f"{value:g}, as measured for profile {twin.device.name} (--set {name}=N changes it)"
            for name, value in values.items()
            if name not in chosen and any(name not in parameters for parameters in contexts)
        }


def offered_rates(rates_ops: Iterable[float | None]) -> str:
    """What clients offer in several contexts, in words; None: clients without pauses."""
    rates = []
    for rate in rates_ops:
        if rate is None:
            return "clients without pauses"
        rates.append(rate)
    low, high = (f"{rate:,.0f}" for rate in (min(rates), max(rates)))
    return f"{low if low == high else f'{low} to {high}'} operations/s"


def _load_of(record: Mapping) -> str:
    """What a recorded run was offered, in words."""
    if "workload" in record:
        return f"workload {record['workload']}"
    return f"the phases of --contexts {record.get('contexts', record.get('context_set', PHASE_SET))}"
