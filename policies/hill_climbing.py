"""Hill climbing: neighbours of the best setting are tried, and a better one takes its place; steps halve at a top."""

from __future__ import annotations

from pmtwin.policies.base import Setting
from pmtwin.policies.registry import register
from pmtwin.policies.trials import Tuner

FIRST_STEP = 4
"""Steps begin at half of this part of a parameter's values."""


@register("hill-climbing")
class HillClimbing(Tuner):
    """Moves one parameter at a time, in steps that halve where no neighbour is better. Untrained.

    Where steps of one value are in vain, the setting itself is tried again and steps begin anew at two values: rewards
    are noisy, and the load may have changed.
    """

    def begin(self, first: Setting) -> None:
        """Begin at the first setting."""
        self._top, self._height = first, -float("inf")
        self._steps = [max(width // FIRST_STEP, 1) for width in self._settings.widths]
        self._neighbours: list[Setting] = []

    def hear(self, setting: Setting, mean: float) -> None:
        """Take a better setting, and go on from it in the same direction first."""
        if setting == self._top:
            self._height = mean if self._height == -float("inf") else 0.5 * (self._height + mean)
        elif mean > self._height:
            ahead = [2 * new - old for new, old in zip(self._places(setting), self._places(self._top), strict=True)]
            self._top, self._height = setting, mean
            self._neighbours = self._shuffled(self._around())
            if (further := self._inside(ahead)) is not None:
                self._neighbours.append(further)

    def following(self) -> Setting:
        """The next neighbour."""
        while not self._neighbours:
            if max(self._steps) == 1 and self._height > -float("inf"):
                self._steps = [2 if width > 2 else 1 for width in self._settings.widths]
                self._neighbours = [*self._shuffled(self._around()), self._top]
            else:
                self._steps = [max(step // 2, 1) for step in self._steps]
                self._neighbours = self._shuffled(self._around())
            if not self._neighbours:
                return self._top
        return self._neighbours.pop()

    def _around(self) -> list[Setting]:
        """Settings one step away, without contradictions."""
        places = self._places(self._top)
        moved = (
            [place + sign * step * (k == number) for k, place in enumerate(places)]
            for number, step in enumerate(self._steps)
            for sign in (1, -1)
        )
        settings = (self._inside(neighbour) for neighbour in moved)
        return [setting for setting in settings if setting is not None and setting != self._top]

    def _inside(self, places: list[int]) -> Setting | None:
        """The setting at the nearest places within the bounds; None if its numbers contradict each other."""
        ends = zip(places, self._settings.widths, strict=True)
        setting = self._settings.at([min(max(place, 0), width - 1) for place, width in ends])
        return None if self.contradicts(setting) else setting

    def _places(self, setting: Setting) -> tuple[int, ...]:
        return self._settings.places(setting)

    def _shuffled(self, settings: list[Setting]) -> list[Setting]:
        return [settings[k] for k in self._random.permutation(len(settings))]
