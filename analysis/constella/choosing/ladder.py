"""ladder.py: steps and horizons. A step is T / count with a count of a series of preferred numbers, so that steps are short
decimals and the same step fits shorter horizons T / m."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import math

SERIES = (100, 125, 160, 200, 250, 320, 400, 500, 640, 800)  # a factor 1.25 apart
PARTS = (1, 2, 4, 5, 8)


def counts() -> list[int]:
    """All counts, whole numbers from 1 on."""
    small = [1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50, 64, 80]
    return small + [n * 10**k for k in range(13) for n in SERIES]


ALL = counts()


def at_least(n: float) -> int:
    """The place of the first count that is not below n."""
    return next((k for k, c in enumerate(ALL) if c >= n * (1 - 1e-12)), len(ALL) - 1)


def rungs(start: float, every: int, many: int) -> list[int]:
    """`many` counts from the first that is at least `start`, every so many places: 3 is a factor 2."""
    k = at_least(start)
    return [ALL[i] for i in range(k, k + every * many, every) if i < len(ALL)]


def finer(count: int, places: int) -> int:
    """The count so many places after (before, if negative) another."""
    return ALL[min(max(0, ALL.index(count) + places), len(ALL) - 1)]


def fitting(wanted: list[int], m: int) -> list[int]:
    """Those counts of the whole run that a run of T / m takes a whole number of steps of."""
    return sorted({c for c in wanted if c % m == 0 and c // m >= 1})


def divisors() -> list[int]:
    """m of horizons T / m, ascending."""
    return sorted({p * 10**k for k in range(10) for p in PARTS})


def shortened(until: float, horizon: float, coarsest: int) -> int:
    """The largest m with T / m at least the horizon, where the coarsest count still is 16 steps."""
    return max([m for m in divisors() if until / m >= horizon * (1 - 1e-12) and coarsest / m >= 16], default=1)


def exponent(h: list[float], e: list[float]) -> float:
    """The order with which errors fall: the lower median of local slopes; NaN where there is none."""
    slopes = [
        math.log(e[i] / e[i + 1]) / math.log(h[i] / h[i + 1])
        for i in range(len(h) - 1)
        if e[i] > 0 and e[i + 1] > 0 and math.isfinite(e[i] * e[i + 1])
    ]
    return sorted(slopes)[(len(slopes) - 1) // 2] if slopes else math.nan
