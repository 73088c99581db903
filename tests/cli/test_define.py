"""test_define.py: a study of a system with definitions has the bits of the system written out, interpreted
and compiled; definitions in the observables, histograms, starts and numbers of a study, and mistakes there."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import ENVIRONMENT, constella, differences, digests, done, h5py, ok, run, scratch, write

ENVIRONMENT["XDG_CACHE_HOME"] = scratch()
ENVIRONMENT.pop("CONSTELLA_CC", None)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

with open(os.path.join(ROOT, "jobs", "systems", "stick-slip.yaml"), encoding="utf-8") as f:
    DEFINED = f.read()


def rub(v):
    w = f"({v}' - u)"
    return f"-N*(slide + (rest - slide)*exp(-({w}/u)^2))*{w}/sqrt({w}^2 + e^2)"


HEAT = f"-({rub('x')})*(x' - u) - ({rub('y')})*(y' - u)"
HEAD, _, REST = DEFINED.partition("define:\n")
PLAIN = HEAD + "mass:" + REST.partition("mass:")[2]
for old, new in {
    "c*stretch^2": "c*(y - x)^2",
    "friction(x' - u)": rub("x"),
    "friction(y' - u)": rub("y"),
}.items():
    assert PLAIN.count(old) == 1, old
    PLAIN = PLAIN.replace(old, new)

STUDY = """study: ensemble
system: {{file: {file}, compile: {compile}, parameters: {{u: [0.3, 0.5]}}}}
initial: {{members: 5, seed: 3, spread: {{q: 0.1, v: 0.1}}}}
end: 2.0
steps: [0.02]
methods: [rk4, midpoint]
observables: [energy, balance, "heat: {heat}", "rub: {rub}"]
histograms: [{{name: gap, expression: "{gap}", from: -1, to: 1, bins: 8}}]
samples: {{count: 10}}
"""
NAMED = {"heat": "heat", "rub": "friction(x' - u)", "gap": "2*stretch"}
WRITTEN = {"heat": HEAT, "rub": rub("x"), "gap": "2*(y - x)"}


def bits():
    write("defined.yaml", DEFINED)
    write("plain.yaml", PLAIN)
    first = None
    for compile, told in (("never", "interpreted"), ("always", "compiled")):
        for file, names in (("defined", NAMED), ("plain", WRITTEN)):
            name = f"{file}-{told}"
            process, result = run(name, STUDY.format(file=f"{file}.yaml", compile=compile, **names))
            if not ok(process.returncode == 0, f"{name} runs", process.stderr):
                return
            with h5py.File(result, "r") as f:
                about = dict(f["run"].attrs)
            ok(about["kernels"] in (told, told.encode()), f"{name}: the kernels are {told}", about["kernels"])
            found = {key: value for key, value in digests(result).items() if "@" not in key}
            first = first or found
            wrong = [key for key in differences(first, found) if not key.startswith("study/")]
            ok(len(found) > 20 and not wrong, f"{name}: the same bits", wrong)
    ok(about["compile_cached"] == 1, "written out it is the same code: nothing is compiled", about)


def study(line, end="1"):
    base = f"study: ensemble\nsystem: {{file: defined.yaml}}\nend: {end}\nsteps: [0.5]\nmethods: [rk4]\n"
    return constella("check", write("mistake.yaml", base + line + "\n")).stderr


def refused(title, said, *parts):
    ok(all(part in said for part in parts), title, said)


def places():
    ok(not study("observables: [heat]"), "an observable that is the name of a definition")
    ok(not study("initial: {q: [mu(0), 0], v: [0, mu(u)]}"), "a start with a definition of parameters")
    ok(not study("title: end", end="10*mu(0)"), "an end with a definition of parameters")
    refused(
        "a start with a definition of coordinates",
        study("initial: {q: [stretch, 0], v: [0, 0]}"),
        ":6:15: error: 'q': 'stretch' cannot stand here, it depends on y; allowed: m, k, c",
    )
    refused("the nearest observable", study("observables: [haet]"), "did you mean 'heat'?")
    refused("a function alone is no observable", study("observables: [mu]"), "unknown observable 'mu'")
    refused(
        "the nearest function",
        study('observables: ["h: 1 + frction(1)"]'),
        ":6:23: error: observable 'h': unknown function 'frction'",
        "did you mean 'friction'?",
    )
    refused(
        "the nearest name",
        study('histograms: [{name: a, expression: "x + heet", from: 0, to: 1, bins: 2}]'),
        "unknown name 'heet'",
        "did you mean 'heat'?",
    )


bits()
places()
done()
