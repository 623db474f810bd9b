"""How much a writer keeps waiting, found out from mixes of threads."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.context import Mix
from pmtwin.calibrate.effects import fit_effects
from pmtwin.calibrate.mixes import predicted_mib_s
from pmtwin.sim.device import load_profile
from pmtwin.sim.device.effects.media_queue import MediaQueue
from studies import unlike_mixes as study

SIZES = ((256.0, 256.0), (4096.0, 256.0), (256.0, 4096.0), (4096.0, 4096.0))


def told(profile, writer_bytes: float, **changed) -> list[Mix]:
    """Mixes of a device whose writers keep so much waiting, without noise."""
    entry = {"parameters": {"writer_bytes": writer_bytes}, "fitted_range": [], "log_half_width": [0.1]}
    device = replace(profile, residual=None, effects={MediaQueue.name: {"ntstore": entry}})
    mixes = []
    for read, written in SIZES:
        values = {"write_operation": "ntstore", "pattern": "random", "access_size_bytes": read, "threads": 32.0}
        values |= {"write_access_size_bytes": written, "write_ratio": 0.5, "by_access": False, "dimms": 6.0}
        mix = Mix(**values, bandwidth_mib_s=1.0)
        mixes.append(replace(mix, **{"bandwidth_mib_s": predicted_mib_s(device, mix)} | changed))
    return mixes


@pytest.fixture(scope="module")
def profile():
    return load_profile("optane-dcpmm-100-256gb")


@pytest.mark.parametrize("writer_bytes", [0.3, 1.5])
def test_totals_tell_it(profile, writer_bytes):
    result = fit_effects(profile, (), own_mixes=told(profile, writer_bytes))
    entry = result[MediaQueue.name]["ntstore"]
    assert entry["parameters"]["writer_bytes"] == pytest.approx(writer_bytes, rel=0.01)
    assert entry["log_half_width"][0] < 0.01 and entry["configurations"] == len(SIZES)
    assert entry["fitted_range"][0]["access_size_bytes"] == [256.0, 4096.0]


def test_too_few_or_mixes_by_accesses_tell_nothing(profile):
    assert fit_effects(profile, (), own_mixes=told(profile, 0.3)[:2]) == {}
    assert fit_effects(profile, (), own_mixes=told(profile, 0.3, by_access=True)) == {}


def test_measured_mixes_of_unlike_sides(shared_data):
    of_equal_sizes, left_out = [], []
    for machine, name in study.MACHINES.items():
        by_kind = study.errors(load_profile(name), study.mixes_of(shared_data, machine), "ntstore")
        of_equal_sizes.append(by_kind["from equal sizes"])
        left_out.append(by_kind["each left out"])
    assert np.median(np.abs(np.concatenate(of_equal_sizes))) < 12.0
    assert np.median(np.abs(np.concatenate(left_out))) < 12.0
