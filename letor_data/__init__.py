"""Judged data: reading, caching, writing, and ranking by features.

Names are loaded on first use, so that importing `PROFILES` alone does not load the readers.
"""

from typing import TYPE_CHECKING

from rankduel.base.lazy import lazy_names

if TYPE_CHECKING:
    from letor_data.errors import LetorFormatError
    from letor_data.formats import PROFILES, Profile
    from letor_data.letor import Letor
    from letor_data.parquet_files import read_parquet, write_parquet
    from letor_data.read import read_data
    from rankduel.base.errors import DataError, DataWarning

__all__ = [
    "PROFILES",
    "DataError",
    "DataWarning",
    "Letor",
    "LetorFormatError",
    "Profile",
    "read_data",
    "read_parquet",
    "write_parquet",
]

__getattr__ = lazy_names(
    __name__,
    {
        "letor_data.errors": ["LetorFormatError"],
        "letor_data.formats": ["PROFILES", "Profile"],
        "letor_data.letor": ["Letor"],
        "letor_data.parquet_files": ["read_parquet", "write_parquet"],
        "letor_data.read": ["read_data"],
        "rankduel.base.errors": ["DataError", "DataWarning"],
    },
)
