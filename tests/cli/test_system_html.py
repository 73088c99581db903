"""test_system_html.py: `constella system SYSTEM --html`: a page that is well formed and fetches nothing, with the
equations as they are written, what constraints tie, and a picture of the state."""
# SPDX-License-Identifier: BSD-2-Clause
import glob
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
        ok(good and not left, f"{name}: a page that fetches nothing, all of it formulas", text[-300:], process.stderr, left)

    return look


files = sorted(glob.glob(os.path.join(ROOT, "src/system/catalogue/*.yaml")))[::4]
together([looks(f) for f in files + [os.path.join(ROOT, "jobs/benchmarks/governor.system.yaml")]], 2)

# Formulas.
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

# The picture: a rod from the fixed centre (3, -4) to the point, to scale.
rods = [n for n in tree.getElementsByTagName("line") if n.getAttribute("class") == "rod"]
ends = [[float(n.getAttribute(a)) for a in ("x1", "y1", "x2", "y2")] for n in rods]
reach = numpy.array(ends[0][:2]) - ends[0][2:]
ok(len(rods) == 1 and abs(reach[1] / reach[0] - 4 / 3) < 0.01 and reach[0] > 50, "the rod, from its centre", ends)
_, text, tree = page("two-tops")
rods = [n for n in tree.getElementsByTagName("line") if n.getAttribute("class") == "rod"]
axes = [n for n in tree.getElementsByTagName("line") if n.getAttribute("class").startswith("axis")]
ok(rods and len(axes) == 6 and "<td>hinge_2</td><td>first, second</td>" in text, "bodies: their axes and joints")
_, text, tree = page("double-pendulum-angles")
ok("None: its coordinates are no points" in text, "no picture of angles")
process = constella("system", write("bad.yaml", OWN.replace("sqrt(1", "sqr(1")), "--html")
ok(process.returncode == 2 and ":6:" in process.stderr and not process.stdout, "a mistake has its place", process.stderr)
done()
