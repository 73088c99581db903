"""shared.py: a stepper in a shared library (constella/user-stepper.h), called in this process: the child that measures it."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import ctypes
from ctypes import POINTER, c_double, c_int, c_ulong, c_void_p
from typing import Any

import numpy as np

from ..integrator import System, pointer
from ..library import library
from ..reading import ConstellaError
from .maps import Failed, ForeignRun, Stepper

VERSION, SEED = 1, 20240229
Doubles = POINTER(c_double)


class Table(ctypes.Structure):
    """cst_stepper_method."""

    _fields_ = [
        ("version", c_int),
        ("begin", ctypes.CFUNCTYPE(c_int, c_void_p, Doubles, c_ulong, POINTER(c_void_p))),
        ("step", ctypes.CFUNCTYPE(c_int, c_void_p, c_double, c_double, Doubles, Doubles, Doubles)),
        ("copy", ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(c_void_p))),
        ("free", ctypes.CFUNCTYPE(None, c_void_p)),
    ]


class Shared(Stepper):
    """The stepper that a library defines as cst_user_stepper."""

    def __init__(self, path: str, name: str, claims: dict[str, float]) -> None:
        try:
            self.library = ctypes.CDLL(path)
            self.table = Table.in_dll(self.library, "cst_user_stepper")
        except (OSError, ValueError) as e:
            raise ConstellaError(f"{path}: {e}") from None
        if self.table.version != VERSION:
            raise ConstellaError(f"{path}: its cst_user_stepper is of version {self.table.version}; {VERSION} is needed")
        super().__init__(self._none, name, claims)

    def _none(self, *_: Any) -> Any:
        raise NotImplementedError

    def begin(self, system: System, h: float, q: np.ndarray, v: np.ndarray) -> SharedRun:
        return SharedRun(self, system, h, q, v)


class SharedRun(ForeignRun):
    """n trajectories, each with a stepper of its own: the first one is begun, the others are its copies."""

    def __init__(self, of: Shared, system: System, h: float, q: np.ndarray, v: np.ndarray) -> None:
        super().__init__(of, system, h, q, v)
        self.table, self.steps = of.table, 0
        self.own: list[c_void_p] = []
        self.parameters = system.values({})
        self.seen = library().cst_foreign_stepped(system._at, pointer(self.parameters))
        first = c_void_p()
        if self.table.begin(self.seen, pointer(self.parameters), SEED, ctypes.byref(first)):
            raise Failed(f"it refuses {system.name}")
        self.own.append(first)
        for _ in self.q[1:]:
            other = c_void_p()
            if self.table.copy(first, ctypes.byref(other)):
                raise Failed("its copy failed")
            self.own.append(other)

    def __del__(self) -> None:
        for own in self.own:
            self.table.free(own)
        library().cst_foreign_forget(self.seen)

    def step(self, n: int) -> SharedRun:
        multipliers = np.full((len(self.q), len(self.system.constraints)), np.nan)
        for k, own in enumerate(self.own):
            q, v, l = self.q[k], self.v[k], multipliers[k]
            for i in range(n):
                if self.table.step(own, (self.steps + i) * self.h, self.h, pointer(q), pointer(v), pointer(l)):
                    raise Failed(f"it failed in step {self.steps + i + 1}")
        self.steps += n
        if not (np.isfinite(self.q).all() and np.isfinite(self.v).all()):
            raise Failed("it returned a number that is not finite")
        self.multipliers = None if np.isnan(multipliers).any() else multipliers
        return self
