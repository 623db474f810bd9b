"""The thread pools of the NVM middleware as a Gymnasium environment: `pmtwin/NvmMiddleware-v2` (thesis section 3.4).

A step sets the pools (any pools, or with `jumps=False` those one move of Table 3.3 away), runs one window of requests
and returns the state (Table 3.2: threads, requests, bytes and shares, unscaled) and the reward (Algorithm 1). Where the
thesis leaves a choice open, it is a parameter:

- Window: 5,000 completions, requests in flight are carried over; or `drain=True`, its section 3.4.3: one second of
  the trace, all answered.
- Pools at the start of an episode: `initial_pools` (15,15, its baseline), or "random". An episode has `episode_steps`
  (Table D.3: 200) steps.
- A phase stays the same within an episode unless `phase_steps` or `set_context` changes it.
- Offered rates (`phases`), latency and throughput of the reward (`system`), and all its constants (`reward`).
"""

from __future__ import annotations

from typing import cast

from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.environments.making import make_environment
from pmtwin.scenarios.nvm_middleware.scenario import NvmMiddleware


def NvmMiddlewareEnv(**values) -> ControlEnv:  # noqa: N802 - the environment's class, to those who make one
    """Control of the two thread pools of the middleware.

    Args:
        values: `phase` (1 to 4, Appendix C), `initial_pools` ((interactive, batch) threads at reset, or "random"),
            `episode_steps`, `warmup_windows`, `mode` ("middleware", or "direct": none), and options of `NvmOptions`
            by name: `workload`, `engine`, `profile`, `requests_per_window`, `interactive_rate_ops`, `latency_goal_us`,
            ...; `twin`, `offered` and `reward_parameters` also as a whole.

    Raises:
        InputError: naming the argument that is not accepted.
    """
    return cast("ControlEnv", make_environment(NvmMiddleware, **values))
