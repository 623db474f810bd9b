"""fio's JSON: memory engines become measurements; what goes through the kernel does not."""

import json
import re
from pathlib import Path

import pytest

from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.calibrate.readers.fio_own_work import OWN_WORK
from pmtwin.sim.errors import InputError
from tests.calibrate.made_fio import job, moved, printed, report, side


@pytest.fixture
def fio_file(tmp_path):
    """Function of jobs that writes what `fio --output-format=json` prints."""

    def write(*jobs: dict, before: str = "", after: str = "", walls: bool = True, **shared: str) -> Path:
        path = tmp_path / "fio.out"
        path.write_text(before + printed(*jobs, walls=walls, **shared) + after)
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
        ({"bssplit": "4k/50:64k/50"}, "a range of block sizes"),
        ({"size": "4m"}, "size=4m in each of 4 threads fits the CPU's cache"),
        ({"filesize": "4m"}, "filesize=4m in each of 4 threads fits the CPU's cache"),
        ({"ioengine": "psync", "direct": "0"}, "ioengine psync: through the kernel"),
        ({"verify": "crc32c"}, "fio's own checks"),
        ({"read_iolog": "log"}, "a recorded log"),
        ({"rate": ",10m"}, "held back by rate"),
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


def test_the_report_for_people_may_stand_around_the_json(fio_file):
    """As `--output-format=normal,json` prints it."""
    text = "a: (g=0): rw=read\nStarting 1 thread\n"
    path = fio_file(job("a", "read", read=side(1_024_000)), before=text, after="\na: (groupid=0)")
    assert read_sources([path])[0].bandwidth_mib_s.tolist() == [1_000]


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
def test_a_value_that_nothing_mends_costs_its_job_alone(fio_file, options, named):
    bad, good = (job(name, "read", read=side(1_024_000)) for name in ("bad", "good"))
    bad["job options"] |= options
    read, _ = read_sources([fio_file(good, bad)])
    ((reason, count),) = read.dropped.items()
    assert len(read) == 1 and count == 1 and re.search(named, reason) and "fio.out: jobs[1]" in reason
    with pytest.raises(InputError, match=named) as caught:
        read_sources([fio_file(bad)])
    assert "jobs[0]" in str(caught.value)


@pytest.mark.parametrize(
    ("broken", "named"),
    [
        (job("b") | {"write": None}, "job.write is missing: an object"),
        ({name: value for name, value in job("b").items() if name != "write"}, "job.write is missing"),
        (job("b", read=side(1) | {"total_ios": "many"}), "total_ios: 'many' .* a number"),
        (job("b", read=side(1) | {"runtime": -5}), "runtime: -5"),
    ],
)
def test_an_entry_that_is_none_costs_itself_alone(fio_file, broken, named):
    read, _ = read_sources([fio_file(job("a", "read", read=side(1_024_000)), broken)])
    ((reason, count),) = read.dropped.items()
    assert len(read) == 1 and count == 1 and re.search(named, reason)
    with pytest.raises(InputError, match=named):
        read_sources([fio_file(broken)])


def test_jobs_that_overlap_by_the_clock_ran_at_once(fio_file):
    """`new_group` gives another groupid as a stonewall does; from fio 3.36 on `job_start` tells them apart."""
    starts = (1_000_000, 1_000_000, 1_031_000)
    jobs = [job(f"j{start}{n}", read=moved(9_000_000)) | {"job_start": start} for n, start in enumerate(starts)]
    read, _ = read_sources([fio_file(*jobs)])
    assert len(read) == 1 and read.dropped == {"ran beside another job (no stonewall between them)": 2}
    one_group, _ = read_sources([fio_file(*jobs[1:], walls=False)])  # `wait_for` leaves them in one group
    assert len(one_group) == 2 and not one_group.dropped


@pytest.mark.parametrize("entries", [1, 4])
def test_threads_that_ran_for_a_part_of_the_time_are_no_run(fio_file, entries):
    """Of four threads one ended early: their bandwidths are not those of four."""
    times = [30_000, 30_000, 30_000, 9_000]
    if entries == 1:
        jobs = [job("a", read=moved(9_000_000)) | {"job_runtime": sum(times)}]
    else:
        jobs = [job("a", read=moved(2_000_000, runtime_ms=each)) | {"job_runtime": each} for each in times]
    read, _ = read_sources([fio_file(*jobs)])
    assert not len(read) and read.dropped == {"its threads ran together for less than 90 % of the time": 1}


@pytest.mark.parametrize(("samples", "merged"), [(236, False), (240, False), (472, True), (0, False)])
def test_samples_tell_merged_threads_where_fio_states_no_times(fio_file, samples, merged):
    """fio 3.2 has no `job_runtime`; each of four threads notes its bandwidth every 500 ms of 30 s."""
    read, _ = read_sources([fio_file(job("a", read=moved(9_000_000) | {"bw_samples": samples}))])
    assert len(read) == (not merged)
    assert list(read.dropped) == merged * ["its report is of 8 threads where numjobs says 4: merged by group_reporting"]


def test_reports_of_fewer_threads_than_numjobs_are_no_run(fio_file):
    read, _ = read_sources([fio_file(*[job("a", read=moved(2_000_000)) for _ in range(3)])])
    assert read.dropped == {"numjobs says 4 threads, the file has reports of 3": 1}


def test_old_fio_prints_no_options(fio_file):
    text = fio_file(job("a", read=side(1_024_000))).read_text()
    value = json.loads(text)
    del value["global options"], value["jobs"][0]["job options"]
    path = fio_file(job("a"))
    path.write_text(json.dumps(value))
    ((reason, count),) = read_sources([path])[0].dropped.items()
    assert count == 1 and "does not state ioengine, rw, bs" in reason


def test_other_forms_of_the_output_are_named(tmp_path):
    path = tmp_path / "fio.out"
    people = "a: (g=0): rw=read, ioengine=libpmem\nfio-3.33\n\na: (groupid=0, jobs=1): err= 0: pid=7\n"
    for text in ("3;fio-3.33;a;0;0;136500000;9100000\n", people):
        path.write_text(text)
        with pytest.raises(InputError, match="run fio with --output-format=json"):
            read_sources([path])


def test_several_hosts_are_several_devices(tmp_path):
    """`fio --client=a --client=b`; of one host the jobs count."""
    value = report(job("a", read=side(1_024_000)), job("b", read=side(1_024_000)))
    jobs = value.pop("jobs")
    path = tmp_path / "fio.out"
    path.write_text(json.dumps(value | {"client_stats": [each | {"hostname": "one"} for each in jobs]}))
    assert len(read_sources([path])[0]) == 2
    both = [each | {"hostname": name} for each, name in zip(jobs, ("one", "two"), strict=True)]
    path.write_text(json.dumps(value | {"client_stats": [*both, jobs[0] | {"jobname": "All clients"}]}))
    assert read_sources([path])[0].dropped == {"of several hosts (fio --client): a profile is of one device": 3}
