"""The thread pools of the NVM middleware (thesis section 3.4) as a scenario."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from pmtwin.scenarios.batch import Batch
from pmtwin.scenarios.contexts import OWN, Contexts
from pmtwin.scenarios.nvm_middleware.batch import MiddlewareBatch
from pmtwin.scenarios.nvm_middleware.context_sets import PHASE_SET
from pmtwin.scenarios.nvm_middleware.examples import EXAMPLES
from pmtwin.scenarios.nvm_middleware.options import STEADY, VARYING, WITH_PARTS, NvmOptions, OfferedLoad
from pmtwin.scenarios.nvm_middleware.phases import PHASES
from pmtwin.scenarios.nvm_middleware.reward import reward, rewards
from pmtwin.scenarios.nvm_middleware.reward_file import GOALS
from pmtwin.scenarios.nvm_middleware.system import COLUMNS, P99_US, POOLS, THROUGHPUT_OPS, MiddlewareSystem
from pmtwin.scenarios.nvm_middleware.twin import COMPILED, NATIVE, SAMPLED
from pmtwin.scenarios.nvm_middleware.workloads import is_file
from pmtwin.scenarios.scenario import Scenario, Training
from pmtwin.sim.control import HIGHER, LOG, LOWER, Goal, Measure
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.sampling import without_uncertainty
from pmtwin.sim.host_file import device_values
from pmtwin.sim.host_file import record as parameter_record
from pmtwin.sim.pools import MODES
from pmtwin.sim.workload import CLASSES, Workload

P99 = Measure(
    P99_US,
    "us",
    "99th percentile of the latency of interactive requests",
    LOWER,
    LOG,
    tolerance_percent=8.0,
    worst_percent=20.0,
)
THROUGHPUT = Measure(
    THROUGHPUT_OPS,
    "operations/s",
    "throughput of both classes together",
    HIGHER,
    tolerance_percent=3.0,
    worst_percent=8.0,
)


def _class_throughput(kind: str) -> Measure:
    words = f"throughput of the {kind} class"
    return Measure(f"{kind}_ops", "operations/s", words, HIGHER, compared=False, low=1e4, high=1e6)


class NvmMiddleware(Scenario):
    """Control of the two thread pools of the middleware."""

    name = "nvm-middleware"
    description = "Control of the two thread pools of the middleware"
    Options = NvmOptions
    columns = COLUMNS
    measures = (
        P99,
        THROUGHPUT,
        _class_throughput("interactive"),
        _class_throughput("batch"),
    )
    settings = POOLS
    initial_setting = (15, 15)
    everyday = ("engine", "profile", "host", "workload", "contexts", "store", "path")
    examples = EXAMPLES
    contexts = Contexts("phase", tuple(PHASES))
    goal_options = GOALS
    own_conditions_option = "workload"
    modes = MODES
    request_classes = CLASSES
    baselines = ("none", "fixed:15,15", "threshold")
    training = Training({1: 700, 2: 700, 3: 1000, 4: 1000}, dataset_episodes=150, episode_steps=200)
    recommended = "afterstate"
    figures = "pmtwin.scenarios.nvm_middleware.figures.pipeline"
    listings = "pmtwin.scenarios.nvm_middleware.listings"
    warming = "pmtwin.scenarios.nvm_middleware.warming"
    explained = "pmtwin.scenarios.nvm_middleware.explaining"
    steered = True
    measured = "pmtwin.scenarios.nvm_middleware.measured:MeasuredMiddleware"
    inference = "pmtwin.scenarios.nvm_middleware.inference.side:ThesisInference"

    def __init__(self, options: NvmOptions | None = None):
        super().__init__(options)
        chosen = self.options.phases
        self.contexts = Contexts(type(self).contexts.noun, chosen.numbers, kept_aside=chosen.kept_aside)

    @property
    def goals(self) -> tuple[Goal, Goal]:
        sla = self.options.reward_parameters.sla
        return Goal("latency", P99, sla.latency_goal_us), Goal("throughput", THROUGHPUT, sla.throughput_goal_ops)

    def reward(self, measures: Mapping[str, float]) -> float:
        if self.options.reward_function is not None:
            return self.options.reward_function(measures)
        return reward(measures[P99_US], measures[THROUGHPUT_OPS], self.options.reward_parameters)

    @property
    def resize_cost(self) -> float:
        return self.options.reward_parameters.resize_cost

    def rewards(self, measures: Mapping[str, np.ndarray]) -> np.ndarray:
        derived = type(self).reward is not NvmMiddleware.reward
        if derived or self.options.reward_function is not None:
            return super().rewards(measures)
        return rewards(measures[P99_US], measures[THROUGHPUT_OPS], self.options.reward_parameters)

    def batch(self, threads: int) -> Batch:
        """The compiled twin runs its windows together, another engine or a derived scenario's one after the other."""
        together = self.engine == COMPILED and type(self).system is NvmMiddleware.system
        return MiddlewareBatch(self, threads) if together else super().batch(threads)

    def system(self, conditions, seed: int, device: int = 0, mode: str | None = None, engine=None) -> MiddlewareSystem:
        """See `Scenario.system`; `engine`: instead of that of the options."""
        offer = partial(self.offer, device=device)
        workload, values = offer(conditions)
        middleware = self.options.twin.middleware(workload, seed, device, mode or MODES[0], engine, values)
        return MiddlewareSystem(middleware, offer)

    def workload(self, conditions: Workload | int, device: int = 0) -> Workload:
        """The workload of a phase, or the given one, as it is offered beside sample number `device`."""
        return self.offer(conditions, device)[0]

    def offer(self, conditions: Workload | int, device: int = 0) -> tuple[Workload, dict[str, float]]:
        """(the same, the parameters of the model under it that are not as by default)."""
        options, twin = self.options, self.options.twin
        if isinstance(conditions, Workload):
            values = twin.values_of(device)
            return options.offer(conditions, values), values
        context = options.context(self.contexts.check(conditions))
        values = twin.values_of(device, context.parameters)
        return options.workload_of(context, values), values

    def drawn_conditions(self, rng: np.random.Generator) -> Workload | None:
        return self.options.practice_workload(rng)

    def load_varies(self, context: int | str) -> bool:
        parts = self.workload(self.own_conditions if context == OWN else context).parts
        return any(part.is_random for part in parts)

    def offered_load(self, context: int | str) -> float | None:
        """Operations/s that both classes offer; None where clients of one never pause."""
        workload = self.workload(self.own_conditions if context == OWN else context)
        rates = [load.rate_ops for load in workload.classes if load.clients]
        return None if None in rates else float(sum(rates))

    def predicted(self, context, settings, loads: int, seed: int, pace: float = 1.0):
        from pmtwin.scenarios.nvm_middleware.screening import predicted_measures

        workload, values = self.offer(self.own_conditions if context == OWN else context)
        twin = self.options.twin
        window = min(max(twin.requests_per_window, 10), 10_000_000)
        return predicted_measures(twin.device, workload, values, settings, loads, seed, pace, window)

    @property
    def forecaster(self):
        """The formulas over the pools, under the clients of the first context."""
        from pmtwin.scenarios.nvm_middleware.forecasting import LoadForecaster

        first = self.own_conditions or self.workload(self.contexts.names[0])
        return partial(LoadForecaster, self.options.twin, first)

    def sampled_systems(self, count: int) -> NvmMiddleware:
        twin = self.options.twin
        if twin.systems:  # the user's own choice of samples
            return self
        devices = count if twin.device.uncertainty else 0
        hosts = count if twin.host_file and twin.host_file.draws else 0
        sampled = replace(twin, device_samples=devices, host_samples=hosts)
        return type(self)(replace(self.options, twin=sampled))

    def real(self, context: int | str) -> NvmMiddleware:
        """The middleware on an emulated device."""
        workload, values = self.offer(self.own_conditions if context == OWN else context)
        twin = replace(self.options.twin, engine=NATIVE, parameters=values, device_samples=0, host_samples=0)
        offered = OfferedLoad(load=STEADY)
        steady = replace(workload, parts=(), tied=True)
        changed = {"twin": twin, "offered": offered, "workload": steady, "blob_trace": None, "contexts": PHASE_SET}
        return type(self)(replace(self.options, **changed))

    @property
    def own_conditions(self) -> Workload | None:
        return self.options.own_workload

    @property
    def options_without_use(self) -> Mapping[str, str]:
        twin, belongs = self.options.twin, "belongs to {}; add that, or remove this option"
        reasons = {} if self.own_conditions is None else {"contexts": self.in_place_of_contexts}
        for number, names in SAMPLED.items():
            if not getattr(twin, number):
                reasons |= dict.fromkeys(names, belongs.format(f"--{number.replace('_', '-')}"))
        return reasons

    @property
    def drawn_by(self) -> tuple[str, ...]:
        return tuple(seed for number, (seed, *_) in SAMPLED.items() if getattr(self.options.twin, number))

    @property
    def devices(self) -> int:
        return self.options.twin.systems

    @property
    def sampled_by(self) -> str:
        twin = self.options.twin
        return "host_samples" if twin.host_samples > twin.device_samples else "device_samples"

    @property
    def sampled(self) -> str:
        counts = {"hosts": self.options.twin.host_samples, "devices": self.options.twin.device_samples}
        return " and ".join(name for name, count in counts.items() if count)

    @property
    def known_device(self) -> str:
        twin = self.options.twin
        if not self.rests_on_profile():
            return ""
        if reason := without_uncertainty(twin.device):
            return reason
        if not twin.device_spread:
            return "--device-spread 0"
        if not twin.systems or twin.device_samples > 1:  # without samples given, `sampled_systems` draws devices
            return ""
        return f"--device-samples {twin.device_samples}" if twin.device_samples else "no --device-samples"

    @property
    def engine(self) -> str:
        return self.options.twin.engine

    @property
    def sequential(self) -> bool:
        return self.engine == NATIVE  # two middlewares at once would fight for the processors, and measure that

    def rests_on_profile(self) -> bool:
        return self.options.twin.native is None or self.options.twin.native.store == "emulated"

    def unmeasured(self, contexts) -> str:
        from pmtwin.scenarios.nvm_middleware.unmeasured import unmeasured

        clauses = (unmeasured(*offered) for offered in self._on_profile(contexts))
        return next(filter(None, clauses), "")

    def extrapolated_where(self, contexts, settings=None) -> str:
        from pmtwin.scenarios.nvm_middleware.unmeasured import covered_threads

        bounds = [count for offered in self._on_profile(contexts) if (count := covered_threads(*offered))]
        if not bounds or (settings is not None and max(map(sum, settings)) <= min(bounds)):
            return ""
        threads = "1 thread is" if min(bounds) == 1 else f"{min(bounds)} threads are"
        return f"more than {threads} at the device at once"

    def _on_profile(self, contexts) -> Iterator[tuple[Profile, Workload, Mapping[str, float]]]:
        """Profile, workload and parameters in each context; none where results do not rest on the profile."""
        for context in contexts if self.rests_on_profile() else ():
            yield self.options.twin.device, *self.offer(self.own_conditions if context == OWN else context)

    def setup(self, contexts) -> dict[str, str]:
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
        name = self.own_conditions.name if isinstance(workload, Workload) else workload or self.options.contexts
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

    def trained_otherwise(self, origin: Mapping) -> list[str]:
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

    def context_name(self, context: int) -> str:
        if context == OWN:
            return self.own_conditions.name
        chosen = self.options.context(context)
        if isinstance(chosen.workload, Workload):
            return chosen.workload.name
        return f"{self.options.contexts}-{context}" if chosen.parts else f"phase-{context}"

    def context_record(self, context: int) -> dict:
        parameters = {} if context == OWN else dict(self.options.context(context).parameters)
        return {"workload": self.context_name(context), **({"context_parameters": parameters} if parameters else {})}


def offered_rates(rates_ops: Iterable[float | None]) -> str:
    """What clients offer in several contexts, in words; None: clients without pauses."""
    rates = list(rates_ops)
    if None in rates:
        return "clients without pauses"
    low, high = (f"{rate:,.0f}" for rate in (min(rates), max(rates)))
    return f"{low if low == high else f'{low} to {high}'} operations/s"


def _load_of(record: Mapping) -> str:
    """What a recorded run was offered, in words."""
    if "workload" in record:
        return f"workload {record['workload']}"
    return f"the phases of --contexts {record.get('contexts', record.get('context_set', PHASE_SET))}"
