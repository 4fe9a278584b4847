"""`write_data`: judged data in a file, in the format that its name tells."""

from __future__ import annotations

from pathlib import Path

from rankduel.base.watch import SILENT, Watch
from rankduel.letor_data.letor import Letor
from rankduel.letor_data.output import output_format


def write_data(data: Letor, path: str | Path, *, sparse: bool = False, watch: Watch = SILENT) -> None:
    """Write judged data as Parquet or as LETOR text, with exactly the same values.

    Parameters
    ----------
    data : Letor
        Judged documents.
    path : str or Path
        ``NAME.parquet``, or text: ``NAME.txt``, ``NAME.txt.gz``, ``.bz2``, ``.xz`` or ``.zst``. The file
        appears when it is complete.
    sparse : bool, default False
        Whether to omit zeros from text.
    watch : Watch, optional
        Receives the number of documents done since the last call.

    Raises
    ------
    RankduelError
        If the file cannot be written, or its name has another ending.

    Examples
    --------
    >>> data = rankduel.synthetic_data("small", queries=3)
    >>> rankduel.write_data(data, "three.parquet")
    >>> rankduel.read_data("three.parquet").n_queries
    3
    """
    write = output_format(path).write
    assert write is not None  # by `output_format`
    write(data, Path(path), sparse, lambda done: watch.counting("writing documents", done, data.n_docs))
