"""How the twin below a scenario, or the real middleware, is run: engine, profile, window, parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property

from pmtwin.scenarios.nvm_middleware.native import NativeSettings, native_settings
from pmtwin.sim import Middleware, WindowSpec, engine_names
from pmtwin.sim.device.profile import Profile, load_profile
from pmtwin.sim.device.sampling import MAX_SPREAD, sample_profiles
from pmtwin.sim.errors import InputError, check_range, unknown_name
from pmtwin.sim.middleware import MODES
from pmtwin.sim.parameters import resolve
from pmtwin.sim.workload import Workload

THESIS_WINDOW_SECONDS = 1.0

NATIVE = "native"
"""The engine that is no twin: the real middleware."""

MOST_DEVICES = 1_000
"""Sampled devices of one twin."""


@dataclass(frozen=True)
class TwinSettings:
    """What does not change while a scenario runs.

    Args:
        engine: `compiled` or `simpy`; both give the same numbers. `native`: the real middleware, in real time.
        profile: name or path of the device profile.
        mode: `middleware`, or `direct` (no middleware: the clients access the memory themselves, pools are ignored).
        requests_per_window: completions of a window, what is in flight carried over; unused with the others.
        window_seconds: a window is this many seconds of the trace, all answered before the next begins.
        drain: the window of the thesis (section 3.4.3): `window_seconds` of 1 unless another is given.
        parameters: overrides of `pmtwin.sim.parameters`, by name.
        device_samples: so many plausible devices (`sample_profiles`), one of them for each run; 0: the profile itself.
        device_seed: which ones; samples of different seeds are independent.
        device_spread: factor on how far they lie from the profile.
        native: what the real middleware runs on, as an object or as its fields by name; of engine `native` only.

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
    device_samples: int = 0
    device_seed: int = 0
    device_spread: float = 1.0
    native: NativeSettings | Mapping | None = None

    def __post_init__(self):
        if self.engine not in (*engine_names(), NATIVE):
            raise unknown_name("engine", self.engine, (*engine_names(), NATIVE))
        if self.engine == NATIVE:
            object.__setattr__(self, "native", native_settings(self.native))
        elif self.native is not None:
            raise InputError("native", self.native, f"nothing unless the engine is {NATIVE}")
        if self.mode not in MODES:
            raise unknown_name("mode", self.mode, MODES)
        self.window()
        resolve(self.parameters)
        check_range("device_samples", self.device_samples, 0, MOST_DEVICES)
        check_range("device_seed", self.device_seed, 0, 2**63 - 1)
        check_range("device_spread", self.device_spread, 0.0, MAX_SPREAD)
        _ = self.devices

    def window(self) -> WindowSpec:
        """The window in the twin's own terms."""
        seconds = THESIS_WINDOW_SECONDS if self.drain and self.window_seconds is None else self.window_seconds
        return WindowSpec(requests=self.requests_per_window, seconds=seconds)

    @cached_property
    def device(self) -> Profile:
        """The profile, read once: the twin keeps its tables for as long as it is given the same one."""
        return load_profile(self.profile)

    @cached_property
    def devices(self) -> list[Profile]:
        """The sampled devices; the profile alone if there are no samples."""
        if not self.device_samples:
            return [self.device]
        return sample_profiles(self.device, self.device_samples, self.device_seed, self.device_spread)

    def middleware(self, workload: Workload, seed: int, device: int = 0) -> Middleware:
        """A twin of the middleware on device number `device`, or the real one; not yet started."""
        if self.native is not None:
            parameters = dict(self.parameters)
            return self.native.middleware(workload, self.devices[device], seed, self.window(), parameters, self.mode)
        return Middleware(
            workload,
            profile=self.devices[device],
            engine=self.engine,
            seed=seed,
            window=self.window(),
            parameters=dict(self.parameters),
            mode=self.mode,
        )

    def to_dict(self) -> dict:
        """Plain values, for the record of a run."""
        values = asdict(self)
        if self.native is None:  # nothing to tell: what was recorded before there was a native engine stays the same
            del values["native"]
        return values
