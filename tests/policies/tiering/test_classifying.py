"""What K-SVM is made of: clusters, a support vector machine, and the moves that follow."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.svm import LinearSVC

from pmtwin.policies.tiering.classifying import classified, list_moves
from pmtwin.policies.tiering.clusters import clusters
from pmtwin.policies.tiering.hinge import separating


@pytest.mark.parametrize("count", [2, 3])
def test_clusters_are_those_of_scikit_learn_from_the_same_centres_the_largest_first(count):
    rows = np.random.default_rng(4).exponential(1.0, (300, 2)) ** 2
    low, high = rows.min(axis=0), rows.max(axis=0)
    begin = np.array([high + (low - high) * number / (count - 1) for number in range(count)])
    fitted = KMeans(count, init=begin, n_init=1, tol=0.0, max_iter=50).fit(rows)
    members, distances = clusters(rows, count)
    rank = np.argsort(np.argsort(-fitted.cluster_centers_.sum(axis=1)))
    assert np.array_equal(members, rank[fitted.labels_])
    assert distances == pytest.approx(fitted.transform(rows).min(axis=1) ** 2, abs=1e-9)


@pytest.mark.parametrize("penalty", [0.05, 1.0])
def test_the_machine_is_that_of_scikit_learn(penalty):
    random = np.random.default_rng(5)
    rows = random.normal(0.0, 1.0, (200, 2))
    labels = np.where(rows @ [1.0, 2.0] + random.normal(0.0, 1.0, 200) > 0.5, 1.0, -1.0)
    fitted = LinearSVC(loss="hinge", C=penalty, tol=1e-6, max_iter=1_000_000).fit(rows, labels)
    expected = [*fitted.coef_[0], fitted.intercept_[0]]
    assert separating(rows, labels, penalty) == pytest.approx(expected, abs=5e-3)


def test_pages_that_are_used_often_belong_to_faster_devices():
    random = np.random.default_rng(6)
    heat = np.concatenate([random.normal(level, 0.2, 100) for level in (6.0, 3.0, 0.5)])
    rows = np.column_stack([heat, heat + random.normal(0.0, 0.1, 300)])
    device, hotness = classified(rows.copy(), 3, 1000, 1.0)
    assert (device == np.repeat([0, 1, 2], 100)).mean() > 0.98
    assert hotness[:100].min() > hotness[200:].max()


def test_pages_that_are_all_alike_stay():
    device, _ = classified(np.ones((40, 2)), 2, 1000, 1.0)
    assert (device == -1).all()


def test_pages_that_leave_make_room_for_the_hottest():
    moves = np.full(6, -1)
    device, hotness = np.array([1, 0, 0, 0]), np.array([-2.0, 1.0, 3.0, 2.0])
    device_of = np.array([0, 1, 1, 1, 0, 0], np.int8)
    list_moves(np.arange(4), device, hotness, device_of, np.array([1, 1 << 40]), moves)
    assert moves.tolist() == [0 * 2 + 1, 2 * 2, 3 * 2, -1, -1, -1]
