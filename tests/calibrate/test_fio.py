"""fio's JSON: memory engines become measurements; what goes through the kernel does not."""

import json

import pytest

from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.calibrate.readers.fio_runs import OWN_WORK
from pmtwin.sim.errors import InputError

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


def job(name: str, rw: str = "read", read: dict = IDLE, write: dict = IDLE, **options: str) -> dict:
    own = {"name": name, "rw": rw} | options
    return {
        "jobname": name,
        "error": 0,
        "eta": 0,
        "elapsed": 31,
        "usr_cpu": 98.4,
        "sys_cpu": 0.5,
        "job options": own,
        "read": read,
        "write": write,
    }


@pytest.fixture
def fio_file(tmp_path):
    """Function of jobs that writes what `fio --output-format=json` prints.

    As in fio 3.33's files: no option without a value is in them, and a stonewall shows as another groupid.
    """

    def write(*jobs: dict, before: str = "", after: str = "", walls: bool = True, **shared: str) -> str:
        common = {"ioengine": "dev-dax", "direct": "1", "bs": "4k", "numjobs": "4"} | shared
        output = {"fio version": "fio-3.33", "timestamp": 1637452800, "time": "Sun Nov 21 00:00:00 2021"}
        names = list(dict.fromkeys(each["jobname"] for each in jobs))
        numbered = [each | {"groupid": names.index(each["jobname"]) if walls else 0} for each in jobs]
        output |= {"global options": common, "jobs": numbered, "disk_util": []}
        path = tmp_path / "fio.out"
        path.write_text(before + json.dumps(output, indent=2) + after)
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
    assert read.context.notes == (OWN_WORK,)


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


def test_completion_latencies_are_no_latencies_of_the_memory(fio_file):
    # Of 64 B random reads of 3 GiB of DRAM fio 3.33 states a median of 10 ns: its clock does not wait for the load.
    path = fio_file(job("short", "randread", read=side(500_000, mean_ns=10.0), bs="64", numjobs="1"))
    read, _ = read_sources([path])
    assert len(read) == 1 and read.context.latencies == ()


@pytest.mark.parametrize(
    ("options", "operation"),
    [
        ({"ioengine": "dev-dax", "bs": "4k"}, "ntstore"),
        ({"ioengine": "dev-dax", "bs": "64"}, "store_clwb"),
        ({"ioengine": "libpmem", "direct": "1"}, "ntstore"),
        ({"ioengine": "libpmem", "direct": "0"}, "store_clwb"),
        ({"ioengine": "mmap"}, "store"),
    ],
)
def test_the_engine_says_how_stores_are_made(fio_file, options, operation):
    read, _ = read_sources([fio_file(job("w", "write", write=side(1_024_000), **options))])
    assert read.operation.tolist() == [operation]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"ioengine": "libaio"}, "ioengine libaio: through the kernel"),
        ({"bs": "4k,8k"}, "a range of block sizes"),
        ({"bsrange": "4k-64k"}, "a range of block sizes"),
        ({"bs": "32"}, "access size below a cache line"),
        ({"rate": "10m"}, "held back by rate"),
        ({"ioengine": "mmap", "fdatasync": "1"}, "waits for the file system"),
        ({"random_distribution": "zipf:1.2"}, "skewed accesses"),
        ({"percentage_random": "50"}, "partly random"),
        ({"rw": "randread:8"}, "jumps"),
        ({"rw": "randtrim"}, "neither loads nor stores"),
    ],
)
def test_a_job_of_no_use_is_counted_with_its_reason(fio_file, options, reason):
    read, _ = read_sources(
        [fio_file(job("a", "read", read=side(1_024_000)), job("b", **{"rw": "read"} | options, read=side(1_024_000)))]
    )
    assert len(read) == 1
    ((result, count),) = read.dropped.items()
    assert reason in result and count == 1


def test_jobs_without_a_stonewall_between_them_ran_at_once(fio_file):
    first, second = (job(name, "read", read=side(1_024_000)) for name in ("a", "b"))
    read, _ = read_sources([fio_file(first, second, walls=False)])
    assert read.dropped == {"ran beside another job (no stonewall between them)": 2}


@pytest.mark.parametrize(
    ("times", "reason"),
    [
        ({"usr_cpu": 48.0, "sys_cpu": 0.3}, "others had the processor"),
        ({"usr_cpu": 80.0, "sys_cpu": 15.0}, "page faults"),
        ({"job_runtime": 60_000}, "merged by group_reporting"),
    ],
)
def test_times_tell_a_run_that_was_not_of_the_memory_alone(fio_file, times, reason):
    disturbed = job("d", "read", read=side(1_024_000) | {"runtime": 10_000}) | {"job_runtime": 40_000} | times
    fine = job("f", "read", read=side(1_024_000) | {"runtime": 10_000}) | {"job_runtime": 40_000}
    read, _ = read_sources([fio_file(disturbed, fine)])
    assert len(read) == 1
    ((result, count),) = read.dropped.items()
    assert reason in result and count == 1


def test_reports_for_people_and_of_intervals_stand_around_the_json(fio_file):
    """`--output-format=normal,json` prints both; `--status-interval` prints a report that grows, again and again."""
    path = fio_file(
        job("a", "read", read=side(1_024_000)),
        before="a: (g=0): rw=read\nStarting 1 thread\n",
        after="\na: (groupid=0)",
    )
    text = path.read_text()
    assert read_sources([path])[0].bandwidth_mib_s.tolist() == [1_000]
    later = fio_file(job("a", "read", read=side(2_048_000))).read_text()
    path.write_text(text + "\n" + later)
    assert read_sources([path])[0].bandwidth_mib_s.tolist() == [2_000]


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
        ({"bs": "0"}, "bs: 0 .* a whole number from 1"),
        ({"bs": "9" * 20 + "g"}, "bs: 10737.* 1,099,511,627,776"),
        ({"numjobs": "1e308"}, r"numjobs: '1e308' .* 65,536"),
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
    with pytest.raises(InputError, match=r"\.write is missing"):
        read_sources([fio_file(broken)])
