"""Search for the best fixed setting on a running system: a grid, narrowing steps around the best, a final round.

Windows of a real system take real time. All settings of a round therefore run one after another in one running system,
each after a window to settle. Windows are short until the final round, which alone decides. The best setting keeps the
service level in the most windows; the mean reward breaks ties.

The search also finds the best single setting for a schedule of alternating contexts: the setting with the best mean
over the contexts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from pmtwin.scenarios.comparison.rollout import Context
from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import Settings
from pmtwin.sim.errors import check_range

Target = tuple[Context, ...]
"""The contexts over whose mean a setting is chosen."""


class Score(NamedTuple):
    """Share of windows that kept the service level, then mean reward; greater is better."""

    attainment: float
    reward: float


class Round(NamedTuple):
    """Settings to measure in one running system and context: `windows` of each, after one window to settle."""

    name: str
    context: Context
    settings: tuple[Setting, ...]
    windows: int
    short: bool

    @property
    def run(self) -> int:
        """Number of windows that run, those to settle included."""
        return len(self.settings) * (self.windows + 1)


@dataclass(frozen=True)
class SettingSearch:
    """Size of a search.

    Args:
        settings: bounds and kinds of a setting's numbers.
        grid: settings of the first round.
        steps: for each further round, the distance in each number between the best setting and its neighbours to try.
        shortening: factor by which windows before the final are shorter.
        finalists: settings of each target in the final.
        final_windows: windows of each finalist.
    """

    settings: Settings
    grid: tuple[Setting, ...]
    steps: tuple[int, ...] = (4, 2, 1)
    shortening: int = 5
    finalists: int = 3
    final_windows: int = 10

    def __post_init__(self):
        check_range("finalists", self.finalists, 1, 100)
        check_range("final_windows", self.final_windows, 1, 10**6)
        check_range("shortening", self.shortening, 1, 1000)

    def most_windows(self, contexts: Sequence[Context]) -> float:
        """Largest number of windows, in windows of full length, that a search may run."""
        targets = 2 if len(contexts) > 1 else 1
        neighbours = 3 ** len(self.settings.names) - 1
        short = 2 * (len(self.grid) + neighbours * targets * len(self.steps)) / self.shortening
        return len(contexts) * (short + targets * self.finalists * (self.final_windows + 1))


def search(
    plan: SettingSearch, contexts: Sequence[Context], measure: Callable[[Round], Sequence[Score]]
) -> dict[Target, Setting]:
    """The best setting of each context and, with several contexts, the best over all.

    Args:
        measure: function that runs a round and returns the scores of its settings, in order.
    """
    contexts = tuple(dict.fromkeys(contexts))
    targets = [(context,) for context in contexts] + ([contexts] if len(contexts) > 1 else [])
    known: dict[Context, dict[Setting, Score]] = {context: {} for context in contexts}

    def take(
        name: str,
        wanted: Mapping[Context, Iterable[Setting]],
        windows: int,
        short: bool,
        into: dict[Context, dict[Setting, Score]],
    ) -> None:
        for context, settings in wanted.items():
            new = tuple(setting for setting in dict.fromkeys(settings) if setting not in into[context])
            if new:
                into[context].update(zip(new, measure(Round(name, context, new, windows, short)), strict=True))

    take("grid", dict.fromkeys(contexts, plan.grid), 1, True, known)
    for step in plan.steps:
        around = {target: _neighbours(plan.settings, _ranking(target, known)[0], step) for target in targets}
        take(f"step {step}", _by_context(around), 1, True, known)
    finalists = {target: _ranking(target, known)[: plan.finalists] for target in targets}
    final: dict[Context, dict[Setting, Score]] = {context: {} for context in contexts}
    take("final", _by_context(finalists), plan.final_windows, False, final)
    return {
        target: max(finalists[target], key=lambda candidate: _value(candidate, target, final)) for target in targets
    }


def _by_context(settings: Mapping[Target, Sequence[Setting]]) -> dict[Context, list[Setting]]:
    chosen: dict[Context, list[Setting]] = {}
    for target, some in settings.items():
        for context in target:
            chosen.setdefault(context, []).extend(some)
    return chosen


def _ranking(target: Target, known: Mapping[Context, Mapping[Setting, Score]]) -> list[Setting]:
    """Settings that were measured in all contexts of the target, best first."""
    common = [setting for setting in known[target[0]] if all(setting in known[context] for context in target)]
    return sorted(common, key=lambda setting: _value(setting, target, known), reverse=True)


def _value(setting: Setting, target: Target, known: Mapping[Context, Mapping[Setting, Score]]) -> Score:
    scores = [known[context][setting] for context in target]
    return Score(*(sum(values) / len(values) for values in zip(*scores, strict=True)))


def _neighbours(settings: Settings, setting: Setting, step: int) -> list[Setting]:
    moves = [move for move in product((-step, 0, step), repeat=len(setting)) if any(move)]
    moved = [settings.shifted(setting, move) for move in moves]
    return [neighbour for neighbour in moved if neighbour is not None]
