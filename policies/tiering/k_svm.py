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

from pmtwin.policies.registry import register
from pmtwin.policies.tiering.planned import PlannedMigration
from pmtwin.policies.tiering.with_room import WithRoom
from pmtwin.sim.options import Options, option


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
class KSvm(PlannedMigration):
    """Moves each page to the device that a support vector machine names, before every so many-th request."""

    Takes = KSvmOptions
    options: KSvmOptions
    draws = False
    compiled_in = "pmtwin.policies.tiering.classifying"

    def arrays(self, point, key):
        """Requests for each page since the last plan, and before it; options."""
        pages, options = point.storage.pages, self.options
        return np.zeros(pages, np.int64), np.zeros(pages), np.array([options.sample, options.penalty], float)
