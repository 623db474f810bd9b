"""Runs on sampled devices, which the measurements behind a device file allow."""

import json

import pytest

from pmtwin.cli import main
from pmtwin.sim.hybrid.device_file import DeviceFile
from pmtwin.sim.hybrid.devices import devices_of

LATENCIES_US = (90.0, 110.0, 130.0)
WORDS = ["evaluate", "hybrid-storage", "--workloads", "ssd-02", "--length", "400", "--footprint-pages", "500"]
WORDS += ["--requests-per-window", "100", "--policies", "slow-only", "--jobs", "1"]


@pytest.fixture
def mine(tmp_path, monkeypatch):
    record = {"samples": [{"read_us": latency} for latency in LATENCIES_US]}
    fields = {"read_gb_s": 0.5, "write_gb_s": 0.5, "read_us": 100.0, "write_us": 40.0, "capacity_gb": 500.0}
    file = DeviceFile(name="mine", **fields, record=record)
    (tmp_path / "mine.json").write_text(json.dumps(file.document()))
    monkeypatch.chdir(tmp_path)


def test_a_sample_is_a_device_by_its_number(mine):
    assert [devices_of(f"H+mine.json#{number}")[1].read_us for number in range(3)] == list(LATENCIES_US)
    assert devices_of("H+mine.json")[1].read_us == 100.0


def test_runs_take_turns_and_so_do_their_yardsticks(mine, capsys):
    assert main([*WORDS, "--devices", "H+mine.json", "--device-samples", "3", "--seeds", "3", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    over = result["over_fast_only"]["overall"]["slow-only"]["runs"]
    assert over[0] < over[1] < over[2] and over[2] / over[0] > 1.2
    charged = [row["oracle_epoch"]["mean_us"] for row in result["possible"]["ssd-02"]]
    assert len(set(charged)) == 3


@pytest.mark.parametrize(
    ("devices", "samples", "said"),
    [
        ("perf", "2", "a measured device (NAME.json) in --devices"),
        ("H+mine.json", "4", "at most 3, the samples of the file"),
    ],
)
def test_samples_that_there_are_not_are_refused(mine, devices, samples, said, capsys):
    assert main([*WORDS, "--devices", devices, "--device-samples", samples, "--seeds", "4"]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error and "\n" not in error
