"""The family as another benchmark would have measured it."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.calibrate.context import Context
from pmtwin.calibrate.prior.family import shipped_family, surface
from pmtwin.calibrate.prior.habits import Habit, habit_of, under, views
from pmtwin.calibrate.prior.observed import grid
from pmtwin.calibrate.prior.process import DevicePosterior, Known
from pmtwin.sim.device import load_profile
from pmtwin.sim.device.parameters import READ_AHEAD

LATTESTER, PERMA = "optane-dcpmm-100", "optane-dcpmm-100-256gb"


@pytest.fixture(scope="module")
def family():
    return shipped_family()


def of_name(family, name):
    return next(profile for those in family.kinds.values() for profile in those if profile.name == name)


def test_habits_are_those_of_the_benchmarks(family):
    assert habit_of(of_name(family, LATTESTER)) == Habit(fenced=False, prefetchers=False)
    assert habit_of(of_name(family, PERMA)) == Habit(fenced=True, prefetchers=True)


@pytest.mark.parametrize(("name", "habit"), [(LATTESTER, Habit(False, False)), (PERMA, Habit(True, True))])
def test_under_its_own_habit_a_device_stays_as_it_is(family, name, habit):
    assert of_name(under(family, habit), name).parameters == load_profile(name).parameters


def test_a_fence_costs_one_thread_its_wait_and_a_busy_device_nothing(family):
    short, many = (grid(("ntstore",), ("sequential",), (64,), (threads,), 6.0) for threads in (1, 24))
    fenced, plain = (of_name(under(family, Habit(fenced, True)), PERMA) for fenced in (True, False))
    ratio = [np.exp(surface(plain, at)[0] - surface(fenced, at)[0])[0] for at in (short, many)]
    assert ratio[0] > 10.0 and ratio[1] < 2.5
    assert plain.parameters["load"] == fenced.parameters["load"]


def test_prefetchers_are_of_loads_alone(family):
    without = of_name(under(family, Habit(True, False)), PERMA)
    kept = {name: values for name, values in without.parameters.items() if name != "load"}
    assert kept == {name: load_profile(PERMA).parameters[name] for name in kept}
    assert READ_AHEAD not in without.parameters["load"]


def test_what_no_file_tells_is_as_likely_as_in_the_family(family):
    told = views(family, Context(), ["pmem"])
    assert {name: view.weight for name, view in told.items()} == pytest.approx(
        {"pmem, fenced": 0.8, "pmem, not fenced": 0.2}
    )
    assert list(views(family, Context(fenced=True), ["pmem", "dram"])) == ["pmem", "dram"]


def test_measurements_tell_that_writes_had_no_fences(family):
    device = replace(of_name(under(family, Habit(False, True)), PERMA), name="new")
    c = grid(("ntstore", "load"), ("random", "sequential"), (64, 256, 1024), (1, 4, 16), 6.0)
    c = replace(c, bandwidth_mib_s=np.exp(surface(device, c)[0])).take(np.arange(0, 36, 5))
    told = views(shipped_family(without=[PERMA]), Context(), ["pmem"])
    known = {
        name: Known(view.family.points(c, view.kind), np.log(c.bandwidth_mib_s), np.zeros(len(c)))
        for name, view in told.items()
    }
    posterior = DevicePosterior(known, weights={name: view.weight for name, view in told.items()})
    assert sum(share for (name, _), share in posterior.share.items() if name == "pmem, not fenced") > 0.95
