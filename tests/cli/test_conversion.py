"""test_conversion.py: what convert takes besides a layer and a bias: iota=mass against the same conversion in
coordinates in which the masses are 1, fibres from text against an own program that differentiates the discrete
Lagrangian, and against Dg' and M^-1 Dg', projected layers, and what is refused."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
from cli import constella, done, made, ok, table, write

MASS = np.array([1.0, 4.0, 2.0])
Q, V = np.array([0.5, 0.6, 0.4]), np.array([0.3, -0.2, 0.7])


def system(name, x, y, z, mass):
    """The same motion; x, y, z: the coordinates as formulas of those of the file."""
    return f"""system: {name}
coordinates: [x, y, z]
mass: {mass}
potential: 1.3*{z} + 0.2*{x}^2*{y}
constraints: {{surface: "{x}^2 + 2*{y}^2 + 3*{z}^2 + 0.3*{x}*{z}^3 - 2"}}
"""


def on_surface():
    """Q, V on the constraint: z by bisection, v orthogonally in the metric of the masses."""
    g = lambda z: Q[0] ** 2 + 2 * Q[1] ** 2 + 3 * z**2 + 0.3 * Q[0] * z**3 - 2  # noqa: E731
    low, high = 0.0, 1.0
    for _ in range(100):
        low, high = ((low + high) / 2, high) if g((low + high) / 2) < 0 else (low, (low + high) / 2)
    q = np.array([Q[0], Q[1], low])
    G = np.array([2 * q[0] + 0.3 * q[2] ** 3, 4 * q[1], 6 * q[2] + 0.9 * q[0] * q[2] ** 2])
    return q, V - G / MASS * (G @ V) / (G @ (G / MASS))


def start(scale):
    q, v = on_surface()
    text = [", ".join(repr(float(x)) for x in scale * y) for y in (q, v)]
    return f"states: {{default: {{q: [{text[0]}], v: [{text[1]}]}}}}\n"


def study(name, file, methods, rest):
    listed = ", ".join(f'"{m}"' for m in methods)
    return made(name, f"study: conservation\nsystem: {{file: {file}}}\nend: 1\nmethods: [{listed}]\n{rest}")


LAYERS = ("euler", "heun, bias=-0.3", "rk3, bias=-0.5", "rk4, bias=-1", "gauss(2)", "taylor(3), bias=-0.3")


def in_the_mass_metric():
    root = np.sqrt(MASS)
    x, y, z = (f"({c}/{float(r)!r})" for c, r in zip("xyz", root, strict=True))
    write("metric.yaml", system("metric", "x", "y", "z", "[1, 4, 2]") + start(np.ones(3)))
    write("scaled.yaml", system("scaled", x, y, z, "[1, 1, 1]") + start(root))
    for iteration in ("simplified", "newton", "chord", "krylov"):
        extra = f"steps: [0.05]\nsolver: {{iteration: {iteration}}}\n"
        one = study(f"mass-{iteration}", "metric.yaml", [f"convert({m}, iota=mass)" for m in LAYERS], extra)
        two = study(f"scaled-{iteration}", "scaled.yaml", [f"convert({m})" for m in LAYERS], extra)
        if one and two:
            apart = np.abs(one["final/q"][:, 0] * root - two["final/q"][:, 0]).max(axis=1)
            ok(apart.max() < 2e-13, f"{iteration}: iota=mass is the conversion in coordinates of mass 1", apart)
    plain = study("euclidean", "metric.yaml", [f"convert({m})" for m in LAYERS], "steps: [0.05]\n")
    if plain and one:
        apart = np.abs(one["final/q"][:, 0] - plain["final/q"][:, 0]).max(axis=1)
        ok(apart[0] > 1e-6, "and not the one along Dg'", apart)


def projected():
    f = study("projected", "metric.yaml", ["convert(rk3, bias=-0.3)", "convert(project(rk3), bias=-0.3)"], "steps: [0.1]\n")
    if f:
        q = f["final/q"][:, 0]
        ok((q[0] == q[1]).all(), "convert(project(LAYER)) is convert(LAYER)", q)


FIBRES = """iotas:
  along: {fibre: ["q[1] + gx*theta[1]", "q[2] + 4*q[2]*theta[1]", "q[3] + gz*theta[1]"], define: {gx: "2*q[1] + 0.3*q[3]^3", gz: "6*q[3] + 0.9*q[1]*q[3]^2"}}
  weighed: {fibre: ["q[1] + gx*theta[1]", "q[2] + 4*q[2]*theta[1]/4", "q[3] + gz/2*theta[1]"], define: {gx: "2*q[1] + 0.3*q[3]^3", gz: "6*q[3] + 0.9*q[1]*q[3]^2"}}
"""


def the_same_by_text():
    """iota = Dg' and M^-1 Dg' as texts are the two that the program has: same q, and same v."""
    pairs = (("euclidean", "along"), ("mass", "weighed"))
    methods = [f"convert({m}, iota={iota})" for pair in pairs for m in LAYERS for iota in pair]
    f = study("by-text", "metric.yaml", methods, f"steps: [0.05]\nsolver: {{iteration: newton}}\n{FIBRES}")
    if not f:
        return
    q = f["final/q"][:, 0].reshape(2, len(LAYERS), 2, -1)
    apart = np.abs(q[:, :, 0] - q[:, :, 1]).max(axis=2)
    ok(apart.max() < 1e-14, "fibres along Dg' and M^-1 Dg' are iota=euclidean and iota=mass", apart)
    p = f["final/p"][len(LAYERS) * 2 :, 0].reshape(len(LAYERS), 2, -1)
    ok(np.abs(p[:, 0] - p[:, 1]).max() < 1e-14, "with the same momenta, which are kinetic", p)


PAIR = """system: pair
coordinates: [x, y, z, u]
mass: [1, 4, 2, 1]
potential: 1.3*z + 0.2*x^2*y + u^2
constraints: {surface: x^2 + 2*y^2 + 3*z^2 - 1.45, sheet: u - x*y + 0.1}
states: {default: {q: [0.5, 0.6, 0.4, 0.2], v: [0.3, -0.2, 0.075, 0.08]}}
"""
CROSSED = """iotas:
  crossed:
    fibre: ["q[1] + theta[2]^2/3", "q[2] + theta[1]/4", "q[3] + theta[2]", "q[4] + theta[1] + q[1]*theta[1]*theta[2]"]
"""
WEIGHTS = np.array([1.0, 4, 2, 1])


def crossed(q, t):
    return np.array([q[0] + t[1] ** 2 / 3, q[1] + t[0] / 4, q[2] + t[1], q[3] + t[0] + q[0] * t[0] * t[1]])


def rows(q):
    return np.array([[2 * q[0], 4 * q[1], 6 * q[2], 0 * q[0]], [-q[1], -q[0], 0 * q[0], 1 + 0 * q[0]]])


def values(q):
    return np.array([q[0] ** 2 + 2 * q[1] ** 2 + 3 * q[2] ** 2 - 1.45, q[3] - q[0] * q[1] + 0.1])


def action(q0, q1, h):
    """h L(q0, v) with q0 + h v = iota(q1, theta) and v tangent at q0: convert(euler); for complex numbers too."""
    G, t = rows(q0), np.zeros(2, complex)
    J = G @ np.array([(crossed(q1, 1e-6 * e) - crossed(q1, -1e-6 * e)) / 2e-6 for e in np.eye(2)]).T
    for _ in range(25):
        t = t - np.linalg.solve(J, G @ (crossed(q1, t) - q0))
    v = (crossed(q1, t) - q0) / h
    return h * (v @ (WEIGHTS * v) / 2 - 1.3 * q0[2] - 0.2 * q0[0] ** 2 * q0[1] - q0[3] ** 2)


def slopes(q0, q1, h):
    x = np.concatenate([q0, q1])
    d = [action(*np.split(x + 1e-20j * e, 2), h).imag / 1e-20 for e in np.eye(8)]
    return np.array(d[:4]), np.array(d[4:])


def step(q, p, h):
    """p + D1 Ld - G0'l = 0, g(q1) = 0; then p1 = D2 Ld without its part along G1'."""
    x = np.concatenate([q + h * p / WEIGHTS, np.zeros(2)])

    def residual(x):
        return np.concatenate([p + slopes(q, x[:4], h)[0] - rows(q).T @ x[4:], values(x[:4])])

    for _ in range(6):
        J = np.array([(residual(x + 1e-5 * e) - residual(x - 1e-5 * e)) / 2e-5 for e in np.eye(6)]).T
        x = x - np.linalg.solve(J, residual(x))
    p1, G = slopes(q, x[:4], h)[1], rows(x[:4])
    return x[:4], p1 - G.T @ np.linalg.solve(G / WEIGHTS @ G.T, G / WEIGHTS @ p1)


def along_fibres():
    """Two constraints, fibres that bend and of which theta[1] belongs to the second constraint."""
    write("pair.yaml", PAIR)
    f = study("crossed", "pair.yaml", ["convert(euler, iota=crossed)"], f"steps: [0.125]\n{CROSSED}")
    q, p = np.array([0.5, 0.6, 0.4, 0.2]), WEIGHTS * np.array([0.3, -0.2, 0.075, 0.08])
    for _ in range(8):
        q, p = step(q, p, 0.125)
    if f:
        apart = max(np.abs(f["final/q"][0, 0] - q).max(), np.abs(f["final/p"][0, 0] - p).max())
        ok(apart < 1e-13, "convert(euler, iota=) is the method of an own program", apart)
    layers = ("euler", "rk3, bias=-0.5", "rk4, bias=-0.3")
    listed = ", ".join(f'"convert({m}, iota=crossed)"' for m in layers)
    text = f"study: order\nsystem: {{file: pair.yaml}}\nend: 1\nsteps: {{from: 0.1, halvings: 3}}\nmethods: [{listed}]\n"
    text += "observables: [constraint, two-form]\ntangent: {every: 1}\n"
    f = made("crossed-orders", f'{text}{CROSSED}reference: {{method: "gauss(6)", step: 0.01}}\n')
    if f:
        t = table("crossed-orders.h5")
        for m, order in zip(layers, (1, 4, 4), strict=True):
            mine = [r for r in t if r["method"] == f"convert({m}, iota=crossed)"]
            ok(len(mine) == 4 and abs(float(mine[0]["order_q"]) - order) < 0.1, f"{m} keeps its order", mine)
            ok(max(float(r["two-form_max"]) for r in mine) < 1e-9, f"{m}: the two-form is kept", mine)
            ok(max(float(r["hidden_scaled_max"]) for r in mine) < 1e-14, f"{m}: and G v = 0", mine)


def over_many_steps():
    """On a sphere, where these fibres lead away from it everywhere: energy, and reversal in time at bias -1/2."""
    fibre = "{fibre: q + q*theta + q^2*theta/5}"
    listed = ", ".join(f'"convert(heun, bias={b}, iota={fibre})"' for b in (0, -0.3, -0.5))
    text = f"study: conservation\nsystem: spherical-pendulum\nend: 100\nsteps: [0.05]\nmethods: [{listed}]\n"
    made("many", f"{text}observables: [energy, constraint, reversibility]\ntangent: {{every: 100}}\n")
    first, uneven, even = table("many.h5")
    for r in (first, uneven, even):
        ok(r["energy_verdict"] == "bounded" and r["hidden_scaled_max"] < 1e-14, "the energy is bounded, G v = 0", r)
    ok(even["reversibility_max"] < 1e-11 < uneven["reversibility_max"], "reversed at bias -1/2 alone", even, uneven)


WRONG = (
    ('{fibre: q + theta + 1}', "a fibre must be q at theta = 0"),
    ('{fibre: ["q[1]", "q[2]"]}', "the fibre has 2 entries, and metric has 3 coordinates"),
    ('{fibre: ["q[1]", "q[2] + theta[2]", "q[3]"]}', "the fibre on metric, which has 1 constraints"),
    ('{fibre: ["q[1] + gz*theta[1]", "q[2]", "q[3] - gx*theta[1]"], define: {gx: "2*q[1] + 0.3*q[3]^3", gz: "6*q[3] + 0.9*q[1]*q[3]^2"}}',
     "G d iota/d theta is singular"),
    ('{fibre: q + theta*w}', "unknown name 'w'"),
    ('{fiber: q + theta}', "did you mean 'fibre'?"),
    ('{define: {a: 1}}', "fibre"),
)


def wrong_fibres():
    for text, words in WRONG:
        head = "study: conservation\nsystem: {file: metric.yaml}\nend: 1\nsteps: [0.1]\n"
        r = constella("check", write("wrong.yaml", f'{head}iotas: {{mine: {text}}}\nmethods: ["convert(rk4, iota=mine)"]\n'))
        ok(r.returncode == 2 and words in r.stderr, f"{text} is refused", r.stderr)


REFUSED = (
    ("metric.yaml", "convert(project(rk4), iota=mass)", "project(LAYER) projects along Dg'"),
    ("metric.yaml", "convert(rk4, iota=none)", "iota of convert is euclidean, mass, a name under"),
    ("metric.yaml", "convert(rk4, iota={point: q + v})", "this is no fibre"),
    ("metric.yaml", "convert(project(rk4), iota={fibre: q + theta*q})", "project(LAYER) projects along Dg'"),
    ("free.yaml", "convert(rk4, iota={fibre: q + theta*q})", "iota is a projection on constraints, and free has none"),
    ("metric.yaml", "convert(project(rattle))", "'rattle' is not a layer"),
    ("metric.yaml", "convert(rattle)", "'rattle' is not a layer"),
    ("free.yaml", "convert(rk4, iota=mass)", "iota=mass is a projection on constraints, and free has none"),
    ("free.yaml", "convert(project(rk4))", "project needs constraints on positions and free has none"),
    ("full.yaml", "convert(rk4, iota=mass)", "iota=mass needs a constant diagonal mass"),
)


def refused():
    write("free.yaml", "system: free\ncoordinates: [x]\nmass: [1]\npotential: x^2\nstates: {default: {q: [1], v: [0]}}\n")
    write("full.yaml", system("full", "x", "y", "z", "[[1, 0, 0], [0, 4 + x^2, 0], [0, 0, 2]]") + start(np.ones(3)))
    for file, method, words in REFUSED:
        text = f'study: order\nsystem: {{file: {file}}}\nend: 1\nsteps: [0.1]\nmethods: ["{method}"]\nreference: self\n'
        if file == "full.yaml":
            text += "initial: {q: [0.5, 0.6, 0.4], v: [0.3, -0.2, 0.7], project: true}\n"
        r = constella("check", write("refused.yaml", text))
        ok(r.returncode == 2 and words in r.stderr, f"{method} on {file} is refused", r.stderr)


in_the_mass_metric()
the_same_by_text()
along_fibres()
over_many_steps()
wrong_fibres()
projected()
refused()
done()
