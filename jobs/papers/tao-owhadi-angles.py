#!/usr/bin/python3
"""tao-owhadi-angles.py: the benchmark of Figure 1 of Tao, Owhadi: variational Euler with small steps in the angles of
the double pendulum, where the mass depends on them.

Read by statements.py. Prints TOML: the largest distance of the second bead, over 0.1, 0.2, ... 10, of variational
Euler in angles (`angles`, by its step), and of SHAKE at h = 0.1, from an accurate motion in coordinates (`error`),
and of SHAKE from the benchmark in angles of step 1e-4 (`against`).
"""
# SPDX-License-Identifier: BSD-2-Clause
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analysis"))

import constella  # noqa: E402
import numpy as np  # noqa: E402

TIMES = 100  # of 0.1
START = {"q": [0, -1, 1, -2], "v": [0, 0, 0, 0]}


def second(system, method, per_reading, place, **start):
    """Positions of the second bead at 0.1, 0.2, ..."""
    walk = constella.Integrator(system, method, 0.1 / per_reading, **start)
    found = []
    for _ in range(TIMES):
        walk.step(per_reading)
        found.append(place(walk.q))
    return np.array(found)


def of_angles(q):
    return np.array([np.sin(q[0]) + 2**0.5 * np.sin(q[1]), -np.cos(q[0]) - 2**0.5 * np.cos(q[1])])


def main():
    exact = second("double-pendulum", "gauss(6)", 10, lambda q: np.array(q[2:]), **START)
    shake = second("double-pendulum", "shake", 1, lambda q: np.array(q[2:]), **START)
    angles = {n: second("double-pendulum-angles", "euler-a", n, of_angles) for n in (50, 100, 1000)}
    for n, motion in angles.items():
        print(f'["angles, h = {0.1 / n:g}"]\nerror = {abs(motion - exact).max():.6g}\n')
    print(f"[shake]\nerror = {abs(shake - exact).max():.6g}\nagainst = {abs(shake - angles[1000]).max():.6g}")
    print(f"\n[order]\nrate = {np.log2(abs(angles[50] - exact).max() / abs(angles[100] - exact).max()):.6g}")


if __name__ == "__main__":
    main()
