"""The map of trust names the regions where predictions are poor, and those that nobody measured."""

from types import SimpleNamespace

import numpy as np

from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.report.trust import GOOD_PERCENT, POOR_PERCENT, Region, colour, region_colour, regions, verdict
from pmtwin.calibrate.validation import Unseen


def judged(configurations, errors):
    n = len(configurations)
    unseen = Unseen(np.arange(n), errors, errors, np.full(n, 0.01), np.zeros(n), np.zeros(n))
    each = SimpleNamespace(configurations=configurations, unseen_configurations=unseen)
    return SimpleNamespace(operations={"load": each})


def test_a_poor_region_is_named_and_the_others_are_not(make_sweep):
    configurations, _ = group(make_sweep())
    poor = configurations.random & (configurations.access_size_bytes < 256) & (configurations.threads == 1)
    result = regions(judged(configurations, np.where(poor, 0.08, 0.01)))
    sentence, names = verdict(result)
    assert names == ["8.3 %: load random, below 256 B, 1 thread (only 4)"]
    assert "1 of 32 regions" in sentence


def test_what_was_never_measured_is_counted_not_judged(make_sweep):
    configurations, _ = group(make_sweep())
    few = configurations.take(configurations.threads < 13)
    result = regions(judged(few, np.full(len(few), 0.01)))
    assert sum(region.configurations == 0 for region in result) == 8
    sentence, names = verdict(result)
    assert names == [] and "8 were never measured" in sentence and sentence.startswith("100 %")


def test_without_kept_aside_data_it_says_so():
    nothing = SimpleNamespace(operations={"load": SimpleNamespace(unseen_configurations=None)})
    assert verdict(regions(nothing)) == ("Nothing was kept aside: no error is known.", [])


def test_a_few_configurations_are_no_reason_for_trust():
    few, enough = (Region("load", "random", "below 256 B", "1 thread", n, GOOD_PERCENT / 2) for n in (4, 5))
    assert region_colour(few) == colour(POOR_PERCENT) != region_colour(enough) == colour(0.0)
