"""test_teams.py: `ranks-per-trajectory`: ranks that solve the linear systems of a trajectory together agree with one rank,
have the same bits in any number of teams, and go on from a checkpoint."""
# SPDX-License-Identifier: BSD-2-Clause
import h5py

from cli import constella, done, made, ok, path, run, together, write
from engines import final, net, study


def teams():
    """Ranks that share the linear systems of a trajectory."""
    with_team = lambda text, ranks: text + f"ranks-per-trajectory: {ranks}\n"
    alone = net("petsc", 4, 4)
    one = made("team-1", alone)
    states = []
    for ranks in (2, 4):
        f = made(f"team-2-of-{ranks}", with_team(alone, 2), ranks=ranks)
        if None in (one, f):
            return
        states.append(final(f))
        apart = abs(states[-1] - final(one)).max()
        ok(0 < apart < 1e-11, f"teams of two of {ranks} ranks agree with one rank, and are not it", apart)
        ok(f.attrs["ranks_per_trajectory"] == 2, "the result has the ranks per trajectory", dict(f.attrs))
    ok((states[0] == states[1]).all(), "one team or two: the same bits", abs(states[0] - states[1]).max())
    for words in (("-pc_type", "lu"), ("-ksp_type", "gmres", "-pc_type", "bjacobi"), ("-snes_lag_preconditioner", "1")):
        process, result = run("team-options", with_team(alone.replace(', shake, "compose(rattle, yoshida4)"', ""), 2), *words, ranks=2)
        if ok(process.returncode == 0, f"a team by PETSc's solvers: {words}", process.stderr):
            with h5py.File(result) as f:
                apart = abs(states[0][:1] - final(f)).max()
                ok(0 < apart < 1e-11, f"a team by {words} agrees with its own solver, and is not it", apart)
    # multipliers among the unknowns: their factors need more room than a matrix without pivoting
    stages = net("petsc", 20, 20).replace("w: 0.2", "w: 1").replace("rattle, shake", '"gauss(2)"').replace(', "compose(rattle, yoshida4)"', "").replace("end: 0.3", "end: 0.02")
    f, g = made("team-stages", with_team(stages, 2), ranks=2), made("team-stages-1", stages)
    if None not in (f, g):
        apart = abs(final(f) - final(g)).max()
        ok(0 < apart < 1e-11, "a team steps gauss(2) as one rank does", apart)
    process = constella("verify", path("team-2-of-2.h5"))
    ok(
        process.returncode == 0 and "solved by 2 ranks together" in process.stdout,
        "verify: to a tolerance",
        process.stdout,
        process.stderr,
    )
    plan = constella("check", path("team-2-of-2.yaml")).stdout
    ok("unknowns with 152 entries, which 2 ranks solve together" in plan, "check tells how many ranks solve", plan)
    for text, found in (
        (with_team(alone, 3), "is 3, and the run has 2 ranks; allowed: multiples of 3"),
        (with_team(net("lanes", 4, 4), 2), "`solver: {engine: petsc}` is needed"),
        (with_team(study("petsc"), 2), "its matrix is not sparse there"),
        (with_team(alone, 0), "ranks-per-trajectory"),
    ):
        process, result = run("team-refused", text, ranks=2)
        ok(process.returncode == 2 and found in process.stderr, f"refused: {found}", process.stderr)


def resumed_team():
    text = net("petsc", 4, 4).replace("end: 0.3", "end: 4").replace("rattle, shake, ", "")
    text += "ranks-per-trajectory: 2\n"
    process, result = run("team-stops", text, "--max-hours", "0.00001", ranks=2)
    if not ok(process.returncode == 75, "a team stops with a checkpoint", process.stderr, process.stdout):
        return
    words = ("run", path("team-stops.yaml"), "-o", result, "--resume", "--progress", "none")
    write("team-stops.yaml", text.replace("trajectory: 2", "trajectory: 1"))
    process = constella(*words, ranks=2)
    ok(process.returncode == 2, "--resume with other ranks per trajectory is refused", process.stderr)
    write("team-stops.yaml", text)
    process = constella(*words, ranks=2)
    at_once = made("team-at-once", text, ranks=2)
    with h5py.File(result) as f:
        apart = abs(final(f) - final(at_once)).max() if at_once else 1
        ok(process.returncode == 0 and apart == 0, "a team goes on to the same bits", apart, process.stderr)


together([teams, resumed_team])
done()
