"""Throughput by formulas: the paper's machine is best with few cores near its data, and groups change no speed."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.scenarios.numa_threads.formulas import best_ops_per_s, ops_per_s
from pmtwin.scenarios.numa_threads.grouping import Grouped, group_size
from pmtwin.scenarios.numa_threads.model import Model, costs_of
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.workloads import Workload, workload_of

OPTIONS = NumaOptions()


@pytest.mark.parametrize("name", ["fillrandom", "readrandom", "mixed-50"])
def test_fewer_cores_than_all_are_best_for_large_values(name):
    workload = workload_of(name)
    few, all_near, both = ops_per_s(OPTIONS, workload, np.array([[12.0, 0.0], [36.0, 0.0], [24.0, 24.0]]))
    best = best_ops_per_s(OPTIONS, workload)
    assert both < all_near < few < 1.001 * best < 1.2 * few


def test_small_values_use_all_cores():
    near = np.array([[float(number), 0.0] for number in (4, 12, 24, 36)])
    assert (np.diff(ops_per_s(OPTIONS, Workload(1.0, value_bytes=200.0), near)) > 0.0).all()


def test_a_thread_alone_takes_the_time_of_its_costs():
    costs, mix = costs_of(OPTIONS, workload_of("mixed-25")), np.array([0.25, 0.75])
    one = np.zeros((1, 2, 2, 2))
    one[0, 0, 0] = mix
    alone_ns = sum(each[0, 0, 0] @ mix for each in costs.times(one))
    assert ops_per_s(OPTIONS, workload_of("mixed-25"), np.array([[1.0, 0.0]]))[0] == pytest.approx(
        1e9 / alone_ns, rel=0.05
    )


def test_short_operations_run_in_groups_of_the_same_speed_per_operation():
    small = Model(OPTIONS, Workload(0.5, value_bytes=200.0))
    single = costs_of(OPTIONS, Workload(0.5, value_bytes=200.0))
    counts = np.full((1, 2, 2, 2), 3.0)
    for grouped, alone in zip(small.costs.times(counts), single.times(counts), strict=True):
        assert grouped == pytest.approx(small.group * alone)
    assert small.group > 10 and Model(OPTIONS, workload_of("fillrandom")).group == 1
    assert group_size(Grouped(single, small.group), 2, np.array([0.5, 0.5]), OPTIONS.group_us) == 1


def test_options_that_no_cost_depends_on_share_the_costs():
    workload, costs = Workload(0.5), costs_of(OPTIONS, Workload(0.5))
    kernel = replace(OPTIONS.kernel, balance=not OPTIONS.kernel.balance)
    decisions = replace(OPTIONS.decisions, reward_form="printed")
    assert costs_of(replace(OPTIONS, kernel=kernel, decisions=decisions, requests=96), workload) is costs
    assert costs_of(replace(OPTIONS, directory_writes=False), workload) is not costs
    assert costs_of(replace(OPTIONS, records=OPTIONS.records + 1), workload) is not costs
