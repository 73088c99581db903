"""test_system_html.py: `constella system SYSTEM --html`: a page that is well formed and fetches nothing, with the
equations as they are written, what constraints tie, and a picture of the state; and `--json`, from which it is made."""
# SPDX-License-Identifier: BSD-2-Clause
import glob
import json
import os
import re
import sys
import xml.dom.minidom

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import numpy
from cli import constella, done, ok, together, write

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def page(*words):
    """The page and its tree; None for the tree of one that is not well formed."""
    process = constella("system", *words, "--html")
    text = process.stdout
    whole = text.replace("<!DOCTYPE html>", "").replace('<meta charset="utf-8">', "")
    try:
        return process, text, xml.dom.minidom.parseString(whole.encode())
    except xml.parsers.expat.ExpatError as e:
        return process, f"{text}\n{e}", None


def plain(tree):
    """The text of every formula, without blanks."""
    out = []
    for node in tree.getElementsByTagName("math"):
        words = []

        def walk(x):
            if x.nodeType == x.TEXT_NODE:
                words.append(x.data)
            for c in x.childNodes:
                walk(c)

        walk(node)
        out.append("".join(words).replace("\u2062", "*"))
    return out


def looks(file):
    def look():
        process, text, tree = page(file)
        name = os.path.basename(file)
        good = process.returncode == 0 and tree is not None and not re.search(r"https?:|src=|href=|url\(|<script", text.split("</head>")[1])
        left = [x for x in plain(tree) if "=" in x and re.search(r"=[^=]*'", x)] if tree else []
        thin = text.count('&#x2062;</mo><mspace width="0.17em"/>') == text.count("&#x2062;")
        ok(good and thin and not left, f"{name}: a page that fetches nothing, all of it formulas", text[-300:], process.stderr, left)

    return look


files = sorted(glob.glob(os.path.join(ROOT, "src/system/catalogue/*.yaml")))[::4]
together([looks(f) for f in files + [os.path.join(ROOT, "jobs/benchmarks/governor.system.yaml")]], 2)

# Formulas.
deep = "(" * 190 + "x" + "+1)" * 190
process, text, tree = page(write("deep.yaml", f"system: deep\ncoordinates: [x]\nmass: [1]\npotential: {deep}\nstates: {{default: {{q: [0], v: [0]}}}}\n"))
ok(process.returncode == 0 and tree is not None and "((((" not in text, "190 parentheses within each other are a formula", process.stderr, text[-300:])
OWN = """system: own
doc: a bead <b> & a "spring"
coordinates: [x, y, theta1]
parameters: {m_a: {default: 2, unit: kg, doc: "mass < 3"}, k: 1, l: 5}
mass: [m_a, m_a, 1]
potential: k*(x - 1)^2/(2*l) - exp(-theta1^2) + sqrt(1 + y^2) + sum(i, 1, 3, i*y)
forces: {drag: [-k*x', 0, 0]}
constraints: {rod: (x - 3)^2 + (y + 4)^2 - l^2}
nonholonomic: {roll: theta1' - x'/l}
states: {default: {q: [0, 0, 0], v: [0, 0, 0]}}
"""
process, text, tree = page(write("own.yaml", OWN), "--parameters", "k=3")
ok(process.returncode == 0 and tree is not None, "a system of one's own", text[-400:], process.stderr)
ok("a bead &lt;b&gt; &amp; a &quot;spring&quot;" in text and "mass &lt; 3" in text, "texts are escaped")
ok("degrees of freedom 1" in text, "degrees of freedom")
ok("<td>k</td><td>3</td>" in text, "parameters of the command line")
formulas = plain(tree)
ok("grod=(x−3)2+(y+4)2−l2=0" in formulas, "a constraint", formulas)
ok("φroll=θ1˙−x˙l=0" in formulas, "one on velocities")
ok(
    '<mfrac><mrow><mi>k</mi><mo>&#x2062;</mo><mspace width="0.17em"/><msup>' in text,
    "a quotient is a fraction, a product has a thin space",
)
ok("<msqrt><mn>1</mn><mo>+</mo>" in text and "<munderover><mo>∑</mo>" in text, "a root; a sum")
ok("<mover><msub><mi>θ</mi><mi>1</mi></msub><mo>˙</mo></mover>" in text, "a rate of a Greek letter with an index")
ok("<td>roll</td><td>x, theta1</td><td>velocities</td>" in text, "what a constraint on velocities ties")



def ends(tree, look):
    """The ends (x1, y1, x2, y2) of the lines of this class."""
    lines = [n for n in tree.getElementsByTagName("line") if n.getAttribute("class") == look]
    return [numpy.array([float(n.getAttribute(a)) for a in ("x1", "y1", "x2", "y2")]) for n in lines]


def along(line):
    """To the right and upwards."""
    return (line[2:] - line[:2]) * (1, -1)


def near(*pairs):
    """To a tenth of a unit of the picture, to which its places are written."""
    return all(numpy.abs(numpy.array(a) - b).max() < 0.3 for a, b in pairs)


# The picture: a rod from the fixed centre (3, -4) to the point, to scale.
rods = ends(tree, "rod")
reach = along(rods[0])
ok(len(rods) == 1 and abs(reach[1] / reach[0] + 4 / 3) < 0.01 and reach[0] < -50, "the rod, from its centre", rods)
_, text, tree = page(write("down.yaml", OWN + "up: -y\n"))
ok(near((along(ends(tree, "rod")[0]), -reach)), "up: -y turns the picture of a plane", ends(tree, "rod"))
_, text, tree = page("two-tops")
rods = ends(tree, "rod")
axes = [x for k in (1, 2, 3) for x in ends(tree, f"axis{k}")]
ok(rods and len(axes) == 6 and "<td>hinge_2</td><td>first, second</td>" in text, "bodies: their axes and joints")
ok(len(rods) == 2 and near((rods[0][2:], rods[1][2:]), (along(rods[0]), -2.5 * along(rods[1]))), "to their joint", rods)
_, text, tree = page("double-pendulum-angles")
ok("None: its coordinates are no points" in text, "no picture of angles")
process = constella("system", write("bad.yaml", OWN.replace("sqrt(1", "sqr(1")), "--html")
ok(process.returncode == 2 and ":6:" in process.stderr and not process.stdout, "a mistake has its place", process.stderr)

# A crank, upright, and a rod, whose other end slides on the line y = 0.
CRANK = """system: crank
parameters: {r: 1, l: 2.5}
up: y
bodies:
  crank: {rotation: A, centre: [ax, ay, az], mass: 1, inertia: [0.1, 0.2, 0.2]}
  rod: {rotation: B, centre: [bx, by, bz], mass: 1, inertia: [0.1, 0.5, 0.5]}
potential: 9.81*(ay + by)
constraints:
  pivot_x: ax - r/2*A11
  pivot_y: ay - r/2*A21
  pivot_z: az - r/2*A31
  pin_x: bx - l/2*B11 - ax - r/2*A11
  pin_y: by - l/2*B21 - ay - r/2*A21
  pin_z: bz - l/2*B31 - az - r/2*A31
  slider: by + l/2*B21
states:
  default:
    bodies:
      crank: {axis: [0, 0, 1], angle: pi/2, centre: [0, r/2, 0]}
      rod: {axis: [0, 0, 1], angle: -asin(r/l), centre: [sqrt(l^2 - r^2)/2, r/2, 0]}
"""
file = write("crank.yaml", CRANK)
process, text, tree = page(file)
rods, axes = ends(tree, "rod"), [ends(tree, f"axis{k}") for k in (1, 2, 3)]
size = along(rods[0])[1]
ok(len(rods) == 2 and size > 50 and near((along(rods[0]), (0, size))), "up: y points upwards in space: the crank", rods)
ok(near((rods[0][2:], rods[1][:2]), (along(rods[1]), (size * 5.25**0.5, -size))), "bodies are drawn between their joints", rods)
ok(near((along(axes[0][0]), (0, 50)), (along(axes[1][0]), (-50, 0))), "the axes of a body turn with it", axes)
ok(text.count('class="joint"') == 3, "a sign for each joint", text)
moved = page(file, "--parameters", "r=2")[2]
ok(near((along(ends(moved, "rod")[1]) / along(ends(moved, "rod")[0])[1], (0.75, -1))), "parameters move them", ends(moved, "rod"))

# What it is made from.
told = constella("system", file, "--json")
data = json.loads(told.stdout)
act = {c["name"]: c["slopes"] for c in data["constraints"]}
ok(told.returncode == 0 and data["degrees_of_freedom"] == 5 and data["up"] == "y", "--json: what the system is", told.stdout)
ok(act["pin_y"] == {"A21": -0.5, "ay": -1, "B21": -1.25, "by": 1}, "on what a constraint acts", act["pin_y"])
data = json.loads(constella("system", write("own.yaml", OWN), "--json").stdout)
ok(data["doc"] == 'a bead <b> & a "spring"' and data["parameters"][0]["unit"] == "kg", "texts and units", data)
ok(data["constraints"][0]["curvature"] == [[2, 0], [0, 2]] and data["constraints"][1]["velocities"], "a sphere; rates", data["constraints"])
ok(data["states"][0]["q"] == [0, 0, 0] and data["findings"] and len(data["declared"]) == 2, "states and findings", data)
process = constella("system", file, "--json", "--html")
ok(process.returncode == 2 and "'--html' and '--json' exclude each other" in process.stderr, "--json and --html", process.stderr)
process = constella("system", file, "--html", env={"PYTHON": "/nowhere/python3"})
ok(process.returncode == 2 and "/nowhere/python3 cannot be started; set PYTHON" in process.stderr, "no Python", process.stderr)
process = constella("system", file, "--html", env={"CONSTELLA_ANALYSIS": "/nowhere"})
ok(process.returncode == 2 and "set CONSTELLA_ANALYSIS" in process.stderr, "no analysis/", process.stderr)
done()
