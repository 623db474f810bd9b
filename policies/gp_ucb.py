"""A Gaussian process over settings that chooses by an upper confidence bound, with formulas as its prior mean.

What is learned is the logarithm of a measure over its forecast (`Scenario.forecaster`): the formulas lead from the
first measured window on, and the process corrects where they are wrong. It forgets by time (Srinivas and others 2010;
Bogunovic, Scarlett and Cevher, "Time-varying Gaussian process bandit optimization", AISTATS 2016):

    k = v exp(-d / 2 l) m^(age / 2)        d: squared distance of two settings
    play  argmax  log forecast + mean + beta x standard deviation

What all settings have in common, the level, is estimated from the same windows (ordinary kriging).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.predictive import compared_settings
from pmtwin.policies.registry import register
from pmtwin.sim.control import HIGHER
from pmtwin.sim.options import Options, option

FORMULAS, FLAT = "formulas", "flat"
KEPT = 100
"""Windows that are remembered."""


@dataclass(frozen=True)
class GpUcbOptions(Options):
    """The process, and how curious it is."""

    prior: str = option(
        FORMULAS, "what is believed before anything is measured: formulas of the scenario, or flat (nothing)",
        choices=(FORMULAS, FLAT),
    )  # fmt: skip
    correct: bool = option(True, "correct the formulas by what was measured")
    beta: float = option(0.5, "width of the confidence bound, in standard deviations", low=0.0, high=100.0)
    error: float = option(
        0.15, "relative error of the formulas between distant settings", low=1e-3, high=10.0, metavar="S"
    )
    length: float = option(
        0.3, "distance at which settings tell little of one another, as a share of the range", low=0.01, high=10.0
    )
    noise: float = option(0.02, "relative noise of a measured window", low=1e-4, high=1.0, metavar="S")
    memory: float = option(0.99, "what a window still tells after another one; 1: as much", low=0.5, high=1.0)


@register("gp-ucb")
class GpUcb(Policy):
    """Jumps to the setting of the highest upper bound by formulas that it corrects as it measures. Untrained."""

    Takes = GpUcbOptions
    options: GpUcbOptions
    draws = False

    def start(self, context: PolicyContext):
        """Begin a run at the scenario's initial setting, with nothing measured.

        Raises:
            InputError: in a scenario without settings, or without a measure to raise.
        """
        measures = (*context.measures, *(goal.measure for goal in context.goals))
        raised = [measure.name for measure in measures if measure.better == HIGHER]
        if context.settings is None:
            raise self.unserved(context, "settings to choose from")
        if not raised:
            raise self.unserved(context, "a measure of which more is better")
        self._measure, self._columns, self._stay = raised[0], context.setting_columns, context.stay
        self._settings = compared_settings(context.settings)
        self._forecaster = context.forecaster() if context.forecaster else None
        places = np.stack([np.unique(column, return_inverse=True)[1] for column in self._settings.T], axis=1)
        self._places = places / np.maximum(places.max(axis=0), 1)
        self._window = 0
        self._seen: list[tuple[int, int, float]] = []

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """The setting to jump to; no change before the first measurement."""
        present = tuple(round(float(observation[column])) for column in self._columns)
        info = info or {}
        rate = info.get(self._measure, np.nan)
        if not rate > 0.0:
            return self._stay(present)
        prior = self._prior(observation, info)
        self._window += 1
        self._remember(present, prior, rate)
        return tuple(self._settings[int((prior + self._corrections()).argmax())].tolist())

    def _prior(self, observation: np.ndarray, info: Mapping) -> np.ndarray:
        """Logarithm of each setting's forecast."""
        if self._forecaster is None:
            return np.zeros(len(self._settings))
        forecast = self._forecaster.forecast(np.asarray(observation, dtype=float), info, self._settings)
        if self._measure not in forecast.measures:
            return np.zeros(len(self._settings))
        rates = forecast.weights @ forecast.measures[self._measure]
        prior = np.log(rates, out=np.full(len(rates), -np.inf), where=rates > 0.0)
        return prior if self.options.prior == FORMULAS else np.where(rates > 0.0, 0.0, -np.inf)

    def _remember(self, present: tuple[int, ...], prior: np.ndarray, rate: float) -> None:
        """Keep how far the window was from its forecast."""
        at = np.flatnonzero((self._settings == present).all(axis=1))
        if self.options.correct and len(at) and np.isfinite(prior[at[0]]):
            self._seen = [*self._seen[1 - KEPT :], (self._window, at[0], np.log(rate) - prior[at[0]])]

    def _corrections(self) -> np.ndarray:
        """Upper bound of each setting's logarithm over its forecast."""
        options = self.options
        if not self._seen:
            return np.zeros(len(self._settings))
        at, place, told = (np.array(column) for column in zip(*self._seen, strict=True))
        place = place.astype(int)
        inside = self._kernel(place, place, np.abs(at[:, None] - at)) + options.noise**2 * np.eye(len(at))
        across = self._kernel(np.arange(len(self._settings)), place, self._window - at)
        inverse = np.linalg.inv(inside)
        weights, level = across @ inverse, inverse.sum(axis=0) @ told / inverse.sum()
        variance = options.error**2 - (weights * across).sum(axis=1)
        return weights @ (told - level) + options.beta * np.sqrt(np.maximum(variance, 0.0))

    def _kernel(self, ours: np.ndarray, theirs: np.ndarray, ages: np.ndarray) -> np.ndarray:
        """Covariance of settings, so many windows apart."""
        apart = ((self._places[ours, None] - self._places[None, theirs]) ** 2).sum(axis=-1)
        variance = self.options.error**2 * self.options.memory ** (0.5 * ages)
        return variance * np.exp(-0.5 * apart / self.options.length**2)
