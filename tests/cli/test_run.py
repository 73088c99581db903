"""test_run.py: the contents of a finished run against values computed here: failures, observables,
trajectories, samples, statistics."""
# SPDX-License-Identifier: BSD-2-Clause
import csv
import io
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from cli import (
    BEAD,
    GOOD,
    close,
    constella,
    differences,
    digests,
    done,
    h5py,
    made,
    narrowest,
    note,
    numpy,
    ok,
    path,
    run,
    scratch,
    table,
    together,
    write,
)

# ---- trajectories that fail

FAST = """study: ensemble
system: planar-pendulum
initial: {members: 40, seed: 1, around: default, spread: {v: 8.0}}
end: 100.0
steps: [0.25]
methods: [rattle]
samples: {count: 10}
"""
ESCAPE = """study: ensemble
system: henon-heiles
initial: {members: 40, seed: 1, around: default, spread: {v: 0.3}}
end: 100.0
steps: [0.25]
methods: [euler, rk4]
samples: {count: 10}
"""


REASONS = {
    1: "solver did not converge",
    2: "not finite",
    3: "no consistent start",
    4: "step-too-large",
    5: "rank of the constraints lost",
}


def failures(name, text, reason, ranks):
    title = f"{name} on {ranks} ranks"
    process, result = run(f"{name}-{ranks}", text, ranks=ranks)
    with h5py.File(result, "r") as f:
        status, steps, n = f["final/status"][()], f["final/steps"][()], f["cases/n"][()]
        failed = int((status > 0).sum())
        ok(process.returncode == 1, f"{title}: exit status 1", process.returncode, process.stderr)
        ok(failed > 0 and (status == 0).any(), f"{title}: some fail, the others go on", status)
        ok(set(status.ravel()) == {0, reason}, f"{title}: the reason is recorded", status)
        ok(
            f"{failed} of {status.size} trajectories failed" in process.stderr,
            f"{title}: stderr says how many",
            process.stderr,
        )
        ok(process.stderr.count("trajectories failed") == 1, f"{title}: stderr says it once", process.stderr)
        ok(
            numpy.isfinite(f["final/q"][()]).all() and numpy.isfinite(f["final/p"][()]).all(),
            f"{title}: the last good states are finite",
        )
        ok(
            ((steps < n[:, None]) == (status > 0)).all(),
            f"{title}: failed trajectories have fewer good steps",
            steps,
        )
        ok(
            (f["statistics/failed"][()] == (status > 0).sum(axis=1)).all(),
            f"{title}: the column failed",
            f["statistics/failed"][()],
        )
        ok(f["run"].attrs["state"] == b"complete", f"{title}: the run is complete", f["run"].attrs["state"])
        dead = (
            steps[:, None, :] < numpy.rint(f["series/t"][()] / f["cases/h"][()][:, None])[:, :, None]
        ).all(axis=2)
        series = f["series/energy/max"][()]
        ok(
            numpy.isnan(series[dead]).all(),
            f"{title}: the series is no number where no member lives any more",
            series,
        )
    shown = constella("table", result)
    ok(
        "failed" in shown.stdout.splitlines()[0].split(),
        f"{title}: the table shows the column failed",
        shown.stdout,
    )
    ok(
        f"{failed} of them failed ({REASONS[reason]}: {failed})" in constella("status", result).stdout,
        f"{title}: `status` counts them",
    )


def failed_state_is_the_last_good_one():
    """Stored states end with the final one; the sampled series are those of the living members."""
    text = ESCAPE.replace("members: 40", "members: 5").replace("{count: 10}", "{count: 10, spacing: linear}")
    process, result = run("explosion", text + "trajectories: {members: [0, 1, 2, 3, 4], every: 1}\n")
    with h5py.File(result, "r") as f:
        for case in range(2):
            for member in range(5):
                steps, q, final = (
                    f["final/steps"][case, member],
                    f[f"trajectories/{case}/q"][member],
                    f["final/q"][case, member],
                )
                ok(
                    (q[steps] == final).all(),
                    f"the stored state of step {steps} is the final one, case {case}, member {member}",
                    q[steps],
                    final,
                )
                ok(
                    numpy.isnan(q[steps + 1 :]).all(),
                    f"nothing is stored behind it, case {case}, member {member}",
                    q[steps + 1 :][:3],
                )

        with numpy.errstate(all="ignore"):
            for case in range(2):
                q, p = f[f"trajectories/{case}/q"][()], f[f"trajectories/{case}/p"][()]
                x, y = q[..., 0], q[..., 1]
                energy = 0.5 * (p**2).sum(-1) + (x**2 + y**2) / 2 + x**2 * y - y**3 / 3
                rows = numpy.rint(f["series/t"][case] / f["cases/h"][case]).astype(int)
                drift = (energy - energy[:, :1])[:, rows]
                sane = (numpy.nan_to_num(abs(drift), nan=0) < 1e9).all(0) & (~numpy.isnan(drift)).any(0)
                partly = sane & numpy.isnan(drift).any(0)
                most, rms = numpy.nanmax(abs(drift[:, sane]), 0), numpy.sqrt(
                    numpy.nanmean(drift[:, sane] ** 2, 0)
                )
                note(
                    f"case {case}: {sane.sum()} samples compared, {partly.sum()} of them with failed members"
                )
                ok(
                    close(f["series/energy/max"][case][sane], most, 1e-9),
                    f"the sampled maximum is the living members', case {case}",
                    f["series/energy/max"][case][sane],
                    most,
                )
                ok(
                    close(f["series/energy/rms"][case][sane], rms, 1e-9),
                    f"the sampled rms is the living members', case {case}",
                    f["series/energy/rms"][case][sane],
                    rms,
                )


# With this spread the Euclidean projection of some members on x^6 + y^4 + z^2 = 0.625 is not found; all
# others start and stay.
NOWHERE = """study: {study}
system: modified-pendulum
initial: {{members: {members}, seed: 1, around: default, spread: {{q: 5.0}}}}
end: 1.0
steps: [0.1, 0.05]
methods: [rattle, "gauss(2)"]
roundoff: {{dyadic-steps: true}}
"""
ERRORS = ("total", "q", "p", "lambda")


def no_start(study, ranks):
    """Members whose start cannot be projected have status 3; the others have the bits of runs without
    them."""
    title = f"members without a start, {study} study on {ranks} ranks"
    more = 'reference: {method: "gauss(4)", step: 0.05}\n' if study == "order" else ""
    text = NOWHERE.format(study=study, members=24) + more + "trajectories: {members: [0, 3], every: 5}\n"
    process, result = run(f"nowhere-{study}-{ranks}", text, ranks=ranks)
    with h5py.File(result, "r") as f:
        status, q, p, error = (
            f["final/status"][()],
            f["final/q"][()],
            f["final/p"][()],
            {k: f["error/" + k][()] for k in ERRORS if "error/" + k in f},
        )
        refused, living = status[0] == 3, numpy.flatnonzero(status[0] == 0)
        failed = int((status > 0).sum())
        ok(process.returncode == 1, f"{title}: exit status 1", process.returncode, process.stderr)
        ok(
            f"{failed} of {status.size} trajectories failed" in process.stderr,
            f"{title}: stderr says how many",
            process.stderr,
        )
        ok(
            refused.any() and len(living) > 12 and (status == numpy.where(refused, 3, 0)).all(),
            f"{title}: some have status 3 in every case, the others 0",
            status,
        )
        if not refused.any():
            return
        ok(
            (f["final/steps"][()][:, refused] == 0).all()
            and (f["final/iterations"][()][:, refused] == 0).all(),
            f"{title}: those refused make no step",
        )
        ok(
            numpy.isfinite(q).all() and numpy.isfinite(p).all(),
            f"{title}: where they would have started is finite",
        )
        ok(
            (f["statistics/failed"][()] == refused.sum()).all(),
            f"{title}: the column failed",
            f["statistics/failed"][()],
        )
        for name in ("energy", "constraint"):
            figures = f[f"observables/{name}"][()]
            ok(
                numpy.isfinite(figures[:, living]).all(),
                f"{title}: {name} of the living is a number",
                figures[:, living],
            )
            ok(
                numpy.isnan(figures[:, refused]).all(),
                f"{title}: {name} of the refused is none",
                figures[:, refused][0],
            )
        ok(
            (f["statistics/energy_max"][()] == f["observables/energy"][()][:, living, 2].max(1)).all(),
            f"{title}: energy_max is that of the living",
            f["statistics/energy_max"][()],
        )
        ok(
            numpy.isfinite(f["series/energy/rms"][()][numpy.isfinite(f["series/t"][()])]).all(),
            f"{title}: the series are those of the living",
        )
        for part, x in error.items():
            ok(
                numpy.isnan(x[:, refused]).all() and numpy.isfinite(x[:, living]).all(),
                f"{title}: error {part} of the living is a number, of the refused none",
                x,
            )
            column = "statistics/error" + ("" if part == "total" else "_" + part)
            ok(
                (f[column][()] == x[:, living].max(1)).all(),
                f"{title}: the table's error {part} is the living members'",
                f[column][()],
            )
        ok(
            numpy.isnan(f["trajectories/0/q"][1]).all() == bool(refused[3])
            and numpy.isfinite(f["trajectories/0/q"][0]).all(),
            f"{title}: nothing is stored of the refused",
            f["trajectories/0/q"][()],
        )
    ok(
        f"{failed} of them failed ({REASONS[3]}: {failed})" in constella("status", result).stdout,
        f"{title}: `status` counts them",
    )
    process, narrow = run(f"nowhere-{study}-{ranks}-v2", text, env={"CONSTELLA_ISA": narrowest()})
    ok(process.returncode == 1, f"{title}: on v2: exit status 1", process.returncode, process.stderr)
    ok(
        not differences(digests(result), digests(narrow)),
        f"{title}: the bits are those of v2 on one rank",
        differences(digests(result), digests(narrow)),
    )
    # an ensemble that ends before the first member without a start
    first = int(numpy.flatnonzero(refused)[0])
    process, short = run(f"nowhere-{study}-{ranks}-short", NOWHERE.format(study=study, members=first) + more)
    ok(
        process.returncode == 0,
        f"{title}: the members before the first of them run alone",
        process.returncode,
        process.stderr,
    )
    with h5py.File(short, "r") as g:
        ok(
            all((g["final/" + k][()] == x[:, :first]).all() for k, x in (("q", q), ("p", p))),
            f"{title}: with the same bits",
        )
        ok(
            all((g["error/" + k][()] == x[:, :first]).all() for k, x in error.items()),
            f"{title}: and the same errors",
        )


# ---- commands around a run


def around_a_run():
    folder = scratch()
    os.mkdir(folder + "/jobs"), os.mkdir(folder + "/out")
    study = folder + "/jobs/my-study.v2.yaml"
    with open(study, "w") as f:
        f.write(GOOD)
    checked = constella("check", study, folder=folder)
    ok(
        checked.returncode == 0
        and os.listdir(folder + "/out") == []
        and sorted(os.listdir(folder)) == ["jobs", "out"],
        "`check` runs nothing",
        checked.stderr,
    )
    for words in (
        "planar-pendulum",
        "2 coordinates, 1 constraints",
        "1 parameter sets x 1 tolerances x 2 methods x 2 steps",
        "60 trajectory-steps",
        "memory",
        "result file",
        "cost",
    ):
        ok(words in checked.stdout, f"`check` prints: {words}", checked.stdout)
    ok(
        len(re.findall(r"^ +\d+  (rattle|midpoint) +0\.(1|05) +0\.(1|05) +(10|20) +1$", checked.stdout, re.M))
        == 4,
        "`check` prints every case",
        checked.stdout,
    )

    process = constella("run", study, folder=folder)
    ok(
        process.returncode == 0 and os.path.isfile(folder + "/my-study.v2.h5"),
        "the default output is the study's name in the current folder",
        os.listdir(folder),
        process.stderr,
    )
    ok("my-study.v2.h5: complete" in process.stdout, "stdout names it", process.stdout)
    process = constella("run", "jobs/my-study.v2.yaml", "-o", "out/other.h5", folder=folder)
    ok(
        process.returncode == 0 and os.path.isfile(folder + "/out/other.h5"),
        "-o into another folder",
        process.stderr,
    )
    before = digests(folder + "/out/other.h5")
    ok(
        before == digests(folder + "/my-study.v2.h5"),
        "both runs hold the same",
        differences(before, digests(folder + "/my-study.v2.h5")),
    )
    process = constella("run", study, "-o", folder + "/out/other.h5", folder=folder)
    ok(
        process.returncode == 2 and digests(folder + "/out/other.h5") == before,
        "a second run without --overwrite is refused",
        process.stderr,
    )
    with open(study, "w") as f:
        f.write(GOOD.replace("end: 1.0", "end: 2.0"))
    process = constella("run", study, "-o", folder + "/out/other.h5", "--overwrite", folder=folder)
    with h5py.File(folder + "/out/other.h5", "r") as f:
        ok(
            process.returncode == 0 and list(f["cases/n"][()]) == [20, 40, 20, 40],
            "--overwrite replaces the result",
            process.stderr,
        )
        ok(
            "end: 2.0" in f.attrs["study"]
            and f.attrs["study_kind"] == "order"
            and len(f.attrs["study_sha256"]) == 64,
            "the study is stored at the root",
            dict(f.attrs),
        )
    ok(
        sorted(os.listdir(folder + "/out")) == ["other.h5"],
        "nothing else is left in the folder",
        os.listdir(folder + "/out"),
    )
    status = constella("status", folder + "/out/other.h5")
    ok(
        status.returncode == 0
        and re.search(r"state +complete", status.stdout)
        and "4 of 4 done" in status.stdout,
        "`status` of a finished file",
        status.stdout,
        status.stderr,
    )
    os.utime(folder + "/out/other.h5", (2e9, 2e9))
    copied = constella("status", folder + "/out/other.h5").stdout
    ok(re.search(r"^elapsed +\d+ s$", copied, re.M), "its elapsed time is not that of a copy", copied)
    with h5py.File(folder + "/out/other.h5", "r+") as f:
        ok(f["run"].attrs["seconds_before"] == 0, "a first attempt has none before it")
        f["run"].attrs.modify("attempts", 3.0)
        f["run"].attrs.modify("seconds_before", 7200.0)
    tried = constella("status", folder + "/out/other.h5").stdout
    ok(re.search(r"^elapsed +2 h.* in 3 attempts, \d+ s in the last one$", tried, re.M), "of all attempts", tried)


def tables():
    process, result = run("tables", GOOD)
    forms = {
        form: constella("table", result, "--format", form)
        for form in ("text", "csv", "json", "markdown", "latex")
    }
    for form, shown in forms.items():
        ok(
            shown.returncode == 0 and "rattle" in shown.stdout and shown.stderr == "",
            f"table --format {form}",
            shown.stderr,
        )
    rows = list(csv.DictReader(io.StringIO(forms["csv"].stdout)))
    objects = json.loads(forms["json"].stdout)
    ok(
        len(rows) == 4 and len(objects) == 4 and list(rows[0]) == list(objects[0]),
        "csv and json hold the same columns",
        list(rows[0]),
    )
    ok(
        all(
            o[k] is None and r[k] in ("nan", "inf") or str(o[k]) == r[k] or float(r[k]) == o[k]
            for r, o in zip(rows, objects)
            for k in o
        ),
        "csv and json hold the same cells",
    )
    ok(len(forms["text"].stdout.splitlines()) == 5, "text: a line a case", forms["text"].stdout)
    ok(
        all(x.startswith("| ") and x.endswith("|") for x in forms["markdown"].stdout.splitlines()),
        "markdown: rows of a table",
        forms["markdown"].stdout,
    )
    ok(
        forms["latex"].stdout.startswith("\\begin{tabular}") and forms["latex"].stdout.count("\\\\") == 5,
        "latex: a tabular",
        forms["latex"].stdout,
    )
    some = constella(
        "table",
        result,
        "--format",
        "csv",
        "--columns",
        "method,step,error_q",
        "--where",
        "method=midpoint, step<0.1",
    )
    ok(
        some.stdout.splitlines()[0] == "method,step,error_q" and len(some.stdout.splitlines()) == 2,
        "--columns and --where",
        some.stdout,
        some.stderr,
    )
    with h5py.File(result, "r") as f:
        ok([float(r["error_q"]) for r in rows] == list(f["statistics/error_q"][()]), "csv holds every digit")
    contract = """system method step members failed failures iterations_mean evaluations_per_step steps_per_second observe step_taken end error error_q error_p error_lambda rate rate_q rate_p rate_lambda order
        order_low order_high flag order_q order_low_q order_high_q flag_q order_p order_low_p order_high_p flag_p order_lambda order_low_lambda order_high_lambda flag_lambda
        claimed claimed_q claimed_p claimed_lambda reference_error reference_error_q reference_error_p reference_error_lambda
        energy_max momentum_max constraint_max constraint_scaled_max hidden_max hidden_scaled_max rate_hidden order_hidden order_low_hidden order_high_hidden flag_hidden""".split()
    ok(
        list(rows[0]) == contract,
        "the columns of an order study are those of the contract, in order",
        list(rows[0]),
    )


def registries():
    names = {}
    for kind in ("systems", "methods", "observables", "studies", "schemes"):
        process = constella("list", kind)
        ok(
            process.returncode == 0 and process.stderr == "" and len(process.stdout.splitlines()) >= 3,
            f"list {kind}",
            process.stdout,
            process.stderr,
        )
        names[kind] = [
            "tableau" if line.startswith("{a:") else re.split(r"[ (]", line)[0]
            for line in process.stdout.splitlines()
        ]
    ok(
        names["studies"] == ["order", "conservation", "ensemble", "work-precision", "certify", "choose"],
        "the kinds of study",
        names["studies"],
    )
    ok(
        len(names["systems"]) >= 7 and len(names["methods"]) >= 16 and len(names["schemes"]) >= 5,
        "as many as there were",
        names,
    )
    for kind, wanted in (
        ("systems", ("Equations:", "source", "coordinates", "mass", "potential", "states")),
        ("methods", ("equations", "source", "order", "claims", "example")),
        ("schemes", ("source", "gammas", "order")),
    ):
        for name in [n for n in names[kind] if re.fullmatch(r"[a-z0-9-]+", n)]:
            page = constella("show", name)
            lines = {
                x.split(None, 1)[0]: x.split(None, 1)[1]
                for x in page.stdout.splitlines()
                if len(x.split(None, 1)) == 2
            }
            ok(
                page.returncode == 0 and all(w in lines for w in wanted),
                f"show {name}",
                page.stdout,
                page.stderr,
            )


def claims():
    """The claims of a method depend on the system, and the page names the system."""

    def told(*words):
        page = constella("show", *words)
        ok(
            page.returncode == 0 and page.stderr == "",
            f"show {' '.join(map(os.path.basename, words))}",
            page.stdout,
            page.stderr,
        )
        return re.sub(r"\s+", " ", page.stdout)

    energy, bounded = "energy to round-off", "energy error bounded"
    pendulum = told("hbvm(k=1, s=1)")
    ok(
        "claims on spherical-pendulum: " in pendulum
        and energy in pendulum
        and "1 in lambda (of `hbvm(k=1, s=1)`, on spherical-pendulum)" in pendulum,
        "without a system: on the spherical pendulum, and it says so",
        pendulum,
    )
    henon = told("hbvm(k=1, s=1)", "--system", "henon-heiles")
    ok(
        "claims on henon-heiles: symplectic; " in henon and energy not in henon and bounded in henon,
        "the midpoint rule does not keep a cubic energy",
        henon,
    )
    ok(
        "lambda" not in henon and "G v" not in henon and "momenta of" not in henon,
        "no constraints, no symmetries: nothing of them",
        henon,
    )
    ok(
        bounded not in told("--system", "henon-heiles", "compose(rattle, hbvm(k=2, s=1))"),
        "two reasons for a bounded energy are none",
    )
    ok(
        "claims on rk-here: none"
        in told(
            "rk4",
            "--system",
            write(
                "free.yaml",
                "system: rk-here\n"
                "coordinates: [x]\n"
                "mass: [1]\n"
                "potential: x^4\n"
                "states: {default: {q: [1], v: [0]}}\n",
            ),
        ),
        "none at all",
    )
    bead = told("rattle", "--system", write("bead-of-show.yaml", BEAD))
    ok(
        bead.startswith("rattle(form=multipliers): a method ")
        and "2 in lambda (of `rattle`, on bead-on-ellipsoid)" in bead
        and "momenta of linear symmetries" in bead,
        "the page of a method, on the system of a file",
        bead,
    )
    ok("constella show NAME [--system NAME|FILE]" in told("--help"), "its usage")


# ---- what PETSc prints, and ranks


def petsc():
    clean, _ = run("memory", FAST.replace("8.0", "0.5"), "-malloc_debug", "-malloc_dump")
    ok(
        clean.returncode == 0
        and " bytes " not in clean.stdout + clean.stderr
        and "Unfreed" not in clean.stdout
        and "PETSC ERROR" not in clean.stderr,
        "-malloc_dump prints no leak",
        clean.stdout,
        clean.stderr,
    )
    for name, text in (
        ("memory-order", GOOD.replace("exact", '{method: "gauss(4)", step: 0.05}')),
        ("memory-self", GOOD.replace("exact", "self")),
    ):
        clean, _ = run(name, text, "-malloc_debug", "-malloc_dump", ranks=2)
        ok(
            clean.returncode == 0
            and " bytes " not in clean.stdout + clean.stderr
            and "PETSC ERROR" not in clean.stderr,
            f"{name}: -malloc_dump prints no leak",
            clean.stdout,
            clean.stderr,
        )
    told = {"LD_DEBUG": "files"}
    explicit = "study: conservation\nsystem: henon-heiles\nend: 1\nsteps: [0.1]\nmethods: [rk4]\n"
    plain, _ = run("plain", explicit, env=told)
    asked, _ = run("asked", explicit, "-snes_type", "newtonls", env=told)
    long = (
        "study: ensemble\nsystem: planar-pendulum\ninitial: {members: 1024, seed: 1, around: default, spread: {q: 0.1}}\n"
        "end: 200\nsteps: [0.01]\nmethods: [rattle]\n"
    )
    short, _ = run("short", GOOD, env=told)
    driven, _ = run("driven", long, env=told)
    loaded = re.search(r"file=(libpetsc\S*)", driven.stderr)
    ok(
        plain.returncode == 0 and "file=libhdf5" in plain.stderr and "file=libpetsc" not in plain.stderr,
        "a run of explicit steps without options of PETSc does not load it",
        plain.stderr[-300:],
    )
    ok(asked.returncode == 0 and "file=libpetsc" in asked.stderr, "one with an option does", asked.stderr[-300:])
    ok(driven.returncode == 0 and bool(loaded), "so does one with implicit steps, which SNES drives", driven.stderr[-300:])
    ok(short.returncode == 0 and "file=libpetsc" not in short.stderr, "a short one ends sooner", short.stderr[-300:])
    if loaded:
        os.mkdir(path("broken"))
        open(os.path.join(path("broken"), loaded[1]), "w").close()
        for status, text, options in ((2, explicit, ("-snes_monitor",)), (1, long, ()), (0, explicit, ())):
            process, _ = run(f"broken-{status}", text, *options, env={"LD_LIBRARY_PATH": path("broken")})
            said = "constella: error: PETSc cannot begin: " in process.stderr and loaded[1] in process.stderr
            ok(
                process.returncode == status and said == bool(status),
                f"with a broken library of PETSc: exit status {status}",
                process.stderr,
            )
    viewed, _ = run("viewed", GOOD, "-malloc_debug", "-malloc_view")
    ok(
        "Memory usage" in viewed.stdout and "PETSC ERROR" not in viewed.stderr,
        "-malloc_view is alive, so that -malloc_dump would tell",
        viewed.stdout,
    )
    logged, _ = run("logged", GOOD, "-log_view")
    ok(
        logged.returncode == 0 and "PETSc Performance Summary" in logged.stdout,
        "-log_view works",
        logged.stdout[:500],
        logged.stderr,
    )
    watched, _ = run("watched", GOOD, "-snes_monitor")
    ok(
        watched.returncode == 0 and "SNES Function norm" in watched.stdout,
        "-snes_monitor works",
        watched.stdout[:500],
        watched.stderr,
    )
    norms = [line for line in watched.stdout.splitlines() if "norm" in line]
    for kind in ("newtonls", "nrichardson"):
        of_petsc, _ = run(f"watched-{kind}", GOOD, "-snes_type", kind, "-snes_monitor")
        shown = [line for line in of_petsc.stdout.splitlines() if "norm" in line]
        ok(
            len(shown) > 2 and shown == norms,
            f"it shows the same norms with -snes_type {kind}",
            of_petsc.stdout[:500],
            watched.stdout[:500],
        )
    left, _ = run("left", GOOD, "-options_left")
    ok(
        left.returncode == 0 and "There are no unused options" in left.stdout,
        "-options_left finds nothing unused",
        left.stdout,
        left.stderr,
    )


def ranks():
    for progress in ("none", "log", "line", "auto"):
        study = write(f"ranks-{progress}.yaml", FAST.replace("8.0", "0.5"))
        process = constella("run", study, "-o", path(f"ranks-{progress}.h5"), "--progress", progress, ranks=3)
        ok(
            process.returncode == 0 and process.stdout.count(": complete") == 1,
            f"--progress {progress} on 3 ranks: one last line",
            process.stdout,
            process.stderr,
        )
        if progress == "none":
            ok(
                len(process.stdout.splitlines()) == 1 and process.stderr == "",
                "nothing else is printed",
                process.stdout,
                process.stderr,
            )


# ---- observables, trajectories, samples


def observables():
    f = made(
        "observables",
        """study: ensemble
system: {name: double-pendulum, parameters: {m2: 1.5, L2: 1.2, g: 2.0}}
initial: {members: 9, seed: 4, around: low, spread: {q: 0.1, v: 0.2}}
end: 2.0
steps: [0.015625]
methods: [rattle, "compose(midpoint, yoshida4)", rk4]
observables:
  - energy
  - constraint
  - "lean: atan2(x2, -y2) + 0*t"
  - "speed: sqrt(x2'^2 + y2'^2)"
  - "pull: lambda_upper*L1^2 - lambda_lower/m2"
  - "clock: t*g + pi"
  - mixed: exp(-x1)*log(2 + y1^2)*x1' - tan(y2)/(1 + x2^4)
trajectories: {members: [8, 2], every: 16}
""",
    )
    if not f:
        return
    final = {k: f["final/" + k][()] for k in ("q", "p", "lambda")}
    m2, L2, g, end = 1.5, 1.2, 2.0, 2.0
    mass = numpy.array([1, 1, m2, m2])
    q, v, l = final["q"], final["p"] / mass, final["lambda"]
    x1, y1, x2, y2 = numpy.moveaxis(q, -1, 0)
    names = (
        list(f["multiplier"].asstr()[()])
        if "multiplier" in f and f["multiplier"].dtype.kind in "SO"
        else ["upper", "lower"]
    )
    upper, lower = l[..., names.index("upper")], l[..., names.index("lower")]
    wanted = {
        "lean": numpy.arctan2(x2, -y2),
        "speed": numpy.hypot(v[..., 2], v[..., 3]),
        "pull": upper - lower / m2,
        "clock": numpy.full(x1.shape, end * g + numpy.pi),
        "mixed": numpy.exp(-x1) * numpy.log(2 + y1**2) * v[..., 0] - numpy.tan(y2) / (1 + x2**4),
        "energy": 0.5 * (mass * v**2).sum(-1) + g * y1 + m2 * g * y2,
        "constraint": numpy.maximum(
            abs(x1**2 + y1**2 - 1), abs((x2 - x1) ** 2 + (y2 - y1) ** 2 - L2**2)
        ),
    }
    for name, value in wanted.items():
        got = f[f"observables/{name}"][..., 1]
        ok(close(got, value), f"the observable {name} at the end", got - value)
    for case in range(3):
        n, h = f["cases/n"][case], f["cases/h"][case]
        rows = {k: f[f"trajectories/{case}/{k}"][()] for k in ("t", "q", "p", "lambda")}
        ok(
            len(rows["t"]) == n // 16 + 1 and close(rows["t"], 16 * h * numpy.arange(n // 16 + 1), 0),
            f"case {case}: a state every 16 steps",
            rows["t"],
        )
        for part in ("q", "p", "lambda"):
            ok(
                (rows[part][:, -1] == final[part][case][[8, 2]]).all(),
                f"case {case}: the last stored {part} is the final one, members in the order asked",
            )
            ok(numpy.isfinite(rows[part]).all(), f"case {case}: all stored {part} are numbers")
    # the start of the run, from the first stored states
    q0, p0 = f["trajectories/0/q"][:, 0], f["trajectories/0/p"][:, 0]
    energy = 0.5 * (p0**2 / mass).sum(-1) + g * q0[:, 1] + m2 * g * q0[:, 3]
    ok(close(f["observables/energy"][0][[8, 2], 0], energy), "the observable energy at the start")
    moved = numpy.sqrt(((f["trajectories/0/q"][()] - q0[:, None]) ** 2).sum(-1))
    ok(close(f["observables/displacement"][0][[8, 2], 1], moved[:, -1]), "the displacement at the end")
    ok(
        (f["observables/displacement"][0][[8, 2], 2] >= moved.max(1) - 1e-12).all(),
        "the largest displacement is none of a smaller one",
    )


def statistics():
    f = made(
        "statistics",
        """study: ensemble
system: spherical-pendulum
initial: {members: 257, seed: 9, around: default, spread: {q: 0.1, v: 0.3}}
end: 3.0
steps: [0.05, 0.025]
methods: [rattle, rk3]
observables: [energy, momentum, constraint, "height: z"]
""",
    )
    if not f:
        return
    for name in ("energy", "rotation-z", "height", "displacement"):
        x = f[f"observables/{name}"][..., 1]
        for column, value in (
            ("mean", x.mean(1)),
            ("rms", numpy.sqrt((x**2).mean(1))),
            ("q05", numpy.quantile(x, 0.05, axis=1)),
            ("q25", numpy.quantile(x, 0.25, axis=1)),
            ("q50", numpy.median(x, axis=1)),
            ("q75", numpy.quantile(x, 0.75, axis=1)),
            ("q95", numpy.quantile(x, 0.95, axis=1)),
        ):
            ok(
                close(f[f"statistics/{name}_{column}"][()], value),
                f"{name}_{column} is numpy's",
                f[f"statistics/{name}_{column}"][()],
                value,
            )
    for name, column in (("energy", "energy_max"), ("height", "height_change")):
        ok(
            (f[f"statistics/{column}"][()] == f[f"observables/{name}"][..., 2].max(1)).all(),
            f"{column} is the largest drift of the members",
        )
    ok(
        (f["statistics/displacement"][()] == f["observables/displacement"][..., 2].max(1)).all(),
        "displacement is the largest of the members",
    )
    last = {c: numpy.isfinite(f["series/t"][c]).sum() - 1 for c in range(4)}
    drift = f["observables/height"][..., 1] - f["observables/height"][..., 0]
    for c, k in last.items():
        ok(
            close(f["series/height/max"][c, k], abs(drift[c]).max())
            and close(f["series/height/rms"][c, k], numpy.sqrt((drift[c] ** 2).mean())),
            f"the series of case {c} ends with the members' drift at the end",
        )
        ok(
            close(f["series/t"][c, k], 3.0, 1e-5),
            f"the series of case {c} ends at the end",
            f["series/t"][c, k],
        )


def samples():
    text = """study: conservation
system: planar-pendulum
end: 40.0
steps: [0.01]
methods: [rattle]
"""
    results = {}
    for spacing in ("linear", "log"):
        for count in (0, 1, 10, 400):
            f = made(
                f"samples-{spacing}-{count}", text + f"samples: {{count: {count}, spacing: {spacing}}}\n"
            )
            if not f or count == 0:
                ok(f is not None and "series" not in f, f"{spacing}: no samples, no series")
                continue
            t, n, h = f["series/t"][0], f["cases/n"][0], f["cases/h"][0]
            ok(
                t[0] == 0 and t[-1] == n * h and (numpy.diff(t) > 0).all(),
                f"{spacing} {count}: from 0 to the end, ascending",
                t,
            )
            asked = max(count, 2)
            ok(
                len(t) <= asked and len(t) >= asked * (1 if spacing == "linear" else 0.4),
                f"{spacing} {count}: as many as asked",
                len(t),
            )
            steps = numpy.rint(t / h)
            ok((steps * h == t).all(), f"{spacing} {count}: at steps of the run")
            if count > 1 and spacing == "linear":
                ok(
                    abs(numpy.diff(steps) - n / (count - 1)).max() <= 1,
                    f"linear {count}: evenly spaced",
                    numpy.diff(steps),
                )
            if count == 10 and spacing == "log":
                ratio = steps[5:] / steps[4:-1]
                ok(
                    abs(ratio / n ** (1 / 8) - 1).max() < 0.02,
                    "log 10: evenly spaced in the logarithm",
                    ratio,
                )
            results[spacing, count] = {k: f["final/" + k][()].tobytes() for k in ("q", "p", "lambda")} | {
                "max": f["statistics/energy_max"][()].tobytes()
            }
    ok(all(x == results["log", 400] for x in results.values()), "samples change no bit of the rest")
    auto, every = made("auto", text + "observe: auto\n"), made("every", text + "observe: every\n")
    if auto and every:
        ok(
            all(
                (auto["final/" + k][()] == every["final/" + k][()]).all()
                for k in ("q", "p", "lambda", "steps")
            ),
            "`observe: every` changes no final state",
        )
        a, e = auto["observables/energy"][0, 0], every["observables/energy"][0, 0]
        ok(
            a[0] == e[0] and a[1] == e[1] and a[2] <= e[2] and a[2] > 0.9 * e[2],
            "`observe: every` sees at least what auto sees",
            a,
            e,
        )
        ok(
            close(e[2], every["series/energy/max"][0, 1:].max(), 1e-3),
            "the drift agrees with the series",
            e[2],
            every["series/energy/max"][0].max(),
        )


def compensated():
    """Without gravity RATTLE turns the pendulum uniformly, so that the energy's drift is nothing but noise of
    round-off."""
    text = """study: conservation
system: {name: planar-pendulum, parameters: {g: 0.0}}
initial: {members: 16, seed: 5, around: default, spread: {v: 0.3}}
end: 2000.0
steps: [0.01]
methods: [rattle]
"""
    plain, better = made("noise", text), made("noise-compensated", text + "roundoff: {compensated: true}\n")
    if not plain or not better:
        return
    ok(plain["cases/n"][0] == 200000, "200000 steps")
    drift = [
        numpy.sqrt(((f["observables/energy"][0, :, 2] / f["observables/energy"][0, :, 3]) ** 2).mean())
        for f in (plain, better)
    ]
    note(
        f"energy noise of rattle after 2e5 steps, relative, "
        f"rms over 16 members: {drift[0]:.2e} plain, {drift[1]:.2e} compensated, "
        f"ratio {drift[0] / drift[1]:.1f}"
    )
    ok(drift[1] < drift[0] / 2, "compensation lowers the energy's noise at least by half", drift)
    ok(drift[1] < 1e-13, "to a few units of the last place", drift)
    gravity = text.replace("parameters: {g: 0.0}", "parameters: {g: 1.0}")
    plain, better = made("swing", gravity), made(
        "swing-compensated", gravity + "roundoff: {compensated: true}\n"
    )
    if plain and better:
        ok(
            close(better["statistics/energy_max"][()], plain["statistics/energy_max"][()], 1e-9),
            "with gravity the energy's band is the method's, not the noise's",
        )


def reference_beside():
    """A reference may stand in a study of any kind: the members' errors are kept, and the table has the
    largest of them and their rms."""
    for study in ("conservation", "ensemble"):
        f = made(
            f"beside-{study}",
            f"""study: {study}
system: double-pendulum
initial: {{members: 5, seed: 3, around: low, spread: {{q: 0.05, v: 0.05}}}}
end: 20.0
steps: [0.1, 0.05]
methods: [rattle]
reference: {{method: "gauss(4)", step: 0.05}}
""",
        )
        for part in ERRORS if f else ():
            ending, x = "" if part == "total" else "_" + part, f[f"error/{part}"][()]
            ok(
                (x > 0).all() and (f[f"statistics/error{ending}"][()] == x.max(1)).all(),
                f"{study}: the table's error {part} is the members' largest",
                x,
            )
            ok(
                close(f[f"statistics/error{ending}_rms"][()], numpy.sqrt((x**2).mean(1))),
                f"{study}: and error{ending}_rms is theirs",
            )


if __name__ == "__main__":
    together(
        [lambda r=r: failures("fast", FAST, 4, r) for r in (1, 2)]
        + [lambda r=r: failures("escape", ESCAPE, 2, r) for r in (1, 2)]
        + [lambda s=s, r=r: no_start(s, r) for s in ("ensemble", "order") for r in (0, 2)]
        + [
            failed_state_is_the_last_good_one,
            around_a_run,
            tables,
            registries,
            claims,
            petsc,
            ranks,
            observables,
            statistics,
            samples,
            compensated,
            reference_beside,
        ]
    )
    done()
