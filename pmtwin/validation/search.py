"""The search for the best fixed setting on a running system: a grid, narrowing steps around the best, a final.

Windows of a real system take real time. All settings of a round therefore run one after another in one running
system, each with a window to settle; windows are short until the final, and the final alone decides. Best is what keeps
the service level in most windows, and of those the one with the highest reward.

Besides the best of each context there is the best single setting of a schedule in which the contexts take turns: the
one with the best mean over them.
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
"""The contexts over which a setting is to be best."""


class Score(NamedTuple):
    """Share of windows that kept the service level, and mean reward; the greater is the better."""

    attainment: float
    reward: float


class Round(NamedTuple):
    """What is measured of a context in one running system: settings with `windows` of each after one to settle."""

    name: str
    context: Context
    settings: tuple[Setting, ...]
    windows: int
    short: bool

    @property
    def run(self) -> int:
        """Windows that are run."""
        return len(self.settings) * (self.windows + 1)


@dataclass(frozen=True)
class SettingSearch:
    """How much is run.

    Args:
        settings: what a setting may be.
        grid: the settings that begin.
        steps: distances, in each number, of the neighbours that are tried around the best, one round each.
        shortening: how many times shorter than a window those before the final are.
        finalists: settings of each target in the final. final_windows: windows of each of them.
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
        """Windows of full length that a search runs at most."""
        targets = 2 if len(contexts) > 1 else 1
        neighbours = 3 ** len(self.settings.names) - 1
        short = 2 * (len(self.grid) + neighbours * targets * len(self.steps)) / self.shortening
        return len(contexts) * (short + targets * self.finalists * (self.final_windows + 1))


def search(
    plan: SettingSearch, contexts: Sequence[Context], measure: Callable[[Round], Sequence[Score]]
) -> dict[Target, Setting]:
    """The best setting of each context, and of all of them together if there are several.

    Args:
        measure: scores of the settings of a round, in order.
    """
    contexts = tuple(dict.fromkeys(contexts))
    targets = [(context,) for context in contexts] + ([contexts] if len(contexts) > 1 else [])
    known: dict[Context, dict[Setting, Score]] = {context: {} for context in contexts}

    def take(name: str, wanted: Mapping[Context, Iterable[Setting]], windows: int, short: bool, into) -> None:
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
    """What has been measured in all contexts of the target, the best first."""
    common = [setting for setting in known[target[0]] if all(setting in known[context] for context in target)]
    return sorted(common, key=lambda setting: _value(setting, target, known), reverse=True)


def _value(setting: Setting, target: Target, known: Mapping[Context, Mapping[Setting, Score]]) -> Score:
    scores = [known[context][setting] for context in target]
    return Score(*(sum(values) / len(values) for values in zip(*scores, strict=True)))


def _neighbours(settings: Settings, setting: Setting, step: int) -> list[Setting]:
    moves = [move for move in product((-step, 0, step), repeat=len(setting)) if any(move)]
    moved = [settings.shifted(setting, move) for move in moves]
    return [neighbour for neighbour in moved if neighbour is not None]
