#!/usr/bin/python3
"""held_out.py: wrong claims of seven kinds, which certificates must refute, and right ones of the same methods, which they must
confirm; none of them is in the tests. Prints a line for each and what was missed. Status 1: something was.

    PYTHONPATH=analysis jobs/certify/held_out.py
"""
# SPDX-License-Identifier: BSD-2-Clause
import sys

import numpy as np

import constella
from constella.certifying.maps import Stepper

THREE_EIGHTHS = "{a: [[0, 0, 0, 0], [1/3, 0, 0, 0], [-1/3, 1, 0, 0], [1, -1, 1, 0]], b: [1/8, 3/8, 3/8, 1/8]}"
DIGIT = THREE_EIGHTHS.replace("-1/3, 1,", "-0.3333, 0.9999,")  # c = 0.6666 in place of 2/3
LARGER = THREE_EIGHTHS.replace("-1/3, 1,", "-0.31, 1,")
RALSTON = "{a: [[0, 0, 0], [1/2, 0, 0], [0, 3/4, 0]], b: [2/9, 1/3, 4/9]}"
TRAPEZOID = "{a: [[0, 0], [1/2, 1/2]], b: [1/2, 1/2]}"
LOBATTO = "{a: [[0, 0, 0], [5/24, 1/3, -1/24], [1/6, 2/3, 1/6]], b: [1/6, 2/3, 1/6]}"  # IIIA, symmetric


def split(system, q, v, h):
    """Verlet for the first coordinate and symplectic Euler for the others: no rotation is kept."""
    a = system.acceleration(q)
    v = v + h * np.where(np.arange(len(q)) == 0, 0.5, 1.0) * a
    q = q + h * v
    v[0] += h / 2 * system.acceleration(q)[0]
    return q, v


def leapfrog(system, q, v, h):
    q = q + h / 2 * v
    v = v + h * system.acceleration(q)
    return q + h / 2 * v, v


def heun(system, q, v, h):
    a = system.acceleration(q, v)
    w = v + h * a
    return q + h / 2 * (v + w), v + h / 2 * (a + system.acceleration(q + h * v, w))


def adaptive(system, q, v, h, tolerance=1e-4):
    """Heun's method, halved until a step and two half steps agree."""
    one, half = heun(system, q, v, h), heun(system, *heun(system, q, v, h / 2), h / 2)
    if np.abs(one[0] - half[0]).max() < tolerance or abs(h) < 1e-6:
        return half
    return adaptive(system, *adaptive(system, q, v, h / 2, tolerance / 2), h / 2, tolerance / 2)


def bath(beta, friction):
    return f"baoab(friction={friction}, inverse-temperature={beta})"


ANGLES, HEILES, DOUBLE, KEPLER, SPHERE = "double-pendulum-angles", "henon-heiles", "double-pendulum", "kepler", "spherical-pendulum"
# kind, method, systems, wrong claims, right claims
ROWS = [
    ("a digit off", DIGIT, [HEILES, KEPLER], {"order": 4}, {"order": 1}),
    ("a digit off", LARGER, [ANGLES], {"order": 4}, {"order": 1}),
    ("an order too high", RALSTON, [KEPLER], {"order": 4}, {"order": 3}),
    ("an order too high", "compose(midpoint, yoshida4)", [DOUBLE], {"order": 5, "order-lambda": 5}, {"order": 4, "symmetric": 1, "constraint": 1}),
    ("an order too high", "shake", [SPHERE], {"order-p": 2}, {"order": 2, "order-p": 1}),
    ("an order too high", "gauss(2)", [HEILES], {"order": 5}, {"order": 4}),
    ("symmetric, not symplectic", TRAPEZOID, [HEILES, ANGLES], {"symplectic": 1}, {"symmetric": 1, "order": 2}),
    ("symmetric, not symplectic", LOBATTO, [HEILES, ANGLES], {"symplectic": 1}, {"symmetric": 1, "order": 4}),
    ("symmetric, not symplectic", "symmetric-project(gauss(2))", [SPHERE], {"symplectic": 1}, {"symmetric": 1, "constraint": 1}),
    ("bounded, projected", "project(heun)", [DOUBLE], {"energy-bounded": 1}, {"constraint": 1, "hidden": 1}),
    ("bounded, projected", "project(rk3)", [SPHERE], {"energy-bounded": 1}, {"constraint": 1, "order": 3}),
    ("bounded, projected", "project(taylor(2))", [DOUBLE], {"energy-bounded": 1}, {"hidden": 1}),
    ("a broken symmetry", Stepper(split, "split"), [KEPLER], {"momentum": 1}, {"order": 1}),
    ("a broken symmetry", "project(heun)", [SPHERE], {"momentum": 1}, {"constraint": 1}),
    ("a thermostat 2 % cold", bath(1 / 0.98, 1), [DOUBLE], {"temperature": 1}, {"temperature": 0.98}),
    ("a thermostat 2 % cold", bath(0.5 / 0.98, 2), [SPHERE], {"temperature": 2}, {"temperature": 1.96}),
    ("adaptive, reversible", Stepper(adaptive, "adaptive"), [KEPLER, HEILES], {"symmetric": 1}, {}),
    ("adaptive, reversible", "dopri5(tolerance=1e-5)", [KEPLER], {"symmetric": 1}, {}),
    ("right alone", Stepper(leapfrog, "leapfrog"), [KEPLER, HEILES], {}, {"order": 2, "symplectic": 1, "symmetric": 1, "momentum": 1, "energy-bounded": 1}),
]  # fmt: skip


def main():
    missed = counted = 0
    for kind, method, systems, wrong, right in ROWS:
        for claims, expected in ((wrong, "refuted"), (right, "confirmed")):
            c = constella.certify(method, systems=systems, claims=claims) if claims else None
            for claim, n in claims.items():
                judged = c.of(c.methods[0], claim)
                counted, missed = counted + 1, missed + (judged.verdict != expected)
                mark = "" if judged.verdict == expected else "MISSED: "
                print(f"{mark}{kind}: {c.methods[0][:60]}: {claim}={n:g}: {judged.verdict}, {judged.said}", flush=True)
    print(f"{counted - missed} of {counted} as they should be")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
