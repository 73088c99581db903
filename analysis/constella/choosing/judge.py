"""judge.py: whether the rows of a candidate meet a goal: by the verdicts, drift limits, errors and means of its studies.

A run of T' < T can show that a goal fails, since largest values only grow; it shows that the goal is met where the drift
that the run does not exclude, over the rest of T, leaves room for it.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import math
from typing import Any

from .goal import Goal, Part

MEETS, FAILS, OPEN = "meets", "fails", "open"
KEPT = ("exact", "linear (round-off)", "frozen")
ROUNDED = 10 * 2.0**-52  # of the terms, times the root of the number of steps
STAYS = (*KEPT, "bounded")


@dataclasses.dataclass(frozen=True)
class Judged:
    """share: what is measured, over what is allowed; above 1: too much. why: in words. final: no step helps. short: the share
    that was seen, of a goal that is open only since the run is too short to exclude a drift, which it does not show."""

    verdict: str
    share: float
    why: str = ""
    final: bool = False
    short: float = math.inf


def value(row: dict[str, Any], name: str) -> float:
    x = row.get(name)
    return math.nan if x is None else float(x)


def growth(row: dict[str, Any], of: str, until: float) -> tuple[float, float, str]:
    """(least, most) change by `until` beyond the largest one of the run, and its law in words: 0, 0 where the run lasts
    until then."""
    end = value(row, "end")
    rest, verdict = until - end, row.get(f"{of}_verdict") or ""
    if rest <= 1e-6 * until:
        return 0.0, 0.0, ""
    largest, limit = value(row, f"{of}_max"), value(row, f"{of}_drift_limit")
    if verdict in KEPT:
        return 0.0, 2 * largest * rest / end, ""
    if verdict == "exponential":
        return math.inf, math.inf, "grows exponentially"
    slope = max(abs(value(row, f"{of}_slope")), value(row, f"{of}_slope_rms"))
    if verdict == "quadratic":
        grown = slope * end * ((until / end) ** 2 - 1)
        return 0.5 * grown, 2 * grown, "drifts quadratically"
    least = 0.7 * slope * rest if verdict == "linear" else 0.0
    most = limit * rest
    return least, most if math.isfinite(most) else math.inf, "drifts linearly" if verdict == "linear" else "may drift"


def drift(part: Part, row: dict[str, Any], of: str, until: float, relative: bool) -> Judged:
    largest, scale = value(row, f"{of}_max"), value(row, f"{of}_scale") if relative else 1.0
    if not (math.isfinite(largest) and scale > 0):
        return Judged(FAILS, math.inf, f"{of} is not finite")
    allowed = part.limit * scale
    least, most, law = growth(row, of, until)
    said = f"{of} changes by {largest / scale:.2g}" + (f" in {value(row, 'end'):.4g}" if most else "")
    if largest > allowed:
        return Judged(FAILS, largest / allowed, said)
    if largest + least > allowed:
        return Judged(FAILS, (largest + least) / allowed, f"{said} and {law}: {(largest + least) / scale:.2g} at the horizon")
    if largest + most > allowed:
        said += f"; the run does not exclude {(largest + most) / scale:.2g} at the horizon"
        return Judged(OPEN, (largest + most) / allowed, said, short=largest / allowed if row.get(f"{of}_verdict") in STAYS else math.inf)
    return Judged(MEETS, (largest + most) / allowed, said)


def is_round_off(row: dict[str, Any], name: str) -> bool:
    """The change is no larger than that of sums of rounded numbers, whatever law fits it: a verdict that is right in 99 of 100
    runs is wrong for one of a hundred candidates."""
    return value(row, f"{name}_max") <= ROUNDED * math.sqrt(max(1.0, value(row, "steps"))) * value(row, f"{name}_scale")


def momentum(part: Part, row: dict[str, Any], names: list[str], until: float) -> Judged:
    if part.limit:
        return worst([drift(part, row, name, until, True) for name in names])
    for name in names:
        word = row.get(f"{name}_verdict") or ""
        if word not in KEPT and not is_round_off(row, name):
            return Judged(FAILS, math.inf, f"{name} is not exact: {word}, it changes by {value(row, f'{name}_max'):.2g}", True)
    return Judged(MEETS, 0.0, "momenta exact")


def position(part: Part, row: dict[str, Any], until: float) -> Judged:
    error, reference = value(row, "error_q"), value(row, "reference_error_q")
    if not math.isfinite(error):
        return Judged(FAILS, math.inf, "its error is not finite")
    if error - reference > part.limit:
        return Judged(FAILS, error / part.limit, f"the error of q is {error:.2g}")
    if value(row, "end") < until * (1 - 1e-6):
        return Judged(OPEN, error / part.limit, f"the error of q is {error:.2g} in {value(row, 'end'):.4g}")
    if error + reference > part.limit:
        return Judged(OPEN, (error + reference) / part.limit, f"the reference is known to {reference:.2g} only")
    return Judged(MEETS, (error + reference) / part.limit, f"the error of q is {error:.2g}")


def average(part: Part, name: str, row: dict[str, Any], fine: dict[str, Any], until: float) -> Judged:
    """A run that is too short leaves open whether the mean stays, but with a bath (until: 0). fine: the row of the fine run, or the temperature of a bath with error 0."""
    mean, error = value(row, f"{name}_mean"), value(row, f"{name}_error")
    true, doubt = value(fine, f"{name}_mean"), value(fine, f"{name}_error")
    if not math.isfinite(mean):
        return Judged(FAILS, math.inf, f"the mean of {name} is not finite")
    allowed, off, noise = part.limit * abs(true), abs(mean - true), 2 * math.hypot(error, doubt)
    said = f"the mean of {part.expression or name} is {mean:.6g}, of a fine run {true:.6g}"
    if not math.isfinite(noise):
        return Judged(OPEN, math.inf, f"{said}; the run does not determine its error")
    if off - noise > allowed:
        return Judged(FAILS, off / allowed, f"{said}: off by {off / abs(true):.2g}")
    if value(row, "end") < until * (1 - 1e-6):
        return Judged(OPEN, (off + noise) / allowed, f"{said}; in {value(row, 'end'):.4g}")
    if off + noise > allowed:
        return Judged(OPEN, (off + noise) / allowed, f"{said}; sampling leaves {(off + noise) / abs(true):.2g}")
    return Judged(MEETS, (off + noise) / allowed, said)


def worst(all_: list[Judged]) -> Judged:
    for verdict in (FAILS, OPEN):
        there = [j for j in all_ if j.verdict == verdict]
        if there:
            found = max(there, key=lambda j: j.share)
            return dataclasses.replace(found, short=max(j.short for j in there))
    return max(all_, key=lambda j: j.share)


def judge(goal: Goal, row: dict[str, Any], until: float, momenta: list[str], fine: dict[str, Any]) -> Judged:
    """A candidate's row, put together from its studies."""
    if row.get("failed"):
        return Judged(FAILS, math.inf, f"{row['failed']:g} trajectories fail: {row.get('failures') or 'no reference'}")
    found = []
    for k, part in enumerate(goal.parts):
        if part.word == "energy":
            found.append(drift(part, row, "energy", until, True))
        elif part.word == "constraint":
            found.append(drift(part, row, "constraint", until, False))
        elif part.word == "momentum":
            found.append(momentum(part, row, momenta, until))
        elif part.word == "position":
            found.append(position(part, row, until))
        else:
            found.append(average(part, observable(k, part), row, fine, 0.0 if goal.bath else until))
    return worst(found)


def observable(k: int, part: Part) -> str:
    """The name of the observable of part k."""
    return "temperature" if part.word == "temperature" else f"goal_{k + 1}"
