"""A posterior as a host file: joint draws, a representative, prior and posterior quantiles, evidence met and missed."""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.calibrate.inference.posterior import QUANTILES, Posterior
from pmtwin.inference.problem import Problem
from pmtwin.sim.host.file import document

DIGITS = 6
"""Significant digits in the file."""

GIVEN = "given (--set, --host), not inferred"
TAKEN = "posterior of the store (pmtwin calibrate --store), whose samples these draws go through in turn"


def host_document(posterior: Posterior, samples: int, seed: int, context: Mapping, problem: Problem) -> dict:
    """Content of the host file, as JSON types.

    Args:
        posterior: result of the inference.
        samples: number of equally weighted draws in the file.
        seed: seed of their selection.
        context: entries on the evidence and the run.
        problem: the problem of the inference.
    """
    source, known, taken = problem.source, problem.known, problem.taken(None)
    rows = posterior.parameters()
    names = [row["name"] for row in rows if not row["nuisance"]]
    columns = [posterior.priors.names.index(name) for name in names]
    values = posterior.values[:, columns]
    chosen = posterior.sample(samples, seed)
    best = values[posterior.representative]
    by_name = {row["name"]: row for row in rows}
    entries = {
        name: {
            "value": rounded(best[k]),
            "low": rounded(min(by_name[name]["posterior"][0], best[k])),
            "high": rounded(max(by_name[name]["posterior"][-1], best[k])),
            "origin": "inferred",
            "source": f"{source}; one joint draw (the medoid), with the posterior's 5 to 95 %",
        }
        for k, name in enumerate(names)
    }
    entries |= {name: {"value": rounded(value), "origin": "inferred", "source": TAKEN} for name, value in taken.items()}
    entries |= {name: {"value": rounded(value), "origin": "assumed", "source": GIVEN} for name, value in known.items()}
    draws = {
        "names": [*names, *taken, *known],
        "values": [
            [rounded(value) for value in (*values[k], *problem.taken(number).values(), *known.values())]
            for number, k in enumerate(chosen)
        ],
    }
    return document(entries, dict(context), {}, draws, inference_record(posterior))


def inference_record(posterior: Posterior) -> dict:
    """Record of the inference for the host file, as JSON types."""
    rows = [
        {**row, **{key: [rounded(v) for v in row[key]] for key in ("prior", "posterior")}}
        for row in posterior.parameters()
    ]
    most, used = posterior.most_met_at_once()
    return {
        "quantiles": list(QUANTILES),
        "parameters": [{**row, "shrinkage": round(row["shrinkage"], 3)} for row in rows],
        "correlated": [[first, second, round(value, 2)] for first, second, value in posterior.correlated()],
        "statements": [_statement(row) for row in posterior.statement_rows()],
        "most_statements_met_at_once": [most, used],
        "draws": len(posterior.draws.weights),
        "effective_size": round(posterior.effective_size, 1),
        "waves": posterior.draws.history,
    }


def _statement(row: dict) -> dict:
    quantities = {name: [rounded(v) for v in values] for name, values in row.get("quantities", {}).items()}
    probability = row.get("probability")
    return row | {
        **({"quantities": quantities} if quantities else {}),
        **({} if probability is None else {"probability": round(probability, 3)}),
        **(_pairs(row) if "pairs" in row else {}),
    }


def _pairs(row: dict) -> dict:
    pairs = [[first, second, round(probability, 3)] for first, second, probability in row["pairs"]]
    return {"pairs": pairs, "pair_probability": round(row["pair_probability"], 3)}


def rounded(value: float) -> float:
    """The number rounded to `DIGITS` significant digits."""
    return float(f"{float(value):.{DIGITS}g}")
