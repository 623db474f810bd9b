"""`pmtwin calibrate --form block`: runs of fio through the kernel in, a block device and its file out."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from pmtwin.calibrate.block.fit import fit_block_device
from pmtwin.calibrate.block.intervals import bootstrap
from pmtwin.calibrate.block.job import SECTIONS, job_file
from pmtwin.calibrate.block.runs import read_block_runs
from pmtwin.cli import main
from pmtwin.sim.hybrid.devices import DEVICES, devices_of
from tests.calibrate.made_fio import job, moved, printed

BYTES = {"4k": 4096, "64k": 65_536, "1m": 1 << 20}
SECONDS = 30.0


def runs_of(device, seconds=SECONDS):
    """The runs of the job file as a device with these parameters would answer them."""
    made = []
    for kind in ("read", "write"):
        for name, way, size, depth in SECTIONS:
            write, rw = kind == "write", way.format(kind=kind)
            latency, transfer = (
                device.latency_ns(write, not rw.startswith("rand")),
                device.transfer_ns(write, BYTES[size]),
            )
            rate = min(depth / (latency + transfer), 1.0 / transfer)
            rate = min(rate, device.servers(write) / latency) if latency else rate
            side = moved(int(rate * seconds * 1e9), BYTES[size], mean_ns=depth / rate, runtime_ms=int(seconds * 1e3))
            run = job(name.format(kind=kind), rw, bs=size, iodepth=str(depth), ioengine="libaio")
            made.append(run | {kind: side, "usr_cpu": 2.0, "sys_cpu": 20.0})
    return made


def written(folder, *jobs, name="fio.json", **shared):
    path = folder / name
    path.write_text(printed(*jobs, ioengine="libaio", numjobs="1", **shared))
    return path


@pytest.mark.parametrize("name", ["H", "M", "LSSD"])
def test_parameters_of_a_device_are_found_again(tmp_path, name):
    device = DEVICES[name]
    runs, dropped = read_block_runs([str(written(tmp_path, *runs_of(device)))])
    assert len(runs) == 10 and not dropped
    fitted, checks = fit_block_device(runs, "mine", device.capacity_gb)
    for field in ("read_gb_s", "write_gb_s", "read_us", "write_us"):
        assert getattr(fitted, field) == pytest.approx(getattr(device, field), rel=0.02)
    for write in (False, True):
        assert fitted.servers(write) == pytest.approx(device.servers(write), abs=1)
    assert fitted.seek_us == 0.0 and fitted.cached_write_us is None
    assert all(abs(check.rate_error) < 0.05 for check in checks)
    sets = [name for check in checks for name in check.sets.split(", ") if name]
    assert sorted(sets) == sorted(f"{kind}_{what}" for kind in ("read", "write") for what in ("gb_s", "us", "iops"))


def test_a_disk_has_seeks_and_a_memory_for_writes(tmp_path):
    disk = DEVICES["L"]
    fitted, _ = fit_block_device(read_block_runs([str(written(tmp_path, *runs_of(disk)))])[0], "disk", 1_000.0)
    assert fitted.seek_us == pytest.approx(disk.seek_us, rel=0.01)
    assert fitted.cached_write_us == pytest.approx(disk.cached_write_us, rel=0.01)
    assert fitted.read_us == pytest.approx(disk.read_us, abs=1.0)


def spread(runs, kind, share, rng):
    """The runs with rates and latencies of one kind moved by a share, as from another day."""
    moved_runs = []
    for run in runs:
        factor = 1.0 + share * rng.standard_normal()
        side = dict(run[kind])
        if side["total_ios"]:
            side |= {name: side[name] / factor for name in ("bw_bytes", "bw", "iops")}
            side |= {name: int(side[name] / factor) for name in ("io_bytes", "io_kbytes", "total_ios")}
            side["clat_ns"] = side["clat_ns"] | {"mean": side["clat_ns"]["mean"] * factor}
        moved_runs.append(run | {kind: side})
    return moved_runs


def test_intervals_of_repeated_runs_contain_the_device_and_those_of_single_runs_are_narrower(tmp_path):
    rng, device = np.random.default_rng(0), DEVICES["M"]
    files = [
        str(written(tmp_path, *spread(runs_of(device), "read", 0.05, rng), name=f"day-{day}.json")) for day in range(8)
    ]
    runs, _ = read_block_runs(files)
    several, again = (bootstrap(runs, device.capacity_gb, 200, seed=1) for _ in range(2))
    assert several == again and several.repeated == several.kinds == 10
    low, high = several.ends["read_us"]
    assert low < device.read_us < high and (high - low) / device.read_us > 0.01
    single = bootstrap(read_block_runs(files[:1])[0], device.capacity_gb, 200, seed=1)
    assert single.repeated == 0
    assert single.ends["read_us"][1] - single.ends["read_us"][0] < 0.1 * (high - low)


def test_a_single_run_varies_as_fio_states(tmp_path):
    runs, _ = read_block_runs([str(written(tmp_path, *runs_of(DEVICES["M"])))])
    certain = [run._replace(latency_error=0.0, rate_error=0.0) for run in runs]
    low, high = bootstrap(certain, 480.0, 50, seed=0).ends["read_us"]
    assert low == high
    uncertain = [run._replace(latency_error=0.02, rate_error=0.0) for run in runs]
    low, high = bootstrap(uncertain, 480.0, 400, seed=0).ends["read_us"]
    half = 1.96 * 0.02 * DEVICES["M"].alone_ns(False, 4096) / 1e3
    assert (high - low) / 2.0 == pytest.approx(half, rel=0.2)


def test_the_command_prints_and_records_intervals(tmp_path, capsys):
    source = str(written(tmp_path, *runs_of(DEVICES["M"])))
    words = ["calibrate", source, "--form", "block", "--capacity-gb", "480", "--bootstrap", "20", "--seed", "3"]
    assert main(words) == 0
    assert (
        "low and high: 95 % intervals, bootstrap of 20 replicates over runs; 0 of 10 kinds" in capsys.readouterr().out
    )
    assert main([*words, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)["record"]
    assert set(record["intervals"]) >= {"read_us", "write_us", "read_gb_s", "write_iops"}
    assert record["bootstrap"] == {"replicates": 20, "repeated": 0, "kinds": 10} and len(record["samples"]) == 20
    assert main([*words[:-4], "--bootstrap", "0", "--json"]) == 0
    assert "intervals" not in json.loads(capsys.readouterr().out)["record"]


def test_the_command_writes_a_device_that_a_configuration_names(tmp_path, capsys):
    source, output = written(tmp_path, *runs_of(DEVICES["M"])), tmp_path / "mine.json"
    words = ["calibrate", str(source), "--form", "block", "--capacity-gb", "480", "-o", str(output), "--json"]
    assert main(words) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["capacity_gb"] == 480.0 and len(document["record"]["runs"]) == 10
    fast, mine = devices_of(f"H+{output}")
    assert fast is DEVICES["H"] and mine.name == "mine"
    assert mine.read_us == document["read_us"] and mine.source("read_us") == f"measured: {output}"


@pytest.mark.parametrize(
    ("shared", "said"),
    [
        ({"direct": "0"}, "direct=0: the page cache answers"),
        ({"rate_iops": "100"}, "held back by rate or thinktime"),
        ({"direct": "1", "unified_rw_reporting": "1", "percentage_random": "50"}, "partly random"),
    ],
)
def test_runs_that_do_not_show_the_device_are_dropped_by_name(tmp_path, shared, said, capsys):
    source = written(tmp_path, *runs_of(DEVICES["M"]), **shared)
    assert main(["calibrate", str(source), "--form", "block", "--capacity-gb", "1"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "SOURCE is missing"),
        (["SOURCE"], "--capacity-gb is missing"),
        (["SOURCE", "--capacity-gb", "0"], "--capacity-gb: 0.0"),
        (["SOURCE", "--capacity-gb", "1", "--folds", "3"], "--folds 3 does nothing with --form block"),
        (["SOURCE", "--capacity-gb", "1", "--formula", "a ~ b"], "--formula a ~ b does not go with --form block"),
        (["SOURCE", "--job"], "SOURCE does not go with --job"),
    ],
)
def test_bad_input_is_refused_in_one_line(tmp_path, words, said, capsys):
    source = str(written(tmp_path, *runs_of(DEVICES["M"])))
    assert main(["calibrate", *(source if word == "SOURCE" else word for word in words), "--form", "block"]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error and "\n" not in error


def test_a_missing_kind_of_run_is_named(tmp_path, capsys):
    runs = [run for run in runs_of(DEVICES["M"]) if "random-write" not in run["jobname"]]
    assert main(["calibrate", str(written(tmp_path, *runs)), "--form", "block", "--capacity-gb", "1"]) == 2
    assert "randwrite is missing: a run of random writes with iodepth=1" in capsys.readouterr().err


def test_a_file_of_another_kind_is_no_device(tmp_path):
    (tmp_path / "other.json").write_text('{"format": "pmtwin-regression"}')
    with pytest.raises(ValueError, match="format: 'pmtwin-regression' is not accepted; allowed: pmtwin-block-device"):
        devices_of(f"H+{tmp_path / 'other.json'}")


def test_fio_takes_the_job_file(tmp_path, capsys):
    assert main(["calibrate", "--form", "block", "--job"]) == 0
    printed_job = capsys.readouterr().out
    assert printed_job == job_file()
    if not shutil.which("fio"):
        pytest.skip("needs fio")
    (tmp_path / "block.fio").write_text(printed_job)
    words = ["fio", "--parse-only", "block.fio"]
    assert subprocess.run(words, cwd=tmp_path, env={"FILE": "x", "PATH": "/usr/bin"}, check=False).returncode == 0
