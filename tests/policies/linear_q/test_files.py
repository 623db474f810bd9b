"""Saved policies: the same actions and bytes back, and every kind of bad file refused in one line."""

import json
import zipfile

import gymnasium
import numpy as np
import pytest

from pmtwin.policies import make_policy
from pmtwin.policies.linear_q import FeatureMap, LinearQ, ModelChoice, SgdSettings, load_model, save_model
from pmtwin.sim.control import Column
from pmtwin.sim.errors import InputError

LOG_COLUMNS = (True,) * 6 + (False,) * 2
"""Table 3.2: two pools, two queues and two block sizes are counts or sizes; two write ratios are shares."""

ORIGIN = {"scenario": "nvm-middleware", "profile": "optane-dcpmm-100", "seed": 3, "version": "0.1.0"}


def some_states(count=100):
    random = np.random.default_rng(0)
    return np.column_stack(
        [random.integers(1, 33, (count, 2)), random.uniform(0, 9000, (count, 4)), random.random((count, 2))]
    )


@pytest.fixture
def model():
    feature_map = FeatureMap.fit(some_states(), 3, LOG_COLUMNS)
    made = LinearQ(feature_map, [ModelChoice(2, SgdSettings(alpha=0.01))] * 4 + [ModelChoice(3)] * 5)
    made.weights[:] = np.random.default_rng(1).normal(size=made.weights.shape)
    return made


@pytest.fixture
def path(model, tmp_path):
    return save_model(tmp_path / "policy.npz", model, ORIGIN)


def test_what_is_loaded_is_what_was_saved(model, path):
    loaded, origin = load_model(path)
    assert origin == ORIGIN
    assert loaded.choices == model.choices
    for name, array in model.state().items():
        assert array.tobytes() == loaded.state()[name].tobytes()
    assert [loaded.greedy(state) for state in some_states()] == [model.greedy(state) for state in some_states()]


def test_the_same_model_gives_the_same_bytes(model, path, tmp_path):
    assert save_model(tmp_path / "again.npz", model, ORIGIN).read_bytes() == path.read_bytes()


def test_the_policy_acts_as_the_model(toy, model, path):
    policy = make_policy(f"q-learning:{path}")
    assert policy.start(toy.context()) is None
    assert [policy.act(state) for state in some_states()] == [model.greedy(state) for state in some_states()]
    assert policy.origin["profile"] == "optane-dcpmm-100"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scenario": "page-cache"}, "scenario.*nvm-middleware"),
        ({"action_space": gymnasium.spaces.Discrete(5)}, "action_count.*9"),
        ({"columns": (Column("a", 0.0, 1.0),) * 4}, "observation_size.*8"),
    ],
)
def test_a_policy_of_another_scenario_is_refused(toy, path, changes, message):
    with pytest.raises(InputError, match=message):
        make_policy(f"q-learning:{path}").start(toy.context(**changes))


def refused(path, match="pmtwin train"):
    with pytest.raises(InputError, match=match) as caught:
        make_policy(f"q-learning:{path}")
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)


def test_absent_empty_and_foreign_files_are_refused(tmp_path):
    refused(tmp_path / "absent.npz", "existing file")
    refused(tmp_path)
    contents = {
        "empty.npz": b"",
        "text.npz": b"not a policy\n",
        "json.npz": json.dumps(ORIGIN).encode(),
        "binary.npz": bytes(range(256)) * 20,
        "zip.npz": b"PK\x03\x04" + bytes(100),
        "pickle.npz": b"\x80\x04\x95\x0c\x00\x00\x00\x00\x00\x00\x00\x8c\x08builtins.",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        refused(tmp_path / name)


def test_every_truncation_is_refused(path, tmp_path):
    content = path.read_bytes()
    for length in [*range(1, len(content), len(content) // 40), len(content) - 1]:
        short = tmp_path / "short.npz"
        short.write_bytes(content[:length])
        refused(short)


def test_a_changed_byte_of_the_weights_is_noticed(path, tmp_path):
    content = bytearray(path.read_bytes())
    middle = content.index(b"weights.npy") + 400
    content[middle] ^= 0xFF
    (tmp_path / "flipped.npz").write_bytes(bytes(content))
    refused(tmp_path / "flipped.npz")


def test_arrays_of_another_program_are_refused(tmp_path):
    np.savez(tmp_path / "other.npz", weights=np.zeros(3))
    refused(tmp_path / "other.npz")
    np.save(tmp_path / "array.npy", np.zeros(3))
    refused(tmp_path / "array.npy")
    np.savez(tmp_path / "objects.npz", header=np.array([{"a": 1}], dtype=object))
    refused(tmp_path / "objects.npz")


def rewritten(path, tmp_path, change_header=lambda header: None, **changed):
    """The file with another header or other arrays."""
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(str(arrays["header"]))
    change_header(header)
    arrays |= {"header": np.array(json.dumps(header))} | changed
    arrays = {name: array for name, array in arrays.items() if array is not None}
    np.savez(tmp_path / "changed.npz", **arrays)
    return tmp_path / "changed.npz"


def test_headers_and_arrays_that_do_not_fit_are_refused(path, tmp_path):
    refused(rewritten(path, tmp_path, lambda header: header.update(schema=99)), "schema 1")
    refused(rewritten(path, tmp_path, lambda header: header.update(format="other")), "pmtwin-linear-q")
    refused(rewritten(path, tmp_path, lambda header: header.update(degree=7)), "degree")
    refused(rewritten(path, tmp_path, lambda header: header.pop("choices")))
    refused(rewritten(path, tmp_path, lambda header: header["choices"][0].update(loss="hinge")), "loss")
    refused(rewritten(path, tmp_path, weights=None))
    refused(rewritten(path, tmp_path, weights=np.zeros((3, 9))), "weights")
    refused(rewritten(path, tmp_path, intercepts=np.full(9, np.nan)), "finite")
    refused(rewritten(path, tmp_path, scale=np.zeros(8)), "scale")
    assert load_model(rewritten(path, tmp_path))[1] == ORIGIN  # only what was changed is refused


def test_an_unwritable_place_is_refused_and_nothing_is_left(model, tmp_path):
    with pytest.raises(InputError, match="existing directory"):
        save_model(tmp_path / "absent" / "policy.npz", model, ORIGIN)
    assert list(tmp_path.iterdir()) == []


def test_the_file_holds_no_pickle(path):
    with zipfile.ZipFile(path) as archive:
        assert all(archive.read(name)[:6] == b"\x93NUMPY" for name in archive.namelist())
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)
