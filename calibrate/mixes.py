"""How well a profile predicts measured mixes of reads and writes, which no parameter was fitted to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibrate.context import Mix
from calibrate.validation import ape
from sim.device import Profile


def mix_errors(profile: Profile, mixes: Sequence[Mix]) -> dict | None:
    """{"points", "error_percent": [median, mean, 90th percentile]}, or None if nothing can be compared."""
    known = [mix for mix in mixes if _is_known(profile, mix)]
    if not known:
        return None
    misses = [np.log(_predicted(profile, mix) / mix.bandwidth_mib_s) for mix in known]
    return {"points": len(known), "error_percent": ape(np.array(misses))}


def _is_known(profile: Profile, mix: Mix) -> bool:
    boxes = [{box["pattern"] for box in profile.fitted_range.get(name, ())} for name in ("load", mix.write_operation)]
    return all(mix.pattern in patterns for patterns in boxes)


def _predicted(profile: Profile, mix: Mix) -> float:
    """Threads of their own share the media's time equally; accesses of one thread follow one after the other."""
    at = mix.pattern, mix.access_size_bytes, mix.threads, mix.dimms
    read, write = (float(profile.bandwidth_mib_s(name, *at)) for name in ("load", mix.write_operation))
    share = mix.write_ratio
    if mix.by_access:
        return 1.0 / ((1.0 - share) / read + share / write)
    return (1.0 - share) * read + share * write
