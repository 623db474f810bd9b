"""Under which loads the policies are compared, and when an order of two of them counts as reversed."""

from dataclasses import replace

import pytest

from pmtwin.scenarios.nvm_middleware.campaign import QUICK
from pmtwin.scenarios.nvm_middleware.figures.experiments import sensitivity
from pmtwin.scenarios.nvm_middleware.figures.plots.sensitivity import order, reversals

TINY = replace(QUICK, sensitivity_seeds=2, sensitivity_windows=1, sensitivity_settling=1)


def test_the_split_keeps_the_total():
    for variant in sensitivity.variants():
        if variant.kind == "split":
            assert sum(variant.settings.values()) == pytest.approx(sensitivity.TOTAL_OPS)


def test_a_run_has_every_variant_policy_and_seed(monkeypatch):
    first = sensitivity.variants()[:2]
    monkeypatch.setattr(sensitivity, "variants", lambda: first)
    result = sensitivity.run(TINY, 0, ("none", "fixed:15,15", "best-fixed"), dict.fromkeys((1, 2, 3, 4), (8, 8)))
    assert [variant["name"] for variant in result["variants"]] == ["defaults", first[1].name]
    for variant in result["variants"]:
        assert list(variant["results"]) == ["none", "fixed:15,15", "best-fixed"]
        assert {len(values) for each in variant["results"].values() for values in each.values()} == {2}


def test_an_order_is_decided_by_all_seeds_and_a_margin():
    assert order({"a": [100.0, 90.0], "b": [0.0, 0.0]}) == {("a", "b"): 1}
    assert order({"a": [0.0, 0.0], "b": [100.0, 90.0]}) == {("a", "b"): -1}
    assert order({"a": [200.0, -1.0], "b": [0.0, 0.0]}) == {("a", "b"): 0}, "one seed disagrees"
    assert order({"a": [4.0, 4.0], "b": [1.0, 1.0]}) == {("a", "b"): 0}, "too near"


def test_only_decided_orders_that_turn_round_are_reversals():
    default = {"a": [100.0, 100.0], "b": [0.0, 0.0], "c": [101.0, 101.0]}
    assert reversals(default, default) == []
    assert reversals(default, {"a": [0.0, 0.0], "b": [100.0, 100.0], "c": [500.0, 500.0]}) == [("b", "a")]
