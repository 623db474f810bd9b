"""Files of linear action values: npz without pickle, so that loading one can run no code."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np

from pmtwin.policies.linear_q.features import FeatureMap
from pmtwin.policies.linear_q.model import LinearQ, ModelChoice
from pmtwin.policies.linear_q.sgd import SgdSettings
from pmtwin.policies.npz_file import FIELD, read_npz, write_npz
from pmtwin.sim.errors import InputError

FORMAT, SCHEMA = "pmtwin-linear-q", 1
ALLOWED = "action values written by pmtwin train --policy q-learning"

_ARRAYS = ("log_columns", "mean", "scale", "term_mean", "term_scale", "weights", "intercepts", "counts")


def save_model(path: str | Path, model: LinearQ, origin: dict) -> Path:
    """Write a model and its origin; the same model and origin give the same bytes.

    Args:
        path: file to write; a failure leaves an earlier one whole.
        model: the action values.
        origin: plain values: scenario, profile, seed, version, plan, environment.

    Raises:
        InputError: if the path cannot be written.
    """
    arrays = {name: getattr(model.feature_map, name) for name in _ARRAYS[:5]} | model.state()
    choices = [{"degree": choice.degree, **asdict(choice.sgd)} for choice in model.choices]
    header = {"format": FORMAT, "schema": SCHEMA, "degree": model.feature_map.degree, "choices": choices}
    return write_npz(path, {**header, "origin": origin}, arrays)


def load_model(path: str | Path) -> tuple[LinearQ, dict]:
    """The model and its origin.

    Raises:
        InputError: if the file is absent, unreadable, truncated, of another kind or schema, or not finite.
    """
    header, arrays = read_npz(path, FORMAT, SCHEMA, ALLOWED)
    try:
        feature_map = FeatureMap(header["degree"], *(arrays[name] for name in _ARRAYS[:5]))
        choices = [_choice(row) for row in header["choices"]]
        model = LinearQ(feature_map, choices)
        model.restore(arrays)
    except InputError as error:
        raise error.renamed(error.field, str(path)) from error
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(FIELD, str(path), f"{ALLOWED} ({type(error).__name__}: {error})") from error
    if not all(np.all(np.isfinite(array)) for array in model.state().values()):
        raise InputError(FIELD, "weights that are not finite", "finite weights", str(path))
    return model, header.get("origin", {})


def _choice(row: dict) -> ModelChoice:
    settings = dict(row)
    return ModelChoice(settings.pop("degree"), SgdSettings(**settings))
