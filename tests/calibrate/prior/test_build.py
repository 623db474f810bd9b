"""`pmtwin calibrate --prior family`: a profile from few measurements, or from MLC's text alone."""

import json
from pathlib import Path

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.sim.device import load_profile
from pmtwin.sim.device.prediction import predict

MLC = Path(__file__).parents[1] / "mlc" / "mlc-3.1.txt"
HEADER = "operation,pattern,access_size_bytes,threads,dimms,bandwidth_mib_s"


def told(profile, points):
    """Predictions of (operation, pattern, size, threads): bandwidth, low and high in MiB/s, shape (points, 3)."""
    names = ("operation", "pattern", "access_size_bytes", "threads")
    columns = {name: np.array(values) for name, values in zip(names, zip(*points, strict=True), strict=True)}
    columns |= {"dimms": np.full(len(points), 6.0), "power_w": np.full(len(points), 15.0)}
    result = predict(load_profile(profile), columns)
    return np.column_stack(
        [result[name] for name in ("bandwidth_mib_s", "bandwidth_low_mib_s", "bandwidth_high_mib_s")]
    )


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """Function of a number of rows: a table of a device half as fast again as the shipped DRAM."""
    rng = np.random.default_rng(3)
    every = [
        (operation, pattern, size, threads)
        for operation in ("load", "ntstore", "store")
        for pattern in ("random", "sequential")
        for size in (64, 256, 1024)
        for threads in (1, 2, 4, 8, 16)
    ]
    order = rng.permutation(len(every))

    def write(count):
        path = tmp_path_factory.mktemp("few") / f"{count}.csv"
        chosen = [every[index] for index in order[:count]]
        bandwidths = 1.5 * told("dram-ddr4", chosen)[:, 0]
        rows = [",".join(map(str, (*point, 6, speed))) for point, speed in zip(chosen, bandwidths, strict=True)]
        path.write_text("\n".join([HEADER, *rows]) + "\n")
        return path, [every[index] for index in order[count:]]

    return write


def calibrated(source, output, *words):
    return main(["calibrate", str(source), "--prior", "family", "-o", str(output), *words])


def test_few_measurements_give_a_profile_whose_intervals_narrow(few, tmp_path, capsys):
    widths = []
    for count in (5, 20):
        table, aside = few(count)
        output = tmp_path / f"{count}.json"
        assert calibrated(table, output, "--media", "dram", "--json") == 0
        assert json.loads(capsys.readouterr().out)["prior"]["family"] == [
            "dram-ddr4",
            "optane-dcpmm-100",
            "optane-dcpmm-100-128gb",
            "optane-dcpmm-100-256gb",
            "optane-dcpmm-100-512gb",
        ]
        answers, truth = told(output, aside), 1.5 * told("dram-ddr4", aside)[:, 0]
        errors = np.abs(answers[:, 0] / truth - 1.0)
        assert errors.mean() < 0.1
        assert np.mean((answers[:, 1] <= truth) & (truth <= answers[:, 2])) >= 0.85
        widths.append(np.median(answers[:, 2] / answers[:, 1]))
    assert widths[1] < widths[0]


def test_the_same_measurements_give_the_same_profile(few, tmp_path, capsys):
    table, _ = few(5)
    for name in ("a", "b"):
        assert calibrated(table, tmp_path / f"{name}.json", "--name", "same") == 0
    first, second = (load_profile(tmp_path / f"{name}.json") for name in ("a", "b"))
    assert first.fingerprint == second.fingerprint
    assert "unseen configurations" in capsys.readouterr().out


def test_mlc_alone_gives_peak_and_idle_latency(tmp_path, capsys):
    output = tmp_path / "mlc.json"
    assert calibrated(MLC, output, "--media", "dram") == 0
    out = capsys.readouterr().out
    assert "13 rows" in out and "from the family alone" in out
    peak = told(output, [("load", "sequential", size, threads) for size in (1024, 4096) for threads in (16, 32)]).max()
    assert peak == pytest.approx(50_810e6 / 2**20, rel=0.2)
    profile = load_profile(output)
    assert profile.idle_latency_ns["load", "random"] == 68.3
    assert profile.record["published"]["idle_latency_ns.load.random"]["origin"] == "measured"
    assert profile.queue_line_ns["store_clwb"] > 0 and profile.idle_latency_ns["store_clwb", "random"] > 0


def test_mlc_beside_a_few_measurements_without_modules_gives_a_profile(tmp_path):
    """Views of the device with and without fences know different numbers of MLC's peaks."""
    table = tmp_path / "few.csv"
    rows = ["load,random,64,1,850", "load,random,4096,8,29500", "load,sequential,4096,1,9800"]
    rows += ["ntstore,sequential,4096,4,21000", "store_clwb,random,256,8,9500"]
    table.write_text("\n".join(["operation,pattern,access_size_bytes,threads,bandwidth_mib_s", *rows]) + "\n")
    output = tmp_path / "device.json"
    words = ["--prior", "family", "--media", "dram", "--dimms", "4", "-o", str(output)]
    assert main(["calibrate", str(MLC), str(table), *words]) == 0
    assert json.loads(output.read_text())["record"]["configurations"] == 5


def test_without_the_prior_few_are_refused_and_the_prior_is_named(few, capsys):
    assert main(["calibrate", str(MLC)]) == 2
    assert "--prior family" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--prior", "families"], "did you mean 'family'"),
        (["--prior", "family", "--like", "dram-ddr4"], "--like dram-ddr4 does not go with --prior family"),
        (["--prior", "family", "--report", "x"], "--report x does not go with --prior family"),
    ],
)
def test_what_does_not_go_with_the_prior_is_refused(words, named, capsys):
    assert main(["calibrate", str(MLC), *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and named in err and len(err.splitlines()) == 1


def test_an_operation_without_measurement_is_extrapolated_by_name(tmp_path, capsys):
    output = tmp_path / "mlc.json"
    assert calibrated(MLC, output, "--name", "mlc") == 0
    capsys.readouterr()
    point = ["--operation", "store", "--pattern", "random", "--size", "256", "--threads", "2", "--json"]
    assert main(["predict", "--profile", str(output), *point]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["rows"][0]["extrapolated"] is True
    assert "extrapolated: profile mlc has no measurement of store" in err


def test_a_dry_run_refuses_what_the_run_refuses_and_says_why(tmp_path, capsys):
    table = tmp_path / "bytes.csv"  # bytes per second under the name of MiB/s
    table.write_text(f"{HEADER}\nload,random,256,1,6,2000000000\nload,random,256,2,6,4000000000\n")
    for words in ((), ("--dry-run",)):
        assert main(["calibrate", str(table), "--prior", "family", "-o", str(tmp_path / "p.json"), *words]) == 2
        error = capsys.readouterr().err
        assert "usable rows: 0 are too few" in error and "2 dropped: " in error
