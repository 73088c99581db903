"""test_units.py: messages and pages name the units that a system states, of the time, of coordinates, velocities,
parameters and observables, and none where it states none."""
# SPDX-License-Identifier: BSD-2-Clause
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import constella, done, ok, write

SYSTEM = """system: bead
coordinates: ["x[2]", y]
parameters: {L: {default: 1, unit: cm}, k: 1}
mass: [1, 1]
potential: k*y
constraints: {wire: "x[1]^2 + x[2]^2 + y^2 - L^2"}
units: {time: ms, x: cm, energy: uJ}
states: {default: {q: [[0.6, 0], 0.8], v: [[0, 0], 0]}}
"""
PLAIN = SYSTEM.replace(", unit: cm", "").replace("units: {time: ms, x: cm, energy: uJ}\n", "")
STUDY = """study: conservation
system: {file: FILE}
end: 1
steps: [0.25]
methods: [rattle]
"""
WRONG = STUDY.replace("0.25", "0.3")
SWEPT = "{file: FILE, parameters: {L: [1, 2]}}"
START = STUDY + "initial: {q: %s, v: %s, project: true}\n"
# what `check` says of the study with units, and without
SAID = [
    ("the plan", STUDY, "to t = (ms)\n", "to t =\n"),
    ("its steps", STUDY, "step (ms)  ", "step  "),
    (
        "a wrong step",
        WRONG,
        "the step is 0.3 ms; it does not divide the end 1 ms: 3 steps reach 0.9 ms; the nearest step that does is "
        "0.3333333333333333 ms\n",
        "the step is 0.3; it does not divide the end 1: 3 steps reach 0.9; the nearest step that does is "
        "0.3333333333333333\n",
    ),
    (
        "a long step",
        STUDY.replace("0.25", "2"),
        "the step is 2 ms; it is larger than the end 1 ms\n",
        "the step is 2; it is larger than the end 1\n",
    ),
    (
        "a parameter",
        WRONG.replace("{file: FILE}", SWEPT),
        "the step is 0.3 ms with L = 1 cm; it",
        "the step is 0.3 with L = 1; it",
    ),
    (
        "cases",
        (START % ("[0.6, 0, 0.8]", "[0, 0, 0]")).replace("{file: FILE}", SWEPT),
        "L=2 cm  ",
        "L=2  ",
    ),
    (
        "a coordinate of an array",
        START % ("[1.6, 0, 0.8]", "[0, 0, 0]"),
        "x[1] of the start from 1.6 to 0.894427 cm, ",
        "x[1] of the start from 1.6 to 0.894427, ",
    ),
    (
        "a velocity",
        START % ("[0.8, 0, 0.6]", "[1, 0, 0]"),
        "x[1]' of the start from 1 to 0.36 cm/ms, ",
        "x[1]' of the start from 1 to 0.36, ",
    ),
    (
        "a coordinate whose unit is not stated",
        START % ("[0.6, 0, 1.8]", "[0, 0, 0]"),
        "y of the start from 1.8 to 0.948683, ",
        "y of the start from 1.8 to 0.948683, ",
    ),
    (
        "stages",
        STUDY + "stages: [{until: 0.5}, {parameters: {k: 2}}]\n",
        "until 0.5 ms: k = 1\n",
        "until 0.5: k = 1\n",
    ),
]


def main():
    files = [write("stated.system.yaml", SYSTEM), write("plain.system.yaml", PLAIN)]
    for what, study, *wanted in SAID:
        for file, text in zip(files, wanted):
            x = constella("check", write("study.yaml", study.replace("FILE", file)))
            ok(text in x.stdout + x.stderr, f"{what}: {text!r}", x.stdout, x.stderr)
    for file, text in zip(files, ("energy 0.8 uJ\n", "energy 0.8\n")):
        x = constella("system", file)
        ok(text in x.stdout, f"the energy of a state: {text!r}", x.stdout, x.stderr)
    done()


main()
