"""The published numbers that survive, with their places; the source is the thesis unless another is named.

Phases are counted 1 to 4 (its appendix C; its tables count 0 to 3). Figures B.1, D.1 to D.4 and E.1 survive as text.
"""

SECTION_4_2 = "section 4.2"
BEST_P99_IMPROVEMENT = 0.98
BEST_THROUGHPUT_IMPROVEMENT = 0.86

FIGURE_B1_INTERACTIVE = (1, 2, 4, 8, 16, 24, 32)
FIGURE_B1_BATCH = (1, 2, 4, 8, 16, 32)
FIGURE_B1_POOLS = tuple((i, b) for i in FIGURE_B1_INTERACTIVE for b in FIGURE_B1_BATCH)
"""42 combinations, and none."""

CONVERGED_POOLS = (10, 10)
"""Section 4.3: one sentence, repeated for each of the four phases."""

BASELINE_POOLS = (15, 15)
"""Section 4.3: the fixed pools of Tables E.1 to E.3."""

TABLE_D4_REWARD = {
    (5, 5): (-5716.0, -1383.0, -171.0, 0.0, 1.0),
    (10, 10): (-8312.0, 2.7, 3.92, 4.3, 5.0),
    (15, 15): (-41660.0, -4797.0, -2.0, 0.0, 5.0),
    (15, 5): (-5682.0, -2971.0, -1850.0, -1035.0, 3.0),
    (5, 15): (-9436.0, -1.0, 0.0, 1.0, 2.0),
}
"""Phase 1: pools -> min, quartiles and max of the reward; whole numbers are rounded, so that 0 has no sign."""

TABLE_D5_REWARD = {
    (5, 5): (-4320.0, -463.0, 1.3, 1.8, 2.8),
    (10, 10): (-7763.0, -1.9, 5.2, 5.8, 6.0),
    (15, 15): (-20455.0, -1169.0, 4.2, 4.9, 6.0),
    (15, 5): (-5328.0, -368.0, 3.1, 3.3, 3.8),
    (5, 15): (-10060.0, 1.0, 3.0, 4.0, 6.0),
}
"""Phase 2, likewise."""

TABLE_D6_REWARD = {
    (5, 5): (-12490.0, -1230.0, -272.0, -5.0, -3.0),
    (7, 3): (-6582.0, -1727.0, -672.0, -3.0, -1.0),
    (7, 7): (-174852.0, -2567.0, -4.0, -2.0, 0.0),
    (10, 10): (-141354.0, -18768.0, -566.0, -1.0, 3.0),
    (15, 15): (-149647.0, -42951.0, -14008.0, -4607.0, -1.0),
    (15, 5): (-96900.0, -58414.0, -2954.0, 0.0, 4.0),
    (5, 15): (-13211.0, -8583.0, -4940.0, -2709.0, -943.0),
}
"""Phase 3, likewise."""

TABLE_D7_REWARD = {
    (5, 5): (-11341.0, -153.0, -2.0, 0.0, 3.0),
    (10, 10): (-14699.0, -2.5, 2.3, 3.7, 5.0),
    (15, 15): (-21259.0, -6908.0, -3117.0, -4.0, 3.0),
    (15, 5): (-3912.0, -1.0, 3.0, 4.0, 5.0),
}
"""Phase 4, likewise; its column of 5,15 is not printed."""

FIXED_POOL_REWARDS = {
    1: ("Table D.4", TABLE_D4_REWARD),
    2: ("Table D.5", TABLE_D5_REWARD),
    3: ("Table D.6", TABLE_D6_REWARD),
    4: ("Table D.7", TABLE_D7_REWARD),
}
"""Phase -> (place, pools -> quartiles)."""

INFERRED_FROM = ("Table D.4", "Table D.6")
"""Those that the shipped host and load were inferred from; the others are predicted."""

EVALUATION_POLICIES = ("No NVM Middleware", "NVM Middleware Fixed", "NVM Middleware + RL")
QUARTILES = ("min", "q1", "median", "q3", "max")

TABLE_E1_LATENCY_US = {
    "No NVM Middleware": (19.0, 81.0, 19.0, 271.5, 82824.0),
    "NVM Middleware Fixed": (89.0, 239.0, 674.5, 1888.75, 34090.93),
    "NVM Middleware + RL": (130.95, 396.75, 754.0, 1427.0, 34712.04),
}
"""The median of 19 without the middleware is a misprint: it is the minimum, below the first quartile."""

TABLE_E2_THROUGHPUT_OPS = {
    "No NVM Middleware": (72218.9, 112440.0, 135508.5, 166340.25, 242104.4),
    "NVM Middleware Fixed": (104719.9, 148792.5, 186877.0, 231597.75, 357445.6),
    "NVM Middleware + RL": (159168.8, 218816.25, 252078.5, 278205.0, 352800.27),
}

TABLE_E3_REWARD = {
    "No NVM Middleware": (-94755.386, -10790.1, -6983.235, -4042.9125, 3.174046),
    "NVM Middleware Fixed": (-65157.089, -8605.4625, -3208.995, -2.353015, 4.89667),
    "NVM Middleware + RL": (-87907.434, -3647.9454, -4.005294, 0.31523, 4.582787),
}

LONG_RUN_STEPS = 4000
LONG_RUN_PHASE_STEPS = 200

TABLE_D1 = {
    "degree": (1, 2, 3),
    "alpha": (0.1, 0.01, 0.001, 0.0001),
    "penalty": ("l1", "l2", "elasticnet"),
    "loss": ("squared", "huber", "epsilon_insensitive"),
    "learning_rate": ("constant", "optimal", "invscaling"),
    "max_iter": (100, 1000, 10_000, 100_000),
}

TABLE_D2 = (
    {"alpha": 0.001, "max_iter": 10_000, "penalty": "l2"},
    {"alpha": 0.0001, "max_iter": 1000, "penalty": "l2"},
    {"alpha": 0.001, "max_iter": 1000, "penalty": "elasticnet"},
    {"alpha": 0.0001, "max_iter": 10_000, "penalty": "l1"},
    {"alpha": 0.01, "max_iter": 100, "penalty": "elasticnet"},
    {"alpha": 0.001, "max_iter": 10_000, "penalty": "l2"},
    {"alpha": 0.01, "max_iter": 1000, "penalty": "elasticnet"},
    {"alpha": 0.001, "max_iter": 100, "penalty": "l1"},
    {"alpha": 0.0001, "max_iter": 100, "penalty": "elasticnet"},
)
"""Rows by action, 1 to 9; all nine with learning_rate invscaling and loss squared_loss; the degree is not printed."""

TABLE_D3 = {
    "episodes, phases 1 and 2": 700,
    "episodes, phases 3 and 4": 1000,
    "steps per episode": 200,
    "gamma": 0.95,
    "learning rate": 0.7,
    "epsilon": 0.9,
    "epsilon decay": 0.1,
}

TRAINING_EPISODES = 3400
DATASET_EPISODES_PER_PHASE = 150
