"""Finished tasks are kept: an interrupted run goes on behind the last whole one, with the same bits."""

import pytest

from pmtwin.figures.experiments.parallel import KEPT, finished, run_kept, run_tasks

TASKS = [(number,) for number in range(5)]


def third(number):
    """A float without an end, and what JSON has no word of its own for."""
    return {"third": number / 3.0, "none": None, "largest": float("inf")}


def until(last):
    def work(number):
        if number > last:
            raise KeyboardInterrupt
        return third(number)

    return work


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_are_those_of_the_tasks(tmp_path, jobs):
    assert run_kept(third, TASKS, tmp_path, jobs) == run_tasks(third, TASKS)


def test_an_interrupted_run_computes_only_what_is_missing(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run_kept(until(2), TASKS, tmp_path)
    assert finished(tmp_path) == 3
    again, done = [], []
    results = run_kept(lambda number: again.append(number) or third(number), TASKS, tmp_path, 1, done.append)
    assert results == run_tasks(third, TASKS)
    assert again == [3, 4] and done == [1, 1] and finished(tmp_path) == 5


def test_a_result_that_was_not_written_to_its_end_is_computed_again(tmp_path):
    run_kept(third, TASKS, tmp_path)
    kept = tmp_path / KEPT
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-7])
    again = []
    assert run_kept(lambda number: again.append(number) or third(number), TASKS, tmp_path) == run_tasks(third, TASKS)
    assert again == [4] and kept.read_bytes() == whole


def test_fresh_results_are_as_those_that_were_kept(tmp_path):
    pairs = [run_kept(lambda number: {"pair": (number, number)}, TASKS, tmp_path) for _ in range(2)]
    assert pairs[0] == pairs[1] and pairs[0][0] == {"pair": [0, 0]}
