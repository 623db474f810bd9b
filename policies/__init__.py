"""Policies, one file each, without knowledge of any engine or scenario.

A policy sees observations, the measures of the last window and rewards; it returns an action of the scenario, or a
whole setting to jump to. It is made from a *spec*, `NAME[:KEY=VALUE,...]`:

    >>> from pmtwin.policies import make_policy, policy_names
    >>> "threshold" in policy_names()
    True
    >>> make_policy("fixed:setting=10,12").spec
    'fixed:10,12'

A user's policy is one class (see `Policy`), found by `FILE.py:Class` or `package.module:Class`. Registered, a
policy is listed, made by name, and run by the conformance suite (`tests/policies/test_conformance.py`):

    from pmtwin.policies import Policy, register

    @register("last-action")
    class LastAction(Policy):
        '''The last of the numbered actions, always.'''

        def start(self, context):
            self.last = context.action_count - 1

        def act(self, observation, info=None):
            return self.last
"""

from pmtwin.policies.agent import Agent
from pmtwin.policies.base import Action, Policy, PolicyContext, Setting
from pmtwin.policies.data_placement import DataPlacement
from pmtwin.policies.inline import Choice, InlinePolicy, Replacement
from pmtwin.policies.migration import Migration
from pmtwin.policies.placement import Placement
from pmtwin.policies.points import make_policy
from pmtwin.policies.registry import (
    describe,
    policy_class,
    policy_kinds,
    policy_names,
    register,
)
from pmtwin.policies.training.policy_training import PolicyTraining, Table, Task, Trained
from pmtwin.policies.trainings import trainable_names, training_options
from pmtwin.policies.write_placement import WritePlacement
from pmtwin.sim.options import Options, option

__all__ = [
    "Action",
    "Agent",
    "Choice",
    "DataPlacement",
    "InlinePolicy",
    "Migration",
    "Options",
    "Placement",
    "Policy",
    "PolicyContext",
    "PolicyTraining",
    "Replacement",
    "Setting",
    "Table",
    "Task",
    "Trained",
    "WritePlacement",
    "describe",
    "make_policy",
    "option",
    "policy_class",
    "policy_kinds",
    "policy_names",
    "register",
    "trainable_names",
    "training_options",
]
