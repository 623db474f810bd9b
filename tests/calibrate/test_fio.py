"""fio's JSON: memory engines become measurements; what goes through the kernel does not."""

import json

import pytest

from calibrate.readers import ReadOptions, read_sources
from sim.errors import InputError

IDLE = {"io_bytes": 0, "io_kbytes": 0, "bw_bytes": 0, "bw": 0, "iops": 0.0, "runtime": 0, "total_ios": 0}
IDLE |= {"clat_ns": {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}}


def side(bw_kib: int, mean_ns: float = 1650.2) -> dict:
    clat = {"min": 1100, "max": 52864, "mean": mean_ns, "stddev": 310.5, "N": 7372800}
    clat["percentile"] = {"50.000000": 1608, "90.000000": 1960, "99.000000": 2416, "99.900000": 3024}
    return IDLE | {
        "io_kbytes": bw_kib * 30,
        "bw_bytes": bw_kib * 1024,
        "bw": bw_kib,
        "iops": bw_kib / 4,
        "clat_ns": clat,
    }


def job(name: str, rw: str, read: dict = IDLE, write: dict = IDLE, **options: str) -> dict:
    own = {"name": name, "rw": rw, "stonewall": None} | options
    return {
        "jobname": name,
        "groupid": 0,
        "error": 0,
        "eta": 0,
        "elapsed": 31,
        "job options": own,
        "read": read,
        "write": write,
    }


@pytest.fixture
def fio_file(tmp_path):
    """Function of jobs that writes what `fio --output-format=json` prints."""

    def write(*jobs: dict, before: str = "", **shared: str) -> str:
        common = {"ioengine": "dev-dax", "direct": "1", "bs": "4k", "numjobs": "4", "group_reporting": "1"} | shared
        output = {"fio version": "fio-3.28", "timestamp": 1637452800, "time": "Sun Nov 21 00:00:00 2021"}
        output |= {"global options": common, "jobs": list(jobs), "disk_util": []}
        path = tmp_path / "fio.out"
        path.write_text(before + json.dumps(output, indent=2))
        return path

    return write


def test_jobs_become_measurements(fio_file):
    path = fio_file(
        job("r", "randread", read=side(10_240_000)),
        job("w", "write", write=side(2_048_000), bs="256", numjobs="2"),
        job("m", "write", write=side(1_024_000), ioengine="mmap"),
        before="note: both iodepth >= 1 and synchronous I/O engine are selected\n",
    )
    read, _ = read_sources([path], ReadOptions(dimms=6))
    assert read.operation.tolist() == ["load", "ntstore", "store"]
    assert read.pattern.tolist() == ["random", "sequential", "sequential"]
    assert read.bandwidth_mib_s.tolist() == [10_000, 2_000, 1_000]
    assert read.threads.tolist() == [4, 2, 4]
    assert read.access_size_bytes.tolist() == [4096, 256, 4096]
    assert read.context.notes == ()


def test_the_kind_of_memory_is_what_the_user_says(fio_file):
    path = fio_file(job("r", "randread", read=side(1_024_000)))
    assert read_sources([path])[0].context.media == ""
    assert read_sources([path], ReadOptions(media="dram"))[0].context.media == "dram"


def test_without_group_reporting_the_entries_of_a_job_add_up(fio_file):
    entries = [job("r", "read", read=side(1_024_000), numjobs="2") for _ in range(2)]
    read, _ = read_sources([fio_file(*entries)])
    assert read.bandwidth_mib_s.tolist() == [2_000] and read.threads.tolist() == [2]


def test_a_mix_is_one_of_accesses(fio_file):
    path = fio_file(job("x", "randrw", read=side(2_048_000), write=side(1_024_000), rwmixread="70"))
    read, _ = read_sources([path])
    (mix,) = read.context.mixes
    assert mix.by_access and mix.write_ratio == pytest.approx(0.3)
    assert (mix.write_operation, mix.bandwidth_mib_s) == ("ntstore", 3_000)


def test_short_accesses_of_one_thread_give_an_idle_latency(fio_file):
    path = fio_file(
        job("short", "randread", read=side(500_000, mean_ns=402.0), bs="64", numjobs="1"),
        job("long", "randread", read=side(900_000, mean_ns=1650.0), numjobs="1"),
    )
    read, _ = read_sources([path])
    assert [(each.access_size_bytes, each.latency_ns) for each in read.context.latencies] == [(64, 402.0)]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"ioengine": "libaio"}, "ioengine libaio: through the kernel"),
        ({"bs": "4k,8k"}, "a range of block sizes"),
        ({"bsrange": "4k-64k"}, "a range of block sizes"),
        ({"bs": "32"}, "access size below a cache line"),
    ],
)
def test_a_job_of_no_use_is_counted_with_its_reason(fio_file, options, reason):
    read, _ = read_sources(
        [fio_file(job("a", "read", read=side(1_024_000)), job("b", "read", read=side(1_024_000), **options))]
    )
    assert len(read) == 1
    ((found, count),) = read.dropped.items()
    assert reason in found and count == 1


def test_jobs_without_a_stonewall_between_them_ran_at_once(fio_file):
    first, second = (job(name, "read", read=side(1_024_000)) for name in ("a", "b"))
    del second["job options"]["stonewall"]
    read, _ = read_sources([fio_file(first, second)])
    assert read.dropped == {"ran beside another job": 2}


def test_a_cached_or_failed_job_is_dropped(fio_file):
    cached, failed = job("c", "read", read=side(900_000_000)), job("f", "read") | {"error": 5}
    read, _ = read_sources([fio_file(cached, failed)])
    assert len(read) == 0
    assert sorted(read.dropped) == [
        "bandwidth above what the memory channels carry: cached or unphysical",
        "the job failed",
    ]


def test_mixed_units_are_refused(fio_file):
    other = side(1_024_000)
    other["bw"] = other["bw"] // 1024
    with pytest.raises(InputError, match=r"bw: '1 of 2 rows impossible.*KiB/s"):
        read_sources([fio_file(job("a", "read", read=side(1_024_000)), job("b", "read", read=other))])


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"rw": "randreads"}, "rw: 'randreads'.*did you mean 'randread'"),
        ({"numjobs": "many"}, "numjobs: 'many' .* a number"),
        ({"bs": "4q"}, "bs: '4q'"),
        ({"rw": "randrw", "rwmixread": "170"}, "rwmixread: 170"),
    ],
)
def test_a_value_that_nothing_mends_is_named(fio_file, options, named):
    with pytest.raises(InputError, match=named) as caught:
        read_sources([fio_file(job("a", "read", read=side(1_024_000)) | {"job options": {"rw": "read"} | options})])
    assert "jobs[0]" in str(caught.value)


def test_a_job_without_its_report_is_refused(fio_file):
    broken = job("a", "read")
    del broken["write"]
    with pytest.raises(InputError, match="'write' in it"):
        read_sources([fio_file(broken)])
