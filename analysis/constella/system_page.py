"""system_page.py: `constella system --html`: a page on a system, from what `constella system --json` prints: its equations in
MathML, degrees of freedom, what ties its bodies, a picture of its first state, parameters, states and what was found
of it. Nothing on it is fetched."""
# SPDX-License-Identifier: BSD-2-Clause
import html
import json
import pathlib
import subprocess

from . import system_picture
from .formula import mathml
from .running import program, status_of
from .writing import put

FEW = 60  # rows of a table
LIMITED = 300  # coordinates of a system that has a picture
VELOCITY = "<mover><mi>q</mi><mo>˙</mo></mover>"


def escape(text):
    return html.escape(text or "")


def row(cells):
    return "<tr>" + "".join(f"<td>{escape(x)}</td>" for x in cells) + "</tr>\n"


def table(heads, rows):
    head = "".join(f"<th>{h}</th>" for h in heads)
    return "<table>" + (f"<thead><tr>{head}</tr></thead>" if heads else "") + "\n" + "".join(map(row, rows)) + "</table>\n"


def number(x, digits):
    return "nan" if x is None else f"{x:.{digits}g}"


# ---- formulas


def formula(left, expression, more=""):
    return f'<div class="formula"><math display="inline">{left}<mo>=</mo>{mathml(expression)}{more}</math></div>\n'


def indexed(letter, named, more=""):
    """The expression of a named thing: LETTER with the name as its index."""
    left = f"<msub><mi>{letter}</mi><mtext>{escape(named['name'])}</mtext></msub>"
    return formula(left, named["expression"], more)


def motion(s):
    """The equations of motion."""
    v, positions, velocities = VELOCITY, [c for c in s["constraints"] if not c["velocities"]], s["constraints"]
    magnetic = f"<mo>+</mo><mi>a</mi><mo>·</mo>{v}" if s["gyroscopic"] else ""
    kinetic = f"<mfrac><mn>1</mn><mn>2</mn></mfrac><msup>{v}<mi>T</mi></msup><mi>M</mi>{v}"
    forces = "<mo>−</mo><msup><mi>G</mi><mi>T</mi></msup><mi>λ</mi>" if velocities else ""
    affine = "<mo>+</mo><msub><mi>φ</mi><mn>0</mn></msub>" if s["affine"] else ""
    parts = [f"<math><mi>M</mi><mover><mi>q</mi><mo>¨</mo></mover><mo>=</mo><mi>f</mi>{forces}</math>"]
    parts += ["<math><mi>g</mi><mo>=</mo><mn>0</mn></math>"] if positions else []
    parts += [f"<math><mi>G</mi>{v}{affine}<mo>=</mo><mn>0</mn></math>"] if velocities else []
    given = ", and the forces," if s["forces"] else ""
    return (
        f'<div class="formula"><math><mi>L</mi><mo>=</mo>{kinetic}{magnetic}<mo>−</mo><mi>V</mi></math></div>\n'
        f'<div class="formula">{", ".join(parts)}; f: what the kinetic energy and the potential{given} give</div>\n'
    )


def zero(declared):
    """What stands behind the expression of a constraint."""
    family = f"<mtext>, {escape(declared['range'])}</mtext>" if declared["range"] else ""
    return f"<mo>=</mo><mn>0</mn>{family}"


def equations(s):
    return (
        motion(s)
        + "".join(indexed("M", m) for m in s["masses"])
        + formula("<mi>V</mi>", s["potential"])
        + "".join(indexed("F", f) for f in s["forces"])
        + "".join(indexed("φ" if g["velocities"] else "g", g, zero(g)) for g in s["declared"])
    )


# ---- tables


def parts(s):
    """{coordinate: its body, or itself}."""
    names = [c["name"] for c in s["coordinates"]]
    found = {n: n for n in names}
    for b in s["bodies"]:
        found |= {n: b["name"] for n in names[b["rotation"] : b["rotation"] + 9]}
        found |= {n: b["name"] for n in names[b["centre"] : b["centre"] + 3]} if b["centre"] >= 0 else {}
    return found


def joints(s):
    """What each constraint ties, those of rotations left out: bodies and coordinates, each once."""
    of, rows = parts(s), []
    for c in system_picture.between(s)[:FEW]:
        tied = list(dict.fromkeys(of[n] for n in c["slopes"]))[:FEW]
        on = ("velocities" if c["velocities"] else "positions") + (", redundant" if c["redundant"] else "")
        rows.append((c["name"], ", ".join(tied), on))
    return table(("constraint", "ties", "on"), rows) if rows else "<p>None.</p>\n"


def parameters(s):
    return table(("name", "value", "unit", ""), [(p["name"], number(p["value"], 10), p["unit"], p["doc"]) for p in s["parameters"]])


def state(s):
    """The first state."""
    if not s["states"]:
        return ""
    first = s["states"][0]
    rows = [(c["name"], number(q, 6), number(v, 6)) for c, q, v in zip(s["coordinates"][:FEW], first["q"], first["v"])]
    more = f"<p>and {len(s['coordinates']) - FEW} more</p>\n" if len(s["coordinates"]) > FEW else ""
    return f"<h2>State {escape(first['name'])}</h2>\n" + table(("coordinate", "q", "v"), rows) + more


def findings(s):
    return table((), [(f["topic"], f["severity"].removeprefix("fact"), f["text"]) for f in s["findings"]])


# ---- the page


def page(s):
    """The page as text. s: the data."""
    css = (pathlib.Path(__file__).parent / "system_page.css").read_text(encoding="utf-8")
    drawn = system_picture.svg(s) if s["states"] and len(s["coordinates"]) <= LIMITED else ""
    velocities = sum(c["velocities"] for c in s["constraints"])
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(s["system"])}</title><style>\n{css}</style></head><body>\n'
        f'<h1>{escape(s["system"])}</h1>\n<p>{escape(s["doc"])}</p>\n<p class="soft">{escape(s["source"])}</p>\n'
        f"<p>coordinates {len(s['coordinates'])}, constraints {len(s['constraints'])} ({velocities} on velocities), "
        f"degrees of freedom {s['degrees_of_freedom']}</p>\n"
        f"<h2>Equations</h2>\n{equations(s)}"
        f"<h2>Joints and other constraints</h2>\n{joints(s)}"
        f"<h2>Picture</h2>\n{drawn or '<p>None: its coordinates are no points, or too many.</p>' + chr(10)}"
        f"<h2>Parameters</h2>\n{parameters(s)}{state(s)}"
        f"<h2>Examination</h2>\n{findings(s)}</body></html>\n"
    )


def run(args):
    """Print the page; the exit status is that of the examination."""
    given = ["--parameters", *args.parameters.split("\n")] if args.parameters else []
    done = subprocess.run([program(), "system", args.system, "--json", *given], stdout=subprocess.PIPE, check=False)
    if done.stdout:
        put(page(json.loads(done.stdout.decode("utf-8", "replace"))).encode("utf-8"))
    return status_of(done)
