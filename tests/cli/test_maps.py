"""test_maps.py: discretization maps from text: steps against an own program that differentiates the discrete
Lagrangian h L(R_d^-1(q0, q1) / h), the exponential of the sphere, M(q), adjoints, compositions, momenta,
the refusals of what is no discretization map, and a composition with the constraint at its ends."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
from cli import constella, done, h5py, made, ok, run, table, together, write

SPHERE = """maps:
  sphere:
    define:
      s: v[1]^2 + v[2]^2 + v[3]^2
      c: 1 - s/2*(1 - s/12*(1 - s/30*(1 - s/56*(1 - s/90*(1 - s/132)))))
      b: 1 - s/6*(1 - s/20*(1 - s/42*(1 - s/72*(1 - s/110*(1 - s/156)))))
    left: ["q[1]", "q[2]", "q[3]"]
    right: ["c*q[1] + b*v[1]", "c*q[2] + b*v[2]", "c*q[3] + b*v[3]"]
  bent: {left: q - v/4, right: q + 3*v/4 + (1 + q)*v^2/8}
"""
STUDY = """study: %s
system: %s
%send: %g
steps: [%g]
methods: [%s]
"""


def sphere(q, v):
    """exp_q(v) on the unit sphere."""
    n = np.sqrt(v @ v)
    return q, np.cos(n) * q + np.sin(n) / n * v


def bent(q, v):
    return q - v / 4, q + 3 * v / 4 + (1 + q) * v**2 / 8


def adjoint(m):
    return lambda q, v: m(q, -v)[::-1]


def slope_of(m, x):
    """The derivatives of both points of m by x = (q, w), by complex steps."""
    return np.array([np.concatenate(m(*np.split(x + 1e-20j * e, 2))).imag / 1e-20 for e in np.eye(len(x))]).T


def inverse(m, q0, q1):
    """(q, w) with m(q, w) = (q0, q1), by Newton's method."""
    x, end = np.concatenate([q0, q1 - q0]), np.concatenate([q0, q1])
    for _ in range(6):
        x = x - np.linalg.solve(slope_of(m, x), np.concatenate(m(*np.split(x, 2))) - end)
    return x


def slopes(L, m, q0, q1, h):
    """The derivatives of the discrete Lagrangian, by complex steps: (q, w) moves with (q0, q1) as the inverse of m
    does."""
    x = inverse(m, q0, q1)
    moves = np.linalg.inv(slope_of(m, x)).T
    points = [np.split(x + 1e-20j * move, 2) for move in moves]
    return np.split(np.array([(h * L(q, w / h)).imag / 1e-20 for q, w in points]), 2)


def step(L, M, g, G, m, q, p, h):
    """-D1 Ld + G0'l = p0, g(q1) = 0; then p1 projected."""
    n, k = len(q), len(g(q))
    start = np.linalg.solve(M(q), p)
    x = np.concatenate([q + h * start, np.zeros(k)])

    def residual(x):
        return np.concatenate([p + slopes(L, m, q, x[:n], h)[0] - (G(q).T @ x[n:]), g(x[:n])])

    for _ in range(4):
        J = np.empty((n + k, n + k))
        for i in range(n + k):
            e = np.zeros(n + k)
            e[i] = 1e-5
            J[:, i] = (residual(x + e) - residual(x - e)) / 2e-5
        x -= np.linalg.solve(J, residual(x))
    q1 = x[:n]
    p1 = slopes(L, m, q, q1, h)[1]
    if k:
        X = np.linalg.solve(M(q1), G(q1).T)
        p1 = p1 - G(q1).T @ np.linalg.solve(G(q1) @ X, X.T @ p1)
    return q1, p1


SPHERICAL = (
    lambda q, v: 0.5 * v @ v - q[2],
    lambda q: np.eye(3),
    lambda q: np.array([q @ q - 1]),
    lambda q: 2 * q[None, :],
    np.array([2 / 7, 3 / 7, -6 / 7]),
    np.array([-3 / 5, 4 / 5, 1 / 5]),
)


def mass(q):
    c = np.sqrt(2) * np.cos(q[0] - q[1])
    return np.array([[2 + 0 * c, c], [c, 2 + 0 * c]])


ANGLES = (
    lambda q, v: 0.5 * v @ mass(q) @ v + 2 * np.cos(q[0]) + np.sqrt(2) * np.cos(q[1]),
    mass,
    lambda q: np.zeros(0),
    lambda q: np.zeros((0, 2)),
    np.array([0.2, 0.1]),
    np.zeros(2),
)


def steps_of(problem, maps, h, n):
    L, M, g, G, q, v = problem
    p = M(q) @ v
    for _ in range(n):
        for m, part in maps:
            q, p = step(L, M, g, G, m, q, p, part * h)
    return q, p


def final(result):
    with h5py.File(result, "r") as f:
        return f["final/q"][0, 0], f["final/p"][0, 0]


CASES = [
    ("spherical-pendulum", SPHERICAL, "discretization(map=sphere)", [(sphere, 1)]),
    ("spherical-pendulum", SPHERICAL, "discretization(map=bent)", [(bent, 1)]),
    ("spherical-pendulum", SPHERICAL, "adjoint(discretization(map=sphere))", [(adjoint(sphere), 1)]),
    (
        "spherical-pendulum",
        SPHERICAL,
        "compose(discretization(map=sphere), adjoint(discretization(map=sphere)))",
        [(sphere, 0.5), (adjoint(sphere), 0.5)],
    ),
    ("double-pendulum-angles\ninitial: low", ANGLES, "discretization(map=bent)", [(bent, 1)]),
]


def steps():
    """Eight steps of 1/8 by own programs."""
    for i, (system, problem, method, maps) in enumerate(CASES):
        process, result = run(f"steps{i}", STUDY % ("conservation", system, SPHERE, 1, 0.125, f'"{method}"'))
        if not ok(process.returncode == 0, f"{method} runs", process.stderr):
            continue
        off = max(np.max(np.abs(a - b)) for a, b in zip(final(result), steps_of(problem, maps, 0.125, 8)))
        ok(off < 1e-12, f"{method} on {system.split()[0]}: eight steps are those of an own program", off)


def orders():
    """1 of a map, 2 of the map with its adjoint, 4 of a scheme; the exponential commutes with rotations."""
    methods = ["discretization(map=sphere)", "compose(discretization(map=sphere), adjoint(discretization(map=sphere)))",
               "compose(discretization(map=sphere), suzuki4)"]  # fmt: skip
    text = STUDY % ("order", "spherical-pendulum", SPHERE, 1, 0.1, ", ".join(f'"{m}"' for m in methods))
    text = text.replace("[0.1]", "[0.05, 0.025, 0.0125]") + 'reference: {method: "gauss(6)", step: 0.01}\n'
    process, result = run("orders", text)
    if not ok(process.returncode == 0, "an order study runs", process.stderr):
        return
    rows = {r["method"]: r for r in table(result)}
    for method, order in zip(methods, (1, 2, 4)):
        found = rows[method]["order_q"], rows[method]["order_p"]
        ok(max(abs(x - order) for x in found) < 0.05, f"{method}: order {order}", found)
    text = STUDY % ("conservation", "spherical-pendulum", SPHERE, 20, 0.1, '"discretization(map=sphere)"')
    process, result = run("momentum", text)
    kept = table(result)[0]["rotation-z_max"]
    ok(kept < 1e-13, "the momentum is kept by the exponential of the sphere, which commutes with rotations", kept)


def free(q, p, h, weights):
    """Leapfrog steps without constraint under gravity along -z."""
    pull = np.array([0, 0, 1])
    for w in weights:
        p = p - w * h / 2 * pull
        q = q + w * h * p
        p = p - w * h / 2 * pull
    return q, p


def ends():
    """Yoshida's composition with the constraint at its ends, by Newton's method on the sphere."""
    w = 1 / (2 - 2 ** (1 / 3))
    q, p, h = SPHERICAL[4], SPHERICAL[5], 0.125
    for _ in range(8):
        L = 0.0
        for _ in range(50):
            end = free(q, p - 2 * q * L, h, [w, 1 - 2 * w, w])
            L += (end[0] @ end[0] - 1) / (4 * h * (end[0] @ q))
        q, p = end
        p = p - q * (q @ p)
    process, result = run("ends", STUDY % ("conservation", "spherical-pendulum", "", 1, h, "ends(yoshida4)"))
    if ok(process.returncode == 0, "ends(yoshida4) runs", process.stderr):
        off = max(np.max(np.abs(a - b)) for a, b in zip(final(result), (q, p)))
        ok(off < 1e-13, "ends(yoshida4): eight steps are those of an own program", off)
    for method, why in (
        ("ends(rattle)", "ends takes a scheme of `constella list schemes`: ends(yoshida4)"),
        ("ends(yoshida4, 2)", "ends takes one argument, a scheme"),
    ):
        write("ends.yaml", STUDY % ("conservation", "spherical-pendulum", "", 1, h, f'"{method}"'))
        process = constella("check", "ends.yaml")
        ok(process.returncode == 2 and why in process.stderr, f"refused: {method}", process.stderr)


# the map, and where and why it is none
WRONG = [
    ("{left: q, right: q + 2*v}", ":7:23: error: the derivative of right - left by v must be 1 at v = 0; it is 2"),
    ("{left: 2*q, right: q + v}", ":7:13: error: the two points of a discretization map must be q at v = 0"),
    (
        '{left: ["q[1]", "q[2]"], right: ["q[1] + v[1]", "q[2] + v[2] + sin(v[1])"]}',
        ":7:55: error: the derivative of right - left by v[1] must be 0 at v = 0; it is 1",
    ),
    ("{left: q, right: q + v + w}", ":7:31: error: unknown name 'w'; allowed: q, v"),
    ('{left: ["q[1]"], right: q + v}', ":7:30: error: left of the map has 1 expressions and right has one for every coordinate"),
    ('{left: ["q[1]"], right: ["q[1] + v[2]"]}', "index 2 of 'v' is outside 1 .. 1"),
    ("{left: q, right: q*cos(sqrt(v*v)) + v}", "has none at 8 of 8 points"),
    ("{left: q}", "error: missing key 'right'"),
    ("{left: q, right: q + v, define: {s: 1}, more: 1}", "unknown key 'more'; allowed: left, right, define"),
]


def refuse():
    for i, (text, why) in enumerate(WRONG):
        maps = f"maps:\n  m: {text}\n"
        name = f"wrong{i}.yaml"
        write(name, STUDY % ("conservation", "spherical-pendulum", "", 1, 0.1, '"discretization(map=m)"') + maps)
        process = constella("check", name)
        found = process.stderr
        ok(process.returncode == 2 and why in found, f"refused: {text}", process.stderr)
    for method, why in (
        ("discretization(map=sphare)", "map is a name under the study's key `maps`, or"),
        ("discretization(map=sphare)", "did you mean 'sphere'?"),
        ("discretization(theta=0.5, map=bent)", "discretization takes theta=, a number from 0 to 1"),
        ("discretization(map=bent, retraction=bent)", "discretization takes theta=, a number from 0 to 1"),
        ("discretization(map={left: q, rigt: q + v})", "a discretization map is {left: EXPRESSION, right: EXPRESSION}"),
        ("discretization(map={left: q, right: q + 3*v})", "must be 1 at v = 0; it is 3"),
    ):
        write("no.yaml", STUDY % ("conservation", "spherical-pendulum", SPHERE, 1, 0.1, f'"{method}"'))
        process = constella("check", "no.yaml")
        ok(process.returncode == 2 and why in process.stderr, f"refused: {method}", process.stderr)
    for system, why in (
        ("double-pendulum", "the map has 3 entries, and double-pendulum has 4 coordinates"),
        ("rolling-disk", "constraints on velocities"),
        ("forced-oscillator", "and constraints on positions alone, and forced-oscillator has"),
    ):
        method = "sphere" if system == "double-pendulum" else "bent"
        write("no.yaml", STUDY % ("conservation", system, SPHERE, 1, 0.1, f'"discretization(map={method})"'))
        process = constella("check", "no.yaml")
        ok(process.returncode == 2 and why in process.stderr, f"refused on {system}", process.stderr)


NULLS = """retractions:
  bowl: {point: q + v + q*v^2/8}
  lens:
    define: {s: "v[1]^2 + v[2]^2 + v[3]^2"}
    point: ["q[1] + v[1] - s*q[1]/2", "q[2] + v[2]", "q[3] + v[3] + s*q[2]/3"]
"""


def retractions():
    """R(q, -theta v) and R(q, (1 - theta) v) are the map that they say; null-space forms the maps with multipliers."""
    same = [
        ("discretization(map={left: q - v/4 + q*v^2/128, right: q + 3*v/4 + 9*q*v^2/128})", "discretization(retraction=bowl, theta=0.25)"),
        ("discretization(map={left: q, right: q + v + q*v^2/8})", "discretization(retraction=bowl)"),
        ("discretization(map={left: q, right: q + v + v^2*q/8})", "discretization(retraction={point: q + v + q*v^2/8})"),
        ("discretization(retraction=lens, theta=0.375)", "discretization(retraction=lens, theta=0.375, form=null-space)"),
        ("adjoint(discretization(map=bent))", "adjoint(discretization(map=bent, form=null-space))"),
        ("discretization(map=bent)", "discretization(map=bent, form=null-space)"),
    ]
    for system in ("spherical-pendulum", "charged-pendulum"):
        methods = ", ".join(f'"{m}"' for pair in same for m in pair)
        f = made(f"same-{system}", STUDY % ("conservation", system, SPHERE + NULLS, 1, 0.05, methods))
        for k, (one, two) in enumerate(same if f else []):
            apart = max(np.abs(f[f"final/{x}"][2 * k, 0] - f[f"final/{x}"][2 * k + 1, 0]).max() for x in ("q", "p"))
            ok(apart < 1e-12 * max(1, np.abs(f["final/p"][2 * k]).max()), f"{system}: {one} is {two}", apart)


REFUSED = [
    ("{point: q + 2*v}", "discretization(retraction=m)", "the derivative of point by v must be 1 at v = 0; it is 2"),
    ("{point: 2*q + v}", "discretization(retraction=m)", "the point of a retraction must be q at v = 0"),
    ("{point: q + sqrt(v*v)}", "discretization(retraction=m)", "a retraction must have values and derivatives"),
    ("{tangent: 1 + s}", "lie-rattle(retraction=m)", "must be 1/2 at s = 0; it is 1"),
    ("{tangent: sqrt(s) + 1/2}", "lie-rattle(retraction=m)", "two derivatives by s must be numbers at s = 0"),
    ("{tangent: x}", "lie-rattle(retraction=m)", "unknown name 'x'; allowed: s"),
    ('{tangent: ["x[1]/2", "x[2]/2"]}', "lie-rattle(retraction=m)", "a list of three of x[1], x[2], x[3]; this one has 2"),
    ('{tangent: ["x[1]/2", "x[2]/2", "x[3]/2 + 1"]}', "lie-rattle(retraction=m)", "must be 0 at x = 0; it is 1"),
    ('{tangent: ["x[1]/2", "x[2]/2 + x[3]", "x[3]/2"]}', "lie-rattle(retraction=m)", "by x[3] must be 0 at x = 0; it is 1"),
    ('{tangent: ["x[1]/2", "x[2]/3", "x[3]/2"]}', "lie-rattle(retraction=m)", "by x[2] must be 1/2 at x = 0; it is 0.333333"),
    ('{tangent: ["x[1]/2", "x[2]/2", "s"]}', "lie-rattle(retraction=m)", "unknown name 's'; allowed: x"),
    ('{tangent: ["x[1]/2 + sqrt(x[1]^2)", "x[2]/2", "x[3]/2"]}', "lie-rattle(retraction=m)", "must be numbers at x = 0"),
    ("{tangent: 1/2, point: q + v}", "lie-rattle(retraction=m)", "a retraction is {point: EXPRESSION of q and v}"),
    ("{define: {a: 1}}", "lie-rattle(retraction=m)", "a retraction is {point: EXPRESSION of q and v}"),
    ("{tangent: 1/2, more: 1}", "lie-rattle(retraction=m)", "unknown key 'more'; allowed: point, tangent, define"),
    ("{tangent: 1/2}", "discretization(retraction=m)", "this retraction is of rotations"),
    ("{tangent: 1/2}", "discretization(map=m)", "a retraction is no map; write retraction="),
    ("{tangent: 1/2}", "lie-rattle(retraction=n)", "'retraction' is cayley, exp, a name under"),
    ("{tangent: 1/2}", "lie-rattle(retraction={tangent: s})", "must be 1/2 at s = 0; it is 0"),
    ("{tangent: 1/2}", "lie-rattle(retraction={tangent: 1/2, s})", "a retraction is {point: EXPRESSION} or"),
    ("{point: q + v}", "lie-rattle(retraction=m)", "this retraction is of R^n"),
    ("{point: q + v}", "discretization(retraction=m, theta=2)", "is a number from 0 to 1"),
    ("{point: q + v}", "discretization(retraction=mm)", "did you mean 'm'?"),
]


def refuse_retractions():
    for text, method, why in REFUSED:
        system = "pivoted-top" if method.startswith("lie") else "spherical-pendulum"
        write("no-tau.yaml", STUDY % ("conservation", system, f"retractions:\n  m: {text}\n", 1, 0.1, f'"{method}"'))
        process = constella("check", "no-tau.yaml")
        ok(process.returncode == 2 and why in process.stderr, f"refused: {method} with {text}", process.stderr)


def claim():
    """The energy error is bounded where the step of the map does not depend on q."""
    for right, bounded in (("q + 3*v/4 + v^2/8", True), ("q + 3*v/4 + (1 + q)*v^2/8", False)):
        said = constella("show", "discretization(map={left: q - v/4, right: %s})" % right).stdout
        ok("symplectic" in said and ("energy error bounded" in said) == bounded, f"claims with {right}", said)
    for system, method in (
        ("four-bar", "discretization(map={left: q - v/4, right: q + 3*v/4 + v^2/8})"),  # its crank turns
        ("double-pendulum", "discretization(map=bent)"),
    ):
        _, result = run(f"bounded-{system}", STUDY % ("conservation", system, SPHERE, 400, 0.01, f'"{method}"'))
        row = table(result)[0]
        ok(row["energy_verdict"] == "bounded" and not row["failed"], f"bounded on {system}", row)


if __name__ == "__main__":
    together([steps, orders, ends, refuse, retractions, refuse_retractions, claim], 2)
    done()
