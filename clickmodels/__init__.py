"""Simulated users: tables of click and stop probabilities."""

from clickmodels.catalogue import CLICK_MODELS, USERS, click_model
from clickmodels.contract import User
from clickmodels.dependent_click import (
    click_probability,
    examination,
    expected_clicks,
)
from clickmodels.position_based import ATTENTIONS, geometric, reciprocal
from clickmodels.tables import (
    STOP_RULES,
    ClickModel,
    check_grades,
    custom_model,
    even_map,
)
from clickmodels.written import describe_model, load_model, model_from_text

__all__ = [
    "ATTENTIONS",
    "CLICK_MODELS",
    "STOP_RULES",
    "USERS",
    "ClickModel",
    "User",
    "check_grades",
    "click_model",
    "click_probability",
    "custom_model",
    "describe_model",
    "even_map",
    "examination",
    "expected_clicks",
    "geometric",
    "load_model",
    "model_from_text",
    "reciprocal",
]
