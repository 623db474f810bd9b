"""The thread pools of the NVM middleware (the thesis): workloads, phases, reward, and the systems that run them."""

from pmtwin.scenarios.nvm_middleware.environment import NvmMiddlewareEnv
from pmtwin.scenarios.nvm_middleware.options import NvmOptions
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware

__all__ = ["NvmMiddleware", "NvmMiddlewareEnv", "NvmOptions"]
