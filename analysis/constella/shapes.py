"""shapes.py: the shapes of bodies as meshes in body axes, from the key `shape` of a system or from the inertia.

    shape: box              sizes from mass and inertia; also sphere, cylinder
    shape: {box: [a, b, c]}   {sphere: r}   {cylinder: [r, h]}   {polygon: [[x, y], ...]}

Without the key a body is the box, the cylinder (two equal moments) or the sphere (three) of its inertia.
"""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses

import numpy as np

from .expressions import evaluate
from .reading import ResultError

ROUND = 16  # sides of a cylinder, and of a sphere around its axis
EQUAL = 1e-6  # of the largest moment: moments that count as equal


@dataclasses.dataclass(frozen=True)
class Mesh:
    """corners [n, 3] in body axes; faces: lists of corners, counter-clockwise from outside; dark: faces in a darker
    tone, which show how a round body turns; lengths: whether the size is known; radius: of a sphere, else 0."""

    corners: np.ndarray
    faces: list
    dark: list
    lengths: bool = True
    radius: float = 0.0

    def scaled(self, size):
        """The mesh where only its proportions are known, with this distance of the farthest corner."""
        if self.lengths:
            return self
        factor = size / np.abs(self.corners).max()
        return dataclasses.replace(self, corners=self.corners * factor, radius=self.radius * factor)


def box(sides):
    a, b, c = np.asarray(sides, dtype=float) / 2
    corners = np.array([[x, y, z] for z in (-c, c) for y in (-b, b) for x in (-a, a)])
    faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    return Mesh(corners, faces, [])


def ring(radius, height):
    angle = 2 * np.pi * np.arange(ROUND) / ROUND
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(ROUND, height)], axis=1)


def cylinder(radius, height):
    """Along the third axis; a quarter of its side and two quarters of its ends are dark."""
    corners = np.concatenate([ring(radius, -height / 2), ring(radius, height / 2), [[0, 0, -height / 2], [0, 0, height / 2]]])
    n, faces, dark = ROUND, list[list[int]](), list[int]()
    for k in range(n):
        j = (k + 1) % n
        dark += [len(faces)] if k < n // 4 else []
        faces.append([k, j, n + j, n + k])
    for quarter in range(4):
        rim = [(quarter * n // 4 + k) % n for k in range(n // 4 + 1)]
        dark += [len(faces), len(faces) + 1] if quarter % 2 == 0 else []
        faces += [[2 * n, *rim[::-1]], [2 * n + 1, *(n + k for k in rim)]]
    return Mesh(corners, faces, dark)


def sphere(radius, bands=6):
    """Its eighths are light and dark in turn."""
    n, polar = ROUND, np.pi * np.arange(1, bands) / bands
    rings = [ring(radius * np.sin(a), -radius * np.cos(a)) for a in polar]
    corners = np.concatenate([*rings, [[0, 0, -radius], [0, 0, radius]]])
    low, high, faces, dark = len(corners) - 2, len(corners) - 1, list[list[int]](), list[int]()
    for band in range(bands):
        for k in range(n):
            j, a, b = (k + 1) % n, (band - 1) * n, band * n
            dark += [len(faces)] if (4 * k // n + 2 * band // bands) % 2 else []
            faces.append([low, j, k] if band == 0 else [high, a + k, a + j] if band == bands - 1 else [a + k, a + j, b + j, b + k])
    return Mesh(corners, faces, dark, radius=float(radius))


def polygon(corners):
    """A thin plate, seen from both sides."""
    at = np.array([[*c, 0.0][:3] for c in corners], dtype=float)
    order = list(range(len(at)))
    return Mesh(at, [order, order[::-1]], [])


def moved(mesh, axes):
    """The mesh with its own axes along the columns of a rotation."""
    return dataclasses.replace(mesh, corners=mesh.corners @ axes.T)


def right_handed(axes):
    return axes if np.linalg.det(axes) > 0 else axes * np.array([1.0, 1.0, -1.0])


def principal(inertia):
    """Moments and axes; those of a diagonal matrix are the body's own."""
    if np.abs(inertia - np.diag(np.diag(inertia))).max() == 0:
        return np.diag(inertia), np.eye(3)
    moments, axes = np.linalg.eigh(inertia)
    return moments, right_handed(axes)


def of_inertia(inertia, mass=None, name=""):
    """The mesh with this inertia about its centre. mass None: only its proportions are known. name: box, sphere,
    cylinder; "": what the moments are those of."""
    moments, axes = principal(np.asarray(inertia, dtype=float))
    m = float(mass) if mass else 1.0
    near = [abs(moments[(k + 1) % 3] - moments[(k + 2) % 3]) <= EQUAL * moments.max() for k in range(3)]
    name = name or ("sphere" if all(near) else "cylinder" if any(near) else "box")
    if name == "sphere":
        made = sphere(np.sqrt(2.5 * moments.mean() / m))
    elif name == "cylinder":
        along = next((k for k in range(3) if near[k] and not all(near)), 2)
        across = (moments.sum() - moments[along]) / 2
        radius = np.sqrt(2 * moments[along] / m)
        height = np.sqrt(max(12 * across / m - 3 * radius**2, (0.02 * radius) ** 2))
        made = moved(cylinder(radius, height), np.roll(np.eye(3), along - 2, axis=0))
    else:
        squares = 6 * (moments.sum() - 2 * moments) / m
        made = box(np.sqrt(np.maximum(squares, 4e-4 * squares.max())))
    return dataclasses.replace(moved(made, axes), lengths=bool(mass))


def number(text, values):
    return float(evaluate(str(text), values))


def inertia_of(body, values):
    given = body["inertia"]
    rows = [[number(x, values) for x in (row if isinstance(row, list) else [row])] for row in given]
    return np.array(rows) if len(rows[0]) == 3 else np.diag([row[0] for row in rows])


def of_body(body, values):
    """The Mesh of a body as a system describes it, {inertia, mass, shape}; None where it cannot be told."""
    shape = body.get("shape", "")
    try:
        if isinstance(shape, dict) and len(shape) == 1:
            name, sizes = next(iter(shape.items()))
            if name == "polygon":
                return polygon([[number(x, values) for x in corner] for corner in sizes])
            sizes = [number(x, values) for x in (sizes if isinstance(sizes, list) else [sizes])]
            return {"box": box, "cylinder": lambda s: cylinder(*s), "sphere": lambda s: sphere(*s)}[name](sizes)
        mass = number(body["mass"], values) if "mass" in body and "centre" in body else None
        return of_inertia(inertia_of(body, values), mass, str(shape))
    except (ResultError, KeyError, TypeError, ValueError):
        return None
