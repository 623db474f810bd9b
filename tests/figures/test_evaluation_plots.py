"""Comparisons of policies, whichever way round they were stored."""

import pytest

from pmtwin.scenarios.nvm_middleware.figures.plots.evaluation import PUBLISHED_OF, comparison, kind_of, render_tables

PART = {"difference": 5.0, "low": 3.0, "high": 8.0, "apart": True}
RESULT = {"comparisons": [{"policy": "none", "against": "q-learning:f.npz", "overall": PART, "phases": {"1": PART}}]}


def test_a_comparison_is_found_both_ways():
    assert comparison(RESULT, "none", "q-learning")["overall"] == PART
    turned = {"difference": -5.0, "low": -8.0, "high": -3.0, "apart": True}
    assert comparison(RESULT, "q-learning", "none")["overall"] == turned
    assert comparison(RESULT, "q-learning", "none")["phases"] == {"1": turned}


def test_a_comparison_that_was_not_made_is_an_error():
    with pytest.raises(KeyError, match="no comparison of none and threshold"):
        comparison(RESULT, "none", "threshold")


def test_the_file_of_a_trained_policy_is_not_part_of_its_kind():
    assert kind_of("q-learning:a/b.npz") == "q-learning"
    assert kind_of("fixed:15,15") == "fixed:15,15"


def test_policies_without_a_published_row_stay_in_their_order():
    percentiles = dict.fromkeys(("0", "5", "25", "50", "75", "99", "100"), 1.0)
    overall = {name: {"percentiles": percentiles} for name in ("p99_us", "throughput_ops", "reward")}
    others = [f"steering:{letter}" for letter in "gcaebdf"]
    result = {"policies": {name: {"overall": overall} for name in (*PUBLISHED_OF, *others)}}
    for table in render_tables({"evaluation-random": result}).tables:
        assert [row[0] for row in table.rows[-len(others) :]] == others
