#!/usr/bin/env python3
"""starts.py: writes the tables of starts of the jobs beside it: starts of one energy on the section of Henon and Heiles,
and of the driven pendulum in its angle from the top and its rate."""
# SPDX-License-Identifier: BSD-2-Clause
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def save(name, columns, rows):
    with open(os.path.join(HERE, name), "w") as f:
        f.write(",".join(columns) + "\n")
        f.writelines(",".join(repr(float(x)) for x in row) + "\n" for row in rows)
        f.write("# SPDX-License-Identifier: BSD-2-Clause\n")


def henon_heiles(name, energy, ys, rates):
    """On x = 0 with x' > 0, along both axes of the section (y, y')."""
    rows = []
    for y, v in [(y, 0.0) for y in ys] + [(0.0, v) for v in rates]:
        square = 2 * energy - v * v - y * y + 2 / 3 * y**3
        if square > 0:
            rows.append((0.0, y, np.sqrt(square), v))
    save(name, ["x", "y", "x'", "y'"], rows)


def driven(name, angles, rates):
    rows = [(np.sin(a), np.cos(a), w * np.cos(a), -w * np.sin(a)) for a in angles for w in rates]
    save(name, ["x", "y", "x'", "y'"], rows)


if __name__ == "__main__":
    henon_heiles("henon-heiles-12.csv", 1 / 12, np.linspace(-0.36, 0.48, 24), np.linspace(-0.36, 0.38, 15))
    henon_heiles("henon-heiles-8.csv", 1 / 8, np.linspace(-0.42, 0.64, 32), np.linspace(-0.46, 0.48, 23))
    driven("driven-pendulum.csv", np.linspace(0.05, 3.1, 20), [0.0, 2.0, 7.0])
