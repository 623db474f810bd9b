"""One conformance suite for every replay; what the file adds: discarding, other programs, files that do not fit."""

import sqlite3

import numpy as np
import pytest

from pmtwin.policies.network.replay import Ring, transition_type
from pmtwin.policies.network.replay_file import ReplayFile
from pmtwin.sim.errors import InputError

ROW = transition_type(3)
KINDS = ["ring", "file"]


def rows(first, count):
    """Rows whose reward is their number."""
    made = np.zeros(count, dtype=ROW)
    made["reward"] = np.arange(first, first + count)
    made["state"], made["after"] = made["reward"][:, None] + [0.0, 0.1, 0.2], made["reward"][:, None] + 1.0
    made["action"], made["discount"] = made["reward"] % 4, 0.99
    return made


def drawn(replay, count=500):
    return replay.sample(np.random.default_rng(0), count)


@pytest.fixture
def make(tmp_path):
    """(kind, capacity) -> a replay; the same file each time."""
    opened = []

    def made(kind, capacity=10):
        opened.append(Ring(ROW, capacity) if kind == "ring" else ReplayFile(tmp_path / "r.sqlite", ROW, capacity))
        return opened[-1]

    yield made
    for replay in opened:
        replay.close()


@pytest.mark.parametrize("kind", KINDS)
class TestEveryReplay:
    def test_gives_back_what_was_added(self, make, kind):
        replay = make(kind)
        replay.add(rows(0, 4))
        replay.add(rows(4, 3))
        assert len(replay) == replay.added == 7
        sample = drawn(replay)
        assert sample.dtype == ROW
        assert set(sample["reward"]) == set(range(7))
        np.testing.assert_array_equal(sample, rows(0, 7)[sample["reward"].astype(int)])

    def test_keeps_the_last_ones_only(self, make, kind):
        replay = make(kind)
        for first in range(0, 36, 3):
            replay.add(rows(first, 3))
        replay.add(rows(36, 0))
        assert (len(replay), replay.added) == (10, 36)
        assert set(drawn(replay)["reward"]) == set(range(26, 36))

    def test_keeps_the_end_of_more_rows_than_it_can_hold(self, make, kind):
        replay = make(kind)
        replay.add(rows(0, 5))
        replay.add(rows(5, 27))
        assert set(drawn(replay)["reward"]) == set(range(22, 32))

    def test_goes_on_from_a_state_as_if_nothing_had_been_added_since(self, make, kind):
        replay = make(kind)
        replay.add(rows(0, 17))
        state = replay.state()
        replay.add(rows(100, 9))
        replay.close()
        resumed = make(kind)
        resumed.restore(state)
        assert resumed.added == 17
        resumed.add(rows(17, 2))
        assert set(drawn(resumed)["reward"]) == set(range(9, 19))

    def test_refuses_to_draw_from_nothing(self, make, kind):
        with pytest.raises(InputError, match=r"replay.*0 rows"):
            drawn(make(kind))

    def test_refuses_a_state_whose_rows_are_not_there(self, make, kind):
        replay = make(kind)
        replay.add(rows(0, 4))
        with pytest.raises(InputError, match=r"4 .*rows"):
            replay.restore({"rows": rows(0, 4), "added": np.array(9)})


def test_all_kinds_draw_the_same_rows(make):
    ring, file = map(make, KINDS)
    for first in range(0, 26, 2):
        for replay in (ring, file):
            replay.add(rows(first, 2))
    np.testing.assert_array_equal(drawn(ring), drawn(file))


class TestFile:
    def test_rows_of_the_checkpoint_before_are_kept_until_the_next_one(self, make):
        """A stop between `state` and the file of the checkpoint leaves the one before."""
        replay, states = make("file"), []
        for first in range(0, 60, 12):
            replay.add(rows(first, 12))
            states.append(replay.state())
        replay.close()
        resumed = make("file")
        resumed.restore(states[-2])
        assert set(drawn(resumed)["reward"]) == set(range(38, 48))
        with sqlite3.connect(resumed.path) as file:
            assert file.execute("SELECT MIN(number), MAX(number) FROM transition").fetchone() == (38, 47)

    def test_a_live_system_goes_on_with_all_rows(self, make):
        replay = make("file")
        replay.add(rows(0, 8))
        replay.close()
        assert make("file").added == 8

    def test_other_programs_read_numbers_and_vectors(self, make):
        replay = make("file")
        replay.add(rows(0, 8))
        replay.state()
        with sqlite3.connect(replay.path) as file:
            mean, state = file.execute("SELECT AVG(reward), MAX(state) FROM transition").fetchone()
        assert mean == 3.5
        np.testing.assert_allclose(np.frombuffer(state, np.float32)[0] % 1.0, 0.0)

    def test_more_rows_than_a_statement_takes(self, make):
        replay = make("file", 5000)
        replay.add(rows(0, 5000))
        sample = drawn(replay, 3000)
        np.testing.assert_array_equal(sample, rows(0, 5000)[sample["reward"].astype(int)])

    def test_rows_of_another_type_are_refused(self, make):
        replay = make("file")
        with pytest.raises(InputError, match=r"replay file.*use another file"):
            ReplayFile(replay.path, transition_type(4), 10)

    @pytest.mark.parametrize("content", [b"no database at all, but text" * 100, None])
    def test_a_file_of_another_program_is_refused_and_left_alone(self, tmp_path, content):
        path = tmp_path / "theirs"
        if content is None:
            with sqlite3.connect(path) as file:
                file.execute("CREATE TABLE theirs (a)")
            file.close()
        else:
            path.write_bytes(content)
        before = path.read_bytes()
        with pytest.raises(InputError, match="replay file"):
            ReplayFile(path, ROW, 10)
        assert path.read_bytes() == before

    def test_a_folder_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(InputError, match=r"absent/r.sqlite.*existing folder"):
            ReplayFile(tmp_path / "absent" / "r.sqlite", ROW, 10)
