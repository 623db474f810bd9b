"""Which of a point's values lie outside what was measured."""

import pytest

from pmtwin.sim.device.outside import outside_axes, outside_text

ONE_THREAD = {"threads": [1.0, 1.0], "access_size_bytes": [64.0, 4096.0], "dimms": 6}
ONE_DIMM = {"threads": [1.0, 8.0], "access_size_bytes": [256.0, 1024.0], "dimms": 1}


@pytest.mark.parametrize(
    ("threads", "size", "dimms", "said"),
    [
        (1, 64, 6, ""),
        (8, 64, 6, "8 threads (measured: 1)"),
        (8, 256, 6, "8 threads (measured: 1)"),  # of the boxes with one axis outside, the first
        (9, 256, 1, "9 threads (measured: 1 to 8)"),
        (4, 512, 1, ""),
        (4, 65_536, 1, "accesses of 65,536 bytes (measured: 256 to 1,024)"),
        (9, 8_192, 6, "9 threads (measured: 1) and accesses of 8,192 bytes (measured: 64 to 4,096)"),
    ],
)
def test_only_what_lies_outside_is_named(threads, size, dimms, said):
    point = {"threads": threads, "access_size_bytes": size, "dimms": dimms}
    assert outside_text([outside_axes([ONE_THREAD, ONE_DIMM], point)]) == said


def test_points_are_summed_up_and_ranges_are_listed():
    boxes = [{"dimms": 1}, {"dimms": 6}]
    points = [outside_axes(boxes, {"dimms": dimms}) for dimms in (2, 6, 4)]
    assert outside_text(points) == "2 to 4 DIMMs (measured: 1 or 6)"
    assert outside_text(points, ("dimms",)) == "2 to 4 DIMMs (assumed: 1 or 6)"


def test_ranges_that_overlap_are_one():
    boxes = [{"threads": [1.0, 16.0]}, {"threads": [1.0, 24.0]}, {"threads": [48.0, 48.0]}]
    assert outside_text([outside_axes(boxes, {"threads": 30})]) == "30 threads (measured: 1 to 24 or 48)"


def test_without_measurements_there_is_nothing_to_name():
    assert outside_text([outside_axes([], {"threads": 4})]) == ""
