"""Windows: how many requests each releases, when it ends, what it leaves behind."""

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.sim import ClassWorkload, InputError, Workload
from tests.sim.devices import ROUND, Unshared, ideal


def two(interactive_rate: float | None, batch_rate: float | None, clients: int = 200) -> Workload:
    def class_load(rate):
        return ClassWorkload(clients, 0.5, 64, 64, rate)

    return Workload("two", class_load(interactive_rate), class_load(batch_rate))


def released(middleware: Middleware, windows: int, ahead: int = 200) -> list[tuple[int, int]]:
    """(interactive, batch) requests that each window releases, without the `ahead` of each class that run ahead."""
    releases = []
    engine = middleware._engine
    original = engine.run_window

    def record(completions, release):
        releases.append(tuple(release))
        return original(completions, release)

    engine.run_window = record
    for _ in range(windows):
        middleware.run_window()
    releases[0] = tuple(part - ahead for part in releases[0])
    return releases


@pytest.mark.parametrize("requests", [10, 333, 2_000])
def test_a_window_is_exactly_as_many_completions(paced, requests):
    twin = Middleware(paced, window=WindowSpec(requests=requests))
    twin.start(8, 8)
    for _ in range(3):
        assert twin.run_window().completed == len(twin.latencies()[0]) == requests


def test_classes_get_their_share_of_each_window_and_the_rest_is_carried():
    """Two to one of 10 requests is 6.67: over windows it comes out even."""
    twin = Middleware(two(200_000.0, 100_000.0), window=WindowSpec(requests=10))
    twin.start(8, 8)
    assert released(twin, 6) == [(7, 3), (6, 4), (7, 3), (7, 3), (6, 4), (7, 3)]


def test_shares_are_right_in_the_long_run():
    twin = Middleware(two(70_000.0, 1_000.0), window=WindowSpec(requests=50))
    twin.start(8, 8)
    interactive = np.cumsum([release[0] for release in released(twin, 142)])
    exact = 50 * 70 / 71 * np.arange(1, 143)
    assert np.all(np.abs(interactive - exact) <= 0.5 + 1e-9)


@pytest.mark.parametrize("engine", ["simpy", "compiled"])
def test_what_is_in_flight_is_carried_over(paced, engine):
    """With too few workers the clients of a class are all waiting at the end of a window, and answered in the next."""
    twin = Middleware(paced, engine=engine, window=WindowSpec(requests=400))
    twin.start(12, 1)
    for _ in range(6):
        twin.run_window()
    interactive, batch = twin._engine.outstanding()
    assert 190 <= batch <= 200  # but for those whose answer is on its way
    assert interactive <= 12  # but for those in service all of them are answered: the class is held up, not overloaded
    first = twin.latencies()[1][twin.latencies()[0] == 1][0]
    assert first > 1e6 * 100 / twin.get_stats().batch_ops  # it had a hundred others before it


def test_a_slow_class_holds_up_the_other(paced):
    """Both keep to the proportion of the trace once the lead of one request a client is used up."""
    twin = Middleware(paced, window=WindowSpec(requests=2_000))
    twin.start(16, 1)
    stats = [twin.run_window() for _ in range(6)]
    assert stats[0].interactive_ops > 1.1 * stats[0].batch_ops
    assert stats[-1].interactive_ops == pytest.approx(stats[-1].batch_ops, rel=0.02)
    assert stats[-1].interactive_ops < 0.3 * 150_000.0


def test_a_trace_behind_its_schedule_goes_on_from_now(paced):
    """A class that was kept waiting does not catch up: with workers enough it is back at its offered rate at once."""
    twin = Middleware(paced, window=WindowSpec(requests=4_000))
    twin.start(10, 1)
    for _ in range(4):
        twin.run_window()
    twin.resize(9, 9)
    twin.run_window()
    rates = [twin.run_window().batch_ops for _ in range(5)]
    assert max(rates) < 1.15 * 150_000.0


def test_a_closed_loop_ends_a_window_with_its_clients_still_at_it(closed):
    twin = Middleware(closed, window=WindowSpec(requests=500))
    twin.start(4, 4)
    for _ in range(3):
        twin.run_window()
        assert np.all(twin._engine.outstanding() > 4)


def test_time_goes_on_from_window_to_window(closed):
    """Cut into five or in one piece, a closed loop answers the same requests at the same times."""
    pieces, whole = (Middleware(closed, window=WindowSpec(requests=requests)) for requests in (200, 1_000))
    for twin in (pieces, whole):
        twin.start(6, 3)
    parts = [(pieces.run_window(), pieces.latencies()[1])[1] for _ in range(5)]
    whole.run_window()
    assert np.concatenate(parts).tolist() == whole.latencies()[1].tolist()


@pytest.mark.parametrize("engine", ["simpy", "compiled"])
def test_a_drained_window_answers_all_that_it_released(engine):
    twin = Middleware(two(150_000.0, 50_000.0), engine=engine, window=WindowSpec(seconds=0.002))
    twin.start(2, 8)
    for _ in range(3):
        stats = twin.run_window()
        assert stats.completed == 400
        assert np.bincount(twin.latencies()[0]).tolist() == [300, 100]
        assert twin._engine.outstanding().tolist() == [0, 0]
        assert twin._engine.unreleased().tolist() == [0, 0]


def test_an_overloaded_drained_window_lasts_until_the_last_answer():
    """One worker at 10,009.8 + 1,003.4 + 164 ns a request: 100 requests take 100 times that, after the first gap."""
    load = ClassWorkload(200, 0.0, 64, 64, 100_000.0, interarrival_cov=0.0)
    off = ClassWorkload(0, 0.0, 64, 64, 1.0)
    twin = Middleware(
        Workload("slow", load, off), ideal(Unshared, 100.0), parameters=ROUND, window=WindowSpec(seconds=0.001)
    )
    twin.start(1, 1)
    service_ns = 10_000 * (1 + (2 / 64) ** 2) + 1_003.2 * (1 + (1 / 64) ** 2) + 164
    assert twin.run_window().duration_s == pytest.approx((10_000 + 100 * service_ns) * 1e-9, rel=1e-9)


@pytest.mark.parametrize("rates", [(None, None), (None, 1e5), (1e5, None)])
def test_a_closed_loop_has_nothing_to_drain(rates, paced):
    drained = WindowSpec(seconds=0.01)
    with pytest.raises(InputError, match=r"^window_seconds 0.01 does not go with a closed loop"):
        Middleware(two(*rates), window=drained)
    running = Middleware(paced, window=drained)
    running.start(4, 4)
    with pytest.raises(InputError, match="closed loop"):
        running.set_workload(two(*rates))


def test_a_drained_window_without_a_single_request_is_refused():
    with pytest.raises(InputError, match=r"^window_seconds: 0\.0001 .* 20 a second"):
        Middleware(two(10.0, 10.0), window=WindowSpec(seconds=1e-4))


@pytest.mark.parametrize("engine", ["simpy", "compiled"])
def test_a_phase_with_fewer_clients_lets_the_surplus_finish(engine):
    many, few = two(None, None, clients=60), two(None, None, clients=3)
    twin = Middleware(many, engine=engine, window=WindowSpec(requests=200), parameters={"client_wakeup_ns": 0})
    twin.start(2, 2)
    twin.run_window()
    assert twin._engine.outstanding().sum() == pytest.approx(120, abs=2)
    twin.set_workload(few)
    twin.run_window()
    assert twin._engine.outstanding().sum() <= 6
    twin.set_workload(many)
    twin.run_window()
    assert twin._engine.outstanding().sum() == pytest.approx(120, abs=2)


def test_another_window_may_follow(paced):
    twin = Middleware(paced, window=WindowSpec(requests=100))
    twin.start(8, 8)
    assert twin.run_window().completed == 100
    twin.window = WindowSpec(requests=300)
    assert twin.run_window().completed == 300
