"""Measured operations: pmtwin's own table and two published formats."""

import pytest

from pmtwin.calibrate.store.measurements import measured_of, read_measured
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import parse_table

HEADER = "operation,threads,value_bytes,records"


def measured(text: str):
    return measured_of(parse_table(text.encode(), "m.csv"), "here")


def test_throughput_and_latency_say_the_same():
    (by_rate,) = measured(f"{HEADER},throughput_ops\nget,4,200,1000000,800000\n")
    (by_time,) = measured(f"{HEADER},latency_mean_ns\nget,4,200,1000000,5000\n")
    assert by_rate == by_time
    assert by_rate.point.cores == 24 and by_rate.machine == "here" and by_rate.log_error == 0.02


def test_machine_error_and_percentiles_are_read():
    (row,) = measured(
        f"{HEADER},cores,machine,error_percent,latency_mean_ns,latency_p99_ns\nput_update,1,64,5000,8,lab,5,2000,6000\n"
    )
    assert (row.machine, row.log_error, row.latency_over_mean) == ("lab", 0.05, {"p99": 3.0})
    assert row.point.cores == 8


def test_the_formats_of_the_benchmarks_are_told_by_their_columns():
    viper = measured("operation,threads,throughput_mops\nput,4,0.2\nupdate,1,0.1\n")
    assert [row.point.operation for row in viper] == ["put_insert", "put_update"]
    assert viper[0].throughput_ops == pytest.approx(0.2e6) and viper[1].point.gets == 1
    header = "benchmark,operations,mean_us,stddev_us,p50_us,p99_us"
    (bench,) = measured(f"{header}\noverwrite,1000,8.0,1.0,7.0,16.0\n")
    assert bench.point.gets == 0 and bench.point.records == 1000
    assert bench.throughput_ops == pytest.approx(125_000) and bench.latency_over_mean["p99"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"{HEADER}\nget,1,64,10\n", "throughput_ops or latency_mean_ns"),
        (f"{HEADER},throughput_ops,latency_mean_ns\nget,1,64,10,5,5\n", "m.csv:2: row"),
        (f"{HEADER},throughput_ops\nget,1,64,10,-5\n", "m.csv:2: throughput_ops"),
        (f"{HEADER},throughput_ops\nget,1,64,0,5\n", "m.csv:2: records"),
        (f"{HEADER},throughput_ops\nput,1,64,10,5\n", "m.csv:2: operation"),
        (f"{HEADER},throughput_ops\nget,1,64,10,0.3\n", "is 3,333,333 us of a thread .* operations per second"),
        (f"{HEADER},throughput_ops\nget,4,64,10,1200\n", "throughput_ops: '1200' is 3,333 us of a thread"),
        (f"{HEADER},latency_mean_ns\nget,1,64,10,3.3\n", "latency_mean_ns: '3.3' is 0.0033 us .* ns of one operation"),
        ("operation,threads,throughput_mops\nput,4,200\n", "is 0.02 us of a thread"),
        (f"{HEADER},throughput_op\nget,1,64,10,5\n", "did you mean 'throughput_ops'"),
        ("operation,threads,throughput_mops\ndelete,1,0.2\n", "m.csv:2: operation"),
        ("benchmark,operations,mean_us,p50_us\noverwrite,1,1,1\n", "p99_us"),
    ],
)
def test_a_wrong_table_is_refused_by_place(text, named):
    with pytest.raises(InputError, match=named):
        measured(text)


def test_numbers_are_read_as_spreadsheets_write_them(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(f'{HEADER},throughput_ops\nget,4,200,"1,000,000","800,000"\n')
    (row,) = read_measured([path])
    assert (row.point.records, row.throughput_ops) == (1_000_000, pytest.approx(800_000))


def test_an_operation_on_a_long_value_may_take_as_long_as_its_bytes():
    assert len(measured(f"{HEADER},latency_mean_ns\nget,1,1048576,1000,9000000\n")) == 1


def test_the_measurements_on_optane_are_the_nineteen_of_the_shipped_store_and_later_updates(shared_data):
    folder = shared_data / "pmemkv_optane"
    rows = read_measured([str(folder / "viper_cmap.csv"), str(folder / "pmemkv_bench_summary.csv")])
    later = [row for row in rows if row.point.operation == "put_update" and row.point.threads > 1]
    assert len(rows) - len(later) == 19 and {row.machine for row in rows} == {"viper_cmap", "pmemkv_bench_summary"}
