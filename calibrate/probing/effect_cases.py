"""Cases for effects: few, since the form of each effect is known (`pmtwin.calibrate.effects`)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from pmtwin.calibrate.effects.fitting import CaseLimits
from pmtwin.calibrate.effects.registry import FITTINGS
from pmtwin.calibrate.probing.cases import Case
from pmtwin.calibrate.probing.plan import Preset, thread_counts


def effect_cases(
    operations: Sequence[str], most_threads: int, remote_threads: int, preset: Preset, seed: int
) -> list[Case]:
    """Cases of all effects; empty if the preset has no time for effects.

    Each pair of effect and operation has a list of groups of cases, in random order. The pairs take turns.

    Args:
        most_threads: largest number of threads of a case.
        remote_threads: largest number of threads of a case on the remote node, 0 if there is none.
        seed: of the random orders.
    """
    if preset.effect_share == 0.0:
        return []
    remote = _few(min(remote_threads, most_threads)) if remote_threads else []
    limits = CaseLimits(_few(most_threads), remote, preset.effects_dense)
    groups = [fitting.cases(operation, limits) for fitting in FITTINGS.values() for operation in operations]
    rng = np.random.default_rng(seed)
    shuffled = [[group[place] for place in rng.permutation(len(group))] for group in groups if group]
    in_turn = itertools.chain.from_iterable(itertools.zip_longest(*shuffled, fillvalue=()))
    return list(itertools.chain.from_iterable(in_turn))


def _few(most: int) -> list[int]:
    """Numbers of threads: 1, `most`, and one nearest to their geometric mean."""
    counts = thread_counts(most)
    return sorted({1, min(counts, key=lambda count: abs(count - math.sqrt(most))), most})
