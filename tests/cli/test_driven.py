"""test_driven.py: constraints that depend on the time: steps against a numpy program, orders against the
equation of an angle solved by SciPy, the work of constraints, starts, bodies, published values, drives that leave no
solution, and what is refused with its words."""
# SPDX-License-Identifier: BSD-2-Clause
import sys
import warnings

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
from cli import constella, done, h5py, made, ok, path, run, skip, table, together, write

try:
    from scipy.integrate import solve_ivp
    from scipy.optimize import fsolve
except ImportError:
    fsolve = None

SHAKEN = """system: shaken
coordinates: [x, y]
parameters: {L: 1, m: 2, g: 1, a: 0.3, b: 0.2, w: 1.7, u: 2.3}
mass: [m, m]
potential: m*g*y
constraints: {rod: (x - a*sin(w*t))^2 + (y - b*cos(u*t))^2 - L^2}
states:
  default: {q: [L*sin(0.5), b - L*cos(0.5)], v: [a*w + 0.4*cos(0.5), 0.4*sin(0.5)]}
"""
M, A, B, W, U = 2, 0.3, 0.2, 1.7, 2.3
DV = np.array([0, M * 1.0])


def pivot(t):
    """The pivot, its velocity and its acceleration."""
    return (
        np.array([A * np.sin(W * t), B * np.cos(U * t)]),
        np.array([A * W * np.cos(W * t), -B * U * np.sin(U * t)]),
        np.array([-A * W**2 * np.sin(W * t), -B * U**2 * np.cos(U * t)]),
    )


def g(q, t):
    return (q - pivot(t)[0]) @ (q - pivot(t)[0]) - 1


def G(q, t):
    return 2 * (q - pivot(t)[0])


def g_t(q, t):
    return -2 * (q - pivot(t)[0]) @ pivot(t)[1]


def tangent(q, p, t):
    """p with G v + g_t = 0, and the multiplier that does it."""
    n = G(q, t)
    m = (n @ p / M + g_t(q, t)) / (n @ n / M)
    return p - m * n, m


def acceleration(q, v, t):
    """A and lambda of the equations of motion: the distance to the pivot is constant."""
    r, s, z = q - pivot(t)[0], v - pivot(t)[1], pivot(t)[2]
    n = 2 * r
    lam = (2 * s @ s + n @ (-DV / M - z)) / (n @ n / M)
    return -(DV + lam * n) / M, lam


def variational(q, p, t, h, theta):
    """A step of discretization(theta=): the force of a linear potential is the same everywhere."""

    def equations(x):
        return np.append(p - M * (x[:2] - q) / h - (1 - theta) * h * DV - x[2] * G(q, t), g(x[:2], t + h))

    x = fsolve(equations, np.append(q + h * p / M, 0), xtol=1e-15)
    q1 = x[:2]
    p1, m = tangent(q1, M * (q1 - q) / h - theta * h * DV, t + h)
    return q1, p1, x[2] * g_t(q, t) + m * g_t(q1, t + h)


def collocation(q, p, t, h):
    """A step of gauss(2), by functional iteration."""
    r = np.sqrt(3) / 6
    a, c, v = np.array([[0.25, 0.25 - r], [0.25 + r, 0.25]]), np.array([0.5 - r, 0.5 + r]), p / M
    K, lam = np.zeros((2, 2)), np.zeros(2)
    for _ in range(200):
        V = v + h * a @ K
        Q = q + h * a @ V
        for i in range(2):
            K[i], lam[i] = acceleration(Q[i], V[i], t + c[i] * h)
    work = h * sum(lam[i] * g_t(Q[i], t + c[i] * h) for i in range(2)) / 2
    return q + h * V.sum(0) / 2, M * (v + h * K.sum(0) / 2), work


def projected(q, p, t, h):
    """A step of project(heun)."""
    v = p / M
    K = acceleration(q, v, t)[0]
    K1 = acceleration(q + h * v, v + h * K, t + h)[0]
    x = q + h * v + h * h / 2 * K
    r = x - pivot(t + h)[0]
    q1 = pivot(t + h)[0] + r / np.sqrt(r @ r)
    return q1, tangent(q1, M * (v + h / 2 * (K + K1)), t + h)[0], None


def start():
    return np.array([np.sin(0.5), 0.2 - np.cos(0.5)]), np.array([A * W + 0.4 * np.cos(0.5), 0.4 * np.sin(0.5)])


STUDY = """study: %s
system: %s
end: %g
steps: [%s]
methods: [%s]
"""


def quoted(methods):
    return ", ".join(f'"{m}"' for m in methods)


def steps():
    """Three steps, since the first begins at t = 0, where much vanishes."""
    cases = {
        "rattle": lambda *x: variational(*x, 0.5),
        "midpoint": lambda *x: variational(*x, 0.5),
        "euler-a": lambda *x: variational(*x, 0),
        "euler-b": lambda *x: variational(*x, 1),
        "discretization(theta=0.25)": lambda *x: variational(*x, 0.25),
        "rattle(form=null-space)": lambda *x: variational(*x, 0.5),
        "midpoint(form=null-space)": lambda *x: variational(*x, 0.5),
        "euler-a(form=null-space)": lambda *x: variational(*x, 0),
        "discretization(theta=0.25, form=null-space)": lambda *x: variational(*x, 0.25),
        "gauss(2)": collocation,
        "project(heun)": projected,
    }
    if fsolve is None:
        skip("steps by numpy", "no SciPy")
        return
    text = STUDY % ("conservation", "{file: shaken.system.yaml}", 0.375, 0.125, quoted(cases))
    f = made("steps", text + "trajectories: {members: [0], every: 1}\nobserve: every\n")
    for k, (method, step) in enumerate(cases.items() if f else ()):
        q, v = start()
        p, work = M * v, 0
        for i in range(3):
            q, p, more = step(q, p, 0.125 * i, 0.125)
            work = None if more is None else work + more
        gap = max(abs(f["final/q"][k, 0] - q).max(), abs(f["final/p"][k, 0] - p).max())
        ok(gap < 2e-14, f"{method}: three steps are those of numpy", gap)
        if work is not None:
            got = f["observables/work_rod"][k, 0, list(f["figure"][:]).index(b"end")]
            ok(abs(got - work) < 2e-14, f"{method}: the work is that of numpy", got, work)


def orders():
    """Against the equation of the angle, solved by SciPy."""
    methods = {
        "rattle": 2,
        "euler-a": 1,
        "midpoint": 2,
        "adjoint(euler-a)": 1,
        "compose(rattle, yoshida4)": 4,
        "rattle(form=null-space)": 2,
        "compose(midpoint(form=null-space), yoshida4)": 4,
        "adjoint(euler-a(form=null-space))": 1,
        "compose(euler-a, euler-b)": 2,
        "rk4": 4,
        "gauss(2)": 4,
        "project(rk3)": 3,
        "baumgarte(rk4, alpha=2, beta=2)": 4,
        "radau(2)": 3,
        "radau(2, form=index-3)": 3,
        "radau(2, form=index-2)": 3,
    }
    if fsolve is None:
        skip("orders by SciPy", "no SciPy")
        return

    def slope(t, x):
        tangential = np.array([np.cos(x[0]), np.sin(x[0])])
        return [x[1], tangential @ (-DV / M - pivot(t)[2])]

    th, rate = solve_ivp(slope, (0, 2), [0.5, 0.4], "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    exact = pivot(2)[0] + [np.sin(th), -np.cos(th)]
    speed = pivot(2)[1] + rate * np.array([np.cos(th), np.sin(th)])
    f = made(
        "orders",
        STUDY % ("order", "{file: shaken.system.yaml}", 2, "0.04, 0.02", quoted(methods))
        + 'reference: {method: "gauss(6)", step: 0.02}\n',
    )
    for k, (method, order) in enumerate(methods.items() if f else ()):
        q, p = f["final/q"][2 * k : 2 * k + 2, 0], f["final/p"][2 * k : 2 * k + 2, 0]
        error = np.maximum(abs(q - exact).max(1), 0 if "index-3" in method else abs(p / M - speed).max(1))
        got = np.log2(error[0] / error[1])
        ok(abs(got - order) < 0.3, f"{method} has order {order} against the angle", got, error)


def line_integral():
    """HBVM: its orders, g to round-off where the nodes suffice, and the balance by its own nodes."""
    methods = {"hbvm(k=6, s=1)": 2, "hbvm(k=8, s=2)": 4, "compose(hbvm(k=6, s=1), yoshida4)": None}
    end = 'reference: {method: "gauss(6)", step: 0.02}\nobservables: [balance, constraint]\n'
    for system in ("{file: shaken.system.yaml}", "driven-pendulum"):
        f = made(
            f"line-{len(system)}", STUDY % ("order", system, 1, "0.04, 0.02, 0.01", quoted(methods)) + end
        )
        for k, (method, order) in enumerate(methods.items() if f else ()):
            error = f["statistics/error_q"][3 * k : 3 * k + 3]
            got = np.log2(error[1] / error[2])
            ok(order is None or abs(got - order) < 0.1, f"{system}: {method} has order {order} in q", error)
            momenta = f["statistics/error_p"][3 * k : 3 * k + 3]
            got = np.log2(momenta[1] / momenta[2])
            ok(abs(got - 2) < 0.1, f"{system}: {method} has order 2 in p", momenta)
        if f:
            g = f["statistics/constraint_max"][:]
            ok(g.max() < 2e-14, f"{system}: hbvm keeps the constraint that depends on t", g)
    f = made(
        "line-balance",
        STUDY % ("conservation", "{file: shaken.system.yaml}", 1, "0.04", quoted(methods)) + "observables: [balance]\n",
    )
    if f:
        ok(f["statistics/balance_max"][:].max() < 1e-14, "the balance of hbvm is exact", f["statistics/balance_max"][:])
    f = made(
        "line-time",
        STUDY % ("order", "kapitza", 1, "0.04, 0.02, 0.01", '"hbvm(k=4, s=2)"') + 'reference: {method: "gauss(6)", step: 0.01}\n',
    )
    null = STUDY % ("order", "kapitza", 0.5, "0.005, 0.0025", '"midpoint(form=null-space)"')
    g = made("null-time", null + 'reference: {method: "gauss(6)", step: 0.005}\n')
    if g:
        error = g["statistics/error_lambda"][:]
        ok(abs(np.log2(error[0] / error[1]) - 2) < 0.2, "form=null-space: multipliers where V depends on t", error)
    if f:
        error = f["statistics/error_q"][:]
        ok(abs(np.log2(error[1] / error[2]) - 4) < 0.2, "hbvm has order 4 in q with a potential that depends on t", error)


def kept():
    """Both constraints to round-off, and the balance to the method's order."""
    methods = {
        "rattle": 2,
        "midpoint": 2,
        "compose(rattle, yoshida4)": 4,
        "midpoint(form=null-space)": 2,
        "gauss(2)": 4,
        "dopri5(tolerance=1e-10)": None,
        "radau(3)": 5,
        "project(rk4)": None,
        "penalty(gauss(2), omega=200)": None,
    }
    f, result = run("kept", STUDY % ("conservation", "{file: shaken.system.yaml}", 8, "0.03125, 0.015625", quoted(methods)))
    rows = table(result)
    if not ok(f.returncode == 0 and len(rows) == 2 * len(methods), "constraints at their time", f.stderr):
        return
    for k, (method, order) in enumerate(methods.items()):
        x, y = rows[2 * k : 2 * k + 2]
        if order:
            got = np.log2(x["balance_max"] / y["balance_max"])
            ok(abs(got - order) < 0.6, f"{method}: the balance has order {order}", got)
        ok(y["balance_max"] < 0.01 < 3 < y["energy_max"], f"{method}: the work of the constraint explains the energy", y)
        if "radau" in method or "rattle" in method or "project" in method or method == "midpoint":
            ok(y["constraint_max"] < 1e-13 and y["hidden_max"] < 1e-13, f"{method}: g and G v + g_t", y)


PLATFORM = """system: platform
coordinates: [x, z]
parameters: {m: 1.5, a: 0.8}
mass: [m, m]
potential: 0
constraints: {lift: z - a*t^2/2}
states: {default: {q: [0, 0], v: [0.3, 0], exact: {q: [0.3*t, a*t^2/2], v: [0.3, a*t], lambda: [-m*a]}}}
"""


def platform():
    """A mass on a platform: the force is m a, the work m a^2 t^2/2."""
    ok("ok" == constella("system", path("platform.system.yaml")).stdout.split("\n")[-2], "its exact motion is one")
    text = STUDY % ("order", "{file: platform.system.yaml}", 2, 0.25, quoted(["rattle", "rk4"]))
    f = made("platform", text + "reference: exact\n")
    for row in table(path("platform.h5")) if f else ():
        ok(row["error"] < 1e-14, f"{row['method']} on the platform is exact", row)
    text = STUDY % ("conservation", "{file: platform.system.yaml}", 2, 0.25, quoted(["rattle", "rk4", "radau(2)"]))
    run("lifted", text)
    for row in table(path("lifted.h5")):
        work = 1.5 * 0.8**2 * 2**2 / 2
        ok(
            abs(row["energy_max"] - work) < 1e-13 and row["balance_max"] < 1e-14,
            f"{row['method']}: the work of the platform",
            row,
        )


FOURBAR = """system: driven-four-bar
doc: A four-bar linkage whose crank turns at a given rate; nothing is left free.
coordinates: [x1, y1, x2, y2]
parameters: {a: 1, b: 2.5, c: 2, d: 2.2, m: 1, g: 9.81, w: 3, y20: sqrt(c^2 - ((b^2 - (d - a)^2 - c^2)/(2*(d - a)))^2)}
mass: [m, m, m, m]
potential: m*g*(y1 + y2)
constraints:
  crank: x1^2 + y1^2 - a^2
  drive: y1*cos(w*t) - x1*sin(w*t)
  coupler: (x2 - x1)^2 + (y2 - y1)^2 - b^2
  rocker: (x2 - d)^2 + y2^2 - c^2
states:
  default: {q: [a, 0, d + (b^2 - (d - a)^2 - c^2)/(2*(d - a)), y20], v: [0, a*w, 0, 0]}
"""


def fourbar():
    """The linkage by circles that meet; the velocity of its start by projection."""
    system = "{file: four-bar.system.yaml}"
    text = STUDY % ("conservation", system, 2, 0.0078125, quoted(["rattle", "project(rk4)", "radau(2)"]))
    f = made("four-bar", text + "initial: {q: [1, 0, 2.2646, 2], v: [0, 3, 0, 0], project: true}\n")
    if f is None:
        return
    t, a, b, c, d = 2, 1, 2.5, 2, 2.2
    x1 = a * np.array([np.cos(3 * t), np.sin(3 * t)])
    base = np.array([d, 0]) - x1
    length = np.sqrt(base @ base)
    along = (b**2 - c**2 + length**2) / (2 * length)
    up = np.sqrt(b**2 - along**2)
    x2 = x1 + along * base / length + up * np.array([-base[1], base[0]]) / length
    for k, row in enumerate(table(path("four-bar.h5"))):
        gap = abs(f["final/q"][k, 0] - np.append(x1, x2)).max()
        ok(gap < 1e-12, f"{row['method']}: the driven linkage is where its circles meet", gap)
        ok(row["balance_max"] < 2e-3 * row["energy_max"], f"{row['method']}: the drive's work", row)
    x = constella("system", path("four-bar.system.yaml"))
    ok("v does not satisfy" in x.stdout and "projection moves it" in x.stdout, "G v + g_t of a state", x.stdout)


ENDING = ["rattle", "midpoint", "compose(rattle, yoshida4)", "gauss(2)", "radau(2)", "hbvm(k=4, s=2)", "project(rk4)"]
# the coupler and the rocker lie on one line at this time; their joint is then at 4.5 from the crank's end
LAST = np.arccos((1 + 4**2 - 4.5**2) / (2 * 4)) / 3


def ended():
    """Where the drive turns the crank to where coupler and rocker do not reach, that is said; it is not where a step is too
    large for a rod on a pivot that is shaken."""
    text = STUDY % ("conservation", "{file: four-bar.system.yaml, parameters: {d: %g}}", 2, "%s", quoted(ENDING))
    text += "initial: {q: [1, 0, %g, %g], v: [0, 3, 0, 0], project: true}\n"
    for h in (0.0078125, 0.001953125):
        process, result = run(f"ended-{h}", text % (4, h, 2.9, 1.6))
        with h5py.File(result, "r") as f:
            steps = f["final/steps"][:, 0]
        why = {row["failures"] for row in table(result)}
        ok(process.returncode == 1 and why == {"no solution any more: 1"}, f"step {h}: the motion ends, as all say", why)
        ok((np.abs(steps * h - LAST) < 2 * h).all(), f"step {h}: at that time", steps * h, LAST)
    told = constella("status", result).stdout
    ok("no solution any more: 7" in told and "no smaller step helps" in told, "status says what it means", told)
    text = STUDY % ("conservation", "{file: shaken.system.yaml}", 4, 0.25, quoted(["rattle", "midpoint", "euler-a", "gauss(2)"]))
    process, result = run("reaching", text + "initial: {q: [0, -0.8], v: [6, 0], project: true}\n")
    why = {row["method"]: row["failures"] for row in table(result)}
    ok(why.pop("gauss(2)").count("no solution") == 0, "a rod always reaches: nothing else is said of gauss(2)", why)
    ok(set(why.values()) == {"step-too-large: 1"}, "a rod always reaches: steps that are too large say so", why)


HINGE = """system: driven-hinge
bodies:
  arm: {rotation: R, centre: [x, y, z], mass: 2, inertia: [0.3, 0.2, 0.4]}
  bob: {rotation: S, centre: [p, q, r], mass: 1, inertia: [0.1, 0.2, 0.15]}
parameters: {w: 2, g: 9.81}
potential: g*(2*z + r)
constraints:
  pivot_x: x - R11/2
  pivot_y: y - R21/2
  pivot_z: z - R31/2
  level: R32
  upright: R31
  drive: R21*cos(w*t) - R11*sin(w*t)
  ball_x: p + S13/2 - 2*x
  ball_y: q + S23/2 - 2*y
  ball_z: r + S33/2 - 2*z
states:
  default:
    bodies:
      arm: {omega: [0, 0, w], centre: [0.5, 0, 0], velocity: [0, w/2, 0]}
      bob: {omega: [0, 0, w], centre: [1, 0, -0.5], velocity: [0, w, 0]}
"""


def hinge():
    """An arm that a drive turns, with a bob on a ball joint."""
    if not ok(constella("system", path("hinge.system.yaml")).returncode == 0, "a driven hinge is consistent"):
        return
    methods = {
        "rattle": 2,
        "compose(rattle, suzuki4)": 4,
        "lie-euler-a": 1,
        "lie-rattle": 2,
        "lie-rattle(retraction=exp)": 2,
        "lie-midpoint": 2,
        "lie-discretization(theta=0.3)": 1,
        "compose(lie-lobatto, yoshida4)": 4,
    }
    f, result = run(
        "hinge",
        STUDY % ("order", "{file: hinge.system.yaml}", 0.5, "0.02, 0.01", quoted(methods))
        + 'reference: {method: "gauss(4)", step: 0.01}\n',
    )
    rows = table(result)
    good = len(rows) == 2 * len(methods)
    for k, (method, order) in enumerate(methods.items() if good else {"rattle": 2}.items()):
        got = rows[2 * k + 1]["order"] if good else np.nan
        ok(abs(got - order) < 0.3, f"{method} on a driven hinge has order {order}", got, f.stderr)
    group = ["lie-rattle", "lie-midpoint", "compose(lie-rattle, suzuki4)"]
    text = STUDY % ("conservation", "{file: hinge.system.yaml}", 0.5, "0.02, 0.01", quoted(group))
    f = made("group", text + "observables: [balance, constraint]\n")
    for k, (method, order) in enumerate(zip(group, (2, 2, 4)) if f else ()):
        balance = f["statistics/balance_max"][2 * k : 2 * k + 2]
        ok(abs(np.log2(balance[0] / balance[1]) - order) < 0.2, f"{method}: the balance of a driven hinge", balance)
    if f:
        off = max(f["statistics/constraint_max"][:].max(), f["statistics/hidden_max"][:].max())
        ok(off < 1e-14, "lie-*: a driven hinge and its velocity", off)
    f = made("turned", STUDY % ("conservation", "{file: hinge.system.yaml}", 2, 0.01, "rattle"))
    angle = np.arctan2(f["final/q"][0, 0, 3], f["final/q"][0, 0, 0]) if f else 0
    ok(abs(np.angle(np.exp(1j * (angle - 2 * f["statistics/end"][0])))) < 1e-13, "the arm is where the drive has it", angle)


def refused():
    methods = {
        "convert(rk4)": 'convert(rk4)',
        "newmark": "newmark",
        "bdf(2)": "bdf",
        "generalized-alpha(rho=0.8)": "generalized-alpha",
        "lagrange-dalembert(rk4)": "lagrange-dalembert",
        "langevin(rattle, friction=1, inverse-temperature=1)": "langevin",
        "taylor(3)": "taylor",
    }
    for k, method in enumerate(methods):
        f, _ = run(f"refused-{k}", STUDY % ("conservation", "{file: shaken.system.yaml}", 1, 0.1, quoted([method])))
        ok(
            f.returncode == 2 and ":5:11: error: shaken has a constraint that depends on t, rod, which" in f.stderr,
            f"{method} is refused",
            f.stderr,
        )
    drag = write("drag.system.yaml", SHAKEN + "forces: {drag: [\"-x'\", 0]}\n")
    f, _ = run("refused-null", STUDY % ("conservation", f"{{file: {drag}}}", 1, 0.1, '"rattle(form=null-space)"'))
    ok(f.returncode == 2 and "and no forces, and shaken has forces" in f.stderr, "form=null-space is refused", f.stderr)
    text = STUDY % ("conservation", "{file: shaken.system.yaml}", 1, 0.1, "rattle")
    f, _ = run("off", text + "initial: {q: [0.5, -0.6], v: [0, 0]}\n")
    ok(f.returncode == 2 and "off.yaml:6:10: error" in f.stderr, "a start off the constraint", f.stderr)
    q, _ = start()
    f, _ = run("still", text + f"initial: {{q: [{float(q[0])!r}, {float(q[1])!r}], v: [0, 0]}}\n")
    ok(f.returncode == 2 and "G v" in f.stderr, "a start at rest does not follow the pivot", f.stderr)
    f, _ = run("relaxed", text + "initial: {relax: {method: rattle, step: 0.01, end: 1}}\n")
    ok(
        f.returncode == 2
        and ":6:18: error: 'relax' brings a start to rest, and the constraint 'rod' of shaken depends on t"
        in f.stderr,
        "no start is relaxed",
        f.stderr,
    )
    mistakes = {
        "mass: [m, m]": ("mass: [m*(1 + t), m]", ":4:15: error: mass: unknown name 't'; the time cannot stand here; it can in potential"),
        "states:": ("forces: {rod: [0, 0]}\nstates:", ":6:15: error: constraint 'rod' depends on t, and a force has"),
        "(x - a*sin(w*t))^2 + (y - b*cos(u*t))^2 - L^2": ("sin(w*t) - L", ":6:20: error: the constraint depends on no"),
    }
    for k, (old, (new, message)) in enumerate(mistakes.items()):
        x = constella("system", write(f"mistake-{k}.yaml", SHAKEN.replace(old, new)))
        ok(x.returncode == 2 and message in x.stderr, f"a mistake at its place: {new[:20]}", x.stderr)
    zeros = ", ".join(["0"] * 6)
    many = "\n".join(f"  c{k}: x1 + x2 - {k}*t" for k in range(1, 18))
    text = f"""system: many
coordinates: [x1, x2, x3, x4, x5, x6]
mass: [1, 1, 1, 1, 1, 1]
potential: 0
constraints:
{many}
states: {{default: {{q: [{zeros}], v: [{zeros}]}}}}
"""
    x = constella("system", write("many.yaml", text))
    ok(x.returncode == 2 and "more than 16 constraints depend on t, the maximum" in x.stderr, "too many", x.stderr)


def ensemble():
    """Members are projected at t = 0; one, two ranks and a batch of their own agree."""
    text = STUDY % ("ensemble", "{file: shaken.system.yaml}", 1, 0.1, "rattle, project(rk4)")
    text += "initial: {members: 12, seed: 3, around: default, spread: {q: 0.1, v: 0.1}}\n"
    f, g2 = made("one", text), made("two", text, "--batch", "3", ranks=2)
    if f and g2:
        same = all(np.array_equal(f[k], g2[k]) for k in ("final/q", "final/p"))
        ok(same, "two ranks and small batches give the same bits")
        far = max(abs(g(q, f["statistics/end"][0])) for q in f["final/q"][0])
        ok(far < 1e-14, "all members are on g(q, t) = 0 at the end", far)


def main():
    warnings.simplefilter("ignore")  # of fsolve at round-off
    for name, text in (("shaken", SHAKEN), ("platform", PLATFORM), ("four-bar", FOURBAR), ("hinge", HINGE)):
        write(name + ".system.yaml", text)
    together([steps, orders, line_integral, kept, platform, fourbar, ended, hinge, refused, ensemble])
    done()


main()
