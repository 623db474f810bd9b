"""The first commands of the docs' pages, as printed, on real files, with the numbers that the pages state."""

import re
import shutil

import pytest

from tests.acceptance.desk import Desk
from tests.acceptance.pages import TOP, first_steps


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def test_recommend(desk):
    (command,) = first_steps("recommend.md")
    shown = desk.run(command).out
    assert re.match(r"pools 1\d,\d: (9[5-9](\.\d)?|100) %", shown), shown
    printed = re.search(r"```text\n(pools .*?)```", (TOP / "docs/recommend.md").read_text(), re.DOTALL)
    words = [set(re.findall(r"[a-z]{2,}", text)) for text in (printed[1], shown.partition("attainment by formulas")[0])]
    assert words[0] == words[1]


def test_operations_of_a_store(desk):
    operations, predict = first_steps("store.md")
    desk.run(operations)
    header, get, *_ = desk.run(predict).out.splitlines()
    throughput = float(dict(zip(header.split(","), get.split(","), strict=True))["throughput_ops"])
    assert throughput == pytest.approx(165_210, rel=0.001)


def test_a_policy_for_a_process_in_cpp(desk):
    train, export = first_steps("steering-policy.md")
    desk.run(train.replace("nvm-middleware", "nvm-middleware --campaign 0.002"))
    desk.run(export)
    assert (desk.folder / "policy.json").stat().st_size > 100


def test_two_tiered_storage(desk, shared_data):
    """But for `bench two-tier`, which measures for minutes, and the figures, which `pmtwin run` draws."""
    shutil.copy(shared_data / "block_traces" / "cloudphysics_sample.csv.gz", desk.folder / "requests.csv.gz")
    replay, formulas, queues, plan, _predict, _calibrate, system, *_ = first_steps("two-tier.md")
    printed = desk.run(replay).out
    row = re.search(r"^ *\d+ +lru .* ([\d.]+) +([\d.]+)$", printed, flags=re.MULTILINE)
    assert row, printed
    assert [float(share) for share in row.groups()] == pytest.approx([0.8969, 0.8741], abs=0.00005)  # 1 and 10 %
    for command in (formulas, queues, plan, system.replace("64", "8")):
        desk.run(command)
