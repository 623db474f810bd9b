"""Whether the real middleware of a plan would start: asked by starting it, before the twin has run for minutes."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from pmtwin.scenarios.nvm_middleware import NvmMiddlewareEnv
from pmtwin.scenarios.rollout import Block
from pmtwin.scenarios.validation.runs import MEASURED, Case, ValidationPlan
from pmtwin.sim.errors import MissingDependencyError


def check_starts(plan: ValidationPlan) -> None:
    """Start and stop the middleware under each workload and phase that the plan will run; leaves nothing behind.

    An emulated device whose dilation is chosen from the load always starts, so that its tables, which take seconds, are
    not made for it: the rest is tried without them.

    Raises:
        InputError: a dilation at which the emulation would lie, a pool that cannot be opened or made, an unknown queue,
            a processor or a node that workers cannot be placed on.
    """
    native = plan.measured["native"]
    if native.store == "emulated" and native.dilation is None:
        plan = replace(plan, measured={**plan.measured, "native": replace(native, store="null")})
    with native.own_pool(), suppress(MissingDependencyError):  # whether it is built is asked later
        for env in _environments(plan):
            env.check_engine()
            middleware = env.twin.middleware(env.workload, 0)
            middleware.start(1, 1)
            middleware.stop()


def _environments(plan: ValidationPlan) -> Iterable[NvmMiddlewareEnv]:
    """One for each workload and each phase."""
    loads = dict.fromkeys((case.workload, block.phase) for case in plan.cases for block in case.schedule)
    for workload, phase in loads:
        yield plan.environment(MEASURED, Case("fixed:1,1", (Block(phase, 1),), workload))
