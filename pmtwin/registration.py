"""The environments under their Gymnasium names: `gymnasium.make("pmtwin/NvmMiddleware-v2")` after `import pmtwin`.

They are registered by string, so that no scenario is imported before `make`. As importing Gymnasium takes longer than
`pmtwin --help`, the names are registered as soon as something else imports it, if it is not yet loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from pmtwin.sim.common.shipped import environment_id, shipped

MAKER = "pmtwin.scenarios.environments.making:make_environment"
VECTOR_MAKER = "pmtwin.scenarios.environments.vector:make_vector_environment"
_SHIPPED = shipped(Path(__file__).parent / "scenarios", "pmtwin.scenarios", "scenario.py")
ENVIRONMENTS = {environment_id(where): name for name, where in _SHIPPED.items()}
"""Gymnasium id -> shipped scenario."""

FORMER_MAKER = "pmtwin.scenarios.environments.making:make_version_1"
FORMER_REFUSER = "pmtwin.scenarios.environments.making:refuse_version_1"
FORMER = {environment_id(where, 1): name for name, where in _SHIPPED.items()}
"""Id of version 1, whose actions are converted -> scenario."""


def register_environments(environments: Mapping[str, str] = ENVIRONMENTS) -> None:
    """Register the ids with Gymnasium, now or right after its import."""
    if "gymnasium" in sys.modules:
        _register(environments)
    else:
        sys.meta_path.insert(0, _AfterGymnasium(environments))


def _register(environments: Mapping[str, str]) -> None:
    import gymnasium

    for name, scenario in environments.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                id=name, entry_point=MAKER, vector_entry_point=VECTOR_MAKER, kwargs={"scenario": scenario}
            )
    for name, scenario in FORMER.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                id=name,
                entry_point=FORMER_MAKER,
                vector_entry_point=FORMER_REFUSER,
                kwargs={"scenario": scenario},
            )


class _AfterGymnasium:
    """Import finder that registers the ids at the end of Gymnasium's import, and then removes itself."""

    def __init__(self, environments: Mapping[str, str]):
        self.environments = environments

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Result of the other finders for `gymnasium`, and None for every other name."""
        if name != "gymnasium":
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if spec is not None:
            self._follow(spec.loader)
        return spec

    def _follow(self, loader: Any) -> None:
        def execute_and_register(module: ModuleType) -> None:
            del loader.exec_module
            loader.exec_module(module)
            sys.meta_path.remove(self)
            _register(self.environments)

        loader.exec_module = execute_and_register
