"""Strides, fences, the remote node: asked for within their share, given back by the fit, no part of the law's sweep."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.effects import fit_effects, left_open
from pmtwin.calibrate.effects.fitting import MIN_ROWS
from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.probing.cases import Case
from pmtwin.calibrate.probing.compare import compare
from pmtwin.calibrate.probing.document import document, to_text
from pmtwin.calibrate.probing.effect_cases import effect_cases
from pmtwin.calibrate.probing.plan import PRESETS
from pmtwin.calibrate.readers import read_sources
from pmtwin.sim.device import load_profile
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from studies.recovery import probe_simulated
from studies.simulated import SimulatedDevice, normal_noise

OPERATIONS = ("load", "ntstore", "store_clwb")


@pytest.mark.parametrize("threads", [1, 2, 16])
def test_every_effect_has_the_cases_that_its_fit_needs(threads):
    cases = effect_cases(OPERATIONS, threads, threads, PRESETS["default"], seed=0)
    assert len(cases) == len(set(cases))
    for operation in OPERATIONS:
        cases_of_operation = [case for case in cases if case.operation == operation]
        assert sum(case.to_entry()["stride_bytes"] > case.access_size_bytes for case in cases_of_operation) >= MIN_ROWS
        assert sum(case.to_entry()["fence_interval_bytes"] > 0 for case in cases_of_operation) >= MIN_ROWS * (
            operation != "load"
        )
        remote = [case for case in cases_of_operation if case.to_entry()["numa"]]
        assert all(replace(case, varied=()) in cases_of_operation for case in remote) and len(remote) >= 4
    assert not any(case.to_entry()["numa"] for case in effect_cases(OPERATIONS, threads, 0, PRESETS["default"], seed=0))
    assert len(effect_cases(OPERATIONS, threads, 0, PRESETS["full"], seed=0)) >= len(cases) - 8 * 3 * 3
    assert effect_cases(OPERATIONS, threads, threads, PRESETS["quick"], seed=0) == []


def test_a_case_comes_back_from_a_journal_and_has_the_names_of_the_native_probe():
    cases = effect_cases(OPERATIONS, 4, 4, PRESETS["full"], seed=0)
    assert [Case.from_entry(json.loads(json.dumps(case.to_entry()))) for case in cases] == cases
    assert {tuple(case.to_entry()) for case in cases} == {tuple(cases[0].to_entry())}  # older journals have all names
    remote = next(case for case in cases if case.to_entry()["numa"])
    assert remote.to_json()["numa"] == "remote" and "stride_bytes" not in remote.to_json()
    assert remote.to_entry()["stride_bytes"] == 0


def test_effects_keep_to_their_share_and_out_of_the_laws_noise(make_device, make_session):
    device = make_device(threads=16)
    session = make_session(device, preset="default", seconds=40.0, operations=("ntstore",))
    state = session.run()
    spent = {True: 0.0, False: 0.0}
    for entry in session._journal.entries:
        spent[Case.from_entry(entry["case"]).is_effect] += entry["seconds"]
    share = PRESETS["default"].effect_share
    assert 0.8 * share < spent[True] / sum(spent.values()) <= share
    assert sum(case.is_effect for case in session._visits.values) >= 2 * MIN_ROWS
    assert state.error_percent[0] < 5.0


STRIDED = {"loss_full_set": 2.0, "critical_stride_bytes": 2000.0, "onset_exponent": 3.0}
FENCED = {"random_ns": 150.0, "sequential_ns": 80.0, "overlap_norm": 3.0, "line_saving": 0.5, "saving_bytes": 500.0}


@pytest.fixture(scope="module")
def truth():
    """A device whose strides lose at 2 KB and whose fences cost more after random writes."""
    shipped = load_profile()
    entries = {
        name: {"store_clwb": {**entry["store_clwb"], "parameters": entry["store_clwb"]["parameters"] | changed}}
        for (name, entry), changed in zip(
            ((name, shipped.effects[name]) for name in ("strides", "fences", "remote")),
            (STRIDED, FENCED, {}),
            strict=True,
        )
    }
    return replace(shipped, effects=entries)


@pytest.fixture(scope="module")
def measured(truth):
    """What the reader makes of a probe of that device, two nodes of 16 processors each."""
    device = SimulatedDevice(truth, normal_noise(0.01), 0, threads=16, remote_threads=16)
    return probe_simulated(device, "store_clwb", seconds=60.0, seed=0)


def test_effects_of_a_known_device_come_back(truth, measured):
    plain, _ = group(measured)
    effects = fit_effects(truth, (), measured.context.varied, plain)
    for name in ("strides", "fences"):
        entry, true = effects[name]["store_clwb"], truth.effects[name]["store_clwb"]["parameters"]
        known = [each for each in entry["parameters"] if each not in entry["not_identified"]]
        inside = [entry["interval_90"][each][0] <= true[each] <= entry["interval_90"][each][1] for each in known]
        assert len(known) >= 3 and np.mean(inside) >= 0.6
        assert max(error[0] for error in entry["errors_percent"]) < 3.0  # of noise 1 % in a repetition
        assert entry["bandwidth_over_plain"][1] < 0.9
    remote, factor = effects["remote"]["store_clwb"], truth.effects["remote"]["store_clwb"]["parameters"]["time_factor"]
    low, high = remote["interval_90"]["time_factor"]
    assert low <= factor <= high and high / low < 1.02
    assert remote["bandwidth_over_plain"][0] == pytest.approx(1.0 / factor, rel=0.02)


def test_what_was_probed_is_no_longer_open(measured):
    effects = fit_effects(load_profile(), (), measured.context.varied, group(measured)[0])
    phrases = ["power budget other than 15 W", "remote NUMA node", "strides above the access size"]
    still = left_open(phrases, effects, ["store_clwb"])
    assert "remote NUMA node" not in still and "strides above the access size" not in still
    assert "power budget other than 15 W" in still and "strides of load" in left_open(phrases, effects, OPERATIONS)


def test_effects_are_no_part_of_the_laws_sweep(measured):
    assert len(measured.context.varied) > 3 * MIN_ROWS and not measured.dropped
    known = load_profile()
    law = bandwidth_mib_s(known, "store_clwb", "random", measured.access_size_bytes, measured.threads)
    random = measured.pattern == "random"
    assert np.abs(np.log(measured.bandwidth_mib_s / law)[random]).max() < 0.06


def test_two_probes_compare_their_effects(make_device, make_session, tmp_path):
    session = make_session(make_device(threads=2), preset="default", seconds=20.0)
    state = session.run()
    result = document(session._journal, session._device.context, session._plan, state, 1.0, interrupted=False)
    (tmp_path / "a.json").write_text(to_text(result))
    for benchmark in result["benchmarks"]:
        if benchmark.get("stride_bytes"):
            benchmark["bandwidth_mib_s"] *= 1.1
    (tmp_path / "b.json").write_text(json.dumps(result))
    comparison = compare(tmp_path / "a.json", tmp_path / "b.json")
    assert comparison["difference_percent"] == [0.0, 0.0, 0.0] and comparison["effects"]["cases"] >= MIN_ROWS
    assert comparison["effects"]["difference_percent"][0] == pytest.approx(10.0)
    assert read_sources([tmp_path / "a.json"])[0].context.varied
