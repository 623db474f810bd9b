"""How the twin below a scenario is run: engine, profile, window, parameters; one object for all that start one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property

from sim import Middleware, WindowSpec, engine_names
from sim.device.profile import Profile, load_profile
from sim.errors import unknown_name
from sim.middleware import MODES
from sim.parameters import resolve
from sim.workload import Workload

THESIS_WINDOW_SECONDS = 1.0


@dataclass(frozen=True)
class TwinSettings:
    """What does not change while a scenario runs.

    Args:
        engine: `compiled` or `simpy`; both give the same numbers.
        profile: name or path of the device profile.
        mode: `middleware`, or `direct` (no middleware: the clients access the memory themselves, pools are ignored).
        requests_per_window: completions of a window, what is in flight carried over; unused with the others.
        window_seconds: a window is this many seconds of the trace, all answered before the next begins.
        drain: the window of the thesis (section 3.4.3): `window_seconds` of 1 unless another is given.
        parameters: overrides of `sim.parameters`, by name.

    Raises:
        InputError: for a name that is unknown, a file that is no profile, or a value out of range.
    """

    engine: str = "compiled"
    profile: str = "optane-dcpmm-100"
    mode: str = "middleware"
    requests_per_window: int = 5000
    window_seconds: float | None = None
    drain: bool = False
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self):
        if self.engine not in engine_names():
            raise unknown_name("engine", self.engine, engine_names())
        if self.mode not in MODES:
            raise unknown_name("mode", self.mode, MODES)
        self.window()
        resolve(self.parameters)
        _ = self.device

    def window(self) -> WindowSpec:
        """The window in the twin's own terms."""
        seconds = THESIS_WINDOW_SECONDS if self.drain and self.window_seconds is None else self.window_seconds
        return WindowSpec(requests=self.requests_per_window, seconds=seconds)

    @cached_property
    def device(self) -> Profile:
        """The profile, read once: the twin keeps its tables for as long as it is given the same one."""
        return load_profile(self.profile)

    def middleware(self, workload: Workload, seed: int) -> Middleware:
        """A twin of the middleware, not yet started."""
        return Middleware(
            workload,
            profile=self.device,
            engine=self.engine,
            seed=seed,
            window=self.window(),
            parameters=dict(self.parameters),
            mode=self.mode,
        )

    def to_dict(self) -> dict:
        """Plain values, for the record of a run."""
        return asdict(self)
