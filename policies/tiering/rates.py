"""What each page is expected to earn on the first device, compiled: a mixture of decayed sums, learned online.

Time is counted in accesses to pages. A page's uses are summed at `SCALES` half-lives, and its rate is a weighted mean
of the sums, each over the decayed number of accesses. The weights are learned from each request: they move towards the
scales that made its first page likely (online EM of a mixture; Cappe and Moulines 2009). Where popularity stays, the
longest scale has all the weight; where it drifts, shorter ones.

Sums do not decay: newer uses count more instead, so that a page that is not used costs nothing.
"""

from __future__ import annotations

import math

import numpy as np

from pmtwin.sim.compiling import njit

SCALES, RATIO = 3, 8.0
"""Half-lives, and the ratio of each to the one before."""

STEP = 0.001
"""Share by which a request moves the weights of the scales."""

SURPRISE = 0.01
"""Share of the likelihood that all pages have alike."""

MOST = 1e100
"""Weight of a use at which all sums of a scale are made smaller."""

GROWTH, WEIGHT, ACCESSES, TOTAL, SHARE, FACTOR, LIKELY = range(7)
"""Rows of `scales`: logarithm of the growth of the weight with each access; weight of a use now; weighted accesses;
sum of all pages; weight of the scale; factor of its sums in a rate; likelihood of the request."""


def make_rates(pages: int, half_life: float) -> tuple[np.ndarray, np.ndarray]:
    """(sums of each page, shape (pages, SCALES); state of the scales, shape (7, SCALES)).

    Args:
        half_life: the shortest one, in accesses.
    """
    scales = np.zeros((7, SCALES))
    scales[GROWTH] = math.log(2.0) / (half_life * RATIO ** np.arange(SCALES))
    scales[WEIGHT], scales[SHARE] = 1.0, 1.0 / SCALES
    return np.zeros((pages, SCALES)), scales


@njit(cache=True, _nrt=False)
def note_use(sums, scales, page, pages, credit):
    """A request has used `pages` pages from `page` on, each of which earns `credit` on the first device."""
    _learn(sums, scales, page)
    for scale in range(SCALES):
        weight = scales[WEIGHT, scale] * math.exp(scales[GROWTH, scale] * pages)
        if weight > MOST:
            for number in range(sums.shape[0]):
                sums[number, scale] /= weight
            scales[ACCESSES, scale] /= weight
            scales[TOTAL, scale] /= weight
            weight = 1.0
        scales[WEIGHT, scale] = weight
        scales[ACCESSES, scale] += weight * pages
        scales[TOTAL, scale] += weight * credit * pages
        scales[FACTOR, scale] = scales[SHARE, scale] / scales[ACCESSES, scale]
        for number in range(page, page + pages):
            sums[number, scale] += weight * credit


@njit(cache=True, _nrt=False, inner=True)
def _learn(sums, scales, page):
    """Move the weights of the scales towards those that expected the page."""
    floor, total = SURPRISE / sums.shape[0], 0.0
    for scale in range(SCALES):
        if scales[TOTAL, scale] == 0.0:
            return
        scales[LIKELY, scale] = scales[SHARE, scale] * (sums[page, scale] / scales[TOTAL, scale] + floor)
        total += scales[LIKELY, scale]
    for scale in range(SCALES):
        scales[SHARE, scale] += STEP * (scales[LIKELY, scale] / total - scales[SHARE, scale])


@njit(cache=True, _nrt=False)
def rate(sums, scales, page, pages):
    """Mean of what each of `pages` pages from `page` on is expected to earn, in credit per access to any page."""
    total = 0.0
    for number in range(page, page + pages):
        for scale in range(SCALES):
            total += scales[FACTOR, scale] * sums[number, scale]
    return total / pages
