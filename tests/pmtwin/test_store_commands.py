"""`pmtwin predict` of key-value operations, and `pmtwin calibrate --store`."""

import json

import pytest

from pmtwin.calibrate.store import posterior
from pmtwin.cli import main
from pmtwin.sim.store.file import load_store

POINTS = """operation,threads,value_bytes,records,cores
get,1,200,100000000,18
put_insert,36,200,100000000,18
put_update,8,200,100000000,18
remove,8,200,100000000,
"""
PROFILE = ("--profile", "optane-dcpmm-100-128gb")
MEASURED = """operation,threads,value_bytes,records,throughput_ops
get,1,200,100000000,160000
get,8,200,100000000,1200000
put_insert,1,200,100000000,50000
put_update,1,200,100000000,110000
"""


def test_each_operation_has_a_rate_and_times_with_intervals(predict):
    code, rows, _ = predict(POINTS, *PROFILE)
    assert code == 0 and [row["operation"] for row in rows] == ["get", "put_insert", "put_update", "remove"]
    for row in rows:
        for name, unit in (("throughput", "ops"), *((f"latency_{each}", "ns") for each in ("mean", "p50", "p99"))):
            low, value, high = (float(row[f"{name}{end}_{unit}"]) for end in ("_low", "", "_high"))
            assert 0 < low < value < high
        mean = 1e9 * float(row["threads"]) / float(row["throughput_ops"])
        assert float(row["latency_mean_ns"]) == pytest.approx(mean, rel=1e-3)
        assert float(row["latency_p50_ns"]) < mean < float(row["latency_p99_ns"])
    assert [row["extrapolated"] for row in rows] == ["false", "false", "true", "true"]
    assert float(rows[0]["throughput_ops"]) == pytest.approx(167_000, rel=0.06)


def test_another_device_is_extrapolated_and_said_so(predict):
    code, rows, err = predict(POINTS, "--profile", "dram-ddr4")
    assert code == 0 and "intervals are wider" in err
    assert {row["extrapolated"] for row in rows} == {"true"}
    assert float(rows[0]["throughput_ops"]) > 220_000


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (POINTS.replace(",100000000,18", ",0,18"), "points.csv:2: records: 0 "),
        (POINTS.replace("get,1", "get,0"), "points.csv:2: threads: 0 "),
        (POINTS.replace("put_update", "put_updat"), "did you mean 'put_update'"),
        (POINTS.replace("records,", "record,"), "did you mean 'records'"),
        ("operation,threads,value_bytes\nget,1,64\n", "column records is missing"),
        (POINTS + "load,1,64,1000,\n", "points.csv:6: operation: 'load'"),
        (POINTS.replace("get,1,200", "get,1,0"), "value_bytes: 0 "),
        ("operation,threads,value_bytes,records,gets_per_update\nput_update,1,64,10,2\n", "gets_per_update: 2 "),
    ],
)
def test_a_wrong_row_prints_nothing_but_an_error(predict, text, named):
    code, rows, err = predict(text)
    assert code == 2 and rows == []
    assert named in err and len(err.splitlines()) == 1


def test_a_store_is_refused_for_accesses_and_where_there_is_none(predict):
    accesses = "operation,pattern,threads,access_size_bytes,dimms\nload,random,1,64,6\n"
    code, _, err = predict(accesses, "--store", "pmemkv-cmap")
    assert code == 2 and "--store" in err and len(err.splitlines()) == 1
    code, _, err = predict(POINTS, "--store", "nothing.json")
    assert code == 2 and "pmemkv-cmap" in err


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A table of measured operations, and a fit that is over soon."""
    monkeypatch.setattr(posterior, "BURN_IN", 5)
    monkeypatch.setattr(posterior, "STEPS", 10)
    path = tmp_path / "measured.csv"
    path.write_text(MEASURED)
    return path


def test_measurements_become_a_store_that_predict_takes(sources, tmp_path, capsys, predict):
    store = tmp_path / "store.json"
    command = ["calibrate", str(sources), "--store", PROFILE[1], "--bootstrap", "0", "--jobs", "1", "--name", "mine"]
    assert main([*command, "-o", str(store), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert len(result["fitted"][PROFILE[1]]) == 4 and set(load_store(store).fits) == {PROFILE[1]}
    code, rows, _ = predict(POINTS, *PROFILE, "--store", str(store))
    assert code == 0 and len(rows) == 4


def test_a_dry_run_says_what_would_be_fitted(sources, capsys):
    assert main(["calibrate", str(sources), "--store", PROFILE[1], "--dry-run"]) == 0
    assert "put_insert" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--store", "nothing"), "profile: 'nothing'"),
        (("--store", PROFILE[1], "--media", "dram"), "--media dram does not go with --store"),
    ],
)
def test_options_that_do_not_fit_are_refused(sources, capsys, options, named):
    assert main(["calibrate", str(sources), *options]) == 2
    err = capsys.readouterr().err
    assert named in err and len(err.splitlines()) == 1
