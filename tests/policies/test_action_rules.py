"""Rules of an operator: what they allow, what a minute allows, and what can be reached under them."""

from itertools import islice

import numpy as np
import pytest

from pmtwin.policies import Policy, PolicyContext
from pmtwin.policies.action_checker import REFUSED, SHORTENED, clock_of_windows
from pmtwin.policies.action_rules import ActionRules, StepBudget
from pmtwin.policies.checked import Checked
from pmtwin.policies.reachable import visit
from pmtwin.sim.control import Settings
from pmtwin.sim.errors import InputError

MOVES = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
SETTINGS = Settings.of("setting", {"cache": range(1, 11), "pages": [10, 100, 1000, 10000]}, moves=MOVES)
TEXT = """
[range]
cache = [2, 8]
[steps_per_minute]
cache = 3
[[forbidden]]
cache = [2, 3]
pages = [1000, 10000]
[[never]]
cache = 2
pages = 10000
"""


@pytest.fixture
def rules(tmp_path):
    """Text of a file -> the rules."""

    def read(text=TEXT):
        file = tmp_path / "rules.toml"
        file.write_text(text)
        return ActionRules.read(file, SETTINGS)

    return read


def test_an_action_leads_where_the_rules_allow_or_nowhere(rules):
    checker = rules()
    assert checker.after((4, 10), 1) == (5, 10)
    assert checker.after((8, 10), 1) == (8, 10), "beyond the range"
    assert checker.after((4, 1000), 2) == (4, 1000), "a forbidden combination"
    assert checker.after((3, 100), 3) == (3, 100)
    assert checker.after((4, 10), ()) == (4, 10)
    assert checker.refusal((3, 1000)) == "forbidden: cache 2 to 3, pages 1000 to 10000"


def test_a_jump_goes_as_far_as_a_minute_allows_and_a_move_not_at_all(rules):
    checker = rules()
    assert checker.after((2, 10), (8, 100)) == (5, 100), "three steps of the cache"
    assert checker.after((2, 10), (8, 100), (0, 10**9)) == (2, 100)
    assert checker.after((4, 10), 1, (0, 10**9)) == (4, 10)


def test_steps_of_the_last_minute_count_and_older_ones_do_not(rules):
    budget = StepBudget(rules())
    budget.note(0.0, (2, 10), (4, 100))
    budget.note(30.0, (4, 100), (5, 100))
    assert budget.left(31.0)[0] == 0 and budget.left(61.0)[0] == 2 and budget.left(91.0)[0] == 3


class Says(Policy):
    """Makes the actions that it is given, and keeps what was applied."""

    def start(self, context):
        self.seen = []

    def act(self, observation, info=None):
        return self.actions.pop(0)

    def observe(self, observation, action, reward, next_observation, done):
        self.seen.append(action)


def test_the_checker_stands_before_any_policy_and_tells_it_what_was_applied(rules):
    import gymnasium

    policy, now = Says(), [0.0]
    policy.actions = [1, 1, 1, 1, (2, 10), 0, np.array([6, 10]), 1]
    checked = Checked(policy, rules(), lambda: now[0])
    context = PolicyContext("s", 0, gymnasium.spaces.Discrete(5), settings=SETTINGS, initial=(4, 10))
    assert checked.start(context) is None
    applied, notes = [], []
    for step in range(8):
        now[0] = step * 10.0
        action = checked.act(np.zeros(1))
        checked.observe(np.zeros(1), action, 0.0, np.zeros(1), False)
        applied.append(action)
        notes.append(checked.note())
    assert applied == [1, 1, 1, 0, 0, 0, (6, 10), 1], "three steps a minute, which are free again after it"
    assert notes == ["", "", "", REFUSED, REFUSED, "", "", ""]
    assert policy.seen == applied and checked.refused == 2
    with pytest.raises(InputError, match="start: '9,10' is outside the range"):
        checked.start(PolicyContext("s", 0, gymnasium.spaces.Discrete(5), settings=SETTINGS, initial=(9, 10)))


class Begins(Says):
    """Begins at the setting that it is given."""

    def start(self, context):
        super().start(context)
        return self.first


def test_the_first_setting_counts_as_steps_from_the_one_that_the_system_has(rules):
    import gymnasium

    policy, now = Begins(), [0.0]
    checked = Checked(policy, rules(), lambda: now[0])
    context = PolicyContext("s", 0, gymnasium.spaces.Discrete(5), settings=SETTINGS, initial=(4, 10))
    policy.first, policy.actions = (6, 10), [1, 1, 1]
    assert checked.start(context) == (6, 10)
    assert [checked.act(np.zeros(1)) for _ in range(2)] == [1, 0], "three steps a minute, two of them made"
    now[0] = 61.0
    assert checked.act(np.zeros(1)) == 1
    policy.first = (8, 10)
    with pytest.raises(InputError, match="'8,10' is too far from 4,10: cache 4 steps away, allowed 3 a minute"):
        checked.start(context)
    policy.resumed = lambda: 5
    checked = Checked(policy, rules(), lambda: 0.0)
    assert checked.start(context) == (8, 10), "a stopped run left the system there"


def test_a_clock_of_windows_needs_no_other_time():
    clock = clock_of_windows(0.5)
    assert [clock() for _ in range(3)] == [0.0, 0.5, 1.0]


def test_a_clock_of_windows_does_not_drift():
    clock = clock_of_windows(0.1)
    assert list(islice(iter(clock, None), 100_001))[-1] == 10_000.0


def test_a_jump_too_far_is_shortened(rules):
    import gymnasium

    policy = Says()
    policy.actions = [(8, 10)]
    checked = Checked(policy, rules(), lambda: 0.0)
    checked.start(PolicyContext("s", 0, gymnasium.spaces.Discrete(5), settings=SETTINGS, initial=(2, 10)))
    assert checked.act(np.zeros(1)) == (5, 10) and checked.note() == SHORTENED


def test_every_reachable_setting_and_action_is_visited_and_counted(rules):
    visited = visit(rules(), (4, 10))
    assert visited.settings == 7 * 4 - 2 * 2
    assert visited.actions == visited.settings * (len(MOVES) + len(SETTINGS)) and visited.jumps
    assert visited.hole == () and visited.broken == ""


def test_what_cannot_be_reached_is_not_counted(rules):
    wall = "[steps_per_minute]\ncache = 1\n[[forbidden]]\ncache = 5\n"
    assert visit(rules(wall), (4, 10)).settings == 4 * 4, "a step is too short to pass the wall"
    assert visit(rules("[[forbidden]]\ncache = 5\n"), (4, 10)).settings == 9 * 4, "jumps pass it"


def test_a_planted_hole_is_found_with_the_way_to_it(rules):
    open_rules = rules(TEXT.replace("pages = [1000, 10000]\n[[never]]", "pages = 1000\n[[never]]"))
    visited = visit(open_rules, (4, 10))
    assert visited.hole[0] == (4, 10) and visited.hole[-1] == (2, 10000)
    assert visited.broken == "never: cache 2 to 2, pages 10000 to 10000"

    def leaky(setting, action):
        return (9, 1000) if (setting, action) == ((8, 1000), 1) else rules().after(setting, action)

    hole = visit(rules(), (4, 10), leaky)
    assert hole.hole[-2:] == ((8, 1000), (9, 1000)) and hole.broken == "range: cache 9, allowed 2 to 8"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[rnge]\ncache = [1, 2]\n", "did you mean 'range'"),
        ("[range]\ncahce = [1, 2]\n", "did you mean 'cache'"),
        ("[range]\ncache = [5, 2]\n", r"range: cache: \[5, 2\]"),
        ("[range]\ncache = [20, 30]\n", "a range with one of the values 1 to 10"),
        ("[steps_per_minute]\ncache = 0\n", "steps_per_minute: cache: 0"),
        ("[[forbidden]]\n", "forbidden: 'an empty table'"),
        ("forbidden = 3\n", r"tables, each written \[\[forbidden\]\]"),
        ("[range\n", "rules.toml"),
    ],
)
def test_rules_that_are_not_accepted_are_named(rules, text, message):
    with pytest.raises(InputError, match=message):
        rules(text)
