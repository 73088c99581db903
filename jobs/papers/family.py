#!/usr/bin/python3
"""family.py: the integrators (2.9) and (2.10) of Tao, Owhadi, with functions given as formulas.

Read by statements.py. (2.10), x1 = x + h v + h^2/2 f(x), v1 = v + h/2 (f(x) + f(x1)), is `rattle` on a system whose
force is f; (2.9) with g = 0 has f = a, (1 + h^2 F(x)) a = -grad V(x), written with a parameter h. Prints TOML: for
(2.10) with a force that is a gradient and one that is none the difference of ten steps from numpy (`apart`), the
distance after ten steps forward and ten with -v (`back`), and the defect of the two-form of a step (`two_form`); for
(2.9) with two functions F the order against the motion of V (`order`).
"""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))
sys.dont_write_bytecode = True

import constella  # noqa: E402
import numpy as np  # noqa: E402

TEXT = """system: plane
coordinates: [x, y]
mass: [1, 1]
potential: 0
parameters: {{h: 0}}
forces: {{f: ["{x}", "{y}"]}}
states: {{default: {{q: [1.0, 0.3], v: [0.2, 0.7]}}}}
"""
START = np.array([1.0, 0.3, 0.2, 0.7])
FORCES = {
    "symmetric Jacobian": (("-x - 2*x*y^2", "-y - 2*x^2*y"), lambda x, y: np.array([-x - 2 * x * y**2, -y - 2 * x**2 * y])),
    "another Jacobian": (("-x - 2*x*y^2", "-y - x^2*y"), lambda x, y: np.array([-x - 2 * x * y**2, -y - x**2 * y])),
}  # fmt: skip
FILTERS = {"F = 1 + x^2": "1 + x^2", "F = exp(y) sin(x)": "exp(y)*sin(x)"}
H, STEPS, DELTA = 0.1, 10, 1e-3


def by_hand(f, state, steps):
    x, v = state[:2], state[2:]
    for _ in range(steps):
        before = f(*x)
        x = x + H * v + H**2 / 2 * before
        v = v + H / 2 * (before + f(*x))
    return np.concatenate([x, v])


def stepped(text, states, steps):
    states = np.atleast_2d(states)
    walk = constella.Integrator(text, "rattle", H, q=states[:, :2], v=states[:, 2:])
    walk.step(steps)
    return np.concatenate([np.atleast_2d(walk.q), np.atleast_2d(walk.v)], axis=1)


def defect(text):
    stencil = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    near = [START + sign * k * DELTA * e for k, _ in stencil for sign in (1, -1) for e in np.eye(4)]
    after = stepped(text, np.array(near), 1).reshape(3, 2, 4, 4)
    J = sum(c * (after[k, 0] - after[k, 1]) for k, (_, c) in enumerate(stencil)).T / DELTA
    form = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    return abs(J.T @ form @ J - form).max()


def order(F):
    exact = constella.Integrator(TEXT.format(x="-x - 2*x*y^2", y="-y - 2*x^2*y"), "gauss(6)", 0.01)
    exact.step(100)
    bent = TEXT.format(x=f"-(x + 2*x*y^2)/(1 + h^2*({F}))", y=f"-(y + 2*x^2*y)/(1 + h^2*({F}))")
    errors = []
    for count in (40, 80):
        walk = constella.Integrator(bent, "rattle", 1 / count, parameters={"h": 1 / count})
        walk.step(count)
        errors.append(abs(np.ravel(walk.q) - np.ravel(exact.q)).max())
    return np.log2(errors[0] / errors[1])


def main():
    for name, ((x, y), f) in FORCES.items():
        text = TEXT.format(x=x, y=y)
        end = stepped(text, START, STEPS)[0]
        back = stepped(text, end * [1, 1, -1, -1], STEPS)[0] * [1, 1, -1, -1]
        print(f'["{name}"]\napart = {abs(end - by_hand(f, START, STEPS)).max():.6g}')
        print(f"back = {abs(back - START).max():.6g}\ntwo_form = {defect(text):.6g}\n")
    for name, F in FILTERS.items():
        print(f'["{name}"]\norder = {order(F):.6g}\n')


if __name__ == "__main__":
    main()
