"""Every report in a text of fio is used or counted; only one that grows replaces the one before it."""

import json

import pytest

from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.calibrate.readers.cleaning import COPY
from tests.calibrate.made_fio import job, moved, printed, report


@pytest.fixture
def read_text(reader_of):
    """Function of a text: its measurements."""
    return reader_of("fio.out")


def run(accesses: int, runtime_ms: int = 30_000, elapsed: int = 31, timestamp: int = 1637452800) -> dict:
    """A report of one job; `elapsed` and `timestamp` are of its end."""
    entry = job("a", read=moved(accesses, runtime_ms=runtime_ms)) | {"elapsed": elapsed}
    return report(entry) | {"timestamp": timestamp}


SIZES = ("256", "1k", "4k")


def sweep() -> list[dict]:
    """Reports of three runs that differ in their size, as a loop over `fio --output-format=json >> all.json` leaves."""
    return [
        report(job("a", read=moved(90_000_000, size, mean_ns=1_300.0)), bs=text)
        for text, size in zip(SIZES, (256, 1024, 4096), strict=True)
    ]


@pytest.mark.parametrize(
    "appended",
    [
        lambda reports: "\n".join(json.dumps(each, indent=2) for each in reports),
        lambda reports: "\n".join(map(json.dumps, reports)),
        lambda reports: "".join(json.dumps(each, indent=2) for each in reports),
        lambda reports: "".join(f"fio: a warning\n{json.dumps(each, indent=2)}\nfio-3.33\n" for each in reports),
        lambda reports: "".join(f"Jobs: 4 (f=4): [r(4)][100.0%]\r{json.dumps(each, indent=2)}\n" for each in reports),
        json.dumps,
        lambda reports: json.dumps([{"size": size, "output": each} for size, each in zip(SIZES, reports, strict=True)]),
        lambda reports: json.dumps({"host": "a", "runs": {str(n): each for n, each in enumerate(reports)}}),
    ],
)
def test_runs_that_were_appended_all_count(read_text, appended):
    read = read_text(appended(sweep()))
    assert read.access_size_bytes.tolist() == [256, 1024, 4096] and not read.dropped


def test_runs_of_the_same_options_are_replicates(read_text):
    runs = [run(each) for each in (9_000_000, 9_100_000, 9_050_000)]
    read = read_text("\n".join(map(json.dumps, runs)))
    assert len(read) == 3 and not read.dropped


def test_a_report_that_grows_replaces_the_one_before(read_text):
    """As `--status-interval` prints them; the last one is printed twice."""
    states = [
        run(each * 300_000, runtime_ms=each * 1000, elapsed=each + 1, timestamp=1637452800 + each)
        for each in (10, 20, 30)
    ]
    read = read_text("\n".join(json.dumps(each, indent=2) for each in (*states, states[-1])))
    assert len(read) == 1 and read.bandwidth_mib_s == pytest.approx(300_000 * 4096 / 2**20, rel=1e-3)
    assert read.dropped == {
        "an earlier state of the same run (--status-interval)": 2,
        COPY: 1,
    }


def test_counters_start_anew_after_the_ramp(read_text):
    ramp = run(900_000, runtime_ms=3000, elapsed=4, timestamp=1637452804)
    later = run(600_000, runtime_ms=2000, elapsed=6, timestamp=1637452806)
    read = read_text(json.dumps(ramp) + "\n" + json.dumps(later))
    assert len(read) == 1 and read.dropped == {"an earlier state of the same run (--status-interval)": 1}


def test_a_state_before_the_first_access_is_an_earlier_one(read_text):
    """fio 3.33 sets its clock back when the ramp ends: `elapsed` starts anew, `eta` said that it would go on."""
    ramp = run(900_000, runtime_ms=9000, elapsed=12, timestamp=1637452812)
    ramp["jobs"][0]["eta"] = 21
    read = read_text(json.dumps(ramp) + "\n" + json.dumps(run(9_000_000, elapsed=31, timestamp=1637452843)))
    assert len(read) == 1 and read.dropped == {"an earlier state of the same run (--status-interval)": 1}


def test_the_last_state_of_a_run_that_was_killed_counts(read_text):
    state = run(3_000_000, runtime_ms=10_000, elapsed=11)
    state["jobs"][0]["eta"] = 21
    assert len(read_text(json.dumps(state))) == 1


def test_a_longer_run_later_is_another_run(read_text):
    first = run(9_000_000, elapsed=31, timestamp=1637452800)
    second = run(9_900_000, runtime_ms=33_000, elapsed=34, timestamp=1637456400)
    read = read_text(json.dumps(first) + "\n" + json.dumps(second))
    assert len(read) == 2 and not read.dropped


@pytest.mark.parametrize(("last", "length"), [(True, 700), (True, 10), (False, 700)])
def test_a_report_that_is_cut_off_costs_itself_alone(read_text, last, length):
    first, *others = sweep()
    cut = json.dumps(first, indent=2)[:length]
    whole = [json.dumps(each, indent=2) for each in others]
    read = read_text("\n".join([*whole, cut] if last else [cut, *whole]))
    assert read.access_size_bytes.tolist() == [1024, 4096]
    assert read.dropped == {"the entry is cut off or damaged (no JSON)": 1}


def test_jobs_before_the_cut_count(read_text):
    text = printed(*(job(name, read=moved(9_000_000)) for name in ("a", "b", "c")))
    read = read_text(text[: text.index('"jobname": "c"') + 200])
    assert len(read) == 2 and read.dropped == {"the entry is cut off or damaged (no JSON)": 1}


def test_damage_in_one_entry_costs_that_one(read_text):
    text = printed(*(job(name, read=moved(9_000_000)) for name in ("a", "b", "c")))
    at = text.index('"jobname": "b"')
    read = read_text(text[:at] + text[at:].replace('"error": 0,', '"error": 0', 1))
    assert len(read) == 2 and read.dropped == {"the entry is cut off or damaged (no JSON)": 1}


def test_means_of_nothing_are_no_damage(read_text):
    """fio 2 prints them as -nan."""
    text = printed(job("a", read=moved(9_000_000)), job("b", read=moved(9_000_000)))
    read = read_text(text.replace('"stddev": 0.0', '"stddev" : -nan'))
    assert len(read) == 2 and not read.dropped


def test_case_runs_in_one_file(shared_cases):
    path = shared_cases / "04-fio-concatenated-runs" / "all-runs.json"
    read, _ = read_sources([path], ReadOptions(dimms=6, media="pmem"))
    assert read.access_size_bytes.tolist() == [64, 64, 256, 256, 1024, 1024, 4096, 4096]
    assert read.threads.tolist() == [1, 8] * 4 and not read.dropped
