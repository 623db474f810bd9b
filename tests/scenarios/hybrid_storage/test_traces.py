"""Recorded traces as requests: volumes, gaps, what is odd and said, and what is refused in one line."""

import json
import os
import pickle
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

from pmtwin.cli import main
from pmtwin.scenarios.hybrid_storage.options import HybridStorageOptions
from pmtwin.scenarios.hybrid_storage.scenario import HybridStorage
from pmtwin.scenarios.hybrid_storage.workloads import recorded, statistics
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.input_file import one_reader
from pmtwin.sim.hybrid.stream import PAGE_BYTES, paged
from tests.scenarios.block_traces.test_dialects import FORMS, ROWS, text_of

HEAD = "time_us,dev,op,offset,size\n"


def written(folder, text, name="t.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_volumes_apart_lie_one_behind_the_other(tmp_path):
    path = written(tmp_path, HEAD + "0,a,W,0,4097\n7,b,R,0,512\n9,a,R,4096,512\n")
    apart, together = recorded(path), recorded(path, "together")
    assert apart.stream.offset.tolist() == [0, 2 * PAGE_BYTES, 4096]
    assert together.stream.offset.tolist() == [0, 0, 4096]
    assert apart.stream.gap_ns.tolist() == [0.0, 7_000.0, 2_000.0]
    assert apart.volumes == 2 and apart.stream.threads == 1 and apart.notes == ()


@pytest.mark.parametrize("name", FORMS)
def test_requests_of_every_published_form_are_those_of_the_storage(tmp_path, name):
    """Volume 0 has 257 pages; volume 1 lies behind them, or on them."""
    path = written(tmp_path, text_of(name), "trace.txt")
    us, volume, write, offset, size = zip(*ROWS, strict=True)
    for volumes, second in (("apart", 257 * PAGE_BYTES), ("together", 0)):
        trace = recorded(path, volumes)
        assert trace.stream.offset.tolist() == [at + second * number for at, number in zip(offset, volume, strict=True)]
        assert trace.stream.size.tolist() == list(size) and trace.stream.write.tolist() == list(write)
        assert trace.stream.gap_ns == pytest.approx([1e3 * gap for gap in np.diff(us, prepend=0)], abs=300.0)
        assert trace.volumes == 2


def test_a_shipped_trace_has_the_pages_of_its_volumes(shared_data):
    path = shared_data / "block_traces" / "ssdsim_example.csv.gz"
    apart, together = recorded(path), recorded(path, "together")
    assert apart.volumes == 22
    assert len(paged(together.stream).home) == 7_142 < len(paged(apart.stream).home)
    assert statistics(together.stream)["read_percent"] == pytest.approx(40.77)
    assert np.array_equal(apart.stream.size, together.stream.size)


def test_what_is_odd_is_counted_and_said(tmp_path):
    path = written(tmp_path, HEAD + "0,a,R,0,0\n0,a,R,0,512\n0,a,R,512,512\n")
    assert recorded(path).notes == (
        "left out: 1 of size 0, first line 2",
        "all requests have the same time: gaps are 0",
        "no request writes: placement has nothing to decide",
    )
    objects = recorded(written(tmp_path, "time_us,op,obj_id\n0,set,77\n5,get,5\n6,get,77\n"))
    assert objects.stream.offset.tolist() == [PAGE_BYTES, 0, PAGE_BYTES]
    assert objects.notes == ("objects count as pages of 4,096 bytes", "all requests have the same time: gaps are 0")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (HEAD + "0,a,W,0,512\n5,a,W,0,-512\n", "line 3: size: -512 is not accepted"),
        (HEAD + "5,a,W,0,512\n4,a,W,0,512\n", "line 3: time_us: 4.0 goes back"),
        (HEAD, "has no requests"),
        (HEAD + "0,a,W,0,0\n", "has no requests .left out: 1 of size 0"),
        ("", "is empty"),
        (b"\x07te\x00\x00\x00\x00\x01\x00\x00\x00" * 40, "is binary, but not oracleGeneral"),
    ],
)
def test_what_cannot_be_replayed_is_refused_in_one_line(tmp_path, content, match):
    with pytest.raises(InputError, match=match) as caught:
        recorded(written(tmp_path, content))
    assert "\n" not in str(caught.value) and caught.value.exit_code == 2


@pytest.mark.parametrize("named", [False, True])
def test_a_pipe_that_was_read_reaches_worker_processes_as_a_file(tmp_path, named):
    content = b"time_us,op,offset,size\n0,W,0,4096\n"
    reader, pipe = piped(tmp_path / "fifo" if named else None, content)
    options = HybridStorageOptions(trace=Path(pipe))
    with one_reader():
        assert len(recorded(options.trace).stream.size) == 1
        shipped = pickle.loads(pickle.dumps(options))
        assert str(options.trace) == pipe and shipped.trace != options.trace
        for _ in range(2):
            assert subprocess.run(["cat", shipped.trace], capture_output=True, check=True).stdout == content
    if reader is not None:
        os.close(reader)


def piped(fifo, content):
    """(open end or None, name) of a pipe that a thread fills."""
    if fifo is None:
        reader, end = os.pipe()
        name = f"/dev/fd/{reader}"
    else:
        os.mkfifo(fifo)
        reader, end, name = None, fifo, str(fifo)

    def fill():
        with open(end, "wb") as pipe:
            pipe.write(content)

    threading.Thread(target=fill, daemon=True).start()
    return reader, name


@pytest.mark.parametrize(("changes", "runs"), [((), 2), (("--scan-order", "random"), 6)])
def test_a_policy_that_draws_nothing_runs_a_trace_once(tmp_path, capsys, monkeypatch, changes, runs):
    rows = "".join(f"{n},a,{'RW'[n % 2]},{n * n % 97 * 4096},4096\n" for n in range(400))
    started, system = [], HybridStorage.system
    monkeypatch.setattr(HybridStorage, "system", lambda *given: started.append(given) or system(*given))
    words = ["--trace", str(written(tmp_path, HEAD + rows)), "--policies", "write-lru", "lru-clean", "--seeds", "3"]
    assert main(["evaluate", "hybrid-storage", *words, *changes, "--yardsticks", "none", "--jobs", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert len(started) == runs and result["configuration"]["seeds"] == 3
