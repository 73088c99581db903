"""candidates.py: the methods that a tournament begins with, and the baselines."""
# SPDX-License-Identifier: BSD-2-Clause
from __future__ import annotations

import math

from ..certifying.maps import Method
from ..integrator import System
from ..reading import ConstellaError

BASELINES = ("semi-implicit-euler(erp=0.2)", "generalized-alpha(rho=0.8)")
METHODS = (
    "euler-a", "rattle", "midpoint", "compose(rattle, yoshida4)", "compose(rattle, suzuki4)", "compose(rattle, kahan-li6)",
    "compose(rattle, kahan-li8)", "convert(rk4)", "hbvm(k=4, s=2)", "lie-rattle", "compose(lie-rattle, suzuki4)",
    "compose(lie-rattle, kahan-li6)", "lie-rattle(retraction=exp)", "compose(lie-rattle(retraction=exp), suzuki4)", "rattlie",
    "compose(rattlie, suzuki4)", "compose(rattlie, kahan-li6)", "heun", "rk4", "rk6", "rk8", "project(heun)", "project(rk4)",
    "project(rk6)", "project(rk8)", "gauss(1)", "gauss(2)", "gauss(3)", "gauss(4)", "radau(2)", "radau(3)",
    "radau(3, form=index-1)", "bdf(2)", "bdf(4)", "generalized-alpha(rho=1)", "lie-generalized-alpha(rho=0.8)",
    "baumgarte(rk4, alpha=5, beta=5)", "newmark", "newmark(iterations=1, start=a)", "zhang-skeel(beta=0.25)",
    "zhang-skeel(beta=0.25, form=simplified)", "lagrange-dalembert(heun)", "lagrange-dalembert(rk4)", "lagrange-dalembert(rk8)",
    "discrete-lagrange-dalembert(reversible)", "compose(discrete-lagrange-dalembert(reversible), suzuki4)", *BASELINES,
)  # fmt: skip
NOT_TRIED = (
    "schemes of composition beside yoshida4, suzuki4, kahan-li6 and kahan-li8; other arguments of baselines (rho, erp, alpha), of "
    "convert and lagrange-dalembert (bias, iota, other layers), hbvm (k, s), radau, newmark, zhang-skeel (beta, gamma, form), and "
    "retractions of your own; form=null-space; adaptive steps; penalty methods; methods of yours: --methods names what is to be compared"
)


def bathed(bath: float, time: float) -> tuple[str, ...]:
    """Methods with a bath at kT = bath; the friction is a rate of one over the system's time."""
    friction = float(f"{2 * math.pi / time:.1g}")
    with_ = f"friction={friction:g}, inverse-temperature={1 / bath:.17g}"
    inner = ("rattle", "midpoint", "compose(rattle, suzuki4)", "euler-a", "lie-rattle")
    return (f"baoab({with_})", *(f"langevin({m}, {with_})" for m in inner))


def chosen(system: System, given: list[str] | None, bath: float, time: float) -> tuple[list[str], dict[str, str]]:
    """(labels of methods that step the system, {label: why another does not})."""
    texts = given or (bathed(bath, time) if bath else METHODS)
    fit, refused = [], {}
    for text in texts:
        method = Method(text)
        why = method.refuses(system)
        if why:
            refused[method.name] = why
        elif method.name not in fit:
            fit.append(method.name)
    if given and refused:
        raise ConstellaError("\n".join(refused.values()))
    if not fit:
        raise ConstellaError("no method steps this system: " + "; ".join(dict.fromkeys(refused.values())))
    return fit, refused


def reference_of(fit: list[str], system: System) -> str:
    """The method of fine runs for averages: of order 8 where it fits."""
    for text in ("gauss(4)", "compose(lie-rattle, suzuki4)", *fit):
        if not Method(text).refuses(system):
            return text
    raise ConstellaError("no method for a reference")
