"""The thread pools of the NVM middleware (the thesis): workloads, phases, reward, and the systems that run them."""

from pmtwin.scenarios.nvm_middleware.environment import POOL_MAX, POOL_MIN, NvmMiddlewareEnv, check_pools

__all__ = ["POOL_MAX", "POOL_MIN", "NvmMiddlewareEnv", "check_pools"]
