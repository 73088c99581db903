"""symplectic.py: what one step does to areas dq ^ dp and to volume on T*Q, by central differences of fourth order.

Tangent vectors are slopes of curves on the constraints: x(s) is the state near x + s u that satisfies them. The curve
is stepped at s = +-e, +-2e, so that both the vectors and their images are exact to e^4. The floor is the change of the
defect when e is halved, and round-off over e. The step is large, since a method of high order is nearly symplectic at a
small one.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

from typing import Any

import numpy as np

from . import texts
from .maps import Failed
from .property import Axes, Found, Property, missing, small
from .systems import Bench

CLAIMS = ("symplectic", "volume")
HALVINGS = 3  # of the step, in the curve
POINTS = np.array([1.0, -1.0, 2.0, -2.0])
WEIGHTS = np.array([8.0, -8.0, -1.0, 1.0]) / 12
EPS = float(np.finfo(float).eps)
Pair = tuple[np.ndarray, np.ndarray]


def tangents(bench: Bench, q: np.ndarray, v: np.ndarray) -> list[Pair]:
    """A basis of directions (dq, dv) along the constraints, from differences of projected states."""
    n, e, rows = len(q), 1e-4, []
    for k in range(2 * n):
        dq, dv = np.zeros(n), np.zeros(n)
        (dq if k < n else dv)[k % n] = 1.0
        ends = [bench.project((q + s * e * dq)[None], (v + s * e * dv)[None]) for s in (1, -1)]
        rows.append(np.concatenate([(ends[0][i] - ends[1][i])[0] / (2 * e) for i in (0, 1)]))
    _, size, basis = np.linalg.svd(np.array(rows))
    rank = int((size > 1e-6 * size[0]).sum())
    return [(row[:n], row[n:]) for row in basis[:rank]]


def forms(x: np.ndarray) -> np.ndarray:
    """The matrix of the two-form on vectors x[k] = (dq, dp)."""
    n = x.shape[1] // 2
    a = x[:, :n] @ x[:, n:].T
    return a - a.T


def slopes(bench: Bench, of: Any, h: float, q: np.ndarray, v: np.ndarray, basis: list[Pair], e: float) -> Pair:
    """Vectors (dq, dp) before and after a step."""
    qs = np.array([q + s * e * u for u, _ in basis for s in POINTS])
    vs = np.array([v + s * e * w for _, w in basis for s in POINTS])
    qs, vs = bench.project(qs, vs)
    run = of.begin(bench.system, h, qs, vs)
    before = np.hstack([qs, bench.system.momentum(qs, vs, bench.parameters)])
    run.step(1)
    after = np.hstack([run.q, bench.system.momentum(run.q, run.v, bench.parameters)])
    shape = (len(basis), len(POINTS), before.shape[1])
    return tuple(np.einsum("s,ksi->ki", WEIGHTS, x.reshape(shape)) / e for x in (before, after))  # type: ignore[return-value]


def defects(bench: Bench, of: Any, h: float, q: np.ndarray, v: np.ndarray, basis: list[Pair], e: float) -> np.ndarray:
    """[symplectic, volume]"""
    before, after = (forms(x) for x in slopes(bench, of, h, q, v, basis, e))
    area = np.abs(after - before).max() / np.abs(before).max()
    det = np.linalg.det(before)
    volume = abs(np.sqrt(abs(np.linalg.det(after) / det)) - 1) if det else np.nan
    return np.array([area, volume])


def measure(of: Any, bench: Bench, quick: bool) -> dict[str, Found]:
    why = ""
    if bench.velocity_constraints:
        return missing(CLAIMS, "constraints on velocities: there is no two-form to keep")
    for h in (2 * bench.entry.step, bench.entry.step, bench.entry.step / 2):
        try:
            return at_step(of, bench, h, 1 if quick else 3)
        except Failed as e:
            why = why or str(e)
    return missing(CLAIMS, why)


def at_step(of: Any, bench: Bench, h: float, states: int) -> dict[str, Found]:
    """With a step of h, and with halves of it for the curve."""
    q, v = bench.states(states)
    e = 2e-3 * max(1.0, float(np.abs(q).max()))
    bases = [tangents(bench, *state) for state in zip(q, v)]
    steps = [h / 2**k for k in range(HALVINGS + 1)]
    found = [worst(of, bench, step, list(zip(q, v, bases)), e) for step in steps]
    how = {"step": h, "states": states, "difference": e / 2}
    curves: list[dict[str, Any]] = [{"x": steps, "y": [float(d[k]) for d, _ in found], "floor": [float(f[k]) for _, f in found]} for k in range(2)]
    defect, floor = found[0]
    return {claim: Found(defect[k], defect[k], defect[k], floor[k], "", how, curves[k]) for k, claim in enumerate(CLAIMS)}


def worst(of: Any, bench: Bench, h: float, states: list[tuple[np.ndarray, np.ndarray, list[Pair]]], e: float) -> Pair:
    """(the largest defects over the states, their floors)"""
    most, floor = np.zeros(2), np.zeros(2)
    for q, v, basis in states:
        wide, narrow = (defects(bench, of, h, q, v, basis, x) for x in (e, e / 2))
        most = np.maximum(most, narrow)
        floor = np.maximum(floor, np.abs(wide - narrow) + 100 * EPS / e * np.sqrt(len(basis)))
    return most, floor


def study(method: str, system: str, claim: str, found: Found) -> str:
    return texts.tangent(method, system, found.how, "two-form" if claim == "symplectic" else "volume")


AXES = Axes("step", {"symplectic": "change of dq ^ dp", "volume": "change of the volume"}, "xy")
PROPERTY = Property("symplectic", "areas dq ^ dp and volume under one step", CLAIMS, measure, small(1e-11, 1e-8), study=study, axes=AXES)
