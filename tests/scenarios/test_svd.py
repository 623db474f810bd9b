"""The SVD task graph: its puts and gets are those of the graphs that Dask runs."""

import csv
import gzip
from collections import Counter, defaultdict
from itertools import takewhile
from statistics import median

import numpy as np
import pytest

from pmtwin.scenarios.nvm_middleware.workloads import svd
from pmtwin.scenarios.nvm_middleware.workloads.svd_graph import Shape, TaskGraph, svd_graph
from pmtwin.sim.errors import InputError


def dask_rows(shared_data, name):
    with gzip.open(shared_data / "dask_svd" / f"{name}.csv.gz", "rt") as file:
        return list(csv.DictReader(file))


def dask_kind(kind):
    """Dask's name of a task without its hash and what follows it."""
    return "-".join(takewhile(lambda part: len(part) != 32, kind.split("-")))


@pytest.mark.parametrize("layout", ["opt", "raw"])
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("svdc_128_c32", Shape(128, 32)),
        ("svdc_128_c16", Shape(128, 16)),
        ("svdc_128_c64", Shape(128, 64)),
        ("svdc_10000_c2000_wukong", Shape(10_000, 2000)),
    ],
)
def test_operations_sizes_and_depths_are_those_of_dask(shared_data, name, shape, layout):
    graph = svd_graph(shape, fused=layout == "opt")
    job = svd.operations(graph)
    depths = [graph.tasks[task].depth for task in job.task]
    ours = Counter(zip(np.where(job.is_write, "put", "get").tolist(), job.size_bytes.tolist(), depths, strict=True))
    theirs = Counter(
        (row["op"], int(row["bytes"]), int(row["depth"])) for row in dask_rows(shared_data, f"{name}_{layout}")
    )
    assert ours == theirs


def test_the_default_job_without_the_data():
    job = svd.operations()
    assert (int(job.is_write.sum()), int((~job.is_write).sum())) == (120, 193)
    assert Counter(job.size_bytes[job.is_write].tolist()) == {
        40: 5, 1280: 12, 3200: 18, 5120: 48, 8192: 16, 8320: 16, 12800: 3, 16000: 2,
    }  # fmt: skip


def test_nothing_is_read_before_it_is_written():
    job = svd.operations()
    written = set()
    for is_write, key in zip(job.is_write, job.key, strict=True):
        assert is_write or key in written
        written.add(key) if is_write else None
    assert written == set(range(120))


def test_the_class_has_the_mix_and_the_sizes_of_the_job():
    batch, job = svd.svd_class(), svd.operations()
    assert batch.write_ratio == 120 / 313
    for is_write in (False, True):
        exact = job.size_bytes[job.is_write == is_write]
        assert batch.sizes(is_write).mean() == pytest.approx(exact.mean(), rel=0.01)
        assert set(batch.sizes(is_write)) <= set(exact.tolist())
    assert batch.interarrival_cov == svd.INTERARRIVAL_COV


def test_burstiness_is_that_of_the_job():
    assert round(svd.interarrival_cov(), 2) == svd.INTERARRIVAL_COV


def test_burstiness_by_hand():
    graph = TaskGraph()
    first = graph.add("make", (), 1)
    graph.add("use", (first, first), 1)  # put at 3, gets at 3 and 3, put at 4: gaps 0, 0, 1
    assert svd.interarrival_cov(graph, {"make": 3.0, "use": 1.0}) == pytest.approx(2**0.5)


def test_computing_times_are_the_medians_of_the_measured_ones(shared_data):
    times = defaultdict(list)
    for row in dask_rows(shared_data, "svdc_128_c32_opt"):
        if row["op"] == "put":
            times[dask_kind(row["kind"])].append(float(row["exec_us"]))
    assert {kind: pytest.approx(median(values), rel=0.05) for kind, values in times.items()} == svd.COMPUTE_US


@pytest.mark.parametrize("arguments", [{"chunk": 30}, {"chunk": 0}, {"n": 1}, {"rank": 0}, {"n": 1024, "chunk": 128}])
def test_a_shape_that_is_not_laid_out_is_refused(arguments):
    with pytest.raises(InputError):
        Shape(**arguments)
