"""noise.py: by how much a column of the table may differ between two runs before the difference says something.

A column has a role (docs/result-file.md), and the table below has a line for each role that is judged: a
function of the two results, the two cases and what the column is of, which is True where they differ beyond
noise. A number has an interval: that which the file states (of a fitted order, a slope, a mean, a quantile),
for an error that of the reference and of round-off. Two numbers differ beyond noise where their intervals do
not meet. Columns with other roles either follow from these or are not judged.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .result import Result

PERCENT = 0.01  # errors and sizes that differ by less lead to the same conclusion
COST = 0.05  # as for counts of work, and for times beside their spread
SIGMAS = 4.0  # of a standard error: one in 16 000 by chance, and a table has hundreds of columns
ROUND_OFF = 64 * np.finfo(float).eps  # of a step; n steps have sqrt(n) of it

Test = Callable[["Result", int, "Result", int, str], bool]


def number(r: Result, case: int, role: str, of: str) -> float:
    return float(r.told(role, of)[case])


def apart(x: tuple[float, float], y: tuple[float, float]) -> bool:
    """Whether two intervals do not meet; an unknown bound meets everything."""
    return x[0] > y[1] or y[0] > x[1]


def finite_alike(x: float, y: float) -> bool:
    return bool(np.isfinite(x) == np.isfinite(y))


def scale(r: Result, case: int) -> float:
    """The largest coordinate or momentum at the end, at least 1."""
    largest = 1.0
    for name in ("q", "p"):
        x = r.data(f"/final/{name}")
        if x is not None:
            x = np.abs(x[case][np.isfinite(x[case])])
            largest = max(largest, float(x.max(initial=0.0)))
    return largest


def floor(r: Result, case: int, of: str) -> float:
    """What an error of this case is not known to better than: that of the reference, and round-off."""
    told = number(r, case, "reference-error", of)
    n = r.data("/cases/n")
    steps = float(n[case]) if n is not None else 1.0
    return (told if np.isfinite(told) else 0.0) + ROUND_OFF * np.sqrt(steps) * scale(r, case)


def of_error(role: str) -> Test:
    def test(a: Result, i: int, b: Result, j: int, of: str) -> bool:
        x, y = number(a, i, role, of), number(b, j, role, of)
        if not (np.isfinite(x) and np.isfinite(y)):
            return not finite_alike(x, y)
        return abs(x - y) > PERCENT * max(x, y) + floor(a, i, of) + floor(b, j, of)

    return test


def of_interval(low: str, high: str, role: str) -> Test:
    """low, high: the roles of the columns with the bounds of the column `role`."""

    def test(a: Result, i: int, b: Result, j: int, of: str) -> bool:
        if not finite_alike(number(a, i, role, of), number(b, j, role, of)):
            return True
        ends = [(number(r, k, low, of), number(r, k, high, of)) for r, k in ((a, i), (b, j))]
        return apart(*ends)

    return test


def of_standard_error(role: str, error: str) -> Test:
    """error: the role of the column with the standard error of the column `role`."""

    def test(a: Result, i: int, b: Result, j: int, of: str) -> bool:
        x, y = number(a, i, role, of), number(b, j, role, of)
        if not (np.isfinite(x) and np.isfinite(y)):
            return not finite_alike(x, y)
        spread = np.hypot(number(a, i, error, of), number(b, j, error, of))
        allowed = SIGMAS * (spread if np.isfinite(spread) else 0.0)
        return bool(abs(x - y) > allowed + ROUND_OFF * max(abs(x), abs(y)))

    return test


def tolerance(r: Result, case: int) -> float:
    """That of the solver: so far a constraint may be from zero in either run."""
    told = r.data("/cases/tolerance")
    return float(told[case]) if told is not None and np.isfinite(told[case]) else 0.0


def starts(r: Result) -> str:
    """The block `initial` of the study."""
    lines = r.study.splitlines()
    first = next((k for k, line in enumerate(lines) if line.startswith("initial:")), len(lines))
    block = [line for line in lines[first + 1 :] if line]
    more = next((k for k, line in enumerate(block) if not line.startswith((" ", "-"))), len(block))
    return "\n".join(lines[first : first + 1] + block[:more])


def of_size(role: str, share: float) -> Test:
    """A number without an interval: a share of it, the tolerance of the solver, and round-off of quantities of size
    1."""

    def test(a: Result, i: int, b: Result, j: int, of: str) -> bool:
        x, y = number(a, i, role, of), number(b, j, role, of)
        if not (np.isfinite(x) and np.isfinite(y)):
            return not finite_alike(x, y)
        n = a.data("/cases/n")
        steps = float(n[i]) if n is not None else 1.0
        least = tolerance(a, i) + tolerance(b, j) + ROUND_OFF * np.sqrt(steps)
        return abs(x - y) > share * max(abs(x), abs(y)) + least

    return test


def of_count(role: str) -> Test:
    return lambda a, i, b, j, of: number(a, i, role, of) != number(b, j, role, of)


# words that conclude nothing, and words that say less than others: they contradict no other
OPEN = {"", "-", "undecided", "frozen", "failed", "too-few", "no-reference", "pre-asymptotic", "plateau"}
GROWTH = {"random-walk", "linear", "linear (round-off)", "quadratic", "exponential", "drifts", "escaped"}


def contradict(x: str, y: str) -> bool:
    """Whether two words of a verdict, a law or a flag exclude each other."""
    if x == y or x in OPEN or y in OPEN:
        return False
    return not ({x, y} <= GROWTH and "drifts" in (x, y))


def of_word(role: str) -> Test:
    return lambda a, i, b, j, of: contradict(str(a.said(role, of)[i]), str(b.said(role, of)[j]))


QUANTILES = ("q05", "q25", "q50", "q75", "q95")
JUDGED: dict[str, Test] = {
    "error": of_error("error"),
    "error-rms": of_error("error-rms"),
    "order": of_interval("order-low", "order-high", "order"),
    "exponent": of_interval("exponent-low", "exponent-high", "exponent"),
    "slope": of_standard_error("slope", "slope-error"),
    "mean": of_standard_error("mean", "mean-error"),
    "rms": of_standard_error("rms", "rms-error"),
    "average": of_standard_error("average", "average-error"),
    **{q: of_interval(f"{q}-low", f"{q}-high", q) for q in QUANTILES},
    "verdict": of_word("verdict"),
    "flag": of_word("flag"),
    "largest": of_size("largest", PERCENT),
    "minimum": of_size("minimum", PERCENT),
    "maximum": of_size("maximum", PERCENT),
    "least": of_size("least", PERCENT),
    "most": of_size("most", PERCENT),
    "iterations": of_size("iterations", COST),
    "evaluations": of_size("evaluations", COST),
    "failed": of_count("failed"),
    "undefined": of_count("undefined"),
}


EXTREMES = ("largest", "minimum", "maximum", "least", "most")  # of members that are two samples they may differ by any amount


def judged(a: Result, b: Result, column: str) -> bool:
    """Whether there is a rule for the column of two results."""
    role = a.uses[column]["role"]
    return role in JUDGED and a.uses[column] == b.uses[column] and (role not in EXTREMES or starts(a) == starts(b))


def beyond(a: Result, i: int, b: Result, j: int, column: str) -> bool:
    """Whether case i of a and case j of b differ in a column beyond noise."""
    use = a.uses[column]
    return judged(a, b, column) and JUDGED[use["role"]](a, i, b, j, use["of"])


def cost_beyond(a: Result, i: int, b: Result, j: int) -> bool:
    """Whether the measured times of two cases, from the least to the largest of their repeats, do not meet, and
    differ by more than COST as well."""
    spans: list[tuple[float, float]] = []
    for r, k in ((a, i), (b, j)):
        ends = [r.numbers(name)[k] for name in ("cpu_seconds", "cpu_seconds_most")]
        spans.append((float(ends[0]), float(ends[1])))
    least = [s[0] for s in spans]
    return bool(np.isfinite(spans).all() and apart(*spans) and max(least) > (1 + COST) * min(least))


def all_equal(x: Any, y: Any) -> bool:
    """Equal, or both not a number."""
    return bool(x == y or (x != x and y != y))
