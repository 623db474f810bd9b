"""The twin below the scenario, or the real middleware: engine, profile, window, parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pmtwin.middleware.settings import NativeSettings, native_settings
from pmtwin.scenarios.nvm_middleware.model.pools import MODES, WINDOW_SECONDS, WindowSpec
from pmtwin.sim.device.profile import DEFAULT_PROFILE, Profile, load_profile
from pmtwin.sim.device.sampling import sample_profiles
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.host.file import (
    DEFAULT_HOST,
    HostFile,
    device_values,
    host_names,
    read_host,
    sample_hosts,
)
from pmtwin.sim.host.samples import SystemSamples
from pmtwin.sim.host.store import with_store_beside
from pmtwin.sim.load.workload import Workload
from pmtwin.sim.options import Options, option, option_again, plain
from pmtwin.sim.parameters.values import PARAMETERS, resolve

if TYPE_CHECKING:
    from pmtwin.scenarios.nvm_middleware.model.middleware import EngineFactory, Middleware

TWIN = "the twin"
"""Heading of the options."""

THESIS_WINDOW_SECONDS = 1.0

COMPILED = "compiled"
"""The engine of the twin whose windows can run together."""

NATIVE = "native"
"""The engine that is no twin: the real middleware."""


def engines() -> tuple[str, ...]:
    """Engines that can run the windows."""
    from pmtwin.scenarios.nvm_middleware.model.engines import engine_names

    return (*engine_names(), NATIVE)


@dataclass(frozen=True)
class TwinSettings(Options):
    """Settings that stay the same while a scenario runs.

    Args:
        engine: `compiled` or `simpy`; both give the same numbers. `analytic`: formulas, approximate. `native`: the real
            middleware, in real time.
        profile: name or path of the device profile.
        requests_per_window: completions of a window, requests in flight are carried over; unused with the others.
        window_seconds: a window is this many seconds of the trace, all answered before the next begins.
        drain: the window of the thesis (section 3.4.3): `window_seconds` of 1 unless another is given.
        parameters: overrides of `pmtwin.sim.parameters.values`, by name; `dimms` is otherwise what the profile was
            fitted to.
        host: file of parameters measured on a machine (`pmtwin probe --host`) or inferred (`pmtwin infer`), the name
            of a shipped one, or `assumed`, the defaults; `parameters` override it.
        host_samples: so many plausible hosts, joint draws of the file, one of them for each run; 0: its representative.
        host_seed: which ones.
        device_samples: so many plausible devices (`sample_profiles`), one of them for each run; 0: the profile itself.
        device_seed: which ones; samples of different seeds are independent.
        device_spread: factor on how far they lie from the profile.
        native: store and device of the real middleware; of engine `native` only.

    Raises:
        InputError: for a name that is unknown, a file that is no profile, or a value out of range.
    """

    engine: str = option(
        COMPILED,
        "execution engine: compiled or simpy (simulators, same results), analytic (formulas), native (real middleware)",
        choices=engines,
        metavar="NAME",
        group=TWIN,
    )
    profile: str = option(DEFAULT_PROFILE, "device profile", metavar="NAME|FILE", group=TWIN)
    requests_per_window: int = option(
        5000, "window length, in completed requests", metavar="N", group=TWIN, excludes=("drain", "window_seconds")
    )
    window_seconds: float | None = option(
        None,
        "window length, in seconds of the trace; all requests complete before the next window begins",
        low=WINDOW_SECONDS[0],
        high=WINDOW_SECONDS[1],
        unit="s",
        metavar="S",
        group=TWIN,
    )
    drain: bool = option(
        False,
        "window of the thesis: one second of the trace; all requests complete before the next window begins",
        group=TWIN,
    )
    parameters: Mapping[str, float] = option(
        default_factory=dict,
        choices=tuple(PARAMETERS),
        help="also a model parameter (pmtwin list parameters)",
        metavar="NAME=VALUE",
        group=TWIN,
        shown=False,
        open=True,
    )
    host: str = option(
        DEFAULT_HOST,
        f"host parameters: {', '.join(host_names())}, or a file of `pmtwin probe --host` or `pmtwin infer`; "
        "--set changes single ones",
        metavar="NAME|FILE",
        group=TWIN,
    )
    host_samples: int = option_again(SystemSamples, "host_samples")
    host_seed: int = option_again(SystemSamples, "host_seed")
    device_samples: int = option_again(SystemSamples, "device_samples")
    device_seed: int = option_again(SystemSamples, "device_seed")
    device_spread: float = option_again(SystemSamples, "device_spread")
    native: NativeSettings | None = None

    def __post_init__(self):
        if self.engine == NATIVE and not isinstance(self.native, NativeSettings):
            object.__setattr__(self, "native", native_settings(self.native))
        super().__post_init__()
        if self.engine != NATIVE and self.native is not None:
            raise ConflictError(
                "native", self.native, f"belongs to engine {NATIVE}; add --engine {NATIVE}, or remove this option"
            )
        if self.engine == "analytic" and self.window().seconds is not None:
            raise InputError("engine", self.engine, "compiled or simpy with drained windows (window_seconds, drain)")
        self.window()
        for values in self.hosts:
            resolve(values)
        _ = self.devices

    @cached_property
    def host_file(self) -> HostFile | None:
        """The host's parameters, those of its store as fitted beside the profile; None for the defaults."""
        host = read_host(self.host)
        return host if host is None else with_store_beside(host, self.device.name)

    @property
    def values(self) -> dict[str, float]:
        """Name -> value of the parameters that are not as by default: those of the device, which those of the host
        replace, which those set by hand replace."""
        return {**device_values(self.device), **(self.host_file.values if self.host_file else {}), **self.parameters}

    @cached_property
    def hosts(self) -> list[dict[str, float]]:
        """`values` of each sampled host; those of the representative alone if there are no samples."""
        if not self.host_samples:
            return [self.values]
        drawn = sample_hosts(self.host_file, self.host_samples, self.host_seed)
        return [{**device_values(self.device), **values, **self.parameters} for values in drawn]

    @cached_property
    def samples(self) -> SystemSamples:
        """Which hosts and devices are sampled."""
        return SystemSamples(**{name: getattr(self, name) for name in SystemSamples.__dataclass_fields__})

    def values_of(self, sample: int, context: Mapping[str, float] | None = None) -> dict[str, float]:
        """`values` of joint sample number `sample`: hosts are taken in turn, as devices are.

        Args:
            context: parameters of a context, which go before the host's and behind those set by hand.
        """
        return {**self.hosts[sample % len(self.hosts)], **(context or {}), **self.parameters}

    def device_of(self, sample: int) -> Profile:
        """The device of joint sample number `sample`."""
        return self.devices[sample % len(self.devices)]

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

    def middleware(
        self,
        workload: Workload,
        seed: int,
        device: int = 0,
        mode: str = MODES[0],
        engine: EngineFactory | None = None,
        values: Mapping[str, float] | None = None,
    ) -> Middleware:
        """A twin of the middleware of joint sample number `device`, or the real one; not yet started.

        Args:
            mode: `middleware`, or `direct` (the clients access the memory themselves, pools are ignored).
            engine: instead of the twin's own.
            values: of `values_of`; None: those without a context.
        """
        if self.native is not None:
            return self.native.middleware(
                workload, self.device_of(device), seed, self.window(), self.values_of(device), mode
            )
        from pmtwin.scenarios.nvm_middleware.model.middleware import Middleware

        return Middleware(
            workload,
            profile=self.device_of(device),
            engine=engine or self.engine,
            seed=seed,
            window=self.window(),
            parameters=self.values_of(device) if values is None else values,
            mode=mode,
        )

    def to_dict(self) -> dict:
        """Plain values, for the record of a run."""
        values = plain(self) | {"parameters": self.values}
        if values["native"] is None:  # as it was recorded before there was such an option
            del values["native"]
        if not self.host_samples:
            del values["host_samples"], values["host_seed"]
        return values
