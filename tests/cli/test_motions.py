"""test_motions.py: the methods on SE(3), group=se3: q and p against an own program that differentiates the discrete
Lagrangian h L(g0 exp(theta x), x / h), x = log(g0^-1 g1), with 4 by 4 matrices; the exponential of SE(2) in the plane;
order, two-form, momenta and reversal; and what is refused."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy as np
from cli import constella, done, made, ok, table, write

INERTIA = "[[1, 0.1, -0.05], [0.1, 0.8, 0.07], [-0.05, 0.07, 0.6]]"
# A body with a centre on a spring from one of its points, one that turns about the origin, and a plain coordinate.
SEVERAL = f"""system: several
coordinates: [s]
mass: [1.5]
bodies:
  first: {{rotation: R, centre: [x, y, z], mass: 2, inertia: {INERTIA}}}
  second: {{rotation: B, inertia: [0.9, 0.7, 0.4]}}
potential: "0.7*z + (x + 0.2*R11 + 0.5*R13 - s)^2 + (y + 0.2*R21 + 0.5*R23)^2 + (z + 0.2*R31 + 0.5*R33)^2 + s^4/4 + 0.3*B33*s + 0.2*x*B31"
states:
  default:
    q: [0.2]
    v: [0.1]
    bodies:
      first: {{omega: [0.3, 0.2, 1.5], centre: [0.4, -0.3, 0.2], velocity: [0.1, 0.5, -0.2]}}
      second: {{omega: [0.5, 0.1, 1.1]}}
"""
# Blocks of the group, each in SE(3): inertias by (w, u), and the directions that exist.
MASS = np.zeros((3, 6, 6))
MASS[0, :3, :3], MASS[0, 3:, 3:] = np.array(eval(INERTIA)), 2 * np.eye(3)
MASS[1, :3, :3], MASS[2, 3, 3] = np.diag([0.9, 0.7, 0.4]), 1.5
ACTIVE = np.array([[1] * 6, [1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]]).ravel().nonzero()[0]
N = len(ACTIVE)


def algebra(x):
    """Of x[..., N] the matrices [..., 3, 4, 4]."""
    full = np.zeros((*x.shape[:-1], 18), x.dtype)
    full[..., ACTIVE] = x
    w = full.reshape(*x.shape[:-1], 3, 6)
    X = np.zeros((*w.shape[:-1], 4, 4), x.dtype)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        X[..., k, j], X[..., j, k] = w[..., i], -w[..., i]
        X[..., i, 3] = w[..., 3 + i]
    return X


def vector(X):
    w = [(X[..., k, j] - X[..., j, k]) / 2 for j, k in ((1, 2), (2, 0), (0, 1))]
    return np.stack([*w, *(X[..., i, 3] for i in range(3))], -1).reshape(*X.shape[:-3], 18)[..., ACTIVE]


def exponential(x):
    X = algebra(x)
    total = term = np.broadcast_to(np.eye(4), X.shape)
    for n in range(1, 15):
        term = term @ X / n
        total = total + term
    return total


def logarithm(g, x):
    """From a guess x, which is good but for small complex parts."""
    for _ in range(14):
        x = x + vector(exponential(-x) @ g - np.eye(4))
    return x


def potential(g):
    R, c, B, s = g[..., 0, :3, :3], g[..., 0, :3, 3], g[..., 1, :3, :3], g[..., 2, 0, 3]
    end = c + 0.2 * R[..., 0] + 0.5 * R[..., 2]
    end = [end[..., 0] - s, end[..., 1], end[..., 2]]
    return 0.7 * c[..., 2] + sum(e * e for e in end) + s**4 / 4 + 0.3 * B[..., 2, 2] * s + 0.2 * c[..., 0] * B[..., 2, 0]


def whole(mass):
    M = np.zeros((18, 18))
    for b in range(3):
        M[6 * b : 6 * b + 6, 6 * b : 6 * b + 6] = mass[b]
    return M[np.ix_(ACTIVE, ACTIVE)]


M = whole(MASS)


def action(g0, x, theta, h):
    return np.einsum("...i,ij,...j", x, M, x) / (2 * h) - h * potential(g0 @ exponential(theta * x))


TINY = 1e-14j * np.eye(N)


def left(g0, x, theta, h):
    """-D1 of the discrete Lagrangian, left-trivialised, by complex steps."""
    start = g0 @ exponential(TINY)
    way = logarithm(np.linalg.inv(start) @ g0 @ exponential(x), x + 0 * TINY)
    return -action(start, way, theta, h).imag / 1e-14


def right(g0, x, theta, h):
    """D2"""
    return action(g0, logarithm(exponential(x) @ exponential(TINY), x + 0 * TINY), theta, h).imag / 1e-14


def step(g0, alpha, theta, h):
    x = h * np.linalg.solve(M, alpha)
    J = np.array([(left(g0, x + d, theta, h) - left(g0, x - d, theta, h)) / 2e-5 for d in 1e-5 * np.eye(N)])
    for _ in range(6):
        x = x - np.linalg.solve(J.T, left(g0, x, theta, h) - alpha)
    return g0 @ exponential(x), right(g0, x, theta, h)


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def coordinates(g, alpha):
    """q and p of the program: s, R, c, B."""
    p = []
    for b, w in ((0, alpha[:3]), (1, alpha[6:9])):
        inertia = MASS[b, :3, :3]
        p.append(g[b, :3, :3] @ hat(np.linalg.solve(inertia, w)) @ (np.trace(inertia) / 2 * np.eye(3) - inertia))
    R = g[0, :3, :3]
    q = [g[2, :1, 3], R.ravel(), g[0, :3, 3], g[1, :3, :3].ravel()]
    return np.concatenate(q), np.concatenate([alpha[9:], p[0].ravel(), R @ alpha[3:6], p[1].ravel()])


# A method, and the thetas and lengths of its parts.
METHODS = {
    "lie-euler-a(group=se3)": [(0, 1)],
    "lie-euler-b(group=se3)": [(1, 1)],
    "lie-midpoint(group=se3)": [(0.5, 1)],
    "lie-lobatto(group=se3)": [(0, 0.5), (1, 0.5)],
    "adjoint(lie-discretization(theta=0.3, group=se3))": [(0.7, 1)],
}
H, STEPS = 0.1, 4


def by_an_own_program():
    write("several.yaml", SEVERAL)
    listed = ", ".join(f'"{m}"' for m in METHODS)
    f = made("own", f"study: conservation\nsystem: {{file: several.yaml}}\nend: {H * STEPS}\nsteps: {{counts: [{STEPS}]}}\nmethods: [{listed}]\nroundoff: {{dyadic-steps: false}}\n")
    if not f:
        return
    for k, (name, parts) in enumerate(METHODS.items()):
        g = np.broadcast_to(np.eye(4), (3, 4, 4)).copy()
        g[0, :3, 3], g[2, 0, 3] = [0.4, -0.3, 0.2], 0.2
        alpha = M @ np.array([0.3, 0.2, 1.5, 0.1, 0.5, -0.2, 0.5, 0.1, 1.1, 0.1])
        for _ in range(STEPS):
            for theta, part in parts:
                g, alpha = step(g, alpha, theta, part * H)
        q, p = coordinates(g, alpha)
        apart = max(np.abs(f["final/q"][k, 0] - q).max(), np.abs(f["final/p"][k, 0] - p).max())
        ok(apart < 5e-13, f"{name} is the method of an own program", apart)


PLANAR = """system: planar
bodies: {disk: {rotation: R, centre: [x, y, z], mass: 2, inertia: [0.5, 0.4, 0.7]}}
define: {square: "(x + 0.4*R11)^2 + (y + 0.4*R21)^2"}
potential: square + square^2/3 + z^2
states: {default: {bodies: {disk: {omega: [0, 0, 1.1], centre: [0.5, -0.2, 0], velocity: [0.3, 0.6, 0]}}}}
"""
DISK = """system: disk
coordinates: [x, y, th]
mass: [2, 2, 0.7]
define: {square: "(x + 0.4*cos(th))^2 + (y + 0.4*sin(th))^2"}
potential: square + square^2/3
states: {default: {q: [0.5, -0.2, 0], v: [0.3, 0.6, 1.1]}}
"""
SE2 = """retractions:
  se2:
    define:
      s: v[3]^2
      sine: 1 - s/6*(1 - s/20*(1 - s/42*(1 - s/72*(1 - s/110*(1 - s/156)))))
      cosine: v[3]/2*(1 - s/12*(1 - s/30*(1 - s/56*(1 - s/90*(1 - s/132*(1 - s/182))))))
    point: ["q[1] + sine*v[1] - cosine*v[2]", "q[2] + cosine*v[1] + sine*v[2]", "q[3] + v[3]"]
"""


def in_the_plane():
    """SE(2) is a subgroup of SE(3): a body that moves in the plane, against its three coordinates."""
    write("planar.yaml", PLANAR)
    write("disk.yaml", DISK)
    thetas = (0, 0.3, 0.5, 1)
    head = "study: conservation\nsystem: {file: %s.yaml}\nend: 1\nsteps: [0.0625]\nmethods: [%s]\n"
    one = made("in-plane", head % ("planar", ", ".join(f'"lie-discretization(theta={t}, group=se3)"' for t in thetas)))
    two = made("by-disk", head % ("disk", ", ".join(f'"discretization(retraction=se2, theta={t})"' for t in thetas)) + SE2)
    if not one or not two:
        return
    for k, theta in enumerate(thetas):
        q, disk = one["final/q"][k, 0], two["final/q"][k, 0]
        apart = np.abs([q[9] - disk[0], q[10] - disk[1], q[0] - np.cos(disk[2]), q[3] - np.sin(disk[2])]).max()
        ok(apart < 1e-13, f"theta = {theta}: the exponential of SE(2) in the plane", apart)


SPRUNG = """system: sprung
bodies: {plate: {rotation: R, centre: [x, y, z], mass: 2, inertia: [1, 0.8, 0.5]}}
potential: "0.7*z + (x + 0.2*R11 + 0.5*R13)^2 + (y + 0.2*R21 + 0.5*R23)^2 + (z + 0.2*R31 + 0.5*R33)^2"
symmetries: {rotation-z: {rotation: [0, 0, 1]}}
states: {default: {bodies: {plate: {axis: [1, 2, 3], angle: 0.7, omega: [0.3, 0.2, 1.5], centre: [0.4, -0.3, 0.2], velocity: [0.1, 0.5, -0.2]}}}}
"""
ORDERS = {
    "lie-euler-a(group=se3)": 1,
    "lie-discretization(theta=0.3, group=se3)": 1,
    "lie-midpoint(group=se3)": 2,
    "lie-lobatto(group=se3)": 2,
    "compose(lie-midpoint(group=se3), suzuki4)": 4,
}


def claims():
    write("sprung.yaml", SPRUNG)
    listed = ", ".join(f'"{m}"' for m in ORDERS)
    text = f"system: {{file: sprung.yaml}}\nmethods: [{listed}]\ntangent: {{every: 1}}\n"
    reference = 'reference: {method: "compose(lie-rattle, kahan-li6)", step: 0.02}'
    made("orders", f"study: order\n{text}end: 1\nsteps: {{from: 0.1, halvings: 2}}\nobservables: [two-form, constraint]\n{reference}\n")
    rows = table("orders.h5")
    for m, order in ORDERS.items():
        mine = [r for r in rows if r["method"] == m]
        ok(len(mine) == 3 and abs(mine[0]["order_q"] - order) < 0.15, f"{m}: order {order}", mine)
        ok(max(r["two-form_max"] for r in mine) < 1e-9, f"{m}: the two-form", mine)
    made("kept", f"study: conservation\n{text}end: 100\nsteps: [0.1]\nobservables: [energy, momentum, reversibility]\n")
    for r in table("kept.h5"):
        ok(r["rotation-z_max"] < 2e-14, f"{r['method']}: the momentum about the vertical", r)
        even = ORDERS[r["method"]] != 1
        ok((r["reversibility_max"] < 1e-11) == even, f"{r['method']}: reversal in time", r)
        ok(r["energy_max"] < (0.02 if even else 0.5), f"{r['method']}: energy", r)


REFUSED = (
    ("top", "lie-euler-a(group=se3)", "and pivoted-top has constraints besides those of rotations"),
    ("tops", "lie-midpoint(group=se3)", "and lagrange-top has no body with a centre"),
    ("sprung", "lie-euler-a(group=se3, retraction=cayley)", "group=se3 steps by the exponential"),
    ("sprung", "lie-rattle(group=se3)", "lie-rattle takes no 'group='"),
    ("sprung", "lie-midpoint(group=se2)", "group of lie-midpoint is so3 or se3"),
)


def refused():
    for where, method, words in REFUSED:
        system = {"top": "pivoted-top", "tops": "lagrange-top"}.get(where, "{file: sprung.yaml}")
        r = constella("check", write("no.yaml", f'study: conservation\nsystem: {system}\nend: 1\nsteps: [0.1]\nmethods: ["{method}"]\n'))
        ok(r.returncode == 2 and words in r.stderr, f"{method} on {where} is refused", r.stderr)


by_an_own_program()
in_the_plane()
claims()
refused()
done()
