"""What fio did is in its counters; its options only choose among what they allow."""

import pytest

from pmtwin.calibrate.build import calibrate
from pmtwin.calibrate.mixes import mix_errors
from pmtwin.calibrate.readers import ReadOptions, read_sources
from tests.calibrate.made_fio import IDLE, job, moved, printed


@pytest.fixture
def read_jobs(tmp_path):
    """Function of jobs: the measurements of their report."""

    def read(*jobs: dict, **shared: str):
        path = tmp_path / "fio.out"
        path.write_text(printed(*jobs, **shared))
        return read_sources([path])[0]

    return read


def only_reason(read) -> str:
    """The reason of a job that was dropped beside nothing else."""
    ((reason, count),) = read.dropped.items()
    assert count == 1 and len(read) == 0 and not read.context.mixes
    return reason


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4k", 4096),
        ("4k", 4000),
        ("4KiB", 4000),
        ("4KiB", 4096),
        ("4ki", 4096),
        ("4kb", 4096),
        ("0x1000", 4096),
        ("4096b", 4096),
        ("1m", 1 << 20),
        ("(2*2k)", 4096),
        ("4k,8k", 4096),
        ("4k,", 4096),
        (",8k", 4096),
    ],
)
def test_the_size_of_an_access_is_bytes_over_accesses(read_jobs, text, size):
    read = read_jobs(job("r", "randread", read=moved(9_000_000, size), bs=text))
    assert read.access_size_bytes.tolist() == [size]


def test_writes_have_the_second_block_size(read_jobs):
    read = read_jobs(job("w", "write", write=moved(9_000_000, 8192), bs="4k,8k"))
    assert read.access_size_bytes.tolist() == [8192]


@pytest.mark.parametrize("size", [16_447.6, 4000.0, 4500.0])
def test_a_mean_access_that_is_not_the_block_size_is_of_merged_jobs(read_jobs, size):
    read = read_jobs(job("r", "read", read=moved(9_000_000, size), bs="4096"))
    assert "B where bs is 4096" in only_reason(read)


def test_a_few_short_accesses_do_not_matter(read_jobs):
    read = read_jobs(job("r", "read", read=moved(9_000_000, 4095.9)))
    assert read.access_size_bytes.tolist() == [4096]


def test_fio_2_counts_kib(read_jobs):
    old = moved(9_000_000)
    old = old | {"io_bytes": old["io_kbytes"]}
    del old["io_kbytes"], old["bw_bytes"]
    read = read_jobs(job("r", "read", read=old))
    assert read.access_size_bytes.tolist() == [4096]
    assert read.bandwidth_mib_s == pytest.approx(9_000_000 * 4096 / 30 / 2**20, rel=1e-4)


@pytest.mark.parametrize(
    "asked",
    [
        {"rwmixread": "75"},
        {"rwmixwrite": "25"},
        {"rwmixread": "75", "rwmixwrite": "25"},
        {"rwmixread": "50", "rwmixwrite": "25"},
        {"rwmixread": "75", "rwmixwrite": "90"},
    ],
)
def test_the_share_of_writes_is_of_the_accesses(read_jobs, asked):
    read = read_jobs(job("x", "randrw", read=moved(3_000_000), write=moved(1_000_000), **asked))
    (mix,) = read.context.mixes
    assert mix.by_access and mix.write_ratio == pytest.approx(0.25)


@pytest.mark.parametrize("asked", [{}, {"rwmixread": "70"}, {"rwmixwrite": "60"}])
def test_a_share_that_nobody_asked_for_drops_the_run(read_jobs, asked):
    read = read_jobs(job("x", "randrw", read=moved(3_600_000), write=moved(400_000), **asked))
    assert "10 % of the accesses write, its options ask for" in only_reason(read)


@pytest.mark.parametrize(
    ("options", "pattern"),
    [({"rw": "rw"}, "sequential"), ({"rw": "readwrite"}, "sequential"), ({"rw": "randrw"}, "random")],
)
def test_a_mix_of_one_kind_is_pure(read_jobs, options, pattern):
    loads = read_jobs(job("r", read=moved(9_000_000)) | {"job options": options | {"rwmixread": "100"}})
    stores = read_jobs(job("w", write=moved(9_000_000)) | {"job options": options | {"rwmixread": "0.0"}})
    assert loads.operation.tolist() == ["load"] and stores.operation.tolist() == ["ntstore"]
    assert loads.pattern.tolist() == stores.pattern.tolist() == [pattern]
    assert not loads.context.mixes and not stores.context.mixes


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"rw": "randread", "write": moved(40_000)}, "writes in a run of reads"),
        ({"rw": "write", "read": moved(40_000), "write": moved(9_000_000)}, "reads in a run of writes"),
        ({"rw": "randread", "read": IDLE}, "no access finished"),
        ({"rw": "randread", "read": moved(9_000_000) | {"runtime": 60_000}}, "does not fit the bytes over the time"),
        (
            {"rw": "randrw", "read": moved(2_000_000), "write": moved(2_000_000, 8192), "bs": "4k,8k"},
            "reads and writes of unlike sizes",
        ),
    ],
)
def test_counters_that_contradict_the_options_drop_the_run(read_jobs, changed, reason):
    changed = {"read": moved(9_000_000)} | changed if changed["rw"] != "write" else changed
    assert reason in only_reason(read_jobs(job("x", **changed)))


def unified(name: str, rw: str) -> dict:
    """An entry under unified_rw_reporting."""
    parts = job(name, rw) | {"mixed": moved(9_000_000)}
    return {name: value for name, value in parts.items() if name not in ("read", "write")}


def test_one_number_for_reads_and_writes_drops_its_job_alone(read_jobs):
    read = read_jobs(job("r", read=moved(9_000_000)), unified("m", "randrw"))
    ((reason, count),) = read.dropped.items()
    assert len(read) == 1 and count == 1 and reason.startswith("unified_rw_reporting: reads and writes in one number")


def test_a_job_of_no_use_disturbs_those_beside_it(read_jobs):
    plain = job("r", read=moved(9_000_000)) | {"job_start": 5100}
    read = read_jobs(unified("m", "randrw") | {"job_start": 5000}, plain)
    assert "ran beside another job (no stonewall between them)" in read.dropped


def test_one_number_is_enough_for_reads_alone(read_jobs):
    read = read_jobs(unified("r", "randread"))
    assert read.operation.tolist() == ["load"] and read.access_size_bytes.tolist() == [4096]


def dry(path, **options):
    """What a file of a user's gives."""
    return read_sources([path], ReadOptions(dimms=6, media="pmem", **options))[0]


def test_case_rwmixwrite(shared_cases):
    read, write = (dry(shared_cases / "01-fio-rwmixwrite" / f"{name}.json") for name in ("rwmixread", "rwmixwrite"))
    assert len(read.context.mixes) == 6 and read.context.mixes == write.context.mixes
    assert len(write) == 80 and not write.dropped
    profile = calibrate(write, "case", "case", bootstrap=0).profile  # the note states 0.07 % for its mixes
    assert mix_errors(profile, write.context.mixes)["error_percent"][0] == pytest.approx(0.07, abs=0.01)


def test_case_pure_accesses_written_as_a_mix(shared_cases):
    folder = shared_cases / "02-fio-rw-100-read"
    mixed, pure = dry(folder / "rwmixread100.json"), dry(folder / "randread.json")
    for name in ("operation", "pattern", "threads", "access_size_bytes", "bandwidth_mib_s"):
        assert getattr(mixed, name).tolist() == getattr(pure, name).tolist()
    assert dry(folder / "rwmixread0.json").operation.tolist() == ["ntstore"] * 3


@pytest.mark.parametrize(
    ("size", "names"),
    [(4000, ("4000", "4KiB-default", "4k-kb_base1000")), (4096, ("4096", "4ki-default", "0x1000"))],
)
def test_case_units(shared_cases, size, names):
    for name in names:
        read = dry(shared_cases / "03-fio-units" / f"bs-{name}.json")
        assert read.access_size_bytes.tolist() == [size] * 4 and not read.dropped


def test_case_old_fio(shared_cases):
    ((reason, _),) = dry(shared_cases / "05-fio-2.2.10" / "old.json").dropped.items()
    assert reason.startswith("the file does not state ioengine, rw, bs")


@pytest.mark.parametrize("version", ["3.2", "3.35"])
def test_case_jobs_that_fio_merged(shared_cases, version):
    read = dry(shared_cases / "35-fio-merged-group" / f"fio-{version}.json")
    ((reason, count),) = read.dropped.items()
    assert len(read) == 1 and count == 1 and "merged by group_reporting" in reason


def test_case_unified_reporting(shared_cases):
    read = dry(shared_cases / "37-fio-unified-rw" / "unified.json")
    assert len(read) == 1 and sum(read.dropped.values()) == 1


def test_an_option_by_its_other_name_overrides_the_shared_one(tmp_path):
    path = tmp_path / "fio.json"
    entry = job("b", "randread", read=moved(1_000_000, 65536, 9000.0), blocksize="64k")
    entry["job options"]["readwrite"] = entry["job options"].pop("rw")
    path.write_text(printed(entry, rw="randwrite"))
    read = read_sources([path])[0]
    assert read.access_size_bytes.tolist() == [65536.0] and read.operation.tolist() == ["load"]


def test_a_run_of_no_time_is_dropped_as_such(read_jobs):
    read = read_jobs(job("a", read=moved(9_000_000) | {"runtime": 0}) | {"job_runtime": 30_000})
    assert only_reason(read) == "its counters state no run time"
