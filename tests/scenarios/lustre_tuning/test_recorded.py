"""The authors' log that the scenario brings along, and the replay of its windows."""

import csv

import numpy as np
import pytest

from pmtwin.scenarios.lustre_tuning import LustreOptions
from pmtwin.scenarios.lustre_tuning.figures.experiments import replay
from pmtwin.scenarios.lustre_tuning.figures.plots.replay import numbers
from pmtwin.scenarios.lustre_tuning.figures.recorded import SETTLED_S, recorded


def test_the_log_is_the_one_that_is_described():
    log = recorded()
    assert log.actions == 952 and log.window.min() == 4 and log.window.max() == 27
    assert set(log.window[: SETTLED_S - 10]) == {8}
    assert log.busiest(2) == pytest.approx(0.89, abs=0.01)
    read = numbers(log.read_mb_s, log.write_mb_s, log.window)
    assert read.mean == pytest.approx(123.0, abs=0.5) and read.deviation == pytest.approx(47.0, abs=0.5)
    assert read.trend.slope == pytest.approx(25.1, abs=0.3) and read.trend.error == pytest.approx(8.3, abs=0.1)
    np.testing.assert_allclose(log.server_mb_s.sum(axis=1), log.read_mb_s + log.write_mb_s, atol=4e-3)


def test_the_log_is_that_of_the_measurements(shared_data):
    path = shared_data / "capes" / "per_tick.csv"
    if not path.is_file():
        pytest.skip("per_tick.csv is not in ../shared/data/capes")
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["dataset"] == "long_run_test"]
    log = recorded()
    np.testing.assert_array_equal(log.window, [round(float(row["mrif"])) for row in rows])
    np.testing.assert_allclose(log.read_mb_s, [float(row["read_Bps"]) / 1e6 for row in rows], atol=1e-3)
    np.testing.assert_allclose(log.write_mb_s, [float(row["write_Bps"]) / 1e6 for row in rows], atol=1e-3)


def test_a_replay_has_the_windows_of_the_log_and_is_the_same_each_time():
    (first, again), kept = (
        (replay.replayed(LustreOptions(), 0, 5) for _ in range(2)),
        replay.replayed(LustreOptions(), 1, 5),
    )
    assert first == again and len(first["read_mb_s"]) == len(recorded().window)
    assert first["write_mb_s"][: SETTLED_S - 10] == kept["write_mb_s"][: SETTLED_S - 10]  # the window is 8 until then
    assert first["write_mb_s"] != kept["write_mb_s"]
