"""Settings of self-sparring, for duels and for sets, and the effect of an arm compared with itself.

Sui, Zhuang, Burdick and Yue, "Multi-dueling Bandits with Dependent Arms", UAI 2017, Algorithm 2.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated

from rankduel.base.compiling import kernel
from rankduel.base.settings import Setting


class SelfFeedback(IntEnum):
    """How a comparison of an arm with itself is counted: as one win and one loss, or not at all."""

    COIN = 0
    NONE = 1


# NumPy draws from a Beta distribution with huge counts by rejection, and never ends if they overflow.
LearningRate = Annotated[
    float, Setting("learning rate: increase of a count by a win or a loss", above=0, at_most=1e9)
]


@kernel
def self_rate(params):
    """Return what a comparison of an arm with itself adds to both of its counts."""
    return params.eta if params.self_feedback == SelfFeedback.COIN else 0.0
