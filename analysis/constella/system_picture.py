"""system_picture.py: the first state of a system as a picture in SVG, from what `constella system --json` prints: points, rods
between them, bodies between the places at which constraints act on them, with their axes.

Coordinates whose names differ in a letter x, y, z are a point (mechanism.py). A constraint on two points is a rod; one that
is a sphere around a fixed centre, g' = k (x - c), is a rod from there. With the slopes d along the centre of a body and D
along the entries R of its matrix, a constraint acts on the body at the place a in its axes where D = d a'.
"""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses
import html

import numpy as np

from . import mechanism

SIDE, MARGIN, ROOM, AXIS = 420, 40, 1.3, 50
EXACT = 1e-9


def between(s):
    """The constraints that are not those of the rotation of a body."""
    own = {b["constraints"] + k for b in s["bodies"] for k in range(6)}
    return [c for k, c in enumerate(s["constraints"]) if k not in own]


@dataclasses.dataclass(eq=False)
class Part:
    """A point, or a body. centre: the coordinate in each direction, or None; entries: the coordinates of the matrix of a
    body, [] of a point; at [3] and axes [3, 3]: its place, and its axes as columns; ends: where constraints act on a body."""

    label: str
    centre: list
    entries: list
    at: np.ndarray
    axes: np.ndarray
    ends: list

    def direction(self, slopes):
        return np.array([slopes.get(c) or 0.0 for c in self.centre])

    def place(self, slopes, other):
        """Where a constraint acts on it, and on another part or None; None where that is no single place."""
        if not self.entries:
            return self.at
        d = self.direction(slopes) if any(self.centre) or other is None else -other.direction(slopes)
        along = np.array([slopes.get(c) or 0.0 for c in self.entries]).reshape(3, 3)
        if not d.any():
            return None
        local = d @ along / (d @ d)
        single = np.abs(along - np.outer(d, local)).max() <= EXACT * np.abs(along).max()
        return self.at + self.axes @ local if single else None


def parts(s):
    """The points and bodies of the first state. A body without a centre turns about the origin, which is an end of it."""
    names = [c["name"] for c in s["coordinates"]]
    q = dict(zip(names, np.array(s["states"][0]["q"], dtype=float)))
    bodies = []
    for b in s["bodies"]:
        first, entries = b["centre"], names[b["rotation"] : b["rotation"] + 9]
        bodies.append((b["name"], names[first : first + 3] if first >= 0 else [None] * 3, entries))
    taken = {c for _, centre, entries in bodies for c in centre + entries}
    points = mechanism.points_of([n for n in names if n not in taken], least=1).values()
    made = []
    for label, centre, entries in [*((" ".join(filter(None, c)), c, []) for c in points), *bodies]:
        at = np.array([q.get(c, 0.0) for c in centre])
        axes = np.reshape([q[c] for c in entries] or np.eye(3), (3, 3))
        made.append(Part(label, centre, entries, at, axes, [] if any(centre) else [at]))
    return made


def apart(a, b):
    return np.abs(a - b).max() > 1e-6 * (1 + np.abs(a).max())


def sphere(constraint, point):
    """The centre of the sphere on which a constraint holds a point; None: it is none."""
    k = np.array(constraint.get("curvature", 0.0), dtype=float)
    if set(constraint["slopes"]) != set(filter(None, point.centre)) or not k.any():
        return None
    if np.abs(k - k[0, 0] * np.eye(len(k))).max() > EXACT * abs(k[0, 0]):
        return None
    return point.at - point.direction(constraint["slopes"]) / k[0, 0]


def rods(s, made):
    """[(place, place)]; fills the ends of bodies."""
    of = {c: part for part in made for c in [*filter(None, part.centre), *part.entries]}
    found = []
    for constraint in between(s):
        on = list(dict.fromkeys(of.get(c) for c in constraint["slopes"]))
        if constraint["velocities"] or None in on or len(on) not in (1, 2):
            continue
        others = on[::-1] if len(on) == 2 else [None]
        places = [part.place(constraint["slopes"], other) for part, other in zip(on, others)]
        if any(x is None for x in places):
            continue
        for part, x in zip(on, places):
            part.ends += [x] if part.entries and all(apart(x, end) for end in part.ends) else []
        if len(on) == 1 and not on[0].entries:
            places.insert(0, sphere(constraint, on[0]))
        if len(places) == 2 and places[0] is not None:
            found.append(tuple(places))
    return found


def bodies(made):
    """[(class, place, place)] of the lines of bodies: from end to end, to the centre where there is one end, else thin ones
    from there."""
    found = []
    for body in made:
        ends = body.ends
        around = zip(ends, ends[1:] + ends[:1]) if len(ends) > 2 else [ends] if len(ends) == 2 else []
        found += [("rod", *pair) for pair in around]
        found += [("arm" if len(ends) > 1 else "rod", body.at, end) for end in ends]
    return found


class View:
    """The plane of the picture, in which all these places and the origin are. turn: from space to axes of which the
    first two are those of a plane, or in space the third points upwards and the first towards the reader."""

    def __init__(self, turn, flat, places):
        self.turn, self.flat = turn, flat
        seen = np.array([self.project(x) for x in [*places, np.zeros(3)]])
        low, high = np.nanmin(seen, axis=0), np.nanmax(seen, axis=0)
        wide = float((high - low).max())
        wide = ROOM * (wide if 0 < wide < np.inf else 1.0)
        self.low, self.scale = (high + low - wide) / 2, (SIDE - 2 * MARGIN) / wide

    def project(self, x):
        a, b, c = self.turn @ x
        return np.array([a, b] if self.flat else [b - 0.45 * a, c - 0.3 * a])

    def __call__(self, x):
        across, up = MARGIN + (self.project(x) - self.low) * self.scale
        return across, SIDE - up


def line(view, look, a, b):
    (x, y), (u, v) = view(a), view(b)
    return f'<line class="{look}" x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}"/>\n'


def point(view, part):
    x, y = view(part.at)
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5"/><text x="{x + 8:.1f}" y="{y - 8:.1f}">{html.escape(part.label)}</text>\n'


def joint(view, at):
    x, y = view(at)
    return f'<circle class="joint" cx="{x:.1f}" cy="{y:.1f}" r="4"/>\n'


def svg(s):
    """The picture; "" where no coordinates are points."""
    made = parts(s)
    if not made:
        return ""
    lines = [("rod", *ends) for ends in rods(s, made)] + bodies(made)
    ends = [x for part in made for x in part.ends]
    lines = [x for k, x in enumerate(lines) if apart(*x[1:]) and all(apart(np.stack(x[1:]), np.stack(y[1:])) for y in lines[:k])]
    held = mechanism.Mechanism({part.label: part.centre for part in made}, [], [], {p.label: p for p in made if p.entries}, up=s["up"])
    view = View(held.turn, held.flat, [part.at for part in made] + [x for _, *pair in lines for x in pair])
    axes = [(f"axis{k + 1}", part.at, part.at + AXIS / view.scale * part.axes[:, k]) for part in made if part.entries for k in range(3)]
    lines.sort(key=lambda x: x[0] == "rod")  # above thin ones
    drawn = [line(view, *x) for x in [("origin", np.zeros(3), np.zeros(3)), *lines, *axes]]
    drawn += [joint(view, x) for k, x in enumerate(ends) if all(apart(x, y) for y in ends[:k])] + [point(view, part) for part in made]
    return f'<svg viewBox="0 0 {SIDE} {SIDE}" width="{SIDE}" role="img">\n{"".join(drawn)}</svg>\n'
