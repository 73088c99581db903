"""symmetric.py: whether a step of -h undoes a step of h, and whether adjoint(METHOD) is what it is called."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

from typing import Any

import numpy as np

from . import texts
from .maps import Failed
from .property import Axes, Found, Property, missing, small
from .systems import Bench

CLAIMS = ("symmetric", "adjoint")
ROUNDINGS = 16  # of q, v and the acceleration, in two steps
HALVINGS = 3  # of the step, in the curve


def sizes(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What distances of q and v are relative to."""
    return np.maximum(np.abs(q), 1), np.maximum(np.abs(v), 1)


def floor_of(bench: Bench, h: float, q: np.ndarray, v: np.ndarray) -> float:
    """What round-off makes of the distance: that of the numbers of a state, and of its acceleration."""
    u, a = np.finfo(float).eps / 2, np.nan_to_num(bench.system.acceleration_rounding(bench.parameters, q, v))
    rate = u * np.abs(v) + h * a
    of_q, of_v = sizes(q, v)
    return ROUNDINGS * float(max(((u * np.abs(q) + h * rate) / of_q).max(), (rate / of_v).max()))


def back(forth: Any, other: Any, bench: Bench, h: float, q: np.ndarray, v: np.ndarray) -> float:
    """The distance from the start after a step of h of one map and a step of -h of another."""
    run = forth.begin(bench.system, h, q, v).step(1)
    home = other.begin(bench.system, -h, run.q, run.v).step(1)
    return float((np.abs(np.hstack([home.q - q, home.v - v])) / np.hstack(sizes(q, v))).max())


def restarts(of: Any, bench: Bench, h: float, q: np.ndarray, v: np.ndarray) -> bool:
    """Whether a step is a map of q and v: a method of ours may keep more between steps, such as the last impulses."""
    run = of.begin(bench.system, h, q, v).step(1)
    again = of.begin(bench.system, h, run.q, run.v).step(1)
    run.step(1)
    return float(np.abs(np.hstack([run.q - again.q, run.v - again.v])).max()) < 1e-10


def measure(of: Any, bench: Bench, quick: bool) -> dict[str, Found]:
    q, v = bench.states(3 if quick else 8)
    found: dict[str, Found] = {}
    other = of.adjoint()
    for claim, partner in (("symmetric", of), ("adjoint", other)):
        if partner is None:
            continue
        try:
            h = bench.entry.step
            distance = back(of, partner, bench, h, q, v)
            floor = floor_of(bench, h, q, v)
            if distance > max(1e-11, floor) and not restarts(of, bench, h, q, v):
                found |= missing((claim,), "a step is no map of q and v: the method keeps more between steps")
                continue
            found[claim] = Found(distance, distance, distance, floor, "", {"step": h, "states": len(q)}, curve(of, partner, bench, h, distance, floor, q, v))
        except Failed as e:
            found |= missing((claim,), str(e))
    return found


def curve(of: Any, partner: Any, bench: Bench, h: float, distance: float, floor: float, q: np.ndarray, v: np.ndarray) -> dict[str, Any]:
    """With halves of the step too."""
    steps = [h / 2**k for k in range(HALVINGS + 1)]
    return {"x": steps, "y": [distance, *(back(of, partner, bench, step, q, v) for step in steps[1:])], "floor": floor}


def study(method: str, system: str, claim: str, found: Found) -> str:
    """`reversibility` is the same of a method that is reversible under v -> -v too."""
    return texts.tangent(method, system, found.how, "reversibility") if claim == "symmetric" else ""


AXES = Axes("step", dict.fromkeys(CLAIMS, "distance from the start"), "xy")
PROPERTY = Property("symmetric", "a step of -h after a step of h, of the method itself and of its adjoint", CLAIMS, measure, small(1e-11, 1e-10), study=study, axes=AXES)
