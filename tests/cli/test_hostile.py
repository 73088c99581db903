"""test_hostile.py: malicious studies, systems and options are refused quickly, with a place and few messages, and do no harm."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import BEAD, GOOD, constella, done, limited, ok, path, run, scratch, together, write


def refused(title, text, words, most=2, name=None):
    """It must be refused at a place, with these words, in at most `lines` lines."""
    study = write((name or re.sub(r"\W", "-", title)) + ".yaml", text)
    process = limited("check", study)
    lines = process.stderr.splitlines()
    ok(
        process.returncode == 2 and lines and re.match(r".*:\d+:\d+: error: ", lines[0]),
        f"{title}: refused at its place",
        process.returncode,
        *lines[:3],
    )
    ok(
        all(x in process.stderr for x in words) and len(lines) <= most,
        f"{title}: in few words",
        len(lines),
        *lines[:3],
    )


def many():
    n = 20000
    refused(
        "unknown keys",
        GOOD + "".join(f"key{i}: 1\n" for i in range(n)),
        ["unknown key 'key0'", "of which not all are shown"],
        101,
    )
    refused(
        "equal steps",
        GOOD.replace("[0.1, 0.05]", "[" + ", ".join(["0.1"] * n) + "]"),
        ["the step 0.1 appears twice", "not all are shown"],
        101,
    )
    refused(
        "layers",
        GOOD + "layers:\n" + "".join(f"  l{i}: {{a: [[0]], b: [1]}}\n" for i in range(n)),
        [f"{n} layers; at most 1000"],
    )
    refused(
        "observables",
        GOOD + "observables: [" + ", ".join(f'"o{i}: x"' for i in range(n)) + "]\n",
        [f"{n} observables; at most 1000"],
    )
    refused(
        "methods",
        GOOD.replace("midpoint", ", ".join(f'"convert(rk4, bias=-{(i + 1) / 1e5:.5f})"' for i in range(n))),
        ["methods; at most 10000"],
    )
    huge = GOOD + "initial: {members: 100000000, seed: 1, spread: {v: 0.1}}\n"
    refused(
        "stored members",
        huge + "trajectories: {members: all}\n",
        ["the states of 100000000 members would be stored; of each case those of 1000000 at most"],
    )
    refused(
        "members to draw from",
        huge.replace("100000000", "100000001") + "trajectories: {members: {random: 3}}\n",
        ["members are drawn from 100000000 at most"],
    )
    refused(
        "times of the reference",
        GOOD.replace("[0.1, 0.05]", "{counts: [10000000, 20000000]}").replace(
            "exact", '{method: "gauss(4)", step: 0.1}'
        )
        + "error: {over: mesh}\n",
        ["the reference would be read at 60000000 times; at most 20000000"],
    )
    refused(
        "tolerances",
        GOOD + "solver: {tolerance: [" + ", ".join(f"{i + 1}.0e-12" for i in range(n)) + "]}\n",
        [f"{n} tolerances; at most 10000"],
    )


def much():
    """Valid long lists are planned in time proportional to their length: half a second and a second of the processor
    on an idle machine."""
    for title, text in (
        (
            "values of a parameter",
            GOOD.replace(
                "planar-pendulum",
                "{name: planar-pendulum, parameters: {g: ["
                + ", ".join(str(1 + i / 1e6) for i in range(20000))
                + "]}}",
            ),
        ),
        (
            "steps",
            GOOD.replace("[0.1, 0.05]", "{counts: [" + ", ".join(str(10 + i) for i in range(10000)) + "]}"),
        ),
    ):
        process = limited("check", write(title.replace(" ", "-") + ".yaml", text), seconds=10)
        ok(process.returncode == 0, f"many {title}: planned", process.returncode, process.stderr[:300])


def early():
    """What is wrong in a line is found before a million starts or parameter sets are looked at, which takes 3 s and 27 s
    of the processor on an idle machine."""
    wrong = GOOD.replace("midpoint", "ratle").replace("exact", "self")
    write("million.csv", "x\n" + "0.1\n" * 1000000)
    top = "{name: heavy-top, parameters: {g: {from: 1, to: 2, count: 1000000}}}"
    start = '{q: ["1+0*g", 0, 0, 0, 1, 0, 0, 0, 1.1], v: [0, 0, 0, 0, 0, 0, 0, 0, 0]}'
    for title, seconds, text, words in (
        ("starts", 2, wrong + "initial: {csv: million.csv, project: true}\n", "method 'ratle'"),
        ("sets", 5, wrong.replace("planar-pendulum", top), "method 'ratle'"),
        ("start", 5, GOOD.replace("planar-pendulum", top) + f"initial: {start}\n", "the start is inconsistent"),
        ("long", 2, GOOD + "title: [" + "a, " * 3000000 + "]\n", "at most 8 MiB are allowed"),
    ):
        process = limited("check", write(f"early-{title}.yaml", text), seconds=seconds)
        ok(
            process.returncode == 2 and words in process.stderr,
            f"early: {title}",
            process.returncode,
            process.stderr[:300],
        )


def names():
    """Every name of the result is there once: what a user's would make twice is refused where it stands."""
    for name in ("displacement", "hidden_scaled", "a" * 48, "a" * 300):
        refused(
            f"an observable called {name[:20]}, {len(name)} letters",
            GOOD + f'observables: ["{name}: x"]\n',
            [name],
            name=f"named-{name[:20]}-{len(name)}",
        )
    refused(
        "an observable called t",
        GOOD + 'observables: ["t: x"]\n',
        ["the observable 't' cannot be called that", "it is the name of the time"],
        name="named-t",
    )
    write("named-t-system.yaml", BEAD.replace("rotation-z", "t"))
    refused(
        "a symmetry called t",
        GOOD.replace("planar-pendulum", "{file: named-t-system.yaml}").replace(
            "reference: exact", "reference: self"
        ),
        ["the symmetry 't' of bead-on-ellipsoid cannot be called that"],
        name="symmetry-t",
    )
    process, result = run("longest", GOOD + f'observables: ["{"a" * 47}: x"]\n')
    ok(process.returncode == 0, "the longest name that is allowed runs", process.stderr)


def pipes():
    """Only regular files are opened: a pipe may never end."""
    folder = scratch()
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    for title, line in (
        ("system", "system: {file: PIPE}"),
        ("layer", "system: planar-pendulum\nlayers: {mine: {file: PIPE}}"),
        ("device", "system: {file: /dev/zero}"),
    ):
        study = os.path.join(folder, title + ".yaml")
        with open(study, "w") as f:
            f.write(GOOD.replace("system: planar-pendulum", line.replace("PIPE", pipe)))
        process = limited("check", study)
        ok(
            process.returncode == 2 and re.match(r".*:\d+:\d+: error: .*not a regular file", process.stderr),
            f"{title}: refused",
            process.returncode,
            process.stderr,
        )
    process = limited("check", "/proc/kmsg")  # regular by its mode; reading it waits
    ok(process.returncode == 2, "a file that waits: refused", process.returncode, process.stderr)
    for command in ("check", "table", "status", "verify"):
        process = limited(command, pipe)
        ok(
            process.returncode == 2 and "regular file" in process.stderr,
            f"{command} of a pipe: refused",
            process.returncode,
            process.stderr,
        )


def work():
    """One count of work for a whole description, derivatives included."""
    head = 'system: s\ncoordinates: ["x[n]"]\nparameters: {n: {size: 1000}}\nmass: [1]\n'
    state = "states: {default: {q: [0.1*i], v: [0]}}\n"
    for title, text in (
        (
            "constraints of all coordinates",
            head
            + (
                "potential: 0\n"
                'constraints: {r: {for: "k = 1..n-1", expression: "sum(j, 1, n, sin(x[j]*x[k])) - 1"}}\n'
            )
            + state,
        ),
        (
            "long sums in a million constraints",
            head.replace("1000", "1000000")
            + "potential: 0\n"
            + 'constraints: {r: {for: "k = 2..n", expression: "sum(j, 1, 400, sin(x[k]*j)) - x[k - 1]"}}\n'
            + state,
        ),
        (
            "sums in sums",
            head + 'potential: "sin(sum(i, 1, n, sum(j, 1, n, sin(x[i] - x[j])*x[j])))"\n' + state,
        ),
        (
            "long sums in states",
            head
            + "potential: 0\n"
            + "states: {"
            + ", ".join(f'a{k}: {{q: ["sum(j, 1, 1000, j)"], v: ["sum(j, 1, 1000, i)"]}}' for k in range(100))
            + "}\n",
        ),
    ):
        name = title.replace(" ", "-")
        write(name + "-system.yaml", text)
        study = write(name + ".yaml", GOOD.replace("planar-pendulum", "{file: " + name + "-system.yaml}"))
        process = limited("check", study, seconds=20)
        ok(
            process.returncode == 2 and re.match(r".*-system\.yaml:\d+:\d+: error: ", process.stderr),
            f"{title}: refused at a place",
            process.returncode,
            process.stderr[:300],
        )


def stacks():
    """Large systems in general lane code, whose vectors and matrices are on the stack."""
    head = 'system: s\ncoordinates: ["x[n]"]\nparameters: {n: {size: SIZE}}\nmass: [1]\n'
    state = "states: {default: {q: [0.1*i], v: [0]}}\n"
    sine = head + 'potential: "sin(sum(i, 1, n, x[i]))"\n' + state
    chain = (
        head + "potential: 0\n"
        'constraints: {r: {for: "i = 2..n", expression: "(x[i] - x[i-1])^2 - 0.01"}}\n' + state
    )
    for title, text, status, words in (
        ("a thousand coordinates", sine.replace("SIZE", "1024"), 0, ""),
        ("a Hessian of a million", sine.replace("SIZE", "1100"), 2, "has 1210000 of them, more than 1200000"),
        ("many constraints", chain.replace("SIZE", "40960"), 0, ""),
    ):
        name = title.replace(" ", "-")
        write(name + "-system.yaml", text)
        system = "{file: " + name + "-system.yaml, compile: never}"
        study = write(name + ".yaml", GOOD.replace("planar-pendulum", system).replace("exact", "self"))
        process = limited("check", study, seconds=20)
        ok(
            process.returncode == status and words in process.stderr,
            f"{title} on the stack: exit status {status}",
            process.returncode,
            process.stderr[:300],
        )


def options_beside():
    """PETSc's files of options in the current folder, which may load code, are not read; the user's own is."""
    folder, home = scratch(), scratch()
    study = write("beside.yaml", GOOD)
    for name in ("petscrc", ".petscrc"):
        with open(os.path.join(folder, name), "w") as f:
            f.write("garbage\n")
    process = constella("run", study, "-o", "beside.h5", folder=folder, env={"HOME": home})
    ok(process.returncode == 0, "a run beside files of options", process.stderr)
    process = constella("verify", "beside.h5", folder=folder, env={"HOME": home})
    ok(process.returncode == 0, "verify beside files of options", process.stderr)
    shutil.copy(os.path.join(folder, ".petscrc"), home)
    process = constella("verify", "beside.h5", folder=folder, env={"HOME": home})
    ok(process.returncode == 2 and ".petscrc line 1" in process.stderr, "~/.petscrc is read", process.stderr)
    process = constella(
        "verify", "beside.h5", folder=folder, env={"HOME": home, "PETSC_OPTIONS": "-skip_petscrc"}
    )
    ok(process.returncode == 0, "~/.petscrc is skipped on demand", process.stderr)
    process = constella("verify", "beside.h5", folder=folder, env={"PETSC_OPTIONS": "-snes_type aspin"})
    ok(process.returncode == 2 and "aspin: it couples" in process.stderr, "verify with aspin", process.stderr)


together([many, much, early, names, pipes, work, stacks, options_beside], 2)
done()
