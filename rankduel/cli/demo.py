"""`rankduel demo`: the whole story on a small synthetic set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    folder: Annotated[Path, typer.Option("--output", "-o", help="Where to put what it makes.")] = Path(
        "demo"
    ),
) -> None:
    """Judged data, preference matrices, policies live and by proxy, and a report: in two to three minutes."""
    from rankduel.cli.story import tell

    tell(folder)
