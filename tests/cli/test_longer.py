"""test_longer.py: an extensible result is continued to a later end: trajectories with the bits of a fresh
run, through kills and on any ranks, verified; statistics as documented; mistakes."""
# SPDX-License-Identifier: BSD-2-Clause
import glob
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import (
    ENVIRONMENT,
    PROGRAM,
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
    together,
    write,
)
from held import Gate, killed_at_checkpoint, ticking

ENSEMBLE = """study: ensemble
system: spherical-pendulum
initial: {members: 20, seed: 1, around: default, spread: {q: 0.05, v: 0.3}}
end: END
steps: [0.04, 0.02]
methods: [rattle, "compose(rattle, suzuki4)", midpoint, "hbvm(k=6, s=2)", "langevin(rattle, friction=0.5, inverse-temperature=2)"]
observe: every
samples: {count: 11, spacing: linear}
trajectories: {members: [0, 7, 19], every: 10, store: [q, p, v, energy]}
extensible: true
"""
CONSERVATION = """study: conservation
system: heavy-top
initial: {members: 5, seed: 7, around: default, spread: {q: 0.05, v: 0.1}}
end: END
steps: [0.02, 0.01]
methods: [rattle, "compose(rattle, yoshida4)"]
observe: every
extensible: true
"""
AUTO = (
    CONSERVATION.replace("observe: every\n", "")
    .replace("members: 5", "members: 2")
    .replace("0.02, ", "")
    .replace(', "compose(rattle, yoshida4)"', "")
)
ORDER = """study: order
system: planar-pendulum
initial: {members: 3, seed: 3, around: default, spread: {q: 0.05, v: 0.1}}
end: END
steps: [0.1, 0.05]
methods: [rattle, midpoint]
reference: REFERENCE
error: {of: [q, p], over: OVER}
observe: every
samples: {count: 5, spacing: linear}
extensible: true
"""
SINGLE = ENSEMBLE.replace(
    "{members: 20, seed: 1, around: default, spread: {q: 0.05, v: 0.3}}", "default"
).replace("[0, 7, 19]", "[0]")
WORST = ENSEMBLE.replace("[0, 7, 19]", "{worst: 3, by: energy}")
LOOSE = ("windows/", "continue/", "statistics/", "@continued")


def extended(name, text, first, last, *words, **how):
    """The results of a run in two parts and of one in one."""
    run(name + "-part", text.replace("END", str(first)))
    study = write(name + "-longer.yaml", text.replace("END", str(last)))
    process = constella(
        "extend",
        path(name + "-part.h5"),
        study,
        "-o",
        path(name + "-longer.h5"),
        "--progress",
        "none",
        *words,
        **how,
    )
    ok(
        process.returncode == 0 and "go on to a later end" in process.stdout,
        f"{name}: it goes on",
        process.stdout,
        process.stderr,
    )
    run(name + "-fresh", text.replace("END", str(last)))
    return path(name + "-longer.h5"), path(name + "-fresh.h5")


def same(name, longer, fresh, but=()):
    apart = [
        x for x in differences(digests(longer), digests(fresh)) if not any(y in x for y in (*LOOSE, *but))
    ]
    ok(not apart, f"{name}: the bits of a run in one piece", apart)
    verify = constella("verify", longer, "--sample", "6")
    ok(
        verify.returncode == 0 and "all with the same bits" in verify.stdout and "statistics the same" in verify.stdout,
        f"{name}: verified",
        verify.stdout,
        verify.stderr,
    )


def ensembles():
    longer, fresh = extended("ensemble", ENSEMBLE, 4, 8, ranks=2)
    same("ensemble", longer, fresh)
    with h5py.File(longer) as a, h5py.File(fresh) as b:
        ok(
            all(
                (
                    numpy.array_equal(a["statistics"][k][:], b["statistics"][k][:], equal_nan=True)
                    for k in a["statistics"]
                    if a["statistics"][k].dtype.kind == "f"
                )
            ),
            "all statistics of an ensemble",
        )
    if "CONSTELLA_TEST_ALL" not in os.environ:
        same("single", *extended("single", SINGLE, 4, 8))
        return
    again, whole = (
        constella(
            "extend",
            longer,
            write("thrice.yaml", ENSEMBLE.replace("END", "12")),
            "-o",
            path("thrice.h5"),
            "--progress",
            "none",
        ),
        run("whole", ENSEMBLE.replace("END", "12"))[1],
    )
    ok(again.returncode == 0, "it goes on once more, by half", again.stderr)
    same("three parts", path("thrice.h5"), whole, ("series/",))
    same("single", *extended("single", SINGLE, 4, 8))
    same("the worst", *extended("worst", WORST, 4, 8))


def others():
    longer, fresh = extended("conservation", CONSERVATION, 2.56, 10.24)
    same("conservation", longer, fresh, ("series/",))
    with h5py.File(longer) as a, h5py.File(fresh) as b:
        ok(
            all(close(a[f"windows/{k}"][:], b[f"windows/{k}"][:], 1e-13) for k in a["windows"]),
            "windows are joined",
        )
        ok(
            (a["statistics/energy_verdict"][:] == b["statistics/energy_verdict"][:]).all()
            and close(a["statistics/energy_slope"][:], b["statistics/energy_slope"][:], 1e-12),
            "and give the same verdicts",
        )
        ok(
            set(a["windows"]) == set(b["windows"]) and numpy.isfinite(a["windows/energy"][:]).all(),
            "all of them",
        )
    if "CONSTELLA_TEST_ALL" in os.environ:
        same("long, observed at times", *extended("auto", AUTO, 163.84, 327.68), ("series/",))
    for over in ("end", "mesh", "coarse"):
        for reference in ("self", '{method: "gauss(4)", step: 0.05}'):
            if "CONSTELLA_TEST_ALL" not in os.environ and (
                over == "coarse" or (over == "mesh") == (reference == "self")
            ):
                continue
            name = f"order-{over}-{reference[:4].strip('{')}"
            # a reference by a method stops at other times, which its last digits depend on
            same(
                name,
                *extended(name, ORDER.replace("OVER", over).replace("REFERENCE", reference), 1, 3),
                ("error/",) if reference != "self" else (),
            )


def some(result):
    """Whether some trajectories have ended, and not all of them."""
    with h5py.File(result, "r") as f:
        done = f["final/status"][()] >= 0
    return done.any() and not done.all()


def killed_once(result, *words):
    """Kills a run between checkpoints, when some batches have ended, and resumes it. Its clock goes by questions."""
    words = [*words, "-o", result, "--progress", "none"]
    gate = Gate("clock:5000", result)
    process = subprocess.Popen(
        [PROGRAM, *words, "--checkpoint-seconds", "60", "--batch", "8"],
        env={**ENVIRONMENT, **ticking(), **gate.env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    ended = gate.steps(process, 1500, lambda: glob.glob(result + ".checkpoint.[0-9]*") and some(result))
    process.kill()
    ok(process.wait() == -9 and ended, "it was killed, when some batches had ended")
    resumed = constella(*words, "--resume")
    ok(resumed.returncode == 0, "and resumed", resumed.stderr)
    return resumed


def killed():
    text = ENSEMBLE.replace("members: 20", "members: 200").replace("[0, 7, 19]", '"0..40"')
    short = write("killed.yaml", text.replace("END", "60"))
    study = write("long.yaml", text.replace("END", "120"))
    part, longer, result = path("killed.h5"), path("killed-longer.h5"), path("killed-again.h5")
    constella("run", short, "-o", path("killed-whole.h5"), "--progress", "none")
    killed_once(part, "run", short)
    apart = differences(digests(part), digests(path("killed-whole.h5")))
    ok(not apart, "an extensible run that was killed: the same bits", apart)
    constella("extend", part, study, "-o", longer, "--progress", "none")
    killed_once(result, "extend", part, study)
    apart = differences(digests(result), digests(longer))
    ok(not apart, "killed while it goes on: the same bits", apart)
    apart = differences(digests(result), digests(run("killed-fresh", text.replace("END", "120"))[1]))
    apart = [x for x in apart if not any(y in x for y in (*LOOSE, "series/"))]
    ok(not apart, "and those of a fresh run", apart)


def unlike():
    """What continues an earlier result needs it again."""
    text = ENSEMBLE.replace("members: 20", "members: 200")
    run("origin", text.replace("END", "1"))
    run("other-origin", text.replace("END", "2"))
    study, result = write("origin-longer.yaml", text.replace("END", "100")), path("origin-longer.h5")
    words = [study, "-o", result, "--progress", "none", "--checkpoint-seconds", "0.1", "--batch", "8"]
    killed_at_checkpoint([PROGRAM, "extend", path("origin.h5"), *words])
    for name, words in (
        ("alone", ["run", study]),
        ("with another", ["extend", path("other-origin.h5"), study]),
    ):
        process = constella(*words, "-o", result, "--progress", "none", "--resume")
        ok(
            process.returncode == 2 and "continues another result (from an earlier end, of" in process.stderr,
            f"resumed {name}: refused",
            process.stderr,
        )


def members():
    """More of all else is as before, also beside rows of another width."""
    run(
        "few",
        ENSEMBLE.replace("END", "2").replace(', "compose(rattle, suzuki4)", midpoint, "hbvm(k=6, s=2)"', ""),
    )
    more = ENSEMBLE.replace("END", "2").replace("members: 20", "members: 30")
    process = constella(
        "extend", path("few.h5"), write("more.yaml", more), "-o", path("more.h5"), "--progress", "none"
    )
    ok(process.returncode == 0, "members and methods of an extensible result", process.stderr)
    apart = differences(digests(path("more.h5")), digests(run("more-fresh", more)[1]))
    ok(not apart, "are those of a fresh run", apart)


def mistakes():
    def refused(name, text, words, old="few-mistaken"):
        process = constella(
            "extend",
            path(old + ".h5"),
            write("mistake.yaml", text),
            "-o",
            path("never.h5"),
            "--progress",
            "none",
        )
        ok(
            process.returncode == 2 and "error: " in process.stderr and words in process.stderr,
            f"{name}: refused",
            process.stderr,
        )

    short = ENSEMBLE.replace("[rattle,", "[rattle]\n#").replace("END", "4")
    run("few-mistaken", short)
    run("fixed", short.replace("extensible: true\n", ""))
    run("drift", CONSERVATION.replace("END", "2.56"))
    run("auto-short", AUTO.replace("END", "40.96"))
    refused(
        "a result that is not extensible",
        short.replace("end: 4", "end: 8").replace("extensible: true\n", ""),
        "does not hold the states that a later end needs; run it again with `extensible: true`",
        "fixed",
    )
    refused("an end before", short.replace("end: 4", "end: 2"), "'end' is 2, which is before that of")
    refused(
        "a later end and more members",
        short.replace("end: 4", "end: 8").replace("members: 20", "members: 30"),
        "extend it in two steps, the end first",
    )
    refused(
        "windows that do not double",
        CONSERVATION.replace("END", "7.68"),
        "can go on to 5.12, 10.24, 20.48 .. 163.84",
        "drift",
    )
    refused(
        "another way of observing",
        AUTO.replace("END", "81.92"),
        "with `observe: every` both are alike",
        "auto-short",
    )
    for key in ("burn-in: 0.1", "observables: [temperature]"):
        process = constella("check", write("mistake.yaml", short + key + "\n"))
        ok(
            process.returncode == 2
            and "mistake.yaml:11:13: error: 'extensible' cannot be combined with averages" in process.stderr,
            f"{key}: refused in its place",
            process.stderr,
        )
    process = constella(
        "check", write("mistake.yaml", short.replace("extensible: true", "extensible: perhaps"))
    )
    ok(
        process.returncode == 2 and "mistake.yaml:11:13: error: " in process.stderr,
        "no flag: refused in its place",
        process.stderr,
    )


ENDED = """study: ensemble
system: damped-double-pendulum
initial: {members: 20, seed: 1, around: default, spread: {q: 0.3, v: 3}}
end: 4
steps: [0.1]
methods: [rattle, midpoint]
observables: [energy, constraint, balance, travel, lyapunov]
tangent: {vectors: 2, every: 1}
events: [{name: fast, when: "x2' - 4", stop: true}]
frequencies: [{name: nu, expression: x1, every: 0.1}]
autocorrelation: [{name: swing, expression: x1, every: 0.1, lags: 4}]
extensible: true
"""


def ended():
    """The numbers that are kept of trajectories that have ended are not those of their neighbours, or of the batch before."""
    _, result = run("ended", ENDED)
    with h5py.File(result) as f:
        ends = {x: int((f["final/status"][...] == x).sum()) for x in (0, 4, 6)}
    ok(min(ends.values()) > 0 and sum(ends.values()) == 40, "some reach the end, fail, or are stopped by an event", ends)
    verify = constella("verify", result, "--sample", "99")
    ok(verify.returncode == 0 and "40 trajectories, all with the same bits" in verify.stdout, "ended: verified", verify.stdout, verify.stderr)


together([ensembles, others, killed, unlike, members, ended, mistakes])
done()
