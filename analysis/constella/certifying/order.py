"""order.py: orders of convergence of q, p and lambda at the end of a short motion, against Gauss' method of order 12."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

from typing import Any

import numpy as np

from ..integrator import pointer
from ..library import library
from . import texts
from .maps import Failed, Method
from .property import CONFIRMED, Axes, OPEN, REFUTED, Found, Judged, Property, missing, number
from .systems import Bench

CLAIMS = ("order", "order-p", "order-lambda")
REFERENCE, FINE = "gauss(6)", 256  # steps of the reference in the whole time
EPS = float(np.finfo(float).eps)
FLAGS = ("ok", "pre-asymptotic", "plateau", "too-few", "returns", "contradicts", "no-reference")
ENOUGH = 4  # steps above a plateau of errors that tell an order
NEAR = 0.35  # an order is that of the steps used, which are finite


def rms(x: np.ndarray) -> float:
    with np.errstate(over="ignore", invalid="ignore"):  # of runs that go to infinity
        return float(np.sqrt((x * x).sum(axis=1).mean()))


def momenta(bench: Bench, run: Any) -> np.ndarray:
    """M v + a, whatever representative of the momenta a method carries."""
    found: np.ndarray = bench.system.momentum(run.q, run.v, bench.parameters)
    return found


def reference(bench: Bench, end: float, q: np.ndarray, v: np.ndarray) -> Any:
    return Method(REFERENCE).begin(bench.system, end / FINE, q, v).step(FINE)


def lambda_reference(bench: Bench, end: float, h: float, back: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Multipliers of the motion `back` steps of length h before the end."""
    at = end - back * h
    return reference(bench, at, q, v).multipliers


def measure(of: Any, bench: Bench, quick: bool) -> dict[str, Found]:
    end, counts = bench.entry.time, [2**k for k in range(3, 9 if quick else 11)]
    q, v = bench.states(3 if quick else 6)
    claims = CLAIMS if bench.system.constraints else CLAIMS[:2]
    try:
        exact = reference(bench, end, q, v)
    except Failed as e:
        return missing(claims, f"no reference: {e}")
    errors: dict[str, list[float]] = {claim: [] for claim in claims}
    steps, why = [], ""
    for n in counts:
        try:
            run = of.begin(bench.system, end / n, q, v).step(n)
        except Failed as e:
            why = why or f"step {end / n:.3g}: {e}"
            continue
        steps.append(end / n)
        errors["order"].append(rms(run.q - exact.q))
        errors["order-p"].append(rms(momenta(bench, run) - momenta(bench, exact)))
        if "order-lambda" in errors:
            back = 1 - of.lambda_time(bench.system)
            there = lambda_reference(bench, end, end / n, back, q, v)
            errors["order-lambda"].append(rms(run.multipliers - there) if run.multipliers is not None else float("nan"))
    scale = {"order": np.abs(exact.q).max(), "order-p": np.abs(momenta(bench, exact)).max()}
    if "order-lambda" in errors:
        scale["order-lambda"] = max(1.0, np.abs(exact.multipliers).max()) * 100
    return {claim: fitted(np.array(steps), np.array(x), float(scale[claim]), why) for claim, x in errors.items()}


def stalls(error: np.ndarray, floor: np.ndarray) -> bool:
    """Whether the last three errors are the same, to a tenth, far above their floor: the method does not converge."""
    last = error[-3:]
    return bool(np.isfinite(last).all() and last.min() > 1e4 * floor[-1] and last.max() < 1.1 * last.min())


def fitted(h: np.ndarray, error: np.ndarray, scale: float, why: str) -> Found:
    if len(h) < 3:
        return Found(why=why or "too few steps")
    if np.isnan(error).all():
        return Found(why="not given by the stepper")
    floor = 8 * EPS * scale * np.sqrt(h[0] / h * 8) + np.zeros_like(h)
    fit = library().cst_order_estimate(pointer(np.ascontiguousarray(h)), pointer(np.ascontiguousarray(error)), pointer(floor), len(h))
    how = {"steps": h.tolist(), "errors": error.tolist(), "flag": FLAGS[fit.flag], "used": fit.last - fit.first + 1}
    curve = {"x": h.tolist(), "y": error.tolist(), "floor": floor.tolist()}
    if stalls(error, floor):
        return Found(0.0, -0.1, 0.1, 0.0, "", {**how, "flag": "ok", "used": len(h)}, curve)
    if not np.isfinite(fit.order):
        return Found(why=f"no order: {FLAGS[fit.flag]}", how=how, curve=curve)
    return Found(fit.order, fit.low, fit.high, 0.0, "", how, curve)


def judge(claim: str, claimed: float, found: Found) -> Judged:
    said = f"{number(found.value)} ({number(found.low)} to {number(found.high)})"
    if found.why:
        return Judged(OPEN, found.why)
    flag, used = found.how["flag"], found.how["used"]
    low, high = min(found.low, found.value), max(found.high, found.value)
    if high < claimed - NEAR:
        sure = flag == "ok" or (flag == "plateau" and used >= ENOUGH)
        return Judged(REFUTED, said) if sure else Judged(OPEN, f"{said}, {flag}, {used} steps")
    if low > claimed - NEAR:
        return Judged(CONFIRMED, said + (": higher than claimed" if low > claimed + NEAR else ""))
    return Judged(OPEN, f"{said}, {flag}")


def study(method: str, system: str, claim: str, found: Found) -> str:
    return texts.order(method, system, found.how)


AXES = Axes("step", {"order": "error of q at the end", "order-p": "error of M v + a at the end", "order-lambda": "error of lambda"}, "xy", "slope")
PROPERTY = Property("order", "orders of q, p and lambda against an accurate motion", CLAIMS, measure, judge, dict.fromkeys(CLAIMS, int), study=study, axes=AXES)
