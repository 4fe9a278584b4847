"""Judged data: reading it, keeping it, and turning its features into rankings."""

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
