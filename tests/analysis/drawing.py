"""drawing.py: what the tests of analysis/ share: paths, TAP lines, a folder, two small studies, the commands
within this process.

Importing it skips the test where h5py, matplotlib or numpy is missing.
"""
# SPDX-License-Identifier: BSD-2-Clause
import atexit
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ANALYSIS = HERE.parents[1] / "analysis"
sys.path[:0] = [str(HERE), str(ANALYSIS), str(HERE.parent / "cli")]

for _name in ("h5py", "matplotlib", "numpy"):
    if importlib.util.find_spec(_name) is None:
        print(f"1..0 # SKIP no Python module {_name}")
        sys.exit(0)

import numpy as np  # noqa: E402

import constella  # noqa: E402
import synthetic  # noqa: E402
from cli import constella as copied, draw_by_server  # noqa: E402
from constella.commands import main  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("CONSTELLA", "build/constella"))
os.environ["CONSTELLA"] = PROGRAM
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

_folder = tempfile.TemporaryDirectory()
folder = pathlib.Path(_folder.name)
atexit.register(_folder.cleanup)

_count = _failed = 0


def ok(condition, name, detail=""):
    """One TAP line; the detail is printed when it fails."""
    global _count, _failed
    _count += 1
    _failed += not condition
    print(f"{'ok' if condition else 'not ok'} {_count} - {name}")
    if not condition and detail is not None:
        print("\n".join(f"# {line}" for line in str(detail)[:3000].splitlines()))


def done():
    print(f"1..{_count}")
    sys.exit(_failed > 0)


def run_tests(names):
    """Call the functions test_... of a module's globals() in their order, and end."""
    for test in [f for name, f in list(names.items()) if name.startswith("test_")]:
        test()
    done()


# ---- the program


_begun = set()
draw_by_server()


def program(*arguments, **environment):
    """Run the program in the folder, with variables of the environment: for each of its commands the first time as a
    process of its own, then as a copy of one that is loaded already (../cli/cli.py).
    """
    command = str(arguments[0]) if arguments else ""
    if command in _begun:
        return copied(*arguments, env={**ENVIRONMENT, **environment}, folder=folder)
    _begun.add(command)
    return subprocess.run(
        [PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
        env={**ENVIRONMENT, **environment},
    )


def called(command, **words):
    """Run a command of constella.commands within this process, in the folder: exit status and stderr. A
    process takes longer to start than to do most of what the tests ask."""
    output = {"report": "called.html", "plot": "called.png"}.get(command, "called.csv")
    words = {"style": "screen", "formats": "png", "output": output, **words}
    with contextlib.chdir(folder), contextlib.redirect_stderr(io.StringIO()) as said:
        code = main([command, *(f"{name}={value}" for name, value in words.items())])
    return code, said.getvalue()


def refused(do, *words):
    """Whether it raises a ConstellaError whose text has these words."""
    try:
        do()
    except constella.ConstellaError as e:
        return all(w in str(e) for w in words)
    return False


# ---- results

PENDULUM = """system: pendula
coordinates: [x1, y1, x2, y2]
units: {time: s, x1: m, y1: m, x2: m, y2: m, energy: J}
parameters: {g: 1, L1: {default: 1, unit: m}, L2: {default: 1.5, unit: m}}
mass: [1, 1, 1, 1]
potential: g*(y1 + y2)
constraints:
  upper: x1^2 + y1^2 - L1^2
  lower: 2*((x2 - x1)^2 + (y2 - y1)^2) - 2*L2^2
states:
  default: {q: [0, -L1, 0.6*L2, -L1 - 0.8*L2], v: [0, 0, 0, 0]}
"""
ORDER = {
    "study": "order",
    "system": PENDULUM,
    "end": 1,
    "steps": {"from": 0.1, "halvings": 3},
    "methods": ["shake", "rattle"],
    "reference": {"method": "gauss(4)", "step": 0.05},
}
SWEEP = {
    "study": "conservation",
    "title": "A sweep",
    "system": PENDULUM,
    "end": 20,
    "steps": [0.1, 0.05],
    "methods": ["rattle", "rk4"],
    "observables": ["energy", "constraint", "angle: atan2(x1, -y1)"],
    "trajectories": {"members": [1, 3], "every": 2},
    "burn-in": 0.1,
    "histograms": [{"name": "angles", "expression": "atan2(x1, -y1)", "from": -2, "to": 2, "bins": 8}],
    "initial": {"members": 4, "seed": 1, "around": "default", "spread": {"q": 0.01, "v": 0.01}},
}


def run_here(study, name):
    """Run a study in the folder, where systems that it contains are kept."""
    with contextlib.chdir(folder):
        return constella.run(study, folder / name, progress=False)


def order_study():
    """Errors of two methods on the double pendulum, by the package, from a dict with the text of the system
    in it."""
    return run_here(ORDER, "order.h5")


def sweep_study():
    """A long run over three values of a parameter, with trajectories, by the package, from a file."""
    (folder / "pendula.yaml").write_text(PENDULUM)
    swept = {**SWEEP, "system": {"file": str(folder / "pendula.yaml"), "parameters": {"L2": [1.0, 1.5, 2.0]}}}
    (folder / "sweep.yaml").write_text(json.dumps(swept))
    return run_here(folder / "sweep.yaml", "sweep.h5")


def make(name, kind, **changes):
    """The path of a made-up result (synthetic.py)."""
    path = folder / f"{name}.h5"
    synthetic.build(path, kind, **changes)
    return path


# ---- figures


def lines(ax):
    """The lines of a panel: (x, y)."""
    return [(line.get_xdata(), line.get_ydata()) for line in ax.lines]


def drawn(ax, x, y):
    """Whether a line of the panel goes through exactly these points."""
    return any(
        len(a) == len(x) and np.allclose(a, x) and np.allclose(b, y, rtol=1e-9, atol=0) for a, b in lines(ax)
    )


def texts(fig):
    return [t.get_text() for ax in fig.axes for t in ax.texts]
