"""MSLR-WEB10K and MSLR-WEB30K."""

from __future__ import annotations

from rankduel.letor_data.contract import Collection, Profile, named
from rankduel.letor_data.text_format import text_format


def _titles() -> tuple[str, ...]:
    streams = ("body", "anchor", "title", "url", "whole document")
    spread = ("sum", "min", "max", "mean", "variance")
    blocks = ["covered query terms", "covered query term ratio", "stream length", "IDF"]
    blocks += [f"{kind} {how}" for kind in ("TF", "normalised TF", "TF-IDF") for how in spread]
    blocks += ["boolean model", "vector space model", "BM25", "LMIR.ABS", "LMIR.DIR", "LMIR.JM"]
    single = ["URL slashes", "URL length", "inlinks", "outlinks", "PageRank", "SiteRank"]
    single += ["quality score", "quality score 2", "query-URL clicks", "URL clicks", "URL dwell time"]
    return tuple(f"{block}, {stream}" for block in blocks for stream in streams) + tuple(single)


FORMAT = text_format(
    Profile("mslr", "MSLR-WEB10K and MSLR-WEB30K", n_features=136, top_grade=4, titles=_titles()),
    named(r"MSLR"),
    sizes=(
        Collection("MSLR-WEB30K", r"MSLR-WEB30K", 31_531, 3_771_125),
        Collection("MSLR-WEB10K", r"MSLR-WEB10K", 10_000, 1_200_192),
    ),
)
