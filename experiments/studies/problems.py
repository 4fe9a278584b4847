"""Problems as text: which data a part of a study is played on, and which rankers of them.

cycle                                   a built-in matrix
mslr-navigational                       a public matrix; looked up by file name
mslr-perfect(lex=10,base=1)             its first 10 rankers, features sorted as text and numbered from 1
mslr-navigational(random=16,seed=3)     16 random ones among whom one beats all the others
...(random=40,seed=3,users=all)         the same, where one beats all the others under all three users
...(two_winners=32,seed=3)              32 random ones with two Copeland winners that beat 30 each
meath12                                 a matrix of ranked lists, or made of the file of these
mine.prefs.parquet                      any other matrix, by the name of its file
letor(data=mslr,rankers=1-20)           judged data; 'mode=live' plays pages and clicks
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from rankduel.base.errors import StudyError
from rankduel.base.settings import Configured, Setting, configure, parse_spec

LETOR = "letor"
NOT_SAID = -1

# Judged data that users bring, by the names they are known by.
JUDGED = {
    "mslr": ("mslr.txt", "MSLR-WEB30K/Fold1/test.txt", "MSLR-WEB10K/Fold1/test.txt", "Fold1/test.txt"),
    "yahoo": ("yahoo.txt", "set1.test.txt"),
    "np2004": ("np2004.txt", "NP2004/Fold1/test.txt"),
    "istella": ("istella.txt", "istella/test.txt"),
}


class Subset(NamedTuple):
    """Which rankers of a matrix are played; all if nothing is said."""

    lex: Annotated[int, Setting("the first so many, their numbers sorted as text", at_least=1)] = NOT_SAID
    base: Annotated[int, Setting("the number of the first ranker", at_least=0, at_most=1)] = NOT_SAID
    random: Annotated[int, Setting("so many random ones with a Condorcet winner", at_least=1)] = NOT_SAID
    two_winners: Annotated[int, Setting("so many random ones, two winners", at_least=1)] = NOT_SAID
    seed: Annotated[int, Setting("decides which random ones", at_least=0)] = NOT_SAID
    users: Annotated[str, Setting("a Condorcet winner for all users", choices=("all",))] = ""


class Documents(NamedTuple):
    """Judged data and the duels on them; the arena's own defaults where nothing is said."""

    data: Annotated[str, Setting("which judged data", choices=tuple(JUDGED))] = "mslr"
    mode: Annotated[str, Setting("draws from the matrix, or clicks", choices=("proxy", "live"))] = "proxy"
    clicks: Annotated[str, Setting("the user")] = ""
    rankers: Annotated[str, Setting("features to rank by, such as 1-20")] = ""
    interleave: Annotated[str, Setting("how two rankings become a page")] = ""


_SUBSETS = ({"lex", "base"}, {"random", "seed"}, {"random", "seed", "users"}, {"two_winners", "seed"})


class _Kind(NamedTuple):
    """What `configure` needs to know of a problem."""

    name: str
    params: type


def parse_problem(text: str) -> Configured:
    """Return the name and the settings of a problem, `Documents` of letor(...) or else a `Subset`."""
    name, given = parse_spec(text)
    asked = configure(_Kind(name, Documents if name == LETOR else Subset), StudyError, **given)
    if isinstance(asked.params, Subset) and given and set(said(asked)) not in _SUBSETS:
        raise StudyError(
            f"'{text}': expected (lex=K,base=0|1), (random=K,seed=S), (random=K,seed=S,users=all) or "
            "(two_winners=K,seed=S)"
        )
    return asked


def said(asked: Configured) -> dict[str, Any]:
    """Return the settings that differ from their defaults."""
    defaults = asked.thing.params()._asdict()
    return {name: value for name, value in asked.params._asdict().items() if value != defaults[name]}
