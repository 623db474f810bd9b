"""Elementary effects of functions whose effects are known."""

import numpy as np
import pytest

from pmtwin.sim.errors import InputError
from pmtwin.sim.numerics.morris import STEP, effects, trajectories


def points(inputs: int, count: int) -> np.ndarray:
    return trajectories(inputs, count, np.random.default_rng(1))


def test_each_step_moves_one_input_and_every_input_once():
    moves = np.diff(points(7, 20), axis=1)
    assert np.all((np.abs(moves) > 1e-9).sum(axis=2) == 1)
    assert np.all((np.abs(moves) > 1e-9).sum(axis=1) == 1)
    assert np.abs(moves).max() == pytest.approx(STEP)


def test_points_lie_in_the_unit_cube_and_use_all_of_it():
    cube = points(3, 200)
    assert cube.min() == 0.0 and cube.max() == pytest.approx(1.0)
    levels, counts = np.unique(cube.round(9), return_counts=True)
    assert levels.size == 6 and counts.min() > 0.8 * counts.mean()


def test_a_linear_function_has_its_coefficients_without_spread():
    cube = points(3, 10)
    result = effects(cube, (2.0 * cube[..., 0] - 5.0 * cube[..., 1])[..., None])
    assert result.mean[:, 0] == pytest.approx([2.0, -5.0, 0.0])
    assert result.mean_absolute[:, 0] == pytest.approx([2.0, 5.0, 0.0])
    assert result.spread[:, 0] == pytest.approx(0.0, abs=1e-9)


def test_an_interaction_shows_as_spread_and_effects_of_both_signs_do_not_cancel():
    cube = points(2, 400)
    result = effects(cube, ((cube[..., 0] - 0.5) * (cube[..., 1] - 0.5))[..., None])
    assert result.mean[:, 0] == pytest.approx([0.0, 0.0], abs=0.05)
    assert np.all(result.mean_absolute[:, 0] > 0.2) and np.all(result.spread[:, 0] > 0.2)


def test_every_output_has_effects_of_its_own():
    cube = points(2, 10)
    result = effects(cube, np.stack([cube[..., 0], 3.0 * cube[..., 1]], axis=-1))
    assert result.mean == pytest.approx(np.array([[1.0, 0.0], [0.0, 3.0]]))


@pytest.mark.parametrize(("inputs", "count"), [(0, 5), (3, 1)])
def test_too_few_are_refused(inputs, count):
    with pytest.raises(InputError, match="inputs: 0" if inputs == 0 else "trajectories: 1"):
        points(inputs, count)
