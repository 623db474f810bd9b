"""k-means, compiled: Lloyd's algorithm from centres that are spread over the range of the rows; nothing is drawn."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit

SWEEPS = 50


@njit(cache=True)
def clusters(rows, count):
    """(cluster of each row, squared distance to its centre); the cluster with the largest coordinates is number 0.

    Args:
        rows: float64, shape (rows, features). count: number of clusters, 2 or more.

    Returns:
        int64 and float64, both of shape (rows,). A cluster may be empty.
    """
    centres = np.zeros((count, rows.shape[1]))
    for feature in range(rows.shape[1]):
        low, high = rows[:, feature].min(), rows[:, feature].max()
        for number in range(count):
            centres[number, feature] = high + (low - high) * number / (count - 1)
    members, distances = np.full(rows.shape[0], -1), np.zeros(rows.shape[0])
    for _ in range(SWEEPS):
        if not _assign(rows, centres, members, distances):
            break
        _centre(rows, members, centres)
    order = np.argsort(-centres.sum(axis=1), kind="mergesort")
    rank = np.zeros(count, np.int64)
    for place in range(count):
        rank[order[place]] = place
    return rank[members], distances


@njit(cache=True, inner=True)
def _assign(rows, centres, members, distances):
    """Give each row to its nearest centre, the first of equals; whether any changes its cluster."""
    changed = False
    for row in range(rows.shape[0]):
        nearest, least = 0, np.inf
        for number in range(centres.shape[0]):
            distance = 0.0
            for feature in range(rows.shape[1]):
                distance += (rows[row, feature] - centres[number, feature]) ** 2
            if distance < least:
                nearest, least = number, distance
        changed = changed or members[row] != nearest
        members[row], distances[row] = nearest, least
    return changed


@njit(cache=True, inner=True)
def _centre(rows, members, centres):
    """Move each centre to the mean of its rows; that of an empty cluster stays."""
    sizes = np.zeros(centres.shape[0], np.int64)
    sums = np.zeros_like(centres)
    for row in range(rows.shape[0]):
        sizes[members[row]] += 1
        sums[members[row]] += rows[row]
    for number in range(centres.shape[0]):
        if sizes[number] > 0:
            centres[number] = sums[number] / sizes[number]
