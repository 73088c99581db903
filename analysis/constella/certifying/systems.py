"""systems.py: the systems on which methods are measured by default, and why each is there."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import dataclasses
import hashlib
import os
import pathlib

from typing import Any

import numpy as np

from ..integrator import System, pointer
from ..reading import ConstellaError

SEED = 20240229


@dataclasses.dataclass(frozen=True)
class Entry:
    """why: what the system tells apart. time: a fraction of its period, in which orders are measured; step: a step
    at which defects are well above round-off; thermal: motions at temperature 1 stay near, whatever their energy."""

    name: str
    why: str
    time: float = 1.0
    step: float = 0.1
    thermal: bool = False
    path: str = ""  # of a system file

    @property
    def source(self) -> str:
        return self.path or self.name

    @property
    def sha256(self) -> str:
        """Of the file; "" of a system of the catalogue."""
        return hashlib.sha256(pathlib.Path(self.path).read_bytes()).hexdigest() if self.path else ""


DEFAULTS = [
    Entry("henon-heiles", "a potential of degree 3, no constraint, no symmetry: symplectic maps beside volume preserving ones", 2.0, 0.4),
    Entry("kepler", "a symmetry and a motion whose speed varies: momentum, and order against bounded energy", 1.0, 0.05),
    Entry("double-pendulum", "two constraints, no symmetry, not integrable: projections, multipliers, drift", 1.0, 0.1, True),
    Entry("spherical-pendulum", "a constraint and a symmetry: the momentum map beside the constraint", 1.0, 0.1, True),
    Entry("double-pendulum-angles", "a mass that depends on the coordinates: what is not separable", 1.0, 0.1, True),
    Entry("lagrange-top", "a body: methods on the rotation group", 0.5, 0.05),
    Entry("nonholonomic-oscillator", "a constraint on velocities: the Lagrange-d'Alembert principle", 1.0, 0.1),
]


class Bench:
    """A system with sample states. n states around the default one, on the constraints; the same for every method."""

    def __init__(self, entry: Entry) -> None:
        self.entry, self.name = entry, entry.name
        self.system = System(entry.source)
        self.system.name = entry.name
        self.parameters = self.system.values({})

    def states(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.Generator(np.random.Philox(SEED))
        q0, v0 = self.system.state(self.system.states[0], self.parameters)
        size = 0.03 * max(1.0, float(np.abs(q0).max()))
        rows: list[tuple[np.ndarray, np.ndarray]] = []
        while len(rows) < n:
            q, v = q0 + size * rng.standard_normal(q0.shape), v0 + size * rng.standard_normal(q0.shape)
            if not rows:
                q, v = q0.copy(), v0.copy()
            self.system.project(self.parameters, q, v)
            rows.append((q, v))
        return np.array([r[0] for r in rows]), np.array([r[1] for r in rows])

    def project(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The states on the constraints near q[n, nq], v[n, nq]."""
        q, v = np.ascontiguousarray(q), np.ascontiguousarray(v)
        for k in range(len(q)):
            self.system.project(self.parameters, q[k], v[k])
        return q, v

    def energy(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """T + V of states [n, nq]."""
        return self.system.energies(self.parameters, q, v).sum(axis=1)

    def kinetic(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """T of states [n, nq]."""
        return self.system.energies(self.parameters, q, v)[:, 0]

    def energy_terms(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """|T| + |V| of states."""
        return np.maximum(np.abs(self.system.energies(self.parameters, q, v)).sum(axis=1), 1e-300)

    def round_off(self, runs: list[tuple[np.ndarray, np.ndarray]], h: float, steps: int) -> dict[str, np.ndarray]:
        """What round-off may change over so many steps h, the larger of those from each (q, v): `energy` [n], `momentum` [n, symmetry],
        `constraint` and `hidden` [n], of their scales."""
        x = np.max([self.system.round_off(self.parameters, q, v, h, steps) for q, v in runs], axis=0)
        return {"energy": x[:, 0], "momentum": x[:, 1:-4], "constraint": x[:, -3], "hidden": x[:, -1]}

    def momentum_maps(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """[n, symmetry]"""
        return self.system.momentum_maps(self.parameters, q, v)

    @property
    def velocity_constraints(self) -> bool:
        return self.system.velocities > 0

    def residuals(self, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """Largest |g| and |G v| of their scales over the states."""
        out = np.zeros(4)
        each = [pointer(out[k:]) for k in range(4)]
        worst = [0.0, 0.0]
        for row, rate in zip(np.ascontiguousarray(q), np.ascontiguousarray(v)):
            self.system._lib.cst_system_residuals(self.system._at, pointer(self.parameters), pointer(row), pointer(rate), *each)
            worst = [max(worst[0], float(out[1])), max(worst[1], float(out[3]))]
        return worst[0], worst[1]


def chosen(names: list[Any] | None, folder: str = ".") -> list[Entry]:
    """The default systems, or those of these names or files, whose paths rest on the folder. Entries stay as they are."""
    if names is None:
        return DEFAULTS
    known = {e.name: e for e in DEFAULTS}
    found = [n if isinstance(n, Entry) else known.get(n) or Entry(n, "chosen by the user", path=path_of(n, folder)) for n in names]
    for entry in found:
        if entry.name not in known:
            System(entry.source)  # refuses what is none
    if not found:
        raise ConstellaError("no system is left")
    return found


def path_of(name: str, folder: str) -> str:
    """Of a file; "" of a system of the catalogue."""
    path = os.path.normpath(os.path.join(folder, name))
    return path if "/" in name or os.path.isfile(path) else ""
