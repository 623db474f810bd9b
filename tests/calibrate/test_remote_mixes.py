"""Mixes from the remote node: the collapse of FAST'20's figure 17, as the profile keeps and predicts it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.effects.remote_mixes import remote_of_figure_17
from pmtwin.sim.device import load_profile
from pmtwin.sim.device.effects import check_effects
from pmtwin.sim.device.effects.remote import mix_factors
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import parse_table

FIGURE = """,Optane-1,Optane-Remote-1,Optane-4,Optane-Remote-4
R,4,4,16,16
R:W (3:1),6,5,12,2
R:W (1:1),6,4,8,2
W,5,2.5,12,4.8
"""


@pytest.fixture(scope="module")
def entry():
    result = remote_of_figure_17([parse_table(FIGURE.encode(), "figure", field="--effects")])
    return json.loads(json.dumps(result))


@pytest.fixture(scope="module")
def profile(entry):
    shipped = load_profile()
    remote = {**shipped.effects["remote"], "ntstore": entry}
    return replace(shipped, effects={**shipped.effects, "remote": remote})


def totals(profile, readers, writers, remote):
    readers, writers = np.array(readers, dtype=float), np.array(writers, dtype=float)
    same = {"pattern": "sequential", "access_size_bytes": 256.0, "dimms": 6.0, "power_w": 15.0, "remote": remote}
    same |= {"operation": "mixed", "write_operation": "ntstore"}
    columns = {name: np.full(readers.shape, value) for name, value in same.items()}
    sides = {"read_threads": readers, "write_threads": writers, "threads": readers + writers}
    return predict(profile, columns | sides)


def test_the_figure_gives_the_factor_of_writes_and_those_of_mixes(entry):
    assert entry["parameters"]["time_factor"] == pytest.approx(np.sqrt(2.0 * 2.5))
    assert entry["mixes"]["write_shares"] == [0.0, 0.25, 0.5, 1.0]
    assert entry["mixes"]["time_factors"][1] == pytest.approx([1.0, 6.0, 4.0, 2.5])
    assert entry["mixes"]["log_half_width"] > 0.1


def test_tables_without_the_figure_tell_nothing():
    assert remote_of_figure_17([]) is None


def test_remote_mixes_collapse_as_measured_and_only_they(profile):
    readers, writers = [3, 2, 3, 4, 0], [1, 2, 1, 0, 4]
    local, remote = (totals(profile, readers, writers, numa) for numa in (False, True))
    ratio = local["bandwidth_mib_s"] / remote["bandwidth_mib_s"]
    assert ratio[:3] == pytest.approx([6.0, 4.0, 6.0])
    factors = [profile.effects["remote"][name]["parameters"]["time_factor"] for name in ("load", "ntstore")]
    assert ratio[3:] == pytest.approx(factors)
    sides = remote["read_bandwidth_mib_s"] + remote["write_bandwidth_mib_s"]
    assert sides == pytest.approx(remote["bandwidth_mib_s"])
    assert np.all(remote["time_per_access_ns"] > local["time_per_access_ns"])
    width = [result["bandwidth_high_mib_s"] / result["bandwidth_mib_s"] for result in (local, remote)]
    assert np.all(width[1][:3] > width[0][:3])


def test_more_threads_than_measured_are_as_the_most_and_extrapolated(profile):
    local, remote = (totals(profile, [12], [4], numa) for numa in (False, True))
    assert local["bandwidth_mib_s"] / remote["bandwidth_mib_s"] == pytest.approx(6.0)
    assert remote["extrapolated"][0]


def test_between_numbers_of_threads_and_shares_it_lies_between(entry):
    threads, share = np.array([1.0, 2.0, 4.0, 4.0]), np.array([0.25, 0.25, 0.25, 0.375])
    low, middle, high, beside = mix_factors(entry["mixes"], threads, share)
    assert middle == pytest.approx(np.sqrt(low * high))
    assert beside == pytest.approx(np.sqrt(6.0 * 4.0))


def test_a_table_of_another_shape_is_refused(entry):
    wrong = {**entry, "mixes": {**entry["mixes"], "time_factors": [[1.0, 2.0]]}}
    with pytest.raises(InputError, match="time_factors"):
        check_effects({"remote": {"ntstore": wrong}}, "profile")
