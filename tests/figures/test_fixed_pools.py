"""Tables D.4 to D.7 beside the twin, and the probability of each order of median rewards."""

from dataclasses import replace

import pytest

from pmtwin.figures.drawing.style import styled
from pmtwin.scenarios.nvm_middleware import published
from pmtwin.scenarios.nvm_middleware.campaign import QUICK
from pmtwin.scenarios.nvm_middleware.figures.experiments import fixed_pools as experiment
from pmtwin.scenarios.nvm_middleware.figures.experiments import published_orders
from pmtwin.scenarios.nvm_middleware.figures.plots import fixed_pools
from pmtwin.scenarios.nvm_middleware.inference.evidence import order_of

SMALL = replace(QUICK, fixed_pools=((5, 5), (15, 15)), fixed_windows=3, fixed_warmup=1, published_draws=2)


@pytest.fixture(scope="module")
def rendered():
    with styled():
        return fixed_pools.render({"fixed-pools": experiment.run(SMALL, seed=0)})


def test_each_published_column_stands_beside_the_twins(rendered):
    (table,) = (each for each in rendered.tables if each.name == "fixed-pools-published")
    by_row = {(source, pools, side): row for source, _, pools, side, *row in table.rows}
    assert by_row["Table D.5", "10,10", "published"][:5] == [-7763.0, -1.9, 5.2, 5.8, 6.0]
    assert by_row["Table D.7", "15,5", "published"][:5] == [-3912.0, -1.0, 3.0, 4.0, 5.0]
    assert len(table.rows) == 2 * sum(len(columns) for _, columns in published.FIXED_POOL_REWARDS.values())
    assert all(0.0 <= row[-1] <= 1.0 for (*_, side), row in by_row.items() if side == "twin")


def test_tables_that_the_inference_did_not_use_are_out_of_sample(rendered):
    used = {each.source: each.used for each in rendered.statements}
    assert used == {"Table D.4": True, "Table D.5": False, "Table D.6": True, "Table D.7": False}


def test_an_order_counts_in_the_draws_that_have_it_whole_and_by_pairs():
    """Phase 4, as published: 15,5 > 10,10 > 5,5 > 15,15. One draw of two has 10,10 first."""
    names = [name for phase in published.FIXED_POOL_REWARDS for name in order_of(phase).quantities]
    as_published = {name: -float(place) for place, name in enumerate(names)}
    turned = as_published | {"phase-4/10,10/reward": 1.0}
    shown = published_orders.orders([as_published, turned, turned])
    assert (shown["2"]["whole"], shown["2"]["pairs"], shown["2"]["wrong"]) == (1.0, 1.0, [])
    assert shown["4"]["whole"] == pytest.approx(1 / 3)
    assert shown["4"]["pairs"] == pytest.approx((5 + 1 / 3) / 6)
    assert shown["4"]["wrong"] == [["15,5", "10,10", pytest.approx(1 / 3)]]
