"""scale.py: the shortest time of a system's motion from its start, and the spread of starts around it.

For a harmonic motion rms(a') / rms(a) is its frequency; with several frequencies the highest count most. It is measured
along a few periods by rk4, with a step that is made to fit.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import math
import time

import numpy as np

from ..integrator import Integrator, System
from ..reading import ConstellaError

DEAR = 30.0  # times a small step
SPREAD = 0.02  # of the sizes of q and v


@dataclasses.dataclass(frozen=True)
class Scale:
    """time: 2 pi over the frequency; q, v: rms of the change of a coordinate, and of a velocity."""

    time: float
    q: float
    v: float

    @property
    def near(self) -> float:
        """Of q, for starts near one: no farther than the motion goes in its shortest time, as far as a harmonic one swings."""
        return min(self.q, self.v * self.time / (2 * math.pi))


def rounded(x: float) -> float:
    return float(f"{x:.2g}")


def observe(system: System, method: str, h: float, steps: int, start: dict) -> tuple[np.ndarray, np.ndarray] | None:
    """q and v [step, nq]; None where the motion fails."""
    x = Integrator(system, method, h, **start)
    q, v = [x.q], [x.v]
    for _ in range(steps):
        x.step()
        q.append(x.q)
        v.append(x.v)
    if x.failures or not np.isfinite(q).all() or not np.isfinite(v).all():
        return None
    return np.array(q), np.array(v)


def rms(x: np.ndarray) -> float:
    """Of a component."""
    return float(np.sqrt(np.mean(x * x)))


def frequency(v: np.ndarray, h: float) -> float:
    a = np.diff(v, axis=0) / h
    size = rms(a)
    if size <= 1e-12 * max(rms(v), 1e-300):
        return 0.0
    return rms(np.diff(a, axis=0) / h) / size


def methods(system: System) -> list[str]:
    from ..certifying.maps import Method

    return [m for m in ("rk4", "lie-rattle", "rattle") if not Method(m).refuses(system)]


def measure(system: System, start: dict) -> Scale:
    """start: the keywords of Integrator for the start."""
    usable = methods(system)
    if not usable:
        raise ConstellaError("no method steps this system")
    h = 1e-3
    for _ in range(30):
        seen = observe(system, usable[0], h, 200, start)
        omega = frequency(seen[1], h) if seen else math.inf
        if omega == 0:
            q, v = seen  # type: ignore[misc]
            size = max(1.0, rms(q[:1]))
            return Scale(rounded(size / max(rms(v), 1e-3)), size, max(rms(v), 1e-3))
        if h * omega > 0.1 or not math.isfinite(omega):
            h /= 4 if not math.isfinite(omega) else max(2.0, h * omega / 0.05)
        elif h * omega < 0.01:
            h *= min(0.05 / (h * omega), 100)
        else:
            break
    seen = observe(system, usable[0], 0.05 / omega, 1000, start)
    if seen is None:
        raise ConstellaError("the motion from the start fails within eight periods even with small steps")
    q, v = seen
    omega = max(omega, frequency(v, 0.05 / omega))
    return Scale(rounded(2 * math.pi / omega), rounded(rms(q - q.mean(axis=0))), rounded(rms(v)))


def seconds_of_steps(system: System, methods: list[str], steps: list[float], start: dict, limit: float) -> dict[str, list[float | None]]:
    """Of the processor for one step of each size, the smallest first, of each method, roughly: what may be timed at all. None:
    steps of that size fail, or cost far more than small ones, since the solver repeats them in parts. limit: seconds after
    which nothing more is measured."""
    began = time.process_time()
    found: dict[str, list[float | None]] = {}
    for k, h in enumerate(steps):
        for method in sorted(found, key=lambda m: (found[m][0] or 0.0, m)) if k else methods:
            if time.process_time() - began > limit:
                return found
            if k == 0:
                found[method] = [seconds_of_step(system, method, h, start)]
            elif (least := found[method][0]) and len(found[method]) == k:
                x = seconds_of_step(system, method, h, start)
                found[method].append(x if x and x < DEAR * least + 1e-4 else None)
    return found


def seconds_of_step(system: System, method: str, h: float, start: dict) -> float | None:
    try:
        x = Integrator(system, method, h, **start)
        took = []
        for k in range(6):
            began = time.process_time()
            x.step()
            took.append(time.process_time() - began)
            if sum(took) > 0.05 and k > 0:
                break
        return None if x.failures else min(took[1:])
    except ConstellaError:
        return None
