"""mechanism.py: the drawable parts of a system, from its text: points, rods between them, rails, bodies.

Coordinates whose names differ only in a letter x, y, z (x1 y1, Ox[2] Oy[2] Oz[2], X Y) are a point. A
constraint of the form c (|A - B|^2 - L^2) is a rod, whatever its parameters; with a fixed end where it holds
one point alone; one that is linear in one point of the plane is a rail. Nine entries of a matrix (R11 ...
R33) are a body, with its shape (shapes.py) and joints (joints.py), or drawn as its three axes where the system
does not describe it. The keys `up` and `ground` tell which axis points upwards, and the height of a floor.
"""
# SPDX-License-Identifier: BSD-2-Clause
import dataclasses
import re

import numpy as np

from . import joints, shapes
from .expressions import evaluate
from .reading import ConstellaError, ResultError, optional

ENTRY = re.compile(r"^(.+?)([123])([123])((?:\[[^]]*\])?)$")
LETTERS = "xyz"


@dataclasses.dataclass
class Mechanism:
    """points: {name: [coordinate of each direction, or None]}; rods: [(name, point, point or an anchor [3])];
    rails: [(point, normal [3], distance)]; bodies: {name: ([9 coordinates], point or None)}; joints: [Joint]; meshes:
    {body: Mesh}; up: the axis that points upwards, "" by default; ground: height of the floor, or None."""

    points: dict
    rods: list
    rails: list
    bodies: dict
    joints: list = dataclasses.field(default_factory=list)
    meshes: dict = dataclasses.field(default_factory=dict)
    up: str = ""
    ground: float | None = None

    @property
    def missing(self):
        """The direction that no point has, 1 or 2; None in space."""
        absent = [d for d in (2, 1) if all(p[d] is None for p in self.points.values())]
        return absent[0] if absent and not self.bodies else None

    @property
    def flat(self):
        return self.missing is not None

    @property
    def turn(self):
        """[3, 3]: from space to the axes of the view, a rotation. In space the third points upwards; of a plane the
        first points to the right, the second upwards."""
        axis, down = "xyz".find(self.up[-1:] or "z"), self.up.startswith("-")
        eye = np.eye(3)
        if not self.flat:
            made = np.roll(eye, 2 - axis, axis=0)
            return made * np.array([[1], [-1], [-1]]) if down else made
        across, up, away = (eye[0], eye[1], eye[2]) if self.missing == 2 else (eye[0], eye[2], -eye[1])
        if axis == 0 and self.up:
            across, up = -up, across
        turned = -1.0 if down and axis != self.missing else 1.0
        return np.stack([turned * across, turned * up, away])

    def place(self, point, values):
        """[time, 3] of a point, or of an anchor."""
        n = len(values["t"])
        missing = [c for c in self.points[point] if c and c not in values] if isinstance(point, str) else []
        if missing:
            raise ResultError(
                f"the trajectory holds no coordinates ({', '.join(missing)}); the study has to store q"
            )
        if not isinstance(point, str):
            return np.broadcast_to(np.asarray(point, dtype=float), (n, 3))
        return np.stack([np.zeros(n) if c is None else values[c] for c in self.points[point]], axis=1)

    def axes(self, body, values):
        """[time, 3, 3]: the columns of the matrix of a body, and [time, 3] of its centre."""
        entries, centre = self.bodies[body]
        if any(c not in values for c in entries):
            raise ResultError(
                f"the trajectory holds no coordinates of the body {body}; the study has to store q"
            )
        matrix = np.stack([values[c] for c in entries], axis=1).reshape(-1, 3, 3)
        at = self.place(centre, values) if centre else np.zeros((len(values["t"]), 3))
        return matrix, at


def parsed(description):
    """The text of a system as nested maps of texts; {} where it cannot be read."""
    yaml = optional("yaml", "python3-yaml", "reading the text of a system")
    try:
        found = yaml.load(description, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def units(description):
    """{name: unit} of the key `units` of a system (time, coordinates, observables) and of its parameters;
    velocities follow from these. {} where no module reads the text."""
    if not re.search(r"\bunits?\s*:", description):
        return {}
    try:
        described = parsed(description)
    except ConstellaError:
        return {}
    given, parameters = described.get("units", {}), described.get("parameters", {})
    found = (
        {str(k): p["unit"] for k, p in parameters.items() if isinstance(p, dict) and "unit" in p}
        if isinstance(parameters, dict)
        else {}
    )
    found |= {str(k): str(v) for k, v in given.items()} if isinstance(given, dict) else {}
    time = found.pop("time", "")
    if time:
        found |= {
            "t": time,
            **{f"{k}'": f"{v}/{time}" for k, v in found.items() if isinstance(given, dict) and k in given},
        }
    return found


def points_of(names, least=2):
    """{name: [x, y, z]} of the coordinates that come in twos or threes; least=1: or alone, on an axis."""
    groups: dict = {}
    for name in names:
        base, bracket, index = name.partition("[")
        for k in reversed(range(len(base))):
            letter = base[k]
            if letter.lower() in LETTERS:
                key = (base[:k], base[k + 1 :], bracket + index, letter.isupper())
                groups.setdefault(key, [None] * 3)[LETTERS.index(letter.lower())] = name
                break
    found = {}
    for (before, after, index, upper), point in groups.items():
        if sum(c is not None for c in point) >= least and (point[0] is not None or least < 2):
            label = before + after + index
            found[
                label if label and label not in found else f"{before}{'X' if upper else 'x'}{after}{index}"
            ] = point
    return found


def bodies_of(names, described, points):
    """{name: (entries, centre)}."""
    groups: dict = {}
    for name in names:
        m = ENTRY.match(name)
        if m:
            groups.setdefault((m[1], m[4]), {})[m[2] + m[3]] = name
    centres = {}
    for label, body in described.items() if isinstance(described, dict) else ():
        if isinstance(body, dict) and isinstance(body.get("centre"), list):
            centres[str(body.get("rotation"))] = [str(c) for c in body["centre"]]
    found = {}
    for (prefix, index), entries in groups.items():
        if len(entries) != 9:
            continue
        centre = [f"{c}{index}" for c in centres.get(prefix, [])]
        point = next((p for p, c in points.items() if c == centre), None)
        if centre and point is None and set(centre) <= set(names):
            point = prefix + index
            points[point] = centre
        found[prefix + index] = ([entries[f"{i}{j}"] for i in (1, 2, 3) for j in (1, 2, 3)], point)
    return found


def constraints_of(described, multipliers):
    """[(name, expression, {i: value})], families written out."""
    found: list = []
    for label, text in described.items() if isinstance(described, dict) else ():
        if isinstance(text, str):
            found.append((label, text, {}))
        elif isinstance(text, dict) and isinstance(text.get("expression"), str):
            variable = str(text.get("for", "i")).split("=")[0].strip() or "i"
            for name in multipliers:
                m = re.fullmatch(re.escape(label) + r"\[(\d+)\]", name)
                if m:
                    found.append((name, text["expression"], {variable: float(m[1])}))
    return found


class Shape:
    """A constraint g as a function of all coordinates: its slopes and second differences at unround places.
    Exact where g is a square."""

    def __init__(self, text, more, names, parameters):
        self.text, self.more, self.names, self.parameters = text, more, names, parameters
        self.places = [np.sin(1.7 * np.arange(len(names)) + k) + 0.3 for k in range(2)]

    def value(self, q):
        return float(evaluate(self.text, {**self.parameters, **self.more, **dict(zip(self.names, q))}))

    def moved(self, q, *which):
        q = q.copy()
        for k in which:
            q[k] += 1.0
        return self.value(q)

    def second(self, j, k, place=0):
        q = self.places[place]
        return self.moved(q, j, k) - self.moved(q, j) - self.moved(q, k) + self.value(q)

    def slope(self, k):
        q = self.places[0]
        return self.moved(q, k) - self.value(q) - 0.5 * self.second(k, k)

    def touched(self):
        """Indices of the coordinates on which it depends."""
        q, at = self.places[0], self.value(self.places[0])
        words = set(re.findall(r"[A-Za-z]\w*", self.text))
        maybe = [k for k, name in enumerate(self.names) if name.partition("[")[0] in words]
        return [k for k in maybe if abs(self.moved(q, k) - at) > 1e-12]


def read_rod(shape, points):
    """('rod', A, B or anchor), ('rail', A, normal, distance), or None: the meaning of a constraint for
    points."""
    index = {name: k for k, name in enumerate(shape.names)}
    touched = set(shape.touched())
    ends = [p for p, cs in points.items() if touched & {index[c] for c in cs if c}]
    inside = {index[c] for p in ends for c in points[p] if c}
    if not ends or len(ends) > 2 or not touched <= inside:
        return None
    sides = [[index[c] for c in points[p] if c] for p in ends]
    second = np.array([[shape.second(j, k) for k in sides[0]] for j in sides[0]])
    scale = second[0, 0]
    other = np.array([[shape.second(j, k, 1) for k in sides[0]] for j in sides[0]])
    if len(ends) == 1 and abs(second).max() < 1e-9 and abs(other).max() < 1e-9 and len(sides[0]) == 2:
        return as_rail(shape, ends[0], sides[0])
    square = np.allclose(second, scale * np.eye(len(second)), atol=1e-9) and np.allclose(
        second, other, atol=1e-9
    )
    if not square or abs(scale) < 1e-9:
        return None
    if len(ends) == 1:
        return as_pivot(shape, ends[0], points, index, scale)
    if len(sides[0]) != len(sides[1]):
        return None
    across = np.array([[shape.second(j, k) for k in sides[1]] for j in sides[0]])
    return ("rod", *ends) if np.allclose(across, -scale * np.eye(len(across)), atol=1e-9) else None


def as_pivot(shape, end, points, index, scale):
    anchor, q = np.zeros(3), shape.places[0]
    for d, c in enumerate(points[end]):
        if c:
            anchor[d] = q[index[c]] - shape.slope(index[c]) / scale
    return "rod", end, np.where(np.abs(anchor) < 1e-9, 0.0, anchor)


def as_rail(shape, end, side):
    normal = np.array([shape.slope(side[0]), shape.slope(side[1]), 0.0])
    size = np.linalg.norm(normal)
    q = shape.places[0]
    if size < 1e-12:
        return None
    away = shape.value(q) - normal[0] * q[side[0]] - normal[1] * q[side[1]]
    return "rail", end, normal / size, -away / size


def of(result, case):
    """The Mechanism of a case; ResultError where no part of the system can be drawn."""
    names = [str(c) for c in result.data("/coordinate")]
    multipliers = [
        str(c) for c in (result.data("/multiplier") if result.data("/multiplier") is not None else [])
    ]
    described = parsed(result.description)
    points = points_of([n for n in names if not ENTRY.match(n)])
    found = Mechanism(points, [], [], bodies_of(names, described.get("bodies", {}), points))
    if not found.points and not found.bodies:
        raise ResultError(
            f"the mechanism cannot be drawn: the coordinates {', '.join(names[:6])} are neither points (x, y) nor matrices of bodies; "
            "`plot FILE configuration --x EXPRESSION --y EXPRESSION` draws what you tell"
        )
    parameters, others = result.parameters(case), []
    for name, text, more in constraints_of(described.get("constraints", {}), multipliers):
        shape = Shape(text, more, names, parameters)
        try:
            part = read_rod(shape, found.points) if found.points else None
        except ResultError:
            continue  # an expression that cannot be evaluated is not a rod
        if part and part[0] == "rod":
            found.rods.append((name, part[1], part[2]))
        elif part:
            found.rails.append(part[1:])
        else:
            others.append((name, shape))
    appearance(found, described, parameters)
    found.joints = joints.of(others, found.bodies, found.points) if found.bodies else []
    return found


def appearance(found, described, parameters):
    """What the text tells of how it looks: shapes of bodies, the axis that points upwards, the floor."""
    found.up = str(described.get("up", ""))
    if "ground" in described:
        found.ground = shapes.number(described["ground"], parameters)
    told = described.get("bodies", {})
    for label, body in told.items() if isinstance(told, dict) else ():
        for name in found.bodies if isinstance(body, dict) else ():
            prefix, _, index = name.partition("[")
            if prefix == str(body.get("rotation")):
                mesh = shapes.of_body(body, {**parameters, **({"i": float(index[:-1])} if index else {})})
                found.meshes |= {name: mesh} if mesh else {}
