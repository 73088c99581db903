#!/usr/bin/python3
"""test_mechanism.py: trajectories, phase portraits, mechanisms and animations by what is in them. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
import html
import json
import os
import re
import shutil
import subprocess

# first: it skips the test where modules are missing
from drawing import drawn, folder, lines, ok, refused, run_here, run_tests, sweep_study

import numpy as np

from constella import animation, mechanism, plot, shapes

ALL = bool(os.environ.get("CONSTELLA_TEST_ALL"))
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
sweep = sweep_study()
ARM = """system: arm
parameters: {m: 2, a: 0.5}
bodies:
  upper: {rotation: A, inertia: [0.2, 0.2, 0.01]}
  "link[2]": {rotation: B, centre: [x, y, z], mass: m, inertia: [m/12*1.25, m/12*1.04, m/12*0.29], shape: SHAPE}
potential: m*(y[1] + y[2])
up: y
ground: -4*a
constraints:
  elbow_x: x[1] - a*B11[1] - A12
  elbow_y: y[1] - a*B21[1] - A22
  elbow_z: z[1] - a*B31[1] - A32
  wrist_x: 2*(x[2] - a*B11[2] - x[1] - a*B11[1])
  wrist_y: 2*(y[2] - a*B21[2] - y[1] - a*B21[1])
  wrist_z: 2*(z[2] - a*B31[2] - z[1] - a*B31[1])
states:
  default:
    bodies:
      upper: {omega: [0, 0, 1]}
      link: [{centre: [a, 1, 0], velocity: [-1, 0, 0]}, {centre: [3*a, 1, 0], velocity: [-1, 0, 0]}]
"""


def arm_study(shape="box"):
    study = {
        "study": "conservation",
        "system": ARM.replace("SHAPE", shape),
        "end": 2,
        "steps": [0.02],
        "methods": ["rattle", "rk4"],
        "observables": ["energy"],
        "trajectories": {"members": [0], "every": 2, "store": ["q", "v"]},
    }
    return run_here(study, f"arm-{abs(hash(shape))}.h5")


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
    panel = data_of(page)["panels"][0]
    t = sweep.trajectory(1, 3)
    x2 = [panel["points"][1][0], panel["points"][1][1]]
    ok(
        np.allclose(np.array(panel["q"])[:, x2], np.stack([t["x2"], t["y2"]], 1), atol=1e-5)
        and panel["rods"] == [[0, [0.0, 0.0, 0.0]], [0, 1]],
        "animation: the states are in the page",
    )
    ok(len(data_of(page)["panels"]) == 2 and len(plot.mechanism(sweep).axes) == 2, "mechanism: methods side by side")
    members = plot.mechanism(sweep.select("rattle"), members=[1, 3], instants=4)
    ok(
        len(members.axes) == 2 and sum(n.get_gid() == "rod upper" for n in members.axes[0].lines) == 4,
        "mechanism: members side by side, a number of instants",
    )
    ok(panel["v"] is None, "animation: no velocities where none are stored")
    ok(not re.search(r"https?:|src=|url\(|import ", page), "animation: asks for nothing from outside")
    ok(
        refused(lambda: mechanism.of(FakeAngles(), 0), "neither points"),
        "mechanism: angles are refused in words",
    )


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


def test_bodies():
    arm = arm_study()
    shape = mechanism.of(arm, 0)
    found = [(j.owner, tuple(round(x, 9) for x in j.local), j.ground) for j in shape.joints]
    ok(
        found[0] == ("A", (0, 0, 0), True)
        and set(found[1:]) == {("A", (0, 1, 0), False), ("B[1]", (-0.5, 0, 0), False), ("B[1]", (0.5, 0, 0), False), ("B[2]", (-0.5, 0, 0), False)},
        "bodies: joints from the constraints",
        found,
    )
    sides = np.ptp(shape.meshes["B[1]"].corners, axis=0)
    ok(np.allclose(sides, [0.2, 0.5, 1.0]), "bodies: a box from mass and inertia", sides)
    ok(len(shape.meshes["A"].corners) == 34 and not shape.meshes["A"].lengths, "bodies: a cylinder of two equal moments")
    ok(shape.ground == -2 and np.allclose(shape.turn @ [0, 1, 0], [0, 0, 1]), "bodies: up and ground")
    fig = plot.mechanism(arm)
    gids = {a.get_gid() for ax in fig.axes for a in ax.get_children()}
    ok({"bodies", "floor", "anchor", "path [1]", "joint elbow_x"} <= gids, "bodies: in the picture", gids)
    panel = data_of(animation.page(arm))["panels"][1]
    t = arm.trajectory(1)
    ok(np.allclose(np.array(panel["v"])[:, 0], t["x'[1]"], atol=1e-5), "bodies: velocities in the page")
    for text, corners in (("{box: [a, 1, 2*a]}", 8), ("{sphere: a}", 82), ("{cylinder: [a, i]}", 34), ("{polygon: [[0, 0], [a, 0], [0, a]]}", 3)):
        described = {"inertia": ["1", "1", "1"], "shape": mechanism.parsed(f"x: {text}")["x"]}
        mesh = shapes.of_body(described, {"a": 0.5, "i": 2.0})
        ok(mesh is not None and len(mesh.corners) == corners, f"bodies: {text}", mesh)


def moments(mesh, n=80000):
    """Moments of a convex mesh of mass 1, by points within it."""
    x = np.random.default_rng(1).uniform(-1, 1, (n, 3)) * np.abs(mesh.corners).max(axis=0)
    for face in mesh.faces:
        a, b, c = mesh.corners[face[:3]]
        x = x[(x - a) @ np.cross(b - a, c - a) <= 0]
    return (x**2).mean(axis=0).sum() - (x**2).mean(axis=0)


def test_shapes():
    """A shape from an inertia has that inertia, and its faces look outwards."""
    for inertia in ([2.0, 3.0, 4.0], [2.0, 2.0, 1.0], [3.0, 2.0, 2.0], [2.0, 2.0, 2.0]):
        found = moments(shapes.of_inertia(np.diag(inertia), 3.0)) * 3.0
        ok(np.allclose(found, inertia, rtol=0.09), f"shapes: {inertia}", found)
    turned = shapes.principal(np.array([[2.0, 0.3, 0], [0.3, 1.5, 0.1], [0, 0.1, 1.2]]))[1]
    full = shapes.of_inertia(turned @ np.diag([1.0, 1.4, 1.9]) @ turned.T, 1.0)
    ok(np.allclose(np.sort(moments(shapes.moved(full, turned.T))), [1.0, 1.4, 1.9], rtol=0.05), "shapes: a full inertia")


def test_up():
    """Rotations that bring the named axis upwards."""
    for up in ("", "x", "y", "z", "-x", "-y", "-z"):
        for point, rows in ((["x", "y", "z"], 2), (["x", "y", None], 1), (["x", None, "z"], 1)):
            shape = mechanism.Mechanism({"p": point}, [], [], {}, up=up)
            if shape.flat and point[:3]["xyz".index(up[-1:] or "x")] is None:
                continue
            axis = np.eye(3)["xyz".index(up[-1])] * (-1 if up[0] == "-" else 1) if up else np.eye(3)[2 if rows == 2 or point[1] is None else 1]
            good = np.allclose(shape.turn @ axis, np.eye(3)[rows]) and abs(np.linalg.det(shape.turn) - 1) < 1e-12
            ok(good, f"up: {up or 'default'}, {point}", shape.turn)


PROBE = """
<script>
const told = {}, p = d.panels[0], out = new Float64Array(p.q[0].length), times = [];
playing = false;
for (let k = 0; k < 60; k++) { now = first + span * (k + 0.37) / 61; const a = performance.now(); drawAll(); times.push(performance.now() - a); }
told.milliseconds = times.sort((a, b) => a - b)[30];
told.between = p.t.slice(1).map((t, i) => { stateAt(p, (t + p.t[i]) / 2, out); return [(t + p.t[i]) / 2, ...out]; });
told.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
document.title = "told " + JSON.stringify(told);
</script>
"""


def look(page, width=900):
    file = folder / "moving.html"
    file.write_text(page.replace("</body>", PROBE + "</body>"), encoding="utf-8")
    line = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'browser'}"]
    line += [f"--window-size={width},900", "--enable-logging=stderr", "--dump-dom", file.as_uri()]
    done = subprocess.run(line, capture_output=True, text=True, timeout=600)
    said = re.search(r"<title>told (\{.*?\})</title>", done.stdout, re.S)
    return json.loads(html.unescape(said[1]) if said else "{}"), [s for s in done.stderr.splitlines() if "CONSOLE" in s]


def test_browser():
    """With fifty bodies a frame takes at most 8 ms of script; between stored states lies the motion."""
    if not ALL or not BROWSER:
        return ok(True, "browser # SKIP runs with CONSTELLA_TEST_ALL, where chromium is installed")
    study = {
        "study": "conservation",
        "system": {"file": str(folder / "many.yaml"), "parameters": {"n": 50}},
        "end": 1,
        "steps": [0.01],
        "methods": ["rattle"],
        "observables": ["energy"],
        "trajectories": {"members": [0], "store": ["q", "v"]},
    }
    text = """system: many
parameters: {n: {size: 2}}
bodies: {"ball[n]": {rotation: R, centre: [x, y, z], mass: 1, inertia: [1, 1, 1], shape: SHAPE}}
states: {default: {bodies: {ball: {omega: [1, i/10, 2], centre: [3*cos(i), 3*sin(i), i/5], velocity: [-3*sin(i), 3*cos(i), 1]}}}}
"""
    for kind in ("box", "cylinder", "sphere"):
        (folder / "many.yaml").write_text(text.replace("SHAPE", kind))
        page = animation.page(run_here(study, f"many-{kind}.h5"))
        told, console = look(page)
        ok(not console and told["milliseconds"] <= 8, f"browser: 50 bodies, {kind}: {told.get('milliseconds', -1):.1f} ms a frame, {len(page) / 1e6:.1f} MB", console)
    arm = arm_study()
    track = arm.trajectory(0)
    every = animation.data_of(arm, [track])
    coarse = animation.panel_of(arm, track.between(0, 2), 1)
    names = animation.coordinates_of(mechanism.of(arm, 0))
    keep = list(range(0, len(coarse["t"]), 2))
    coarse = {**coarse, **{k: [coarse[k][i] for i in keep] for k in ("t", "q", "v")}}
    page = animation.page(arm)
    data = json.dumps({**every, "panels": [coarse]}).replace("<", "\\u003c")
    told, console = look(page[: page.index('id="data">') + 10] + data + page[page.index("</script>") :], width=420)
    errors = [max(abs(x - track[n][2 * i + 1]) for x, n in zip(row[1:], names)) for i, row in enumerate(told["between"])]
    ok(max(errors) < 2e-3 and told["wide"] <= 0 and not console, f"browser: states halfway between stored ones are off by {max(errors):.1e}", console)


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
