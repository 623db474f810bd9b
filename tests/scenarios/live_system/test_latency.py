"""A live system whose objective a long latency lowers has another name, so that its replay databases are apart."""

import pytest

from pmtwin.scenarios.live_system.declaration import live
from pmtwin.scenarios.live_system.latency import named

STORE = live(lambda: {"served": 1.0}, lambda values: None, {"threads": (1, [1, 2])}, "served", tick_s=0)


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0, 1 / 3, 0.12345678901234567, 1e-9, 100.0])
def test_its_name_reads_back_to_the_same_weight(weight):
    written = named(STORE, "waiting", weight).name.removeprefix(f"{STORE.name} less ").removesuffix(" x waiting")
    assert float(written) == weight


def test_weights_that_differ_in_the_last_digit_have_other_names():
    assert named(STORE, "waiting", 1.0).name != named(STORE, "waiting", 1.0 + 2**-52).name
