"""temperature.py: the mean of v'M v over the degrees of freedom of long motions in a heat bath."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

from typing import Any

import numpy as np

from .maps import Failed, Method
from .property import CONFIRMED, Axes, OPEN, REFUTED, Found, Judged, Property, number
from .systems import Bench

CLAIM = "temperature"
NEAR = 0.01  # relative deviation that is allowed at the step of the measurement
SURE = 3.5  # standard deviations
READINGS = 50  # in the curve


def measure(of: Any, bench: Bench, quick: bool) -> dict[str, Found]:
    if not bench.entry.thermal:
        return {}
    ours = isinstance(of, Method)
    # so that of ours 2 % too much or too little are told from the 1 % that is allowed
    members, every, readings, before = (2048 if quick else 8192, 20, 16 * READINGS, 2000) if ours else (32, 8, 4 * READINGS, 400)
    q, v = (np.tile(x, (members, 1)) for x in bench.states(1))
    h = bench.entry.step / 4
    freedom = len(bench.system.coordinates) - len(bench.system.constraints)
    try:
        run = of.begin(bench.system, h, q, v).step(before)  # to the bath's temperature
        found = []
        for _ in range(readings):
            run.step(every)
            found.append(2 * bench.kinetic(run.q, run.v) / freedom)
    except Failed as e:
        return {CLAIM: Found(why=str(e))}
    x = np.array(found)
    means = x.mean(axis=1).cumsum() / np.arange(1, readings + 1)
    time = h * (before + every * np.arange(1, readings + 1))
    thin = slice(readings // READINGS - 1, None, readings // READINGS)
    curve = {"x": time[thin].tolist(), "y": means[thin].tolist()}
    return {CLAIM: concluded(x, {"step": h, "members": members, "steps": readings * every}, curve)}


def concluded(x: np.ndarray, how: dict[str, Any], curve: dict[str, Any]) -> Found:
    """From readings x[time, member]; members are independent."""
    each = x.mean(axis=0)
    mean, error = float(each.mean()), float(each.std(ddof=1) / np.sqrt(len(each)))
    return Found(mean, mean - SURE * error, mean + SURE * error, 0.0, "", {**how, "error": error}, curve)


def judge(claim: str, claimed: float, found: Found) -> Judged:
    if found.why:
        return Judged(OPEN, found.why)
    said = f"{found.value:.4g} +- {number(found.how['error'])}"
    low, high = claimed * (1 - NEAR), claimed * (1 + NEAR)
    if found.high < low or found.low > high:
        return Judged(REFUTED, said)
    if low < found.value < high and found.high - found.low < 2 * claimed * NEAR:
        return Judged(CONFIRMED, said)
    return Judged(OPEN, f"{said}: too wide an interval")


AXES = Axes("time", {CLAIM: "mean of v'M v so far, per degree of freedom"}, "", "y")
PROPERTY = Property("temperature", "the temperature of v'M v/2 in long motions with the noise of a bath", (CLAIM,), measure, judge, numbers={CLAIM: float}, unasked=False, axes=AXES)
