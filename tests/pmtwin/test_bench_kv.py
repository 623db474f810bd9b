"""`pmtwin bench kv` where the native programs are absent, and what they make of bad directories elsewhere."""

import json

import pytest

from pmtwin import kv_bench
from sim.errors import InputError, MissingDependencyError


@pytest.fixture
def programs():
    try:
        return [kv_bench.program(name) for name in ("pmtwin-kv-count", "pmtwin-kv-time")]
    except MissingDependencyError as error:
        pytest.skip(str(error))


def test_without_the_programs_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(kv_bench, "NATIVE", tmp_path)
    with pytest.raises(MissingDependencyError, match="fetch-pmemkv"):
        kv_bench.count("/dev/shm")


@pytest.mark.parametrize("path", ["/dev/null", "/absent"])
def test_a_path_that_is_no_directory_is_refused(programs, path):
    with pytest.raises(InputError, match=path):
        kv_bench.count(path, (64,))


def test_counts_become_an_access_profile(programs, tmp_path):
    from calibrate.access_profile import access_profile_of

    document = kv_bench.count("/dev/shm", (0, 64))
    section = access_profile_of(json.loads(json.dumps(document)), "kv.json")
    put = section["operations"]["put"]
    assert put["value_bytes"] == [0, 64]
    assert put["flushed_lines"][1] > put["flushed_lines"][0] > 0
    assert section["operations"]["get"]["dependent_reads"][1] >= 2
