"""test_hostile.py: malicious files are refused quickly, with a place and few messages, and do no harm."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import re
import resource
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import (
    BEAD,
    ENVIRONMENT,
    GOOD,
    PROGRAM,
    SLOWER,
    constella,
    done,
    ok,
    path,
    run,
    scratch,
    together,
    write,
)

import h5py  # which cli has asked for

SECONDS = 6  # of the processor, which on an idle machine is three times what it takes


def limited(*words, seconds=SECONDS, folder=None):
    """As constella(), with a limit of processor time, and ten times as much of real time, that kills it."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SLOWER * seconds, SLOWER * seconds))

    try:
        return subprocess.run(
            [PROGRAM, *map(str, words)],
            env=ENVIRONMENT,
            cwd=folder or os.path.dirname(path("x")),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=10 * SLOWER * seconds,
            encoding="utf-8",
            errors="replace",
            preexec_fn=limit,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, -1, "", "it took too long")


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
    """Valid long lists are planned in time proportional to their length."""
    for title, text in (
        (
            "values of a parameter",
            GOOD.replace(
                "planar-pendulum",
                "{name: planar-pendulum, parameters: {g: ["
                + ", ".join(str(1 + i / 1e6) for i in range(100000))
                + "]}}",
            ),
        ),
        (
            "steps",
            GOOD.replace("[0.1, 0.05]", "{counts: [" + ", ".join(str(10 + i) for i in range(50000)) + "]}"),
        ),
    ):
        process = limited("check", write(title.replace(" ", "-") + ".yaml", text))
        ok(process.returncode == 0, f"many {title}: planned", process.returncode, process.stderr[:300])


def early():
    """What is wrong in a line is found before a million starts or parameter sets are looked at."""
    wrong = GOOD.replace("midpoint", "ratle").replace("exact", "self")
    write("million.csv", "x\n" + "0.1\n" * 1000000)
    top = "{name: heavy-top, parameters: {g: {from: 1, to: 2, count: 1000000}}}"
    start = '{q: ["1+0*g", 0, 0, 0, 1, 0, 0, 0, 1.1], v: [0, 0, 0, 0, 0, 0, 0, 0, 0]}'
    for title, text, words in (
        ("starts", wrong + "initial: {csv: million.csv, project: true}\n", "method 'ratle'"),
        ("sets", wrong.replace("planar-pendulum", top), "method 'ratle'"),
        ("start", GOOD.replace("planar-pendulum", top) + f"initial: {start}\n", "the start is inconsistent"),
        ("long", GOOD + "title: [" + "a, " * 3000000 + "]\n", "at most 8 MiB are allowed"),
    ):
        process = limited("check", write(f"early-{title}.yaml", text), seconds=1)
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
        ["the observable 't' cannot be called that", "/series/t"],
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


def damaged():
    """Results with damaged bytes: a message, in time."""
    _, result = run("whole", GOOD)
    with open(result, "rb") as f:
        whole = f.read()
    places = [
        0,
        8,
        9,
        13,
        20,
        28,
        36,
        44,
        52,
        60,
        96,
        100,
        136,
        288,
        289,
        290,
        291,
        296,
        300,
        400,
        500,
        len(whole) // 2,
    ]
    for at in places:
        file = path(f"damaged-{at}.h5")
        with open(file, "wb") as f:
            f.write(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        for command in ("status", "table"):
            process = limited(command, file)
            ok(
                process.returncode in (0, 2) and (process.returncode == 0 or "error: " in process.stderr),
                f"{command} with byte {at} damaged",
                process.returncode,
                process.stderr[:200],
            )
    shutil.copy(result, path("emptied.h5"))
    with h5py.File(path("emptied.h5"), "r+") as f:
        del f["/statistics/step"]
        f["/statistics/step"] = [1.0]
    for name, dataset, put in (
        ("loop", "statistics/energy_max", h5py.SoftLink("/statistics/energy_max")),
        ("scalar", "cases/tolerance", 1e-14),
    ):
        shutil.copy(result, path(f"{name}.h5"))
        with h5py.File(path(f"{name}.h5"), "r+") as f:
            del f[dataset]
            f[dataset] = put
    for name in ("damaged-9.h5", "damaged-13.h5", "emptied.h5", "loop.h5", "scalar.h5"):
        process = limited("report", path(name), "-o", path("page.html"), seconds=30)
        ok(
            process.returncode == 2 and "error: " in process.stderr and "Traceback" not in process.stderr,
            f"report of {name}",
            process.returncode,
            process.stderr[:300],
        )
    with open(path("short.h5"), "wb") as f:
        f.write(whole[: len(whole) // 3])
    ok(limited("table", path("short.h5")).returncode == 2, "a result that is cut short")


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


def strange():
    """Names and texts that are no UTF-8 or would steer a terminal; limits that are too small."""
    name = os.fsdecode(b"bad\xff\xfe.h5")
    run("strange", GOOD)
    made = limited("run", path("strange.yaml"), "-o", name, "--overwrite")
    process = limited("report", name, "-o", "bad.html", seconds=30)
    ok(
        made.returncode == 0 and process.returncode == 0,
        "report of a result with a name of any bytes",
        process.stderr,
    )
    steering = path("steering.h5")
    shutil.copy(path("strange.h5"), steering)
    with h5py.File(steering, "r+") as f:
        f.attrs["system"] = f.attrs["title"] = "\x1b]0;x\x07"
    ok("\x1b" not in limited("cite", steering).stdout, "cite disarms the texts of a result")
    process = limited("plot", steering, "work", "-o", "x.png", seconds=30)
    ok("Warning" not in process.stderr, "a figure warns of no character", process.stderr)
    text = (
        GOOD.replace("study: order", "study: ensemble")
        .replace("reference: exact\n", "")
        .replace("end:", "observables: ['bad: log(y - 5)']\nend:")
    )
    _, result = run("numberless", text)
    process = limited("plot", result, "ensemble", "--y", "bad", "-o", "x.png", seconds=30)
    ok("no member has a number at the end" in process.stderr, "an ensemble without numbers", process.stderr)
    report = f"report {path('strange.h5')} -o {path('strange.html')}"
    for limit, words, told in (
        ("-s 64", f"check {path('strange.yaml')}", "the limit on the stack, in KiB, is 64"),
        ("-v 200000", report, "the limit on memory, in KiB, is 200000"),
    ):
        if limit.startswith("-v") and SLOWER > 1:
            continue  # the sanitizers reserve terabytes
        process = subprocess.run(
            ["bash", "-c", f"ulimit {limit}; exec {PROGRAM} {words}"],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=100,
        )
        ok(
            process.returncode == 2 and told in process.stderr,
            f"ulimit {limit}: the limit is named",
            process.returncode,
            process.stderr,
        )


def elsewhere():
    """Results that lead to other files: refused before anything of those is read."""
    _, result = run("inside", GOOD)
    secret = write("secret", "the contents of another file")
    os.mkfifo(path("fifo"))  # which nobody writes

    def lead(name, dataset, put):
        file = path(name + ".h5")
        shutil.copy(result, file)
        with h5py.File(file, "r+") as f:
            shape, dtype = f[dataset].shape, f[dataset].dtype
            del f[dataset]
            put(f, dataset, shape, dtype)
        return file

    def link(f, name, shape, dtype):
        f[name] = h5py.ExternalLink(path("fifo"), "/x")

    def virtual(f, name, shape, dtype):
        layout = h5py.VirtualLayout(shape, dtype)
        layout[...] = h5py.VirtualSource(path("fifo"), "x", shape)
        f.create_virtual_dataset(name, layout)

    def storage(f, name, shape, dtype):
        f.create_dataset(name, shape, dtype, external=[(secret, 0, h5py.h5f.UNLIMITED)])

    commands = [
        ("status", "FILE"),
        ("table", "FILE"),
        ("verify", "FILE"),
        ("cite", "FILE"),
        ("export", "FILE", "-o", "x.csv"),
        ("run", path("inside.yaml"), "-o", "FILE", "--resume"),
    ]
    for dataset, put in (
        ("final/status", link),
        ("statistics/energy_max", virtual),
        ("final/status", storage),
    ):
        file = lead(put.__name__, dataset, put)
        told = f"is not a Constella result: /{dataset} lies in another file"
        for words in commands:
            process = limited(*(file if word == "FILE" else word for word in words))
            ok(
                process.returncode == 2 and told in process.stderr,
                f"{words[0]} of a result with a {put.__name__} elsewhere: refused",
                process.returncode,
                process.stdout + process.stderr,
            )
        ended = subprocess.run(
            [sys.executable, "-c", f"import constella; constella.Result({file!r})"],
            env={**ENVIRONMENT, "PYTHONPATH": os.path.join(os.path.dirname(__file__), "../../analysis")},
            capture_output=True,
            text=True,
            timeout=60 * SLOWER,
        )
        ok(told in ended.stderr, "and by the Python package", ended.stderr)
    file = path("soft.h5")
    shutil.copy(result, file)
    with h5py.File(file, "r+") as f:
        f.move("statistics/step", "inner")
        f["statistics/step"] = h5py.SoftLink("/inner")
    ok(limited("table", file).returncode == 0, "links inside a result are followed")


together([many, much, early, names, pipes, work, stacks, damaged, options_beside, elsewhere, strange], 2)
done()
