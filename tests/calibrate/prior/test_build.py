"""`pmtwin calibrate --prior family`: a profile from few measurements, or from MLC's text alone."""

import json
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
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


@pytest.fixture(scope="module")
def mlc(tmp_path_factory):
    """The profile from MLC's text alone, and what was printed."""
    output = tmp_path_factory.mktemp("mlc") / "mlc.json"
    with redirect_stdout(StringIO()) as printed:
        assert calibrated(MLC, output, "--media", "dram") == 0
    return output, printed.getvalue()


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


def test_mlc_alone_gives_peak_and_idle_latency(mlc):
    output, out = mlc
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


def test_an_operation_without_measurement_is_extrapolated_by_name(mlc, capsys):
    output, _ = mlc
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
        assert "'2 of 2, such as bytes.csv:2-3' are above what the memory channels carry" in error


OWN = """operation,pattern,access_size_bytes,threads,dimms,bandwidth_mib_s,latency_ns
load,random,256,8,4,9000,
load,random,256,1,4,1500,{ns}
ntstore,random,256,8,4,3000,
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Function of a latency in ns of a random read of 256 B: a profile with it, and what was printed."""

    @cache
    def write(ns):
        folder = tmp_path_factory.mktemp("own")
        (folder / "own.csv").write_text(OWN.format(ns=ns))
        with redirect_stdout(StringIO()) as printed:
            assert calibrated(folder / "own.csv", folder / "own.json", "--media", "pmem") == 0
        return folder / "own.json", printed.getvalue()

    return write


def test_a_measured_latency_is_predicted_at_the_size_that_it_was_measured_at(own):
    for ns in (340, 500):
        profile = load_profile(own(ns)[0])
        columns = {"operation": np.array(["load"]), "pattern": np.array(["random"])}
        columns |= {"access_size_bytes": np.array([256.0]), "threads": np.array([1.0]), "dimms": np.array([4.0])}
        assert predict(profile, columns | {"power_w": np.array([15.0])})["latency_ns"][0] == pytest.approx(ns, rel=0.02)


def test_what_the_family_tells_is_said_and_what_it_does_not_tell_is_extrapolated(own, capsys):
    profile, _ = own(340)
    missing = load_profile(profile).record["not_identified"]
    for what in ("access size other than 256 B", "load sequential", "operation store"):
        assert f"{what} (from the family alone)" in missing
    assert "number of DIMMs other than 4" in missing
    point = ["predict", "--profile", str(profile), "--pattern", "random", "--size", "1024", "--threads", "4", "--json"]
    for words, beyond in ((["load"], False), (["load", "--dimms", "6"], True), (["store"], True)):
        assert main([*point, "--operation", *words]) == 0
        (row,) = json.loads(capsys.readouterr().out)["rows"]
        assert row["extrapolated"] is beyond


def test_errors_of_few_measurements_are_of_rows_left_out_alone(own):
    _, printed = own(340)
    (row,) = [line for line in printed.splitlines() if line.startswith("load ")][:1]
    assert row.split()[1] == "-" and "/" in row.split(maxsplit=2)[2]


def test_options_without_use_are_refused(few, tmp_path, capsys):
    table, _ = few(5)
    assert calibrated(table, tmp_path / "x.json", "--bootstrap", "50") == 2
    assert "--bootstrap 50 does nothing with --prior family" in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()


def test_a_latency_without_an_interval_says_why(own, capsys):
    profile, _ = own(340)
    words = ["--operation", "load", "--pattern", "random", "--size", "256", "--threads", "1"]
    assert main(["predict", "--profile", str(profile), *words]) == 0
    said = "no interval of the latency: profile own has no error for the latency of load (random)"
    assert said in capsys.readouterr().err


def test_scatter_of_repeated_measurements_widens_the_intervals(tmp_path):
    halves = []
    for name, factors in (("calm", (1.0, 1.0, 1.0)), ("noisy", (0.7, 1.0, 1.4))):
        rows = [f"load,random,256,{threads},6,{1500.0 * threads * factor}" for threads in (1, 4) for factor in factors]
        (tmp_path / f"{name}.csv").write_text("\n".join([HEADER, *rows]) + "\n")
        assert calibrated(tmp_path / f"{name}.csv", tmp_path / f"{name}.json", "--media", "pmem") == 0
        answer = told(tmp_path / f"{name}.json", [("load", "random", 256, 4)])[0]
        halves.append(np.log(answer[2] / answer[0]))
    scatter = np.std(np.log([0.7, 1.0, 1.4]), ddof=1)
    assert halves[0] < 0.1 and 1.645 * scatter < halves[1] < 2.0 * 1.645 * scatter


def with_rows(tmp_path, *rows):
    (tmp_path / "rows.csv").write_text("\n".join([f"{HEADER},latency_ns", *rows]) + "\n")
    return tmp_path / "rows.csv"


def test_a_write_latency_tells_of_one_thread_and_what_contradicts_it_is_noted(tmp_path, capsys):
    speeds = []
    for ns in (60, 240):
        table = with_rows(tmp_path, "load,random,256,4,6,7000,", f"store_clwb,random,64,1,6,,{ns}")
        assert calibrated(table, tmp_path / "x.json", "--media", "pmem", "--force") == 0
        speeds.append(told(tmp_path / "x.json", [("store_clwb", "random", 64, 1)])[0, 0])
        note = f"note: idle latency of store_clwb random: {ns} ns measured; predict says"
        assert (note in capsys.readouterr().out) == (ns == 60)
    assert speeds[0] > 1.2 * speeds[1]


def test_bandwidths_in_another_unit_are_refused(tmp_path, capsys):
    for factor, words in (1 / 1024, "GiB/s or GB/s?"), (1e6, "KiB/s or bytes/s"):
        rows = [f"load,random,256,{n},6,{1500 * n * factor}," for n in (1, 2, 4)]
        table = with_rows(tmp_path, *rows, "load,random,64,1,6,,300")
        assert calibrated(table, tmp_path / "x.json", "--media", "pmem", "--force") == 2
        assert words in "".join(capsys.readouterr())


def test_a_latency_of_less_than_memory_takes_is_dropped(tmp_path, capsys):
    table = with_rows(tmp_path, "load,random,256,4,6,7000,", "load,random,64,1,6,,0.3")
    assert calibrated(table, tmp_path / "x.json", "--media", "pmem") == 0
    assert "latency below 5 ns: not of memory, or not in ns" in capsys.readouterr().out


def test_the_twin_says_which_operations_the_shipped_devices_answer_for(own, capsys):
    words = ["simulate", "nvm-middleware", "--windows", "1", "--pools", "4,4", "--requests-per-window", "100"]
    assert main([*words, "--profile", str(own(340)[0])]) == 0
    assert "not fitted on" in (out := " ".join(capsys.readouterr().out.split()))
    assert "for which the shipped devices answer (--prior family)" in out
