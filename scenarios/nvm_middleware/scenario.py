"""The thread pools of the NVM middleware (thesis section 3.4) as a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from pmtwin.scenarios.batch import Batch
from pmtwin.scenarios.capabilities.system_samples import WithSystemSamples
from pmtwin.scenarios.contexts import OWN, Contexts
from pmtwin.scenarios.nvm_middleware.batch import MiddlewareBatch
from pmtwin.scenarios.nvm_middleware.context_sets import PHASE_SET
from pmtwin.scenarios.nvm_middleware.evidence import NvmEvidence
from pmtwin.scenarios.nvm_middleware.examples import EXAMPLES
from pmtwin.scenarios.nvm_middleware.model.pools import MODES, POOLS
from pmtwin.scenarios.nvm_middleware.options import STEADY, NvmOptions, OfferedLoad
from pmtwin.scenarios.nvm_middleware.phases import PHASES
from pmtwin.scenarios.nvm_middleware.reward import reward, rewards
from pmtwin.scenarios.nvm_middleware.reward_file import GOALS
from pmtwin.scenarios.nvm_middleware.system import COLUMNS, P99_US, THROUGHPUT_OPS, MiddlewareSystem
from pmtwin.scenarios.nvm_middleware.twin import COMPILED, NATIVE
from pmtwin.scenarios.scenario import Scenario, Training
from pmtwin.sim.control import HIGHER, LOG, LOWER, Goal, Measure
from pmtwin.sim.host.samples import SystemSamples
from pmtwin.sim.load.workload import CLASSES, Workload

if TYPE_CHECKING:
    from pmtwin.scenarios.nvm_middleware.model.middleware import EngineFactory


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


class NvmMiddleware(NvmEvidence, WithSystemSamples, Scenario):
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
    warming = "pmtwin.scenarios.nvm_middleware.warming"
    explained = "pmtwin.scenarios.nvm_middleware.explaining"
    steered = True
    measured = "pmtwin.scenarios.nvm_middleware.validation.measured:MeasuredMiddleware"
    host_probe = "pmtwin.scenarios.nvm_middleware.host.command:probe_host"
    inference = "pmtwin.scenarios.nvm_middleware.inference.side:ThesisInference"

    options: NvmOptions

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

    def system(
        self, conditions: Any, seed: int, device: int = 0, mode: str | None = None, engine: EngineFactory | None = None
    ) -> MiddlewareSystem:
        """See `Scenario.system`; `engine`: instead of that of the options."""
        offer = partial(self.offer, device=device)
        workload, values = offer(conditions)
        middleware = self.options.twin.middleware(workload, seed, device, mode or MODES[0], engine, values)
        return MiddlewareSystem(middleware, offer)

    def workload(self, conditions: Workload | int | str, device: int = 0) -> Workload:
        """The workload of a phase, or the given one, as it is offered beside sample number `device`."""
        return self.offer(conditions, device)[0]

    def conditions_in(self, context: int | str) -> Workload | int | str:
        """The conditions that the options give in the place of all contexts, if any; else the context itself."""
        conditions = self.own_conditions
        return conditions if conditions is not None and context == OWN else context

    def offer(self, conditions: Workload | int | str, device: int = 0) -> tuple[Workload, dict[str, float]]:
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
        parts = self.workload(self.conditions_in(context)).parts
        return any(part.is_random for part in parts)

    def offered_load(self, context: int | str) -> float | None:
        """Operations/s that both classes offer; None where clients of one never pause."""
        workload = self.workload(self.conditions_in(context))
        rates = [load.rate_ops for load in workload.classes if load.clients]
        known = [rate for rate in rates if rate is not None]
        return float(sum(known)) if len(known) == len(rates) else None

    def predicted(self, context: int | str, settings, loads: int, seed: int, pace: float = 1.0):
        from pmtwin.scenarios.nvm_middleware.screening import predicted_measures

        workload, values = self.offer(self.conditions_in(context))
        twin = self.options.twin
        window = min(max(twin.requests_per_window, 10), 10_000_000)
        return predicted_measures(twin.device, workload, values, settings, loads, seed, pace, window)

    @property
    def forecaster(self):
        """The formulas over the pools, under the clients of the first context."""
        from pmtwin.scenarios.nvm_middleware.forecasting import LoadForecaster

        first = self.own_conditions or self.workload(self.contexts.names[0])
        return partial(LoadForecaster, self.options.twin, first)

    def sampled_systems(self, count: int) -> Self:
        twin = self.options.twin
        if twin.samples.systems:  # the user's own choice of samples
            return self
        devices = count if twin.device.uncertainty else 0
        hosts = count if twin.host_file and twin.host_file.draws else 0
        sampled = replace(twin, device_samples=devices, host_samples=hosts)
        return type(self)(replace(self.options, twin=sampled))

    def real(self, context: int | str) -> NvmMiddleware:
        """The middleware on an emulated device."""
        workload, values = self.offer(self.conditions_in(context))
        twin = replace(self.options.twin, engine=NATIVE, parameters=values, device_samples=0, host_samples=0)
        steady = replace(workload, parts=(), tied=True)
        options = replace(
            self.options,
            twin=twin,
            offered=OfferedLoad(load=STEADY),
            workload=steady,
            blob_trace=None,
            contexts=PHASE_SET,
        )
        return type(self)(options)

    @property
    def own_conditions(self) -> Workload | None:
        return self.options.own_workload

    @property
    def options_without_use(self) -> Mapping[str, str]:
        reasons = {} if self.own_conditions is None else {"contexts": self.in_place_of_contexts}
        return {**reasons, **self.samples.without_use}

    @property
    def samples(self) -> SystemSamples:
        return self.options.twin.samples

    @property
    def known_device(self) -> str:
        return self.samples.known_device(self.options.twin.device) if self.rests_on_profile() else ""

    @property
    def engine(self) -> str:
        return self.options.twin.engine

    @property
    def sequential(self) -> bool:
        return self.engine == NATIVE  # two middlewares at once would fight for the processors, and measure that

    def context_name(self, context: int | str) -> str:
        conditions = self.own_conditions
        if conditions is not None and context == OWN:
            return conditions.name
        chosen = self.options.context(context)
        if isinstance(chosen.workload, Workload):
            return chosen.workload.name
        return f"{self.options.contexts}-{context}" if chosen.parts else f"phase-{context}"

    def context_record(self, context: int | str) -> dict:
        parameters = {} if context == OWN else dict(self.options.context(context).parameters)
        return {"workload": self.context_name(context), **({"context_parameters": parameters} if parameters else {})}
