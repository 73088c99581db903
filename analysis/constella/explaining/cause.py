"""cause.py: the cause of a drift from rates of change at several steps and tolerances.

A rate is the slope of x over time, of the mean or as rms over members, whichever is larger; below three of its errors it
counts as not seen, and stands for at most the drift limit.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

EPS = float(np.finfo(float).eps)
FACTORS = (1.25, 1.1, 1.0, 1 / 1.1, 1 / 1.25, 0.5, 0.25)  # of the step, that a map has
LOOSER = 100.0
SAME = 0.05  # of a rate, between the steps of a map, of what the motion itself does
PEAK = 6.0  # times its neighbours
OF_CONSTRAINTS = ("constraint-jumped", "constraint-dropped", "rank of the constraints", "no solution any more", "no-multiplier", "branch-left", "no-effect")
LEAP = 0.3  # of the terms of x, between two windows that follow each other


@dataclasses.dataclass(frozen=True)
class Point:
    """One quantity of a case of the map. rate, limit: of x in a unit of time; rate 0: not seen. largest: |x - x(0)|; scale:
    of its terms; steps: taken; failed: the share of the members, why in `reason`; leap: the largest jump of a window mean
    of a member, over the scale. solves: steps of the method have equations; exact: it claims to keep x to round-off; noisy: it
    has a heat bath."""

    step: float
    tolerance: float
    rate: float
    limit: float
    largest: float
    scale: float
    steps: float
    failed: float = 0.0
    reason: str = ""
    leap: float = 0.0
    solves: bool = True
    exact: bool = False
    noisy: bool = False


@dataclasses.dataclass(frozen=True)
class Cause:
    """word: truncation, solver, round-off, resonance, wrong root, instability, constraints, noise, motion, none, open. said: a sentence."""

    word: str
    said: str


def nearest(points: Sequence[Point], step: float) -> Point | None:
    found = [p for p in points if abs(p.step / step - 1) < 0.02]
    return found[0] if found else None


def at_tolerance(points: Sequence[Point], tolerance: float) -> list[Point]:
    return sorted((p for p in points if abs(math.log(p.tolerance / tolerance)) < 0.1), key=lambda p: -p.step)


def upper(p: Point) -> float:
    return p.rate or p.limit


def order(points: Sequence[Point], step: float) -> float:
    """The power of the step with which the rate falls towards smaller steps; NaN where it does not tell."""
    used = [p for p in (nearest(points, step * f) for f in (1.0, 0.5, 0.25)) if p and not p.failed]
    powers = []
    for a, b in zip(used, used[1:]):
        if a.rate and upper(b) > 0:
            powers.append(math.log(a.rate / upper(b)) / math.log(a.step / b.step))
            if not b.rate:
                break  # at least that much
    return powers[0] if powers else math.nan


def lost(points: Sequence[Point], base: Point) -> Cause | None:
    """Trajectories that fail or leap. Only equations have another root: an explicit step has none."""
    beyond = [p for f in FACTORS if f > 1 and (p := nearest(points, base.step * f)) and not p.failed]
    if base.failed and beyond:
        return Cause("resonance", f"trajectories fail ({base.reason}), and none at the larger step {beyond[-1].step:.4g}: the step is in resonance with a frequency of the motion")
    if base.failed and ("step-too-large" in base.reason or "not converge" in base.reason):
        return Cause("wrong root", f"the step is too large for the near root of the equations of a step: {base.reason}")
    if base.failed and "finite" in base.reason:
        holds = [p.step for p in points if p.step < base.step and not p.failed]
        at = f"none at the smaller step {max(holds):.4g}" if holds else "at the smaller steps of the map too"
        return Cause("instability", f"trajectories go to infinity ({base.reason}), {at}: the step is beyond what the method is stable at, or in resonance with a frequency of the motion")
    if any(word in base.reason for word in OF_CONSTRAINTS) and base.failed:
        also = sum(p.failed > 0 for p in points if p.step < base.step)
        return Cause("constraints", f"trajectories fail ({base.reason}), also at {also} smaller steps of the map: the constraints, or forces by their multipliers, leave no motion there that goes on")
    if base.leap > LEAP:
        word, why = ("wrong root", "the solver goes to another root, or") if base.solves else ("instability", "the step is explicit, and")
        return Cause(word, f"it leaps by {base.leap:.2g} of its terms within a window: {why} the step is beyond what the motion allows")
    return None


def solver(all_: Sequence[Point], base: Point) -> Cause | None:
    """Tightening helps; or, at the tightest tolerance, loosening hurts in proportion."""
    tighter = nearest(at_tolerance(all_, base.tolerance / LOOSER), base.step)
    looser = nearest(at_tolerance(all_, base.tolerance * LOOSER), base.step)
    if tighter and upper(tighter) < base.rate / 3:
        return Cause("solver", f"a tolerance of {tighter.tolerance:g} in place of {base.tolerance:g} makes it {base.rate / upper(tighter):.2g} times smaller at the same step")
    if not tighter and looser and looser.rate > 0.3 * LOOSER * base.rate:
        return Cause("solver", f"it is in proportion to the solver's tolerance, {looser.rate / base.rate:.2g} times larger with {looser.tolerance:g}")
    return None


def resonance(points: Sequence[Point], base: Point) -> Cause | None:
    larger = [p for f in FACTORS if f > 1 and (p := nearest(points, base.step * f)) and not p.failed]
    smaller = [p for f in FACTORS if 0.6 < f < 1 and (p := nearest(points, base.step * f))]
    if larger and smaller and min(map(upper, larger)) * PEAK < base.rate > PEAK * min(map(upper, smaller)):
        low, high = min(smaller, key=upper), min(larger, key=upper)
        return Cause(
            "resonance",
            f"it is {base.rate / upper(low):.2g} times that at a step of {low.step:.4g}, and {base.rate / upper(high):.2g} times that at the larger step {high.step:.4g}: "
            "the step is in resonance with a frequency of the motion",
        )
    return None


def round_off(points: Sequence[Point], base: Point) -> Cause | None:
    """Rounded sums; or, where nothing brings a motion back to its constraints, sums of rounded sums, which no step changes."""
    half, quarter = nearest(points, base.step / 2), nearest(points, base.step / 4)
    small = base.largest <= 300 * EPS * base.scale * math.sqrt(base.steps)
    if small and base.exact:
        return Cause("round-off", f"the method keeps it exactly, and it is {base.largest / base.scale / EPS:.2g} units of the last place after {base.steps:.3g} steps")
    if small and half and upper(half) > 0.2 * base.rate:
        return Cause("round-off", f"it is {base.largest / base.scale / EPS:.2g} units of the last place after {base.steps:.3g} steps, and half the step makes it {upper(half) / base.rate:.2g} times as large")
    twice = base.largest <= 10 * EPS * base.scale * base.steps**1.5
    if twice and half and quarter and min(half.rate, quarter.rate) > 0.5 * base.rate:
        return Cause("round-off", f"it grows as sums of rounded sums do, to {base.largest / base.scale / EPS:.2g} units of the last place after {base.steps:.3g} steps, and is {half.rate / base.rate:.2g} and {quarter.rate / base.rate:.2g} times as large at a half and a quarter of the step")
    return None


def truncation(points: Sequence[Point], base: Point) -> Cause | None:
    p = order(points, base.step)
    half = nearest(points, base.step / 2)
    if not p > 0.5 or not half:
        return None
    least = "" if half.rate else "at least "
    return Cause("truncation", f"it scales as h^{p:.2g}, {least}{base.rate / upper(half):.2g} times smaller at half the step, and does not depend on the solver's tolerance")


def motion(points: Sequence[Point], base: Point) -> Cause | None:
    """A rate that no step changes is that of the exact motion."""
    rates = [p.rate for p in points if not p.failed and p.step <= base.step * 1.01]
    if len(rates) < 3 or max(rates) - min(rates) > SAME * base.rate:
        return None
    return Cause(
        "motion",
        f"its rate {base.rate:.2g} is the same, to {(max(rates) - min(rates)) / base.rate:.2g} of it, at all steps down to {min(p.step for p in points):.4g}: the exact "
        "motion does not keep it. Look at the forces, their signs, and what depends on time",
    )


def explain(all_: Sequence[Point], step: float, tolerance: float) -> Cause:
    """all_: the points of one quantity and method."""
    points = at_tolerance(all_, tolerance)
    base = nearest(points, step)
    if base is None:
        return Cause("open", "the map has no such case")
    if base.noisy:
        return Cause("noise", "the method has a heat bath, whose noise and friction change it")
    found = lost(points, base)
    if found:
        return found
    if not base.rate:
        return Cause("none", f"no drift is seen in {base.steps * base.step:.3g}; the map excludes more than {base.limit:.2g} in a unit of time")
    for look in (lambda: solver(all_, base), lambda: round_off(points, base), lambda: resonance(points, base), lambda: truncation(points, base), lambda: motion(points, base)):
        found = look()
        if found:
            return found
    return Cause("open", f"its rate {base.rate:.2g} changes neither with the step as a power (h^{order(points, step):.2g}) nor with the tolerance")
