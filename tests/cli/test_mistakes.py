"""test_mistakes.py: every user error ends with status 2, its place, the right message, and no output."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import BEAD, FOLDER, constella, done, ok, path, scratch, together, write

GOOD = """study: order
system: planar-pendulum
end: 1.0
steps: [0.1, 0.05]
methods: [rattle]
reference: exact
"""
JOBS_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "jobs")


def petscrc(line):
    """A home with this line in PETSc's file of options."""
    folder = scratch()
    with open(os.path.join(folder, ".petscrc"), "w") as f:
        f.write(line + "\n")
    return folder


def files(folder=FOLDER):
    return sorted(os.listdir(folder))


JOBS = []  # run together at the end


def later(function, *words, **more):
    JOBS.append(lambda: function(*words, **more))


def place(text, at):
    """line:column of the text `at` in the file; 1:1 for None."""
    if at is None:
        return "1:1"
    assert text.count(at) == 1, (at, text)
    before = text[: text.index(at)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


def check(name, text, words, at, ranks):
    folder = scratch()
    file = os.path.join(folder, "mistake.yaml")
    with open(file, "w") as f:
        f.write(text)
    process = constella("run", file, "-o", os.path.join(folder, "never.h5"), ranks=ranks, folder=folder)
    errors = [x for x in process.stderr.splitlines() if "error:" in x]
    start = f"{file}:{place(text, at)}: error: "
    found = [x for x in errors if x.startswith(start) and all(w in x for w in words)]
    ok(process.returncode == 2, f"{name}: exit status 2", process.returncode, process.stderr, process.stdout)
    ok(found, f"{name}: says so at its place", "wanted: " + start + " ... ".join(words), process.stderr)
    ok(len(errors) == 1, f"{name}: says it once and nothing else", process.stderr)
    ok(files(folder) == ["mistake.yaml"], f"{name}: writes nothing", files(folder))
    ok(process.stdout == "", f"{name}: prints nothing to stdout", process.stdout)


def refused(name, text, words, at, ranks=0):
    """The study must be refused with the given words; `at`: the part of the text that the message must point
    to, None: the beginning."""
    later(check, name, text, words, at, ranks)


def changed(old, new):
    assert old in GOOD, old
    return GOOD.replace(old, new)


def in_the_study():
    refused("unknown key", GOOD + "stepz: 3\n", ["stepz", "did you mean", "steps"], "stepz")
    refused(
        "unknown system",
        changed("planar-pendulum", "planar-pendlum"),
        ["unknown system", "planar-pendlum", "did you mean 'planar-pendulum'"],
        "planar-pendlum",
    )
    refused(
        "unknown method",
        changed("[rattle]", "[rattel]"),
        ["unknown method 'rattel'", "did you mean 'rattle'"],
        "rattel",
    )
    refused(
        "unknown method inside",
        changed("[rattle]", '["compose(ratle, yoshida4)"]'),
        ["unknown method 'ratle'", "did you mean 'rattle'"],
        "ratle",
    )
    refused(
        "unknown scheme",
        changed("[rattle]", '["compose(rattle, yoshida5)"]'),
        ["yoshida5", "yoshida4"],
        "yoshida5",
    )
    refused(
        "unknown observable",
        GOOD + "observables: [energie]\n",
        ["unknown observable 'energie'", "did you mean 'energy'"],
        "energie",
    )
    refused(
        "unknown name in an observable",
        GOOD + 'observables: ["height: yy + 1"]\n',
        ["observable 'height'", "yy"],
        "yy",
    )
    refused("unknown state", GOOD + "initial: smal\n", ["unknown state 'smal'", "small"], "smal")
    refused(
        "unknown parameter",
        changed("planar-pendulum", "{name: planar-pendulum, parameters: {G: 2}}"),
        ["G", "allowed"],
        "G: 2",
    )
    refused("duplicate key", GOOD + "end: 2.0\n", ["end"], "end: 2.0")
    refused("wrong type of steps", changed("[0.1, 0.05]", "often"), ["steps"], "often")
    refused("wrong type of end", changed("end: 1.0", "end: [1.0]"), ["end"], "[1.0]")
    refused(
        "wrong type of system",
        changed("planar-pendulum", "[planar-pendulum]"),
        ["system"],
        "[planar-pendulum]",
    )
    refused("unknown kind", changed("study: order", "study: odrer"), ["odrer", "order"], "odrer")
    refused("missing key", changed("methods: [rattle]\n", ""), ["missing", "methods"], None)
    refused("missing reference", changed("reference: exact\n", ""), ["missing key 'reference'", "self"], None)
    refused("empty file", "", ["empty"], None)
    refused("a file of blanks", "\n\n", ["empty"], None)
    refused("a scalar as file", "rattle\n", ["map"], "rattle")


def steps():
    refused(
        "step that does not divide the end",
        changed("[0.1, 0.05]", "[0.3]"),
        ["0.3", "does not divide the end", "nearest"],
        "0.3",
    )
    refused("zero step", changed("[0.1, 0.05]", "[0.0]"), ["must be positive"], "0.0]")
    refused("negative step", changed("[0.1, 0.05]", "[-0.1]"), ["-0.1", "must be positive"], "-0.1")
    refused("step .nan", changed("[0.1, 0.05]", "[.nan]"), ["malformed number"], "nan")
    refused("step .inf", changed("[0.1, 0.05]", "[.inf]"), ["malformed number"], "inf")
    refused("absurdly small step", changed("[0.1, 0.05]", "[1.0e-20]"), ["1e-20", "at most 1e15"], "1.0e-20")
    refused("step beyond the end", changed("[0.1, 0.05]", "[2.0]"), ["larger than the end"], "2.0")
    refused("zero end", changed("end: 1.0", "end: 0.0"), ["must be positive"], "0.0\n")
    refused("end .nan", changed("end: 1.0", "end: .nan"), ["malformed number"], "nan")
    refused("end .inf", changed("end: 1.0", "end: .inf"), ["malformed number"], "inf")
    refused("steps that increase", changed("[0.1, 0.05]", "[0.05, 0.1]"), ["must decrease"], "0.1]")


def starts():
    refused(
        "start off the constraint",
        GOOD + "initial: {q: [1.1, 0], v: [0, 0]}\n",
        ["inconsistent", "0.21", "project: true"],
        "{q",
    )
    refused(
        "velocity off the constraint",
        GOOD + "initial: {q: [1, 0], v: [0.25, 1]}\n",
        ["inconsistent", "0.5", "project: true"],
        "{q",
    )
    refused(
        "start of a wrong dimension",
        GOOD + "initial: {q: [1, 0, 0], v: [0, 1]}\n",
        ["'q' has 3 entries", "2 coordinates: x, y"],
        "[1, 0, 0]",
    )
    refused(
        "start that is not finite", GOOD + "initial: {q: [.nan, 0], v: [0, 1]}\n", ["malformed number"], "nan"
    )
    refused(
        "too far to project",
        GOOD + "initial: {q: [0, 0], v: [0, 0], project: true}\n",
        ["no nearest point on the constraints"],
        "{q",
    )
    refused("no members", GOOD + "initial: {members: 0, spread: {q: 0.1}}\n", ["members"], "0, spread")
    refused(
        "no exact motion", GOOD.replace("planar", "double"), ["no exact motion of double-pendulum"], "exact"
    )

    for name, text, words, at in (
        (
            "an iteration that no method uses",
            GOOD + "solver: {iteration: newton}\n",
            ["'iteration' is for"],
            "newton",
        ),
        (
            "no compensated form",
            changed("[rattle]", "[midpoint]") + "roundoff: {compensated: true}\n",
            ["no compensated form"],
            "true",
        ),
        (
            "a start of the system itself",
            changed("planar-pendulum", "{name: planar-pendulum, parameters: {L: 2, m: -1}}"),
            ["the mass of x is -1"],
            "-1",
        ),
    ):
        refused(name, text, words, at)


def needs():
    for method in ("shake", "project(rk4)"):
        text = (
            GOOD.replace("planar-pendulum", "henon-heiles")
            .replace("[rattle]", f"[{method}]")
            .replace("exact", "self")
        )
        refused(f"{method} on henon-heiles", text, [method.split("(")[0], "constraint"], method)
    refused(
        "projection inside a composition", changed("[rattle]", '["project(rattle)"]'), ["project"], "rattle)"
    )
    refused(
        "compensated with rk4",
        changed("[rattle]", "[rk4]") + "roundoff: {compensated: true}\n",
        ["'rk4' has no compensated form"],
        "true",
    )
    for system, method in (
        ("double-pendulum-angles", "rattle"),
        ("charged-pendulum", "shake"),
    ):  # M(q); gyroscopic
        text = (
            GOOD.replace("planar-pendulum", system).replace("rattle", method).replace("exact", "self")
            + "roundoff: {compensated: true}\n"
        )
        refused(
            f"compensated with {system}",
            text,
            [f"{system} has no compensated form", "constant diagonal", "gyroscopic"],
            "true",
        )
    refused(
        "compensated with forces",
        changed("planar-pendulum", "van-der-pol").replace("exact", "self") + "roundoff: {compensated: true}\n",
        ["van-der-pol has no compensated form: it has nonconservative forces"],
        "true",
    )
    refused(
        "lambda of no constraint",
        GOOD.replace("planar-pendulum", "henon-heiles").replace("exact", "self") + "error: {of: [lambda]}\n",
        ["no constraints", "lambda"],
        "lambda",
    )
    refused("gauss(0)", changed("[rattle]", "[gauss(0)]"), ["gauss"], "0)]")
    refused(
        "gammas that do not add up",
        changed("[rattle]", '["compose(rattle, [0.5, 0.6])"]'),
        ["sum"],
        "[0.5, 0.6]",
    )


def tableaus():
    refused(
        "a tableau without weights", changed("[rattle]", '["{a: [[0]]}"]'), ["the tableau has no 'b'"], "{a"
    )
    refused(
        "weights that do not sum to 1",
        changed("[rattle]", '["project({a: [[0]], b: [1/2]})"]'),
        ["'b' sums to 0.5"],
        "[1/2]",
    )
    refused(
        "a tableau that does not end",
        changed("[rattle]", '["{a: [[0]], b: [1]"]'),
        ["expected ',' or '}'"],
        '"]',
    )
    refused(
        "a tableau as a map",
        changed("[rattle]", "[{a: [[0, 0], [1]], b: [0, 1]}]"),
        ["a row of 'a' has 1 number"],
        "[1]]",
    )
    mine = GOOD + "layers:\n  mine:\n    a: [[0, 0], [1/2, 0]]\n    b: [0, 1]\n"
    refused(
        "nodes that are no row sums", mine + "    c: [0, 1/3]\n", ["row 2 of 'a' sums to 0.5", "0.333"], "1/3"
    )
    refused(
        "an unknown key of a layer", mine + "    d: [0, 1]\n", ["unknown key 'd'", "a, b, c"], "d: [0, 1]"
    )
    refused(
        "a layer named like a method", mine.replace("mine", "heun"), ["'heun' is taken by a method"], "heun"
    )
    refused(
        "a misspelt layer",
        mine.replace("[rattle]", "[project(mien)]"),
        ["unknown method 'mien'", "did you mean 'mine'"],
        "mien",
    )
    refused("layers that are a list", GOOD + "layers: [mine]\n", ["'layers' must be a map"], "[mine]")


def bytes_and_files():
    file = write("latin.yaml", GOOD.encode() + "title: caf\xe9\n".encode("latin-1"))
    for command in (("run", file, "-o", path("never.h5")), ("check", file)):
        process = constella(*command)
        ok(
            process.returncode == 2
            and re.search(re.escape(file) + r":7:\d+: error: .*UTF-8", process.stderr),
            f"{command[0]}: bytes that are not UTF-8",
            process.stderr,
        )
    file = write("control.yaml", GOOD.encode() + b"title: a\x07b\n")
    process = constella("run", file, "-o", path("never.h5"))
    ok(
        process.returncode == 2 and re.search(r":7:\d+: error: ", process.stderr),
        "a control character",
        process.stderr,
    )
    file = path("missing.yaml")
    process = constella("run", file, "-o", path("never.h5"))
    ok(process.returncode == 2, "a missing file: exit status 2", process.returncode)
    ok(
        process.stderr.startswith(f"{file}: error: ") or process.stderr.startswith(f"{file}:1:1: error: "),
        "a missing file: named",
        process.stderr,
    )
    ok("No such file" in process.stderr, "a missing file: says why", process.stderr)
    ok(len(process.stderr.splitlines()) == 1, "a missing file: once", process.stderr)
    process = constella("run", file, "-o", path("never.h5"), ranks=2)
    ok(process.stderr.count("error:") == 1, "a missing file on two ranks: once", process.stderr)
    process = constella("run", FOLDER + "/.", "-o", path("never.h5"))
    ok(process.returncode == 2 and "error:" in process.stderr, "a folder as study", process.stderr)
    ok(not os.path.exists(path("never.h5")), "none of these wrote the output")


def outputs():
    study = write("good.yaml", GOOD)
    taken = write("taken.h5", "mine")
    cases = [
        ("an output that exists", taken, ["exists", "--overwrite"], ()),
        ("a missing folder", path("nowhere/out.h5"), ["No such file"], ("--overwrite",)),
        ("a file as folder", taken + "/out.h5", ["not a folder"], ()),
        ("a folder that takes no files", "/proc/out.h5", [], ()),
        ("a folder as output", FOLDER, ["is a folder"], ("--overwrite",)),
        ("a device as output", "/dev/null", ["not a regular file"], ("--overwrite",)),
    ]
    for name, output, words, options in cases:
        before = files()
        process = constella("run", study, "-o", output, *options)
        ok(
            process.returncode == 2,
            f"{name}: exit status 2",
            process.returncode,
            process.stdout,
            process.stderr,
        )
        ok(
            output in process.stderr and all(w in process.stderr for w in words),
            f"{name}: says why",
            process.stderr,
        )
        ok(
            "error:" in process.stderr
            and "PETSC ERROR" not in process.stderr
            and "HDF5-DIAG" not in process.stderr,
            f"{name}: one plain message",
            process.stderr,
        )
        ok(files() == before and open(taken).read() == "mine", f"{name}: nothing touched")


def inputs():
    """No run replaces a file that its study is read from, whatever the name."""
    folder = scratch()
    system = BEAD.replace("bead-on-ellipsoid", "own")
    texts = {
        "first.yaml": GOOD,
        "own.yaml": system,
        "starts.csv": "q1,q2,q3,v1,v2,v3\n0.6,0,-1.6,0,1,0\n",
        "rule.c": open(os.path.join(JOBS_FOLDER, "layers", "kutta38.c")).read(),
        "study.h5": GOOD.replace("planar-pendulum", "{file: own.yaml}")
        .replace("exact", "self")
        .replace("[rattle]", "[rattle, mine]")
        + "layers: {mine: {file: rule.c}}\n",
        "table.yaml": GOOD.replace("planar-pendulum", "{file: own.yaml}").replace("exact", "self")
        + "initial: {csv: starts.csv}\n",
        "from.yaml": GOOD + "initial: {from: first.h5, case: 0}\n",
    }
    for name, text in texts.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    constella("run", "first.yaml", folder=folder)
    os.link(os.path.join(folder, "first.yaml"), os.path.join(folder, "link.yaml"))

    def bytes_there():
        return {name: open(os.path.join(folder, name), "rb").read() for name in files(folder)}

    before = bytes_there()
    for study, output, ranks in (
        ("first.yaml", "first.yaml", 2),
        ("first.yaml", "link.yaml", 0),
        ("study.h5", None, 0),
        ("study.h5", "own.yaml", 0),
        ("study.h5", "rule.c", 0),
        ("table.yaml", "starts.csv", 0),
        ("from.yaml", "first.h5", 0),
    ):
        where = ("-o", output) if output else ()
        process = constella("run", study, *where, "--overwrite", folder=folder, ranks=ranks)
        ok(
            process.returncode == 2 and f"{output or study}: error: is read by the study" in process.stderr,
            f"run {study} to {output}: refused",
            process.returncode,
            process.stderr,
        )
    ok(bytes_there() == before, "no input was touched", files(folder))


def check_line(title, study, words, said, how):
    folder = scratch()
    process = constella("run", study, "-o", os.path.join(folder, "never.h5"), *words, folder=folder, **how)
    errors = [x for x in process.stderr.splitlines() if "error:" in x]
    ok(process.returncode == 2, f"{title}: exit status 2", process.returncode, process.stderr)
    ok(
        any(x.startswith("constella: error: ") and all(w in x for w in said) for x in errors),
        f"{title}: says so",
        process.stderr,
    )
    ok(len(errors) == 1, f"{title}: once", process.stderr)
    ok(files(folder) == [], f"{title}: writes nothing", files(folder))


def command_line():
    study = write("good.yaml", GOOD)
    cases = [
        ("misspelt PETSc option", ("-snes_typo", "lanes"), ["-snes_typo"], {}),
        ("misspelt PETSc flag", ("-snes_monitr",), ["-snes_monitr"], {}),
        (
            "-snes_type anderson",
            ("-snes_type", "anderson"),
            ["anderson", "couples the lanes", "newtonls"],
            {},
        ),
        ("-snes_type ngmres", ("-snes_type", "ngmres"), ["ngmres", "couples the lanes", "newtonls"], {}),
        ("-snes_type qn", ("-snes_type", "qn"), ["qn", "couples the lanes", "newtonls"], {}),
        ("unknown SNES type", ("-snes_type", "newton"), ["-snes_type", "unknown type", "newtonls"], {}),
        (
            "a PETSc option that is no truth value",
            ("-snes_monitor_cancel", "maybe"),
            ["PETSc refuses one of its options", "Unknown logical value: maybe"],
            {},
        ),
        (
            "PETSC_OPTIONS that are no truth value",
            (),
            ["PETSc refuses one of its options", "soon"],
            {"env": {"PETSC_OPTIONS": "-snes_monitor_cancel soon"}},
        ),
        *(
            (
                f"{option} has no effect",
                (option, *value),
                [f"'{option}' is unknown or has no effect", "solver: {tolerance: ..., max-iterations: ...}"],
                {},
            )
            for option, *value in (
                ("-snes_rtol", "1e300"),
                ("-snes_atol", "1e10"),
                ("-snes_max_it", "abc"),
                ("-snes_max_funcs", "0"),
                ("-snes_mf",),
                ("-snes_linesearch_type", "bt"),
                ("-ksp_type", "gmres"),
            )
        ),
        ("-snes_type aspin", ("-snes_type", "aspin"), ["aspin", "couples the lanes"], {}),
        (
            "aspin in PETSC_OPTIONS",
            (),
            ["aspin", "couples the lanes"],
            {"env": {"PETSC_OPTIONS": "-snes_type aspin"}},
        ),
        ("-fp_trap", ("-fp_trap",), ["-fp_trap is not supported"], {}),
        ("-stop_for_debugger", ("-stop_for_debugger",), ["-stop_for_debugger is not supported"], {}),
        (
            "a debugger in PETSC_OPTIONS",
            (),
            ["-start_in_debugger is not supported"],
            {"env": {"PETSC_OPTIONS": "-log_view -start_in_debugger"}},
        ),
        ("-mpi_linear_solver_server", ("-mpi_linear_solver_server",), ["is not supported: all ranks compute"], {}),
        (
            "a .petscrc of words",
            (),
            ["PETSc cannot begin", ".petscrc line 1", "garbage"],
            {"env": {"HOME": petscrc("garbage")}},
        ),
        (
            "a .petscrc with two options a line",
            (),
            ["PETSc cannot begin", ".petscrc line 1", "two options"],
            {"env": {"HOME": petscrc("-malloc_debug -malloc_dump")}},
        ),
        ("CONSTELLA_ISA=v9", (), ["CONSTELLA_ISA=v9", "allowed"], {"env": {"CONSTELLA_ISA": "v9"}}),
        ("CONSTELLA_CPU=v9", (), ["CONSTELLA_CPU=v9", "allowed"], {"env": {"CONSTELLA_CPU": "v9"}}),
        ("--batch 0", ("--batch", "0"), ["--batch", "'0'"], {}),
        ("--batch many", ("--batch", "many"), ["--batch", "'many'"], {}),
        ("--batch -8", ("--batch", "-8"), ["--batch", "'-8'"], {}),
        (
            "--batch beyond all numbers",
            ("--batch", "99999999999999999999"),
            ["--batch", "'99999999999999999999'"],
            {},
        ),
        (
            "a nonlinear preconditioner that couples lanes",
            ("-snes_type", "newtonls", "-npc_snes_type", "anderson"),
            ["npc"],
            {},
        ),
        ("--progress loud", ("--progress", "loud"), ["--progress", "auto, line, log, none", "loud"], {}),
        ("--overwite", ("--overwite",), ["--overwite", "did you mean '--overwrite'"], {}),
        ("-o without a value", ("-o",), ["-o", "needs a value"], {}),
        ("two studies", (study,), ["good.yaml", "takes a study file"], {}),
    ]
    for name, words, said, how in cases:
        for ranks in (0, 2):
            if ranks and name not in (
                "misspelt PETSc option",
                "-snes_type qn",
                "CONSTELLA_ISA=v9",
                "--overwite",
            ):
                continue
            later(
                check_line,
                name + (" on 2 ranks" if ranks else ""),
                study,
                words,
                said,
                {**how, "ranks": ranks},
            )
    process = constella("run", study, "-o", path("large.h5"), "--batch", "1000000000")
    ok(
        process.returncode in (0, 2)
        and "PETSC ERROR" not in process.stderr
        and "Signal" not in process.stderr,
        "--batch 1000000000 runs or is refused",
        process.returncode,
        process.stderr,
    )
    process = constella("run", study, "-o", path("never.h5"), "-options_file", path("missing.rc"))
    ok(
        process.returncode == 2 and "missing.rc" in process.stderr,
        "a missing file of PETSc options: exit status 2",
        process.returncode,
        process.stderr,
    )
    process = constella("run")
    ok(process.returncode == 2 and "needs a study" in process.stderr, "run without a study", process.stderr)


def other_commands():
    for words, said in (
        (("rnu",), ["unknown command 'rnu'", "did you mean 'run'"]),
        (("tabel", "x.h5"), ["unknown command 'tabel'", "did you mean 'table'"]),
        (("list", "foo"), ["systems, methods, observables, studies, schemes"]),
        (("list", "sytems"), ["did you mean 'systems'"]),
        (("list",), ["systems, methods"]),
        (("show", "ratle"), ["nothing is called 'ratle'", "did you mean 'rattle'"]),
        (("show", "heavytop"), ["did you mean 'heavy-top'"]),
        (("show", "adjoint(shake)"), ["'shake' has no adjoint"]),
        (("show",), ["one name"]),
        (("show", "rattle", "shake"), ["unexpected argument 'shake'"]),
        (("show", "rattle", "--sistem", "kepler"), ["unknown option '--sistem'", "did you mean '--system'"]),
        (("show", "rattle", "--system"), ["'--system' needs a value: a system file or the name of a system"]),
        (("show", "rattle", "--system", "kepler", "--system", "henon-heiles"), ["'--system' is given twice"]),
        (("show", "--system", "kepler"), ["one name"]),
        (("show", "rattle", "--system", "kepller"), ["there is no file 'kepller'", "did you mean 'kepler'"]),
        (
            ("show", "rattle", "--system", write("wrong.yaml", BEAD.replace("m*g*z", "m*gg*z"))),
            ["wrong.yaml:5:14: error: ", "'gg'"],
        ),
        (("show", "kepler", "--system", "kepler"), ["'kepler' is not a method"]),
        (("show", "study", "--system", "kepler"), ["'study' is not a method"]),
        (("show", "suzuki4", "--system", "kepler"), ["'suzuki4' is not a method"]),
        (("show", "ratle", "--system", "kepler"), ["did you mean 'rattle'"]),
        (("show", "adjoint(shake)", "--system", "kepler"), ["'shake' has no adjoint"]),
        (("show", "shake", "--system", "kepler"), ["shake needs constraints and kepler has none"]),
        (("check",), ["needs a study file"]),
        (("check", path("missing.yaml")), ["No such file"]),
        (("status", path("missing.h5")), ["missing.h5"]),
        (("status", write("not.h5", "text")), ["not.h5"]),
        (("table", path("not.h5")), ["not.h5"]),
        (("table", path("not.h5"), "--format", "cvs"), ["csv"]),
    ):
        process = constella(*words)
        ok(
            process.returncode == 2 and all(x in process.stderr for x in said),
            f"{' '.join(os.path.basename(x) for x in words)}",
            process.returncode,
            process.stderr,
            process.stdout,
        )
        ok(
            "HDF5-DIAG" not in process.stderr and process.stdout == "",
            f"{words[0]}: plain words only, on stderr",
            process.stderr,
            process.stdout,
        )
    process = constella()
    ok(
        process.returncode == 2 and "constella run" in process.stderr,
        "no command: help on stderr",
        process.stderr,
    )


def several():
    text = """study: order
sistem: planar-pendulum
system: planar-pendulum
end: 1.0
steps: [0.3, -0.1]
methods: [rattel, rattle, "compose(rattle, yoshida5)"]
reference: exact
observables: [energie]
solver: {tolerance: 7}
"""
    file = write("several.yaml", text)
    for ranks in (0, 2):
        title = f"several mistakes, {ranks or 'no'} ranks"
        process = constella("run", file, "-o", path("never.h5"), "--overwite", ranks=ranks)
        places = [
            tuple(map(int, m)) for m in re.findall(re.escape(file) + r":(\d+):(\d+): error:", process.stderr)
        ]
        ok(process.returncode == 2, f"{title}: exit status 2", process.returncode)
        ok(
            [x[0] for x in places] == [2, 5, 5, 6, 6, 8, 9],
            f"{title}: all of them at their lines",
            process.stderr,
        )
        ok(places == sorted(places), f"{title}: sorted", places)
        ok(
            "unknown option '--overwite'" in process.stderr,
            f"{title}: those of the command line too",
            process.stderr,
        )
        ok("8 errors" in process.stderr, f"{title}: counted", process.stderr)
    checked = constella("check", file)
    ok(
        checked.returncode == 2 and checked.stderr.count("error:") == 7 and checked.stdout == "",
        "`check` reports the same mistakes",
        checked.stderr,
        checked.stdout,
    )


if __name__ == "__main__":
    in_the_study()
    steps()
    starts()
    needs()
    tableaus()
    bytes_and_files()
    outputs()
    inputs()
    command_line()
    other_commands()
    several()
    text = changed("[rattle]", "[rattel]")
    refused("unknown method on two ranks", text, ["unknown method 'rattel'"], "rattel", ranks=2)
    together(JOBS)
    done()
