#!/usr/bin/python3
"""test_mechanism.py: trajectories, phase portraits, mechanisms and animations by what is in them. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
import json
import re

# first: it skips the test where modules are missing
from drawing import drawn, lines, ok, refused, run_tests, sweep_study

import numpy as np

from constella import animation, mechanism, plot

sweep = sweep_study()


def test_motion():
    t = sweep.select(cases=[1]).trajectory(1, 1)
    fig = plot.trajectory(sweep, y=["x1", "x1^2 + y1^2"])
    ok(
        drawn(fig.axes[0], t.t, t["x1"]) and fig.axes[0].get_ylabel() == "$x_{1}$ [m]",
        "trajectory: x(t), with its unit",
        fig.axes[0].get_ylabel(),
    )
    ok(all(np.allclose(y, 1, atol=0.05) for _, y in lines(fig.axes[1])), "trajectory: an expression")
    ok(
        max(x.max() for x, _ in lines(plot.trajectory(sweep, time=(0, 5)).axes[0])) <= 5,
        "trajectory: a part of it",
    )
    fig = plot.phase(sweep, x=["x2"], y=["p_x2"], members=[3])
    three = sweep.trajectory(1, 3)
    ok(
        len(fig.axes) == 2 and drawn(fig.axes[0], three["x2"], three["p_x2"]),
        "phase: two expressions, a panel a method",
    )
    fig = plot.configuration(sweep)
    ok(
        drawn(fig.axes[0], t["x2"], t["y2"]) and fig.axes[0].get_aspect() == 1,
        "configuration: the path of a point, on equal scales",
    )
    fig = plot.multipliers(sweep)
    ok(
        drawn(fig.axes[0], t.t, t["lambda_upper"]) and "lambda" in fig.axes[0].get_ylabel(),
        "multipliers",
        fig.axes[0].get_ylabel(),
    )


def test_mechanism():
    shape = mechanism.of(sweep, 1)
    ok(
        [(n, a, b if isinstance(b, str) else list(b)) for n, a, b in shape.rods]
        == [("upper", "1", [0, 0, 0]), ("lower", "1", "2")],
        "mechanism: rods from the constraints",
        shape.rods,
    )
    ax = plot.mechanism(sweep).axes[0]
    rods = [line for line in ax.lines if (line.get_gid() or "").startswith("rod")]
    lengths = {
        line.get_gid(): round(float(np.hypot(np.diff(line.get_xdata()), np.diff(line.get_ydata()))[0]), 9)
        for line in rods
    }
    ok(
        lengths == {"rod upper": 1.0, "rod lower": 1.0},
        "mechanism: rods have their lengths in the picture",
        lengths,
    )
    ok(sum(line.get_gid() == "anchor" for line in ax.lines) == 1, "mechanism: the anchor")
    page = animation.page(sweep, members=[3])
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
    t = sweep.trajectory(1, 3)
    ok(
        np.allclose([f[1][:2] for f in data["points"]], np.stack([t["x2"], t["y2"]], 1), atol=1e-5)
        and data["rods"] == [[0, 2], [0, 1]],
        "animation: the states are in the page",
    )
    ok(not re.search(r"https?:|src=|url\(|import ", page), "animation: asks for nothing from outside")
    ok(
        refused(lambda: mechanism.of(FakeAngles(), 0), "neither points"),
        "mechanism: angles are refused in words",
    )


class FakeAngles:
    description = "system: a\ncoordinates: [theta]\n"

    def data(self, path):
        return np.array(["theta"], dtype=object) if path == "/coordinate" else None


def test_parts_of_mechanisms():
    points = mechanism.points_of(["Ox[1]", "Oy[1]", "Oz[1]", "Ox[2]", "Oy[2]", "Oz[2]", "theta"])
    ok(
        points == {"O[1]": ["Ox[1]", "Oy[1]", "Oz[1]"], "O[2]": ["Ox[2]", "Oy[2]", "Oz[2]"]},
        "points: arrays in space",
        points,
    )
    names = [f"R{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)]
    found = mechanism.bodies_of(
        [*names, "x", "y", "z"],
        {"b": {"rotation": "R", "centre": ["x", "y", "z"]}},
        points := mechanism.points_of(["x", "y", "z"]),
    )
    ok(
        found == {"R": (names, "x")} and points == {"x": ["x", "y", "z"]},
        "bodies: nine entries and a centre",
        found,
    )
    rail = mechanism.read_rod(
        mechanism.Shape("2*y - 3*h", {}, ["x", "y"], {"h": 2.0}), {"x": ["x", "y", None]}
    )
    ok(
        rail[0] == "rail" and np.allclose(rail[2], [0, 1, 0]) and abs(rail[3] - 3) < 1e-9,
        "rails: y = 3",
        rail,
    )
    ok(
        mechanism.read_rod(mechanism.Shape("x^2/4 + y^2 - 1", {}, ["x", "y"], {}), {"x": ["x", "y", None]})
        is None,
        "rods: an ellipse is none",
    )


run_tests(globals())
