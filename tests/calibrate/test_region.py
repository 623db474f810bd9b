"""What is said of a probe's memory: whether its figures are the device's, or those of a cache."""

import pytest

from pmtwin.calibrate.readers.region import region_note

MIB = 1 << 20


def note(region_mib, *cache_mib):
    caches = [{"type": "Unified", "level": 3, "size": mib * MIB} for mib in cache_mib]
    return region_note({"memory": {"region_bytes": region_mib * MIB}, "caches": caches})


def test_of_a_region_far_beyond_the_largest_cache_nothing_is_said():
    assert note(1024, 2, 32) == note(7680, 2, 480) == ""


def test_what_the_cache_may_serve_is_said():
    said = note(1920, 2, 480)
    assert said.startswith("measured on 1,920 MiB, 4 times the cache of 480 MiB: the cache may serve up to 25 %")
    assert f"--region-bytes {7680 * MIB}" in said


def test_figures_of_a_region_in_the_cache_are_not_called_the_devices():
    assert "the figures are the cache's, not the device's" in note(480, 2, 480)


@pytest.mark.parametrize(
    "context",
    [{}, {"memory": None, "caches": 3}, {"memory": {"region_bytes": MIB}, "caches": ["L3", {"size": "big"}]}],
)
def test_a_context_that_does_not_tell_is_no_error(context):
    assert region_note(context) == ""
