"""What the paper says of figures 15 and 16 without a number has a verdict on each storage."""

import pytest

from pmtwin.figures.drawing.style import styled
from pmtwin.scenarios.hybrid_storage.figures.plots.storages import render_15, render_16
from pmtwin.scenarios.hybrid_storage.figures.policies import HARMONIA, K_SVM, ORACLE, PAPER, RNN_HSS, SIBYL, WRITE_LRU
from pmtwin.scenarios.hybrid_storage.published import LESS_WRITTEN, MORE_TO_FAST, MOST_TO_SLOW, TABLE_4

OTHERS = dict.fromkeys(("slowdown", "throughput", "p99_us", "p9999_us", "mean_us", "evictions"), 1.0)


def result(written, promotions=0.25):
    """Runs of all traces on both storages, with a write amplification of each policy."""
    rows = [
        {"label": config, "workload": name, "policy": policy, "seed": 0, "requests": 100, **OTHERS, "moves": 1.0,
         "promotions": promotions, "write_amplification": value}
        for config in ("perf", "cost") for name in TABLE_4 for policy, value in written.items()
    ]  # fmt: skip
    return {config: {"runs": [row for row in rows if row["label"] == config]} for config in ("perf", "cost")}


def verdicts(rendered, order):
    return [(each.computed, each.holds) for each in rendered.statements if each.published.endswith(order.claim)]


AS_PUBLISHED = dict.fromkeys(PAPER, 2.0) | {SIBYL: 1.49, RNN_HSS: 1.08, HARMONIA: 1.54}


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, ("less: RNN-HSS, Sibyl", True)),
        ({WRITE_LRU: 1.0, ORACLE: None}, ("less: RNN-HSS, Sibyl", True)),  # a control is not of the paper
        ({K_SVM: 1.2}, ("less: K-SVM, RNN-HSS, Sibyl", False)),
        ({SIBYL: 2.0}, ("less: RNN-HSS", False)),
        ({HARMONIA: 1.0}, ("less: none", False)),
    ],
)
def test_figure_15_names_the_policies_of_the_paper_that_write_less_than_harmonia(changed, verdict):
    with styled():
        assert verdicts(render_15(result(AS_PUBLISHED | changed)), LESS_WRITTEN) == [verdict] * 2


@pytest.mark.parametrize(("promotions", "holds"), [(0.25, True), (0.75, False)])
def test_figure_16_says_where_most_moves_go(promotions, holds):
    with styled():
        rendered = render_16(result({HARMONIA: 1.5}, promotions))
    assert [held for _, held in verdicts(rendered, MOST_TO_SLOW)] == [holds] * 2
    assert [held for _, held in verdicts(rendered, MORE_TO_FAST)] == [False] * 2  # equal in all workloads
