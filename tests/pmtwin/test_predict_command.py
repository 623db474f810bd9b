"""`pmtwin predict`: the input comes back with predictions added, or nothing comes at all."""

import io

import pytest

from pmtwin.cli import main
from pmtwin.scenarios import scenario_names

POINTS = """operation,pattern,access_size_bytes, dimms,threads,power_w
store_clwb,random,64,1,4,
load,sequential,4096,6,6,15.0
ntstore,random,"256",6,020,18
"""


def test_rows_come_back_in_order_and_as_they_were(predict):
    code, rows, err = predict(POINTS)
    assert (code, err) == (0, "")
    header = list(rows[0])
    assert header[:6] == ["operation", "pattern", "access_size_bytes", "dimms", "threads", "power_w"]
    assert header[6:] == [
        "bandwidth_mib_s",
        "bandwidth_low_mib_s",
        "bandwidth_high_mib_s",
        "latency_ns",
        "extrapolated",
        "read_bandwidth_mib_s",
        "write_bandwidth_mib_s",
        "effective_write_ratio",
        "latency_p99_ns",
        "read_latency_ns",
        "write_latency_ns",
        "time_per_access_ns",
        "latency_low_ns",
        "latency_high_ns",
        "read_latency_low_ns",
        "read_latency_high_ns",
        "write_latency_low_ns",
        "write_latency_high_ns",
        "time_per_access_low_ns",
        "time_per_access_high_ns",
    ]
    assert [[row[name] for name in header[:6]] for row in rows] == [
        ["store_clwb", "random", "64", "1", "4", ""],
        ["load", "sequential", "4096", "6", "6", "15.0"],
        ["ntstore", "random", "256", "6", "020", "18"],
    ]
    for row in rows:
        bandwidth, low, high, latency = (float(row[name]) for name in header[6:10])
        assert 0 < low < bandwidth < high and latency > 0
    assert [row["extrapolated"] for row in rows] == ["false", "false", "true"]  # 18 W was never measured with six DIMMs


def test_mixes_stand_beside_pure_points(predict):
    header = "operation,pattern,threads,access_size_bytes,dimms,read_threads,write_threads,write_operation"
    code, (pure, mixed), _ = predict(f"{header}\nload,random,16,64,6,,,\nmixed,random,,64,6,16,0,ntstore\n")
    assert code == 0
    assert pure["bandwidth_mib_s"] == mixed["bandwidth_mib_s"]


def test_an_offered_bandwidth_limits_the_load(predict):
    header = "operation,pattern,threads,access_size_bytes,dimms,offered_bandwidth_mib_s"
    row = "ntstore,sequential,15,64,6,"
    code, (light, heavy, full), _ = predict(f"{header}\n{row}1000\n{row}11000\n{row}\n")
    assert code == 0 and light["bandwidth_mib_s"] == "1000"
    assert float(light["read_latency_ns"]) < float(heavy["read_latency_ns"])
    assert float(full["bandwidth_mib_s"]) > 5000
    assert predict(f"{header}\n{row}0\n")[0] == 2


def test_standard_input_is_read(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(POINTS.encode())))
    assert main(["predict", "-"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (POINTS.replace("threads", "treads"), "points.csv:1: column: 'treads'"),
        (POINTS + "load,random,64,6,-1,\n", "points.csv:5: threads: -1 "),
        (POINTS + "load,random,64,17,1,\n", "points.csv:5: dimms: 17 "),
        (POINTS + "load,random,64\n", "points.csv:5: row"),
        ("", "empty"),
    ],
)
def test_a_wrong_row_prints_nothing_but_an_error(predict, text, named):
    code, rows, err = predict(text)
    assert code == 2 and rows == []
    assert named in err and len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "options", "columns"),
    [
        (
            "# load, mine\n[interactive]\nsizes = [1, 2]\n",
            (),
            "operation, pattern, access_size_bytes, threads (accesses)",
        ),
        ('{"a": 1,\n "b": 2}\n', (), "operation, threads, value_bytes, records (key-value operations)"),
        ("a,b\n1,2\n", ("--regression", "nvme-read"), "threads, size_bytes, requests, range_bytes"),
    ],
)
def test_a_file_that_is_no_table_of_points_is_told_what_is_wanted(predict, text, options, columns):
    code, rows, err = predict(text, *options)
    assert (code, rows) == (2, [])
    assert "points.csv' is no table of points; allowed: comma-separated values (CSV)" in err and columns in err


def test_a_regression_beside_a_point_of_a_file_is_refused(tmp_path, capsys):
    point = tmp_path / "point.toml"
    point.write_text('operation = "load"\npattern = "random"\nsize = "4KiB"\nthreads = 8\n')
    assert main(["predict", "--config", str(point), "--regression", "nvme-read"]) == 2
    assert "--regression nvme-read belongs to a file of points; name one" in capsys.readouterr().err


def test_an_unknown_profile_is_refused(predict):
    code, rows, err = predict(POINTS, "--profile", "optane")
    assert code == 2 and rows == [] and "profile: 'optane'" in err


def test_an_absent_file_is_refused(capsys):
    assert main(["predict", "nowhere.csv"]) == 2
    assert "nowhere.csv" in capsys.readouterr().err


@pytest.mark.parametrize("scenario", [*scenario_names(), "routing.py:routing"])
def test_a_scenario_is_no_file_of_points(scenario, capsys):
    assert main(["predict", scenario]) == 2
    said = capsys.readouterr().err
    assert f"{scenario!r} is a scenario; " in said and f"run by: pmtwin simulate {scenario}\n" in said


def test_outside_the_fitted_range_an_interval_is_wider_or_said_to_be_none(predict):
    beyond = "operation,pattern,access_size_bytes,dimms,threads\nload,random,4096,6,48\n"
    code, (row,), err = predict(beyond)
    assert (code, err) == (0, "") and float(row["bandwidth_low_mib_s"]) > 0
    code, (row,), err = predict(beyond, "--profile", "optane-dcpmm-100-128gb")
    assert code == 0 and float(row["bandwidth_mib_s"]) > 0
    assert [value for name, value in row.items() if "_low_" in name or "_high_" in name] == [""] * 10
    assert "no interval: outside the measurements of profile" in err and "1 row" not in err
    _, _, err = predict(beyond + beyond.splitlines()[1] + "\n", "--profile", "optane-dcpmm-100-128gb")
    assert "no interval in 2 rows: outside the measurements of profile" in err


def test_intervals_of_another_campaign_are_wider_and_called_assumed(predict):
    _, own, quiet = predict(POINTS)
    code, other, err = predict(POINTS, "--interval", "campaign")
    assert code == 0 and quiet == ""
    assert "another campaign are partly assumed" in err
    for row, wide in zip(own, other, strict=True):
        assert row["bandwidth_mib_s"] == wide["bandwidth_mib_s"]
        assert float(wide["bandwidth_low_mib_s"]) < float(row["bandwidth_low_mib_s"])


def test_an_unknown_interval_is_refused(predict):
    code, _, err = predict(POINTS, "--interval", "planet")
    assert code == 2 and "allowed: campaign, device, repeat" in err


def test_a_regression_predicts_and_refuses_negative_times(tmp_path, capsys):
    points = tmp_path / "points.csv"
    points.write_text("threads,size_bytes,requests,range_bytes\n64,262144,4000000,5e11\n")
    assert main(["predict", str(points), "--regression", "nvme-read"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "64,262144,4000000,5e11,8963.4,false"
    with points.open("a") as file:
        file.write("8,512,1000,5e8\n")
    assert main(["predict", str(points), "--regression", "nvme-read"]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and "time_s in s: -5.803 is not accepted" in shown.err and "row 2 (threads 8" in shown.err


def test_a_regression_names_the_bad_cell(tmp_path, capsys):
    points = tmp_path / "points.csv"
    points.write_text("threads,size_bytes,requests,range_bytes\n64,nan,4000000,5e11\n")
    assert main(["predict", str(points), "--regression", "nvme-read"]) == 2
    assert f"{points}:2: size_bytes: 'nan'" in capsys.readouterr().err
