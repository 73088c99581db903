#!/usr/bin/python3
"""test_edges.py: tables of a system file: families and sums over their rows, the numbers they give beside the same
system without tables, every message, and results that notice a changed table. The systems of jobs that are nets,
lattices and masts."""
# SPDX-License-Identifier: BSD-2-Clause
import os

import h5py
import numpy

from cli import constella, done, made, ok, path, together, write

BENCHMARKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "jobs", "benchmarks")
NET = """system: threads
edges: {threads: {file: threads.csv}, beads: {file: beads.csv}}
coordinates: ["x[beads]", "y[beads]"]
parameters: {k: 2}
define: {"apart(i, j)": "sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2)", pull: "sum(threads, k/2*(apart(i, j) - rest)^2)"}
mass: [1, "mass(i)"]
potential: "sum(beads, mass) + pull"
constraints:
  thread: {for: threads, expression: "(x[i] - x[j])^2 + (y[i] - y[j])^2 - rest^2"}
nonholonomic:
  level: {for: threads, expression: "x'[i] - x'[j]"}
states:
  default: {q: ["X(i)", "Y(i)"], v: [1, 0]}
"""
THREADS = "# threads\n\n i, j, rest\n1, 2, 1\n2, 3, 1\r\n3, 4, 1\n"
BEADS = "\ufeffX,Y,mass\n0,1,1\n0,2,1.5\n0,3,1\n0,4,2"
STUDY = """study: conservation
system: {file: FILE}
end: 0.5
steps: [0.125]
methods: [METHODS]
"""


def net(name, threads=THREADS, beads=BEADS, system=NET):
    """The system with its tables, under names that begin with `name`; the file."""
    write(f"{name}-threads.csv", threads)
    write(f"{name}-beads.csv", beads)
    return write(f"{name}.yaml", system.replace("threads.csv", f"{name}-threads.csv").replace("beads.csv", f"{name}-beads.csv"))


def study(file, methods="project(rk4)"):
    return STUDY.replace("FILE", file).replace("METHODS", methods)


def refuses(name, place, *words, **changes):
    """One message, at `place`, the end of a file's name and line:column."""
    x = constella("system", net(name, **changes))
    errors = [line for line in x.stderr.splitlines() if f"{name}{place}: error: " in line]
    ok(
        x.returncode == 2 and errors and all(w in errors[0] for w in words),
        f"{name}: says so at its place",
        f"wanted: {name}{place}: error: " + " ... ".join(words),
        x.stderr,
        x.stdout,
    )


def threads(old, new):
    assert THREADS.count(old) == 1, old
    return {"threads": THREADS.replace(old, new)}


def system(old, new):
    assert NET.count(old) == 1, old
    return {"system": NET.replace(old, new)}


def messages():
    refuses("index", "-threads.csv:6:1", "index 5 of 'x' is outside 1 .. 4", **threads("3, 4, 1", "3, 5, 1"))
    refuses("half", "-threads.csv:6:1", "the index of 'x' must be an integer constant; it is 3.5",
            **threads("3, 4", "3.5, 4"))
    refuses("cell", "-threads.csv:6:4", "constraint thread[3]: index 5 of 'x' is outside",
            **threads("3, 4", "3, 5"), **system(NET.splitlines()[4], "define: {pull: 0}"))
    refuses("self", "-threads.csv:6:1", "the constraint thread[3] depends on no coordinate",
            **threads("3, 4", "3, 3"))
    refuses("word", "-threads.csv:4:7", "'one' is not a finite number; it is in column 'rest'",
            **threads("1, 2, 1", "1, 2, one"))
    refuses("infinite", "-threads.csv:4:7", "'inf' is not a finite number", **threads("1, 2, 1", "1, 2, inf"))
    refuses("short", "-threads.csv:6:1", "the row has 2 numbers; the first line names 3 columns",
            **threads("3, 4, 1", "3, 4"))
    refuses("long", "-threads.csv:6:1", "the row has 4 numbers; the first line names 3 columns",
            **threads("3, 4, 1", "3, 4, 1, 2"))
    refuses("missing", ".yaml:5:107", "unknown name 'rest'; allowed: ", "did you mean 'rost'?",
            **threads("rest", "rost"))
    refuses("twice", "-threads.csv:3:8", "column 'i' appears twice", **threads("rest", "i"))
    refuses("taken", "-threads.csv:3:8", "column 'k': there is already a parameter of this name",
            **threads("rest", "k"))
    refuses("coordinate", "-threads.csv:3:8", "column 'x': there is already a coordinate", **threads("rest", "x"))
    refuses("table", "-threads.csv:3:8", "column 'beads': there is already a table", **threads("rest", "beads"))
    refuses("name", "-threads.csv:3:8", "'re st' is not a valid name of a column", **threads("rest", "re st"))
    refuses("nameless", "-threads.csv:3:7", "the first line names the columns; this name is empty",
            **threads("j, rest", "j,"))
    refuses("wide", "-threads.csv:3:118", "is one too many; a table has at most 32",
            **threads("rest", ",".join(f"a{k}" for k in range(31))))
    refuses("lengthy", "-threads.csv:3:8", "is too long for the name of a column; at most 40",
            **threads("rest", 41 * "r"))
    refuses("empty", ".yaml:2:25", "-threads.csv has no rows: its first line names columns", threads="i,j,rest\n")
    refuses("nothing", ".yaml:2:25", "-threads.csv has no rows", threads="")
    refuses("zero", "-threads.csv:4:1", "division by zero",
            **threads("1, 2, 1", "1, 2, 0"), **system("- rest^2", "- rest/rest"))
    refuses("absent", ".yaml:2:25", "thraeds.csv: No such file or directory", **system("threads.csv", "thraeds.csv"))
    refuses("folder", ".yaml:2:25", ".: Is a directory", **system("threads.csv", "."))
    refuses("key", ".yaml:2:19", "unknown key 'fiel'; did you mean 'file'?",
            **system("threads: {file", "threads: {fiel"))
    refuses("text", ".yaml:2:8", "'edges' must be a map of 'file: FILE'",
            **system(NET.splitlines()[1], "edges: threads.csv"))
    refuses("list", ".yaml:2:18", "'edges' must be a map {file: FILE}, or of names",
            **system("{file: threads.csv}", "[1]"))
    refuses("parameter", ".yaml:2:9", "table 'k': there is already a parameter",
            **system("edges: {threads", "edges: {k"))
    refuses("near", ".yaml:9:17", "'for' is 'thread'; it must be 'NAME = FROM..TO'", "did you mean 'threads'?",
            **system("for: threads, expression: \"(x", "for: thread, expression: \"(x"))
    refuses("row", ".yaml:13:20", "q of x[4]: row 5 of 'beads' is outside 1 .. 4", **system("X(i)", "X(i + 1)"))
    refuses("more", ".yaml:7:28", "a sum over a table takes 2 arguments: sum(beads, TERM)",
            **system("sum(beads, mass)", "sum(beads, mass, 1)"))
    refuses("variable", ".yaml:7:17", "'beads' cannot be the variable of a sum",
            **system("sum(beads, mass)", "sum(beads*1, 1, 2, 1)"))
    both = system("X(i)", "i(i)")
    both["beads"] = BEADS.replace("X,", "i,")
    refuses("both", ".yaml:13:18", "the tables 'threads' and 'beads' both have a column 'i'", **both)
    many = ", ".join(f"t{k}: {{file: threads.csv}}" for k in range(17))
    refuses("many", ".yaml:2:8", "17 tables; at most 16 are allowed",
            **system(NET.splitlines()[1], f"edges: {{{many}}}"))


def same_as_written_out():
    """The system of the tables, and the same with its numbers in the text."""
    methods, observables = '"project(rk4)", "gauss(2)"', 'observables: ["n: %s"]\n'
    tables = made("tables-study", study(net("tables"), methods) + observables % "sum(threads, rest) + beads")
    text = NET.replace(NET.splitlines()[1] + "\n", "").replace("beads]", "4]")
    for old, new in (
        ("for: threads", 'for: "i = 1..3"'),
        ("sum(threads, k/2*(apart(i, j)", "sum(i, 1, 3, k/2*(apart(i, i + 1)"),
        ("(x[i] - x[j])^2 + (y[i] - y[j])^2 - rest^2", "(x[i] - x[i + 1])^2 + (y[i] - y[i + 1])^2 - 1^2"),
        ("x'[j]", "x'[i + 1]"),
        ("- rest)", "- 1)"),
        ('"mass(i)"', "[1, 1.5, 1, 2]"),
        ("sum(beads, mass)", "5.5"),
        ('"X(i)", "Y(i)"', "0, i"),
    ):
        assert old in text, old
        text = text.replace(old, new)
    written = made("written-study", study(write("written.yaml", text), methods) + observables % "7")
    if not tables or not written:
        return
    same = all((tables[f"/final/{x}"][()] == written[f"/final/{x}"][()]).all() for x in ("q", "p", "lambda"))
    ok(same and abs(tables["/final/q"][0, 0, 0] - 0.5) < 0.1, "numbers of tables give the bits of numbers of the text")
    ok((tables["/observables/n"][:, 0, :2] == 7).all(), "observables may use tables", tables["/observables/n"][()])


def changed():
    """A result has its tables, and notices that one was changed."""
    file = net("changed")
    made("changed-study", study(file))
    result = path("changed-study.h5")
    with h5py.File(result) as f:
        text = f.attrs["system_description"]
        whole = f.attrs["study_file"] if "study_file" in f.attrs else ""
    ok("2, 3, 1" in text and "0,2,1.5" in text, "a result has the tables of its system", text, whole)
    alone = write("alone.yaml", text)
    x = constella("system", alone)
    ok(x.returncode == 0, "a description with its tables behind it is one file", x.stderr)
    x = constella("verify", result)
    ok(x.returncode == 0 and "same bits" in x.stdout, "verify reads them", x.stdout, x.stderr)
    sums = []
    for rest in ("1", "1.0"):
        net("changed", threads=THREADS.replace("2, 3, 1", f"2, 3, {rest}"))
        sums.append([line for line in constella("check", path("changed-study.yaml")).stdout.splitlines() if "sha256" in line])
    ok(sums[0] and sums[0] != sums[1], "the checksum of a system is also that of its tables", *sums)
    x = constella("run", path("changed-study.yaml"), "-o", result, "--resume", "--progress", "none")
    ok(x.returncode == 2 and "holds another study" in x.stderr, "a changed table is refused by --resume", x.stdout, x.stderr)


def job(name, system, rest):
    text = f"study: conservation\nsystem: {system}\n{rest}methods: [rattle]\n"
    return made(name, text, env={"CONSTELLA_SYSTEMS": BENCHMARKS})


def jobs():
    """The net from tables has the numbers of the net; the mast is in equilibrium; the lattice keeps its momenta."""
    nets = [job(f"{name}-run", name, "end: 2\nsteps: [0.03125]\n") for name in ("net", "net-edges")]
    if all(nets):
        same = all((nets[0][f"/final/{x}"][()] == nets[1][f"/final/{x}"][()]).all() for x in ("q", "p", "lambda"))
        ok(same, "net-edges has the numbers of net, bit by bit")
    still = job("mast-run", "{name: mast, parameters: {n: 4}}", "initial: rest\nend: 1\nsteps: [0.03125]\n")
    if still:
        s = numpy.arange(1, 5)[:, None]
        angle = 2 * numpy.pi / 3 * numpy.arange(3) + numpy.pi / 6 * s
        q = numpy.concatenate([numpy.cos(angle).ravel(), numpy.sin(angle).ravel(), numpy.repeat(1.5 * s, 3)])
        off = abs(still["/final/q"][0, 0] - q).max()
        ok(off < 1e-12, "a mast in its equilibrium stays there", off)
        off = abs(still["/final/lambda"][0, 0] + 2.5).max()
        ok(off < 1e-11, "its struts carry the force of the side cables: lambda = -q/2", off)
    moves = job("mast-moves", "mast", "end: 2\nsteps: [0.03125, 0.015625]\n")
    waves = job("lattice-run", "lattice", "end: 2\nsteps: [0.015625, 0.0078125]\nobservables: [energy, momentum]\n")
    kept = ("translation-z", "rotation-x", "rotation-y", "rotation-z")
    for f, name, momenta in ((moves, "mast", ()), (waves, "lattice", kept)):
        if f:
            off = f["/observables/energy"][:, 0, 2]
            ok(3.5 < off[0] / off[1] < 4.5, f"{name}: the error of the energy is that of order 2", off)
            worst = [abs(f[f"/observables/{x}"][:, 0, 2]).max() for x in momenta]
            ok(max(worst, default=0) < 1e-12, f"{name}: momenta are kept", worst)


together([messages, same_as_written_out, changed, jobs])
done()
