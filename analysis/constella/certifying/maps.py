"""maps.py: what is measured: a map (q, v) -> (q, v) of a step h on a system, ours or a stranger's."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..integrator import Integrator, Layers, System, pointer
from ..library import WHY, ExpressionError, Properties, library
from ..reading import ConstellaError

SEED = 20240229  # of thermostats
CLAIMS = {  # bits of cst_claim, and the words of `--claims`
    1: "symplectic", 2: "symmetric", 4: "constraint", 8: "hidden", 16: "momentum", 32: "energy-bounded", 64: "energy",
    128: "volume", 256: "temperature",
}  # fmt: skip


class Failed(Exception):
    """A step that was not taken; the text tells why."""


def encoded(method: str) -> bytes:
    return method.encode()


class Method:
    """A method of `constella list methods`, or of these layers, as such a map. name: its label."""

    def __init__(self, text: str, layers: Layers | None = None) -> None:
        self._lib, self._at, self.layers = library(), None, layers
        error = ExpressionError()
        self._at = self._lib.cst_method_parse(encoded(text), layers._at if layers else None, ctypes.byref(error))
        if not self._at:
            raise ConstellaError(f'"{text}": {error.message.decode(errors="replace")}')
        self.name = self._lib.cst_method_label(self._at).decode()

    def __del__(self) -> None:
        if getattr(self, "_at", None):
            self._lib.cst_method_destroy(self._at)

    def refuses(self, system: System) -> str:
        """Why it does not step the system; "": it does."""
        why = ctypes.create_string_buffer(WHY)
        return "" if self._lib.cst_method_fits(self._at, system._at, why, WHY) else why.value.decode(errors="replace")

    def properties(self, system: System) -> Properties:
        found: Properties = self._lib.cst_method_properties(self._at, system._at)
        return found

    def compiled(self, system: System) -> tuple[str, float]:
        """(the cores that the compiler makes for its steps on a system, the seconds that this takes, roughly)."""
        cores = ctypes.create_string_buffer(WHY)
        seconds: float = self._lib.cst_foreign_compiled(self._at, system._at, cores, WHY)
        return " ".join(sorted(cores.value.decode().split())), seconds

    def conditions(self, system: System) -> dict[str, Any]:
        """How well its coefficients meet the order conditions: the largest residual of each order from 0 on, and what
        of it is round-off; {}: its coefficients are not known, or no conditions of them."""
        c = self._lib.cst_method_conditions(self._at, system._at)
        return {"residuals": c.defect[: c.orders + 1], "round-off": c.roundoff} if c.orders else {}

    def claims(self, system: System) -> dict[str, float]:
        """{claim: 1, or the order that is claimed} on a system."""
        p = self.properties(system)
        orders = {"order": p.order_q, "order-p": p.order_p, "order-lambda": p.order_lambda if system.constraints else 0}
        told = {k: float(n) for k, n in orders.items() if n} | {word: 1.0 for bit, word in CLAIMS.items() if p.claims & bit}
        if "temperature" in told:
            told["temperature"] = self.bath()
        return told

    def bath(self) -> float:
        """The temperature of the heat bath in its label."""
        found = re.search(r"inverse-temperature=([^,)]+)", self.name)
        assert found
        return 1 / float(found[1])

    @property
    def noisy(self) -> bool:
        return bool(self._lib.cst_method_has_noise(self._at))

    def lambda_time(self, system: System) -> float:
        """The time of the multipliers of a step, in steps from its start."""
        p = self.properties(system)
        return float(p.lambda_time) if p.own_lambda else 1.0

    def measured(self, bench: Any, claims: Any, quick: bool, how: Callable[..., Any], known: Any = ()) -> Any:
        """how(self, bench, claims, quick), in this process: nothing of a stranger runs."""
        return how(self, bench, claims, quick, known)

    def begin(self, system: System, h: float, q: np.ndarray, v: np.ndarray) -> Run:
        """A run of n trajectories from q[n, nq], v[n, nq]."""
        try:
            return Run(Integrator(system, self.name, h, q=q, v=v, layers=self.layers, seed=SEED))
        except ConstellaError as e:
            raise Failed(str(e)) from None

    def adjoint(self) -> Method | None:
        """The method whose step of h undoes this one's step of -h; None: it has none as a method."""
        try:
            return Method(f"adjoint({self.name})", self.layers)
        except ConstellaError:
            return None


def catalogue() -> list[str]:
    """An example of every method of the registry."""
    lib = library()
    return [lib.cst_method_info_at(i).contents.example.decode() for i in range(lib.cst_method_count())]


class Run:
    """n trajectories under way."""

    def __init__(self, x: Integrator) -> None:
        self.x = x

    def step(self, n: int) -> Run:
        self.x.step(n)
        if self.x.failures:
            k, why = next(iter(self.x.failures.items()))
            raise Failed(f"trajectory {k}: {why}")
        return self

    @property
    def q(self) -> np.ndarray:
        return np.atleast_2d(self.x.q)

    @property
    def v(self) -> np.ndarray:
        return np.atleast_2d(self.x.v)

    @property
    def p(self) -> np.ndarray:
        return np.atleast_2d(self.x.p)

    @property
    def multipliers(self) -> np.ndarray | None:
        return np.atleast_2d(self.x.multipliers)

    @property
    def iterations(self) -> np.ndarray:
        return np.atleast_1d(self.x.iterations)


Step = Callable[..., Any]


class Stepper:
    """A function step(system, q, v, h) -> (q, v) or (q, v, lambda) of somebody, one state at a time. It is given copies;
    what it raises, and numbers that are not finite, end the measurement with a reason."""

    def __init__(self, step: Step, name: str = "", claims: dict[str, float] | None = None) -> None:
        self.step, self.name, self.told = step, name or getattr(step, "__name__", "stepper"), claims or {}

    def refuses(self, system: System) -> str:
        return ""

    def claims(self, system: System) -> dict[str, float]:
        return dict(self.told)

    def conditions(self, system: System) -> dict[str, Any]:
        return {}

    def lambda_time(self, system: System) -> float:
        return 1.0

    def measured(self, bench: Any, claims: Any, quick: bool, how: Callable[..., Any], known: Any = ()) -> Any:
        """The same in this process, since the function is one of it."""
        return how(self, bench, claims, quick, known)

    def begin(self, system: System, h: float, q: np.ndarray, v: np.ndarray) -> ForeignRun:
        return ForeignRun(self, system, h, q, v)

    def adjoint(self) -> None:
        return None


class ForeignRun:
    def __init__(self, of: Stepper, system: System, h: float, q: np.ndarray, v: np.ndarray) -> None:
        self.of, self.system, self.h = of, system, h
        self.q, self.v = np.array(q, dtype=float), np.array(v, dtype=float)
        self.multipliers: np.ndarray | None = None

    def step(self, n: int) -> ForeignRun:
        for _ in range(n):
            given = [self._one(q, v) for q, v in zip(self.q, self.v)]
            self.q, self.v = np.array([g[0] for g in given]), np.array([g[1] for g in given])
            self.multipliers = np.array([g[2] for g in given]) if len(given[0]) > 2 else None
        return self

    def _one(self, q: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
        try:
            told = [np.asarray(x, dtype=float) for x in self.of.step(self.system, q.copy(), v.copy(), self.h)]
        except Failed:
            raise
        except Exception as e:  # noqa: BLE001  (it is not ours)
            raise Failed(f"it raised {type(e).__name__}: {e}") from None
        if len(told) not in (2, 3) or told[0].shape != q.shape or told[1].shape != v.shape:
            raise Failed(f"it returned arrays of the shapes {[x.shape for x in told]}; (q, v) or (q, v, lambda) is needed")
        if not all(np.isfinite(x).all() for x in told):
            raise Failed("it returned a number that is not finite")
        return told

    @property
    def p(self) -> np.ndarray:
        return self.system.momentum(self.q, self.v)
