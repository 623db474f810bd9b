"""What the paper states of its system and its hyperparameters is what the defaults have."""

from pmtwin.policies.online.presets import PAPER, PRESETS
from pmtwin.scenarios.lustre_tuning.options import LustreOptions
from pmtwin.scenarios.lustre_tuning.published import BUMPED_EXPLORATION, SYSTEM, TABLE_1
from pmtwin.scenarios.lustre_tuning.workloads import UNIT_BYTES, WORKLOADS


def test_the_papers_preset_has_the_hyperparameters_of_table_1():
    preset, window_s = PRESETS[PAPER], LustreOptions().window_s
    assert {
        "action tick length": preset.hold * window_s,
        "epsilon initial value": preset.exploration(0),
        "epsilon final value": preset.last_exploration,
        "discount rate": preset.discount,
        "hidden layer size": preset.units,
        "initial exploration period, h": preset.exploration_actions * preset.hold * window_s / 3600.0,
        "minibatch size": preset.minibatch,
        "missing entry tolerance": preset.missing,
        "number of hidden layers": len(preset.hidden(1)),
        "Adam learning rate": preset.step_size,
        "sampling tick length, s": window_s,
        "sampling ticks per observation": preset.seen,
        "target network update rate": preset.target_share,
    } == TABLE_1
    assert preset.optimiser == "adam" and preset.bump == BUMPED_EXPLORATION


def test_the_default_system_is_the_one_that_the_paper_evaluates():
    options = LustreOptions()
    cluster, disk = options.cluster, options.cluster.hard_disk
    built = {
        ("servers", 4): cluster.servers,
        ("clients", 5): cluster.clients,
        ("network", 500): cluster.servers * cluster.link_mb_s,
        ("disk", 113): disk.disk_read_mb_s,
        ("disk", 106): disk.disk_write_mb_s,
        ("disk", 7200): disk.rpm,
        ("stripes", 4): cluster.servers,
        ("stripes", 1): UNIT_BYTES / 2**20,
        ("random", 5): WORKLOADS["random-1-9"].threads,
        ("file-server", 32): WORKLOADS["file-server"].threads,
        ("file-server", 100): options.file_units,
        ("sequential-write", 5): WORKLOADS["sequential-write"].threads,
        ("sequential-write", 1): UNIT_BYTES / 2**20,
    }
    assert list(built) == [(claim.about, claim.value) for claim in SYSTEM]
    assert all(value == stated for (_, stated), value in built.items())
