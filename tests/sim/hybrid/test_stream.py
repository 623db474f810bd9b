"""Streams of requests, in bytes and in pages."""

import numpy as np
import pytest

from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.stream import PAGE_BYTES, make_stream, paged, together

PAGE = PAGE_BYTES


def test_pages_are_numbered_in_the_order_of_their_offsets():
    pages = paged(make_stream(0, [100 * PAGE, 7 * PAGE, 8 * PAGE], [2 * PAGE, PAGE, 2 * PAGE], False))
    assert pages.home.tolist() == [7, 8, 9, 100, 101]
    assert pages.first.tolist() == [3, 0, 1]
    assert pages.pages.tolist() == [2, 1, 2]


def test_a_request_within_pages_lacks_the_rest_of_them():
    pages = paged(make_stream(0, [PAGE + 512, 0], [PAGE, PAGE], True))
    assert pages.pages.tolist() == [2, 1]
    assert pages.missing_head.tolist() == [512, 0]
    assert pages.missing_tail.tolist() == [PAGE - 512, 0]


def test_random_requests_have_the_pages_that_they_touch():
    random = np.random.default_rng(1)
    stream = make_stream(0, random.integers(0, 10**6, 500), random.integers(1, 50_000, 500), False)
    touched = {
        page
        for offset, size in zip(stream.offset.tolist(), stream.size.tolist(), strict=True)
        for page in range(offset // PAGE, (offset + size - 1) // PAGE + 1)
    }
    assert paged(stream).home.tolist() == sorted(touched)


def test_streams_together_have_threads_and_pages_of_their_own():
    streams = [make_stream(5, [0, 9 * PAGE], PAGE, True), make_stream(7, [0], 100, False)]
    both = together(streams)
    assert both.thread.tolist() == [0, 0, 1]
    assert both.offset.tolist() == [0, 9 * PAGE, 10 * PAGE]
    assert both.threads == 2


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([], [], [], []), "requests: 0"),
        ((-1, 0, 1, True), r"gap_ns of a request: -1\.0"),
        ((np.nan, 0, 1, True), "gap_ns of a request"),
        ((0, -5, 1, True), "offset of a request: -5"),
        ((0, 0, 0, True), "size of a request: 0"),
        ((0, [0, 0], 1, True, [0, 2]), "thread of a request: 2"),
    ],
)
def test_a_request_that_cannot_be_is_refused(columns, message):
    with pytest.raises(InputError, match=message):
        make_stream(*columns)
