"""From what the native programs write to the access profile, and from that to times of gets and puts."""

import copy
import json
from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.access_profile import access_profile_of, main, read_access_profile
from pmtwin.calibrate.kv_times import fit, times_of, unseen
from pmtwin.sim.device.access_profile import count_at, outside_counts, written_bytes
from pmtwin.sim.device.profile import load_profile, profile_from_json
from pmtwin.sim.errors import InputError

SIZES = (0, 64, 4096, 65536)


def counts(sizes=SIZES, key_bytes=16):
    """What pmtwin-kv-count writes, with counts that are linear in the size."""

    def operation(size, writes):
        counted = {"flush_calls": 3, "fences": 7, "rounds": 6, "copied_bytes": size, "log_bytes": size}
        counted |= {"flushed_lines": 2 + size / 64, "streamed_bytes": 256 + size, "media_lines": 4}
        counted |= {"media_line_writes": 7}
        traced = {"shared_lines": 4, "cold_lines": 6, "cold_media_lines": 3, "value_lines": size / 64}
        traced["dependent_reads"] = 3.25
        return {"counted": counted if writes else dict.fromkeys(counted, 0), "traced": traced}

    cases = [
        {
            "key_bytes": key_bytes,
            "value_bytes": size,
            "operations": {name: operation(size, name != "get") for name in ("get", "put", "insert")},
        }
        for size in sizes
    ]
    return {"schema_version": 1, "store": "pmemkv cmap", "pmemkv_version": "1.4", "cases": cases}


def test_counts_of_every_size_come_from_those_that_were_counted():
    section = access_profile_of(counts(), "kv.json")
    sizes = np.array([0.0, 32.0, 1000.0, 65536.0, 1e6])
    assert count_at(section, "put", "streamed_bytes", sizes) == pytest.approx(256 + sizes)
    assert count_at(section, "get", "dependent_reads", sizes) == pytest.approx(3.25)
    assert section["methods"]["dependent_reads"] == "traced"
    assert section["methods"]["rounds"] == "counted"


def test_a_payload_is_what_is_written_beside_a_line_for_each_round():
    section = access_profile_of(counts(), "kv.json")
    written = written_bytes(section, "put", np.array([0.0, 4096.0]))
    assert written.flushed + written.streamed == pytest.approx([0.0, 2 * 4096.0])
    assert written.flushed[1] / written.streamed[1] == pytest.approx((2 * 64 + 4096) / (256 + 4096))


def test_what_was_not_traced_is_derived_and_marked():
    document = counts()
    del document["cases"][-1]["operations"]["put"]["traced"]
    section = access_profile_of(document, "kv.json")
    put = section["operations"]["put"]
    assert put["traced_to_bytes"] == SIZES[-2]
    assert put["value_lines"] == [size / 64 for size in SIZES]  # a line: the fixture's counts are linear
    assert outside_counts(section, "put", np.array([0, 64, SIZES[-2], SIZES[-2] + 1])).tolist() == [False] * 3 + [True]
    assert not outside_counts(section, "get", np.array(SIZES)).any()
    assert outside_counts(section, "get", np.array(SIZES[-1] + 1))
    assert not outside_counts(None, "get", np.array(SIZES[-1] + 1))


def test_of_several_keys_those_that_are_asked_for():
    document = counts(key_bytes=16)
    document["cases"] += counts((0, 64), key_bytes=128)["cases"]
    assert access_profile_of(document, "kv.json")["key_bytes"] == 16
    longer = access_profile_of(document, "kv.json", key_bytes=128)
    assert (longer["key_bytes"], longer["operations"]["get"]["value_bytes"]) == (128, [0, 64])
    with pytest.raises(InputError, match="16, 128"):
        access_profile_of(document, "kv.json", key_bytes=64)


def test_the_software_takes_what_was_timed_without_flushes():
    document = counts() | {"times": benchmark_cases(lambda _, size, n: n * (100.0 + size), "hot", (64, 65536), (1, 2))}
    section = access_profile_of(document, "kv.json")
    assert section["methods"]["software_ns"] == "timed"
    put = dict(zip(SIZES, section["operations"]["put"]["software_ns"], strict=True))
    assert (put[64], put[65536]) == (164.0, 65636.0)
    assert put[4096] == 4196.0
    assert "software_ns" not in section["operations"]["insert"]
    document["times"] = benchmark_cases(lambda *_: 1.0, "cold", (64,), (1,))
    with pytest.raises(InputError, match="hot"):
        access_profile_of(document, "kv.json")


def test_an_access_profile_may_come_from_another_profile(tmp_path):
    section = access_profile_of(counts(), "kv.json")
    replace(load_profile("dram-ddr4"), access_profile=section).save(tmp_path / "other.json")
    assert read_access_profile(tmp_path / "other.json") == section
    replace(load_profile("dram-ddr4"), access_profile=None).save(tmp_path / "bare.json")
    with pytest.raises(InputError, match="profile that has one"):
        read_access_profile(tmp_path / "bare.json")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.update(schema_version=2),
        lambda d: d.pop("store"),
        lambda d: d["cases"][0]["operations"]["put"]["counted"].pop("rounds"),
        lambda d: d["cases"][0]["operations"]["get"]["traced"].update(dependent_reads=float("nan")),
        lambda d: d["cases"][0]["operations"].pop("put"),
        lambda d: d.update(cases=[1]),
    ],
)
def test_a_file_that_is_not_whole_is_refused(spoil):
    document = copy.deepcopy(counts())
    spoil(document)
    with pytest.raises(InputError):
        access_profile_of(document, "kv.json")


def test_a_profile_keeps_its_access_profile(tmp_path, monkeypatch):
    file, target = tmp_path / "kv.json", tmp_path / "profile.json"
    file.write_text(json.dumps(counts()))
    load_profile("dram-ddr4").save(target)
    monkeypatch.setattr("sys.argv", ["access_profile", str(file), "--into", str(target)])
    assert main() == 0
    kept = load_profile(target)
    assert kept.access_profile == read_access_profile(file)
    assert kept.access_profile["source"]["name"] == "kv.json"


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda a: a["operations"]["put"].pop("rounds"), "rounds"),
        (lambda a: a["operations"]["put"].update(rounds=[1]), "rounds"),
        (lambda a: a["operations"]["get"].update(value_bytes=[0, 0, 1, 2]), "rising"),
        (lambda a: a["operations"].update(scan={}), "scan"),
        (lambda a: a["methods"].update(rounds="guessed"), "guessed"),
        (lambda a: a.pop("store"), "store"),
    ],
)
def test_a_profile_with_a_spoilt_access_profile_is_refused(spoil, named):
    value = load_profile("dram-ddr4").to_json()
    value["access_profile"] = access_profile_of(counts(), "kv.json")
    spoil(value["access_profile"])
    with pytest.raises(InputError, match=named):
        profile_from_json(value, "profile.json")


def benchmark_cases(time_ns, heat, sizes, threads):
    return {
        "benchmarks": [
            {
                "run_name": f"kv/{operation}/{heat}/value:{size}/real_time/threads:{n}",
                "run_type": "iteration",
                "operation_ns": time_ns(operation, size, n),
            }
            for operation in ("get", "put")
            for size in sizes
            for n in threads
        ]
    }


def test_a_model_finds_the_times_of_sizes_and_threads_that_it_has_not_seen():
    """Times made from the model's own terms, with known factors: it is held near 1, and so is not exact."""
    from pmtwin.calibrate.kv_times import terms

    profile = replace(load_profile("dram-ddr4"), access_profile=access_profile_of(counts(), "kv.json"))
    sizes, fitted = (64, 256, 512, 1024, 4096, 16384, 65536), (64, 512, 1024, 16384, 65536)
    hot = {size: 100.0 + size / 10 for size in sizes}
    factors = {"get": [1.2, 1.0, 0.8], "put": [1.2, 1.0, 0.8, 1.0, 0.7, 1.2]}

    def cold_ns(operation, size, n):
        known = {1: {each: hot[each] for each in fitted}}
        return float(terms(operation, profile, known, 2, size, n) @ factors[operation])

    times = times_of(benchmark_cases(cold_ns, "cold", sizes, (1, 2, 3)), "times.json")
    software = times_of(benchmark_cases(lambda _, size, __: hot[size], "hot", sizes, (1,)), "hot.json")
    for operation in ("get", "put"):
        points = unseen(fit(operation, profile, times, software, 2, fitted, (1,)), times, (1,))
        assert {(p["value_bytes"], p["threads"]) for p in points} == {(s, n) for s in (256, 4096) for n in (2, 3)}
        assert max(abs(p["error_percent"]) for p in points) < 3.0


def test_software_that_shares_cores_is_slower_with_more_threads():
    from pmtwin.calibrate.kv_times import terms

    profile = replace(load_profile("dram-ddr4"), access_profile=access_profile_of(counts(), "kv.json"))
    software = {1: {64: 100.0}, 3: {64: 160.0}}
    own = [terms("get", profile, software, 3, 64, n)[0] for n in (1, 2, 3, 6)]
    assert own == pytest.approx([100.0, 130.0, 160.0, 2 * 160.0])


def test_a_fit_asks_for_the_times_that_are_missing():
    profile = replace(load_profile("dram-ddr4"), access_profile=access_profile_of(counts(), "kv.json"))
    times = times_of(benchmark_cases(lambda *_: 1.0, "cold", (64,), (1, 3)), "times.json")
    software = times_of(benchmark_cases(lambda *_: 1.0, "hot", (64,), (1,)), "hot.json")
    with pytest.raises(InputError, match="64 x 3"):
        fit("get", profile, times, software, 2, (64,), (1, 3))


def test_times_of_another_file_are_refused():
    with pytest.raises(InputError):
        times_of({"benchmarks": []}, "other.json")
    with pytest.raises(InputError):
        times_of([], "other.json")
    untimed = {"name": "kv/get/hot/value:64/threads:1", "run_type": "iteration"}
    for cases in (None, ["text"], [untimed], [untimed | {"operation_ns": "soon"}]):
        with pytest.raises(InputError, match="pmtwin-kv-time"):
            times_of({"benchmarks": cases}, "other.json")
