"""test_check.py: the examples run as their comments say; the estimates of `constella check` for memory and file size are
right within a factor 1.5, for reduced versions of the jobs and examples; and what a run takes beside its steps is in the
seconds that it tells. Seconds that were measured are not compared."""
# SPDX-License-Identifier: BSD-2-Clause
import glob
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import ENVIRONMENT, FOLDER, PROGRAM, constella, done, ok, path, scratch, together, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
JOBS, EXAMPLES = os.path.join(ROOT, "jobs"), os.path.join(ROOT, "examples")
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


# By which the ends of examples are divided that take a second and more.
SHORTER = {"conservation": 16, "lyapunov": 16}


def example(file):
    """The commands in the comment at its top, beside a folder of shortened examples; those that draw need matplotlib."""
    name = os.path.basename(file)[:-5]
    with open(file, encoding="utf-8") as f:
        text = f.read()
    commands = re.findall(r"^#   (.*)$", text, re.M)

    def test():
        folder = scratch()
        shutil.copytree(EXAMPLES, os.path.join(folder, "examples"))
        with open(os.path.join(folder, "examples", name + ".yaml"), "w", encoding="utf-8") as f:
            f.write(re.sub(r"^end: ([\d.]+)$", lambda m: f"end: {float(m[1]) / SHORTER.get(name, 1)!r}", text, flags=re.M))
        page = constella("check", f"examples/{name}.yaml", folder=folder)
        ok(page.returncode == 0, f"{name}: it is checked", page.stdout, page.stderr)
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(PROGRAM, os.path.join(folder, "bin", "constella"))
        where = {**ENVIRONMENT, "PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"]}
        runs = f"constella run examples/{name}.yaml"
        ok(any(x.startswith(runs) for x in commands), f"{name}: its comment says how to run it", *commands)
        for command in commands:
            told = subprocess.run(["bash", "-c", command], cwd=folder, env=where, capture_output=True, text=True)
            drawn = " plot " in command and told.returncode == 2 and "needs the Python module" in told.stderr
            ok(told.returncode == 0 or drawn, f"{name}: {command}", told.stdout, told.stderr)

    return test


def all_listed():
    """examples/README.md has a row for each of its files."""
    with open(os.path.join(EXAMPLES, "README.md"), encoding="utf-8") as f:
        named = set(re.findall(r"\]\(([\w./-]+)\)", f.read()))
    files = {os.path.relpath(x, EXAMPLES) for x in glob.glob(EXAMPLES + "/**", recursive=True) if os.path.isfile(x)}
    ok(files - {"README.md"} <= named, "examples/README.md names every example", *sorted(files - named))


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


PARTS = ("cost", "timing", "reference", "conclusions", "writing")


def seconds(name, text, **how):
    """The seconds of each line, and the page."""
    page = constella("check", write(f"seconds-{name}.yaml", text), **how).stdout
    found = {x: re.search(rf"^{x} .*?about ([\d.e+-]+) s\b", page, re.M) for x in (*PARTS, "total")}
    return {x: float(found[x][1]) for x in found if found[x]}, page


def total():
    """The last line is the sum of the others; times that are repeated are one of them."""
    text = QUAD.replace("study: order", "study: work-precision").replace("error: {over: mesh}", "%s")
    for name, key, parts in (
        ("once", "", [x for x in PARTS if x != "timing"]),
        ("repeated", "timing: {repeats: 3}", list(PARTS)),
    ):
        x, page = seconds(name, text % key)
        ok(list(x) == parts + ["total"], f"{name}: what is told", page)
        ok(abs(sum(x[y] for y in parts) / x["total"] - 1) < 0.02, "and its sum", page)


def beside_steps():
    """2000 cases, of which each is written and judged, but not one that is observed too seldom for a verdict."""
    text = CASES.replace("members: 2,", "members: 1,").replace("20000", "%d").replace("end: 0.4", "end: %g")
    two, _ = seconds("two", text % (2, 1.6))
    many, page = seconds("many", text % (2000, 1.6))
    ok(many["writing"] > two["writing"] + 0.1, "2000 cases are written", page)
    ok(many["conclusions"] > 0.5, "and judged", page)
    few, page = seconds("few", text % (2000, 0.4))
    ok(few["conclusions"] < many["conclusions"] / 4, "where there are values enough", page)


def ends():
    """Spectra are taken where a trajectory ends, which a rehearsal does not see."""
    text = ENSEMBLE.replace("members: 8", "members: 2000").replace("end: 200", "end: 400")
    none, _ = seconds("plain", text)
    x, page = seconds("spectra", text + "frequencies: [{name: x, expression: x, every: 0.4}]\n")
    ok(x["cost"] > 4 * none["cost"], "2000 spectra of 1000 values take longer than 8000 steps each", none, page)


def petsc():
    """A trajectory after another, in steps that take 30 us and more."""
    text = ENSEMBLE.replace("rattle", "midpoint").replace("members: 8", "members: 32")
    x, page = seconds("petsc", text + "solver: {engine: petsc}\n")
    ok(x["cost"] > 30e-6 * 32 * 200 / 0.05 * 0.99, "steps of PETSc's solvers", page)


def compiled():
    """A run that would compile first tells it; where the code is there, its steps are tried with that."""
    system = write(
        "oscillator.system.yaml",
        "system: oscillator\ncoordinates: [x]\nmass: [1]\npotential: x^2/2\nstates: {default: {q: [1], v: [0]}}\n",
    )
    text = (
        f"study: conservation\nsystem: {{file: {system}, compile: always}}\nend: 1\nsteps: [0.1]\nmethods: [rattle]\n"
    )
    cache = {"XDG_CACHE_HOME": path("cache")}
    _, page = seconds("compiled", text, env=cache)
    ok("s to compile the system" in page, "what is not compiled yet", page)
    x = constella("run", path("seconds-compiled.yaml"), "-o", path("compiled.h5"), "--progress", "none", env=cache)
    _, page = seconds("compiled", text, env=cache)
    ok(x.returncode == 0 and "to compile" not in page, "and what is", page + x.stderr)


checked = []
write("many.csv", "x, y\n" + "".join(f"{0.001 * i}, {0.0001 * i * i}\n" for i in range(1000)))
together(
    [job(file, checked) for file in sorted(x for room in (JOBS, JOBS + "/bodies", EXAMPLES) for x in glob.glob(room + "/*.yaml"))]
    + [example(file) for file in sorted(glob.glob(EXAMPLES + "/*.yaml"))]
    + [
        lambda: check("trajectories", TRAJECTORIES),
        lambda: check("many trajectories", MANY),
        lambda: check("the worst trajectories", WORST),
        lambda: check("starts", STARTS),
        lambda: check("quad", QUAD),
        lambda: check("many cases", CASES),
        all_listed,
        reference,
        repeated,
        total,
        beside_steps,
        ends,
        petsc,
        compiled,
    ]
)
ok(len(checked) > 20, "of most of the jobs and examples", checked)
done()
