"""animation.py: the mechanism in motion as one self-contained HTML page: numbers of stored states, and a
script that draws them."""
# SPDX-License-Identifier: BSD-2-Clause
import html
import json
import pathlib

import numpy as np

from . import mechanism, motions, style

FRAMES = 900  # at most
HERE = pathlib.Path(__file__).resolve().parent


def rounded(x, digits):
    return [[round(float(v), digits) if np.isfinite(v) else None for v in point] for point in x]


def frames(t, count=FRAMES):
    """Indices of the states that are shown, evenly spaced."""
    return np.unique(np.linspace(0, len(t) - 1, min(len(t), count)).astype(int))


def data_of(result, trajectory):
    """The data of the script: times; points [frame][point][3]; rods and bodies as numbers of points; anchors,
    rails."""
    shape = mechanism.of(result, trajectory.case)
    pick = frames(trajectory.t)
    values = {name: x[pick] for name, x in trajectory.values.items()}
    names = list(shape.points)
    places = [style.bounded(shape.place(p, values)) for p in names]
    reach = max([float(np.nanmax(np.abs(p))) for p in places if np.isfinite(p).any()], default=0.0) or 1.0
    anchors = [np.asarray(b, dtype=float) for _, _, b in shape.rods if not isinstance(b, str)]
    rods, at = [], 0
    for name, a, b in shape.rods:
        if isinstance(b, str):
            rods.append([names.index(a), names.index(b)])
        else:
            rods.append([names.index(a), len(names) + at])
            at += 1
    bodies = []
    for name in shape.bodies:
        matrix, centre = shape.axes(name, values)
        bodies.append(
            [
                rounded(row, 5)
                for row in np.concatenate(
                    [centre[:, None, :], np.swapaxes(0.4 * reach * matrix, 1, 2)], axis=1
                )
            ]
        )
    digits = max(0, int(6 - np.floor(np.log10(reach))))
    return {
        "t": [round(float(x), 9) for x in values["t"]],
        "points": [rounded(frame, digits) for frame in np.stack(places, axis=1)]
        if places
        else [[] for _ in pick],
        "names": names,
        "anchors": rounded(anchors, digits),
        "rods": rods,
        "rails": [[list(map(float, n)), float(d)] for _, n, d in shape.rails],
        "bodies": bodies,
        "flat": shape.flat,
        "reach": reach,
        "unit": result.unit_of("t", "/series/t"),
        "colours": list(style.COLOURS),
    }


def page(result, members=None, time=None, **others):
    """The page as text, of the first selected method at its finest step. members, time: as for the figure
    `mechanism`."""
    _, case, member = motions.foremost(result, motions.listed(result, members, finest=True), members)
    found = motions.trajectory(result, case, member)
    found = found if time is None else found.between(*time)
    title = f"{result.title}: {found.label}, step {found.step:.4g}, member {found.member}"
    data = json.dumps(data_of(result, found), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    text = (HERE / "animation.html").read_text(encoding="utf-8")
    return text.replace("@TITLE@", html.escape(title)).replace("@DATA@", data)
