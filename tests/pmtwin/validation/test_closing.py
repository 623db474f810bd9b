"""What runs is closed, also where a window fails."""

import pytest

from pmtwin.policies import make_policy
from pmtwin.scenarios.comparison.rollout import Block
from pmtwin.scenarios.environments.environment import ControlEnv
from pmtwin.scenarios.nvm_middleware.system import MiddlewareSystem
from pmtwin.validation import PREDICTED, Case, run_case
from pmtwin.validation.best_fixed import measure_round
from pmtwin.validation.checks import check_plan
from pmtwin.validation.search import Round
from tests.pmtwin.validation.made import DEFAULT, plan_of


@pytest.fixture
def closed(monkeypatch):
    """What has been closed, where no window works."""
    result, close = [], MiddlewareSystem.close

    def broken(system):
        raise OSError("no window")

    monkeypatch.setattr(MiddlewareSystem, "run_window", broken)
    monkeypatch.setattr(MiddlewareSystem, "close", lambda system: result.append(system) or close(system))
    return result


def test_a_run_whose_window_fails_closes_its_system(closed):
    plan = plan_of([Case("fixed:2,2", (Block(1, 2),))])
    with pytest.raises(OSError, match="no window"):
        run_case(plan, PREDICTED, plan.cases[0], 0, make_policy("fixed:2,2"))
    assert len(closed) == 1


def test_a_round_of_the_search_whose_window_fails_closes_its_system(closed):
    env = ControlEnv(DEFAULT, warmup_windows=1)
    with pytest.raises(OSError, match="no window"):
        measure_round(env, Round("grid", 1, ((2, 2),), 1, True), 0, lambda: None)
    assert len(closed) == 1 and env.system is None


def test_the_real_system_is_closed_where_it_does_not_start(closed, monkeypatch):
    class Side:
        """The side of a plan whose system opens but does not start."""

        preflight = staticmethod(lambda: DEFAULT)
        holding = staticmethod(lambda: pytest.MonkeyPatch.context())

    started = []

    def broken(system, setting):
        started.append(system)
        raise OSError("no start")

    monkeypatch.setattr(MiddlewareSystem, "start", broken)
    with pytest.raises(OSError, match="no start"):
        check_plan(plan_of([Case("fixed:2,2", (Block(1, 2),))]), Side)
    assert len(started) == 1 and started[0] in closed
