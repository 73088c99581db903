"""order.py: orders of convergence of q, p and lambda: by the order conditions, where coefficients are known, and by the errors
at the end of a short motion, against Gauss' method of order 12, and what of them is of a lower power (parts.py)."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..integrator import pointer
from ..library import library
from . import parts, texts
from .maps import Failed, Method
from .property import CONFIRMED, Axes, OPEN, REFUTED, Found, Judged, Property, number
from .systems import Bench

CLAIMS = ("order", "order-p", "order-lambda")
COUNTS, QUICK = [2**k for k in range(3, 11)], 2**8  # of steps in the whole time; the most of them where that is clear
FOREIGN = 2**9  # the most of them of steppers of others
REFERENCE, FINE = "gauss(6)", 256  # steps of the reference in the whole time
EPS = float(np.finfo(float).eps)
FLAGS = ("ok", "pre-asymptotic", "plateau", "too-few", "returns", "contradicts", "no-reference")
ENOUGH = 4  # steps above a plateau of errors that tell an order
NEAR = 0.35  # an order is that of the steps used, which are finite
CLOSE = 0.1  # to the claimed order, of one that errors alone show
COMES = 0.75  # times as far from it, slopes that go to an order: they halve their distance with the step
ABOVE, FAR = 30, 1e4  # times the floor


def rms(x: np.ndarray) -> float:
    with np.errstate(over="ignore", invalid="ignore"):  # of runs that go to infinity
        return float(np.sqrt((x * x).sum(axis=1).mean()))


def momenta(bench: Bench, run: Any) -> np.ndarray:
    """M v + a, whatever representative of the momenta a method carries."""
    found: np.ndarray = bench.system.momentum(run.q, run.v, bench.parameters)
    return found


def reference(bench: Bench, end: float, q: np.ndarray, v: np.ndarray, steps: int = FINE) -> Any:
    return Method(REFERENCE).begin(bench.system, end / steps, q, v).step(steps)


def lambda_reference(bench: Bench, end: float, h: float, back: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Multipliers of the motion `back` steps of length h before the end."""
    at = end - back * h
    return reference(bench, at, q, v).multipliers


def errors_of(of: Any, bench: Bench, n: int, q: np.ndarray, v: np.ndarray, exact: Any) -> dict[str, np.ndarray]:
    """Of every state, of n steps in the whole time. Raises Failed."""
    end = bench.entry.time
    run = of.begin(bench.system, end / n, q, v).step(n)
    there = lambda_reference(bench, end, end / n, 1 - of.lambda_time(bench.system), q, v) if bench.system.constraints else None
    return differences(bench, run, exact, there)


def differences(bench: Bench, run: Any, exact: Any, multipliers: np.ndarray | None) -> dict[str, np.ndarray]:
    """Of a run from the exact motion, by what is claimed; NaN where it has no multipliers."""
    found = {"order": run.q - exact.q, "order-p": momenta(bench, run) - momenta(bench, exact)}
    if multipliers is not None:
        found["order-lambda"] = run.multipliers - multipliers if run.multipliers is not None else np.full_like(multipliers, np.nan)
    return found


def scales(bench: Bench, exact: Any) -> dict[str, float]:
    found = {"order": float(np.abs(exact.q).max()), "order-p": float(np.abs(momenta(bench, exact)).max())}
    if bench.system.constraints:
        found["order-lambda"] = max(1.0, float(np.abs(exact.multipliers).max())) * 100
    return found


def unclear(found: dict[str, Found]) -> bool:
    """Whether smaller steps may tell an order: errors still leave or reach one, far above their floor."""
    return any(x.how.get("flag") == "pre-asymptotic" and x.curve["y"][-1] > FAR * x.curve["floor"][-1] for x in found.values())


def most(of: Any, told: dict[str, Any], found: dict[str, Found], quick: bool) -> int:
    """Of steps in the whole time. Errors alone tell more, the smaller the steps; a short certificate of known coefficients
    takes small ones only where larger ones do not tell."""
    if not isinstance(of, Method):
        return FOREIGN if quick else COUNTS[-1]
    return QUICK if quick and told and not unclear(found) else COUNTS[-1]


def measure(of: Any, bench: Bench, quick: bool) -> dict[str, Found]:
    q, v = bench.states(3 if quick else 6)
    told = of.conditions(bench.system)
    beside = {"conditions": told} if told else {}
    try:
        exact, rough = (reference(bench, bench.entry.time, q, v, n) for n in (FINE, FINE // 2))
    except Failed as e:
        return {claim: Found(why=f"no reference: {e}", how=beside) for claim in CLAIMS[: 3 if bench.system.constraints else 2]}
    rows: list[dict[str, np.ndarray]] = []
    counts, why, found = [], "", {}
    for n in COUNTS:
        if n > most(of, told, found, quick):
            break
        try:
            rows.append(errors_of(of, bench, n, q, v, exact))
            counts.append(n)
        except Failed as e:
            why = why or f"step {bench.entry.time / n:.3g}: {e}"
        if n >= QUICK:
            found = {c: fitted(bench.entry.time / np.array(counts), np.array([rms(row[c]) for row in rows]), x, why) for c, x in scales(bench, exact).items()}
    unsure = differences(bench, rough, exact, exact.multipliers if bench.system.constraints else None)
    return {c: dataclasses.replace(x, how={**x.how, **beside, **beneath(counts, [row[c] for row in rows], x, rms(unsure[c]))}) for c, x in found.items()}


def beneath(counts: list[int], rows: list[np.ndarray], found: Found, unsure: float) -> dict[str, Any]:
    """What of the errors is of lower powers than those that may be claimed; unsure: of the exact motion, at most."""
    seen = parts.below(counts, rows, found.curve["floor"][-1] + unsure) if found.curve else {}
    return {"lower": {p: list(x) for p, x in seen.items()}} if seen else {}


def part(claimed: float, found: Found) -> tuple[int, float, str]:
    """(power, size, what is said) of a part of the errors that is of a lower power of the step than claimed; "": there is none, or
    the conditions of known coefficients exclude it."""
    seen = [(r, size) for r, size in found.how.get("lower", {}).values() if r < claimed]
    if not seen or decided(claimed, found.how.get("conditions", {})):
        return 0, 0.0, ""
    r, size = min(seen)
    return r, size, f"errors have a part {'that does not fall with h' if r == 0 else f'of h^{r}'}, {number(size)} at the smallest step"


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


def unmet(claimed: float, told: dict[str, Any]) -> str:
    """Which order conditions up to the claimed one the coefficients do not meet; "": all that are known."""
    for k, residual in enumerate(told.get("residuals", [])[: int(claimed) + 1]):
        if not residual <= told["round-off"]:
            return f"conditions of order {k} are off by {residual:.2g}"
    return ""


def decided(claimed: float, told: dict[str, Any]) -> bool:
    """Whether the coefficients meet all conditions of the claimed order."""
    return bool(told) and claimed < len(told["residuals"]) and not unmet(claimed, told)


def above(found: Found) -> tuple[np.ndarray, np.ndarray]:
    """Steps and errors that are well above their floor."""
    h, error, floor = (np.array(found.curve[k]) for k in ("x", "y", "floor"))
    seen = error > ABOVE * floor
    return h[seen], error[seen]


def slopes(found: Found) -> np.ndarray:
    h, error = above(found)
    return np.log(error[1:] / error[:-1]) / np.log(h[1:] / h[:-1])


def sure(found: Found) -> bool:
    flag, used = found.how["flag"], found.how["used"]
    return bool(flag == "ok" or (flag == "plateau" and used >= ENOUGH))


def shown(claimed: float, found: Found) -> bool:
    """Whether the errors alone show the order: they fall to the end, and the fit, or what the last two slopes go to, is the
    claimed order or a higher one, by a tenth; or they fall as fast, and are told apart into parts of which none is of a lower power."""
    local, order = slopes(found), max(claimed, round(found.value))
    powers = [r for r, _ in found.how.get("lower", {}).values()]
    if powers and min(powers) >= claimed and len(local) >= 2 and (local[-2:] > claimed - CLOSE).all():
        return True
    if not sure(found) or len(local) < 2 or (local <= 0).any():
        return False
    before, last = abs(local[-2:] - order)
    return abs(found.value - order) <= CLOSE or last <= min(NEAR, COMES * before)


def doubt(claimed: float, found: Found) -> str:
    """What speaks against a claim that other systems show: errors that no longer fall, or ever less, far above their floor."""
    if not found.curve or decided(claimed, found.how.get("conditions", {})):
        return ""
    if why := part(claimed, found)[2]:
        return why
    (h, error), local, floor = above(found), slopes(found), found.curve["floor"][-1]
    if len(local) < 2 or h[-1] > found.curve["x"][-1] or not error[-1] > FAR * floor:
        return ""
    if local[-1] < max(0.0, min(claimed - 0.5, local[-2] - CLOSE)):
        return f"at the smallest steps errors go from {number(error[-2])} to {number(error[-1])}, far above their floor {number(floor)}"
    return ""


def judge(claim: str, claimed: float, found: Found) -> Judged:
    told = found.how.get("conditions", {})
    said = f"{number(found.value)} ({number(found.low)} to {number(found.high)})"
    if off := unmet(claimed, told):
        return Judged(REFUTED, f"{off}; measured: {found.why or said}")
    _, size, why = part(claimed, found)
    if not found.why and max(found.high, found.value) < claimed - NEAR and sure(found):
        return Judged(REFUTED, said)
    if why:
        far = size > FAR * found.curve["floor"][-1]
        return Judged(REFUTED if far else OPEN, f"{found.why or said}; {why}")
    if found.why:
        return Judged(OPEN, found.why)
    flag, used, low = found.how["flag"], found.how["used"], min(found.low, found.value)
    if max(found.high, found.value) < claimed - NEAR:
        return Judged(OPEN, f"{said}, {flag}, {used} steps")
    met = decided(claimed, told)
    if shown(claimed, found) or (met and low > claimed - NEAR):
        said += f" down to errors of {number(above(found)[1].min())}" if len(above(found)[1]) else ""
        said += f", conditions met to {max(told['residuals'][: int(claimed) + 1]):.2g}" if met else ""
        return Judged(CONFIRMED, said + (": higher than claimed" if low > claimed + NEAR else ""))
    return Judged(OPEN, f"{said}, {doubt(claimed, found) or flag}")


def study(method: str, system: str, claim: str, found: Found) -> str:
    return texts.order(method, system, found.how)


AXES = Axes("step", {"order": "error of q at the end", "order-p": "error of M v + a at the end", "order-lambda": "error of lambda"}, "xy", "slope")
PROPERTY = Property("order", "orders of q, p and lambda against an accurate motion", CLAIMS, measure, judge, dict.fromkeys(CLAIMS, int), study=study, axes=AXES, doubt=doubt)
