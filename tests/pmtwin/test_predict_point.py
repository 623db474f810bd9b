"""`pmtwin predict` of a point on the command line, tables to read, JSON, and rows that a profile refuses."""

import json
import re
from dataclasses import replace

import pytest

from pmtwin.cli import main
from pmtwin.prediction.point import size_bytes
from pmtwin.sim.device import load_profile
from pmtwin.sim.errors import InputError

WHOLE = ["--operation", "load", "--pattern", "random", "--size", "4KiB"]
MIXED_POINT = ["--operation", "mixed", "--pattern", "random", "--size", "256"]
POINT = ["predict", "--operation", "load", "--pattern", "random", "--threads", "8", "--size", "4KiB"]
TABLE = """operation,pattern,access_size_bytes,dimms,threads
load,random,4096,6,8
store,random,256,6,4

load,sequential,4096,,8
store,random,64,6,4
"""


@pytest.fixture(scope="module")
def without_store(tmp_path_factory):
    """A profile that was not fitted to `store`."""
    whole = load_profile("optane-dcpmm-100-128gb")
    path = tmp_path_factory.mktemp("profile") / "without-store.json"
    parameters = {name: values for name, values in whole.parameters.items() if name != "store"}
    replace(whole, name="without-store", parameters=parameters, uncertainty=None).save(path)
    return str(path)


def test_a_point_is_one_line_with_interval_and_unit(capsys):
    assert main(POINT) == 0
    out, err = capsys.readouterr()
    header, row = out.splitlines()
    assert header.split() == ["operation", "pattern", "access_size_bytes", "threads", "dimms", "bandwidth", "latency"]
    assert re.search(r"\bload +random +4096 +8 +6 +[\d.]+ \[[\d.]+, [\d.]+\] GiB/s +[\d.]+ us$", row)
    assert err == (
        "no interval of the latency: profile optane-dcpmm-100 has no error for the latency of load (random), only for "
        "the bandwidth\n"
    )


def test_a_point_is_what_its_row_of_a_table_is(capsys, predict):
    assert main([*POINT, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    code, (told,), _ = predict("operation,pattern,access_size_bytes,dimms,threads\nload,random,4096,6,8\n")
    assert code == 0 and f"{row['bandwidth_mib_s']:.6g}" == told["bandwidth_mib_s"]
    assert row["extrapolated"] is False and row["write_latency_ns"] is None
    assert main([*POINT, "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split(",")[-20:] == list(told.values())[-20:]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--operation", "load", "--size", "4KiB", "--threads", "30"], "30 threads (measured: 1 to 24)"),
        (["--operation", "load", "--size", "4KiB", "--threads", "2", "--dimms", "4"], "4 DIMMs (measured: 1 or 6)"),
        (
            [
                "--operation",
                "mixed",
                "--size",
                "4KiB",
                "--also",
                "read_threads=20",
                "write_threads=20",
                "write_operation=ntstore",
            ],
            "40 threads (measured: 1 to 24)",
        ),
        (
            ["--operation", "get", "--threads", "4", "--also", "value_bytes=200", "records=1e9", "cores=20"],
            "1,000,000,000 records (measured: 100,000,000)",
        ),
    ],
)
def test_an_extrapolated_point_names_what_was_not_measured(words, said, capsys):
    pattern = [] if "get" in words else ["--pattern", "random"]
    assert main(["predict", *words, *pattern]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"extrapolated: {said}"
    assert main(["predict", *words, *pattern, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["note"] == f"extrapolated: {said}"


def test_quantities_are_chosen_and_other_columns_given(capsys):
    mix = ["--operation", "mixed", "--pattern", "random", "--size", "256"]
    mix += ["--also", "read_threads=4", "write_threads=2", "write_operation=ntstore"]
    assert main(["predict", *mix, "--columns", "read_bandwidth", "write_bandwidth"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split()[-3:] == ["read_bandwidth", "write_bandwidth", "note"] and out.count("iB/s") == 2


def test_dimms_are_those_of_the_profile(capsys, tmp_path):
    whole = load_profile("dram-ddr4")
    boxes = {name: [box | {"dimms": 2} for box in boxes] for name, boxes in whole.fitted_range.items()}
    path = replace(whole, fitted_range=boxes).save(tmp_path / "two.json")
    assert main([*POINT, "--profile", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["dimms"] == "2"


def test_an_operation_that_a_profile_lacks_refuses_its_rows_alone(predict, without_store):
    code, rows, err = predict(TABLE, "--profile", without_store)
    assert code == 0
    assert [row["bandwidth_mib_s"] != "" for row in rows] == [True, False, True, False]
    assert set(list(rows[1].values())[5:]) == {""}
    assert "points.csv:3,6: refused by profile without-store: operation store" in err and "2 rows left empty" in err
    assert predict(TABLE.replace("store", "load"), "--profile", without_store)[1][0] == rows[0]
    code, rows, err = predict(TABLE, "--profile", without_store, "--strict")
    assert (code, rows) == (2, []) and "'store'" in err


def test_a_table_of_which_every_row_is_refused_comes_back_empty(predict, without_store):
    code, rows, err = predict(TABLE.replace("load", "store"), "--profile", without_store)
    assert code == 0 and {row["bandwidth_mib_s"] for row in rows} == {""}
    assert "points.csv:2,3,5,6: refused" in err and "4 rows left empty" in err


def test_a_refused_point_is_an_error(capsys, without_store):
    assert main(["predict", *POINT[1:], "--operation", "store", "--profile", without_store]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "--operation: 'store'" in err


def test_a_dry_run_accounts_for_every_row(tmp_path, capsys, without_store):
    path = tmp_path / "points.csv"
    path.write_text(TABLE + "load,random,4096,6,400\n")
    assert main(["predict", str(path), "--profile", without_store, "--dry-run", "--json"]) == 0
    account = json.loads(capsys.readouterr().out)
    assert account["rows"] == 5 == sum(each["rows"] for each in account["of"])
    assert [each["lines"] for each in account["of"] if each["what"].startswith("refused")] == ["3,6"]
    assert main(["predict", str(path), "--profile", without_store, "--dry-run"]) == 0
    assert "5 rows in " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["predict"], "a file of points, or a point"),
        (
            ["predict", "--operation", "load"],
            f"--pattern, --size, --threads are missing: a whole point is {' '.join(WHOLE)} --threads 8",
        ),
        (["predict", "--size", "64", "--threads", "2"], "--operation, --pattern are missing: a whole point is --opera"),
        (POINT[:-2], "--size is missing: a whole point is"),
        (["predict", "--operation", "read"], "allowed: load (a read), ntstore, store_clwb, store (writes), mixed"),
        (["predict", "--operation", "read"], f"such as {' '.join(WHOLE)} --threads 8"),
        (["predict", *MIXED_POINT], "--also write_operation are missing: a whole point is --operation mixed"),
        (
            ["predict", "--operation", "get", "--threads", "2"],
            "whole point is --operation get --threads 2 --also value",
        ),
        (["predict", "--operation", "get", "--size", "100"], "--size 100 does not go with --operation get, such as"),
        ([*POINT, "--threads", "-2"], "--threads: -2 "),
        ([*POINT, "--size", "4x"], "--size: '4x'"),
        ([*POINT, "--operation", "lod"], "did you mean 'load'"),
        ([*POINT, "--dimms", "17"], "--dimms: 17 is not accepted; allowed: 1 to 16"),
        ([*POINT, "--also", "powr=3"], "did you mean 'power_w'"),
        ([*POINT, "--also", "threads=3"], "threads is 8 already"),
        ([*POINT, "--columns", "bandwith"], "did you mean 'bandwidth'"),
        ([*POINT, "--csv", "--json"], "--csv"),
        (["predict", "points.csv", "--size", "64"], "--size"),
    ],
)
def test_a_wrong_point_is_one_line(capsys, words, named):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and named in err and len(err.splitlines()) == 1


@pytest.mark.parametrize(("text", "size"), [("64", "64"), ("4k", "4096"), ("0.5 KiB", "512"), ("1MiB", "1048576")])
def test_sizes_have_units(text, size):
    assert size_bytes("size", text) == size


@pytest.mark.parametrize("text", ["", "KiB", "1.5", "-4", "4GiB", "nan"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(InputError, match="KiB"):
        size_bytes("size", text)


def test_a_latency_that_has_no_interval_for_another_device_says_why(capsys):
    assert main([*POINT, "--interval", "device"]) == 0
    said = "no interval of the latency: profile optane-dcpmm-100 has no error for the latency of load (random)"
    assert said in capsys.readouterr().err


def test_a_result_of_probe_is_no_profile(tmp_path, capsys):
    (tmp_path / "probe.json").write_text('{"context": {}, "benchmarks": []}')
    assert main([*POINT, "--profile", str(tmp_path / "probe.json")]) == 2
    said = capsys.readouterr().err
    assert "is a result of pmtwin probe" in said and "pmtwin calibrate" in said


def test_a_table_with_answers_is_told_which_column_is_one(tmp_path, capsys):
    (tmp_path / "few.csv").write_text(
        "operation,pattern,access_size_bytes,threads,bandwidth_mib_s\nload,random,64,1,5\n"
    )
    assert main(["predict", str(tmp_path / "few.csv")]) == 2
    assert "column: 'bandwidth_mib_s' is not accepted; allowed: columns of points: this one is an answer" in (
        capsys.readouterr().err
    )
