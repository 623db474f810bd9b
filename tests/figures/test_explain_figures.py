"""Where the time goes, and the best pools of one device on another: what is run, and what is drawn of it."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.figures.drawing.style import styled
from pmtwin.scenarios.nvm_middleware.campaign import QUICK
from pmtwin.scenarios.nvm_middleware.figures.experiments import device_bound, explain
from pmtwin.scenarios.nvm_middleware.figures.plots import device_bound as device_bound_plot
from pmtwin.scenarios.nvm_middleware.figures.plots import explain as explain_plot

TINY = replace(
    QUICK, explain_windows=1, explain_requests=100, fixed_windows=1, device_bound_seeds=2, device_bound_windows=1
)


@pytest.fixture
def small_map(monkeypatch):
    monkeypatch.setattr(explain, "LOADS_OPS", (50e3, 800e3))
    monkeypatch.setattr(explain, "SIZES_BYTES", (64, 65_536))
    monkeypatch.setattr(explain, "DIMMS", (1, 6))
    monkeypatch.setattr(explain, "SETTINGS", ((6, 6), (15, 15), None))


def test_where_the_time_goes_is_run_and_drawn(small_map):
    ticks = []
    data = explain.run(TINY, seed=0, on_done=ticks.append)
    assert sum(ticks) == explain.tasks(TINY) == 4 * 2 * 3 + 2 * 2
    limits = {tuple(cell.values())[:4]: cell["limits"] for cell in data["map"]}
    assert limits["lean", 1, 800e3, 65_536] == "device write"
    assert limits["lean", 6, 50e3, 64] == "offered load"
    with styled():
        rendered = explain_plot.render({"explain": data})
    assert [drawing.name for drawing in rendered.drawings] == ["time-by-station", "limiting-station"]
    control = rendered.tables[0]
    assert len(control.rows) == 4 * 3 and {row[1] for row in control.rows} == {"6,6", "15,15", "none"}


def test_every_station_has_a_colour():
    from pmtwin.scenarios.nvm_middleware.model.engines.traced import STATIONS

    assert set(STATIONS) < set(explain_plot.COLOURS)


def test_the_best_pools_of_each_device_run_on_all(monkeypatch):
    monkeypatch.setattr(device_bound, "GRID", ((3, 3), (16, 16)))
    monkeypatch.setattr(device_bound, "FINALISTS", 1)
    monkeypatch.setattr(device_bound, "CHOOSING_SEEDS", 1)
    data = device_bound.run(TINY, seed=0)
    first = data["contexts"]["1"]
    assert first["best"]["Optane, 1 DIMM"] == [3, 3] and first["best"]["DRAM, 6 DIMMs"] == [16, 16]
    lost = 1.0 - device_bound_plot.kept(first, "DRAM, 6 DIMMs", "Optane, 1 DIMM")
    assert lost.shape == (2,) and np.all(lost > 0.3)
    assert np.all(device_bound_plot.kept(first, "DRAM, 6 DIMMs", "DRAM, 6 DIMMs") == 1.0)
    table = device_bound_plot._cost_table(data)
    assert all(len(row) == len(table.header) for row in table.rows)
    assert not any(row[1] == row[2] for row in table.rows)
