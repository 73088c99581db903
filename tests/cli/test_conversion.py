"""test_conversion.py: what convert takes besides a layer and a bias: iota=mass against the same conversion in
coordinates in which the masses are 1, projected layers, and what is refused."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
from cli import constella, done, made, ok, write

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


REFUSED = (
    ("metric.yaml", "convert(project(rk4), iota=mass)", "project(LAYER) projects along Dg'"),
    ("metric.yaml", "convert(rk4, iota=none)", "iota"),
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
projected()
refused()
done()
