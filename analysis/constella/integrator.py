"""integrator.py: constella.Integrator: any method on any system, stepped from Python; arrays of numpy are the memory
that the library reads and fills."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from .library import WHY, Doubles, Options, library
from .reading import ConstellaError, nearest
from .running import is_path

COORDINATES, CONSTRAINTS, PARAMETERS, SYMMETRIES, STATES = range(5)


BEGIN = ctypes.c_double * 0  # a pointer to an array's memory, made in a third of the time of data_as


def pointer(x: np.ndarray | None) -> Any:
    """What a call takes as a pointer to the numbers of a contiguous array."""
    if x is None:
        return None
    return BEGIN.from_buffer(x) if x.flags.writeable else x.ctypes.data_as(Doubles)


class System:
    """A system of the catalogue (its name), of a file (its path) or of a text. coordinates, constraints, parameters,
    symmetries, states: names, in the order of its arrays."""

    def __init__(self, system: str | os.PathLike[str]) -> None:
        self._lib = library()
        self._at = None
        name, text = self._text(system)
        self.name = name
        why = ctypes.create_string_buffer(WHY)
        self._at = self._lib.cst_foreign_system(name.encode(), text, len(text or b""), why, WHY)
        if not self._at:
            raise ConstellaError(why.value.decode(errors="replace").removeprefix("constella: error: "))
        self.coordinates, self.constraints, self.parameters, self.symmetries, self.states = (
            self._names(of) for of in range(STATES + 1)
        )
        self.velocities: int = self._lib.cst_foreign_velocity_constraints(self._at)
        self.entries: int = self._lib.cst_foreign_parameters(self._at)

    def _text(self, system: str | os.PathLike[str]) -> tuple[str, bytes | None]:
        if not is_path(system):
            return "system", str(system).encode()
        path = os.fspath(system)
        if os.path.exists(path):
            with open(path, "rb") as f:
                return path, f.read()
        return path, None

    def _names(self, of: int) -> list[str]:
        return [
            self._lib.cst_foreign_name(self._at, of, i).decode() for i in range(self._lib.cst_foreign_count(self._at, of))
        ]

    def __del__(self) -> None:
        if getattr(self, "_at", None):
            self._lib.cst_system_destroy(self._at)

    def values(self, given: Mapping[str, float]) -> np.ndarray:
        """The array of parameters, with defaults for those that are not given."""
        c = np.zeros(self.entries)
        is_given = (ctypes.c_bool * max(1, self.entries))()
        for name, value in given.items():
            if name not in self.parameters:
                raise ConstellaError(f'unknown parameter "{name}"{nearest(name, self.parameters)} allowed: {", ".join(self.parameters)}')
            k = self.parameters.index(name)
            c[k], is_given[k] = value, True
        self._lib.cst_system_defaults(self._at, is_given, pointer(c))
        return c

    def state(self, name: str, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) of a named state."""
        if name not in self.states:
            raise ConstellaError(f'unknown state "{name}"{nearest(name, self.states)} allowed: {", ".join(self.states)}')
        q, v = np.zeros(len(self.coordinates)), np.zeros(len(self.coordinates))
        self._lib.cst_system_state(self._at, self.states.index(name), pointer(c), pointer(q), pointer(v))
        return q, v

    def momentum(self, q: np.ndarray, v: np.ndarray, c: np.ndarray | None = None) -> np.ndarray:
        """p = M v + a of states [n, nq]."""
        c = self.values({}) if c is None else c
        out = np.empty_like(np.ascontiguousarray(q))
        for to, row, rate in zip(out, np.ascontiguousarray(q), np.ascontiguousarray(v)):
            self._lib.cst_system_momentum(self._at, pointer(c), pointer(row), pointer(rate), pointer(to))
        return out

    def energies(self, c: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """[n, 2]: T and V of states [n, nq]."""
        q, v = (np.ascontiguousarray(np.atleast_2d(x)) for x in (q, v))
        out = np.empty((2, len(q)))
        self._lib.cst_foreign_energies(self._at, len(q), *map(pointer, (c, q, v, out[0], out[1])))
        return out.T

    def momentum_maps(self, c: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """[n, symmetry] of states [n, nq]."""
        q, v = (np.ascontiguousarray(np.atleast_2d(x)) for x in (q, v))
        out = np.empty((len(q), len(self.symmetries)))
        self._lib.cst_foreign_momentum_maps(self._at, len(q), *map(pointer, (c, q, v, out)))
        return out

    def round_off(self, c: np.ndarray, q: np.ndarray, v: np.ndarray, h: float, steps: int) -> np.ndarray:
        """[n, 1 + symmetry + 4]: what round-off may change over so many steps h from states [n, nq]: the energy, each momentum
        map, the largest |g|, this scaled, the largest |G v|, this scaled."""
        q, v = (np.ascontiguousarray(np.atleast_2d(x)) for x in (q, v))
        out = np.empty((len(q), 1 + len(self.symmetries) + 4))
        self._lib.cst_foreign_round_off(self._at, len(q), *map(pointer, (c, q, v)), h, steps, pointer(out))
        return out

    def acceleration_rounding(self, c: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """By how much round-off may change the accelerations of states [n, nq]."""
        out = np.empty_like(np.ascontiguousarray(q))
        for to, row, rate in zip(out, np.ascontiguousarray(q), np.ascontiguousarray(v)):
            self._lib.cst_foreign_acceleration_rounding(self._at, *map(pointer, (c, row, rate, to)))
        return out

    def acceleration(self, q: np.ndarray, v: np.ndarray | None = None, c: np.ndarray | None = None) -> np.ndarray:
        """The acceleration of one state, M A = f - G' lambda with the multipliers that keep the constraints; v = 0 by
        default."""
        q, c = np.ascontiguousarray(q, dtype=float), self.values({}) if c is None else c
        v, out = np.zeros_like(q) if v is None else np.ascontiguousarray(v, dtype=float), np.empty_like(q)
        self._lib.cst_foreign_acceleration(self._at, *map(pointer, (c, q, v, out)))
        return out

    def project(self, c: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Makes a start consistent, in place: the nearest q with g(q) = 0, then v with G v = 0."""
        if not self._lib.cst_system_project(self._at, pointer(c), pointer(q), pointer(v)):
            raise ConstellaError("no state that satisfies the constraints was found near this one")

    def residuals(self, c: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """Largest |g| and |G v| of one state."""
        out = np.zeros(4)
        each = [pointer(out[k:]) for k in range(4)]
        self._lib.cst_system_residuals(self._at, pointer(c), pointer(q), pointer(v), *each)
        return float(out[0]), float(out[2])


class Layers:
    """Methods, composition schemes and maps of the keys `layers`, `schemes` and `maps` of a file, for Integrator:
    Layers("mine.yaml").
    Layers in C are compiled and run in this process: name only files that you trust."""

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self._lib, self._at = library(), None
        path = os.fspath(file)
        try:
            with open(path, "rb") as f:
                text = f.read()
        except OSError as e:
            raise ConstellaError(f"{path}: {e.strerror}") from None
        why = ctypes.create_string_buffer(WHY)
        self._at = self._lib.cst_foreign_layers(path.encode(), text, len(text), why, WHY)
        if not self._at:
            raise ConstellaError(why.value.decode(errors="replace"))

    def __del__(self) -> None:
        if getattr(self, "_at", None):
            self._lib.cst_layers_destroy(self._at)


class Integrator:
    """Trajectories of a system that a method steps together.

        x = constella.Integrator("double-pendulum", "rattle", 0.01)
        x.step(100)
        x.t, x.q, x.v, x.energy

    system: a System, or what System takes. q and v (or p) start it; without them it starts in the state `state`, at
    the given parameters. An array [trajectory, coordinate] starts several, which cost little more than one; every
    array that is read then has this first axis. layers: names of layers and schemes that the method may use. A trajectory
    that cannot go on keeps its last good state: `failures` tells.

    Numbers are those that `constella run` writes for the same start and step, bit for bit."""

    def __init__(
        self,
        system: System | str | os.PathLike[str],
        method: str,
        step: float,
        *,
        parameters: Mapping[str, float] | None = None,
        state: str = "default",
        q: Any = None,
        v: Any = None,
        p: Any = None,
        tolerance: float = 0.0,
        max_iterations: int = 0,
        compensated: bool = False,
        compile: bool = False,  # noqa: A002
        seed: int = 0,
        trajectories: int = 0,
        layers: Layers | None = None,
    ) -> None:
        self._at = None
        self.system = system if isinstance(system, System) else System(system)
        self.method, self._lib = method, library()
        self.parameters = self.system.values(parameters or {})
        q, v, p = self._starts(state, q, v, p)
        options = Options(
            self.system._at, method.encode(), layers._at if layers else None, step, max(trajectories, len(np.atleast_2d(q))), tolerance,
            max_iterations, compensated, compile, seed,
        )  # fmt: skip
        at = ctypes.c_void_p()
        code = self._lib.cst_integrator_create(ctypes.byref(options), ctypes.byref(at))
        self._at = at.value
        self._good(code)
        self._observables: dict[str, int] = {}
        self.start(q, v, p)

    def _starts(self, state: str, q: Any, v: Any, p: Any) -> tuple[Any, Any, Any]:
        if q is not None:
            return q, v, p
        if v is not None or p is not None:
            raise ConstellaError("v and p need q")
        return (*self.system.state(state, self.parameters), None)

    def __del__(self) -> None:
        if getattr(self, "_at", None):
            self._lib.cst_integrator_destroy(self._at)

    def __repr__(self) -> str:
        return f"<{self.method} on {len(self)} trajectories of {len(self.system.coordinates)} coordinates, t = {self.t:.6g}>"

    def __len__(self) -> int:
        return int(self._lib.cst_integrator_count(self._at))

    def _good(self, code: int) -> None:
        if code:
            raise ConstellaError(self._lib.cst_integrator_message(self._at).decode(errors="replace"))

    def _rows(self, what: str, x: Any, n: int) -> np.ndarray:
        rows = np.ascontiguousarray(np.atleast_2d(np.asarray(x, dtype=float)))
        if rows.shape != (n, len(self.system.coordinates)):
            raise ConstellaError(f"{what} has the shape {np.shape(x)}; {len(self.system.coordinates)} coordinates and {n} trajectories are needed")
        return rows

    # ---- steps

    def start(self, q: Any, v: Any = None, p: Any = None, project: bool = False) -> Integrator:
        """Start at t = 0 from q and v (0 where there is neither), or from momenta p = M v + a. project: from the
        nearest q and v that satisfy the constraints."""
        if v is not None and p is not None:
            raise ConstellaError("a start has v or p, not both")
        if project and p is not None:
            raise ConstellaError("only a start from v can be projected")
        self._single = np.ndim(q) < 2
        n = len(np.atleast_2d(q))
        positions = self._rows("q", q, n)
        rates = self._rows("v" if p is None else "p", np.zeros_like(positions) if v is p is None else v if p is None else p, n)
        if project:
            positions, rates = positions.copy(), rates.copy()
            for row, rate in zip(positions, rates):
                self.system.project(self.parameters, row, rate)
        begin = self._lib.cst_integrator_start if p is None else self._lib.cst_integrator_start_momenta
        c = np.ascontiguousarray(np.tile(self.parameters, (n, 1)))
        self._good(begin(self._at, n, pointer(c) if c.size else None, pointer(positions), pointer(rates)))
        return self

    def set_step(self, step: float) -> Integrator:
        """The step of the trajectories that are started next."""
        self._good(self._lib.cst_integrator_set_step(self._at, step))
        return self

    def step(self, n: int = 1) -> Integrator:
        """n further steps of every trajectory that has not failed."""
        self._good(self._lib.cst_integrator_advance(self._at, n))
        return self

    @property
    def steps(self) -> int:
        return int(self._lib.cst_integrator_steps(self._at))

    @property
    def t(self) -> float:
        return float(self._lib.cst_integrator_time(self._at))

    # ---- the state

    def _read(self, what: str, width: int | None) -> np.ndarray:
        n = len(self)
        out = np.empty(n if width is None else (n, width))
        getattr(self._lib, f"cst_integrator_{what}")(self._at, pointer(out))
        return out[0] if self._single else out

    @property
    def q(self) -> np.ndarray:
        """Coordinates [nq], or [trajectory, nq]; so are v and p."""
        return self._read("positions", len(self.system.coordinates))

    @property
    def v(self) -> np.ndarray:
        return self._read("velocities", len(self.system.coordinates))

    @property
    def p(self) -> np.ndarray:
        """Momenta, in the representative that the method carries."""
        return self._read("momenta", len(self.system.coordinates))

    @property
    def multipliers(self) -> np.ndarray:
        return self._read("multipliers", len(self.system.constraints))

    @property
    def iterations(self) -> Any:
        """Iterations of the solver in all steps so far: a number, or an array [trajectory]."""
        return self._read("iterations", None)

    @property
    def energy(self) -> Any:
        """T + V: a number, or an array [trajectory]."""
        return self._read("energy", None)

    @property
    def momenta(self) -> dict[str, Any]:
        """{symmetry: its momentum map}."""
        maps = self._read("momentum_maps", len(self.system.symmetries))
        return {name: maps[..., k] for k, name in enumerate(self.system.symmetries)}

    @property
    def residuals(self) -> tuple[Any, Any]:
        """Largest |g| and |G v|: two numbers, or two arrays [trajectory]."""
        states = zip(np.atleast_2d(self.q), np.atleast_2d(self.v))
        g, hidden = np.array([self.system.residuals(self.parameters, q, v) for q, v in states]).T
        return (g[0], hidden[0]) if self._single else (g, hidden)

    def observe(self, expression: str) -> Any:
        """The value of an expression, as in the key `observables` of a study."""
        if expression not in self._observables:
            index = ctypes.c_int()
            self._good(self._lib.cst_integrator_add_observable(self._at, expression.encode(), ctypes.byref(index)))
            self._observables[expression] = index.value
        out = np.empty(len(self))
        self._lib.cst_integrator_observe(self._at, self._observables[expression], pointer(out))
        return out[0] if self._single else out

    @property
    def failures(self) -> dict[int, str]:
        """{trajectory: why it could not go on, and after how many steps}."""
        n = len(self)
        status, steps = (ctypes.c_int * n)(), (ctypes.c_long * n)()
        self._lib.cst_integrator_status(self._at, status, steps)
        return {
            k: f"{self._lib.cst_integrator_reason(status[k]).decode()} after {steps[k]} steps" for k in range(n) if status[k]
        }
