"""The best fixed pools on the running middleware: the grid of section 4.2, narrowing steps around the best, a final.

Windows of a real middleware take real time. All settings of a round therefore run one after another in one running
system, each with a window to settle; windows are short until the final, and the final alone decides. Best is what keeps
the service level in most windows, and of those the one with the highest reward.

Besides the best of each phase there is the best single setting of a schedule in which the phases take turns: the one
with the best mean over them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pmtwin.scenarios.nvm_middleware import POOL_MAX, POOL_MIN, NvmMiddlewareEnv
from pmtwin.sim.errors import check_range

Pools = tuple[int, int]
Target = tuple[int, ...]
"""The phases over which a setting is to be best."""


class Score(NamedTuple):
    """Share of windows that kept the service level, and mean reward; the greater is the better."""

    attainment: float
    reward: float


class Round(NamedTuple):
    """What is measured of a phase in one running system: settings with `windows` of each after one to settle."""

    name: str
    phase: int
    pools: tuple[Pools, ...]
    windows: int
    short: bool

    @property
    def run(self) -> int:
        """Windows that are run."""
        return len(self.pools) * (self.windows + 1)


@dataclass(frozen=True)
class SettingSearch:
    """How much is run.

    Args:
        grid: the settings that begin.
        steps: distances, in threads, of the neighbours that are tried around the best, one round each.
        shortening: how many times shorter than a window those before the final are.
        finalists: settings of each target in the final. final_windows: windows of each of them.
    """

    grid: tuple[Pools, ...]
    steps: tuple[int, ...] = (4, 2, 1)
    shortening: int = 5
    finalists: int = 3
    final_windows: int = 10

    def __post_init__(self):
        check_range("finalists", self.finalists, 1, 100)
        check_range("final_windows", self.final_windows, 1, 10**6)
        check_range("shortening", self.shortening, 1, 1000)

    def most_windows(self, phases: Sequence[int]) -> float:
        """Windows of full length that a search runs at most."""
        targets = 2 if len(phases) > 1 else 1
        short = 2 * (len(self.grid) + 8 * targets * len(self.steps)) / self.shortening
        return len(phases) * (short + targets * self.finalists * (self.final_windows + 1))


def search(
    plan: SettingSearch, phases: Sequence[int], measure: Callable[[Round], Sequence[Score]]
) -> dict[Target, Pools]:
    """The best setting of each phase, and of all of them together if there are several.

    Args:
        measure: scores of the settings of a round, in order.
    """
    phases = tuple(dict.fromkeys(phases))
    targets = [(phase,) for phase in phases] + ([phases] if len(phases) > 1 else [])
    known: dict[int, dict[Pools, Score]] = {phase: {} for phase in phases}

    def take(name: str, wanted: Mapping[int, Iterable[Pools]], windows: int, short: bool, into) -> None:
        for phase, pools in wanted.items():
            new = tuple(one for one in dict.fromkeys(pools) if one not in into[phase])
            if new:
                into[phase].update(zip(new, measure(Round(name, phase, new, windows, short)), strict=True))

    take("grid", dict.fromkeys(phases, plan.grid), 1, True, known)
    for step in plan.steps:
        around = {target: _neighbours(_ranking(target, known)[0], step) for target in targets}
        take(f"step {step}", _by_phase(around), 1, True, known)
    finalists = {target: _ranking(target, known)[: plan.finalists] for target in targets}
    final: dict[int, dict[Pools, Score]] = {phase: {} for phase in phases}
    take("final", _by_phase(finalists), plan.final_windows, False, final)
    return {target: max(finalists[target], key=lambda pools: _value(pools, target, final)) for target in targets}


def _by_phase(settings: Mapping[Target, Sequence[Pools]]) -> dict[int, list[Pools]]:
    found: dict[int, list[Pools]] = {}
    for target, pools in settings.items():
        for phase in target:
            found.setdefault(phase, []).extend(pools)
    return found


def _ranking(target: Target, known: Mapping[int, Mapping[Pools, Score]]) -> list[Pools]:
    """What has been measured in all phases of the target, the best first."""
    common = [pools for pools in known[target[0]] if all(pools in known[phase] for phase in target)]
    return sorted(common, key=lambda pools: _value(pools, target, known), reverse=True)


def _value(pools: Pools, target: Target, known: Mapping[int, Mapping[Pools, Score]]) -> Score:
    scores = [known[phase][pools] for phase in target]
    return Score(*(sum(values) / len(values) for values in zip(*scores, strict=True)))


def _neighbours(pools: Pools, step: int) -> list[Pools]:
    moves = [(i, b) for i in (-step, 0, step) for b in (-step, 0, step) if (i, b) != (0, 0)]
    moved = [(pools[0] + i, pools[1] + b) for i, b in moves]
    return [pair for pair in moved if all(POOL_MIN <= size <= POOL_MAX for size in pair)]


def measure_round(env: NvmMiddlewareEnv, one: Round, seed: int, on_window: Callable[[], None]) -> list[Score]:
    """The settings of a round one after another; `on_window` is called after each window."""
    scores = []
    env.reset(seed=seed, options={"phase": one.phase, "pools": one.pools[0]})
    try:
        for pools in one.pools:
            env.set_pools(*pools)
            kept, reward = 0, 0.0
            for window in range(one.windows + 1):
                _, value, _, _, info = env.step(0)
                on_window()
                if window:
                    kept += info["met_latency"] and info["met_throughput"]
                    reward += value
            scores.append(Score(kept / one.windows, reward / one.windows))
    finally:
        env.close()
    return scores
