"""test_nonholonomic_rattle.py: discrete-lagrange-dalembert(reversible) with constraints on positions, and with
gyroscopic terms, forces, time and other masses: steps against an own program, back to the start, the discrete equations
of its page, order 2, both constraints, many copies, and RATTLE where the constraints on velocities do nothing."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
from cli import constella, done, h5py, ok, run, table, together, write

# knife edges in bowls, n of them side by side
BOWLS = """system: bowls
coordinates: ["x[n]", "y[n]", "z[n]", "th[n]"]
parameters: {n: {size: 1}, m: 1.3, J: 0.5, g: 1, k: 0.5}
mass: [m, m, m, J]
potential: sum(i, 1, n, m*g*z[i] + k*cos(th[i]))
constraints: {bowl: {for: "i = 1..n", expression: "z[i] - (x[i]^2 + 2*y[i]^2)/4"}}
nonholonomic: {edge: {for: "i = 1..n", expression: "sin(th[i])*x'[i] - cos(th[i])*y'[i]"}}
states: {default: {q: [1, 0.5, 0.375, 0.3], v: [cos(0.3), sin(0.3), cos(0.3)/2 + sin(0.3)/2, 1]}}
"""
# an edge that turns with nothing, on a body that is held in other ways
IDLE = """system: idle
coordinates: [x, y, u]
parameters: {m: 1}
mass: [m, m, 1]
potential: y
constraints: {rod: x^2 + y^2 - 1}
nonholonomic: {still: "u'"}
states: {default: {q: [0.6, -0.8, 0], v: [0.8, 0.6, 0]}}
"""
PLAIN = """system: plain
coordinates: [x, y]
parameters: {m: 1}
mass: [m, m]
potential: y
constraints: {rod: x^2 + y^2 - 1}
states: {default: {q: [0.6, -0.8], v: [0.8, 0.6]}}
"""
# the same with more in it; a force of zero makes other code step it
MORE = {
    "nothing": ("potential:", "forces: {none: [\"0*x'[i]\", 0, 0, 0]}\npotential:"),
    "magnet": ("potential:", 'gyroscopic: ["-0.35*y[i]", "0.35*x[i]", 0, 0]\npotential:'),
    "drag": ("potential:", "forces: {drag: [\"-0.7*x'[i]\", \"-0.7*y'[i]\", 0, \"-0.7*th'[i]*sin(t)\"]}\npotential:"),
    "mass": ("[m, m, m, J]", '[m, m, m, "J*(1 + x[i]^2)"]'),
}
STUDY = """study: %s
system: {file: %s.yaml%s}
end: %g
steps: [%s]
methods: [%s]
"""
METHOD = '"discrete-lagrange-dalembert(reversible)"'
MASS = np.array([1.3, 1.3, 1.3, 0.5])


def dV(q):
    return np.array([0, 0, 1.3, -0.5 * np.sin(q[3])])


def G(q):
    return np.array([-q[0] / 2, -q[1], 1, 0])


def phi(q):
    return np.array([np.sin(q[3]), -np.cos(q[3]), 0, 0])


def g(q):
    return q[2] - (q[0] ** 2 + 2 * q[1] ** 2) / 4


def kappa(q, v):
    """lambda of the edge in the equations of motion."""
    A = np.array([G(q), phi(q)])
    bend = np.array([-(v[0] ** 2 + 2 * v[1] ** 2) / 2, v[3] * (np.cos(q[3]) * v[0] + np.sin(q[3]) * v[1])])
    return np.linalg.solve(A / MASS @ A.T, bend + A / MASS @ -dV(q))[1]


def step(q, p, k, h):
    """Ferraro, Iglesias and Martin de Diego's nonholonomic RATTLE, with g(q1) = 0 by Newton's method."""
    P, L = p - h / 2 * (dV(q) + phi(q) * k), 0
    for _ in range(30):
        q1 = q + h * (P - L * G(q)) / MASS
        L += g(q1) / (h * (G(q1) / MASS) @ G(q))
    p1 = P - L * G(q) - h / 2 * dV(q1)
    A = np.array([G(q1), phi(q1)])
    m = np.linalg.solve(A / MASS @ A.T, A @ (p1 / MASS))
    return q1, p1 - A.T @ m, 2 * m[1] / h


def final(result, name):
    with h5py.File(result, "r") as f:
        return f["final/" + name][:, 0]


def steps():
    process, result = run("steps", STUDY % ("conservation", "bowls", "", 0.3125, "0.0625", METHOD))
    if not ok(process.returncode == 0, "runs", process.stderr):
        return
    q = np.array([1, 0.5, 0.375, 0.3])
    v = np.array([np.cos(0.3), np.sin(0.3), (np.cos(0.3) + np.sin(0.3)) / 2, 1])
    p, k = MASS * v, kappa(q, v)
    for _ in range(5):
        q, p, k = step(q, p, k, 0.0625)
    apart = np.abs(final(result, "q")[0] - q).max(), np.abs(final(result, "p")[0] - p).max()
    ok(max(apart) < 1e-13, "five steps are those of an own program", apart)
    for _ in range(5):  # back: the state with its reaction
        q, p, k = step(q, p, k, -0.0625)
    ok(np.abs(q - [1, 0.5, 0.375, 0.3]).max() < 1e-12, "the own program steps back to the start", q)
    row = table(result)[0]
    ok(
        max(row["constraint_max"], row["hidden_max"]) < 1e-14,
        "g, G v and phi v are 0",
        row["constraint_max"],
        row["hidden_max"],
    )


def momenta(name, q, t, h):
    """-D1 L_d and D2 L_d of every pair of points, with forces, and M at every point, of BOWLS or one of MORE."""
    x, y = q[:, 0], q[:, 1]
    M = np.tile(MASS, (len(q), 1))
    a, pull = np.zeros_like(q), np.array([-dV(row) for row in q])
    if name == "mass":
        M[:, 3] *= 1 + x**2
    if name == "magnet":
        a[:, 0], a[:, 1] = -0.35 * y, 0.35 * x
    p = (2 * np.diff(q, axis=0) / h + (a / M)[:-1] + (a / M)[1:]) / (1 / M[:-1] + 1 / M[1:])
    found = []
    for sign, at in ((-1, slice(None, -1)), (1, slice(1, None))):  # L_q + F at both ends
        u = (p - a[at]) / M[at]
        f = pull[at].copy()
        if name == "mass":
            f[:, 0] += MASS[3] * x[at] * u[:, 3] ** 2
        if name == "magnet":
            f[:, 0] += 0.35 * u[:, 1]
            f[:, 1] -= 0.35 * u[:, 0]
        if name == "drag":
            f -= 0.7 * u * np.column_stack([np.ones((len(u), 2)), np.zeros(len(u)), np.sin(t[at])])
        found.append(p + sign * h / 2 * f)
    return found[0], found[1], M, a


def split(A, b):
    """The least x with A'x = b, and what is left."""
    x = np.linalg.lstsq(A.T, b, rcond=None)[0]
    return x, np.abs(A.T @ x - b).max()


def nodes():
    """The equations of the page at every inner point: phi v_k = 0 for the mean velocity projected onto G v = 0, equal
    impulses of phi on both sides and others of G; the mean itself is off by h^2."""
    for name in ("bowls", *MORE):
        bare = []
        for h in (0.125, 0.0625):
            text = STUDY % ("conservation", name, "", 4, h, METHOD)
            process, result = run(f"nodes-{name}-{h}", text + "trajectories: {members: all, every: 1, store: [q, p]}\n")
            if not ok(process.returncode == 0, f"{name}, step {h}: stores its points", process.stderr):
                return
            with h5py.File(result, "r") as f:
                q, p = f["trajectories/0/q"][0], f["trajectories/0/p"][0]
            left, right, M, a = momenta(name, q, h * np.arange(len(q)), h)
            mean, worst = np.zeros(len(q)), np.zeros(4)
            for k in range(1, len(q) - 1):
                A = np.array([G(q[k]), phi(q[k])])
                half = (left[k] + right[k - 1]) / 2
                mean[k] = phi(q[k]) @ ((half - a[k]) / M[k])
                W = A[0] / M[k]
                v = (half - a[k] - A[0] * (W @ (half - a[k])) / (W @ A[0])) / M[k]
                (before, one), (after, other) = split(A, right[k - 1] - p[k]), split(A, p[k] - left[k])
                now = abs(phi(q[k]) @ v), np.abs(M[k] * v + a[k] - p[k]).max(), abs(before[1] - after[1]), max(one, other)
                worst = np.maximum(worst, now)
            bare.append(np.abs(mean).max())
            ok(worst[0] < 1e-13, f"{name}, step {h}: the projected mean velocity satisfies phi", worst[0])
            ok(worst[1] < 1e-13, f"{name}, step {h}: it is that of the state", worst[1])
            ok(max(worst[2:]) < 1e-13, f"{name}, step {h}: impulses of phi on both sides are equal", worst)
        ok(bare[0] > 1e-4 and 3 < bare[0] / bare[1] < 5, f"{name}: the mean velocity violates phi by h^2", bare)


def orders():
    text = STUDY % (
        "order",
        "bowls",
        "",
        1,
        "0.0625, 0.03125, 0.015625",
        METHOD + ', "compose(discrete-lagrange-dalembert(reversible), yoshida4)"',
    )
    process, result = run("orders", text + 'reference: {method: "gauss(4)", step: 0.01}\n')
    if ok(process.returncode == 0, "an order study runs", process.stderr):
        row = table(result)[0]
        for what in ("order_q", "order_p"):
            ok(abs(row[what] - 2) < 0.05, f"{what} is 2", row[what])


def more():
    """Order 2 in the others, and the same steps where there is nothing more."""
    for name in MORE:
        text = STUDY % ("order", name, "", 0.5, "0.0625, 0.03125, 0.015625", METHOD)
        process, result = run(f"more-{name}", text + 'reference: {method: "gauss(3)", step: 0.01}\n')
        if not ok(process.returncode == 0, f"{name}: an order study runs", process.stderr):
            continue
        row = table(result)[0]
        ok(
            abs(row["order_q"] - 2) < 0.1 and abs(row["order_p"] - 2) < 0.1,
            f"{name}: of order 2",
            row["order_q"],
            row["order_p"],
        )
        ok(max(row["constraint_max"], row["hidden_max"]) < 1e-14, f"{name}: keeps its constraints", row["hidden_max"])
    found = []
    for name in ("bowls", "nothing"):
        process, result = run(f"same-{name}", STUDY % ("conservation", name, "", 0.5, "0.0625", METHOD))
        found.append(final(result, "q"))
    apart = np.abs(found[0] - found[1]).max()
    ok(apart < 1e-13, "a force of zero changes nothing but round-off", apart)


def copies():
    found = []
    for n in (1, 13):
        process, result = run(
            f"copies-{n}",
            STUDY % ("conservation", "bowls", f", parameters: {{n: {n}}}", 0.5, "0.0625", METHOD + ', "project(rk4)"'),
        )
        if not ok(process.returncode == 0, f"{n} of them run", process.stderr):
            return
        found.append(final(result, "q").reshape(2, 4, n))
    apart = np.abs(found[1] - found[0]).max()
    ok(apart < 1e-12, "each of thirteen moves as one", apart)
    text = STUDY % ("conservation", "bowls", ", parameters: {n: 13}", 0.5, "0.0625", '"project(rk4)"')
    process, result = run(
        "ensemble",
        text + "initial: {members: 3, seed: 1, around: default, spread: {q: 0.01, v: 0.1}}\n",
    )
    ok(
        process.returncode == 0 and table(result)[0]["constraint_max"] < 1e-14,
        "starts of many are projected",
        process.stderr,
    )


def idle():
    """Without a constraint on velocities that acts it is RATTLE."""
    one, left = run("idle-one", STUDY % ("conservation", "idle", "", 1, "0.0625", METHOD))
    two, right = run("plain-two", STUDY % ("conservation", "plain", "", 1, "0.0625", "rattle"))
    if ok(one.returncode == 0 and two.returncode == 0, "both run", one.stderr, two.stderr):
        apart = np.abs(final(left, "q")[0][:2] - final(right, "q")[0]).max()
        ok(apart < 1e-13, "the steps are those of RATTLE", apart)


def refuse():
    write(
        "no.study.yaml",
        STUDY % ("conservation", "bowls", "", 1, "0.1", 'rk4, "discrete-lagrange-dalembert(midpoint)"'),
    )
    text = constella("check", "no.study.yaml").stderr
    ok(
        "no.study.yaml:5:16: error: this form of discrete-lagrange-dalembert does not support constraints on "
        "positions, and bowls has some besides those on velocities; discrete-lagrange-dalembert(reversible) does"
        in text,
        "other forms are refused",
        text,
    )


if __name__ == "__main__":
    for name, text in (("bowls", BOWLS), ("idle", IDLE), ("plain", PLAIN)):
        write(f"{name}.yaml", text)
    for name, change in MORE.items():
        write(f"{name}.yaml", BOWLS.replace("system: bowls", f"system: {name}").replace(*change))
    together([steps, nodes, orders, more, copies, idle, refuse], 2)
    done()
