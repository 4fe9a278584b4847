"""Selection of queries by text, as in the option --only-queries.

    a,b         query ids
    FILE        query ids in a file, one per line
    sample:500  500 random queries, the same for the same data and seed; 'sample:500:7' has seed 7

Queries keep their order in the data.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from rankduel.base.errors import DataError, UsageError, encodable
from rankduel.base.streams import stream
from rankduel.base.text import read_text, shortened
from rankduel.letor_data.letor import Letor, few

_SAMPLE = re.compile(r"sample:\s*([0-9]{1,18})\s*(?::\s*([0-9]{1,18})\s*)?")
_MOST_BYTES = 1 << 30  # of a file of query ids


def only_queries(letor: Letor, text: str) -> Letor:
    """Return the queries of `letor` that `text` selects, with a new digest.

    Raises
    ------
    UsageError
        If a sample is requested without a positive number.
    DataError
        If a query is not in the data, or the sample is larger than the data. The message names the queries.
    """
    if text.startswith("sample:"):
        numbers = _sample(letor, text)
    else:
        where = f"{text}: " if Path(text).is_file() else ""
        numbers = _numbers(letor, _ids(text), where)
    chosen = letor.take_queries(numbers)
    what = hashlib.sha256(repr((letor.digest, numbers.tolist())).encode())
    source = f"{letor.source}, queries {shortened(encodable(text))}"
    return replace(chosen, digest=what.hexdigest() if letor.digest else "", source=source)


def _sample(letor: Letor, text: str) -> np.ndarray:
    found = _SAMPLE.fullmatch(text)
    if found is None or int(found[1]) == 0:
        raise UsageError(f"'{shortened(text)}': expected a number of queries from 1, as in 'sample:500'")
    size = int(found[1])
    if size > letor.n_queries:
        raise DataError(f"'{text}': the data have {letor.n_queries:,} queries; expected at most as many")
    rng = stream(int(found[2] or 0), "only queries")
    return np.sort(rng.permutation(letor.n_queries)[:size])


def _ids(text: str) -> list[str]:
    """Return the ids in `text`, or in the file with this name."""
    if Path(text).is_file():
        lines = read_text(text, DataError, _MOST_BYTES).splitlines()
    else:
        lines = text.split(",")
    ids = [line.strip() for line in lines if line.strip()]
    if not ids:
        raise DataError(f"{text}: no queries are named; expected ids, a file of them, or 'sample:500'")
    return ids


def _numbers(letor: Letor, ids: list[str], where: str) -> np.ndarray:
    known = {str(query): number for number, query in enumerate(letor.query_ids)}
    unknown = [query for query in dict.fromkeys(ids) if query not in known]
    if unknown:
        shown = few([f"'{shortened(query)}'" for query in unknown])
        raise DataError(
            f"{where}{len(unknown)} of {len(ids)} queries asked for are not in the data: {shown}; there are "
            f"{letor.n_queries:,}: {few(letor.query_ids.tolist())}"
        )
    return np.unique([known[query] for query in ids])
