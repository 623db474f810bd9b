"""Empty caches under policies, by spec."""

from __future__ import annotations

from typing import Any

from pmtwin.policies.replacement.naming import replacement_policy


def make_cache(spec: str, lines: int, seed: int = 0) -> Any:
    """An empty cache under a policy.

    Args:
        spec: as for `replacement_policy`.
        lines: number of lines.
        seed: seed of the random numbers.

    Raises:
        InputError: as `replacement_policy`, and for a number of lines out of range.
        MissingDependencyError: as `replacement_policy`.
    """
    return replacement_policy(spec).cache(lines, seed)
