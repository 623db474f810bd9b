"""A scenario's baselines over its contexts, with intervals over seeds: what any scenario has without declaring more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pmtwin.figures.campaign import Campaign
from pmtwin.scenarios.scenario import Scenario


@dataclass(frozen=True)
class BaselineCampaign(Campaign):
    """Size of the campaign.

    Args:
        seeds: independent runs of each policy.
        rounds: how often a run comes to each context.
        context_steps: windows until the context changes.
    """

    rounds: int
    context_steps: int


QUICK = BaselineCampaign("quick", seeds=3, rounds=2, context_steps=20)
FULL = BaselineCampaign("full", seeds=10, rounds=5, context_steps=100)


def plan_of(scenario: Scenario, campaign: BaselineCampaign, seed: int):
    """Plan of the evaluation: the baselines, through all named contexts in random order."""
    from pmtwin.scenarios.comparison.evaluation import EvaluationPlan

    return EvaluationPlan(
        scenario=scenario,
        policies=scenario.baselines,
        steps=campaign.rounds * campaign.context_steps * len(scenario.contexts.names),
        context_steps=campaign.context_steps,
        seeds=campaign.seeds,
        seed=seed,
    )


def run(
    scenario: Scenario, campaign: BaselineCampaign, seed: int, jobs: int = 1, progress: Callable | None = None
) -> dict:
    """Evaluate.

    Returns:
        `policies`: spec -> context -> `attainment` (with goals), `reward` and each compared measure, as `mean`, `low`,
        `high`;
        `measures`: name, unit, description, scale; `goals`: measure -> limit; `noun` and `contexts`: their names;
        `windows` of each run, `seeds`, `extrapolated`.
    """
    from pmtwin.scenarios.comparison.evaluation import evaluate
    from pmtwin.scenarios.comparison.summary import summarise

    plan = plan_of(scenario, campaign, seed)
    result = summarise(evaluate(plan, 1 if scenario.sequential else jobs, progress))
    contexts, measures = scenario.contexts, [measure.name for measure in scenario.compared]
    names = (*(["attainment"] if scenario.goals else []), "reward", *measures)

    def values(part: dict) -> dict:
        return {name: {end: part[name][end] for end in ("mean", "low", "high")} for name in names}

    return {
        "scenario": scenario.name,
        "policies": {
            spec: {name: values(part) for name, part in each[contexts.plural].items()}
            for spec, each in result["policies"].items()
        },
        "measures": [
            {"name": measure.name, "unit": measure.unit, "description": measure.description, "scale": measure.scale}
            for measure in scenario.compared
        ],
        "goals": {goal.measure.name: goal.limit for goal in scenario.goals},
        "noun": contexts.noun,
        "contexts": [str(name) for name in plan.contexts],
        "windows": plan.steps,
        "seeds": plan.seeds,
        "extrapolated": result["extrapolated"],
    }


def windows(scenario: Scenario, campaign: BaselineCampaign) -> int:
    """Windows that a run simulates."""
    return plan_of(scenario, campaign, 0).windows()
