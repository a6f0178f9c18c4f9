"""Parameters of the LogGPS model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core

#: By keyword of a quantity: its option's first keyword, the unit of the number that it takes (None: it takes text), and
#: what to write.
_QUANTITIES: dict[str, tuple[str, str | None, str]] = _core.quantities()


def _is_number(value: Any) -> bool:
    return np.isscalar(value) and not isinstance(value, (str, bytes, bool, np.bool_))


def with_units(given: dict[str, Any]) -> dict[str, Any]:
    """`given` with quantities as text with a unit, under their options' first keywords.

    Raises:
        TypeError: a number has no unit, or a parameter is given twice.
    """
    result: dict[str, Any] = {}
    for key, value in given.items():
        name, unit, example = _QUANTITIES.get(key, (key, None, ""))
        if unit is not None:
            if not _is_number(value):
                raise TypeError(f"'{key}' is a number, not {value!r}")
            value = np.format_float_positional(float(value), trim="-") + unit
        elif example and any(map(_is_number, value if isinstance(value, (list, tuple)) else [value])):
            raise TypeError(f"cannot use {value!r} as {key}: it has no unit. Example: {example}.")
        if name in result:
            raise TypeError(f"two values for {name}")
        result[name] = value
    return result


@dataclass(frozen=True)
class LogGPS:
    """A network under the LogGPS model. What is None is left to the preset.

    Attributes:
        L: latency of a message, as "3us".
        o: CPU time to send or to receive one, as "500ns".
        G: time per byte, or a bandwidth: "0.08ns/B", "100Gb/s".
        S: eager threshold, as "64KiB": longer messages wait for their receiver.
        network: the preset, such as "infiniband-fdr"; doc/networks.md lists them.
        L_ns, o_ns, G_ns_per_byte, S_bytes: the same parameters as numbers.
    """

    L: str | None = None
    o: str | None = None
    G: str | None = None
    S: str | None = None
    network: str | None = None
    L_ns: float | None = None
    o_ns: float | None = None
    G_ns_per_byte: float | None = None
    S_bytes: int | None = None

    def __post_init__(self) -> None:
        self.options()

    def options(self) -> dict[str, Any]:
        """As keyword arguments of every function that takes a model.

        Raises:
            TypeError: a number has no unit, or a parameter is given twice.
        """
        return with_units({name: value for name, value in vars(self).items() if value is not None})


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
    `model` may be one of the former, too.

    Raises:
        TypeError: a number has no unit, or a parameter is given twice.
    """
    if isinstance(options.get("model"), (LogGPS, Platform)):
        parts = (*parts, options.pop("model"))
    given: dict[str, Any] = {}
    for part in parts:
        if isinstance(part, LogGPS):
            given.update(part.options())
        elif part is not None:
            given.update(vars(part))
            given["option"] = list(given.pop("options"))
    given.update(with_units({name: value for name, value in options.items() if value is not None}))
    return {name: value for name, value in given.items() if value is not None}
