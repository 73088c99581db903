"""test_velocities.py: families of constraints on velocities and their mistakes; the discrete forms against
their defining equations, backwards, and their order; the momentum equation of a symmetry that turns with the
body."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
import lagrange_dalembert as by_hand
from cli import constella, done, made, ok, path, run, table, together, write

TRAIN = """system: train
coordinates: ["x[n]", "y[n]", "th[n]"]
parameters: {n: {size: 3}, k: 0.7}
mass: [1, 1, 0.3]
potential: sum(i, 1, n, x[i]^2/2) + k*sum(i, 1, n - 1, ((x[i+1] - x[i])^2 + (y[i+1] - y[i])^2)/2)
nonholonomic:
  skate: {for: "i = 1..n", expression: "sin(th[i])*x'[i] - cos(th[i])*y'[i]"}
states:
  default: {q: [i/2, 0, 0.3*i], v: [cos(0.3*i), sin(0.3*i), 0.5]}
"""
ALONE = "\n".join(
    ["nonholonomic:"] + [f"  skate{i}: \"sin(th[{i}])*x'[{i}] - cos(th[{i}])*y'[{i}]\"" for i in (1, 2, 3)]
)
RUN = """study: conservation
system: %s
end: %g
steps: [%g]
methods: [%s]
observe: every
trajectories: {members: [0], every: 1}
roundoff: {dyadic-steps: false}
"""
H = 0.1


def family():
    """The same bits as one by one; multipliers with an index."""
    write("train.yaml", TRAIN)
    write("alone.yaml", TRAIN[: TRAIN.index("nonholonomic:")] + ALONE + TRAIN[TRAIN.index("\nstates:") :])
    methods = '"lagrange-dalembert(rk3, bias=-0.5)", project(rk4), discrete-lagrange-dalembert(leapfrog)'
    files = [
        made(
            "run-" + name,
            RUN % (f"{{file: {name}.yaml}}", 2, 0.05, methods)
            + f'observables: [energy, constraint, "pull: lambda_{pull}"]\n',
        )
        for name, pull in (("train", "skate[2]"), ("alone", "skate2"))
    ]
    if None not in files:
        ok(
            all((files[0][p][:] == files[1][p][:]).all() for p in ("final/q", "final/p", "observables/pull")),
            "three skates as a family, and one by one",
        )
        ok(
            all(row["hidden_scaled_max"] < 1e-14 for row in table(path("run-train.h5"))),
            "each of them runs where it points",
        )
    sized = made("five", RUN % ("{file: train.yaml, parameters: {n: 5}}", 1, 0.05, "project(rk4)"))
    ok(sized is not None and sized["final/q"].shape[-1] == 15, "five skates")
    shown = constella("system", path("train.yaml"))
    ok(
        shown.returncode == 0
        and "9 coordinates, 3 constraints" in shown.stdout
        and "first brackets add 3" in shown.stdout,
        "examined",
        shown.stdout,
        shown.stderr,
    )


def mistakes():
    cases = [
        ("i = 1..n", "j = 1..n", ":7:", "unknown name 'i'"),
        ("for:", "fro:", ":7:", "unknown key 'fro'"),
        ('for: "i = 1..n", ', "", ":7:", "missing key 'for'"),
        ("i = 1..n", "x = 1..n", ":7:", "'x' cannot be the variable"),
        ("i = 1..n", "i = 1..k", ":7:", "must be a whole number"),
        ("i = 1..n", "i from 1", ":7:", "it must be 'NAME = FROM..TO'"),
        ("i = 1..n", "i = 1..n + 1", ":7:", "outside 1 .. 3"),
        ("*y'[i]\"", "*y'[i]*x'[i]\"", ":7:", "is not linear in the velocities"),
        ("sin(th[i])*x'[i] - cos(th[i])*y'[i]", "x[i] - y[i]", ":7:", "belongs under 'constraints'"),
        ("  skate:", '  other: "x\'[1] - p"\n  skate:', ":7:", "unknown name 'p'"),
        ("nonholonomic:", 'forces: {drag: ["-p*x\'[i]", 0, 0]}\nnonholonomic:', ":6:", "unknown name 'p'"),
        ("nonholonomic:", 'forces: {drag: "x[1]^2"}\nnonholonomic:', ":6:", "belongs under 'potential'"),
        (
            "nonholonomic:",
            'constraints: {skate: "x[1]"}\nnonholonomic:',
            ":8:",
            "already a constraint of this name",
        ),
    ]
    for before, after, place, words in cases:
        write("wrong.yaml", TRAIN.replace(before, after, 1))
        process = constella("system", path("wrong.yaml"))
        ok(
            process.returncode == 2 and words in process.stderr and "wrong.yaml" + place in process.stderr,
            f"refused: {words}",
            process.stderr,
        )
        ok(process.stderr.count("skate[") <= 1, f"{words}: told once", process.stderr)


class Sleigh(by_hand.Oscillator):
    """chaplygin-sleigh"""

    mass, a = np.array([1, 1, 0.5]), 0.4
    start = np.array([0, 0, 0.3]), np.array(
        [np.cos(0.3) - 0.4 * np.sin(0.3), np.sin(0.3) + 0.4 * np.cos(0.3), 1]
    )

    def potential(self, q, t):
        return 0 * q[0]

    def gradient(self, q, t):
        return 0 * q

    def phi(self, q):
        return np.array([[np.sin(q[2]), -np.cos(q[2]), self.a + 0 * q[2]]])

    def bend(self, q, v):
        return np.array([(np.cos(q[2]) * v[0] + np.sin(q[2]) * v[1]) * v[2]])

    def along(self, q):
        return np.array([np.cos(q[2]), np.sin(q[2]), 0 * q[2]])


class Oscillator(by_hand.Oscillator):
    start = np.array([1, 1, 0.0]), np.array([0.3, 0.2, 0.3])


SYSTEMS = (("nonholonomic-oscillator", Oscillator()), ("chaplygin-sleigh", Sleigh()))


def trajectory(name, system, method, n, start=None):
    """q[n + 1], v[n + 1] of steps of H."""
    initial = (
        ""
        if start is None
        else "initial: {q: [%s], v: [%s]}\n" % tuple(", ".join("%.17g" % x for x in y) for y in start)
    )
    f = made(name, RUN % (system, n * H, H, f'"{method}"') + initial)
    return None if f is None else (f["trajectories/0/q"][0], f["trajectories/0/p"][0])


def midpoint_equations(s, q, v):
    """What is not zero of them, u of each pair of points, and of dV at the middle."""
    u = (q[1:] - q[:-1]) / H
    middle = (q[1:] + q[:-1]) / 2
    worst = max(abs(s.phi(m) @ x).max() for m, x in zip(middle, u))
    for k in range(1, len(u)):
        kick = s.mass * (u[k] - u[k - 1]) + H / 2 * (s.gradient(middle[k], 0) + s.gradient(middle[k - 1], 0))
        worst = max(worst, abs(by_hand.basis(s.phi(q[k])).T @ kick).max())
    return worst


def reversible_equations(s, q, v):
    u, worst = (q[1:] - q[:-1]) / H, 0
    for k in range(1, len(u)):
        kick = s.mass * (u[k] - u[k - 1]) + H * s.gradient(q[k], 0)
        worst = max(
            worst,
            abs(s.phi(q[k]) @ (u[k] + u[k - 1])).max() / 2,
            abs(by_hand.basis(s.phi(q[k])).T @ kick).max(),
        )
        worst = max(worst, abs((u[k] + u[k - 1]) / 2 - v[k]).max())
    return worst


def leapfrog_equations(s, q, v):
    worst = 0
    for k in range(len(q) - 1):
        half = q[k] + H / 2 * v[k]
        kick = s.mass * (v[k + 1] - v[k]) + H * s.gradient(half, 0)
        worst = max(
            worst,
            abs(q[k + 1] - half - H / 2 * v[k + 1]).max(),
            abs(by_hand.basis(s.phi(half)).T @ kick).max(),
            abs(s.phi(q[k + 1]) @ v[k + 1]).max(),
        )
    return worst


FORMS = {"midpoint": midpoint_equations, "reversible": reversible_equations, "leapfrog": leapfrog_equations}


def defining_equations():
    for name, s in SYSTEMS:
        for form, equations in FORMS.items():
            there = trajectory(f"{form}-{name}", name, f"discrete-lagrange-dalembert({form})", 12)
            if there is None:
                continue
            q, v = there[0], there[1] / s.mass
            off = equations(s, q, v)
            ok(off < 2e-14, f"{name}, {form}: its discrete equations hold", off)
            ok(
                all(other(s, q, v) > 1e-6 for f, other in FORMS.items() if f != form),
                f"{name}, {form}: and those of the other forms do not",
            )
            if form == "reversible":
                continue  # what constraints did in the half step before the start is not known there: its equations above are the same backwards
            back = trajectory(
                f"back-{form}-{name}", name, f"discrete-lagrange-dalembert({form})", 12, (q[-1], -v[-1])
            )
            off = max(abs(back[0] - q[::-1]).max(), abs(back[1] / s.mass + v[::-1]).max()) if back else np.nan
            ok(off < 5e-14, f"{name}, {form}: backwards it comes to where it began", off)


def form_orders():
    methods = [f"discrete-lagrange-dalembert({form})" for form in FORMS]
    for name, _ in SYSTEMS:
        process, result = run(
            "orders-" + name,
            f"""study: order
system: {name}
end: 1
steps: [0.05, 0.025]
methods: [{", ".join(methods)}]
reference: {{method: "gauss(4)", step: 0.01}}
error: {{of: [q, p]}}
""",
        )
        rows = table(result) if process.returncode == 0 else []
        for k, method in enumerate(methods if rows else ()):
            got = np.log2(rows[2 * k]["error"] / rows[2 * k + 1]["error"])
            ok(abs(got - 2) < 0.1, f"{name}: {method} has order 2", got)


def momentum_equation():
    """J_1 - J_0 = p+ (xi_1 - xi_0) + work along xi_0, J_k = p_k xi_k, where xi_k is the translation along the
    skate as it points in step k: the momenta are the program's, and p+ numpy's. The term of xi_1 - xi_0
    alone, as for forms whose action knows the constraints, leaves the rest."""
    s = Sleigh()
    for layer, bias in (("heun", 0), ("rk3", -0.5)):
        there = trajectory(
            f"momentum-{layer}", "chaplygin-sleigh", f"lagrange-dalembert({layer}, bias={bias})", 4
        )
        if there is None:
            continue
        q, p = there
        for k in range(4):
            w = solved(s, layer, q[k], p[k] / s.mass, bias)
            _, _, _, after = by_hand.covectors(s, layer, w, 0, H, bias)
            xi = [s.along(q[k]), s.along(q[k + 1])]
            work = sum(
                sign * weight * N @ xi[0]
                for sign, part in ((-1, bias), (1, 1 + bias))
                for _, weight, N in by_hand.layer(s, layer, w[:3], w[3:], 0, H * part)[3]
            )
            change, driven = p[k + 1] @ xi[1] - p[k] @ xi[0], after @ (xi[1] - xi[0])
            ok(
                abs(change - driven - work) < 1e-14 and abs(change) > 1e-3,
                f"{layer}, bias {bias}, step {k + 1}: the discrete momentum equation holds",
                change - driven - work,
            )


def solved(s, layer, q, v, bias):
    """The w of a step from (q, v)."""
    found = []
    covectors = by_hand.covectors

    def keep(*arguments):
        found.append(arguments[2])
        return covectors(*arguments)

    by_hand.covectors = keep
    try:
        by_hand.step(s, layer, q, v, 0, H, bias)
    finally:
        by_hand.covectors = covectors
    return found[-1]


def million():
    """phi v over 1e6 steps."""
    if "CONSTELLA_TEST_ALL" not in os.environ:
        return
    methods = (
        '"lagrange-dalembert(rk4)", "lagrange-dalembert(euler, bias=-0.5)", "lagrange-dalembert(rk4, '
        'bias=-0.5, state=w)"'
    )
    f = made(
        "million",
        f"study: conservation\n"
        f"system: nonholonomic-oscillator\n"
        f"end: 100000\n"
        f"steps: [0.1]\n"
        f"methods: [{methods}]\n",
    )
    for row in table(path("million.h5")) if f else ():
        ok(
            row["hidden_scaled_max"] < 1e-14,
            f"phi v = 0 over 1e6 steps: {row['method']}",
            row["hidden_scaled_max"],
        )


if __name__ == "__main__":
    together([family, mistakes, defining_equations, form_orders, million])
    momentum_equation()
    done()
