"""Judged data: reading, caching, writing, and ranking by features.

Names are loaded on first use, so that importing `PROFILES` alone does not load the readers.
"""

from typing import TYPE_CHECKING

from rankduel.base.lazy import lazy_names

if TYPE_CHECKING:
    from rankduel.base.errors import DataError, DataWarning
    from rankduel.letor_data.catalogue import PROFILES
    from rankduel.letor_data.contract import Profile
    from rankduel.letor_data.errors import LetorFormatError
    from rankduel.letor_data.letor import Letor
    from rankduel.letor_data.parquet_files import read_parquet, write_parquet
    from rankduel.letor_data.read import read_data

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
        "rankduel.letor_data.errors": ["LetorFormatError"],
        "rankduel.letor_data.catalogue": ["PROFILES"],
        "rankduel.letor_data.contract": ["Profile"],
        "rankduel.letor_data.letor": ["Letor"],
        "rankduel.letor_data.parquet_files": ["read_parquet", "write_parquet"],
        "rankduel.letor_data.read": ["read_data"],
        "rankduel.base.errors": ["DataError", "DataWarning"],
    },
)
