"""What decides: policies, one file each, without knowledge of any engine or scenario.

A policy sees observations, the measures of the last window and rewards; it returns an action of the scenario, or a
whole setting (pool sizes) to jump to. It is made from a *spec*, `NAME[:ARGUMENT]`:

    >>> from pmtwin.policies import make_policy, policy_names
    >>> policy_names()
    ['best-fixed', 'fixed', 'none', 'online-q', 'q-learning', 'random', 'threshold']
    >>> policy = make_policy("fixed:10,12")
    >>> policy.start(PolicyContext(seed=1))
    (10, 12)

An own policy is one class. Registered, it is listed, made by name, and run by the conformance suite
(`tests/policies/test_conformance.py`):

    from pmtwin.policies import Policy, register

    @register("always-grow")
    class AlwaysGrow(Policy):
        '''Adds a thread to both pools in every window.'''

        def act(self, observation, info=None):
            return 5

A class that lives elsewhere needs no registration: the spec `package.module:Class` or `package.module:Class:ARGUMENT`
imports it (from the Python path), as in `pmtwin evaluate nvm-middleware --policies none my_module:AlwaysGrow`.
"""

from pmtwin.policies.base import Action, Policy, PolicyContext
from pmtwin.policies.registry import make_policy, policy_class, policy_names, register

__all__ = ["Action", "Policy", "PolicyContext", "make_policy", "policy_class", "policy_names", "register"]
