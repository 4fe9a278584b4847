"""Yandex Internet Mathematics 2009."""

from rankduel.letor_data.contract import Profile, named
from rankduel.letor_data.text_format import text_format

FORMAT = text_format(
    Profile(
        "yandex",
        "Yandex Internet Mathematics 2009: the comment is the query",
        n_features=245,
        top_grade=4,
        query_id="comment",
        sparse=True,
    ),
    named(r"imat2009"),
)
