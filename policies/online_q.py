"""Q-learning that goes on while it runs: Algorithm 2 on a live system, within limits that an operator can stand for.

- *Bounds*. Pools stay within those of the scenario, and an action that would leave them is not considered. A step
  changes each pool by one thread at most (Table 3.3).
- *Exploration* is rare (`EPSILON`) and of one step: the system is in use.
- *Fall-back*. After `BROKEN_WINDOWS` windows in a row that miss the service level the policy sets fixed pools and
  learns nothing, until the level has been kept for `KEPT_WINDOWS` in a row. It also goes back to learning after
  `REST_WINDOWS`, since a level that the fixed pools do not keep either is no reason to stay with them for good.
"""

from policies.base import Policy, PolicyContext
from policies.pools import DELTAS, KEEP, check_pools, parse_pools
from policies.registry import FIELD, register
from sim.errors import InputError

EPSILON = 0.02
BROKEN_WINDOWS = 20
KEPT_WINDOWS = 5
REST_WINDOWS = 100
FALL_BACK = (15, 15)
"""The baseline of thesis section 4.3, unless others are given."""


@register("online-q")
class OnlineQ(Policy):
    """A trained policy that goes on learning on the running system, within bounds, with fixed pools to fall back to.

    Args:
        argument: the file that `pmtwin train` wrote; `FILE@I,B` names the pools to fall back to (15,15).

    Raises:
        InputError: if that is no such file, or no such pools.
    """

    argument = "FILE[@I,B]"

    def __init__(self, argument: str):
        from policies.linear_q.files import load_model  # numba is loaded for this policy only

        self.path, at, pools = argument.rpartition("@")
        if not at:
            self.path = argument
        self.fall_back = parse_pools(f"{FIELD} online-q", pools) if at else FALL_BACK
        self.model, self.origin = load_model(self.path)
        self._trained = self.model.state()

    @property
    def spec(self):
        """`online-q:FILE@I,B`."""
        return f"{self.name}:{self.path}@{self.fall_back[0]},{self.fall_back[1]}"

    @property
    def files(self):
        """The trained file."""
        return (str(self.path),)

    def start(self, context: PolicyContext):
        """Begins with the scenario's own pools and what was trained, whatever earlier runs have learnt.

        Raises:
            InputError: if the file was trained for other actions or observations, or the pools are out of bounds.
        """
        from policies.linear_q import QLearner, QLearningParameters

        for field, trained, given in (
            ("action_count", len(self.model.choices), context.action_count),
            ("observation_size", len(self.model.feature_map.mean), context.observation_size),
        ):
            if trained != given:
                raise InputError(field, given, f"{trained}, which the policy was trained for", self.path)
        check_pools(self.spec, self.fall_back, context.pool_min, context.pool_max)
        self.model.restore(self._trained)
        self._learner = QLearner(self.model, QLearningParameters())
        self._random = context.generator()
        self._bounds = context.pool_min, context.pool_max
        self._goals = context.goals
        self._broken = self._kept = self._resting = self._steps = 0
        self._fallen, self._begun = False, False
        return

    def act(self, observation, info=None):
        """An action within bounds: greedy, or rarely random; the fixed pools while it has fallen back."""
        self._watch(info)
        pools = round(float(observation[0])), round(float(observation[1]))
        if self._fallen:
            return KEEP if pools == self.fall_back else self.fall_back
        allowed = [action for action, delta in enumerate(DELTAS) if self._within(pools, delta)]
        if self._random.random() < EPSILON:
            return int(self._random.choice(allowed))
        values = self.model.values(observation)
        return max(allowed, key=values.__getitem__)

    def observe(self, observation, action, reward, next_observation, done):
        """Learns from a step of its own; what the fixed pools showed is nobody's action."""
        if isinstance(action, tuple) or self._fallen:
            self._begun = False
            return
        if not self._begun:
            self._learner.begin(observation)
            self._begun = True
        self._steps += 1
        self._learner.learn(action, float(reward), next_observation, done)
        self.model.check_finite("while it ran")

    def save(self, path):
        """As `pmtwin train` writes it: `q-learning` and `online-q` go on from there."""
        from policies.linear_q.files import save_model

        return save_model(path, self.model, {**self.origin, "learnt_online_steps": self._steps})

    def _within(self, pools, delta):
        low, high = self._bounds
        return all(low <= size + change <= high for size, change in zip(pools, delta, strict=True))

    def _watch(self, info):
        """Falls back after many broken windows, and returns after some kept ones, or a long rest."""
        if not info or "p99_us" not in info:
            return
        late = info["p99_us"] > self._goals["latency_us"]
        met = not late and info["throughput_ops"] >= self._goals["throughput_ops"]
        self._broken, self._kept = (0, self._kept + 1) if met else (self._broken + 1, 0)
        if not self._fallen:
            self._fallen, self._resting = self._broken >= BROKEN_WINDOWS, 0
            return
        self._resting += 1
        if self._kept >= KEPT_WINDOWS or self._resting >= REST_WINDOWS:
            self._fallen, self._broken = False, 0
