"""`rankduel judge`: sessions in which people judge which of two items is better."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

import rankduel
from rankduel.base.errors import DataError, UsageError
from rankduel.base.text import counted
from rankduel.cli import completion
from rankduel.cli.console import print_data, print_result, screen
from rankduel.cli.endings import note_if_stopped
from rankduel.cli.options import AsCsv, AsJson

if TYPE_CHECKING:
    from rankduel.experiments.judge.session import Session

app = typer.Typer(
    help="Find the best items of a pool from pairwise judgments by people.", no_args_is_help=True
)
_MOST_SHOWN = 5  # best items that are named
_ANSWERS = {"1": "left", "2": "right", "t": "tie"}
Folder = Annotated[Path, typer.Argument(help="The folder of the session.", autocompletion=completion.folders)]
Named = Annotated[
    str | None,
    typer.Option("--policy", "-p", help="Policy file of the session; its code will run."),
]
Trust = Annotated[
    bool, typer.Option("--trust", help="Run the code of the policy file that the session names.")
]
Assessor = Annotated[str, typer.Option(help="Name of the assessor; an assessor gets each pair once.")]


@app.command()
def start(
    pool: Annotated[
        Path,
        typer.Argument(
            help="Items: one per line, or a CSV file with a column 'item'; - reads standard input.",
            autocompletion=completion.files,
        ),
    ],
    folder: Folder,
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            "-p",
            help="Policy that chooses the pairs: a name, or a .py file, whose code will run.",
            autocompletion=completion.policies,
        ),
    ] = "prefbest",
    budget: Annotated[int, typer.Option(help="Maximum number of judgments; 0 means no maximum.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the policy's random choices.")] = 0,
) -> None:
    """Start a session with a pool of items and a policy.

    [dim]Example:[/] rankduel judge start pool.txt topic7 --policy "prefbest(extra=1)"
    """
    from rankduel.experiments.judge.session import read_pool

    session = rankduel.judge(
        folder, read_pool(_text(pool), str(pool)), policy=policy, budget=budget, seed=seed
    )
    screen.print(f"{counted(len(session.items), 'item')}, {escape(session.policy)}")
    _show_next_step(session)


@app.command("next")
def next_pairs(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="CSV file to write (standard output).")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Maximum number of pairs.", min=1)] = None,
    assessor: Assessor = "",
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    policy: Named = None,
    trust: Trust = False,
) -> None:
    """Write the pairs to judge now as CSV: fill in the column 'winner', then run 'rankduel judge add'.

    The winner is left, right or tie, not the item's name; the column 'assessor' may stay empty. Pairs may be
    judged in any order and by several people; rows may be left for later. With --assessor, pairs that this
    assessor has judged are left out. Standard output is CSV, too, unless --json is given.

    [dim]Example:[/] rankduel judge next topic7 -o pairs.csv
    """
    pairs = rankduel.judge(folder, policy=policy, trust=trust).to_judge(assessor.strip(), limit)
    if out is not None:
        pairs.save(out)
    if print_result(pairs, as_json, False):
        return
    if out is None or as_csv:
        print_data(pairs.to_csv())
        return
    add_them = escape(f"rankduel judge add {folder} {out}")
    n_pairs = counted(len(pairs.comparisons), "pair")
    screen.print(f"{n_pairs} in [bold]{escape(str(out))}[/]; when judged: [bold]{add_them}[/]")


@app.command()
def add(
    folder: Folder,
    judgments: Annotated[
        list[Path],
        typer.Argument(
            help="CSV files with columns id and winner; - reads standard input.",
            autocompletion=completion.files,
        ),
    ],
    policy: Named = None,
    trust: Trust = False,
) -> None:
    """Add judgments: all rows of a file or, if one is wrong, none. Rows without a winner stay open.

    [dim]Example:[/] rankduel judge add topic7 pairs.csv
    """
    from rankduel.experiments.judge.judgments import read_judgments

    session = rankduel.judge(folder, policy=policy, trust=trust)
    for path in judgments:
        new = session.add(read_judgments(_text(path), str(path)), str(path))
        screen.print(f"{escape(str(path))}: {counted(new, 'new judgment')}")
    _show_next_step(session)


@app.command()
def show(
    folder: Folder,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    policy: Named = None,
    trust: Trust = False,
) -> None:
    """Show the progress of a session and the best items so far.

    [dim]Example:[/] rankduel judge show topic7
    """
    session = rankduel.judge(folder, policy=policy, trust=trust)
    progress = session.progress()
    if print_result(progress, as_json, as_csv):
        return
    screen.print(f"[bold]{counted(len(session.items), 'item')}[/], {escape(session.policy)}")
    _show_next_step(session)


@app.command()
@note_if_stopped("every answer is kept")
def ask(
    folder: Folder,
    assessor: Assessor = "",
    policy: Named = None,
    trust: Trust = False,
) -> None:
    """Judge pairs at the terminal. Every answer is saved at once, so Ctrl-C loses nothing.

    [dim]Example:[/] rankduel judge ask topic7 --assessor ann
    """
    session = rankduel.judge(folder, policy=policy, trust=trust)
    assessor = assessor.strip()
    while pairs := session.next_pairs(assessor):
        number, left, right = pairs[0]
        screen.print(f"\n[dim]{number}[/]  [bold]1[/] {escape(left)}\n   [bold]2[/] {escape(right)}")
        answer = _answer()
        if answer == "q":
            break
        if answer in _ANSWERS:
            session.add([{"id": str(number), "winner": _ANSWERS[answer], "assessor": assessor}])
    if assessor and not pairs and not session.progress().finished:
        screen.print(f"no pair is left for {escape(assessor)}; the open pairs need other assessors")
    _show_next_step(session)


def _answer() -> str:
    """Prompt for a winner and return the next line of standard input."""
    screen.print("Which is better (1, 2, t for a tie, q to stop): ", end="")
    try:
        line = sys.stdin.readline() if sys.stdin is not None else ""
    except ValueError:  # closed, or no UTF-8
        line = ""
    if not line:
        raise UsageError(
            "standard input ended before an answer; all earlier answers are saved. Type answers at a "
            "terminal, or judge in a file with 'rankduel judge next' and 'rankduel judge add'"
        )
    return line.strip().lower()


def _text(path: Path) -> str:
    """Return the text of a file, or of standard input for '-'."""
    from rankduel.experiments.judge.judgments import LARGEST_FILE, read_text

    if str(path) != "-":
        return read_text(path)
    try:
        text = sys.stdin.read(LARGEST_FILE + 1) if sys.stdin is not None else ""
    except ValueError:
        raise DataError("standard input: closed, or not UTF-8 text") from None
    if len(text) > LARGEST_FILE:
        raise DataError(f"standard input: more than {LARGEST_FILE:,} characters; expected fewer")
    return text.removeprefix("\ufeff")


def _show_next_step(session: Session) -> None:
    progress = session.progress()
    folder = escape(str(session.folder))
    if progress.judgments:
        most = counted(progress.judgments_per_pair, "judgment")
        screen.print(f"{counted(progress.judgments, 'judgment')} so far, at most {most} per pair")
    best = _few(progress.best, len(session.items))
    if progress.finished:
        screen.print(f"finished; best: [bold]{best}[/]")
        return
    ahead = f", {progress.ahead:,} judged in advance" if progress.ahead else ""
    screen.print(f"{counted(progress.open, 'pair')} to judge{ahead}; best so far: {best}")
    screen.print(
        f"next: [bold]rankduel judge next {folder} -o pairs.csv[/], or [bold]rankduel judge ask {folder}[/]"
    )


def _few(names: tuple[str, ...], n_items: int) -> str:
    """Return the first names and the number of the others."""
    if len(names) == n_items > 1:
        return f"unknown, all {n_items:,} items are possible"
    shown = ", ".join(escape(name) for name in names[:_MOST_SHOWN])
    return shown + (f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else "")
