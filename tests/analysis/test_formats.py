#!/usr/bin/python3
"""test_formats.py: every kind of figure as .svg and .pdf, and a page, as the commands draw them, which import parts of matplotlib only
where they are needed (analysis/command.py). As .png other tests draw them. TAP."""
# SPDX-License-Identifier: BSD-2-Clause
from drawing import ANALYSIS, folder, ok, order_study, run_here, run_tests, sweep_study

import json
import subprocess
import sys

# Kinds that need words besides a result, or another result than the first one.
WORDS = {"space": ["x=x1", "y=y1", "z=x2"], "heat": ["x=step", "y=L2", "z=energy_max"], "blob": ["x=x1", "y=y1"],
         "axes": ["x=step", "y=energy_max"]}  # fmt: skip
COLLECTED = {
    "study": "ensemble",
    "system": "double-pendulum",
    "end": 40,
    "steps": [0.1, 0.05],
    "methods": ["rattle"],
    "reference": {"method": "gauss(4)", "step": 0.1},
    "observables": ["energy", "error", "lyapunov", "momentum-balance"],
    "initial": {"members": 12, "seed": 5, "around": "default", "spread": {"q": 0.02, "v": 0.05}},
    "frequencies": [{"name": "nu", "expression": "x1", "every": 0.1}],
    "extremes": [{"name": "low", "expression": "y2"}],
    "events": [{"name": "section", "when": "x1", "take": ["x2", "x2'"]}],
    "autocorrelation": [{"name": "swing", "expression": "x1", "every": 0.1, "lags": 8}],
    "mean-square-displacement": [{"name": "way", "expression": "x1", "every": 0.1, "lags": 8}],
    "burn-in": 0.1,
    "trajectories": {"members": [0, 1, 2, 3], "every": 20},
    "tangent": {"every": 1},
    "momentum-balance": {"symmetries": {"turn": ["-y1", "x1", "-y2", "x2"]}},
}
# Draws each kind from the first result that has it; prints a line for each figure: what it is, status, words on stderr.
DRIVER = """
import contextlib, io, json, sys
sys.path[:0] = [{analysis!r}]
sys.argv = ["command.py", "figures"]
import command
from constella.plot import KINDS

# A PDF holds fonts that are cut to its glyphs, which takes longer than all else: from now on each font is cut once.
def cut_fonts_once(module):
    cut, made = module.get_glyphs_subset, {{}}

    def get(file, characters):
        if file not in made:
            made[file] = cut(file, characters).getvalue()
        return io.BytesIO(made[file])

    module.get_glyphs_subset = get

def call(*words):
    with contextlib.redirect_stderr(io.StringIO()) as said:
        return command.main([*words, "style=screen"]), said.getvalue()

for kind in KINDS:
    for result in {results!r}:
        status, said = call("plot", "file=" + result, "kind=" + kind, "output=drawn.{form}", *{words!r}.get(kind, []))
        if status != 2:
            break
    print(json.dumps([kind, status, said]))
    if "{form}" == "pdf" and kind == [*KINDS][0]:
        cut_fonts_once(sys.modules["matplotlib.backends._backend_pdf_ps"])
if "{form}" == "svg":
    print(json.dumps(["the page", *call("report", "file=order.h5", "formats=svg", "output=page.html")]))
"""


def test_formats():
    run_here(COLLECTED, "collected.h5")
    order_study(), sweep_study()
    results = ["collected.h5", "order.h5", "sweep.h5"]
    for form in ("svg", "pdf"):  # each in a process of its own: a PDF needs fonts that are files
        text = DRIVER.format(analysis=str(ANALYSIS), results=results, words=WORDS, form=form)
        process = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=folder)
        ok(process.returncode == 0, f"{form}: all is drawn", process.stderr)
        for line in process.stdout.splitlines():
            what, status, said = json.loads(line)
            ok(status == 0, f"{form}: {what}", said)


run_tests(globals())
