"""Masks of other processes' threads: set, read back, and given back."""

import os

import pytest

from pmtwin.scenarios.numa_threads.native.masks import Masks
from pmtwin.sim.errors import InputError


def on_two(running, two_cpus):
    """Numbers of a process' threads, all of which may use two processors from now on."""
    for thread in running.threads():
        os.sched_setaffinity(thread, set(map(int, two_cpus)))
    return running.threads()


@pytest.fixture
def threads(process, two_cpus):
    """Numbers of three threads, which may use two processors."""
    return on_two(process(3), two_cpus)


@pytest.fixture
def cpu(two_cpus):
    """One of the two."""
    return int(two_cpus[1])


def masks_of(threads):
    return [os.sched_getaffinity(thread) for thread in threads]


def test_masks_are_given_back_to_those_that_came_unseen_too(threads, cpu):
    before, masks = masks_of(threads), Masks()
    for thread in threads[:2]:
        masks.note(thread)
    masks.assign(threads[0], [cpu])
    assert os.sched_getaffinity(threads[0]) == {cpu}
    os.sched_setaffinity(threads[2], {cpu})  # as it inherits from the first
    masks.restore(threads)
    assert masks_of(threads) == before


def test_who_inherits_what_was_set_gets_what_its_parent_had(process, two_cpus, cpu):
    running, masks = process(1), Masks()
    (parent,) = on_two(running, two_cpus)
    masks.assign(parent, [cpu])
    child = running.begin()
    assert os.sched_getaffinity(child) == {cpu}
    masks.note(child)
    assert masks.changed(child)
    masks.forget(parent)  # as if it had ended
    masks.restore()
    assert masks_of([parent, child]) == [{cpu}, set(map(int, two_cpus))]


def test_who_comes_with_a_mask_of_its_own_keeps_it(process, two_cpus, cpu):
    running, masks = process(1), Masks()
    (parent,) = on_two(running, two_cpus)
    masks.assign(parent, [cpu])
    child = running.begin()
    os.sched_setaffinity(child, {int(two_cpus[0])})
    masks.note(child)
    assert masks.restore() and not masks.restore()
    assert masks_of([parent, child]) == [set(map(int, two_cpus)), {int(two_cpus[0])}]


def test_a_mask_that_nobody_has_changed_is_left_alone(threads, cpu):
    masks = Masks()
    for thread in threads:
        masks.note(thread)
    os.sched_setaffinity(threads[0], {cpu})  # its owner
    masks.restore(threads)
    assert os.sched_getaffinity(threads[0]) == {cpu}


def test_who_observes_says_what_would_be_done(threads, cpu, capsys):
    before, masks = masks_of(threads), Masks(observe=True)
    masks.assign(threads[0], [cpu])
    assert capsys.readouterr().err == f"thread {threads[0]}: would go to processor {cpu}\n"
    assert masks_of(threads) == before


def test_a_mask_that_the_kernel_does_not_keep_is_told(threads, cpu, monkeypatch):
    monkeypatch.setattr(os, "sched_setaffinity", lambda thread, cpus: None)
    with pytest.raises(InputError, match=f"affinity of thread {threads[0]}: 'processor {cpu}' .* was kept"):
        Masks().assign(threads[0], [cpu])


def test_a_thread_that_has_ended_is_no_error(ended, cpu):
    ended.wait()
    masks = Masks()
    masks.note(ended.pid)
    masks.assign(ended.pid, [cpu])
    masks.restore([ended.pid])
