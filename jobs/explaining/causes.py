#!/usr/bin/python3
"""causes.py: does `constella explain` tell causes that are known? Thirty constructed drifts and failures.

    jobs/explaining/causes.py [NAME ...]

runs each study, or those of these names, lets `constella explain` tell the cause, and prints its answer and whether it is right;
then how many were wrong. Status 1: more than one. A case is a study with something wrong in it on purpose, and the words that
are right for it.
"""
# SPDX-License-Identifier: BSD-2-Clause
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("CONSTELLA", str(HERE.parents[1] / "build/constella"))

SPREAD = {"members": 8, "seed": 7, "spread": {"q": 0.01, "v": 0.05}}
NARROW = {"members": 8, "seed": 7, "spread": {"q": 1e-3, "v": 1e-3}}


def system(potential, q, v, mass=None, **more):
    names = ["x", "y", "z", "w"][: len(q)]
    return {"coordinates": names, "mass": mass or [1] * len(q), "potential": potential, "states": {"default": {"q": q, "v": v}}, **more}


QUARTIC = system("x^2/2 + x^4/4", [1.0], [0.0])
PLANE = system("(x^2 + y^2)/2 + x^2*y - y^3/3", [0.2, 0.1], [0.2, 0.3])
SPRING = system("50*x^2 + 0.5*y^2 + 2*x^3", [0.1, 1.0], [0.0, 0.0])
RESONANT = system("x^2/2 + 200*y^2 + 40*y^3 + 0.5*x*y^2", [0.5, 0.25], [0.0, 0.0])
BEAD = system("9.81*z", [0.6, 0.0, -0.8], [0.0, 1.5, 0.0], constraints={"sphere": "(x^2 + y^2 + z^2 - 1)/2"})
ROD = "x^2 + y^2 - 1"
PENDULUM = system("9.81*y", [0.8, -0.6], [0.3, 0.4], constraints={"rod": ROD})
DRIVEN = system("9.81*y", [0.0, -1.0], [0.0, 0.0], constraints={"rod": ROD, "drive": "x - 0.3*t"})
DRIVEN["states"]["default"]["v"] = [0.3, 0.0]
DROPPED = system("0*x", [0.0, 0.0, 0.0], [1.0, 0.3, 0.0], constraints={"a": "z", "b": "z - x^2"})
JUMPING = system("0*x", [-0.9, 0.1], ["-0.3*(-0.9/0.82 + 0.2)", "0.3*(-0.1/0.82 - 1.8)"], constraints={"turn": "atan2(y, x) + x^2 + y^2 - atan2(0.1, -0.9) - 0.82"})
ACTION = "s->add(s, s->lagrangian(s, s->q, s->v), s->lagrangian(s, q, v))"
WRONG = "s->mul(s, s->number(s, 2.0), s->lagrangian(s, s->q, s->v))"  # of order 1
LAYER = """#include "constella/layer.h"
/* Heun's method; the second slope is at a wrong place, or of a wrong sign, by these numbers. */
static void step(const cst_layer_step *s) {
  cst_node A[s->n], B[s->n], q[s->n], v[s->n], half = s->mul(s, s->number(s, 0.5), s->t);
  s->acceleration(s, s->q, s->v, A);
  cst_layer_copy(s, s->q, q), cst_layer_axpy(s, s->t, s->v, q);
  cst_layer_copy(s, s->v, v), cst_layer_axpy(s, s->t, A, v);
  s->acceleration(s, q, v, B);
  cst_layer_copy(s, s->q, s->q1), cst_layer_axpy(s, half, s->v, s->q1), cst_layer_axpy(s, half, v, s->q1);
  cst_layer_copy(s, s->v, s->v1), cst_layer_axpy(s, half, A, s->v1), cst_layer_axpy(s, s->mul(s, s->number(s, WEIGHT), s->t), B, s->v1);
  *s->S = s->mul(s, half, s->add(s, s->lagrangian(s, s->q, s->v), s->lagrangian(s, q, v)));
}
const cst_layer_method cst_user_layer = {CST_LAYER_VERSION, "mine", 2, "Heun's method.", step};
"""


def study(of, methods, steps, end, initial=None, **more):
    return {"system": of, "methods": [methods], "steps": steps, "end": end, "initial": initial or SPREAD, **more}


CASES = {  # {name: (words that are right, study)}
    "order-4": ("truncation", study("double-pendulum", "project(rk4)", [0.1], 200)),
    "order-2-plane": ("truncation", study(PLANE, "heun", [0.05], 1000)),
    "order-3-layer": ("truncation", study(PLANE, "rk3", [0.1], 2000)),
    "dissipation": ("truncation", study(PENDULUM, "generalized-alpha(rho=0.8)", [0.02], 200)),
    "radau": ("truncation", study(PLANE, "radau(2)", [0.2], 2000)),
    "engine": ("truncation", study(PENDULUM, "semi-implicit-euler(erp=0.2)", [0.01], 100)),
    "wrong-tableau": ("truncation", study(PLANE, "mine", [0.05], 200, layers={"mine": {"a": [[0, 0, 0, 0], ["1/3", 0, 0, 0], ["-1/3", 1, 0, 0], [1, -1, 1, 0]], "b": ["1/8", "3/8", "2.9/8", "1.1/8"]}})),
    "order-1-tableau": ("truncation", study(PLANE, "mine", [0.01], 20, layers={"mine": {"a": [[0, 0], [1, 0]], "b": [0.25, 0.75]}})),
    "wrong-weight": ("truncation", study(QUARTIC, "mine", [0.05], 50, layers={"mine": {"c": LAYER.replace("WEIGHT", "0.49")}})),
    "right-weight": ("truncation", study(QUARTIC, "mine", [0.05], 50, layers={"mine": {"c": LAYER.replace("WEIGHT", "0.5")}})),
    "own-map": ("truncation", study(BEAD, "compose(mine, mine)", [0.05], 200, layers={"mine": {"a": [[0, 0], [1, 0]], "b": [0.5, 0.5]}})),
    "unsymmetric-projection": ("truncation", study(BEAD, "project(gauss(1))", [0.1], 500)),
    "baumgarte": ("truncation", study(PENDULUM, "baumgarte(rk4, alpha=5, beta=5)", [0.05], 500)),
    "loose": ("solver", study("double-pendulum", "compose(rattle, suzuki4)", [0.2], 200, solver={"tolerance": 1e-6})),
    "loose-li6": ("solver", study("double-pendulum", "compose(rattle, kahan-li6)", [0.2], 200, solver={"tolerance": 1e-6})),
    "loose-harmless": ("none", study("double-pendulum", "rattle", [0.05], 200, solver={"tolerance": 1e-4})),
    "wrong-action": ("none", study(BEAD, "convert(mine)", [0.1], 200, layers={"mine": {"c": LAYER.replace("WEIGHT", "0.5").replace(ACTION, WRONG)}})),
    "round-off-line": ("round-off", study(system("x^2/2", [1.0], [0.0]), "hbvm(k=4, s=2)", [0.2], 10000)),
    "units-rod": ("wrong root", study(PENDULUM | {"potential": "9810*y"}, "rattle", [0.05], 100)),
    "out-of-reach": ("constraints", study(DRIVEN, "rattle", [0.01], 20, NARROW)),
    "dropped": ("refused", study(DROPPED, "rattle", [0.01], 10, {"members": 1, "seed": 1})),
    "jumped": ("constraints", study(JUMPING, "rattle", [0.01], 10, {"members": 1, "seed": 1})),
    "resonance-3": ("resonance", study(SPRING, "rattle", {"counts": [7071]}, 1000)),
    "resonance-explicit": ("instability resonance", study(RESONANT, "euler-a", {"counts": [1155]}, 100)),
    "far-too-large": ("wrong root", study("double-pendulum", "rattle", [0.8], 200)),
    "units": ("instability", study(system("500000*x^2 + y^2/2", [1e-3, 1.0], [0.0, 0.0]), "rattle", [0.1], 100, NARROW)),
    "units-rk4": ("instability", study(system("500000*x^2 + y^2/2", [1e-3, 1.0], [0.0, 0.0]), "rk4", [0.01], 100, NARROW)),
    "inconsistent-start": ("refused", study(PENDULUM | {"states": {"default": {"q": [0.8, -0.6], "v": [0.3, 0.5]}}}, "rattle", [0.02], 20)),
    "sign-of-drag": ("motion", study(system("x^2/2 + x^4/4", [1.0], [0.0], forces={"drag": ["0.01*x'"]}), "rattle", [0.05], 200)),
    "drag": ("motion", study(PENDULUM | {"forces": {"drag": ["-0.01*x'", "-0.01*y'"]}}, "rattle", [0.02], 50)),
    "driven": ("motion", study(system("x^2/2 + 0.1*x*cos(0.999*t)", [0.1], [0.0]), "rattle", [0.05], 300, NARROW)),
    "noise": ("noise", study(QUARTIC, "langevin(rattle, friction=0.1, inverse-temperature=2)", [0.05], 20)),
    "noise-escape": ("noise", study(PLANE, "langevin(rattle, friction=0.1, inverse-temperature=20)", [0.05], 1000)),
    "wrong-force": ("motion", study(system("x^2/2 + y^2/2", [1.0, 0.0], [0.0, 0.6], forces={"swirl": ["-0.01*y", "0.01*x"]}), "rattle", [0.05], 50)),
}


def write(case, folder):
    """The study of a case with its files."""
    made = {"study": "conservation", "observables": ["energy"], "samples": {"count": 0}, **case}
    if isinstance(made["system"], dict):
        (folder / "system.yaml").write_text(json.dumps({"system": "constructed", **made["system"]}))
        made["system"] = {"file": "system.yaml"}
    for name, layer in made.get("layers", {}).items():
        if "c" in layer and isinstance(layer["c"], str):
            (folder / f"{name}.c").write_text(layer["c"])
            made["layers"] = {name: {"file": f"{name}.c"}}
    (folder / "study.yaml").write_text(json.dumps(made))


def told(case, budget="5s"):
    """(the cause in a word, the line)."""
    with tempfile.TemporaryDirectory() as name:
        write(case, pathlib.Path(name))
        ran = subprocess.run([PROGRAM, "run", "study.yaml", "-o", "r.h5", "--progress", "none"], cwd=name, capture_output=True, text=True)
        if ran.returncode == 2:
            return "refused", ran.stderr.strip()
        done = subprocess.run([PROGRAM, "explain", "r.h5", "--budget", budget], cwd=name, capture_output=True, text=True)
        rows = done.stdout.splitlines()
        if len(rows) < 2 or "cause" not in rows[0]:
            return "none" if done.stdout.startswith("nothing drifts") else "?", (done.stdout + done.stderr).strip()
        at = rows[0].index("cause")
        word = rows[1][at:].split("  ")[0]
        return word, rows[1][at + len(word) :].strip()


def main():
    wrong = 0
    names = sys.argv[1:] or list(CASES)
    for name in names:
        right, case = CASES[name]
        word, line = told(case)
        good = word and word in right
        wrong += not good
        print(f"{'right' if good else 'WRONG'}  {name:<22} {word:<12} {line}" + ("" if good else f"  [{right}]"), flush=True)
    print(f"{len(names)} causes, {wrong} wrong")
    return wrong > 1


if __name__ == "__main__":
    sys.exit(main())
