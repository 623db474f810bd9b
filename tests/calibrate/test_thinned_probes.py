"""Whatever a probe lacks: a profile and its report, or a refusal in one line, and then neither of them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.probing.cases import BANDWIDTH, Case
from pmtwin.calibrate.probing.plan import DEFAULT_OPERATIONS, PRESETS, latency_cases, mix_cases
from pmtwin.cli import main
from pmtwin.sim.device import PATTERNS, load_profile
from pmtwin.sim.device.parameters import READ_AHEAD
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.read_ahead import LINES_AHEAD
from studies.simulated import SimulatedDevice, normal_noise

SIZES, THREADS = (64, 512, 1024, 8192), (1, 2, 4)
KEPT = {
    "one write": lambda each: each["operation"] == "store_clwb",
    "loads of one pattern, writes of the other": (
        lambda each: (each["operation"] == "load") == (each["pattern"] == "random")
    ),
    "one thread": lambda each: each["threads"] == 1,
    "two sizes of random loads": (
        lambda each: (
            (each["operation"], each["pattern"]) == ("load", "random") and each["access_size_bytes"] in (64, 8192)
        )
    ),
    "bandwidth of sequential loads, once": (
        lambda each: (
            each["kind"] == BANDWIDTH
            and (each["operation"], each["pattern"], each["repetition_index"]) == ("load", "sequential", 0)
        )
    ),
    "latency": lambda each: each["kind"] != BANDWIDTH,
}
"""What is left of a probe -> whether a repetition belongs to it."""


@pytest.fixture(scope="module")
def whole():
    """A probe of a machine whose prefetchers run ahead of loads: the law of loads has a parameter more."""
    truth = load_profile()
    law = {**truth.parameters, "load": {**truth.parameters["load"], READ_AHEAD: LINES_AHEAD}}
    device = SimulatedDevice(replace(truth, parameters=law), normal_noise(0.01), 0, max(THREADS), "dram")
    plain = [
        Case(BANDWIDTH, operation, pattern, size, threads)
        for operation in DEFAULT_OPERATIONS
        for pattern in PATTERNS
        for size in SIZES
        for threads in THREADS
    ]
    cases = [*latency_cases(DEFAULT_OPERATIONS), *plain, *mix_cases(DEFAULT_OPERATIONS, 4, PRESETS["quick"])]
    asked = [case.to_json() | {"repetitions": 2, "min_time_s": 0.02} for case in cases]
    return {"context": device.context, "benchmarks": [each for case in asked for each in device.ask(case).benchmarks]}


@pytest.fixture
def calibrate(whole, tmp_path, capsys):
    """Function of what is kept of the probe; fits it, and checks that profile and report are there, or neither."""

    def run(is_kept) -> str:
        kept = [each for each in whole["benchmarks"] if is_kept(_columns(each))]
        (tmp_path / "probe.json").write_text(json.dumps(whole | {"benchmarks": kept}))
        profile, report = tmp_path / "m.json", tmp_path / "fit"
        words = ["calibrate", str(tmp_path / "probe.json"), "-o", str(profile), "--report", str(report)]
        code = main([*words, "--bootstrap", "2", "--force"])
        out, err = capsys.readouterr()
        if code:
            assert (code, out, profile.exists(), report.exists()) == (2, "", False, False)
            assert len(err.splitlines()) == 1 and "are too few; allowed: " in err
        else:
            assert (report / "index.html").is_file() and "usable: " in out
            _predict_all(load_profile(profile))
        return err if code else (report / "index.html").read_text()

    return run


def _columns(benchmark: dict) -> dict:
    return benchmark | dict(word.split("=", 1) for word in benchmark["label"].split())


def _predict_all(profile) -> None:
    """At each corner of what was fitted: a number inside its interval."""
    for operation, boxes in profile.fitted_range.items():
        for box in boxes:
            corners = np.array(np.meshgrid(box["access_size_bytes"], box["threads"])).reshape(2, -1)
            same = {"operation": operation, "pattern": box["pattern"], "dimms": box["dimms"], "power_w": 15.0}
            points = {name: np.full(corners.shape[1], value) for name, value in same.items()}
            points |= {"access_size_bytes": corners[0], "threads": corners[1]}
            result = predict(profile, points | {"write_operation": np.full(corners.shape[1], "")})
            low, value, high = (result[f"bandwidth_{end}mib_s"] for end in ("low_", "", "high_"))
            assert np.all((low <= value) & (value <= high) & np.isfinite(value))


@pytest.mark.parametrize("kept", KEPT)
def test_a_part_of_a_probe_gives_profile_and_report_or_neither(calibrate, kept):
    calibrate(KEPT[kept])


def test_a_parameter_of_loads_alone_is_in_the_report(calibrate):
    assert READ_AHEAD in calibrate(
        lambda each: each["operation"] in ("load", "ntstore") and each["pattern"] == "random"
    )


@pytest.mark.parametrize("share", [0.03, 0.2])
def test_so_does_a_random_part(calibrate, share):
    rng = np.random.default_rng(round(1000 * share))
    calibrate(lambda each: rng.random() < share)
