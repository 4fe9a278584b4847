"""Figures and tables of the page of reproductions, copied from the results of studies."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rankduel.experiments.studies.pages.wording import escaped, plain
from rankduel.experiments.studies.play import folder_of
from rankduel.experiments.studies.study import STAND_IN, TIERS, Figure, Study, Table


class _Found(NamedTuple):
    path: Path
    tier: str
    is_stand_in: bool

    @property
    def note(self) -> str:
        return f"Tier {self.tier}{', on stand-in data' if self.is_stand_in else ''}."


def exhibits(study: Study, out: Path, page: Path) -> Iterator[str]:
    """Yield the figures and tables of a study under `out` as Markdown for `page`.

    A figure is from the longest tier on the original data, or else on stand-in data. It is copied to a folder
    beside the page.
    """
    for figure in study.figures:
        found = _find(study, f"{figure.name}{{}}.svg", out)
        if found is not None:
            yield _figure(study, figure, found, page)
    for table in study.tables:
        found = _find(study, f"{table.name}{{}}.md", out)
        if found is not None:
            yield _table(table, found)


def _find(study: Study, name: str, out: Path) -> _Found | None:
    for mark in ("", STAND_IN):
        for tier in reversed(TIERS):
            path = folder_of(study, tier, out) / "figures" / name.format(mark)
            if path.is_file():
                return _Found(path, tier, bool(mark))
    return None


def _figure(study: Study, figure: Figure, found: _Found, page: Path) -> str:
    copy = page.with_suffix("") / study.id / found.path.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    for mark in ("", STAND_IN):  # of an earlier page, on other data
        copy.with_name(f"{figure.name}{mark}.svg").unlink(missing_ok=True)
    shutil.copyfile(found.path, copy)
    published = f" *Published:* {plain(figure.published)}" if figure.published else ""
    link = copy.relative_to(page.parent).as_posix()
    return f"**{plain(figure.title)}.** {found.note}{published}\n\n![{escaped(figure.title)}]({link})\n"


def _table(table: Table, found: _Found) -> str:
    _, _, body = found.path.read_text("utf-8").partition("\n\n")
    return f"**{plain(table.title)}.** {found.note}\n\n{body}"
