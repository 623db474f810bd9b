"""Key-value operations of threads on another node than their data, or on both."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.file import load_store
from pmtwin.sim.store.law import place, solve
from pmtwin.sim.store.points import store_point
from pmtwin.sim.store.prediction import predict_store

OPTANE = load_profile()
GET = StorePoint("get", 16, 200.0, 1e8, cores=18)
STREAM = StorePoint("get", 24, 400_000.0, 2e4, cores=18)
PUT = STREAM._replace(operation="put_insert")
KINDS = (GET, GET._replace(operation="put_update"), STREAM, PUT)


def predicted(*points, profile=OPTANE):
    return predict_store(profile, load_store(), points, [6.0] * len(points))


def rates(point):
    return predicted(*(point._replace(numa=numa) for numa in ("local", "both", "remote")))["throughput_ops"]


@pytest.mark.parametrize("point", KINDS)
def test_remote_operations_are_slower_by_no_more_than_the_slowest_access(point):
    local, _, remote = rates(point)
    factors = [entry["parameters"]["time_factor"] for entry in OPTANE.effects["remote"].values()]
    assert 1.05 < local / remote <= max(factors)


def test_threads_of_both_nodes_lie_between_where_no_read_is_limited_by_the_media():
    local, both, remote = rates(GET)
    assert remote < both < local


def test_streamed_values_that_change_hands_are_slower_than_from_either_node():
    local, both, remote = rates(STREAM)
    assert both < 0.6 * remote < remote < local


def test_half_of_the_threads_have_the_speed_of_either_node():
    samples = load_store().fit_beside(OPTANE.name).samples
    placed = place(OPTANE, GET._replace(numa="both"), 6.0)
    whole, local, remote = (
        solve([each], samples).throughput_ops
        for each in (placed, placed._replace(elsewhere=None), placed._replace(device=placed.elsewhere, elsewhere=None))
    )
    assert whole == pytest.approx(0.5 * (local + remote))
    assert solve([placed], samples).latency_ns == pytest.approx(GET.threads * 1e9 / whole)


def test_a_local_row_is_the_same_beside_rows_of_other_nodes():
    alone = predicted(GET)
    among = predicted(GET._replace(numa="both"), GET, GET._replace(numa="remote"))
    assert all(alone[name][0] == among[name][1] for name in alone)


def test_two_sockets_run_twice_the_threads():
    crowded = GET._replace(threads=72)
    assert crowded.active == 36 and crowded._replace(numa="both").active == 72


def test_other_nodes_are_extrapolated_with_wider_intervals():
    result = predicted(*(point._replace(numa=numa) for point in (GET, STREAM) for numa in ("local", "remote", "both")))
    width = np.log(result["throughput_high_ops"] / result["throughput_low_ops"]).reshape(2, 3)
    assert np.all(width[:, 1] > width[:, 0]) and width[1, 2] > width[1, 1] + 0.3  # one to four entries a write
    assert result["extrapolated"].reshape(2, 3)[:, 1:].all()


@pytest.mark.parametrize(("lacking", "numa"), [("remote", "remote"), ("remote", "both"), ("directory", "both")])
def test_a_profile_that_knows_one_node_is_refused(lacking, numa):
    bare = replace(OPTANE, effects={name: of for name, of in OPTANE.effects.items() if name != lacking})
    with pytest.raises(InputError, match=f"identifies {lacking} of load"):
        predicted(GET._replace(numa=numa), profile=bare)
    assert np.isfinite(predicted(GET, profile=bare)["throughput_ops"][0])


def test_predict_has_the_column(tmp_path, capsys):
    path = tmp_path / "operations.csv"
    head = "operation,threads,value_bytes,records,cores,numa\n"
    path.write_text(head + "".join(f"get,16,200,100000000,18,{numa}\n" for numa in ("", "local", "remote", "both")))
    assert main(["predict", str(path), "--csv"]) == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [float(row["throughput_ops"]) for row in rows[1:]] == pytest.approx(rates(GET)[[0, 2, 1]], rel=1e-5)
    assert rows[0]["throughput_ops"] == rows[1]["throughput_ops"]
    assert "measured on the node of its data" in err
    path.write_text(head + "get,16,200,100000000,18,far\n")
    assert main(["predict", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and ":2: numa: 'far'" in err


def test_a_single_thread_does_not_run_on_both_nodes():
    row = {"operation": "get", "threads": "1", "value_bytes": "200", "records": "1e6"}
    assert store_point({**row, "numa": "remote"}, "o.csv:2").numa == "remote"
    assert store_point({**row, "threads": "2", "numa": "both"}, "o.csv:2").numa == "both"
    with pytest.raises(InputError, match=r"^o.csv:2: threads: 1 .* at least 2 with numa=both"):
        store_point({**row, "numa": "both"}, "o.csv:2")


def test_the_documented_rates_are_those_of_their_command():
    result = predicted(*(STREAM._replace(numa=numa) for numa in ("local", "remote", "both")))
    assert result["throughput_ops"] == pytest.approx([95_900, 81_900, 23_000], rel=5e-3)
    assert (result["throughput_low_ops"][2], result["throughput_high_ops"][2]) == pytest.approx(
        (11_600, 45_800), rel=5e-3
    )
