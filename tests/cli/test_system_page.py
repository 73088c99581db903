#!/usr/bin/python3
"""test_system_page.py: the table of keys of a system file against the reader: every key of the table is
accepted where the table has it, with its example, and the reader accepts no other. That docs/system-file.md
has the table is checked in test_study_page.py."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import subprocess
import sys

from cli import FOLDER, constella, done, note, ok, together, write

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tools"))
from pages import read_keys  # noqa: E402

write("net.csv", "a,b\n1,2\n")  # of the examples
KEYS = read_keys(constella("show", "system").stdout)

TOP = {
    "system": "top",
    "bodies": "{top: {rotation: R, inertia: [2, 3, 4]}}",
    "states": "{default: {bodies: {top: {axis: [0, 0, 1], angle: 0, omega: [0, 0, 1]}}}}",
}
# Systems that a line is put into; the first that accepts it counts.
BASES = [
    {
        "system": "disk",
        "coordinates": "[x, y]",
        "mass": "[1, 1]",
        "potential": "(x^2 + y^2)/2",
        "states": "{default: {q: [1, 0], v: [0, 0]}}",
    },
    {
        "system": "circle",
        "coordinates": "[x, y]",
        "mass": "[1, 1]",
        "potential": "0",
        "constraints": "{circle: x^2 + y^2 - 1}",
        "states": "{default: {q: [1, 0], v: [0, 1]}}",
    },
    {
        "system": "ring",
        "coordinates": '["x[n]", "y[n]"]',
        "parameters": "{n: {size: 2}}",
        "mass": "[1, 1]",
        "potential": "0",
        "states": "{default: {q: [1, 0], v: [0, 1]}}",
    },
    {
        "system": "light",
        "coordinates": "[x, y]",
        "mass": "[1, 0]",
        "potential": "(x^2 + y^2)/2",
        "states": "{default: {q: [1, 0], v: [0, 0]}}",
    },
    TOP,
    {
        **TOP,
        "bodies": "{top: {rotation: R, centre: [X, Y, Z], mass: 1, inertia: [2, 3, 4]}}",
        "states": "{default: {bodies: {top: {centre: [0, 0, 0], velocity: [0, 0, 0], omega: [0, 0, 1]}}}}",
    },
]
DISK, CIRCLE, RING, LIGHT, FIXED, FREE = range(6)

STATE = "states: {default: {q: [1, 0], v: [0, 1]%s}}"
MOTION = "q: [cos(t), sin(t)], v: [-sin(t), cos(t)]"
BODY = "states: {default: {bodies: {top: {omega: [0, 0, 1], %s: 1}}}}"
# Where each map stands, by the forms it has: a base, and a line with %s in the place of a key that does not
# exist.
PLACES = {
    "": [(DISK, "%s: 1")],
    "parameters.NAME": [(DISK, "parameters: {L: {default: 1, %s: 1}}")],
    "constraints.NAME": [
        (RING, 'constraints: {wire: {for: "i = 1..2", expression: "x[i]", %s: 1}}'),
        (RING, 'nonholonomic: {skate: {for: "i = 1..2", expression: "x\'[i]", %s: 1}}'),
    ],
    "edges": [(RING, "edges: {%s: 1}")],
    "symmetries.NAME": [
        (DISK, "symmetries: {turn: {generator: [-y, x], %s: 1}}"),
        (FIXED, "symmetries: {turn: {rotation: [0, 0, 1], %s: 1}}"),
    ],
    "events.NAME": [(DISK, "events: {passing: {when: x, %s: 1}}")],
    "bodies.NAME": [(FIXED, "bodies: {top: {rotation: R, inertia: [2, 3, 4], %s: 1}}")],
    "states.NAME": [(DISK, STATE % ", %s: 1"), (FIXED, "states: {default: {bodies: {}, %s: 1}}")],
    "states.NAME.exact": [
        (DISK, STATE % f", exact: {{{MOTION}, %s: 1}}"),
        (CIRCLE, STATE % f", exact: {{{MOTION}, lambda: [0], %s: 1}}"),
        (FIXED, "states: {default: {bodies: {}, exact: {bodies: {}, %s: 1}}}"),
    ],
    "states.NAME.bodies.NAME": [(FIXED, BODY), (FREE, BODY)],
}


def text(base, line):
    """The base with this line in place of its own."""
    return "\n".join([f"{k}: {v}" for k, v in base.items() if k != line.partition(":")[0]] + [line]) + "\n"


def errors(name, system):
    """What the reader says of a system; '' where it accepts it."""
    file = write(f"{name}.yaml", system)
    study = f"study: ensemble\nsystem: {{file: {file}}}\nend: 1\nsteps: [0.5]\nmethods: [rk4]\n"
    return constella("check", write(f"{name}-study.yaml", study)).stderr


def examples():
    wrong = []
    for i, key in enumerate(KEYS):
        name = key["path"].rpartition(".")[2]
        if not re.search(rf"\b{name}:", key["example"]):
            wrong.append(f"{key['path']}: its example does not have it")
            continue
        said = []
        of_bodies = "bodies" in key["example"] or re.search("rotation:|translation:", key["example"])
        for k, base in enumerate(BASES[FIXED:] if of_bodies else BASES[:FIXED]):
            said.append(errors(f"example{i}-{k}", text(base, key["example"])))
            if not said[-1]:
                break
        if said[-1]:
            wrong.append(f"{key['example']}\n" + "".join(said))
    ok(not wrong, f"every one of {len(KEYS)} keys has an example that is accepted", *wrong)


def allowed(name, base, line):
    """The keys that the reader allows where one does not exist."""
    said = errors(name, text(BASES[base], line % "not-a-key"))
    found = re.search(r"'not-a-key'[^\n]*?[Aa]llowed: ([^;\n]*)", said)
    return set(found[1].split(", ")) if found else {f"no answer: {said}"}


def reader():
    for inside, places in PLACES.items():
        table = {key["path"].rpartition(".")[2] for key in KEYS if key["path"].rpartition(".")[0] == inside}
        taken = [allowed(f"place-{inside or 'file'}-{i}", *place) for i, place in enumerate(places)]
        ok(
            set().union(*taken) == table,
            f"the reader and the table have the same keys of '{inside}'",
            f"reader alone: {sorted(set().union(*taken) - table)}",
            f"table alone: {sorted(table - set().union(*taken))}",
        )
    maps = {key["path"].rpartition(".")[0] for key in KEYS}
    ok(maps == set(PLACES), "every map of the table is tried", sorted(maps ^ set(PLACES)))


def sources():
    """A list of keys outside the table could be accepted unseen."""
    folder = os.path.join(ROOT, "src", "system")
    listed = subprocess.run(
        ["grep", "-nE", r"\bkeys\[\] = \{|cst_yaml_check_keys", "-r", folder], capture_output=True, text=True
    )
    places = {line.split(":")[0].rpartition("/")[2] for line in listed.stdout.splitlines()}
    # The keys of read-states.c are names of bodies.
    ok(
        places <= {"system-keys.c", "read-states.c"},
        "no reader of a system has a list of keys of its own",
        listed.stdout,
    )


note(f"in {FOLDER}")
together([examples, reader, sources])
done()
