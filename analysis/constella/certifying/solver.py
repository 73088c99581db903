"""solver.py: the iterations of a method's solver per step, at the system's step and at a half and a quarter of it."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

from typing import Any

from .maps import Failed
from .property import CONFIRMED, Axes, OPEN, REFUTED, Found, Judged, Property
from .systems import Bench

CLAIM = "iterations"
STEPS = 400


def measure(of: Any, bench: Bench, quick: bool) -> dict[str, Found]:
    """The largest mean of a trajectory; halving the step does not raise it where a solver starts from a prediction."""
    q, v = bench.states(2 if quick else 6)
    by_step, steps = {}, []
    for h in (bench.entry.step, bench.entry.step / 2, bench.entry.step / 4):
        try:
            run = of.begin(bench.system, h, q, v).step(STEPS)
        except Failed as e:
            return {CLAIM: Found(why=f"step {h:.3g}: {e}")}
        if not hasattr(run, "iterations"):
            return {CLAIM: Found(why="not given")}
        steps.append(h)
        by_step[f"{h:.6g}"] = float(run.iterations.max()) / STEPS
    most = max(by_step.values())
    return {CLAIM: Found(most, most, most, 0.0, "", {"steps": STEPS, "states": len(q), "by-step": by_step}, {"x": steps, "y": list(by_step.values())})}


def judge(claim: str, claimed: float, found: Found) -> Judged:
    if found.why:
        return Judged(OPEN, found.why)
    said = ", ".join(f"{n:.4g} at {h}" for h, n in found.how["by-step"].items())
    return Judged(CONFIRMED if found.value <= claimed else REFUTED, said)


AXES = Axes("step", {CLAIM: "iterations per step"}, "x", "y")
PROPERTY = Property("solver", "iterations of the solver per step, at most", (CLAIM,), measure, judge, numbers={CLAIM: float}, axes=AXES)
