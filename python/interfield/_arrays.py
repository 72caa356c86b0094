"""Arrays of numbers that somebody gives."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["floats"]


def floats(values: npt.ArrayLike, what: str) -> npt.NDArray[np.float64]:
    """Numbers as an array of one dimension; what is not real is refused, not cut.

    >>> floats([1, 2.5], "levels")
    array([1. , 2.5])
    >>> floats([1j], "levels")
    Traceback (most recent call last):
    TypeError: levels are real numbers, found complex128
    """
    given = np.atleast_1d(np.asarray(values))
    if given.dtype.kind not in "biuf":
        raise TypeError(f"{what} are real numbers, found {given.dtype}")
    if given.ndim != 1:
        raise ValueError(f"{what} are an array of one dimension, found {given.ndim}")
    return np.ascontiguousarray(given, dtype=np.float64)
