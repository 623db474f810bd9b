"""A sampler of Optuna as a tuner: `optuna:sampler=tpe`. The package is an extra (`pip install 'pmtwin[optuna]'`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pmtwin.policies.base import Setting
from pmtwin.policies.registry import register
from pmtwin.policies.trials import TrialOptions, Tuner
from pmtwin.sim.errors import MissingDependencyError
from pmtwin.sim.options import option

SAMPLERS = {"tpe": "TPESampler", "random": "RandomSampler"}


@dataclass(frozen=True)
class OptunaOptions(TrialOptions):
    """The sampler."""

    sampler: str = option("tpe", "sampler: tpe (tree-structured Parzen estimator), or random", choices=(*SAMPLERS,))


@register("optuna")
class OptunaTuner(Tuner):
    """Tries the settings that a sampler of Optuna asks for; after the last trial the best one stays. Untrained.

    Raises:
        MissingDependencyError: if Optuna is not installed.
    """

    Takes = OptunaOptions
    options: OptunaOptions  # type: ignore[assignment]

    def begin(self, first: Setting) -> None:
        """Make a study whose first trial is the first setting.

        Raises:
            MissingDependencyError: if Optuna is not installed.
        """
        self._optuna = _package()
        sampler = getattr(self._optuna.samplers, SAMPLERS[self.options.sampler])
        self._study = self._optuna.create_study(
            direction="maximize", sampler=sampler(seed=int(self._random.integers(2**31)))
        )
        self._asked: Any = None
        self._study.enqueue_trial(dict(zip(self._settings.names, self._settings.places(first), strict=True)))
        self._ask()

    def hear(self, setting: Setting, mean: float) -> None:
        """Tell the study."""
        if setting == self._wanted:
            self._study.tell(self._asked, mean)
        else:  # an action checker was in the way
            self._study.tell(self._asked, state=self._optuna.trial.TrialState.FAIL)

    def following(self) -> Setting:
        """The setting that the study asks for; those that contradict themselves are told as failed."""
        while True:
            setting = self._ask()
            if not self.contradicts(setting):
                return setting
            self._study.tell(self._asked, state=self._optuna.trial.TrialState.FAIL)

    def _ask(self) -> Setting:
        self._asked = self._study.ask()
        widths = zip(self._settings.names, self._settings.widths, strict=True)
        self._wanted = self._settings.at([self._asked.suggest_int(name, 0, width - 1) for name, width in widths])
        return self._wanted


def _package() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise MissingDependencyError("policy optuna needs the package optuna: pip install 'pmtwin[optuna]'") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
