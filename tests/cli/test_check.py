"""test_check.py: the estimates of `constella check` for memory and file size are right within a factor 1.5,
for reduced versions of the jobs."""
# SPDX-License-Identifier: BSD-2-Clause
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import ENVIRONMENT, FOLDER, PROGRAM, constella, done, ok, path, together, write

JOBS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../jobs")
SANITIZED = "ASAN_OPTIONS" in os.environ  # it takes five times the memory
UNIT = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
ENSEMBLE = """study: ensemble
system: henon-heiles
initial: {around: default, members: 8, seed: 1, spread: {q: 0.1, v: 0.1}}
end: 200
steps: [0.05]
methods: [rattle]
"""
TRAJECTORIES = ENSEMBLE + "trajectories: {members: [0, 1, 2, 3, 4, 5, 6, 7], every: 1}\n"
MANY = (
    ENSEMBLE.replace("members: 8", "members: 512").replace("end: 200", "end: 40")
    + "trajectories: {members: all, every: 1, store: [q, p, v, energy]}\n"
)
WORST = (
    ENSEMBLE.replace("members: 8", "members: 64")
    + "trajectories: {members: {worst: 20, by: energy}, every: 1}\n"
)
STARTS = ENSEMBLE.replace(
    "{around: default, members: 8, seed: 1, spread: {q: 0.1, v: 0.1}}", "{csv: many.csv}"
).replace("end: 200", "end: 0.5")
QUAD = """study: order
system: henon-heiles
end: 2
steps: {from: 0.1, halvings: 5}
methods: [rattle]
reference: {method: "gauss(8)", step: 0.01, precision: quad}
error: {over: mesh}
"""


# Most of the file and of the memory are columns.
CASES = """study: conservation
system: {name: planar-pendulum, parameters: {L: {from: 1, to: 2, count: 20000}}}
initial: {members: 2, seed: 3, spread: {q: 0.1, v: 0.1}}
end: 0.4
steps: [0.1]
methods: [rattle]
samples: {count: 0}
"""


def small(text, folder):
    """Four steps of the largest size, forty members; None where steps are not plain numbers."""
    first = re.search(r"^steps: *(?:\{from: *([\d.e+-]+)|\[([\d.e+-]+)[,\]])", text, re.M)
    if not first:
        return None
    text = re.sub(r"file: *([a-z])", lambda m: f"file: {folder}/{m[1]}", text)
    text = re.sub(r"members: *(\d+)", lambda m: f"members: {min(int(m[1]), 40)}", text)
    return re.sub(r"^end: .*$", f"end: {4 * float(first[1] or first[2])!r}", text, flags=re.M)


def told(page, name):
    found = re.search(rf"^{name} +([\d.e+]+) (\w+)$", page, re.M)
    return float(found[1]) * UNIT[found[2]] if found else 0


def measure(name, text):
    """Estimate over true value, of the file and of the memory; None where the reduced study is refused."""
    study, result = write(name + ".yaml", text), path(name + ".h5")
    page = constella("check", study)
    if page.returncode:
        return None
    process = subprocess.Popen(
        [PROGRAM, "run", study, "-o", result, "--progress", "none"],
        env=ENVIRONMENT,
        cwd=FOLDER,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    if not os.path.exists(result):
        return None
    return told(page.stdout, "result file") / os.path.getsize(result), told(
        page.stdout, "memory per rank"
    ) / (1024 * used.ru_maxrss)


def check(name, text, counted=None):
    ratios = measure(name, text)
    if ratios is None:
        return
    compared = ratios[:1] if SANITIZED else ratios
    ok(
        all(1 / 1.5 < x < 1.5 for x in compared),
        f"{name}: the file and the memory, told over measured: {ratios[0]:.2f}, {ratios[1]:.2f}",
    )
    if counted is not None:
        counted.append(name)


def job(file, counted):
    def test():
        with open(file, encoding="utf-8") as f:
            text = small(f.read(), os.path.dirname(os.path.abspath(file)))
        if text is not None:
            check(os.path.basename(file)[:-5], text, counted)

    return test


def reference():
    """20 s in steps of 0.01, and again in steps of 0.02 for the error of the reference."""
    text = (
        QUAD.replace("end: 2\n", "end: 20\n")
        .replace("halvings: 5", "halvings: 1")
        .replace("error: {over: mesh}\n", "")
    )
    page = constella("check", write("reference.yaml", text)).stdout
    ok(
        re.search(
            r"^reference +3000 steps of gauss\(8\) in quadruple precision, about 0\.\d+ s more$", page, re.M
        ),
        "the reference is told, which is most of the work",
        page,
    )
    page = constella("check", write("self.yaml", re.sub("reference: .*", "reference: self", text))).stdout
    ok("reference  " not in page, "where it is a method")


def repeated():
    """Methods that solve for nothing run the same at every tolerance; those that do are not named."""
    text = (
        "study: conservation\nsystem: {name: %s}\nend: 1\nsteps: [0.05]\n"
        "methods: [rattle, rk4]\nsolver: {tolerance: [1e-8, 1e-12]}\n"
    )
    for system, wanted in (
        ("planar-pendulum", ["rk4"]),
        ("tip3p-water, parameters: {n: 2}", ["rk4"]),
        ("henon-heiles", ["rattle", "rk4"]),
    ):
        page = constella("check", write(f"repeated-{len(system)}.yaml", text % system)).stdout
        named = re.findall(r"(\S+) solves nothing: its cases of the 2 tolerances are the same run", page)
        ok(named == wanted, f"{system}: {named} repeat the runs of a tolerance", page)


checked = []
write("many.csv", "x, y\n" + "".join(f"{0.001 * i}, {0.0001 * i * i}\n" for i in range(1000)))
together(
    [job(file, checked) for file in sorted(glob.glob(JOBS + "/*.yaml") + glob.glob(JOBS + "/bodies/*.yaml"))]
    + [
        lambda: check("trajectories", TRAJECTORIES),
        lambda: check("many trajectories", MANY),
        lambda: check("the worst trajectories", WORST),
        lambda: check("starts", STARTS),
        lambda: check("quad", QUAD),
        lambda: check("many cases", CASES),
        reference,
        repeated,
    ]
)
ok(len(checked) > 20, "of most of the jobs", checked)
done()
