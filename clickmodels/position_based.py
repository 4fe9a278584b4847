"""Attention by rank: the probability to look at a rank, whatever documents are above it.

With stop="never" this is the position-based model: rank t is clicked with probability attention[t] *
p_click[grade], independently of other ranks (Richardson, Dominowska and Ragno, WWW 2007; Craswell et al.,
WSDM 2008).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rankduel.base.errors import ClickModelError
from rankduel.base.settings import find, written
from rankduel.clickmodels.rows import numbers_in, row_text
from rankduel.clickmodels.tables import EVERYWHERE

# Examination probabilities by rank in the public OnlineLambdaMart code of Chang Li.
MEASURED = (
    0.99997132, 0.95949374, 0.76096783, 0.59179909, 0.45740329,
    0.38584302, 0.33052186, 0.28372475, 0.26700303, 0.26211924,
)  # fmt: skip


def reciprocal(eta: float = 1.0, ranks: int = 100) -> np.ndarray:
    """Return 1 / t^eta at ranks t = 1, 2, ..., `ranks`."""
    if not eta >= 0:
        raise ClickModelError(f"eta must not be negative, and is {eta}")
    return np.arange(1.0, ranks + 1) ** -eta


def geometric(p: float, ranks: int = 100) -> np.ndarray:
    """Return p^(t - 1) at ranks t = 1, 2, ..., `ranks`: each further rank is read with probability `p`."""
    if not 0 <= p <= 1:
        raise ClickModelError(f"p must lie between 0 and 1, and is {p}")
    return float(p) ** np.arange(ranks)


class Attention(NamedTuple):
    name: str
    about: str
    make: Callable[..., np.ndarray]  # returns the probability to look at each rank
    takes: str = ""  # the name of its parameter, if it has one
    source: str = ""


ATTENTIONS = {
    attention.name: attention
    for attention in (
        Attention("everywhere", "looks at every rank reached", lambda: np.array(EVERYWHERE)),
        Attention("reciprocal", "1 / t^eta at rank t", reciprocal, "eta"),
        Attention("geometric", "p^(t - 1) at rank t", geometric, "p"),
        Attention(
            "measured",
            "1, 0.96, 0.76, 0.59, 0.46, ... at 10 ranks",
            lambda: np.array(MEASURED),
            source="public OnlineLambdaMart code of Chang Li",
        ),
    )
}


def attention_from_text(text: str) -> np.ndarray:
    """Return the attention that a text names.

    Texts are 'reciprocal:1', 'geometric:0.8', 'measured', 'everywhere', or probabilities such as '1/0.8/0.5'.
    """
    if text[:1].isdigit() or text[:1] in ("", ".", "-"):
        return np.array(numbers_in(text, "attention"))
    name, colon, number = text.partition(":")
    attention = find(name, ATTENTIONS, "attention", ClickModelError)
    if bool(colon) != bool(attention.takes):
        form = f"{name}:{attention.takes.upper()}" if attention.takes else name
        raise ClickModelError(f"attention '{text}' should be written as {form}")
    return attention.make(_number(number, f"{attention.takes} of {name}")) if colon else attention.make()


def attention_text(attention: Sequence[float] | np.ndarray) -> str:
    """Return the text that `attention_from_text` reads as these probabilities."""
    second = attention[1] if len(attention) > 1 else 0.0
    eta = -math.log2(second) if second > 0 else 0.0
    candidates = [
        "measured",
        f"geometric:{written(second)}",
        f"reciprocal:{written(round(eta, 12))}",  # corrects the rounding error of the logarithm
        f"reciprocal:{written(eta)}",
    ]
    same = (text for text in candidates if np.array_equal(attention_from_text(text), attention))
    return next(same, row_text(attention))


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ClickModelError(f"{what} should be a number, not '{text}'") from None
