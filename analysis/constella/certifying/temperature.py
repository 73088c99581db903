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
READINGS = 200
THIN = 5  # of the curve


def measure(of: Any, bench: Bench, quick: bool) -> dict[str, Found]:
    if not bench.entry.thermal:
        return {}
    ours = isinstance(of, Method)
    members, every = (2048 if quick else 8192, 40) if ours else (32, 8)
    q, v = (np.tile(x, (members, 1)) for x in bench.states(1))
    h = bench.entry.step / 4
    freedom = len(bench.system.coordinates) - len(bench.system.constraints)
    try:
        run = of.begin(bench.system, h, q, v).step(READINGS * every // 4)  # to the bath's temperature
        found = []
        for _ in range(READINGS):
            run.step(every)
            found.append(2 * bench.kinetic(run.q, run.v) / freedom)
    except Failed as e:
        return {CLAIM: Found(why=str(e))}
    x = np.array(found)
    each = x.mean(axis=0)  # members are independent
    mean, error = float(each.mean()), float(each.std(ddof=1) / np.sqrt(members))
    how = {"step": h, "members": members, "steps": READINGS * every, "error": error}
    means = x.mean(axis=1).cumsum() / np.arange(1, READINGS + 1)
    time = h * (READINGS * every // 4 + every * np.arange(1, READINGS + 1))
    curve = {"x": time[THIN - 1 :: THIN].tolist(), "y": means[THIN - 1 :: THIN].tolist()}
    return {CLAIM: Found(mean, mean - SURE * error, mean + SURE * error, 0.0, "", how, curve)}


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
