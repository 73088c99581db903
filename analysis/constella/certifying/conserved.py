"""conserved.py: momentum maps and constraints over a thousand steps."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

from typing import Any

import numpy as np

from . import texts
from .maps import Failed
from .property import Axes, Found, Property, missing, small
from .systems import Bench

CLAIMS = ("momentum", "constraint", "hidden")
STEPS = 1000


def measure(of: Any, bench: Bench, quick: bool) -> dict[str, Found]:
    n = STEPS // 5 if quick else STEPS
    q, v = bench.states(3)
    claims = [c for c in CLAIMS if (bench.system.symmetries if c == "momentum" else bench.system.constraints)]
    found: dict[str, list[float]] = {"momentum": [], "constraint": [], "hidden": []}
    try:
        run = of.begin(bench.system, bench.entry.step / 2, q, v)
        first = bench.momentum_maps(run.q, run.v)
        scale = np.maximum(np.abs(first), 1)
        for _ in range(n // 10):
            run.step(10)
            maps = bench.momentum_maps(run.q, run.v)
            g, hidden = bench.residuals(run.q, run.v)
            momentum = float((np.abs(maps - first) / scale).max()) if maps.size else 0.0
            for name, x in (("momentum", momentum), ("constraint", g), ("hidden", hidden)):
                found[name].append(x)
    except Failed as e:
        return missing(tuple(claims), str(e))
    rounding = bench.round_off([(q, v), (run.q, run.v)], bench.entry.step / 2, n)
    rounding["momentum"] = rounding["momentum"] / scale
    floor = {c: float(rounding[c].max()) for c in claims}
    how = {"step": bench.entry.step / 2, "steps": n, "members": len(q)}
    time = (bench.entry.step / 2 * 10 * np.arange(1, n // 10 + 1)).tolist()
    worst = {c: max(found[c]) for c in claims}
    return {c: Found(worst[c], worst[c], worst[c], floor[c], "", how, {"x": time, "y": found[c], "floor": floor[c]}) for c in claims}


def study(method: str, system: str, claim: str, found: Found) -> str:
    return texts.conservation(method, system, found.how, "energy, momentum" if claim == "momentum" else "energy, constraint")


AXES = Axes("time", {"momentum": "change of momentum maps", "constraint": "|g|, scaled", "hidden": "|G v|, scaled"})
PROPERTY = Property("conserved", "momentum maps of symmetries, g(q) and G v over many steps", CLAIMS, measure, small(1e-11, 1e-8), study=study, axes=AXES)
