"""balance.py: the momentum equation of single steps, as studies measure it (docs/momentum-balance.md): the discrete one of
methods that have it, which is exact, else its integral by the points of the method's layer, or the trapezoidal rule.

The momenta are those of the symmetries that a system declares; under constraints on velocities also those of coordinates on
which the energy does not depend, since constraint forces change them.
"""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
from typing import Any

import numpy as np

from .. import running
from ..reading import ResultError
from ..result import Result
from . import texts
from .maps import Method
from .property import Axes, Found, Property, missing, small
from .ranks import alone
from .systems import Bench

CLAIMS = ("momentum-balance",)
STEPS = 200
HALVINGS = 2  # of the step, in the curve


def cyclic(bench: Bench) -> list[int]:
    """Coordinates on which the energy does not depend."""
    q, v = bench.states(3)
    before, found = bench.energy(q, v), []
    for i in range(q.shape[1]):
        moved = q.copy()
        moved[:, i] += 0.37
        if (np.abs(bench.energy(moved, v) - before) <= 1e-14 * bench.energy_terms(q, v)).all():
            found.append(i)
    return found


def study_of(method: str, system: str, how: dict[str, Any], halvings: int = 0) -> str:
    more = f"observables: [momentum-balance]\ntangent: {{every: {how['step']!r}}}\n"
    if how["generators"]:
        each = ", ".join(f"{name}: {rows}" for name, rows in how["generators"].items())
        more += f"momentum-balance: {{symmetries: {{{each}}}}}\n"
    return texts.study("conservation", method, system, how["steps"] * how["step"], [how["step"] / 2**k for k in range(halvings + 1)], more)


def measure(of: Any, bench: Bench, quick: bool) -> dict[str, Found]:
    n = bench.system.coordinates
    own = cyclic(bench) if bench.velocity_constraints else []
    if not own and not bench.system.symmetries:
        return {}
    if not isinstance(of, Method) or of.layers:
        return missing(CLAIMS, "the discrete momenta of steps of others are not known")
    units = {f"cyclic{i + 1}": [int(i == k) for k in range(len(n))] for i in own}
    how = {"step": bench.entry.step, "steps": STEPS // 4 if quick else STEPS, "generators": units}
    with tempfile.TemporaryDirectory() as folder:
        text, file = pathlib.Path(folder, "balance.yaml"), os.path.join(folder, "balance.h5")
        text.write_text(study_of(of.name, os.path.abspath(bench.entry.path) if bench.entry.path else bench.name, how, HALVINGS))
        words = [running.program(), "run", str(text), "-o", file, "--progress", "none"]
        done = subprocess.run(words, capture_output=True, text=True, env=alone(), check=False)
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            return missing(CLAIMS, said[0].split("error: ", 1)[-1] if said else f"status {done.returncode}")
        defects, floors = numbers(file)
    curve = {"x": [how["step"] / 2**k for k in range(HALVINGS + 1)], "y": defects, "floor": floors}
    return {CLAIMS[0]: Found(defects[0], defects[0], defects[0], floors[0], "", how, curve)}


def numbers(file: str) -> tuple[list[float], list[float]]:
    """The defects of the discrete equation, or of the integral, at each step, and their floors."""
    root = "/momentum-balance/momentum-balance_"
    result = Result(file)
    try:
        for what in ("", "integral_"):
            defects, floors = ([float(x) for x in result.data(f"{root}{what}{end}")[:, 0]] for end in ("max", "floor"))
            if np.isfinite(defects[0]):
                break
    except ResultError:
        return [float("nan")] * (HALVINGS + 1), [0.0] * (HALVINGS + 1)
    return defects, floors


def study(method: str, system: str, claim: str, found: Found) -> str:
    return study_of(method, system, found.how)


AXES = Axes("step", {CLAIMS[0]: "defect of the momentum equation"}, "xy")
PROPERTY = Property(
    "balance", "the momentum equation of single steps", CLAIMS, measure, small(1e-12, 1e-8), unasked=False, study=study, axes=AXES,
)  # fmt: skip
