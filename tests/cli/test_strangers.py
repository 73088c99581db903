"""test_strangers.py: what others left in the current folder, in a user's configuration or in the texts of a
result does not run, does not change figures, and is not active in tables; small limits and missing parts are
named."""
# SPDX-License-Identifier: BSD-2-Clause
import csv
import io
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import ENVIRONMENT, PROGRAM, constella, done, h5py, limited, ok, path, run, scratch, together, write

STUDY = """study: conservation
system: planar-pendulum
end: 2
steps: [0.1, 0.05]
methods: [rattle, midpoint]
trajectories: {members: [0], every: 5}
"""
ANALYSIS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "analysis")
_, RESULT = run("stranger", STUDY)


def bytes_of(file):
    with open(file, "rb") as f:
        return f.read()


def alone():
    """A copy of the program without its scripts, in a folder that has such a script."""
    folder = scratch()
    os.makedirs(f"{folder}/analysis")
    write(f"{folder}/analysis/command.py", f"open({folder + '/ran'!r}, 'w')\n")
    shutil.copy(PROGRAM, f"{folder}/copy")
    process = subprocess.run(
        [f"{folder}/copy", "report", RESULT, "-o", "x.html"],
        cwd=folder,
        env={k: v for k, v in ENVIRONMENT.items() if k != "CONSTELLA_ANALYSIS"},
        capture_output=True,
        text=True,
    )
    ok(
        process.returncode == 2 and "set CONSTELLA_ANALYSIS" in process.stderr and not os.path.exists(f"{folder}/ran"),
        "a bare copy of the program does not run a script of the current folder",
        process.stderr,
    )


def settings():
    """matplotlibrc in the current folder and in the user's configuration; modules in the current folder."""
    plain, folder, home = scratch(), scratch(), scratch()
    rc = "text.usetex: True\nfont.size: 30\naxes.facecolor: red\nfigure.figsize: 1, 1\nno.such: 1\n"
    os.makedirs(f"{home}/matplotlib")
    for file in (f"{folder}/matplotlibrc", f"{home}/matplotlib/matplotlibrc"):
        write(file, rc)
    for module in ("numpy", "matplotlib", "h5py", "constella", "csv"):
        write(f"{folder}/{module}.py", f"open({folder + '/ran'!r}, 'w')\n")
    words = ("plot", RESULT, "drift", "-o", "x.png")
    first = constella(*words, folder=plain)
    second = constella(*words, folder=folder, env={"XDG_CONFIG_HOME": home})
    ok(first.returncode == 0 and second.returncode == 0, "figures are drawn", first.stderr, second.stderr)
    ok(
        bytes_of(f"{plain}/x.png") == bytes_of(f"{folder}/x.png"),
        "the same beside a matplotlibrc and with one of the user",
        second.stderr,
    )
    ok(not os.path.exists(f"{folder}/ran"), "modules of the current folder are not imported")


def texts():
    """Texts that would be commands in LaTeX, and formulas in spreadsheets."""
    file = path("texts.h5")
    shutil.copy(RESULT, file)
    with h5py.File(file, "r+") as f:
        f.attrs["title"] = "a\n\\input{/etc/passwd}\r\\end\u2028\\x\x0b\\y"
        labels = f["statistics/method"][:]
        labels[:] = b"=cmd|'/c calc'!A0"
        labels[0] = b"@SUM(A1)"
        f["statistics/method"][:] = labels
    output = path("texts.tex")
    process = constella("export", file, "-o", output)
    lines = bytes_of(output).decode().splitlines() if process.returncode == 0 else []
    ok(
        lines and lines[0].startswith("%") and not any("\\input" in x for x in lines[1:]),
        "a title stays a comment",
        lines[:4],
    )
    tables = {"table": constella("table", file, "--format", "csv").stdout}
    output = path("texts.csv")
    constella("export", file, "-o", output)
    tables["export"] = bytes_of(output).decode()
    for name, text in tables.items():
        rows = list(csv.DictReader(io.StringIO(text)))
        ok({r["method"][0] for r in rows} == {"'"}, f"{name}: no method is a formula", text[:300])
        numbers = [r["energy_max"] for r in rows if "energy_max" in r] + [r["step"] for r in rows]
        ok(numbers and all(float(x) >= 0 for x in numbers), f"{name}: numbers stay numbers", numbers)
        ok("'-" not in text.replace("'/c", ""), f"{name}: negative numbers too", text[:300])


def missing():
    for part, words in (
        ("final", ("plot", "trajectory", "-o", "x.png")),
        ("final/status", ("report", "-o", "x.html")),
    ):
        file = path("missing.h5")
        shutil.copy(RESULT, file)
        with h5py.File(file, "r+") as f:
            del f[part]
        process = limited(words[0], file, *words[1:], seconds=30)
        ok(
            process.returncode == 2 and "/final/status" in process.stderr and "mistake" not in process.stderr,
            f"{words[0]} of a result without {part}",
            process.returncode,
            process.stderr,
        )
    for words in (f"plot {RESULT} drift -o few.png", f"report {RESULT} -o few.html"):
        process = subprocess.run(
            ["bash", "-c", f"ulimit -n 8; exec {PROGRAM} {words}"], env=ENVIRONMENT, capture_output=True, text=True
        )
        ok(
            "the limit on open files is 8 (ulimit -n)" in process.stderr,
            "8 open files are too few",
            process.stderr,
        )


def names():
    """An observable does not take a name that stored trajectories have."""
    for name, what in (
        ("x", "a coordinate"),
        ("p_y", "a momentum"),
        ("lambda_rod", "a multiplier"),
        ("t", "the time"),
        ("q", "a dataset"),
        ("v", "a dataset"),
    ):
        study = write(f"name-{name}.yaml", STUDY + f'observables: ["{name}: y^2"]\n')
        process = constella("check", study)
        ok(
            process.returncode == 2 and f":7:15: error: the observable '{name}' cannot be called that: it is the name of {what}" in process.stderr,
            f"the name {name} is refused",
            process.stderr,
        )


ROLLING = """system: rolling
parameters: {a: 0.2, h: 0.1}
bodies:
  st: {rotation: R, centre: [x, y, z], mass: 1, inertia: [1e-3, 2e-3, 2.5e-3]}
potential: 9.81*z
constraints: {contact: z - a}
nonholonomic: {one: "x' - a*y'", two: "R11' - h*y'"}
states: {default: {bodies: {st: {centre: [0, 0, a], omega: [0, 0, 0], velocity: [0, 0, 0]}}}}
"""


def joints():
    process = constella("system", write("rolling.yaml", ROLLING))
    ok(
        "rank of the joints 3 of 3" in process.stdout,
        "joints with conditions on velocities are counted",
        process.stdout,
        process.stderr,
    )


def other_pythons():
    """Modules of another Python in PYTHONPATH are named with the reason; its PYTHONHOME is ignored."""
    folder = scratch()
    os.makedirs(f"{folder}/numpy")
    write(f"{folder}/numpy/__init__.py", "raise ImportError('undefined symbol: of Python 3.9')\n")
    env = {"CONSTELLA_ANALYSIS": ANALYSIS, "PYTHONPATH": folder}
    process = constella("plot", RESULT, "drift", "-o", path("other.png"), env=env)
    said = f"cannot import what it needs: undefined symbol: of Python 3.9 (PYTHONPATH={folder})"
    ok(process.returncode == 2 and said in process.stderr, "modules of another Python", process.stderr)
    env = {"CONSTELLA_ANALYSIS": ANALYSIS, "PYTHONHOME": folder}
    line = [PROGRAM, "plot", RESULT, "drift", "-o", path("other.png")]
    environment = {k: v for k, v in {**ENVIRONMENT, **env}.items() if k != "PYTHON"}
    process = subprocess.run(line, env=environment, capture_output=True, text=True)
    ok(process.returncode == 0, "PYTHONHOME of another Python", process.stderr)


together([alone, settings, texts, missing, names, joints, other_pythons])
done()
