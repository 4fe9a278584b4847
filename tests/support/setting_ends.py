"""The ends of the declared ranges of settings."""

import math
import sys
from enum import IntEnum

from rankduel.base.settings import settings_of


def ends(setting, default):
    """Return the smallest and largest values of a setting; all values of a switch.

    Beside an end that may have a meaning of its own, such as 0, the nearest float is returned, too. Without a
    declared end the largest numbers are returned, so that a range has to be declared if they cannot work.
    """
    if isinstance(default, IntEnum):
        return list(type(default))
    if isinstance(default, bool):
        return [False, True]
    if isinstance(default, int):
        low = setting.at_least if setting.above == -math.inf else math.floor(setting.above) + 1
        return [int(max(low, -(2**63))), int(min(setting.at_most, 2**63 - 1))]
    if isinstance(default, float):
        low = max(setting.at_least, -sys.float_info.max)
        if setting.above > -math.inf:
            low = math.nextafter(setting.above, math.inf)
        high = [setting.at_most] if setting.at_most < math.inf else [sys.float_info.max, math.inf]
        return [low, math.nextafter(low, math.inf), *high]
    return list(setting.choices)


def all_ends(thing):
    """Yield settings: each end of each setting, alone and with every value of every switch."""
    defaults = thing.params()
    found = {name: ends(setting, getattr(defaults, name)) for name, setting in settings_of(thing).items()}
    switches = [
        {name: value}
        for name, values in found.items()
        for value in values
        if isinstance(value, (bool, IntEnum, str))
    ]
    for name, values in found.items():
        for value in values:
            yield {name: value}
            yield from ({name: value, **switch} for switch in switches if name not in switch)
