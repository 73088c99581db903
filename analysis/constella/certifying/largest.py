"""largest.py: the largest step that works: a sweep until steps fail or the energy leaves."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

from typing import Any

import numpy as np

from .maps import Failed
from .property import CONFIRMED, Axes, OPEN, REFUTED, Found, Judged, Property, number
from .systems import Bench

CLAIM = "stable"
STEPS = 200  # of a trial
RATIO = 2**0.25  # between two steps of the sweep
MOST = 64  # of them
LEAVES = 2.0  # the change of the energy, of its terms at the start, that ends a trial


def works(of: Any, bench: Bench, h: float, q: np.ndarray, v: np.ndarray) -> tuple[str, float]:
    """("" where STEPS steps of h succeed from all states, else why not, the largest change of the energy)"""
    most = 0.0
    try:
        run = of.begin(bench.system, h, q, v)
        start = bench.energy(q, v)
        for _ in range(STEPS // 10):
            with np.errstate(all="ignore"):  # of runs that go to infinity
                run.step(10)
                change = float((np.abs(bench.energy(run.q, run.v) - start) / bench.energy_terms(q, v)).max())
            most = max(most, change) if np.isfinite(change) else np.inf
            if not change < LEAVES:
                return "the energy leaves", most
    except Failed as e:
        return str(e), float("nan")
    return "", most


def measure(of: Any, bench: Bench, quick: bool) -> dict[str, Found]:
    """From the system's step down until one works, or up until one does not."""
    q, v = bench.states(2 if quick else 6)
    h, tried = bench.entry.step, [bench.entry.step]
    why, change = works(of, bench, h, q, v)
    changes = [change]
    good, failed = (h, 0.0) if not why else (0.0, h)
    while len(tried) < MOST and (not good or not failed):
        h = h / RATIO if failed else h * RATIO
        found, change = works(of, bench, h, q, v)
        tried.append(h)
        changes.append(change)
        if found:
            failed, why = h, found
        else:
            good = h
    how = {"steps": STEPS, "states": len(q), "failed-at": failed, "failed": why}
    curve = {"x": tried, "y": changes, "limit": LEAVES}
    if not good:
        return {CLAIM: Found(why=f"no step down to {h:.3g} works: {why}", how=how, curve=curve)}
    return {CLAIM: Found(good, good, failed or np.inf, 0.0, "", how, curve)}


def judge(claim: str, claimed: float, found: Found) -> Judged:
    if found.why:
        return Judged(OPEN, found.why)
    end = f"at {number(found.how['failed-at'])}: {found.how['failed']}" if found.how["failed-at"] else "nothing failed"
    said = f"{number(found.value)}; {end}"
    if claimed <= found.low:
        return Judged(CONFIRMED, said)
    return Judged(REFUTED, said) if claimed >= found.high else Judged(OPEN, said)


AXES = Axes("step", {CLAIM: "change of the energy / its terms"}, "xy", "x")
PROPERTY = Property("largest", f"the largest step of a sweep with which {STEPS} steps from every state succeed", (CLAIM,), measure, judge, numbers={CLAIM: float}, axes=AXES)
