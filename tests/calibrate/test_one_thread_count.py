"""Rows at one number of threads say nothing of others, and `calibrate` says so."""

import numpy as np
import pytest

from pmtwin.calibrate.one_thread_count import one_count_text


class Rows:
    def __init__(self, *threads):
        self.threads = np.array(threads, dtype=int)


@pytest.mark.parametrize(("threads", "said"), [((1, 1), "1 thread:"), ((4,), "4 threads:"), ((1, 2), ""), ((), "")])
def test_one_count_is_told_and_several_are_not(threads, said):
    text = one_count_text(Rows(*threads))
    assert said in text and bool(text) == bool(said)
    assert not said or "--prior family" in text
