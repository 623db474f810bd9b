"""Twins of the middleware on the compiled engine, whose windows run together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.scenarios.batch import Batch, Shown
from pmtwin.scenarios.nvm_middleware.system import COLUMNS, INTERACTIVE_QUEUE, MiddlewareSystem, clipped, measures_of

if TYPE_CHECKING:
    from pmtwin.scenarios.nvm_middleware.model.replicas import Replicas
    from pmtwin.scenarios.scenario import Scenario


class MiddlewareBatch(Batch[MiddlewareSystem]):
    """See `pmtwin.scenarios.batch.Batch`.

    Args:
        threads: that the windows are divided among.
    """

    def __init__(self, scenario: Scenario, threads: int):
        super().__init__(scenario)
        self._threads = threads

    @cached_property
    def _replicas(self) -> Replicas:
        from pmtwin.scenarios.nvm_middleware.model.replicas import Replicas

        return Replicas(self._threads)

    def run_windows(self, systems: Sequence[MiddlewareSystem]) -> None:
        self._stats, self._queues = self._replicas.run_windows([system.middleware for system in systems])

    def shown(self, systems: Sequence[MiddlewareSystem]) -> Shown:
        middlewares = [system.middleware for system in systems]
        pools = [middleware.pools for middleware in middlewares]
        observations = np.empty((len(systems), len(COLUMNS)))
        observations[:, :2], observations[:, 2:4] = pools, self._queues
        observations[:, 4:] = [middleware.trace_state for middleware in middlewares]
        clipped(observations)
        stats = self._stats
        measures = measures_of(stats, observations[:, INTERACTIVE_QUEUE])
        return Shown(observations, measures, pools, np.asarray(stats.extrapolated))

    def __getstate__(self) -> dict:
        """Without threads, and what belongs to them: a copy begins its own."""
        return {name: value for name, value in vars(self).items() if name != "_replicas"}

    def close(self) -> None:
        replicas = vars(self).pop("_replicas", None)
        if replicas is not None:
            replicas.close()
