"""The figures and tables of the thesis, in the order of the report."""

from pmtwin.figures.device_entries import DEVICE_ENTRIES
from pmtwin.figures.registry import Entry

ENTRIES = (
    *DEVICE_ENTRIES,
    Entry(
        "b1",
        "Concurrency control: 42 combinations of pools against none",
        "section 4.2, figure B.1",
        ("concurrency",),
        "pmtwin.scenarios.nvm_middleware.figures.plots.concurrency:render",
        "Concurrency control",
    ),
    Entry(
        "fixed-pools",
        "Reward quartiles of fixed pools in each phase",
        "appendix D, tables D.4 to D.7",
        ("fixed-pools",),
        "pmtwin.scenarios.nvm_middleware.figures.plots.fixed_pools:render",
        "Learning",
    ),
    Entry(
        "d1-d4",
        "Learned pools per step, and the learning curve",
        "section 4.3, figures D.1 to D.4",
        ("training",),
        "pmtwin.scenarios.nvm_middleware.figures.plots.learning:render_patterns",
        "Learning",
    ),
    Entry(
        "d-tables",
        "Model selection, chosen models and parameters, as run",
        "appendix D, tables D.1 to D.3",
        ("training",),
        "pmtwin.scenarios.nvm_middleware.figures.plots.learning:render_models",
        "Learning",
    ),
    Entry(
        "policies",
        "Policies by phase, and the gap to the best fixed pools",
        "section 4.3",
        ("evaluation-random", "evaluation-order"),
        "pmtwin.scenarios.nvm_middleware.figures.plots.evaluation:render_phases",
        "Policies",
    ),
    Entry(
        "e1",
        "Long run: reward over time while the phases change",
        "appendix E, figure E.1",
        ("evaluation-random", "evaluation-order"),
        "pmtwin.scenarios.nvm_middleware.figures.plots.evaluation:render_long_run",
        "Policies",
    ),
    Entry(
        "e-tables",
        "Percentiles of latency, throughput and reward",
        "appendix E, tables E.1 to E.3",
        ("evaluation-random",),
        "pmtwin.scenarios.nvm_middleware.figures.plots.evaluation:render_tables",
        "Policies",
    ),
    Entry(
        "sensitivity",
        "What decides among the assumptions, all varied together",
        "assumed and inferred parameters of the twin",
        ("screening",),
        "pmtwin.scenarios.nvm_middleware.figures.plots.screening:render",
        "Assumptions moved",
    ),
    Entry(
        "sensitivity-load",
        "Ranking under other offered loads and another latency scale",
        "what the thesis leaves open",
        ("sensitivity", "evaluation-random"),
        "pmtwin.scenarios.nvm_middleware.figures.plots.sensitivity:render_load",
        "Assumptions moved",
    ),
)
