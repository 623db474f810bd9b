"""Traces of requests as workloads, in a user's files."""

import bz2
import gzip
import os
import random
import threading
from pathlib import Path

import numpy as np
import pytest

from pmtwin import cli
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.workloads import make_workload
from pmtwin.sim.errors import InputError
from pmtwin.sim.load import LoadChanges, Replay

HEADER = "timestamp,class,operation,size"


def table(folder, rows, name="t.csv", header=HEADER):
    """Path of a table of requests."""
    path = folder / name
    path.write_text("\n".join([header, *rows]) + "\n")
    return str(path)


def trace(folder, count=20_000, name="requests.csv"):
    """Windows of 5,000 requests at 100,000 and 300,000 operations/s in turn; a quarter of them batch."""
    rng, time, rows = random.Random(1), 1e9, []
    for request in range(count):
        time += rng.expovariate(300e3 if request // 5000 % 2 else 100e3)
        batch = rng.random() < 0.25
        operation = "get" if rng.random() < 0.8 else "put"
        rows.append(f"{time:.7f},{'batch' if batch else 'interactive'},{operation},{8192 if batch else 64}")
    return table(folder, rows, name)


def test_a_trace_gives_rates_burstiness_mix_and_sizes(tmp_path):
    result = make_workload(trace(tmp_path))
    rates = [load.rate_ops for load in result.classes]
    assert sum(rates) == pytest.approx(150e3, rel=0.05)  # 5,000 requests at each of both rates
    assert rates[1] / sum(rates) == pytest.approx(0.25, rel=0.05)
    assert [load.write_ratio for load in result.classes] == pytest.approx([0.2, 0.2], rel=0.1)
    assert [load.mean_size_bytes() for load in result.classes] == pytest.approx([64, 8192])
    assert [load.interarrival_cov for load in result.classes] == pytest.approx([1.0, 1.0], rel=0.1)  # and not more
    (replay,) = result.parts
    changes = LoadChanges(result.parts, np.random.SeedSequence(0))
    slow, fast, *_, again = (next(changes).rate[0] for _ in range(5))
    assert fast / slow == pytest.approx(3.0, rel=0.1)
    assert isinstance(replay, Replay) and len(replay.rates) == 4 and again == slow


def shape(workload):
    """What the model draws from."""
    return [load._key() for load in workload.classes], workload.parts


def test_a_trace_is_the_same_in_every_form(tmp_path):
    path = Path(trace(tmp_path, 12_000))
    text, expected = path.read_text(), shape(make_workload(str(path)))
    forms = {
        "excel.csv": text.replace("\n", "\r\n").encode("utf-8-sig"),
        "powershell.csv": text.encode("utf-16"),
        "blank.csv": ("\n" + text + "\n,,,\n").encode(),
        "named.csv": gzip.compress(text.encode()),
        "plain.csv.gz": text.encode(),
        "small.csv.bz2": bz2.compress(text.encode()),
    }
    for name, content in forms.items():
        (tmp_path / name).write_bytes(content)
        assert shape(make_workload(str(tmp_path / name))) == expected
    for name, content in (("a", text), ("b", 'trace = "requests.csv"\n')):  # a trace, and a table beside one
        os.mkfifo(tmp_path / name)
        thread = threading.Thread(target=(tmp_path / name).write_text, args=(content,))
        thread.start()
        assert shape(make_workload(str(tmp_path / name))) == expected
        thread.join()


def test_times_since_1970_are_as_good_as_any(tmp_path):
    """In float64 they have steps of a quarter microsecond."""
    gaps, time, rows = random.Random(2), 0, [[], []]
    for _ in range(6_000):
        time += 1 + int(gaps.expovariate(1 / 2_000))
        for origin, lines in zip(("0", "1612137600"), rows, strict=True):
            lines.append(f"{origin}.{time:09d},batch,get,64")
    relative, epoch = (
        shape(make_workload(table(tmp_path, lines, f"{origin}.csv"))) for origin, lines in enumerate(rows)
    )
    assert relative == epoch


def test_a_header_may_be_in_capitals_as_of_a_block_trace(tmp_path):
    rows = ["0,batch,get,5", "0.01,interactive,put,7", "0.02,batch,put,7"]
    small = shape(make_workload(table(tmp_path, rows)))
    assert small == shape(make_workload(table(tmp_path, rows, header="Timestamp,Class,OPERATION,SIZE")))


def test_rows_without_a_value_are_counted(tmp_path, capsys):
    path = table(tmp_path, ["0,batch,get,0", "1,batch,get,5", "2,batch,remove,", "3,batch,put,7"])
    batch = make_workload(path).classes[1]
    assert batch.remove_share == 0.5 and set(batch.write_sizes_bytes) == {7}
    assert cli.main(["simulate", "nvm-middleware", "--workload", path, "--windows", "1", "--pools", "1,1"]) == 0
    assert "1 of size 0, first line 2" in capsys.readouterr().out


BAD_ROWS = ["1.5,bat", "1.5,batch,get,6x4", "1.5,batch,gat,64", '"1.5,batch,get,64', "x,batch,get,64", "1,2,3,4,5"]
BAD_ROWS += ["\xe9,,,", "\0" * 9, f"1.5,batch,get,{'9' * 5000}"]


@pytest.mark.parametrize("bad", BAD_ROWS)
def test_a_few_rows_that_cannot_be_read_are_counted(bad, tmp_path, capsys):
    rows = [HEADER, *(f"{k},batch,get,{k % 5 + 1}" for k in range(198))]
    whole = make_workload(table(tmp_path, rows[1:], "whole.csv"))
    for place in (120, 101):
        rows.insert(place, bad)
    path = tmp_path / "t.csv"
    path.write_bytes("\n".join(rows).encode("latin-1"))
    assert shape(make_workload(str(path))) == shape(whole)
    assert cli.main(["simulate", "nvm-middleware", "--workload", str(path), "--windows", "1", "--pools", "1,1"]) == 0
    assert "2 that cannot be read, first line 102 (" in capsys.readouterr().out
    path.write_bytes("\n".join([*rows, bad]).encode("latin-1"))
    with pytest.raises(InputError, match="at most 1 % of the lines may be others, here 3 of 201 are"):
        make_workload(str(path))


def test_users_traces(shared_cases):
    case = shared_cases / "18-workload-epoch"
    assert shape(make_workload(str(case / "bom-crlf.csv"))) == shape(make_workload(str(case / "relative.csv")))
    relative, epoch = (make_workload(str(case / f"{name}.csv")) for name in ("relative", "epoch"))
    for one, other in zip(relative.classes, epoch.classes, strict=True):
        assert one.rate_ops == pytest.approx(other.rate_ops, rel=1e-5)
        assert one.interarrival_cov == pytest.approx(other.interarrival_cov, rel=1e-3)
    with pytest.raises(InputError, match=r"by-end.csv:503: timestamp: .*time does not go back; sort"):
        make_workload(str(case / "by-end.csv"))


def test_a_trace_with_its_clients_and_at_a_steady_rate(tmp_path):
    trace(tmp_path)
    path = tmp_path / "w.toml"
    path.write_text('trace = "requests.csv"\nname = "mine"\n[interactive]\nclients = 7\n')
    result = make_workload(str(path))
    assert (result.name, result.interactive.clients, result.batch.clients) == ("mine", 7, 200)
    steady = NvmMiddleware.of(workload=str(path), load="steady").own_conditions
    assert steady.parts == () and steady.tied and steady.interactive == result.interactive


def test_memory_of_a_trace_does_not_grow_with_distinct_sizes(tmp_path):
    from pmtwin.scenarios.nvm_middleware.workloads.request_trace import _stepped

    assert [_stepped(size) for size in (1, 1023, 1025, 65_537)] == [1, 1023, 1024, 65_536]
    assert all(0 <= size - _stepped(size) <= size / 512 for size in range(1, 1 << 20, 777))
