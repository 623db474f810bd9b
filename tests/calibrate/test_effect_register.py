"""A new effect is one object for its law and one for its fit: everything else goes through the registers."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.effects import fit_effects, left_open
from pmtwin.calibrate.effects.fit import fit_effect
from pmtwin.calibrate.effects.fitting import Fitting, entry_of
from pmtwin.calibrate.effects.registry import FITTINGS
from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.probing.cases import BANDWIDTH, Case
from pmtwin.calibrate.report.effects import effect_rows
from pmtwin.cli import main
from pmtwin.sim.device import law, load_profile, predict
from pmtwin.sim.device.cells import number_in
from pmtwin.sim.device.effects import EFFECTS, Column, VariedEffect
from pmtwin.sim.device.effects.effect import MixChange
from pmtwin.sim.device.points import known_columns
from pmtwin.sim.device.profile import profile_from_json
from pmtwin.sim.errors import InputError
from studies.recovery import probe_simulated
from studies.simulated import SimulatedDevice, normal_noise

MIX_FACTOR = 3.0
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)


class Heat(VariedEffect):
    """A DIMM that is hot for a share of the time: its accesses take longer meanwhile."""

    name = "heat"
    parameters = {"slowing": "time of an access to a hot DIMM, over that to a cool one, less 1"}  # noqa: RUF012
    column = Column("hot_share", "hot_share")
    axes = ("hot_share", "threads")

    def read(self, row, pattern, access_size_bytes, where):
        return number_in(self.column.name, row, 0.0, 1.0, where)

    def apply(self, parameters, entry, pattern, points, outcome, present):
        share = points.column("hot_share")[present]
        outcome.time_factor[present] *= 1.0 + entry["parameters"]["slowing"] * share
        self.widen(entry, pattern, points, outcome, present)

    def mix_change(self, entry, points, write_share):
        return MixChange(points.has("hot_share"), np.full(write_share.shape, MIX_FACTOR), 0.1)


class HeatFitting(Fitting):
    effect = Heat()
    closes = "hot DIMMs"

    def cases(self, operation, asked):
        column = self.effect.column.name
        return [
            (Case(BANDWIDTH, operation, "random", 256, threads, varied=((column, share),)),)
            for share in SHARES
            for threads in asked.threads
        ]

    def fit(self, operation, profile, measured):
        operation_law, rows = profile.parameters[operation], measured.rows.select("heat", operation)
        if len(rows) < len(SHARES):
            return None
        cool = law.bandwidth_mib_s(operation_law, rows.pattern == "random", *rows.law_columns())

        def log_bandwidth(heat, index):
            return np.log(cool[index] / (1.0 + heat["slowing"] * rows.value[index]))

        fit = fit_effect({"slowing": 1.0}, log_bandwidth, rows.bandwidth_mib_s)
        return entry_of(self.effect, operation_law, fit, rows, [fit.errors])


@pytest.fixture
def heat(monkeypatch):
    monkeypatch.setitem(EFFECTS, "heat", HeatFitting.effect)
    monkeypatch.setitem(FITTINGS, "heat", HeatFitting())


ENTRY = {
    "parameters": {"slowing": 0.8},
    "fitted_range": [{"pattern": "random", "hot_share": [0.1, 1.0], "threads": [1, 24]}],
    "log_half_width": [0.02],
    "not_identified": [],
}


@pytest.fixture
def hot():
    """A device that suffers from heat, of one operation only."""
    shipped = load_profile()
    return replace(shipped, effects={**shipped.effects, "heat": {"store_clwb": ENTRY}})


def test_without_it_nothing_knows_of_it(hot):
    assert "hot_share" not in known_columns()
    with pytest.raises(InputError, match="effects: 'heat'"):
        profile_from_json(hot.to_json(), "p.json")


def test_it_may_slow_mixes_beyond_either_side_alone(heat, hot):
    effects = hot.effects | {"heat": dict.fromkeys(("load", "ntstore"), ENTRY)}
    sides = {"read_threads": [3.0, 4.0], "write_threads": [1.0, 0.0], "threads": 4.0, "write_operation": "ntstore"}
    same = {"operation": "mixed", "pattern": "sequential", "access_size_bytes": 256.0, "dimms": 6.0, "power_w": 15.0}
    columns = {name: np.resize(value, 2) for name, value in (sides | same).items()}
    cool, warm = (
        predict(replace(hot, effects=effects), columns | {"hot_share": np.full(2, share)}) for share in (0.0, 0.5)
    )
    ratio = cool["bandwidth_mib_s"] / warm["bandwidth_mib_s"]
    assert ratio == pytest.approx([MIX_FACTOR, 1.0 + 0.8 * 0.5])


def test_a_profile_with_it_is_checked(heat, hot, tmp_path):
    assert load_profile(hot.save(tmp_path / "hot.json")).effects["heat"]["store_clwb"] == ENTRY
    wrong = replace(hot, effects={"heat": {"store_clwb": ENTRY | {"parameters": {}}}})
    with pytest.raises(InputError, match=r"effects\.heat\.store_clwb\.parameters\.slowing is missing"):
        profile_from_json(wrong.to_json(), "p.json")


def table(rows):
    return "operation,pattern,threads,access_size_bytes,dimms,hot_share\n" + "".join(f"{row}\n" for row in rows)


def test_predict_has_its_column(heat, hot, tmp_path, capsys):
    path = tmp_path / "points.csv"
    path.write_text(table(["store_clwb,random,4,256,6,", "store_clwb,random,4,256,6,0.5", "load,random,4,256,6,0.5"]))
    assert main(["predict", str(path), "--profile", str(hot.save(tmp_path / "hot.json"))]) == 0
    out, err = capsys.readouterr()
    cool, warm, unknown = csv.DictReader(io.StringIO(out))
    assert float(cool["bandwidth_mib_s"]) / float(warm["bandwidth_mib_s"]) == pytest.approx(1.4, rel=1e-5)
    assert warm["extrapolated"] == "false" and unknown["bandwidth_mib_s"] == ""
    assert "heat of load; 1 row left empty" in err
    path.write_text(table(["store_clwb,random,4,256,6,1.5"]))
    assert main(["predict", str(path)]) == 2
    assert "hot_share: 1.5" in capsys.readouterr().err


def test_it_is_an_effect_of_its_own_among_mixes_and_others(heat, hot):
    points = {name: np.array([value]) for name, value in MIX.items()}
    assert not predict(hot, points)["extrapolated"][0]
    assert predict(hot, points | {"hot_share": np.array([0.5])})["extrapolated"][0]


MIX = {"operation": "mixed", "pattern": "random", "access_size_bytes": 64.0, "dimms": 6.0, "power_w": 15.0}
MIX |= {"threads": 16.0, "read_threads": 8.0, "write_threads": 8.0, "write_operation": "store_clwb"}


def test_it_is_probed_read_fitted_and_reported(heat, hot):
    device = SimulatedDevice(hot, normal_noise(0.005), 0, threads=16)
    measured = probe_simulated(device, "store_clwb", seconds=60.0, seed=0)
    assert {each.value for each in measured.context.varied if each.effect == "heat"} == set(SHARES)
    assert not measured.dropped
    result = fit_effects(hot, (), measured.context.varied, group(measured)[0])
    entry = result["heat"]["store_clwb"]
    low, high = entry["interval_90"]["slowing"]
    assert low <= 0.8 <= high and high / low < 1.1
    assert entry["fitted_range"][0]["hot_share"] == [0.1, 1.0]
    assert left_open(["hot DIMMs", "other"], result, ["store_clwb"])[0] == "other"
    row = next(row for row in effect_rows(result) if row[0] == "heat")
    assert row[1] == "store_clwb" and "slowing 0.8" in row[-1]
