"""test_starts.py: sweeps over starts, members with starts of their own (list, grid, csv, from), spread by
coordinate, ranges of parameters."""
# SPDX-License-Identifier: BSD-2-Clause
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import (
    close,
    constella,
    differences,
    digests,
    done,
    h5py,
    numpy,
    ok,
    path,
    run,
    table,
    together,
    write,
)

HEAD = """study: ensemble
system: {system}
end: {end}
steps: [{step}]
methods: [rattle]
roundoff: {{dyadic-steps: true}}
samples: {{count: 5}}
initial: {initial}
"""


def study(initial, system="henon-heiles", end=5, step=0.25, more=""):
    return HEAD.format(initial=initial, system=system, end=end, step=step) + more


def final(name, initial, **how):
    """(q, p) of all members at the end, [case][member][coordinate]."""
    process, result = run(name, study(initial, **how))
    if not ok(process.returncode == 0, f"{name} runs", process.stderr):
        return None, None
    with h5py.File(result, "r") as f:
        return f["final/q"][()], f["final/p"][()]


def refused(name, initial, said, **how):
    process = constella("check", write(f"{name}.yaml", study(initial, **how)))
    ok(process.returncode == 2 and said in process.stderr, f"refused: {name}", process.stderr, process.stdout)


def single(name, q, v):
    return final(name, f"{{q: {q}, v: {v}}}")[0][0, 0]


def grid():
    q, _ = final(
        "grid",
        '{grid: {"y\'": [0, 0.1], x: {from: -0.2, to: 0.2, count: 3}}, around: {q: [0, 0.1], v: [0.05, 0]}}',
    )
    ok(q.shape == (1, 6, 2), "a grid has a member for each point", q.shape)
    ok(
        (q[0, 3] == single("grid-3", [0.0, 0.1], [0.05, 0.1])).all(),
        "the last coordinate varies fastest, the others are those of `around`",
        q,
    )
    ok((q[0, 4] == single("grid-4", [0.2, 0.1], [0.05, 0])).all(), "a range has its ends", q)
    refused(
        "grid-name", "{grid: {w: [1, 2]}}", "'grid' names coordinates, x, and velocities, x'; 'w' is neither"
    )
    refused(
        "grid-more-members",
        "{grid: {x: [0.1, 0.2]}, members: 3}",
        "there are 2 starts for 3 members, and no spread",
    )
    refused(
        "grid-large",
        "{grid: {x: {from: 0, to: 1, count: 100000}, y: {from: 0, to: 1, count: 100000}}}",
        "are too many",
    )
    off = "{grid: {z: {from: -0.9, to: -0.5, count: 3}}}"
    refused("grid-off", off, "the start of member 0 is inconsistent: |g| = ", system="spherical-pendulum")
    q, _ = final("grid-projected", off[:-1] + ", project: true}", system="spherical-pendulum")
    ok(
        close((q**2).sum(-1), numpy.ones(q.shape[:2]), 1e-12) and len(set(q[0, :, 2])) == 3,
        "project: true puts the points on the constraints",
        q,
    )


def listed():
    q, _ = final(
        "list", "{list: [default, {q: [0.1, 0.2], v: [0.3, 0]}], members: 5, seed: 3, spread: {v: {x: 0.01}}}"
    )
    ok(len(numpy.unique(q[0], axis=0)) == 5, "starts go round, each with its own spread", q)
    q, _ = final("list-plain", "{list: [default, {q: [0.1, 0.2], v: [0.3, 0]}]}")
    ok((q[0, 1] == single("list-1", [0.1, 0.2], [0.3, 0])).all(), "member 1 has the second start")


def spread():
    text = "{members: 6, seed: 3, around: default, spread: {q: {x: 0.01}, v: 0}}"
    process, result = run(
        "spread", study(text, end=0.25) + "trajectories: {members: [0, 1, 2, 3, 4, 5], every: 1}\n"
    )
    with h5py.File(result, "r") as f:
        q = f["trajectories/0/q"][:, 0]
    ok(len(set(q[:, 0])) == 6 and len(set(q[:, 1])) == 1, "what is named is spread, and nothing else", q)
    every, _ = final("spread-all", "{members: 3, seed: 3, around: default, spread: {q: 0.01}}")
    named, _ = final(
        "spread-named", "{members: 3, seed: 3, around: default, spread: {q: {x: 0.01, y: 0.01}}}"
    )
    ok((every == named).all(), "all coordinates named is the same as one deviation")
    refused(
        "spread-name", "{members: 3, spread: {q: {w: 1}}}", "'w' of 'q' is not a coordinate, array or body"
    )
    refused("spread-none", "{members: 3, spread: {q: {x: 0}}}", "'spread' is zero")
    bodies, _ = final(
        "spread-body",
        "{members: 3, seed: 1, around: default, spread: {q: {top: 0.1}}}",
        system="euler-top",
        end=0.125,
        step=0.03125,
    )
    ok(bodies is not None and len(numpy.unique(bodies[0], axis=0)) == 3, "a body is spread by its name")


def sweep():
    process, result = run("sweep", study("[default, {q: [0.1, 0.2], v: [0.3, 0]}]"))
    rows = table(result)
    ok(
        [r["start"] for r in rows] == ["default", "start 2"],
        "a list of starts is swept over: a row for each",
        rows,
        process.stderr,
    )
    with h5py.File(result, "r") as f:
        ok(
            (f["final/q"][1, 0] == single("sweep-1", [0.1, 0.2], [0.3, 0])).all(),
            "with the bits of a study of its own",
        )
    more = study("[default, {q: [0.1, 0.2], v: [0.3, 0]}]").replace("[rattle]", "[rattle, rk4]")
    process = constella("extend", result, write("sweep-more.yaml", more), "--progress", "none")
    ok(
        "2 trajectories are taken over, 2 are computed" in process.stdout,
        "it is extended, each start by itself",
        process.stdout,
        process.stderr,
    )
    fresh = run("sweep-fresh", more)[1]
    ok(
        not differences(digests(result), digests(fresh)),
        "to the bits of a fresh run",
        differences(digests(result), digests(fresh)),
    )
    exact = "reference: exact\n"
    process, result = run(
        "sweep-parameters",
        study(
            "[default, {q: [0.6, -0.8], v: [0, 0]}]",
            system="{name: planar-pendulum, parameters: {L: [1, 2]}}",
            more=exact,
        ).replace("0.6, -0.8", '"0.6*L", "-0.8*L"'),
    )
    rows = table(result)
    ok(
        process.returncode == 0
        and [(r["start"], r["L"]) for r in rows]
        == [("default", 1), ("default", 2), ("start 2", 1), ("start 2", 2)],
        "with parameters, too",
        rows,
        process.stderr,
    )
    ok(all(0 < r["error_q"] < 0.2 for r in rows), "every one has its own exact motion", rows)
    refused("sweep-twice", "[default, default]", "the start 'default' appears twice")


def ranges():
    text = (
        "study: conservation\n"
        "system: {{name: double-pendulum, parameters: {{g: {0}}}}}\n"
        "end: 1\n"
        "steps: [0.25]\n"
        "methods: [rattle]\n"
    )
    one, two = (
        run("range", text.format("{from: 1, to: 2, count: 5}"))[1],
        run("range-list", text.format("[1, 1.25, 1.5, 1.75, 2]"))[1],
    )
    with h5py.File(one, "r") as f, h5py.File(two, "r") as g:
        ok(
            (f["final/q"][()] == g["final/q"][()]).all()
            and (f["cases/parameters"][()] == g["cases/parameters"][()]).all(),
            "a range is the list of its values",
        )
    one = run("range-log", text.format("{from: 1, to: 100, count: 3, spacing: log}"))[1]
    ok(close([r["g"] for r in table(one)], [1, 10, 100]), "spaced as logarithms")
    for form, said in (
        ("{from: 1, to: 2}", "missing key 'count'"),
        ("{from: 1, to: 2, count: 1}", "for one value 'from' and 'to' must be equal"),
        ("{from: 1, to: 2, count: 2.5}", "a whole number"),
        ("{from: 0, to: 2, count: 3, spacing: log}", "must be nonzero and have the same sign"),
        ("{from: 1, to: 2, count: 3, step: 1}", "unknown key 'step'"),
    ):
        process = constella("check", write("range-wrong.yaml", text.format(form)))
        ok(process.returncode == 2 and said in process.stderr, f"refused: {form}", process.stderr)


def relaxed():
    """By a method under `layers`, as by the same method of the program."""
    relax = "{{relax: {{method: {}, step: 0.02, end: 1}}}}"
    own = "layers: {mine: {a: [[0, 0], [1, 0]], b: [0.5, 0.5]}}\n"
    (q, _), (same, _) = (
        final(f"relax-{name}", relax.format(f'"project({name})"'), system="double-pendulum", more=own)
        for name in ("mine", "heun")
    )
    ok(q is not None and close(q, same), "a layer of the study relaxes a start", q, same)


TABLE = "# starts\nx, x', y\n0.1, 0.3, 0.2\n\n-0.1,0.05,0.3\n"


def csv():
    write("starts.csv", TABLE)
    q, _ = final("csv", "{csv: starts.csv, around: {q: [9, 9], v: [9, 0.1]}}")
    ok(
        q.shape[1] == 2 and (q[0, 0] == single("csv-0", [0.1, 0.2], [0.3, 0.1])).all(),
        "a row of the table is a start, what it does not name is that of `around`",
        q,
    )
    os.rename(path("starts.csv"), path("away.csv"))
    process = constella("verify", path("csv.h5"))
    ok(
        process.returncode == 0 and "all with the same bits" in process.stdout,
        "verify needs the result alone",
        process.stdout,
        process.stderr,
    )
    for name, text, said in (
        ("column", "x, w\n1, 2\n", "column.csv:1:1: error: column 'w' is neither a coordinate"),
        ("number", "x\n1\ntwo\n", "number.csv:3:1: error: 'two' is not a finite number"),
        ("short", "x, y\n1\n", "short.csv:2:1: error: the row has 1 numbers"),
        ("twice", "x, x\n1, 1\n", "column 'x' appears twice"),
        ("empty", "x, y\n", "has no starts"),
        ("hexadecimal", "x\n1\n0x1p-3\n", "hexadecimal.csv:3:1: error: '0x1p-3' is not a finite number"),
        ("nul", "x\n1\n\0\n", "nul.csv: is not a text file"),
    ):
        write(f"{name}.csv", text)
        refused(f"csv-{name}", f"{{csv: {name}.csv}}", said)
    write("marked.csv", "\ufeff" + TABLE)
    q, _ = final("csv-marked", "{csv: marked.csv}")
    ok(q is not None and q.shape[1] == 2, "a byte order mark is skipped")
    refused("csv-seed", "{csv: marked.csv, seed: 3}", "'seed' has no effect")
    refused("csv-nowhere", "{csv: nowhere.csv}", "nowhere.csv: ")
    refused("two-forms", "{csv: nowhere.csv, grid: {x: [1, 2]}}", "has both")


def earlier():
    """The second half of a motion, from the final states of the first."""
    begin = "{members: 12, seed: 1, around: default, spread: {q: 0.1, v: 0.1}}"
    system = "double-pendulum"
    run("first", study(begin, system=system))
    whole_q, whole_p = final("whole", begin, system=system, end=10)
    q, p = final("second", "{from: first.h5}", system=system)
    ok(
        close(q, whole_q, 1e-9) and close(p, whole_p, 1e-9),
        "goes on where the earlier study ended",
        abs(q - whole_q).max(),
    )
    text = study("{from: first.h5}", system=system, end=200000, more="checkpoint: {seconds: 1}\n")
    process, result = run("long", text, "--max-hours", "0.00003")
    ok(process.returncode == 75, "is interrupted", process.returncode, process.stderr)
    os.rename(path("first.h5"), path("gone.h5"))
    process = constella("run", path("long.yaml"), "-o", result, "--resume", "--progress", "none")
    ok(process.returncode == 0, "resumes without the earlier result", process.stderr, process.stdout)
    process = constella("verify", path("second.h5"))
    ok(
        process.returncode == 0 and "all with the same bits" in process.stdout,
        "is verified without it",
        process.stdout,
        process.stderr,
    )
    more = study("{from: first.h5}", system=system).replace("[rattle]", "[rattle, rk4]")
    process = constella("extend", path("second.h5"), write("second-more.yaml", more), "--progress", "none")
    ok(
        "12 trajectories are taken over, 12 are computed" in process.stdout,
        "and extended",
        process.stdout,
        process.stderr,
    )
    os.rename(path("gone.h5"), path("first.h5"))
    fresh = run("long-fresh", text)[1]
    ok(
        not differences(digests(result), digests(fresh)),
        "resumed, it has the bits of an undisturbed run",
        differences(digests(result), digests(fresh)),
    )
    with h5py.File(path("second.h5"), "r") as f:
        study_text = f.attrs["study"]
        ok(
            "sha256: " in (study_text.decode() if isinstance(study_text, bytes) else study_text),
            "the hash of the starts is part of its study",
        )
    run("two-cases", study(begin, system=system).replace("[rattle]", "[rattle, rk4]"))
    refused("from-which", "{from: two-cases.h5}", "has 2 cases; choose one with `case: K`", system=system)
    refused("from-none", "{from: two-cases.h5, case: 2}", "has no case 2; there are 0 to 1", system=system)
    refused("from-other", "{from: first.h5}", "has another system, or another description of it")
    q, p = final("from-rk4", "{from: two-cases.h5, case: 1}", system=system)
    ok(q is not None, "states that have left the constraints are projected")
    for name, more, said in (
        ("project", "project: false", "'from' always moves its starts to the nearest point"),
        ("around", "around: default", "'around' has no effect"),
    ):
        refused(f"from-{name}", f"{{from: first.h5, {more}}}", said, system=system)
    run("tangential", study(begin, system=system).replace("[rattle]", "[euler-a]"))
    ok(
        final("from-euler-a", "{from: tangential.h5}", system=system)[0] is not None,
        "momenta across the constraints, too",
    )


def failed():
    begin = "{members: 12, seed: 7, around: default, spread: {q: 0.4, v: 0.3}}"
    process, result = run("escape", study(begin, end=50))
    with h5py.File(result, "r") as f:
        good = int((f["final/status"][()] == 0).sum())
        ended = f["final/q"][0][f["final/status"][0] == 0]
    run("none-left", study("{q: [5, 5], v: [5, 5]}", end=1000, step=1))
    refused(
        "from-none-left", "{from: none-left.h5}", "none-left.h5: has no member of that case that ended well"
    )
    process, result = run(
        "survivors", study("{from: escape.h5}", end=0.25) + "trajectories: {members: [0], every: 1}\n"
    )
    with h5py.File(result, "r") as f:
        ok(0 < good < 12 and f["final/q"].shape[1] == good, "members that failed are left out", good)
        ok((f["trajectories/0/q"][0, 0] == ended[0]).all(), "the others keep their order and their bits")


together([grid, listed, spread, sweep, relaxed, ranges, csv, earlier, failed])
done()
