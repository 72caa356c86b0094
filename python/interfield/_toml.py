"""Python values as TOML: numbers, texts, lists, tables, numpy arrays and quantities of pint."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["dump", "plain"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SYMBOL = re.compile(r"[^\W\d]\w*|[%°]\w*")


def plain(value: Any) -> Any:
    """A value that TOML has: quantities become texts, arrays become lists, None is left out of tables.

    >>> plain({"k": 4, "c": None})
    {'k': 4}
    """
    if isinstance(value, (bool, str)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items() if v is not None}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "magnitude") and hasattr(value, "units"):
        return quantity(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a valid number of a model")
        return value
    if isinstance(value, Iterable):
        return [plain(v) for v in value]
    raise TypeError(f"{value!r} has no form in a model file: write a number, a text with its unit, a list or a dict")


#: Symbols that mean the same in pint and in a model file. A quantity with any other (g is the gram there and gravity here) is written
#: in m, kg, s and rad.
_COMMON = set(
    "m mm cm dm km µm μm um nm in ft yd mi kg Mg t lb slug s ms µs μs us ns min h mN N kN MN GN kgf lbf kip Pa hPa kPa MPa GPa bar mbar "
    "psi ksi psf ksf mJ J kJ MJ GJ mW W kW MW GW Gal Hz mHz kHz MHz rad mrad µrad μrad deg ° rpm %".split()
)


def quantity(value: Any) -> str | list[str]:
    """A quantity of pint as text: 4 kN/mm becomes '4 kN/mm'."""
    unit = _unit(value)
    if not _COMMON.issuperset(_SYMBOL.findall(unit)):
        value = value.to_base_units()
        unit = _unit(value)
    magnitude = value.magnitude.tolist() if hasattr(value.magnitude, "tolist") else value.magnitude
    if isinstance(magnitude, list):
        return [f"{m!r} {unit}".strip() for m in magnitude]
    return f"{magnitude!r} {unit}".strip()


def _unit(value: Any) -> str:
    return f"{value.units:~C}".replace("**", "^").replace(" ", "")


def dump(document: Mapping[str, Any]) -> str:
    """A document: single values first, then tables and lists of tables, in their order.

    >>> print(dump({"title": "one", "node": [{"name": "a", "mass": "1 t"}], "units": {"force": "kN"}}))
    title = "one"
    <BLANKLINE>
    [[node]]
    name = "a"
    mass = "1 t"
    <BLANKLINE>
    [units]
    force = "kN"
    <BLANKLINE>
    """
    heads, tables = [], []
    for key, value in document.items():
        if isinstance(value, dict):
            tables.append(f"[{_key(key)}]\n{_lines(value)}")
        elif isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
            tables.extend(f"[[{_key(key)}]]\n{_lines(v)}" for v in value)
        else:
            heads.append(f"{_key(key)} = {_value(value)}\n")
    return "\n".join(["".join(heads), *tables] if heads else tables)


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{_key(k)} = {_value(v)}\n" for k, v in table.items())


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }" if value else "{}"
    return str(value)  # dates and times
