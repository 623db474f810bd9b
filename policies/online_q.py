"""Q-learning that goes on while it runs: Algorithm 2 on a live system, within limits that an operator can stand for.

- *Bounds*. No action leaves the bounds, nor changes a pool by more than the largest step (`OnlineLimits`); actions
  change one thread (Table 3.3), and the way to the pools to fall back to is walked in steps.
- *Exploration* is rare (`EPSILON`) and of one step: the system is in use.
- *Fall-back*. After so many windows in a row that miss the service level the policy goes to fixed pools and learns
  nothing, until the level has been kept for so many in a row. If those pools do not keep it either it stays there:
  nothing is tried out on a system whose service level is broken. What it did is noted window by window (`note`).
"""

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.online_limits import OnlineLimits
from pmtwin.policies.pools import DELTAS, KEEP, check_pools
from pmtwin.policies.registry import FIELD, register
from pmtwin.sim.errors import InputError

EPSILON = 0.02

FALL_BACK, CLIPPED, EXPLORED = "fall-back", "clipped", "explored"
"""Notes: the fixed pools, or the way there; the best action would have left the bounds; a random one."""


@register("online-q")
class OnlineQ(Policy):
    """A trained policy that goes on learning on the running system, within bounds, with fixed pools to fall back to.

    Args:
        argument: the file that `pmtwin train` wrote, and after an @ what `OnlineLimits.parse` reads:
            `q.npz@9,8+bounds=2,2:16,16+step=2`.

    Raises:
        InputError: if that is no such file, or no such limits.
    """

    argument = "FILE[@I,B][+LIMIT=VALUE...]"

    def __init__(self, argument: str):
        from pmtwin.policies.linear_q.files import load_model  # numba is loaded for this policy only

        path, at, limits = argument.rpartition("@")
        self.path = path if at else argument
        self.limits = OnlineLimits.parse(limits, f"{FIELD} online-q") if at else OnlineLimits()
        self.model, self.origin = load_model(self.path)
        self._trained = self.model.state()

    @property
    def spec(self):
        """`online-q:FILE@I,B+LIMIT=VALUE...`."""
        return f"{self.name}:{self.path}@{self.limits}"

    @property
    def files(self):
        """The trained file."""
        return (str(self.path),)

    def start(self, context: PolicyContext):
        """Begins with the pools to fall back to and what was trained, whatever earlier runs have learnt.

        Raises:
            InputError: if the file was trained for other actions or observations, or the pools are out of bounds.
        """
        from pmtwin.policies.linear_q import QLearner, QLearningParameters

        for field, trained, given in (
            ("action_count", len(self.model.choices), context.action_count),
            ("observation_size", len(self.model.feature_map.mean), context.observation_size),
        ):
            if trained != given:
                raise InputError(field, given, f"{trained}, which the policy was trained for", self.path)
        check_pools(self.spec, self.limits.fall_back, context.pool_min, context.pool_max)
        self.model.restore(self._trained)
        self._learner = QLearner(self.model, QLearningParameters())
        self._random = context.generator()
        self._sizes = range(context.pool_min, context.pool_max + 1)
        self._goals = context.goals
        self._broken = self._kept = self._steps = 0
        self._fallen, self._begun, self._note = False, False, ""
        return self.limits.fall_back

    def act(self, observation, info=None):
        """An action within bounds: greedy, or rarely random; the fixed pools while it has fallen back."""
        self._watch(info)
        self._note = FALL_BACK if self._fallen else ""
        pools = round(float(observation[0])), round(float(observation[1]))
        target = self.limits.fall_back if self._fallen else self.limits.clipped(pools)
        if self._fallen or pools != target:
            return KEEP if pools == target else self.limits.towards(pools, target)
        allowed = [action for action, delta in enumerate(DELTAS) if self._within(pools, delta)]
        if self._random.random() < EPSILON:
            self._note = EXPLORED
            return int(self._random.choice(allowed))
        values = self.model.values(observation)
        best = max(allowed, key=values.__getitem__)
        self._note = CLIPPED if values.max() > values[best] else ""
        return best

    def note(self):
        """One of `FALL_BACK`, `CLIPPED`, `EXPLORED`, or nothing."""
        return self._note

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
        from pmtwin.policies.linear_q.files import save_model

        return save_model(path, self.model, {**self.origin, "learnt_online_steps": self._steps})

    def _within(self, pools, delta):
        changed = tuple(size + change for size, change in zip(pools, delta, strict=True))
        return self.limits.within(changed) and all(size in self._sizes for size in changed)

    def _watch(self, info):
        """Falls back after many broken windows, and returns after some kept ones."""
        if not info or "p99_us" not in info:
            return
        late = info["p99_us"] > self._goals["latency_us"]
        met = not late and info["throughput_ops"] >= self._goals["throughput_ops"]
        self._broken, self._kept = (0, self._kept + 1) if met else (self._broken + 1, 0)
        if self._fallen:
            self._fallen = self._kept < self.limits.resume_after
        else:
            self._fallen = self._broken >= self.limits.fall_back_after
