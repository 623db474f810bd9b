"""Versions that a trained policy depends on."""

from __future__ import annotations

import platform
from importlib import metadata

SCHEMA = 2
"""Version of the records and checkpoints of trainings."""

PACKAGES = ("numpy", "numba", "scikit-learn", "gymnasium")
"""Packages whose versions can change the trained bits."""


def versions() -> dict[str, str]:
    """Versions that a result depends on."""
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in PACKAGES}}
