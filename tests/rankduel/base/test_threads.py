"""Test the number of threads of a job, and seeds."""

import numpy as np
import pytest

from rankduel.base.errors import UsageError
from rankduel.base.streams import LARGEST_SEED, checked_seed, stream
from rankduel.base.threads import MOST_JOBS, n_workers


def test_the_number_of_workers():
    assert n_workers(3) == 3 and n_workers(MOST_JOBS) == MOST_JOBS and n_workers(-1) >= 1
    assert n_workers(-MOST_JOBS) == 1


@pytest.mark.parametrize("jobs", [0, MOST_JOBS + 1, 100_000, -100_000, 10**30, 1.5, "2", None])
def test_wrong_numbers_of_workers_are_errors(jobs):
    with pytest.raises(UsageError, match=f"jobs is {jobs}; expected a whole number from 1 to 1,024, or -1 "):
        n_workers(jobs)


def test_seeds():
    assert type(checked_seed(np.int64(7))) is int and checked_seed(10**30) == 10**30
    assert checked_seed(LARGEST_SEED) == 2**128 - 1
    for seed in (2**128, int("7" * 400), 10**5000):
        with pytest.raises(
            UsageError, match="the seed has [0-9,]+ bits; expected a whole number from 0 to 2"
        ):
            checked_seed(seed)
    for seed in (-1, 1.5, "1", None):
        with pytest.raises(UsageError, match=f"the seed is {seed}; expected a whole number from 0"):
            stream(seed, "users")
