"""joints.py: joints of bodies, read off their constraints.

A component of a joint is linear and touches one row of rotations and that component of centres and points:
x_A + A11 a1 + A12 a2 + A13 a3 - x_B - B11 b1 - ... = 0. Two or three components of the same owners with the same
a and b are a joint at the place a of the one and b of the other, or at a fixed place.
"""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Joint:
    """owner: a body; local [3]: the place in its axes; ground: whether the other side does not move."""

    name: str
    owner: str
    local: tuple
    ground: bool


def entries_of(bodies, points):
    """{coordinate: (owner, direction, k)}; k: the column of the rotation, 3 for the centre."""
    found = {}
    for point, names in points.items():
        found.update({c: (point, d, 3) for d, c in enumerate(names) if c})
    for body, (matrix, centre) in bodies.items():
        found.update({c: (body, e // 3, e % 3) for e, c in enumerate(matrix)})
        if centre:
            found.update({c: (body, d, 3) for d, c in enumerate(points[centre])})
    return found


def component(shape, entries):
    """(direction, {owner: [a1, a2, a3]}, fixed) of a constraint that is a component of a joint; else None."""
    touched = [shape.names[k] for k in shape.touched()]
    if not touched or any(c not in entries for c in touched) or len({entries[c][1] for c in touched}) > 1:
        return None
    index = {name: k for k, name in enumerate(shape.names)}
    slope = {c: shape.moved(shape.places[0], index[c]) - shape.value(shape.places[0]) for c in touched}
    ahead = sum(s * (shape.places[1][index[c]] - shape.places[0][index[c]]) for c, s in slope.items())
    if abs(shape.value(shape.places[1]) - shape.value(shape.places[0]) - ahead) > 1e-9 * (1 + abs(ahead)):
        return None
    centre = {entries[c][0]: s for c, s in slope.items() if entries[c][2] == 3}
    owners = list(dict.fromkeys(entries[c][0] for c in touched))
    if not centre or len(owners) > 2:
        return None
    one = next(iter(centre.values()))
    sign = {o: centre.get(o, -one) for o in owners}
    if any(abs(abs(s) - abs(one)) > 1e-9 for s in sign.values()) or (len(owners) == 2 and abs(sum(sign.values())) > 1e-9):
        return None
    local = {o: [0.0, 0.0, 0.0] for o in owners}
    for c, s in slope.items():
        owner, _, k = entries[c]
        if k < 3:
            local[owner][k] = s / sign[owner]
    return entries[touched[0]][1], local


def of(shapes, bodies, points):
    """[Joint] of the constraints [(name, mechanism.Shape)]; bodies without a centre have one at the origin."""
    entries = entries_of(bodies, points)
    groups: dict = {}
    for name, shape in shapes:
        part = component(shape, entries)
        if part:
            key = tuple(sorted((o, tuple(np.round(a, 9) + 0.0)) for o, a in part[1].items()))
            groups.setdefault(key, []).append((part[0], name))
    found = [Joint(body, body, (0.0, 0.0, 0.0), True) for body, (_, centre) in bodies.items() if not centre]
    for key, parts in groups.items():
        if len({d for d, _ in parts}) > 1:
            found += [Joint(parts[0][1], owner, local, len(key) == 1) for owner, local in key if owner in bodies]
    return found
