"""Simulation of one draw: the settings that the thesis publishes, with short windows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from pmtwin.scenarios.nvm_middleware import published
from pmtwin.scenarios.nvm_middleware.inference.combinations import COMBINATION_QUANTITIES, combinations
from pmtwin.scenarios.nvm_middleware.inference.priors import MAX_LATENCY
from pmtwin.scenarios.nvm_middleware.inference.quantities import (
    ALL_PHASES,
    BEST_WINDOW,
    SECTION_4_2,
    WINDOW_QUANTITIES,
    Pools,
    name_of,
)
from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware
from pmtwin.scenarios.nvm_middleware.model.pools import MODES, POOL_MIN, WindowSpec
from pmtwin.scenarios.nvm_middleware.phases import PHASES, phase_workload
from pmtwin.scenarios.nvm_middleware.reward import RewardParameters, reward
from pmtwin.scenarios.nvm_middleware.varying import client_rates_ops, varying
from pmtwin.sim.device.profile import DEFAULT_PROFILE, load_profile
from pmtwin.sim.load.workload import Workload
from pmtwin.sim.parameters.values import PARAMETERS, resolve

if TYPE_CHECKING:
    from pmtwin.scenarios.nvm_middleware.model.window_stats import WindowStats


WHOLE_RUN = (None, published.BASELINE_POOLS, published.CONVERGED_POOLS)
"""Settings of Tables E.2 and E.3, over all four phases; the last is a check."""

COLUMNS = {phase: tuple(table) for phase, (_, table) in published.FIXED_POOL_REWARDS.items()}

LATENCY_ERROR, THROUGHPUT_ERROR = 0.1, 0.03
"""Errors of the logarithms of a window's p99 and throughput."""

LEAST_SHARE = 1e-4


@dataclass(frozen=True)
class Windows:
    """Measures of the windows of one setting; arrays of shape (windows,).

    `met`: both goals. `kept`: the same for a twin that is exact within `LATENCY_ERROR` and `THROUGHPUT_ERROR`: the
    probability that the window meets both. Its mean separates near misses from far ones.
    """

    p99_us: np.ndarray
    throughput_ops: np.ndarray
    reward: np.ndarray
    met: np.ndarray
    kept: np.ndarray

    def quantities(self) -> dict[str, float]:
        """`WINDOW_QUANTITIES`."""
        values = (
            np.clip(self.kept.mean(), LEAST_SHARE, 1.0 - LEAST_SHARE),
            self.met.mean(),
            np.median(self.reward),
            np.median(self.p99_us),
            *np.percentile(self.throughput_ops, (0, 25, 50, 75, 100)),
        )
        return dict(zip(WINDOW_QUANTITIES, map(float, values), strict=True))


def joined(parts: list[Windows]) -> Windows:
    """All windows of several runs."""
    return Windows(*(np.concatenate([getattr(part, name) for part in parts]) for name in Windows.__annotations__))


@dataclass(frozen=True)
class ThesisSimulator:
    """See `pmtwin.calibrate.inference.run.Simulator`.

    Args:
        profile: device profile.
        parameters: (name, value) of the parameters that are neither inferred nor at their defaults.
        windows, warmup_windows: of each setting in each phase. requests: completions of a window.
        combination_requests: of each combination of section 4.2, and five times as many without a middleware.
    """

    profile: str = DEFAULT_PROFILE
    parameters: tuple[tuple[str, float], ...] = ()
    windows: int = 16
    warmup_windows: int = 3
    requests: int = 1500
    combination_requests: int = 1500

    @property
    def quantities(self) -> tuple[str, ...]:
        """Names of all that is given."""
        settings = [(f"phase-{phase}", pools) for phase in PHASES for pools in self._pools(phase)]
        settings += [(ALL_PHASES, pools) for pools in WHOLE_RUN]
        names = [name_of(*setting, quantity) for setting in settings for quantity in WINDOW_QUANTITIES]
        return (*names, BEST_WINDOW, *(f"{SECTION_4_2}/{name}" for name in COMBINATION_QUANTITIES))

    def identity(self) -> dict:
        """Inputs that the numbers depend on."""
        return asdict(self) | {"profile_fingerprint": load_profile(self.profile).fingerprint}

    def simulate(self, draw: Mapping[str, float], seed: int) -> dict[str, float]:
        """Windows of all settings in all phases, and of section 4.2."""
        runs = {(phase, pools): self.run(phase, pools, draw, seed) for phase in PHASES for pools in self._pools(phase)}
        quantities: dict[str, float] = {}
        for phase in PHASES:
            quantities |= _named(f"phase-{phase}", {pools: runs[phase, pools] for pools in self._pools(phase)})
        quantities[BEST_WINDOW] = float(max(runs[1, pools].reward.max() for pools in COLUMNS[1]))
        whole = {pools: joined([runs[phase, pools] for phase in PHASES]) for pools in WHOLE_RUN}
        shown = combinations(_profile(self.profile), self.values(draw), self.combination_requests, seed)
        return (
            quantities | _named(ALL_PHASES, whole) | {f"{SECTION_4_2}/{name}": value for name, value in shown.items()}
        )

    def _pools(self, phase: int) -> tuple[Pools, ...]:
        return tuple(dict.fromkeys((*COLUMNS[phase], *WHOLE_RUN)))

    def run(self, phase: int, pools: Pools, draw: Mapping[str, float], seed: int) -> Windows:
        """Windows of one setting in one phase."""
        values = self.values(draw)
        middleware = Middleware(
            self.workload(phase, values),
            profile=_profile(self.profile),
            seed=np.random.SeedSequence(seed, spawn_key=(phase, *(pools or ()))),
            window=WindowSpec(requests=self.requests),
            parameters=values,
            mode=MODES[pools is None],
        )
        middleware.start(*(pools or (POOL_MIN, POOL_MIN)))
        shown = [middleware.run_window() for _ in range(self.warmup_windows + self.windows)][self.warmup_windows :]
        constants = RewardParameters(max_latency_us=draw.get(MAX_LATENCY, RewardParameters().max_latency_us))
        rewards = np.array([reward(window.p99_us, window.throughput_ops, constants) for window in shown])
        return Windows(
            np.array([window.p99_us for window in shown]),
            np.array([window.throughput_ops for window in shown]),
            rewards,
            np.array([_met(window, constants) for window in shown]),
            np.array([_kept(window, constants) for window in shown]),
        )

    def values(self, draw: Mapping[str, float]) -> dict[str, float]:
        """Parameters of the twin that are not at their defaults."""
        return dict(self.parameters) | {name: value for name, value in draw.items() if name in PARAMETERS}

    def workload(self, phase: int, values: Mapping[str, float]) -> Workload:
        """The workload of a phase with varying load, for parameters that are not at their defaults."""
        resolved = resolve(values)
        rates = client_rates_ops(phase_workload(phase), resolved)
        return varying(phase_workload(phase, *rates.values()), resolved)


_profile = lru_cache(maxsize=4)(load_profile)


def _met(window: WindowStats, constants: RewardParameters) -> bool:
    return constants.sla.met_latency(window.p99_us) and constants.sla.met_throughput(window.throughput_ops)


def _kept(window: WindowStats, constants: RewardParameters) -> float:
    sla = constants.sla
    latency = math.log(sla.latency_goal_us / max(window.p99_us, 1e-3)) / LATENCY_ERROR
    throughput = math.log(max(window.throughput_ops, 1e-3) / sla.throughput_goal_ops) / THROUGHPUT_ERROR
    return float(special.ndtr(latency) * special.ndtr(throughput))


def _named(context: str, columns: Mapping[Pools, Windows]) -> dict[str, float]:
    return {
        name_of(context, pools, quantity): value
        for pools, windows in columns.items()
        for quantity, value in windows.quantities().items()
    }
