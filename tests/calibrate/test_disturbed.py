"""A probe of a busy machine: the share of the rows that is left is said first, and too small a share is refused."""

import json

import pytest

from pmtwin.calibrate.disturbed import kept_share, kept_text
from pmtwin.calibrate.readers import ReadOptions, read_sources
from pmtwin.cli import main

KEPT, LOST = 1.0, 0.5


@pytest.fixture
def probe_file(tmp_path):
    """Function of the processor's share of each repetition that writes a probe of loads: eight sizes, three threads."""

    def write(*shares: float) -> str:
        rows = [
            {
                "name": "b",
                "label": "operation=load pattern=random kind=bandwidth",
                "access_size_bytes": 64 * size,
                "threads": threads,
                "bandwidth_mib_s": 900.0 * threads * size / (size + 1.0),
                "cpu_share": share,
            }
            for size in (1, 2, 3, 4, 6, 8, 12, 16)
            for threads in (1, 2, 4)
            for share in shares
        ]
        path = tmp_path / "p.json"
        path.write_text(json.dumps({"context": {"media": "dram", "dimms": 1}, "benchmarks": rows}))
        return str(path)

    return write


def test_what_other_work_took_is_counted_apart_from_other_reasons(probe_file):
    read, _ = read_sources([probe_file(KEPT, LOST, LOST)])
    assert kept_share(read) == pytest.approx(1 / 3)
    assert kept_text(read).startswith("33.3 % of the measured rows kept (24 of 72): other work")
    quiet, _ = read_sources([probe_file(KEPT)])
    quiet.dropped["single loads: the pointer chase tells their idle latency"] = 9
    assert (kept_share(quiet), kept_text(quiet)) == (1.0, "")


def test_less_than_half_is_refused_before_anything_is_written(probe_file, tmp_path, capsys):
    outputs = ["-o", str(tmp_path / "m.json"), "--report", str(tmp_path / "fit")]
    path = probe_file(KEPT, LOST, LOST)
    for more in ((), ("--dry-run",), ("--prior", "family")):
        assert main(["calibrate", path, *outputs[: 2 if "family" in more else 4], *more]) == 2
        out, err = capsys.readouterr()
        assert (out, len(err.splitlines())) == ("", 1)
        assert "rows of the probe: 24 of 72 measured (33.3 %) are too few" in err
        assert "allowed: at least 50 % of them" in err and "probe again" in err and "--accept-disturbed" in err
    assert [each.name for each in tmp_path.iterdir()] == ["p.json"]


def test_on_request_it_is_fitted_and_the_share_is_said_first(probe_file, tmp_path, capsys):
    profile = tmp_path / "m.json"
    words = ["calibrate", probe_file(KEPT, LOST, LOST), "-o", str(profile), "--bootstrap", "0", "--accept-disturbed"]
    assert main(words) == 0
    assert capsys.readouterr().err.startswith("33.3 % of the measured rows kept (24 of 72)")
    record = json.loads(profile.read_text())["record"]
    assert record["usable_rows"] == 24 + 16  # and the disturbed ones of one thread
    assert "--accept-disturbed" in record["command"]
    assert any("33.3 % of the measured rows kept" in note for note in record["notes"])


def test_half_is_fitted_with_a_word(probe_file, capsys):
    assert main(["calibrate", probe_file(KEPT, LOST), "--dry-run"]) == 0
    assert capsys.readouterr().err.startswith("50 % of the measured rows kept (24 of 48)")


def test_a_single_thread_is_judged_by_the_time_that_it_had(probe_file):
    whole, _ = read_sources([probe_file(KEPT)])
    slowed, _ = read_sources([probe_file(0.8)])
    alone = whole.threads == 1
    assert slowed.bandwidth_mib_s[alone] == pytest.approx(whole.bandwidth_mib_s[alone] / 0.8)
    assert slowed.bandwidth_mib_s[~alone] == pytest.approx(whole.bandwidth_mib_s[~alone])


def test_on_request_disturbed_rows_of_one_thread_count_by_the_time_that_it_had(probe_file):
    whole, _ = read_sources([probe_file(KEPT)])
    disturbed, _ = read_sources([probe_file(LOST)], ReadOptions(accept_disturbed=True))
    assert disturbed.bandwidth_mib_s == pytest.approx(whole.bandwidth_mib_s[whole.threads == 1] / LOST)
    assert (
        kept_share(disturbed) == 0.0 and "0 of 24" in kept_text(disturbed) and "8 of the rest" in kept_text(disturbed)
    )
    nearly_lost, _ = read_sources([probe_file(0.3)], ReadOptions(accept_disturbed=True))
    assert len(nearly_lost) == 0


def test_with_and_without_the_request_the_same_rows_count_as_disturbed(tmp_path):
    label = "operation=load pattern=random kind={}"
    chase = {"name": "c", "label": label.format("chase"), "access_size_bytes": 64, "threads": 1, "cpu_share": LOST}
    single = chase | {"name": "s", "label": label.format("latency"), "latency_p50_ns": 90.0}
    plain = single | {"name": "b", "label": label.format("bandwidth"), "bandwidth_mib_s": 900.0, "cpu_share": KEPT}
    rows = [chase | {"latency_mean_ns": 90.0}, single, plain, plain | {"error_occurred": True}]
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"context": {"media": "dram", "dimms": 1}, "benchmarks": rows}))
    for accept in (False, True):
        text = kept_text(read_sources([path], ReadOptions(accept_disturbed=accept))[0])
        assert "(1 of 3)" in text and text.endswith("beside them 1 dropped for other reasons")
