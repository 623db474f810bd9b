"""The published numbers as they are, their misprint included."""

import numpy as np

from pmtwin.scenarios.nvm_middleware import published


def test_figure_b1_has_42_combinations():
    assert len(published.FIGURE_B1_INTERACTIVE) * len(published.FIGURE_B1_BATCH) == 42


def test_only_the_misprinted_median_is_out_of_order():
    tables = (published.TABLE_E1_LATENCY_US, published.TABLE_E2_THROUGHPUT_OPS, published.TABLE_E3_REWARD)
    out_of_order = [
        (number, name)
        for number, table in enumerate(tables, 1)
        for name, row in table.items()
        if np.any(np.diff(row) < 0)
    ]
    assert out_of_order == [(1, "No NVM Middleware")]


def test_each_table_has_every_policy():
    for table in (published.TABLE_E1_LATENCY_US, published.TABLE_E2_THROUGHPUT_OPS, published.TABLE_E3_REWARD):
        assert tuple(table) == published.EVALUATION_POLICIES
        assert {len(row) for row in table.values()} == {len(published.QUARTILES)}


def test_tables_of_fixed_pools_are_quartiles_of_the_columns_as_printed():
    columns = {source: list(table) for source, table in published.FIXED_POOL_REWARDS.values()}
    assert [len(columns[f"Table D.{number}"]) for number in (4, 5, 6, 7)] == [5, 5, 7, 4]
    for _, table in published.FIXED_POOL_REWARDS.values():
        assert all(np.all(np.diff(row) >= 0) for row in table.values())


def test_the_episodes_of_table_d3_add_up():
    d3 = published.TABLE_D3
    total = 2 * d3["episodes, phases 1 and 2"] + 2 * d3["episodes, phases 3 and 4"]
    assert total == published.TRAINING_EPISODES == 3400
