"""What reads and streamed writes of the remote node cost beside each other."""

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.scenarios.nvm_middleware.model.service.remote_mixes import MANY_THREADS, WRITE_SHARES, mix_factors
from pmtwin.sim import ClassWorkload, Workload

MOST = 24


def test_only_mixes_of_several_threads_take_longer():
    factors = mix_factors(5.0, MOST)
    threads, writers = np.arange(2, MOST + 1), np.arange(1, MOST)
    assert np.all(factors[:2] == 1.0) and np.all(factors[threads, threads] == 1.0) and np.all(factors[:, 0] == 1.0)
    assert np.all(factors[MOST, writers] > 1.0)
    assert factors.max() == factors[4, 1] == factors[MOST, MOST // 3] == 5.0
    assert factors[2, 1] < factors[int(MANY_THREADS), 2] == factors[MOST, MOST // 2]


def test_a_factor_of_one_changes_nothing():
    assert np.all(mix_factors(1.0, MOST) == 1.0)


def test_published_shares_of_the_local_bandwidth_come_back():
    """FAST'20 figure 17, four threads: remote over local bandwidth of 4:1, 3:1, 2:1 and 1:1, within a quarter.

    The factors of reads and writes alone are those of the parameters (PerMA-Bench).
    """
    read, write = 1.17, 1.52
    remote_over_local = {0.2: 4.773 / 13.841, 0.25: 2.190 / 12.750, 1 / 3: 1.743 / 10.406, 0.5: 1.951 / 6.899}
    for share, expected in remote_over_local.items():
        factor = 1.0 + (4.6 - 1.0) * np.interp(share, WRITE_SHARES, _shape())
        alone = (1.0 - share) * read + share * write
        assert 1.0 / (alone * factor) == pytest.approx(expected, rel=0.25)


def _shape() -> np.ndarray:
    many = 60
    return [mix_factors(2.0, many)[many, round(share * many)] - 1.0 for share in WRITE_SHARES]


@pytest.mark.parametrize(("mode", "slower"), [("direct", True), ("middleware", False)])
def test_streamed_writes_beside_reads_are_slower_without_a_middleware_only(mode, slower):
    reads, writes = ClassWorkload(24, 0.0, 4096, 4096), ClassWorkload(24, 1.0, 4096, 4096)

    def written_ops(factor: float) -> float:
        twin = Middleware(
            Workload("mix", reads, writes), window=WindowSpec(requests=2_000), mode=mode,
            parameters={"remote_mix_factor": factor, "kv_contention_threads": 64, "spinning_clients": 0},
        )  # fmt: skip
        twin.start(16, 16)
        return twin.run_window().batch_ops

    ratio = written_ops(10.0) / written_ops(1.0)
    assert ratio < 0.6 if slower else ratio == 1.0
