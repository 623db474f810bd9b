"""Windows of a process under changing threads and loads: nothing is busier than all the time."""

import numpy as np
import pytest

from pmtwin.scenarios import load_scenario


@pytest.mark.parametrize("number", range(16))
def test_measures_of_windows_obey_the_laws(number):
    """Short windows, overload, more and fewer threads: what spans windows counts in each for its part.

    No more than 2,048 requests at once, for which the kernel is compiled once more (tests/sim/engines/test_room.py).
    """
    rng = np.random.default_rng([50, number])
    rate = float(10 ** rng.uniform(1.0, 2.5))
    values = {
        "miss_rate": float(rng.choice([0.0, 0.2, 0.9, 1.0])), "mu1_per_s": float(rate * 10 ** rng.uniform(-1, 1)),
        "servers": "shared" if number % 3 == 0 else "separate", "requests_per_window": 10 + 5 * number,
    }  # fmt: skip
    scenario = load_scenario("two-tier")
    engines = [scenario.of(engine=name, **values).system(rate, number) for name in ("simpy", "compiled")]
    for system in engines:
        system.start((4,))
    for _ in range(12):
        threads = (int(rng.integers(1, 9)),)
        for system in engines:
            system.run_window()
            system.apply(threads)
        specification, shown = (system.measures() for system in engines)
        assert shown == specification
        assert 0.0 <= shown["rho1"] <= 1.0 and 0.0 <= shown["rho2"] <= 1.0
        assert shown["rho2"] > 0.0 or shown["l2"] == 0.0


def test_the_windows_of_a_busy_process_are_never_busier_than_all_the_time():
    system, shares = load_scenario("two-tier").of(requests_per_window=500).system(150.0, 0), []
    system.start((4,))
    for _ in range(50):
        system.run_window()
        shares.append(system.measures()["rho2"])
    assert min(shares) > 0.5 and 0.99 < max(shares) <= 1.0
    assert np.mean(shares) == pytest.approx(150 * 0.2 / 33, abs=0.05)
