"""parts.py: which lower powers of the step are in errors, beside what is of the claimed order. Differences of the errors of steps that
halve take the powers from the claimed one on away, one after another (Richardson); a part of a lower power stays, as a vector
that keeps its direction and shrinks by that power, and so stands out long before it bends the errors themselves."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MOST = 12  # claims of higher orders are not looked at
LEAST = 5  # steps that halve
PARALLEL = 0.99  # cosine of the angle between its vectors
INTEGER = (0.25, 0.1)  # from a whole number, of the last power but one, and of the last
ABOVE = 30  # times the floor


def halved(counts: Sequence[int]) -> int:
    """How many of the last numbers of steps double from one to the next."""
    n = len(counts)
    return next((n - k for k in range(n - 1, 0, -1) if counts[k] != 2 * counts[k - 1]), n)


def power(x: np.ndarray) -> int:
    """The power of the step of three vectors with halved steps; -1: they show none."""
    size = np.linalg.norm(x, axis=1)
    if not np.isfinite(size).all() or not size.all():
        return -1
    turned = np.array([x[k] @ x[k + 1] / (size[k] * size[k + 1]) for k in (0, 1)])
    powers = np.log2(size[:-1] / size[1:])
    whole = round(float(powers[1]))
    return whole if whole >= 0 and (turned > PARALLEL).all() and (np.abs(powers - whole) < INTEGER).all() else -1


def lower(errors: np.ndarray, noise: float, claimed: int) -> tuple[int, float] | None:
    """(power, size at the smallest step) of a part of a power below the claimed one; None: none is seen. errors[step, number],
    signed, of steps that halve; noise: of a row, as its norm. A part is seen at two levels, one behind the other."""
    left, share, last = errors, np.ones(claimed), -1
    for q in range(claimed, claimed + len(errors) - 3):
        left, noise = (2.0**q * left[1:] - left[:-1]) / (2.0**q - 1), noise * (2.0**q + 1) / (2.0**q - 1)
        share = share * (2.0**q - 2.0 ** np.arange(claimed)) / (2.0**q - 1)  # of a part of each power, that is left
        size = float(np.linalg.norm(left[-1]))
        r = power(left[-3:]) if size > ABOVE * noise else -1
        if 0 <= r < claimed and r == last:
            return r, size / float(share[r])
        last = r
    return None


def below(counts: Sequence[int], rows: Sequence[np.ndarray], noise: float) -> dict[str, tuple[int, float]]:
    """By claimed orders, what `lower` finds of errors[state, number] of so many steps, as rms over the states, and noise
    likewise; up to the first order beside which what is found is the whole of them."""
    n, found = halved(counts), {}
    if n < LEAST:
        return {}
    errors, one = np.array([row.ravel() for row in rows[-n:]]), float(np.sqrt(len(rows[-1])))
    for p in range(1, MOST + 1):
        if seen := lower(errors, noise * one, p):
            found[str(p)] = (seen[0], seen[1] / one)
            if seen[1] > np.linalg.norm(errors[-1]) / 2:
                break
    return found
