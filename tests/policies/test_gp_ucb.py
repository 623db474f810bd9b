"""`gp-ucb`: formulas lead, what is measured corrects them, and old windows tell less."""

import gymnasium
import numpy as np
import pytest

from pmtwin.policies import PolicyContext, make_policy
from pmtwin.sim.control import HIGHER, LOWER, Column, Measure, Settings
from pmtwin.sim.control.forecast import Forecast, Forecaster
from pmtwin.sim.errors import InputError

SETTINGS = Settings.of("place", {"near": (0, 1, 2, 4, 8, 16), "far": (0, 4, 16)})
RATE = Measure("rate", "/s", "work done", HIGHER)


def peak(at):
    """Rates that fall away from a setting, shape (n, 2) -> (n,)."""
    return lambda settings: 100.0 * np.exp(-0.02 * ((np.asarray(settings, float) - at) ** 2).sum(axis=-1))


class Formulas(Forecaster):
    """Formulas that believe in a peak; settings with far = 16 are no candidates."""

    def __init__(self, believed):
        self.believed = believed

    def forecast(self, observation, info, settings):
        rates = np.where(settings[:, 1] == 16, 0.0, self.believed(settings))
        return Forecast({"rate": rates[None]}, np.zeros((1, len(rates))), np.ones(1), {"rate": 0.1})


@pytest.fixture
def play():
    """Settings that a policy chooses where formulas believe in one peak and the world has others, one a block."""

    def played(spec, believed, *worlds, windows=40):
        context = PolicyContext(
            "made-up",
            settings=SETTINGS,
            action_space=gymnasium.spaces.MultiDiscrete(SETTINGS.widths),
            columns=tuple(Column(name, 0, 16) for name in SETTINGS.names),
            measures=(Measure("wait", "s", "waiting", LOWER), RATE),
            initial=(0, 0),
            forecaster=None if believed is None else lambda: Formulas(peak(believed)),
        )
        policy, setting, chosen = make_policy(spec), (16, 4), []
        policy.start(context)
        for world in worlds:
            for _ in range(windows):
                setting = policy.act(np.array(setting, float), {"wait": 1.0, "rate": float(peak(world)(setting))})
                chosen.append(setting)
        return np.array(chosen)

    return played


def usual(chosen):
    """The setting that is most frequent among the last twenty."""
    settings, counts = np.unique(chosen[-20:], axis=0, return_counts=True)
    return tuple(settings[counts.argmax()].tolist())


def share(chosen, world):
    """Mean rate of the last ten settings over the highest."""
    return float(peak(world)(chosen[-10:]).mean() / 100.0)


def test_one_window_after_the_start_it_is_where_the_formulas_are_highest(play):
    assert (play("gp-ucb", (4, 0), (4, 0), windows=1) == (4, 0)).all()


@pytest.mark.parametrize(("options", "least", "most"), [("", 0.95, 1.0), (",correct=no", 0.0, 0.8)])
def test_what_it_measures_corrects_wrong_formulas(play, options, least, most):
    assert least <= share(play(f"gp-ucb:error=0.5,beta=1.5{options}", (8, 0), (4, 0)), (4, 0)) <= most


def test_another_world_is_found_although_the_old_one_was_learned(play):
    assert usual(play("gp-ucb:memory=0.9,error=0.5,beta=1", (4, 0), (4, 0), (8, 0))) == (8, 0)


def test_without_formulas_it_searches_all_settings(play):
    assert peak((2, 4))(usual(play("gp-ucb:error=3,beta=1", None, (2, 4), windows=60))) > 97.0


def test_a_setting_without_a_forecast_is_never_played(play):
    assert (play("gp-ucb:beta=5", (8, 0), (8, 16))[:, 1] < 16).all()


def test_a_scenario_without_a_measure_to_raise_is_refused():
    context = PolicyContext("made-up", settings=SETTINGS, measures=(Measure("wait", "s", "waiting", LOWER),))
    with pytest.raises(InputError, match=r"gp-ucb.*a measure of which more is better, which made-up has not"):
        make_policy("gp-ucb").start(context)
