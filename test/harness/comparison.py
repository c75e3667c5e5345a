"""Compares a tensor with its reference.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

# A reference whose range is below this counts as having this range.
RANGE_FLOOR = 1e-2

# The distance of two neighbouring numbers in [1, 2), by type.
UNIT = {
    np.dtype(np.float16): 2.0**-10,
    np.dtype(ml_dtypes.bfloat16): 2.0**-7,
    np.dtype(ml_dtypes.float8_e4m3fn): 2.0**-3,
    np.dtype(ml_dtypes.float8_e4m3fnuz): 2.0**-3,
    np.dtype(ml_dtypes.float8_e5m2): 2.0**-2,
    np.dtype(ml_dtypes.float8_e5m2fnuz): 2.0**-2,
    np.dtype(ml_dtypes.float4_e2m1fn): 2.0**-1,
}


def is_float(dtype: np.dtype) -> bool:
    return dtype.kind in "fc" or dtype in UNIT


def relative_difference(got: np.ndarray, wanted: np.ndarray) -> float:
    """The largest difference as a share of the reference's range, in which zero
    is included. Infinite where shapes, types, or the places of NaN and infinity
    differ; integers, booleans and strings are equal (0) or not (infinite)."""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return float("inf")
    if not is_float(wanted.dtype):
        return 0.0 if np.array_equal(got, wanted) else float("inf")
    if wanted.size == 0:
        return 0.0
    got, wanted = widen(got), widen(wanted)
    finite = np.isfinite(wanted)
    if not np.array_equal(got[~finite], wanted[~finite], equal_nan=True):
        return float("inf")
    got, wanted = got[finite], wanted[finite]
    if wanted.size == 0:
        return 0.0
    spread = float(np.ptp(wanted)) if wanted.dtype.kind == "f" else 0.0
    extent = max(spread, float(np.abs(wanted).max()), RANGE_FLOOR)
    difference = np.abs(got - wanted).max()
    return float(difference) / extent if np.isfinite(difference) else float("inf")


def widen(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.kind == "c" else array.astype(np.float64)


def close_elements(
    got: np.ndarray, wanted: np.ndarray, rtol: float, atol: float
) -> bool:
    """The ONNX suite's own comparison, element by element. A half-width type
    may miss by two of its units: the suite rounds after every step. Narrower
    ones are only converted to, which is exact."""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return False
    if not is_float(wanted.dtype):
        return np.array_equal(got, wanted)
    if wanted.dtype.itemsize == 2:
        rtol = max(rtol, 2 * UNIT[wanted.dtype])
    elif wanted.dtype.itemsize == 1:
        rtol, atol = 0.0, 0.0
    return np.allclose(widen(got), widen(wanted), rtol, atol, equal_nan=True)


def same_top(got: np.ndarray, wanted: np.ndarray) -> bool:
    """Whether the largest element of a vector of scores is at the same place.
    Places whose reference values round to one half-precision number tie. True
    for what is not a vector once dimensions of 1 are dropped."""
    got, wanted = widen(got.squeeze()), widen(wanted.squeeze())
    if wanted.ndim != 1 or wanted.size == 0:
        return True
    best = wanted.max()
    return bool(wanted[got.argmax()] >= best - abs(best) * UNIT[np.dtype(np.float16)])
