"""`pmtwin run`: the whole loop in miniature, and a report that needs nothing but itself."""

import csv
import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from pmtwin import cli
from pmtwin.loop import running as loop
from pmtwin.middleware import emulated
from pmtwin.policies.training import Problem, TrainingPlan
from pmtwin.policies.training.afterstate_options import AfterstateTraining
from pmtwin.scenarios.comparison.best_fixed import SearchPlan
from pmtwin.scenarios.comparison.survey import SurveyPlan
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.campaign import FULL, QUICK
from pmtwin.scenarios.nvm_middleware.figures import pipeline
from pmtwin.scenarios.nvm_middleware.figures.entries import ENTRIES, OVERVIEW
from pmtwin.scenarios.nvm_middleware.figures.experiments import sensitivity, training
from pmtwin.scenarios.nvm_middleware.figures.steps import STEPS
from pmtwin.scenarios.nvm_middleware.validation import step as validation
from pmtwin.sim.errors import MissingDependencyError
from pmtwin.sim.numerics.statistics import FEWEST

TINY = replace(
    QUICK,
    concurrency_seeds=2,
    concurrency_windows=1,
    concurrency_warmup=0,
    fixed_pools=((1, 1), (1, 15), (15, 1), (15, 15)),
    fixed_windows=2,
    training_share=0.001,
    seeds=2,
    steps=8,
    phase_steps=2,
    search=SearchPlan(rounds=((1, 4),), final_windows=1, final_seeds=2, warmup_windows=0),
    recommended=AfterstateTraining(rounds=1, round_episodes=4, episode_windows=8),
    yardstick_seeds=2,
    yardstick_steps=8,
    yardstick_phase_steps=4,
    survey=SurveyPlan(screened=2, rounds=((2, 2),), serving=1, redraws=2, windows=12),
    sensitivity_seeds=2,
    sensitivity_windows=1,
    sensitivity_settling=1,
    screening_trajectories=2,
    agreement_windows=1,
    agreement_requests=100,
    saturation_requests=1_000,
    bootstrap=0,
    validation_pools=((4, 4),),
    validation_requests=200,
)

OVERVIEW_DRAWINGS = ("overview-attainment", "overview-trust", "overview-time")


FEW_VARIANTS = [
    next(one for one in sensitivity.variants() if one.kind == kind) for kind in ("default", "split", "load")
]


def short_plan(campaign, seed: int) -> TrainingPlan:
    """Episodes of 50 steps and a single trial, so that the whole loop takes seconds."""
    plan = TrainingPlan.from_training(Problem.from_scenario(NvmMiddleware), NvmMiddleware.training, seed=seed)
    plan = plan.reduced(campaign.training_share)
    return replace(plan, episode_steps=50, selections=1, sweeps=5)


class Reader(HTMLParser):
    """Collects tags, references to anything outside, and the text."""

    VOID = frozenset({"meta", "img", "br"})

    def __init__(self):
        super().__init__()
        self.open, self.sources, self.links, self.identifiers, self.text = [], [], [], set(), []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.sources += [attributes[key] for key in ("src", "srcset", "data") if key in attributes]
        self.links += [attributes[key] for key in ("href", "xlink:href") if key in attributes]
        self.identifiers |= {attributes["id"]} if "id" in attributes else set()
        assert tag not in ("link", "script", "iframe", "object")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Output folder of a tiny run, and what it printed."""
    folder = tmp_path_factory.mktemp("run") / "results"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "PIPELINE", replace(pipeline.PIPELINE, quick=TINY))
        patch.setattr(sensitivity, "variants", lambda: FEW_VARIANTS)
        patch.setattr(training, "plan_of", short_plan)
        code = cli.main(["run", "-o", str(folder), "--jobs", "1", "--seed", "3"])
    verdict = json.loads((folder / "run.json").read_text())["validation"]
    assert code == (0 if verdict is None or verdict["passed"] else 1)
    return folder


@pytest.fixture(scope="module")
def page(made):
    reader = Reader()
    content = (made / "report.html").read_text(encoding="utf-8")
    reader.feed(content)
    reader.close()
    assert reader.open == []
    return reader, content


def test_the_report_needs_no_file_and_no_network(page):
    reader, content = page
    assert content.count("<svg") >= 9 and reader.sources == []
    assert all(link.startswith("data:") or link.removeprefix("#") in reader.identifiers for link in reader.links)
    assert content.count("url(") == content.count("url(#") and "@import" not in content


def test_a_run_knows_its_own_report_and_record(made, capsys):
    assert cli.main(["run", "--dry-run", "-o", str(made)]) == 0


def test_the_report_has_every_figure_with_its_command(page):
    text = "".join(page[0].text)
    first = page[1].partition("<h2>")[2].partition("<h2>")[0]
    assert [first.count(f'id="{name}-figure_1"') for name in OVERVIEW_DRAWINGS] == [1, 1, 1]
    for entry in ENTRIES:
        if entry is OVERVIEW:  # its drawings, each with a sentence, are the first screen
            continue
        assert entry.title in text
        assert f"{entry.command} --seed 3" in text


def test_the_report_says_what_is_inferred_or_assumed_and_what_was_reduced(page):
    from pmtwin.sim.parameters.values import PARAMETERS

    text = "".join(page[0].text)
    for name, parameter in PARAMETERS.items():
        if parameter.origin == "assumed" or parameter.with_records:
            assert (f"({name})" in text) == (parameter.with_records is not False), (
                "the default host's store has records"
            )
    for words in ("Left out on this machine", "3,400", "that do not hold", "none has been validated on hardware"):
        assert words in text


def test_the_report_names_no_folder_of_this_machine(page, made):
    assert str(made.parent.parent) not in page[1].replace(str(made / "q-learning.npz"), "")


def test_the_record_has_configuration_seed_versions_and_statements(made):
    record = json.loads((made / "run.json").read_text())
    assert record["seed"] == 3
    assert record["campaign"]["steps"] == TINY.steps
    assert record["host"]["versions"]["numpy"]
    assert set(record["steps"]) == {path.name.rsplit("-", 1)[0] for path in (made / "cache").iterdir()}
    assert len(record["statements"]) > 10


def test_what_rests_on_more_than_the_measurements_says_so(page):
    assert "They are extrapolated" in page[1]


def test_the_report_ends_with_a_validation_that_speaks_of_no_device(page, made):
    text = "".join(page[0].text)
    verdict = json.loads((made / "run.json").read_text())["validation"]
    if validation.left_out() is not None:
        assert verdict is None and "validation" not in page[0].identifiers
        assert "The validation against the real middleware: the native parts are not built here" in text
        return
    own = page[1].partition('<section id="validation">')[2].partition("</section>")[0]
    assert verdict["medium"] == "emulated" and f"<b>{verdict['name']}</b>" in own
    assert "verified (emulated)" in own and "validated (" not in own and "Optane" not in own
    assert all(reason in text for reason in verdict["reasons"])
    for policy in ("fixed:4,4", "section-4.2", *(f"phase-{phase}" for phase in (1, 2, 3, 4))):
        assert f">{policy}</td>" in own
    assert own.count("<svg") == 1 and (made / "figures" / "validation.csv").exists()


@pytest.mark.parametrize(("passed", "code"), [(True, 0), (False, 1)])
def test_the_exit_code_follows_the_validation(monkeypatch, tmp_path, capsys, passed, code):
    verdict = {
        "name": "as it is called",
        "headline": "as it is called: why",
        "passed": passed,
        "reasons": ["the reason"],
        "warnings": [],
    }
    monkeypatch.setattr(loop, "run_loop", lambda setting, output: {"report": output, "validation": verdict})
    assert cli.main(["run", "-o", str(tmp_path)]) == code
    told = capsys.readouterr().err
    assert "validation: as it is called" in told and ("the reason" in told) == (not passed)


def test_without_the_native_parts_the_validation_is_left_out_and_said_to_be(monkeypatch, tmp_path, capsys):
    def absent():
        raise MissingDependencyError("not built")

    monkeypatch.setattr(emulated, "load", absent)
    assert cli.main(["run", "--dry-run", "--json", "-o", str(tmp_path / "out")]) == 0
    captured = capsys.readouterr()
    assert "validation" not in [step["step"] for step in json.loads(captured.out)["steps"]]
    assert "left out: the validation on this machine; not built" in captured.err


@pytest.mark.parametrize("campaign", [QUICK, FULL])
def test_the_validation_is_of_section_4_2_and_of_the_best_pools_of_each_phase(campaign):
    best = {str(phase): {"pools": [phase, 9]} for phase in (1, 2, 3, 4)}
    plan = validation.plan_of(campaign, 7, "optane-dcpmm-100", best)
    own = len(campaign.validation_pools)
    assert {case.changes for case in plan.cases[:own]} == {(("workload", "section-4.2"),)}
    assert [(case.policy, case.schedule[0].context) for case in plan.cases[own:]] == [
        (f"fixed:{phase},9", phase) for phase in (1, 2, 3, 4)
    ]
    total = sum(case.windows + plan.warmup_windows for case in plan.cases) * plan.seeds
    assert total == validation.windows(campaign)
    assert plan.seeds >= FEWEST  # fewer have no interval and never pass


def test_the_trained_policy_can_be_used(made):
    from pmtwin.policies import make_policy

    assert make_policy(f"q-learning:{made / 'q-learning.npz'}").name == "q-learning"
    assert make_policy(f"afterstate:{made / 'recommended.npz'}").name == "afterstate"


def test_the_report_has_the_recommended_policy_beside_the_clairvoyant(page, made):
    rows = list(csv.DictReader((made / "figures" / "yardsticks.csv").open()))
    kept = {row["policy"]: float(row["attainment (%)"]) for row in rows if row["contexts"] == "contended"}
    assert {"recommended", "clairvoyant", "best constant", "Q-learning"} <= set(kept)
    assert all(0.0 <= value <= 100.0 for value in kept.values())
    assert "contended: the recommended policy keeps at least 95 % of the clairvoyant" in "".join(page[0].text)


def test_nothing_is_left_behind(made):
    assert [path for path in made.rglob("*") if path.suffix in (".part", ".partial") or path.name == "checkpoint"] == []


def test_a_second_run_repeats_nothing_and_gives_the_same_figures(made, monkeypatch, capsys):
    before = {path.name: path.read_bytes() for path in (made / "figures").iterdir()}
    monkeypatch.setattr(pipeline, "PIPELINE", replace(pipeline.PIPELINE, quick=TINY))
    monkeypatch.setattr(validation, "left_out", lambda: None if (made / "figures/validation.svg").exists() else "why")
    steps = [json.loads(path.read_text())["step"] for path in (made / "cache").glob("*/result.json")]
    steps_now = {**STEPS, "validation": replace(STEPS["validation"], lasting=lambda values: True)}
    monkeypatch.setattr(pipeline, "PIPELINE", replace(pipeline.PIPELINE, quick=TINY, steps=tuple(steps_now.values())))
    cli.main(["run", "-o", str(made), "--jobs", "1", "--seed", "3", "--json"])
    captured = capsys.readouterr()
    assert captured.err.count("done before") == len(steps) >= len(STEPS) - 1
    assert {path.name: path.read_bytes() for path in (made / "figures").iterdir()} == before
    assert json.loads(captured.out)["seed"] == 3


def test_dry_run_shows_the_check_of_the_engines_too(tmp_path, capsys):
    assert cli.main(["run", "--dry-run", "--json", "-o", str(tmp_path / "out")]) == 0
    assert "agreement" in [step["step"] for step in json.loads(capsys.readouterr().out)["steps"]]
    assert not (tmp_path / "out").exists()


def test_the_training_is_what_the_train_command_runs(tmp_path, capsys):
    from pmtwin.scenarios.nvm_middleware.figures.experiments.training import plan_of

    output = tmp_path / "policy.npz"
    share = str(QUICK.training_share)
    command = ["train", "nvm-middleware", "--policy", "q-learning", "--campaign", share, "--seed", "5"]
    command += ["-o", str(output), "--dry-run", "--json"]
    assert cli.main(command) == 0
    assert json.loads(capsys.readouterr().out)["plan"] == plan_of(QUICK, 5).to_dict()
