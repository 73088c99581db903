"""energy.py: the energy over a long run: bounded, exact, or drifting, by the verdicts of conservation studies."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import ctypes
import dataclasses
from typing import Any

import numpy as np

from ..integrator import pointer
from ..library import LongRun, library
from . import texts
from .maps import Failed
from .property import CONFIRMED, Axes, OPEN, REFUTED, Found, Judged, Property, missing, number
from .systems import Bench

CLAIMS = ("energy-bounded", "energy", "dissipates")
WINDOWS = 64
VERDICTS = (
    "exact", "frozen", "bounded", "random-walk", "linear", "quadratic", "exponential", "linear (round-off)", "escaped",
    "failed", "drifts", "settled", "undecided",
)  # fmt: skip
GROWS = ("random-walk", "linear", "quadratic", "exponential", "drifts")
FALLS = 1.5  # the power of the step with which a change falls that is the start-up of a bounded error
LOST = 0.1  # of the terms: what falls by as much in windows of which each is below the last one does not oscillate
RISES = 0.01  # of the fall: what windows may be above the last ones in all
THRESHOLD = 4.0  # deviations of a normal distribution beyond which an undecided run drifts


def measure(of: Any, bench: Bench, quick: bool) -> dict[str, Found]:
    h, every = bench.entry.step / 2, 2
    per_window = 32 if quick else 256  # readings
    q, v = bench.states(4 if quick else 8)
    scale = bench.energy_terms(q, v)
    rounding = bench.round_off([(q, v)], h, every * WINDOWS * per_window)["energy"]
    try:
        found, drawn = concluded(*followed(of, bench, h, q, v, every, per_window), scale, rounding, every, h)
        if found.how["verdict"] == "settled":  # whether the change is smaller with half of the step
            finer, _ = concluded(*followed(of, bench, h / 2, q, v, 2 * every, per_window), scale, rounding, 2 * every, h / 2)
            found.how["change-finer"] = finer.how["change"]
    except Failed as e:
        return missing(CLAIMS, str(e))
    return {claim: dataclasses.replace(found, curve=drawn if claim == CLAIMS[0] else {}) for claim in CLAIMS}  # they have one curve


def followed(of: Any, bench: Bench, h: float, q: np.ndarray, v: np.ndarray, every: int, per_window: int) -> tuple[np.ndarray, np.ndarray]:
    """Energies [member, reading] at every so many steps, the first one at the start; how far each member has moved, of its
    coordinates at the start."""
    run = of.begin(bench.system, h, q, v)
    energy = [bench.energy(run.q, run.v)]
    moved = np.zeros(len(q))
    for _ in range(WINDOWS):
        read = []
        for _ in range(per_window):
            run.step(every)
            read.append((run.q.copy(), run.v.copy()))  # a run may step in its arrays
        at, rate = (np.concatenate(x) for x in zip(*read))
        energy += [*bench.energy(at, rate).reshape(per_window, -1)]
        with np.errstate(over="ignore"):  # of runs that go to infinity
            away = np.linalg.norm((at.reshape(per_window, *q.shape) - q).reshape(at.shape), axis=1)
        moved = np.maximum(moved, away.reshape(per_window, -1).max(axis=0))
    return np.array(energy).T, moved / np.maximum(np.linalg.norm(q, axis=1), 1e-300)


def concluded(
    x: np.ndarray, moved: np.ndarray, scale: np.ndarray, rounding: np.ndarray, every: int, h: float
) -> tuple[Found, dict[str, Any]]:
    """From what `followed` returns, and what round-off may change each energy by; and its curve. change: of the mean over the last
    quarter, as rms over members, of the terms."""
    change = x - x[:, :1]
    members, steps = len(x), every * (x.shape[1] - 1)
    means = np.ascontiguousarray(change[:, 1:].reshape(members, WINDOWS, -1).mean(axis=2))
    largest = np.ascontiguousarray(np.abs(change).max(axis=1))
    start, last = np.ascontiguousarray(x[:, 0]), np.ascontiguousarray(change[:, -1])
    late = change[:, 1 + 3 * (change.shape[1] // 4) :].mean(axis=1)
    rises = np.maximum(np.diff(means, axis=1), 0).sum(axis=1) / np.where(late < 0, -late, np.inf)
    width = np.ascontiguousarray(np.ptp(change[:, 1 + change.shape[1] // 2 :], axis=1))
    scale, moved = np.ascontiguousarray(scale), np.ascontiguousarray(moved)
    stepped = np.maximum(scale, rounding / (20 * np.finfo(float).eps * np.sqrt(steps)))  # what verdicts make it of
    data = LongRun(members, steps, h * steps, *(pointer(a) for a in (means, largest, scale, start, last, moved)), None, pointer(width), pointer(scale), pointer(stepped), None)
    g = library().cst_growth_estimate(ctypes.byref(data))
    how = {
        "step": h, "steps": steps, "members": members, "verdict": VERDICTS[g.verdict], "slope": g.slope,
        "slope-error": g.slope_error, "drift-limit": g.limit, "deviations": g.drift, "round-off": g.by_round_off,
        "change": float(np.sqrt(np.mean((late / scale) ** 2))), "falls": bool((late < 0).all()),
        "lost": float((-late / scale).min()), "rises": float(rises.max()),
    }  # fmt: skip
    level = float((largest / scale).max())
    noise = float((rounding / scale).max())
    return Found(level, level, level, noise, "", how), curve(change, scale, every, h, g)


def curve(change: np.ndarray, scale: np.ndarray, every: int, h: float, g: Any) -> dict[str, Any]:
    """Of the member whose energy changes most: the largest change in each window, of its terms; limit: the drift since the
    start that is not excluded at 95 %."""
    k = int(np.argmax(np.abs(change).max(axis=1) / scale))
    windows = np.abs(change[k, 1:] / scale[k]).reshape(WINDOWS, -1)
    steps = every * windows.shape[1] * np.arange(1, WINDOWS + 1)
    limit = (g.limit / scale[k] * h * steps).tolist() if np.isfinite(g.limit) else []
    return {"x": steps.tolist(), "y": windows.max(axis=1).tolist(), "limit": limit}


def falls(found: Found, said: str) -> Judged:
    """Whether the energy is less at the end of the run, window by window, than at its beginning."""
    slope, error = found.how["slope"], found.how["slope-error"]
    said = f"{said}; slope {number(slope)} +- {number(error)}"
    if found.value <= 100 * found.floor or not np.isfinite(slope):
        return Judged(OPEN, f"{said}: no change")
    if found.how["verdict"] == "settled":
        return Judged(CONFIRMED if found.how["falls"] else REFUTED, said)
    if slope < -THRESHOLD * error or (found.how.get("lost", 0.0) > LOST and found.how["rises"] < RISES):
        return Judged(CONFIRMED, said)
    return Judged(REFUTED, said) if slope > THRESHOLD * error or found.how["verdict"] == "bounded" else Judged(OPEN, said)


def settles(found: Found, said: str) -> Judged:
    """What has changed once and stays may be the start-up of a bounded error, if it falls with the step."""
    change, finer = found.how["change"], found.how["change-finer"]
    said = f"{said}; then {number(change)} of them for good, {number(finer)} with half of the step"
    if change > 0.5:
        return Judged(REFUTED, said)
    return Judged(CONFIRMED if finer * 2**FALLS <= change else OPEN, said)


def judge(claim: str, claimed: float, found: Found) -> Judged:
    if found.why:
        return Judged(OPEN, found.why)
    word, sure = found.how["verdict"], found.how["deviations"]
    said = f"{word}; change {number(found.value)} of its terms over {found.how['steps']} steps of {found.how['step']:g}"
    if claim == "energy":
        if found.value <= found.floor:
            return Judged(CONFIRMED, said)
        return Judged(REFUTED, said) if found.value > max(1e-9, 100 * found.floor) else Judged(OPEN, said)
    if claim == "dissipates":
        return falls(found, said)
    if word == "settled":
        return settles(found, said)
    if word in ("exact", "bounded", "linear (round-off)"):
        return Judged(CONFIRMED, said)
    if word in GROWS and not found.how["round-off"] and (word != "random-walk" or sure > THRESHOLD):
        return Judged(REFUTED, f"{said}; slope {number(found.how['slope'])} +- {number(found.how['slope-error'])}")
    if word == "undecided" and sure > THRESHOLD and found.value > 100 * found.floor:
        return Judged(REFUTED, f"{said}; a drift at {number(sure)} deviations")
    return Judged(OPEN, said)


def study(method: str, system: str, claim: str, found: Found) -> str:
    return texts.conservation(method, system, found.how, "energy")


AXES = Axes("steps", dict.fromkeys(CLAIMS, "change of the energy / its terms"))
PROPERTY = Property("energy", "the energy over a long run", CLAIMS, measure, judge, study=study, axes=AXES, one_curve=True)
