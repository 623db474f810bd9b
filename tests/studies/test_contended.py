"""What a constant keeps of the best settings' gain, on a made-up table; and the loads that want opposite settings."""

import pytest

from pmtwin.scenarios.lustre_tuning import LustreTuning
from pmtwin.scenarios.lustre_tuning.limits import DEFAULT
from pmtwin.scenarios.lustre_tuning.workloads import CONTENDED
from studies.contended import GRID, kept, reward

WIDE, HELD_BACK = (256, 0), (16, 40_340)


def test_a_constant_keeps_its_gains_over_those_of_the_best_settings():
    rewards = {"day": {DEFAULT: 1.0, WIDE: 1.4, HELD_BACK: 0.9}, "night": {DEFAULT: 2.0, WIDE: 1.8, HELD_BACK: 2.6}}
    table = {(load, setting): value for load, row in rewards.items() for setting, value in row.items()}
    family = kept(table, ("day", "night"), (DEFAULT, WIDE, HELD_BACK))
    assert [row["best"] for row in family["loads"]] == [list(WIDE), list(HELD_BACK)]
    assert [row["of_constant"] for row in family["loads"]] == pytest.approx([-0.1, 0.6])
    assert family["constant"] == list(HELD_BACK) and family["share"] == pytest.approx(0.5 / 1.0)


def test_the_grid_has_settings_of_the_scenario_alone():
    settings = LustreTuning.of().settings
    assert all(settings.contains(setting) for setting in GRID) and DEFAULT in GRID


def test_each_contended_load_gains_by_the_setting_that_harms_the_others():
    waits = {load: CONTENDED[load].reads_wait for load in CONTENDED}
    assert sorted(waits.values()) == [False, False, True, True]
    for load in ("contended-staging", "contended-archive"):
        usual, wide, held_back = (reward(load, setting, 1.0, 5, 30) for setting in (DEFAULT, WIDE, HELD_BACK))
        assert (held_back > usual + 0.3 and wide < usual) if waits[load] else (wide > usual + 0.3 and held_back < usual)
