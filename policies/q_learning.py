"""The thesis' Q-learning, trained by `pmtwin train` and saved: acts greedily on its linear action values."""

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.sim.errors import InputError


@register("q-learning")
class QLearning(Policy):
    """The action of the highest value in the state observed (Algorithm 2 without exploration and without learning).

    Args:
        argument: the file that `pmtwin train` wrote.

    Raises:
        InputError: if that is no such file.
    """

    argument = "FILE"

    def __init__(self, argument: str):
        from pmtwin.policies.linear_q.files import load_model  # numba is loaded for this policy only

        self.path = argument
        self.model, self.origin = load_model(argument)

    @property
    def spec(self):
        """`q-learning:FILE`."""
        return f"{self.name}:{self.path}"

    @property
    def files(self):
        """The trained file."""
        return (str(self.path),)

    def start(self, context: PolicyContext):
        """Begins with the scenario's own pools.

        Raises:
            InputError: if the file was trained for another scenario, other actions or other observations.
        """
        columns, actions = len(self.model.feature_map.mean), len(self.model.choices)
        for field, trained, given in (
            ("scenario", self.origin.get("scenario", context.scenario), context.scenario),
            ("action_count", actions, context.action_count),
            ("observation_size", columns, context.observation_size),
        ):
            if trained != given:
                raise InputError(field, given, f"{trained}, which the policy was trained for", self.path)

    def act(self, observation, info=None):
        """The greedy action."""
        return self.model.greedy(observation)

    def exported(self, context: PolicyContext):
        """The features' map and the weights, after the checks of `start`."""
        self.start(context)
        return {"kind": "linear-q", **self.model.to_dict(), "origin": self.origin}
