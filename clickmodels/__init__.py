"""Click models: simulated users as tables of click and stop probabilities."""

from rankduel.clickmodels.catalogue import CLICK_MODELS, USERS, click_model
from rankduel.clickmodels.contract import User, model_for
from rankduel.clickmodels.dependent_click import (
    click_probability,
    examination,
    expected_clicks,
)
from rankduel.clickmodels.position_based import ATTENTIONS, geometric, reciprocal
from rankduel.clickmodels.tables import (
    STOP_RULES,
    ClickModel,
    check_grades,
    custom_model,
    grades_in,
)
from rankduel.clickmodels.written import describe_model, load_model, model_from_text

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
    "examination",
    "expected_clicks",
    "geometric",
    "grades_in",
    "load_model",
    "model_for",
    "model_from_text",
    "reciprocal",
]
