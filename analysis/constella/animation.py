"""animation.py: mechanisms in motion as one self-contained HTML page, methods and members side by side: numbers of
stored states, and a script that draws them. Between stored states it follows the stored velocities."""
# SPDX-License-Identifier: BSD-2-Clause
import html
import json
import pathlib

import numpy as np

from . import mechanism, style
from .plot import machine
from .plot.motion import chosen

FRAMES, NUMBERS = 900, 240000  # at most: states, and numbers in the page
HERE = pathlib.Path(__file__).resolve().parent


def frames(t, count=FRAMES):
    """Indices of the states that are kept, evenly spaced."""
    return np.unique(np.linspace(0, len(t) - 1, min(len(t), max(2, count))).astype(int))


def rounded(x, digits):
    return [[round(float(v), digits) if np.isfinite(v) else None for v in row] for row in x]


def coordinates_of(shape):
    """The coordinates that the picture needs, in a fixed order."""
    names = [c for point in shape.points.values() for c in point if c]
    return list(dict.fromkeys([*names, *(c for entries, _ in shape.bodies.values() for c in entries)]))


def slopes(trajectory, names, pick):
    """[state, coordinate]: stored velocities; None where they are not stored."""
    found = [next((n for n in (f"{c}'", prime_inside(c)) if n in trajectory.values), None) for c in names]
    return None if not all(found) else np.stack([trajectory.values[n][pick] for n in found], axis=1)


def prime_inside(name):
    base, bracket, index = name.partition("[")
    return f"{base}'{bracket}{index}"


def parts_of(shape, values, names, length):
    """Points, rods, bodies, joints as numbers of coordinates; what stands still as numbers in space."""
    index = {c: k for k, c in enumerate(names)}
    places = {name: [index[c] if c else -1 for c in point] for name, point in shape.points.items()}
    centres = {centre for _, centre in shape.bodies.values()}
    bodies = []
    for name, (entries, centre) in shape.bodies.items():
        mesh = shape.meshes[name].scaled(length) if name in shape.meshes else None
        body = {"R": [index[c] for c in entries], "c": places[centre] if centre else None, "length": length}
        if mesh:
            body |= {"corners": rounded(mesh.corners, 6), "faces": mesh.faces, "dark": mesh.dark, "radius": mesh.radius}
        body["joints"] = [list(j.local) for j in shape.joints if j.owner == name]
        bodies.append(body)
    fixed = [np.asarray(b, dtype=float) for _, _, b in shape.rods if not isinstance(b, str)]
    fixed += [at[0] for joint, at, _ in machine.joint_places(shape, values) if joint.ground]
    return {
        "points": list(places.values()),
        "dots": [k for k, name in enumerate(places) if name not in centres],
        "rods": [[list(places).index(a), list(places).index(b) if isinstance(b, str) else rounded([b], 9)[0]] for _, a, b in shape.rods],
        "bodies": bodies,
        "anchors": rounded(fixed, 9),
        "rails": [[list(map(float, n)), float(d)] for _, n, d in shape.rails],
    }


def panel_of(result, trajectory, count):
    """The data of one trajectory for the script."""
    shape = mechanism.of(result, trajectory.case)
    names = coordinates_of(shape)
    low, high = machine.extent(shape, trajectory.values, 0.4 * machine.reach_of(shape, trajectory.values))
    pick = frames(trajectory.t, min(FRAMES, NUMBERS // (2 * count * max(len(names), 1))))
    reach = machine.reach_of(shape, trajectory.values)
    digits = max(0, int(6 - np.floor(np.log10(reach))))
    q = np.stack([style.bounded(trajectory.values[c][pick]) for c in names], axis=1)
    v = slopes(trajectory, names, pick)
    return {
        "label": f"{trajectory.label}, step {trajectory.step:.4g}, member {trajectory.member}",
        "t": [round(float(x), 9) for x in trajectory.t[pick]],
        "q": rounded(q, digits),
        "v": None if v is None else rounded(v, digits),
        "turn": rounded(shape.turn, 0),
        "flat": shape.flat,
        "ground": shape.ground,
        "low": rounded([low], digits)[0],
        "high": rounded([high], digits)[0],
        **parts_of(shape, trajectory.values, names, 0.4 * reach),
    }


def data_of(result, found):
    return {
        "panels": [panel_of(result, t, len(found)) for t in found],
        "unit": result.unit_of("t", "/series/t"),
        "colours": list(style.COLOURS),
    }


def page(result, members=None, time=None, **others):
    """The page as text: a panel for each method at its finest step and each member, as in the figure `mechanism`."""
    found = chosen(result, members, time)[: machine.PANELS]
    title = f"{result.title}: {found[0].label}, step {found[0].step:.4g}, member {found[0].member}" if len(found) == 1 else result.title
    data = json.dumps(data_of(result, found), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    text = (HERE / "animation.html").read_text(encoding="utf-8")
    return text.replace("@TITLE@", html.escape(title)).replace("@DATA@", data)
