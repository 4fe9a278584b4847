"""Rankers: a name and a function that returns a score for every document, larger being better.

Each feature is a ranker, as in Lerot and later papers. Other rankers are weighted sums of features, score
files, TREC runs, trained models, and functions of a query's features. A ranker has a text form, such as
'0.7*39+0.3*23' or 'lightgbm:model.txt,name=LambdaMART', for commands and files: see `texts`.
"""

from typing import TYPE_CHECKING

from rankduel.base.lazy import lazy_names

if TYPE_CHECKING:
    from rankduel.letor_data.rankers.by_docid import run
    from rankduel.letor_data.rankers.columns import feature, feature_rankers, linear
    from rankduel.letor_data.rankers.contract import Ranker
    from rankduel.letor_data.rankers.models import model
    from rankduel.letor_data.rankers.objects import ranker_of, rankers_of
    from rankduel.letor_data.rankers.score_files import scores
    from rankduel.letor_data.rankers.texts import parse

__all__ = [
    "Ranker",
    "feature",
    "feature_rankers",
    "linear",
    "model",
    "parse",
    "ranker_of",
    "rankers_of",
    "run",
    "scores",
]

__getattr__ = lazy_names(
    __name__,
    {
        "rankduel.letor_data.rankers.by_docid": ["run"],
        "rankduel.letor_data.rankers.columns": ["feature", "feature_rankers", "linear"],
        "rankduel.letor_data.rankers.contract": ["Ranker"],
        "rankduel.letor_data.rankers.models": ["model"],
        "rankduel.letor_data.rankers.objects": ["ranker_of", "rankers_of"],
        "rankduel.letor_data.rankers.score_files": ["scores"],
        "rankduel.letor_data.rankers.texts": ["parse"],
    },
)
