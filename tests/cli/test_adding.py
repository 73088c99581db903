"""test_adding.py: the examples of docs/adding.md work: what the page quotes is in them; each is one file and one line of a
list; the method builds, is listed and has the orders of its table; the observer, the collector and the kind of study, which
exist only as examples, are read, run, verified and drawn; the layer runs."""
# SPDX-License-Identifier: BSD-2-Clause
import difflib
import functools
import glob
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True  # no __pycache__ among the sources

import h5py

from cli import BEAD, ENVIRONMENT, FOLDER, constella, done, ok, path, skip, write

SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
with open(os.path.join(SOURCES, "docs", "adding.md"), encoding="utf-8") as page:
    TEXT = page.read()
EXAMPLES = os.path.join(SOURCES, "examples")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.M | re.S)


# An example, its place in src, the list with its line, that line, and the one before which it stands, else at the end.
ADDED = (
    ("method/skew.c", "method/skew.c", "method/list.h", "METHOD(skew)", ""),
    ("observer/speeds.c", "observe/speeds.c", "observe/observers.h", "OBSERVER(speeds)", "OBSERVER(displacement)"),
    ("collector/signs.c", "study/collect/signs.c", "study/rows/collectors.h", "COLLECTOR(signs)", ""),
    ("kind/precision.c", "study/kind/precision.c", "study/rows/kinds.h", "KIND(precision)", ""),
)
# Those of figures, for analysis/constella/plot.
FIGURES = ("collector/signs.py", "figure/iterations.py")


def read(name, folder=EXAMPLES):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def quotes():
    """What the page quotes, but for what `...` leaves out, is in the examples; the lines of the lists are those of ADDED."""
    texts = [read(os.path.relpath(x, EXAMPLES)) for x in glob.glob(EXAMPLES + "/**/*.*", recursive=True)]
    quoted = [text for name, text in BLOCKS if name in ("c", "python", "yaml")]
    lines = [x.strip() for x in quoted if x.count("\n") == 1]
    ok(lines == [line for _, _, _, line, _ in ADDED], "the page has the lines of the lists", lines)
    pieces = [y for x in quoted if x.strip() not in lines for y in x.split("...\n")]
    lost = [x for x in pieces if not any("\n" + x in "\n" + text for text in texts)]
    ok(len(pieces) > 12 and not lost, "and what it quotes is in the examples", *lost)
    named = [x for x in (*(row[0] for row in ADDED), *FIGURES, "layer/mine.c", "kind/precision.yaml") if f"(../examples/{x})" not in TEXT]
    ok(not named, "and it names them all", *named)


def command(*words, more=None):
    return subprocess.run(
        words,
        cwd=SOURCES,
        env={**os.environ, **(more or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=1000,
        encoding="utf-8",
    )


@functools.cache
def variables():
    """Those of the Makefile that a compilation needs, by name; it is read once, since that takes a second."""
    names = ["CC", "ALL_CFLAGS", "SANFLAGS", "PC_LIBS", "ROWS"]
    shown = "".join(f"$(info {x}=$({x}))" for x in names) + "$(foreach i,$(ROWS),$(info ROW_$i=$(LANE_FLAGS) $(call ROW_FLAGS,$i)))"
    told = command("make", "--no-print-directory", "-s", f"BUILD={BUILD}", "--eval", f"told: ; {shown}", "told")
    return {name: words.split() for name, _, words in (x.partition("=") for x in told.stdout.splitlines())}


def variable(name):
    return variables()[name]


def rows(text):
    """A table as the program prints it: cells of each line, the columns apart by two blanks and more."""
    return [re.split(r" {2,}", line.strip()) for line in text.strip().splitlines()]


def close(a, b):
    """Equal up to a unit of the last printed digit; words must be the same."""
    try:
        return abs(float(a) - float(b)) <= 0.011 * abs(float(b)) or abs(float(a)) < 1e-11 > abs(float(b))
    except ValueError:
        return a == b


def same(found, printed):
    return len(found) == len(printed) and all(
        len(x) == len(y) and all(map(close, x, y)) for x, y in zip(found, printed)
    )


def differing(tree, source):
    """The files of a tree that its source has not, and the lines of others that differ."""
    files, lines = [], []
    for folder, _, names in os.walk(tree):
        for name in names:
            place = os.path.relpath(os.path.join(folder, name), tree)
            if not os.path.exists(os.path.join(source, place)):
                files.append(place)
                continue
            with open(os.path.join(source, place), "rb") as old, open(os.path.join(folder, name), "rb") as new:
                both = [x.read().decode("latin-1").splitlines() for x in (old, new)]
            if both[0] != both[1]:
                lines += [f"{place}: {x}" for x in difflib.ndiff(*both) if x[0] in "+-"]
    return sorted(files), sorted(lines)


def added():
    """The examples in their places, in a folder where files are found before those of src; the paths of the sources."""
    tree, src, sources = path("new"), os.path.join(SOURCES, "src"), []
    for example, place, file, line, before in ADDED:
        for x in (place, file):
            os.makedirs(os.path.dirname(os.path.join(tree, x)), exist_ok=True)
        sources.append(write("new/" + place, read(example)))
        old = read(file, src)
        at = old.index(before) if before else len(old)
        write("new/" + file, old[:at] + line + "\n" + old[at:])
    files, lines = differing(tree, src)
    ok(files == sorted(row[1] for row in ADDED), "each is one file", *files)
    ok(lines == sorted(f"{row[2]}: + {row[3]}" for row in ADDED), "and one line of a list", *lines)
    return sources


def lane_code():
    """The list of lane code that `make` writes (Makefile), with the observer, in a folder of its own."""
    names = re.findall(r"^OBSERVER\((\w+)\)", read("observe/observers.h", path("new")), re.M)
    os.makedirs(path("generated"))
    write("generated/observers.list.h", "".join(f'#include "observe/{x}.c"\n' for x in names))


def built():
    """A program with the method, the observer, the collector and the kind of study; None where it cannot be compiled."""
    sources = added()
    lane_code()
    lists = ("method/registry.c", "study/rows/kind.c", "observe/observers.c", "study/rows/collector.c")
    registries = [os.path.join(SOURCES, "src", x) for x in lists]
    fold = os.path.join(SOURCES, "src/observe/core/fold.c")
    work = [(x, ['-DCST_VERSION="test"', '-DCST_COMPILER="test"']) for x in sources + registries]
    work += [(fold, variable(f"ROW_{row}")) for row in variable("ROWS")]
    flags = [x for x in variable("ALL_CFLAGS") if x not in ("-MMD", "-MP", "-g")]
    places = ["-I" + path("new"), "-I" + path("generated")]

    def compiled(job):
        number, (file, more) = job
        # what the build has compiled already is compiled without optimisation, the lane code but once
        quick = file not in sources and not (file == fold and number == len(work) - 1)
        to = path(f"{number}-{os.path.basename(file)}.o")
        return file, to, command(variable("CC")[0], *places, *flags, *more, "-O0" if quick else "-O1", "-c", file, "-o", to)

    with ThreadPoolExecutor(2) as pool:
        all_told = list(pool.map(compiled, enumerate(work)))
    for file, _, told in all_told:
        if (file in sources or told.returncode) and not ok(
            told.returncode == 0, f"{os.path.basename(file)} compiles", told.stdout
        ):
            return None
    program, objects = path("with-all"), [x for _, x, _ in all_told]
    last = [BUILD + "/obj/main.o", *objects, BUILD + "/libconstella.a", "-o", program, *variable("PC_LIBS")]
    told = command(variable("CC")[0], *variable("SANFLAGS"), "-Wl,--strip-debug", *last)
    return program if ok(told.returncode == 0, "and they are linked", told.stdout) else None


def printed(words):
    """The table of the page that begins as tables do and holds some words."""
    (text,) = [text for _, text in BLOCKS if text.startswith("method ") and words in text]
    return rows(text)


def method(program):
    told = command(program, "show", "skew")
    ok(told.returncode == 0 and told.stdout.startswith("skew: a method"), "it is shown", told.stdout)
    write("bead.yaml", BEAD)
    write(
        "skew.yaml",
        """study: order
system: {file: bead.yaml}
end: 2.0
steps: {from: 0.1, halvings: 5}
methods: [skew, "compose(skew, suzuki4)"]
reference: {method: "gauss(6)", step: 0.01}
""",
    )
    told = command(
        program, "run", path("skew.yaml"), "-o", path("skew.h5"), "--overwrite", "--progress", "none"
    )
    if not ok(told.returncode == 0, "it runs", told.stdout):
        return
    page = printed("skew")
    found = command(
        program, "table", path("skew.h5"), "--columns", ",".join(page[0]), "--where", "step=0.003125"
    )
    ok(
        found.returncode == 0 and same(rows(found.stdout), page),
        "the table is the one on the page",
        found.stdout,
        page,
    )


def observer(program):
    """A histogram that no list of the sources has: listed, measured with the lane code of the generic fold,
    written, resumed, verified."""
    ok("\nspeeds " in command(program, "list", "observables").stdout, "it is listed")
    write("bead.yaml", BEAD)
    study = """study: conservation
system: {file: bead.yaml, compile: never}
initial: {members: 5, seed: 3, spread: {q: 0.05, v: 0.05}}
end: 20.0
steps: [0.01]
methods: [rattle, rk4]
observables: [energy, speeds]
observe: every
"""
    for name, more in (("speeds", []), ("speeds-2", ["--batch", "3"])):
        told = command(
            program,
            "run",
            write("speeds.yaml", study),
            "-o",
            path(name + ".h5"),
            "--overwrite",
            "--progress",
            "none",
            *more,
        )
        if not ok(told.returncode == 0, "it runs", told.stdout):
            return
    with h5py.File(path("speeds.h5")) as one, h5py.File(path("speeds-2.h5")) as other:
        counts = one["histograms/speeds"][()]
        ok(
            counts.shape == (2, 5, 16) and (counts.sum(axis=2) == 2001).all() and (counts > 0).sum() > 10,
            "every step of every trajectory is in a bin",
            counts,
        )
        ok((counts == other["histograms/speeds"][()]).all(), "the same for other batches")
        ok((one["observables/speeds"][:, :, 4] > 0).all(), "its quantity is folded like others")
    ok(command(program, "verify", path("speeds.h5")).returncode == 0, "it is verified")


def collector(program):
    """A count of changes of sign that no list of the sources has: its key is read, refused and shown, its
    channel written, resumed by other batches, verified."""
    ok("\nsigns.expression\n" in command(program, "show", "study").stdout, "its keys are shown")
    write("bead.yaml", BEAD)  # the catalogue has folds of its own, compiled without the observer
    study = """study: conservation
system: {file: bead.yaml, compile: never}
initial: {members: 5, seed: 3, spread: {q: 0.05, v: 0.05}}
end: 40.0
steps: [0.02]
methods: [rattle]
observe: every
trajectories: {members: [0, 1, 2, 3, 4], every: 1}
signs: {name: turns, expression: x}
"""
    told = command(program, "check", write("signs.yaml", study.replace("expression: x", "expresion: x")))
    ok(told.returncode == 2 and ":9:" in told.stdout and "expresion" in told.stdout, "refused", told.stdout)
    write("signs.yaml", study)
    results = {"signs": (1, []), "signs-2": (1, ["--batch", "3"]), "signs-3": (2, []), "signs-4": (3, ["--batch", "2"])}
    for name, (ranks, more) in results.items():
        words = ["-o", path(name + ".h5"), "--overwrite", "--progress", "none", *more]
        start = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
        told = command(*start, program, "run", path("signs.yaml"), *words, more=ENVIRONMENT)
        if not ok(told.returncode == 0, "it runs", told.stdout):
            return
    sums(program, results)
    with h5py.File(path("signs.h5")) as one, h5py.File(path("signs-2.h5")) as other:
        found = one["signs/turns"][0]
        signs = one["trajectories/0/q"][:, :, 0] > 0
        mine = (signs[:, 1:] != signs[:, :-1]).sum(axis=1)
        ok((found[:, 1] == mine).all() and (mine > 5).all(), "the changes are those of the stored states", found, mine)
        ok((found == other["signs/turns"][0]).all(), "the same for other batches")
    ok(command(program, "verify", path("signs.h5")).returncode == 0, "it is verified")
    figure(program, found[:, 1])


def bits_of(name):
    with h5py.File(path(name + ".h5")) as file:
        return file["signs/turns_mean"][()].tobytes()


def sums(program, results):
    """The mean over all members by exact sums: right, and the same bits for any ranks, batches and stops."""
    with h5py.File(path("signs.h5")) as file:
        found, x = file["signs/turns_mean"][0], file["trajectories/0/q"][:, :, 0]
    ok(abs(found - x.mean()) < 1e-14 and abs(found) > 1e-4, "the mean of all stored states", found, x.mean())
    apart = [name for name in results if bits_of(name) != bits_of("signs")]
    ok(not apart, "the same bits for other ranks and batches", apart)
    with open(path("signs.yaml"), encoding="utf-8") as file:
        study = re.sub("^trajectories.*\n", "", file.read(), flags=re.M).replace("end: 40.0", "end: 4000.0")
    long = write("stopped.yaml", study + "checkpoint: {seconds: 0.02}\n")
    stops = 0
    for name, more in (("at-once", []), ("stopped", ["--max-hours", "0.00001"])):
        words = [program, "run", long, "-o", path(name + ".h5"), "--progress", "none", "--batch", "2", *more]
        told = command(*words, "--overwrite")
        while told.returncode == 75 and stops < 60:
            stops += 1
            told = command(*(words if stops < 3 else words[: -len(more)]), "--resume")
    ok(told.returncode == 0 and stops > 1, "stopped on its way, and resumed", stops, told.stdout)
    ok(bits_of("stopped") == bits_of("at-once"), "the bits of a run without a stop")
    with open(path("signs.yaml"), encoding="utf-8") as file:
        more = write("more.yaml", file.read().replace("members: 5", "members: 6"))
    told = command(program, "extend", path("signs.h5"), more, "-o", path("more.h5"), "--progress", "none")
    ok(told.returncode == 0 and "the mean of signs is over all members" in told.stdout, "more members", told.stdout)


# What Python is asked of the folder of the results, in one process.
ASKED = """import os, sys
import constella
from constella import commands
os.chdir(sys.argv[1])
print(constella.plot.signs("signs.h5").axes[0].lines[0].get_ydata()[0], flush=True)
commands.main(["report", "file=signs.h5", "output=signs.html", "formats=png", "style=screen"])
sys.stdout.flush()
print("status", commands.main(["plot", "file=speeds.h5", "kind=signs", "output=none.svg", "style=screen"]), flush=True)
"""


def figure(program, changes):
    """The figures, in a copy of the package that has their files and no other change; that of the collector is drawn."""
    package = os.path.join(SOURCES, "analysis")
    shutil.copytree(package, path("analysis"))
    for example in FIGURES:
        shutil.copy(os.path.join(EXAMPLES, example), path("analysis/constella/plot"))
    kinds = [os.path.basename(x)[:-3] for x in FIGURES]
    want = sorted(f"constella/plot/{x}.py" for x in kinds)
    found = differing(path("analysis"), package)
    ok(found == (want, []), "a figure is one file, and no line elsewhere", *found)
    mine = {"CONSTELLA_ANALYSIS": path("analysis")}
    told = command(program, "plot", path("signs.h5"), "signs", "-o", path("signs.svg"), more=mine)
    if told.returncode == 2 and "needs the Python module" in told.stdout:
        return skip("the figure of the collector", "no matplotlib")
    listed = command(program, "list", "figures", more=mine).stdout
    ok(told.returncode == 0 and all(f"\n{x} " in listed for x in kinds), "drawn, and all are listed", told.stdout, listed)
    told = command(sys.executable, "-B", "-c", ASKED, FOLDER, more={"PYTHONPATH": path("analysis")})
    line, *said = told.stdout.splitlines() or [""]
    ok(line == str(changes.mean()), "its line has the mean of the file", told.stdout, changes)
    with open(path("signs.html"), encoding="utf-8") as file:
        ok('<figure id="figure-signs"' in file.read(), "and the report has it", told.stdout)
    ok("status 2" in said and "the study counts no signs" in told.stdout, "a file without the group: said", told.stdout)


def kind(program):
    """A kind of study that is in no list of the sources: read, refused, run, verified, resumed from its
    parts, drawn."""
    told = command(program, "show", "precision")
    ok(
        told.returncode == 0
        and told.stdout.startswith("precision: a kind of study")
        and "target" in told.stdout,
        "it is shown, with its key",
        told.stdout,
    )
    told = command(program, "list", "studies")
    ok("\nprecision " in told.stdout, "and listed", told.stdout)
    study = read("kind/precision.yaml")
    write("bead.yaml", BEAD)
    for name, text, said in (
        ("no-target", study.replace("target: 1.0e-5\n", ""), "missing key 'target'"),
        (
            "negative",
            study.replace("target: 1.0e-5", "target: -1"),
            ":8:9: error: 'target' is -1; it must be above 0",
        ),
        (
            "no-reference",
            study.replace("reference:", "# reference:"),
            "missing key 'reference': a precision study needs one",
        ),
        ("other-kind", study.replace("study: precision", "study: order"), "unknown key 'target'"),
        ("misspelt", study.replace("study: precision", "study: precison"), "did you mean 'precision'?"),
    ):
        told = command(program, "check", write(name + ".yaml", text))
        ok(told.returncode == 2 and said in told.stdout, f"{name}: refused", told.stdout)
    write("precision.yaml", study)
    told = command(
        program,
        "run",
        path("precision.yaml"),
        "-o",
        path("precision.h5"),
        "--overwrite",
        "--progress",
        "none",
    )
    if not ok(told.returncode == 0, "it runs", told.stdout):
        return
    page = printed("work_for_target")
    found = command(
        program, "table", path("precision.h5"), "--columns", ",".join(page[0]), "--where", "step=0.003125"
    )
    ok(
        found.returncode == 0 and same(rows(found.stdout), page),
        "the table is the one on the page",
        found.stdout,
        page,
    )
    told = command(program, "verify", path("precision.h5"))
    ok(told.returncode == 0, "it is verified", told.stdout)
    report = command(
        sys.executable,
        os.path.join(SOURCES, "analysis/command.py"),
        "report",
        "file=" + path("precision.h5"),
        "output=" + path("precision.html"),
        "formats=png",
        "style=screen",
    )
    if report.returncode == 2 and "needs the Python module" in report.stdout:
        return skip("the report of the kind", "no matplotlib")
    with open(path("precision.html"), encoding="utf-8") as file:
        drawn = re.findall(r'<figure id="figure-([\w-]+)"', file.read())
    ok(drawn == ["axes", "constraint"], "the report draws what the row names", drawn, report.stdout)


def layer():
    (session,) = [text for _, text in BLOCKS if text.startswith("$ build/constella run examples/layer/mine.yaml")]
    told = constella("run", os.path.join(EXAMPLES, "layer/mine.yaml"), "-o", path("mine.h5"), "--overwrite", "--progress", "none")
    if told.returncode == 2 and "compiler" in told.stderr:
        return skip("the layer", "no compiler")
    if not ok(told.returncode == 0, "mine.c compiles and runs", told.stderr):
        return
    words = re.search(r"^\$ build/constella table mine.h5 (.*)$", session, re.M).group(1).split()
    found = constella("table", path("mine.h5"), *words)
    printed = session.split(words[-1] + "\n", 1)[1]
    ok(same(rows(found.stdout), rows(printed)), "the table is the one on the page", found.stdout, printed)


if __name__ == "__main__":
    quotes()
    program = built()
    for test in (method, observer, collector, kind) if program else ():
        test(program)
    layer()
    done()
