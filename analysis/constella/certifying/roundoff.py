"""roundoff.py: how round-off grows: the error of the momentum maps that a method keeps, against the number of steps. Sums
that are rounded without a bias walk at random, n^(1/2) (Brouwer's law); a bias grows as n."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

from typing import Any

import numpy as np

from .maps import Failed, Method
from .property import CONFIRMED, Axes, OPEN, REFUTED, Found, Judged, Property, missing, number
from .systems import Bench

CLAIM = "round-off"
MEMBERS = 24
KEPT = 1e-10  # relative: beyond it the map is not kept, and its error is not round-off
BETWEEN = 0.75  # exponents of a random walk below, of a bias above


def exponents(error: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The slopes of log rms against log n over the members, with one member left out each time. error[time, member]."""
    square = error**2
    total = square.sum(axis=1, keepdims=True)
    left_out = np.sqrt((total - square) / (square.shape[1] - 1))
    return np.polyfit(np.log(counts), np.log(left_out), 1)[0]


def measure(of: Any, bench: Bench, quick: bool) -> dict[str, Found]:
    if not bench.system.symmetries:
        return {}
    doublings = (7 if quick else 10) if isinstance(of, Method) else 4
    members = MEMBERS if isinstance(of, Method) else MEMBERS // 3
    counts = 64 * 2 ** np.arange(doublings + 1)
    q, v = bench.states(members)
    h = bench.entry.step / 2
    try:
        run, done, error = of.begin(bench.system, h, q, v), 0, []
        first = bench.momentum_maps(q, v)
        scale = np.maximum(np.abs(first), 1)
        for n in counts:
            # the mean over eight readings: one alone may be near a return
            here = []
            for _ in range(8):
                run.step(int(n - done) // 8)
                here.append((((bench.momentum_maps(run.q, run.v) - first) / scale) ** 2).max(axis=1))
            done = n
            error.append(np.sqrt(np.mean(here, axis=0)))
    except Failed as e:
        return missing((CLAIM,), str(e))
    return {CLAIM: concluded(np.array(error), counts, h)}


def concluded(x: np.ndarray, counts: np.ndarray, h: float) -> Found:
    """From errors x[time, member] after so many steps."""
    members = x.shape[1]
    how = {"step": h, "steps": int(counts[-1]), "members": members, "rms": np.sqrt((x**2).mean(axis=1)).tolist()}
    curve = {"x": counts.tolist(), "y": how["rms"], "limit": KEPT if x[-1].max() > KEPT else []}
    if x[-1].max() > KEPT:
        return Found(why=f"the momentum map is not kept: it changes by {number(float(x[-1].max()))}", how=how, curve=curve)
    if not x[1:].mean(axis=1).all() or x[-1].max() < 4 * np.finfo(float).eps:
        return Found(0.0, 0.0, 0.0, 0.0, "", how, curve)
    slopes = exponents(x[1:], counts[1:].astype(float))
    mean = float(slopes.mean())
    error_of = float(np.sqrt((len(slopes) - 1) * ((slopes - mean) ** 2).mean()))
    return Found(mean, mean - 2.5 * error_of - 0.05, mean + 2.5 * error_of + 0.05, 0.0, "", how, curve)


def judge(claim: str, claimed: float, found: Found) -> Judged:
    if found.why:
        return Judged(OPEN, found.why)
    said = f"n^{number(found.value)} ({number(found.low)} to {number(found.high)}), {number(found.how['rms'][-1])} after {found.how['steps']} steps"
    if found.high < BETWEEN:
        return Judged(CONFIRMED, said)
    return Judged(REFUTED, said) if found.low > BETWEEN else Judged(OPEN, said)


AXES = Axes("steps", {CLAIM: "rms error of momentum maps"}, "xy", powers=(0.5, 1.0))
PROPERTY = Property("roundoff", "the exponent with which the round-off of momentum maps grows: 1/2 without a bias, 1 with one", (CLAIM,), measure, judge, axes=AXES)
