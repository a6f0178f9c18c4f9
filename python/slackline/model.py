"""Parameters of the LogGPS model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

import numpy as np

#: A text with a unit ("3us", "100Gb/s", "256KiB"), or a number in the unit that the name says.
Quantity = Union[str, float, int]

_UNITS = {"L": "ns", "o": "ns", "G": "ns/B", "S": "B"}
_LONG_NAMES = {"latency": "L", "overhead": "o", "gap_per_byte": "G", "eager_threshold": "S"}


def in_words(name: str, value: Any) -> Any:
    """A number as the text with its unit that the command line takes; other values as they are."""
    unit = _UNITS.get(_LONG_NAMES.get(name, name))
    if unit is None or isinstance(value, (str, bool)) or not np.isscalar(value):
        return value
    return np.format_float_positional(float(value), trim="-") + unit


@dataclass(frozen=True)
class LogGPS:
    """A network under the LogGPS model. What is None is left to the preset.

    Attributes:
        L: latency of a message; numbers are ns.
        o: CPU time to send or to receive one; numbers are ns.
        G: time per byte, or a bandwidth ("100Gb/s"); numbers are ns per byte.
        S: eager threshold: longer messages wait for their receiver; numbers are bytes.
        network: the preset, such as "infiniband-fdr"; doc/networks.md lists them.
    """

    L: Quantity | None = None
    o: Quantity | None = None
    G: Quantity | None = None
    S: Quantity | None = None
    network: str | None = None

    def options(self) -> dict[str, Any]:
        """As keyword arguments of every function that takes a model."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class Platform:
    """Hosts and links to simulate on.

    Attributes:
        platform: the file, SimGrid XML or TOML.
        hostfile: a file with the hosts of the ranks, one per line.
        map: where ranks run without it: "cyclic", "block", or "block:4".
        options: SimGrid's, each as "name:value".
        compute_scale: factor on all computation; 0.5 is a machine twice as fast.
    """

    platform: str
    hostfile: str | None = None
    map: str | None = None
    options: tuple[str, ...] = ()
    compute_scale: float | None = None


def options_of(*parts: LogGPS | Platform | None, **options: Any) -> dict[str, Any]:
    """Models, platforms and single options as keyword arguments; later ones count. An option
    `model` may be one of the former, too."""
    if isinstance(options.get("model"), (LogGPS, Platform)):
        parts = (*parts, options.pop("model"))
    given: dict[str, Any] = {}
    for part in parts:
        if isinstance(part, LogGPS):
            given.update(part.options())
        elif part is not None:
            given.update(vars(part))
            given["option"] = list(given.pop("options"))
    given.update(options)
    return {name: in_words(name, value) for name, value in given.items() if value is not None}
