"""What the data leaves open is named, parameter by parameter and part by part."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.context import Context, Mix
from pmtwin.calibrate.identification import not_identified, weak_parameters
from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.mechanism import fit_mechanism
from pmtwin.calibrate.mixes import mix_errors
from pmtwin.sim.device.prediction import predict

MIX = Mix("ntstore", "random", 256.0, 16.0, 6.0, 0.25, by_access=False, bandwidth_mib_s=1.0)


@pytest.fixture(scope="module")
def loads(make_sweep):
    return group(make_sweep(operation="load", noise=0.01))[0]


def test_a_parameter_that_nothing_depends_on_is_weak_and_the_media_bandwidth_is_not(loads):
    six = loads.take(loads.dimms == 6)
    weak = weak_parameters(fit_mechanism("load", six), six)
    assert {"critical_threads_one_dimm", "contention_depth_one_dimm"} <= set(weak)
    assert "media_mib_s" not in weak and "further_line_ns" not in weak


def test_a_device_that_is_never_saturated_does_not_tell_its_media_bandwidth(loads):
    alone = loads.take((loads.threads == 1) & (loads.dimms == 6))
    assert "media_mib_s" in weak_parameters(fit_mechanism("load", alone), alone)


def test_missing_operations_patterns_and_values_are_named(loads):
    some = loads.take(loads.random & (loads.dimms == 6) & (loads.access_size_bytes == 256))
    missing = not_identified(some, ["load"], Context(), {"tail": {"origin": "not identified", "source": "x"}})
    assert {"operation ntstore", "operation store_clwb", "operation store", "load sequential"} <= set(missing)
    assert {"access size other than 256 B", "number of DIMMs other than 6", "power budget other than 15 W"} <= set(
        missing
    )
    assert "tail (not measured)" in missing and "number of threads other than 1" not in missing
    assert any(what.startswith("mixes") for what in missing)


def test_what_only_one_cell_lacks_is_told_of_that_cell(loads):
    some = loads.take(~loads.random | (loads.access_size_bytes == 256))
    missing = not_identified(some, ["load"], Context(mixes=(MIX,)), {})
    assert "load random: access size other than 256 B" in missing
    assert not any(what.startswith("mixes") for what in missing)


@pytest.mark.parametrize("by_access", [False, True])
def test_measured_mixes_judge_the_rule_for_mixes(known_device, by_access):
    device = replace(known_device, effects=None)  # nothing is known of mixing
    at = {"pattern": "random", "access_size_bytes": 256.0, "threads": 16.0, "dimms": 6.0, "power_w": 15.0}
    columns = {name: np.array([value, value]) for name, value in at.items()}
    if by_access:
        read, write = predict(device, columns | {"operation": np.array(["load", "ntstore"])})["bandwidth_mib_s"]
        total = 1 / (0.75 / read + 0.25 / write)
    else:
        mixed = {"operation": "mixed", "read_threads": 12.0, "write_threads": 4.0, "write_operation": "ntstore"}
        mixed = {name: np.array([value, value]) for name, value in mixed.items()}
        total = predict(device, columns | mixed)["bandwidth_mib_s"][0]
    of = vars(MIX) | {"by_access": by_access}
    exact, off = (Mix(**of | {"bandwidth_mib_s": total * factor}) for factor in (1.0, 1 / 1.1))
    errors = mix_errors(device, [exact, off])
    assert errors == {"points": 2, "error_percent": [5.0, 5.0, 9.0]}


def test_a_mix_of_an_operation_without_a_fit_is_not_judged(known_device):
    assert mix_errors(known_device, []) is None
    assert mix_errors(known_device, [Mix(**vars(MIX) | {"write_operation": "none"})]) is None
    assert np.isfinite(mix_errors(known_device, [MIX])["error_percent"]).all()
