"""An inference as tables: parameters with prior and posterior, correlations, evidence met and missed."""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.calibrate.inference.run import Plan
from pmtwin.console.output import print_json, print_table
from pmtwin.inference.problem import Problem
from pmtwin.sim.common.standard_output import results


@results()
def print_plan(problem: Problem, plan: Plan, as_json: bool) -> None:
    """Print the plan of an inference."""
    rows = [
        (prior.name, f"{prior.low:g}", f"{prior.high:g}", prior.unit, prior.distribution)
        for prior in problem.priors.table
    ]
    statements = [(statement.name, statement.use, statement.text) for statement in problem.statements]
    if as_json:
        print_json({"draws": plan.draws, "waves": plan.waves} | problem.identity())
        return
    print_table(rows, ("parameter", "low", "high", "unit", "prior"))
    print()
    print_table(statements, ("statement", "use", "text"))
    print(f"\n{plan.draws} draws in {len(plan.waves)} waves; quantities of a draw: {len(problem.simulator.quantities)}")


@results()
def print_inference(document: Mapping) -> None:
    """Print the result from the content of the host file."""
    inference = document["inference"]
    rows: list[tuple] = [
        (
            row["name"],
            document["parameters"].get(row["name"], {}).get("value", ""),
            f"{row['posterior'][0]:.4g} to {row['posterior'][-1]:.4g}",
            f"{row['prior'][0]:.4g} to {row['prior'][-1]:.4g}",
            row["unit"],
            f"{row['shrinkage']:.2f}",
            "yes" if row["identified"] else "no",
        )
        for row in inference["parameters"]
    ]
    print_table(rows, ("parameter", "value", "posterior 90 %", "prior 90 %", "unit", "shrinkage", "identified"))
    print()
    if inference["correlated"]:
        print_table(inference["correlated"], ("parameter", "with", "correlation"))
        print()
    rows = [
        (row["name"], row["use"], row.get("probability", ""), row.get("draws_that_meet_it", ""), row.get("missed", ""))
        for row in inference["statements"]
    ]
    print_table(rows, ("statement", "use", "probability", "draws that meet it", "missed"))
    rows = [
        (row["name"], f"{first} > {second}", probability)
        for row in inference["statements"]
        for first, second, probability in row.get("pairs", ())
    ]
    if rows:
        print()
        print_table(rows, ("order", "pair", "probability"))
    most, used = inference["most_statements_met_at_once"]
    print(
        f"\n{inference['draws']} draws; the posterior's effective size is {inference['effective_size']:g}; "
        f"at most {most} of {used} statements are met by one draw"
    )
