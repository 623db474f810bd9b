"""RNN-HSS: a recurrent network predicts how often each page will be used, and the most used ones come to fast devices.

Doudali and others, "Kleio: a hybrid memory page scheduler with machine intelligence" (HPDC 2019), as Harmonia adapts
it (section 3.3): pages move after every 1,000 requests, on the path of requests; writes go to the first device until
that is full. Kleio predicts a page's accesses in the next period from those of earlier ones, by long short-term
memory. Not stated, assumed: one network for all pages (Kleio has one for each of some pages); its size; eight
periods of history; that it learns while the storage runs, after each period from that one; that its output is the
change to the last period; and that a page takes the place of another only if it is predicted to have a request more,
since a move is not free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.policies.registry import register
from pmtwin.policies.tiering.planned import PlannedMigration
from pmtwin.policies.tiering.with_room import WithRoom
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class RnnHssOptions(Options):
    """The rhythm, the network, and when a page moves."""

    every: int = option(1000, "requests of a period, after which pages move", low=1, high=10**9, metavar="N")
    units: int = option(8, "units of the recurrent network", low=1, high=256, metavar="N")
    sample: int = option(256, "pages at most from which the network learns after a period", low=1, high=10**6)
    rate: float = option(0.01, "learning rate (Adam)", low=1e-6, high=1.0)
    gain: float = option(
        1.0, "requests a period by which a page must exceed the one that it replaces", low=0.0, high=1e6
    )


@register("rnn-hss")
class PlaceWithRoom(WithRoom):
    """Writes to the first device while it has room, otherwise to the last."""

    Takes = RnnHssOptions


@register("rnn-hss")
class RnnHss(PlannedMigration):
    """Moves pages by their predicted requests, before every so many-th request."""

    Takes = RnnHssOptions
    options: RnnHssOptions
    compiled_in = "pmtwin.policies.tiering.predicting"

    def arrays(self, point, key):
        """History and present requests of each page; network, its optimiser, and room to compute; options."""
        from pmtwin.policies.network.recurrent import drawn, make_passed, parameter_count
        from pmtwin.policies.tiering.predicting import PERIODS

        pages, options = point.storage.pages, self.options
        parameters = drawn(options.units, np.random.default_rng(int(key)))
        moments, steps = np.zeros((2, parameter_count(options.units))), np.zeros(1, np.int64)
        room = np.zeros_like(parameters), make_passed(PERIODS, options.units)
        numbers = np.array([options.sample, options.rate, options.gain], float)
        return np.zeros(pages, np.uint64), np.zeros(pages, np.int64), parameters, moments, steps, *room, numbers
