"""K-SVM: k-means chooses what a support vector machine learns from, which classifies pages by how often they are used.

Shetti, Li and Du, "Machine learning-based adaptive migration algorithm for hybrid storage systems" (2019): k-means
selects the training set, so that the machine learns from clear cases; the machine says which tier a page belongs to.
Harmonia (section 3.3) runs it after every 1,000 requests, on the path of requests, and writes to the first device
until that is full. Not stated, assumed: the features, which are the logarithms of a page's requests since the last
plan and of earlier ones, halved at each plan; one cluster for each device; as training set the pages of a cluster
that are nearer to its centre than the mean; a linear machine between each two neighbouring devices; and the order:
pages that leave a device go first, then those that come, from the clearest case on, while there is room.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.policies.migration import Migration
from pmtwin.policies.registry import register
from pmtwin.policies.tiering.clusters import clusters
from pmtwin.policies.tiering.hinge import separating, value
from pmtwin.policies.tiering.with_room import WithRoom
from pmtwin.sim.compiling import njit
from pmtwin.sim.options import Options, option

DECAY = 0.5
"""What earlier requests count, each time that pages are classified."""


@dataclass(frozen=True)
class KSvmOptions(Options):
    """When pages are classified, and how."""

    every: int = option(1000, "requests after which pages are classified and moved", low=1, high=10**9, metavar="N")
    sample: int = option(1000, "used pages at most that k-means clusters", low=10, high=10**6, metavar="N")
    penalty: float = option(
        1.0, "cost C of the support vector machine for a page on the wrong side", low=1e-6, high=1e6
    )


@register("k-svm")
class PlaceWithRoom(WithRoom):
    """Writes to the first device while it has room, otherwise to the last."""

    Takes = KSvmOptions


@register("k-svm")
class KSvm(Migration):
    """Moves each page to the device that a support vector machine names, before every so many-th request."""

    Takes = KSvmOptions
    options: KSvmOptions
    draws = False

    @property
    def every(self):
        return self.options.every

    def arrays(self, point, key):
        """Requests for each page since the last plan, and before it; options."""
        pages, options = point.storage.pages, self.options
        return np.zeros(pages, np.int64), np.zeros(pages), np.array([options.sample, options.penalty], float)

    @staticmethod
    def used(arrays, page, pages, write, device_of):
        """Count the request."""
        arrays[0][page : page + pages] += 1

    @staticmethod
    def move(arrays, page, features, device_of, oldest, free, setting):
        """No page in the background."""
        return -1

    @staticmethod
    def plan(arrays, device_of, free, setting, moves):
        """All pages that are not where they belong."""
        recent, earlier, options = arrays
        pages = np.flatnonzero(recent + earlier)
        rows = np.log2(1.0 + np.stack((recent[pages].astype(np.float64), earlier[pages]), axis=1))
        earlier[:] = DECAY * (earlier + recent)
        recent[:] = 0
        if pages.size > 0:
            device, hotness = classified(rows, free.size, int(options[0]), options[1])
            list_moves(pages, device, hotness, device_of, free, moves)


@njit(cache=True)
def classified(rows, devices, sample, penalty):
    """(device of each page, its distance from the border of the first device, above 0 inside).

    Without two clusters, all belong where nothing moves: device -1.
    """
    step = -(-rows.shape[0] // sample)
    chosen = rows[::step].copy()
    for feature in range(rows.shape[1]):
        mean, spread = chosen[:, feature].mean(), chosen[:, feature].std()
        rows[:, feature] = (rows[:, feature] - mean) / (spread if spread > 0.0 else 1.0)
    chosen = rows[::step].copy()
    members, distances = clusters(chosen, devices)
    is_clear = np.zeros(members.size, np.bool_)
    for number in range(devices):
        inside = members == number
        if inside.any():
            is_clear |= inside & (distances <= distances[inside].mean())
    chosen, members = chosen[is_clear], members[is_clear]
    device, hotness = np.zeros(rows.shape[0], np.int64), np.zeros(rows.shape[0])
    for border in range(devices - 1):
        labels = np.where(members <= border, 1.0, -1.0)
        if labels.min() == labels.max():
            device[:] = -1
            break
        weights = separating(chosen, labels, penalty)
        for row in range(rows.shape[0]):
            side = value(weights, rows[row])
            device[row] += side < 0.0
            if border == 0:
                hotness[row] = side
    return device, hotness


@njit(cache=True)
def list_moves(pages, device, hotness, device_of, free, moves):
    """Write the moves: pages to slower devices in their order, then others from the hottest on, while there is room."""
    count, room = 0, free.copy()
    hottest = np.argsort(-hotness, kind="mergesort")
    for comes in (False, True):
        for place in range(pages.size):
            row = hottest[place] if comes else place
            page, target = pages[row], device[row]
            origin = device_of[page]
            leaves_for_it = target < origin if comes else target > origin
            if target >= 0 and leaves_for_it and room[target] > 0:
                moves[count] = page * free.size + target
                room[target] -= 1
                room[origin] += 1
                count += 1
