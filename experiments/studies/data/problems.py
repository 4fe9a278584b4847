"""Problems as text: the data of a part of a study, and the subset of rankers.

cycle                                   a built-in matrix
btl(k=100,spread=0.5)                   a family of matrices with its settings
mslr-navigational                       a public matrix, looked up by file name
mslr-perfect(lex=10,base=1)             its first 10 rankers, with features numbered from 1 and sorted as text
mslr-navigational(random=16,seed=3)     16 random rankers with a Condorcet winner
...(random=40,seed=3,users=all)         40 random rankers with a Condorcet winner under all three users
...(two_winners=32,seed=3)              32 random rankers with two Copeland winners that beat 30 others each
mslr-informational(every=4,first=3,last=127)    every fourth ranker, from ranker 3 to ranker 127
meath12                                 a matrix, read from a file or computed from a file of ranked lists
mine.prefs.parquet                      any other matrix, by file name
letor(data=mslr,rankers=1-20)           judged data; with 'mode=live' duels are pages and clicks
letor(data=np2004,duels=4000)           judged data; the matrix is made of 4,000 simulated duels per pair
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from rankduel.base.errors import StudyError
from rankduel.base.settings import Configured, Setting, configure, parse_spec
from rankduel.experiments.matrix.builtin import FAMILIES, parse_matrix

LETOR = "letor"
NOT_GIVEN = -1

JUDGED = ("mslr", "yahoo1", "yahoo2", "yandex", "np2004", "istella")  # judged data; their files: judged.py


class Subset(NamedTuple):
    """The subset of the rankers of a matrix; all rankers by default."""

    lex: Annotated[int, Setting("number of rankers, first in text order", at_least=1)] = NOT_GIVEN
    base: Annotated[int, Setting("number of the first ranker", at_least=0, at_most=1)] = NOT_GIVEN
    random: Annotated[int, Setting("number of random rankers, with a Condorcet winner", at_least=1)] = (
        NOT_GIVEN
    )
    two_winners: Annotated[int, Setting("number of random rankers, with two winners", at_least=1)] = NOT_GIVEN
    seed: Annotated[int, Setting("seed of the random subset", at_least=0)] = NOT_GIVEN
    every: Annotated[int, Setting("distance between the numbers of rankers", at_least=1)] = NOT_GIVEN
    first: Annotated[int, Setting("number of the first ranker, from 0", at_least=0)] = NOT_GIVEN
    last: Annotated[int, Setting("largest number of a ranker", at_least=0)] = NOT_GIVEN
    users: Annotated[str, Setting("require a Condorcet winner for all users", choices=("all",))] = ""


class Documents(NamedTuple):
    """Judged data and the duels on them; "" selects the default of the arena."""

    data: Annotated[str, Setting("name of the judged data", choices=JUDGED)] = "mslr"
    mode: Annotated[str, Setting("draws from the matrix, or clicks", choices=("proxy", "live"))] = "proxy"
    clicks: Annotated[str, Setting("user (click model)")] = ""
    rankers: Annotated[str, Setting("features to rank by, such as 1-20")] = ""
    interleave: Annotated[str, Setting("interleaving method")] = ""
    duels: Annotated[
        int, Setting("simulated duels per pair of the matrix; 0: as exact as the method allows", at_least=0)
    ] = 0


# Settings that are given together.
_SUBSETS = (
    {"lex", "base"},
    {"random", "seed"},
    {"random", "seed", "users"},
    {"two_winners", "seed"},
    {"every", "first", "last"},
)


class _Kind(NamedTuple):
    """The fields of a problem that `configure` reads."""

    name: str
    params: type


def parse_problem(text: str) -> Configured:
    """Return the name and settings of a problem.

    They are `Documents` for letor(...), the settings of a family of matrices, and otherwise a `Subset`.
    """
    name, given = parse_spec(text)
    if name in FAMILIES:
        return parse_matrix(text)
    problem = configure(_Kind(name, Documents if name == LETOR else Subset), StudyError, **given)
    if isinstance(problem.params, Subset) and given and set(given_settings(problem)) not in _SUBSETS:
        raise StudyError(
            f"'{text}': expected (lex=K,base=0|1), (random=K,seed=S), (random=K,seed=S,users=all), "
            "(two_winners=K,seed=S) or (every=N,first=I,last=J)"
        )
    return problem


def given_settings(problem: Configured) -> dict[str, Any]:
    """Return the settings that differ from their defaults."""
    defaults = problem.thing.params()._asdict()
    return {name: value for name, value in problem.params._asdict().items() if value != defaults[name]}
