"""The thread pools of the NVM middleware (the thesis): workloads, phases, reward, and the systems that run them."""

from pmtwin.sim.common.lazy import lazy_names

_HOMES = {
    "NvmMiddleware": "pmtwin.scenarios.nvm_middleware.scenario",
    "NvmMiddlewareEnv": "pmtwin.scenarios.nvm_middleware.environment",
    "NvmOptions": "pmtwin.scenarios.nvm_middleware.options",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazy_names("pmtwin.scenarios.nvm_middleware", _HOMES)
